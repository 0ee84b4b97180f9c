"""Scenarios for lists of tensors and optionals outside of loops.

What TensorFlow's process dies of is left out: an index input of several elements for
TensorListGetItem, a negative index or the length for TensorListScatterIntoExistingList, a negative
leading dimension for TensorListConcatV2.
"""

import numpy as np
import record
from op_probe import DTYPES
from op_probe import GraphMaker
from op_probe import Scenario
from op_probe import StepMaker
from op_probe import dtypes_of
from op_probe import seed_of
from op_probe import tf
from op_shape import Maker


def groups():
  """All scenarios, in a fixed order."""
  for dtype in dtypes_of("TensorListStack", "element_dtype"):
    yield _elements(dtype)
    yield _rows(dtype)
    yield _joined(dtype)
    yield _sums(dtype)
    yield _batches(dtype)
  for index in (tf.int32, tf.int64):
    yield _shapes(index)
  yield _reading()
  yield _setting()
  yield _limits()
  yield _stacking()
  yield _scattering()
  yield _splitting()
  yield _concatenating()
  yield _grown_by_scatter()
  yield _concatenated_lists()
  yield _nested()
  yield _not_lists()
  yield from _random_programs()
  for dtype in DTYPES:
    yield _optional(dtype)
  yield _optional_errors()


class Lists(StepMaker):
  """A graph of list ops; a method returns the new node's name.

  hidden: as StepMaker, of shapes, constants and dtypes.
  """

  def __init__(self, dtype=tf.float32, hidden=False):
    super().__init__(hidden)
    self.dtype = dtype
    self._types = {}

  def ints(self, value, dtype=np.int32):
    """A Const, or the name of a node as it is."""
    if isinstance(value, str):
      return value
    name = self.g.const(np.array(value, dtype))
    self._types[name] = tf.dtypes.as_dtype(dtype)
    return name

  def value(self, value, dtype=None):
    return self.ints(value, (dtype or self.dtype).as_numpy_dtype)

  def node(self, op, *inputs, **attrs):
    hidden = [self.hide(name, self._types.get(name, tf.variant)) for name in inputs]
    return self.g.add(op, *hidden, **attrs)

  def op(self, op, *inputs, dtype=None, **attrs):
    return self.node(op, *inputs, element_dtype=dtype or self.dtype, **attrs)

  def empty(self, shape=-1, most=-1, **kw):
    return self.op("EmptyTensorList", self.ints(shape), self.ints(most), shape_type=tf.int32, **kw)

  def reserve(self, size, shape=-1, **kw):
    return self.op("TensorListReserve", self.ints(shape), self.ints(size), shape_type=tf.int32,
                   **kw)

  def rows(self, tensor, shape=-1, **kw):
    return self.op("TensorListFromTensor", tensor, self.ints(shape), shape_type=tf.int32, **kw)

  def push(self, at, value, **kw):
    return self.op("TensorListPushBack", at, value, **kw)

  def pop(self, at, shape=-1, **kw):
    return self.op("TensorListPopBack", at, self.ints(shape), **kw)

  def get(self, at, i, shape=-1, **kw):
    return self.op("TensorListGetItem", at, self.ints(i), self.ints(shape), **kw)

  def set(self, at, i, value, resize=False, **kw):
    return self.op("TensorListSetItem", at, self.ints(i), value,
                   resize_if_index_out_of_bounds=resize, **kw)

  def stack(self, at, shape=-1, count=-1, **kw):
    return self.op("TensorListStack", at, self.ints(shape), num_elements=count, **kw)

  def gather(self, at, indices, shape=-1, **kw):
    return self.op("TensorListGather", at, self.ints(indices), self.ints(shape), **kw)

  def scatter(self, tensor, indices, shape=-1, **kw):
    return self.op("TensorListScatter", tensor, self.ints(indices), self.ints(shape),
                   shape_type=tf.int32, **kw)

  def scatter_v2(self, tensor, indices, size, shape=-1, **kw):
    return self.op("TensorListScatterV2", tensor, self.ints(indices), self.ints(shape),
                   self.ints(size), shape_type=tf.int32, **kw)

  def scatter_into(self, at, tensor, indices, **kw):
    return self.op("TensorListScatterIntoExistingList", at, tensor, self.ints(indices), **kw)

  def split(self, tensor, lengths, shape=-1, **kw):
    return self.op("TensorListSplit", tensor, self.ints(shape), self.ints(lengths, np.int64),
                   shape_type=tf.int32, **kw)

  def concat(self, at, shape=None, **kw):
    return self.op("TensorListConcat", at, element_shape=tf.TensorShape(shape), **kw)

  def concat_v2(self, at, shape=-1, leading=(), **kw):
    return self.op("TensorListConcatV2", at, self.ints(shape), self.ints(leading, np.int64),
                   shape_type=tf.int32, **kw)

  def length(self, at, **kw):
    return self.node("TensorListLength", at, **kw)

  def shape(self, at, index=tf.int32, **kw):
    return self.node("TensorListElementShape", at, shape_type=index, **kw)

  def resize(self, at, size, **kw):
    return self.node("TensorListResize", at, self.ints(size), **kw)

  def pack(self, *values):
    return self.node("Pack", *values, N=len(values), T=tf.variant, axis=0)

  def add(self, *values):
    return self.node("AddN", *values, N=len(values), T=tf.variant)

  def zeros(self, value):
    return self.node("ZerosLike", value, T=tf.variant)

  def unpack(self, value, count):
    name = self.g.add("Unpack", value, num=count, T=tf.variant, axis=0)
    return [name if i == 0 else f"{name}:{i}" for i in range(count)]


