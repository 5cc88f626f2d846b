"""Answers against independent ones: data/oracles.json (SciPy, NumPy) and graphs small enough for paper."""

import json
import math
import os
import subprocess
import xml.etree.ElementTree

import numpy as np

import harness
from harness import CliTest

BAD_INPUT = 3

FIELDS = ("vertices arcs algebra dtype device method seconds gops reachable_pairs unreachable_pairs distance_sum "
          "diameter diameter_from diameter_to negative_cycle").split()
METHODS = ("floyd_warshall", "dijkstra", "auto")
# 2 -> 3 twice: 4 stays. 5 cannot be reached; 4 leads nowhere. A zero and a tiny weight are arcs.
SMALL = [(1, 2, 3), (2, 3, 9), (2, 3, 4), (1, 3, 8), (3, 4, 0), (5, 1, 2), (2, 2, 7)]


def oracles():
    with open(os.path.join(harness.DATA, "oracles.json"), encoding="ascii") as file:
        return json.load(file)


class Oracles(CliTest):
    def check(self, name, expected, *flags):
        facts = oracles()[name]
        for method in METHODS:
            got = self.solve("apsp", self.data(name), "--method", method, *flags)
            with self.subTest(name=name, method=method):
                self.assertEqual(got["vertices"], facts["n"])
                self.assertEqual(got["arcs"], facts["nnz"])
                self.assertEqual(got["unreachable_pairs"], expected["unreachable_pairs"])
                self.assertEqual(got["reachable_pairs"], facts["n"] * (facts["n"] - 1) - expected["unreachable_pairs"])
                if got["dtype"] in ("i32", "i64"):
                    self.assertEqual(got["distance_sum"], int(expected["apsp_sum_finite"]))
                    self.assertEqual(got["diameter"], int(expected["diameter"]))
                self.assertTrue(math.isclose(got["distance_sum"], expected["apsp_sum_finite"], rel_tol=1e-12))
                self.assertTrue(math.isclose(got["diameter"], expected["diameter"], rel_tol=1e-12))
                if method != "auto":
                    self.assertEqual(got["method"], method)

    def test_unweighted(self):
        for name in ("road/minnesota.mtx", "lagraph/karate.mtx", "social/dolphins.mtx"):
            self.check(name, oracles()[name]["hop"])

    def test_weighted(self):
        for name in ("road/minnesota_km.mtx", "lagraph/test_BF.mtx", "lagraph/test_FW_1000.mtx",
                     "lagraph/test_FW_2003.mtx"):
            self.check(name, oracles()[name]["w"])

    def test_weighted_as_integers(self):
        for name in ("lagraph/test_FW_1000.mtx", "lagraph/test_FW_2003.mtx"):
            for dtype in ("i32", "i64"):
                self.check(name, oracles()[name]["w"], "--dtype", dtype)

    def test_reachability(self):
        for name, facts in oracles().items():
            got = self.solve("apsp", self.data(name), "--algebra", "or_and")
            self.assertEqual(got["reachable_pairs"] + facts["n"], facts["closure_star_true_entries"], name)
            for dtype in ("i32", "bool"):
                star = self.solve("closure", self.data(name), "--algebra", "or_and", "--dtype", dtype)
                self.assertEqual(star["entries"], facts["closure_star_true_entries"], name)


