"""Groups for random ops: TensorFlow's streams for given seeds, number by number.

Seeds of 0 and 0 are left out: nobody can tell what they give.
"""

import numpy as np
import op_tolerance
import op_values
import record
from op_probe import Group
from op_probe import GraphMaker
from op_probe import Probe
from op_probe import Scenario
from op_probe import dtypes_of
from op_probe import tf

_FLOATS = (tf.half, tf.bfloat16, tf.float32, tf.float64)
_INTS = (tf.int32, tf.int64)
_ALL_INTS = (tf.int32, tf.int64, tf.uint32, tf.uint64)
_SHAPES = ((), (1,), (2,), (3,), (4,), (5,), (7, 3), (0,), (2, 0), (1, 2, 1, 3, 2), (33,))
_LONG = (700,)  # some truncated numbers are drawn again
_WRONG_SHAPES = ([-1], [2, -3], 3, [[2]], [2**62, 4])
_SEEDS = ((1, 2), (0, 7), (7, 0), (-1, -2), (2**40 + 3, -2**50), (2**63 - 1, -2**63))
_UNIFORM = {"": "RandomUniform", "Stateless": "StatelessRandomUniform"}


def groups():
  """All groups, in a fixed order."""
  for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
    for dtype in dtypes_of(op, "dtype"):
      yield _stateful(op, dtype)
  for dtype in _INTS:
    yield _stateful_ints(dtype)
  for dtype in (tf.int32, tf.string, tf.half, tf.bool, tf.complex128):
    yield _shuffle(dtype)
  for dtype in dtypes_of("Multinomial"):
    yield _multinomial(dtype)
  yield _wrong_stateful()
  for op in ("UniformCandidateSampler", "LogUniformCandidateSampler"):
    yield from _candidates(op)
  for op in ("LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"):
    yield _learned_candidates(op)
    yield from _no_candidates(op)
  yield from _fixed_candidates()
  yield _all_candidates()
  yield _accidental_hits()
  yield from _stateless()
  yield from _keyed()
  yield _keys()
  yield _loop()


def _tolerance(op, dtype):
  """Uniform numbers are exact; the others as near as log, sin and cos are."""
  return record.EXACT if "Uniform" in op else op_tolerance.transcendental(dtype)


def _shape(shape, index=tf.int32):
  return np.array(shape, index.as_numpy_dtype)


def _streams(name, about, op, shapes, attrs, inputs=(), tolerance=record.EXACT):
  """Nodes with a stream each, every one drawn from three times; the shape is fed.

  attrs: of each seed pair's node; inputs: constants after the shape.
  """
  g = GraphMaker()
  shape = g.placeholder("shape", tf.int32)
  constants = [g.const(value) for value in inputs]
  nodes = [
      g.add(op, shape, *constants, name=f"r{i}", T=tf.int32, seed=seed, seed2=seed2, **attrs)
      for i, (seed, seed2) in enumerate(_SEEDS)
  ]
  steps = [record.Step(nodes[:2], {"shape": _shape(s)}, tolerance=tolerance) for s in shapes]
  steps += [record.Step([n], {"shape": _shape((5,))}, tolerance=tolerance) for n in nodes * 2]
  return Scenario(name, about, g.graph, [_same_for_all(step) for step in steps])


def _same_for_all(step):
  if isinstance(step.tolerance, record.Tolerance):
    step.tolerance = {fetch: step.tolerance for fetch in step.fetches}
  return step


# What logarithms and powers in float leave.
_COUNTS = record.Tolerance(ulps=4)


