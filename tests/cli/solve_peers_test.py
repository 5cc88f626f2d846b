"""kleene solve beside solvers of other people: PyMatching's energies of planar spins, and OR-Tools' CP-SAT. Where they
are not installed (PyPI: pymatching, ortools, numpy) there is nothing to compare with, and these tests are skipped. Few
instances, unless KLEENE_PEER_INSTANCES says how many of each."""

import importlib.util
import os
import random
import tempfile
import unittest
from pathlib import Path

import harness
from solve_cases import Solve, name

try:
    spec = importlib.util.spec_from_file_location("optima", Path(__file__).parents[2] / "bench" / "peers" / "optima.py")
    optima = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(optima)
except ImportError:
    optima = None

INSTANCES = int(os.environ.get("KLEENE_PEER_INSTANCES", "10"))


@unittest.skipUnless(optima, "pymatching and ortools are not installed")
class SolvePeers(Solve):
    def best(self, build):
        """The greatest value of what build(model) gives: proved."""
        model = optima.cp_model.CpModel()
        model.maximize(build(model))
        solver = optima.cp_model.CpSolver()
        solver.parameters.num_workers = 8  # fewer leave strategies out
        self.assertEqual(solver.solve(model), optima.cp_model.OPTIMAL)
        return int(solver.objective_value)

    def test_planar_spins(self):
        for side in (4, 8, 12):
            with tempfile.TemporaryDirectory() as folder:  # asserts that all energies are equal
                optima.planar(harness.PROGRAM, side, folder, 2, INSTANCES)

    def test_weighted_independent_sets(self):
        for seed in range(INSTANCES):
            draw = random.Random(seed)
            edges, vertices = self.random_graph(seed, 40, 90)
            weights = [draw.randint(1, 9) for _ in range(vertices)]

            def build(model):
                chosen = [model.new_bool_var(str(v)) for v in range(vertices)]
                for u, v in edges:
                    model.add_bool_or(~chosen[u], ~chosen[v])
                return sum(w * x for w, x in zip(weights, chosen))

            listed = self.write("weights.csv", "".join(f"{name(v)},{w}\n" for v, w in enumerate(weights)))
            got = self.solve("solve", "independent_set", self.edge_list(edges), "--weights", listed)
            self.assertEqual(got["value"], self.best(build), seed)

    def test_cuts(self):
        for seed in range(INSTANCES):
            draw = random.Random(seed)
            edges, vertices = self.random_graph(seed, 30, 60)
            weights = [draw.choice([-3, -2, -1, 1, 2, 3, 4]) for _ in edges]

            def build(model):
                side = [model.new_bool_var(str(v)) for v in range(vertices)]
                differ = []
                for u, v in edges:
                    differ.append(model.new_bool_var(f"{u} {v}"))
                    model.add_bool_xor(side[u], side[v], ~differ[-1])
                return sum(w * x for w, x in zip(weights, differ))

            got = self.solve("solve", "cut", self.edge_list(edges, weights=weights))
            self.assertEqual(got["value"], self.best(build), seed)

    def test_weighted_clauses(self):
        for seed in range(INSTANCES):
            draw = random.Random(seed)
            variables = 25
            literals = [[v * draw.choice([-1, 1]) for v in draw.sample(range(1, variables + 1), draw.choice([2, 2, 3]))]
                        for _ in range(60)]
            weights = [draw.choice(["h"] + list(range(1, 8)) * 2) for _ in literals]

            def build(model):
                x = [None] + [model.new_bool_var(str(v)) for v in range(1, variables + 1)]
                soft = 0
                for clause, weight in zip(literals, weights):
                    terms = [x[v] if v > 0 else ~x[-v] for v in clause]
                    if weight == "h":
                        model.add_bool_or(terms)
                        continue
                    holds = model.new_bool_var("")
                    model.add_bool_or(terms + [~holds])
                    soft += weight * holds
                return soft

            lines = [" ".join(map(str, [weight, *clause, 0])) for clause, weight in zip(literals, weights)]
            got = self.solve("solve", "sat", self.write("clauses.wcnf", "\n".join(lines) + "\n"))
            self.assertEqual(got["value"], self.best(build), seed)
