"""Numbers that the benchmark programs are made of, the same for every peer."""

import numpy as np


def matrix(shape, scale):
    """scale * u(i), u in [-1, 1): the same numbers as bench/program_maker.cc makes."""
    x = np.arange(np.prod(shape), dtype=np.uint32) * np.uint32(2654435761)
    x ^= x >> np.uint32(15)
    x *= np.uint32(2246822519)
    x ^= x >> np.uint32(13)
    return (scale * (x / 2147483648.0 - 1)).astype(np.float32).reshape(shape)


def draws():
    """What says which nodes a node of the random graph takes."""
    state = 12345
    while True:
        state = (state * 1664525 + 1013904223) % 2**32
        yield state >> 8


def wide_edges(ops):
    """The random graph: the nodes (a, b) that each op takes, and those that no op takes."""
    edges, used, draw = [], set(), draws()
    for k in range(1, ops + 1):
        edges.append((next(draw) % k, next(draw) % k))
        used |= set(edges[-1])
    return edges, [k for k in range(ops + 1) if k not in used]
