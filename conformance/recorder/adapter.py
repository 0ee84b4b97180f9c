"""Where the adapter's modules are found: import this before graph_session, protos or quiet."""

import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "adapters", "tensorflow")

sys.path.insert(0, FOLDER)