def _candidates(op):
  def attrs(count, unique, limit, num_true=1):
    return {"num_true": num_true, "num_sampled": count, "unique": unique, "range_max": limit}

  forms = [attrs(5, False, 10), attrs(5, True, 10), attrs(10, True, 10), attrs(1, True, 1),
           attrs(40, True, 64), attrs(9, False, 2**62), attrs(7, False, 2**40 + 1, 2),
           attrs(64, True, 2**33)]
  g = GraphMaker()
  classes = g.placeholder("classes", tf.int64)
  nodes = [g.add(op, classes, name=f"c{i}_{k}", seed=seed, seed2=seed2, **form)
           for i, form in enumerate(forms) for k, (seed, seed2) in enumerate(_SEEDS)]
  steps = []
  for i, node in enumerate(nodes):
    num_true = forms[i // len(_SEEDS)]["num_true"]
    fed = {"classes": np.zeros(((i + 2) % 4, num_true), np.int64)}
    step = record.Step([node, node + ":1", node + ":2"], fed, tolerance=_COUNTS)
    steps += [step, record.Step(list(step.fetches), dict(fed), tolerance=_COUNTS)]
  steps = [_same_for_all(step) for step in steps]
  yield Scenario(f"ops/{op}", "Candidates, and how often to expect them.", g.graph, steps)
  yield from _no_candidates(op)


def _candidate_form(count, unique, limit, num_true=1):
  return {"num_true": num_true, "num_sampled": count, "unique": unique, "range_max": limit}


def _no_candidates(op, **more):
  """more: attrs of an op that has weights for ten classes."""
  def wrong(values, form):
    return Probe(op, [np.array(values, np.int64)], {"seed": 1, "seed2": 2, **form, **more}, outputs=3,
                 fed=True)

  two = _candidate_form(2, True, 10)
  yield Group(f"ops/{op}/wrong", "True classes that are none.",
              [wrong(v, two) for v in ([[10]], [[-1]], [1], [[1, 2]], 1, [[2**62]])] +
              [wrong([[1]], _candidate_form(2, True, 10, 2))])
  few = _candidate_form(11, True, 10) if more else _candidate_form(5, True, 4)
  yield Group(f"ops/{op}/few", "More candidates than there are classes.", [wrong([[0]], few)])


def _learned_candidates(op):
  """Nodes that learn from the true classes of one step what they draw in the next."""
  forms = [_candidate_form(5, False, 10), _candidate_form(5, True, 10),
           _candidate_form(10, True, 10, 2), _candidate_form(1, True, 1),
           _candidate_form(20, True, 64, 3), _candidate_form(9, False, 5000, 2)]
  g = GraphMaker()
  classes = g.placeholder("classes", tf.int64)
  random = np.random.RandomState(7)
  steps = []
  for i, form in enumerate(forms):
    for k, (seed, seed2) in enumerate(_SEEDS[:3]):
      node = g.add(op, classes, name=f"c{i}_{k}", seed=seed, seed2=seed2, **form)
      for rows in (3, 0, 40, 2, 1):
        # The lower a class is, the more often it comes.
        fed = form["range_max"] * random.rand(rows, form["num_true"])**3
        steps.append(record.Step([node, node + ":1", node + ":2"], {"classes": fed.astype(np.int64)},
                                 tolerance=_COUNTS))
  return Scenario(f"ops/{op}", "Candidates by what has been true in steps before.", g.graph,
                  [_same_for_all(step) for step in steps])


def _fixed_candidates():
  op = "FixedUnigramCandidateSampler"
  random = np.random.RandomState(8)
  some = random.rand(30).astype(np.float32).tolist()
  forms = [
      {**_candidate_form(5, False, 4), "unigrams": [1.0, 2.0, 3.0, 4.0]},
      {**_candidate_form(4, True, 4), "unigrams": [1.0, 2.0, 3.0, 4.0]},
      {**_candidate_form(9, False, 4), "unigrams": [1.0, 2.0, 3.0, 4.0], "distortion": 0.75},
      {**_candidate_form(9, False, 4), "unigrams": [4.0, 0.0, 3.0], "num_reserved_ids": 1},
      {**_candidate_form(2, True, 4), "unigrams": [4.0, 0.0, 3.0], "num_reserved_ids": 1},
      {**_candidate_form(9, False, 4), "unigrams": some[:7], "num_shards": 2},
      {**_candidate_form(9, False, 5), "unigrams": some[:11], "num_shards": 3, "shard": 2,
       "num_reserved_ids": 5},
      {**_candidate_form(20, True, 30, 2), "unigrams": some},
      {**_candidate_form(40, False, 30, 2), "unigrams": some, "distortion": -0.5},
      {**_candidate_form(5, False, 2), "unigrams": [1e-30, 1e30]},
      {**_candidate_form(3, False, 1), "unigrams": [0.5]},
      {**_candidate_form(5, False, 3), "unigrams": [2.0, 2.0, 2.0], "num_reserved_ids": -4},
  ]
  g = GraphMaker()
  classes = g.placeholder("classes", tf.int64)
  steps = []
  for i, form in enumerate(forms):
    for k, (seed, seed2) in enumerate(_SEEDS):
      node = g.add(op, classes, name=f"c{i}_{k}", seed=seed, seed2=seed2, **form)
      shape = ((i + k + 1) % 4, form["num_true"])
      fed = random.randint(0, form["range_max"], shape).astype(np.int64)
      steps += [record.Step([node, node + ":1", node + ":2"], {"classes": fed}, tolerance=_COUNTS)
                for _ in range(2)]
  yield Scenario(f"ops/{op}", "Candidates by given weights.", g.graph,
                 [_same_for_all(step) for step in steps])
  yield from _no_candidates(op, unigrams=some[:10])

  def unfit(**form):
    return Probe(op, [np.zeros((1, 1), np.int64)], {"seed": 1, **_candidate_form(2, False, 4), **form},
                 outputs=3, fed=True)

  yield Group(f"ops/{op}/invalid", "Weights that do not fit, or are not there.",
              [unfit(), unfit(unigrams=some[:3]), unfit(unigrams=some[:5]),
               unfit(unigrams=some[:4], num_reserved_ids=1),
               unfit(unigrams=some[:8], num_shards=2, shard=2),
               unfit(vocab_file="no/such/file"), unfit(vocab_file="no/such", unigrams=some[:4])])


def _all_candidates():
  def probe(classes, count, num_true=1, unique=True):
    attrs = {"num_true": num_true, "num_sampled": count, "unique": unique, "seed": 1}
    return Probe("AllCandidateSampler", [np.array(classes, np.int64)], attrs, outputs=3, fed=True)

  return Group("ops/AllCandidateSampler", "All classes.",
               [probe([[0], [2]], 3), probe([[0, 2]], 5, 2, False), probe(np.zeros((0, 1)), 1),
                probe([[3]], 3), probe([[-1]], 3), probe([0], 3), probe([[0, 1]], 3)])


def _accidental_hits():
  def probe(classes, candidates, num_true=2):
    inputs = [np.array(x, np.int64) for x in (classes, candidates)]
    return Probe("ComputeAccidentalHits", inputs, {"num_true": num_true}, outputs=3, fed=True)

  return Group("ops/ComputeAccidentalHits", "True classes among the candidates.",
               [probe([[1, 2], [3, 1]], [5, 1, 3]), probe([[1, 1]], [1, 1, 1]), probe([[4, 5]], [1]),
                probe(np.zeros((0, 2)), [1]), probe([[1, 2]], []), probe([[-1], [2**40]], [2**40, -1], 1),
                probe(np.zeros((3, 0)), [0], 0), probe([1, 2], [1]), probe([[1]], [1]),
                probe([[1, 2]], [[1]]), probe([[1, 2]], 1)])


def _stateful(op, dtype):
  return _streams(f"ops/{op}/{dtype.name}",
                  f"The stream of {op} of {dtype.name} goes on from step to step.",
                  op,
                  _SHAPES + (_LONG,), {"dtype": dtype},
                  tolerance=_tolerance(op, dtype))


def _bounds(dtype):
  info = np.iinfo(dtype.as_numpy_dtype)
  ends = [(0, 10), (0, 1), (int(info.min), int(info.max)), (0, int(info.max)),
          (int(info.max) - 1, int(info.max))]
  return ends + [(-5, 5), (-7, -3)] if info.min < 0 else ends


def _stateful_ints(dtype):
  g = GraphMaker()
  bounds = [g.placeholder(n, dtype) for n in ("low", "high")]
  g.add("RandomUniformInt", g.placeholder("shape", tf.int64), *bounds, name="r", T=tf.int64,
        Tout=dtype, seed=3, seed2=4)

  def step(shape, low, high):
    low, high = (op_values.array(v, dtype) for v in (low, high))
    return record.Step(["r"], {"shape": _shape(shape, tf.int64), "low": low, "high": high})

  steps = [step(s, *b) for b in _bounds(dtype) for s in ((), (3,), (2, 3), (0,))]
  steps += [step(s, *b) for b in ((5, 5), (5, 2)) for s in ((2,), (0,), (-1,))]
  steps += [step((2,), [0], 5), step((2,), 0, [5]), step((0,), [0], 5), step((4,), 0, 100)]
  return Scenario(f"ops/RandomUniformInt/{dtype.name}",
                  "Integers of ranges that are small, whole, empty or no scalars.", g.graph, steps)


def _shuffle(dtype):
  g = GraphMaker()
  g.add("RandomShuffle", g.placeholder("x", dtype), name="r", T=dtype, seed=3, seed2=4)
  random = np.random.RandomState(1)
  shapes = ((), (1,), (0,), (2,), (9,), (4, 2), (1, 5), (3, 0), (5, 2, 1, 2), (40,), (3,))
  steps = [record.Step(["r"], {"x": op_values.plain(s, dtype, random)}) for s in shapes]
  return Scenario(f"ops/RandomShuffle/{dtype.name}", f"Rows of {dtype.name} in random order.",
                  g.graph, steps)


_LOGITS = (([[0., 1., 2.]], 5), ([[0., 0.], [5., 0.], [-3., 9.]], 7), ([[1.]], 3),
           ([[1., 2.]], 0), (np.zeros((0, 3)), 2), ([[-100., 3., 3., 2., 1., 0., 4.]], 40),
           ([[1., 2.]], 1))
_SPECIAL_LOGITS = (([[np.inf, 1.]], 4), ([[np.nan, -np.inf]], 3), ([[-np.inf, 0., np.nan]], 6))
_WRONG_LOGITS = (([1., 2.], 3), (5., 2), ([[1., 2.]], [3]), ([[1., 2.]], -1), (np.zeros((2, 0)), 3),
                 (np.zeros((0, 0)), 0))


def _draws(dtype):
  draws = _LOGITS + _WRONG_LOGITS + (_SPECIAL_LOGITS if dtype.is_floating else ())
  for logits, samples in draws:
    logits = np.array(logits)
    if dtype.is_unsigned:
      logits = np.abs(logits)
    yield op_values.array(logits, dtype), np.array(samples, np.int32)


def _multinomial(dtype):
  g = GraphMaker()
  inputs = [g.placeholder("logits", dtype), g.placeholder("n", tf.int32)]
  for i, output in enumerate(_INTS):
    g.add("Multinomial", *inputs, name=f"r{i}", T=dtype, output_dtype=output, seed=5, seed2=i)
  steps = [
      record.Step([r], {"logits": logits, "n": samples})
      for logits, samples in _draws(dtype)
      for r in ("r0", "r1")
  ]
  return Scenario(f"ops/Multinomial/{dtype.name}", f"Classes from logits of {dtype.name}.",
                  g.graph, steps)


def _wrong_stateful():
  attrs = {"T": tf.int64, "dtype": tf.float32, "seed": 1}
  return Group("ops/RandomUniform/wrong", "Random numbers of a shape that is none.",
               [Probe("RandomUniform", [_shape(s, tf.int64)], attrs, fed=True)
                for s in _WRONG_SHAPES])


def _probe(op, dtype, shape, inputs, attrs, index="T", fed=None):
  index_type = tf.int64 if np.size(shape) and np.max(shape) > 2**31 else tf.int32
  return Probe(op, [_shape(shape, index_type)] + inputs, {"dtype": dtype, index: index_type,
                                                          **attrs},
               tolerance=_tolerance(op, dtype), fed=fed)


def _seed(seed, dtype):
  if dtype in (tf.int32, tf.uint32, tf.uint64):
    seed = [s % 2**31 if dtype != tf.uint64 else s % 2**64 for s in seed]
  return np.array(seed, dtype.as_numpy_dtype)


def _stateless():
  kinds = [(op, dtype) for op in ("StatelessRandomUniform", "StatelessRandomNormal",
                                  "StatelessTruncatedNormal") for dtype in _FLOATS]
  kinds += [("StatelessRandomUniformFullInt", dtype) for dtype in _ALL_INTS]
  for op, dtype in kinds:
    seeds = _ALL_INTS if "FullInt" in op else _INTS

    def probe(shape, seed, seed_type=tf.int64, fed=None, op=op, dtype=dtype):
      return _probe(op, dtype, shape, [_seed(seed, seed_type) if np.shape(seed) == (2,) else
                                       np.array(seed, np.int64)], {"Tseed": seed_type}, fed=fed)

    yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name} for some seeds.",
                [probe(s, (1, 2)) for s in _SHAPES + (_LONG,)] +
                [probe((5,), s, t) for s in _SEEDS + ((0, 0),) for t in seeds])
    yield Group(f"ops/{op}/{dtype.name}/wrong", f"{op} of shapes and seeds that are none.",
                [probe(s, (1, 2), fed=True) for s in _WRONG_SHAPES] +
                [probe(s, seed, fed=True) for seed in (1, [1], [1, 2, 3], [[1, 2]])
                 for s in ((2,), (0,))])
  for dtype in _INTS:
    yield _bounded("StatelessRandomUniformInt", dtype, [np.array([5, 6], np.int64)],
                   {"Tseed": tf.int64}, "T")
  for dtype in dtypes_of("StatelessMultinomial"):
    yield Group(f"ops/StatelessMultinomial/{dtype.name}", f"Classes from logits of {dtype.name}.",
                [Probe("StatelessMultinomial", [logits, samples, np.array([3, 4], np.int32)],
                       {"T": dtype, "Tseed": tf.int32, "output_dtype": output}, fed=True)
                 for logits, samples in _draws(dtype) for output in _INTS])


