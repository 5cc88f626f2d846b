"""Products and closures for torch: operators with gradients, under autograd and torch.compile, on the CPU and on CUDA.

    from kleene import torch as kt

    c = kt.matmul(a, b, "max_plus")           # differentiable in a and b
    d = kt.closure(a, "min_plus")             # differentiable in a: a shortest path layer

The operators are torch.ops.kleene.matmul and .closure (torch.library; with fake kernels, so that graphs are not
broken). Gradients repeat to the last bit. An element of a selective product passes its gradient on to the one term that
gave it, of several equal ones to the first; log_plus shares it out by exp(a + b - c). There are no second derivatives.
On CUDA products and their gradients are put on the current stream without waiting, closures wait, and the gradient of a
closure is formed by the host.
"""

from __future__ import annotations

import numpy as np

try:
    import torch
    from torch import Tensor
except ImportError as missing:
    raise ImportError("kleene.torch is for torch, and there is no torch: pip install torch") from missing

from . import _kleene, gradients
from ._algebras import algebras
from ._closure import closure as _closure
from ._device import Call
from ._matmul import matmul as _matmul

__all__ = ["closure", "matmul"]

_TYPES = {name: {getattr(torch, dtype.name) for dtype in algebra.dtypes} for name, algebra in algebras.items()}
_TENSORS = (Tensor, torch.nn.Parameter)
_SELECTIVE = {name for name, algebra in algebras.items() if algebra.is_selective}
_DIFFERENTIABLE = {*gradients.MUL, "log_plus", "plus_times"}
_CLOSED = {"min_plus", "max_plus", "min_times", "max_times"}  # whose closures have gradients


def matmul(a: Tensor, b: Tensor, algebra: str = "min_plus") -> Tensor:
    """kleene.matmul for torch: shapes as torch.matmul's; both operands are made their common type.

    Differentiable over min_plus, max_plus, min_times, max_times, min_max, max_min, log_plus and plus_times. Raises
    ValueError: an unknown algebra, elements that it does not have, an operand that needs a gradient where there is
    none; TypeError: no tensors; and as kleene.matmul.
    """
    _require_tensors("matmul", a=a, b=b)
    dtype = a.dtype
    if b.dtype is not dtype:
        dtype = torch.promote_types(dtype, b.dtype)
        a, b = a.to(dtype), b.to(dtype)
    wants = (a.requires_grad or b.requires_grad) and torch.is_grad_enabled()
    _require("matmul", algebra, dtype, wants, _DIFFERENTIABLE)
    eager = _is_eager(a, b)
    if eager and not wants:
        return _matmul(a, b, algebra)
    row_in_front, column_behind = a.dim() == 1, b.dim() == 1
    a, b = a.unsqueeze(0) if row_in_front else a, b.unsqueeze(-1) if column_behind else b
    product = _Product.apply if eager else torch.ops.kleene.matmul
    c = product(a, b, algebra, wants and algebra in _SELECTIVE)[0]
    c = c.squeeze(-1) if column_behind else c
    return c.squeeze(-1 if column_behind else -2) if row_in_front else c


def closure(a: Tensor, algebra: str = "min_plus") -> Tensor:
    """kleene.closure for torch, of (..., n, n); differentiable over min_plus, max_plus, min_times and max_times.

    Raises ValueError and TypeError as matmul, and as kleene.closure: a negative cycle ends the computation.
    """
    _require_tensors("closure", a=a)
    wants = torch.is_grad_enabled() and a.requires_grad
    _require("closure", algebra, a.dtype, wants, _CLOSED)
    if a.dim() < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"closure: a square matrix or a batch of them is needed; a is {tuple(a.shape)}")
    return torch.ops.kleene.closure(a, algebra, wants)[0]


def _require_tensors(operation, **arguments):
    for name, given in arguments.items():
        if not isinstance(given, Tensor):
            raise TypeError(f"{operation}: {name} is of type {type(given).__name__}: kleene.torch takes tensors, "
                            f"kleene.{operation} takes arrays")


def _require(operation, algebra, dtype, wants, differentiable):
    if algebra not in _TYPES:
        raise ValueError(f"there is no algebra {algebra!r}; there are {', '.join(_TYPES)}")
    if dtype not in _TYPES[algebra]:
        raise ValueError(f"{operation}: {algebra} has no elements of {dtype}")
    if wants and algebra not in differentiable:
        raise ValueError(f"{operation}: {algebra} has no gradient here")


# How many modes of torch's look at all operations, and what transforms them (torch.func). None: this torch has no such
# function.
_modes = getattr(torch._C, "_len_torch_dispatch_stack", None)
_transformed = getattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack", None)


def _is_eager(a, b):
    """Whether nobody asks which operators ran, so that their dispatch, 10 to 20 us of the host, can be left out."""
    return (not torch.compiler.is_compiling() and type(a) in _TENSORS and type(b) in _TENSORS
            and _modes is not None and _transformed is not None and not _modes() and _transformed() is None)


def _own(array):
    """What came back as NumPy's, as a tensor."""
    return torch.from_numpy(np.ascontiguousarray(array)) if isinstance(array, np.ndarray) else array


# --- products -----------------------------------------------------------------------------------------------------


def _multiply(a: Tensor, b: Tensor, algebra: str, witness: bool) -> tuple[Tensor, Tensor]:
    """The product and, where asked for, its witness; else that is empty."""
    if witness:
        return _matmul(a, b, algebra, return_witness=True)
    return _matmul(a, b, algebra), a.new_empty((0,), dtype=torch.int32)


_product = torch.library.custom_op("kleene::matmul", _multiply, mutates_args=())


