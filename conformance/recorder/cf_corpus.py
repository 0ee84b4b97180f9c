#!/usr/bin/env python3
"""Writes the corpus of control flow: graphs that TensorFlow's Python layer builds with control flow
v1, graphs written by hand, and random ones, with what TensorFlow answers.

  .peers/bin/python conformance/recorder/cf_corpus.py FOLDER [--only PREFIX] [--jobs N]

The same cases come out every time. They are not part of the tree; `tagflow check FOLDER` runs them.
Under FOLDER: cf/ needs the language's ops only; extra/cf/ needs others; differs/cf/ holds graphs on
which the standard departs from TensorFlow.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import corpus

MODULES = ("cf_cond", "cf_while", "cf_nested", "cf_functional", "cf_arrays", "cf_gradients",
           "cf_devices", "cf_random_effects", "cf_raw", "cf_raw_switch", "cf_invalid", "cf_differs",
           "cf_random_switch", "cf_random_program")

if __name__ == "__main__":
  corpus.main(__doc__, MODULES)
