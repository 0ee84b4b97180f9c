"""Reads BUILD files without Bazel.

A BUILD file is also a Python program that calls one function per target, so it is run as one,
with functions that write down what they are called with. Bazel's own answer comes from queries
(see layering_test in BUILD); this one sees every target of the tree, also those that no query
names.
"""

import ast
import builtins
import collections
import posixpath
import re

# Attributes whose strings name files or targets.
_LABEL_ATTRIBUTES = (
    "srcs", "hdrs", "textual_hdrs", "deps", "data", "without_cuda", "tools", "tests", "main", "src",
    "implementation_deps", "actual", "exported_files", "cases", "graphs", "binary", "scope",
)

Target = collections.namedtuple("Target", ["package", "rule", "name", "attributes"])


def _pattern(glob):
    """A glob of Bazel as a regular expression: `*` stays in a folder, `**` does not."""
    parts = re.split(r"(\*\*/?|\*)", glob)
    table = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*"}
    return re.compile("".join(table.get(part, re.escape(part)) for part in parts) + r"\Z")


class _Package:
    """What a BUILD file sees while it runs."""

    def __init__(self, name, files):
        self.name = name
        self.files = files  # of this package, from its folder
        self.targets = []

    def glob(self, include, exclude=(), **_unused):
        chosen = [_pattern(glob) for glob in include]
        left_out = [_pattern(glob) for glob in exclude]
        return [
            name for name in self.files
            if any(glob.match(name) for glob in chosen) and not any(
                glob.match(name) for glob in left_out)
        ]

    def rule(self, kind):
        def called(*positional, **attributes):
            if kind == "exports_files":
                attributes = {"name": "", "exported_files": positional[0]}
            if "name" in attributes:
                self.targets.append(Target(self.name, kind, attributes["name"], attributes))

        return called

    def run(self, text):
        """Notes the targets, with what a machine has and without."""
        for has in (False, True):
            self._run(text, has)
        self.targets = [target for place, target in enumerate(self.targets)
                        if target not in self.targets[:place]]

    def _run(self, text, has):
        tree = ast.parse(text, filename=posixpath.join(self.name, "BUILD"))
        names = {"glob": self.glob, "select": lambda branches, **_: sum(branches.values(), [])}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "load":
                # A loaded constant says whether the machine has something.
                names.update((argument.value, has) for argument in node.args[1:])
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                called = node.func.id
                if called not in ("glob", "select") and not hasattr(builtins, called):
                    names[called] = self.rule(called)
        exec(compile(tree, posixpath.join(self.name, "BUILD"), "exec"), names)


def packages_of(files):
    """The folders with a BUILD file."""
    return {posixpath.dirname(name) for name in files if posixpath.basename(name) == "BUILD"}


def package_of(file, packages):
    """The package a file belongs to: its nearest folder with a BUILD file; None if there is none."""
    folder = posixpath.dirname(file)
    while folder not in packages:
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return folder


def read_targets(files, read):
    """Every target of the BUILD files among `files`, whose text `read(name)` gives."""
    packages = packages_of(files)
    owned = collections.defaultdict(list)
    for file in files:
        package = package_of(file, packages)
        if package is not None:
            owned[package].append(posixpath.relpath(file, package) if package else file)
    targets = []
    for name in sorted(packages):
        package = _Package(name, owned[name])
        package.run(read(posixpath.join(name, "BUILD")))
        targets += package.targets
    return targets


def absolute(label, package):
    """A label in the form //package:name (or @repository//package:name)."""
    if label.startswith(":"):
        return f"//{package}{label}"
    if not label.startswith(("//", "@")):
        return f"//{package}:{label}"
    repository, _, rest = label.partition("//")
    if ":" not in rest:
        rest = f"{rest}:{posixpath.basename(rest)}"
    return f"{repository}//{rest}"


def labels(target, attributes=_LABEL_ATTRIBUTES):
    """The absolute labels that a target names in the given attributes."""
    found = set()
    for attribute in attributes:
        value = target.attributes.get(attribute) or []
        values = [value] if isinstance(value, str) else value
        found.update(absolute(label, target.package) for label in values)
    return found


def files_of_targets(targets):
    """Every path that some target names, as a source, a header, a main program or data."""
    named = set()
    for target in targets:
        for label in labels(target):
            if label.startswith("//"):
                package, _, name = label[2:].partition(":")
                named.add(posixpath.join(package, name))
    return named
