"""Makes conformance cases of what the tests in a TensorFlow source tree run.

  python record_tests.py FOLDER TEST_FILE... [--only Class.test] [--limit_s 120]

Every session of a test becomes a case with a step for each of its runs. Every function that a test
calls eagerly becomes a case twice: its body as a graph, and a graph that calls it. The variables
that it captures become variables of the case, set by a step of their own.

Left out: what does not repeat (random numbers), what hangs, and what needs more than a graph: Python
functions, iterators, tables that a function captures.
"""

import argparse
import contextlib
import dataclasses
import hashlib
import importlib.util
import multiprocessing
import os
import re
import sys
import unittest

import numpy as np
import record
from tensorflow.core.framework import graph_pb2
from tensorflow.python.client import session as session_lib
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import concrete_function
from tensorflow.python.framework import dtypes
from tensorflow.python.framework import tensor_util

tf = record.tf
tf.compat.v1.enable_eager_execution()  # the adapter turns it off
_TOLERANCE = record.Tolerance(relative=2e-5, absolute=1e-6)
_PYTHON_OPS = {"PyFunc", "EagerPyFunc", "PyFuncStateless"}


@dataclasses.dataclass
class Program:
  """A graph and the steps that a test ran on it."""
  graph_def: graph_pb2.GraphDef
  steps: list


class NotACase(Exception):
  """A run needs more than a graph and feeds."""


class Watch:
  """Collects the programs that run while it is on."""

  def __init__(self):
    self._sessions = {}
    self._calls = []

  def programs(self):
    return [Program(s.graph.as_graph_def(), steps) for s, steps in self._sessions.values()
           ] + self._calls

  @contextlib.contextmanager
  def on(self):
    run, call = session_lib.BaseSession.run, concrete_function.ConcreteFunction._call_flat
    watch = self

    def watched_run(self, fetches, feed_dict=None, options=None, run_metadata=None):
      watch._note_run(self, fetches, feed_dict or {})
      return run(self, fetches, feed_dict, options, run_metadata)

    def watched_call(self, tensor_inputs, captured_inputs):
      if context.executing_eagerly():
        watch._note_call(self, list(tensor_inputs) + list(captured_inputs))
      return call(self, tensor_inputs, captured_inputs)

    session_lib.BaseSession.run = watched_run
    concrete_function.ConcreteFunction._call_flat = watched_call
    try:
      yield
    finally:
      session_lib.BaseSession.run, concrete_function.ConcreteFunction._call_flat = run, call

  def _note_run(self, session, fetches, feeds):
    _, steps = self._sessions.setdefault(id(session), (session, []))
    with contextlib.suppress(Exception):  # the test expects the error that the run itself gives
      steps.append(_step_of_run(session.graph, fetches, feeds))

  def _note_call(self, function, inputs):
    with contextlib.suppress(NotACase):
      inputs = _Inputs(function.graph.inputs, inputs)
      self._calls.append(_body_program(function, inputs))
      self._calls.append(_call_program(function, inputs))


def _step_of_run(graph, fetches, feeds):
  handler = session_lib._FetchHandler(graph, fetches, {})
  arrays = {}
  for key, value in feeds.items():
    for tensor, part in _flat_feed(graph, key, value):
      arrays[tensor.name] = _typed(part, tensor.dtype)
  fetched = [t.name for t in handler.fetches() if t.dtype.base_dtype not in _UNCARRIED]
  return record.Step(feeds=arrays, fetches=fetched, targets=[op.name for op in handler.targets()],
                     tolerance=_TOLERANCE)


def _flat_feed(graph, key, value):
  for kind, _, feed, _ in session_lib._REGISTERED_EXPANSIONS:
    if isinstance(key, kind):
      for tensor, part in feed(key, value):
        yield graph.as_graph_element(tensor, allow_operation=False), part
      return


_UNCARRIED = (dtypes.resource, dtypes.variant)


def _typed(value, dtype):
  if isinstance(value, (int, float, complex, bool)) or not isinstance(value, np.ndarray):
    value = np.array(value, dtype=dtype.base_dtype.as_numpy_dtype)
  return value