class ByHand(CliTest):
    def test_fields(self):
        got = self.solve("apsp", self.graph(SMALL, 5))
        for field in FIELDS:
            self.assertIn(field, got)
        self.assertEqual((got["vertices"], got["arcs"], got["algebra"], got["dtype"]), (5, 6, "min_plus", "i32"))
        # 1: 3 7 7; 2: 4 4; 3: 0; 5: 2 5 9 9.
        self.assertEqual(got["reachable_pairs"], 10)
        self.assertEqual(got["unreachable_pairs"], 10)
        self.assertEqual(got["distance_sum"], 50)
        self.assertEqual((got["diameter"], got["diameter_from"], got["diameter_to"]), (9, 5, 3))
        self.assertIsNone(got["negative_cycle"])

    def test_other_algebras(self):
        graph = self.graph(SMALL, 5)
        # Widest: 1: 3 8 0; 2: 9 0; 3: 0; 5: 2 2 2 0. The diameter is the narrowest.
        widest = self.solve("apsp", graph, "--algebra", "max_min")
        self.assertEqual((widest["distance_sum"], widest["diameter"]), (26, 0))
        # Minimax: 1: 3 4 4; 2: 4 4; 3: 0; 5: 2 3 4 4.
        minimax = self.solve("apsp", graph, "--algebra", "min_max")
        self.assertEqual((minimax["distance_sum"], minimax["diameter"]), (32, 4))

    def test_longest_path(self):
        """Of a plan: a before b (3 days) and c (2), both before d (4 and 9)."""
        plan = self.write("plan.csv", "from,to,days\na,b,3\na,c,2\nb,d,4\nc,d,9\n")
        got = self.solve("apsp", plan, "--algebra", "max_plus", "--predecessors", self.path("p.npy"))
        self.assertEqual((got["diameter"], got["diameter_from"], got["diameter_to"]), (11, "a", "d"))
        self.assertEqual((got["route"], got["route_weights"]), (["a", "c", "d"], [2, 9]))
        text = self.kleene("apsp", plan, "--algebra", "max_plus", "--unit", "days").out
        self.assertIn("longest     11 days from a to d\n", text)

    def test_real_weights_and_reliability(self):
        graph = self.graph([(1, 2, 0.5), (2, 3, 0.5), (1, 3, 0.125)], 3)
        got = self.solve("apsp", graph, "--algebra", "max_times")
        self.assertEqual((got["dtype"], got["distance_sum"], got["diameter"]), ("f64", 1.25, 0.25))

    def test_tiny_and_zero_weights_are_arcs(self):
        for method in METHODS:
            got = self.solve("apsp", self.graph([(1, 2, 0), (2, 3, 1e-9)], 3), "--method", method)
            self.assertEqual((got["reachable_pairs"], got["diameter"]), (3, 1e-9))

    def test_wide_integers(self):
        got = self.solve("apsp", self.graph([(1, 2, 200000000), (2, 3, 200000000)], 3))
        self.assertEqual((got["dtype"], got["distance_sum"]), ("i64", 800000000))
        longest = self.solve("apsp", self.path("graph.gr"), "--algebra", "max_plus")
        self.assertEqual((longest["dtype"], longest["distance_sum"]), ("i64", 800000000))
        # Beyond what f64 tells apart: the widest way from 1 to 3 is 2^53 + 1.
        wide = self.graph([(1, 2, 2**53 + 1), (2, 3, 2**53 + 3)], 3)
        for algebra, way in (("max_min", 2**53 + 1), ("min_max", 2**53 + 3)):
            got = self.solve("path", wide, 1, 3, "--algebra", algebra, "--dtype", "i64")
            self.assertEqual(got["cost"], way)
        for command, algebra in (("apsp", "max_times"), ("closure", "plus_times")):
            self.refuse(BAD_INPUT, command, wide, "--algebra", algebra,
                        says=["weight 9007199254740993, which f64 cannot hold exactly (whole numbers to 2^53)"])
        np.save(self.path("wide.npy"), np.array([[0, 2**53 + 1], [0, 0]]))
        self.refuse(BAD_INPUT, "closure", self.path("wide.npy"), "--algebra", "plus_times",
                    says=["is 9007199254740993, which f64 cannot hold exactly"])

    def test_bool(self):
        """A byte an element, 0 or 1: graphs, and products from files of any type."""
        graph = self.graph(SMALL, 5)
        got = self.solve("apsp", graph, "--algebra", "or_and", "--dtype", "bool", "--out", self.path("d.npy"))
        self.assertEqual((got["dtype"], got["reachable_pairs"], got["diameter"]), ("bool", 10, 1))
        reached = np.load(self.path("d.npy"))
        self.assertEqual((reached.dtype, int(reached.sum())), (np.bool_, 15))
        self.assertEqual(self.solve("path", graph, 1, 3, "--algebra", "or_and", "--dtype", "bool")["cost"], 1)
        rng = np.random.default_rng(9)
        a, b = rng.integers(0, 2, (5, 30)), rng.integers(0, 2, (30, 6))
        for algebra, expected in (("or_and", a @ b > 0), ("xor_and", a @ b % 2 == 1)):
            for stored in (np.bool_, np.int64, np.float32):
                np.save(self.path("a.npy"), a.astype(stored))
                np.save(self.path("b.npy"), b.astype(stored))
                self.solve("gemm", self.path("a.npy"), self.path("b.npy"), "--algebra", algebra, "--dtype", "bool",
                           "--out", self.path("c.npy"))
                c = np.load(self.path("c.npy"))
                self.assertEqual(c.dtype, np.bool_)
                np.testing.assert_array_equal(c, expected)

    def test_no_finite_pair(self):
        for vertices in (0, 1, 3):
            got = self.solve("apsp", self.graph([], vertices))
            self.assertEqual((got["reachable_pairs"], got["distance_sum"]), (0, 0))
            self.assertIsNone(got["diameter"])
            self.assertIsNone(got["diameter_from"])

    def test_sources(self):
        got = self.solve("apsp", self.graph(SMALL, 5), "--sources", "5,2")
        self.assertEqual((got["reachable_pairs"], got["distance_sum"]), (6, 33))

    def test_text(self):
        answer = self.kleene("apsp", self.data("lagraph/test_FW_1000.mtx"), "--predecessors", self.path("p.npy"))
        self.assertEqual((answer.code, answer.err), (0, ""))
        for words in ("1,000", "3,996", "999,000 of 999,000 pairs", "12678 from", "method", "ops", "route"):
            self.assertIn(words, answer.out)
        self.assertEqual(self.kleene("apsp", self.graph(SMALL, 5), "--quiet").out, "")


