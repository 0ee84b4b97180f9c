#!/usr/bin/env python3
"""Packs the wheel: the package, its extension, the `tagflow` command, and the libraries they need.

auditwheel puts the libraries in, under names of their own, so that nothing else in a process uses
them, and checks that what is left is on every machine of the platform in the wheel's name.
"""

import argparse
import base64
import hashlib
import io
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import zipfile

from elftools.elf.elffile import ELFFile

PLATFORM = "manylinux_2_36_x86_64"
TAG = "cp311-abi3"
STB_WEAK = 2  # of ELF

METADATA = """\
Metadata-Version: 2.1
Name: tagflow
Version: {version}
Summary: Dataflow graphs with control flow: TensorFlow's graphs, run fast and by a standard
License: Apache-2.0
Requires-Python: >=3.11
Requires-Dist: numpy>=1.23.5
Description-Content-Type: text/markdown
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Python :: Implementation :: CPython

{readme}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: tagflow
Root-Is-Purelib: false
Tag: {tag}-linux_x86_64
"""

ENTRY_POINTS = """\
[console_scripts]
tagflow = tagflow._command:main

[pytest11]
tagflow = pytest_tagflow
"""


def stripped(path):
    """The file without symbols that only a debugger reads."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["strip", "--strip-unneeded", "-o", out.name, path], check=True)
        return pathlib.Path(out.name).read_bytes()


def without_unique_symbols(library):
    """The ELF file's bytes, in which no symbol is the same for the whole process whoever loads it
    (STB_GNU_UNIQUE): another protobuf in the process has symbols of the same names."""
    content = bytearray(library)
    elf = ELFFile(io.BytesIO(library))
    section = elf.get_section_by_name(".dynsym")
    for i, symbol in enumerate(section.iter_symbols()):
        if symbol["st_info"]["bind"] != "STB_LOOS":
            continue
        info = section["sh_offset"] + i * section["sh_entsize"] + 4  # st_info, behind st_name
        content[info] = (STB_WEAK << 4) | (content[info] & 0xF)
    return bytes(content)


def contents(args):
    """{name in the wheel: bytes}"""
    info = f"tagflow-{args.version}.dist-info"
    files = {str(pathlib.Path(source).relative_to("python")): pathlib.Path(source).read_bytes()
             for source in args.sources}
    files["tagflow/_core.abi3.so"] = stripped(args.extension)
    files["tagflow/bin/tagflow"] = stripped(args.command)
    for library in args.native:
        files["tagflow/libtagflow_native.so"] = pathlib.Path(library).read_bytes()
    files["tagflow/cases.zip"] = pathlib.Path(args.cases).read_bytes()
    readme = pathlib.Path(args.readme).read_text(encoding="utf-8")
    for name, text in (("METADATA", METADATA.format(version=args.version, readme=readme)),
                       ("WHEEL", WHEEL.format(tag=TAG)), ("entry_points.txt", ENTRY_POINTS)):
        files[f"{info}/{name}"] = text.encode("utf-8")
    files[f"{info}/RECORD"] = record(files, info)
    return files


def record(files, info):
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join(lines + [f"{info}/RECORD,,", ""]).encode("utf-8")


def finished(wheel, info):
    """The files of a wheel that auditwheel made, with our last touch."""
    with zipfile.ZipFile(wheel) as packed:
        files = {name: packed.read(name) for name in packed.namelist()
                 if not name.endswith(("/", "/RECORD"))}
    for name, content in files.items():
        if name.startswith("tagflow.libs/"):
            files[name] = without_unique_symbols(content)
    files[f"{info}/RECORD"] = record(files, info)
    return files


def write(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            # The same bytes from the same files, whenever they are packed.
            entry = zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))
            is_program = name.endswith("/bin/tagflow") or ".so" in name
            entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)


def repair(wheel, folder):
    """Runs auditwheel, which is quiet where all is well."""
    environment = dict(os.environ, SOURCE_DATE_EPOCH="946684800")
    environment["PATH"] = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "auditwheel", "repair", "--plat", PLATFORM, "--only-plat",
         "--wheel-dir", folder, wheel],
        env=environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"auditwheel: {done.stdout}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("version", "extension", "command", "cases", "readme", "out"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--native", action="append", default=[],
                        help="the library that makes machine code, where there is one")
    parser.add_argument("sources", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = pathlib.Path(folder, f"tagflow-{args.version}-{TAG}-linux_x86_64.whl")
        write(wheel, contents(args))
        repair(wheel, pathlib.Path(folder, "out"))
        repaired = pathlib.Path(folder, "out", pathlib.Path(args.out).name)
        write(args.out, finished(repaired, f"tagflow-{args.version}.dist-info"))


if __name__ == "__main__":
    main()
