"""Johnson's algorithm (1977) for sparse graphs with negative weights that are too large to be eliminated."""

from __future__ import annotations

import numpy as np

from ._csgraph_input import Edges
from ._errors import cycle_error
from ._paths import shortest_paths

# Up to so many vertices elimination takes a tenth of a second.
ELIMINATED = 1500


def _potentials(edges):
    """Bellman and Ford's distances from a vertex before all others; raises the error of a negative cycle.

    Each pass relaxes all edges at once, sorted by their targets.
    """
    order = np.argsort(edges.col, kind="stable")
    row, data = edges.row[order], edges.data[order]
    targets, first = np.unique(edges.col[order], return_index=True)
    height = np.zeros(edges.n)
    for _ in range(edges.n):
        reached = np.minimum.reduceat(height[row] + data, first)
        better = reached < height[targets]
        if not np.any(better):
            return height
        height[targets[better]] = reached[better]
    raise cycle_error(_cycle(edges, height), "min_plus")


def _cycle(edges, height):
    """A negative cycle, where n passes have not come to an end: along the edges that improve a height last."""
    before = np.full(edges.n, -1, np.int64)
    for _ in range(edges.n):
        reached = height[edges.row] + edges.data
        better = np.flatnonzero(reached < height[edges.col])
        better = better[np.argsort(-reached[better], kind="stable")]  # the least comes last, and stays
        before[edges.col[better]] = edges.row[better]
        height[edges.col[better]] = reached[better]
        start = edges.col[better[-1]]
        seen = {}
        at = int(start)
        while at >= 0 and at not in seen:
            seen[at] = len(seen)
            at = int(before[at])
        if at >= 0:
            cycle = list(seen)[seen[at]:]
            return cycle[::-1]
    raise AssertionError("paths get shorter without end, and there is no cycle")


def johnson(edges, sources, predecessors):
    """(distances, predecessors or None) from the sources (None: all): Dijkstra over weights raised to be positive."""
    height = _potentials(edges)
    raised = edges.data + height[edges.row] - height[edges.col]
    found = shortest_paths(Edges(edges.n, edges.row, edges.col, np.maximum(raised, 0)), sources=sources,
                           predecessors=predecessors)
    distances = found.distances
    distances += height[None, :]
    distances -= (height if sources is None else height[sources])[:, None]
    return distances, found.predecessors
