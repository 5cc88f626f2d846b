#!/usr/bin/env python3
"""What a call on torch's tensors takes on the host, where it ends in a GPU's stream.

usage: calls.py [--size 8] [--groups 60] [--commit C] [--out FILE.json]

float32 matrices of `size` x `size`. Seconds of a call by the host's clock: the median over groups of 100 calls in a
row, each group on an idle device, whose queue then never fills. library: the extension's function with everything
prepared, which is little more than the call in C++ with its launches; so `package` is what Python adds. torch.mm is
there for comparison.
"""

import argparse
import json
import os
import statistics
import time

import torch

import kleene as kl
from kleene import _kleene
from kleene import torch as kt
from kleene._device import known_context

CALLS = 100


def per_call(call, groups):
    found = []
    for _ in range(groups + 5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        found.append((time.perf_counter() - start) / CALLS)
    return statistics.median(found[5:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--groups", type=int, default=60)
    parser.add_argument("--commit", default="", help="what was measured, for the record")
    parser.add_argument("--out")
    options = parser.parse_args()
    n = options.size
    a, b, c = (torch.rand(n, n, device="cuda") for _ in range(3))
    wanting = a.clone().requires_grad_()
    kl.matmul(a, b)
    context = known_context(a.get_device(), torch.cuda.current_stream().cuda_stream)
    numbers = [(x.data_ptr(), 1, n, n, 0, n, 1) for x in (a, b, c)]
    row = kl.algebras["min_plus"].row("float32").number

    def library():
        _kleene.matmul_on_device(context, row, *numbers, None, None, None, None, None, False, False, True)

    calls = {"library": library, "kl.matmul": lambda: kl.matmul(a, b), "kl.matmul, out": lambda: kl.matmul(a, b, out=c),
             "kl.matmul, witness": lambda: kl.matmul(a, b, return_witness=True),
             "kleene.torch.matmul": lambda: kt.matmul(a, b), "with a gradient": lambda: kt.matmul(wanting, b),
             "new_empty": lambda: a.new_empty((n, n)), "torch.mm": lambda: torch.mm(a, b),
             "torch.mm, out": lambda: torch.mm(a, b, out=c)}
    rows = [{"call": name, "seconds": per_call(call, options.groups)} for name, call in calls.items()]
    rows.append({"call": "package", "seconds": rows[1]["seconds"] - rows[0]["seconds"]})
    kl.synchronise()
    for row in rows:
        print(f"{row['call']:22} {1e6 * row['seconds']:7.2f} us")
    result = {"suite": "python_calls", "version": kl.__version__, "commit": options.commit,
              "device": torch.cuda.get_device_name(), "load_before": os.getloadavg()[0], "torch": torch.__version__,
              "size": n, "definitions": __doc__.strip(), "rows": rows}
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