def _elements(dtype):
  name = f"ops/TensorListPushBack/{dtype.name}"
  make = Maker(name, dtype)
  l = Lists(dtype)
  l.g.placeholder("x", dtype)
  l.g.placeholder("i", tf.int32)
  pushed = l.push(l.push(l.empty(), "x"), l.g.const(make.values((2,))))
  changed = l.set(l.resize(pushed, 5), 3, "x")
  l.get(changed, "i", name="get")
  l.get(changed, "i", [2], name="get_two")
  last = l.pop(pushed)
  l.pop(last, name="first")
  l.length(last, name="length")
  l.stack(pushed, name="stack")
  for shape in ((), (2,), (0, 3), (1, 2, 1, 2, 1)):
    x = make.values(shape)
    for i in range(-1, 6):
      l.fetch("get", "get_two", x=x, i=np.int32(i))
    l.fetch(last + ":1", "first:1", "length", x=x)
    l.fetch("stack", x=x)
  return l.scenario(name, f"Elements of {dtype.name} are pushed, set, read and popped.")


def _rows(dtype):
  name = f"ops/TensorListStack/{dtype.name}"
  make = Maker(name, dtype)
  l = Lists(dtype)
  l.g.placeholder("x", dtype)
  l.g.placeholder("where", tf.int32)
  for source, at in (("rows", l.rows("x")), ("scatter", l.scatter("x", "where")),
                     ("v2", l.scatter_v2("x", "where", 4)),
                     ("into", l.scatter_into(l.reserve(3), "x", "where"))):
    l.stack(at, name=f"stack_{source}")
    l.gather(at, "where", name=f"gather_{source}")
    l.length(at, name=f"length_{source}")
  for shape, where in (((3,), [2, 0, 1]), ((2, 2), [1, 1]), ((2, 0, 3), [0, 1]), ((1, 1, 2), [2]),
                       ((3,), [0, 1]), ((2,), [0, 5]), ((2,), [0, 3]), ((), []), ((0, 2), [])):
    feeds = {"x": make.values(shape), "where": np.array(where, np.int32)}
    for source in ("rows", "scatter", "v2", "into"):
      if source == "into" and max(where, default=0) > 2:
        continue  # TensorFlow writes out of bounds, or puts something else there
      for query in ("stack", "gather", "length"):
        l.fetch(f"{query}_{source}", **feeds)
  return l.scenario(name, f"Rows of {dtype.name} into lists and back.")


