#!/usr/bin/env python3
"""Writes readable cases of single ops, conformance/cases/op, from what TensorFlow does.

  .peers/bin/python conformance/recorder/op_cases.py [--missing] [OP...]

Each op gets one case of a few steps, chosen from the probes of the op corpus: ordinary values,
special ones, nothing at all, and what the op refuses. An op that is probed by scenarios alone, such
as one with state, gets the shortest of these. The same files come out every time.

OP: only these. --missing: only ops that no case holds. Ops without a group are named and left out.
"""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import op_case_steps
import op_groups
import readable
from google.protobuf import text_format

# Ops for which the standard departs from TensorFlow, with the rule whose cases hold them.
_ELSEWHERE = {"LoopCond": "switch.2"}

_FOLDER = os.path.join(op_groups.ROOT, "conformance", "cases", "op")


def case_name(op):
  """op/op.1-add-v2 of AddV2."""
  words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", op).strip("_-").lower()
  return f"op/op.1-{words}"


def text(case, remarks):
  """The case as a file; remarks: what each step is about."""
  case = readable.case(case)
  lines = [f'name: "{case.name}"', f'about: "{case.about}"']
  lines.append("rules: [" + ", ".join(f'"{rule}"' for rule in case.rules) + "]")
  lines += ["", "graph {"]
  lines += [f"  node {{ {_line(node)} }}" for node in case.graph.node]
  lines += [f"  versions {{ {_line(case.graph.versions)} }}", "}"]
  for step, remark in zip(case.steps, remarks):
    lines += ["", f"# {remark}" if remark else "", "steps {"]
    lines += [f"  {part}" for part in _step_lines(step)] + ["}"]
  return re.sub(r"\n\n+", "\n\n", "\n".join(lines)) + "\n"


def _step_lines(step):
  for feed in step.feeds:
    yield f"feeds {{ {_line(feed)} }}"
  yield from (f'fetches: "{name}"' for name in step.fetches)
  yield from (f'targets: "{name}"' for name in step.targets)
  for expectation in step.expect:
    yield f"expect {{ {_line(expectation)} }}"
  if step.HasField("error"):
    yield f"error {{ {_line(step.error)} }}"


def _line(message):
  line = text_format.MessageToString(message, as_one_line=True, use_short_repeated_primitives=True)
  line = re.sub(r"\bdim \{ ?\}", "dim { size: 0 }", line).replace("{ }", "{}")
  return re.sub(r": \[([^][,\"]*)\]", r": \1", line)  # a list of one


def write(op, groups):
  """Writes the op's case; says whether TensorFlow gave one."""
  made = op_case_steps.case_of(op, case_name(op), groups)
  if made is None:
    return False
  path = os.path.join(_FOLDER, os.path.basename(case_name(op)) + ".textproto")
  os.makedirs(_FOLDER, exist_ok=True)
  with open(path, "w", encoding="utf-8") as file:
    file.write(text(*made))
  return True


def _wanted(args):
  ops = args.ops or op_groups.registered_ops()
  if args.missing:
    held = op_groups.ops_in_cases()
    ops = [op for op in ops if op not in held]
  return [op for op in ops if op not in _ELSEWHERE]


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
  parser.add_argument("ops", nargs="*", metavar="OP")
  parser.add_argument("--missing", action="store_true", help="only ops that no case holds")
  wanted = _wanted(parser.parse_args())
  groups = {op: [] for op in wanted}
  for group in op_groups.all_groups():
    if not group.name.startswith(op_groups.ASIDE):
      for op in op_groups.ops_of(group) & groups.keys():
        groups[op].append(group)
  left_out = [op for op in wanted if not write(op, groups[op])]
  print(f"{len(wanted) - len(left_out)} cases written under {os.path.relpath(_FOLDER)}")
  if left_out:
    print("left out, since no group of the op corpus records them:", " ".join(left_out))


if __name__ == "__main__":
  main()
