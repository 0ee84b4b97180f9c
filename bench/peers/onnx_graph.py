"""Graphs of ONNX's Loop and If, written as functions.

A Graph makes nodes and gives Values, which know their graph's dtype and have Python's operators.
Functions that make a body or a branch are given a Graph of their own, and may use the values of the
graphs around it as they are: ONNX lets them.
"""

import itertools

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
_TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int32): TensorProto.INT32,
          np.dtype(np.int64): TensorProto.INT64, np.dtype(np.bool_): TensorProto.BOOL}


class Value:
    """A tensor of a graph."""

    def __init__(self, graph, name, dtype):
        self.graph, self.name, self.dtype = graph, name, np.dtype(dtype)


class Graph:
    """Nodes under construction; inner graphs share the outer one's names."""

    def __init__(self, outer=None):
        self.nodes, self.inputs = [], []
        self._names = outer._names if outer else itertools.count()

    def name(self):
        return f"v{next(self._names)}"

    def input(self, dtype, shape=None):
        value = Value(self, self.name(), dtype)
        self.inputs.append(helper.make_tensor_value_info(value.name, _TYPES[value.dtype], shape))
        return value

    def constant(self, value):
        array = np.asarray(value)
        return self.op("Constant", dtype=array.dtype, value=numpy_helper.from_array(array))

    def value(self, of, like=None):
        """`of` as a Value: a number becomes a constant of the dtype of `like`."""
        if isinstance(of, Value):
            return of
        return self.constant(np.asarray(of, like.dtype if like else None))

    def op(self, kind, *inputs, dtype=None, outputs=1, **attributes):
        """A node; its dtype is that of its first input, unless given. A list of several outputs."""
        first = next((value for value in inputs if isinstance(value, Value)), None)
        names = [self.value(value, first).name for value in inputs]
        made = [Value(self, self.name(), dtype or first.dtype) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, names, [one.name for one in made], **attributes))
        return made[0] if outputs == 1 else made

    def test(self, kind, *inputs):
        return self.op(kind, *inputs, dtype=np.bool_)

    def while_loop(self, predicate, body, initial, collect=()):
        """The last values of the variables while predicate(graph, *variables) holds, where
        body(graph, *variables) gives the next ones; and of the dtypes `collect`, the values that
        the body gives after them, of all iterations one after the other."""
        initial = [self.value(value) for value in initial]
        inner = Graph(self)
        inner.input(np.int64, [])
        inner.input(np.bool_, [])
        results = body(inner, *[inner.input(value.dtype) for value in initial])
        again = predicate(inner, *results[:len(initial)])
        attribute = inner.finish("body", [again, *results])
        dtypes = [value.dtype for value in initial] + list(collect)
        made = [Value(self, self.name(), dtype) for dtype in dtypes]
        inputs = ["", predicate(self, *initial).name, *[value.name for value in initial]]
        self.nodes.append(helper.make_node("Loop", inputs, [one.name for one in made],
                                           body=attribute))
        return made

    def count_to(self, bound, initial, body, collect=()):
        """while i < bound: the variables after i become body(graph, i, *variables)."""
        step = lambda g, i, *v: [g.op("Add", i, 1), *body(g, i, *v)]
        below = lambda g, i, *_: g.test("Less", i, bound)
        return self.while_loop(below, step, [np.int32(0), *initial], collect)

    def cond(self, predicate, then, otherwise):
        """The values of then(graph) or otherwise(graph)."""
        branches = {}
        for key, make in (("then_branch", then), ("else_branch", otherwise)):
            inner = Graph(self)
            results = make(inner)
            branches[key] = inner.finish(key, results)
        made = [Value(self, self.name(), value.dtype) for value in results]
        self.nodes.append(helper.make_node("If", [predicate.name], [one.name for one in made],
                                           **branches))
        return made

    def finish(self, name, outputs):
        """The graph that gives `outputs`, each under a name of its own."""
        own = [self.op("Identity", value) for value in outputs]
        infos = [helper.make_tensor_value_info(one.name, _TYPES[one.dtype], None) for one in own]
        return helper.make_graph(self.nodes, name, self.inputs, infos)


def serialize(graph, outputs):
    """The bytes of a model; the names of its outputs."""
    made = graph.finish("program", outputs)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    return model.SerializeToString(), [output.name for output in made.output]
