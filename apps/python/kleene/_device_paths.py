"""Closures and shortest paths on a CUDA device."""

from __future__ import annotations

from math import prod

import numpy as np

from . import _kleene
from ._closure import sizes_of, which_matrix
from ._device import Call, require_cuda
from ._device_libraries import library_of
from ._errors import NegativeCycleError, star_error
from ._graphs import is_sparse
from ._refusals import reword, wait
from ._runtime import block_of

_INT32 = np.dtype(np.int32)
_SHOWS_CYCLES = 2048  # vertices: up to here the host looks for the cycle, in less than a second


def closure(algebra, a, *, return_predecessors, out, predecessors, sizes, block, check_domain):
    """As kleene.closure, whose arguments these are. Returns when it is known whether the closure exists."""
    call = Call("closure", ("a", a, False), ("out", out, True), ("out[1]", predecessors, True))
    if not algebra.has_closure:
        raise ValueError(f"{algebra.name} has no closure: {algebra.no_closure}")
    view = call.read(a, "a")
    if view.ndim < 2 or view.shape[-1] != view.shape[-2]:
        raise ValueError(f"closure: a square matrix or a batch of them is needed; a is {view.shape}")
    row = algebra.row(view.dtype)
    if out is None:
        result, closed = call.copy(a)
    else:
        result, closed = out, call.read(out, "out")
        if closed.shape != view.shape or closed.dtype != row.dtype or not closed.is_contiguous():
            raise ValueError(f"closure: out is {closed.shape} of {closed.dtype.name}; it must be C-contiguous, "
                             f"{view.shape} of {row.dtype.name}")
    in_place = closed.address == view.address
    sizes = None if sizes is None else sizes_of(sizes, view.shape[:-2])
    p = None
    if predecessors is not None:
        p = _apart(call.read(predecessors, "out[1]"), view, closed)
    if out is not None and not in_place:
        out[...] = a
    if predecessors is not None:
        if sizes is not None:
            library_of(predecessors).fill(predecessors, -1)
    elif return_predecessors:
        predecessors, p = call.empty(view.shape, _INT32, None if sizes is None else -1)

    is_batch = view.ndim > 2 or sizes is not None
    shape = (prod(view.shape[:-2]), *view.shape[-2:]) if is_batch else view.shape
    strides = (view.shape[-1] ** 2, view.shape[-1], 1)[3 - len(shape):]
    numbers = [None if x is None else x.viewed(shape, strides).numbers() for x in (closed, p)]
    try:
        diverging = algebra.extension.closure_on_device(call.context, row.number, *numbers, sizes, is_batch,
                                              block_of(block), check_domain)
    except ValueError:
        reword({"A": "a"}, {}, row.dtype, out)
        raise
    failed = next((at for at, vertex in enumerate(diverging) if vertex >= 0), None)
    if failed is not None:
        original = None if in_place or view.ndim > 2 or sizes is not None else a
        _raise_diverging(algebra, row.dtype, original, diverging[failed], which_matrix(failed, view.shape[:-2]))
    wait(call.context)
    return (result, predecessors) if return_predecessors else result


def _apart(predecessors, a, closed):
    """The view, if predecessors can be written to it. ValueError: they cannot."""
    if predecessors.shape != closed.shape or predecessors.dtype != _INT32 or not predecessors.is_contiguous():
        raise ValueError(f"closure: out[1] is {predecessors.shape} of {predecessors.dtype.name}; it must be "
                         f"C-contiguous, {closed.shape} of int32")
    begin, end = _reach(predecessors)
    for other, name in ((a, "a"), (closed, "out[0]")):
        first, last = _reach(other)
        if max(begin, first) < min(end, last):
            raise ValueError(f"closure: out[1] shares memory with {name}")
    return predecessors


def _reach(view):
    """The addresses from its first byte to behind its last."""
    if 0 in view.shape:
        return view.address, view.address
    size = view.dtype.itemsize
    ends = [(extent - 1) * stride * size for extent, stride in zip(view.shape, view.strides)]
    return view.address + sum(min(end, 0) for end in ends), view.address + sum(max(end, 0) for end in ends) + size


