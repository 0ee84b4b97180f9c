"""The package's types, as mypy sees them: in the package, and from outside."""

import pathlib
import subprocess
import sys

import tagflow

PACKAGE = pathlib.Path(tagflow.__file__).parent
PLUGIN = PACKAGE.parent / "pytest_tagflow.py"

USER = """
import tagflow
from tagflow import build
graph: tagflow.Graph = tagflow.load("x.pb")
with tagflow.Session(graph, threads=2) as session:
    session.run({"a": "y"}, {"x": 1.0}, timeout=3)
    f = session.callable(["x"], "y")
    f(1.0)
try:
    names: list[str | None] = tagflow.gradients(graph, "y", "x")[1]
except tagflow.errors.NotFoundError as error:
    node: str = error.node
b = build.Builder()
t: build.Tensor = b.placeholder("x", "float32") * 2
"""


def mypy(path, *options):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir=/dev/null",
         *options, path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_package_is_well_typed():
    code, said = mypy(PACKAGE, PLUGIN)
    assert code == 0, said


def test_users_are_told_what_is_wrong(tmp_path):
    path = tmp_path / "user.py"
    path.write_text(USER)
    assert mypy(path)[0] == 0, mypy(path)[1]
    path.write_text(USER + "session.run('y', threads=3)\nwrong: int = error.node\n")
    code, said = mypy(path)
    assert code == 1
    assert 'Unexpected keyword argument "threads"' in said
    assert "2 errors" in said
