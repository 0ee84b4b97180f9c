"""What goes wrong, as exceptions: one class for each of TensorFlow's codes.

Each has, besides its text, which is that of the `tagflow` command,

  code    "INVALID_ARGUMENT", ...
  node    the node at which it happened, or ""
  tag     of the firing: "while[3]" is iteration 3 of the loop `while`; "" is outside of loops
  rule    of docs/semantics.md, as "merge.3", or ""
  device  "/device:CPU:1", or ""
"""

from typing import Any, Tuple


class Error(Exception):
    """What the engine says no to."""

    code = "UNKNOWN"

    def __init__(self, text: str, node: str = "", tag: str = "", rule: str = "",
                 device: str = "") -> None:
        super().__init__(text)
        self.node = node
        self.tag = tag
        self.rule = rule
        self.device = device

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.args[0], self.node, self.tag, self.rule, self.device)


class CancelledError(Error):
    """The step was cancelled."""
    code = "CANCELLED"


class InvalidArgumentError(Error):
    """The graph, the call or a value cannot be used."""
    code = "INVALID_ARGUMENT"


class DeadlineExceededError(Error, TimeoutError):
    """The step took longer than its timeout."""
    code = "DEADLINE_EXCEEDED"


class NotFoundError(Error):
    """There is no such node, file, signature, ..."""
    code = "NOT_FOUND"


class AlreadyExistsError(Error):
    """There is one already."""
    code = "ALREADY_EXISTS"


class PermissionDeniedError(Error):
    """A file may not be read or written."""
    code = "PERMISSION_DENIED"


class ResourceExhaustedError(Error, MemoryError):
    """No memory, or a limit was reached."""
    code = "RESOURCE_EXHAUSTED"


class FailedPreconditionError(Error):
    """Something has to be done before: a variable has no value, a session is closed."""
    code = "FAILED_PRECONDITION"


class AbortedError(Error):
    """Another step was in the way."""
    code = "ABORTED"


class OutOfRangeError(Error):
    """Past the end, or past a limit."""
    code = "OUT_OF_RANGE"


class UnimplementedError(Error, NotImplementedError):
    """Nobody has made this yet: an op, a dtype, a gradient."""
    code = "UNIMPLEMENTED"


class InternalError(Error):
    """A fault of Tagflow's own: please report it."""
    code = "INTERNAL"


class UnavailableError(Error):
    """Not now."""
    code = "UNAVAILABLE"


class DataLossError(Error):
    """A file is damaged."""
    code = "DATA_LOSS"


class UnauthenticatedError(Error):
    """Nobody knows who asks."""
    code = "UNAUTHENTICATED"


class UnknownError(Error):
    """None of the others."""
    code = "UNKNOWN"


# By TensorFlow's numbers.
_CLASSES = {
    1: CancelledError, 2: UnknownError, 3: InvalidArgumentError, 4: DeadlineExceededError,
    5: NotFoundError, 6: AlreadyExistsError, 7: PermissionDeniedError, 8: ResourceExhaustedError,
    9: FailedPreconditionError, 10: AbortedError, 11: OutOfRangeError, 12: UnimplementedError,
    13: InternalError, 14: UnavailableError, 15: DataLossError, 16: UnauthenticatedError,
}


def _from_status(number: int, text: str, node: str, tag: str, rule: str, device: str) -> Error:
    return _CLASSES.get(number, UnknownError)(text, node, tag, rule, device)
