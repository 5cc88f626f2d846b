"""A device that is none: arrays whose memory is the host's and says that it is a CUDA device's, and the extension's
functions for devices done on the host. So what the package makes of shapes and strides is tested without a GPU.
"""

import numpy as np

from kleene import _device_libraries, _kleene
from kleene._device_array import from_interface


class Array:
    """NumPy's array, on pretended device 0 or another."""

    def __init__(self, values, device=0):
        self.values, self.number = np.asarray(values), device

    @property
    def __cuda_array_interface__(self):
        own = self.values.__array_interface__
        return {**{k: own[k] for k in ("data", "typestr", "shape", "strides")}, "version": 3}

    def __getitem__(self, at):
        return Array(self.values[at], self.number)

    def __setitem__(self, at, value):
        self.values[at] = value.values if isinstance(value, Array) else value

    @property
    def shape(self):
        return self.values.shape

    def get(self):
        return self.values.copy()

    def item(self):
        return self.values.item()


class Library(_device_libraries._Library):
    name = "pretended_device"

    def read(self, array, _what, _context):
        return from_interface(array.__cuda_array_interface__, array.number, array)

    def device_of(self, array):
        return array.number

    def stream(self, _device, _array):
        return 7, None

    def on_device(self, _device):
        from contextlib import nullcontext

        return nullcontext()

    def empty(self, shape, dtype, like):
        return Array(np.full(shape, 99).astype(dtype), like.number)

    def fill(self, array, value):
        array.values.fill(value)
        return array

    def copy(self, array):
        return Array(np.array(array.values, order="C"), array.number)

    def weights(self, graph):
        return graph.data

    def dense(self, graph, zero):
        made = np.full(graph.shape, zero, graph.data.values.dtype)
        made[graph.row, graph.col] = graph.data.values
        return Array(made)


class Sparse:
    """A sparse graph whose weights are on the device."""

    nnz = property(lambda self: self.data.shape[0])
    tocsr = None

    def __init__(self, row, col, weights, shape):
        self.row, self.col, self.data, self.shape = row, col, Array(weights), shape


class Context:
    """A context that counts how often it was waited for."""

    waited = 0

    def __init__(self, device):
        self.number = device

    on_stream = classmethod(lambda cls, stream: cls(0))
    on_device = classmethod(lambda cls, device: cls(device))

    def device(self):
        return self.number

    def stream(self):
        return 7

    def synchronise(self):
        Context.waited += 1


class _Memory:
    def __init__(self, numbers, dtype):
        rank = len(numbers) // 2
        size = np.dtype(dtype).itemsize
        strides = tuple(step * size for step in numbers[1 + rank:])
        self.__array_interface__ = {"data": (numbers[0], False), "typestr": np.dtype(dtype).str, "version": 3,
                                    "shape": numbers[1:1 + rank], "strides": strides}


def memory(numbers, dtype):
    """The array of that type whose address, extents and strides these are."""
    return np.asarray(_Memory(numbers, dtype))


def _arrays(row, numbers, dtypes):
    own = np.dtype({"f32": "f4", "f64": "f8", "i32": "i4", "i64": "i8", "bool": "?"}[_kleene.catalog()[row][1]])
    return [None if x is None else np.asarray(_Memory(x, dtype or own)) for x, dtype in zip(numbers, dtypes)]


def _matmul(_context, row, a, b, out, witness, source, mask, *rest):
    arrays = _arrays(row, (a, b, out, witness, source, mask), (None, None, None, "i4", None, "?"))
    _kleene.matmul(row, *arrays, *rest, 1, None)


def _closure(_context, row, a, predecessors, sizes, _is_batch, block, check_domain):
    return _kleene.closure(row, *_arrays(row, (a, predecessors), (None, "i4")), sizes, block, check_domain, 1, None)


def _einsum(_context, row, equation, operands, out, witness, order, accumulate, check_domain):
    operands = _arrays(row, operands, [None] * len(operands))
    out, witness = _arrays(row, (out, witness), (None, "i8"))
    _kleene.einsum(row, equation, operands, out, witness, order, accumulate, check_domain, 1)


def _paths(_context, predecessors, pairs):
    before = np.asarray(_Memory(predecessors, "i4"))
    found = []
    for s, t in pairs:
        way = [t]
        while way[-1] != s and before[s, way[-1]] >= 0:
            way.append(int(before[s, way[-1]]))
        found.append(way[::-1] if way[-1] == s else [])
    return found


def _vector(numbers, dtype):
    return None if numbers is None else np.asarray(_Memory(numbers, dtype))


def _scan(_context, row, values, offsets, out, exclusive):
    x, to = _arrays(row, (values, out), (None, None))
    _kleene.scan(row, x, _vector(offsets, "i8"), to, exclusive, 1)


def _segmented_reduce(_context, row, values, offsets, out):
    x, to = _arrays(row, (values, out), (None, None))
    _kleene.segmented_reduce(row, x, _vector(offsets, "i8"), to, 1)


_KEYS = ("f4", "f8", "i4", "i8")


def _ordered(_context, operation, kind, descends, a, b, offsets, keys, positions):
    """As the device does it: keys of any of the types, positions counted here, orders trusted."""
    wide = "f8" if kind < 2 else "i8"
    to = _vector(keys, _KEYS[kind])
    given, total = [], 0
    for x in (a, b):
        if x is None:
            given += [None, None]
            continue
        own = _vector(x, _KEYS[kind]).astype(wide)
        given += [own, np.arange(total, total + len(own))]
        total += len(own)
    found, at = to.astype(wide), np.arange(len(to))
    count = _kleene.ordered(operation, descends, *given, _vector(offsets, "i8"), found, at, 1)
    to[:count] = found[:count]
    if positions is not None:
        _vector(positions, "i8")[:count] = at[:count]
    return count


class _Join:
    def __init__(self, kind, how, a, b):
        wide = "f8" if kind < 2 else "i8"
        self._found = _kleene.join(*(_vector(x, _KEYS[kind]).astype(wide) for x in (a, b)), how, 1)

    def rows(self):
        return len(self._found[0])

    def fill(self, left, right):
        for numbers, found in zip((left, right), self._found):
            _vector(numbers, "i8")[:] = found


def _join(_context, kind, how, a, b):
    return _Join(kind, how, a, b)


def install(monkeypatch):
    monkeypatch.setitem(_device_libraries._known, __name__, Library())
    monkeypatch.setattr(_kleene, "DeviceContext", Context)
    monkeypatch.setattr(_kleene, "has_cuda", lambda: True)
    monkeypatch.setattr(_kleene, "cuda_devices", lambda: [(0, "pretended", 90), (1, "pretended", 90)])
    for name, function in (("matmul", _matmul), ("closure", _closure), ("einsum", _einsum), ("paths", _paths),
                           ("scan", _scan), ("segmented_reduce", _segmented_reduce), ("ordered", _ordered),
                           ("join", _join)):
        monkeypatch.setattr(_kleene, f"{name}_on_device", function)
    from kleene import _device

    monkeypatch.setattr(_device._local, "contexts", {}, raising=False)