class _Inputs:
  """What a function is called with: arrays to feed, and variables to set first."""

  def __init__(self, placeholders, values):
    self.feeds = {}
    self.variables = {}
    for placeholder, value in zip(placeholders, values):
      if placeholder.dtype == dtypes.resource:
        self.variables[placeholder.op.name] = _variable_value(value)
      elif placeholder.dtype == dtypes.variant:
        raise NotACase("a variant")
      else:
        self.feeds[placeholder.name] = value.numpy() if hasattr(value, "numpy") else value
    self.names = [placeholder.op.name for placeholder in placeholders]
    self.dtypes = [placeholder.dtype for placeholder in placeholders]


def _variable_value(handle):
  data = getattr(handle, "_handle_data", None)
  if data is None or not data.is_set or len(data.shape_and_type) != 1:
    raise NotACase("a resource that is no variable")
  if not tf.raw_ops.VarIsInitializedOp(resource=handle).numpy():
    raise NotACase("a variable without a value")
  return tf.raw_ops.ReadVariableOp(resource=handle, dtype=data.shape_and_type[0].dtype).numpy()


def _body_program(function, inputs):
  """The body as a graph: arguments are fed."""
  graph_def = function.graph.as_graph_def()
  for node in graph_def.node:
    if node.name in inputs.variables:
      _make_variable(node, inputs.variables[node.name])
  fetches = [t.name for t in function.graph.outputs if t.dtype not in _UNCARRIED]
  targets = [op.name for op in function.graph.control_outputs]
  return _program(graph_def, inputs, fetches, targets)


def _call_program(function, inputs):
  """A graph whose one node calls the function."""
  graph_def = graph_pb2.GraphDef()
  graph_def.versions.CopyFrom(function.graph.as_graph_def().versions)
  graph_def.library.CopyFrom(function.graph.as_graph_def().library)
  definition = function.function_def
  if all(f.signature.name != definition.signature.name for f in graph_def.library.function):
    graph_def.library.function.add().CopyFrom(definition)
  call = graph_pb2.NodeDef(name="call", op="StatefulPartitionedCall")
  call.attr["f"].func.name = definition.signature.name
  call.attr["Tout"].list.type.extend(a.type for a in definition.signature.output_arg)
  call.attr["Tin"].list.type.extend(d.as_datatype_enum for d in inputs.dtypes)
  for name, dtype in zip(inputs.names, inputs.dtypes):
    node = graph_def.node.add(name=name)
    if name in inputs.variables:
      _make_variable(node, inputs.variables[name])
    else:
      node.op = "Placeholder"
      node.attr["dtype"].type = dtype.as_datatype_enum
    call.input.append(name)
  graph_def.node.add().CopyFrom(call)
  fetches = [f"call:{i}" for i, a in enumerate(definition.signature.output_arg)
             if dtypes.as_dtype(a.type) not in _UNCARRIED]
  return _program(graph_def, inputs, fetches, ["call"])


def _program(graph_def, inputs, fetches, targets):
  first = record.Step()
  for name, value in inputs.variables.items():
    _assign(graph_def, name, value, first)
  steps = [first] if first.targets else []
  steps.append(record.Step(feeds=dict(inputs.feeds), fetches=fetches, targets=targets,
                           tolerance=_TOLERANCE))
  return Program(graph_def, steps)


def _make_variable(node, value):
  node.op = "VarHandleOp"
  node.attr.clear()
  dtype = tensor_util.make_tensor_proto(value).dtype
  node.attr["dtype"].type = dtype
  node.attr["shape"].shape.CopyFrom(tf.TensorShape(value.shape).as_proto())
  node.attr["shared_name"].s = node.name.encode()


def _assign(graph_def, name, value, step):
  proto = tensor_util.make_tensor_proto(value)
  initial = graph_def.node.add(name=f"{name}/first_value", op="Const")
  initial.attr["dtype"].type = proto.dtype
  initial.attr["value"].tensor.CopyFrom(proto)
  assign = graph_def.node.add(name=f"{name}/set", op="AssignVariableOp",
                              input=[name, initial.name])
  assign.attr["dtype"].type = proto.dtype
  step.targets.append(assign.name)


