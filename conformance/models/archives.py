"""Archives of packages, fetched by pip and unpacked. Nothing in them is ever run."""

import glob
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile


def unpacked(package, version, sha256, cache):
    """The folder of a package's files, which is made at the first call.

    Raises:
      OSError: pip cannot fetch it, or it is not the archive that the hash is of.
    """
    folder = os.path.join(cache, f"{package}-{version}")
    if not os.path.isdir(folder):
        unfinished = folder + ".unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        os.makedirs(unfinished)
        said = _download(package, version, sha256, unfinished, os.path.join(cache, "empty"))
        wheels = glob.glob(os.path.join(unfinished, "*.whl"))
        sources = glob.glob(os.path.join(unfinished, "pip-download-*", "*", "PKG-INFO"))
        if wheels:
            with zipfile.ZipFile(wheels[0]) as wheel:
                wheel.extractall(folder)
        elif sources:
            shutil.move(os.path.dirname(sources[0]), folder)
        else:
            raise OSError(f"pip cannot fetch {package} {version}: {said}")
        shutil.rmtree(unfinished)
    return folder


def _download(package, version, sha256, folder, empty):
    """Has pip fetch an archive into a folder; what pip said.

    pip asks a source archive for its metadata, by running it. In an environment that has no setuptools it cannot: it
    stops there, after it has checked the hash and unpacked the archive, which --no-clean leaves where it is.
    """
    if not os.path.isdir(empty):
        venv.create(empty, with_pip=False)
    requirement = os.path.join(folder, "requirements.txt")
    with open(requirement, "w", encoding="utf-8") as file:
        file.write(f"{package}=={version} --hash=sha256:{sha256}\n")
    command = [sys.executable, "-m", "pip", "--python", empty, "download", "--no-deps", "--no-build-isolation",
               "--use-pep517", "--no-clean", "--ignore-requires-python", "--require-hashes", "-d", folder,
               "-r", requirement]
    done = subprocess.run(command, env={**os.environ, "TMPDIR": folder}, capture_output=True, text=True, check=False)
    return (done.stderr.strip().splitlines() or ["nothing said"])[-1]


def unpack_inner(archive):
    """The folder of the files in a .tar.gz, beside it, which is made at the first call."""
    folder = archive + ".unpacked"
    if not os.path.isdir(folder):
        with tarfile.open(archive) as inner:
            inner.extractall(folder + ".unfinished", filter="data")
        os.rename(folder + ".unfinished", folder)
    return folder
