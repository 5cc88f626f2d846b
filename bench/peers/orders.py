#!/usr/bin/env python3
"""Orders of contraction: log2 of the operations of Kleene's beside cotengra's, ten networks under one limit of memory,
the same seconds and threads for both, one after the other.

usage: orders.py ORDERS [--seconds 20] [--threads 2] [--log2-elements 27] [--commit C]
ORDERS is the program of orders.cpp. Prints one JSON object; within: by how much log2 of operations may be above the
peer's. Cotengra searches as its preset "auto-hq" does above a few tensors (hyper-optimizer by greedy and KaHyPar's
partitions, tuned by Optuna, subtrees of 8 made optimal), with flops to be minimised and those seconds; what is too
large then is sliced, subtrees of 8 being made optimal between slices, in time that is not counted. Both orders are
costed here by one function: the product of the extents of a pair's indices, of all slices together.
Independent sets: an index a vertex, a vector a vertex and a matrix an edge. Spins: an index a spin, a matrix a bond, an
open grid. Circuits: gates of two qubits on a grid, in the four patterns of neighbours in turn, one amplitude.
Needs cotengra, optuna, kahypar, cotengrust and networkx.
"""
import argparse
import json
import math
import multiprocessing
import platform
import queue
import subprocess
import sys
import time

import cotengra
import networkx


def regular(n):
    graph = networkx.random_regular_graph(3, n, seed=1)
    return n, [[v] for v in range(n)] + [sorted(edge) for edge in graph.edges]


def spins(side):
    at = lambda i, j: i * side + j
    return side * side, [[at(i, j), at(i + a, j + b)] for i in range(side) for j in range(side)
                         for a, b in ((0, 1), (1, 0)) if i + a < side and j + b < side]


def circuit(rows, columns, depth):
    wire = {(i, j): i * columns + j for i in range(rows) for j in range(columns)}
    count = len(wire)
    tensors = [[w] for w in wire.values()]
    for layer in range(depth):
        a, b = ((0, 1), (1, 0))[layer % 2]
        for (i, j) in list(wire):
            other = (i + a, j + b)
            if other not in wire or (j if a == 0 else i) % 2 != layer // 2 % 2:
                continue
            tensors.append([wire[i, j], wire[other], count, count + 1])
            wire[i, j], wire[other] = count, count + 1
            count += 2
    return count, tensors + [[w] for w in wire.values()]


def cost(network, pairs, sliced):
    """log2 of operations, and of the largest tensor of a slice."""
    indices, tensors = network
    there = [frozenset(t) - set(sliced) for t in tensors]
    holders = [0] * indices
    for t in there:
        for i in t:
            holders[i] += 1
    operations, largest = 0, max(map(len, there))
    for a, b in pairs:
        both = there[a] | there[b]
        operations += 2 ** len(both)
        for t in (there[a], there[b]):
            for i in t:
                holders[i] -= 1
        there.append(frozenset(i for i in both if holders[i] > 0))
        for i in there[-1]:
            holders[i] += 1
        largest = max(largest, len(there[-1]))
    return math.log2(operations) + len(sliced), largest


def kleene(program, network, arguments):
    indices, tensors = network
    text = "\n".join([str(indices), *(" ".join(map(str, t)) for t in tensors)]) + "\n"
    begun = time.perf_counter()
    run = subprocess.run([program, str(arguments.seconds), str(arguments.log2_elements), str(arguments.threads)],
                         input=text, capture_output=True, check=True, text=True)
    found = json.loads(run.stdout)
    return (*cost(network, found["pairs"], found["sliced"]), time.perf_counter() - begun, found["method"])


def search_by_peer(network, arguments, answer):
    indices, tensors = network
    symbol = cotengra.get_symbol
    optimizer = cotengra.HyperOptimizer(
        methods=("greedy", "kahypar"), optlib="optuna", minimize="flops", max_repeats=10**6,
        max_time=arguments.seconds, parallel=arguments.threads, progbar=False,
        reconf_opts={"subtree_size": 8, "maxiter": "auto", "maxiter_auto_cap": 1024})
    begun = time.perf_counter()
    tree = optimizer.search([[symbol(i) for i in t] for t in tensors], [], {symbol(i): 2 for i in range(indices)})
    searched = time.perf_counter() - begun
    if tree.max_size() > 2**arguments.log2_elements:
        tree.slice_and_reconfigure_(2**arguments.log2_elements, reconf_opts={"subtree_size": 8}, minimize="flops")
    number = {symbol(i): i for i in range(indices)}
    answer.put((*cost(network, tree.get_ssa_path(), [number[i] for i in tree.sliced_inds]), searched,
                time.perf_counter() - begun - searched))


def peer(network, arguments):
    """In a process of its own, which is ended after --patience: trials and slices do not look at the clock."""
    answer = multiprocessing.Queue()
    process = multiprocessing.Process(target=search_by_peer, args=(network, arguments, answer))
    process.start()
    try:
        return answer.get(timeout=arguments.patience)
    except queue.Empty:
        return None
    finally:
        process.kill()
        process.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("orders")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--log2-elements", type=int, default=27)
    parser.add_argument("--commit", default="")
    parser.add_argument("--patience", type=float, default=180, help="seconds that the peer may take in all")
    parser.add_argument("--only", default="", help="networks whose name holds this")
    arguments = parser.parse_args()
    networks = {f"independent set, 3-regular {n}": regular(n) for n in (100, 140, 180, 220)}
    networks |= {f"spins {n} x {n}": spins(n) for n in (24, 28, 32, 36)}
    networks |= {f"circuit {r} x {c}, {d} layers": circuit(r, c, d) for r, c, d in ((6, 6, 16), (7, 7, 12))}
    rows = []
    for name, network in networks.items():
        if arguments.only not in name:
            continue
        operations, largest, seconds, method = kleene(arguments.orders, network, arguments)
        row = {"network": name, "tensors": len(network[1]), "log2_operations": operations, "log2_largest": largest,
               "method": method, "seconds": seconds}
        assert largest <= arguments.log2_elements, name
        if (found := peer(network, arguments)) is None:
            row |= {"peer_failed": f"no order within {arguments.patience} s"}
        else:
            assert found[1] <= arguments.log2_elements, name
            row |= {"peer_log2_operations": found[0], "peer_log2_largest": found[1], "peer_seconds": found[2],
                    "peer_seconds_of_slicing": found[3], "met": operations <= found[0] + 0.5}
        print(row, file=sys.stderr)
        rows.append(row)
    print(json.dumps({"suite": "orders", "commit": arguments.commit, "processor": platform.processor(),
                      "threads": arguments.threads, "seconds": arguments.seconds,
                      "log2_elements_at_most": arguments.log2_elements, "within": 0.5, "cotengra": cotengra.__version__,
                      "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
