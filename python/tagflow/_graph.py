"""Graphs, and where they come from."""

from __future__ import annotations

import gzip
import os
import tempfile
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from tagflow import _core
from tagflow import errors
from tagflow._ops import Ops, core_of


class Node(NamedTuple):
    """A node of a graph."""
    name: str
    op: str
    device: str
    inputs: List[str]  # "node", "node:1"; "^node" for a control edge


class Signature(NamedTuple):
    """What a model's function takes and gives: names for users, and the tensors they stand for."""
    inputs: Dict[str, str]
    outputs: Dict[str, str]


class Graph:
    """A dataflow graph; with the signatures of the model that it came from. It never changes.

    Made by `load`, `tagflow.build` and `gradients`.
    """

    def __init__(self, core: _core.Graph) -> None:
        self._core = core

    @property
    def nodes(self) -> List[Node]:
        """The nodes, in the graph's order."""
        return [Node(*node) for node in self._core.nodes()]

    @property
    def signatures(self) -> Dict[str, Signature]:
        """Of a SavedModel: what each of its functions takes and gives."""
        return {name: Signature(*both) for name, both in self._core.signatures().items()}

    def to_bytes(self) -> bytes:
        """The graph as a binary GraphDef, which TensorFlow reads."""
        return self._core.to_bytes()

    def to_text(self) -> str:
        """The graph as a text GraphDef."""
        return self._core.to_text()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the graph: as text if the path ends in .pbtxt, .textproto, .prototxt or .txt, else
        binary. The file is there whole or not at all.

        Raises:
          OSError: the file cannot be written.
        """
        path = os.fspath(path)
        is_text = path.endswith((".pbtxt", ".textproto", ".prototxt", ".txt"))
        content = self.to_text().encode("utf-8", "surrogateescape") if is_text else self.to_bytes()
        folder = os.path.dirname(os.path.abspath(path))
        handle, unfinished = tempfile.mkstemp(dir=folder, prefix=os.path.basename(path))
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(unfinished, 0o666 & ~umask)
            os.replace(unfinished, path)
        except BaseException:
            os.unlink(unfinished)
            raise

    def _repr_html_(self) -> str:
        from tagflow import _explore
        return _explore.explore(self)._repr_html_()

    def __len__(self) -> int:
        return self._core.num_nodes()

    def __repr__(self) -> str:
        return f"<tagflow.Graph of {len(self)} nodes>"


def _names(tensors: Any) -> List[str]:
    """Names of tensors given as one or several of names or things with a .name."""
    several = tensors if isinstance(tensors, (list, tuple)) else [tensors]
    return [_name(tensor) for tensor in several]


def _name(tensor: Any) -> str:
    name = tensor if isinstance(tensor, str) else getattr(tensor, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"{tensor!r} is no tensor: give its name, or an object with a .name")
    return name


# Files that are models of other kinds, by their beginnings.
_OTHERS = ((b"\x89HDF\r\n\x1a\n", "an HDF5 file, as Keras wrote them (.h5)"),
           (b"PK\x03\x04", "a zip archive, as Keras writes them (.keras)"))


def _refuse_others(beginning: bytes, what: str) -> None:
    for magic, kind in _OTHERS:
        if beginning.startswith(magic):
            raise errors.InvalidArgumentError(
                f"INVALID_ARGUMENT: {what} is {kind}, which holds weights and Python's description "
                "of layers, and no graph: load it with Keras and write a SavedModel with "
                "model.export(folder)")


def _load_path(path: str, tags: Sequence[str], ops: Optional[_core.Ops]) -> Graph:
    if os.path.isfile(path):
        with open(path, "rb") as file:
            _refuse_others(file.read(8), path)
    return Graph(_core.load_path(path, list(tags), ops))


def _load_bytes(content: bytes, ops: Optional[_core.Ops]) -> Graph:
    _refuse_others(content[:8], "what was given")
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    return Graph(_core.load_bytes(content, ops))


def load(source: Any, *, tags: Iterable[str] = (), session: Any = None,
         ops: Optional[Ops] = None) -> Graph:
    """A graph from wherever it is.

    Args:
      source: a path (a GraphDef, binary or text, gzip or not; a MetaGraph; the folder of a
        SavedModel), bytes of a GraphDef, a GraphDef message, a tf.Graph, or a ConcreteFunction of
        TensorFlow 2 with the values of what it captured.
      tags: of a SavedModel, which of its graphs; without any the one that serves.
      session: of a tf.Graph: the tf.compat.v1.Session that holds its variables' values, which
        become constants.
      ops: with ops of one's own; without, Tagflow's.

    Raises:
      Error: what is wrong with the graph, naming the node.
      TypeError: the source is nothing of these.
    """
    if isinstance(source, Graph):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _load_path(os.fspath(source), list(tags), core_of(ops))
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _load_bytes(bytes(source), core_of(ops))
    if hasattr(source, "SerializeToString"):
        return _load_bytes(source.SerializeToString(), core_of(ops))
    if hasattr(source, "structured_input_signature") or hasattr(source, "as_graph_def"):
        from tagflow import _tensorflow
        return _load_bytes(_tensorflow.graph_bytes(source, session), core_of(ops))
    hint = ""
    if hasattr(source, "get_concrete_function"):
        hint = ": it is a tf.function of any shapes; give what its .get_concrete_function(...) gives"
    raise TypeError(f"{source!r} is nothing that a graph can be loaded from{hint}")


def gradients(graph: Graph, ys: Any, xs: Any, grad_ys: Any = None, *, zeros: bool = False,
              history: str = "lists") -> Tuple[Graph, List[Optional[str]]]:
    """A graph with the nodes besides that compute the gradients of ys by xs.

    Args:
      graph: it stays as it is.
      ys: the tensors to differentiate: a name or several. Of several, and of the elements of each,
        the sum is differentiated.
      xs: by what: tensors, or handles of variables.
      grad_ys: for each y a tensor of its shape: what its elements count. Without, every one counts 1.
      zeros: zeros for an x that no path leads from, where else there is None.
      history: on what loops keep values for the way back: "lists", which have gradients themselves,
        or "stacks", as TensorFlow made them.

    Returns:
      The new graph, and for each x the name of its gradient in it, or None.

    Raises:
      Error: a name that is none, an op without a gradient, naming it and the path.
    """
    if history not in ("lists", "stacks"):
        raise ValueError(f"history is 'lists' or 'stacks', not {history!r}")
    core, found = graph._core.with_gradients(  # pylint: disable=protected-access
        _names(ys), _names(xs), [] if grad_ys is None else _names(grad_ys), zeros,
        history == "stacks")
    return Graph(core), [name or None for name in found]
