"""Products of matrices and tensors on a CUDA device: what matmul and einsum do with arrays that are there."""

from __future__ import annotations

import numpy as np

from . import _kleene
from ._arrays import product_batch, refuse_gradient
from ._device import Call, known_context
from ._device_libraries import library_of
from ._einsum import indices_of
from ._matmul import factor_of, names_in_product
from ._refusals import reword

_INT32, _INT64, _BOOL = np.dtype(np.int32), np.dtype(np.int64), np.dtype(bool)


def require_catalog(operation, algebra):
    """ValueError for an algebra of one's own, of which devices have matmul and closure alone."""
    if algebra.extension is not _kleene:
        raise ValueError(f"{operation}: {algebra.name} is an algebra of your own: on devices it has matmul and "
                         "closure, all else takes arrays in host memory")


def require_one_type(operation, **arrays):
    """The type of all of them. ValueError: they have several."""
    dtype = next(iter(arrays.values())).dtype
    for name, array in arrays.items():
        if array.dtype != dtype:
            first = next(iter(arrays))
            raise ValueError(f"{operation}: {first} has elements of {dtype.name}, {name} of {array.dtype.name}: on a "
                             "device nothing is converted, make them one type")
    return dtype


def row_of(operation, algebra, **arrays):
    """The row of the operands' one type. ValueError: they have several, or the algebra lacks it."""
    return algebra.row(require_one_type(operation, **arrays))


def matmul(algebra, a, b, *, return_witness, out, accumulate, alpha, beta, mask, mask_complement, replace,
           check_domain):
    """As kleene.matmul, whose arguments these are; on the current stream, without waiting."""
    given = accumulate if accumulate is not None and not isinstance(accumulate, bool) else None
    call = Call("matmul", ("a", a, False), ("b", b, False), ("out", out, True), ("accumulate", given, False),
                ("mask", mask, False))
    x, y = call.read(a, "a"), call.read(b, "b")
    if not x.shape or not y.shape:
        raise ValueError(f"matmul: a has {x.ndim} dimensions, b has {y.ndim}; both need at least 1")
    batch = product_batch(x.shape, y.shape)
    row = row_of("matmul", algebra, a=x, b=y)
    row_in_front, column_behind = x.ndim == 1, y.ndim == 1
    x, y = x.with_axis(0) if row_in_front else x, y.with_axis(1) if column_behind else y
    shape = (*batch, x.shape[-2], y.shape[-1])
    shown = shape[: len(batch)] + (() if row_in_front else shape[-2:-1]) + (() if column_behind else shape[-1:])

    def in_full(view):
        view = view.with_axis(view.ndim) if column_behind else view
        return view.with_axis(view.ndim - 1) if row_in_front else view

    if out is None:
        result, c = call.empty(shown, row.dtype)
    else:
        result, c = out, call.read(out, "out")
        if c.shape != shown or c.dtype != row.dtype:
            raise ValueError(f"matmul: out is {c.shape} of {c.dtype.name}; c is {shown} of {row.dtype.name}")
    source = _source(call, given, accumulate, out, c, shown, row)
    if mask is None and (replace or mask_complement):
        raise ValueError(f"matmul: {'replace' if replace else 'mask_complement'} without a mask")
    hidden = None if mask is None else _mask(call, mask, shown)
    replace = hidden is not None and (replace or out is None)
    witness, w = _witness(call, algebra, shown, hidden is not None and not replace) if return_witness else (None, None)

    factors = [None if f is None else factor_of(f, row.dtype, name) for name, f in (("alpha", alpha), ("beta", beta))]
    views = [x, y, *(None if v is None else in_full(v) for v in (c, w, source, hidden))]
    try:
        _run(algebra.extension, call.context, row.number, batch, views,
             (*factors, mask_complement, replace, check_domain))
    except ValueError:
        reword(names_in_product(x.shape, y.shape), {}, row.dtype, out)
        raise
    call.done()
    return (result, witness) if return_witness else result


