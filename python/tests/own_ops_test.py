"""Ops whose kernels are Python functions."""

import threading

import numpy as np
import pytest

import tagflow
from tagflow import build

LARGE = 1 << 18  # elements, of an array that is not copied for being small

LOOP = """
node { name: "n" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "enter" op: "Enter" input: "n" attr { key: "T" value { type: DT_INT32 } }
  attr { key: "frame_name" value { s: "loop" } } }
node { name: "i" op: "Merge" input: "enter" input: "next" attr { key: "T" value { type: DT_INT32 } }
  attr { key: "N" value { i: 2 } } }
node { name: "zero" op: "Const" input: "^i" attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }
node { name: "greater" op: "Greater" input: "i" input: "zero" attr { key: "T" value { type: DT_INT32 } } }
node { name: "again" op: "LoopCond" input: "greater" }
node { name: "turn" op: "Switch" input: "i" input: "again" attr { key: "T" value { type: DT_INT32 } } }
node { name: "step" op: "Less One" input: "turn:1" }
node { name: "next" op: "NextIteration" input: "step" attr { key: "T" value { type: DT_INT32 } } }
node { name: "out" op: "Exit" input: "turn" attr { key: "T" value { type: DT_INT32 } } }
""".replace("Less One", "LessOne")


def scaled():
    ops = tagflow.Ops()

    @ops.op("Scaled", "input x: T", "output y: T", "output size: int64", "attr T: {float, int32}",
            "attr by: int = 2", "attr shape: shape", "attr names: list(string) = []")
    def kernel(x, *, by, T, shape, names):
        assert T == x.dtype.name and shape == (None, 3)
        return x * by + len(names), x.size

    return ops


def test_a_kernel_gets_values_and_attrs_and_gives_as_many_outputs():
    g = build.Builder(ops=scaled())
    x = g.placeholder("x", "float32")
    g.op("Scaled", x, name="y", by=3, shape=(None, 3), names=["a", "b"])
    for executor in ("straight", "tokens"):
        session = tagflow.Session(g.graph(), executor=executor)
        value, size = session.run(["y", "y:1"], {"x": np.float32([[1, 2, 3]])})
        np.testing.assert_array_equal(value, [[5, 8, 11]])
        assert (value.dtype, size) == (np.float32, 3)


def test_they_are_in_files_traces_and_loops():
    ops = tagflow.Ops()
    seen = []

    @ops.op("LessOne", "input x: int32", "output y: int32")
    def less_one(x):
        seen.append((int(x), threading.current_thread()))
        return x - np.int32(1)

    graph = tagflow.load(LOOP.encode(), ops=ops)
    assert tagflow.Session(graph).run("out", {"n": 5}) == 0
    assert [x for x, _ in seen] == [5, 4, 3, 2, 1]
    assert tagflow.trace(graph, "out", {"n": 2}).at("step") == {"loop[0]": 1, "loop[1]": 0}
    with pytest.raises(tagflow.Error, match="LessOne"):
        tagflow.Session(tagflow.load(LOOP.encode())).run("out", {"n": 5})


def failing(exception):
    ops = tagflow.Ops()

    @ops.op("LessOne", "input x: int32", "output y: int32")
    def less_one(x):
        if x == 2:
            raise exception
        return x - np.int32(1)

    return tagflow.load(LOOP.encode(), ops=ops)


@pytest.mark.parametrize("exception, code", [
    (ValueError("two"), "INVALID_ARGUMENT"), (TypeError("two"), "INVALID_ARGUMENT"),
    (NotImplementedError("two"), "UNIMPLEMENTED"), (KeyError("two"), "UNKNOWN"),
    (tagflow.errors.OutOfRangeError("two"), "OUT_OF_RANGE"), (MemoryError(), "RESOURCE_EXHAUSTED"),
])
def test_what_a_kernel_raises_is_the_steps_error_with_its_place(exception, code):
    graph = failing(exception)
    for session in (tagflow.Session(graph), tagflow.Session(graph, executor="tokens", threads=2)):
        with pytest.raises(tagflow.Error) as caught:
            session.run("out", {"n": 4})
        error = caught.value
        assert (error.code, error.node, error.tag) == (code, "step", "loop[2]")
        assert error.__cause__ is exception
        assert error.__cause__.__traceback__ is not None
        assert type(exception).__name__ in str(error) or code in str(error)
        assert session.run("out", {"n": 1}) == 0
    traced = tagflow.trace(graph, "out", {"n": 4})
    assert traced.error.__cause__ is exception and traced.error.tag == "loop[2]"


