"""Which ops the registry has, which groups of the op corpus hold an op, and which cases do."""

import importlib
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))

# Groups that record what another engine need not do.
ASIDE = ("platform/", "differs/")

_ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
_OP = re.compile(r'\bop: "(\w+)"')


def registered_ops(root=ROOT):
  """The names of all ops that are defined, in order: the rows of docs/ops.md."""
  with open(os.path.join(root, "docs", "ops.md"), encoding="utf-8") as file:
    return _ROW.findall(file.read())


def ops_in_cases(root=ROOT):
  """The ops that some text case holds."""
  found = set()
  for here, _, names in os.walk(os.path.join(root, "conformance", "cases")):
    for name in names:
      if name.endswith(".textproto"):
        with open(os.path.join(here, name), encoding="utf-8") as file:
          found.update(_OP.findall(file.read()))
  return found


def all_groups():
  """Every group of the op corpus, in its order."""
  import op_corpus
  for module in op_corpus.MODULES:
    yield from importlib.import_module(module).groups()


def ops_of(group):
  """The ops that a group or scenario is about: those of its probes, or of its graph."""
  if hasattr(group, "probes"):
    return {probe.op for probe in group.probes}
  graph = group.build()[0] if group.build else group.graph
  return {node.op for node in graph.node}