def _joined(dtype):
  name = f"ops/TensorListConcat/{dtype.name}"
  make = Maker(name, dtype)
  l = Lists(dtype)
  l.g.placeholder("x", dtype)
  l.g.placeholder("lengths", tf.int64)
  at = l.split("x", "lengths")
  l.concat(at, name="concat")
  l.concat_v2(at, name="concat_v2")
  l.concat_v2(l.resize(at, 3), -1, [7, 7, 2], name="missing")
  for shape, lengths in (((5,), [2, 3]), ((3, 2), [0, 3]), ((4, 0), [2, 2]), ((2, 1, 2), [1, 1]),
                         ((5,), [2, 2]), ((5,), [3, 3]), ((5,), [6, -1]), ((), [1]), ((0,), []),
                         ((2,), [[1, 1]])):
    feeds = {"x": make.values(shape), "lengths": np.array(lengths, np.int64)}
    for fetch in ("concat", "concat_v2", "missing"):
      l.fetch(fetch, fetch + ":1", **feeds)
  return l.scenario(name, f"{dtype.name} cut into pieces and joined.")


def _sums(dtype):
  name = f"ops/AddN/list-{dtype.name}"
  make = Maker(name, dtype)
  l = Lists(dtype)
  for x in "xy":
    l.g.placeholder(x, dtype)
  a, b = l.rows("x"), l.rows("y")
  total = l.add(a, b)
  l.stack(total, name="sum")
  l.stack(l.add(l.resize(a, 4), l.resize(b, 4)), [], name="part")
  l.stack(l.zeros(a), name="zeros")
  for x, y in (((3,), (3,)), ((2, 2), (2, 2)), ((2, 0), (2, 0)), ((2,), (3,)), ((2, 1), (2, 2)),
               ((0, 2), (0, 2))):
    feeds = {"x": make.values(x), "y": make.values(y)}
    for fetch in ("sum", "part", "zeros"):
      l.fetch(fetch, **feeds)
  return l.scenario(name, f"Lists of {dtype.name} add up element by element.")


def _batches(dtype):
  name = f"ops/TensorListPushBackBatch/{dtype.name}"
  make = Maker(name, dtype)
  l = Lists(dtype)
  l.g.placeholder("x", dtype)
  some = l.push(l.empty(), l.g.const(make.values(())))
  batch = l.op("TensorListPushBackBatch", l.pack(some, l.empty()), "x")
  first, second = l.unpack(batch, 2)
  l.get(first, 1, name="first")
  l.get(second, 0, name="second")
  l.length(first, name="length")
  for shape in ((2,), (2, 3), (2, 0), (1,), (3,), ()):
    l.fetch("first", "second", "length", x=make.values(shape))
  return l.scenario(name, f"A row of {dtype.name} for each of several lists.")


def _shapes(index):
  l = Lists()
  l.g.placeholder("s", index)
  at = l.op("EmptyTensorList", "s", l.ints(-1), shape_type=index)
  l.shape(at, index, name="shape")
  l.shape(l.op("TensorListReserve", "s", l.ints(2), shape_type=index), index, name="reserved")
  l.shape(l.op("TensorListFromTensor", l.value([[1, 2]]), "s", shape_type=index), index,
          name="rows")
  l.get(l.reserve(1), 0, "s", Tshape=index, name="get")
  for s in (-1, 0, -2, [], [2], [-1], [0], [-1, 2], [-2], [3, -5], [[2]], [2**31 - 1]):
    for fetch in ("shape", "reserved", "rows", "get"):
      if fetch != "get" or s != [2**31 - 1]:
        l.fetch(fetch, s=np.array(s, index.as_numpy_dtype))
  return l.scenario(f"ops/TensorListElementShape/{index.name}", "How element shapes are said.")


