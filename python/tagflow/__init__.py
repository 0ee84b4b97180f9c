"""Tagflow: dataflow graphs with control flow, run fast and by the standard.

  import tagflow
  graph = tagflow.load("graph.pbtxt")     # or a SavedModel's folder, a tf.Graph, ...
  with tagflow.Session(graph) as session:
      session.run("y", {"x": 3.0})        # as in TensorFlow 1
      f = session.callable(["x"], "y")    # made ready once
      f(3.0)
  tagflow.trace(graph, "y", {"x": 3.0})   # every token of a step
  tagflow.explore(graph, "y", {"x": 3.0}) # the same as a page to look at

Graphs are built by tagflow.build; tagflow.testing holds engines to the standard.
"""

from tagflow._own_libraries import with_own_libraries

with with_own_libraries():
    from tagflow import _core
from tagflow import _arrays
from tagflow import build
from tagflow import errors
from tagflow._explore import Page, explore
from tagflow._graph import Graph, Node, Signature, gradients, load
from tagflow._ops import Ops
from tagflow._session import Session
from tagflow._trace import Token, Trace, trace
from tagflow.errors import Error

_core._adopt(errors._from_status, _arrays.as_array)

__all__ = ["Error", "Graph", "Node", "Ops", "Page", "Session", "Signature", "Token", "Trace", "build",
           "errors", "explore", "gradients", "load", "trace"]
__version__ = "0.1.0"
