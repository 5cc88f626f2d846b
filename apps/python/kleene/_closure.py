"""Closures: all paths at once."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _kleene
from ._algebras import find
from ._arrays import as_array, as_operand, cast_exactly, empty, giver, output, require_exact
from ._device import is_on_device
from ._errors import NegativeCycleError, cycle_error, star_error
from ._refusals import reword
from ._runtime import block_of, require_truths, threads_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._algebras import Algebra
    from ._kleene import Progress


def closure(
    a: ArrayLike,
    algebra: str | Algebra = "min_plus",
    *,
    return_predecessors: bool = False,
    out: np.ndarray | tuple[np.ndarray | None, np.ndarray | None] | None = None,
    sizes: ArrayLike | None = None,
    block: int | None = None,
    check_domain: bool = True,
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    """The closure a* = 1 + a + a a + ...: all-pairs shortest (min_plus), widest (max_min), ... paths; or_and: reach.

    a is (..., n, n), and each matrix is closed for itself. The algebra's zero means "no edge" (kl.zero: inf over
    min_plus); the diagonal takes part, and comes back as the algebra's one where no loop improves on it.

    algebra             a name in kl.algebras
    return_predecessors also an int32 array of a's shape: p[..., i, j] is the last vertex before j on a best path from
                        i, -1 for i == j and where there is none. Selective algebras
    out                 where a* goes: a's shape, of the element type, C-contiguous; it may be a itself (in place). With
                        return_predecessors also a pair (lengths, predecessors), each an array or None: many small
                        matrices take half as long where the system need not find new memory for them
    sizes               integers (...): only so many vertices of each matrix take part; the rest stays as it is (-1)
    block               vertices eliminated together (384); over floats that round it is part of the result
    check_domain        False: the caller's word that no element is NaN or outside the algebra's domain
    threads, progress   as of matmul

    Method: blocked Gauss-Jordan elimination over the semiring (Floyd and Warshall's; Venkataraman, Sahni and
    Mukhopadhyaya 2003), n^3 operations.

    Over plus_times a* is (I - a)^-1, also where the sum of walks does not converge, as of [[0, 2], [3, 0]]. Rows are
    not exchanged, so a star without a value is a pivot of 0: I - a has no inverse, or the vertices want another order.
    int64 becomes float64 there; over int32, which has no fractions, only 0 has a star: walks of graphs without cycles.

    Floats are IEEE's: over plus_times a length may become inf, over max_times so small that it is 0, which reads as "no
    path". Lengths of min_plus and max_plus that are too large for the type are refused. Arrays on a CUDA device are
    closed there, on the current stream; the call returns when it is known whether the closure exists. There lengths
    that leave the type become inf, and beyond 2048 vertices an improving cycle is not shown.

    Raises NegativeCycleError (with the cycle, where a is still there): a cycle improves without end. ValueError: a is
    not square, a value is outside the domain or NaN, an int64 that would be rounded to a float, a star has no value,
    a result that the type cannot hold, a tensor that needs a gradient. TypeError: what is no array of numbers.
    MemoryError: no room for the panels.
    """
    algebra = find(algebra)
    out, predecessors = _pair(out, return_predecessors)
    if is_on_device(a) or is_on_device(out) or is_on_device(predecessors):
        from . import _device_paths

        return _device_paths.closure(algebra, a, return_predecessors=return_predecessors, out=out,
                                     predecessors=predecessors, sizes=sizes, block=block, check_domain=check_domain)
    give, given, largest = giver(a), (out, predecessors), None
    copies = False  # whether what is closed is a copy that the extension makes
    a = as_operand(a, "closure: a")
    out = None if out is None else output(out)
    if not algebra.has_closure:
        raise ValueError(f"{algebra.name} has no closure: {algebra.no_closure}")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"closure: a square matrix or a batch of them is needed; a is {a.shape}")
    if predecessors is not None:
        predecessors = _apart(output(predecessors, "out[1]"), a, out)
    row = algebra.row_for(a.dtype)
    batches = a.ndim > 2 and sizes is None and algebra.extension is _kleene
    if out is None:
        out = empty(a.shape, row.dtype)
        copies = batches and _is_plain(a, out)
        if not copies:
            largest = _copy(out, a, threads_of(threads))
            require_exact(a, out, "a")
    elif out.shape != a.shape or out.dtype != row.dtype or not out.flags.c_contiguous:
        raise ValueError(f"closure: out is {out.shape} of {out.dtype.name}; it must be C-contiguous, {a.shape} of "
                         f"{row.dtype.name}")
    elif not _is_same(out, a):
        copies = batches and _is_plain(a, out) and not np.may_share_memory(a, out)
        if not copies:
            np.copyto(out, a, casting="same_kind")
            require_exact(a, out, "a")
    in_place = np.may_share_memory(a, out)

    n, batch = a.shape[-1], a.shape[:-2]
    flat = (prod(batch), n, n)
    matrices = out.reshape(flat) if batch else out
    if sizes is not None:
        sizes = sizes_of(sizes, batch)
        matrices = out.reshape(flat)
    far = check_domain and not copies and _may_overflow(algebra, out, largest, threads_of(threads))
    arcs = _arcs_of(out, row) if far else None
    if return_predecessors:
        if predecessors is None:
            predecessors = empty(out.shape, np.dtype(np.int32))
        predecessors = predecessors.reshape(matrices.shape)
        if sizes is not None:
            predecessors.fill(-1)
    last = block_of(block), check_domain, threads_of(threads), progress
    try:
        if copies:
            diverging, largest = _kleene.closure_of_copies(row.number, a.reshape(flat), matrices, predecessors, *last)
        else:
            diverging = algebra.extension.closure(row.number, matrices, predecessors, sizes, *last)
    except ValueError:
        wrong_in = a if copies else out if sizes is None else _taking_part(out, sizes, row.zero)
        reword({"A": "a"}, {"a": wrong_in}, row.dtype, given[0])
        raise
    except TypeError:
        require_truths(check_domain=check_domain)
        raise
    failed = next((at for at, vertex in enumerate(diverging) if vertex >= 0), None)
    if failed is not None:
        original = None if in_place else a.reshape(flat)[failed]
        if sizes is not None and original is not None:
            original = original[: sizes[failed], : sizes[failed]]
        _raise_diverging(algebra, row.dtype, original, diverging[failed], which_matrix(failed, batch))
    if copies and check_domain and _may_overflow(algebra, out, largest, threads_of(threads)):
        far, arcs = True, _arcs_of(a, row)
    if far:
        _refuse_overflow(algebra, row, arcs, out.reshape(flat), sizes, batch)
    found = [out, predecessors.reshape(out.shape)] if return_predecessors else [out]
    if give:
        found = [give(x) for x in found]
    found = [new if old is None else old for new, old in zip(found, given)]
    return tuple(found) if return_predecessors else found[0]


def _pair(out, return_predecessors):
    """Where lengths and predecessors go, of what the caller gave. ValueError: a tuple of anything else."""
    if not isinstance(out, tuple):
        return out, None
    if not return_predecessors or len(out) != 2:
        asked = "" if return_predecessors else ", without return_predecessors"
        raise ValueError(f"closure: out is a tuple of {len(out)}{asked}; a pair of arrays takes lengths and "
                         "predecessors")
    return out


def _apart(predecessors, a, out):
    """The array, if predecessors can be written to it. ValueError: they cannot."""
    if predecessors.shape != a.shape or predecessors.dtype != np.int32 or not predecessors.flags.c_contiguous:
        raise ValueError(f"closure: out[1] is {predecessors.shape} of {predecessors.dtype.name}; it must be "
                         f"C-contiguous, {a.shape} of int32")
    for other, name in ((a, "a"), (out, "out[0]")):
        if other is not None and np.may_share_memory(predecessors, other):
            raise ValueError(f"closure: out[1] shares memory with {name}")
    return predecessors


def sizes_of(sizes, batch):
    """One size for each matrix of a batch, in one vector. ValueError, with both shapes: they do not fit."""
    sizes = cast_exactly(as_array(sizes, "closure: sizes"), np.dtype(np.int32), "a size")
    try:
        return np.ascontiguousarray(np.broadcast_to(sizes, batch)).reshape(-1)
    except ValueError:
        raise ValueError(f"closure: sizes is {sizes.shape}; there is one for each matrix of a batch that is {batch}"
                         ) from None


def _taking_part(a, sizes, zero):
    """Without the elements that sizes leave out, which may be anything."""
    n, sizes = a.shape[-1], sizes.reshape(a.shape[:-2])[..., None]
    inside = np.arange(n) < sizes
    return np.where(inside[..., :, None] & inside[..., None, :], a, zero)


def _is_plain(a, out):
    """Whether a's elements lie as those of out, which is contiguous."""
    return a.dtype == out.dtype and a.flags.c_contiguous and a.flags.aligned


