"""The functions of scipy.sparse.csgraph, with its signatures and conventions, several times as fast.

    from kleene import csgraph                # in place of: from scipy.sparse import csgraph

shortest_path, floyd_warshall, dijkstra, bellman_ford and johnson are Kleene's, on all cores: float64 distances, inf
where there is no path; int32 predecessors, -9999 where there is none. In dense input 0, inf and NaN are no edges, in
masked input only what is masked, in sparse input only what is not stored. Of an edge that csr or csc stores twice the
shorter counts, as of SciPy's functions; other forms are converted, which adds the two up (and so does kl.shortest_paths
of every form). What else the module has is SciPy's own, under the same names.

Where it differs: a negative cycle is always a NegativeCycleError (with the cycle, but where overwrite=True has used
the graph up), also for dijkstra and for a vertex's edge to itself; undirected graphs whose two directions differ take
the shorter one, whatever the method; of several best paths another one may be returned; NaN that is stored in sparse
input, or not masked in masked input, is refused (SciPy takes it); 0 that is not masked is an edge for every function
(for SciPy's floyd_warshall none); dense values below 1e-8 are edges (SciPy drops them); dijkstra(limit=nan) has no
limit (SciPy: all but 0 is inf); a path whose length no float64 holds (1e308 + 1e308) is a ValueError (SciPy: inf, as
if there were none).

As SciPy, and unlike kl.shortest_paths, it rounds int64 weights beyond 2^53 to the next float64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import scipy.sparse.csgraph as _scipy
except ImportError as missing:
    raise ImportError("kleene.csgraph takes SciPy's matrices, and there is no SciPy: pip install scipy") from missing
from scipy.sparse.csgraph import *  # noqa: F403

from . import _kleene, _negative_weights
from ._closure import closure as _closure
from ._csgraph_input import Edges, dense_edges, sparse_edges
from ._errors import NegativeCycleError as _Base
from ._paths import shortest_paths as _shortest_paths
from ._runtime import threads_of as _threads_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = list(_scipy.__all__)


class NegativeCycleError(_Base, _scipy.NegativeCycleError):
    """SciPy's error and Kleene's; `cycle` has the vertices in order."""


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: ArrayLike | None = None,
) -> Any:
    """scipy.sparse.csgraph.shortest_path: distances of all pairs, or from `indices`, by 'auto', 'FW', 'D', 'BF' or 'J'.

    csgraph is n x n, dense, masked or sparse; distances are (n, n), or indices' shape + (n,), predecessors the same.
    Raises NegativeCycleError, and ValueError for other shapes, unknown methods, indices out of range or with 'FW'.
    """
    if method == "FW":
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    if method not in ("auto", "D", "BF", "J"):
        raise ValueError(f"unrecognized method '{method}'")
    return _search(csgraph, directed, indices, return_predecessors, unweighted)


def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """scipy.sparse.csgraph.floyd_warshall: all pairs by elimination, n^3 operations, any weights.

    overwrite has the distances computed in csgraph, where it is a C-ordered float64 array. Raises as shortest_path.
    """
    edges = dense_edges(csgraph, directed, unweighted, overwrite)
    try:
        found = _closure(edges, out=edges, return_predecessors=return_predecessors)
    except _Base:
        edges = dense_edges(csgraph, directed, unweighted, False) if not overwrite else None
        raise _with_cycle(edges) from None
    if not return_predecessors:
        return found
    distances, predecessors = found
    _kleene.predecessors_for_scipy(predecessors.reshape(-1), _threads_of(None))
    return distances, predecessors


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """scipy.sparse.csgraph.dijkstra: from `indices`; with min_only from the nearest of them: (n,), and its number.

    Distances beyond `limit` are inf. Weights may be negative. Raises as shortest_path; ValueError for a limit below 0,
    TypeError for one that is no number.
    """
    try:
        limit = float("text" if isinstance(limit, (str, bytes)) else limit)
    except OverflowError:  # an integer beyond all floats
        limit = np.inf if limit > 0 else -np.inf
    except (TypeError, ValueError):
        raise TypeError(f"limit: a number is needed, and not {limit!r}") from None
    if limit < 0:
        raise ValueError("limit must be >= 0")
    if not min_only:
        return _search(csgraph, directed, indices, return_predecessors, unweighted, limit)
    edges = sparse_edges(csgraph, directed, unweighted).within(limit)
    sources = edges.sources(indices)
    distances, predecessors = _distances(edges.with_a_start(sources), np.array([edges.n], np.int32))
    distances, predecessors = distances[0, :-1], predecessors[0, :-1]
    predecessors[predecessors == edges.n] = -9999
    _cut(distances, predecessors, limit)
    if not return_predecessors:
        return distances
    root = np.where(predecessors < 0, np.arange(edges.n, dtype=np.int32), predecessors)
    while not np.array_equal(root, root[root]):
        root = root[root]
    root[np.isinf(distances)] = -9999
    return distances, predecessors, root


def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """scipy.sparse.csgraph.bellman_ford: weights may be negative. Raises as shortest_path."""
    return _search(csgraph, directed, indices, return_predecessors, unweighted)


def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """scipy.sparse.csgraph.johnson: weights may be negative. Raises as shortest_path."""
    return _search(csgraph, directed, indices, return_predecessors, unweighted)


def yen(*arguments: Any, **options: Any) -> Any:
    """scipy.sparse.csgraph.yen, SciPy's own; its error is this module's."""
    try:
        return _scipy.yen(*arguments, **options)
    except _scipy.NegativeCycleError as fault:
        raise NegativeCycleError(str(fault)) from None


def _search(csgraph, directed, indices, return_predecessors, unweighted, limit=np.inf):
    """Distances from the vertices `indices`, and predecessors; of all without."""
    edges = sparse_edges(csgraph, directed, unweighted).within(limit)
    if indices is None:
        distances, predecessors = _distances(edges, None, return_predecessors)
    else:
        # A vertex that is asked for several times is a source once.
        sources, place = np.unique(edges.sources(indices), return_inverse=True)
        distances, predecessors = _distances(edges, sources, return_predecessors)
        shape = np.shape(indices) + (edges.n,)
        distances = distances[place].reshape(shape)
        predecessors = predecessors[place].reshape(shape) if return_predecessors else None
    _cut(distances, predecessors, limit)
    return (distances, predecessors) if return_predecessors else distances


def _distances(edges: Edges, sources, return_predecessors=True):
    """Distances, and predecessors or None, from sources (None: all)."""
    if sources is not None and not len(sources):
        return np.empty((0, edges.n)), np.empty((0, edges.n), np.int32)
    try:
        if edges.has_negative and edges.n > _negative_weights.ELIMINATED:
            distances, predecessors = _negative_weights.johnson(edges, sources, return_predecessors)
        else:
            whole = edges.fits_int32
            found = _shortest_paths(edges, sources=sources, predecessors=return_predecessors,
                                    dtype=np.int32 if whole else None)
            distances, predecessors = found.distances, found.predecessors
            if whole:
                lengths, distances = distances, np.empty(distances.shape)
                _kleene.lengths_for_scipy(lengths.reshape(-1), distances.reshape(-1), _threads_of(None))
    except _Base as fault:
        raise NegativeCycleError(str(fault), fault.cycle) from None
    if predecessors is not None:
        _kleene.predecessors_for_scipy(predecessors.reshape(-1), _threads_of(None))
    return distances, predecessors


def _cut(distances, predecessors, limit):
    """Removes what is farther than the limit."""
    if limit < np.inf:
        far = distances > limit
        distances[far] = np.inf
        if predecessors is not None:
            predecessors[far] = -9999


def _with_cycle(edges):
    """The error for a dense graph that has no distances; None: the graph is gone."""
    if edges is None:
        return NegativeCycleError("there is a negative cycle")
    try:
        _shortest_paths(edges, predecessors=False, method="floyd_warshall")
    except _Base as fault:
        return NegativeCycleError(str(fault), fault.cycle)
    raise AssertionError("a closure that does not exist, and no cycle")
