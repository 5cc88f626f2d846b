"""Products and closures for JAX, with gradients: under jit, vmap and grad, on the CPU and on CUDA.

    from kleene import jax as kj

    c = kj.matmul(a, b, "min_plus")           # differentiable in a and b
    d = kj.closure(a, "min_plus")             # differentiable in a: a shortest path layer

Compiled programs call the kernels of products themselves (jax.ffi), on a CUDA device on the program's own stream,
without Python, a copy or a wait. Closures, algebras of your own, and a JAX that cannot do this (before 0.5) go by
jax.pure_callback; arrays on a device travel to the host and back then. Gradients are those of kleene.gradients: the
same bits at each run.
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

from . import _kleene, gradients
from ._algebras import Algebra, find
from ._arrays import require_exact
from ._closure import closure as _closure
from ._matmul import matmul as _matmul

__all__ = ["closure", "matmul"]


def _registered():
    """The platforms whose programs call the extension's functions, as jax.lax.platform_dependent names them."""
    found = []
    for platform, handlers in _kleene.xla.handlers().items():
        try:
            for name, handler in handlers.items():
                jax.ffi.register_ffi_target(f"kleene_{name}", handler, platform=platform)
        except Exception:  # no jax.ffi, or an XLA that refuses functions of this version: whatever it raises
            continue
        found.append(platform.lower())
    return found


_platforms = _registered()


def _by_python(function, shapes, *arrays):
    """What the function makes of NumPy's arrays. vmap gives each one more leading dimension, perhaps of 1."""
    return jax.pure_callback(lambda *given: function(*map(np.asarray, given)), shapes, *arrays,
                             vmap_method="expand_dims")


def _call(name, said, function, shapes, *arrays):
    """What the extension's function of that name makes of the arrays, or where programs cannot call it, `function`."""
    def direct(*arrays):
        return jax.ffi.ffi_call(f"kleene_{name}", shapes, vmap_method="expand_dims")(*arrays, **said)

    def indirect(*arrays):
        return _by_python(function, shapes, *arrays)

    return jax.lax.platform_dependent(*arrays, default=indirect, **dict.fromkeys(_platforms, direct))


def matmul(a: Any, b: Any, algebra: str | Algebra = "min_plus") -> jax.Array:
    """kleene.matmul for JAX: shapes as numpy.matmul's; elements are of the operands' common type as JAX has it (int32
    and float32 make float32), or the next wider one that the algebra and JAX have (float32 for what is no wider float).
    Integers have no gradients.

    Raises as kleene.matmul, but that values are looked at when the program runs: then JAX raises its own error with the
    message. On a CUDA device kl.synchronise() raises it. Under jit integers that become floats are rounded, as JAX
    rounds them; elsewhere one that is no float of the type is refused.
    """
    a, b, algebra = _taken(a, "matmul: a"), _taken(b, "matmul: b"), find(algebra)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError(f"matmul: a has {a.ndim} dimensions, b has {b.ndim}; both need at least 1")
    _require_exact(algebra, a=a, b=b)
    return _matrices(a, b, algebra)


@partial(jax.jit, static_argnums=2)  # compiled for shapes and types when it is first called, under jit, too
def _matrices(a, b, algebra):
    dtype = _type_for(algebra, a, b)
    row_in_front, column_behind = a.ndim == 1, b.ndim == 1
    a, b = (x.astype(dtype) for x in (a[None] if row_in_front else a, b[:, None] if column_behind else b))
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: a is {a.shape}, b is {b.shape}: the inner extents differ")
    c = _product(a, b, algebra)
    c = c[..., 0] if column_behind else c
    return c.squeeze(-1 if column_behind else -2) if row_in_front else c


def _type_for(algebra, *operands):
    common = jnp.result_type(*operands)
    try:
        found = jax.dtypes.canonicalize_dtype(algebra.row_for(common).dtype)
        if np.can_cast(common, found, "safe"):  # not uint32 as int32, where JAX has no int64
            return found
    except ValueError:  # float16 and bfloat16, or integers that JAX makes floats of
        pass
    return jnp.result_type(common, jnp.float32)


def _taken(value, what):
    """The value as an array of JAX's. ValueError where it has integers that JAX, without its x64, would cut off."""
    made = jnp.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype != made.dtype and value.dtype.kind in "iu":
        wrong = np.asarray(made) != value
        if np.any(wrong):
            raise ValueError(f"{what}: {made.dtype.name}, which JAX makes of {value.dtype.name}, does not hold "
                             f"{value[wrong].flat[0]!s}: jax.config.update('jax_enable_x64', True) keeps it")
    return made