def _copy(out, a, threads):
    """Copies a to out, which is contiguous. Returns the largest finite magnitude where it has seen it, or None."""
    if _is_plain(a, out) and a.dtype in (np.float32, np.float64):
        return _kleene.copy_largest(a.reshape(-1), out.reshape(-1), threads)
    np.copyto(out, a)
    return None


def _may_overflow(algebra, a, largest, threads):
    """Whether a path of finite arcs may be too long for the floats, and so look like none."""
    if algebra.name not in ("min_plus", "max_plus") or a.dtype.kind != "f" or not a.size:
        return False
    if largest is None:
        flat = a.reshape(-1)
        largest = _kleene.copy_largest(flat, flat, threads)
    return largest > np.finfo(a.dtype).max / a.shape[-1]


def which_matrix(at, batch):
    """ " of matrix 3", " of matrix (1, 0)": the one at a position of a batch of these extents; "" where it is alone."""
    place = tuple(map(int, np.unravel_index(at, batch))) if batch else ()
    return f" of matrix {place[0] if len(place) == 1 else place}" if place else ""


def _arcs_of(a, row):
    """Of each matrix which elements are arcs, and which are infinitely good ones."""
    flat = a.reshape(-1, *a.shape[-2:])
    return flat != row.zero, flat == -row.zero


