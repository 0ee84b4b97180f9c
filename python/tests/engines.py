"""Engines to be tested."""

import os

import tagflow


def good(graph):
    """Tagflow itself."""
    session = tagflow.Session(graph, threads=1)

    def run(feeds, fetches, targets):
        values = session._core.run(list(feeds), list(feeds.values()), fetches, targets, 10, 0)
        return values
    return run


def off_by_one(graph):
    """Wrong wherever a result is an int32."""
    inner = good(graph)

    def run(feeds, fetches, targets):
        return [value + 1 if getattr(value, "dtype", None) == "int32" else value
                for value in inner(feeds, fetches, targets)]
    return run


def lacking(graph):
    """Has no loops."""
    if any(node.op == "Enter" for node in graph.nodes):
        raise NotImplementedError("no loops here")
    return good(graph)


def crashing(graph):
    """Is gone before it answers."""
    os._exit(3)
