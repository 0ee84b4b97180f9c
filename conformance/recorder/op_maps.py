"""Scenarios for maps of tensors.

The order in which TensorMapStackKeys gives several keys is another one in each process of
TensorFlow, so no more than one is stacked. A key that is a variant is left out: TensorFlow takes
it, and never finds it again.
"""

import numpy as np
import record
from op_probe import DTYPES
from op_probe import StepMaker
from op_probe import dtype_of
from op_probe import seed_of
from op_probe import tf
from op_shape import Maker


def groups():
  """All scenarios, in a fixed order."""
  for dtype in DTYPES:
    yield _values(dtype)
    yield _keys(dtype)
  yield _special_keys()
  yield _missing()
  yield _of_another_dtype()
  yield _not_maps()
  yield _sums()
  yield _nested()
  yield from _random_programs()


class Maps(StepMaker):
  """A graph of map ops; a method returns the new node's name.

  hidden: as StepMaker, of constants and variants.
  """

  def __init__(self, hidden=False):
    super().__init__(hidden)
    self._types = {}

  def const(self, value):
    name = self.g.const(value)
    self._types[name] = dtype_of(record.as_array(value))
    return name

  def placeholder(self, name, dtype):
    self._types[name] = dtype
    return self.g.placeholder(name, dtype)

  def node(self, op, *inputs, **attrs):
    hidden = [self.hide(name, self._types.get(name, tf.variant)) for name in inputs]
    return self.g.add(op, *hidden, **attrs)

  def empty(self):
    return self.g.add("EmptyTensorMap")

  def insert(self, at, key, value):
    return self.node("TensorMapInsert", at, key, value, key_dtype=self._types[key],
                     value_dtype=self._types.get(value, tf.variant))

  def erase(self, at, key, dtype=tf.float32):
    return self.node("TensorMapErase", at, key, key_dtype=self._types[key], value_dtype=dtype)

  def lookup(self, at, key, dtype=tf.float32):
    name = self.node("TensorMapLookup", at, key, key_dtype=self._types[key], value_dtype=dtype)
    self._types[name] = dtype
    return name

  def has(self, at, key):
    return self.node("TensorMapHasKey", at, key, key_dtype=self._types[key])

  def size(self, at):
    return self.node("TensorMapSize", at)

  def keys(self, at, dtype):
    return self.node("TensorMapStackKeys", at, key_dtype=dtype)

  def add(self, *maps):
    return self.node("AddN", *maps, N=len(maps), T=tf.variant)

  def zeros(self, at):
    return self.node("ZerosLike", at, T=tf.variant)


def _values(dtype):
  name = f"ops/TensorMapInsert/{dtype.name}"
  make = Maker(name, dtype)
  m = Maps()
  m.placeholder("x", dtype)
  m.placeholder("y", dtype)
  one, two = m.const(np.int32(1)), m.const(np.int32(2))
  first = m.insert(m.empty(), one, "x")
  second = m.insert(first, two, "y")
  changed = m.insert(second, one, "y")
  less = m.erase(changed, two, dtype)
  fetches = [m.lookup(at, key, dtype) for at, key in ((first, one), (second, one), (second, two),
                                                      (changed, one), (less, one))]
  fetches += [m.size(at) for at in (first, second, changed, less)]
  fetches += [m.has(second, two), m.has(less, two)]
  for x, y in (((), (2,)), ((2, 0), (3,)), ((2, 1, 3), ())):
    m.fetch(*fetches, x=make.values(x), y=make.values(y))
  return m.scenario(name, f"Values of {dtype.name} are put into maps, read and taken out.")


def _keys(dtype):
  name = f"ops/TensorMapLookup/{dtype.name}"
  make = Maker(name, dtype)
  m = Maps()
  m.placeholder("k", dtype)
  m.placeholder("other", dtype)
  value = m.const(np.float32(5))
  at = m.insert(m.empty(), "k", value)
  found, missed = m.lookup(at, "k"), m.lookup(at, "other")
  has, keys, erased = m.has(at, "other"), m.keys(at, dtype), m.size(m.erase(at, "other"))
  for shape, other in (((), ()), ((2,), (3,)), ((0, 2), (0,)), ((2, 2), (4,)), ((3,), (3,))):
    feeds = {"k": make.values(shape), "other": make.values(other)}
    m.fetch(found, has, keys, **feeds)
    m.fetch(missed, **feeds)
    m.fetch(erased, **feeds)
    m.fetch(missed, erased, k=feeds["k"], other=feeds["k"])
  return m.scenario(name, f"Keys of {dtype.name}.")


