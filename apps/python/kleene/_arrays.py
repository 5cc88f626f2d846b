"""Arguments as NumPy's arrays, and their leading dimensions as one batch."""

from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import _kleene


def as_array(value):
    """An array as it is, anything else as numpy.asarray has it."""
    return value if type(value) is np.ndarray else np.asarray(value)


def cast(array, dtype):
    """The array in this type of this machine's byte order, copied only where it has another."""
    if array.dtype != dtype:
        return array.astype(dtype)
    return array if array.dtype.isnative and array.flags.aligned else np.require(array, dtype.newbyteorder("="), "A")


def cast_exactly(array, dtype, what):
    """The same; ValueError for a value that the type cannot hold."""
    if array.dtype == dtype:
        return cast(array, dtype)
    with np.errstate(all="ignore"):
        made = array.astype(dtype)
    wrong = ~((made == array) | (made != made) & (array != array))
    if np.any(wrong):
        raise ValueError(f"{what}: {dtype.name} does not hold {array[wrong].flat[0]!s}")
    return made


def empty(shape, dtype):
    """numpy.empty; MemoryError for more than the machine has left, which an overcommitting system would hand out."""
    if prod(shape) > 1 << 24:
        needed, left = prod(shape) * dtype.itemsize, _kleene.available_memory()
        if needed > left:
            elements = " x ".join(map(str, shape))
            raise MemoryError(f"a result of {elements} elements takes {needed} bytes; {left} are left")
    return np.empty(shape, dtype)


def one_batch(array, batch):
    """(..., r, c) as (count, r, c) without a copy; (1, r, c) where it has no batch. None: its strides forbid it."""
    if array.ndim == 2:
        return array[None]
    if array.shape[:-2] != batch:
        array = np.broadcast_to(array, batch + array.shape[-2:])
    if array.ndim == 3:
        return array
    count, stride = 1, 0  # of the axes from the last on
    for extent, step in zip(reversed(array.shape[:-2]), reversed(array.strides[:-2])):
        if extent == 1:
            continue
        if count > 1 and step != stride * count:
            return None
        if count == 1:
            stride = step
        count *= extent
    return as_strided(array, (count, *array.shape[-2:]), (stride, *array.strides[-2:]))
