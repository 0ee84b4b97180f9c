"""Groups for cells of recurrent networks.

Left out, since TensorFlow ends the process: a seq_len_max beyond the time, and some inputs of a
wrong rank; since it leaves outputs unset: sequences that are shorter than the time (but their
gradients), and gradients of no batch or no cells.
"""

import numpy as np
import record
from op_probe import Group
from op_probe import Probe
from op_probe import seed_of
from op_probe import tf

_NEAR = record.Tolerance(ulps=8, absolute=2e-6)
_NEAR_HALF = record.Tolerance(ulps=8, absolute=1e-2)
_SIZES = ((2, 3, 2), (1, 1, 1), (3, 0, 2), (1, 5, 4))  # batch, inputs, cells
_CELLS = ("i", "cs", "f", "o", "ci", "co")


def groups():
  """All groups, in a fixed order."""
  for dtype in (tf.float32, tf.half):
    yield from _step(dtype)
    for version in ("", "V2"):
      yield from _sequence(dtype, version)
  yield from _gru()


def _near(dtype):
  return _NEAR_HALF if dtype == tf.half else _NEAR


class _Draw:
  """Numbers from the name of what they are for."""

  def __init__(self, name, dtype):
    self._random = np.random.RandomState(seed_of(name))
    self._dtype = dtype.as_numpy_dtype

  def __call__(self, *shape, least=-16):
    return (self._random.randint(least, 17, shape) / 8.0).astype(self._dtype)

  def gates(self, *shape):
    """What sigmoid may give."""
    return (self._random.randint(1, 16, shape) / 16.0).astype(self._dtype)


def _lstm_inputs(draw, steps, sizes):
  """x, cs_prev, h_prev, w, wci, wcf, wco, b; steps: the time, as a list of one or none."""
  batch, inputs, cells = sizes
  return [draw(*steps, batch, inputs), draw(batch, cells), draw(batch, cells),
          draw(inputs + cells, 4 * cells), draw(cells), draw(cells), draw(cells), draw(4 * cells)]


def _forward_attrs(dtype, peephole, version=""):
  attrs = {"T": dtype, "use_peephole": peephole, "cell_clip": 0.75 if peephole else 0.0}
  if not version:
    attrs["forget_bias"] = 0.5 if peephole else 1.0
  return attrs


def _replaced(inputs, changes):
  """Calls with one input replaced each."""
  return [inputs[:i] + [value] + inputs[i + 1:] for i, value in changes]


def _step(dtype):
  name = f"ops/LSTMBlockCell/{dtype.name}"
  draw = _Draw(name, dtype)

  def probe(inputs, peephole=False, fed=None):
    return Probe("LSTMBlockCell", inputs, _forward_attrs(dtype, peephole), outputs=7,
                 tolerance=_near(dtype), fed=fed)

  yield Group(name, f"LSTMBlockCell of {dtype.name}.",
              [probe(_lstm_inputs(draw, [], s), p) for s in _SIZES for p in (False, True)])
  inputs = _lstm_inputs(draw, [], (2, 3, 2))
  wrong = _replaced(inputs, ((1, draw(3, 2)), (2, draw(2, 3)), (3, draw(4, 8)), (3, draw(5, 7)),
                             (5, draw(1, 2)), (6, draw()), (7, draw(7)), (7, draw(12))))
  wrong += [_lstm_inputs(draw, [], s) for s in ((0, 3, 2), (2, 3, 0))]
  yield Group(f"{name}/wrong", f"LSTMBlockCell of {dtype.name} of sizes that do not fit.",
              [probe(i, fed=True) for i in wrong])
  yield from _step_grad(dtype)


def _step_grad(dtype):
  name = f"ops/LSTMBlockCellGrad/{dtype.name}"
  draw = _Draw(name, dtype)

  def inputs(sizes):
    shape = (sizes[0], sizes[2])
    cells = [draw(*shape) if n in ("cs", "ci", "co") else draw.gates(*shape) for n in _CELLS]
    return _lstm_inputs(draw, [], sizes) + cells + [draw(*shape), draw(*shape)]

  def probe(values, peephole=False, fed=None):
    return Probe("LSTMBlockCellGrad", values, {"T": dtype, "use_peephole": peephole}, outputs=5,
                 tolerance=_far(dtype), fed=fed)

  yield Group(name, f"LSTMBlockCellGrad of {dtype.name}.",
              [probe(inputs(s), p) for s in _SIZES for p in (False, True)])
  good = inputs((2, 3, 2))
  wrong = _replaced(good, ((1, draw(3, 2)), (7, draw(7)), (8, draw(3, 2)), (13, draw(2, 3)),
                           (14, draw(1, 2))))
  yield Group(f"{name}/wrong", f"LSTMBlockCellGrad of {dtype.name} of sizes that do not fit.",
              [probe(i, fed=True) for i in wrong])