def _ops_of(graph_def):
  for nodes in [graph_def.node] + [f.node_def for f in graph_def.library.function]:
    for node in nodes:
      yield node.op


def _devices_of(graph_def):
  """The CPUs that nodes ask for, or that constants name, as the targets of remote calls are."""
  numbers = {0}
  for nodes in [graph_def.node] + [f.node_def for f in graph_def.library.function]:
    for node in nodes:
      texts = [node.device]
      if node.op == "Const":
        texts += [text.decode("utf-8", "ignore") for text in node.attr["value"].tensor.string_val]
      for text in texts:
        numbers.update(int(n) for n in re.findall(r"cpu:(\d+)", text, re.IGNORECASE))
  return [f"/device:CPU:{i}" for i in range(max(numbers) + 1)] if max(numbers) else []


def record_program(name, program, folder, seen):
  """Writes a case, and says in a word what became of it."""
  if not any(step.fetches or step.targets for step in program.steps):
    return "nothing run"
  if _PYTHON_OPS & set(_ops_of(program.graph_def)):
    return "needs Python"
  key = hashlib.sha1(program.graph_def.SerializeToString(deterministic=True) +
                     repr(program.steps).encode()).hexdigest()
  if key in seen:
    return "seen before"
  seen.add(key)
  try:
    case = record.record(name, "Recorded from a test of TensorFlow.", program.graph_def,
                         program.steps, devices=_devices_of(program.graph_def))
  except (record.NotRepeatable, record.Hangs, record.Unsupported, ValueError) as e:
    return type(e).__name__
  record.write(case, os.path.join(folder, name + ".case"))
  return "recorded"


def _tests_of(path):
  from absl import flags
  if not flags.FLAGS.is_parsed():
    flags.FLAGS(sys.argv[:1])
  spec = importlib.util.spec_from_file_location(
      re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0]), path)
  module = importlib.util.module_from_spec(spec)
  sys.modules[spec.name] = module
  spec.loader.exec_module(module)
  suites = [unittest.defaultTestLoader.loadTestsFromModule(module)]
  while suites:
    for test in suites.pop():
      if isinstance(test, unittest.TestSuite):
        suites.append(test)
      else:
        yield test


def _record_file(path, folder, only, skip, said):
  """Records the tests of a file after the first `skip`; says what it is at and what it found."""
  seen = set()
  stem = os.path.splitext(os.path.basename(path))[0]
  for i, test in enumerate(sorted(_tests_of(path), key=lambda t: t.id())):
    short = ".".join(test.id().split(".")[-2:])
    if i < skip or only not in short:
      continue
    said.put(("begins", i, short))
    watch = Watch()
    with watch.on():
      test.run(unittest.TestResult())
    for number, program in enumerate(watch.programs()):
      name = f"{stem}/{re.sub(r'[^A-Za-z0-9_.-]', '_', short)}.{number}"
      said.put(("program", name, record_program(name, program, folder, seen)))
  said.put(("ends", 0, ""))


def _watch_over(path, args):
  """Records a file in processes of their own: one that dies or hangs is begun anew after that test."""
  processes = multiprocessing.get_context("spawn")
  counts, skip, ended = {}, 0, False
  while not ended:
    said = processes.Queue()
    worker = processes.Process(target=_record_file,
                               args=(path, args.folder, args.only, skip, said))
    worker.start()
    at = None
    while True:
      try:
        what, name, result = said.get(timeout=args.limit_s)
      except Exception:  # pylint: disable=broad-except
        break
      if what == "begins":
        at, skip = result, name + 1
      elif what == "program":
        counts[result] = counts.get(result, 0) + 1
      else:
        ended = True
        break
    worker.join(1 if ended else 0)
    worker.kill()
    if not ended:
      print(f"{path}: {at or 'loading it'} dies or hangs", flush=True)
      ended = at is None
  print(path, counts, flush=True)


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
  parser.add_argument("folder")
  parser.add_argument("files", nargs="+", metavar="TEST_FILE")
  parser.add_argument("--only", default="", help="tests whose name holds this")
  parser.add_argument("--limit_s", type=float, default=60, help="seconds for one test")
  args = parser.parse_args()
  for path in args.files:
    _watch_over(path, args)


if __name__ == "__main__":
  main()
