"""The repositories that Tagflow needs, for its own WORKSPACE and for those that depend on it.

Bazel, its rule sets and every library are Debian packages (debian-packages.txt), and the few
repositories that Bazel 4 expects and Debian has not, or has in another version, are small stand-ins
in this folder. The one thing that is downloaded is what builds and tests the Python package
(python/configure.bzl).
"""

load("//third_party/cuda:configure.bzl", "cuda_configure")
load("//third_party/llvm:configure.bzl", "llvm_configure")
load("//third_party/python:configure.bzl", "python_configure")

def _stand_in_impl(repository_ctx):
    here = repository_ctx.path(Label("//third_party:BUILD")).dirname
    for entry in here.get_child(repository_ctx.attr.folder).readdir():
        repository_ctx.symlink(entry, entry.basename)

_stand_in = repository_rule(
    implementation = _stand_in_impl,
    attrs = {"folder": attr.string(mandatory = True, doc = "a folder here that is a repository")},
    doc = "As local_repository, for a folder of Tagflow wherever that lies itself.",
    local = True,
)

def tagflow_repositories():
    """To be called in a WORKSPACE, once there is a repository called `tagflow`."""
    existing = native.existing_rules()
    for name, folder in {
        "com_google_protobuf": "com_google_protobuf",
        "remote_coverage_tools": "coverage_tools",
        "rules_cc": "rules_cc",
    }.items():
        if name not in existing:
            _stand_in(name = name, folder = folder)
    for name in ["java", "proto"]:
        if "rules_" + name not in existing:
            native.local_repository(
                name = "rules_" + name,
                path = "/usr/share/bazel/rules/" + name,
            )
    native.new_local_repository(
        name = "system",
        build_file = str(Label("//third_party/system:system.BUILD")),
        path = "/usr",
    )

    # The CUDA toolkit, where this machine has one.
    cuda_configure(name = "cuda")

    # LLVM, where this machine has it.
    llvm_configure(name = "llvm")

    # Python, and the packages that the wheel is built and tested with.
    python_configure(name = "python")
