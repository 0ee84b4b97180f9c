"""Scenarios of lookup tables: of every pair of dtypes, what is found, changed, refused."""

import numpy as np
import op_values
import record
from op_probe import DTYPES
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import tf
from tensorflow.python.framework import kernels


def groups():
  """All scenarios, in a fixed order."""
  for version in ("", "V2"):
    for key, value in _pairs("HashTable" + version):
      yield _fixed(version, key, value)
    for key, value in _pairs("MutableHashTable" + version):
      yield _mutable(version, key, value)
    for key, value in _pairs("MutableHashTableOfTensors" + version):
      yield _of_rows(version, key, value)
  yield _refused()


def _pairs(op):
  """The pairs of dtypes that TensorFlow has such a table of."""
  known = {d.as_datatype_enum: d for d in DTYPES}
  pairs = set()
  for kernel in kernels.get_registered_kernels_for_op(op).kernel:
    dtypes = {c.name: list(c.allowed_values.list.type) for c in kernel.constraint}
    pairs.update((k, v) for k in dtypes.get("key_dtype", []) for v in dtypes.get("value_dtype", []))
  return [(known[k], known[v]) for k, v in sorted(pairs) if k in known and v in known]


def _sorted(g, exported, key, value, name):
  """An export has no order: the keys of numbers by size, with their values."""
  order = g.add("TopKV2", exported, g.add("Size", exported, T=key, out_type=tf.int32), name=f"{name}_order",
                T=key, sorted=True)
  values = g.add("GatherV2", f"{exported}:1", f"{order}:1", g.const(np.int32(0)), name=f"{name}_values",
                 Tparams=value, Tindices=tf.int32, Taxis=tf.int32)
  return [order, values]


def _keys(dtype, *numbers):
  return op_values.array(list(numbers), dtype)


def _table(g, op, key, value, **attrs):
  return g.add(op, name="table", key_dtype=key, value_dtype=value, container="", shared_name="t",
               use_node_name_sharing=False, **attrs)


def _fixed(version, key, value):
  g = GraphMaker()
  _table(g, "HashTable" + version, key, value)
  g.add("InitializeTable" + version, "table", g.const(_keys(key, 3, 1, 2)),
        g.const(op_values.array([1, 0, 1], value)), name="init", Tkey=key, Tval=value)
  g.placeholder("keys", key)
  g.placeholder("other", value)
  g.add("LookupTableFind" + version, "table", "keys", "other", name="found", Tin=key, Tout=value)
  g.add("LookupTableSize" + version, "table", name="size")
  find = lambda keys, other=0: record.Step(["found"], {"keys": keys, "other": op_values.array(other, value)})
  steps = [find(_keys(key, 1)), record.Step([], targets=["init"]), record.Step([], targets=["init"]),
           find(_keys(key, 1, 5, 3)), find(op_values.array([[2], [4]], key)), find(op_values.array(2, key)),
           find(_keys(key)), find(_keys(key, 1), [0, 1]), record.Step(["size"])]
  return Scenario(f"ops/LookupTableFind{version}/fixed-{key.name}-{value.name}",
                  f"A table from {key.name} to {value.name} that is filled once.", g.graph, steps)


def _change(g, version, key, value, rows):
  g.placeholder("keys", key)
  g.placeholder("values", value)
  g.placeholder("other", value)
  g.add("LookupTableFind" + version, "table", "keys", "other", name="found", Tin=key, Tout=value)
  g.add("LookupTableInsert" + version, "table", "keys", "values", name="insert", Tin=key, Tout=value)
  g.add("LookupTableImport" + version, "table", "keys", "values", name="import", Tin=key, Tout=value)
  g.add("LookupTableExport" + version, "table", name="export", Tkeys=key, Tvalues=value)
  g.add("LookupTableSize" + version, "table", name="size")
  whole = ["size"]
  if key != tf.string:
    whole += _sorted(g, "export", key, value, "export")
  else:
    g.add("Size", "export:1", name="exported", T=value, out_type=tf.int32)
    whole.append("exported")
  if version:
    g.add("LookupTableRemoveV2", "table", "keys", name="remove", Tin=key)
  fill = lambda *numbers: op_values.array(rows(numbers), value)
  put = lambda how, keys, *numbers: record.Step(
      [], {"keys": _keys(key, *keys), "values": fill(*numbers)}, targets=[how])
  find = lambda *keys: record.Step(["found"], {"keys": _keys(key, *keys), "other": op_values.array(rows([9])[0], value)})
  steps = [record.Step(["size"]), put("insert", (3, 1), 1, 0), find(1, 2, 3), put("insert", (1, 2), 1, 1), find(1, 2, 3),
           record.Step(whole)]
  if version:
    steps += [record.Step([], {"keys": _keys(key, 2, 7)}, targets=["remove"]), find(2, 3)]
  steps += [put("import", (8,), 1), find(3, 8), record.Step(whole), put("insert", (1, 2), 1), find(1)]
  return steps


def _mutable(version, key, value):
  g = GraphMaker()
  _table(g, "MutableHashTable" + version, key, value)
  steps = _change(g, version, key, value, list)
  return Scenario(f"ops/LookupTableInsert{version}/{key.name}-{value.name}",
                  f"A table from {key.name} to {value.name} that changes.", g.graph, steps)


def _of_rows(version, key, value):
  g = GraphMaker()
  _table(g, "MutableHashTableOfTensors" + version, key, value, value_shape=tf.TensorShape([2]))
  steps = _change(g, version, key, value, lambda numbers: [[n, 1 - n] for n in numbers])
  return Scenario(f"ops/MutableHashTableOfTensors{version}/{key.name}-{value.name}",
                  f"A table from {key.name} to rows of {value.name}.", g.graph, steps)


def _refused():
  """Keys that come twice, of another number than the values, of another dtype than the table."""
  g = GraphMaker()
  _table(g, "HashTableV2", tf.int64, tf.float32)
  g.placeholder("keys", tf.int64)
  g.placeholder("values", tf.float32)
  g.add("InitializeTableV2", "table", "keys", "values", name="init", Tkey=tf.int64, Tval=tf.float32)
  g.add("LookupTableFindV2", "table", g.const(np.int64([1])), g.const(np.float32(0)), name="found",
        Tin=tf.int64, Tout=tf.float32)
  init = lambda keys, values: record.Step([], {"keys": np.int64(keys), "values": np.float32(values)}, targets=["init"])
  steps = [init([1, 1], [2, 3]), record.Step(["found"])]
  for keys, values in (([1, 2], [1]), ([[1]], [[1]]), ([], [])):
    again = GraphMaker()
    again.graph.CopyFrom(g.graph)
    steps.append(init(keys, values))
  return Scenario("ops/InitializeTableV2/refused", "What a table is not filled with.", g.graph, steps)