def _reading():
  """What reads as zeros, and of what shape."""
  l = Lists(hidden=True)
  two, one = l.value([1, 2]), l.value([3])
  lists = {
      "bare": l.reserve(3),
      "known": l.reserve(3, [2]),
      "half": l.reserve(3, [-1]),
      "set": l.set(l.reserve(3), 1, two),
      "mixed": l.set(l.set(l.reserve(4), 1, two), 2, one),
      "half_set": l.set(l.reserve(3, [-1]), 1, two),
      "empty": l.empty()
  }
  for name, at in lists.items():
    for shape in (-1, [2], [-1], [3], []):
      for i in (0, 1, 2, 3, -1):
        l.each(l.get(at, i, shape))
      l.each(l.stack(at, shape), l.gather(at, [0, 1], shape), l.gather(at, [1, 1], shape),
             l.gather(at, [], shape))
      l.fetch(l.pop(at, shape) + ":1")
    l.each(l.get(at, [1], [2]), l.shape(at), l.length(l.resize(at, 1)))
  l.each(l.gather(lists["set"], [[1, 1], [1, 0]], [2]), l.gather(lists["set"], 1),
         l.gather(lists["set"], [3], [2]), l.gather(lists["set"], [-1], [2]))
  return l.scenario("ops/TensorListGetItem/zeros", "Elements that were never set.")


def _setting():
  l = Lists(hidden=True)
  x, two = l.value(1), l.value([1, 2])
  for at in (l.reserve(2), l.reserve(2, []), l.reserve(2, [-1])):
    for i in (0, 1, 2, 5, -1, [0], [0, 1]):
      for value in (x, two):
        for resize in (False, True):
          if i != -1 or not resize:
            l.each(l.length(l.set(at, i, value, resize)))
    for size in (0, 1, 4, -1, [1], [1, 2]):
      l.each(l.length(l.resize(at, size)))
  for size in (0, 3, -1, [2], [1, 2]):
    l.each(l.length(l.reserve(size)))
  return l.scenario("ops/TensorListSetItem/errors", "Setting and resizing in and out of bounds.")


def _limits():
  l = Lists(hidden=True)
  x = l.value(1)
  for most in (-5, -1, 0, 1, 2, [1], [1, 2]):
    at = l.empty(most=most)
    for _ in range(3):
      l.each(l.length(at))
      at = l.push(at, x)
  full = l.push(l.empty(most=1), x)
  l.each(l.length(l.resize(full, 5)), l.length(l.set(full, 3, x, True)),
         l.length(l.push(l.pop(full), x)))
  summed = l.add(l.empty(most=0), l.empty(most=1))
  l.each(l.length(l.push(summed, x)))
  batch = l.op("TensorListPushBackBatch", l.pack(full, full), l.value([1, 2]))
  l.each(l.length(l.unpack(batch, 2)[1]))
  return l.scenario("ops/EmptyTensorList/full", "A list that says how long it may get.")


def _stacking():
  l = Lists(hidden=True)
  two, three = l.value([1, 2]), l.value([3, 4])
  lists = (l.empty(), l.empty([2]), l.empty([-1]), l.push(l.push(l.empty(), two), three),
           l.push(l.empty([-1]), two), l.push(l.push(l.empty(), two), l.value([1])),
           l.push(l.push(l.empty(), l.value([])), l.value(np.zeros((0, 2)))))
  for at in lists:
    for shape in (-1, [], [2], [3], [-1], [-1, 2], [2, -1]):
      l.each(l.stack(at, shape))
    for count in (0, 1, 2, -1, -7):
      l.each(l.stack(at, -1, count))
  l.each(l.stack(l.reserve(2, [1 << 30, 1 << 30])), l.stack(l.reserve(0, [1 << 30, 1 << 30])))
  return l.scenario("ops/TensorListStack/shapes", "Which elements stack, and into what.")


