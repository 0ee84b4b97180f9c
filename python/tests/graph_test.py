"""Graphs: where they come from, and what is in them."""

import collections
import gzip
import pathlib

import numpy as np
import pytest

import graphs
import tagflow

EXAMPLES = pathlib.Path("examples")


# Relative to the largest element, since TensorFlow sums in another order.
TOLERANCES = {"float32": 1e-5, "float64": 1e-12}


def read_call(folder):
    """{word: [what follows it in each of its lines of call.txt]}"""
    call = collections.defaultdict(list)
    for line in (folder / "call.txt").read_text().splitlines():
        word, *rest = line.split()
        call[word].append(rest)
    return call


def expected_of(path):
    if path.suffix == ".txt":
        return np.array([line.encode() for line in path.read_text().splitlines()], object)
    return np.load(path, allow_pickle=False)


def check(result, expected):
    assert np.shape(result) == expected.shape
    if expected.dtype.name not in TOLERANCES:
        assert np.array_equal(result, expected)
        return
    bound = TOLERANCES[expected.dtype.name] * max(1, np.abs(expected).max(initial=0))
    assert np.abs(np.asarray(result) - expected).max(initial=0) <= bound


@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXAMPLES.glob("*/call.txt")))
def test_examples_give_what_tensorflow_gave(name):
    folder = EXAMPLES / name
    graph = tagflow.load(folder / "graph.pbtxt" if (folder / "graph.pbtxt").exists() else folder)
    call = read_call(folder)
    chosen = call["signature"][0][0] if call["signature"] else None
    inputs, outputs = graph.signatures[chosen] if chosen else ({}, {})
    feeds = {inputs.get(key, key): np.load(folder / file) for key, file in call["feed"]}
    session = tagflow.Session(graph)
    for (node,) in call["init"]:
        session.run(node, feeds)
    for _ in range(int(call["repeat"][0][0]) if call["repeat"] else 1):
        results = session.run({key: outputs.get(key, key) for key, _ in call["fetch"]}, feeds)
    for key, file in call["fetch"]:
        check(results[key], expected_of(folder / file))


def test_a_signature_is_a_function():
    folder = EXAMPLES / "keras_gru"
    session = tagflow.Session(folder)
    f = session.signature()
    tokens = np.load(folder / "input_tokens.npy")
    result = f(tokens=tokens)
    check(result["output_0"], np.load(folder / "output_output_0.npy"))
    with pytest.raises(KeyError, match="serving_default"):
        session.signature("nothing")
    with pytest.raises(TypeError, match="takes tokens"):
        f(token=tokens)


def test_a_graph_is_loaded_from_paths_bytes_and_messages(tmp_path):
    graph = graphs.add_one()
    text, binary = tmp_path / "graph.pbtxt", tmp_path / "graph.pb"
    graph.save(text)
    graph.save(str(binary))
    (tmp_path / "graph.pb.gz").write_bytes(gzip.compress(binary.read_bytes()))

    class Message:
        def SerializeToString(self):
            return binary.read_bytes()

    for source in (text, str(binary), tmp_path / "graph.pb.gz", binary.read_bytes(),
                   text.read_bytes(), memoryview(binary.read_bytes()), Message(), graph,
                   gzip.compress(binary.read_bytes())):
        assert tagflow.Session(source).run("y", {"x": 1.0}) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "graph.pb", "graph.pb.gz", "graph.pbtxt"]
    for source in (3, None, [text]):
        with pytest.raises(TypeError):
            tagflow.load(source)


def test_a_graph_that_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(OSError):
        graphs.add_one().save(tmp_path / "nowhere" / "graph.pb")
    (tmp_path / "folder.pb").mkdir()
    with pytest.raises(OSError):
        graphs.add_one().save(tmp_path / "folder.pb")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.pb"]


def test_nodes_are_told():
    graph = graphs.add_one()
    assert len(graph) == 3
    assert graph.nodes[2] == tagflow.Node("y", "AddV2", "", ["x", "one"])
    assert repr(graph) == "<tagflow.Graph of 3 nodes>"
    assert graph.signatures == {}


def test_gradients_go_through_loops():
    t = [graphs.dtype("T", "DT_FLOAT")]
    graph = graphs.graph(graphs.placeholder("x", "DT_FLOAT"), graphs.placeholder("other", "DT_FLOAT"),
                         graphs.node("y", "Square", "x", attrs=t))
    more, (by_x, by_other) = tagflow.gradients(graph, "y", ["x", "other"])
    assert by_other is None
    assert tagflow.Session(more).run(by_x, {"x": 3.0}) == 6
    assert len(graph) == 3
    _, (by_other,) = tagflow.gradients(graph, ["y"], "other", zeros=True)
    assert by_other
    newton = tagflow.load(EXAMPLES / "newton" / "graph.pbtxt")
    more, (by_a,) = tagflow.gradients(newton, "root", "a", history="stacks")
    np.testing.assert_allclose(tagflow.Session(more).run(by_a, {"a": [2.0, 9.0]}),
                               [0.5 / 2**0.5, 1 / 6], rtol=1e-9)
    with pytest.raises(tagflow.Error, match="'z'"):
        tagflow.gradients(graph, "z", "x")
    with pytest.raises(ValueError, match="lists"):
        tagflow.gradients(graph, "y", "x", history="memory")