def _far(dtype):
  """Gradients are sums of numbers of any size."""
  return record.Tolerance(ulps=8, absolute=0.25 if dtype == tf.half else 1e-4)


def _sequence(dtype, version):
  name = f"ops/BlockLSTM{version}/{dtype.name}"
  draw = _Draw(name, dtype)

  def probe(length, inputs, peephole=False, fed=None):
    return Probe(f"BlockLSTM{version}", [np.array(length, np.int64)] + inputs,
                 _forward_attrs(dtype, peephole, version), outputs=7, tolerance=_near(dtype),
                 fed=fed)

  sizes = _SIZES + ((0, 3, 2), (2, 3, 0))
  yield Group(name, f"BlockLSTM{version} of {dtype.name}.",
              [probe(t, _lstm_inputs(draw, [t], s), p) for s in sizes for t in (2, 5)
               for p in (False, True)] + [probe(0, _lstm_inputs(draw, [0], (2, 3, 2)))])
  inputs = _lstm_inputs(draw, [3], (2, 3, 2))
  wrong = _replaced(inputs, ((1, draw(3, 2)), (2, draw(2, 3)), (3, draw(4, 8)), (3, draw(40)),
                             (4, draw(5)), (4, draw(1, 2)), (5, draw()), (7, draw(7)),
                             (7, draw(12))))
  yield Group(f"{name}/wrong", f"BlockLSTM{version} of {dtype.name} of sizes that do not fit.",
              [probe(2, i, fed=True) for i in wrong] + [probe([2], inputs, fed=True)])
  yield from _sequence_grad(dtype, version)


def _sequence_grad(dtype, version):
  op = f"BlockLSTMGrad{version}"
  name = f"ops/{op}/{dtype.name}"
  draw = _Draw(name, dtype)

  def inputs(time, sizes):
    shape = (time, sizes[0], sizes[2])
    cells = [draw(*shape) if n in ("cs", "ci", "co") else draw.gates(*shape) for n in _CELLS]
    return _lstm_inputs(draw, [time], sizes) + cells + [draw(*shape), draw(*shape), draw(*shape)]

  def probe(length, values, peephole=False, fed=None):
    return Probe(op, [np.array(length, np.int64)] + values, {"T": dtype, "use_peephole": peephole},
                 outputs=8, tolerance=_far(dtype), fed=fed)

  yield Group(name, f"{op} of {dtype.name}.",
              [probe(n, inputs(t, s), p) for s in _SIZES for n, t in ((1, 1), (2, 3))
               for p in (False, True)] + [probe(0, inputs(2, (2, 3, 2)))])
  good = inputs(3, (2, 3, 2))
  wrong = _replaced(good, ((7, draw(7)), (8, draw(3, 2)), (9, draw(2)), (13, draw(2, 3))))
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} of sizes that do not fit.",
              [probe(2, i, fed=True) for i in wrong])


def _gru():
  name = "ops/GRUBlockCell/float32"
  draw = _Draw(name, tf.float32)

  def inputs(sizes):
    batch, ins, cells = sizes
    return [draw(batch, ins), draw(batch, cells), draw(ins + cells, 2 * cells),
            draw(ins + cells, cells), draw(2 * cells), draw(cells)]

  def grad_inputs(sizes):
    shape = (sizes[0], sizes[2])
    return inputs(sizes) + [draw.gates(*shape), draw.gates(*shape), draw(*shape), draw(*shape)]

  def probe(op, values, tolerance=_NEAR, fed=None):
    return Probe(op, values, {"T": tf.float32}, outputs=4, tolerance=tolerance, fed=fed)

  sizes = _SIZES + ((0, 3, 2), (2, 3, 0))
  far = _far(tf.float32)
  yield Group(name, "GRUBlockCell.", [probe("GRUBlockCell", inputs(s)) for s in sizes])
  yield Group("ops/GRUBlockCellGrad/float32", "GRUBlockCellGrad.",
              [probe("GRUBlockCellGrad", grad_inputs(s), far) for s in _SIZES])
  wrong = _replaced(inputs((2, 3, 2)),
                    ((0, draw(2)), (1, draw(3, 2)), (2, draw(4, 4)), (2, draw(5, 5)),
                     (3, draw(5, 3)), (4, draw(5)), (5, draw(1, 2))))
  yield Group(f"{name}/wrong", "GRUBlockCell of sizes that do not fit.",
              [probe("GRUBlockCell", i, fed=True) for i in wrong])
  wrong = _replaced(grad_inputs((2, 3, 2)),
                    ((6, draw(3, 2)), (7, draw(2)), (8, draw(2, 3)), (9, draw(2, 1))))
  yield Group("ops/GRUBlockCellGrad/float32/wrong", "GRUBlockCellGrad of sizes that do not fit.",
              [probe("GRUBlockCellGrad", i, fed=True) for i in wrong])
