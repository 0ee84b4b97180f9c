"""Finds LLVM and Clang of the version that machine code is made with, or leaves native code out.

LLVM_CONFIG names an llvm-config; else that of Debian is looked for. LLVM_CONFIG=none
(--config=nonative) leaves native code out on a machine that has LLVM.

The repository made here has
  defs.bzl    NATIVE_ENABLED, CLANG
  //:llvm     LLVM's static libraries, to link and to include; an empty library where it is left out
"""

_VERSION = "19"

# What libtagflow_native.so has of LLVM.
_COMPONENTS = [
    "asmparser",
    "bitreader",
    "linker",
    "nvptxcodegen",
    "orcjit",
    "passes",
    "x86asmparser",
    "x86codegen",
]

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "llvm",
    hdrs = glob(["include/llvm/**", "include/llvm-c/**"]),
    includes = ["include"],
    linkopts = [
        "-L{libraries}",
        "-Wl,--start-group",
        {archives}
        "-Wl,--end-group",
        "-l:libz.a",
        "-l:libzstd.a",
        "-lpthread",
        "-ldl",
    ],
)
"""

_BUILD_WITHOUT = """
cc_library(
    name = "llvm",
    visibility = ["//visibility:public"],
)
"""

def _config(repository_ctx):
    """The llvm-config to ask; None if there is none, or it is left out."""
    named = repository_ctx.os.environ.get("LLVM_CONFIG", "")
    if named == "none":
        return None
    return repository_ctx.path(named) if named else repository_ctx.which("llvm-config-" + _VERSION)

def _asked(repository_ctx, config, *arguments):
    answer = repository_ctx.execute([config] + list(arguments))
    if answer.return_code != 0:
        fail("%s %s: %s" % (config, " ".join(arguments), answer.stderr))
    return answer.stdout.strip()

def _llvm_configure_impl(repository_ctx):
    config = _config(repository_ctx)
    clang = repository_ctx.which("clang++-" + _VERSION)
    if config and clang:
        archives = _asked(repository_ctx, config, "--link-static", "--libs", *_COMPONENTS)
        repository_ctx.symlink(_asked(repository_ctx, config, "--includedir"), "include")
        repository_ctx.file("BUILD", _BUILD.format(
            archives = " ".join(["\"%s\"," % archive for archive in archives.split(" ")]),
            libraries = _asked(repository_ctx, config, "--libdir"),
        ))
    else:
        repository_ctx.file("BUILD", _BUILD_WITHOUT)
    repository_ctx.file("defs.bzl", "NATIVE_ENABLED = %s\nCLANG = \"%s\"\n" % (
        bool(config and clang),
        clang or "",
    ))

llvm_configure = repository_rule(
    implementation = _llvm_configure_impl,
    configure = True,
    environ = [
        "LLVM_CONFIG",
        "PATH",
    ],
    local = True,
)
