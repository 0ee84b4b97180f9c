"""The project's protocol buffer messages, made at run time from its .proto files.

Code that an installed protoc generates often does not fit the protobuf runtime that TensorFlow
brings along, so no generated code is used: protoc only describes the files, and the classes are
made from that description, in a descriptor pool of their own (TensorFlow's messages live in the
default one).

The description comes from, in this order:
  1. the file named by use_descriptor_set(path), or by the variable TAGFLOW_DESCRIPTORS
     (the output of `protoc --include_imports --descriptor_set_out`);
  2. running protoc ($PROTOC, or the one on the PATH) over the checkout this file is in
     ($TAGFLOW_PROTO_ROOT names another).
"""

import functools
import os
import shutil
import subprocess
import tempfile

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message_factory

_TOP_FILE = "conformance/engine.proto"
_descriptor_set_path = None


class ProtosUnavailable(Exception):
  """No description of the messages could be had; the text says what to do."""


def use_descriptor_set(path):
  """Takes the message descriptions from `path`. Call it before the first message is made."""
  global _descriptor_set_path
  _descriptor_set_path = path
  _pool.cache_clear()


def message(name):
  """The class of the message `name`, as in message("conformance.Case"), message("GraphDef")."""
  return message_factory.GetMessageClass(_pool().FindMessageTypeByName("tagflow." + name))


@functools.cache
def _pool():
  path = _descriptor_set_path or os.environ.get("TAGFLOW_DESCRIPTORS")
  data = _read(path) if path else _run_protoc()
  pool = descriptor_pool.DescriptorPool()
  for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
    pool.Add(file)
  return pool


def _read(path):
  try:
    with open(path, "rb") as file:
      return file.read()
  except OSError as e:
    raise ProtosUnavailable(f"cannot read the descriptor set: {e}") from e


def _run_protoc():
  protoc = os.environ.get("PROTOC") or shutil.which("protoc")
  if not protoc:
    raise ProtosUnavailable(
        "no protoc found: install it (Debian: apt-get install protobuf-compiler), name it with "
        "PROTOC, or name a descriptor set with TAGFLOW_DESCRIPTORS")
  root = os.environ.get("TAGFLOW_PROTO_ROOT") or os.path.abspath(
      os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", ".."))
  with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "descriptors")
    done = subprocess.run(
        [protoc, f"-I{root}", "--include_imports", f"--descriptor_set_out={out}", _TOP_FILE],
        cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
      raise ProtosUnavailable(f"protoc failed under {root}: {done.stderr.strip()}")
    return _read(out)
