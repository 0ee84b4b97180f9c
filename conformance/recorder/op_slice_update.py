"""Groups for the ops that write part of a tensor or of a variable."""

import numpy as np
import record
from op_probe import Group
from op_probe import GraphMaker
from op_probe import Probe
from op_probe import Scenario
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf
from op_shape import Maker

_SAMPLES = (tf.float32, tf.int8)
_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
_ROW_OPS = ("InplaceUpdate", "InplaceAdd", "InplaceSub")


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("StridedSliceGrad"):
    for op in ("StridedSliceGrad", "TensorStridedSliceUpdate"):
      yield from _slices(op, dtype)
    yield _variables(dtype)
  for number in range(12):
    yield _random_slices(number)
  yield _variable_errors()
  for dtype in dtypes_of("StridedSliceGrad"):
    for op in _ROW_OPS:
      yield _rows(op, dtype)


def _masks(bits):
  return {f"{mask}_mask": bits.get(mask, 0) for mask in _MASKS}


def _slice_probe(op, make, shape, bounds, value, masks, index=None, fed=None):
  index = index or make.index()
  bounds = [np.array(b, index.as_numpy_dtype) for b in bounds]
  if op == "StridedSliceGrad":
    target = np.array(shape, index.as_numpy_dtype)
  else:
    target = make.values(shape)
  attrs = {"T": make.dtype, "Index": index, **_masks(masks)}
  return Probe(op, [target, *bounds, make.values(value)], attrs, fed=fed)


# (shape, (begin, end, strides), shape of the value, masks)
_SLICES = (((5,), ([1], [3], [1]), (2,), {}), ((5,), ([4], [0], [-2]), (2,), {}),
           ((5,), ([3], [3], [1]), (0,), {}), ((5,), ([-2], [9], [1]), (2,), {}),
           ((5,), ([2], [0], [1]), (), {"shrink_axis": 1}), ((5,), ([2], [0], [1]), (5,), {"begin": 1, "end": 1}),
           ((5,), ([1], [4], [1]), (1, 3), {"new_axis": 0}), ((5,), ([0, 1], [0, 4], [1, 2]), (1, 2), {"new_axis": 1}),
           ((), ([], [], []), (), {}), ((), ([0], [1], [1]), (1,), {"new_axis": 1}),
           ((), ([0], [1], [1]), (), {"ellipsis": 1}), ((0,), ([0], [0], [1]), (0,), {}),
           ((2, 3), ([0, 1], [2, 3], [1, 1]), (2, 2), {}), ((2, 3), ([1], [2], [1]), (3,), {"shrink_axis": 1}),
           ((2, 3), ([1, -1], [-9, -9], [-1, -2]), (2, 2), {}), ((2, 0), ([0, 0], [2, 3], [1, 1]), (2, 0), {}),
           ((2, 3, 2), ([0, 1], [0, 2], [1, 1]), (2, 3, 1), {"ellipsis": 1}),
           ((2, 1, 2, 1, 3), ([0, 0, 2], [0, 9, 0], [1, 1, -1]), (1, 2, 1, 2), {"shrink_axis": 1, "ellipsis": 2}))
# Where the value has another shape than the slice, or there is no such slice.
_OTHERS = (((5,), ([1], [3], [1]), (1,), {}), ((5,), ([1], [3], [1]), (), {}), ((5,), ([1], [3], [1]), (3,), {}),
           ((5,), ([3], [3], [1]), (4,), {}), ((2, 3), ([0, 1], [2, 3], [1, 1]), (2,), {}),
           ((2, 3), ([0, 1], [2, 3], [1, 1]), (2, 1), {}), ((2, 3), ([0, 1], [2, 3], [1, 1]), (1, 1, 2), {}),
           ((2, 3), ([0, 1], [2, 3], [1, 1]), (2, 2, 2), {}), ((2, 3), ([0, 1], [2, 3], [1, 1]), (3, 2), {}),
           ((5,), ([2], [0], [1]), (1,), {"shrink_axis": 1}), ((5,), ([2], [0], [1]), (2,), {"shrink_axis": 1}),
           ((5,), ([1], [3], [0]), (2,), {}), ((5,), ([7], [8], [1]), (), {"shrink_axis": 1}),
           ((5,), ([1, 1], [3, 3], [1, 1]), (2,), {}), ((5,), ([1], [3, 3], [1]), (2,), {}),
           ((5,), (1, 3, 1), (2,), {}), ((), ([0], [1], [1]), (), {}),
           ((5,), ([2], [0], [-1]), (), {"shrink_axis": 1}), ((2, 3), ([0, 0], [1, 1], [1, 1]), (1, 1), {"ellipsis": 3}))


def _slices(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)
  yield Group(name, f"{op} of {dtype.name}.", [_slice_probe(op, make, *s) for s in _SLICES])
  if dtype in _SAMPLES:
    others = [_slice_probe(op, make, *s, fed=True) for s in _OTHERS]
    if op == "StridedSliceGrad":
      others += [
          _slice_probe(op, make, s, ([0], [1], [1]), (1,), {}, fed=True)
          for s in ([-5], [[5]], 5, [2, -1], [])
      ]
    yield Group(f"{name}/shapes", f"{op} of {dtype.name} with a value of another shape.", others)


def _random_slices(number):
  name = f"ops/TensorStridedSliceUpdate/random/{number:02d}"
  random = np.random.RandomState(seed_of(name))
  make = Maker(name, (tf.int32, tf.float32, tf.string)[number % 3])
  probes = []
  for _ in range(10):
    rank = random.randint(0, 5)
    entries = random.randint(0, rank + 2)
    bounds = (random.randint(-5, 6, entries), random.randint(-5, 6, entries),
              random.choice([1, 1, 2, -1, -2], entries))
    masks = {
        k: int(random.randint(0, 2**entries))
        for k in ("begin", "end", "new_axis", "shrink_axis") if random.rand() < 0.4
    }
    if entries and random.rand() < 0.4:
      masks["ellipsis"] = 1 << int(random.randint(0, entries))
    probes.append(
        _slice_probe("TensorStridedSliceUpdate", make, tuple(random.randint(1, 4, rank)), bounds, (),
                     masks, fed=True))
  return Group(name, "A scalar written to slices with random bounds, strides and masks.", probes)