def _scattering():
  l = Lists(hidden=True)
  x = l.value([1, 2])
  for indices in ([1, 0], [0, 0], [0, -1], [0, 7], [0], [0, 1, 2], [[0, 1]], [[0], [1]], 0, []):
    for shape in (-1, [], [2]):
      l.each(l.stack(l.scatter(x, indices, shape), []))
      for size in (-1, 0, 1, 5, -2, [3]):
        l.each(l.stack(l.scatter_v2(x, indices, size, shape), []))
      if indices not in ([0, -1], [0, 7]):
        into = l.scatter_into(l.reserve(3, shape), x, indices)
        l.each(l.stack(into, []), l.length(into))
  l.each(l.stack(l.scatter(l.value(1), [0])), l.stack(l.scatter_v2(l.value(1), [0], 1)),
         l.stack(l.scatter_into(l.reserve(1), l.value(1), [0])),
         l.stack(l.scatter(l.value([5]), 0)), l.stack(l.scatter(l.value([]), [])),
         l.stack(l.scatter_v2(l.value([]), [], 2)), l.stack(l.rows(l.value(1))),
         l.stack(l.rows(l.value([[1, 2]]), [3])), l.stack(l.rows(l.value([[1, 2]]), [])))
  return l.scenario("ops/TensorListScatter/errors", "Rows, indices and lengths that do not fit.")


def _splitting():
  l = Lists(hidden=True)
  matrix = l.value([[1, 2], [3, 4], [5, 6]])
  for lengths in ([1, 2], [3], [0, 3, 0], [1, 1], [1, 4], [4, -1], [-1, 4], [], 3, [[1, 2]]):
    for shape in (-1, [-1, 2], [2, 2], [-1, 3], [-1], [], [-1, -1]):
      at = l.split(matrix, lengths, shape)
      l.fetch(l.length(at), l.shape(at), l.get(at, 0))
  l.each(l.length(l.split(l.value(1), [1])), l.length(l.split(l.value([]), [])),
         l.length(l.split(l.value([]), [0, 0])))
  return l.scenario("ops/TensorListSplit/errors", "Lengths and shapes that do not fit.")


def _concatenating():
  l = Lists(hidden=True)
  two, one = l.value([1, 2]), l.value([3])
  lists = (l.push(l.push(l.empty(), two), one), l.set(l.reserve(3), 1, two),
           l.set(l.set(l.reserve(4), 1, two), 2, one), l.reserve(2), l.empty(), l.empty([3, 2]),
           l.empty([-1, 2]), l.empty([]), l.reserve(2, [-1, 2]), l.push(l.empty(), l.value(1)),
           l.push(l.push(l.empty(), l.value([[1, 2]])), l.value([[3]])),
           l.push(l.push(l.empty(), l.value([[1, 2]])), one),
           l.push(l.push(l.empty(), l.value(np.zeros((0, 2)))), l.value([[3, 4]])))
  for at in lists:
    for shape in (None, [], [2], [None], [None, 2], [3, 2], [2, None]):
      fetch = l.concat(at, shape)
      l.fetch(fetch, fetch + ":1")
      asked = -1 if shape is None else [-1 if d is None else d for d in shape]
      for leading in ([], [1, 2, 3, 1], [2]):
        fetch = l.concat_v2(at, asked, leading)
        l.fetch(fetch, fetch + ":1")
  return l.scenario("ops/TensorListConcatV2/shapes", "Which elements are joined, and how long.")


def _grown_by_scatter():
  """TensorFlow puts empty vectors where nothing was written."""
  l = Lists(hidden=True)
  at = l.scatter_into(l.reserve(3), l.value([1, 2]), [0, 7])
  l.each(l.stack(at, []), l.length(at))
  return l.scenario("differs/TensorListScatterIntoExistingList/grows",
                    "What a list grows by is without value; TensorFlow puts empty vectors there.")


def _concatenated_lists():
  l = Lists(hidden=True)

  def both(a, b, **kw):
    return l.op("TensorListConcatLists", a, b, **kw)

  x, y = l.push(l.empty(), l.value(1)), l.push(l.push(l.empty(), l.value(2)), l.value(3))
  l.each(l.stack(both(x, y)), l.stack(both(y, y)), l.stack(both(l.resize(x, 2), y), []),
         l.length(both(x, l.empty([]))), l.length(both(l.empty([-1, 2]), l.empty([3, -1]))),
         l.shape(both(l.empty([-1, 2]), l.empty([-1, 2]))))
  first, second = l.unpack(both(l.pack(x, y), l.pack(y, y)), 2)
  l.each(l.stack(first), l.stack(second))
  limited = both(l.push(l.empty(most=1), l.value(1)), x)
  l.each(l.length(limited), l.length(l.push(limited, l.value(1))))
  l.each(l.length(both(x, l.empty(dtype=tf.int32))), l.length(both(x, y, dtype=tf.int32)))
  return l.scenario("ops/TensorListConcatLists/errors", "Lists after one another.")


