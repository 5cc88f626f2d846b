#!/usr/bin/env python3
"""Sequences of torch's tensors on a GPU beside torch's own, where it has the like.

usage: sequences.py [--count 67108864] [--rounds 15] [--commit C] [--out FILE.json]

Vectors of `count` elements (keys: whole numbers below 2^24 as float32, or int32; values: uniform in [0, 1)); sorted
ones are two of half as many. Segments: one of 64 elements on average, drawn. Seconds are medians of the
rounds, by CUDA events; a peer's calls take turns with ours, each behind one that is not timed, and `times` is the
median of the peer's seconds / ours.
Results are compared before they are timed (sums of floats: within 1e-3). Needs torch with CUDA.
"""

import argparse
import json
import os

import torch

from clock import Clock

import kleene as kl

clock = Clock("cuda")


def measured(work, count, rounds, ours, theirs=None):
    row = clock.beside(ours, theirs, rounds) if theirs else {"seconds": clock.median(ours, rounds), "rounds": rounds}
    return {"work": work, **row, "items_per_second": count / row["seconds"]}


def sorts(count, rounds):
    for dtype in (torch.float32, torch.int32):
        keys = torch.randint(0, 1 << 24, (count,), device="cuda").to(dtype)
        found, wanted = kl.sort(keys, return_positions=True), torch.sort(keys, stable=True)
        assert torch.equal(found[0], wanted[0]) and torch.equal(found[1], wanted[1])
        yield measured(f"sort {dtype}", count, rounds, lambda k=keys: kl.sort(k))
        yield measured(f"sort {dtype} with positions, torch.sort(stable=True) beside", count, rounds,
                       lambda k=keys: kl.sort(k, return_positions=True), lambda k=keys: torch.sort(k, stable=True))


def scans(count, rounds):
    values = torch.rand(count, device="cuda")
    assert torch.equal(kl.scan(values, "max_plus"), torch.cummax(values, 0)[0])
    assert torch.allclose(kl.scan(values), torch.cumsum(values, 0), rtol=1e-3)
    yield measured("scan plus float32, torch.cumsum beside", count, rounds, lambda: kl.scan(values),
                   lambda: torch.cumsum(values, 0))
    yield measured("scan max float32, torch.cummax (with positions) beside", count, rounds,
                   lambda: kl.scan(values, "max_plus"), lambda: torch.cummax(values, 0))
    logs = values.log()
    assert torch.allclose(kl.scan(logs, "log_plus"), torch.logcumsumexp(logs, 0), rtol=1e-3, atol=1e-3)
    yield measured("scan log-sum-exp float32, torch.logcumsumexp beside", count, rounds,
                   lambda: kl.scan(logs, "log_plus"), lambda: torch.logcumsumexp(logs, 0))


def segments(count, rounds):
    values = torch.rand(count, device="cuda")
    cuts = torch.randint(0, count + 1, (count // 64 - 1,), device="cuda").sort()[0]
    ends = torch.tensor([0, count], device="cuda")
    offsets = torch.cat([ends[:1], cuts, ends[1:]])

    def theirs():
        return torch.segment_reduce(values, "max", offsets=offsets, unsafe=True)

    found, wanted = kl.segmented_reduce(values, offsets, "max_plus"), theirs()
    assert torch.equal(found, wanted)
    yield measured("segmented max float32, torch.segment_reduce(unsafe=True) beside", count, rounds,
                   lambda: kl.segmented_reduce(values, offsets, "max_plus"), theirs)


def pairs_of_vectors(count, rounds):
    a, b = (torch.randint(0, 1 << 30, (count // 2,), device="cuda", dtype=torch.int32).sort()[0] for _ in range(2))
    assert torch.equal(kl.merge(a, b), torch.cat([a, b]).sort()[0])
    yield measured("merge int32, of two sorted, torch.cat and torch.sort beside", count, rounds,
                   lambda: kl.merge(a, b), lambda: torch.cat([a, b]).sort())
    yield measured("set_union int32, of two sorted", count, rounds, lambda: kl.set_union(a, b))
    left, right = kl.join(a, b)
    assert torch.equal(a[left], b[right])
    yield measured("inner join int32, of two sorted", count, rounds, lambda: kl.join(a, b))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1 << 26)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--commit", default="", help="what was measured, for the record")
    parser.add_argument("--out")
    options = parser.parse_args()
    rows = []
    for family in (sorts, scans, segments, pairs_of_vectors):
        for row in family(options.count, options.rounds):
            print({key: round(value, 7) if isinstance(value, float) else value for key, value in row.items()})
            rows.append(row)
        torch.cuda.empty_cache()
    result = {"suite": "python_sequences", "version": kl.__version__, "commit": options.commit,
              "device": torch.cuda.get_device_name(), "load_before": os.getloadavg()[0], "torch": torch.__version__,
              "count": options.count, "definitions": __doc__.strip(), "rows": rows}
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