def _refuse_overflow(algebra, row, arcs, closed, sizes, batch):
    """Raises for the first pair that finite arcs connect and whose length is infinite."""
    from . import bits

    for at, (own, infinite, lengths) in enumerate(zip(*arcs, closed)):
        n = len(own) if sizes is None or sizes[at] < 0 else sizes[at]
        lost = bits.closure(bits.pack(own[:n, :n])).unpack() & (lengths[:n, :n] == row.zero)
        if not infinite[:n, :n].any():
            lost |= lengths[:n, :n] == -row.zero
        if lost.any():
            i, j = np.argwhere(lost)[0]
            wider = "" if row.dtype == np.float64 else "float64 or "
            raise ValueError(f"closure: over {algebra.name} the length of the path from {i} to {j}"
                             f"{which_matrix(at, batch)} is too large for {row.dtype.name}; use {wider}smaller weights")


def _is_same(x, y):
    return x.__array_interface__["data"] == y.__array_interface__["data"] and x.strides == y.strides


def _raise_diverging(algebra, dtype, a, vertex, where):
    """Says what has no closure: with the cycle where the matrix is still there."""
    if not algebra.is_selective:
        raise star_error(algebra, dtype, vertex, where)
    if a is not None and algebra.has_paths:
        from ._paths import shortest_paths

        try:
            shortest_paths(a, algebra, predecessors=False, method="floyd_warshall")
        except NegativeCycleError as shown:
            raise cycle_error(shown.cycle, algebra.name, where) from None
    raise NegativeCycleError(f"a cycle through vertex {vertex}{where} improves without end")