def _nested():
  l = Lists(hidden=True)

  def outer(*inner):
    at = l.empty([], dtype=tf.variant)
    for one in inner:
      at = l.push(at, one, dtype=tf.variant)
    return at

  x, y = l.rows(l.value([1, 2])), l.rows(l.value([[3, 4], [5, 6]]))
  at = outer(x, y)
  l.fetch(l.stack(l.get(at, 0, dtype=tf.variant)), l.stack(l.get(at, 1, dtype=tf.variant)))
  changed = l.set(at, 0, l.push(l.get(at, 0, dtype=tf.variant), l.value(9)), dtype=tf.variant)
  l.fetch(l.stack(l.get(changed, 0, dtype=tf.variant)), l.stack(l.get(at, 0, dtype=tf.variant)))
  l.each(l.stack(l.unpack(l.stack(at, dtype=tf.variant), 2)[1]))
  doubled = l.add(at, at)
  l.each(l.stack(l.get(doubled, 1, dtype=tf.variant)))
  l.each(l.stack(l.get(l.zeros(at), 1, dtype=tf.variant)))
  l.each(l.length(l.get(l.reserve(2, [], dtype=tf.variant), 0, dtype=tf.variant)))
  l.each(l.stack(l.add(at, x)))
  back = l.rows(l.pack(x, y), dtype=tf.variant)
  l.each(l.stack(l.get(back, 1, dtype=tf.variant)))
  return l.scenario("ops/TensorListPushBack/lists", "Lists in lists.")


def _not_lists():
  l = Lists(hidden=True)
  optional = l.g.add("OptionalNone")
  integers = l.push(l.empty(dtype=tf.int32), l.ints(1), dtype=tf.int32)
  strings = l.empty(dtype=tf.string)
  vector = l.pack(l.empty(), l.empty())
  x = l.value([1])
  for at in (optional, integers, vector):
    l.each(l.length(l.push(at, x)), l.get(at, 0), l.length(l.set(at, 0, x)), l.stack(at),
           l.gather(at, [0]), l.concat(at), l.concat_v2(at), l.length(l.scatter_into(at, x, [0])),
           l.length(l.op("TensorListConcatLists", at, at)))
    l.fetch(l.pop(at) + ":1")
  for at in (optional, vector):
    l.each(l.length(at), l.shape(at), l.length(l.resize(at, 1)))
  batch = l.op("TensorListPushBackBatch", l.pack(l.empty(), optional), l.value([1, 2]))
  l.each(l.length(l.unpack(batch, 2)[0]))
  batch = l.op("TensorListPushBackBatch", l.pack(l.empty(), l.empty([2])), l.value([1, 2]))
  l.each(l.length(l.unpack(batch, 2)[0]))
  for other in (integers, optional, strings):
    l.each(l.length(l.add(l.empty(), other)))
  l.each(l.shape(l.add(l.empty([-1]), l.empty([2]))),
         l.shape(l.add(l.empty([3]), l.empty([2]))))
  return l.scenario("ops/TensorListLength/errors", "What is not a list, or one of another dtype.")


def _random_programs():
  """A few hundred random changes, every version read: a change never shows in an old version."""
  for n in range(12):
    name = f"ops/TensorListSetItem/random-{n}"
    random = np.random.RandomState(seed_of(name))
    l = Lists(tf.int32)
    versions = [(l.reserve(3, []), 3)]
    for i in range(60):
      at, size = versions[random.randint(len(versions))]
      value = l.g.const(np.int32(i))
      kind = random.randint(5)
      if kind == 0:
        changed = (l.push(at, value), size + 1)
      elif kind == 1 and size:
        changed = (l.pop(at, []), size - 1)
      elif kind == 2:
        size = int(random.randint(0, 40))
        changed = (l.resize(at, size), size)
      elif kind == 3 and size:
        changed = (l.set(at, int(random.randint(size)), value), size)
      else:
        other, more = versions[random.randint(len(versions))]
        if size + more > 100:
          continue
        changed = (l.op("TensorListConcatLists", at, other), size + more)
      versions.append(changed)
    l.fetch(*[l.stack(at) for at, _ in versions])
    yield l.scenario(name, "Changes of a list do not show in older versions.")


