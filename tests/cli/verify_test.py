"""kleene verify: right results pass, and each kind of wrong one is found, with names and both numbers."""

import numpy as np

from harness import CliTest

USAGE, BAD_INPUT, WRONG = 2, 3, 6
# A shortcut over b: a - b - c is 5, a - c itself 9; d is reached from nowhere else, and reaches nothing.
NET = "from,to,km\na,b,2\nb,c,3\na,c,9\nc,a,1\nc,d,4\n"
INFINITY = np.iinfo(np.int32).max // 2


class Verify(CliTest):
    def setUp(self):
        super().setUp()
        self.net = self.write("net.csv", NET)
        #                                  a  b  c  d
        self.right = np.array([[0, 2, 5, 9], [4, 0, 3, 7], [1, 3, 0, 4], [INFINITY] * 3 + [0]], np.int32)
        self.last = np.array([[-1, 0, 1, 2], [2, -1, 1, 2], [2, 0, -1, 2], [-1] * 4], np.int32)

    def save(self, values, name="d.npy"):
        np.save(self.path(name), values)
        return self.path(name)

    def wrong(self, values, kind, *words, last=None, flags=()):
        """The fault that is found in these distances (and predecessors), whose words are these."""
        files = [self.save(values)] + ([] if last is None else [self.save(last, "p.npy")])
        answer = self.kleene("verify", self.net, *files, "--json", *flags)
        self.assertEqual((answer.code, answer.err), (WRONG, ""))
        got = answer.json
        self.assertEqual((got["correct"], got["fault"]["kind"]), (False, kind), got)
        for word in words:
            self.assertIn(word, got["fault"]["words"])
        text = self.kleene("verify", self.net, *files, *flags)
        self.assertEqual((text.code, text.err), (WRONG, ""))
        self.assertIn("\nwrong       " + got["fault"]["words"] + "\n", text.out)
        quiet = self.kleene("verify", self.net, *files, "--quiet", *flags)
        self.assertEqual((quiet.code, quiet.out, quiet.err), (WRONG, "", ""))
        return got["fault"]

    def changed(self, i, j, value, values=None):
        copy = (self.right if values is None else values).copy()
        copy[i, j] = value
        return copy

    def test_right(self):
        for dtype in (np.int32, np.int64, np.float32, np.float64):
            values = self.right.astype(dtype)
            values[self.right == INFINITY] = np.inf if dtype in (np.float32, np.float64) else np.iinfo(dtype).max // 2
            for order in ("C", "F"):
                got = self.solve("verify", self.net, self.save(np.asarray(values, order=order)),
                                 self.save(self.last, "p.npy"))
                self.assertEqual((got["correct"], got["fault"], got["rows"]), (True, None, 4))
        text = self.kleene("verify", self.net, self.path("d.npy"), self.path("p.npy")).out
        self.assertIn("correct     all 16 lengths and their predecessors\n", text)
        scipy = np.where(self.last < 0, -9999, self.last).astype(np.int64)
        self.solve("verify", self.net, self.path("d.npy"), self.save(scipy, "s.npy"))

    def test_lengths(self):
        fault = self.wrong(self.changed(0, 2, 9), "arc", "from a to c the file has 9, but 5 over b (2 there, and an "
                           "arc of 3): one of them is wrong")
        self.assertEqual((fault["from"], fault["to"], fault["over"], fault["found"], fault["expected"]),
                         ("a", "c", "b", 9, 5))
        # Too short: no arc improves on it, and none makes it up.
        fault = self.wrong(self.changed(0, 3, 8), "walk",
                           "from a to d the file has 8, which no path has: the best over an arc that leads there is 9")
        self.assertEqual((fault["found"], fault["expected"]), (8, 9))
        fault = self.wrong(self.changed(2, 2, 6), "source", "from c to c the file has 6, and it is 0")
        self.assertEqual((fault["found"], fault["expected"]), (6, 0))
        self.wrong(self.changed(2, 2, -1), "source", "from c to c the file has -1, and it is 0")
        self.wrong(self.changed(1, 3, INFINITY), "arc",
                   f"from b to d the file has {INFINITY} (no path), but 7 over c")
        # The entry that is too short is the wrong one, and the one that it does not agree with is right.
        self.wrong(self.changed(0, 2, 4), "arc", "from a to d the file has 9, but 8 over c (4 there, and an arc of 4)")
        self.wrong(self.changed(0, 1, 3), "arc", "from a to b the file has 3, but an arc of 2 leads there")
        self.wrong(self.changed(3, 0, 12), "arc", "from d to b the file has", "but 14 over a (12 there")
        last_row = self.right.copy()
        last_row[3] = [1, 3, 6, 0]  # what d would have if it led to a
        self.wrong(last_row, "walk", "from d to a the file has 1, which no path has: the best over an arc that leads "
                                     "there is 7")
        self.wrong(self.changed(1, 1, 2**31 - 1), "value", "from b to b the file has 2147483647, which is no length")

    def test_a_circle_of_nothing(self):
        """b and c lead to each other for nothing: arcs make up any length for both, from a, which reaches neither."""
        self.net = self.write("circle.csv", "a,d,1\nb,c,0\nc,b,0\n")  # in the order of the file: a d b c
        inf = np.inf
        right = np.array([[0, 1, inf, inf], [inf, 0, inf, inf], [inf, inf, 0, 0], [inf, inf, 0, 0]])
        self.assertTrue(self.solve("verify", self.net, self.save(right))["correct"])
        wrong = right.copy()
        wrong[0, 2:] = 7
        self.wrong(wrong, "walk", "from a to b the file has 7, which", "go round in a circle")
        last = np.array([[-1, 0, -1, -1], [-1] * 4, [-1, -1, -1, 2], [-1, -1, 3, -1]], np.int32)
        self.solve("verify", self.net, self.save(right), self.save(last, "p.npy"))
        last[0] = [-1, 0, 3, 2]
        self.wrong(wrong, "predecessor", "from a to b", "go round in a circle", last=last)

    def test_predecessors(self):
        def wrong(i, j, value, *words):
            return self.wrong(self.right, "predecessor", *words, last=self.changed(i, j, value, self.last))

        fault = wrong(0, 2, 0, "from a to c the predecessor in the file is a, which makes 9, and the "
                               "length is 5")
        self.assertEqual((fault["from"], fault["to"], fault["over"], fault["found"]), ("a", "c", "a", 0))
        wrong(0, 1, 3, "in the file is d, from which no arc leads there")
        wrong(0, 3, -1, "in the file is -1 (no vertex), and the length is 9")
        wrong(0, 3, 99, "in the file is 99 (no vertex), and the length is 9")
        wrong(1, 1, 2, "in the file is c, and the first vertex of a path has none")
        wrong(3, 0, 2, "in the file is c, and where there is no path")

    def test_negative_cycles_and_weights(self):
        self.net = self.graph([(1, 2, 4), (2, 3, -3), (1, 3, 2)], 3)
        right = np.array([[0, 4, 1], [INFINITY, 0, -3], [INFINITY, INFINITY, 0]], np.int32)
        self.solve("verify", self.net, self.save(right))
        self.wrong(self.changed(0, 2, 2, right), "arc", "from 1 to 3 the file has 2, but 1 over 2")
        self.net = self.graph([(1, 2, 1), (2, 1, -2)], 2)  # nothing is right
        self.wrong(np.array([[0, 1], [-2, 0]], np.int32), "arc", "from 1 to 1 the file has 0, but -1 over 2")

    def test_algebras(self):
        """What apsp and closure write passes, over every algebra, by every method; one number changed does not."""
        graph = self.data("lagraph/test_FW_1000.mtx")
        for algebra in ("min_plus", "max_min", "min_max", "or_and"):
            for method in ("dijkstra", "floyd_warshall"):
                self.solve("apsp", graph, "--algebra", algebra, "--method", method, "--sources", "7,1,500", "--out",
                           self.path("a.npy"), "--predecessors", self.path("b.npy"))
                flags = ["--algebra", algebra, "--sources", "7,1,500"]
                got = self.solve("verify", graph, self.path("a.npy"), self.path("b.npy"), *flags)
                self.assertEqual((got["correct"], got["rows"], got["vertices"]), (True, 3, 1000))
            values = np.load(self.path("a.npy"))
            values[2, 3] += 1 if algebra != "or_and" else -1
            self.net = graph
            self.assertEqual(self.wrong(values, "walk" if algebra == "max_min" else "arc", "from 500 to 4",
                                        flags=flags)["to"], 4)
        plan = self.write("plan.csv", "a,b,3\na,c,2\nb,d,4\nc,d,9\n")
        for algebra in ("max_plus", "min_times"):
            for command in ("apsp", "closure"):
                self.solve(command, plan, "--algebra", algebra, "--out", self.path("a.npy"))
                self.assertTrue(self.solve("verify", plan, self.path("a.npy"), "--algebra", algebra)["correct"])
        odds = self.graph([(1, 2, 0.5), (2, 3, 0.3), (1, 3, 0.1)], 3, "odds.gr")
        self.solve("apsp", odds, "--algebra", "max_times", "--out", self.path("a.npy"))
        self.solve("verify", odds, self.path("a.npy"), "--algebra", "max_times")

    def test_rounding(self):
        roads = self.data("road/minnesota_km.mtx")
        for dtype in ("f32", "f64"):
            self.solve("apsp", roads, "--dtype", dtype, "--method", "floyd_warshall", "--out", self.path("d.npy"),
                       "--predecessors", self.path("p.npy"))
            got = self.solve("verify", roads, self.path("d.npy"), self.path("p.npy"))
            self.assertEqual(got["dtype"], dtype)
            self.assertAlmostEqual(got["tolerance"], 2642 * 2.0**(-23 if dtype == "f32" else -52))
        chain = self.graph([(1, 2, 0.1), (2, 3, 0.2)], 3)
        values = np.array([[0, 0.1, 0.3], [np.inf, 0, 0.2], [np.inf, np.inf, 0]])  # 0.1 + 0.2 is not quite 0.3
        self.solve("verify", chain, self.save(values))
        self.assertEqual(self.kleene("verify", chain, self.path("d.npy"), "--tolerance", 0).code, WRONG)
        values[0, 2] = 0.3001
        self.assertEqual(self.kleene("verify", chain, self.save(values)).code, WRONG)
        self.solve("verify", chain, self.path("d.npy"), "--tolerance", "1e-3")

    def test_what_stands_for_no_path(self):
        for word, dtype in (("-1", "int32"), ("max", "int64"), ("inf", "float64")):
            self.solve("apsp", self.net, "--absent", word, "--out", self.path("d.npy"))
            values = np.load(self.path("d.npy")).astype(dtype)
            if word == "max":
                values[3, :3] = np.iinfo(np.int64).max
            self.solve("verify", self.net, self.save(values), "--absent", word)
        self.refuse(USAGE, "verify", self.net, self.save(self.right), "--absent", "inf", says=["i32 has no infinity"])
        self.wrong(self.changed(3, 0, -1), "arc", f"from d to b the file has {INFINITY} (no path), but 1 over a")

    def test_refusals(self):
        right = self.save(self.right)
        self.refuse(USAGE, "verify", self.net, says=["DISTANCES"])
        self.refuse(USAGE, "verify", self.net, right, "--sources", "a,x", says=["--sources", "no vertex 'x'"])
        self.refuse(USAGE, "verify", self.net, right, "--algebra", "plus_times", says=["plus_times"])
        self.refuse(USAGE, "verify", self.net, right, "--algebra", "max_times", "--dtype", "i32", says=["--dtype"])
        self.refuse(USAGE, "verify", self.net, right, "--tolerance", "-1", says=["--tolerance"])
        self.refuse(BAD_INPUT, "verify", self.net, self.path("absent.npy"), says=["absent.npy"])
        self.refuse(BAD_INPUT, "verify", self.net, self.net, says=["net.csv"])
        self.refuse(BAD_INPUT, "verify", self.net, self.write("empty.npy", ""), says=["empty.npy"])
        self.refuse(BAD_INPUT, "verify", self.folder, right, says=["directory"])
        few = self.save(self.right[:2], "few.npy")
        self.refuse(BAD_INPUT, "verify", self.net, few, says=["few.npy is 2 x 4", "4 x 4", "--sources says"])
        self.assertTrue(self.solve("verify", self.net, few, "--sources", "a,b")["correct"])
        self.refuse(BAD_INPUT, "verify", self.net, right, few, says=["few.npy is 2 x 4"])
        self.refuse(BAD_INPUT, "verify", self.net, right, self.save(self.right * 0.5, "half.npy"),
                    says=["half.npy: predecessors are numbers of vertices, and these are f64"])
        halves = self.write("halves.csv", "a,b,0.5\nb,a,1\n")
        self.refuse(BAD_INPUT, "verify", halves, self.save(np.zeros((2, 2), np.int32)), says=["which i32 cannot hold"])
