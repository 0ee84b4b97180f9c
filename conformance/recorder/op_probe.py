"""Probes of single ops, and the cases made of them.

A Probe is one node with its input values. A Group of probes (same op, dtypes and idea) becomes one
case: a graph with a node per probe, and one step per probe, so that a probe TensorFlow rejects
costs only its own step. Some inputs are Consts and some are fed, chosen by the case's name: with
Consts TensorFlow finds errors when it loads the graph, with feeds when it runs the kernel. A probe
that does not load is moved into a case of its own.
"""

import dataclasses
import zlib

import numpy as np
import record
from tensorflow.core.framework import attr_value_pb2
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import kernels

tf = record.tf

# The dtypes of the language; TensorFlow has more (quantized, float8, int4).
DTYPES = (tf.bool, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
          tf.half, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128, tf.string)


@dataclasses.dataclass
class Probe:
  """One node.

  inputs: arrays. attrs: values as in attr_value(); type attrs are given, nothing is inferred.
  outputs: how many of its outputs are fetched.
  fed: whether the inputs are fed; None: by chance.
  """
  op: str
  inputs: list
  attrs: dict = dataclasses.field(default_factory=dict)
  outputs: int = 1
  tolerance: record.Tolerance = record.EXACT
  fed: object = None


@dataclasses.dataclass
class Group:
  """Probes that make one case."""
  name: str
  about: str
  probes: list


@dataclasses.dataclass
class Scenario:
  """A graph and steps that make one case as they are.

  Where making the graph is slow, `graph` is None and build() gives (graph, steps).
  """
  name: str
  about: str
  graph: object
  steps: list
  build: object = None
  devices: tuple = ()


class GraphMaker:
  """A GraphDef written node by node; every method returns the new node's name."""

  def __init__(self):
    self.graph = new_graph()

  def add(self, op, *inputs, name=None, control=(), **attrs):
    """A node; `control` names the nodes it waits for."""
    name = name or f"{op}_{len(self.graph.node)}"
    sources = list(inputs) + ["^" + c for c in control]
    add_node(self.graph, name, op, sources, attrs)
    return name

  def const(self, value, name=None, control=()):
    value = record.as_array(value)
    return self.add("Const", name=name, control=control, dtype=dtype_of(value), value=value)

  def placeholder(self, name, dtype, shape=None):
    return self.add("Placeholder", name=name, dtype=dtype, shape=tf.TensorShape(shape))


class StepMaker:
  """A graph, and steps that fetch from it; derived classes add nodes of a family.

  hidden: hide() keeps TensorFlow from looking at what a node gives when it loads the graph, so that
  an error costs its own step and not the graph.
  """

  def __init__(self, hidden=False):
    self.g = GraphMaker()
    self.steps = []
    self._hidden = hidden

  def hide(self, name, dtype=tf.variant):
    if not self._hidden:
      return name
    return self.g.add("PlaceholderWithDefault", name, dtype=dtype, shape=tf.TensorShape(None))

  def fetch(self, *fetches, **feeds):
    self.steps.append(record.Step(list(fetches), feeds))

  def each(self, *fetches):
    """A step for each."""
    for fetch in fetches:
      self.fetch(fetch)

  def scenario(self, name, about):
    return Scenario(name, about, self.g.graph, self.steps)


def dtypes_of(op, attr="T"):
  """The dtypes for which TensorFlow has a CPU kernel, from its registry of kernels."""
  found = set()
  for kernel in kernels.get_registered_kernels_for_op(op).kernel:
    if kernel.device_type == "CPU":
      for constraint in kernel.constraint:
        if constraint.name == attr:
          found.update(constraint.allowed_values.list.type)
  return [d for d in DTYPES if d.as_datatype_enum in found]


def seed_of(name):
  return zlib.crc32(name.encode())


def dtype_of(array):
  return tf.string if array.dtype.kind in "OSU" else tf.dtypes.as_dtype(array.dtype)


