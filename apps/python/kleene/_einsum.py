"""Tensors contracted over an algebra, as an equation says."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _kleene
from ._algebras import Algebra, find
from ._arrays import as_elements, as_operand, empty, giver, output
from ._device import is_on_device
from ._refusals import reword
from ._runtime import require_truths, threads_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def einsum(
    equation: str,
    *operands: ArrayLike,
    algebra: str | Algebra = "min_plus",
    return_witness: bool = False,
    out: np.ndarray | None = None,
    accumulate: bool = False,
    order: Sequence[tuple[int, int]] = (),
    check_domain: bool = True,
    threads: int | None = None,
) -> Any:
    """numpy.einsum over an algebra: "bik,kj->bij" is the sum over k of a[b, i, k] x b[k, j].

    Letters are indices; one that the output lacks is summed over. Without an arrow the output has those that stand
    once. An index has the same extent wherever it stands. Any strides, any rank up to 64; elements and devices as in
    matmul.

    algebra         a name in kl.algebras
    return_witness  of two operands over a selective algebra, also an int64 array: where in the sum the term lies that
                    gives the element, counted row-major over the summed indices; -1 where none improves on zero
    out             where the result goes; accumulate: it is added to what `out` holds
    order           of several operands: pairs of tensors, where operands are 0 to n - 1 and the result of pair s is
                    n + s (opt_einsum's and cotengra's ssa_path); none: from left to right

    Raises ValueError: no equation, another number of operands, extents that differ (with the index), an order that is
    none, values as matmul. TypeError: an equation or an order of another type, an algebra among the operands, what is
    no array of numbers. MemoryError: no room for intermediate results. At Ctrl-C it stops when the call is over.
    """
    algebra = find(algebra)
    for x in operands:
        if isinstance(x, (str, Algebra)):
            what, how = (repr(x), repr(x)) if isinstance(x, str) else (f"the algebra {x.name}", "... with it")
            raise TypeError(f"einsum: {what} is no tensor: say algebra={how}")
    if accumulate is not True and accumulate is not False:
        _refuse_accumulate(accumulate)
    if any(map(is_on_device, (*operands, out))):
        from . import _device_matmul

        return _device_matmul.einsum(algebra, equation, operands, return_witness=return_witness, out=out,
                                     accumulate=accumulate, order=_pairs(order), check_domain=check_domain)
    give, given = giver(*operands), out
    arrays = [as_operand(x, f"einsum: operand {i + 1}") for i, x in enumerate(operands)]
    indices, kept = indices_of(equation, len(arrays))
    row = algebra.row_for(*(x.dtype for x in arrays))
    arrays = [as_elements(algebra, x, row, f"operand {i + 1}") for i, x in enumerate(arrays)]
    extents = {i: n for own, x in zip(indices, arrays) for i, n in zip(own, x.shape)}
    shape = tuple(extents.get(i, 0) for i in kept)
    if return_witness and not algebra.is_selective:
        raise ValueError(f"einsum: {algebra.name} has no witness: no single term gives an element")
    if accumulate and out is None:
        raise ValueError("einsum: accumulate adds to what `out` holds, and there is no `out`")
    out = empty(shape, row.dtype) if out is None else output(out)
    if out.shape != shape or out.dtype != row.dtype:
        raise ValueError(f"einsum: out is {out.shape} of {out.dtype.name}; the result is {shape} of {row.dtype.name}")
    witness = empty(shape, np.dtype(np.int64)) if return_witness else None
    pairs = _pairs(order)
    try:
        algebra.extension.einsum(row.number, equation, arrays, out, witness, pairs, accumulate, check_domain,
                                 threads_of(threads))
    except ValueError:
        operands = {f"operand {i + 1}": x for i, x in enumerate(arrays)}
        reword({"the output": "out"}, {**operands, "out": out} if accumulate else operands, row.dtype, given)
        raise
    except TypeError:
        require_truths(check_domain=check_domain)
        raise
    found = [x for x in (out, witness) if x is not None]
    found = [give(x) for x in found] if give else [x if shape else x[()] for x in found]
    if given is not None:
        found[0] = given
    return tuple(found) if return_witness else found[0]


def _refuse_accumulate(given):
    """TypeError for what is neither True nor False; of an array, which matmul takes there, with what to do."""
    if np.ndim(given):
        raise TypeError("einsum: accumulate is True or False, and no array: out=array.copy(), accumulate=True adds to "
                        "what it holds")
    require_truths(accumulate=given)


def indices_of(equation, operands):
    """The indices of each operand, and of the output. ValueError: no equation, or one of another number of operands."""
    if not isinstance(equation, str):
        raise TypeError(f"einsum: the equation is a string, 'ij,jk->ik', and not of type {type(equation).__name__}")
    if not equation.isascii() or "\0" in equation:  # others the library refuses itself, in a text that ends at a zero
        at, letter = next((at, c) for at, c in enumerate(equation) if c == "\0" or not c.isascii())
        raise ValueError(f"einsum {equation!r}: {letter!r} at position {at} is no index; indices are letters a to z "
                         "and A to Z")
    indices, kept = _kleene.einsum_indices(equation)
    if len(indices) != operands:
        raise ValueError(f"einsum: '{equation}' is of {len(indices)} operands, and there are {operands}")
    return indices, kept


def _pairs(order):
    """The order as pairs of numbers of tensors."""
    try:
        pairs = [tuple(map(operator.index, pair)) for pair in order]
    except TypeError:
        raise TypeError("einsum: order has pairs of tensors' numbers, [(0, 1), (2, 3)]; it is not "
                        f"{order!r}") from None
    for at, pair in enumerate(pairs):
        if len(pair) != 2:
            raise ValueError(f"einsum: order has pairs of tensors; its entry {at} is of {len(pair)}: {pair}")
        if not all(-(2**31) <= tensor < 2**31 for tensor in pair):
            raise ValueError(f"einsum: pair {at} {pair} takes a tensor that is not there")
    return pairs
