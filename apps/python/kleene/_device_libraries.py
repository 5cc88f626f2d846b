"""How arrays on CUDA devices are read and made, for torch, CuPy, JAX and others: each has its own streams."""

from __future__ import annotations

from contextlib import nullcontext

from . import _kleene
from ._algebras import element_types
from ._device_array import DeviceArray, from_interface


class _Library:
    """How arrays of one library are read and made.

    waits      whether results must be there when a call returns
    makes      whether results can be made
    stream     (the current stream of a device, or None: the library has none; what keeps it alive)
    on_device  a context manager under which that device is current
    weights    what a sparse graph stores, a vector
    dense      such a graph as a matrix of its own: `zero` where nothing is stored, entries stored twice added up
    """

    waits = False
    makes = True


class _Torch(_Library):
    name = "torch"

    def __init__(self):
        import torch

        self._torch = torch
        self._dtypes = {getattr(torch, dtype.name): dtype for dtype in element_types}
        self._own = {dtype: own for own, dtype in self._dtypes.items()}
        self._rows = {}
        self.strided, self.int32 = torch.strided, torch.int32
        # Without an object for each stream, as what torch.compile writes asks for it.
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda device: torch.cuda.current_stream(device).cuda_stream)

    def rows_of(self, algebra):
        """The numbers of an algebra's rows by torch's types."""
        found = self._rows.get(algebra)  # of one's own, two may have one name
        if found is None:
            found = self._rows[algebra] = {self._own[dtype]: algebra.row(dtype).number for dtype in algebra.dtypes}
        return found

    def read(self, array, what, _context):
        dtype = self._dtypes.get(array.dtype)
        if dtype is None or array.layout is not self.strided:
            raise ValueError(f"{what} is a torch tensor of {array.dtype}, {array.layout}; on a device elements are "
                             f"{_told()}, and tensors strided")
        return DeviceArray(array.data_ptr(), dtype, tuple(array.shape), array.stride(), array.get_device(), array)

    def device_of(self, array):
        return array.get_device()

    def stream(self, device, _array):
        return self.raw_stream(device), None  # torch's streams live as long as it does

    def on_device(self, device):
        return self._torch.cuda.device(device)

    def empty(self, shape, dtype, like):
        return self._torch.empty(shape, dtype=self._own[dtype], device=like.device)

    def fill(self, array, value):
        return array.fill_(value)

    def copy(self, array):
        return array.detach().clone(memory_format=self._torch.contiguous_format)

    def weights(self, graph):
        return graph.values()

    def dense(self, graph, zero):
        entries = graph.detach().to_sparse_coo().coalesce()
        made = self._torch.full(graph.shape, zero, dtype=graph.dtype, device=graph.device)
        made[tuple(entries.indices())] = entries.values()
        return made


class _Cupy(_Library):
    name = "cupy"

    def __init__(self):
        import cupy

        self._cupy = cupy

    def read(self, array, _what, _context):
        size = array.dtype.itemsize
        strides = tuple(s // size for s in array.strides)
        return DeviceArray(array.data.ptr, array.dtype, array.shape, strides, array.device.id, array)

    def device_of(self, array):
        return array.device.id

    def stream(self, device, _array):
        with self._cupy.cuda.Device(device):
            stream = self._cupy.cuda.get_current_stream()
        return stream.ptr, stream

    def on_device(self, device):
        return self._cupy.cuda.Device(device)

    def empty(self, shape, dtype, like):
        with like.device:
            return self._cupy.empty(shape, dtype)

    def fill(self, array, value):
        with array.device:
            array.fill(value)
        return array

    def copy(self, array):
        with array.device:
            return self._cupy.array(array, order="C")

    def weights(self, graph):
        return graph.data

    def dense(self, graph, zero):
        with graph.data.device:
            entries = graph.tocoo()
            entries.sum_duplicates()
            made = self._cupy.full(graph.shape, zero, graph.dtype)
            made[entries.row, entries.col] = entries.data
        return made


class _Jax(_Library):
    name = "jax"
    waits = True

    def __init__(self):
        import jax

        self._jax = jax

    def read(self, array, what, context):
        return _from_capsule(array, what, context.stream())

    def device_of(self, array):
        return array.__dlpack_device__()[1]

    def stream(self, _device, _array):
        return None, None

    def empty(self, shape, dtype, like):
        # Elements that JAX has just made, and nobody has seen: they may be written to, though arrays of JAX may not.
        made = self._jax.numpy.zeros(shape, dtype, device=like.device)
        if made.dtype != dtype:
            raise ValueError(f"JAX makes {made.dtype} of {dtype.name}: jax_enable_x64 is off")
        return made.block_until_ready()

    def fill(self, array, value):
        return self._jax.numpy.full_like(array, value).block_until_ready()

    def copy(self, array):
        return self._jax.numpy.array(array, copy=True).block_until_ready()


class _Others(_Library):
    """What has the CUDA array interface (Numba), or DLPack: read, and written to as `out`."""

    name = "others"
    makes = False

    def read(self, array, what, context):
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            return _from_capsule(array, what, context.stream() or 1)
        return from_interface(interface, self.device_of(array), array)

    def device_of(self, array):
        if hasattr(array, "__dlpack_device__"):
            return array.__dlpack_device__()[1]
        return getattr(getattr(array, "device", None), "id", 0)

    def stream(self, _device, array):
        named = getattr(array, "__cuda_array_interface__", {}).get("stream")
        return named or 0, None

    def on_device(self, _device):
        return nullcontext()  # whose device is current is the caller's business; _context looks at it

    def empty(self, _shape, _dtype, like):
        raise ValueError(f"results cannot be made for arrays of {module_of(like)}: give `out`")

    def fill(self, array, value):
        array[...] = value
        return array

    def copy(self, array):
        raise ValueError(f"arrays of {module_of(array)} cannot be copied here: give `out`")


def _told():
    *others, last = (dtype.name for dtype in element_types)
    return f"{', '.join(others)} or {last}"


def _from_capsule(array, what, stream):
    """What DLPack says of an array; the stream waits for what is still being written to it."""
    try:
        capsule = array.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # from before max_version
        capsule = array.__dlpack__(stream=stream)
    address, kind, bits, shape, strides, device, owner = _kleene.describe_capsule(capsule)
    name = "bool" if kind == 6 else {0: "int", 1: "uint", 2: "float"}.get(kind, "other") + str(bits)
    dtype = next((dtype for dtype in element_types if dtype.name == name), None)
    if dtype is None:
        raise ValueError(f"{what} has elements of {bits} bits of DLPack's kind {kind}; on a device they are {_told()}")
    return DeviceArray(address, dtype, shape, strides, device, (array, owner))


_LIBRARIES = {"torch": _Torch, "cupy": _Cupy, "cupyx": _Cupy, "jax": _Jax, "jaxlib": _Jax}
_known: dict[str, _Library] = {}
_of_type: dict[type, _Library] = {}


def library(name):
    found = _known.get(name)
    if found is None:
        found = _known[name] = _LIBRARIES.get(name, _Others)()
    return found


def library_of(array):
    """The library whose array it is, or a subclass of its arrays."""
    found = _of_type.get(type(array))
    if found is None:
        names = [base.__module__.partition(".")[0] for base in type(array).__mro__]
        found = library(next((name for name in names if name in _LIBRARIES), names[0]))
        _of_type[type(array)] = found
    return found


def module_of(value):
    return type(value).__module__.partition(".")[0]
