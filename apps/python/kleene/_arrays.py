"""Arguments as NumPy's arrays, results as arrays of the caller's kind, and leading dimensions as one batch."""

import sys
from math import prod
from os import PathLike

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import _kleene
from ._algebras import Algebra, algebras

_CPU, _PINNED = 1, 3  # of DLPack


def is_foreign(value):
    """Whether it is an array of another library's (torch, JAX, CuPy, ...): what speaks DLPack and is not NumPy's."""
    return hasattr(value, "__dlpack__") and not isinstance(value, (np.ndarray, np.generic))


def refuse_gradient(value, what):
    """ValueError for a tensor of torch's that needs a gradient while torch records some: the result would have none."""
    if getattr(value, "requires_grad", False) is True:
        torch = sys.modules.get("torch")
        if torch is not None and torch.is_grad_enabled():
            raise ValueError(f"{what} needs a gradient, and results have none here: kleene.torch has matmul and "
                             "closure with gradients, .detach() goes without")


def refuse_networkx(value, what):
    """TypeError for a graph of NetworkX's, of which NumPy would make a vector of its vertices' labels."""
    if hasattr(value, "__networkx_backend__"):
        raise TypeError(f"{what} is a graph of NetworkX's where an array is needed: nx.to_scipy_sparse_array(graph) "
                        "makes one that kl.shortest_paths takes, nx.to_numpy_array(graph, nonedge=kl.zero(algebra)) a "
                        'dense one; or call NetworkX\'s own functions with backend="kleene"')


def as_array(value, what="an argument"):
    """An array of NumPy's as it is, one of another library's as a view of its memory, else numpy.asarray's.

    Raises ValueError for memory that is a device's, for a tensor that needs a gradient, and for what numpy.asarray
    would make something else of; TypeError for a graph of NetworkX's, and for elements that NumPy has not. what: the
    argument in errors, "matmul: a".
    """
    if type(value) is np.ndarray:
        return value
    if not is_foreign(value):
        if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
            raise ValueError(f"{what} is a masked array: say what masked elements are, "
                             ".filled(kl.zero(algebra, dtype))")
        if hasattr(value, "tocsr"):
            raise ValueError(f"{what} is a sparse matrix where a dense one is needed: call .toarray() (what is not "
                             "stored becomes 0), or kl.shortest_paths for a graph")
        refuse_networkx(value, what)
        return np.asarray(value)
    refuse_gradient(value, what)
    if getattr(value, "is_cpu", None) is True:  # torch's tensors, in a fifth of the time that DLPack takes
        try:
            return value.detach().numpy()
        except (RuntimeError, TypeError):  # what NumPy has not: DLPack says so
            pass
    if value.__dlpack_device__()[0] not in (_CPU, _PINNED):
        kind = f"{type(value).__module__.split('.')[0]} {type(value).__name__}"
        raise ValueError(f"{what} is a {kind} in the memory of a device: this works in host memory, copy it there")
    if hasattr(value, "detach"):
        value = value.detach()
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError):
        pass
    try:
        return np.asarray(value)
    except TypeError:
        raise TypeError(f"{what} has elements of {value.dtype}, which NumPy has not: make them float32 (of a tensor, "
                        ".float())") from None


def as_operand(value, what):
    """The same for what is computed with: an array of numbers.

    TypeError for what is none, with what to call for a file's path; ValueError, with what to call, for a Graph.
    """
    if type(value) is np.ndarray and value.dtype.kind in "biuf":
        return value
    if isinstance(value, Algebra) or isinstance(value, str) and value in algebras:
        name = value if isinstance(value, str) else value.name
        raise TypeError(f"{what} is the algebra {name} where an array is needed: say algebra=")
    if isinstance(value, (str, bytes, PathLike)):
        raise TypeError(f"{what} is {value!r} where an array is needed: kl.read(path) reads a file")
    if hasattr(value, "first_vertex"):
        raise ValueError(f"{what} is a graph where a dense matrix is needed: kl.shortest_paths takes it as it is, "
                         ".to_scipy() makes a sparse matrix of it")
    array = as_array(value, what)
    if array.dtype.kind not in "biuf":
        _refuse_elements(value, array, what)
    return array


