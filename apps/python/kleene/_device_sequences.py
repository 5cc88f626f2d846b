"""Scans, sums of segments, joins, sorts, merges and set operations of vectors on a CUDA device."""

from __future__ import annotations

import numpy as np

from . import _kleene
from ._device import Call
from ._device_matmul import require_catalog, require_one_type

_INT64 = np.dtype(np.int64)
_KEYS = ("float32", "float64", "int32", "int64")  # by their numbers in device_sequences.hpp


def scan(algebra, values, *, offsets, exclusive):
    """As kleene.scan; on the current stream, without waiting."""
    call, row, x, at = _sequence("scan", algebra, values, offsets)
    result, out = call.empty(x.shape, row.dtype)
    _kleene.scan_on_device(call.context, row.number, x.numbers(), at and at.numbers(), out.numbers(), exclusive)
    call.done()
    return result


def segmented_reduce(algebra, values, offsets):
    """As kleene.segmented_reduce; on the current stream, without waiting."""
    call, row, x, at = _sequence("segmented_reduce", algebra, values, offsets)
    result, out = call.empty((at.shape[0] - 1,), row.dtype)
    _kleene.segmented_reduce_on_device(call.context, row.number, x.numbers(), at.numbers(), out.numbers())
    call.done()
    return result


def join(a, b, how):
    """As kleene.join; waits for the number of rows."""
    call = _call("join", ("a", a), ("b", b))
    x, y = (_vector(call, "join", what, keys, "keys are") for what, keys in (("a", a), ("b", b)))
    plan = _kleene.join_on_device(call.context, _key_type("join", a=x, b=y), how, x.numbers(), y.numbers())
    rows = plan.rows()
    (left, to_left), (right, to_right) = call.empty((rows,), _INT64), call.empty((rows,), _INT64)
    plan.fill(to_left.numbers(), to_right.numbers())
    call.done()
    return left, right


def sort(order, keys, *, offsets, return_positions):
    """As kleene.sort; on the current stream, without waiting."""
    descends = _descends("sort", order)
    call = _call("sort", ("the vector of keys", keys), ("offsets", offsets))
    view = _read(call, "sort", "the vector of keys", keys, "keys are")
    at = None if offsets is None else _offsets(call, "sort", offsets)
    kind = _key_type("sort", keys=view)
    found, to = call.copy(keys)
    positions, p = call.empty(view.shape, _INT64) if return_positions else (None, None)
    _kleene.ordered_on_device(call.context, 0, kind, descends, None, None, at and at.numbers(), to.numbers(),
                              p and p.numbers())
    call.done()
    return (found, positions) if return_positions else found


def of_two(operation, number, a, b, order, *, return_positions):
    """As kleene.merge and the set operations; the former does not wait, the latter for the size of the result.

    number  the operation's, that of operations/own/plain/ordered.hpp
    """
    descends = _descends(operation, order)
    call = _call(operation, ("a", a), ("b", b))
    x, y = (_vector(call, operation, what, keys, "keys are") for what, keys in (("a", a), ("b", b)))
    kind = _key_type(operation, a=x, b=y)
    total = x.shape[0] + y.shape[0]
    keys, k = call.empty((total,), x.dtype)
    positions, p = call.empty((total,), _INT64) if return_positions else (None, None)
    count = _kleene.ordered_on_device(call.context, number, kind, descends, x.numbers(), y.numbers(), None,
                                      k.numbers(), p and p.numbers())
    call.done()
    if count < total:
        keys, positions = keys[:count], positions[:count] if return_positions else None
    return (keys, positions) if return_positions else keys


def _call(operation, *arrays):
    call = Call(operation, *((what, array, False) for what, array in arrays))
    call.require_results(operation)
    return call


def _sequence(operation, algebra, values, offsets):
    """(the call, the row, the values and the offsets as vectors; None without offsets)."""
    call = _call(operation, ("the vector", values), ("offsets", offsets))
    require_catalog(operation, algebra)
    x = _vector(call, operation, "the vector", values, "values are")
    return call, algebra.row(x.dtype), x, None if offsets is None else _offsets(call, operation, offsets)


def _read(call, operation, what, array, are):
    view = call.read(array, what)
    if view.ndim != 1:
        raise ValueError(f"{operation}: {what} has {view.ndim} dimensions; {are} a vector")
    return view


def _vector(call, operation, what, array, are):
    """A contiguous vector, copied where its elements lie apart."""
    view = _read(call, operation, what, array, are)
    return view if view.is_contiguous() else call.copy(array)[1]


def _offsets(call, operation, offsets):
    view = _vector(call, operation, "offsets", offsets, "offsets are")
    if view.dtype != _INT64 or not view.shape[0]:
        raise ValueError(f"{operation}: offsets on a device are a vector of int64, one more than there are segments, "
                         f"and not {view.shape[0]} of {view.dtype.name}")
    return view


def _key_type(operation, **arrays):
    dtype = require_one_type(operation, **arrays)
    if dtype.name not in _KEYS:
        raise ValueError(f"{operation}: keys on a device are {', '.join(_KEYS[:-1])} or {_KEYS[-1]}, and not "
                         f"{dtype.name}")
    return _KEYS.index(dtype.name)


def _descends(operation, order):
    if not order.is_known:
        raise ValueError(f"{operation}: {order.name} is an order of your own, which is compiled for the processor: its "
                         "arrays are in host memory")
    return order.name == "descending"
