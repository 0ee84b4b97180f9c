"""Writes testdata/, with an installed TensorFlow: a SavedModel with variables of several dtypes,
one with tables, checkpoints of tensors in pieces and of each dtype, and one of the first format.

    .peers/bin/python graph/saved/make_testdata.py graph/saved/testdata
"""

import pathlib
import sys

import numpy as np
import tensorflow as tf


class Model(tf.Module):
  """y = a x + b, where a is what was counted so far."""

  def __init__(self):
    super().__init__()
    self.scale = tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3), name="scale")
    self.shift = tf.Variable([0.5, -1.5, 2.5], dtype=tf.float64, name="shift")
    self.calls = tf.Variable(7, dtype=tf.int64, name="calls")
    self.words = tf.Variable(["", "two", "drei\0"], name="words")
    self.none = tf.Variable(np.zeros((0, 4), np.float16), name="none")

  @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
  def apply(self, x):
    self.calls.assign_add(1)
    y = tf.cast(x @ self.scale, tf.float64) + self.shift
    return {"y": y, "calls": self.calls.read_value(), "words": self.words.read_value()}

  @tf.function(input_signature=[tf.TensorSpec([], tf.int32, name="n")])
  def count(self, n):
    total = tf.constant(0)
    for i in tf.range(n):
      if i % 3 == 0:
        total += i
    return {"total": total}


class Tables(tf.Module):
  """Numbers of words by a vocabulary (with two buckets for words that are not in it) and back, and a
  table that was changed before it was saved."""

  def __init__(self, vocabulary):
    super().__init__()
    self.file = tf.saved_model.Asset(vocabulary)
    self.words = tf.lookup.StaticVocabularyTable(
        tf.lookup.TextFileInitializer(self.file, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                                      tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER),
        num_oov_buckets=2)
    self.names = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1], tf.int64), ["zero", "one"]), "many")
    self.seen = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    self.seen.insert(["a", "z"], tf.constant([10, 20], tf.int64))

  @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
  def apply(self, words):
    numbers = self.words.lookup(words)
    return {"numbers": numbers, "names": self.names.lookup(numbers), "seen": self.seen.lookup(words)}


def save_old(path):
  """A checkpoint of the first format, one file: tensors of several dtypes, one of them in pieces."""
  tensors = [
      ("floats", "", tf.constant([[1., 2.], [3., 4.]])),
      ("words", "", tf.constant(["", "yes"])),
      ("scalar", "", tf.constant(-7, tf.int64)),
      ("pieces", "4 0,3", tf.constant([1, 2, 3])),
      ("pieces", "4 3,1", tf.constant([4])),
      ("half", "", tf.constant([0.5, 1.5], tf.float16)),
      ("flags", "", tf.constant([True, False])),
      ("complex", "", tf.constant([1 + 2j], tf.complex64)),
      ("small", "", tf.constant([-3], tf.int8)),
      ("none", "", tf.zeros([0, 2])),
  ]
  names, slices, values = zip(*tensors)
  tf.raw_ops.SaveSlices(filename=path, tensor_names=names, shapes_and_slices=slices, data=values)


def save_pieces(prefix):
  """A checkpoint of tensors in pieces: all, some, and some twice."""
  ones = tf.constant([1., 2.])
  pieces = [
      ("a", "4 2 0,3:-", tf.reshape(tf.range(6.), [3, 2])),
      ("a", "4 2 3,1:-", tf.constant([[6., 7.]])),
      ("w", "2 0,1", tf.constant(["x"])),
      ("w", "2 1,1", tf.constant(["yy"])),
      ("half", "4 0,2", ones),
      ("twice", "3 0,2", ones),
      ("twice", "3 1,2", ones),
  ]
  names, slices, tensors = zip(*pieces)
  tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=tensors)


def save_dtypes(prefix):
  """A checkpoint with a tensor of each dtype, under its name: 1, 2 and 3, as what the dtype makes of it."""
  dtypes = [tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64,
            tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.complex64, tf.complex128, tf.bool]
  values = {dtype.name: tf.cast([1, 2, 3], dtype) for dtype in dtypes}
  values["string"] = tf.constant(["1", "2", "3"])
  tf.raw_ops.SaveV2(prefix=prefix, tensor_names=list(values), shape_and_slices=[""] * len(values),
                    tensors=list(values.values()))


def main():
  folder = pathlib.Path(sys.argv[1])
  model = Model()
  tf.saved_model.save(model, str(folder / "model"),
                      signatures={"serving_default": model.apply, "count": model.count})
  save_pieces(str(folder / "pieces" / "pieces"))
  save_old(str(folder / "old.ckpt"))
  save_dtypes(str(folder / "dtypes" / "dtypes"))
  tables = Tables(str(folder / "words.txt"))
  tf.saved_model.save(tables, str(folder / "tables"), signatures=tables.apply)


if __name__ == "__main__":
  main()