def _optional(dtype):
  name = f"ops/OptionalFromValue/{dtype.name}"
  make = Maker(name, dtype)
  g = GraphMaker()
  g.placeholder("x", dtype)
  g.placeholder("y", dtype)
  one = g.add("OptionalFromValue", "x", "y", Toutput_types=[dtype, dtype])
  attrs = {"output_types": [dtype, dtype]}
  shapes = [tf.TensorShape(None), tf.TensorShape([None])]
  g.add("OptionalGetValue", one, name="get", output_shapes=shapes, **attrs)
  total = g.add("AddN", one, one, N=2, T=tf.variant)
  g.add("OptionalGetValue", total, name="sum", output_shapes=shapes, **attrs)
  zeros = g.add("ZerosLike", one, T=tf.variant)
  g.add("OptionalGetValue", zeros, name="zeros", output_shapes=shapes, **attrs)
  g.add("OptionalHasValue", one, name="has")
  steps = []
  for x, y in (((), (2,)), ((2, 0), (3,)), ((2,), ())):
    feeds = {"x": make.values(x), "y": make.values(y)}
    steps += [record.Step([f, f + ":1"], feeds) for f in ("get", "sum", "zeros")]
    steps.append(record.Step(["has"], feeds))
  return Scenario(name, f"Optionals of {dtype.name}.", g.graph, steps)


def _optional_errors():
  g = GraphMaker()

  def hidden(name, dtype=tf.variant):
    return g.add("PlaceholderWithDefault", name, dtype=dtype, shape=tf.TensorShape(None))

  none = g.add("OptionalNone")
  x, two = (hidden(g.const(np.float32(v)), tf.float32) for v in (1, [1, 2]))
  i = g.const(np.int32(1))

  def some(*values, types=(tf.float32,)):
    return hidden(g.add("OptionalFromValue", *values, Toutput_types=list(types)))

  def get(optional, types=(tf.float32,), shapes=(None,)):
    return g.add("OptionalGetValue", optional, output_types=list(types),
                 output_shapes=[tf.TensorShape(s) for s in shapes])

  def add(*optionals):
    return g.add("AddN", *optionals, N=len(optionals), T=tf.variant)

  at = hidden(
      g.add("EmptyTensorList", g.const(np.int32(-1)), g.const(np.int32(-1)),
            element_dtype=tf.float32, shape_type=tf.int32))
  vector = hidden(g.add("Pack", none, none, N=2, T=tf.variant, axis=0))
  fetches = [g.add("OptionalHasValue", o) for o in (none, some(x), at, vector, add(none, none),
                                                    add(some(x), none), add(some(x), some(two)),
                                                    add(some(x), at), add(some(x)))]
  fetches += [get(none), get(some(x)), get(some(i, types=(tf.int32,))), get(at), get(vector),
              get(some(x, two, types=(tf.float32,) * 2)), get(some(x), shapes=([2],)),
              get(some(two), shapes=([2],)), get(some(two), shapes=([None],)),
              get(some(x), (tf.float32,) * 2, (None, None)), get(add(some(x), some(x), some(x)))]
  inner = hidden(get(some(some(x), types=(tf.variant,)), (tf.variant,)))
  fetches += [get(inner), get(hidden(get(add(some(some(x), types=(tf.variant,)),
                                      some(some(x), types=(tf.variant,))), (tf.variant,))))]
  pushed = g.add("TensorListPushBack", at, x, element_dtype=tf.float32)
  held = hidden(get(some(pushed, types=(tf.variant,)), (tf.variant,)))
  fetches.append(g.add("TensorListLength", held))
  return Scenario("ops/OptionalGetValue/errors", "Optionals of nothing, and of something else.",
                  g.graph, [record.Step([f]) for f in fetches])