@_product.register_fake
def _(a, b, algebra, witness):
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    torch._check(a.shape[-1] == b.shape[-2], lambda: f"inner extents differ: {tuple(a.shape)}, {tuple(b.shape)}")
    shape = (*batch, a.shape[-2], b.shape[-1])
    return a.new_empty(shape), a.new_empty(shape if witness else (0,), dtype=torch.int32)


def _keep_product(ctx, inputs, output):
    a, b, ctx.algebra, _ = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(a, b, *output)


def _product_backward(ctx, g, _):
    a, b, c, witness = ctx.saved_tensors
    if ctx.algebra in _SELECTIVE and witness.numel() != c.numel():
        raise ValueError(f"matmul: a gradient over {ctx.algebra} needs the witness: ask for it, or call "
                         "kleene.torch.matmul")
    to_a, to_b = torch.ops.kleene.matmul_gradient(g, a, b, c, witness, ctx.algebra)
    return to_a.sum_to_size(a.shape), to_b.sum_to_size(b.shape), None, None


_product.register_autograd(_product_backward, setup_context=_keep_product)


class _Product(torch.autograd.Function):
    """The same operator where nobody asks for it. One function: with setup_context apart torch takes 14 us more."""

    backward = staticmethod(_product_backward)

    @staticmethod
    def forward(ctx, *inputs):
        output = _multiply(*inputs)
        _keep_product(ctx, inputs, output)
        return output


@torch.library.custom_op("kleene::matmul_gradient", mutates_args=())
def _product_gradient(
    g: Tensor, a: Tensor, b: Tensor, c: Tensor, witness: Tensor, algebra: str
) -> tuple[Tensor, Tensor]:
    """The gradients of a and b with the leading dimensions of c."""
    batch = c.shape[:-2]
    a, b = a.expand(*batch, *a.shape[-2:]), b.expand(*batch, *b.shape[-2:])
    if not g.is_cuda:
        return tuple(map(_own, gradients.matmul_gradient(g, a, b, c, witness, algebra)))
    if algebra == "plus_times":
        return _matmul(g, b.mT, "plus_times"), _matmul(a.mT, g, "plus_times")
    if algebra == "log_plus":
        return _of_log_sums(g, a, b, c)
    to_a, to_b = (torch.zeros(x.shape, dtype=x.dtype, device=x.device) for x in (a, b))
    call = Call("matmul_gradient", ("g", g, False))
    flat = [x.reshape(-1, *x.shape[-2:]) for x in (g, witness, a, b, to_a, to_b)]
    numbers = tuple(call.read(x, "an argument").numbers() for x in flat)
    _kleene.add_product_gradient_on_device(call.context, gradients.MUL[algebra], 8 * a.element_size(), numbers)
    return to_a, to_b


@_product_gradient.register_fake
def _(g, a, b, c, witness, algebra):
    batch = c.shape[:-2]
    return a.new_empty((*batch, *a.shape[-2:])), b.new_empty((*batch, *b.shape[-2:]))


def _of_log_sums(g, a, b, c):
    """As gradients.py, by the extension: nothing waits for what the device finds."""
    call = Call("matmul_gradient", ("g", g, False))
    batch, m, k, n = c.shape[:-2], a.shape[-2], a.shape[-1], b.shape[-1]
    g, a, b, c = (x.reshape(-1, *x.shape[-2:]) for x in (g, a, b, c))
    to_a, to_b = (torch.empty((c.shape[0], *x), dtype=a.dtype, device=a.device) for x in ((m, k), (k, n)))
    numbers = tuple(call.read(x, "an argument").numbers() for x in (g, a, b, c, to_a, to_b))
    _kleene.log_sum_gradient_on_device(call.context, 8 * a.element_size(), numbers)
    return to_a.reshape(*batch, m, k), to_b.reshape(*batch, k, n)


# --- closures -----------------------------------------------------------------------------------------------------


@torch.library.custom_op("kleene::closure", mutates_args=())
def _paths(a: Tensor, algebra: str, predecessors: bool) -> tuple[Tensor, Tensor]:
    """The closure and, where asked for, its predecessors; else these are empty."""
    if predecessors:
        return _closure(a, algebra, return_predecessors=True)
    return _closure(a, algebra), a.new_empty((0,), dtype=torch.int32)


@_paths.register_fake
def _(a, algebra, predecessors):
    return a.new_empty(a.shape), a.new_empty(a.shape if predecessors else (0,), dtype=torch.int32)


def _keep_paths(ctx, inputs, output):
    a, ctx.algebra, _ = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(a, *output)


def _paths_backward(ctx, g, _):
    a, d, p = ctx.saved_tensors
    if p.numel() != d.numel():
        raise ValueError("closure: a gradient needs the predecessors: ask for them, or use kleene.torch.closure")
    return torch.ops.kleene.closure_gradient(g, a, d, p, ctx.algebra), None, None


_paths.register_autograd(_paths_backward, setup_context=_keep_paths)


@torch.library.custom_op("kleene::closure_gradient", mutates_args=())
def _paths_gradient(g: Tensor, a: Tensor, d: Tensor, p: Tensor, algebra: str) -> Tensor:
    """The gradient of a; by the host, where each source's tree of paths is walked from its leaves."""
    n = a.shape[-1]
    flat = [x.reshape(-1, n, n).cpu().numpy() for x in (g, a, d, p)]
    found = [gradients.closure_gradient(*one, algebra) for one in zip(*flat)]
    made = np.stack(found) if found else np.zeros((0, n, n), flat[1].dtype)
    return torch.from_numpy(made.reshape(a.shape)).to(a.device)


@_paths_gradient.register_fake
def _(g, a, d, p, algebra):
    return a.new_empty(a.shape)
