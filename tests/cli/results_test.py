"""Results as files: formats by suffix, layouts, what stands for no path; the nearest and farthest pairs."""

import os
import subprocess

import numpy as np

import harness
from harness import CliTest

USAGE, BAD_INPUT = 2, 3
# 1 -> 2 (3), 2 -> 3 (4): three of six pairs have a path.
ARCS = [(1, 2, 3), (2, 3, 4)]
INFINITY = np.iinfo(np.int32).max // 2


class Results(CliTest):
    def text(self, *arguments):
        """What a run writes into an output of this name."""
        self.solve(*arguments)
        with open(arguments[arguments.index("--out") + 1], encoding="utf-8", newline="") as file:
            return file.read()

    def test_pairs(self):
        graph = self.graph(ARCS, 3)
        self.assertEqual(self.text("apsp", graph, "--out", self.path("d.csv")),
                         "from,to,distance\n1,2,3\n1,3,7\n2,3,4\n")
        self.assertEqual(self.text("apsp", graph, "--out", self.path("d.tsv"), "--sources", "2"),
                         "from\tto\tdistance\n2\t3\t4\n")
        self.assertEqual(self.text("apsp", graph, "--out", self.path("d.mtx")),
                         "%%MatrixMarket matrix coordinate integer general\n3 3 6\n"
                         "1 1 0\n1 2 3\n1 3 7\n2 2 0\n2 3 4\n3 3 0\n")
        self.assertEqual(self.text("closure", graph, "--out", self.path("c.csv")),
                         "from,to,value\n1,1,0\n1,2,3\n1,3,7\n2,2,0\n2,3,4\n3,3,0\n")

    def test_names_and_marks(self):
        net = self.write("net.csv", "\"x, \"\"y\"\"\",Köln,1.5\nKöln,#3,2\n")
        self.assertEqual(self.text("apsp", net, "--out", self.path("d.csv")),
                         "from,to,distance\n\"x, \"\"y\"\"\",Köln,1.5\n\"x, \"\"y\"\"\",\"#3\",3.5\nKöln,\"#3\",2\n")
        again = self.solve("apsp", self.path("d.csv"))
        self.assertEqual((again["vertices"], again["arcs"], again["distance_sum"]), (3, 3, 7))

    def test_matrices(self):
        graph = self.graph(ARCS, 3)
        matrix = ["--layout", "matrix"]
        self.assertEqual(self.text("apsp", graph, "--out", self.path("d.csv"), *matrix),
                         "from,1,2,3\n1,0,3,7\n2,inf,0,4\n3,inf,inf,0\n")
        few = ["--sources", "2", "--absent", "-1"]
        self.assertEqual(self.text("apsp", graph, "--out", self.path("d.tsv"), *matrix, *few),
                         "from\t1\t2\t3\n2\t-1\t0\t4\n")
        self.assertEqual(self.text("apsp", graph, "--out", self.path("d.mtx"), *matrix, "--absent", "-1"),
                         "%%MatrixMarket matrix array integer general\n3 3\n0\n-1\n-1\n3\n0\n-1\n7\n4\n0\n")
        self.assertEqual(self.text("apsp", graph, "--out", self.path("m.csv"), *matrix, "--algebra", "max_plus"),
                         "from,1,2,3\n1,0,3,7\n2,-inf,0,4\n3,-inf,-inf,0\n")

    def test_what_stands_for_no_path(self):
        graph, out = self.graph(ARCS, 3), self.path("d.npy")
        self.assertEqual(self.solve("apsp", graph, "--out", out)["absent"], str(INFINITY))
        self.assertIn(f"no path     written as {INFINITY}", self.kleene("apsp", graph, "--out", out).out)
        self.assertEqual(np.load(out)[2].tolist(), [INFINITY, INFINITY, 0])
        for absent, value, dtype in (("inf", np.inf, np.float64), ("max", 2**31 - 1, np.int32), ("-1", -1, np.int32)):
            for command in ("apsp", "closure"):
                self.solve(command, graph, "--out", out, "--absent", absent)
                got = np.load(out)
                self.assertEqual((got.dtype, got[2].tolist()), (dtype, [value, value, 0]))
        self.assertNotIn("absent", self.solve("apsp", self.graph([(1, 2, 3), (2, 1, 3)], 2, "two.gr"), "--out", out))
        longest = "apsp", graph, "--algebra", "max_plus", "--absent", "inf", "--layout", "matrix"
        self.assertEqual(self.text(*longest, "--out", self.path("d.csv")),
                         "from,1,2,3\n1,0,3,7\n2,inf,0,4\n3,inf,inf,0\n")
        self.solve("apsp", graph, "--algebra", "max_plus", "--absent", "inf", "--out", out)
        self.assertEqual(np.load(out)[2].tolist(), [np.inf, np.inf, 0])
        text = self.text("apsp", graph, "--out", self.path("d.csv"), "--absent", "max")
        self.assertEqual(text.count(",2147483647\n"), 3)
        negative = self.graph([(1, 2, -1)], 2, "negative.gr")
        for name in ("n.csv", "n.npy"):
            self.refuse(BAD_INPUT, "apsp", negative, "--out", self.path(name), "--absent", "-1",
                        says=[name, "-1 cannot stand for no path", "from 1 to 2"])
            self.assertFalse(os.path.exists(self.path(name)))

    def test_the_path_of_no_arcs(self):
        """It has no limit, over min_max and max_min: an infinity, which over integers is an end of their range."""
        graph, out = self.graph(ARCS, 3), self.path("d.npy")
        self.solve("apsp", graph, "--algebra", "min_max", "--out", out, "--absent", "inf")
        self.assertEqual(np.load(out).tolist(), [[-np.inf, 3, 4], [np.inf, -np.inf, 4], [np.inf, np.inf, -np.inf]])
        self.solve("verify", graph, out, "--algebra", "min_max", "--absent", "inf")
        self.refuse(BAD_INPUT, "apsp", graph, "--algebra", "max_min", "--out", out, "--absent", "inf",
                    says=["inf cannot stand for no path, since it is the value from 1 to 1"])
        for name, *more in (("d.csv", "--layout", "matrix"), ("d.mtx", "--layout", "pairs"),
                            ("d.tsv", "--layout", "matrix", "--dtype", "i64")):
            self.refuse(BAD_INPUT, "apsp", graph, "--algebra", "max_min", "--out", self.path(name), "--absent", "inf",
                        *more, says=[f"{name}: inf cannot stand for no path, since it is the value from 1 to 1"])
        self.assertEqual(self.text("apsp", graph, "--algebra", "max_min", "--out", self.path("d.csv"), "--layout",
                                   "matrix"), "from,1,2,3\n1,inf,3,3\n2,-inf,inf,4\n3,-inf,-inf,inf\n")
        self.assertEqual(self.text("apsp", graph, "--algebra", "min_max", "--out", self.path("d.csv"), "--layout",
                                   "matrix", "--absent", "-1"),
                         "from,1,2,3\n1,-2147483648,3,4\n2,-1,-2147483648,4\n3,-1,-1,-2147483648\n")

    def test_integers_that_no_float_holds(self):
        large = self.write("large.csv", "from,to,weight\na,b,9007199254740993\n")
        for name, flags in (("d.npy", ["--absent", "inf"]), ("d.mtx", ["--layout", "matrix"])):
            self.refuse(BAD_INPUT, "apsp", large, "--out", self.path(name), *flags,
                        says=[name + ": a file of f64", "cannot hold 9007199254740993, from a to b, exactly"])
            self.assertFalse(os.path.exists(self.path(name)))

    def test_closures_that_floats_cannot_hold(self):
        """Infinity times 0 is no number, at elements that have nothing to do with what is too large."""
        large, out = self.path("large.npy"), self.path("c.npy")
        for matrix in ([[0, 1e200, 0], [0, 0, 1e200], [0, 0, 0]], [[0.5, 1e308], [0, 0.5]], [[0, np.inf], [0.5, 0]]):
            np.save(large, np.array(matrix, np.float64))
            self.refuse(BAD_INPUT, "closure", large, "--algebra", "plus_times", "--out", out,
                        says=["large.npy: the closure over plus_times cannot be computed in f64: on the way to ("])
            self.assertFalse(os.path.exists(out))

    def test_standard_output(self):
        command = [harness.PROGRAM, "apsp", self.graph(ARCS, 3), "--out", "-", "--format", "csv", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "from,to,distance\n1,2,3\n1,3,7\n2,3,4\n")

    def test_names_that_are_refused(self):
        graph = self.graph(ARCS, 3)
        for name in ("d.xlsx", "d.ods", "d.csv.gz", "d.gr"):
            self.refuse(USAGE, "apsp", graph, "--out", self.path(name), says=["--out", name, ".npy, .mtx, .csv, .tsv"])
            self.solve("apsp", graph, "--out", self.path(name), "--format", "csv")
        self.refuse(USAGE, "closure", graph, "--out", self.path("d.json"), says=["--out"])
        self.refuse(USAGE, "apsp", graph, "--predecessors", self.path("p.csv"), says=["--predecessors", "p.csv"])
        self.refuse(USAGE, "gemm", "--size", 3, "--out", self.path("c.csv"), says=["--out", ".npy"])
        self.refuse(USAGE, "apsp", graph, "--absent", "-1", says=["--absent", "--out"])
        self.refuse(USAGE, "apsp", graph, "--out", self.path("d.npy"), "--layout", "pairs", says=["--layout pairs"])
        self.refuse(USAGE, "apsp", graph, "--out", self.path("d.npy"), "--absent", "0", says=["inf, max, -1"])

    def test_many_rows(self):
        d, table = self.path("d.npy"), self.path("d.csv")
        self.solve("apsp", self.data("road/minnesota.mtx"), "--out", d, "--absent", "-1")
        self.solve("apsp", self.data("road/minnesota.mtx"), "--out", table, "--layout", "matrix", "--absent", "-1")
        read = np.loadtxt(table, delimiter=",", skiprows=1, dtype=np.int64)
        np.testing.assert_array_equal(read[:, 0], np.arange(1, 2643))
        np.testing.assert_array_equal(read[:, 1:], np.load(d))

    def test_top(self):
        graph = self.graph(ARCS + [(4, 1, 3)], 4)  # 4: 3 6 10
        got = self.solve("apsp", graph, "--top", 3)
        pairs = lambda key: [(p["distance"], p["from"], p["to"]) for p in got[key]]
        self.assertEqual(pairs("nearest"), [(3, 1, 2), (3, 4, 1), (4, 2, 3)])
        self.assertEqual(pairs("farthest"), [(10, 4, 3), (7, 1, 3), (6, 4, 2)])
        text = self.kleene("apsp", graph, "--top", 1, "--unit", "km").out
        self.assertIn("nearest     3 km from 1 to 2\nfarthest    10 km from 4 to 3\n", text)
        both = self.write("both.csv", "a,b,5\nb,c,2\n")
        self.assertEqual(len(self.solve("apsp", both, "--undirected", "--top", 9)["nearest"]), 3)
        wide = self.solve("apsp", graph, "--top", 1, "--algebra", "max_min")  # nearest: the widest
        self.assertEqual((wide["nearest"][0]["distance"], wide["farthest"][0]["distance"]), (4, 3))

    def test_routes(self):
        got = self.solve("apsp", self.graph(ARCS, 3), "--from", 1, "--to", 3)
        self.assertEqual((got["route"], got["route_cost"], got["route_weights"]), ([1, 2, 3], 7, [3, 4]))
