"""Semiring linear algebra: matrix products, closures and shortest paths whose + and x are something else.

    import numpy as np
    import kleene as kl

    c = kl.matmul(a, b, "min_plus")                # c[i, j] = min over k of a[i, k] + b[k, j]
    r = kl.shortest_paths(graph)                   # all pairs; dense arrays, SciPy's sparse ones, kl.read's
    vertices, length = r.path(s, t)                # with the way, not only its length
    d = kl.closure(a, "max_min")                   # widest paths between all vertices, in one call

`kl.algebras` has the algebras by name, `kl.semiring` makes one of two functions; `kleene.csgraph` has the functions of
scipy.sparse.csgraph, several times as fast. Calls leave the interpreter's lock, run on as many threads as
OMP_NUM_THREADS or set_threads() says, and stop on Ctrl-C. KLEENE_EXPLAIN=1 in the environment prints what ran and why.
"""

from importlib import import_module as _import
from typing import TYPE_CHECKING

from ._kleene import version as __version__

# What is here is imported when it is first asked for: NumPy takes most of the time of all of it, and a program that
# may never come so far (a plugin, a command line's help) waits for nothing.
_HOMES = {
    "_algebras": ("Algebra", "algebras", "one", "zero"),
    "_closure": ("closure",),
    "_device": ("synchronise",),
    "_einsum": ("einsum",),
    "_errors": ("NegativeCycleError",),
    "_files": ("read", "write"),
    "_graphs": ("Graph",),
    "_matmul": ("matmul",),
    "_order": ("Order", "order"),
    "_ordered": ("merge", "set_difference", "set_intersection", "set_symmetric_difference", "set_union", "sort"),
    "_paths": ("Path", "ShortestPaths", "shortest_paths"),
    "_ring_trace": ("max", "min", "where"),
    "_runtime": ("cuda_devices", "describe", "explain", "get_threads", "set_threads"),
    "_semiring": ("semiring",),
    "_sequences": ("join", "scan", "segmented_reduce"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("bits", "csgraph", "gradients", "jax", "torch")

if TYPE_CHECKING:  # a checker knows all names, and so those that are misspelled
    from . import bits, csgraph, gradients, jax, torch
    from ._algebras import Algebra, algebras, one, zero
    from ._closure import closure
    from ._device import synchronise
    from ._einsum import einsum
    from ._errors import NegativeCycleError
    from ._files import read, write
    from ._graphs import Graph
    from ._matmul import matmul
    from ._order import Order, order
    from ._ordered import merge, set_difference, set_intersection, set_symmetric_difference, set_union, sort
    from ._paths import Path, ShortestPaths, shortest_paths
    from ._ring_trace import max, min, where
    from ._runtime import cuda_devices, describe, explain, get_threads, set_threads
    from ._semiring import semiring
    from ._sequences import join, scan, segmented_reduce
else:

    def __getattr__(name):
        if name in _HOME:
            globals()[name] = thing = getattr(_import(f"{__name__}.{_HOME[name]}"), name)
            return thing
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            return _import(f"{__name__}.{name}")
        except ImportError as missing:  # hasattr() is False; `import kleene.torch` raises the same words itself
            raise AttributeError(str(missing), name=name) from missing

    def __dir__():
        return sorted({*globals(), *_HOME, *_MODULES})


__all__ = [
    "Algebra",
    "Graph",
    "NegativeCycleError",
    "Order",
    "Path",
    "ShortestPaths",
    "algebras",
    "closure",
    "cuda_devices",
    "describe",
    "einsum",
    "explain",
    "get_threads",
    "join",
    "matmul",
    "max",
    "merge",
    "min",
    "one",
    "order",
    "read",
    "scan",
    "segmented_reduce",
    "semiring",
    "set_difference",
    "set_intersection",
    "set_symmetric_difference",
    "set_threads",
    "set_union",
    "shortest_paths",
    "sort",
    "synchronise",
    "where",
    "write",
    "zero",
]
