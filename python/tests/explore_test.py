"""Pages of graphs and steps, and what notebooks show."""

import os
import pathlib

import numpy as np
import pytest

import graphs
import tagflow

os.environ["TAGFLOW_COMMAND"] = str(pathlib.Path("cli/tagflow").resolve())


def test_a_step_is_a_page(tmp_path):
    page = tagflow.explore(graphs.add_one(), ["y"], {"x": np.ones(3, np.float32)})
    page.save(tmp_path / "page.html")
    content = (tmp_path / "page.html").read_text()
    assert content.startswith("<!doctype html>")
    assert "float[3] [2, 2, 2]" in content


def test_texts_are_fed():
    page = tagflow.explore(graphs.identity("DT_STRING"), "y", {"x": ["one", "two"]})
    assert "two" in page.content


def test_notebooks_show_graphs_and_runs():
    graph = graphs.counting()
    assert "<iframe" in graph._repr_html_()
    trace = tagflow.trace(graph, "out", {"n": 2})
    assert "<iframe" in trace._repr_html_()
    assert "loop[1]" in trace.page().content


def test_what_cannot_be_used_is_an_error():
    with pytest.raises(tagflow.Error, match="'x'"):
        tagflow.explore(graphs.add_one(), "y")
    with pytest.raises(tagflow.Error):
        tagflow.explore(graphs.add_one(), "z", {"x": 1.0})