def attr_value(value):
  """An AttrValue of a bool, int, float, text, DType, TensorShape, array, or list of one kind."""
  attr = attr_value_pb2.AttrValue()
  if isinstance(value, bool):
    attr.b = value
  elif isinstance(value, int):
    attr.i = value
  elif isinstance(value, float):
    attr.f = value
  elif isinstance(value, (str, bytes)):
    attr.s = value if isinstance(value, bytes) else value.encode()
  elif isinstance(value, tf.DType):
    attr.type = value.as_datatype_enum
  elif isinstance(value, tf.TensorShape):
    attr.shape.CopyFrom(value.as_proto())
  elif isinstance(value, np.ndarray):
    attr.tensor.ParseFromString(record.graph_session.proto_of(value))
  else:
    _fill_list(attr.list, value)
  return attr


def _fill_list(message, values):
  message.SetInParent()
  for value in values:
    if isinstance(value, tf.DType):
      message.type.append(value.as_datatype_enum)
    elif isinstance(value, tf.TensorShape):
      message.shape.append(value.as_proto())
    elif isinstance(value, float):
      message.f.append(value)
    elif isinstance(value, str):
      message.s.append(value.encode())
    else:
      message.i.append(value)


def add_node(graph, name, op, inputs=(), attrs=None, device=""):
  """Appends a node to a GraphDef; attrs as in attr_value()."""
  node = graph.node.add(name=name, op=op, device=device)
  node.input.extend(inputs)
  for key, value in (attrs or {}).items():
    node.attr[key].CopyFrom(attr_value(value))
  return node


def new_graph():
  graph = graph_pb2.GraphDef()
  graph.versions.producer = tf.version.GRAPH_DEF_VERSION
  return graph


class _CaseBuilder:
  """The graph and steps of one group."""

  def __init__(self, group):
    self._graph = new_graph()
    self._random = np.random.RandomState(seed_of(group.name))
    self._steps = []
    for i, probe in enumerate(group.probes):
      self._add(f"p{i}", probe)

  def _add(self, name, probe):
    step = record.Step(tolerance=probe.tolerance)
    inputs = []
    for i, value in enumerate(map(record.as_array, probe.inputs)):
      source = f"{name}_{'abcdefghijklmnopqrstuvwxyz'[i]}"
      inputs.append(source)
      fed = self._random.rand() < 0.5 if probe.fed is None else probe.fed
      if fed:
        step.feeds[source] = value
      self._source(source, value, fed)
    add_node(self._graph, name, probe.op, inputs, probe.attrs)
    step.fetches = [name if i == 0 else f"{name}:{i}" for i in range(probe.outputs)]
    if not probe.outputs:
      step.targets = [name]
    self._steps.append(step)

  def _source(self, name, value, fed):
    attrs = {"dtype": dtype_of(value)}
    if fed:
      attrs["shape"] = tf.TensorShape(None)
      add_node(self._graph, name, "Placeholder", (), attrs)
    else:
      attrs["value"] = value
      add_node(self._graph, name, "Const", (), attrs)

  def record(self, group):
    return record.record(group.name, group.about, self._graph, self._steps)


def cases_of(group):
  """The recorded cases of a group: one, plus one for each probe that does not load.

  A Scenario gives one case.
  """
  if isinstance(group, Scenario):
    graph, steps = group.build() if group.build else (group.graph, group.steps)
    try:
      return [record.record(group.name, group.about, graph, steps, devices=group.devices)]
    except record.Unsupported:
      return []
  try:
    case = _CaseBuilder(group).record(group)
  except record.Unsupported:
    case = None
  if case is not None and len(case.steps) == len(group.probes):
    return [case]
  if len(group.probes) == 1:
    return [] if case is None else [case]
  cases, loading = [], []
  for i, probe in enumerate(group.probes):
    alone = dataclasses.replace(group, name=f"{group.name}-{i}", probes=[probe])
    try:
      case = _CaseBuilder(alone).record(alone)
    except record.Unsupported:
      continue
    if case.steps[0].HasField("error"):
      cases.append(case)
    else:
      loading.append(probe)
  if loading and len(loading) < len(group.probes):
    cases += cases_of(dataclasses.replace(group, probes=loading))
  return cases
