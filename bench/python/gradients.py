#!/usr/bin/env python3
"""kleene.torch's gradients beside its own forward passes and beside torch_semiring_einsum, on one device.

usage: gradients.py [--device cpu] [--size 4096] [--peer-size 1024] [--rounds 15] [--commit C] [--out FILE.json]

Prints one JSON object. Operands are uniform in [0, 1) (log_plus: standard normal), float32, square. forward: a product
without gradients; both: a product of two that want them, and backward() from a constant matrix; each the median of the
rounds after three, by CUDA events or the host's clock. A peer's calls take turns with ours, each behind one that is not
timed, and `times` is the median of the peer's seconds / ours. call: the host's seconds of a call of 8 x 8, of 2,000 in
a row. Gradients are compared with sums in float64 before they are timed. Needs torch; torch_semiring_einsum for the
rows beside it.
"""

import argparse
import importlib.metadata
import json
import os
import statistics
import sys
import time

import torch

from clock import Clock

import kleene as kl
from kleene import torch as kt

try:
    import torch_semiring_einsum as peer
except ImportError:
    peer = None


def draw(algebra, n, device, seed, scale=1):
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(n, n, generator=generator) if algebra == "log_plus" else torch.rand(n, n, generator=generator)
    return (scale * values).to(device)


def both(product, a, b, g):
    """A product of two that want gradients, and these."""
    a.grad = b.grad = None
    product(a, b).backward(g)
    return a.grad, b.grad


def require_shares(device, n=200):
    """Gradients of log_plus against float64's, of numbers near each other and far apart."""
    for scale in (1, 20, 1000):
        a, b, g = (draw("log_plus", n, device, seed, s) for seed, s in ((1, scale), (2, scale), (3, 1)))
        found = both(lambda a, b: kt.matmul(a, b, "log_plus"), a.requires_grad_(), b.requires_grad_(), g)
        with torch.no_grad():
            c = kt.matmul(a, b, "log_plus")
            shares = torch.exp(a.double()[:, :, None] + b.double()[None] - c.double()[:, None])
            shares = shares * g.double()[:, None]
        for x, wanted in zip(found, (shares.sum(2), shares.sum(0))):
            error = float((x.double() - wanted).abs().max())
            print(f"log_plus {n}, scale {scale}: largest error {error:.2e}", file=sys.stderr)
            if not error <= 1e-4 + 1e-5 * scale:  # c itself is rounded
                raise AssertionError(f"a gradient over log_plus of numbers of {scale} errs by {error}")


def require_terms(device, n=200):
    """Gradients of min_plus: each element's to the first least term."""
    a, b, g = (draw("min_plus", n, device, seed) for seed in (1, 2, 3))
    a, b = (torch.round(8 * x) for x in (a, b))  # ties
    to_a, to_b = both(kt.matmul, a.requires_grad_(), b.requires_grad_(), g)
    terms = a.detach()[:, :, None] + b.detach()[None]
    first = (terms == terms.amin(1, keepdim=True)).int().argmax(1)
    wanted_a = torch.zeros_like(a, dtype=torch.float64).scatter_add_(1, first, g.double())
    wanted_b = torch.zeros_like(b, dtype=torch.float64).scatter_add_(0, first, g.double())
    torch.testing.assert_close(to_a.double(), wanted_a, rtol=0, atol=1e-4)
    torch.testing.assert_close(to_b.double(), wanted_b, rtol=0, atol=1e-4)


def passes(algebra, n, clock, device, rounds):
    a, b, g = (draw(algebra, n, device, seed) for seed in (1, 2, 3))
    forward = clock.median(lambda: kt.matmul(a, b, algebra), rounds)
    x, y = a.clone().requires_grad_(), b.clone().requires_grad_()
    all_of_it = clock.median(lambda: both(lambda x, y: kt.matmul(x, y, algebra), x, y, g), rounds)
    row = {"work": f"{algebra} float32, n = {n}", "forward_seconds": forward, "both_seconds": all_of_it,
           "both_by_forward": all_of_it / forward, "rounds": rounds}
    if kl.algebras[algebra].is_selective:
        row["witness_seconds"] = clock.median(lambda: kl.matmul(a, b, algebra, return_witness=True), rounds)
    return row


