#!/usr/bin/env python3
"""Products in programs of JAX's: kernels called by the program itself, beside a callback into Python.

usage: jax_calls.py [--sizes 4,64,512,2048] [--rounds 30] [--commit C] [--out FILE.json]

float32 matrices of n x n over min_plus, on JAX's first device. Seconds of a compiled call until its result is there, by
the host's clock: the median, both kinds in turns (small ones in groups of 100). gradient: the gradient of a sum of
elements in both factors. floor: kl.matmul on the same arrays (NumPy's, on the CPU alone).
"""

import argparse
import json
import os
import statistics
import time

import jax
import numpy as np

import kleene as kl
from kleene import jax as kj


def seconds(call, times):
    start = time.perf_counter()
    for _ in range(times):
        jax.block_until_ready(call())
    return (time.perf_counter() - start) / times


def programs(a, b):
    """(product, its gradient) compiled for these arrays."""
    product = jax.jit(lambda a, b: kj.matmul(a, b))
    gradient = jax.jit(jax.grad(lambda a, b: kj.matmul(a, b).sum(), (0, 1)))
    return product.lower(a, b).compile(), gradient.lower(a, b).compile()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="4,64,512,2048")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--commit", default="", help="what was measured, for the record")
    parser.add_argument("--out")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    on_cpu = jax.default_backend() == "cpu"
    rows = []
    for n in map(int, options.sizes.split(",")):
        host = [np.random.default_rng(i).random((n, n), np.float32) for i in range(2)]
        a, b = map(jax.numpy.asarray, host)
        direct = programs(a, b)
        known, kj._platforms = kj._platforms, []
        jax.clear_caches()
        called_back = programs(a, b)
        kj._platforms = known
        jax.clear_caches()
        np.testing.assert_array_equal(direct[0](a, b), called_back[0](a, b))
        for mine, other in zip(direct[1](a, b), called_back[1](a, b)):
            np.testing.assert_array_equal(mine, other)
        calls = {"direct": lambda: direct[0](a, b), "by_python": lambda: called_back[0](a, b),
                 "gradient_direct": lambda: direct[1](a, b), "gradient_by_python": lambda: called_back[1](a, b)}
        if on_cpu:
            calls["floor"] = lambda: kl.matmul(*host)
        times = 100 if n <= 64 else 1
        found = {name: [] for name in calls}
        for _ in range(options.rounds + 2):
            for name, call in calls.items():
                found[name].append(seconds(call, times))
        row = {"size": n, **{name: statistics.median(all_[2:]) for name, all_ in found.items()}}
        rows.append(row)
        print("  ".join(f"{name} {1e6 * value:.1f} us" if name != "size" else f"n = {value}:"
                        for name, value in row.items()), flush=True)
    result = {"suite": "python_jax", "version": kl.__version__, "commit": options.commit,
              "device": str(jax.devices()[0]), "kleene": kl.describe(), "load_before": load, "jax": jax.__version__,
              "definitions": __doc__.strip(), "rows": rows}
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
