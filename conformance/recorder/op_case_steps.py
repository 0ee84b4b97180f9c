"""Chooses, from the groups of the op corpus, the few steps that make a readable case of an op."""

import re

import numpy as np
import op_probe
import record
from op_probe import dtype_of
from op_probe import tf
from tensorflow.python.framework import op_def_registry

_MOST_ELEMENTS = 20  # of all inputs and outputs of a step; more for ops of many inputs
_MOST_TRIED = 16  # probes of a kind that are tried
_LONGEST_SCENARIO = 12

# Which dtype a case is best about.
_PREFERENCE = (tf.float32, tf.int32, tf.bool, tf.string, tf.int64, tf.float64)

# What a step of each kind is about; they come in this order.
_REMARKS = {
    "ordinary": "Ordinary values.",
    "ranks": "Other ranks.",
    "attrs": "Other attrs.",
    "special": "Special values.",
    "empty": "An empty tensor.",
    "refused": "What is refused."
}


def case_of(op, name, groups):
  """(case, a remark for each step) from the op's groups; None when none of them gives one."""
  probes = [(group, probe) for group in groups if isinstance(group, op_probe.Group)
            for probe in group.probes if probe.op == op]
  scenarios = [group for group in groups if isinstance(group, op_probe.Scenario)]
  return _of_probes(op, name, probes) or _of_scenarios(op, name, scenarios)


# Probes.


def _of_probes(op, name, probes):
  probes = sorted(filter(_is_small, probes), key=_rank)
  chosen = _choose(probes)
  if not chosen:
    return None
  graph = _Graph(op)
  steps = [graph.step(probe) for _, probe in chosen.values()]
  kinds = list(chosen)
  about = f"{op}{_of_dtype(chosen[kinds[0]][1])}: {_listed(kinds)}."
  case = record.record(name, about, graph.graph, steps, _rules(kinds))
  if len(case.steps) != len(steps):
    return None
  return case, [_REMARKS[kind] for kind in kinds]


def _of_dtype(probe):
  dtype = _main_dtype(probe)
  names = {tf.float32: "float", tf.float64: "double", tf.half: "half"}
  return f" of {names.get(dtype, dtype.name)}" if dtype else ""


def _listed(kinds):
  words = [_REMARKS[kind][0].lower() + _REMARKS[kind][1:-1] for kind in kinds]
  return " and ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])


def _rules(kinds):
  return ["op.1", "op.2"] if "refused" in kinds else ["op.1"]


def _choose(probes):
  """{kind: (group, probe)}: one of each kind that there is, in the order of the steps."""
  found, tried, given_dtypes, same = {}, dict.fromkeys(_REMARKS, 0), [], None
  for group, probe in probes:
    kind = _kind(group, probe)
    dtype = _main_dtype(probe)
    if kind == "ordinary" and kind in found:
      kind = _otherwise(probe, found[kind][1])
    if kind == "ranks" and _ranks(probe) == _ranks(found["ordinary"][1]):
      continue
    if kind in found or tried[kind] >= _MOST_TRIED:
      continue
    if kind != "refused" and any(dtype != given for given in given_dtypes):
      continue
    tried[kind] += 1
    outcome = _outcome(probe)
    if kind == "ordinary" and outcome == "same":
      same = same or (group, probe)  # shows little: only where there is nothing better
    elif outcome == "refused" and "refused" not in found:
      found["refused"] = (group, probe)
    elif outcome in ("given", "same") and kind != "refused":
      found[kind] = (group, probe)
      given_dtypes = [dtype]  # the case is about this one
  if same and "ordinary" not in found:
    found["ordinary"] = same
  if not any(kind in found for kind in ("ordinary", "special", "empty")):
    return {}
  return {kind: found[kind] for kind in _REMARKS if kind in found}


