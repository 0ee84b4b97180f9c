#!/usr/bin/env python3
"""Runs a TensorFlow graph through libtagflow.so, with Python's ctypes alone: how any language that
calls C does it. Usage: ctypes_example.py LIBTAGFLOW GRAPH, a graph as examples/collatz/graph.pbtxt.
"""

import ctypes
import sys

INT32 = 3


class CallNames(ctypes.Structure):
    """struct tagflow_call_names"""
    _fields_ = [("size", ctypes.c_size_t)] + [
        field for kind in ("feeds", "fetches", "targets")
        for field in ((kind, ctypes.POINTER(ctypes.c_char_p)), ("num_" + kind, ctypes.c_size_t))]


def names_of(feeds, fetches):
    """The struct, which keeps the arrays that it points to."""
    names = CallNames(size=ctypes.sizeof(CallNames))
    names.feeds, names.num_feeds = (ctypes.c_char_p * len(feeds))(*feeds), len(feeds)
    names.fetches, names.num_fetches = (ctypes.c_char_p * len(fetches))(*fetches), len(fetches)
    return names


class Tagflow:
    """The functions that this needs."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        for name, result in (("error_text", ctypes.c_char_p), ("tensor_data", ctypes.c_void_p)):
            getattr(self._library, "tagflow_" + name).restype = result

    def make(self, function, *arguments):
        """Calls a function whose last argument is where the handle goes; returns the handle."""
        handle = ctypes.c_void_p()
        self.call(function, *arguments, ctypes.byref(handle))
        return handle

    def call(self, function, *arguments):
        """Calls a function that returns a tagflow_error*."""
        found = getattr(self._library, "tagflow_" + function)
        found.restype = ctypes.c_void_p
        error = ctypes.c_void_p(found(*arguments))
        if error:
            text = self._library.tagflow_error_text(error).decode()
            self._library.tagflow_error_free(error)
            raise RuntimeError(text)

    def int32_of(self, tensor):
        """The element of a scalar."""
        data = self._library.tagflow_tensor_data(tensor)
        return ctypes.cast(data, ctypes.POINTER(ctypes.c_int32))[0]

    def free(self, kind, handle):
        """Frees a handle of this kind."""
        getattr(self._library, f"tagflow_{kind}_free")(handle)


def main(library, path):
    tagflow = Tagflow(library)
    graph = tagflow.make("graph_load", path.encode(), None)
    session = tagflow.make("session_open", graph, None)
    call = tagflow.make("session_prepare", session,
                        ctypes.byref(names_of([b"n"], [b"best", b"start"])))
    n = ctypes.c_int32(60)
    feed = tagflow.make("tensor_borrow", INT32, 0, None, ctypes.byref(n), None, None)
    results = (ctypes.c_void_p * 2)()
    tagflow.call("call_run", call, (ctypes.c_void_p * 1)(feed), None, results)
    for name, result in zip(("best", "start"), results):
        tensor = ctypes.c_void_p(result)
        print(f"{name}: {tagflow.int32_of(tensor)}")
        tagflow.free("tensor", tensor)
    for kind, handle in (("tensor", feed), ("call", call), ("session", session), ("graph", graph)):
        tagflow.free(kind, handle)


if __name__ == "__main__":
    main(*sys.argv[1:])
