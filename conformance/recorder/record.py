"""Makes conformance cases from what real TensorFlow does.

  import record
  tf = record.tf                                   # TensorFlow, v1 graph mode

  def build():
    x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    tf.exp(tf.cond(x > 0, lambda: x + 1, lambda: -x), name="y")

  case = record.record(
      name="cond/exp-of-a-branch", about="A branch's result feeds an ordinary op.",
      graph=build,
      steps=[record.Step(feeds={"x": np.float32(1)}, fetches=["y"], tolerance=record.ulps(4)),
             record.Step(feeds={"x": np.float32(-1)}, fetches=["y"], tolerance=record.ulps(4))],
      rules=["merge.1"])
  record.write(case, "exp.textproto")              # or "exp.case" for binary

Steps run in order in one session. What TensorFlow returns becomes the expectation; an error becomes
the expected error (its code; a part of its message only where the step names one). A graph that
does not load gives a case of one step that expects that error.

Nothing is recorded that TensorFlow does not repeat: everything runs `repeats` times, in fresh
sessions, and a difference raises NotRepeatable. A step that runs into the deadline raises Hangs.
Ops and dtypes that TensorFlow lacks raise Unsupported.
"""

import dataclasses
import os

import adapter  # isort: skip
import graph_session
import numpy as np
import protos
import readable
from google.protobuf import text_format
from graph_session import EngineFailure
from graph_session import Unsupported  # pylint: disable=unused-import

tf = graph_session.tf


class NotRepeatable(Exception):
  """TensorFlow's answer differs from run to run."""


class Hangs(Exception):
  """TensorFlow did not finish a step before the deadline."""


@dataclasses.dataclass(frozen=True)
class Tolerance:
  """How near an element must be; any one bound is enough. All zero: bit for bit."""
  ulps: int = 0
  relative: float = 0.0
  absolute: float = 0.0
  magnitude_relative: float = 0.0


EXACT = Tolerance()


def ulps(n):
  return Tolerance(ulps=n)


@dataclasses.dataclass
class Step:
  """One call of the session.

  feeds: tensor name -> array (or anything numpy takes, where that gives the right dtype).
  tolerance: for all fetches, or {fetch: Tolerance} with EXACT for the others. A function from the
    value to a Tolerance may stand for a Tolerance.
  message_contains: kept in the case if the step fails.
  missing_names: the step names what the graph does not hold, on purpose (else that is a mistake).
    Its error may have any code: TensorFlow's layers do not agree on one.
  """
  fetches: list = dataclasses.field(default_factory=list)
  feeds: dict = dataclasses.field(default_factory=dict)
  targets: list = dataclasses.field(default_factory=list)
  tolerance: object = EXACT
  message_contains: str = ""
  missing_names: bool = False


def record(name, about, graph, steps, rules=(), devices=(), repeats=2, deadline_s=20.0):
  """Runs the steps on TensorFlow and returns the conformance.Case.

  graph: a GraphDef (message or bytes), or a function that builds one in the default graph.
  """
  graph_def = graph_bytes(graph)
  outcomes = _run_all(graph_def, steps, devices, deadline_s)
  for _ in range(repeats - 1):
    _require_same(name, outcomes, _run_all(graph_def, steps, devices, deadline_s))
  case = protos.message("conformance.Case")()
  case.name = name
  case.about = about
  case.rules.extend(rules)
  case.graph.ParseFromString(graph_def)
  case.graph.DiscardUnknownFields()
  case.devices.extend(devices)
  for step, outcome in zip(steps, outcomes):
    _fill_step(case.steps.add(), step, outcome)
  return case


def graph_bytes(graph, control_flow_v2=False):
  """The serialized GraphDef that `graph` is or builds, with control flow v1 unless asked."""
  if callable(graph):
    return build_graph(graph, control_flow_v2).SerializeToString()
  return graph if isinstance(graph, bytes) else graph.SerializeToString()


