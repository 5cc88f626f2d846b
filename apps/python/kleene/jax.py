"""Products and closures for JAX, with gradients: under jit, vmap and grad, on the host's processor.

    from kleene import jax as kj

    c = kj.matmul(a, b, "min_plus")           # differentiable in a and b
    d = kj.closure(a, "min_plus")             # differentiable in a: a shortest path layer

JAX hands the arrays over by jax.pure_callback; arrays on a device travel to the host and back. Elements are float32 or
float64. Gradients are those of kleene.gradients: the same bits at each run.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError as missing:
    raise ImportError("kleene.jax is for JAX, and there is no JAX: pip install jax") from missing

from . import gradients
from ._algebras import Algebra, find
from ._closure import closure as _closure
from ._matmul import matmul as _matmul

__all__ = ["closure", "matmul"]


def _call(function, shapes, *arrays):
    """What the function makes of NumPy's arrays. vmap gives each one more leading dimension, perhaps of 1."""
    return jax.pure_callback(lambda *given: function(*map(np.asarray, given)), shapes, *arrays,
                             vmap_method="expand_dims")


def matmul(a: Any, b: Any, algebra: str | Algebra = "min_plus") -> jax.Array:
    """kleene.matmul for JAX: shapes as numpy.matmul's, elements float32 or float64. Raises as kleene.matmul."""
    a, b = jnp.asarray(a), jnp.asarray(b)
    dtype = jnp.result_type(a, b, jnp.float32)
    row_in_front, column_behind = a.ndim == 1, b.ndim == 1
    a, b = (x.astype(dtype) for x in (a[None] if row_in_front else a, b[:, None] if column_behind else b))
    c = _product(a, b, find(algebra).name)
    c = c[..., 0] if column_behind else c
    return c.squeeze(-1 if column_behind else -2) if row_in_front else c


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _product(a, b, algebra):
    return _forward(a, b, algebra)[0]


def _forward(a, b, algebra):
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*batch, a.shape[-2], b.shape[-1])
    selective = find(algebra).is_selective
    shapes = [jax.ShapeDtypeStruct(shape, a.dtype)] + [jax.ShapeDtypeStruct(shape, jnp.int32)] * selective

    def run(a, b):
        found = _matmul(a, b, algebra, return_witness=selective)
        return list(found) if selective else [found]

    c, *witness = _call(run, shapes, a, b)
    return c, (a, b, c, *witness)


def _backward(algebra, kept, g):
    a, b, c, *witness = kept

    def run(*arrays):
        return gradients.matmul_gradient(*_stretched(*arrays), algebra=algebra)

    shapes = [jax.ShapeDtypeStruct(g.shape[:-2] + x.shape[-2:], x.dtype) for x in (a, b)]
    to_a, to_b = _call(run, shapes, g, a, b, c, *witness)
    return _summed(to_a, a.shape), _summed(to_b, b.shape)


_product.defvjp(_forward, _backward)


def _stretched(*arrays):
    """Matrices with the leading dimensions that they have together."""
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
    return [np.broadcast_to(x, batch + x.shape[-2:]) for x in arrays]


def _summed(gradient, shape):
    """Sums over what was broadcast."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    stretched = tuple(i for i, (own, other) in enumerate(zip(shape, gradient.shape)) if own == 1 and other != 1)
    return gradient.sum(axis=stretched, keepdims=True) if stretched else gradient


def closure(a: Any, algebra: str | Algebra = "min_plus") -> jax.Array:
    """kleene.closure of a square matrix for JAX; differentiable over min_plus, max_plus, max_times and min_times.

    Under vmap of many. Raises as kleene.closure: a negative cycle ends the computation.
    """
    a = jnp.asarray(a)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"closure: a square matrix is needed; a is {a.shape} (many: jax.vmap)")
    return _paths(a.astype(jnp.result_type(a, jnp.float32)), find(algebra).name)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def _paths(a, algebra):
    return _call(lambda a: _closure(a, algebra), jax.ShapeDtypeStruct(a.shape, a.dtype), a)


def _paths_forward(a, algebra):
    shapes = (jax.ShapeDtypeStruct(a.shape, a.dtype), jax.ShapeDtypeStruct(a.shape, jnp.int32))
    d, p = _call(lambda a: _closure(a, algebra, return_predecessors=True), shapes, a)
    return d, (a, d, p)


def _paths_backward(algebra, kept, g):
    def run(*arrays):
        arrays = _stretched(*arrays)
        flat = [x.reshape(-1, *x.shape[-2:]) for x in arrays]
        return np.stack([gradients.closure_gradient(*one, algebra) for one in zip(*flat)]).reshape(arrays[0].shape)

    a, d, p = kept
    return (_call(run, jax.ShapeDtypeStruct(a.shape, a.dtype), g, a, d, p),)


_paths.defvjp(_paths_forward, _paths_backward)
