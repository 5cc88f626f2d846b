"""All-pairs shortest paths, with the paths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _kleene
from ._algebras import find
from ._arrays import as_operand, cast, cast_exactly, empty
from ._device import is_on_device
from ._errors import cycle_error
from ._graphs import Graph, is_sparse, rows_of
from ._refusals import reword
from ._runtime import block_of, require_texts, threads_of, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from ._algebras import Algebra
    from ._kleene import Progress


class Path(NamedTuple):
    """A way: its vertices from source to target (none where there is no way), and its length."""

    vertices: list[Any]
    length: Any


class ShortestPaths:
    """What shortest_paths found.

    distances     (sources, n): the length of the best path from sources[i] to j; the algebra's zero (inf over
                  min_plus) where there is none, its one (0) from a vertex to itself
    predecessors  int32 (sources, n): the last vertex before j, -1 for the source and where there is no path; or None
    sources       int32: the vertex of each row
    method, reason  what ran, and why
    seconds         how long it took
    """

    def __init__(self, found, graph, arrays, distances, predecessors, sources):
        self._found = found
        self._graph = graph if isinstance(graph, Graph) else None
        self._arrays = arrays  # path() reads the arcs' weights from them
        self.distances = distances
        self.predecessors = predecessors
        self.sources = np.arange(distances.shape[1], dtype=np.int32) if sources is None else sources
        self._sources = range(distances.shape[1]) if sources is None else frozenset(self.sources.tolist())
        self.method, self.reason, self.arcs, self.seconds, self.operations, _ = found.facts()

    def __repr__(self):
        return f"<kleene shortest paths of {self.distances.shape[1]} vertices by {self.method}>"

    def path(self, source: Any, target: Any) -> Path:
        """The best path as (vertices, length); by names where the graph has names. No way: no vertices, and zero.

        Numbers are positions, also where there are names, but where all names are whole numbers: there a number is
        refused, '1' is the name, and graph.names[1] the position. The length is summed again along the arcs, whose
        weights must still be what they were. Raises ValueError: predecessors were not asked for, source is not among
        the sources, target is no vertex, a number that may be a name. KeyError: no such name. TypeError: a name where
        the graph has none.
        """
        return self._named(self._found.path(*self._numbers(source, target)))

    def paths(self, pairs: Iterable[tuple[Any, Any]], threads: int | None = None) -> list[Path]:
        """path() of many pairs (source, target), in parallel: by names, too, where the graph has names.

        Raises as path; TypeError, ValueError: an entry is no pair.
        """
        numbers = [self._numbers(*pair) for pair in _pairs(pairs)]
        return [self._named(p) for p in self._found.paths(numbers, threads_of(threads))]

    def _named(self, found):
        vertices, length = found
        if self._graph is not None and self._graph.names is not None:
            vertices = [self._graph.names[v] for v in vertices]
        return Path(vertices, length)

    def _numbers(self, source, target):
        if self.predecessors is None:
            raise ValueError("paths need the predecessors: shortest_paths(..., predecessors=True)")
        if not len(self.sources):
            raise ValueError("there is no path from a vertex that is not among the sources: there are no sources")
        start, end = self._number(source), self._number(target)
        if start not in self._sources:
            called = repr(source) if isinstance(source, str) else f"vertex {start}"
            raise ValueError(f"there is no path from {called}: it is not among the sources")
        return start, end

    def _number(self, vertex):
        """A vertex, perhaps by name, as a number that the extension takes."""
        if self._graph is not None and self._graph.names is not None:
            vertex = self._graph.vertex(vertex)
        number, n = whole(vertex, "a vertex"), self.distances.shape[1]
        if not 0 <= number < n:
            raise ValueError(f"vertex {number} is not in a graph of {n} (0-based)")
        return number

    def __reduce__(self):
        raise TypeError("shortest paths are neither pickled nor copied: take their .distances and .predecessors")


def shortest_paths(
    graph: Any,
    algebra: str | Algebra = "min_plus",
    *,
    sources: ArrayLike | Iterable[Any] | None = None,
    predecessors: bool = True,
    method: str = "auto",
    dtype: DTypeLike | None = None,
    block: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> ShortestPaths:
    """The best paths between all pairs of vertices, or from some of them: shortest, over min_plus.

    graph         a square dense array (only the algebra's zero, inf over min_plus, is no arc), a sparse matrix of
                  SciPy's, CuPy's or torch's csr (only what is not stored is no arc: an explicit 0 is one; entries
                  stored twice are added up, as SciPy does), or what kl.read returns (parallel arcs are combined by the
                  algebra's +). On a CUDA device it is closed there, a sparse one as a dense matrix
    algebra       a selective one: min_plus shortest, max_min widest, min_max minimax, max_times most reliable, or_and
                  reachable (by each stored entry of a sparse graph, whatever its weight)
    sources       vertices, by position or by name, as of path: rows for these alone (of none: no rows); None: all, in
                  order
    predecessors  False: without path(), and n^2 int32 less memory
    method        "floyd_warshall" (any weights, n^3), "dijkstra" (weights that improve no path), "hierarchy" (such
                  int32 and int64 of min_plus and max_plus; with predecessors none of 0; n^3 steps where there are no
                  small separators, as in random graphs), "auto": the fastest
    dtype         of weights and distances. None: dense arrays keep theirs, sparse weights are float64 (float32 stays)
    block         as of closure
    threads, progress  as of matmul

    Returns a ShortestPaths. Methods: Dijkstra 1959 from each source; sweeps over a contraction hierarchy (Dibbelt,
    Strasser and Wagner 2014; Delling, Goldberg, Nowatzyk and Werneck 2011), for road networks and the like ten times as
    fast; the blocked elimination of closure.

    Raises NegativeCycleError (with the cycle): a cycle improves without end. ValueError: no square, a weight that is
    NaN, outside the algebra's domain or not exactly of the dtype (an int64 as float64), dijkstra asked for where a
    weight improves a path, an overflow. MemoryError: no room, with the number of bytes.
    """
    algebra = find(algebra)
    if not algebra.has_paths:
        if algebra.extension is not _kleene and algebra.is_selective:
            raise ValueError(f"{algebra.name} is an algebra of your own: closure with return_predecessors has paths")
        raise ValueError(f"{algebra.name} has no paths: no single path gives a result")
    if is_on_device(graph) or is_sparse(graph) and is_on_device(getattr(graph, "data", None)):
        from . import _device_paths

        sources = None if sources is None else _numbers_of(sources, graph)
        found = _device_paths.shortest_paths(graph, algebra, sources=sources, predecessors=predecessors, method=method,
                                             dtype=dtype, block=block)
        return ShortestPaths(found[0], graph, None, *found[1:], sources)
    row, arrays = _arrays_of(graph, algebra, dtype)
    n = len(arrays[1]) - 1 if arrays[0] is None else arrays[0].shape[0]
    if sources is not None:
        sources = _numbers_of(sources, graph)
    no_sources = sources is not None and not len(sources) and n > 0
    if no_sources:
        sources = np.zeros(1, np.int32)  # the extension takes none for all: one, whose row is left out
    shape = (n if sources is None else len(sources), n)
    distances = empty(shape, row.dtype)
    before = empty(shape, np.dtype(np.int32)) if predecessors else None
    block = block_of(block)
    require_texts(method=method)
    try:
        found = algebra.extension.shortest_paths(row.number, *arrays, distances, before, sources, method, block,
                                                 threads_of(threads), progress)
    except ValueError:
        reword({}, {}, row.dtype)
        raise
    cycle = found.facts()[-1]
    if cycle:
        named = isinstance(graph, Graph) and graph.names is not None
        raise cycle_error([graph.names[v] for v in cycle] if named else cycle, algebra.name)
    if no_sources:
        distances, before, sources = (None if x is None else x[:0] for x in (distances, before, sources))
    return ShortestPaths(found, graph, arrays, distances, before, sources)


def _pairs(pairs):
    """Pairs of vertices as tuples. TypeError: an entry is of another kind. ValueError: it is of another length."""
    if not isinstance(pairs, Iterable):
        raise TypeError(f"paths: pairs of vertices are needed, [(0, 1), (2, 3)], and not {pairs!r}")
    for at, pair in enumerate(pairs):
        if isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable):
            raise TypeError(f"paths: pairs of vertices are needed, [(0, 1), (2, 3)]; entry {at} is {pair!r}")
        pair = tuple(pair)
        if len(pair) != 2:
            raise ValueError(f"paths: entry {at} is of {len(pair)} vertices, {pair}; a pair is (source, target)")
        yield pair


def _numbers_of(sources, graph):
    """Sources as an int32 vector."""
    if isinstance(sources, (str, bytes)):
        raise TypeError(f"sources: a list of vertices is needed, and not {sources!r}")
    if isinstance(sources, Iterable) and not hasattr(sources, "__array__"):
        sources = list(sources)  # NumPy takes sets, generators and keys for one object
    named = isinstance(graph, Graph) and graph.names is not None
    if named:
        sources = [graph.vertex(s) for s in sources] if np.ndim(sources) else graph.vertex(sources)
    try:
        numbers = np.atleast_1d(np.asarray(sources))
    except ValueError:  # lists of several lengths
        raise ValueError("sources: a list of vertices is needed, and not one of lists") from None
    if numbers.ndim != 1:
        raise ValueError(f"shortest_paths: sources have {numbers.ndim} dimensions")
    if numbers.dtype.kind == "b":
        raise TypeError("sources: numbers of vertices are needed, and not bools: numpy.flatnonzero makes them")
    return np.ascontiguousarray(cast_exactly(numbers, np.dtype(np.int32), "a source"))


def _arrays_of(graph, algebra, dtype):
    """The row, and the graph as (dense, indptr, indices, data): one or three of them."""
    if isinstance(graph, Graph):
        indptr, indices, data = graph.csr(algebra, dtype)
        return algebra.row(data.dtype), (None, indptr, indices, data)
    if is_sparse(graph):
        row, rows = rows_of(graph, algebra, dtype)
        return row, (None, *rows)
    dense = as_operand(graph, "shortest_paths: the graph")
    if dense.ndim != 2 or dense.shape[0] != dense.shape[1]:
        raise ValueError(f"shortest_paths: a graph is a square matrix, and not {dense.shape}")
    own = algebra.row_for(dense.dtype)
    row = own if dtype is None else algebra.row(dtype)
    if row is own:
        return row, (cast(dense, row.dtype, "graph"), None, None, None)
    arcs = dense != own.zero
    weights = np.full(dense.shape, row.zero)
    weights[arcs] = cast_exactly(dense[arcs], row.dtype, "a weight")
    return row, (weights, None, None, None)