_KINDS = {"U": "strings", "S": "bytes", "c": "complex numbers", "M": "dates", "m": "spans of time"}


def _refuse_elements(value, array, what):
    """TypeError for what is no array of numbers."""
    if array.dtype.kind == "O" and array.ndim == 0 and not isinstance(value, np.ndarray):
        raise TypeError(f"{what} is {'None' if value is None else f'of type {type(value).__name__}'} where an array is "
                        "needed")
    kind = _KINDS.get(array.dtype.kind, array.dtype.name)
    if array.dtype.kind == "O":
        kind = f"objects ({type(array.flat[0]).__name__})" if array.size else "objects"
    raise TypeError(f"{what} has elements that are {kind}: floats, integers or bools are needed")


def giver(*values):
    """What makes of NumPy's arrays those of the first argument that is another library's, sharing memory; or None."""
    for value in values:
        if type(value) is np.ndarray or not is_foreign(value):
            continue
        if type(value).__module__.split(".")[0] == "torch":
            import torch

            return torch.from_numpy
        if hasattr(value, "__array_namespace__"):
            return value.__array_namespace__().asarray
        return None
    return None


def cast(array, dtype, name):
    """The array in this type of this machine's byte order, copied only where it has another.

    ValueError for an integer of 64 bits that is no float of the type: it would be rounded. name: the array's in errors.
    """
    if array.dtype != dtype:
        made = array.astype(dtype)
        require_exact(array, made, name)
        return made
    return array if array.dtype.isnative and array.flags.aligned else np.require(array, dtype.newbyteorder("="), "A")


def as_elements(algebra, array, row, name):
    """The array as elements of this row: "no edge" of its own type becomes that of the row, and no number."""
    made = cast(array, row.dtype, name)
    own = array.dtype.newbyteorder("=")
    if own.kind in "iu" and own != row.dtype and own in algebra.dtypes and algebra.zero(own) != row.zero:
        made[array == algebra.zero(own)] = row.zero
    return made


def cast_exactly(array, dtype, what, keeper="an algebra or a dtype=... that has {0} keeps it", name=None):
    """The same; ValueError for any value that the type cannot hold, TypeError for what are no numbers.

    what: a value's name in errors, where the array has no `name`. keeper: what would keep an integer of the type {0},
    which is rounded.
    """
    if array.dtype == dtype:
        return cast(array, dtype, what)
    if array.dtype.kind not in "biuf" and array.size:
        raise TypeError(f"{what}: a number is needed, and not {array.flat[0]!r} ({array.dtype.name})")
    with np.errstate(all="ignore"):
        made = array.astype(dtype)
    wrong = ~((made == array) | (made != made) & (array != array))
    if np.any(wrong):
        what = what if name is None else _place(name, wrong)
        raise ValueError(f"{what}: {dtype.name} does not hold {array[wrong].flat[0]!s}")
    require_exact(array, made, name, what, keeper)
    return made


def _place(name, wrong):
    """ "a[2, 3]" for the first element that is wrong."""
    return f"{name}[{', '.join(map(str, np.unravel_index(wrong.argmax(), wrong.shape)))}]"


def require_exact(integers, floats, name, what="",
                  keeper="an algebra that has {0} keeps it, where all operands have {0}"):
    """ValueError where floats, made of integers of 64 bits, are rounded, with the first such integer and its place.

    NumPy itself compares the two as floats, and finds them equal. name: the array's in errors; None: `what` stands
    there.
    """
    own, type_ = integers.dtype, floats.dtype
    if own.kind not in "iu" or own.itemsize < 8 or type_.kind != "f" or not integers.size:
        return
    every = 2 ** (np.finfo(type_).nmant + 1)  # up to here every integer is a float
    if -every <= integers.min() and integers.max() <= every:
        return
    with np.errstate(all="ignore"):
        wrong = (floats >= 2.0 ** (64 if own.kind == "u" else 63)) | (floats.astype(own) != integers)
    if np.any(wrong):
        what = what if name is None else _place(name, wrong)
        kept = "no algebra has uint64" if own.kind == "u" and "algebra" in keeper else keeper.format(own.name)
        raise ValueError(f"{what}: {type_.name} does not hold {integers[wrong].flat[0]!s} ({own.name}); "
                         f"{kept}, .astype(numpy.{type_.name}) rounds it")


