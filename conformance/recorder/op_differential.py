#!/usr/bin/env python3
"""The differential op test: records the op corpus from TensorFlow and holds the reference to it.

  ./bazelw run //tools:op_differential [-- --only ops/AddV2 --keep FOLDER]

Prints what became of each op, and ends with 1 where a case differs that op_exceptions.txt does not
list, or where an op has neither a group of the corpus nor a reason for that there. It takes a few
minutes on two cores.

--only: groups whose name starts so. --keep: leaves the cases in FOLDER. --jobs: processes at once.
"""

import argparse
import collections
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import op_groups

_HERE = os.path.dirname(os.path.realpath(__file__))
_EXCEPTIONS = os.path.join(_HERE, "op_exceptions.txt")


def read_exceptions(path=_EXCEPTIONS):
  """{name of a case, a folder of cases with a / at its end, or "no-group OP": reason}."""
  with open(path, encoding="utf-8") as file:
    lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
  return dict(line.split("  ", 1) for line in lines)


def excepted(name, exceptions):
  """The exception that the case falls under, or None."""
  return next((e for e in exceptions if name == e or e.endswith("/") and name.startswith(e)), None)


def ops_without_group(registered, held, exceptions):
  """Complaints about ops that nothing records, and about reasons that are not needed."""
  for op in registered:
    if op not in held and f"no-group {op}" not in exceptions:
      yield f"{op} has no group in the op corpus, and {os.path.basename(_EXCEPTIONS)} no reason"
    if op in held and f"no-group {op}" in exceptions:
      yield f"{op} has a group after all: take 'no-group {op}' off the exceptions"


def summarize(rows, exceptions):
  """(lines of a table by op, complaints) of (name, verdict, why)."""
  by_op, complaints, used = {}, [], set()
  for name, verdict, why in rows:
    op = "/".join(name.split("/")[:2])
    counts = by_op.setdefault(op, collections.Counter())
    exception = excepted(name, exceptions) if verdict != "PASS" else None
    if exception:
      used.add(exception)
      counts["excepted"] += 1
    else:
      counts[verdict] += 1
      if verdict != "PASS":
        complaints.append(f"{verdict} {name}: {why}")
  lines = []
  for op, counts in sorted(by_op.items()):
    rest = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()) if what != "PASS")
    lines.append(f"{op}: {counts['PASS']} pass" + (f", {rest}" if rest else ""))
  return lines, complaints, used


def _run(args, folder):
  """The rows of `tagflow check` over a newly recorded corpus."""
  command = [sys.executable, os.path.join(_HERE, "op_corpus.py"), folder, "--jobs", str(args.jobs)]
  subprocess.run(command + ["--only", args.only], check=True)
  table = os.path.join(folder, "verdicts.tsv")
  subprocess.run([args.tagflow, "check", "--engine", "reference", "--jobs", str(args.jobs), "--tsv",
                  table, folder], check=False, stdout=subprocess.DEVNULL)
  with open(table, encoding="utf-8") as file:
    return [line.rstrip("\n").split("\t", 2) for line in file]


def _ops_held():
  held = set()
  for group in op_groups.all_groups():
    if not group.name.startswith(op_groups.ASIDE):
      held |= op_groups.ops_of(group)
  return held


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
  parser.add_argument("tagflow")
  parser.add_argument("--only", default="")
  parser.add_argument("--keep", default="")
  parser.add_argument("--jobs", type=int, default=2)
  args = parser.parse_args()
  exceptions = read_exceptions()
  with tempfile.TemporaryDirectory() as temporary:
    folder = args.keep or temporary
    os.makedirs(folder, exist_ok=True)
    rows = _run(args, folder)
  lines, complaints, used = summarize(rows, exceptions)
  if not args.only:
    complaints += ops_without_group(op_groups.registered_ops(), _ops_held(), exceptions)
    complaints += [f"no case differs as the exception says: {e}"
                   for e in exceptions if e not in used and not e.startswith("no-group ")]
  print("\n".join(lines))
  print(f"{len(rows)} cases of {len(lines)} ops, {len(complaints)} complaints")
  print("\n".join(complaints))
  return 1 if complaints or not rows else 0


if __name__ == "__main__":
  sys.exit(main())
