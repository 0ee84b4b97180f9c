"""Tests of the adapter and of the recorder, against real TensorFlow.

  .peers/bin/python conformance/recorder/adapter_test.py
"""

import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import adapter  # isort: skip

import numpy as np
import protos
import record

tf = record.tf


class EngineProcess:
  """The adapter as the runner starts it."""

  def __init__(self):
    self._process = subprocess.Popen(
        [sys.executable, os.path.join(adapter.FOLDER, "tensorflow_engine.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    self.hello = self.receive().hello

  def receive(self):
    (length,) = struct.unpack("<I", self._process.stdout.read(4))
    return protos.message("conformance.Response").FromString(self._process.stdout.read(length))

  def ask(self, request):
    self.send(request)
    return self.receive()

  def send(self, request):
    data = request.SerializeToString()
    self._process.stdin.write(struct.pack("<I", len(data)) + data)
    self._process.stdin.flush()

  def load(self, build, devices=(), deadline_s=0.0):
    request = protos.message("conformance.Request")()
    request.load.graph.ParseFromString(record.graph_bytes(build))
    request.load.devices.extend(devices)
    request.load.options.deadline_s = deadline_s
    return self.ask(request)

  def run(self, feeds, fetches, targets=()):
    request = protos.message("conformance.Request")()
    request.run.SetInParent()
    for name, value in feeds.items():
      feed = request.run.feeds.add(name=name)
      feed.value.ParseFromString(record.graph_session.proto_of(np.asarray(value)))
    request.run.fetches.extend(fetches)
    request.run.targets.extend(targets)
    return self.ask(request)

  def end(self):
    self._process.stdin.close()
    self._process.stdout.close()
    return self._process.wait(timeout=20)


def array(tensor):
  return record.graph_session.array_of(tensor.SerializeToString())


class EngineTest(unittest.TestCase):

  @classmethod
  def setUpClass(cls):
    cls.engine = EngineProcess()

  @classmethod
  def tearDownClass(cls):
    assert cls.engine.end() == 0

  def test_says_hello(self):
    self.assertEqual(self.engine.hello.name, "tensorflow")
    self.assertEqual(self.engine.hello.protocol, 1)

  def test_runs_a_branch(self):

    def build():
      x = tf.compat.v1.placeholder(tf.int32, [], name="x")
      tf.identity(tf.cond(x > 0, lambda: x + 1, lambda: x * 10), name="y")

    self.assertEqual(self.engine.load(build).WhichOneof("response"), "loaded")
    for x, y in ((3, 4), (-3, -30)):
      self.assertEqual(array(self.engine.run({"x": np.int32(x)}, ["y"]).values.values[0]), y)

  def test_state_carries_over(self):

    def build():
      v = tf.compat.v1.get_variable("v", [],
                                    tf.int32,
                                    tf.compat.v1.zeros_initializer(),
                                    use_resource=True)
      tf.group(v.assign_add(1), name="add")
      tf.identity(v.read_value(), name="value")
      tf.group(v.initializer, name="init")

    self.engine.load(build)
    self.engine.run({}, [], ["init"])
    for _ in range(3):
      self.engine.run({}, [], ["add"])
    self.assertEqual(array(self.engine.run({}, ["value"]).values.values[0]), 3)

  def test_errors_have_codes(self):
    self.engine.load(lambda: tf.compat.v1.placeholder(tf.int32, [], name="x"))
    self.assertEqual(self.engine.run({}, ["x"]).error.code, "INVALID_ARGUMENT")
    self.assertEqual(self.engine.run({}, ["nowhere"]).error.code, "NOT_FOUND")
    self.assertEqual(self.engine.run({"x": 1.5}, ["x"]).error.code, "INVALID_ARGUMENT")

  def test_an_unknown_op_is_unsupported(self):
    graph = protos.message("GraphDef")()
    graph.node.add(name="a", op="NoSuchOpAnywhere")
    self.assertIn("NoSuchOpAnywhere", self.engine.load(graph).unsupported)

  def test_an_absent_kernel_is_unsupported(self):
    self.engine.load(lambda: tf.raw_ops.NcclAllReduce(
        input=tf.constant([1.0]), reduction="sum", num_devices=1, shared_name="s", name="y"))
    self.assertIn("NcclAllReduce", self.engine.run({}, ["y"]).unsupported)

  def test_devices(self):

    def build():
      with tf.device("/cpu:1"):
        tf.identity(tf.constant(7), name="y")

    self.engine.load(build, devices=["/cpu:0", "/cpu:1"])
    self.assertEqual(array(self.engine.run({}, ["y"]).values.values[0]), 7)
    self.assertIn("GPU", self.engine.load(build, devices=["/device:GPU:0"]).unsupported)

  def test_deadline_stops_a_loop(self):

    def build():
      tf.while_loop(lambda i: i < 2, lambda i: i * 1, [tf.constant(0)], name="loop")

    self.engine.load(build, deadline_s=0.5)
    self.assertEqual(self.engine.run({}, ["loop/Exit"]).error.code, "DEADLINE_EXCEEDED")


class RecordTest(unittest.TestCase):

  def test_values_errors_and_tolerances(self):

    def build():
      x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
      tf.exp(x, name="y")

    case = record.record("n", "about", build, [
        record.Step(
            feeds={"x": np.float32([0, 1])}, fetches=["y", "x"], tolerance={"y": record.ulps(4)}),
        record.Step(fetches=["y"], message_contains="feed a value")
    ])
    self.assertEqual(case.steps[0].expect[0].ulps, 4)
    self.assertEqual(case.steps[0].expect[1].ulps, 0)
    self.assertEqual(array(case.steps[0].expect[0].any_of[0])[0], 1)
    self.assertEqual(case.steps[1].error.code, "INVALID_ARGUMENT")

  def test_text_and_binary_hold_the_same(self):
    values = [
        np.float32([1, np.nan, -0.0]),
        np.complex64([1 + 2j]),
        np.array([b"a\xff", b""], object),
        np.float16([[1], [2]]),
        np.zeros([0, 3]),
        np.array([True, False]),
        np.uint64([2**64 - 1]),
        np.int8([-128, 127])
    ]

    def build():
      for i, value in enumerate(values):
        tf.constant(value, name=f"c{i}")

    case = record.record("n", "", build,
                         [record.Step(fetches=[f"c{i}" for i in range(len(values))])])
    with tempfile.TemporaryDirectory() as folder:
      for name in ("a.textproto", "a.case"):
        path = os.path.join(folder, name)
        record.write(case, path)
        for tensor, value in zip(record.read(path).steps[0].expect, values):
          got = array(tensor.any_of[0])
          self.assertEqual(got.dtype, value.dtype)
          self.assertEqual(got.tolist().__repr__(), value.tolist().__repr__())

  def test_a_graph_that_does_not_load(self):
    graph = protos.message("GraphDef")()
    graph.node.add(name="a", op="Identity", input=["b"]).attr["T"].type = 1
    case = record.record("n", "", graph, [record.Step(fetches=["a"]), record.Step(fetches=["a"])])
    self.assertEqual([s.error.code for s in case.steps], ["INVALID_ARGUMENT"])

  def test_a_mistyped_fetch_is_refused(self):
    with self.assertRaises(ValueError):
      record.record("n", "", lambda: tf.constant(1, name="a"), [record.Step(fetches=["b"])])

  def test_what_does_not_repeat_is_refused(self):
    with self.assertRaises(record.NotRepeatable):
      record.record("n", "", lambda: tf.random.uniform([], name="r"),
                    [record.Step(fetches=["r/RandomUniform"])])


if __name__ == "__main__":
  unittest.main()