def beside_log_einsum(n, clock, device, rounds):
    a, b, g = (draw("log_plus", n, device, seed) for seed in (1, 2, 3))
    a, b = a.requires_grad_(), b.requires_grad_()
    equation = peer.compile_equation("ik,kj->ij")
    ours = both(lambda a, b: kt.matmul(a, b, "log_plus"), a, b, g)
    theirs = both(lambda a, b: peer.log_einsum(equation, a, b), a, b, g)
    for x, y in zip(ours, theirs):
        torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-4)
    return {"work": f"log_plus float32, n = {n}, forward and backward", "peer": "torch_semiring_einsum.log_einsum",
            "at_least": 50, **clock.beside(lambda: both(lambda a, b: kt.matmul(a, b, "log_plus"), a, b, g),
                                           lambda: both(lambda a, b: peer.log_einsum(equation, a, b), a, b, g), rounds)}


def beside_viterbi(n, clock, device, rounds):
    a, b = (draw("max_plus", n, device, seed) for seed in (1, 2))
    equation = peer.compile_equation("ik,kj->ij")
    c, witness = kl.matmul(a, b, "max_plus", return_witness=True)
    best, where = peer.log_viterbi_einsum_forward(equation, a, b)
    torch.testing.assert_close(c, best, rtol=0, atol=0)
    same = float((where[..., 0] == witness).float().mean())
    if same < 0.99:  # of equal terms another one may be found
        raise AssertionError(f"{same} of the witnesses agree")
    return {"work": f"max_plus float32, n = {n}, with the winning k (forward alone: the peer has no gradient)",
            "peer": "torch_semiring_einsum.log_viterbi_einsum_forward", "at_least": 50,
            **clock.beside(lambda: kl.matmul(a, b, "max_plus", return_witness=True),
                           lambda: peer.log_viterbi_einsum_forward(equation, a, b), rounds)}


def calls(device):
    a, b = (draw("min_plus", 8, device, seed) for seed in (1, 2))
    wanting = a.clone().requires_grad_()
    rows = []
    for name, call in (("kl.matmul", lambda: kl.matmul(a, b)), ("kleene.torch.matmul", lambda: kt.matmul(a, b)),
                       ("kleene.torch.matmul with a gradient", lambda: kt.matmul(wanting, b))):
        found = []
        for _ in range(8):
            start = time.perf_counter()
            for _ in range(2000):
                call()
            found.append((time.perf_counter() - start) / 2000)
            if torch.device(device).type == "cuda":
                torch.cuda.synchronize()
        rows.append({"work": f"{name}, 8 x 8, a call on the host", "seconds": statistics.median(found[1:])})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--peer-size", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--commit", default="", help="what was measured, for the record")
    parser.add_argument("--out")
    options = parser.parse_args()
    device, clock = options.device, Clock(options.device)
    require_terms(device), require_shares(device)
    rows = [passes(algebra, options.size, clock, device, options.rounds) for algebra in ("min_plus", "log_plus")]
    if peer:
        rows += [row(options.peer_size, clock, device, options.rounds) for row in (beside_log_einsum, beside_viterbi)]
    rows += calls(device)
    name = torch.cuda.get_device_name() if clock.is_cuda else kl.describe()
    result = {"suite": "gradients", "version": kl.__version__, "commit": options.commit, "device": name,
              "load_before": os.getloadavg()[0], "torch": torch.__version__,
              "torch_semiring_einsum": importlib.metadata.version("torch_semiring_einsum") if peer else None,
              "definitions": __doc__.strip(), "rows": rows}
    text = json.dumps(result, indent=1)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    for row in rows:
        print({key: round(value, 7) if isinstance(value, float) else value for key, value in row.items()})


if __name__ == "__main__":
    main()