def build_graph(build, control_flow_v2=False):
  """Calls build() in a fresh v1 graph and returns its GraphDef."""
  if control_flow_v2:
    tf.compat.v1.enable_control_flow_v2()
  else:
    tf.compat.v1.disable_control_flow_v2()
  graph = tf.Graph()
  with graph.as_default():
    build()
  return graph.as_graph_def()


def write(case, path):
  """Writes the case, as text if the path ends in .textproto, else as binary."""
  os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
  if path.endswith(".textproto"):
    with open(path, "w", encoding="utf-8") as file:
      file.write(text_format.MessageToString(readable.case(case)))
  else:
    with open(path, "wb") as file:
      file.write(case.SerializeToString(deterministic=True))


def read(path):
  """Reads a case that write() or a person wrote."""
  case = protos.message("conformance.Case")()
  with open(path, "rb") as file:
    data = file.read()
  return text_format.Parse(data, case) if path.endswith(".textproto") else case.FromString(data)


def as_array(value):
  """A feed as an array; text becomes bytes."""
  array = np.asarray(value)
  if array.dtype.kind in "SU":
    flat = [v.encode() if isinstance(v, str) else bytes(v) for v in array.reshape(-1)]
    array = np.array(flat + [None], dtype=object)[:-1].reshape(array.shape)
  return array


def _run_all(graph_def, steps, devices, deadline_s):
  """One outcome (list of arrays, or EngineFailure) for each step that is reached."""
  try:
    session = graph_session.GraphSession(graph_def, devices)
  except EngineFailure as e:
    return [e]
  try:
    return [_run_step(session, step, deadline_s) for step in steps]
  finally:
    session.close()


def _run_step(session, step, deadline_s):
  feeds = {name: as_array(value) for name, value in step.feeds.items()}
  try:
    return session.run(feeds, step.fetches, step.targets, deadline_s)
  except EngineFailure as e:
    if e.code == "DEADLINE_EXCEEDED":
      raise Hangs(e.message) from e
    if e.code == "NOT_FOUND" and "in the graph" in e.message and not step.missing_names:
      raise ValueError(e.message) from e
    return e


def _require_same(name, first, second):
  if len(first) != len(second) or not all(map(_same, first, second)):
    raise NotRepeatable(f"{name}: {first} against {second}")


def _same(a, b):
  if isinstance(a, EngineFailure) or isinstance(b, EngineFailure):
    return getattr(a, "code", None) == getattr(b, "code", None)
  return all(x.dtype == y.dtype and x.shape == y.shape and _bytes(x) == _bytes(y)
             for x, y in zip(a, b))


def _bytes(array):
  return array.tolist() if array.dtype == object else array.tobytes()


def _fill_step(message, step, outcome):
  for name, value in step.feeds.items():
    feed = message.feeds.add(name=name)
    feed.value.ParseFromString(graph_session.proto_of(as_array(value)))
  message.fetches.extend(step.fetches)
  message.targets.extend(step.targets)
  if isinstance(outcome, EngineFailure):
    message.error.SetInParent()
    if not step.missing_names:
      message.error.code = outcome.code
    if step.message_contains:
      if step.message_contains not in outcome.message:
        raise ValueError(f"TensorFlow said {outcome.message!r}, not {step.message_contains!r}")
      message.error.message_contains = step.message_contains
    return
  for fetch, value in zip(step.fetches, outcome):
    expectation = message.expect.add()
    expectation.any_of.add().ParseFromString(graph_session.proto_of(value))
    _fill_tolerance(expectation, _tolerance_of(step, fetch, value), value)


def _tolerance_of(step, fetch, value):
  tolerance = step.tolerance
  if isinstance(tolerance, dict):
    tolerance = tolerance.get(fetch, EXACT)
  return tolerance(value) if callable(tolerance) else tolerance


def _fill_tolerance(expectation, tolerance, value):
  if value.dtype == object or value.dtype.kind in "biu":
    return  # only rounding is tolerated
  for field in ("ulps", "relative", "absolute", "magnitude_relative"):
    bound = getattr(tolerance, field)
    if bound:
      setattr(expectation, field, bound)