def plain(algebra, a, b, out, return_witness):
    """A product of two of torch's matrices without options, in a tenth of the host's time; None: it is not that plain.

    What matmul does with it in 50 us of the host beside an H200, half as long as a small product takes.
    """
    torch = library_of(a)
    if torch.name != "torch" or type(b) is not type(a) or not (out is None or type(out) is type(a)):
        return None
    dtype, left, right, device = a.dtype, a.shape, b.shape, a.get_device()
    row = torch.rows_of(algebra).get(dtype)
    if row is None or len(left) != 2 or len(right) != 2 or b.dtype is not dtype or b.get_device() != device or (
            device < 0 or a.layout is not torch.strided or b.layout is not torch.strided):
        return None
    context = known_context(device, torch.raw_stream(device))
    (m, k), (j, n) = left, right
    for what, x in (("a", a), ("b", b), ("out", out)):
        refuse_gradient(x, f"matmul: {what}")
    if context is None or j != k or return_witness and not algebra.is_selective:
        return None
    if out is None:
        c = a.new_empty((m, n))
        to = (c.data_ptr(), 1, m, n, 0, n, 1)
    else:
        c = out
        if out.dtype is not dtype or out.shape != (m, n) or out.layout is not torch.strided or (
                out.get_device() != device):
            return None
        to = (c.data_ptr(), 1, m, n, 0, *c.stride())
    witness = a.new_empty((m, n), dtype=torch.int32) if return_witness else None
    to_witness = (witness.data_ptr(), 1, m, n, 0, n, 1) if return_witness else None
    from_a, from_b = (a.data_ptr(), 1, m, k, 0, *a.stride()), (b.data_ptr(), 1, j, n, 0, *b.stride())
    try:
        algebra.extension.matmul_on_device(context, row, from_a, from_b, to, to_witness, None, None, None, None, False,
                                           False, True)
    except ValueError:
        reword(names_in_product(left, right), {}, np.dtype(str(dtype).removeprefix("torch.")), out)
        raise
    return (c, witness) if return_witness else c


def _source(call, given, accumulate, out, c, shown, row):
    """The view of what the product is added to, or None."""
    if given is not None:
        view = call.read(given, "accumulate")
        if view.dtype != row.dtype:
            raise ValueError(f"matmul: accumulate has elements of {view.dtype.name}, a of {row.dtype.name}: on a "
                             "device nothing is converted, make them one type")
        return _stretched("accumulate", view, shown)
    if accumulate is True:
        if out is None:
            raise ValueError("matmul: accumulate=True adds to what `out` holds, and there is no `out`")
        return c
    return None


def _mask(call, mask, shown):
    view = call.read(mask, "mask")
    if view.dtype != _BOOL:
        raise ValueError(f"matmul: a mask on a device is of bools, and not of {view.dtype.name}")
    return _stretched("mask", view, shown)


def _stretched(what, view, shape):
    """view.broadcast for an argument that goes with the result c. ValueError, with both shapes: it does not fit."""
    try:
        return view.broadcast(shape)
    except ValueError:
        raise ValueError(f"matmul: {what} is {view.shape}, and cannot be broadcast to c, {shape}") from None


def _witness(call, algebra, shown, keeps_some):
    if not algebra.is_selective:
        raise ValueError(f"matmul: {algebra.name} has no witness: no single k gives an element")
    return call.empty(shown, _INT32, -1 if keeps_some else None)


def _run(extension, context, row, batch, views, rest):
    """The product of all matrices: one call where the strides of each array allow it, else one along the first axis."""
    flat = [None if v is None else v.one_batch(batch) for v in views]
    if all((v is None) == (f is None) for v, f in zip(views, flat)):
        extension.matmul_on_device(context, row, *(None if f is None else f.numbers() for f in flat), *rest)
        return
    whole = [None if v is None else v.broadcast((*batch, *v.shape[-2:])) for v in views]
    for i in range(batch[0]):
        _run(extension, context, row, batch[1:], [None if v is None else v.at(i) for v in whole], rest)


def einsum(algebra, equation, operands, *, return_witness, out, accumulate, order, check_domain):
    """As kleene.einsum; on the current stream, without waiting."""
    indices, kept = indices_of(equation, len(operands))
    names = [f"operand {i + 1}" for i in range(len(operands))]
    call = Call("einsum", *((name, x, False) for name, x in zip(names, operands)), ("out", out, True))
    views = [call.read(x, name) for name, x in zip(names, operands)]
    require_catalog("einsum", algebra)
    row = row_of("einsum", algebra, **dict(zip(names, views)))
    extents = {i: n for own, view in zip(indices, views) for i, n in zip(own, view.shape)}
    shape = tuple(extents.get(i, 0) for i in kept)
    if return_witness and not algebra.is_selective:
        raise ValueError(f"einsum: {algebra.name} has no witness: no single term gives an element")
    if accumulate and out is None:
        raise ValueError("einsum: accumulate adds to what `out` holds, and there is no `out`")
    result, c = call.empty(shape, row.dtype) if out is None else (out, call.read(out, "out"))
    if c.shape != shape or c.dtype != row.dtype:
        raise ValueError(f"einsum: out is {c.shape} of {c.dtype.name}; the result is {shape} of {row.dtype.name}")
    witness, w = call.empty(shape, _INT64) if return_witness else (None, None)
    try:
        _kleene.einsum_on_device(call.context, row.number, equation, [v.numbers() for v in views], c.numbers(),
                                 None if w is None else w.numbers(), order, accumulate, check_domain)
    except ValueError:
        reword({"the output": "out"}, {}, row.dtype, out)
        raise
    call.done()
    return (result, witness) if return_witness else result
