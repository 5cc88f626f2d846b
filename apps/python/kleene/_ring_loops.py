"""Products and closures over a ring of one's own where no compiler is: loops over k, each step on whole arrays."""

from __future__ import annotations

import numpy as np


def matmul(ring, a, b, c, witness, source, mask, alpha, beta, mask_complement, replace):
    """As the extension's matmul, on arrays of three dimensions."""
    dtype = c.dtype
    total = np.full(c.shape, ring.zero, dtype)
    best = np.full(c.shape, -1, np.int32)
    for k in range(a.shape[-1]):
        sums = ring.add(total, ring.mul(a[:, :, k, None], b[:, k, None, :]).astype(dtype)).astype(dtype)
        best[sums != total] = k
        total = sums
    if alpha is not None:
        total = np.asarray(ring.mul(dtype.type(alpha), total)).astype(dtype)
    if source is not None:
        held = source if beta is None else np.asarray(ring.mul(dtype.type(beta), source)).astype(dtype)
        sums = np.asarray(ring.add(held, total)).astype(dtype)
        best[sums == held] = -1
        total = sums
    written = np.ones(c.shape, bool) if mask is None else np.broadcast_to(mask, c.shape) ^ bool(mask_complement)
    if replace:
        c[~written] = ring.zero
    c[written] = total[written]
    if witness is not None:
        if replace:
            witness[~written] = -1
        witness[written] = best[written]


def closure(ring, a, predecessors, sizes, diverging):
    """As the extension's closure, on a batch: Floyd and Warshall's elimination, a vertex at a time."""
    for m, whole in enumerate(a):
        n = whole.shape[0] if sizes is None else sizes[m]
        d, dtype = whole[:n, :n], whole.dtype
        before = np.where(d != ring.zero, np.arange(n, dtype=np.int32)[:, None], -1)
        np.fill_diagonal(before, -1)
        loops = np.asarray(ring.add(np.diagonal(d), dtype.type(ring.one))).astype(dtype)
        np.fill_diagonal(d, loops)
        for k in range(n):
            if d[k, k] != ring.one:
                diverging[m] = k
                break
            through = np.asarray(ring.add(d, ring.mul(d[:, k, None], d[None, k, :]))).astype(dtype)
            better = through != d
            before = np.where(better, before[k], before)
            d[...] = through
        if predecessors is not None:
            predecessors[m, :n, :n] = before
