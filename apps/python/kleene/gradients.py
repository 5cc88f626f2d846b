"""Gradients of products and closures, for whatever learns: NumPy in, NumPy out. kleene.jax is made of them.

An element of a selective product has one term that gave it (the witness), and passes its gradient on to that term's two
factors; an element of a closure has one path, and passes it on to the path's arcs. Sums are formed in one order:
gradients repeat to the last bit, whatever the number of threads.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _kleene
from ._algebras import find
from ._arrays import as_operand, native, product_batch
from ._matmul import matmul
from ._runtime import threads_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._algebras import Algebra

__all__ = ["closure_gradient", "matmul_gradient"]

MUL = {"min_plus": "plus", "max_plus": "plus", "min_times": "times", "max_times": "times", "min_max": "max",
        "max_min": "min"}


def matmul_gradient(
    g: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    c: ArrayLike,
    witness: ArrayLike | None = None,
    algebra: str | Algebra = "min_plus",
    *,
    threads: int | None = None,
) -> tuple[Any, Any]:
    """The gradients of a and b where c = matmul(a, b, algebra) has the gradient g: float32 or float64, all of one type.

    a is (..., m, k), b (..., k, n), g, c and witness (..., m, n); what was broadcast is summed over. Selective
    algebras need the witness. Over log_plus each term gets its share exp(a + b - c), formed so that nothing
    overflows (operations/gradients/gemm.hpp); over plus_times these are the usual two products.

    Raises ValueError for or_and, xor_and and plus_min, which have none, shapes that do not fit, and where a witness is
    missing or has an element that is neither -1 nor one of the k inner indices.
    """
    name = find(algebra).name
    g, a, b, c = _arrays("matmul_gradient", g=g, a=a, b=b, c=c)
    _require_product(a, b, g=g, c=c)
    if name == "plus_times":
        to_a, to_b = _of_sums(g, a, b, threads)
    elif name == "log_plus":
        to_a, to_b = _of_log_sums(g, a, b, c, threads)
    elif name in MUL:
        if witness is None:
            raise ValueError(f"matmul_gradient: over {name} the witness says which term gave an element")
        (witness,) = _arrays("matmul_gradient", witness=witness)
        _require_product(a, b, witness=witness)
        _require_indices("matmul_gradient: witness", witness, a.shape[-1])
        to_a, to_b = _of_terms(MUL[name], g, a, b, witness, threads)
    else:
        raise ValueError(f"matmul_gradient: {name} has no gradient")
    return tuple(_summed(to.reshape(*g.shape[:-2], *x.shape[-2:]), x.shape) for to, x in ((to_a, a), (to_b, b)))


def _arrays(operation, **arguments):
    return [native(as_operand(value, f"{operation}: {name}")) for name, value in arguments.items()]


def _require_product(a, b, **results):
    """ValueError for matrices that have no product, and for results of another shape than it: with both shapes."""
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(f"matmul_gradient: a is {a.shape}, b is {b.shape}: matrices or batches of them are needed, "
                         "a vector as one of 1 row or 1 column")
    shape = (*product_batch(a.shape, b.shape, "matmul_gradient"), a.shape[-2], b.shape[-1])
    for name, array in results.items():
        if array.shape != shape:
            raise ValueError(f"matmul_gradient: {name} is {array.shape}; the product of a, {a.shape}, and b, "
                             f"{b.shape}, is {shape}")


def _require_indices(what, indices, count):
    """ValueError, with the first that is none: the extension trusts indices, and would write outside of its memory."""
    if indices.size and not (-1 <= indices.min() and indices.max() < count):
        at = np.unravel_index(((indices < -1) | (indices >= count)).argmax(), indices.shape)
        raise ValueError(f"{what}[{', '.join(map(str, at))}] = {indices[at]} is not in -1 .. {count - 1}")


def _summed(gradient, shape):
    """Sums over what was broadcast."""
    if gradient.shape == shape:
        return gradient
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    stretched = tuple(i for i, (own, other) in enumerate(zip(shape, gradient.shape)) if own == 1 and other != 1)
    return gradient.sum(axis=stretched, keepdims=True) if stretched else gradient


def _of_sums(g, a, b, threads):
    return (matmul(g, np.swapaxes(b, -1, -2), "plus_times", threads=threads),
            matmul(np.swapaxes(a, -1, -2), g, "plus_times", threads=threads))


def _of_log_sums(g, a, b, c, threads):
    g, a, b, c = _as_batches(c.shape[:-2], g, a, b, c)
    to_a, to_b = np.empty_like(a), np.empty_like(b)
    _kleene.set_log_sum_gradient(g, a, b, c, to_a, to_b, threads_of(threads))
    return to_a, to_b


def _of_terms(mul, g, a, b, witness, threads):
    g, a, b, witness = _as_batches(g.shape[:-2], g, a, b, witness)
    to_a, to_b = np.zeros_like(a), np.zeros_like(b)
    _kleene.add_product_gradient(mul, g, witness, a, b, to_a, to_b, threads_of(threads))
    return to_a, to_b


def _as_batches(batch, *arrays):
    """Contiguous, each with all leading dimensions, as one."""
    whole = (np.broadcast_to(x, batch + x.shape[-2:]) for x in arrays)
    return [np.ascontiguousarray(x).reshape(prod(batch), *x.shape[-2:]) for x in whole]


def closure_gradient(
    g: ArrayLike,
    a: ArrayLike,
    distances: ArrayLike,
    predecessors: ArrayLike,
    algebra: str | Algebra = "min_plus",
    *,
    threads: int | None = None,
) -> Any:
    """The gradient of a where closure(a, algebra, return_predecessors=True) gave distances, whose gradient is g.

    All are (n, n), floats of one type. An arc gets the sum over all pairs whose path goes along it: of the pair's
    gradient (min_plus, max_plus), times length / weight (max_times, min_times). O(n^2). Predecessors that go round in a
    cycle belong to no path, and what they give has no meaning. Raises ValueError for other algebras, and for a
    predecessor that is neither -1 nor a vertex.
    """
    name = find(algebra).name
    g, a, d, p = _arrays("closure_gradient", g=g, a=a, distances=distances, predecessors=predecessors)
    if MUL.get(name) not in ("plus", "times"):
        raise ValueError(f"closure_gradient: {name} has no gradient here")
    if not (g.ndim == 2 and g.shape == a.shape == d.shape == p.shape and g.shape[0] == g.shape[1]):
        raise ValueError(f"closure_gradient: g is {g.shape}, a {a.shape}, distances {d.shape}, predecessors {p.shape}")
    _require_indices("closure_gradient: predecessors", p, len(p))
    is_path = p >= 0
    through = np.where(is_path, g * d if name.endswith("times") else g, g.dtype.type(0))
    _kleene.add_subtrees(np.ascontiguousarray(p), through, threads_of(threads))
    # What goes through v in the tree of i came along the arc from p[i, v] to v.
    through = np.where(is_path, through, 0).astype(g.dtype, copy=False)
    one = np.ones_like(through)
    to_a, to_arc = np.zeros_like(through), np.zeros_like(through)
    batch = [x[None] for x in (through, np.ascontiguousarray(p), one, one, to_a, to_arc)]
    _kleene.add_product_gradient("plus", *batch, threads_of(threads))
    if name.endswith("times"):
        np.divide(to_arc, a, out=to_arc, where=to_arc != 0)
    return to_arc
