"""Rules of the Python package."""

load("@python//:defs.bzl", "PYTHON")

def package_test(name, srcs, data = [], **kwargs):
    """A pytest file, run with the package as it was built and those of third_party/python."""
    native.sh_test(
        name = name,
        size = kwargs.pop("size", "small"),
        srcs = ["run_test.sh"],
        args = [PYTHON] + ["$(rootpath %s)" % source for source in srcs],
        data = srcs + data + ["//third_party/python:requirements.txt"],
        **kwargs
    )

def tagflow_wheel(
        name,
        tools,
        extension,
        command,
        native_library,
        cases,
        sources,
        readme,
        version,
        **kwargs):
    """The wheel, in a folder of its own since its file's name says what it is for.

    native_library: None where there is none.
    """
    native_libraries = [native_library] if native_library else []
    native.genrule(
        name = name,
        srcs = [extension, command, cases, readme] + native_libraries + sources,
        outs = ["dist/tagflow-%s-cp311-abi3-manylinux_2_36_x86_64.whl" % version],
        cmd = " ".join([
            PYTHON,
            "$(location %s)" % tools[0],
            "--version=" + version,
            "--extension=$(location %s)" % extension,
            "--command=$(location %s)" % command,
            "--cases=$(location %s)" % cases,
            "--readme=$(location %s)" % readme,
            "--out=$@",
        ] + ["--native=$(location %s)" % library for library in native_libraries] +
                       ["$(locations %s)" % source for source in sources]),
        tools = tools,
        message = "Packing the wheel",
        **kwargs
    )
