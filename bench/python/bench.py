#!/usr/bin/env python3
"""The Python package beside its peers from PyPI, their calls interleaved, on this machine's CPU.

usage: bench.py [--rome99 rome99.gr] [--rounds 5] [--only WORD] [--out FILE.json]

Prints one JSON object: for each row what was computed, medians of seconds, and `times`, the median over rounds of the
peer's time / Kleene's (of rows without a peer: the seconds alone, and `at_most`). Results are compared before they are
timed. Needs NumPy and SciPy; rows of peers that are not installed (tropical-gemm) are left out.
"""

import argparse
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

import kleene as kl
from kleene import csgraph


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def beside(ours, theirs, rounds, scale=1):
    """Medians of both and of their ratios; `theirs` does 1 / scale of the work."""
    ours(), theirs()
    pairs = [(seconds(ours), scale * seconds(theirs)) for _ in range(rounds)]
    return {"seconds": statistics.median(o for o, _ in pairs), "peer_seconds": statistics.median(t for _, t in pairs),
            "times": statistics.median(t / o for o, t in pairs), "rounds": rounds}


def dense_graph(n, seed):
    """Every edge, lengths uniform in [1, 100)."""
    return np.random.default_rng(seed).uniform(1, 100, (n, n))


def floyd_warshall(rounds, _):
    a = dense_graph(2000, 1)
    np.testing.assert_allclose(csgraph.floyd_warshall(a), scipy.sparse.csgraph.floyd_warshall(a))
    return {"work": "csgraph.floyd_warshall, dense float64, n = 2000, every edge", "peer": "scipy", "at_least": 20,
            **beside(lambda: csgraph.floyd_warshall(a), lambda: scipy.sparse.csgraph.floyd_warshall(a), rounds)}


def rome99(rounds, path):
    if not path:
        return None
    graph = kl.read(path).to_scipy()

    def both(module):
        return module.shortest_path(graph, method="D", return_predecessors=True)

    np.testing.assert_array_equal(both(csgraph)[0], both(scipy.sparse.csgraph)[0])
    return {"work": "csgraph.shortest_path of rome99 (3,353 vertices, 8,859 arcs), method D, with predecessors",
            "peer": "scipy", "at_least": 5, **beside(lambda: both(csgraph), lambda: both(scipy.sparse.csgraph), rounds)}


def min_plus(rounds, _):
    try:
        import tropical_gemm
    except ImportError:
        return None
    rng = np.random.default_rng(2)
    a, b = rng.random((2048, 2048), np.float32), rng.random((2048, 2048), np.float32)
    np.testing.assert_array_equal(kl.matmul(a, b), tropical_gemm.minplus_matmul_2d(a, b))
    row = beside(lambda: kl.matmul(a, b, threads=1), lambda: tropical_gemm.minplus_matmul_2d(a, b), rounds)
    return {"work": "matmul min_plus float32, n = 2048, one thread", "peer": "tropical-gemm", "at_least": 5, **row,
            "gpairs_per_second": 2048**3 / row["seconds"] / 1e9,
            "peer_gpairs_per_second": 2048**3 / row["peer_seconds"] / 1e9}


def many_graphs(rounds, _):
    """SciPy's loop over a fiftieth of the graphs, times fifty."""
    rng = np.random.default_rng(3)
    a = np.where(rng.random((100_000, 32, 32)) < 0.2, rng.integers(1, 100, (100_000, 32, 32)), np.inf)

    def theirs():
        return [scipy.sparse.csgraph.floyd_warshall(g, return_predecessors=True) for g in a[::50]]

    ours = a.astype(np.float32)  # in which these lengths are exact
    d, p = kl.closure(ours, return_predecessors=True)
    for lengths, found, (expected, before) in zip(d[::50], p[::50], theirs()):
        np.testing.assert_array_equal(lengths, expected)
        np.testing.assert_array_equal(found < 0, before < 0)
    again = beside(lambda: kl.closure(ours, return_predecessors=True, out=(d, p)), theirs, rounds, scale=50)
    return {"work": "closure min_plus float32 of 100,000 graphs of 32 vertices, with predecessors",
            "peer": "scipy (floyd_warshall in a loop)", "at_least": 100,
            **beside(lambda: kl.closure(ours, return_predecessors=True), theirs, rounds, scale=50),
            "into_arrays_that_are_there": again}


