"""kleene convert and kleene info FILE: what formats hold, what they cannot, and what is in a file."""

import gzip
import os
import subprocess

import numpy as np

import harness
from harness import CliTest

USAGE, BAD_INPUT = 2, 3
NET = "from,to,km\nFulda,Essen,292.5\nEssen,München,612\nMünchen,Fulda,-410\nBonn,Essen,84\nBonn,Bonn,1\n"


class Convert(CliTest):
    def setUp(self):
        super().setUp()
        self.net = self.write("net.csv", NET)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def convert(self, source, name, *flags):
        """What is written under this name."""
        self.solve("convert", source, self.path(name), *flags)
        return self.text(name)

    def test_formats(self):
        numbers = self.graph([(1, 2, 3), (2, 3, 4), (1, 2, 5)], 3)
        self.assertEqual(self.convert(numbers, "o.mtx"),
                         "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 3\n2 3 4\n1 2 5\n")
        self.assertEqual(self.convert(numbers, "o.csv"), "from,to,weight\n1,2,3\n2,3,4\n1,2,5\n")
        self.assertEqual(self.convert(numbers, "o.tsv"), "from\tto\tweight\n1\t2\t3\n2\t3\t4\n1\t2\t5\n")
        self.assertEqual(self.convert(numbers, "o.txt"),
                         "# Directed graph\n# Nodes: 3 Edges: 3\n1\t2\t3\n2\t3\t4\n1\t2\t5\n")
        self.assertEqual(self.convert(self.path("o.txt"), "o.gr"), "p sp 3 3\na 1 2 3\na 2 3 4\na 1 2 5\n")
        self.assertEqual(self.convert(numbers, "other", "--format", "csv"), "from,to,weight\n1,2,3\n2,3,4\n1,2,5\n")
        self.assertEqual(self.convert(self.net, "o.tsv"),
                         NET.replace("km", "weight").replace(",", "\t"))

    def test_first_line_of_txt_is_an_arc(self):
        """Numbers that could be those of vertices and of arcs, or more vertices than there are arcs."""
        for arcs in ("3,2\n1,2\n2,3\n", "2,1\n1,2\n", "4,3\n1,2\n2,3\n3,4\n"):
            source = self.write("first.csv", "from,to\n" + arcs)
            written = self.convert(source, "first.txt")
            self.assertEqual(written.split("\n", 2)[2], arcs.replace(",", "\t"))
            self.assertEqual(self.convert(self.path("first.txt"), "back.csv"), "from,to\n" + arcs)

    def test_numbers_that_a_format_does_not_have(self):
        """Vertices numbered from 0 are numbered from 1, and said to be; other numbers are lost, and so are refused."""
        zero = self.write("zero.csv", "from,to\n0,1\n1,2\n")
        self.assertEqual(self.solve("convert", zero, self.path("z.mtx"))["what"],
                         f"a graph of 3 vertices and 2 arcs, numbered from 1 (from 0 in {zero})")
        far = self.write("far.csv", "from,to\n1001,1002\n1002,1003\n")
        for name in ("o.mtx", "o.gr", "o.npy"):
            self.refuse(BAD_INPUT, "convert", far, self.path(name),
                        says=["numbers from 1001 on", "--lossy", "--write-names"])
        done = self.solve("convert", far, self.path("o.gr"), "--lossy")
        self.assertEqual(done["left_out"], ["the numbers of 3 vertices (from 1001 on; from 1 to 3 here)"])
        self.solve("convert", far, self.path("named.mtx"), "--write-names", self.path("numbers"))
        self.assertEqual(self.text("numbers"), "1001\n1002\n1003\n")
        got = self.solve("path", self.path("named.mtx"), "1001", "1003", "--names", self.path("numbers"))
        self.assertEqual(got["cost"], 2)
        self.assertEqual(self.convert(far, "far.txt").split("\n")[2:], ["1001\t1002", "1002\t1003", ""])

    def test_products_go_by_numbers(self):
        """Lists that begin with different vertices are no matrices that can be multiplied as they are."""
        one = self.write("v1.csv", "from,to,w\n1,2,1\n2,3,1\n")
        for name, arcs, first in (("v2.csv", "2,3,5\n3,4,7\n", 1), ("v0.csv", "0,1,5\n1,2,7\n", 0)):
            other = self.write(name, "from,to,w\n" + arcs)
            for files in ((one, other), (other, one)):
                self.refuse(BAD_INPUT, "gemm", *files,
                            says=["a product goes by numbers", f"--vertices {first}-based"])
            self.solve("gemm", other, other)
        matrix = self.path("v.mtx")
        self.solve("convert", self.path("v2.csv"), matrix, "--vertices", "1-based")
        self.solve("convert", one, self.path("v1.npy"), "--dtype", "i32")
        self.refuse(BAD_INPUT, "gemm", matrix, one, says=["4 x 4", "3 x 3"])
        self.solve("gemm", one, self.path("v1.npy"))
        self.refuse(BAD_INPUT, "gemm", self.path("v2.csv"), self.path("v1.npy"), says=["goes by numbers"])

    def test_undirected_formats(self):
        """Each edge once, in METIS at both ends, and back again; what they cannot hold is refused."""
        edges = "%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n2 1 5\n3 2 7\n3 1 2\n"
        source = self.write("s.mtx", edges)
        self.assertEqual(self.convert(source, "o.graph"), "4 3 1\n2 5 3 2\n1 5 3 7\n1 2 2 7\n\n")
        self.assertEqual(self.convert(self.path("o.graph"), "o.gset"), "4 3\n1 2 5\n1 3 2\n2 3 7\n")
        self.assertEqual(self.convert(self.path("o.gset"), "again.graph"), self.text("o.graph"))
        self.assertEqual(self.convert(source, "o.col", "--lossy"), "p edge 4 3\ne 1 2\ne 2 3\ne 1 3\n")
        self.assertEqual(self.convert(self.path("o.col"), "p.graph"), "4 3\n2 3\n1 3\n1 2\n\n")
        self.assertEqual(self.convert(self.path("p.graph"), "p.gset"), "4 3\n1 2 1\n1 3 1\n2 3 1\n")
        self.refuse(BAD_INPUT, "convert", source, self.path("x.col"), says=["no room for weights", "--lossy"])
        one_way = self.graph([(1, 2, 3)], 2)
        self.refuse(BAD_INPUT, "convert", one_way, self.path("x.graph"), says=["undirected", "this one is directed"])
        for name, lines, why in (("l", "1 1 4", "from 1 to 1 is a loop"), ("h", "2 1 0.5", "weight 0.5"),
                                 ("t", "2 1 1\n2 1 2", "there twice")):
            count = lines.count("\n") + 1
            bad = self.write(name + ".mtx",
                             f"%%MatrixMarket matrix coordinate real symmetric\n2 2 {count}\n{lines}\n")
            self.refuse(BAD_INPUT, "convert", bad, self.path("x.graph"), says=[why])
            self.assertFalse(os.path.exists(self.path("x.graph")))

    def test_a_vertex_of_many_neighbours(self):
        """What is written for METIS is read back, also where a line is longer than a block of the reader."""
        star = self.write("star.txt", "# Undirected graph\n" + "".join(f"1\t{v}\n" for v in range(2, 200001)))
        self.solve("convert", star, self.path("star.graph"))
        self.assertGreater(max(map(len, self.text("star.graph").split("\n"))), 1 << 20)
        got = self.solve("info", self.path("star.graph"))
        self.assertEqual((got["vertices"], got["arcs"], got["most_out_degree"]), (200000, 399998, 199999))

    def test_undirected(self):
        lower = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 0.5\n3 2 1.25\n3 3 2.5\n"
        source = self.write("s.mtx", lower)
        self.assertEqual(self.convert(source, "o.csv"),
                         "# Undirected graph\nfrom,to,weight\n1,2,0.5\n2,3,1.25\n3,3,2.5\n")
        self.assertEqual(self.convert(self.path("o.csv"), "back.mtx"), lower)
        self.assertEqual(self.convert(source, "o.gr"), "p sp 3 5\na 2 1 0.5\na 1 2 0.5\na 3 2 1.25\na 2 3 1.25\n"
                                                       "a 3 3 2.5\n")
        plain = self.write("p.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
        self.assertEqual(self.convert(plain, "o.csv"), "from,to\n1,2\n")
        self.assertEqual(self.convert(plain, "again.mtx"), self.text("p.mtx"))

    def test_matrices(self):
        self.solve("convert", self.graph([(1, 2, 3), (2, 3, 4)], 3), self.path("o.npy"))
        none = np.iinfo(np.int64).max // 2
        np.testing.assert_array_equal(np.load(self.path("o.npy")), [[none, 3, none], [none, none, 4], [none] * 3])
        self.assertEqual(self.convert(self.path("o.npy"), "o.csv"), "from,to,weight\n0,1,3\n1,2,4\n")
        self.assertEqual(self.convert(self.path("o.npy"), "o.mtx", "--layout", "pairs"),
                         "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 3\n2 3 4\n")
        np.save(self.path("m.npy"), np.array([[1.5, 2, 3], [4, 5, 6]], np.float32))
        self.assertEqual(self.convert(self.path("m.npy"), "m.mtx").split(),
                         "%%MatrixMarket matrix array real general 2 3 1.5 4 2 5 3 6".split())
        self.solve("convert", self.path("m.mtx"), self.path("back.npy"))
        np.testing.assert_array_equal(np.load(self.path("back.npy")), np.load(self.path("m.npy")))
        wide = self.write("w.mtx", "%%MatrixMarket matrix coordinate integer general\n1 3 1\n1 2 7\n")
        self.solve("convert", wide, self.path("w.npy"), "--algebra", "max_min", "--dtype", "i32")
        least = np.iinfo(np.int32).min
        np.testing.assert_array_equal(np.load(self.path("w.npy")), [[least, 7, least]])
        places = self.write("p.co", "p aux sp co 2\nv 1 10 20\nv 2 30 -40\n")
        self.assertEqual(self.convert(places, "p.mtx").split()[-4:], ["10", "30", "20", "-40"])
        self.refuse(BAD_INPUT, "convert", self.path("m.npy"), self.path("o.gr"), says=["a square matrix", "2 x 3"])
        self.refuse(BAD_INPUT, "convert", self.path("m.mtx"), self.path("o.gr"), says=["m.mtx", "no graph"])
        self.refuse(BAD_INPUT, "convert", wide, self.path("o.gr"), says=["w.mtx is a matrix that is no graph"])
        self.refuse(BAD_INPUT, "convert", places, self.path("o.gr"), says=["coordinates of vertices"])

    def test_what_a_format_cannot_hold(self):
        for name in ("o.mtx", "o.gr", "o.npy"):
            self.refuse(BAD_INPUT, "convert", self.net, self.path(name), says=[name, "no room for names", "Fulda"])
        self.assertEqual(self.convert(self.net, "o.gr", "--write-names", self.path("names")).split("\n")[:2],
                         ["p sp 4 5", "a 1 2 292.5"])
        self.assertEqual(self.text("names"), "Fulda\nEssen\nMünchen\nBonn\n")
        back = self.solve("path", self.path("o.gr"), "Bonn", "Fulda", "--names", self.path("names"))
        self.assertEqual(back["path"], ["Bonn", "Essen", "München", "Fulda"])
        self.assertEqual(self.convert(self.net, "l.gr", "--lossy"), self.text("o.gr"))
        alone = self.graph([(1, 3, 2)], 4, "alone.gr")
        self.refuse(BAD_INPUT, "convert", alone, self.path("o.csv"), says=["2 have none (the first is 2)"])
        self.assertEqual(self.convert(alone, "o.csv", "--lossy"), "from,to,weight\n1,3,2\n")
        twice = self.graph([(1, 2, 3), (1, 2, 5)], 2, "twice.gr")
        self.refuse(BAD_INPUT, "convert", twice, self.path("t.npy"), says=["there are several from 1 to 2"])
        self.solve("convert", twice, self.path("t.npy"), "--lossy")
        self.assertEqual(np.load(self.path("t.npy"))[0, 1], 3)
        none = self.graph([(1, 2, np.iinfo(np.int64).max // 2)], 2, "none.gr")
        self.refuse(BAD_INPUT, "convert", none, self.path("n.npy"), says=["4611686018427387903"])
        self.assertFalse(os.path.exists(self.path("n.npy")))

    def test_matrices_as_graphs(self):
        """--no-arc says that a matrix is one, and convert and info obey it; of a graph .npy says what means no arc."""
        np.save(self.path("m.npy"), np.array([[0, 3, 0], [0, 0, 4], [5, 0, 0]]))
        wanted = "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 3\n2 3 4\n3 1 5\n"
        self.assertEqual(self.convert(self.path("m.npy"), "o.mtx", "--no-arc", "0"), wanted)
        got = self.solve("convert", self.path("m.npy"), self.path("o.npy"), "--no-arc", 0)
        self.assertEqual(got["no_arc"], np.iinfo(np.int64).max // 2)
        self.assertEqual(self.solve("apsp", self.path("o.npy"))["reachable_pairs"], 6)
        text = self.kleene("convert", self.path("m.npy"), self.path("o.npy"), "--no-arc", 0).out
        self.assertIn("\nno arc      4611686018427387903 (--dtype chooses another type)\n", text)
        got = self.solve("info", self.path("m.npy"), "--no-arc", 0)
        self.assertEqual((got["kind"], got["arcs"], got["weight_least"]), ("graph", 3, 3))
        self.assertEqual(self.solve("info", self.path("m.npy"))["kind"], "matrix")
        self.refuse(USAGE, "info", self.path("o.mtx"), "--no-arc", 0, says=["--no-arc is about dense matrices"])
        np.save(self.path("w.npy"), np.zeros((2, 3)))
        self.refuse(BAD_INPUT, "convert", self.path("w.npy"), self.path("w.mtx"), "--no-arc", 0,
                    says=["a graph is a square matrix"])

    def test_infinite_weights(self):
        """They stay in matrices, and no reader of graphs would take them back."""
        infinite = self.write("i.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 inf\n2 1 3\n")
        for name in ("o.csv", "o.txt", "o.gr"):
            self.refuse(BAD_INPUT, "convert", infinite, self.path(name),
                        says=[f"{name}: arc 1 -> 2 has weight inf, which is not finite"])
        self.assertIn("1 2 inf\n", self.convert(infinite, "o.mtx"))
        self.refuse(BAD_INPUT, "apsp", infinite, says=["i.mtx:3: the weight 'inf' is not finite"])

    def test_pipes(self):
        with open(self.net, "rb") as file:
            done = subprocess.run([harness.PROGRAM, "convert", "-", "-", "--format", "tsv"], stdin=file,
                                  capture_output=True, check=True)
        self.assertEqual(done.stdout.decode().split("\n")[1], "Fulda\tEssen\t292.5")
        self.assertIn(b"standard output (edge list)", done.stderr)

    def test_refusals(self):
        self.refuse(USAGE, "convert", self.net, says=["OUT"])
        self.refuse(USAGE, "convert", self.net, self.path("o.xlsx"), says=["o.xlsx", ".mtx", ".npy"])
        self.refuse(USAGE, "convert", self.net, self.path("o.gr.gz"), says=["compress it with gzip"])
        self.refuse(USAGE, "convert", self.net, self.net, says=["same file"])
        self.refuse(USAGE, "convert", self.net, self.path("o.csv"), "--write-names", self.path("o.csv"),
                    says=["same file"])
        numbers = self.graph([(1, 2, 3)], 2)
        self.refuse(USAGE, "convert", numbers, self.path("o.mtx"), "--write-names", self.path("n"), says=["no names"])
        self.refuse(USAGE, "convert", numbers, self.path("o.mtx"), "--undirected", says=["no edge list (DIMACS"])
        self.refuse(BAD_INPUT, "convert", self.path("absent.csv"), self.path("o.mtx"), says=["absent.csv"])
        self.refuse(BAD_INPUT, "convert", self.write("empty.csv", ""), self.path("o.mtx"), says=["empty.csv"])
        self.refuse(BAD_INPUT, "convert", self.folder, self.path("o.mtx"), says=["directory"])
        self.refuse(BAD_INPUT, "convert", self.write("bad.gr", "p sp 2 1\na 1 9 1\n"), self.path("o.mtx"),
                    says=["bad.gr:2"])


class FileInfo(CliTest):
    def test_graph(self):
        net = self.write("net.csv", NET + "Bonn,Essen,80\n")
        got = self.solve("info", net)
        expected = {"format": "edge list", "compression": None, "kind": "graph",
                    "vertices": 4, "named": True, "arcs": 6,
                    "directed": True, "weights": "real", "weight_least": -410, "weight_most": 612,
                    "weight_negative": 1, "weight_zero": 0, "self_loops": 1, "parallel_arcs": 1,
                    "least_out_degree": 1, "most_out_degree": 3, "least_in_degree": 1, "most_in_degree": 3,
                    "components": 1, "largest_component": 4, "strong_components": 2, "largest_strong_component": 3}
        self.assertEqual({key: got[key] for key in expected}, expected)
        text = self.kleene("info", net).out
        for line in ("vertices    4, Fulda to Bonn\n", "arcs        6, directed\n",
                     "weights     real, -410 to 612\n", "negative    1 of 6\n", "self loops  1 of 6\n",
                     "parallel    1 of 6\n", "degrees     out 1 to 3, in 1 to 3\n",
                     "components  1: the arcs, taken both ways, join all vertices\n",
                     "strong      2 groups in which all vertices reach each other, with 3 and 1 vertices\n"):
            self.assertIn(line, text)
        self.assertEqual(self.solve("info", net, "--undirected")["arcs"], 11)

    def test_against_others(self):
        """Known of these: 78 edges of 34 members; 2642 places in two pieces; SciPy's count of strong components."""
        got = self.solve("info", self.data("lagraph/karate.mtx"))
        self.assertEqual((got["vertices"], got["arcs"], got["directed"], got["weights"]), (34, 156, False, "none"))
        self.assertEqual((got["most_out_degree"], got["components"]), (17, 1))
        self.assertIn("156, undirected: 78 edges", self.kleene("info", self.data("lagraph/karate.mtx")).out)
        # 1 -> 2 -> 3 -> 1 and 4 -> 5 -> 4, joined by 3 -> 4; 6 alone; 7 -> 7.
        arcs = [(1, 2, 0), (2, 3, 0), (3, 1, 0), (4, 5, 0), (5, 4, 0), (3, 4, 0), (7, 7, 5)]
        got = self.solve("info", self.graph(arcs, 7))
        self.assertEqual((got["components"], got["largest_component"]), (3, 5))
        self.assertEqual((got["strong_components"], got["largest_strong_component"]), (4, 3))
        self.assertEqual((got["weight_zero"], got["self_loops"], got["least_in_degree"]), (6, 1, 0))
        # A chain longer than any stack of calls.
        chain = self.graph([(v, v + 1, 1) for v in range(1, 300000)], 300000, "chain.gr")
        got = self.solve("info", chain)
        self.assertEqual((got["components"], got["strong_components"]), (1, 300000))

    def test_empty_graphs(self):
        got = self.solve("info", self.graph([], 0))
        self.assertEqual((got["vertices"], got["components"], got["largest_component"]), (0, 0, 0))
        self.assertIsNone(got["weight_least"])
        self.assertIn("vertices    none\n", self.kleene("info", self.graph([], 0)).out)
        self.assertEqual(self.solve("info", self.graph([], 3))["components"], 3)

    def test_matrices(self):
        np.save(self.path("m.npy"), np.array([[1.5, -2, np.inf], [0, np.nan, 6]]))
        got = self.solve("info", self.path("m.npy"))
        self.assertEqual((got["kind"], got["rows"], got["cols"], got["dtype"]), ("matrix", 2, 3, "f64"))
        self.assertEqual((got["least"], got["most"], got["negative"], got["zero"], got["infinite"], got["nan"]),
                         (-2, 6, 1, 1, 1, 1))
        np.save(self.path("b.npy"), np.array([[True, False]]))
        self.assertEqual(self.solve("info", self.path("b.npy"))["dtype"], "bool")
        wide = self.write("w.mtx", "%%MatrixMarket matrix coordinate integer general\n1 3 1\n1 2 7\n")
        got = self.solve("info", wide)
        self.assertEqual((got["kind"], got["rows"], got["cols"], got["entries"]), ("sparse matrix", 1, 3, 1))
        with gzip.open(self.path("p.co.gz"), "wt") as file:
            file.write("p aux sp co 2\nv 1 10 20\nv 2 30 -40\n")
        got = self.solve("info", self.path("p.co.gz"))
        self.assertEqual((got["kind"], got["compression"], got["x_most"], got["y_least"]), ("places", "gzip", 30, -40))

    def test_refusals(self):
        self.refuse(BAD_INPUT, "info", self.write("empty.mtx", ""), says=["empty.mtx"])
        self.refuse(BAD_INPUT, "info", self.path("absent"), says=["absent"])
        self.refuse(BAD_INPUT, "info", self.folder, says=["directory"])
        self.refuse(BAD_INPUT, "info", self.write("bad.gr", "p sp 2 1\na 1 9 1\n"), says=["bad.gr:2"])
        self.refuse(USAGE, "info", self.graph([], 2), "--undirected", says=["no edge list (DIMACS"])
        self.assertIn("processor", self.kleene("info").out)
        self.assertEqual(self.kleene("info", self.graph([], 2), "--quiet").out, "")
