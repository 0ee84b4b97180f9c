"""Engines in Python, held to the standard."""

import collections
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

import tagflow
from tagflow import testing

os.environ["TAGFLOW_COMMAND"] = str(pathlib.Path("cli/tagflow").resolve())


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Some of the standard's cases: those of Merge and Switch, and of loops."""
    folder = tmp_path_factory.mktemp("cases")
    with zipfile.ZipFile(pathlib.Path(tagflow.__file__).parent / "cases.zip") as packed:
        names = [name for name in packed.namelist() if name.startswith(("merge/", "frame/"))]
        packed.extractall(folder, names)
    return folder


def verdicts(results):
    return collections.Counter(result.verdict for result in results)


def test_a_good_engine_passes(cases):
    results = testing.run_cases("engines:good", [cases])
    assert verdicts(results) == {"PASS": len(results)}, [r for r in results if r.verdict != "PASS"]
    assert len(results) > 20
    assert verdicts(testing.run_cases("reference", [cases])) == {"PASS": len(results)}


def test_a_wrong_engine_fails_and_a_lacking_one_is_told_from_it(cases):
    wrong = testing.run_cases("engines:off_by_one", [cases])
    assert 0 < verdicts(wrong)["FAIL"] < len(wrong)
    assert all(result.why for result in wrong if result.verdict == "FAIL")
    lacking = verdicts(testing.run_cases("engines:lacking", [cases]))
    assert lacking["UNSUPPORTED"] > 0 and lacking["FAIL"] == 0
    assert set(verdicts(testing.run_cases("engines:crashing", [cases / "merge"]))) == {"CRASH"}


def test_random_programs_find_what_is_wrong(tmp_path):
    good = testing.fuzz("engines:good", seconds=3, profile="tiny", jobs=1)
    assert good.programs > 10 and good.failures == 0, good.report
    wrong = testing.fuzz("engines:off_by_one", seconds=3, profile="tiny", jobs=1, save=tmp_path)
    assert wrong.failures > 0
    assert any(tmp_path.iterdir())


def test_an_engine_that_is_not_there_is_an_error(cases):
    with pytest.raises(tagflow.Error):
        testing.fuzz("engines:nobody", seconds=1)
    with pytest.raises(tagflow.Error):
        testing.run_cases("reference", ["nowhere"])


def test_the_command_line(cases):
    done = subprocess.run([sys.executable, "-m", "tagflow.testing", "check", "engines:good",
                           str(cases / "merge")], capture_output=True, text=True, check=False,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
    assert done.returncode == 0, done.stdout + done.stderr
    usage = subprocess.run([sys.executable, "-m", "tagflow.testing"], capture_output=True, text=True,
                           check=False)
    assert usage.returncode == 2 and "MODULE:FUNCTION" in usage.stdout


def test_the_plugin_makes_a_test_of_each_case(cases, tmp_path):
    def run(engine):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "pytest_tagflow", "-p", "no:cacheprovider", "-q",
             "--tagflow-engine", engine, "--tagflow-cases", str(cases / "merge"), str(tmp_path)],
            capture_output=True, text=True, check=False,
            env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
        return done.returncode, done.stdout + done.stderr

    code, said = run("engines:good")
    assert code == 0 and " passed" in said, said
    code, said = run("engines:off_by_one")
    assert code == 1 and " failed" in said, said
