"""Arrays of values that are none: numbers, lists, texts, tensors of other packages."""

from typing import Any, Optional

import numpy as np

from tagflow import errors

# What numpy's kinds of a value may become without a change, where each element stays what it is:
# a list of ints becomes float32, one of floats never int32.
_MAY_BECOME = {"b": "b", "i": "iufc", "u": "iufc", "f": "fc", "c": "c"}


def _refuse(name: str, why: str) -> errors.Error:
    return errors.InvalidArgumentError(f"INVALID_ARGUMENT: feed '{name}' {why}")


def _dtype(wanted: str) -> "np.dtype[Any]":
    if wanted != "bfloat16":
        return np.dtype(wanted)
    import ml_dtypes  # numpy has no bfloat16 of its own
    bfloat16: "np.dtype[Any]" = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


def _kind(dtype: "np.dtype[Any]") -> str:
    return "f" if dtype.kind == "V" else dtype.kind  # what ml_dtypes adds is of kind V


def _from_dlpack(value: Any, name: str) -> np.ndarray:
    if value.__dlpack_device__()[0] != 1:
        raise _refuse(name, "is in the memory of a device: copy it to the host's first")
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise _refuse(name, f"cannot be taken by DLPack: {error}") from error


def _texts(value: Any, name: str) -> np.ndarray:
    texts = np.asarray(value, dtype=object)
    for text in texts.flat:
        if not isinstance(text, (bytes, str)):
            raise _refuse(name, f"holds {text!r}, and the graph wants bytes or str")
    return texts


def _natural(value: Any, name: str) -> np.ndarray:
    """What numpy makes of it by itself."""
    try:
        return np.asarray(value)
    except ValueError as error:  # lists of unequal lengths
        raise _refuse(name, f"is no array: {error}") from error


def as_array(value: Any, wanted: Optional[str], name: str) -> np.ndarray:
    """An array of `value`, of the dtype that is wanted where it is one (None: of any).

    Numbers and lists of numbers become that dtype where all of them are still the same then, which
    rounding a float to a narrower one is. An array keeps its own, whatever is wanted: who feeds
    float64 where the graph wants float32 is told.
    """
    if wanted == "bytes":
        return _texts(value, name)
    if hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic)):
        return _from_dlpack(value, name)
    array = _natural(value, name)
    if wanted is None:
        return _texts(value, name) if array.dtype.kind in "OSU" else array
    if isinstance(value, (np.ndarray, np.generic)) or hasattr(value, "__array__"):
        return array
    if wanted in ("resource", "variant"):
        raise _refuse(name, f"is a {wanted}: only what a step gave can be fed")
    dtype = _dtype(wanted)
    if array.size == 0:
        return array.astype(dtype)
    if _kind(dtype) not in _MAY_BECOME.get(array.dtype.kind, ""):
        raise _refuse(name, f"is of {array.dtype}, and the graph wants {wanted}")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        # Python's own numbers: of numpy's, the largest uint64 and -1 have no common type.
        low, high = int(array.min()), int(array.max())
        if low < limits.min or high > limits.max:
            raise _refuse(name, f"holds {low if low < limits.min else high}, which no {wanted} is")
    return array.astype(dtype)