def _kind(group, probe):
  last = group.name.rsplit("/", 1)[-1]
  if re.search("wrong|mismatch|invalid|refuse|reject|error|zero$|out-of-range|negative", last):
    return "refused"
  arrays = [record.as_array(value) for value in probe.inputs]
  if any(array.size == 0 for array in arrays[:1]):
    return "empty"
  return "special" if any(map(_is_special, arrays)) else "ordinary"


def _otherwise(probe, ordinary):
  """What the probe has that an ordinary one has not."""
  attrs = [{key: repr(v) for key, v in p.attrs.items() if not isinstance(v, tf.DType)}
           for p in (probe, ordinary)]
  return "ranks" if attrs[0] == attrs[1] else "attrs"


def _ranks(probe):
  return [np.ndim(value) for value in probe.inputs]


def _is_special(array):
  if array.dtype.kind in "fc" or array.dtype.name == "bfloat16":
    wide = array.astype(np.complex128)
    return not np.isfinite(wide).all() or bool(np.any(np.signbit(wide.real) & (wide.real == 0)))
  if array.dtype.kind in "iu":
    limits = np.iinfo(array.dtype)
    return bool(np.any(array == limits.max) or limits.min and np.any(array == limits.min))
  return False


def _is_small(pair):
  _, probe = pair
  most = max(_MOST_ELEMENTS, 2 * len(probe.inputs))
  return sum(np.asarray(value).size for value in probe.inputs) <= most


def _rank(pair):
  """Better probes first: of a good dtype, a matrix of about six elements."""
  group, probe = pair
  dtype = _main_dtype(probe)
  place = _PREFERENCE.index(dtype) if dtype in _PREFERENCE else len(_PREFERENCE)
  first = np.asarray(probe.inputs[0]) if probe.inputs else np.zeros(())
  return place, abs(first.size - 6) + abs(first.ndim - 2), len(probe.attrs), group.name


def _main_dtype(probe):
  for key in ("T", "dtype", "element_dtype", "SrcT", "Tparams", "output_type"):
    if isinstance(probe.attrs.get(key), tf.DType):
      return probe.attrs[key]
  for value in list(probe.attrs.values()):
    if isinstance(value, tf.DType):
      return value
  return dtype_of(record.as_array(probe.inputs[0])) if probe.inputs else None


def _outcome(probe):
  """Alone, with all inputs fed: "given", "same" as the input, "refused", or "unfit" for a case."""
  graph = _Graph(probe.op)
  step = graph.step(probe)
  try:
    case = record.record("probe", "", graph.graph, [step], repeats=1)
  except (record.Unsupported, record.Hangs, ValueError):
    return "unfit"
  if case.steps[0].HasField("error"):
    loads = _loads(graph.graph)
    return "refused" if loads and case.steps[0].error.code != "INTERNAL" else "unfit"
  given = [expectation.any_of[0] for expectation in case.steps[0].expect]
  if sum(np.prod([dim.size for dim in one.tensor_shape.dim]) for one in given) > _MOST_ELEMENTS:
    return "unfit"
  feeds = case.steps[0].feeds
  return "same" if feeds and given and given[0] == feeds[0].value else "given"


def _loads(graph):
  try:
    record.graph_session.GraphSession(graph.SerializeToString()).close()
    return True
  except record.EngineFailure:
    return False


