"""Groups for the ops of matrices and products: BatchMatMul, Einsum, biases, softmax, inverses.

Left out: matrices that only just have an inverse, and NaN in those to invert.
"""

import numpy as np
import op_tolerance
import op_values
from op_probe import Group
from op_probe import Probe
from op_probe import dtypes_of
from op_probe import tf
from op_shape import Maker

_SINGLE = ("ij->ji", "ij->", "ij->i", "ii->i", "ii->", "ij->jij", "...->...", "...j->...",
           "ij->...i", "...ij->i", "ij->iij", "i1->i", "...i->...ii")
_DOUBLE = ("ij,jk->ik", "ij,jk->ijk", "ij,jk->", "ij,kl->ijkl", "ij,ij->", "ij,kj->ik", "ii,ij->j",
           "...j,jk->...k", "...ij,...jk->...ik", "ij,jk->iikk", "i...,j...->ij...", "ij,ji->ii",
           "...,...->...", "ij,jk->...ik")
_WRONG = ("ij", "ij->k", "i->i", "ijk->i", "a.b->a", "...i...->i", "ij,->ij", "ij->->", "...i->i")


def groups():
  """All groups, in a fixed order."""
  for op in ("BatchMatMul", "BatchMatMulV2"):
    for dtype in dtypes_of(op):
      if op != "BatchMatMul" or dtype != tf.int16:
        yield from _batch(op, dtype)
  for dtype in dtypes_of("BatchMatMulV3", "Ta"):
    yield _mixed(dtype)
  for dtype in dtypes_of("Einsum"):
    yield from _einsum(dtype)
  for dtype in dtypes_of("BiasAddGrad"):
    yield from _bias(dtype)
  for dtype in dtypes_of("Softmax"):
    yield from _softmax(dtype)
  for dtype in dtypes_of("MatrixInverse"):
    yield from _inverse(dtype)


def _product(dtype, values):
  sizes = [np.abs(v.astype(np.complex128)).max(initial=0) for v in values]
  return op_tolerance.summed(dtype, 64 * np.prod(sizes))


def _batch(op, dtype):
  name = f"ops/{op}/{dtype.name}"
  make = Maker(name, dtype)

  def probe(a, b, x=False, y=False, fed=None):
    values = [make.values(a), make.values(b)]
    return Probe(op, values, {"T": dtype, "adj_x": x, "adj_y": y}, fed=fed,
                 tolerance=_product(dtype, values))

  good = [((2, 3), (3, 4)), ((2, 2, 3), (2, 3, 1)), ((2, 0), (0, 2)), ((0, 2, 2), (0, 2, 3)),
          ((2, 1, 2, 3), (2, 1, 3, 2))]
  if op != "BatchMatMul":
    good += [((2, 1, 2, 3), (4, 3, 2)), ((2, 3), (2, 3, 1)), ((0, 2, 2), (1, 2, 2))]
  yield Group(name, f"{op} of {dtype.name}.", [probe(*p) for p in good] + [
      probe((3, 2), (3, 4), x=True), probe((2, 3), (4, 3), y=True),
      probe((2, 3, 2), (2, 4, 3), x=True, y=True)
  ])
  yield Group(f"{name}/wrong", f"{op} of {dtype.name} shapes that do not fit.", [
      probe(a, b, fed=True) for a, b in (((2, 3), (2, 3)), ((3,), (3, 2)), ((), ()),
                                         ((2, 2, 2), (3, 2, 2)), ((2, 3), (3,)))
  ])


def _mixed(dtype):
  """BatchMatMulV3, which names the dtypes of both factors and of the product."""
  name = f"ops/BatchMatMulV3/{dtype.name}"
  make = Maker(name, dtype)

  def probe(a, b, x=False, y=False):
    values = [make.values(a), make.values(b)]
    return Probe("BatchMatMulV3", values,
                 {"Ta": dtype, "Tb": dtype, "Tout": dtype, "adj_x": x, "adj_y": y},
                 tolerance=_product(dtype, values))

  return Group(name, f"BatchMatMulV3 of {dtype.name}.", [
      probe((2, 3), (3, 4)), probe((2, 2, 3), (3, 1)), probe((3, 2), (3, 4), x=True),
      probe((2, 3), (4, 3), y=True), probe((0, 2, 2), (1, 2, 2))
  ])


