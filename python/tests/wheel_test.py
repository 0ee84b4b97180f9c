"""The wheel, unpacked as pip does it, in processes of its own."""

import os
import pathlib
import stat
import subprocess
import sys
import zipfile

import pytest
from elftools.elf.elffile import ELFFile

# A function of protobuf that another package shows to the whole process.
HOSTILE = """
#include <stdlib.h>
int _ZN6google8protobuf11MessageLite14ParseFromArrayEPKvi(void) { abort(); }
int _ZN6google8protobuf11MessageLite15ParseFromStringE(void) { abort(); }
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of packages that the wheel was unpacked in."""
    folder = tmp_path_factory.mktemp("site")
    (wheel,) = pathlib.Path("python/dist").glob("*.whl")
    assert wheel.name.endswith("-cp311-abi3-manylinux_2_36_x86_64.whl")
    with zipfile.ZipFile(wheel) as packed:
        for entry in packed.infolist():
            path = packed.extract(entry, folder)
            mode = entry.external_attr >> 16
            assert stat.S_ISREG(mode), "pip makes nothing else executable"
            os.chmod(path, stat.S_IMODE(mode))
    return folder


def run(site, script, *words):
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True,
                          check=False, env=dict(os.environ, PYTHONPATH=str(site)))
    assert done.returncode == 0, done.stderr
    return done.stdout


RUN = """
import tagflow
print(tagflow.Session("examples/collatz/graph.pbtxt").run(["best", "start"], {"n": 60}))
"""


def test_it_runs_a_graph(site):
    assert "113" in run(site, RUN)


NATIVE = """
import pathlib, tagflow
session = tagflow.Session("examples/collatz/graph.pbtxt", executor="native")
print(session.run(["best", "start"], {"n": 60}))
library = pathlib.Path(tagflow.__file__).with_name("libtagflow_native.so")
with open("/proc/self/maps") as maps:
    print(library.exists(), str(library) in maps.read())
"""


def test_machine_code_is_made_by_the_library_in_it(site):
    lines = run(site, NATIVE).splitlines()
    assert "113" in lines[0]
    # A build without LLVM has none.
    assert lines[1] in ("True True", "False False")


def test_another_protobuf_in_the_process_is_not_called(site, tmp_path):
    (tmp_path / "hostile.c").write_text(HOSTILE)
    library = tmp_path / "hostile.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "hostile.c"], check=True)
    load = "import ctypes, sys\nctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)\n"
    assert "113" in run(site, load + RUN, str(library))


def test_its_libraries_share_no_symbol_with_the_process(site):
    libraries = list((site / "tagflow.libs").iterdir())
    assert any("protobuf" in library.name for library in libraries)
    for library in libraries:
        with open(library, "rb") as file:
            symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
            assert not [symbol.name for symbol in symbols if symbol["st_info"]["bind"] == "STB_LOOS"]


def test_the_command_and_the_plugin_come_with_it(site):
    said = run(site, "from tagflow import _command; import sys; sys.argv[1:] = ['run', "
                     "'examples/collatz/graph.pbtxt', '--feed', 'n=60', '--fetch', 'best'];"
                     "_command.main()")
    assert said == "best: int32[] 113\n"
    entry_points = next(site.glob("*.dist-info")).joinpath("entry_points.txt").read_text()
    assert "tagflow = tagflow._command:main" in entry_points
    assert "tagflow = pytest_tagflow" in entry_points
    assert (site / "pytest_tagflow.py").exists()


def test_the_record_lists_every_file(site):
    info = next(site.glob("*.dist-info"))
    listed = {line.split(",")[0] for line in (info / "RECORD").read_text().splitlines()}
    there = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    assert listed == {name for name in there if "__pycache__" not in name}
