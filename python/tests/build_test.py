"""Graphs built in Python."""

import numpy as np
import pytest

import tagflow
from tagflow import build


def run(builder, fetch, feeds=None):
    return tagflow.Session(builder.graph()).run(fetch, feeds)


def test_operators_and_ops():
    b = build.Builder()
    x = b.placeholder("x", "float32", [None])
    b.identity((2 * x + 1) / 3 - x ** 2, name="y")
    b.tanh(x, name="t")
    b.MatMul(b.constant(np.eye(2, dtype=np.float32)), np.ones((2, 1), np.float32), name="p",
             transpose_a=True)
    y, t, p = run(b, ["y", "t", "p"], {"x": [1.0, 2.0]})
    np.testing.assert_allclose(y, [(2 + 1) / 3 - 1, (4 + 1) / 3 - 4], rtol=1e-6)
    np.testing.assert_allclose(t, np.tanh([1, 2]), rtol=1e-6)
    assert p.tolist() == [[1], [1]]
    assert (x.name, x.dtype, x.shape) == ("x", "float32", (None,))


@pytest.mark.parametrize("make, expected", [
    (lambda x: -x, [-4, 5]), (lambda x: abs(x), [4, 5]), (lambda x: x // 3, [1, -2]),
    (lambda x: x % 3, [1, 1]), (lambda x: 7 - x, [3, 12]), (lambda x: x > 0, [True, False]),
    (lambda x: 0 >= x, [False, True]), (lambda x: ~((x < 9) & (x > 0)), [False, True]),
    (lambda x: (x <= -5) | (x >= 4), [True, True]), (lambda x: x[0], 4), (lambda x: x[-1], -5),
    (lambda x: x[1:], [-5]), (lambda x: x[::-1], [-5, 4]), (lambda x: x[None, :1], [[4]]),
    (lambda x: x[..., -2], 4),
])
def test_each_operator(make, expected):
    b = build.Builder()
    y = make(b.placeholder("x", "int32", [2]))
    assert np.array_equal(run(b, y, {"x": [4, -5]}), expected)


def test_a_loop_with_a_cond_in_it():
    """The longest Collatz sequence, as in the README."""
    b = build.Builder()
    n = b.placeholder("n", "int32", [])

    def steps(start):
        def halve_or_more(x, count):
            return b.cond(b.equal(x % 2, 0), lambda: x // 2, lambda: 3 * x + 1), count + 1
        return b.while_loop(lambda x, count: b.not_equal(x, 1), halve_or_more, [start, 1])[1]

    def compare(start, best, of):
        length = steps(start)
        return (start + 1, *b.cond(length > best, lambda: (length, start), lambda: (best, of)))

    _, best, of = b.while_loop(lambda start, best, of: start < n, compare, [1, 0, 0])
    assert run(b, [best, of], {"n": 60}) == [113, 54]


def test_case_map_scan_and_fold():
    b = build.Builder()
    x = b.placeholder("x", "float32", [None])
    i = b.placeholder("i", "int32", [])
    chosen = b.case(i, [lambda: x + 1, lambda: x * 2], default=lambda: -x)
    squares = b.map(lambda row: row * row, x)
    sums = b.scan(lambda total, row: total + row, x)
    from_ten = b.fold(lambda total, row: total - row, x, b.constant(10.0))
    low, high = b.scan(lambda lh, row: (b.minimum(lh[0], row), b.maximum(lh[1], row)), x,
                       [b.constant(0.0), b.constant(0.0)], reverse=True)
    session = tagflow.Session(b.graph())
    feeds = {"x": [1.0, -2.0, 3.0], "i": 1}
    results = session.run([chosen, squares, sums, from_ten, low, high], feeds)
    expected = [[2, -4, 6], [1, 4, 9], [1, -1, 2], 8, [-2, -2, 0], [3, 3, 3]]
    assert [np.asarray(result).tolist() for result in results] == expected
    assert session.run(chosen, {**feeds, "i": 7}).tolist() == [-1, 2, -3]


def test_bounds_invariants_and_effects():
    b = build.Builder()
    count, = b.while_loop(lambda i: i >= 0, lambda i: i + 1, [0], maximum_iterations=5)
    _, grown = b.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, b.concat_v2([v, v], 0)),
                            [0, b.constant([1.0], "float32")], shape_invariants=[[], [None]])
    assert run(b, [count, b.size(grown)]) == [5, 8]
    with b.within(name="scope", device="/device:CPU:0"):
        named = b.constant(1.0, name="one")
    assert named.name == "scope/one"
    assert b.graph().nodes[-1].device == "/device:CPU:0"
    with b.within(after=[named]):
        late = b.no_op(name="late")
    assert b.graph().nodes[-1].inputs == ["^scope/one"]
    assert late == "late"
    assert b.find("scope/one").dtype == "float32"


def test_gradients_of_what_was_built():
    b = build.Builder()
    x = b.placeholder("x", "float32", [])
    _, y = b.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    graph, (by_x,) = tagflow.gradients(b.graph(), y, x)
    assert tagflow.Session(graph).run(by_x, {"x": 2.0}) == 4 * 8


def test_errors_are_raised_where_they_are_made():
    with pytest.raises(tagflow.Error, match="Nonsense"):
        build.Builder().nonsense()
    b = build.Builder()
    with pytest.raises(tagflow.Error):
        b.add_v2(b.constant(1.0), b.constant(1))
    with pytest.raises(TypeError, match="attr 'dtype' of Placeholder"):
        build.Builder().op("Placeholder", dtype="nonsense")
    with pytest.raises(TypeError, match="cond or while_loop"):
        bool(build.Builder().constant(True))
    with pytest.raises(TypeError, match="map"):
        list(build.Builder().constant([1]))
    with pytest.raises(tagflow.Error, match="parallel_iterations"):
        build.Builder().while_loop(lambda i: i < 3, lambda i: i + 1, [0], parallel_iterations=0)


class Mine(Exception):
    pass


def test_an_exception_in_a_branch_or_body_is_the_callers():
    def fail(*_):
        raise Mine("here")

    for build_it in (
            lambda b: b.cond(True, fail, lambda: b.constant(1)),
            lambda b: b.cond(True, lambda: b.constant(1), fail),
            lambda b: b.while_loop(lambda i: i < 3, fail, [0]),
            lambda b: b.while_loop(fail, lambda i: i + 1, [0]),
            lambda b: b.map(fail, b.constant([1, 2])),
            lambda b: b.case(0, [fail])):
        with pytest.raises(Mine, match="here"):
            build_it(build.Builder())


def test_constants_are_copied_into_the_graph():
    b = build.Builder()
    array = np.zeros(5000, np.float32)
    y = b.constant(array) + array
    array[:] = 1
    assert not run(b, y).any()
