"""Orders of keys: ascending, descending, and kl.order for one's own."""

from __future__ import annotations

import ctypes
import re
import warnings
from collections.abc import Callable
from typing import Any, Optional

import numpy as np

from . import _kleene
from ._ring_trace import Expression
from ._runtime import require_texts

# The operations by their numbers, those of operations/own/plain/ordered.hpp.
OPERATIONS = ("sort", "merge", "set_union", "set_intersection", "set_difference", "set_symmetric_difference")
TRIED = np.array([-50.0, -7.0, -3.0, -2.5, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, 19.0])

_Side = Optional[tuple[np.ndarray, np.ndarray]]


class _Request(ctypes.Structure):
    _fields_ = [("operation", ctypes.c_int), *((name, ctypes.c_void_p) for name in
                                               ("a", "b", "a_positions", "b_positions")),
                ("a_count", ctypes.c_int64), ("b_count", ctypes.c_int64), ("offsets", ctypes.c_void_p),
                ("segments", ctypes.c_int64), ("keys", ctypes.c_void_p), ("positions", ctypes.c_void_p),
                ("count", ctypes.c_int64)]


class Order:
    """Which of two keys comes first: an order of one's own, or "ascending" and "descending".

    name  what messages call it
    """

    def __init__(self, name, less=None):
        self.name = name
        self._less = less  # None: the extension's
        self._functions = {}
        self._places_nan = less is None or None  # None: not tried yet

    @property
    def is_known(self) -> bool:
        """Whether it is the package's, and no order of one's own."""
        return self._less is None

    def require_no_nan(self, operation: str, name: str, keys: np.ndarray) -> None:
        """ValueError, with its position, for a NaN among keys of the caller's `name` that the order does not place."""
        if self._places_nan or keys.dtype.kind != "f":
            return
        is_nan = keys != keys
        if not is_nan.any():
            return
        if self._places_nan is None:
            self._places_nan = _breach(self._less, np.append(TRIED, np.nan)) is None
        if not self._places_nan:
            raise ValueError(f"{operation}: {name}[{is_nan.argmax()}] is NaN, which {self.name} does not place: its "
                             "less has to say where NaN goes (a != a is true of NaN alone)")

    def __repr__(self):
        return f"<kleene order {self.name}>"

    def __getstate__(self):  # compiled functions stay in their process
        return {**self.__dict__, "_functions": {}}

    def run(
        self, operation: str, a: _Side, b: _Side, offsets: np.ndarray | None, keys: np.ndarray, positions: np.ndarray,
        threads: int,
    ) -> int:
        """Does it on vectors of float64 or int64; a and b: (keys, positions), or None. How many keys it has written."""
        if self.is_known:
            return _kleene.ordered(OPERATIONS.index(operation), self.name == "descending", *(a or (None, None)),
                                   *(b or (None, None)), offsets, keys, positions, threads)
        if keys.dtype.kind == "i" and not self._less.is_whole():
            raise ValueError(f"{operation}: {self.name} has a / or a number that is not whole, and these keys are "
                             "whole: hand them over as floats")
        from . import _order_loops, _ring_calls  # two thirds of the package's import, were they there

        function = self._function(keys.dtype.name)
        if function is None:
            return _order_loops.run(self._less, operation, a, b, offsets, keys, positions)
        request = _Request(operation=OPERATIONS.index(operation), keys=keys.ctypes.data,
                           positions=positions.ctypes.data, count=len(keys))
        for name, given in (("a", a), ("b", b)):
            if given is not None:
                for field, value in ((name, given[0].ctypes.data), (f"{name}_positions", given[1].ctypes.data),
                                     (f"{name}_count", len(given[0]))):
                    setattr(request, field, value)
        if offsets is not None:
            request.offsets, request.segments = offsets.ctypes.data, len(offsets) - 1
        written, message = ctypes.c_int64(), ctypes.create_string_buffer(1024)
        _ring_calls.check(function(ctypes.byref(request), ctypes.byref(written), threads, message), message)
        return written.value

    def _function(self, dtype):
        if dtype not in self._functions:
            from . import _ring_build

            try:
                function = _ring_build.library_of(_ring_build.text_of_order(self._less, dtype)).order_run
            except _ring_build.NoCompiler as why:
                warnings.warn(f"{self.name} sorts in Python, hundreds of times as slow as compiled: {why}",
                              RuntimeWarning, stacklevel=5)
                function = None
            self._functions[dtype] = function
        return self._functions[dtype]


_known = {name: Order(name) for name in ("ascending", "descending")}


def find_order(order):
    """An order by its name, or as it is. ValueError for an unknown one."""
    found = _known.get(order) if isinstance(order, str) else order
    if not isinstance(found, Order):
        raise ValueError(f"there is no order {order!r}; there are ascending, descending and what kl.order makes")
    return found


def order(name: str, less: Callable[[Any, Any], Any]) -> Order:
    """An order of one's own, for sort, merge and the set operations: less(a, b) says whether key a comes before key b.

        by_size = kl.order("by_size", lambda a, b: abs(a) < abs(b))
        kl.sort([3, -1, 2, -2], by_size)                         # [-1, 2, -2, 3]: equals keep their order

    name  letters, digits and _; what messages call it
    less  of two numbers: a strict weak order (no key is before itself; being before, and being neither before nor
          after, both carry on from a to b to c)

    less is called once, as functions are by semiring, and becomes an expression of + - * /, abs, comparisons (joined by
    & | ^ ~), kl.where, kl.min and kl.max; the first call with keys of a type compiles it (seconds), and keeps that on
    disk. Without a compiler a warning is given and Python sorts. NaN is a key where less places it, and refused with
    its position where not: with a < b alone it is neither before nor after any number, which is no weak order.

        nan_last = kl.order("nan_last", lambda a, b: (a < b) | (a == a) & (b != b))

    Raises ValueError: what cannot be an expression (with its line), no strict weak order for numbers tried (with them).
    """
    require_texts(name=name)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in _known:
        raise ValueError(f"order: {name!r} is no name for an order of your own: letters, digits and _, and none of the "
                         "package's")
    made = Expression(less, f"{name}: less", gives_truth=True)
    _require_strict_weak(name, made)
    return Order(name, made)


def _require_strict_weak(name, less):
    """ValueError with the numbers tried that show that it is none."""
    breach = _breach(less, TRIED)
    if breach:
        raise ValueError(f"{name}: {breach}")


def _breach(less, v):
    """What shows that `less` is no strict weak order of the numbers v, or None."""
    before = np.broadcast_to(less(v[:, None], v[None, :]), (len(v), len(v)))
    if before.diagonal().any():
        return f"less({v[before.diagonal().argmax()]}, itself) is true: no order that is strict"
    for relation, word in ((before, "is before"), (~before & ~before.T, "is neither before nor after")):
        carried = relation[:, :, None] & relation[None, :, :] & ~relation[:, None, :]
        if carried.any():
            a, b, c = v[list(np.unravel_index(carried.argmax(), carried.shape))]
            return f"{a} {word} {b}, and {b} {word} {c}, but {a} is not so with {c}: no weak order"
    return None
