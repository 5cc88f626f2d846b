"""Every algebra in plain Python, by hand: what results are compared with. Nothing here asks Kleene."""

import math

import numpy as np

INF = math.inf


def log_add(a, b):
    high, low = max(a, b), min(a, b)
    return high if low == -INF else high + math.log1p(math.exp(low - high))


# name: (add, mul, selective)
OPERATIONS = {
    "min_plus": (min, lambda a, b: a + b, True),
    "max_plus": (max, lambda a, b: a + b, True),
    "min_times": (min, lambda a, b: a * b, True),
    "max_times": (max, lambda a, b: a * b, True),
    "min_max": (min, max, True),
    "max_min": (max, min, True),
    "or_and": (max, min, True),
    "xor_and": (lambda a, b: a ^ b, lambda a, b: a & b, False),
    "log_plus": (log_add, lambda a, b: a + b, False),
    "plus_times": (lambda a, b: a + b, lambda a, b: a * b, False),
    "plus_min": (lambda a, b: a + b, min, False),
}

I32, I64 = 2**31 - 1, 2**63 - 1
# The identity of add for floats, int32, int64 and bool, where there is such a row.
ZEROS = {
    "min_plus": (INF, 0x3FFFFFFF, 0x3FFFFFFFFFFFFFFF, None),
    "max_plus": (-INF, -0x3FFFFFFF, -0x3FFFFFFFFFFFFFFF, None),
    "min_times": (INF, I32, None, None),
    "max_times": (0, 0, None, None),
    "min_max": (INF, I32, I64, None),
    "max_min": (-INF, -I32 - 1, -I64 - 1, None),
    "or_and": (0, 0, None, False),
    "xor_and": (0, 0, None, False),
    "log_plus": (-INF, None, None, None),
    "plus_times": (0, 0, None, None),
    "plus_min": (0, 0, None, None),
}
FLOATS = ("float32", "float64")
ROWS = [
    (name, dtype)
    for name, (real, i32, i64, truth) in ZEROS.items()
    for dtype, zero in (("float32", real), ("float64", real), ("int32", i32), ("int64", i64), ("bool", truth))
    if zero is not None
]


def zero_of(name, dtype):
    real, i32, i64, truth = ZEROS[name]
    return {"float32": real, "float64": real, "int32": i32, "int64": i64, "bool": truth}[dtype]


def draw(rng, name, dtype, *shape, zeros=0.2):
    """Small whole numbers, so that every sum is exact; some are the algebra's zero."""
    if name in ("or_and", "xor_and"):
        return rng.integers(0, 2, shape).astype(dtype)
    low = 1 if name in ("min_times", "max_times", "plus_min") else -9
    values = rng.integers(low, 10, shape).astype(dtype)
    values[rng.random(shape) < zeros] = zero_of(name, dtype)
    return values


def product(name, dtype, a, b):
    """(c, witness) of two matrices, element by element: witness is the smallest k that gave an element, or -1."""
    add, mul, _ = OPERATIONS[name]
    zero = zero_of(name, dtype)
    whole = name == "xor_and"
    c = np.full((a.shape[0], b.shape[1]), zero, dtype)
    witness = np.full(c.shape, -1, np.int32)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = int(zero) if whole else zero
            for k in range(a.shape[1]):
                u, v = a[i, k].item(), b[k, j].item()
                term = zero if zero in (u, v) else mul(int(u), int(v)) if whole else mul(u, v)
                better = add(total, int(term) if whole else term)
                if better != total:
                    witness[i, j] = k
                total = better
            c[i, j] = total
    return c, witness


def closure(name, a, one):
    """Floyd and Warshall's three loops over a selective algebra without improving cycles; the diagonal gets `one`."""
    add, mul, _ = OPERATIONS[name]
    n = len(a)
    d = [[a[i, j].item() for j in range(n)] for i in range(n)]
    for i in range(n):
        d[i][i] = add(d[i][i], one)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i][j] = add(d[i][j], mul(d[i][k], d[k][j]))
    return np.array(d, a.dtype)
