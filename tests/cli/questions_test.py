"""Parts of an answer and changed graphs: --targets, --within, --without, --closeness, path --pairs."""

import os

import numpy as np

from harness import CliTest

USAGE, BAD_INPUT, MEMORY = 2, 3, 5
# Arcs both ways unless said otherwise: a - b - c - d in a row with a shortcut a - d.
ROW = "from,to,km\na,b,1\nb,c,2\nc,d,4\na,d,9\n"


class Questions(CliTest):
    def setUp(self):
        super().setUp()
        self.row = self.write("row.csv", ROW)

    def table(self, *arguments):
        """The lines of --out - as CSV."""
        answer = self.kleene(*arguments, "--out", "-", "--quiet")
        self.assertEqual((answer.code, answer.err), (0, ""), answer.err)
        return answer.out

    def apsp(self, *arguments):
        return self.table("apsp", self.row, "--undirected", "--format", "csv", *arguments)

    def test_targets(self):
        self.assertEqual(self.apsp("--sources", "d,a", "--targets", "c,a"),
                         "from,to,distance\nd,c,4\nd,a,7\na,c,3\n")
        self.assertEqual(self.apsp("--sources", "d,a", "--targets", "c,a", "--layout", "matrix"),
                         "from,c,a\nd,4,7\na,3,0\n")
        out = self.path("d.npy")
        self.solve("apsp", self.row, "--undirected", "--targets", "c,a", "--out", out)
        self.assertEqual(np.load(out).tolist(), [[3, 0], [2, 1], [0, 3], [4, 7]])
        self.solve("apsp", self.row, "--undirected", "--targets", "c,a", "--out", self.path("d.mtx"))
        with open(self.path("d.mtx"), encoding="ascii") as file:
            self.assertEqual(file.readlines()[1], "4 2 8\n")

    def test_within(self):
        self.assertEqual(self.apsp("--within", "3"), "from,to,distance\na,b,1\na,c,3\nb,a,1\nb,c,2\nc,a,3\nc,b,2\n")
        self.assertEqual(self.apsp("--within", "2.5", "--layout", "matrix", "--sources", "b"),
                         "from,a,b,c,d\nb,1,0,2,inf\n")
        # At least so wide: over max_min the widest way between a and d is the shortcut, and 4 from c to d.
        self.assertEqual(self.apsp("--within", "4", "--algebra", "max_min", "--sources", "d"),
                         "from,to,distance\nd,a,9\nd,c,4\n")
        got = self.solve("apsp", self.row, "--undirected", "--within", "3", "--targets", "a", "--top", "5")
        self.assertEqual((got["asked_pairs"], got["reachable_pairs"]), (2, 12))
        self.assertEqual([(pair["from"], pair["distance"]) for pair in got["farthest"]], [("c", 3), ("b", 1)])

    def test_within_floats(self):
        """0.1 + 0.2 is a number of f32 that is written 0.3."""
        graph = self.write("real.csv", "a,b,0.1\nb,c,0.2\n")
        for dtype, last in (("f32", "a,c,0.3\n"), ("f64", "")):  # in f64 it is 0.30000000000000004
            self.assertIn(last, self.table("apsp", graph, "--dtype", dtype, "--within", "0.3", "--format", "csv"))
        self.assertNotIn("a,c", self.table("apsp", graph, "--within", "0.3", "--format", "csv"))

    def test_without(self):
        got = self.solve("path", self.row, "a", "d", "--undirected")
        self.assertEqual(got["path"], ["a", "b", "c", "d"])
        got = self.solve("path", self.row, "a", "d", "--undirected", "--without", "c,b")
        self.assertEqual((got["path"], got["cost"], got["arcs"]), (["a", "d"], 9, 6))
        twice = self.solve("path", self.row, "a", "d", "--undirected", "--without", "c,b", "--without", "b,c")
        self.assertEqual((twice["path"], twice["cost"]), (["a", "d"], 9))
        closed = "--without", "a,b", "--without", "a,d"
        self.assertEqual(self.kleene("path", self.row, "a", "d", "--undirected", *closed).code, 1)
        self.assertEqual(self.solve("apsp", self.row, *closed)["reachable_pairs"], 3)
        twice = self.write("twice.csv", 'x,"Halle, Westf.",1\nx,"Halle, Westf.",2\n"Halle, Westf.",x,5\n')
        got = self.solve("apsp", twice, "--without", 'x,"Halle, Westf."')
        self.assertEqual((got["arcs"], got["reachable_pairs"], got["distance_sum"]), (1, 1, 5))
        self.refuse(USAGE, "apsp", self.row, "--without", "b,a",
                    says=["no arc from b to a", "the other way there is one"])
        self.refuse(USAGE, "apsp", self.row, "--without", "a,c", says=["row.csv has no arc from a to c"])
        self.refuse(USAGE, "apsp", self.row, "--without", "a", says=["takes an arc, FROM,TO"])
        self.refuse(USAGE, "apsp", self.row, "--without", "a,zz", says=["row.csv has no vertex 'zz'"])

    def test_closeness(self):
        """Zachary's karate club: NetworkX 3.6 says 0.5689655 of member 1, then 0.5593220 and 0.55."""
        out = self.path("c.tsv")
        self.solve("apsp", self.data("lagraph/karate.mtx"), "--closeness", out)
        with open(out, encoding="ascii") as file:
            lines = file.read().split("\n")
        self.assertEqual((lines[0], len(lines)), ("vertex\treached\tsum\tcloseness", 36))
        rows = [line.split("\t") for line in lines[1:4]]
        self.assertEqual([row[:3] for row in rows], [["1", "33", "58"], ["3", "33", "59"], ["34", "33", "60"]])
        np.testing.assert_allclose([float(row[3]) for row in rows], [0.5689655172413793, 0.559322033898305, 0.55],
                                   rtol=1e-15)
        # Directed and in parts: a reaches b at 2 and c at 3; 2 / 5 times 2 / 3. c reaches nothing; d only a, b, c.
        self.write("parts.csv", "a,b,2\nb,c,1\nd,a,1\n")
        self.solve("apsp", self.path("parts.csv"), "--closeness", self.path("p.csv"), "--sources", "c,a")
        with open(self.path("p.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), f"vertex,reached,sum,closeness\na,2,5,{2 / 5 * (2 / 3)}\nc,0,0,0\n")

    def test_refusals(self):
        self.refuse(USAGE, "apsp", self.row, "--targets", "a", says=["--out or --top"])
        self.refuse(USAGE, "apsp", self.row, "--within", "5", says=["--out or --top"])
        self.refuse(USAGE, "apsp", self.row, "--within", "far", "--top", "1", says=["takes a number, not 'far'"])
        self.refuse(USAGE, "apsp", self.row, "--targets", "e", "--top", "1", says=["--targets", "no vertex 'e'"])
        self.refuse(USAGE, "apsp", self.row, "--closeness", self.path("c.npy"), says=["--closeness", ".csv or .tsv"])
        self.refuse(USAGE, "apsp", self.row, "--closeness", self.path("c.csv"), "--algebra", "max_min",
                    says=["min_plus"])
        self.refuse(USAGE, "apsp", self.row, "--closeness", self.row, says=["same file"])

    def test_too_large(self):
        self.refuse(MEMORY, "apsp", self.graph([], 100000000), says=["are available; --sources computes only some"])


class Pairs(CliTest):
    def setUp(self):
        super().setUp()
        self.row = self.write("row.csv", ROW)
        self.out = self.path("out.csv")

    def answer(self, pairs, *flags, graph=None):
        asked = self.write("pairs.csv", pairs)
        got = self.solve("path", graph or self.row, "--pairs", asked, "--out", self.out, *flags)
        with open(self.out, encoding="utf-8") as file:
            return got, file.read()

    def test_in_their_order(self):
        got, table = self.answer("start,end,people\nd,a,7\na,d,7\na,c,1\na,d,2\nb,b,3\n")
        self.assertEqual(table, "from,to,distance\nd,a,inf\na,d,7\na,c,3\na,d,7\nb,b,0\n")
        self.assertEqual((got["pairs"], got["sources"], got["reachable_pairs"], got["distance_sum"]), (5, 3, 4, 17))
        self.assertEqual(self.answer("# trips\na;d\n\nd;a\n", "--undirected", "--algebra", "max_min")[1],
                         "from,to,distance\na,d,9\nd,a,9\n")
        self.assertEqual(self.answer("a,d\n", "--without", "a,b")[1], "from,to,distance\na,d,9\n")
        links = self.write("links.csv", "a,b,0.5\nb,c,0.25\n")
        self.assertEqual(self.answer("a,c\nc,a\n", "--algebra", "max_times", graph=links)[1],
                         "from,to,distance\na,c,0.125\nc,a,0\n")

    def test_titles(self):
        """Columns are called as in edge lists, wherever they stand; else they are the first two."""
        ad = "from,to,distance\na,d,7\n"
        for pairs in ("to,from\nd,a\n", "id,from,to\n1,a,d\n", "people;Target;Source\n5;d;a\n", "# trips\nv u\nd a\n",
                      "trip\tsource\ttarget\nx\ta\td\n", 'note,"to","from"\n"b, or c",d,a\n',
                      "from,to\na,d\n", "a,d,from\n", "# to,from\nd,a\n"):
            self.assertEqual(self.answer(pairs)[1], ad, pairs)
        named = self.write("named.csv", "from,to,1\nto,x,2\n")  # two vertices are called so
        self.assertEqual(self.answer("from,to\nfrom,x\n", graph=named)[1], "from,to,distance\nfrom,to,1\nfrom,x,3\n")
        letters = self.write("letters.csv", "u,v,1\nv,w,2\n")
        self.assertEqual(self.answer("v,u\nu,w\n", graph=letters)[1], "from,to,distance\nv,u,inf\nu,w,3\n")
        self.refuse(BAD_INPUT, "path", letters, "--pairs", self.write("pairs.csv", "v,u\nw,w\n"), "--out", self.out,
                    says=["pairs.csv:1: 'u' and 'v' may be titles of columns, and are vertices of the graph, too"])
        run = "path", self.row, "--pairs", self.path("pairs.csv"), "--out", self.out
        self.write("pairs.csv", "to,from,to\na,b,c\n")
        self.refuse(BAD_INPUT, *run, says=["pairs.csv:1: two columns are called 'to'"])
        self.write("pairs.csv", "id,from,to\n1,a,b\n2,x,b\n")
        self.refuse(BAD_INPUT, *run, says=["pairs.csv:3: ", "row.csv has no vertex 'x'"])
        self.write("pairs.csv", "id,from,to\n1,x,b\n")
        self.assertNotIn("names the columns", self.refuse(BAD_INPUT, *run, says=["pairs.csv:2: "]).err)

    def test_numbers(self):
        graph = self.graph([(1, 2, 3), (2, 3, -1)], 3)  # a negative arc: by the closure
        for method in ("auto", "floyd_warshall"):
            got, table = self.answer("1 3\n3 1\n", "--method", method, graph=graph)
            self.assertEqual((table, got["method"]), ("from,to,distance\n1,3,2\n3,1,inf\n", "floyd_warshall"))

    def test_as_apsp_says(self):
        graph, d = self.data("road/minnesota_km.mtx"), self.path("d.npy")
        self.solve("apsp", graph, "--device", "cpu", "--out", d)  # sums of another order differ in the last bit
        distances = np.load(d)
        ends = np.random.default_rng(5).integers(0, 2642, (5000, 2))
        _, table = self.answer("".join(f"{u + 1},{v + 1}\n" for u, v in ends), graph=graph)
        rows = np.array([line.split(",") for line in table.split("\n")[1:-1]], dtype=float)
        np.testing.assert_array_equal(rows[:, :2], ends + 1)
        np.testing.assert_array_equal(rows[:, 2], distances[ends[:, 0], ends[:, 1]])

    def test_refusals(self):
        asked = self.write("pairs.csv", "from,to\n# both are there\na,b\n\nb,x\n")
        run = "path", self.row, "--pairs", asked, "--out", self.out
        self.refuse(BAD_INPUT, *run, says=["pairs.csv:5: ", "row.csv has no vertex 'x'"])
        self.write("pairs.csv", "a,b\nb\n")
        self.refuse(BAD_INPUT, *run, says=["pairs.csv:2: "])
        self.write("pairs.csv", "here,there\na,b\n")
        self.refuse(BAD_INPUT, *run, says=["pairs.csv:1: ", "if this line names the columns: call them from and to"])
        self.write("pairs.csv", "a\nb\n")
        self.refuse(BAD_INPUT, *run, says=["pairs.csv"])
        self.write("pairs.csv", "a,b\n")
        self.refuse(BAD_INPUT, "path", self.row, "--pairs", self.path("none.csv"), "--out", self.out, says=["none.csv"])
        for text, says in (("", "the file is empty"), ("# none\n", "no lines but comments"),
                           ("from,to\n", "nothing follows the header")):
            empty = self.write("empty.csv", text)
            self.refuse(BAD_INPUT, "path", self.row, "--pairs", empty, "--out", self.out, says=["empty.csv:1: ", says])
        self.refuse(USAGE, "path", self.row, "--pairs", asked, says=["--out FILE"])
        self.refuse(USAGE, "path", self.row, "a", "b", "--pairs", asked, "--out", self.out, says=["stands for FROM"])
        self.refuse(USAGE, "path", self.row, "a", "b", "--out", self.out, says=["--pairs"])
        self.refuse(USAGE, *run[:-1], asked, says=["same file"])
        self.refuse(USAGE, *run[:-1], self.path("d.npy"), says=[".csv, .tsv or .parquet"])
        circle = self.write("circle.csv", "a,b,-3\nb,a,1\n")
        self.refuse(BAD_INPUT, "path", circle, "--pairs", asked, "--out", self.out, says=["negative cycle"])
        self.assertFalse(os.path.exists(self.out))
