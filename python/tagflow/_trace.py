"""Every token of a step."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional

from tagflow import _core
from tagflow._explore import explore
from tagflow._graph import load
from tagflow._session import _Fetches, _feed_items


class Token(NamedTuple):
    """What one output of a node gave in one firing."""
    firing: int       # the number of the firing, in the order in which the reference ran them
    node: str
    op: str
    tag: str          # "while[3]": iteration 3 of the loop `while`; "" outside of loops
    output: int
    dead: bool
    value: Any        # an array or scalar; None for a dead token, and for a reference to a variable
    variable: str     # the name of the variable that it refers to, or ""
    inputs: List[int]  # the firings whose tokens the firing took; -1 for a feed


class Trace:
    """The tokens of a step, and what came of it.

    Attributes:
      tokens: the first ones, up to the limit.
      firings: how many firings the step had.
      truncated: whether tokens were left out.
      results: of the form of the fetches; None where the step failed.
      error: what the step failed with, or None.
    """

    def __init__(self, tokens: List[Token], firings: int, truncated: bool, results: Any,
                 error: Optional[Exception], page: Callable[[], Any]) -> None:
        self.tokens = tokens
        self.firings = firings
        self.truncated = truncated
        self.results = results
        self.error = error
        self._page = page

    def page(self) -> Any:
        """The step as a page to look at: a tagflow.Page."""
        return self._page()

    def _repr_html_(self) -> str:
        html: str = self._page()._repr_html_()
        return html

    def at(self, node: str) -> Dict[str, Any]:
        """{tag: value} of a node's output ("node", "node:1"), without the dead tokens."""
        name, _, output = node.partition(":")
        return {token.tag: token.value for token in self.tokens
                if token.node == name and token.output == int(output or 0) and not token.dead}

    def frame(self) -> Any:
        """The tokens as a pandas.DataFrame, a column for each field."""
        import pandas
        return pandas.DataFrame(self.tokens, columns=Token._fields)

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        left_out = ", the first ones" if self.truncated else ""
        failed = f", failed: {self.error}" if self.error else ""
        return f"<tagflow.Trace of {len(self)} tokens{left_out}, {self.firings} firings{failed}>"


def trace(graph: Any, fetches: Any, feeds: Optional[Dict[Any, Any]] = None, *,
          limit: int = 100_000, max_firings: int = 0, timeout: float = 0, seed: int = 0) -> Trace:
    """Runs one step on the reference, the standard as a program, and tells every token of it.

    A step that fails is told as far as it came: its error is in the trace, not raised.

    Args:
      graph: a Graph, or what `load` takes. Its variables are new.
      fetches, feeds: as in Session.run.
      limit: of firings that are told; the step runs to its end all the same.
      max_firings, timeout: where the step ends; 0: nowhere.
      seed: 0: nodes run in the order in which they become ready; else in a random one.

    Raises:
      TypeError: of what is no graph, no fetch, ...
      Error: a feed that does not fit.
    """
    graph = load(graph)
    asked = _Fetches(graph, fetches)
    names, values = _feed_items(feeds)
    events, firings, results, error = _core.trace(
        graph._core, names, values, asked.tensors, asked.targets, limit, max_firings, seed, timeout)
    tokens = [Token(firing, node, op, tag, place, is_dead, value, variable, inputs)
              for firing, node, op, tag, _, inputs, outputs in events
              for place, (is_dead, value, variable) in enumerate(outputs)]
    packed = None if error is not None else asked.pack(results)
    return Trace(tokens, firings, firings > len(events), packed, error,
                 lambda: explore(graph, fetches, feeds, limit=limit))
