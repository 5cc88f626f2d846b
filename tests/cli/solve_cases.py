"""What the tests of kleene solve share: problems in plain Python, files of them, and all assignments."""

import itertools
import random

from harness import CliTest

NONE, USAGE, BAD_INPUT, DEVICE, MEMORY, INTERRUPTED = 1, 2, 3, 4, 5, 130
SVG = "{http://www.w3.org/2000/svg}"

PETERSEN = [(k, (k + 1) % 5) for k in range(5)] + [(k, k + 5) for k in range(5)] + \
           [(5 + k, 5 + (k + 2) % 5) for k in range(5)]


def name(vertex):
    return f"v{vertex}"


class Problem:
    """What an assignment is worth: None where it is forbidden."""

    def __init__(self, edges, vertices, weights=None):
        self.edges, self.vertices = edges, vertices
        self.weights = weights or [1] * vertices
        self.neighbours = {v: {v} for v in range(vertices)}
        for u, v in edges:
            self.neighbours[u].add(v)
            self.neighbours[v].add(u)

    def chosen(self, x):
        return sum(w for w, chosen in zip(self.weights, x) if chosen)

    def independent_set(self, x):
        return None if any(x[u] and x[v] for u, v in self.edges) else self.chosen(x)

    def vertex_cover(self, x):
        return None if any(not x[u] and not x[v] for u, v in self.edges) else self.chosen(x)

    def clique(self, x):
        pairs = itertools.combinations(range(self.vertices), 2)
        return None if any(x[u] and x[v] and v not in self.neighbours[u] for u, v in pairs) else self.chosen(x)

    def dominating_set(self, x):
        around = self.neighbours.values()
        return None if any(not any(x[v] for v in near) for near in around) else self.chosen(x)

    def coloring(self, x):
        return sum(x[u] == x[v] for u, v in self.edges)


GOALS = {"independent_set": max, "clique": max, "set_packing": max, "cut": max, "vertex_cover": min,
         "dominating_set": min, "coloring": min, "ising": min}


class Solve(CliTest):
    def edge_list(self, edges, file="graph.csv", weights=None):
        weight = iter(weights or [])
        rows = [f"{name(u)},{name(v)}" + (f",{next(weight)}" if weights else "") for u, v in edges]
        return self.write(file, "from,to" + (",weight" if weights else "") + "\n" + "\n".join(rows) + "\n")

    def compare(self, worth, goal, values, vertices, *arguments):
        """A run's value, count, best values and configuration with those of all assignments; returns its JSON."""
        worths = [w for w in map(worth, itertools.product(range(values), repeat=vertices)) if w is not None]
        worths.sort(reverse=goal is max)
        got = self.solve("solve", *arguments, "--count", "--best", 16)
        self.assertEqual(got["value"], worths[0], arguments)
        self.assertEqual(got["count"], worths.count(worths[0]), arguments)
        self.assertEqual(got["best"], worths[:16], arguments)
        return got

    def random_graph(self, seed, vertices=9, arcs=13):
        draw = random.Random(seed)
        pairs = list(itertools.combinations(range(vertices), 2))
        edges = sorted(draw.sample(pairs, arcs))
        used = sorted({v for edge in edges for v in edge})  # an edge list has no other vertices
        return [(used.index(u), used.index(v)) for u, v in edges], len(used)

    def order_of(self, edges):
        """Vertices are numbered by their first mention; the edges in those numbers."""
        place = {}
        for edge in edges:
            for v in edge:
                place.setdefault(v, len(place))
        return [(place[u], place[v]) for u, v in edges]