class NegativeCycles(CliTest):
    def check(self, path, *flags):
        out = self.path("d.npy")
        answer = self.kleene("apsp", path, "--json", "--out", out, "--predecessors", self.path("p.npy"), *flags)
        self.assertEqual(answer.code, 3)
        self.assertEqual(answer.err.count("\n"), 1)
        self.assertIn("negative cycle", answer.err)
        self.assertEqual([name for name in os.listdir(self.folder) if ".npy" in name], [])
        for field in FIELDS:
            self.assertIn(field, answer.json)
        self.assertIsNone(answer.json["diameter"])
        return answer.json["negative_cycle"]

    def test_small(self):
        graph = self.graph([(1, 2, 1), (2, 3, -4), (3, 2, 3), (3, 4, 1)], 4)
        for method in ("auto", "floyd_warshall"):
            self.assertEqual(sorted(self.check(graph, "--method", method)), [2, 3])
        self.assertEqual(self.kleene("path", graph, 1, 4).code, 3)
        self.assertIn("cycle", self.kleene("apsp", graph).out)

    def test_power_network(self):
        weights = {}
        with open(self.data("power/1138_bus.mtx"), encoding="ascii") as file:
            for line in [line for line in file if not line.startswith("%")][1:]:
                i, j, w = line.split()
                weights[int(i), int(j)] = weights[int(j), int(i)] = float(w)
        cycle = self.check(self.data("power/1138_bus.mtx"))
        self.assertEqual(len(set(cycle)), len(cycle))
        self.assertLess(sum(weights[u, v] for u, v in zip(cycle, cycle[1:] + cycle[:1])), 0)


