"""Python as the wheel is built with it, and the packages from PyPI that build and test it.

They come from requirements.txt, with their hashes, into an environment of this repository's own;
requirements.in says which, and the first lines of requirements.txt how the one is made of the
other. Nothing else in the build downloads anything, and without a target of //python nor does this.

The repository made here has
  defs.bzl           PYTHON, the interpreter that has these packages
  //:headers         Python's, to compile extensions
  //:numpy_headers   numpy's
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "headers",
    hdrs = glob(["include/**/*.h"]),
    includes = ["include"],
)

cc_library(
    name = "numpy_headers",
    hdrs = glob(["numpy/numpy/**/*.h"]),
    includes = ["numpy"],
)
"""

_LOCATE = """
import sysconfig
print(sysconfig.get_path(%r))
"""

def _run(repository_ctx, arguments, hint):
    result = repository_ctx.execute(arguments, timeout = 1800)
    if result.return_code != 0:
        fail("%s:\n%s%s" % (hint, result.stdout, result.stderr))
    return result.stdout.strip()

def _python_configure_impl(repository_ctx):
    system = str(repository_ctx.which("python3") or "/usr/bin/python3")
    if repository_ctx.path("/usr/bin/python3").exists:
        # Debian's own, before one that is first on somebody's PATH.
        system = "/usr/bin/python3"
    python = str(repository_ctx.path("venv/bin/python"))
    _run(
        repository_ctx,
        [system, "-m", "venv", "venv"],
        "no environment for Python packages can be made (is python3-venv installed?)",
    )
    _run(
        repository_ctx,
        [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--only-binary=:all:",
            "--require-hashes",
            "--requirement",
            repository_ctx.path(Label("//third_party/python:requirements.txt")),
        ],
        "the Python packages of third_party/python/requirements.txt cannot be installed",
    )
    include = _run(repository_ctx, [python, "-c", _LOCATE % "include"], "no Python")
    if not repository_ctx.path(include + "/Python.h").exists:
        fail("%s/Python.h is missing: is python3-dev installed?" % include)
    packages = _run(repository_ctx, [python, "-c", _LOCATE % "platlib"], "no Python")
    repository_ctx.symlink(include, "include")
    repository_ctx.symlink(packages + "/numpy/_core/include", "numpy")
    repository_ctx.file("BUILD", _BUILD, executable = False)
    repository_ctx.file("defs.bzl", "PYTHON = %r\n" % python, executable = False)

python_configure = repository_rule(
    implementation = _python_configure_impl,
    doc = "Makes the repository described above.",
)