def output(value, name="out"):
    """An array that results are written to; name: what messages call it.

    ValueError: it is read-only, of another byte order, or its strides are not of whole elements. TypeError: a list.
    """
    if not isinstance(value, np.ndarray) and not is_foreign(value):
        raise TypeError(f"{name} is of type {type(value).__name__}: an array is needed, to write the result to")
    array = as_array(value, name)
    if not array.flags.writeable:
        raise ValueError(f"{name} is read-only")
    if not array.dtype.isnative:
        raise ValueError(f"{name} is {type_name(array.dtype)}: it is written in the machine's own")
    if not array.flags.aligned and any(step % array.itemsize for step, n in zip(array.strides, array.shape) if n > 1):
        raise ValueError(f"{name} has strides of {array.strides} bytes, not of whole elements of {array.itemsize} (a "
                         f"field of a packed record?): let the result be new, and copy it there, {name}[...] = result")
    return array


def type_name(dtype):
    """What messages call a type: NumPy calls two of different byte orders the same."""
    return dtype.name if dtype.isnative else f"{dtype.name} in another byte order than this machine's ({dtype.str})"


def native(array):
    """The array in this machine's byte order, copied only where it has another."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


_LINE = 64  # bytes
_ON_LINES = 1 << 17  # bytes from which an array begins on a line


def require_memory(needed, what):
    """MemoryError for more bytes than the machine has left, which an overcommitting system would hand out."""
    left = _kleene.available_memory()
    if needed > left:
        raise MemoryError(f"{what}; {left} are left")


def empty(shape, dtype):
    """numpy.empty, of large arrays a view that begins on a line. MemoryError for more than the machine has left."""
    needed = prod(shape) * dtype.itemsize
    if prod(shape) > 1 << 24:
        require_memory(needed, f"a result of {' x '.join(map(str, shape))} elements takes {needed} bytes")
    if needed < _ON_LINES:
        return np.empty(shape, dtype)
    # NumPy's large arrays begin 16 bytes into a line of the caches, and then every vector that is written lies across
    # two: a third more time of a batch of small closures.
    raw = np.empty(needed + _LINE, np.uint8)
    return np.ndarray(shape, dtype, raw, -raw.__array_interface__["data"][0] % _LINE)


def product_batch(a, b, what="matmul"):
    """The leading dimensions of a product of arrays of these shapes. ValueError, with both: they do not fit."""
    rows = b[-2:][0]
    if a[-1] != rows:
        raise ValueError(f"{what}: a is {a}, b is {b}: inner extents {a[-1]} and {rows} differ")
    if len(b) <= 2:
        return a[:-2]
    try:
        return np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        raise ValueError(f"{what}: a is {a}, b is {b}: their leading dimensions cannot be broadcast") from None


def stretched(what, array, shape):
    """numpy.broadcast_to for an argument that goes with the result c. ValueError, with both shapes: it does not fit."""
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"matmul: {what} is {array.shape}, and cannot be broadcast to c, {shape}") from None


def joined_axes(shape, strides):
    """(extent, stride) of the one axis that these axes are. None: their strides forbid it."""
    count, stride = 1, 0  # of the axes from the last on
    for extent, step in zip(reversed(shape), reversed(strides)):
        if extent == 1:
            continue
        if count > 1 and step != stride * count:
            return None
        if count == 1:
            stride = step
        count *= extent
    return count, stride


def one_batch(array, batch):
    """(..., r, c) as (count, r, c) without a copy; (1, r, c) where it has no batch. None: its strides forbid it."""
    if array.ndim == 2:
        return array[None]
    if array.shape[:-2] != batch:
        array = np.broadcast_to(array, batch + array.shape[-2:])
    if array.ndim == 3:
        return array
    axis = joined_axes(array.shape[:-2], array.strides[:-2])
    return None if axis is None else as_strided(array, (axis[0], *array.shape[-2:]), (axis[1], *array.strides[-2:]))
