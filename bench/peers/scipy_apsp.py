#!/usr/bin/env python3
"""All pairs of a DIMACS graph with distances and predecessors:
Kleene beside SciPy's Dijkstra, their calls interleaved, on this machine.

usage: scipy_apsp.py KLEENE GRAPH.gr [ROUNDS]
Prints one JSON object; `times_faster` is the median over rounds of SciPy's time / Kleene's. Both times are of the
search alone: the graph is in memory, reading and writing files are not counted. Needs NumPy and SciPy.
"""
import json
import statistics
import subprocess
import sys
import time

import numpy
import scipy
import scipy.sparse
import scipy.sparse.csgraph


def read_graph(path):
    best = {}
    vertices = 0
    with open(path) as lines:
        for line in lines:
            word = line.split()
            if word and word[0] == "p":
                vertices = int(word[2])
            if word and word[0] == "a":
                arc, weight = (int(word[1]) - 1, int(word[2]) - 1), int(word[3])
                best[arc] = min(weight, best.get(arc, weight))
    rows, columns = zip(*best)
    return scipy.sparse.csr_matrix((list(best.values()), (rows, columns)), shape=(vertices, vertices))


def main():
    kleene, path = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    graph = read_graph(path)
    ours, theirs, result = [], [], {}
    for _ in range(rounds):
        start = time.perf_counter()
        distances, _ = scipy.sparse.csgraph.dijkstra(graph, return_predecessors=True)
        theirs.append(time.perf_counter() - start)
        # --predecessors makes Kleene compute them; the file is thrown away.
        run = subprocess.run([kleene, "apsp", path, "--json", "--predecessors", "/dev/null"],
                             capture_output=True, check=True)
        result = json.loads(run.stdout)
        ours.append(result["seconds"])
    assert int(distances.sum()) == result["distance_sum"], "the two disagree"
    print(json.dumps({
        "graph": path.split("/")[-1], "vertices": graph.shape[0], "arcs": graph.nnz, "rounds": rounds,
        "scipy": scipy.__version__, "numpy": numpy.__version__,
        "scipy_seconds": statistics.median(theirs), "kleene_seconds": statistics.median(ours),
        "kleene_method": result["method"], "kleene_threads": result["threads"],
        "times_faster": statistics.median(t / o for t, o in zip(theirs, ours)), "at_least": 4}))


if __name__ == "__main__":
    main()
