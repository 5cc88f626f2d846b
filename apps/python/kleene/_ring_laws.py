"""The laws of a ring, tried on numbers: not proved, but what a slip breaks."""

from __future__ import annotations

import numpy as np


def numbers_for(ring, kind):
    """What the laws are tried on: the constants, small numbers, and some others; in the ring's domain."""
    low, high = ring.domain or (-50, 50)
    first = max(low, -50) if high >= -50 else max(low, high - 100)
    last = min(high, 50) if low <= 50 else min(high, low + 100)
    # Multiples of the golden ratio, spread over (0, 1): to import a generator would take longer than to try all laws.
    spread = (np.arange(1, 9) * 0.6180339887498949) % 1
    if kind == "f":
        others = first + (last - first) * spread
        small = np.array([-3.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0])
    else:
        others = (first + np.floor((last - first + 1) * spread)).astype(np.int64)
        small = np.array([-3, -2, -1, 0, 1, 2, 3, 7])
    if ring.domain is not None:
        small = np.array([low, high, *small[(small >= low) & (small <= high)]])
    constants = [ring.zero] if ring.one is None else [ring.zero, ring.one]
    return np.concatenate([np.array(constants), others, small]).astype(np.float64 if kind == "f" else np.int64)


def _different(x, y, kind):
    x, y = np.broadcast_arrays(x, y)
    if kind != "f":
        return x != y
    with np.errstate(all="ignore"):
        near = np.isfinite(x - y) & (np.abs(x - y) <= 1e-9 * (1 + np.abs(x) + np.abs(y)))
        return ~((x == y) | near)


def _breach(what, left, right, kind, *arguments):
    """The first numbers for which two sides of a law differ, in words; None where they are equal for all."""
    left, right, *arguments = np.broadcast_arrays(left, right, *arguments)
    wrong = np.argwhere(_different(left, right, kind))
    if not len(wrong):
        return None
    at = tuple(wrong[0])
    shown = ", ".join(f"{letter} = {x[at]}" for letter, x in zip("abc", arguments))
    return f"{what} does not hold for {shown}: {left[at]} and {right[at]}"


def _require(ring, *law):
    breach = _breach(*law)
    if breach:
        hint = "" if ring.domain else " (domain=(least, greatest) says between which numbers the laws hold)"
        raise ValueError(f"{ring.name}: {breach}{hint}")


def require_laws(ring, kind):
    """ValueError: add is not commutative or associative, zero or one is no identity, or zero does not annihilate."""
    v = numbers_for(ring, kind)
    a, b, c = v[:, None, None], v[None, :, None], v[None, None, :]
    add, mul, zero = ring.add, ring.mul, v[0]
    _require(ring, "add(a, b) = add(b, a)", add(a, b), add(b, a), kind, a, b)
    _require(ring, "add(zero, a) = a", add(zero, a), a, kind, a)
    _require(ring, "mul(zero, a) = zero", mul(zero, a), zero, kind, a)
    _require(ring, "mul(a, zero) = zero", mul(a, zero), zero, kind, a)
    _require(ring, "add(add(a, b), c) = add(a, add(b, c))", add(add(a, b), c), add(a, add(b, c)), kind, a, b, c)
    if ring.one is not None:
        _require(ring, "mul(one, a) = a", mul(v[1], a), a, kind, a)
        _require(ring, "mul(a, one) = a", mul(a, v[1]), a, kind, a)


def breaches_of(ring, kind):
    """By what numbers idempotent, selective, commutative and distributive fail; None where all that was tried holds."""
    v = numbers_for(ring, kind)
    a, b, c = v[:, None, None], v[None, :, None], v[None, None, :]
    add, mul = ring.add, ring.mul
    sums = add(a, b)
    return {
        "idempotent": _breach("add(a, a) = a", add(a, a), a, "exact", a),
        "selective": _breach("add(a, b) = a or b", sums, np.where(sums == a, a, b), "exact", a, b),
        "commutative": _breach("mul(a, b) = mul(b, a)", mul(a, b), mul(b, a), kind, a, b),
        "distributive": _breach("mul(a, add(b, c)) = add(mul(a, b), mul(a, c))", mul(a, add(b, c)),
                                add(mul(a, b), mul(a, c)), kind, a, b, c)
        or _breach("mul(add(a, b), c) = add(mul(a, c), mul(b, c))", mul(add(a, b), c), add(mul(a, c), mul(b, c)), kind,
                   a, b, c)
        or _breach("mul(mul(a, b), c) = mul(a, mul(b, c))", mul(mul(a, b), c), mul(a, mul(b, c)), kind, a, b, c),
    }