class Outputs(CliTest):
    def test_distances_and_predecessors(self):
        first = None
        for method in METHODS:
            d, p = self.path("d.npy"), self.path("p.npy")
            self.solve("apsp", self.graph(SMALL, 5), "--method", method, "--out", d, "--predecessors", p)
            distances, predecessors = np.load(d), np.load(p)
            self.assertEqual((distances.dtype, predecessors.dtype), (np.int32, np.int32))
            infinity = np.iinfo(np.int32).max // 2
            self.assertEqual(distances[0].tolist(), [0, 3, 7, 7, infinity])
            self.assertEqual(predecessors[4].tolist(), [4, 0, 1, 2, -1])
            first = distances if first is None else first
            np.testing.assert_array_equal(distances, first)

    def test_predecessors_lead_back(self):
        d, p = self.path("d.npy"), self.path("p.npy")
        self.solve("apsp", self.data("road/minnesota.mtx"), "--out", d, "--predecessors", p)
        distances, predecessors = np.load(d), np.load(p)
        reached = (predecessors >= 0)
        rows, cols = np.nonzero(reached)
        np.testing.assert_array_equal(distances[rows, cols], distances[rows, predecessors[rows, cols]] + 1)

    def test_a_hierarchy(self):
        d, p = self.path("d.npy"), self.path("p.npy")
        got = self.solve("apsp", self.graph([(1, 2, 3), (2, 3, 4), (1, 3, 8), (3, 1, 1), (5, 1, 2)], 5), "--method",
                         "hierarchy", "--sources", "5,2", "--out", d, "--predecessors", p)
        infinity = np.iinfo(np.int32).max // 2
        self.assertEqual(got["method"], "hierarchy")
        self.assertEqual(np.load(d).tolist(), [[2, 5, 9, infinity, 0], [5, 0, 4, infinity, infinity]])
        self.assertEqual(np.load(p).tolist(), [[4, 0, 1, -1, -1], [2, -1, 1, -1, -1]])
        roads = self.data("road/minnesota.mtx")
        found = [self.solve("apsp", roads, "--method", method, "--device", "cpu")
                 for method in ("hierarchy", "dijkstra")]
        for fact in ("distance_sum", "diameter", "diameter_from", "reachable_pairs"):
            self.assertEqual(found[0][fact], found[1][fact])
        self.refuse(3, "apsp", self.graph(SMALL, 5), "--method", "hierarchy", "--predecessors", p,
                    says=["hierarchy: the arc 3 -> 4 costs nothing: predecessors could go round in a circle"])

    def test_some_sources(self):
        d, p = self.path("d.npy"), self.path("p.npy")
        for method in METHODS:
            self.solve("apsp", self.graph(SMALL, 5), "--method", method, "--sources", "5,2", "--out", d,
                       "--predecessors", p)
            infinity = np.iinfo(np.int32).max // 2
            self.assertEqual(np.load(d).tolist(), [[2, 5, 9, 9, 0], [infinity, 0, 4, 4, infinity]])
            self.assertEqual(np.load(p).tolist(), [[4, 0, 1, 2, -1], [-1, -1, 1, 2, -1]])

    def test_files_appear_whole_or_not_at_all(self):
        graph, out = self.graph(SMALL, 5), self.write("d.npy", "old")
        self.refuse(3, "apsp", self.graph([(1, 2, -3)], 2, "bad.gr"), "--method", "dijkstra", "--out", out)
        with open(out, encoding="ascii") as file:
            self.assertEqual(file.read(), "old")
        self.refuse(3, "apsp", graph, "--out", out, "--predecessors", self.path("no/p.npy"), says=["no/p.npy"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.gr", "d.npy", "graph.gr"])
        self.solve("apsp", graph, "--out", out)
        self.assertEqual(np.load(out).shape, (5, 5))
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.gr", "d.npy", "graph.gr"])

    def test_into_a_pipe(self):
        graph, out = self.data("road/minnesota.mtx"), self.path("d.npy")
        self.solve("apsp", graph, "--out", out)
        piped = subprocess.run([harness.PROGRAM, "apsp", graph, "--out", "/dev/stdout", "--quiet"],
                               stdout=subprocess.PIPE, check=True).stdout
        with open(out, "rb") as file:
            self.assertEqual(piped, file.read())

    def test_path(self):
        graph = self.graph(SMALL, 5)
        got = self.solve("path", graph, 5, 4)
        self.assertEqual((got["reachable"], got["path"], got["weights"], got["cost"]),
                         (True, [5, 1, 2, 3, 4], [2, 3, 4, 0], 9))
        answer = self.kleene("path", graph, 4, 1, "--json")
        self.assertEqual((answer.code, answer.err), (1, ""))
        got = answer.json
        self.assertEqual((got["reachable"], got["path"], got["cost"]), (False, [], None))
        self.assertIn("cannot be reached", self.kleene("path", graph, 4, 1).out)
        self.assertEqual(self.solve("path", graph, 3, 3)["path"], [3])

    def test_longest_road(self):
        got = self.solve("path", self.data("road/minnesota_km.mtx"), 1, 2624)
        self.assertAlmostEqual(got["cost"], 846.4084870000003, places=9)
        self.assertAlmostEqual(sum(got["weights"]), got["cost"], places=9)

    def test_pictures(self):
        town, places = self.data("road/minnesota_km.mtx"), self.data("road/minnesota_coord.mtx")
        runs = [("apsp", town, "--coordinates", places, "--unit", "km"), ("apsp", town),
                ("path", town, 5, 2642, "--coordinates", places), ("apsp", self.graph([], 0)),
                ("apsp", self.graph([], 3, "b.gr")),
                ("apsp", self.graph(SMALL, 5, "c.gr"), "--sources", "1"),
                ("apsp", self.graph(SMALL, 5, "d.gr"), "--algebra", "max_min")]
        for at, run in enumerate(runs):
            svg = self.path(f"{at}.svg")
            self.solve(*run, "--svg", svg)
            root = xml.etree.ElementTree.parse(svg).getroot()
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            with open(svg, encoding="utf-8") as file:
                text = file.read()
            self.assertNotRegex(text, r"\b(nan|inf)\b")
            if at == 0:
                for words in ("846.408 km", ">1<", ">2624<", "100 km"):
                    self.assertIn(words, text)


class Products(CliTest):
    def test_files(self):
        rng = np.random.default_rng(7)
        a, b = rng.integers(-9, 9, (5, 4)).astype(np.float32), rng.integers(-9, 9, (4, 6)).astype(np.float32)
        np.save(self.path("a.npy"), a)
        np.save(self.path("b.npy"), b)
        files = self.path("a.npy"), self.path("b.npy")
        got = self.solve("gemm", *files, "--out", self.path("c.npy"), "--witness", self.path("w.npy"))
        self.assertEqual((got["m"], got["n"], got["k"], got["dtype"]), (5, 6, 4, "f32"))
        terms = a[:, :, None] + b[None]
        np.testing.assert_array_equal(np.load(self.path("c.npy")), terms.min(axis=1))
        np.testing.assert_array_equal(np.load(self.path("w.npy")), terms.argmin(axis=1))
        self.solve("gemm", *files, "--algebra", "plus_times", "--dtype", "i32", "--out", self.path("c.npy"))
        np.testing.assert_array_equal(np.load(self.path("c.npy")), (a @ b).astype(np.int32))

    def test_narrow_types(self):
        """Operands in 8 and 16 bits, sums in 32: from files of any type, and generated."""
        rng = np.random.default_rng(8)
        a, b = rng.integers(0, 100, (5, 30)), rng.integers(0, 100, (30, 6))
        for dtype, result, stored in (("bf16", np.float32, np.float64), ("f16", np.float32, np.float16),
                                      ("i8", np.int32, np.int8), ("u8", np.int32, np.uint8),
                                      ("u8", np.int32, np.float32)):
            np.save(self.path("a.npy"), a.astype(stored))
            np.save(self.path("b.npy"), b.astype(stored))
            flags = ["--algebra", "plus_times", "--dtype", dtype, "--out", self.path("c.npy")]
            got = self.solve("gemm", self.path("a.npy"), self.path("b.npy"), *flags)
            self.assertEqual((got["dtype"], got["result_dtype"]), (dtype, "f32" if result == np.float32 else "i32"))
            c = np.load(self.path("c.npy"))
            self.assertEqual(c.dtype, result)
            np.testing.assert_array_equal(c, a @ b)
            self.solve("gemm", "--size", 9, *flags)
            generated = np.load(self.path("c.npy"))
            self.solve("gemm", "--size", 9, "--algebra", "plus_times", "--dtype", "i32", "--out", self.path("d.npy"))
            np.testing.assert_array_equal(generated, np.load(self.path("d.npy")))

    def test_bf16_rounds_to_nearest(self):
        x = np.array([[1 + 2**-8, 1 + 3 * 2**-8, 0.3]], np.float32)  # two ties, which go to even
        np.save(self.path("x.npy"), x)
        np.save(self.path("e.npy"), np.eye(3))
        self.solve("gemm", self.path("x.npy"), self.path("e.npy"), "--algebra", "plus_times", "--dtype", "bf16",
                   "--out", self.path("c.npy"))
        self.assertEqual(np.load(self.path("c.npy")).tolist(), [[1, 1.015625, 0.30078125]])

    def test_coordinate_file(self):
        m = self.write("m.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 5\n2 1 7\n")
        self.solve("gemm", m, m, "--out", self.path("c.npy"))
        infinity = np.iinfo(np.int32).max // 2
        self.assertEqual(np.load(self.path("c.npy")).tolist(), [[12, infinity], [infinity, 12]])

    def test_generated(self):
        for flags in (["--size", 7], ["--shape", "3x5x9", "--seed", 4]):
            outs = []
            for dtype in ("f32", "f64", "i32"):
                self.solve("gemm", *flags, "--dtype", dtype, "--out", self.path("c.npy"))
                outs.append(np.load(self.path("c.npy")))
            self.assertEqual(outs[0].shape, (7, 7) if flags[1] == 7 else (3, 5))
            np.testing.assert_array_equal(outs[0], outs[2])
            np.testing.assert_array_equal(outs[1], outs[2])

    def test_closure(self):
        np.save(self.path("a.npy"), np.array([[0, 0.5], [0.25, 0]]))
        self.solve("closure", self.path("a.npy"), "--algebra", "plus_times", "--out", self.path("c.npy"))
        np.testing.assert_allclose(np.load(self.path("c.npy")), np.linalg.inv([[1, -0.5], [-0.25, 1]]), rtol=1e-14)
        got = self.solve("closure", self.graph(SMALL, 5), "--out", self.path("d.npy"))
        self.assertEqual((got["vertices"], got["entries"], got["exists"]), (5, 15, True))
        self.solve("apsp", self.path("graph.gr"), "--out", self.path("e.npy"))
        np.testing.assert_array_equal(np.load(self.path("d.npy")), np.load(self.path("e.npy")))

    def test_diverging_closure(self):
        answer = self.kleene("closure", self.graph([(1, 2, -1), (2, 1, 0)], 2), "--json", "--out", self.path("c.npy"))
        self.assertEqual((answer.code, answer.json["exists"]), (3, False))
        self.assertFalse(os.path.exists(self.path("c.npy")))


class Info(CliTest):
    def test_info(self):
        got = self.solve("info")
        self.assertEqual(got["algebras"]["min_plus"], ["f32", "f64", "i32", "i64"])
        self.assertIn(got["isa"], got["isa_available"])
        self.assertEqual(self.solve("info", env={"KLEENE_CPU": "baseline"})["isa"], "baseline")
        self.assertEqual(self.solve("info", "--threads", 1)["threads"], 1)
        self.assertIn("min_plus", self.kleene("info").out)
        without = {"KLEENE_NCCL_LIBRARY": "/nowhere/libnccl.so"}
        self.assertIsNone(self.solve("info", env=without)["nccl"])
        self.assertIn("nccl        none; NCCL cannot be opened", self.kleene("info", env=without).out)
        self.assertEqual(self.solve("info")["mpi"] is None, "mpi         none" in self.kleene("info").out)

    def test_formats_that_take_libraries(self):
        """What info says is built in, help lists."""
        got, text = self.solve("info"), self.kleene("info").out
        for key, name, suffix in (("graphml", "GraphML", ".graphml"), ("parquet", "Parquet", ".parquet")):
            self.assertIn(f", {name}" if got[key] else f", no {name}", text)
            self.assertEqual(suffix in self.kleene("closure", "--help").out.split("Options:")[0], got[key])

    def test_more_threads_than_any_machine_has(self):
        env = {"OMP_NUM_THREADS": "100000"}
        self.assertLess(self.solve("info", env=env)["threads"], 50000)
        got = self.solve("apsp", self.data("road/minnesota.mtx"), "--method", "dijkstra", "--device", "cpu", env=env)
        self.assertEqual(got["reachable_pairs"], 2640 * 2639 + 2)

    def test_cuda(self):
        cuda = self.solve("info")["cuda"]
        self.assertEqual(cuda["built"], cuda["architectures"] != "")
        self.assertTrue(cuda["built"] or cuda["devices"] == [])
        self.assertEqual(self.solve("info")["device"], "cuda" if cuda["devices"] else "cpu")
        for device in cuda["devices"]:
            self.assertGreaterEqual(float(device["capability"]), 8.0)
            self.assertGreater(min(device["multiprocessors"], device["memory_bytes"]), 0)
            self.assertIn(device["name"], self.kleene("info").out)
        self.assertIn(cuda["architectures"] or "not built in", self.kleene("info").out)


class Devices(CliTest):
    def test_product(self):
        """The same product wherever it runs; a device also says how long the copies took."""
        places = ["cpu", "auto"] + ["cuda"] * bool(self.solve("info")["cuda"]["devices"])
        for place in places:
            got = self.solve("gemm", "--shape", "65x33x129", "--dtype", "i32", "--device", place, "--out",
                             self.path(place + ".npy"), "--witness", self.path(place + "_witness.npy"))
            self.assertEqual("copy_seconds" in got, got["device"] == "cuda")
            self.assertEqual("device_name" in got, got["device"] == "cuda")
            on_gpu = place == "cuda" or (place == "auto" and len(places) > 2)
            self.assertEqual(got["device"], "cuda" if on_gpu else "cpu")
            for name in ("", "_witness"):
                np.testing.assert_array_equal(np.load(self.path(place + name + ".npy")),
                                              np.load(self.path("cpu" + name + ".npy")))

    def test_closures(self):
        """All pairs of a graph that is worth it take a device by themselves; others, and searches from a few vertices,
        stay on the CPU; answers are the same."""
        graph = self.graph(SMALL, 5)
        chain = self.graph([(v, v + 1, v) for v in range(1, 2000)], 2000, "chain.gr")
        devices = bool(self.solve("info")["cuda"]["devices"])
        best = "cuda" if devices else "cpu"
        for command in ("apsp", "closure"):
            for place in ["cpu", "auto"] + ["cuda"] * devices:
                got = self.solve(command, graph, "--device", place, "--out", self.path(command + place + ".npy"))
                self.assertEqual(got["device"], "cpu" if place == "auto" else place)
                np.testing.assert_array_equal(np.load(self.path(command + place + ".npy")),
                                              np.load(self.path(command + "cpu.npy")))
            self.assertEqual(self.solve(command, chain)["device"], best)
        self.assertEqual(self.solve("apsp", chain, "--sources", 1)["device"], "cpu")
        self.assertEqual(self.solve("apsp", chain, "--method", "dijkstra")["device"], "cpu")
        self.assertEqual(self.solve("path", graph, 1, 3)["device"], "cpu")

