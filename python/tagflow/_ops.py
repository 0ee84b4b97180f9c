"""Ops of one's own, whose kernels are Python functions."""

from __future__ import annotations

import inspect
from typing import Any, Callable, List, Optional, TypeVar

from tagflow import _core

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


class Ops:
    """Tagflow's ops and those of one's own.

      ops = tagflow.Ops()

      @ops.op("Clip", "input x: T", "output y: T", "attr T: {float, double}", "attr most: float")
      def clip(x, *, most):
          return np.minimum(x, most)

      graph = tagflow.load("graph.pbtxt", ops=ops)

    They may be used by several graphs, and get no op more once one was made with them.
    """

    def __init__(self) -> None:
        self._core = _core.new_ops()

    def op(self, name: str, *specs: str, stateful: bool = False) -> Callable[[_Kernel], _Kernel]:
        """Makes the function below it the kernel of an op.

        The function is called for each firing of a node whose inputs are live, on whichever thread,
        with a numpy value for each input (read-only where others have it, too) and, as keywords, the
        attrs that its keyword-only parameters are named after. It returns a value, or as many as the
        op has outputs, of their dtypes. What it raises ends the step: the step's error has the node
        and the tag, and comes from that exception. ValueError and TypeError are INVALID_ARGUMENT,
        NotImplementedError is UNIMPLEMENTED, tagflow's own errors have their codes, and others are
        UNKNOWN. There is no gradient of such an op.

        Args:
          name: of the op.
          specs: its arguments and attrs as TensorFlow writes them: "input x: T", "input n: int32",
            "output y: T", "attr T: {float, double}", "attr axis: int = 0".
          stateful: that it does more than to compute: it is never left out, merged with another, or
            computed beforehand.

        Raises:
          AlreadyExistsError: there is such an op.
          InvalidArgumentError: a spec that cannot be read; a parameter that is no attr.
          FailedPreconditionError: a graph was made with these ops.
        """

        def add(kernel: _Kernel) -> _Kernel:
            self._core.add(name, list(specs), kernel, _keyword_only(kernel), stateful)
            return kernel

        return add


def _keyword_only(kernel: Callable[..., Any]) -> List[str]:
    parameters = inspect.signature(kernel).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


def core_of(ops: Optional[Ops]) -> Optional[_core.Ops]:
    """What the C++ part knows them by."""
    return None if ops is None else ops._core  # pylint: disable=protected-access
