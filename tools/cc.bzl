"""The rules by which our C++ is compiled: Bazel's own, with standard headers read beforehand."""

def _with_precompiled(kwargs, header):
    if not kwargs.get("srcs"):
        return kwargs
    if native.package_name().startswith("optimized"):
        header = {"standard": "engine", "tests": "engine_tests"}[header]
    label = "//tools/precompiled:" + header
    include = ["-include", "tools/precompiled/%s.h" % header]
    return dict(
        kwargs,
        copts = include + kwargs.get("copts", []),
        deps = kwargs.get("deps", []) + [label],
    )

def cc_library(**kwargs):
    native.cc_library(**_with_precompiled(kwargs, "standard"))

def cc_binary(**kwargs):
    native.cc_binary(**_with_precompiled(kwargs, "standard"))

def cc_test(**kwargs):
    native.cc_test(**_with_precompiled(kwargs, "tests"))
