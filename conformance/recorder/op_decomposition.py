"""Groups for decompositions of matrices: Qr, SelfAdjointEigV2, Svd.

Vectors are determined but for their signs or phases, so what is recorded of them is the product of
the parts. Left out: what becomes of the outputs that nobody computes (compute_uv, compute_v), which
is whatever memory held; infinite numbers, and NaN in complex matrices, of which Svd makes zeros.
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
from op_probe import seed_of
from op_probe import tf

_SHAPES = ((3, 3), (4, 2), (2, 4), (1, 1), (2, 3, 2), (2, 1, 2, 2), (20, 18))
_EMPTY = ((0, 0), (0, 3), (3, 0), (2, 3, 0), (0, 2, 2))
_WRONG = ((2,), ())


def groups():
  """All groups, in a fixed order."""
  for dtype in dtypes_of("Qr"):
    yield from _qr(dtype)
  for dtype in dtypes_of("SelfAdjointEigV2"):
    yield from _self_adjoint_eig(dtype)
  for dtype in dtypes_of("Svd"):
    yield from _svd(dtype)


def _numbers(random, shape, dtype):
  x = random.randn(*shape)
  if dtype.is_complex:
    x = x + 1j * random.randn(*shape)
  return op_values.array(x, dtype)


def _near(dtype, matrix):
  """An error as large as that of the largest number."""
  size = 1 + np.abs(matrix.astype(np.complex128)).sum()
  return op_tolerance.summed(dtype, size, roundings=32)


def _qr(dtype):
  name = f"ops/Qr/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(shape, full=False, fed=None):
    matrix = _numbers(random, shape, dtype)
    return Probe("Qr", [matrix], {"T": dtype, "full_matrices": full}, outputs=2, fed=fed,
                 tolerance=_near(dtype, matrix))

  for full in (False, True):
    yield Group(name + ("/full" if full else ""), f"Qr of {dtype.name}.",
                [probe(s, full) for s in _SHAPES + _EMPTY])
  yield Group(f"{name}/wrong", "No matrices.", [probe(s, fed=True) for s in _WRONG])


def _self_adjoint_eig(dtype):
  name = f"ops/SelfAdjointEigV2/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(matrix, vectors=True, fed=None):
    return Probe("SelfAdjointEigV2", [matrix], {"T": dtype, "compute_v": vectors}, fed=fed,
                 tolerance=_near(dtype, matrix))

  squares = [s for s in _SHAPES + _EMPTY if s[-1] == s[-2]]
  for vectors in (True, False):
    yield Group(name + ("" if vectors else "/values"), "Eigenvalues, by the lower half.",
                [probe(_numbers(random, s, dtype), vectors) for s in squares])
  no_numbers = op_values.array([[1, 0], [np.nan, 1]], dtype)
  yield Group(f"{name}/wrong", "What has no eigenvalues.",
              [probe(_numbers(random, s, dtype), fed=True) for s in _WRONG + ((2, 3),)] +
              [probe(no_numbers, fed=True)])
  yield _composed(f"{name}/composed", "SelfAdjointEigV2", dtype, [
      _hermitian(_numbers(random, s, dtype)) for s in squares if np.prod(s)
  ])


def _hermitian(matrix):
  return (matrix + np.conj(np.swapaxes(matrix, -1, -2))) / np.array(2, matrix.dtype)


def _svd(dtype):
  name = f"ops/Svd/{dtype.name}"
  random = np.random.RandomState(seed_of(name))

  def probe(matrix, vectors=True, full=False, fed=None):
    attrs = {"T": dtype, "compute_uv": vectors, "full_matrices": full}
    return Probe("Svd", [matrix], attrs, fed=fed, tolerance=_near(dtype, matrix))

  for vectors in (True, False):
    yield Group(name + ("" if vectors else "/values"), "Singular values.",
                [probe(_numbers(random, s, dtype), vectors) for s in _SHAPES + _EMPTY])
  yield Group(f"{name}/full", "Singular values beside square vectors.",
              [probe(_numbers(random, s, dtype), full=True) for s in _SHAPES])
  yield Group(f"{name}/wrong", "No matrices.",
              [probe(_numbers(random, s, dtype), fed=True) for s in _WRONG])
  if not dtype.is_complex:
    yield Group(f"{name}/none", "NaN among the numbers.",
                [probe(op_values.array([[1, np.nan], [0, 1]], dtype))])
  yield _composed(f"{name}/composed", "Svd", dtype, [_numbers(random, s, dtype) for s in _SHAPES])


def _composed(name, op, dtype, matrices):
  """Of each matrix the product of its parts, which is the matrix."""
  g, steps = GraphMaker(), []
  for matrix in matrices:
    parts = g.add(op, g.const(matrix), T=dtype)
    left, right = (f"{parts}:1", f"{parts}:2") if op == "Svd" else (f"{parts}:1", f"{parts}:1")
    row = g.add("ExpandDims", parts, g.const(np.array(-2, np.int32)), T=dtype, Tdim=tf.int32)
    scaled = g.add("Mul", left, row, T=dtype)
    product = g.add("BatchMatMulV2", scaled, right, T=dtype, adj_y=True)
    steps.append(record.Step([product], tolerance={product: _near(dtype, matrix)}))
  return Scenario(name, f"The parts that {op} finds, multiplied.", g.graph, steps)
