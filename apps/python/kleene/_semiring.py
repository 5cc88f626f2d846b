"""Algebras of one's own: kl.semiring."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._algebras import Algebra, Row, algebras
from ._ring_laws import breaches_of, require_laws
from ._ring_trace import Expression
from ._runtime import require_texts

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

_TYPES = [np.dtype(name) for name in ("float32", "float64", "int32", "int64")]


class _Ring:
    """add and mul as expressions, the constants, and what holds."""


def semiring(
    name: str,
    add: Callable[[Any, Any], Any],
    mul: Callable[[Any, Any], Any],
    *,
    zero: float,
    one: float | None = None,
    selective: bool | None = None,
    dtypes: Sequence[DTypeLike] = (np.float32, np.float64),
    domain: tuple[float, float] | None = None,
) -> Algebra:
    """An algebra of one's own, for matmul and closure: add and mul are functions of two numbers.

        soft = kl.semiring("soft", kl.max, lambda a, b: kl.max(a + b - 1, 0.0), zero=0.0, one=1.0, domain=(0, 1))
        kl.matmul(a, b, soft)

    name    letters, digits and _; what messages call it
    add     of two numbers: commutative and associative, with `zero` as its identity
    mul     of two numbers: zero annihilates it; with `one` as its identity, for closures
    zero    "no edge" in matrices, and the sum of nothing
    selective  whether add gives one of its operands: True is refused where it does not, False asks for no witnesses.
            None: what the numbers tried say
    dtypes  the element types, of float32 and float64, or of int32 and int64
    domain  (least, greatest): other elements, but zero, are refused. None: all are welcome

    Both functions are called once, with what stands for numbers, and become expressions of + - * /, abs, comparisons
    (joined by & | ^ ~), kl.where, kl.min and kl.max; a branch, a function of math or of NumPy is refused with its line.
    The first product compiles them (seconds, by CXX, g++ or clang++, against the package's headers), and keeps the
    kernels on disk for other processes (KLEENE_CACHE, ~/.cache/kleene). Without a compiler a warning is given and NumPy
    computes. Integers wrap around.

    Witnesses need an add that gives one of its operands; closures an idempotent add, a one, and a mul that is
    associative and distributes over add, and there must be no loop a with add(a, one) other than one. Calls on such an
    algebra stop at Ctrl-C when they are over, and report no progress. Arrays on a CUDA device are taken by matmul and,
    for closures without predecessors, by closure: NVRTC compiles their kernels (the toolkit's, or that of the wheel
    nvidia-cuda-nvrtc, which torch and CuPy bring).

    Raises ValueError: what cannot be an expression (with its line), a law that does not hold for numbers tried (with
    them), a name or a type that is none. TypeError: no function of two numbers.
    """
    require_texts(name=name)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in algebras:
        raise ValueError(f"semiring: {name!r} is no name for an algebra of your own: letters, digits and _, and none "
                         "of the package's")
    asked = (dtypes,) if isinstance(dtypes, (str, type, np.dtype)) or not isinstance(dtypes, Iterable) else dtypes
    types = [_dtype(d) for d in asked]
    kinds = {d.kind for d in types}
    if not types or any(d not in _TYPES for d in types) or len(kinds) > 1:
        raise ValueError(f"semiring: dtypes are some of float32 and float64, or of int32 and int64, and not {dtypes!r}")
    kind = kinds.pop()
    ring = _Ring()
    ring.name, ring.add, ring.mul = name, Expression(add, f"{name}: add", is_sum=True), Expression(mul, f"{name}: mul")
    ring.zero, ring.one = _constant(zero, types), None if one is None else _constant(one, types)
    ring.domain = None if domain is None else tuple(_constant(x, types) for x in domain)
    if ring.domain is not None and not (len(ring.domain) == 2 and ring.domain[0] <= ring.domain[1]):
        raise ValueError(f"{name}: a domain is (least, greatest), and not {domain!r}")
    if kind == "i":
        for expression in (ring.add, ring.mul):
            if not expression.is_whole():
                raise ValueError(f"{name}: over integers there is no /, and constants are whole numbers")
    require_laws(ring, kind)
    breaches = breaches_of(ring, kind)
    if selective and breaches["selective"]:
        raise ValueError(f"{name}: it is said to be selective, and {breaches['selective']}")
    if selective is not None and not selective and not breaches["selective"]:
        breaches["selective"] = "it was said not to be selective"
    for fact, breach in breaches.items():
        setattr(ring, f"is_{fact}", breach is None)
    rows = {d: Row(number, d, d.type(ring.zero), None if one is None else d.type(ring.one))
            for number, d in enumerate(types)}
    no_closure = "it was made without `one`" if one is None else breaches["idempotent"] or breaches["distributive"]
    made = Algebra(name, rows, ring.is_idempotent, ring.is_selective, ring.is_commutative, no_closure is None, False)
    made.no_closure = no_closure
    from ._ring_calls import RingExtension  # two thirds of the package's import, were it there

    made.extension = RingExtension(ring, types)
    return made


def _dtype(named):
    try:
        return np.dtype(named)
    except TypeError:
        raise ValueError(f"semiring: {named!r} is no element type") from None


def _constant(value, types):
    """A number that each of the types holds. ValueError."""
    try:
        made = float(value) if types[0].kind == "f" else int(value)
    except (OverflowError, TypeError, ValueError):  # infinity or NaN as an integer; what is no number
        raise ValueError(f"semiring: {types[0].name} does not hold {value!r}") from None
    for dtype in types:
        if types[0].kind == "i" and not np.iinfo(dtype).min <= made <= np.iinfo(dtype).max or made != value:
            raise ValueError(f"semiring: {dtype.name} does not hold {value!r}")
    return made
