"""CUDA libraries that are there on machines with a toolkit and stand aside on the others."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@cuda//:defs.bzl", _CUDA_ENABLED = "CUDA_ENABLED", _CUDA_HOME = "CUDA_HOME", _CUDA_VERSION = "CUDA_VERSION")

# For BUILD files: whether nvcc was found.
CUDA_ENABLED = _CUDA_ENABLED

# Code for the devices we measure on, and PTX that newer and most older ones compile when loaded.
_ARCHITECTURES = [
    "-gencode=arch=compute_75,code=compute_75",
    "-gencode=arch=compute_90,code=sm_90",
]

# No fused multiply-add on either side: an elementwise kernel gives the host's bits.
_FLAGS = [
    "-std=c++20",
    "-O2",
    "--expt-relaxed-constexpr",
    "--fmad=false",
    "-Xcompiler=-fPIC,-ffp-contract=off,-Wall,-Wextra",
    "-Werror=all-warnings",
]

def _cuda_objects_impl(ctx):
    dependencies = [dep[CcInfo].compilation_context for dep in ctx.attr.deps]
    headers = depset(ctx.files.hdrs, transitive = [context.headers for context in dependencies])
    objects = []
    for source in ctx.files.srcs:
        # Only the part of the name before ".cu" is the file's own: a.cu gives a.cu.o.
        output = ctx.actions.declare_file(source.basename + ".o")
        arguments = ctx.actions.args()
        arguments.add_all(_FLAGS + _ARCHITECTURES)

        # Not used by the code: it makes the objects of another toolkit other objects.
        arguments.add("-DTAGFLOW_CUDA_VERSION=%s" % _CUDA_VERSION)
        arguments.add("-I.")
        arguments.add("-I" + ctx.genfiles_dir.path)
        arguments.add("-I" + ctx.bin_dir.path)
        arguments.add("-c", source)
        arguments.add("-o", output)
        ctx.actions.run(
            executable = _CUDA_HOME + "/bin/nvcc",
            arguments = [arguments],
            inputs = depset([source], transitive = [headers, find_cpp_toolchain(ctx).all_files]),
            outputs = [output],
            mnemonic = "CudaCompile",
            progress_message = "Compiling CUDA %s" % source.short_path,
            use_default_shell_env = True,
        )
        objects.append(output)
    return [DefaultInfo(files = depset(objects))]

_cuda_objects = rule(
    implementation = _cuda_objects_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cu"]),
        "hdrs": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def cuda_library(name, srcs, hdrs = [], deps = [], without_cuda = [], **kwargs):
    """A library of CUDA sources.

    Args:
      name: the library.
      srcs: the .cu files, compiled by nvcc where there is a toolkit.
      hdrs: headers, in C++ that the host's compiler reads too.
      deps: C++ libraries.
      without_cuda: .cc files compiled instead of `srcs` where there is no toolkit: the same
        functions, saying so. Empty: the library is then empty, and its users ask CUDA_ENABLED.
      **kwargs: as in cc_library.
    """
    if not CUDA_ENABLED:
        native.cc_library(
            name = name,
            srcs = without_cuda,
            hdrs = hdrs,
            deps = deps,
            **kwargs
        )
        return
    _cuda_objects(
        name = name + "_objects",
        srcs = srcs,
        hdrs = hdrs,
        deps = deps,
        testonly = kwargs.get("testonly", False),
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = [":" + name + "_objects"],
        hdrs = hdrs,
        linkstatic = True,
        deps = deps + ["@cuda//:cudart"],
        **kwargs
    )
