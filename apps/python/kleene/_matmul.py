"""Products of matrices over an algebra."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ._algebras import find
from ._arrays import (as_array, as_elements, as_operand, cast_exactly, empty, giver, one_batch, output, product_batch,
                      stretched)
from ._device import is_on_device
from ._refusals import reword
from ._runtime import require_truths, threads_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._algebras import Algebra
    from ._kleene import Progress


def matmul(
    a: ArrayLike,
    b: ArrayLike,
    algebra: str | Algebra = "min_plus",
    *,
    return_witness: bool = False,
    out: np.ndarray | None = None,
    accumulate: bool | ArrayLike | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    mask: ArrayLike | None = None,
    mask_complement: bool = False,
    replace: bool = False,
    check_domain: bool = True,
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    """The product a b over an algebra: c[..., i, j] is the sum over k of a[..., i, k] x b[..., k, j].

    Shapes are numpy.matmul's: (..., m, k) and (..., k, n) give (..., m, n), leading dimensions are broadcast, a vector
    of k is a row in front and a column behind. Elements are of the operands' common type, or the next wider one that
    the algebra has. Any strides; nothing is copied but what has another type. Arrays of torch, JAX and whatever speaks
    DLPack are taken as they are, and results are of the first one's kind. Those on a CUDA device are multiplied there,
    on the current stream and without waiting (kl.synchronise() raises what was wrong with values); all arguments are on
    that device then, and have the result's type; threads and progress mean nothing.

    algebra         a name in kl.algebras, or what is in there
    return_witness  also an int32 array of c's shape: the smallest k that gave each element, -1 where none improves on
                    what was there (the algebra's zero, or `accumulate`). Selective algebras only
    out             where c goes: c's shape and type; apart from a and b in memory
    accumulate      True: what `out` holds is added to; an array: it is added to the product
    alpha, beta     factors of the product and of what is accumulated, by the algebra's x
    mask            bools (or 0 and 1), broadcast to c: where False, c keeps what `out` held (zero without `out`, or
                    with `replace`)
    mask_complement where True instead
    check_domain    False: the caller's word that no element is outside the algebra's domain (negative over max_times)
    threads         at most so many; None: get_threads()
    progress        called as progress(done, total) now and then, in operations

    Sums of selective algebras and of integers are exact, whatever the number of threads. Over floats the others err by
    at most (k + 2) eps times the sum of magnitudes. Integers become float64, and results beyond 2^53 are rounded, where
    the algebra has none that hold them (.dtypes): int64 over all but min_plus, max_plus, min_max and max_min, uint64
    over all. A NaN is no candidate over min_plus, max_plus, min_max and max_min, is carried on over log_plus and
    plus_times, and outside the domain of the others. After an error or Ctrl-C what `out` holds is not to be used.

    Raises ValueError: shapes that do not fit, a value outside the domain (with its position), an int64 or uint64 that
    would be rounded to a float (the algebra lacks integers), an integer result that the type cannot hold, integers so
    large that k products of them might leave 64 bits on the way (over plus_times, which is not known before they are
    added), an unknown algebra, outputs that overlap inputs, a tensor of torch's that needs a gradient (kleene.torch has
    them). TypeError: what is no array of numbers. MemoryError: no room for packed operands (with the number of bytes).
    """
    algebra = find(algebra)
    if isinstance(accumulate, np.bool_):
        accumulate = bool(accumulate)  # what NumPy's comparisons return, and no number
    if is_on_device(a) or is_on_device(b) or is_on_device(out):
        on_device = _on_device()
        if mask is accumulate is alpha is beta is None and check_domain and not (replace or mask_complement):
            found = on_device.plain(algebra, a, b, out, return_witness)
            if found is not None:
                return found
        return on_device.matmul(algebra, a, b, return_witness=return_witness, out=out, accumulate=accumulate,
                                alpha=alpha, beta=beta, mask=mask, mask_complement=mask_complement, replace=replace,
                                check_domain=check_domain)
    if mask is accumulate is alpha is beta is out is None and check_domain is True and (
            return_witness is replace is mask_complement is False):
        found = _plain(algebra, a, b, threads, progress)
        if found is not None:
            return found
    give, given = giver(a, b), out
    a, b = as_operand(a, "matmul: a"), as_operand(b, "matmul: b")
    out = None if out is None else output(out)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"matmul: a has {a.ndim} dimensions, b has {b.ndim}; both need at least 1")
    batch = product_batch(a.shape, b.shape)
    row_in_front, column_behind = a.ndim == 1, b.ndim == 1
    row, source = _row_and_source(algebra, a, b, accumulate, out)
    a, b = as_elements(algebra, a, row, "a"), as_elements(algebra, b, row, "b")
    a, b = a[None] if row_in_front else a, b[:, None] if column_behind else b
    shape = (*batch, a.shape[-2], b.shape[-1])
    shown = shape[: len(batch)] + (() if row_in_front else shape[-2:-1]) + (() if column_behind else shape[-1:])

    if mask is not None or replace is not False or mask_complement is not False:
        require_truths(replace=replace, mask_complement=mask_complement)
    if mask is not None:
        mask = cast_exactly(as_array(mask, "matmul: mask"), np.dtype(bool), "a mask")
        mask = stretched("mask", mask, shown).reshape(shape)
        replace = replace or out is None
    elif replace or mask_complement:
        raise ValueError(f"matmul: {'replace' if replace else 'mask_complement'} without a mask")
    if out is None:
        out = empty(shown, row.dtype)
    elif out.shape != shown or out.dtype != row.dtype:
        raise ValueError(f"matmul: out is {out.shape} of {out.dtype.name}; c is {shown} of {row.dtype.name}")
    c = out.reshape(shape) if out.flags.c_contiguous else _with_axes(out, row_in_front, column_behind)
    if source is not None:
        source = c if source is out else stretched("accumulate", source, shown).reshape(shape)
    witness = _witness(algebra, shape, mask is not None and not replace) if return_witness else None

    factors = [None if f is None else factor_of(f, row.dtype, name) for name, f in (("alpha", alpha), ("beta", beta))]
    rest = (*factors, mask_complement, replace, check_domain, threads_of(threads), progress)
    try:
        _run(partial(algebra.extension.matmul, row.number), batch, (a, b, c, witness, source, mask), rest)
    except ValueError:
        operands = {"a": a[0] if row_in_front else a, "b": b[..., 0] if column_behind else b}
        if source is not None:
            operands["accumulate"] = source.reshape(shown)
        reword(names_in_product(a.shape, b.shape), operands, row.dtype, given)
        raise
    except TypeError:
        require_truths(mask_complement=mask_complement, replace=replace, check_domain=check_domain)
        raise
    found = (out, witness.reshape(shown)) if return_witness else (out,)
    found = [give(x) for x in found] if give else [x if shown else x[()] for x in found]
    if given is not None:
        found[0] = given
    return tuple(found) if return_witness else found[0]


def _plain(algebra, a, b, threads, progress):
    """A product of two of NumPy's matrices without options, in half the time of a small one; None: not that plain."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray or a.ndim != 2 or b.ndim != 2:
        return None
    dtype, left, right = a.dtype, a.shape, b.shape
    if dtype.kind not in "biuf" or b.dtype is not dtype or left[1] != right[0] or not (
            a.flags.aligned and b.flags.aligned):
        return None
    row = algebra.row_for(dtype, dtype)
    if row.dtype is not dtype:
        return None
    c = empty((left[0], right[1]), dtype)
    try:
        algebra.extension.matmul(row.number, a[None], b[None], c[None], None, None, None, None, None, False, False,
                                 True, threads_of(threads), progress)
    except ValueError:
        reword(names_in_product(left, right), {"a": a, "b": b}, dtype, None)
        raise
    return c


