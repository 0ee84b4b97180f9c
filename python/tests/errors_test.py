"""What goes wrong, and how it is said."""

import pickle

import pytest

import graphs
import tagflow


def test_an_error_has_the_node_the_tag_and_the_command_lines_text():
    session = tagflow.Session(graphs.dividing(), threads=1)
    with pytest.raises(tagflow.errors.InvalidArgumentError) as caught:
        session.run("out", {"n": 10})
    error = caught.value
    assert (error.code, error.node, error.tag) == ("INVALID_ARGUMENT", "divided", "loop[3]")
    assert str(error).startswith("INVALID_ARGUMENT: ")
    assert "[node divided, tag loop[3]]" in str(error)
    assert session.run("out", {"n": 2}) == 2


def test_errors_are_classes_of_the_codes():
    assert issubclass(tagflow.errors.NotFoundError, tagflow.Error)
    with pytest.raises(tagflow.errors.NotFoundError, match="'z'"):
        tagflow.Session(graphs.add_one()).run("z")
    with pytest.raises(TimeoutError):
        tagflow.Session(graphs.endless()).run("out", {"n": 1}, timeout=0.05)
    with pytest.raises(tagflow.errors.ResourceExhaustedError):
        tagflow.Session(graphs.endless()).run("out", {"n": 1}, max_firings=1000)


def test_a_bad_file_is_an_error_that_names_it(tmp_path):
    with pytest.raises(tagflow.errors.NotFoundError, match="nowhere.pb"):
        tagflow.load(tmp_path / "nowhere.pb")
    (tmp_path / "bad.pbtxt").write_text("node { name: 3 }")
    with pytest.raises(tagflow.errors.InvalidArgumentError, match=r"bad\.pbtxt"):
        tagflow.load(tmp_path / "bad.pbtxt")


@pytest.mark.parametrize("name, magic", [("model.h5", b"\x89HDF\r\n\x1a\n"), ("m.keras", b"PK\3\4")])
def test_models_of_other_kinds_are_named_and_refused(tmp_path, name, magic):
    path = tmp_path / name
    path.write_bytes(magic + bytes(100))
    with pytest.raises(tagflow.Error, match="model.export"):
        tagflow.load(path)
    with pytest.raises(tagflow.Error, match="model.export"):
        tagflow.load(path.read_bytes())


def test_an_error_can_be_pickled():
    error = tagflow.errors.NotFoundError("text", "node", "tag", "rule", "device")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is tagflow.errors.NotFoundError
    assert (str(again), again.node, again.device) == ("text", "node", "device")


def test_an_option_that_is_none_is_an_error():
    with pytest.raises(tagflow.Error, match="auto, straight, tokens, native or interpreted"):
        tagflow.Session(graphs.add_one(), executor="quick")
    with pytest.raises(tagflow.Error):
        tagflow.Session(graphs.add_one(), passes="magic")
    with pytest.raises(tagflow.Error):
        tagflow.Session(graphs.add_one(), threads=10**6)
    with pytest.raises(tagflow.Error):
        tagflow.Session(graphs.add_one(), devices=["/device:TPU:0", "nonsense"])