def _bounds(g):
  return [g.placeholder(b, tf.int32) for b in ("begin", "end", "strides")]


def _slice_feeds(make, bounds, value):
  feeds = {n: np.int32(b) for n, b in zip(("begin", "end", "strides"), bounds)}
  feeds["value"] = make.values(value)
  return feeds


def _variables(dtype):
  """A slice of a variable by reference, and of one by handle."""
  name = f"ops/StridedSliceAssign/{dtype.name}"
  make = Maker(name, dtype)
  g = GraphMaker()
  bounds, value = _bounds(g), g.placeholder("value", dtype)
  first = g.const(make.values((2, 3)))
  g.add("VariableV2", name="r", dtype=dtype, shape=tf.TensorShape([2, 3]))
  g.add("Assign", "r", first, name="set_r", T=dtype)
  attrs = {"T": dtype, "Index": tf.int32, **_masks({})}
  g.add("StridedSliceAssign", "r", *bounds, value, name="assign_r", **attrs)
  g.add("Identity", "assign_r", name="passed", T=dtype)
  g.add("VarHandleOp", name="v", dtype=dtype, shape=tf.TensorShape([2, 3]), shared_name="v")
  g.add("AssignVariableOp", "v", first, name="set_v", dtype=dtype)
  g.add("ResourceStridedSliceAssign", "v", *bounds, value, name="assign_v", **attrs)
  g.add("ReadVariableOp", "v", name="read", control=["assign_v"], dtype=dtype)
  g.add("ReadVariableOp", "v", name="left", dtype=dtype)
  g.add("Identity", "r", name="left_r", T=dtype)
  feeds = _slice_feeds(make, ([0, 1], [2, 3], [1, 1]), (2, 2))
  steps = [record.Step(["passed"], feeds), record.Step(["read"], feeds),
           record.Step([], targets=["set_r", "set_v"])]
  for bounds, shape in ((([0, 1], [2, 3], [1, 1]), (2, 2)), (([0], [1], [1]), (1, 3)),
                        (([1, 2], [-3, -4], [-1, -2]), (2, 2)), (([0], [2], [1]), ()),
                        (([0], [2], [1]), (2,)), (([0], [2], [0]), (2, 3)),
                        (([1], [1], [1]), (0, 3))):
    steps.append(record.Step(["passed"], _slice_feeds(make, bounds, shape)))
    steps.append(record.Step(["read"], _slice_feeds(make, bounds, shape)))
  steps.append(record.Step(["left", "left_r"]))
  return Scenario(name, f"Slices of {dtype.name} variables.", g.graph, steps)


def _variable_errors():
  """A handle's variable of another dtype."""
  make = Maker("ops/ResourceStridedSliceAssign/dtype", tf.float32)
  g = GraphMaker()
  bounds, value = _bounds(g), g.placeholder("value", tf.float32)
  g.add("VarHandleOp", name="v", dtype=tf.int32, shape=tf.TensorShape(None), shared_name="v")
  g.add("AssignVariableOp", "v", g.placeholder("whole", tf.int32), name="set", dtype=tf.int32)
  g.add("ResourceStridedSliceAssign", "v", *bounds, value, name="assign",
        **{"T": tf.float32, "Index": tf.int32, **_masks({})})
  g.add("ReadVariableOp", "v", name="left", dtype=tf.int32)
  feeds = _slice_feeds(make, ([0], [1], [1]), (1,))
  steps = [record.Step([], {"whole": np.int32([1, 2])}, ["set"]),
           record.Step([], feeds, ["assign"]), record.Step(["left"])]
  return Scenario("ops/ResourceStridedSliceAssign/dtype", "A variable of another dtype.", g.graph,
                  steps)


_ROWS = (((3, 2), [1], (1, 2)), ((3, 2), [4], (1, 2)), ((3, 2), [-1], (1, 2)), ((3,), [0, 2], (2,)),
         ((3,), [0, 0], (2,)), ((3, 2), [], (0, 2)), ((0, 2), [0], (1, 2)), ((2, 0), [1], (1, 0)),
         ((2, 1, 2), [1, 0], (2, 1, 2)), ((3, 1, 2, 1, 2), [2], (1, 1, 2, 1, 2)),
         ((3, 2), 1, (2,)), ((3, 2), [[1]], (1, 2)), ((3, 2), [0], (1, 3)), ((3, 2), [0, 1], (1, 2)),
         ((), [0], (1,)), ((), [0], ()), ((3,), [0], ()))


def _rows(op, dtype):
  """x is made anew for each probe, since TensorFlow writes into its buffer."""
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)
  g = GraphMaker()
  g.placeholder("x", dtype)
  g.add("ZerosLike", "x", name="zeros", T=dtype)
  g.add("Select", g.placeholder("take", tf.bool), "x", "zeros", name="fresh", T=dtype)
  g.add(op, "fresh", g.placeholder("i", tf.int32), g.placeholder("v", dtype), name="y", T=dtype)
  steps = [
      record.Step(["y"], {
          "x": make.values(shape),
          "take": np.ones(shape, bool),
          "i": np.int32(rows),
          "v": make.values(value)
      }) for shape, rows, value in _ROWS
  ]
  return Scenario(name, f"{op} of {dtype.name}.", g.graph, steps)