def _einsum(dtype):
  name = f"ops/Einsum/{dtype.name}"
  make = Maker(name, dtype)

  def probe(equation, *shapes, fed=None):
    values = [make.values(s) for s in shapes]
    return Probe("Einsum", values, {"T": dtype, "N": len(values), "equation": equation}, fed=fed,
                 tolerance=_product(dtype, values))

  yield Group(name, f"Einsum of {dtype.name}.",
              [probe(e, (2, 2)) for e in _SINGLE] + [probe(e, (2, 2), (2, 2)) for e in _DOUBLE] + [
                  probe("->", ()), probe(",->", (), ()), probe("i,->i", (3,), ()),
                  probe("ij,jk->ik", (2, 0), (0, 3)), probe("ij->i", (2, 0)),
                  probe("...ij,...jk->...ik", (2, 1, 2, 3), (5, 3, 2)),
                  probe("...i,...i->...", (2, 1, 3), (4, 3)), probe("i...j,j->i...", (2, 4, 3), (3,))
              ])
  if dtype == tf.float32:
    yield Group(f"{name}/wrong", "Einsum with an equation that does not fit.",
                [probe(e, (2, 2), fed=True) for e in _WRONG] +
                [probe("i,i->i", (2,), (1,), fed=True), probe("ii->i", (1, 3), fed=True),
                 probe("...i,...i->...", (2, 3, 3), (4, 3), fed=True)])


def _bias(dtype):
  name = f"ops/BiasAddGrad/{dtype.name}"
  make = Maker(name, dtype)

  def grad(shape, layout="NHWC", fed=True):
    values = make.values(shape)
    return Probe("BiasAddGrad", [values], {"T": dtype, "data_format": layout}, fed=fed,
                 tolerance=op_tolerance.summed(dtype, np.abs(values.astype(complex)).sum()))

  def old(shape, bias, fed=None):
    return Probe("BiasAddV1", [make.values(shape), make.values(bias)], {"T": dtype}, fed=fed)

  def add(shape, bias, layout="NHWC", fed=None):
    return Probe("BiasAdd", [make.values(shape), make.values(bias)],
                 {"T": dtype, "data_format": layout}, fed=fed)

  shapes = ((2, 2), (3, 1), (0, 3), (3, 0), (2, 3, 4), (2, 3, 1, 2))
  yield Group(name, f"BiasAddGrad of {dtype.name}.",
              [grad(s) for s in shapes] + [grad(s, "NCHW") for s in shapes[4:]])
  yield Group(f"{name}/wrong", f"BiasAddGrad of {dtype.name} without channels.",
              [grad((2,), fed=True), grad((), fed=True)])
  yield Group(f"ops/BiasAdd/{dtype.name}", f"BiasAdd of {dtype.name}.",
              [add((2, 3), (3,)), add((2, 1, 2), (2,)), add((0, 2), (2,)),
               add((2, 3, 2, 1), (3,), "NCHW")])
  yield Group(f"ops/BiasAdd/{dtype.name}/wrong", f"BiasAdd of {dtype.name} that does not fit.",
              [add((2,), (2,), fed=True), add((2, 2), (1,), fed=True),
               add((2, 2), (2, 2), fed=True)])
  yield Group(f"ops/BiasAddV1/{dtype.name}", f"BiasAddV1 of {dtype.name}.",
              [old((2, 3), (3,)), old((2, 1, 2), (2,)), old((0, 2), (2,))])
  yield Group(f"ops/BiasAddV1/{dtype.name}/wrong", f"BiasAddV1 of {dtype.name} that does not fit.",
              [old((2,), (2,), True), old((2, 2), (1,), True), old((2, 2), (2, 2), True)])


