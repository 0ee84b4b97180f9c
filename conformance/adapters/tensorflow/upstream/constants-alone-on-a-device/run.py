"""A loop over two devices deadlocks when one holds nothing of it but ops on its constants.

  python run.py        (needs tensorflow, nothing else)
"""

import pathlib

import tensorflow as tf
from google.protobuf import text_format


def session():
  """A session over graph.pbtxt as it stands, with Grappler off."""
  graph_def = tf.compat.v1.GraphDef()
  text_format.Parse(pathlib.Path(__file__).with_name("graph.pbtxt").read_text(), graph_def)
  config = tf.compat.v1.ConfigProto(device_count={"CPU": 2})
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  graph = tf.Graph()
  with graph.as_default():
    tf.import_graph_def(graph_def, name="")
  return tf.compat.v1.Session(graph=graph, config=config)


def show(what, fetches, feeds=None, timeout_ms=0):
  """Runs one step in a fresh session and prints what comes of it."""
  options = tf.compat.v1.RunOptions(timeout_in_ms=timeout_ms)
  try:
    with session() as s:
      print(what, "->", s.run(fetches, feeds, options=options), flush=True)
  except (tf.errors.OpError, ValueError) as e:
    lines = [line for line in str(e).splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("Graph execution", "Detected", "Node:", " "))]
    print(what, "->", type(e).__name__ + ":", (said + lines)[0], flush=True)


show("no trips", "i_out:0", {"n:0": 0}, timeout_ms=5000)
show("one trip", "i_out:0", {"n:0": 1}, timeout_ms=5000)
