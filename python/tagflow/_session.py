"""Sessions: graphs with their variables, run step by step."""

from __future__ import annotations

from typing import Any, Callable as Function, Dict, List, Optional, Sequence, Tuple, Union

from tagflow import _core
from tagflow._graph import Graph, _name, load


class _Fetches:
    """What is to be fetched, nested as the user likes, and as the engine takes it: tensors and
    targets, each once."""

    def __init__(self, graph: Graph, structure: Any) -> None:
        self._graph = graph
        self.tensors: List[str] = []
        self.targets: List[str] = []
        self.pack = self._read(structure)

    def _read(self, structure: Any) -> Function[[List[Any]], Any]:
        """What makes of the engine's results something of the structure's form."""
        if isinstance(structure, dict):
            inner = {key: self._read(value) for key, value in structure.items()}
            return lambda values: type(structure)(
                (key, pack(values)) for key, pack in inner.items())
        if isinstance(structure, (list, tuple)):
            parts = [self._read(value) for value in structure]
            if hasattr(structure, "_fields"):  # a namedtuple
                return lambda values: type(structure)(*(pack(values) for pack in parts))
            return lambda values: type(structure)(pack(values) for pack in parts)
        return self._read_one(_name(structure), _is_operation(structure))

    def _read_one(self, name: str, is_target: bool) -> Function[[List[Any]], Any]:
        if is_target or (":" not in name and self._graph._core.num_outputs(name) == 0):
            self.targets.append(name)
            return lambda values: None
        if name not in self.tensors:
            self.tensors.append(name)
        place = self.tensors.index(name)
        return lambda values: values[place]


def _is_operation(fetch: Any) -> bool:
    """Whether it is a tf.Operation, which has a .name as a tensor has, and is run for its effect."""
    return hasattr(fetch, "node_def")


def _feed_items(feeds: Any) -> Tuple[List[str], List[Any]]:
    if feeds is None:
        return [], []
    if not isinstance(feeds, dict):
        raise TypeError(f"feeds are a dict from tensors to values, not {type(feeds).__name__}")
    return [_name(tensor) for tensor in feeds], list(feeds.values())


class Session:
    """A graph and the values of its variables.

    Of a SavedModel the variables are restored and the tables filled when the session is made. A
    session may be used by several threads at once; it is closed by `close`, by leaving a `with`
    block, or when nobody has it any more. A forked child makes its own.

    Args:
      graph: a Graph, or what `load` takes.
      threads: that may run kernels of a step; 0: one per core.
      devices: which there are, as "/device:CPU:0", "/device:GPU:0"; without any, one CPU. A graph is
        cut over several by what its nodes ask for.
      soft_placement: whether what a node asks for that is not there runs on what is.
      executor: "auto", "straight" (an error where the graph has not the structure) or "tokens";
        "native" makes machine code of loops at once, "interpreted" never.
      passes: by what the graph is made smaller before it runs: "none", "all", or some of those that
        `tagflow run --help` names, as "constants,switches".

    Raises:
      Error: the graph or an option cannot be used, or a variable cannot be restored.
    """

    def __init__(self, graph: Any, *, threads: int = 0, devices: Sequence[str] = (),
                 soft_placement: bool = False, executor: str = "auto",
                 passes: str = "none") -> None:
        self._graph = load(graph)
        self._core = _core.open_session(self._graph._core, threads, list(devices), soft_placement,
                                        executor, passes)

    @property
    def graph(self) -> Graph:
        """What it runs."""
        return self._graph

    def run(self, fetches: Any, feeds: Optional[Dict[Any, Any]] = None, *,
            timeout: float = 0, max_firings: int = 0) -> Any:
        """Runs one step.

        Args:
          fetches: the name of a tensor ("node", "node:1") or an object with such a .name; or of a
            node without outputs, which is run for its effect and gives None; or lists, tuples and
            dicts of these, nested.
          feeds: values of tensors by name. Arrays are read where they lie: nobody may change them
            until the step is over.
          timeout: seconds after which the step fails; 0: none.
          max_firings: kernels that may run before the step fails; 0: any number.

        Returns:
          Of the form of `fetches`: numpy scalars and arrays; bytes, and arrays of bytes objects, of
          strings. An array that shares memory with a constant or a variable is read-only.

        Raises:
          Error: the call, a kernel or the step fails; the session can be used afterwards.
          KeyboardInterrupt: Ctrl-C, in the main thread.
        """
        asked = _Fetches(self._graph, fetches)
        names, values = _feed_items(feeds)
        return asked.pack(self._core.run(names, values, asked.tensors, asked.targets, timeout,
                                         max_firings))

    def callable(self, feeds: Union[str, Sequence[Any]], fetches: Any) -> Function[..., Any]:
        """A step made ready, to be called again and again with the values of the feeds by position:
        `f = s.callable(["x", "y"], "z")`, `f(x, y)`. A call costs less than a microsecond more than
        the graph does.

        Args:
          feeds: names of tensors; a single one may be given by itself.
          fetches: as in `run`.

        Raises:
          Error: the call cannot be made. The function raises what `run` does.
        """
        asked = _Fetches(self._graph, fetches)
        several = feeds if isinstance(feeds, (list, tuple)) else [feeds]
        names = [_name(feed) for feed in several]
        is_one = len(asked.tensors) == 1 and not isinstance(fetches, (list, tuple, dict))
        call = self._core.make_callable(names, asked.tensors, asked.targets, is_one)
        is_plain = type(fetches) is list and fetches == asked.tensors
        if is_one or is_plain:
            return call
        pack = asked.pack
        return lambda *values: pack(call(*values))

    def signature(self, name: str = "serving_default") -> Function[..., Dict[str, Any]]:
        """A function of a SavedModel: takes its inputs by keyword, gives its outputs by name.

        Raises:
          KeyError: the model has no signature of this name; those it has are named.
        """
        signatures = self._graph.signatures
        if name not in signatures:
            raise KeyError(f"no signature {name!r}; there is: {', '.join(sorted(signatures))}")
        chosen = signatures[name]
        call = self.callable(list(chosen.inputs.values()), chosen.outputs)

        def function(**inputs: Any) -> Dict[str, Any]:
            if inputs.keys() != chosen.inputs.keys():
                raise TypeError(f"signature {name!r} takes {', '.join(chosen.inputs) or 'nothing'}, "
                                f"not {', '.join(inputs) or 'nothing'}")
            outputs: Dict[str, Any] = call(*(inputs[key] for key in chosen.inputs))
            return outputs

        return function

    def close(self) -> None:
        """Ends the session; steps that run in other threads come to their end."""
        self._core.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tagflow.Session of {self._graph!r}>"