def _bounded(op, dtype, inputs, attrs, index):
  def probe(shape, low, high, fed=None):
    low, high = (op_values.array(v, dtype) for v in (low, high))
    return _probe(op, dtype, shape, inputs + [low, high], attrs, index, fed)

  wrong = [probe(s, *b, fed=True) for b in ((5, 5), (5, 2), ([0], 5), (0, [5]))
           for s in ((2,), (0,))]
  return Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}, small, whole and empty ranges.",
               [probe(s, *b) for b in _bounds(dtype) for s in ((), (5,), (2, 3))] + wrong)


def _key(key, counter, alg):
  return [np.array(key, np.uint64), np.array(counter, np.uint64), np.array(alg, np.int32)]


# The counter carries from word to word.
_KEYS = (([1], [0, 1], 1), ([2**64 - 1], [2**64 - 1, 5], 1), ([7], [2**64 - 2, 2**64 - 1], 3),
         ([3], [2**32 - 1, 0], 1), ([2**40], [1, 2, 3], 3))
_WRONG_KEYS = ((1, [1, 2], 1), ([1, 2], [1, 2], 1), ([1], 1, 1), ([1], [], 1), ([1], [[1, 2]], 1),
               ([1], [1, 2], [1]), ([1], [1, 2], 0), ([1], [1, 2], 2), ([1], [1, 2], 4),
               ([1], [1, 2], -1))


