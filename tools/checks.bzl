"""Tests of the source tree, and Bazel's answers that they need."""

def python_test(name, srcs, **kwargs):
    """A test that is one executable Python file; its modules are in `data`.

    Bazel 4 starts py_test with a command called `python`, which Debian has not.
    """
    native.sh_test(
        name = name,
        size = kwargs.pop("size", "small"),
        srcs = srcs,
        env = {"PYTHONDONTWRITEBYTECODE": "1"},
        **kwargs
    )

def tree_test(name, srcs, tags = [], **kwargs):
    """A python_test that looks at every file of the tree, whatever its declared inputs are: it
    runs where the sources are, and its result is never taken from a cache."""
    python_test(
        name = name,
        srcs = srcs,
        tags = tags + [
            "external",
            "local",
            "no-cache",
        ],
        **kwargs
    )

def layer_query(name, libraries):
    """A file of the labels that a layer's libraries reach."""
    native.genquery(
        name = name,
        expression = "deps(set(%s))" % " ".join(libraries),
        scope = libraries,
        testonly = True,
        # What the libraries are, not the tools that compile them.
        opts = ["--noimplicit_deps", "--nohost_deps"],
    )
