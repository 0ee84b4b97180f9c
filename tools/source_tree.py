"""The files of this project, as the checks of the source tree see them."""

import os
import subprocess

_SKIPPED_FOLDERS = ("bazel-", ".")


def root():
    """The folder of the workspace; tests run on links to its files, and this follows them."""
    return os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def _tracked(folder):
    """What git tracks there, or None where git cannot tell (no git, a tarball, another owner)."""
    command = ["git", "-C", folder, "ls-files", "-z", "--cached"]
    try:
        listing = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return None
    return [name for name in listing.split("\0") if name]


def _walked(folder):
    """Every file there, but those of hidden folders (other than .ci) and of Bazel's links."""
    found = []
    for here, folders, names in os.walk(folder):
        folders[:] = [
            name for name in folders if name == ".ci" or not name.startswith(_SKIPPED_FOLDERS)
        ]
        found += [os.path.relpath(os.path.join(here, name), folder) for name in names]
    return found


def files(folder=None):
    """The paths of the project's files, from the root, sorted. Never empty: a check of nothing
    would pass."""
    folder = folder or root()
    names = _tracked(folder) or _walked(folder)
    names = sorted(name for name in names if os.path.isfile(os.path.join(folder, name)))
    if not names:
        raise RuntimeError(f"no source files found under {folder}")
    return names


def read(name, folder=None):
    """The text of one file; what is not UTF-8 reads as replacement characters."""
    with open(os.path.join(folder or root(), name), encoding="utf-8", errors="replace") as file:
        return file.read()
