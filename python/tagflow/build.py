"""Graphs built in Python: ops as functions and operators, branches and loops of Python functions.

  from tagflow import build
  b = build.Builder()
  n = b.placeholder("n", "int32", [])
  total, _ = b.while_loop(lambda s, i: i < n, lambda s, i: (s + i, i + 1), [0, 0])
  b.identity(total, name="total")
  tagflow.Session(b.graph()).run("total", {"n": 5})   # 10

Any op of docs/ops.md is a method of the builder, by its own name or in lower case with underscores:
b.MatMul(x, y, transpose_a=True), b.mat_mul(x, y). Attrs that the inputs tell need not be given.
Tensors made outside a branch or loop are used inside it as they are.

A builder that has raised an error of the graph is of no more use: make another.
"""

from __future__ import annotations

import contextlib
import re
from typing import (Any, Callable as Function, Dict, Iterator, List, Optional, Sequence, Tuple,
                    Union)

import numpy as np

from tagflow import _core
from tagflow._graph import Graph
from tagflow._ops import Ops, core_of

Shape = Optional[Sequence[Optional[int]]]
Result = Union["Tensor", Tuple["Tensor", ...]]


class Tensor:
    """A tensor of a graph that is being built. + - * / // % ** @ < <= > >= & | ~ and abs make nodes,
    as does x[i, :3]; == compares objects, and `equal` tensors."""

    __slots__ = ("_output", "_builder")

    def __init__(self, output: _core.Output, builder: "Builder") -> None:
        self._output = output
        self._builder = builder

    @property
    def name(self) -> str:
        """By which it is fed and fetched: "node", "node:1"."""
        return self._output.name

    @property
    def dtype(self) -> str:
        """As numpy calls it."""
        return self._output.dtype

    @property
    def shape(self) -> Shape:
        """What is known of it: None for a dimension that is not, and for all where not even the
        rank is."""
        return self._output.shape

    def __repr__(self) -> str:
        return f"<tagflow.build.Tensor {self.name!r} {self.dtype} {self.shape}>"

    def __bool__(self) -> bool:
        raise TypeError("a tensor has no value while the graph is built: use cond or while_loop")

    def __iter__(self) -> Iterator["Tensor"]:
        raise TypeError("a tensor of a graph cannot be iterated over: use map or while_loop")

    def _op(self, op: str, *inputs: Any) -> "Tensor":
        made: Tensor = self._builder.op(op, *inputs)
        return made

    def __add__(self, other: Any) -> "Tensor": return self._op("AddV2", self, other)
    def __radd__(self, other: Any) -> "Tensor": return self._op("AddV2", other, self)
    def __sub__(self, other: Any) -> "Tensor": return self._op("Sub", self, other)
    def __rsub__(self, other: Any) -> "Tensor": return self._op("Sub", other, self)
    def __mul__(self, other: Any) -> "Tensor": return self._op("Mul", self, other)
    def __rmul__(self, other: Any) -> "Tensor": return self._op("Mul", other, self)
    def __truediv__(self, other: Any) -> "Tensor": return self._op("RealDiv", self, other)
    def __rtruediv__(self, other: Any) -> "Tensor": return self._op("RealDiv", other, self)
    def __floordiv__(self, other: Any) -> "Tensor": return self._op("FloorDiv", self, other)
    def __rfloordiv__(self, other: Any) -> "Tensor": return self._op("FloorDiv", other, self)
    def __mod__(self, other: Any) -> "Tensor": return self._op("FloorMod", self, other)
    def __rmod__(self, other: Any) -> "Tensor": return self._op("FloorMod", other, self)
    def __pow__(self, other: Any) -> "Tensor": return self._op("Pow", self, other)
    def __rpow__(self, other: Any) -> "Tensor": return self._op("Pow", other, self)
    def __matmul__(self, other: Any) -> "Tensor": return self._op("BatchMatMulV2", self, other)
    def __rmatmul__(self, other: Any) -> "Tensor": return self._op("BatchMatMulV2", other, self)
    def __lt__(self, other: Any) -> "Tensor": return self._op("Less", self, other)
    def __le__(self, other: Any) -> "Tensor": return self._op("LessEqual", self, other)
    def __gt__(self, other: Any) -> "Tensor": return self._op("Greater", self, other)
    def __ge__(self, other: Any) -> "Tensor": return self._op("GreaterEqual", self, other)
    def __and__(self, other: Any) -> "Tensor": return self._op("LogicalAnd", self, other)
    def __or__(self, other: Any) -> "Tensor": return self._op("LogicalOr", self, other)
    def __invert__(self) -> "Tensor": return self._op("LogicalNot", self)
    def __neg__(self) -> "Tensor": return self._op("Neg", self)
    def __abs__(self) -> "Tensor": return self._op("Abs", self)

    def __getitem__(self, key: Any) -> "Tensor":
        return self._builder._slice(self, key if isinstance(key, tuple) else (key,))


