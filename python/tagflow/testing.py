"""Holds an engine of one's own to the standard, in Python.

An engine is a function that takes a tagflow.Graph, of which .to_bytes() is a GraphDef, and gives
another that runs a step of it:

  def engine(graph):
      session = MySession(graph.to_bytes())
      def run(feeds, fetches, targets):       # {name: array}, [name], [name]
          return [...]                        # a value for each fetch
      return run

State lives as long as `run`. What the engine lacks is a NotImplementedError; what the graph does
wrong is one of tagflow.errors, whose code is compared. It is named as "module:function", since it
runs in a process of its own, which may crash.

  tagflow.testing.run_cases("my_engine:engine")          # the cases of the standard
  tagflow.testing.fuzz("my_engine:engine", seconds=60)   # random programs

and on the command line: python -m tagflow.testing check my_engine:engine, …testing fuzz …; with
pytest: pytest --tagflow-engine my_engine:engine, which makes a test of each case.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

from tagflow import _core
from tagflow import errors
from tagflow._explore import command
from tagflow._graph import Graph

_PACKAGE = pathlib.Path(__file__).parent


class CaseResult(NamedTuple):
    """What came of one case."""
    name: str
    verdict: str  # PASS, FAIL, UNSUPPORTED, CRASH or TIMEOUT
    why: str


class FuzzResult(NamedTuple):
    """What came of random programs."""
    programs: int
    failures: int
    report: str  # for people: each failure with the program, shrunk


def _engine_command(engine: str) -> str:
    """How a process of the engine is started; names of Tagflow's own engines stand for themselves."""
    if ":" not in engine or engine.startswith(("reference", "optimized")):
        return engine
    return shlex.join([sys.executable, "-m", "tagflow.testing", "serve", engine])


@contextlib.contextmanager
def _cases(paths: Optional[Sequence[Any]]) -> Iterator[List[str]]:
    """The paths of cases; those of the standard where none are given."""
    if paths is not None:
        yield [os.fspath(path) for path in paths]
        return
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(_PACKAGE / "cases.zip") as cases:
            cases.extractall(folder)
        yield [folder]


def _run(words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Runs the `tagflow` program; the engine's process finds the modules that this one does."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path or "." for path in sys.path))
    done = subprocess.run([command(), *words], env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        raise errors.InvalidArgumentError(done.stderr.strip())
    return done


def run_cases(engine: str, paths: Optional[Sequence[Any]] = None, *, timeout: float = 20,
              jobs: int = 0) -> List[CaseResult]:
    """Runs conformance cases on an engine.

    Args:
      engine: "module:function", or one of Tagflow's own, as "reference" and "optimized".
      paths: files of cases, or folders of them; without, the cases of the standard.
      timeout: seconds that one case may take.
      jobs: processes of the engine at once; 0: one per core.
    """
    with _cases(paths) as found, tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "results.tsv")
        words = ["check", "--engine", _engine_command(engine), "--timeout", str(timeout), "--tsv",
                 table]
        if jobs:
            words += ["--jobs", str(jobs)]
        done = _run([*words, *found])
        if not os.path.exists(table):
            raise errors.InvalidArgumentError(done.stderr.strip())
        lines = pathlib.Path(table).read_text(encoding="utf-8", errors="replace").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("name\t")]
    return [CaseResult(row[0], row[1], row[2] if len(row) > 2 else "") for row in rows]


def fuzz(engine: str, *, seconds: float = 10, seed: int = 1, properties: Sequence[str] = (),
         profile: str = "", jobs: int = 0, save: Optional[Any] = None) -> FuzzResult:
    """Runs random programs on an engine, and holds its results to what they must be.

    Args:
      engine: as in run_cases.
      properties, profile: what to check, on what kind of programs: `tagflow fuzz --list` has them.
      seed: which programs.
      save: the folder where failures go; without, nowhere.
    """
    words = ["fuzz", "--engine", _engine_command(engine), "--seconds", str(seconds), "--seed",
             str(seed)]
    for name in properties:
        words += ["--property", name]
    if profile:
        words += ["--profile", profile]
    if jobs:
        words += ["--jobs", str(jobs)]
    with tempfile.TemporaryDirectory() as folder:
        done = _run([*words, "--save", os.fspath(save) if save is not None else folder])
    counts = re.findall(r"^programs (\d+), failures (\d+)", done.stdout, re.MULTILINE)
    if not counts:
        raise errors.InternalError(done.stdout + done.stderr)
    return FuzzResult(int(counts[-1][0]), int(counts[-1][1]), done.stdout)


# ---- On the command line ----

def _find(engine: str) -> Any:
    module, _, function = engine.partition(":")
    return getattr(importlib.import_module(module), function)


_USAGE = """usage: python -m tagflow.testing check|fuzz|serve MODULE:FUNCTION [option...]

check and fuzz are `tagflow check` and `tagflow fuzz` on an engine in Python (help(tagflow.testing)
says what that is), and take their options; check without paths runs the cases of the standard. serve
is what those start: it speaks the engine protocol on standard input and output.
"""


def _main(words: Sequence[str]) -> int:
    if len(words) < 2 or words[0] not in ("check", "fuzz", "serve") or "--help" in words:
        print(_USAGE, end="")
        return 0 if "--help" in words else 2
    verb, engine, *options = words
    if verb == "serve":
        made = _find(engine)
        _core.serve(lambda graph: made(Graph(graph)), engine)
        return 0
    has_paths = any(os.path.exists(option) for option in options)
    wants_cases = verb == "check" and not has_paths
    with _cases(None if wants_cases else []) as paths:
        environment: Dict[str, str] = dict(
            os.environ, PYTHONPATH=os.pathsep.join(path or "." for path in sys.path))
        return subprocess.run(
            [command(), verb, "--engine", _engine_command(engine), *options, *paths],
            env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