@cache
def _on_device():
    """The module for arrays on devices, which needs this one. Cached: the import statement takes 0.5 us again."""
    from . import _device_matmul

    return _device_matmul


def names_in_product(a, b):
    """What the library calls the arguments of a product of arrays of these shapes: what the caller does.

    It takes a product with a vector x for y = A x, or y = x A.
    """
    names = {"A": "a", "B": "b", "C": "out", "the source": "accumulate", "the mask": "mask"}
    in_front = a[-2] == 1 and b[-1] != 1
    return {**names, "x overlaps y": f"{'a' if in_front else 'b'} overlaps out",
            "A overlaps y": f"{'b' if in_front else 'a'} overlaps out", "y": "out"}


def _row_and_source(algebra, a, b, accumulate, out):
    """The row of the catalog, and what the product is added to or None."""
    if accumulate is None or accumulate is False:
        return algebra.row_for(a.dtype, b.dtype), None
    if accumulate is not True:
        accumulate = as_operand(accumulate, "matmul: accumulate")
        row = algebra.row_for(a.dtype, b.dtype, accumulate.dtype)
        return row, as_elements(algebra, accumulate, row, "accumulate")
    if out is None:
        raise ValueError("matmul: accumulate=True adds to what `out` holds, and there is no `out`")
    return algebra.row_for(a.dtype, b.dtype), out


def _with_axes(out, row_in_front, column_behind):
    """A view of out that has the axes which vectors lack."""
    if column_behind:
        out = out[..., None]
    return out[..., None, :] if row_in_front else out


def _witness(algebra, shape, keeps_some):
    if not algebra.is_selective:
        raise ValueError(f"matmul: {algebra.name} has no witness: no single k gives an element")
    witness = empty(shape, np.dtype(np.int32))
    if keeps_some:
        witness.fill(-1)
    return witness


def factor_of(value, dtype, name):
    """alpha or beta as a number of the element type. TypeError: it is no number. ValueError: the type lacks it."""
    try:
        made = None if isinstance(value, (str, bytes)) or np.ndim(value) else dtype.type(value)
        fits = dtype.kind == "f" or made == value
    except (TypeError, ValueError):
        made = None
    except OverflowError:
        made, fits = 0, False
    if made is None:
        raise TypeError(f"matmul: {name}: a number is needed, and not {value!r}")
    if not fits:
        advice = "; make the operands floats for it, .astype(numpy.float64)" if dtype.kind == "i" else ""
        raise ValueError(f"matmul: {name}: {dtype.name}, in which this is computed, does not hold {value!r}{advice}")
    return made.item()


def _run(function, batch, arrays, rest):
    """The product of all matrices: one call where the strides of each array allow it, else one along the first axis."""
    flat = [None if x is None else one_batch(x, batch) for x in arrays]
    if all((x is None) == (f is None) for x, f in zip(arrays, flat)):
        function(*flat, *rest)
        return
    whole = [None if x is None else np.broadcast_to(x, batch + x.shape[-2:]) for x in arrays]
    whole[2] = arrays[2]  # written
    whole[3] = arrays[3]
    for i in range(batch[0]):
        _run(function, batch[1:], [None if x is None else x[i] for x in whole], rest)
