"""Values that go in and come out."""

import resource

import ml_dtypes
import numpy as np
import pytest

import graphs
import tagflow

ENUMS = {
    "float32": "DT_FLOAT", "float64": "DT_DOUBLE", "float16": "DT_HALF", "int8": "DT_INT8",
    "int16": "DT_INT16", "int32": "DT_INT32", "int64": "DT_INT64", "uint8": "DT_UINT8",
    "uint16": "DT_UINT16", "uint32": "DT_UINT32", "uint64": "DT_UINT64", "bool": "DT_BOOL",
    "complex64": "DT_COMPLEX64", "complex128": "DT_COMPLEX128",
}
LARGE = 2000  # elements: more than what is copied rather than borrowed


def through(enum):
    return tagflow.Session(graphs.identity(enum), threads=1).callable(["x"], "y")


@pytest.mark.parametrize("name", [*ENUMS, "bfloat16"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (LARGE // 2, 2)])
def test_arrays_of_each_dtype_go_through(name, shape):
    dtype = np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
    array = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)
    result = through(ENUMS.get(name, "DT_BFLOAT16"))(array)
    assert result.dtype == dtype
    assert np.shape(result) == shape
    assert np.array_equal(result, array)
    assert isinstance(result, np.generic if shape == () else np.ndarray)


@pytest.mark.parametrize("array", [
    np.asfortranarray(np.arange(LARGE, dtype=np.float32).reshape(2, -1)),
    np.arange(LARGE, dtype=np.float32)[::-1],
    np.arange(LARGE * 2, dtype=np.float32)[::2],
    np.arange(LARGE, dtype=np.float32).reshape(-1, 2).T,
    np.broadcast_to(np.float32(3), (LARGE,)),
    np.arange(LARGE, dtype=">f4"),
    np.frombuffer(b"x" + np.arange(LARGE, dtype=np.float32).tobytes(), np.uint8)[1:].view("f4"),
], ids=["Fortran", "negative stride", "stride", "transposed", "stride 0", "byte order", "unaligned"])
def test_arrays_lie_in_any_order(array):
    array.flags.writeable = False
    result = through("DT_FLOAT")(array)
    assert result.dtype == np.float32
    assert np.array_equal(result, array)


def test_a_result_is_not_the_feed():
    array = np.arange(LARGE, dtype=np.float32)
    result = through("DT_FLOAT")(array)
    assert not np.shares_memory(result, array)
    array[:] = 7
    assert np.array_equal(result, np.arange(LARGE))


def test_a_feed_keeps_its_elements():
    array = np.arange(LARGE, dtype=np.float32)
    f = tagflow.Session(graphs.add_one(), threads=1).callable(["x"], "y")
    assert np.array_equal(f(array), np.arange(LARGE) + 1)
    assert np.array_equal(array, np.arange(LARGE))


def test_a_large_feed_is_not_copied():
    session = tagflow.Session(graphs.graph(
        graphs.placeholder("x", "DT_FLOAT"),
        graphs.node("size", "Size", "x", attrs=[graphs.dtype("T", "DT_FLOAT")])))
    array = np.ones(25_000_000, dtype=np.float32)  # 100 MB
    f = session.callable(["x"], "size")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert f(array) == array.size
    assert session.run("size", {"x": array}) == array.size
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1000  # KB


def test_a_variable_does_not_change_with_the_array_that_was_fed():
    session = tagflow.Session(graphs.variable())
    array = np.arange(LARGE, dtype=np.float32)
    session.run("assign", {"value": array})
    array[:] = -1
    value = session.run("read")
    assert np.array_equal(value, np.arange(LARGE))
    assert not value.flags.writeable, "it is the variable's"


def test_constants_are_read_only_and_computed_arrays_are_not():
    table = graphs.floats("table", range(LARGE))
    session = tagflow.Session(graphs.graph(
        table, graphs.node("square", "Square", "table", attrs=[graphs.dtype("T", "DT_FLOAT")])))
    constant, square = session.run(["table", "square"])
    with pytest.raises(ValueError):
        constant[0] = 5
    square[0] = 5
    del session
    assert constant[1] == 1, "it keeps the memory"


@pytest.mark.parametrize("value, enum, result", [
    (3, "DT_FLOAT", np.float32(3)), (3.5, "DT_DOUBLE", 3.5), (3, "DT_UINT8", np.uint8(3)),
    ([1, 2], "DT_FLOAT", [1, 2]), ([[1.5], [2]], "DT_HALF", [[1.5], [2]]), (True, "DT_BOOL", True),
    ([], "DT_INT64", []), (2**40, "DT_INT64", 2**40), (2**63, "DT_UINT64", 2**63),
    (1 + 2j, "DT_COMPLEX64", 1 + 2j), (np.float32(2), "DT_FLOAT", 2), (1.5, "DT_BFLOAT16", 1.5),
])
def test_numbers_and_lists_become_what_the_graph_wants(value, enum, result):
    assert np.array_equal(through(enum)(value), result)


@pytest.mark.parametrize("value, enum, words", [
    (1.5, "DT_INT32", "int32"), ([1, 2.0], "DT_INT64", "int64"), (2**31, "DT_INT32", "2147483648"),
    (-1, "DT_UINT8", "-1"), (2**64, "DT_INT64", "INVALID_ARGUMENT"), (1j, "DT_FLOAT", "complex"),
    (1, "DT_BOOL", "bool"), ("a", "DT_FLOAT", "float32"), ([[1], [2, 3]], "DT_FLOAT", "no array"),
    (None, "DT_FLOAT", "float32"), ({}, "DT_FLOAT", "float32"), (object(), "DT_STRING", "bytes"),
    (np.zeros(2), "DT_FLOAT", "astype"), (np.float64(1), "DT_FLOAT", "astype"),
    (np.zeros(2, np.int64), "DT_INT32", "astype"), (np.zeros(1, "M8[s]"), "DT_INT64", "no tensor"),
    (np.zeros(1, [("a", "f4")]), "DT_FLOAT", "no tensor"), (np.zeros(1, "f16"), "DT_DOUBLE", "no"),
])
def test_what_does_not_fit_is_an_error_that_names_the_feed(value, enum, words):
    with pytest.raises(tagflow.errors.InvalidArgumentError, match="feed 'x' ") as caught:
        through(enum)(value)
    assert words in str(caught.value)


@pytest.mark.parametrize("value, result", [
    (b"a\0b", b"a\0b"), ("Ä", "Ä".encode()), ([b"", "x"], [b"", b"x"]),
    (np.array([b"ab", b"c"]), [b"ab", b"c"]), (np.array(["ab", "c"]), [b"ab", b"c"]),
    (np.array([["x"], [b"\xff"]], object), [[b"x"], [b"\xff"]]), (np.array(b"q", object), b"q"),
])
def test_texts_are_bytes(value, result):
    given = through("DT_STRING")(value)
    assert given == result if isinstance(result, bytes) else given.tolist() == result


class Lurking:
    """An object that must never be looked into."""

    def __reduce__(self):
        raise AssertionError("it was pickled")


def test_objects_in_arrays_are_refused():
    for enum in ("DT_STRING", "DT_FLOAT"):
        with pytest.raises(tagflow.Error, match="feed 'x' "):
            through(enum)(np.array([Lurking()], object))


def test_a_bool_array_of_other_bytes_is_made_of_true_and_false():
    odd = np.array([0, 2, 255], np.uint8).view(bool)
    assert through("DT_BOOL")(odd).view(np.uint8).tolist() == [0, 1, 1]


class Foreign:
    """A tensor of another package, which gives its memory by DLPack."""

    def __init__(self, array, device=1):
        self._array, self._device = array, device

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self._device, 0)


def test_dlpack_both_ways():
    array = np.arange(LARGE, dtype=np.float32)
    f = tagflow.Session(graphs.add_one()).callable(["x"], "y")
    result = f(Foreign(array))
    assert np.array_equal(np.from_dlpack(result), array + 1)
    with pytest.raises(tagflow.Error, match="memory of a device"):
        f(Foreign(array, device=2))


def test_lists_of_tensors_are_objects_that_can_be_fed_again():
    graph = graphs.graph(
        graphs.constant("shape", "DT_INT32", "tensor_shape {} int_val: -1"),
        graphs.constant("size", "DT_INT32", "tensor_shape {} int_val: 2"),
        graphs.node("list", "TensorListReserve", "shape", "size", attrs=[
            graphs.dtype("element_dtype", "DT_FLOAT"), graphs.dtype("shape_type", "DT_INT32")]),
        graphs.node("length", "TensorListLength", "list"))
    session = tagflow.Session(graph)
    made = session.run("list")
    assert "List" in repr(made)
    assert session.run("length", {"list": made}) == 2
    with pytest.raises(tagflow.Error, match="variant"):
        session.run("length", {"list": 3})
    with pytest.raises(tagflow.Error, match="only what a step gave"):
        session.run("length", {"list": np.zeros(2)})
