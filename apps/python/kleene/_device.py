"""What speaks for arrays on CUDA devices: torch, CuPy, JAX and others, each with its own streams and its own results.

A call works on the stream that is current where the array's library says so (torch.cuda.current_stream(),
cupy.cuda.get_current_stream()), on the array's device, whichever device is current. It does not wait for the device,
and nothing is copied. JAX has no current stream: there a call waits for its operands and until its result is there.
"""

from __future__ import annotations

import atexit
import threading

import numpy as np

from . import _kleene
from ._arrays import refuse_gradient
from ._device_libraries import library_of, module_of
from ._refusals import wait

_CUDA, _MANAGED = 2, 13  # of DLPack
_MOST_CONTEXTS = 16  # of one thread; each holds the workspace of its largest call
_local = threading.local()
_NONE: dict = {}


def is_on_device(value):
    """Whether it is an array in the memory of a CUDA device."""
    if value is None or type(value) is np.ndarray:
        return False
    is_cuda = getattr(value, "is_cuda", None)  # torch's tensors
    if isinstance(is_cuda, bool):
        return is_cuda
    if isinstance(value, (np.ndarray, np.generic, bool, int, float, list, tuple)):
        return False
    if hasattr(value, "__dlpack_device__"):
        try:
            return value.__dlpack_device__()[0] in (_CUDA, _MANAGED)
        except (BufferError, RuntimeError, TypeError, ValueError):
            return False
    return hasattr(value, "__cuda_array_interface__")


class Call:
    """One call on arrays of one device: their views, the context, and new results.

    Raises ValueError where one of the arrays is in host memory or on another device, where their library has elements
    that Kleene has not, and where this build or this machine has no CUDA. arrays: (what it is called, the array,
    whether it is written to); None is left out.
    """

    def __init__(self, operation, *arrays):
        given = [(what, array, written) for what, array, written in arrays if array is not None]
        first = next(array for _, array, _ in given if is_on_device(array))
        require_cuda(first)
        self.library = library_of(first)
        self.device = self.library.device_of(first)
        self._like = first
        for what, array, written in given:
            self._require_here(operation, what, array, written)
            refuse_gradient(array, f"{operation}: {what}")
        stream, owner = self.library.stream(self.device, first)
        self.context = _context(self.device, stream, owner, self.library)

    def _require_here(self, operation, what, array, written):
        where = f"CUDA device {self.device}"
        if not is_on_device(array):
            raise ValueError(f"{operation}: {what} is in host memory, and other arrays are on {where}; copy it there")
        own = library_of(array)
        at = own.device_of(array)
        if at != self.device:
            raise ValueError(f"{operation}: {what} is on CUDA device {at}, and other arrays are on {where}")
        if written and own.name == "jax":
            raise ValueError(f"{operation}: {what} is an array of JAX's, which are not written to")

    def require_results(self, operation):
        """ValueError where results cannot be made, of an operation that has no `out`."""
        if not self.library.makes:
            raise ValueError(f"{operation}: results cannot be made for arrays of {module_of(self._like)}; those of "
                             "torch, CuPy and JAX are taken")

    def read(self, array, what):
        return library_of(array).read(array, what, self.context)

    def empty(self, shape, dtype, fill=None):
        """A new array of the caller's library, perhaps full of something, and its view."""
        made = self.library.empty(shape, dtype, self._like)
        if fill is not None:
            made = self.library.fill(made, fill)
        return made, self.library.read(made, "the result", self.context)

    def copy(self, array):
        """A contiguous copy in the order of the stream, and its view."""
        made = library_of(array).copy(array)
        return made, self.read(made, "a copy")

    def done(self):
        """Waits where results must be there: for JAX, which does not know of the stream."""
        if self.library.waits:
            wait(self.context)


def require_cuda(array):
    """ValueError where nothing can be computed on a device."""
    if _kleene.cuda_devices():
        return
    why = ("there is no CUDA device here that this build holds code for, or no driver" if _kleene.has_cuda() else
           "this build of Kleene has no CUDA kernels (there was no nvcc when it was compiled)")
    raise ValueError(f"a {module_of(array)} {type(array).__name__} in the memory of a device, and {why}: copy it to "
                     "host memory")


def known_context(device, stream):
    """This thread's context on that stream, or None where there is none yet."""
    found = _local.__dict__.get("contexts", _NONE).get((device, stream))
    return found and found[0]


def _context(device, stream, owner, of):
    """This thread's context on a stream of the library's (None: one of its own), made when it is first asked for."""
    contexts = _local.__dict__.setdefault("contexts", {})
    found = contexts.get((device, stream))
    if found is None:
        if len(contexts) >= _MOST_CONTEXTS:
            contexts.pop(next(iter(contexts)))
        if stream is None:
            made = _kleene.DeviceContext.on_device(device)
        else:
            with of.on_device(device):  # the default stream is that of the current device
                made = _kleene.DeviceContext.on_stream(stream)
        if made.device() != device:
            raise ValueError(f"an array is on CUDA device {device}, and CUDA device {made.device()} is current: make "
                             "its device the current one")
        found = contexts[device, stream] = (made, owner)
    return found[0]


@atexit.register
def _close():
    _local.__dict__.pop("contexts", None)


def synchronise() -> None:
    """Waits for all calls that this thread and programs of JAX have put on devices; raises what they found wrong.

    Calls on arrays of torch and CuPy return before the device has looked at the values: a value outside the algebra's
    domain and an integer that the type cannot hold are raised here (ValueError), or by the next call that waits
    (closure, shortest_paths) on that stream. KLEENE_SYNC=1 in the environment has each call wait and raise its own.
    """
    for context, _ in list(_local.__dict__.get("contexts", {}).values()):
        wait(context)
    wait(_kleene.xla)
