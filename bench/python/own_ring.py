#!/usr/bin/env python3
"""An algebra of one's own beside the built-in min_plus, on one device, and what its first call takes.

usage: own_ring.py [--device cuda] [--sizes 1024 2048 4096 8192] [--rounds 15] [--commit C] [--out FILE.json]

Prints one JSON object. Operands are uniform in [0, 1), or in [-1, 1) where it says so, square; calls take turns, each
until the device is done, by the host's clock: `times` is the median of the built-in's seconds / one's own. Results are
compared before they are timed. own: kl.semiring("own", kl.min, lambda a, b: a + b, zero=inf), which the package knows
for what it is; trust: max and max(a + b - 1, 0), which has no equal. first: the first product of 2048 x 2048 in a
process and a folder of kept kernels of its own; kept: the same in a process that finds them. Needs torch.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import kleene as kl

FIRST = 2048


def rings():
    own = kl.semiring("own", kl.min, lambda a, b: a + b, zero=float("inf"), one=0.0)
    trust = kl.semiring("trust", kl.max, lambda a, b: kl.max(a + b - 1, 0.0), zero=0.0, one=1.0, domain=(0, 1))
    return own, trust


def seconds(call, device):
    start = time.perf_counter()
    call()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def beside(ours, theirs, device, rounds):
    ours(), theirs()
    pairs = [(seconds(ours, device), seconds(theirs, device)) for _ in range(rounds)]
    return {"seconds": statistics.median(o for o, _ in pairs), "peer_seconds": statistics.median(t for _, t in pairs),
            "times": statistics.median(t / o for o, t in pairs), "rounds": rounds}


def products(options):
    own, trust = rings()
    for n in options.sizes:
        for dtype, low, witness in ((torch.float32, 0, False), (torch.float32, -1, False), (torch.float32, -1, True),
                                    (torch.float64, -1, False)):
            a, b = ((1 - low) * torch.rand(n, n, dtype=dtype, device=options.device) + low for _ in range(2))

            def product(algebra, a=a, b=b, witness=witness):
                return kl.matmul(a, b, algebra, return_witness=witness)

            x, y = product(own), product("min_plus")
            assert all(torch.equal(*z) for z in zip(x, y)) if witness else torch.equal(x, y)
            kind = f"{str(dtype)[6:]}, {'[-1, 1)' if low else '[0, 1)'}{', witness' if witness else ''}, n = {n}"
            yield {"work": f"own beside min_plus, {kind}", "at_least": 0.95,
                   **beside(lambda: product(own), lambda: product("min_plus"), options.device, options.rounds)}
        a = torch.rand(n, n, device=options.device)
        yield {"work": f"trust beside min_plus, float32, n = {n}",
               **beside(lambda: kl.matmul(a, a, trust), lambda: kl.matmul(a, a), options.device, options.rounds)}


def closures(options):
    own, _ = rings()
    for n in options.sizes:
        a = torch.rand(n, n, device=options.device)
        assert torch.equal(kl.closure(a, own), kl.closure(a))
        yield {"work": f"closure, own beside min_plus, float32, n = {n}",
               **beside(lambda: kl.closure(a, own), lambda: kl.closure(a), options.device, 3)}


def first_call(device):
    """In a child: the seconds of each ring's first product, behind one of the built-in's."""
    a = torch.rand(FIRST, FIRST, device=device)
    kl.matmul(a, a)
    if device == "cuda":
        torch.cuda.synchronize()
    print(json.dumps([seconds(lambda: kl.matmul(a, a, ring), device) for ring in rings()]))


def first_calls(options):
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--device", options.device, "--first"]
        found = [json.loads(subprocess.run(command, env={**os.environ, "KLEENE_CACHE": folder}, capture_output=True,
                                           text=True, check=True).stdout) for _ in range(2)]
    for name, first, kept in zip(("own", "trust"), *found):
        yield {"work": f"{name}, first", "at_most": 4 if options.device == "cuda" else 6, "seconds": first}
        yield {"work": f"{name}, kept", "at_most": 0.03, "seconds": kept}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=["cpu", "cuda"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048, 4096, 8192])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--commit", default="", help="what was measured, for the record")
    parser.add_argument("--out")
    parser.add_argument("--first", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first:
        first_call(options.device)
        return
    found = {"suite": "own_ring", "version": kl.__version__, "commit": options.commit,
             "device": torch.cuda.get_device_name() if options.device == "cuda" else kl.describe(),
             "load_before": os.getloadavg()[0], "torch": torch.__version__, "definitions": __doc__.strip(), "rows": []}
    for row in (*first_calls(options), *products(options), *closures(options)):
        found["rows"].append(row)
    text = json.dumps(found, indent=1)
    print(text)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