@pytest.mark.parametrize("given", [None, 1.5, "text", np.float64(3.5), [1, 2], object()])
def test_a_value_that_the_op_does_not_give_is_an_error(given):
    ops = tagflow.Ops()
    ops.op("Odd", "output y: int32", "output z: int32", stateful=True)(lambda: (np.int32(1), given))
    g = build.Builder(ops=ops)
    g.op("Odd", name="odd")
    session = tagflow.Session(g.graph())
    if isinstance(given, list):
        np.testing.assert_array_equal(session.run("odd:1"), [1, 2])
        return
    with pytest.raises(tagflow.Error) as caught:
        session.run("odd:1")
    assert caught.value.node == "odd" and caught.value.code == "INVALID_ARGUMENT"


def test_too_few_outputs():
    ops = tagflow.Ops()
    ops.op("Two", "output y: int32", "output z: int32", stateful=True)(lambda: [np.int32(1)])
    g = build.Builder(ops=ops)
    g.op("Two", name="two")
    with pytest.raises(tagflow.Error, match="2 outputs, and its kernel gave 1"):
        tagflow.Session(g.graph()).run("two")


def test_feeds_cannot_be_overwritten_and_outputs_are_copied():
    ops = tagflow.Ops()
    kept = np.zeros(LARGE, np.float32)

    @ops.op("Keep", "input x: float", "output y: float", stateful=True)
    def keep(x):
        if x.flags.writeable:
            x[0] = 7
        kept[:] = x[1]
        return kept

    g = build.Builder(ops=ops)
    x = g.placeholder("x", "float32")
    g.op("Keep", x, name="y")
    session = tagflow.Session(g.graph())
    fed = np.full(LARGE, 3, np.float32)
    first = session.run("y", {"x": fed})
    second = session.run("y", {"x": fed * 2})
    assert (first == 3).all() and (second == 6).all() and (fed == 3).all()


def test_what_is_no_op():
    ops = tagflow.Ops()
    with pytest.raises(tagflow.errors.AlreadyExistsError):
        ops.op("Add", "input x: float", "output y: float")(lambda x: x)
    with pytest.raises(tagflow.errors.InvalidArgumentError, match="no spec"):
        ops.op("Own", "x: float")(lambda x: x)
    with pytest.raises(tagflow.errors.InvalidArgumentError, match="asks for rate"):
        ops.op("Own", "input x: float", "output y: float")(lambda x, *, rate: x)
    ops.op("Own", "input x: float", "output y: float")(lambda x: x)
    build.Builder(ops=ops)
    with pytest.raises(tagflow.errors.FailedPreconditionError, match="other Ops"):
        ops.op("Late", "output y: float")(lambda: 1)
    with pytest.raises(TypeError):
        tagflow.load(LOOP.encode(), ops=build)


def test_nothing_is_kept_when_all_is_gone():
    import gc
    import weakref

    class Kernel:
        def __call__(self, x):
            return x

    kernel = Kernel()
    ops = tagflow.Ops()
    ops.op("Own", "input x: float", "output y: float")(kernel)
    g = build.Builder(ops=ops)
    g.op("Own", g.placeholder("x", "float32"), name="y")
    session = tagflow.Session(g.graph())
    assert session.run("y", {"x": 2}) == 2
    gone = weakref.ref(kernel)
    del kernel, ops, g, session
    gc.collect()
    assert gone() is None
