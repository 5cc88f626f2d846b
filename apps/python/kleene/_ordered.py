"""Sorts, merges and set operations of vectors, over any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _kleene
from ._arrays import as_array, as_operand, cast_exactly, empty, giver
from ._device import is_on_device
from ._order import OPERATIONS, Order, find_order
from ._runtime import threads_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def sort(
    keys: ArrayLike,
    order: str | Order = "ascending",
    *,
    offsets: ArrayLike | None = None,
    return_positions: bool = False,
    threads: int | None = None,
) -> Any:
    """A vector's keys in an order: stable, equals keep their order.

    order             "ascending", "descending" (equals are not turned about, and NaN stands last, in both), or an order
                      of one's own (kl.order)
    offsets           ascending positions, from 0 to the vector's length: each keys[offsets[s]:offsets[s + 1]] is sorted
                      for itself
    return_positions  gives (sorted, positions) with sorted = keys[positions], an int64 vector
    threads           as of matmul; NumPy's sort takes one

    Keys are what float64 or int64 holds, and come back in their own type. Those on a CUDA device (float32, float64,
    int32 or int64; the package's orders) are sorted there, on the current stream and without waiting, without offsets
    each NaN as the quiet one; offsets are int64 then, on that device. Raises ValueError: no vector, a uint64 beyond
    int64, offsets that are none, a NaN that an order of one's own does not place; TypeError: what are no numbers.
    Method: the package's orders by NumPy's sort, with positions by radix, on a device CUB's (Adinets and Merrill,
    2022); with offsets, and by an order of one's own, merge sort on merge paths (Green, McColl and Bader, 2012).
    """
    order = find_order(order)
    if is_on_device(keys) or is_on_device(offsets):
        return _on_device().sort(order, keys, offsets=offsets, return_positions=return_positions)
    give, keys = giver(keys), as_operand(keys, "sort: the vector of keys")
    if order.is_known and offsets is None:
        found = np.array(_compared("sort", "the vector of keys", keys, _sorted_as(keys.dtype)))
        positions, descends = None, order.name == "descending"
        if return_positions:
            positions = empty(found.shape, np.dtype(np.int64))
            _kleene.sort_with_positions(descends, found, positions, threads_of(threads))
        else:
            threads_of(threads)
            _sort_alone(found, descends)
        return _result(found, keys.dtype, positions, give, return_positions)
    found = np.array(_compared("sort", "the vector of keys", keys, _compared_as(keys.dtype)))
    order.require_no_nan("sort", "keys", found)
    if offsets is not None:
        offsets = cast_exactly(as_array(offsets, "sort: offsets"), np.dtype(np.int64), "an offset")
        offsets = np.ascontiguousarray(offsets)
        if offsets.ndim != 1 or not len(offsets):
            raise ValueError("offsets are a vector, one more than there are segments")
        if offsets[0] != 0 or offsets[-1] != len(found):  # as of scan; that they ascend order.run looks at
            raise ValueError(f"sort: segments from {offsets[0]} to {offsets[-1]} of {len(found)} keys: the first "
                             "begins at 0, the last ends with the keys")
    positions = np.arange(len(found))
    order.run("sort", None, None, offsets, found, positions, threads_of(threads))
    return _result(found, keys.dtype, positions, give, return_positions)


def merge(
    a: ArrayLike,
    b: ArrayLike,
    order: str | Order = "ascending",
    *,
    return_positions: bool = False,
    threads: int | None = None,
) -> Any:
    """Two vectors whose keys are in an order as one: stable, keys of a before equal ones of b.

    return_positions  gives (merged, positions) with merged = numpy.concatenate([a, b])[positions]

    order, threads and devices as of sort; elements have the common type of a and b. Raises as sort, and ValueError for
    keys that are not in the order, which on a device is not looked at. Method: merge path (Green, McColl and Bader,
    2012).
    """
    return _of_two("merge", a, b, order, return_positions, threads)


def set_union(
    a: ArrayLike,
    b: ArrayLike,
    order: str | Order = "ascending",
    *,
    return_positions: bool = False,
    threads: int | None = None,
) -> Any:
    """The keys that a or b has, of two vectors in an order: of m equal keys of a and n of b max(m, n), a's m first.

    Keys are equal of which neither comes before the other. Arguments, results and errors as of merge. On a device the
    call waits for the number of keys. Method: balanced path (Baxter, 2013).
    """
    return _of_two("set_union", a, b, order, return_positions, threads)


def set_intersection(
    a: ArrayLike,
    b: ArrayLike,
    order: str | Order = "ascending",
    *,
    return_positions: bool = False,
    threads: int | None = None,
) -> Any:
    """The keys that a and b both have: of m equal keys of a and n of b the first min(m, n) of a. Else as set_union."""
    return _of_two("set_intersection", a, b, order, return_positions, threads)


def set_difference(
    a: ArrayLike,
    b: ArrayLike,
    order: str | Order = "ascending",
    *,
    return_positions: bool = False,
    threads: int | None = None,
) -> Any:
    """The keys of a that b has not: of m equal keys of a and n of b the last m - n of a. Else as set_union."""
    return _of_two("set_difference", a, b, order, return_positions, threads)


def set_symmetric_difference(
    a: ArrayLike,
    b: ArrayLike,
    order: str | Order = "ascending",
    *,
    return_positions: bool = False,
    threads: int | None = None,
) -> Any:
    """The keys that one of a and b has: of m equal keys of a and n of b the last |m - n| of the more. As set_union."""
    return _of_two("set_symmetric_difference", a, b, order, return_positions, threads)


def _of_two(operation, a, b, order, return_positions, threads):
    order = find_order(order)
    if is_on_device(a) or is_on_device(b):
        number = OPERATIONS.index(operation)
        return _on_device().of_two(operation, number, a, b, order, return_positions=return_positions)
    give = giver(a, b)
    a, b = as_operand(a, f"{operation}: a"), as_operand(b, f"{operation}: b")
    dtype = np.result_type(a.dtype, b.dtype)
    operands, total = [], 0
    for name, x in (("a", a), ("b", b)):
        x = _compared(operation, name, x, _compared_as(dtype))
        order.require_no_nan(operation, name, x)
        operands.append((x, np.arange(total, total + len(x))))
        total += len(x)
    keys, positions = empty((total,), operands[0][0].dtype), empty((total,), np.dtype(np.int64))
    count = order.run(operation, *operands, None, keys, positions, threads_of(threads))
    return _result(keys[:count], dtype, positions[:count], give, return_positions)


def _on_device():
    from . import _device_sequences

    return _device_sequences


def _compared_as(dtype):
    return np.dtype(np.float64 if dtype.kind == "f" else np.int64)


def _sorted_as(dtype):
    """The narrowest of the types that numbers are sorted in that has all of this one's."""
    narrow = np.dtype(np.float32 if dtype.kind == "f" else np.int32)
    return narrow if np.can_cast(dtype, narrow) else _compared_as(dtype)