class _Graph:
  """A node for each set of attrs of one op, with placeholders named as the op names its inputs."""

  def __init__(self, op):
    self.graph = op_probe.new_graph()
    self._op = op
    self._def = op_def_registry.get(op)
    self._names = {}  # what a node is -> its name
    self._taken = set()

  def step(self, probe):
    arrays = [record.as_array(value) for value in probe.inputs]
    inputs = [self._placeholder(name, array)
              for name, array in zip(self._input_names(probe), arrays)]
    node = self._node(probe, inputs)
    fetches = [node if i == 0 else f"{node}:{i}" for i in range(probe.outputs)]
    return record.Step(fetches, dict(zip(inputs, arrays)), [] if fetches else [node],
                       tolerance=probe.tolerance)

  def _input_names(self, probe):
    args = self._def.input_arg
    for arg in args:
      count = len(probe.inputs) - len(args) + 1
      if arg.number_attr or arg.type_list_attr:
        count = probe.attrs.get(arg.number_attr, count)
        count = min(count, len(probe.inputs))
        yield from (f"{arg.name}_{i}" for i in range(count))
      else:
        yield arg.name
    yield from (f"more_{i}" for i in range(len(probe.inputs)))

  def _placeholder(self, name, array):
    dtype = dtype_of(array)
    return self._add((name, dtype), name, "Placeholder", [], {"dtype": dtype})

  def _node(self, probe, inputs):
    attrs = tuple(sorted((key, repr(value)) for key, value in probe.attrs.items()))
    outputs = self._def.output_arg
    name = outputs[0].name if len(outputs) == 1 else self._op.lower()
    if name in {arg.name for arg in self._def.input_arg}:
      name = self._op.lower()
    return self._add((probe.op, attrs, tuple(inputs)), name, probe.op, inputs, probe.attrs)

  def _add(self, key, name, op, inputs, attrs):
    if key not in self._names:
      unique, i = name, 1
      while unique in self._taken:
        i += 1
        unique = f"{name}_{i}"
      self._taken.add(unique)
      self._names[key] = unique
      op_probe.add_node(self.graph, unique, op, inputs, attrs)
    return self._names[key]


# Scenarios.


def _of_scenarios(op, name, scenarios):
  shortened = [_shortened(op, scenario) for scenario in scenarios]
  shortened = sorted(filter(None, shortened), key=lambda found: found[0])
  only_refused = None
  for _, scenario, graph, steps in shortened:
    try:
      case = record.record(name, f"{op}: {scenario.about}", graph, steps, ["op.1"],
                           scenario.devices)
    except (record.Unsupported, record.Hangs, record.NotRepeatable, ValueError):
      continue
    if len(case.steps) != len(steps):
      continue
    errors = [step.HasField("error") for step in case.steps]
    if any(errors):
      case.rules.append("op.2")
    if not all(errors):
      return case, [""] * len(steps)
    only_refused = only_refused or (case, [""] * len(steps))
  return only_refused


def _shortened(op, scenario):
  """(rank, scenario, graph, steps) with the steps that show the op; None when none does."""
  graph, steps = scenario.build() if scenario.build else (scenario.graph, scenario.steps)
  steps = _first_steps(op, graph, steps)
  if not steps:
    return None
  graph = _pruned(graph, steps)
  dtypes = [dtype.name for dtype in _PREFERENCE]
  parts = scenario.name.split("/")
  place = min((dtypes.index(part) for part in parts if part in dtypes), default=len(dtypes))
  return (len(graph.node) + len(steps), place, scenario.name), scenario, graph, steps


def _first_steps(op, graph, steps):
  """The steps up to the one after the first that needs the op, or around it where that is late."""
  uses = [i for i, step in enumerate(steps) if op in {n.op for n in _needed(graph, [step])}]
  if not uses:
    return []
  last = min(uses[min(1, len(uses) - 1)] + 1, len(steps))
  return steps[:last] if last <= _LONGEST_SCENARIO else steps[uses[0]:uses[0] + 2]


def _needed(graph, steps):
  nodes = {node.name: node for node in graph.node}
  pending = [_node_name(name) for step in steps
             for name in list(step.fetches) + list(step.targets) + list(step.feeds)]
  seen = set()
  while pending:
    name = pending.pop()
    if name in nodes and name not in seen:
      seen.add(name)
      pending += [_node_name(source) for source in nodes[name].input]
  return [node for node in graph.node if node.name in seen]


def _pruned(graph, steps):
  pruned = op_probe.new_graph()
  pruned.versions.CopyFrom(graph.versions)
  pruned.node.extend(_needed(graph, steps))
  return pruned


def _node_name(tensor):
  return tensor.lstrip("^").split(":")[0]
