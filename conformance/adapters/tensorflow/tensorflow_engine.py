#!/usr/bin/env python3
"""TensorFlow as a conformance engine: speaks engine.proto on its standard input and output.

Run it with the Python of the peers' environment (tools/make_peers.sh):

  engine=conformance/adapters/tensorflow/tensorflow_engine.py
  tagflow check --engine ".peers/bin/python $engine" conformance/cases

A crash of TensorFlow ends this process and costs the runner one case; a hang is the runner's to
end. A step runs on this thread, so by the time a Cancel is read there is nothing to cancel; it gets
no response, and "cancel" is not among the capabilities.
"""

import argparse
import os
import resource
import struct
import sys

# A graph can make TensorFlow take any amount (a loop's parallel_iterations is allocated in full);
# this much address space lets every sane graph run and keeps the others from the machine.
_MEMORY_MAX = 12 << 30


def claim_stdout():
  """The real standard output, for frames only; whatever is printed goes to stderr from now on."""
  frames = os.fdopen(os.dup(1), "wb")
  os.dup2(2, 1)
  return frames


class Engine:
  """Answers requests, one at a time."""

  def __init__(self, protos, graph_session):
    self._protos = protos
    self._gs = graph_session
    self._response = protos.message("conformance.Response")
    self._session = None
    self._deadline_s = 0.0

  def hello(self):
    response = self._response()
    response.hello.name = "tensorflow"
    response.hello.version = self._gs.tf.__version__
    response.hello.protocol = 1
    response.hello.capabilities.extend(["stateful", "devices", "deadline"])
    return response

  def answer(self, request):
    """The response to one request; errors become responses."""
    response = self._response()
    try:
      self._dispatch(request, response)
    except self._gs.EngineFailure as e:
      response.error.code = e.code
      response.error.message = e.message
    except self._gs.Unsupported as e:
      response.unsupported = str(e)
    return response

  def _dispatch(self, request, response):
    kind = request.WhichOneof("request")
    if kind == "load":
      self._load(request.load)
      response.loaded.SetInParent()
    elif kind == "run":
      self._run(request.run, response)
    elif kind == "close":
      self._close()
      response.closed.SetInParent()
    else:
      raise self._gs.EngineFailure("INVALID_ARGUMENT", "a request of no known kind")

  def _load(self, load):
    self._close()
    self._deadline_s = load.options.deadline_s
    self._session = self._gs.GraphSession(load.graph.SerializeToString(), list(load.devices),
                                          load.options.threads)

  def _run(self, run, response):
    if self._session is None:
      raise self._gs.EngineFailure("FAILED_PRECONDITION", "no graph is loaded")
    feeds = {f.name: self._gs.array_of(f.value.SerializeToString()) for f in run.feeds}
    values = self._session.run(feeds, list(run.fetches), list(run.targets), self._deadline_s)
    response.values.SetInParent()
    for value in values:
      response.values.values.add().ParseFromString(self._gs.proto_of(value))

  def _close(self):
    if self._session is not None:
      self._session.close()
      self._session = None


def read_frame(stream):
  """The next message's bytes, or None at the end of the stream."""
  header = stream.read(4)
  if len(header) < 4:
    return None
  (length,) = struct.unpack("<I", header)
  data = stream.read(length)
  return data if len(data) == length else None


def write_frame(stream, data):
  stream.write(struct.pack("<I", len(data)) + data)
  stream.flush()


def serve(engine, request_class, requests, responses):
  """Answers every request until the stream ends."""
  write_frame(responses, engine.hello().SerializeToString())
  while (data := read_frame(requests)) is not None:
    request = request_class.FromString(data)
    if request.WhichOneof("request") != "cancel":
      write_frame(responses, engine.answer(request).SerializeToString())


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
  parser.add_argument("--descriptors", help="descriptor set of engine.proto; default: run protoc")
  args = parser.parse_args()
  responses = claim_stdout()
  resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_MAX, _MEMORY_MAX))
  sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
  try:
    import protos
    if args.descriptors:
      protos.use_descriptor_set(args.descriptors)
    import graph_session
    engine = Engine(protos, graph_session)
    request_class = protos.message("conformance.Request")
  except ImportError as e:
    sys.exit(f"{e}: run this with the Python of the environment that tools/make_peers.sh makes")
  except protos.ProtosUnavailable as e:
    sys.exit(str(e))
  serve(engine, request_class, sys.stdin.buffer, responses)


if __name__ == "__main__":
  main()