def _special_keys():
  m = Maps(hidden=True)
  value = m.const(np.float32(1))
  zero, below, nan = (m.const(np.float32(v)) for v in (0.0, -0.0, np.nan))
  whole, long = m.const(np.int32(1)), m.const(np.int64(1))
  for key in (zero, below, nan, whole, long):
    at = m.insert(m.empty(), key, value)
    m.fetch(*[m.has(at, other) for other in (zero, below, nan, whole, long)])
  return m.scenario("ops/TensorMapHasKey/special", "Keys are equal where their bytes are.")


def _missing():
  m = Maps(hidden=True)
  value, key, other = m.const(np.float32(1)), m.const(np.int32(1)), m.const(np.int32(2))
  texts = m.const(np.array(["a", "b"], object))
  at = m.insert(m.empty(), key, value)
  m.each(m.lookup(at, other), m.size(m.erase(at, other)), m.lookup(at, texts),
         m.size(m.erase(at, key, tf.int32)), m.keys(m.empty(), tf.int32),
         m.keys(at, tf.float32), m.keys(m.insert(at, texts, value), tf.int32),
         m.keys(m.insert(at, m.const(np.array([1, 2], np.int32)), value), tf.int32),
         m.lookup(m.empty(), key), m.size(m.erase(m.erase(at, key), key)))
  return m.scenario("ops/TensorMapErase/errors", "Keys that are not there, or of another dtype.")


def _of_another_dtype():
  """TensorFlow calls it INVALID_ARGUMENT too, but where it runs a graph."""
  m = Maps(hidden=True)
  key = m.const(np.int32(1))
  at = m.insert(m.empty(), key, m.const(np.float32(1)))
  m.fetch(m.lookup(at, key, tf.int32))
  return m.scenario("differs/TensorMapLookup/dtype", "A value of another dtype than is asked for.")


def _not_maps():
  m = Maps(hidden=True)
  value, key = m.const(np.float32(1)), m.const(np.int32(1))
  vector = m.node("Pack", m.empty(), m.empty(), N=2, T=tf.variant, axis=0)
  for at in (m.g.add("OptionalNone"), vector):
    m.each(m.size(at), m.lookup(at, key), m.has(at, key), m.size(m.insert(at, key, value)),
           m.size(m.erase(at, key)), m.keys(at, tf.int32))
  return m.scenario("ops/TensorMapSize/errors", "What is not a map.")


def _sums():
  m = Maps(hidden=True)
  one, two = m.const(np.int32(1)), m.const(np.int32(2))
  x, y, wide = m.const(np.float32(3)), m.const(np.float32(4)), m.const(np.float32([1, 2]))
  a = m.insert(m.insert(m.empty(), one, x), two, y)
  b = m.insert(m.empty(), two, x)
  both = m.add(a, b)
  m.fetch(m.size(both), m.lookup(both, one), m.lookup(both, two), m.lookup(a, two))
  m.each(m.lookup(m.add(b, a, b), two), m.size(m.zeros(a)), m.size(m.add(m.zeros(a), b)),
         m.size(m.add(b, m.insert(m.empty(), two, wide))),
         m.size(m.add(b, m.insert(m.empty(), two, one))),
         m.size(m.add(b, m.insert(m.empty(), one, wide))), m.size(m.add(a, m.g.add("OptionalNone"))))
  return m.scenario("ops/EmptyTensorMap/sums", "Maps add up key by key.")


def _nested():
  m = Maps(hidden=True)
  one, x = m.const(np.int32(1)), m.const(np.float32(3))
  inner = m.insert(m.empty(), one, x)
  outer = m.insert(m.empty(), one, inner)
  doubled = m.add(outer, outer)
  m.each(m.lookup(m.lookup(outer, one, tf.variant), one),
         m.lookup(m.lookup(doubled, one, tf.variant), one))
  return m.scenario("ops/TensorMapLookup/maps", "Maps in maps.")


def _random_programs():
  """A change never shows in an older map."""
  for n in range(6):
    name = f"ops/TensorMapInsert/random-{n}"
    random = np.random.RandomState(seed_of(name))
    m = Maps()
    keys = [m.const(np.int32(i)) for i in range(12)]
    versions = [(m.empty(), {})]
    for i in range(60):
      at, model = versions[random.randint(len(versions))]
      key = int(random.randint(len(keys)))
      if random.rand() < 0.3 and key in model:
        versions.append((m.erase(at, keys[key], tf.int32), {k: v for k, v in model.items()
                                                           if k != key}))
      else:
        versions.append((m.insert(at, keys[key], m.const(np.int32(i))), {**model, key: i}))
    m.fetch(*[m.size(at) for at, _ in versions])
    m.fetch(*[m.lookup(at, keys[key], tf.int32) for at, model in versions for key in model])
    yield m.scenario(name, "Changes of a map do not show in older ones.")
