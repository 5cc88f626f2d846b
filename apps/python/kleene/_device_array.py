"""Arrays in the memory of a CUDA device as addresses, extents and strides, and what may be done to these."""

from __future__ import annotations

import numpy as np

from ._arrays import joined_axes


class DeviceArray:
    """A view of a device's memory: no copy, nothing read.

    address          of the first element
    dtype            NumPy's
    shape, strides   tuples; strides count elements
    device           the device's number
    owner            what keeps the memory alive
    """

    __slots__ = ("address", "device", "dtype", "owner", "shape", "strides")

    def __init__(self, address, dtype, shape, strides, device, owner):
        self.address = address
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.device = device
        self.owner = owner

    @property
    def ndim(self):
        return len(self.shape)

    def viewed(self, shape, strides, offset=0):
        """The same memory seen otherwise, from an element `offset` behind the first."""
        address = self.address + offset * self.dtype.itemsize
        return DeviceArray(address, self.dtype, shape, strides, self.device, self.owner)

    def numbers(self):
        """As the extension takes it."""
        return (self.address, *self.shape, *self.strides)

    def is_contiguous(self):
        return 0 in self.shape or all(
            extent == 1 or own == packed for extent, own, packed in zip(self.shape, self.strides, packed(self.shape)))

    def with_axis(self, at):
        """With one more axis of 1, which is axis `at` of the result."""
        return self.viewed((*self.shape[:at], 1, *self.shape[at:]), (*self.strides[:at], 0, *self.strides[at:]))

    def broadcast(self, shape):
        """numpy.broadcast_to's view. ValueError: the shapes do not fit."""
        if self.shape == shape:
            return self
        if len(self.shape) > len(shape):
            raise ValueError(f"an array of {self.shape} cannot be broadcast to {shape}")
        shift = len(shape) - len(self.shape)
        strides = [0] * shift
        for own, step, wanted in zip(self.shape, self.strides, shape[shift:]):
            if own not in (1, wanted):
                raise ValueError(f"an array of {self.shape} cannot be broadcast to {shape}")
            strides.append(step if own == wanted else 0)
        return self.viewed(shape, tuple(strides))

    def at(self, i):
        """What lies at index i of the first axis."""
        return self.viewed(self.shape[1:], self.strides[1:], i * self.strides[0])

    def one_batch(self, batch):
        """(..., r, c) as (count, r, c); (1, r, c) where it has no batch. None: its strides forbid it."""
        if len(self.shape) == 2:
            return self.with_axis(0)
        whole = self.broadcast((*batch, *self.shape[-2:]))
        axis = joined_axes(whole.shape[:-2], whole.strides[:-2])
        return None if axis is None else whole.viewed((axis[0], *whole.shape[-2:]), (axis[1], *whole.strides[-2:]))


def packed(shape):
    """The strides of a C-contiguous array."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def from_interface(interface, device, owner):
    """What the CUDA array interface says (version 2 and 3), as CuPy, Numba and JAX have it."""
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        return DeviceArray(interface["data"][0], dtype, shape, packed(shape), device, owner)
    if any(step % dtype.itemsize for step in strides):
        raise ValueError(f"an array on a device whose strides, {tuple(strides)} bytes, are no multiples of its "
                         f"elements' {dtype.itemsize}: copy it")
    return DeviceArray(interface["data"][0], dtype, shape, tuple(s // dtype.itemsize for s in strides), device, owner)
