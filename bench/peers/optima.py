#!/usr/bin/env python3
"""Exact answers on graphs: `kleene solve` beside PyMatching (energies of planar +-J spins, by matching frustrated
squares) and OR-Tools' CP-SAT (largest independent sets), on this machine, one after the other.

usage: optima.py KLEENE [--seconds 60] [--threads 2] [--workers 8] [GRAPH ...]
Prints one JSON object. Kleene's seconds are those of its whole run: reading, looking for an order, contracting, walking
back to a configuration and checking it. A peer's are those of its solver alone, which has the problem in memory. Every
instance has the same value from both, or a peer's proof was not finished within its --seconds: `peer_proved` says
which. CP-SAT gets 8 workers on any machine: with 2, as many as cores, it leaves out the strategies that prove these
(100 vertices: not in 6 s, with 8 in 0.03 s).
Graphs are edge lists as `kleene gen` writes them. Needs NumPy, pymatching and ortools.
"""
import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import ortools
import pymatching
from ortools.sat.python import cp_model


def kleene(program, problem, path, threads):
    run = subprocess.run([program, "solve", problem, path, "--json", "--device", "cpu", "--threads", str(threads)],
                         capture_output=True, check=True)
    return json.loads(run.stdout)


def regular_graph(program, vertices, folder, seed):
    path = Path(folder) / f"regular_{vertices}_{seed}.csv"
    subprocess.run([program, "gen", "regular", "--vertices", str(vertices), "--degree", "3", "--seed", str(seed),
                    "--out", path], capture_output=True, check=True)
    return path


def edges_of(program, path, folder):
    """The pairs u < v of a graph's file, by Kleene's reader; loops left out."""
    plain = Path(folder) / "edges.mtx"
    subprocess.run([program, "convert", path, plain], capture_output=True, check=True)
    lines = (line.split() for line in plain.read_text().splitlines() if not line.startswith("%"))
    next(lines)
    pairs = {(min(int(w[0]), int(w[1])), max(int(w[0]), int(w[1]))) for w in lines}
    return sorted((u, v) for u, v in pairs if u != v)


def largest_independent_set(edges, seconds, workers):
    model = cp_model.CpModel()
    chosen = {v: model.new_bool_var(str(v)) for edge in edges for v in edge}
    for u, v in edges:
        model.add_bool_or(~chosen[u], ~chosen[v])
    model.maximize(sum(chosen.values()))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = workers
    status = solver.solve(model)
    return {"value": int(solver.objective_value), "bound": int(solver.best_objective_bound + 1e-6),
            "proved": status == cp_model.OPTIMAL, "seconds": solver.wall_time}, len(chosen)


def independent_set(program, path, folder, seconds, threads, workers):
    ours = kleene(program, "independent_set", path, threads)
    theirs, touched = largest_independent_set(edges_of(program, path, folder), seconds, workers)
    alone = ours["vertices"] - touched  # without an edge, which the peer was not given
    theirs["value"] += alone
    theirs["bound"] += alone
    assert theirs["value"] == ours["value"] if theirs["proved"] else theirs["value"] <= ours["value"] <= theirs["bound"]
    return {"work": f"independent set, {path.stem}", "vertices": ours["vertices"], "value": ours["value"],
            "kleene_seconds": ours["seconds"], "kleene_order_seconds": ours["order_seconds"], "peer": "CP-SAT", **{
                f"peer_{key}": value for key, value in theirs.items()}}


def spins(side, seed):
    """Couplings +-1 of an open grid: to the right neighbour, and to the one below."""
    random = numpy.random.default_rng(seed)
    return random.choice([-1, 1], (side, side - 1)), random.choice([-1, 1], (side - 1, side))


def matched_energy(right, down):
    """A cut bond costs 2, and joins the two squares that it separates; squares of an odd number of -1 have an end."""
    side = right.shape[0]
    matching = pymatching.Matching()
    square = lambda i, j: i * (side - 1) + j if 0 <= i < side - 1 and 0 <= j < side - 1 else None

    def join(a, b):
        if a is None or b is None:
            matching.add_boundary_edge(a if b is None else b, weight=1, merge_strategy="smallest-weight")
        else:
            matching.add_edge(a, b, weight=1)

    for i in range(side):
        for j in range(side - 1):
            join(square(i - 1, j), square(i, j))
            join(square(j, i - 1), square(j, i))
    frustrated = right[:-1] * right[1:] * down[:, :-1] * down[:, 1:] < 0
    start = time.perf_counter()
    _, weight = matching.decode(frustrated.astype(numpy.uint8).ravel(), return_weight=True)
    return 2 * round(weight) - right.size - down.size, time.perf_counter() - start


def planar(program, side, folder, threads, instances):
    ours, theirs = [], []
    for seed in range(1, instances + 1):
        right, down = spins(side, seed)
        path = Path(folder) / "spins.csv"
        vertex = lambda i, j: i * side + j + 1
        lines = [f"{vertex(i, j)},{vertex(i, j + 1)},{right[i, j]}" for i in range(side) for j in range(side - 1)]
        lines += [f"{vertex(i, j)},{vertex(i + 1, j)},{down[i, j]}" for i in range(side - 1) for j in range(side)]
        path.write_text("\n".join(["from,to,weight", *lines]) + "\n")
        answer = kleene(program, "ising", path, threads)
        energy, seconds = matched_energy(right, down)
        assert answer["value"] == energy, f"{side} x {side}, seed {seed}: {answer['value']} and {energy}"
        ours.append(answer["seconds"])
        theirs.append(seconds)
    return {"work": f"+-J {side} x {side}, open", "vertices": side * side, "instances": instances,
            "kleene_seconds": float(numpy.median(ours)), "peer": "PyMatching", "peer_proved": True,
            "peer_seconds": float(numpy.median(theirs))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kleene")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workers", type=int, default=8)  # of CP-SAT, whatever the cores: fewer leave strategies out
    parser.add_argument("--instances", type=int, default=5)
    parser.add_argument("graphs", nargs="*", type=Path)
    args = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [planar(args.kleene, side, folder, args.threads, args.instances) for side in (8, 16, 24)]
        for path in [regular_graph(args.kleene, n, folder, 1) for n in (100, 150, 200)] + args.graphs:
            rows.append(independent_set(args.kleene, path, folder, args.seconds, args.threads, args.workers))
    print(json.dumps({"suite": "optima", "threads": args.threads, "cp_sat_workers": args.workers,
                      "peer_seconds_at_most": args.seconds,
                      "ortools": ortools.__version__, "pymatching": pymatching.__version__, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
