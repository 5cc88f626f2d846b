"""Scans, sums of segments and joins of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _kleene
from ._algebras import Algebra, find
from ._arrays import as_array, as_operand, cast, cast_exactly, empty, giver
from ._device import is_on_device
from ._runtime import threads_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def scan(
    values: ArrayLike,
    algebra: str | Algebra = "plus_times",
    *,
    offsets: ArrayLike | None = None,
    exclusive: bool = False,
    threads: int | None = None,
) -> Any:
    """The prefix sums of a vector by the algebra's +: out[i] = values[0] + ... + values[i].

    offsets    ascending positions, from 0 to the vector's length: each values[offsets[s]:offsets[s + 1]] for itself
    exclusive  without values[i]: the first is the algebra's zero
    threads    as of matmul

    Elements as in matmul: over plus_times int64 becomes float64. Sums of floats depend on the number of threads; those
    of selective algebras and integers do not. Integers wrap around. Minima and maxima pass a NaN over, as np.fmin and
    np.fmax do. A value worse than the algebra's zero stays, but where a sum begins with the zero: with exclusive.
    Vectors on a CUDA device stay there: on the current stream and without waiting, floats repeat to the last bit,
    elements have a type of the algebra's and offsets are int64, on that device and trusted.
    Raises ValueError: no vector, offsets that are none.
    """
    if is_on_device(values) or is_on_device(offsets):
        return _on_device().scan(find(algebra), values, offsets=offsets, exclusive=bool(exclusive))
    algebra, give = _find("scan", algebra), giver(values)
    row, values = _vector("scan", algebra, values)
    out = empty(values.shape, row.dtype)
    _kleene.scan(row.number, values, None if offsets is None else _offsets(offsets), out, bool(exclusive),
                 threads_of(threads))
    return give(out) if give else out


def segmented_reduce(
    values: ArrayLike, offsets: ArrayLike, algebra: str | Algebra = "plus_times", *, threads: int | None = None
) -> Any:
    """The sum of each segment values[offsets[s]:offsets[s + 1]] by the algebra's +; its zero where that is empty.

    offsets are ascending positions, from 0 to the vector's length, one more than there are segments. Elements, threads,
    devices and errors as of scan.
    """
    if is_on_device(values) or is_on_device(offsets):
        return _on_device().segmented_reduce(find(algebra), values, offsets)
    algebra, give = _find("segmented_reduce", algebra), giver(values)
    row, values = _vector("segmented_reduce", algebra, values)
    offsets = _offsets(offsets)
    out = empty((len(offsets) - 1,), row.dtype)
    _kleene.segmented_reduce(row.number, values, offsets, out, threads_of(threads))
    return give(out) if give else out


def join(a: ArrayLike, b: ArrayLike, how: str = "inner", *, threads: int | None = None) -> tuple[Any, Any]:
    """Which keys of two ascending vectors are equal, as rows of positions: (left, right), two int64 vectors.

    a[left[r]] == b[right[r]] for each row r; -1 stands for a side that is missing. Rows are in the order of left, then
    right; those without a left come last. how: "inner", "left" (each of a at least once), "right", "outer" (both). On a
    CUDA device, where a call waits for the number of rows, keys are of one type, float32, float64, int32 or int64, and
    trusted to ascend.

    Raises ValueError: no vectors, NaN, keys that do not ascend, an unknown join. TypeError: what is no array of
    numbers, or no name of a join. MemoryError, with the bytes, where the rows do not fit, of which equal keys make as
    many as there are pairs of them. Method: merge path (Baxter, 2013).
    """
    if not isinstance(how, str):
        told = f"the algebra {how.name}: no algebra takes part" if isinstance(how, Algebra) else repr(how)
        raise TypeError(f"join: how is 'inner', 'left', 'right' or 'outer', and not {told}")
    if is_on_device(a) or is_on_device(b):
        return _on_device().join(a, b, how)
    a, b = as_operand(a, "join: a"), as_operand(b, "join: b")
    kind = np.result_type(a.dtype, b.dtype)
    dtype = np.dtype(np.float64 if kind.kind == "f" else np.int64)
    keys = []
    for name, x in (("a", a), ("b", b)):
        if x.ndim != 1:
            raise ValueError(f"join: {name} has {x.ndim} dimensions; keys are a vector")
        x = np.ascontiguousarray(cast_exactly(x, dtype, "a key", "the other vector in {0} keeps it", name))
        if (x != x).any():
            raise ValueError(f"join: {name} has NaN, which is no key of joins (sort and merge take it)")
        if not (x[:-1] <= x[1:]).all():
            raise ValueError(f"join: the keys of {name} do not ascend")
        keys.append(x)
    return _kleene.join(*keys, how, threads_of(threads))


def _on_device():
    from . import _device_sequences

    return _device_sequences


def _find(operation, algebra):
    algebra = find(algebra)
    if algebra.extension is not _kleene:
        raise ValueError(f"{operation}: {algebra.name} is an algebra of your own: matmul and closure take these")
    return algebra


def _vector(operation, algebra, values):
    values = as_operand(values, f"{operation}: the vector")
    if values.ndim != 1:
        raise ValueError(f"{operation}: the values have {values.ndim} dimensions; they are a vector")
    row = algebra.row_for(values.dtype)
    return row, np.ascontiguousarray(cast(values, row.dtype, "values"))


def _offsets(offsets):
    offsets = np.ascontiguousarray(cast_exactly(as_array(offsets, "offsets"), np.dtype(np.int64), "an offset"))
    if offsets.ndim != 1 or not len(offsets):
        raise ValueError("offsets are a vector, one more than there are segments")
    return offsets
