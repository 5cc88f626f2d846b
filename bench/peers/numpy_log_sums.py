#!/usr/bin/env python3
"""What NumPy takes for a log-sum-exp product by rows, with the largest term subtracted, one thread: the peer of the
log_plus rows of `kleene bench --suite cpu`. Prints JSON."""
import json
import os
import time

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np


def log_sums(a, b, rows):
    for i in range(rows):
        terms = a[i][:, None] + b
        largest = terms.max(axis=0)
        largest + np.log(np.exp(terms - largest).sum(axis=0))


def rate(a, b, rows):
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        log_sums(a, b, rows)
        best = min(best, time.perf_counter() - start)
    return rows * a.shape[1] * b.shape[1] / best / 1e9


n, some = 1024, 32
random = np.random.default_rng(1)
rows = []
for dtype in (np.float32, np.float64):
    for low, high in ((0, 1), (-1e4, 1e4)):
        a, b = (random.uniform(low, high, (n, n)).astype(dtype) for _ in range(2))
        row = {"type": np.dtype(dtype).name, "values": [low, high], "n": n, "gpairs": rate(a, b, some)}
        rows.append(row)
print(json.dumps({"numpy": np.__version__, "threads": 1, "rows": rows}, indent=1))