def _raise_diverging(algebra, dtype, a, vertex, where):
    """Says what has no closure: with the cycle where the matrix is still there and small enough to look at."""
    if not algebra.is_selective:
        raise star_error(algebra, dtype, vertex, where)
    if a is not None and algebra.has_paths and a.shape[0] <= _SHOWS_CYCLES:
        from ._paths import shortest_paths

        shortest_paths(to_host(a), algebra, predecessors=False, method="floyd_warshall")
    raise NegativeCycleError(f"a cycle through vertex {vertex}{where} improves without end")


def to_host(array):
    """A copy in NumPy's memory; waits for it."""
    if hasattr(array, "get"):  # CuPy
        return array.get()
    return np.asarray(array.detach().cpu() if hasattr(array, "detach") else array)


class DeviceTree:
    """What ShortestPaths asks for paths: predecessors and weights on the device."""

    def __init__(self, call, algebra, row, graph, predecessors, sources):
        self._call, self._algebra, self._row = call, algebra, row
        self._graph, self._predecessors, self._sources = graph, predecessors, sources
        n = graph.shape[0]
        self._facts = ("floyd_warshall", "the graph is on a device", n * n, 0.0, 2.0 * n**3, [])

    def facts(self):
        return self._facts

    def path(self, source, target):
        return self.paths([(source, target)], 0)[0]

    def paths(self, pairs, _threads):
        if self._predecessors is None:
            raise ValueError("paths need the predecessors: shortest_paths(..., predecessors=True)")
        for source, _ in pairs:
            if self._sources is not None and source not in self._sources:
                raise ValueError(f"there is no path from vertex {source}: it is not among the sources")
        view = self._call.read(self._predecessors, "predecessors")
        ways = _kleene.paths_on_device(self._call.context, view.numbers(), list(pairs))
        return [(way, self._length(way)) for way in ways]

    def _length(self, way):
        """The algebra's product of the arcs of a way, in order."""
        if not way:
            return self._row.zero.item()
        times = {"plus": lambda x, y: x + y, "times": lambda x, y: x * y, "max": max, "min": min,
                 "and": lambda x, y: x & y}[self._algebra.name.rpartition("_")[2]]
        length = self._row.one
        for i, j in zip(way, way[1:]):
            length = times(length, self._row.dtype.type(self._graph[i, j].item()))
        return length.item()


def _dense(graph, algebra):
    """A sparse graph as the matrix that is closed on a device."""
    of, weights = library_of(graph), library_of(graph).weights(graph)
    require_cuda(weights)
    return of.dense(graph, algebra.row(of.read(weights, "graph", None).dtype).zero.item())


def shortest_paths(graph, algebra, *, sources, predecessors, method, dtype, block):
    """(what answers for paths, distances, predecessors) as kleene.shortest_paths has them, on the graph's device."""
    if is_sparse(graph):
        graph = _dense(graph, algebra)
    call = Call("shortest_paths", ("graph", graph, False))
    if method not in ("auto", "floyd_warshall"):
        raise ValueError(f"shortest_paths: on a device there is floyd_warshall, and not {method!r}")
    view = call.read(graph, "graph")
    if view.ndim != 2 or view.shape[0] != view.shape[1]:
        raise ValueError(f"shortest_paths: a graph is a square matrix, and not {view.shape}")
    row = algebra.row(view.dtype)
    if dtype is not None and np.dtype(dtype) != row.dtype:
        raise ValueError(f"shortest_paths: the graph has elements of {row.dtype.name}: on a device nothing is "
                         "converted")
    found = closure(algebra, graph, return_predecessors=predecessors, out=None, predecessors=None, sizes=None,
                    block=block, check_domain=True)
    distances, before = found if predecessors else (found, None)
    tree = DeviceTree(call, algebra, row, graph, before, sources)
    if sources is not None:
        if len(sources) and not (0 <= sources.min() and sources.max() < view.shape[0]):
            raise ValueError(f"a source is not among the {view.shape[0]} vertices (0-based)")
        rows = sources.astype(np.int64)
        distances, before = distances[rows], None if before is None else before[rows]
    return tree, distances, before