def _sort_alone(keys, descends):
    """In place, by NumPy's sort. That is not stable: zeros of both signs and NaN are put into their order again."""
    turn = np.invert if keys.dtype.kind == "i" else np.negative
    if descends:
        turn(keys, out=keys)
    zeros, others = (keys[keys == 0], keys[keys != keys]) if keys.dtype.kind == "f" else ((), ())
    keys.sort()
    if len(zeros):
        first = np.searchsorted(keys, keys.dtype.type(0))
        keys[first:first + len(zeros)] = zeros
    if len(others):
        keys[-len(others):] = others
    if descends:
        turn(keys, out=keys)


def _compared(operation, name, keys, dtype):
    """The keys as a contiguous vector of the type that they are compared in."""
    if keys.ndim != 1:
        raise ValueError(f"{operation}: {name} has {keys.ndim} dimensions; keys are a vector")
    called = "keys" if operation == "sort" else name
    return np.ascontiguousarray(cast_exactly(keys, dtype, "a key", "the other vector in {0} keeps it", called))


def _result(keys, dtype, positions, give, return_positions):
    keys = keys.astype(dtype, copy=False)
    found = (keys, positions) if return_positions else (keys,)
    if give:
        found = tuple(give(x) for x in found)
    return found if return_positions else found[0]
