"""Graphs as scipy.sparse.csgraph takes them: dense (0, inf and NaN are no edges), masked, or sparse."""

from __future__ import annotations

import operator

import numpy as np
from scipy.sparse import issparse

from ._arrays import refuse_networkx
from ._graphs import Graph, require_consistent

_F64 = np.dtype(np.float64)


class Edges(Graph):
    """A graph of n vertices whose parallel edges are the shortest of them."""

    def __init__(self, n, row, col, data):
        super().__init__(n, np.ascontiguousarray(row, np.int32), np.ascontiguousarray(col, np.int32),
                         np.ascontiguousarray(data, _F64))

    @property
    def n(self):
        return self.vertices

    @property
    def has_negative(self):
        return bool(np.any(self.data < 0))

    @property
    def fits_int32(self):
        """Whether weights are whole numbers, none negative, and no path leaves int32: then 1.6 times as fast."""
        if not len(self.data):
            return False
        longest = float(self.data.max()) * self.n
        return self.data.min() >= 0 and longest < 2**28 and bool((self.data == np.rint(self.data)).all())

    def sources(self, indices):
        """Vertices by number, negative ones from the end, as one int32 vector.

        ValueError: one is out of range. TypeError: what are no numbers.
        """
        sources = np.arange(self.n) if indices is None else np.atleast_1d(np.asarray(indices)).reshape(-1)
        if sources.dtype.kind not in "biuf" and sources.size:
            try:
                sources = np.array([operator.index(v) for v in sources])
            except TypeError:
                raise TypeError(f"indices: numbers of vertices are needed, and not {indices!r}") from None
        sources = np.where(sources < 0, sources + self.n, sources)
        if len(sources) and not (0 <= sources.min() and sources.max() < self.n):
            raise ValueError(f"indices out of range 0...{self.n}")
        return sources.astype(np.int32)

    def within(self, limit):
        """The graph without edges that no path within the limit has: where none is negative, those that are longer."""
        if not limit < np.inf or self.has_negative:
            return self
        far = self.data > limit
        return Edges(self.n, self.row[~far], self.col[~far], self.data[~far])

    def with_a_start(self, targets):
        """The graph with one vertex more, from which an edge of no length leads to each target."""
        return Edges(self.n + 1, np.append(self.row, np.full(len(targets), self.n)), np.append(self.col, targets),
                     np.append(self.data, np.zeros(len(targets))))


def _square(csgraph):
    if csgraph.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    return csgraph.shape[0]


def _no_edge(values):
    """Where a dense array has none."""
    return ~(np.isfinite(values) & (values != 0))


def sparse_edges(csgraph, directed, unweighted):
    """A list of the edges; of an undirected graph each in both directions."""
    if issparse(csgraph):
        require_consistent(csgraph)
        coo = csgraph.tocsr().tocoo()
        n, row, col, data = _square(coo), coo.row, coo.col, np.asarray(coo.data, _F64)
    else:
        refuse_networkx(csgraph, "csgraph")
        masked = np.ma.isMaskedArray(csgraph)
        values = np.asarray(csgraph.data if masked else csgraph, _F64)
        n = _square(values)
        row, col = np.nonzero(~np.ma.getmaskarray(csgraph) if masked else ~_no_edge(values))
        data = values[row, col]
    if unweighted:
        data = np.ones(len(data))
    if directed:
        return Edges(n, row, col, data)
    return Edges(n, np.append(row, col), np.append(col, row), np.append(data, data))


def dense_edges(csgraph, directed, unweighted, overwrite):
    """A float64 matrix with inf where there is no edge: csgraph itself, if it may be overwritten and is one."""
    if issparse(csgraph):
        edges = sparse_edges(csgraph, True, unweighted)
        matrix = np.full((edges.n, edges.n), np.inf)
        np.minimum.at(matrix, (edges.row, edges.col), edges.data)
    else:
        refuse_networkx(csgraph, "csgraph")
        masked = np.ma.isMaskedArray(csgraph)
        values = csgraph.data if masked else csgraph
        kept = overwrite and type(values) is np.ndarray and values.dtype == _F64 and values.flags.carray
        matrix = values if kept else np.array(values, _F64, order="C")
        _square(matrix)
        matrix[np.ma.getmaskarray(csgraph) if masked else _no_edge(matrix)] = np.inf
        if unweighted:
            matrix[np.isfinite(matrix)] = 1
    if not directed:
        np.minimum(matrix, matrix.T.copy(), out=matrix)
    return matrix
