"""Finds the CUDA toolkit of this machine, or leaves CUDA out.

The toolkit is looked for in $CUDA_HOME, then beside the nvcc on the PATH, then in /usr/local/cuda;
CUDA_HOME=none (--config=nocuda) leaves CUDA out on a machine that has it.
One counts only if it compiles a kernel here: a toolkit that does not accept this machine's C++
compiler is left out with a warning that shows why, and everything else still builds.

The repository made here has
  defs.bzl     CUDA_ENABLED, CUDA_HOME, CUDA_VERSION
  //:cudart    the runtime, to link and to include; an empty library where CUDA is left out
  //:libdevice the bitcode of its mathematical functions; no file where CUDA is left out
"""

_PROBE = """
#include <cuda_runtime.h>
__global__ void Increment(int* value) { *value += 1; }
"""

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "cudart",
    hdrs = glob(["toolkit/include/*.h*", "toolkit/include/crt/**", "toolkit/include/nv/**"]),
    includes = ["toolkit/include"],
    linkopts = ["-L{libraries}", "-lcudart_static", "-ldl", "-lrt", "-lpthread"],
)

filegroup(
    name = "libdevice",
    srcs = glob(["toolkit/nvvm/libdevice/libdevice.10.bc"], allow_empty = True),
)
"""

_BUILD_WITHOUT = """
cc_library(
    name = "cudart",
    visibility = ["//visibility:public"],
)

filegroup(
    name = "libdevice",
    visibility = ["//visibility:public"],
)
"""

_DEFS = """
CUDA_ENABLED = {enabled}
CUDA_HOME = "{home}"
CUDA_VERSION = "{version}"
"""

def _candidates(repository_ctx):
    found = []
    home = repository_ctx.os.environ.get("CUDA_HOME", "")
    if home == "none":
        return []
    if home:
        found.append(home)
    nvcc = repository_ctx.which("nvcc")
    if nvcc:
        found.append(str(nvcc.realpath.dirname.dirname))
    found.append("/usr/local/cuda")
    return found

def _toolkit_or_none(repository_ctx, home):
    """The toolkit under `home`; None if there is none, or none that works."""
    nvcc = repository_ctx.path(home + "/bin/nvcc")
    if not nvcc.exists or not repository_ctx.path(home + "/include/cuda_runtime.h").exists:
        return None
    libraries = None
    for folder in ["lib64", "lib", "lib/x86_64-linux-gnu"]:
        if repository_ctx.path("%s/%s/libcudart_static.a" % (home, folder)).exists:
            libraries = "%s/%s" % (home, folder)
            break
    if not libraries:
        return None

    repository_ctx.file("probe.cu", _PROBE, executable = False)
    probe = repository_ctx.execute(
        [nvcc, "-std=c++20", "-c", "probe.cu", "-o", "probe.o"],
        timeout = 120,
    )
    if probe.return_code != 0:
        # buildifier: disable=print
        print("CUDA is left out: the toolkit in %s does not compile here:\n%s" %
              (home, probe.stdout + probe.stderr))
        return None
    version = repository_ctx.execute([nvcc, "--version"]).stdout
    release = version.partition("release ")[2].partition(",")[0]
    return struct(home = home, libraries = libraries, version = release)

def _cuda_configure_impl(repository_ctx):
    toolkit = None
    for home in _candidates(repository_ctx):
        toolkit = _toolkit_or_none(repository_ctx, home)
        if toolkit:
            break
    if toolkit:
        repository_ctx.symlink(toolkit.home, "toolkit")
        repository_ctx.file("BUILD", _BUILD.format(libraries = toolkit.libraries))
    else:
        repository_ctx.file("BUILD", _BUILD_WITHOUT)
    repository_ctx.file("defs.bzl", _DEFS.format(
        enabled = bool(toolkit),
        home = toolkit.home if toolkit else "",
        version = toolkit.version if toolkit else "",
    ))

cuda_configure = repository_rule(
    implementation = _cuda_configure_impl,
    configure = True,
    environ = [
        "CUDA_HOME",
        "PATH",
    ],
    local = True,
)