def small_call(rounds, _):
    a = np.random.default_rng(4).random((4, 4))

    def calls():
        for _ in range(10_000):
            kl.matmul(a, a)

    calls()
    return {"work": "matmul min_plus float64, 4 x 4, a call", "at_most": 10e-6, "rounds": rounds,
            "seconds": statistics.median(seconds(calls) / 10_000 for _ in range(rounds))}


OWN = 'own = kl.semiring("own", kl.min, lambda a, b: a + b, zero=float("inf"), one=0)'


def own_ring(rounds, _):
    own = kl.semiring("own", kl.min, lambda a, b: a + b, zero=np.inf, one=0)
    rng = np.random.default_rng(5)
    a, b = rng.random((2048, 2048), np.float32), rng.random((2048, 2048), np.float32)
    np.testing.assert_array_equal(kl.matmul(a, b, own), kl.matmul(a, b))
    return {"work": "matmul float32, n = 2048, min and + as an algebra of one's own", "peer": "kleene's min_plus",
            "at_least": 0.95, **beside(lambda: kl.matmul(a, b, own), lambda: kl.matmul(a, b), rounds)}


# For processes: with compiled modules, as pip installs them.
def surroundings(**more):
    return {**{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}, **more}


def first_call(rounds, _, cached=False):
    """In processes of their own, between two looks at the clock: after the import, and after the result."""
    code = (f"import time, numpy as np, kleene as kl; a = np.ones((64, 64), np.float32); kl.matmul(a, a); start = "
            f"time.perf_counter(); {OWN}; kl.matmul(a, a, own); print(time.perf_counter() - start)")

    def start(folder):
        return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                                    env=surroundings(KLEENE_CACHE=folder)).stdout)

    with tempfile.TemporaryDirectory() as kept:
        if cached:
            start(kept)
            found = [start(kept) for _ in range(rounds)]
        else:
            found = [start(os.path.join(kept, str(i))) for i in range(rounds)]
    return {"work": "an algebra of one's own made, and multiplied with once, 64 x 64, " +
                    ("its kernels in the cache" if cached else "compiled by the machine's compiler"),
            "at_most": 0.03 if cached else 6, "rounds": rounds, "seconds": statistics.median(found)}


def cached_call(rounds, _):
    return first_call(rounds, None, cached=True)


def importing(rounds, _):
    def start(code):
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True, env=surroundings()))

    start("import kleene")
    codes = ("import kleene", "import kleene; kleene.matmul", "import numpy", "pass")
    found = [[start(code) for code in codes] for _ in range(rounds)]
    package, ready, numpy = (statistics.median(row[i] - row[-1] for row in found) for i in range(3))
    return {"work": "import kleene, beyond an interpreter that does nothing; NumPy comes with the first name that is "
                    "asked for (ready_seconds, of which NumPy's own import is numpy_seconds)",
            "at_most": 0.08, "rounds": rounds, "seconds": package, "ready_seconds": ready, "numpy_seconds": numpy}


ROWS = (floyd_warshall, rome99, min_plus, many_graphs, own_ring, first_call, cached_call, small_call, importing)


def versions(*packages):
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rome99", help="DIMACS's graph of Rome")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("--commit", default="", help="what was measured, for the record")
    parser.add_argument("--out")
    options = parser.parse_args()
    rows = []
    for row in ROWS:
        if options.only in row.__name__ and (found := row(options.rounds, options.rome99)):
            rows.append({"row": row.__name__, **found})
            print(json.dumps(rows[-1]), file=sys.stderr)
    result = {"suite": "python", "version": kl.__version__, "commit": options.commit, "processor": processor(),
              "runs_on": kl.describe(), "load_before": os.getloadavg()[0],
              "versions": {"python": sys.version.split()[0], **versions("numpy", "scipy", "tropical-gemm")},
              "definitions": __doc__.strip(), "rows": rows}
    text = json.dumps(result, indent=1)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    else:
        print(text)


if __name__ == "__main__":
    main()
