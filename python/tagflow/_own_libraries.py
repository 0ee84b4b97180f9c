"""How the extension is loaded beside other packages' libraries."""

import contextlib
import os
import sys
from typing import Iterator


@contextlib.contextmanager
def with_own_libraries() -> Iterator[None]:
    """In a `with` block, extensions look names up in the libraries that they came with first.

    TensorFlow shows the functions of its protobuf to the whole process, and ours, of another version,
    would call them. AddressSanitizer cannot look names up so, and has no TensorFlow beside it.
    """
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        yield
        return
    before = sys.getdlopenflags()
    sys.setdlopenflags(os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_DEEPBIND)
    try:
        yield
    finally:
        sys.setdlopenflags(before)