def _keyed():
  kinds = [(op, dtype) for op in ("StatelessRandomUniformV2", "StatelessRandomNormalV2",
                                  "StatelessTruncatedNormalV2") for dtype in _FLOATS]
  kinds += [("StatelessRandomUniformFullIntV2", dtype) for dtype in _ALL_INTS]
  for op, dtype in kinds:

    def probe(shape, key, fed=None, op=op, dtype=dtype):
      return _probe(op, dtype, shape, _key(*key), {}, "Tshape", fed)

    yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name} for some keys and counters.",
                [probe(s, _KEYS[0]) for s in _SHAPES + (_LONG,)] +
                [probe((9,), k) for k in _KEYS])
    wrong = [probe((2,), k, True) for k in _WRONG_KEYS]
    wrong += [probe((0,), k, True) for k in _WRONG_KEYS if k[2] != 4]
    wrong += [probe(s, _KEYS[0], True) for s in _WRONG_SHAPES]
    yield Group(f"ops/{op}/{dtype.name}/wrong", f"{op} of keys and shapes that are none.", wrong)
  for dtype in _ALL_INTS:
    yield _bounded("StatelessRandomUniformIntV2", dtype, _key(*_KEYS[0]), {}, "Tshape")


def _keys():
  probes = [
      Probe(op, [_seed(seed, seed_type)], {"Tseed": seed_type}, outputs=outputs)
      for op, outputs in (("StatelessRandomGetKeyCounter", 2), ("StatelessRandomGetKeyCounterAlg",
                                                                3)) for seed in _SEEDS
      for seed_type in _INTS
  ]
  probes += [
      Probe("StatelessRandomGetKeyCounter", [np.array(seed, np.int64)], {"Tseed": tf.int64},
            outputs=2, fed=True) for seed in (1, [1], [1, 2, 3], [[1, 2]])
  ]
  probes.append(Probe("StatelessRandomGetAlg", []))
  return Group("ops/StatelessRandomGetKeyCounter", "What seeds are mixed into.", probes)


def _loop():
  """A node in a loop draws on one stream, trip by trip and step by step."""

  def build():
    def body(i, total):
      x = tf.raw_ops.RandomUniform(shape=[3], dtype=tf.float32, seed=11, seed2=5)
      return i + 1, tf.concat([total, x], 0)

    tf.while_loop(lambda i, _: i < 4, body, (tf.constant(0), tf.zeros([0])),
                  shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
                  parallel_iterations=1, name="loop")

  graph = record.build_graph(build)
  exits = [n.name for n in graph.node if n.op == "Exit"]
  return Scenario("ops/RandomUniform/in-a-loop", "A node in a loop draws on one stream.", graph,
                  [record.Step(exits) for _ in range(3)])
