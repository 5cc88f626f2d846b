"""What stands in for the extension where an algebra is a ring of one's own: the same calls, to compiled kernels."""

from __future__ import annotations

import ctypes
import warnings

import numpy as np

from . import _kleene, _ring_build, _ring_loops
from ._algebras import algebras

_WRONG_VALUE, _NO_MEMORY = 1, 2


class _Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("extents", ctypes.c_int64 * 3), ("strides", ctypes.c_int64 * 3)]


class _Product(ctypes.Structure):
    _fields_ = [(name, _Array) for name in ("a", "b", "c", "witness", "source", "mask")] + [
        ("alpha", ctypes.c_void_p), ("beta", ctypes.c_void_p)] + [
        (name, ctypes.c_int) for name in ("mask_complement", "replace", "check_domain", "threads")]


class _Closure(ctypes.Structure):
    _fields_ = [("a", _Array), ("predecessors", _Array), ("sizes", ctypes.c_void_p), ("diverging", ctypes.c_void_p),
                ("block", ctypes.c_int64), ("check_domain", ctypes.c_int), ("threads", ctypes.c_int)]


def _array(x):
    if x is None:
        return _Array()
    strides = tuple(s // x.itemsize for s in x.strides)
    return _Array(x.__array_interface__["data"][0], x.shape, strides)


def check(answer, message):
    if answer:
        kind = {_WRONG_VALUE: ValueError, _NO_MEMORY: MemoryError}.get(answer, RuntimeError)
        raise kind(message.value.decode(errors="replace"))


_COMPUTES_AS = {("min", "add"): "min_plus", ("max", "add"): "max_plus", ("min", "mul"): "min_times",
                ("max", "mul"): "max_times", ("min", "max"): "min_max", ("max", "min"): "max_min"}


def device_ring(ring, dtype):
    """The ring over an element type as the extension compiles it for devices."""
    from . import _nvrtc

    add, mul = ring.add.operation(), ring.mul.operation()
    known = _COMPUTES_AS.get((add, mul), "")
    is_known = dtype.kind == "f" and known and ring.zero == algebras[known].zero(dtype)
    # One instruction, where the processor's spelling is two: a sum is on the left and no NaN.
    sum_text = f"kleene::ops::{add}{{}}(a, b)" if add in ("min", "max") else _ring_build.as_expression(ring.add)
    return _kleene.DeviceRing(
        _ring_build.type_of(dtype), ring.name, sum_text, _ring_build.as_expression(ring.mul),
        _ring_build.literal(ring.zero), "" if ring.one is None else _ring_build.literal(ring.one),
        _ring_build.domain_of(ring), ring.is_idempotent, ring.is_selective, ring.is_distributive,
        known if is_known else "",
        [_ring_build.headers()], _ring_build.writable_cache(), _nvrtc.find())


class RingExtension:
    """The kernels of one ring over its element types; row i of the ring is over types[i]."""

    def __init__(self, ring, types):
        self.ring = ring
        self._types = types
        self._parts = {}  # (row, part): a function, or None where there is no compiler
        self._on_device = {}  # row: the ring of the extension

    def __getstate__(self):  # compiled functions stay in their process
        return {**self.__dict__, "_parts": {}, "_on_device": {}}

    def _part(self, row, part):
        if (row, part) not in self._parts:
            try:
                text = _ring_build.text_of(self.ring, self._types[row].name, part)
                function = getattr(_ring_build.library_of(text), f"ring_{part}")
            except _ring_build.NoCompiler as why:
                warnings.warn(f"{self.ring.name} runs in NumPy, tens of times as slow as compiled: {why}",
                              RuntimeWarning, stacklevel=6)
                function = None
            self._parts[row, part] = function
        return self._parts[row, part]

    def matmul(self, row, a, b, c, witness, source, mask, alpha, beta, mask_complement, replace, check_domain, threads,
               _progress):
        function = self._part(row, "gemm")
        if function is None:
            _ring_loops.matmul(self.ring, a, b, c, witness, source, mask, alpha, beta, mask_complement, replace)
            return
        factors = [None if f is None else np.array(f, self._types[row]) for f in (alpha, beta)]
        request = _Product(*map(_array, (a, b, c, witness, source, mask)),
                           *(None if f is None else f.ctypes.data for f in factors), mask_complement, replace,
                           check_domain, threads)
        message = ctypes.create_string_buffer(1024)
        check(function(ctypes.byref(request), message), message)

    def _device_ring(self, row):
        if row not in self._on_device:
            self._on_device[row] = device_ring(self.ring, self._types[row])
        return self._on_device[row]

    def matmul_on_device(self, context, row, *arguments):
        self._device_ring(row).matmul(context, *arguments)

    def closure_on_device(self, context, row, a, predecessors, sizes, _is_batch, block, check_domain):
        return self._device_ring(row).closure(context, a, predecessors, None if sizes is None else sizes.tolist(),
                                              block, check_domain)

    def closure(self, row, a, predecessors, sizes, block, check_domain, threads, _progress):
        whole = a if a.ndim == 3 else a[None]
        before = predecessors if predecessors is None or predecessors.ndim == 3 else predecessors[None]
        if predecessors is not None and not self.ring.is_selective:
            raise ValueError(f"{self.ring.name} has no predecessors: no single path gives a result")
        diverging = np.full(len(whole), -1, np.int32)
        function = self._part(row, "closure")
        if function is None:
            _ring_loops.closure(self.ring, whole, before, sizes, diverging)
            return diverging.tolist()
        request = _Closure(_array(whole), _array(before), None if sizes is None else sizes.ctypes.data,
                           diverging.ctypes.data, block, check_domain, threads)
        message = ctypes.create_string_buffer(1024)
        check(function(ctypes.byref(request), message), message)
        return diverging.tolist()

    def einsum(self, *_):
        raise ValueError(f"einsum: {self.ring.name} is an algebra of your own: matmul and closure take these")
