"""Commands that would be answered with something else than what was asked."""

import numpy as np

from harness import CliTest

NO_PATH, USAGE, BAD_INPUT = 1, 2, 3


class Doubts(CliTest):
    def test_sums_of_walks(self):
        """Over plus_times (I - A)^-1 is the sum of all walks where that converges."""
        grows = self.write("grows.csv", "a,b,3\nb,c,4\nc,a,1\n")
        self.refuse(BAD_INPUT, "closure", grows, "--algebra", "plus_times",
                    says=["grows.csv: the closure does not exist over plus_times", "from a to a grows without end"])
        out = self.path("sums.csv")
        falls = self.write("falls.csv", "a,b,0.5\nb,a,0.5\n")
        self.solve("closure", falls, "--algebra", "plus_times", "--out", out)
        with open(out, encoding="ascii") as file:
            self.assertIn("a,b,0.66666", file.read())
        signed = self.write("signed.csv", "a,b,2\nb,a,-1\n")
        self.solve("closure", signed, "--algebra", "plus_times")
        # The inverse is [[3.2, 2], [-2, 0]]; the first pivot, 1 - 1, is 0.
        pivot = self.write("pivot.csv", "a,a,1\na,b,0.5\nb,a,-0.5\nb,b,0.2\n")
        self.refuse(BAD_INPUT, "closure", pivot, "--algebra", "plus_times",
                    says=["pivot.csv: no closure over plus_times was found: the pivot of vertex a is 0",
                          "rows are not exchanged"])

    def test_an_argument_behind_without(self):
        arcs = self.write("arcs.csv", "a,b,1\nb,c,2\na,c,9\nc,a,1\n")
        got = self.solve("path", arcs, "--without", "a,b", "a", "c")
        self.assertEqual(got["path"], ["a", "c"])
        self.assertEqual(self.solve("path", "--without", "a,b", arcs, "a", "c")["cost"], 9)

    def test_flags_of_one_hyphen(self):
        arcs = self.write("g.csv", "a,b,1\n")
        self.refuse(USAGE, "-V", says=["there is no flag '-V' (kleene --help)"])
        self.refuse(USAGE, "apsp", "-x", says=["kleene apsp has no flag '-x'"])
        self.refuse(USAGE, "apsp", "-g.csv", says=["kleene apsp has no flag '-g.csv'"])
        self.refuse(USAGE, "apsp", arcs, "-x", says=["kleene apsp has no flag '-x'"])
        answer = self.kleene("help")
        self.assertEqual((answer.code, answer.err), (0, ""))
        self.assertEqual(answer.out, self.kleene("--help").out)
        self.assertEqual(self.kleene("-h").code, 0)

    def test_two_columns_of_one_title(self):
        arcs = self.write("g.csv", "from,to,km,km\na,b,3,4\n")
        self.refuse(BAD_INPUT, "apsp", arcs, says=["(--columns 'from','to',3)"])
        self.assertEqual(self.solve("path", arcs, "a", "b", "--columns", "from,to,4")["cost"], 4)

    def test_an_edge_list_called_graph(self):
        arcs = self.write("x.graph", "from,to,km\na,b,3\n")
        self.refuse(BAD_INPUT, "apsp", arcs, says=["x.graph:1: METIS, as the name of the file says", "'from,to,km'",
                                                   "(--input-format edge-list)"])
        self.assertEqual(self.solve("path", arcs, "a", "b", "--input-format", "edge-list")["cost"], 3)
        self.refuse(BAD_INPUT, "apsp", self.write("x.csv", "from,to,km\na,b,3\n"), "--input-format", "metis",
                    says=["x.csv:1: METIS starts with the numbers of its vertices and edges, and this line is"])

    def test_names_that_are_numbers_out_of_order(self):
        for text, says in (("1 2\n2 3\n-5 3\n", "4, 1 first and -5 last"), ("b a\na c\n", "3, b to c")):
            info = self.kleene("info", self.write("x.txt", text)).out
            self.assertIn(f"vertices    {says}\n", info)

    def test_generated_graphs_of_one_way(self):
        self.refuse(USAGE, "gen", "rmat", "--vertices", "8", "--out", self.path("x.graph"),
                    says=["METIS holds undirected graphs, and rmat draws directed ones"])
        self.refuse(USAGE, "gen", "grid", "--vertices", "9", "--json", says=["give --out FILE"])

    def test_products_of_integers_that_the_algebra_does_not_have(self):
        for dtype in ("i4", "i8", "?"):
            np.save(self.path("a.npy"), np.array([[1, 2], [3, 4]]).astype(dtype))
            got = self.solve("gemm", "--algebra", "log_plus", self.path("a.npy"), self.path("a.npy"))
            self.assertEqual(got["dtype"], "f64", dtype)

    def test_lengths_that_leave_int32(self):
        far = np.full((8, 8), 1073741823, dtype=np.int32)
        for v in range(7):
            far[v, v + 1] = 260000000
        np.save(self.path("far.npy"), far)
        self.refuse(BAD_INPUT, "closure", self.path("far.npy"),
                    says=["far.npy: a length is too large for i32: say --no-arc 1073741823"])
        got = self.solve("closure", self.path("far.npy"), "--no-arc", "1073741823")
        self.assertEqual((got["dtype"], got["entries"]), ("i64", 36))
        arcs = self.write("far.csv", "a,b,200000000\nb,c,200000000\n")
        self.refuse(BAD_INPUT, "apsp", arcs, "--dtype", "i32",
                    says=["far.csv: a length is too large for i32: say --dtype i64 or f64"])
        self.assertEqual(self.solve("apsp", arcs)["dtype"], "i64")
        self.refuse(BAD_INPUT, "path", arcs, "a", "c", "--dtype", "i32",
                    says=["far.csv: a length is too large for i32: say --dtype i64 or f64"])
        longer = self.write("longer.csv", f"a,b,{2**60 - 2}\nb,c,{2**60 - 2}\n")
        self.refuse(BAD_INPUT, "path", longer, "a", "c", "--columns", "1,2,3",
                    says=["longer.csv: a length is too large for i64: say --dtype f64"])
