"""Tokens of a step."""

import pytest

import graphs
import tagflow


def test_every_token_of_a_loop_is_told():
    trace = tagflow.trace(graphs.counting(), "out", {"n": 3})
    assert trace.results == 3
    assert trace.error is None and not trace.truncated
    assert trace.at("merge") == {f"loop[{i}]": i for i in range(4)}
    assert trace.at("switch:1") == {f"loop[{i}]": i for i in range(3)}
    (out,) = [token for token in trace.tokens if token.node == "out" and not token.dead]
    assert (out.op, out.tag, out.output, out.value) == ("Exit", "loop[3]", 0, 3)
    by_number = {token.firing: token for token in trace.tokens}
    assert by_number[out.inputs[0]].node == "switch"
    assert len(trace) == len(trace.tokens) and trace.firings == len(by_number)


def test_dead_tokens_have_no_value():
    trace = tagflow.trace(graphs.counting(), "out", {"n": 1})
    dead = [token for token in trace.tokens if token.dead]
    assert {token.node for token in dead} >= {"switch", "i"}
    assert all(token.value is None for token in dead)


def test_a_step_that_fails_is_told_as_far_as_it_came():
    trace = tagflow.trace(graphs.dividing(), "out", {"n": 10})
    assert isinstance(trace.error, tagflow.errors.InvalidArgumentError)
    assert trace.error.node == "divided"
    assert trace.results is None
    assert "loop[2]" in trace.at("divided")
    assert "failed" in repr(trace)


def test_a_long_trace_is_cut_off_and_says_so():
    trace = tagflow.trace(graphs.counting(), "out", {"n": 1000}, limit=100)
    assert trace.truncated and trace.firings > 1000
    assert len({token.firing for token in trace.tokens}) == 100
    assert trace.results == 1000
    assert "the first ones" in repr(trace)


def test_references_name_their_variable():
    graph = graphs.graph(
        graphs.node("v", "VariableV2", attrs=[
            graphs.dtype("dtype", "DT_FLOAT"), "attr { key: \"shape\" value { shape {} } }"]),
        graphs.constant("one", "DT_FLOAT", "tensor_shape {} float_val: 1"),
        graphs.node("assign", "Assign", "v", "one", attrs=[graphs.dtype("T", "DT_FLOAT")]))
    trace = tagflow.trace(graph, "assign")
    assert trace.results == 1
    assert {token.variable for token in trace.tokens if token.node == "v"} == {"v"}


def test_limits_of_a_step():
    assert trace_error(max_firings=100).code == "RESOURCE_EXHAUSTED"
    assert trace_error(timeout=0.05).code == "DEADLINE_EXCEEDED"


def trace_error(**limits):
    return tagflow.trace(graphs.endless(), "out", {"n": 1}, limit=10, **limits).error


def test_a_frame_where_pandas_is():
    pandas = pytest.importorskip("pandas", reason="pandas is not among the packages of the tests")
    frame = tagflow.trace(graphs.counting(), "out", {"n": 1}).frame()
    assert isinstance(frame, pandas.DataFrame)
