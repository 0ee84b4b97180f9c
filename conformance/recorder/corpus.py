"""Writes a corpus: records the groups of some modules in several processes.

A module has groups(), which yields what op_probe.cases_of() takes, always in the same order. A
process that TensorFlow crashes or hangs is replaced by one that leaves that group out.
"""

import argparse
import collections
import importlib
import multiprocessing
import os
import queue
import time

_processes = multiprocessing.get_context("spawn")
_GROUP_LIMIT_S = 120


def main(doc, modules):
  """The command line of a corpus program."""
  parser = argparse.ArgumentParser(description=doc.split("\n", 1)[0])
  parser.add_argument("folder")
  parser.add_argument("--only", default="", help="groups whose name starts so")
  parser.add_argument("--jobs", type=int, default=2)
  args = parser.parse_args()
  Writer(modules, args.folder, args.only, args.jobs).write()


def write_share(modules, share, jobs, folder, only, leave_out, results):
  """Records every `jobs`-th group; says (share, group name, number of cases, failure or None).

  A number of None says that the group begins.
  """
  import op_probe
  for i, group in enumerate(_groups(modules, only)):
    if i % jobs != share or i <= leave_out:
      continue
    results.put((share, i, group.name, None, None))
    try:
      cases = op_probe.cases_of(group)
    except Exception as e:  # pylint: disable=broad-except
      results.put((share, i, group.name, 0, f"{type(e).__name__}: {str(e)[:300]}"))
      continue
    for case in cases:
      op_probe.record.write(case, os.path.join(folder, _place(case) + ".case"))
    results.put((share, i, group.name, len(cases), None))
  results.put((share, None, None, None, None))


def _place(case):
  """The case's name, moved to extra/ if it needs ops that the language lacks."""
  import language
  if case.name.startswith(("extra/", "platform/", "differs/")) or not language.beyond(case):
    return case.name
  case.name = f"extra/{case.name}"
  return case.name


def _groups(modules, only):
  for module in modules:
    for group in importlib.import_module(module).groups():
      if group.name.startswith(only):
        yield group


class Writer:
  """Runs the processes and prints progress."""

  def __init__(self, modules, folder, only, jobs):
    self._task = (modules, folder, only)
    self._jobs = jobs
    self._results = _processes.Queue()
    self._workers = {}
    self._current = {}
    self._counts = collections.Counter()

  def write(self):
    for share in range(self._jobs):
      self._start(share, -1)
    shown = time.time()
    while self._workers:
      try:
        self._take(*self._results.get(timeout=2))
      except queue.Empty:
        self._replace_dead()
      if time.time() - shown > 10:
        shown = time.time()
        print(dict(self._counts), flush=True)
    print("done:", dict(self._counts))

  def _start(self, share, leave_out):
    modules, folder, only = self._task
    self._workers[share] = _processes.Process(
        target=write_share,
        args=(modules, share, self._jobs, folder, only, leave_out, self._results))
    self._current[share] = (leave_out, "the start", time.time())
    self._workers[share].start()

  def _take(self, share, index, name, cases, failure):
    if index is None:
      self._workers.pop(share).join()
    elif cases is None:
      self._current[share] = (index, name, time.time())
    else:
      self._current[share] = (index, "between groups", time.time())
      self._count(name, cases, failure)

  def _count(self, name, cases, failure):
    self._counts["groups"] += 1
    self._counts["cases"] += cases
    if failure:
      self._counts["failures"] += 1
      print(f"not recorded: {name}: {failure}", flush=True)
    elif not cases:
      print(f"no kernel: {name}", flush=True)

  def _replace_dead(self):
    for share, worker in list(self._workers.items()):
      index, name, since = self._current[share]
      if worker.is_alive() and time.time() - since < _GROUP_LIMIT_S:
        continue
      what = "hangs" if worker.is_alive() else f"ends the process ({worker.exitcode})"
      worker.kill()
      worker.join()
      if name == "the start" or name == "between groups":
        raise SystemExit(f"a process died at {name}: {worker.exitcode}")
      print(f"TensorFlow {what}: {name}", flush=True)
      self._counts["crashes"] += 1
      self._start(share, index)