def _op_name(method: str) -> str:
    """"mat_mul" -> "MatMul"; "Add" stays."""
    return re.sub(r"(?:^|_)([a-z0-9])", lambda match: match.group(1).upper(), method)


class Builder:
    """A graph under construction."""

    def __init__(self, *, ops: Optional[Ops] = None) -> None:
        """ops: with ops of one's own; without, Tagflow's."""
        self._ops = core_of(ops)
        self._scope = _core.new_scope(self._ops)

    # ---- Nodes ----

    def op(self, op: str, *inputs: Any, name: Optional[str] = None, **attrs: Any) -> Any:
        """Makes a node.

        Args:
          op: as in docs/ops.md.
          inputs: tensors, arrays and numbers; for an argument that is a list, a list. A number takes
            the dtype of the tensors it is used with; a Python float by itself is float32, an int
            int32.
          name: of the node; without, the op's.
          attrs: what the inputs do not tell.

        Returns:
          The output; several as a tuple; of an op without outputs the node's name.
        """
        scope = self._scope if name is None else self._scope.with_text("name", name)
        node, outputs = scope.op(op, [self._input(value) for value in inputs], attrs)
        return self._wrap(outputs) if outputs else node

    def __getattr__(self, method: str) -> Function[..., Any]:
        if method.startswith("_"):
            raise AttributeError(method)
        op = _op_name(method)

        def make(*inputs: Any, name: Optional[str] = None, **attrs: Any) -> Any:
            return self.op(op, *inputs, name=name, **attrs)

        make.__name__ = method
        return make

    def placeholder(self, name: str, dtype: Any, shape: Shape = None) -> Tensor:
        """What is to be fed. shape: None for any."""
        made: Tensor = self.op("Placeholder", name=name, dtype=dtype, shape=shape)
        return made

    def constant(self, value: Any, dtype: Any = None, name: Optional[str] = None) -> Tensor:
        """A value written into the graph; of numpy's dtype for it unless another is given."""
        scope = self._scope if name is None else self._scope.with_text("name", name)
        if dtype is None and isinstance(value, (int, float)) and not isinstance(value, bool):
            dtype = "float32" if isinstance(value, float) else "int32"
        return Tensor(scope.const(value, dtype), self)

    def find(self, name: str) -> Tensor:
        """A tensor by its name."""
        return Tensor(self._scope.find(name), self)

    @contextlib.contextmanager
    def within(self, *, name: Optional[str] = None, device: Optional[str] = None,
               after: Sequence[Tensor] = ()) -> Iterator[None]:
        """In a `with` block: nodes have names below `name`, ask for `device`, wait for `after`."""
        scope = self._scope
        if name is not None:
            scope = scope.with_text("below", name)
        if device is not None:
            scope = scope.with_text("device", device)
        if after:
            scope = scope.after([tensor._output for tensor in after])
        with self._inside(scope):
            yield

    # ---- Control flow ----

    def cond(self, pred: Any, then: Function[[], Any], otherwise: Function[[], Any],
             name: str = "cond") -> Any:
        """What `then` gives where `pred` is true, else what `otherwise` does: the same number of
        tensors of the same dtypes. Only one of the two runs."""
        return self._result(self._scope.cond(self._tensor(pred)._output, self._branch(then),
                                             self._branch(otherwise), name))

    def case(self, index: Any, branches: Sequence[Function[[], Any]],
             default: Optional[Function[[], Any]] = None, name: str = "switch_case") -> Any:
        """What branch `index` gives; the default, else the last, for any other index."""
        return self._result(self._scope.switch_case(
            self._tensor(index)._output, [self._branch(branch) for branch in branches],
            None if default is None else self._branch(default), name))

    def while_loop(self, predicate: Function[..., Any], body: Function[..., Any],
                   variables: Sequence[Any], *, name: str = "while",
                   parallel_iterations: int = 10,
                   maximum_iterations: Union[None, int, Tensor] = None,
                   shape_invariants: Sequence[Shape] = ()) -> Tuple[Tensor, ...]:
        """The variables, once predicate(*variables) is false; body(*variables) gives the next ones.

        Args:
          parallel_iterations: how many iterations may run at once.
          maximum_iterations: after so many the loop ends, whatever the predicate says.
          shape_invariants: of each variable, or none: its shape in every iteration, where that
            changes.
        """
        bound = maximum_iterations._output if isinstance(maximum_iterations, Tensor) else (
            maximum_iterations)
        return self._wrap_all(self._scope.while_loop(
            self._outputs(variables), self._body(predicate), self._body(body), name,
            parallel_iterations, bound, list(shape_invariants)))

    def map(self, function: Function[..., Any], elements: Any, *, name: str = "map",
            parallel_iterations: int = 10) -> Any:
        """function(*rows) of each row of the elements, stacked."""
        return self._result(self._scope.map(self._body(function), self._outputs(elements), name,
                                            parallel_iterations))

    def scan(self, function: Function[..., Any], elements: Any, initial: Any = (), *,
             name: str = "scan", parallel_iterations: int = 10, reverse: bool = False) -> Any:
        """function(accumulators, rows) gives the next accumulators: those after each row, stacked.
        One accumulator, and one element, come as a tensor; several as a tuple."""
        return self._result(self._scope.scan(
            self._fold(function), self._outputs(elements), self._outputs(initial), name,
            parallel_iterations, reverse))

    def fold(self, function: Function[..., Any], elements: Any, initial: Any = (), *,
             name: str = "fold", parallel_iterations: int = 10, reverse: bool = False) -> Any:
        """As `scan`, and only the accumulators after the last row."""
        return self._result(self._scope.fold(
            self._fold(function), self._outputs(elements), self._outputs(initial), name,
            parallel_iterations, reverse))

    def graph(self) -> Graph:
        """The graph so far; building may go on."""
        return Graph(self._scope.finish(self._ops))

    # ---- Between Python's values and the builder's ----

    @contextlib.contextmanager
    def _inside(self, scope: _core.Scope) -> Iterator[None]:
        before, self._scope = self._scope, scope
        try:
            yield
        finally:
            self._scope = before

    def _input(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return value._output
        if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
            return [self._tensor(each)._output for each in value]
        return np.asarray(value) if isinstance(value, list) else value

    def _tensor(self, value: Any) -> Tensor:
        return value if isinstance(value, Tensor) else self.constant(value)

    def _outputs(self, values: Any) -> List[_core.Output]:
        several = values if isinstance(values, (list, tuple)) else [values]
        return [self._tensor(value)._output for value in several]

    def _wrap_all(self, outputs: List[_core.Output]) -> Tuple[Tensor, ...]:
        return tuple(Tensor(output, self) for output in outputs)

    def _wrap(self, outputs: List[_core.Output]) -> Any:
        tensors = self._wrap_all(outputs)
        return tensors[0] if len(tensors) == 1 else tensors

    def _result(self, outputs: List[_core.Output]) -> Any:
        return self._wrap(outputs) if outputs else None

    def _returned(self, values: Any) -> List[_core.Output]:
        return [] if values is None else self._outputs(values)

    def _branch(self, function: Function[[], Any]) -> Function[[_core.Scope], List[_core.Output]]:
        def call(scope: _core.Scope) -> List[_core.Output]:
            with self._inside(scope):
                return self._returned(function())
        return call

    def _body(self, function: Function[..., Any]) -> Function[..., List[_core.Output]]:
        def call(scope: _core.Scope, values: List[_core.Output]) -> List[_core.Output]:
            with self._inside(scope):
                return self._returned(function(*self._wrap_all(values)))
        return call

    def _fold(self, function: Function[..., Any]) -> Function[..., List[_core.Output]]:
        def call(scope: _core.Scope, accumulators: List[_core.Output],
                 row: List[_core.Output]) -> List[_core.Output]:
            with self._inside(scope):
                return self._returned(function(self._wrap(accumulators), self._wrap(row)))
        return call

    def _slice(self, tensor: Tensor, key: Tuple[Any, ...]) -> Tensor:
        begin: List[int] = []
        end: List[int] = []
        strides: List[int] = []
        masks: Dict[str, int] = dict.fromkeys(
            ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
        for place, part in enumerate(key):
            bit = 1 << place
            one, two, three = 0, 1, 1
            if part is Ellipsis:
                masks["ellipsis_mask"] |= bit
            elif part is None:
                masks["new_axis_mask"] |= bit
            elif isinstance(part, slice):
                three = 1 if part.step is None else part.step
                masks["begin_mask"] |= bit if part.start is None else 0
                masks["end_mask"] |= bit if part.stop is None else 0
                one, two = part.start or 0, part.stop or 0
            elif isinstance(part, Tensor):
                if len(key) == 1:
                    return tensor._op("GatherV2", tensor, part, 0)
                raise TypeError("a tensor as an index stands alone: x[i]; use gather_v2")
            else:
                masks["shrink_axis_mask"] |= bit
                one, two = int(part), int(part) + 1
                if two == 0:  # the last element: up to the end
                    masks["end_mask"] |= bit
            begin.append(one)
            end.append(two)
            strides.append(three)
        arrays = [np.array(values, np.int32) for values in (begin, end, strides)]
        made: Tensor = self.op("StridedSlice", tensor, *arrays, name=None, **masks)
        return made
