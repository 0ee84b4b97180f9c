"""run0 and setup100k through TensorFlow's C API, as a program without Python calls it.

A function per program is given the session's configuration (a serialized ConfigProto) and the
number of runs, and yields (program, ns_per_unit, check).
"""

import ctypes
import os
import time

import numpy as np
import tensorflow as tf

from program_data import wide_edges

_FLOAT = 1  # TF_FLOAT


class _Output(ctypes.Structure):
    _fields_ = [("operation", ctypes.c_void_p), ("index", ctypes.c_int)]


def _library():
    folder = os.path.dirname(tf.__file__)
    library = ctypes.CDLL(os.path.join(folder, "libtensorflow_cc.so.2"))
    pointers = ("TF_NewStatus", "TF_NewGraph", "TF_NewBufferFromString", "TF_NewSession",
                "TF_NewSessionOptions", "TF_NewImportGraphDefOptions", "TF_GraphOperationByName",
                "TF_AllocateTensor", "TF_TensorData")
    for name in pointers:
        getattr(library, name).restype = ctypes.c_void_p
    library.TF_Message.restype = ctypes.c_char_p
    return library


class Session:
    """A graph's session; REQUIRES: its feed is the float scalar "x", its fetch a float scalar."""

    def __init__(self, graph_def, fetch, config):
        self.lib = _library()
        self.status = ctypes.c_void_p(self.lib.TF_NewStatus())
        self.graph = ctypes.c_void_p(self.lib.TF_NewGraph())
        self._import(graph_def)
        options = ctypes.c_void_p(self.lib.TF_NewSessionOptions())
        self.lib.TF_SetConfig(options, config, ctypes.c_size_t(len(config)), self.status)
        self._check()
        self.session = ctypes.c_void_p(self.lib.TF_NewSession(self.graph, options, self.status))
        self._check()
        self.lib.TF_DeleteSessionOptions(options)
        self.feed = self._output("x")
        self.fetch = self._output(fetch)
        self.result = ctypes.c_void_p()

    def _check(self):
        if self.lib.TF_GetCode(self.status):
            raise RuntimeError(self.lib.TF_Message(self.status).decode())

    def _import(self, graph_def):
        data = ctypes.c_void_p(
            self.lib.TF_NewBufferFromString(graph_def, ctypes.c_size_t(len(graph_def))))
        options = ctypes.c_void_p(self.lib.TF_NewImportGraphDefOptions())
        self.lib.TF_GraphImportGraphDef(self.graph, data, options, self.status)
        self._check()
        self.lib.TF_DeleteImportGraphDefOptions(options)
        self.lib.TF_DeleteBuffer(data)

    def _output(self, name):
        return _Output(self.lib.TF_GraphOperationByName(self.graph, name.encode()), 0)

    def scalar(self, value):
        tensor = ctypes.c_void_p(
            self.lib.TF_AllocateTensor(_FLOAT, None, 0, ctypes.c_size_t(4)))
        ctypes.cast(self.lib.TF_TensorData(tensor),
                    ctypes.POINTER(ctypes.c_float))[0] = value
        return tensor

    def run(self, value):
        """A step with the tensor `value` fed; result_value() has what came out."""
        if self.result:
            self.lib.TF_DeleteTensor(self.result)
        self.lib.TF_SessionRun(self.session, None, ctypes.byref(self.feed), ctypes.byref(value), 1,
                               ctypes.byref(self.fetch), ctypes.byref(self.result), 1, None, 0,
                               None, self.status)
        self._check()

    def result_value(self):
        data = ctypes.c_void_p(self.lib.TF_TensorData(self.result))
        return ctypes.cast(data, ctypes.POINTER(ctypes.c_float))[0]

    def close(self):
        self.lib.TF_CloseSession(self.session, self.status)
        self.lib.TF_DeleteSession(self.session, self.status)
        self.lib.TF_DeleteGraph(self.graph)


def _time(function):
    start = time.perf_counter_ns()
    function()
    return time.perf_counter_ns() - start


def _wide_graph(ops):
    """The GraphDef of the wide program, node by node; the name of its last node."""
    graph = tf.compat.v1.GraphDef()

    def add(name, op, inputs, **attrs):
        node = graph.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            node.attr[key].CopyFrom(value)

    number = tf.compat.v1.AttrValue(type=_FLOAT)
    scalar = tf.compat.v1.AttrValue(shape=tf.TensorShape([]).as_proto())
    add("x", "Placeholder", [], dtype=number, shape=scalar)
    edges, unused = wide_edges(ops)
    names = ["x", *(f"n{k}" for k in range(1, ops + 1))]
    for k, (a, b) in enumerate(edges):
        add(names[k + 1], ("Minimum", "Maximum", "Sub")[k % 3], [names[a], names[b]], T=number)
    add("sum", "AddN", [names[k] for k in unused], T=number, N=tf.compat.v1.AttrValue(i=len(unused)))
    return graph.SerializeToString()


_wide = {}  # the graph, once made


def setup100k(config, runs):
    if not _wide:
        _wide["graph"] = _wide_graph(100_000)
    imports, firsts, sums, later = [], [], [], []
    for _ in range(runs):
        made = []
        imports.append(_time(lambda: made.append(Session(_wide["graph"], "sum", config))))
        session = made[0]
        x = session.scalar(1.5)
        firsts.append(_time(lambda: session.run(x)))
        sums.append(imports[-1] + firsts[-1])
        later += [_time(lambda: session.run(x)) for _ in range(3)]
        check = f"{session.result_value():.6g}"
        session.close()
    yield "setup100k.import", min(imports) / 1e5, ""
    yield "setup100k.first_run", min(firsts) / 1e5, ""
    yield "setup100k.import+first_run", min(sums) / 1e5, check
    yield "setup100k", min(later) / 1e5, check


def run0(config, runs):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(np.float32, (), name="x")
        tf.add(x, 1, name="y")
    session = Session(graph.as_graph_def().SerializeToString(), "y", config)
    one = session.scalar(1)
    times = [_time(lambda: session.run(one)) for _ in range(max(runs, 2_000))]
    yield "run0", min(times), f"{session.result_value():.6g}"
    session.close()


PROGRAMS = {"run0": run0, "setup100k": setup100k}