def _softmax(dtype):
  make = Maker(f"ops/Softmax/{dtype.name}", dtype)
  near = op_tolerance.rounded(dtype, 32)

  def one(op, values, fed=None):
    return Probe(op, [values], {"T": dtype}, tolerance=near, fed=fed)

  def loss(features, labels, fed=True):
    return Probe("SoftmaxCrossEntropyWithLogits", [features, labels], {"T": dtype}, outputs=2,
                 tolerance=near, fed=fed)

  def sparse(features, labels, index=tf.int32, fed=None):
    return Probe("SparseSoftmaxCrossEntropyWithLogits",
                 [features, np.array(labels, index.as_numpy_dtype)],
                 {"T": dtype, "Tlabels": index}, outputs=2, tolerance=near, fed=fed)

  for op in ("Softmax", "LogSoftmax"):
    yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}.",
                [one(op, make.values(s)) for s in ((3,), (2, 4), (0,), (2, 0), (2, 1, 3))] +
                [one(op, op_values.array(v, dtype)) for v in
                 ([np.inf, 1], [-np.inf, 1], [-np.inf, -np.inf], [np.nan, 1], [1000, 1])])
    yield Group(f"ops/{op}/{dtype.name}/wrong", f"{op} of a {dtype.name} scalar.",
                [one(op, make.values(()), fed=True)])
  name = f"ops/SoftmaxCrossEntropyWithLogits/{dtype.name}"
  yield Group(name, f"SoftmaxCrossEntropyWithLogits of {dtype.name}.",
              [loss(make.values(a), np.abs(make.values(b))) for a, b in
               (((2, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (3,)), ((1, 3), (2, 1)), ((2, 3), ()),
                ((0, 2), (0, 2)))])
  yield Group(f"{name}/wrong", f"SoftmaxCrossEntropyWithLogits of {dtype.name} that does not fit.",
              [loss(make.values(a), make.values(b), fed=True) for a, b in
               (((2,), (2,)), ((2, 2), (2, 3)), ((), ()), ((1, 1, 2), (1, 1, 2)))])
  name = f"ops/SparseSoftmaxCrossEntropyWithLogits/{dtype.name}"
  yield Group(name, f"SparseSoftmaxCrossEntropyWithLogits of {dtype.name}.",
              [sparse(make.values(s), l, i) for i in (tf.int32, tf.int64)
               for s, l in (((2, 3), [0, 2]), ((1, 1), [0]), ((0, 2), []))])
  yield Group(f"{name}/wrong", "Labels and shapes that do not fit.",
              [sparse(make.values(s), l, fed=True) for s, l in
               (((2, 2), [0, 2]), ((2, 2), [0, -1]), ((2,), [0]), ((2, 2), [0]),
                ((2, 2), [[0, 1]]), ((2, 0), [0, 0]), ((), 0))])


def _inverse(dtype):
  make = Maker(f"ops/MatrixInverse/{dtype.name}", dtype)

  def probe(op, values, outputs=1, fed=None, **attrs):
    return Probe(op, values, {"T": dtype, **attrs}, outputs=outputs, fed=fed,
                 tolerance=op_tolerance.rounded(dtype, 256))

  def strong(*batch):
    return make.values((*batch, 3, 3)) + op_values.array(np.eye(3) * 30, dtype)

  def definite(*batch):
    half = np.tril(make.values((*batch, 3, 3)))
    return op_values.array(half + np.conj(np.swapaxes(half, -1, -2)) + np.eye(3) * 40, dtype)

  none = [op_values.empty(s, dtype) for s in ((0, 0), (2, 0, 0), (0, 2, 2))]
  wrong = [make.values(s) for s in ((2, 3), (2,), ())]
  for op, outputs in (("MatrixInverse", 1), ("MatrixDeterminant", 1), ("LogMatrixDeterminant", 2),
                      ("Cholesky", 1)):
    if dtype not in dtypes_of(op):
      continue
    values = [definite(), definite(2)] if op == "Cholesky" else [strong(), strong(2), strong(1, 2)]
    yield Group(f"ops/{op}/{dtype.name}", f"{op} of {dtype.name}.",
                [probe(op, [v], outputs) for v in values + none])
    yield Group(f"ops/{op}/{dtype.name}/wrong", f"{op} of {dtype.name} shapes not square.",
                [probe(op, [v], outputs, fed=True) for v in wrong])
  singular = op_values.array([[1, 2], [2, 4]], dtype)
  yield Group(f"ops/MatrixInverse/{dtype.name}/attrs", "An adjoint, and no inverse.",
              [probe("MatrixInverse", [strong()], adjoint=True),
               probe("MatrixInverse", [singular], fed=True)])
  if dtype == tf.half:
    return
  yield Group(f"ops/MatrixSolve/{dtype.name}", f"MatrixSolve of {dtype.name}.", [
      probe("MatrixSolve", [strong(*b), make.values((*b, 3, k))], adjoint=a, fed=True)
      for b, k in (((), 1), ((2,), 2), ((), 0)) for a in (False, True)
  ] + [probe("MatrixSolve", [singular, make.values((2, 1))], fed=True),
       probe("MatrixSolve", [strong(2), make.values((3, 1))], fed=True),
       probe("MatrixSolve", [strong(), make.values((2, 1))], fed=True)])
  yield Group(f"ops/MatrixTriangularSolve/{dtype.name}", f"MatrixTriangularSolve of {dtype.name}.", [
      probe("MatrixTriangularSolve", [strong(*m), make.values((*b, 3, 2))], lower=l, adjoint=a,
            fed=True)
      for m, b in (((), ()), ((2,), ()), ((2, 1), (3,)))
      for l in (False, True) for a in (False, True)
  ] + [probe("MatrixTriangularSolve", [strong(), make.values((2, 1))], fed=True)])
