"""The page of a graph and a step of it, and how notebooks show them."""

from __future__ import annotations

import html
import os
import pathlib
import subprocess
import tempfile
from typing import Any, Dict, List, Optional

import numpy as np

from tagflow import _arrays
from tagflow import errors
from tagflow._graph import load
from tagflow._session import _Fetches, _feed_items

_PACKAGE = pathlib.Path(__file__).parent


def command() -> str:
    """The `tagflow` program that comes with the package; $TAGFLOW_COMMAND names another."""
    return os.environ.get("TAGFLOW_COMMAND") or str(_PACKAGE / "bin" / "tagflow")


class Page:
    """A page of `tagflow explore`; notebooks show it in a frame of its own."""

    def __init__(self, content: str) -> None:
        self.content = content

    def save(self, path: Any) -> None:
        """Writes it, to be opened in a browser."""
        pathlib.Path(path).write_text(self.content, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.content)}" width="100%" height="640" '
                'style="border: 1px solid #8888" sandbox="allow-scripts"></iframe>')


def _feed_words(names: List[str], values: List[Any], folder: pathlib.Path) -> List[str]:
    words = []
    for i, (name, value) in enumerate(zip(names, values)):
        array = _arrays.as_array(value, None, name)
        if array.dtype.kind == "O":
            array = array.astype("S")
        np.save(folder / f"{i}.npy", array, allow_pickle=False)
        words += ["--feed", f"{name}={folder / f'{i}.npy'}"]
    return words


def explore(graph: Any, fetches: Any = (), feeds: Optional[Dict[Any, Any]] = None, *,
            limit: int = 100_000, timeout: float = 60) -> Page:
    """A page on which one sees the graph, and a step of it run token by token.

    Args:
      graph: a Graph, or what `load` takes.
      fetches, feeds: as in Session.run; without fetches the page is of the graph alone.
      limit: of firings that the page holds.
      timeout: seconds after which the step ends; the page shows it as far as it came.

    Raises:
      Error: the graph or a name cannot be used.
    """
    graph = load(graph)
    asked = _Fetches(graph, fetches)
    names, values = _feed_items(feeds)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        graph.save(folder / "graph.pb")
        words = [command(), "explore", str(folder / "graph.pb"), "-o", str(folder / "page.html"),
                 "--limit", str(limit), "--deadline", str(timeout)]
        words += _feed_words(names, values, folder)
        for tensor in asked.tensors:
            words += ["--fetch", tensor]
        for target in asked.targets:
            words += ["--target", target]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise errors.InvalidArgumentError(done.stderr.strip().removeprefix("error: "))
        return Page((folder / "page.html").read_text(encoding="utf-8"))