def _require_exact(algebra, **operands):
    """ValueError for an integer that would be rounded to a float, where values are known: not under jit."""
    integers = {name: x for name, x in operands.items() if x.dtype.kind in "iu" and not isinstance(x, jax.core.Tracer)}
    dtype = np.dtype(_type_for(algebra, *operands.values())) if integers else None
    for name, x in integers.items():
        if dtype.kind == "f":
            wide = np.asarray(x).astype(np.int64 if x.dtype.kind == "i" else np.uint64)
            require_exact(wide, wide.astype(dtype), name)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _product(a, b, algebra):
    return _multiplied(a, b, algebra, False)[0]


def _multiplied(a, b, algebra, witness):
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*batch, a.shape[-2], b.shape[-1])
    shapes = [jax.ShapeDtypeStruct(shape, a.dtype)] + [jax.ShapeDtypeStruct(shape, jnp.int32)] * witness

    def run(a, b):
        found = _matmul(a, b, algebra, return_witness=witness)
        return list(found) if witness else [found]

    a, b = _of_one_rank(a, b)
    if algebra.extension is not _kleene:
        return _by_python(run, shapes, a, b)
    return _call("matmul", {"row": np.int64(algebra.row(a.dtype).number)}, run, shapes, a, b)


def _forward(a, b, algebra):
    c, *witness = _multiplied(a, b, algebra, algebra.is_selective)
    return c, (a, b, c, *witness)


def _backward(algebra, kept, g):
    a, b, c, *witness = kept
    if algebra.name == "plus_times":
        to_a, to_b = _product(g, jnp.swapaxes(b, -1, -2), algebra), _product(jnp.swapaxes(a, -1, -2), g, algebra)
        return _summed(to_a, a.shape), _summed(to_b, b.shape)
    mul = "log_plus" if algebra.name == "log_plus" else gradients.MUL.get(algebra.name)
    if mul is None:
        raise ValueError(f"matmul: {algebra.name} has no gradient")

    def run(g, a, b, term):
        g, a, b, term = _stretched(g, a, b, term)
        of_log_sums = mul == "log_plus"
        return gradients.matmul_gradient(g, a, b, term if of_log_sums else g, None if of_log_sums else term, algebra)

    shapes = [jax.ShapeDtypeStruct(g.shape[:-2] + x.shape[-2:], x.dtype) for x in (a, b)]
    to_a, to_b = _call("matmul_gradient", {"mul": mul}, run, shapes, *_of_one_rank(g, a, b, *(witness or [c])))
    return _summed(to_a, a.shape), _summed(to_b, b.shape)


_product.defvjp(_forward, _backward)


def _of_one_rank(*arrays):
    """With as many leading dimensions as the others: vmap puts one more in front of each."""
    rank = max(x.ndim for x in arrays)
    return [x.reshape((1,) * (rank - x.ndim) + x.shape) for x in arrays]


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
    """kleene.closure of a square matrix for JAX, in its type or the next wider one that the algebra and JAX have, as
    kleene.jax.matmul; differentiable over min_plus, max_plus, max_times and min_times.

    Under vmap of many. Raises as kleene.closure: a negative cycle ends the computation.
    """
    a, algebra = _taken(a, "closure: a"), find(algebra)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError(f"closure: a square matrix is needed; a is {a.shape} (many: jax.vmap)")
    _require_exact(algebra, a=a)
    return _paths(a.astype(_type_for(algebra, a)), algebra)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def _paths(a, algebra):
    return _by_python(lambda a: _closure(a, algebra), jax.ShapeDtypeStruct(a.shape, a.dtype), a)


def _paths_forward(a, algebra):
    if gradients.MUL.get(algebra.name) not in ("plus", "times"):
        raise ValueError(f"closure: {algebra.name} has no gradient")
    shapes = (jax.ShapeDtypeStruct(a.shape, a.dtype), jax.ShapeDtypeStruct(a.shape, jnp.int32))
    d, p = _by_python(lambda a: _closure(a, algebra, return_predecessors=True), shapes, a)
    return d, (a, d, p)


def _paths_backward(algebra, kept, g):
    def run(*arrays):
        arrays = _stretched(*arrays)
        flat = [x.reshape(-1, *x.shape[-2:]) for x in arrays]
        return np.stack([gradients.closure_gradient(*one, algebra) for one in zip(*flat)]).reshape(arrays[0].shape)

    a, d, p = kept
    return (_by_python(run, jax.ShapeDtypeStruct(a.shape, a.dtype), g, a, d, p),)


_paths.defvjp(_paths_forward, _paths_backward)
