"""Every format through the program: what weights, directions and numbers of vertices a small file comes to."""

import bz2
import lzma
import os
import subprocess
import sys

import numpy as np

import harness
from harness import CliTest

USAGE, BAD_INPUT = 2, 3


def zstd_blocks(data, last):
    """Raw blocks, or blocks that repeat a byte: zstd as this file can write it without a library."""
    out = b""
    for at in range(0, len(data), 1 << 17):
        piece = data[at:at + (1 << 17)]
        repeats = piece == piece[:1] * len(piece)
        head = len(piece) << 3 | 2 * repeats | (last and at + len(piece) == len(data))
        out += head.to_bytes(3, "little") + (piece[:1] if repeats else piece)
    return out


ZSTD_START = b"\x28\xb5\x2f\xfd\x00\x58"  # a window of 2 MiB, no checksum
SUFFIXES = {"xz": ".xz", "zstd": ".zst", "bzip2": ".bz2"}
COMPRESS = {"xz": lzma.compress, "zstd": lambda data: ZSTD_START + zstd_blocks(data, True), "bzip2": bz2.compress}


class DenseMatrices(CliTest):
    """A dense matrix is a graph as soon as it is said what means that there is no arc."""

    def saved(self, values, dtype, name="a.npy"):
        np.save(self.path(name), np.array(values, dtype=dtype))
        return self.path(name)

    def test_a_number_that_is_no_arc(self):
        for dtype in (np.int32, np.int64, np.float32, np.float64, ">i4", ">f8", np.uint8):
            got = self.solve("path", self.saved([[0, 3, 0], [0, 0, 4], [0, 0, 0]], dtype), 0, 2, "--no-arc", 0)
            self.assertEqual((got["path"], got["cost"]), ([0, 1, 2], 7))
            self.assertIn("in which 0 means no arc", got["read_as"])
        matrix = self.saved([[0, 3, -1], [-1, 0, 0], [-1, -1, 0]], np.int32)
        self.assertEqual(self.solve("apsp", matrix, "--no-arc", "-1")["reachable_pairs"], 3)
        self.assertEqual(self.solve("closure", matrix, "--no-arc", "-1")["entries"], 6)
        self.assertEqual(self.solve("apsp", self.saved([[True, True], [False, True]], bool), "--no-arc", 0)["arcs"], 3)

    def test_closures_of_answers_with_minus_one(self):
        graph, out = self.graph([(1, 2, 5)], 2), self.path("d.npy")
        self.solve("apsp", graph, "--out", out, "--absent", "-1")
        for command in ("apsp", "closure"):
            self.refuse(BAD_INPUT, command, out, says=[
                "d.npy: element (1, 0) is -1, and no other element is negative: does it mean no arc (--no-arc -1), "
                "or is it a weight (--no-arc "])
        self.assertEqual(self.solve("closure", out, "--no-arc", "-1")["entries"], 3)
        mixed = self.saved([[0, -1], [3, -2]], np.float64)
        self.assertEqual(self.solve("closure", mixed, "--algebra", "max_min")["exists"], True)

    def test_what_nobody_said(self):
        got = self.solve("path", self.saved([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool), 0, 2)
        self.assertEqual((got["cost"], got["read_as"]), (2, "a matrix of bool, in which False means no arc"))
        got = self.solve("apsp", self.saved([[0, 3], [0, 0]], np.int64))
        self.assertEqual(got["read_as"], "a matrix of i64, in which every element is an arc, zeros too "
                                         "(--no-arc 0 if 0 means none)")
        truths = self.saved([[0, 1, 0], [0, 0, 1], [0, 0, 0]], np.int64)
        self.refuse(BAD_INPUT, "apsp", truths, says=[
            "a.npy: element (0, 2) is 0, and all others between two vertices are 0 or 1: does 0 mean no arc "
            "(--no-arc 0), or is it a weight (--no-arc 4611686018427387903)?"])
        self.refuse(BAD_INPUT, "closure", truths, says=["a.npy: element (0, 2) is 0, and all others between two"])
        self.assertEqual(self.solve("closure", truths, "--no-arc", 0)["entries"], 6)
        self.assertEqual(self.solve("closure", truths, "--algebra", "or_and")["entries"], 6)
        self.assertEqual(self.solve("apsp", truths, "--no-arc", 0)["arcs"], 2)
        self.assertEqual(self.solve("apsp", truths, "--no-arc", 2**62 - 1)["arcs"], 9)
        self.assertEqual(self.solve("apsp", self.saved([[0, 1], [1, 0]], np.int64))["arcs"], 4)

    def test_words(self):
        inf, nan = np.inf, np.nan
        self.assertEqual(self.solve("apsp", self.saved([[0, 1], [inf, 0]], np.float64), "--no-arc", "inf")["arcs"], 3)
        self.assertEqual(self.solve("apsp", self.saved([[0, nan], [nan, 0]], np.float32), "--no-arc", "nan")["arcs"], 2)
        graph, out = self.graph([(1, 2, 5)], 2), self.path("d.npy")
        self.solve("apsp", graph, "--out", out, "--absent", "max")
        self.assertEqual(self.solve("apsp", out, "--no-arc", "max")["arcs"], 3)
        self.assertIn("inf means no arc", self.solve("apsp", self.saved([[0, inf], [1, 0]], np.float64))["read_as"])
#max is of the type in the file, not of the wider one that its numbers become.
        for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.float16, np.int32, np.int64, np.float64):
            kind = np.finfo if np.issubdtype(dtype, np.floating) else np.iinfo
            narrow = self.saved([[0, kind(dtype).max], [3, 0]], dtype)
            self.assertEqual(self.solve("apsp", narrow, "--no-arc", "max")["arcs"], 3, dtype)
            np.savez(self.path("a.npz"), np.load(narrow))
            self.assertEqual(self.solve("closure", self.path("a.npz"), "--no-arc", "max")["entries"], 3, dtype)

    def test_infinities(self):
        """The one that no path is in the algebra means no arc; another is asked about, and no weight."""
        inf = np.inf
        for algebra, none, other in (("min_plus", inf, -inf), ("max_plus", -inf, inf), ("max_min", -inf, inf),
                                     ("min_max", inf, -inf), ("max_times", 0, inf), ("or_and", 0, inf)):
            over = "--algebra", algebra
            matrix = self.saved([[none, 1], [none, none]], np.float64)
            self.assertEqual(self.solve("apsp", matrix, *over)["arcs"], 1, algebra)
            matrix = self.saved([[none, other], [none, none]], np.float64)
            self.refuse(BAD_INPUT, "apsp", matrix, *over,
                        says=[f"a.npy: element (0, 1) is {other}, and {none} means no arc in {algebra}: if this means "
                              f"none, say so (--no-arc{'=' if other < 0 else ' '}{other}); no weight is infinite"])
            said = self.solve("apsp", matrix, *over, f"--no-arc={other}")
            self.assertEqual(said["arcs"], 3 if none == 0 else 0, algebra)
        ones = self.saved([[inf, 2], [3, inf]], np.float64)  # as answers have them on the diagonal
        self.assertEqual(self.solve("apsp", ones, "--algebra", "max_min")["arcs"], 4)
        array = self.write("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1\n-inf\n0\n")
        self.refuse(BAD_INPUT, "apsp", array, says=["a.mtx:5: element (1, 2) is -inf"])
        self.refuse(BAD_INPUT, "apsp", self.saved([[0, np.nan], [1, 0]], np.float32), "--algebra", "or_and",
                    says=["element (0, 1) is nan, which is no number (--no-arc nan: there is no arc)"])

    def test_what_answers_have_where_there_is_no_path(self):
        """Each of --absent, and the number of each algebra, is read back as no arc, or refused."""
        graph, out = self.graph([(1, 2, 5), (3, 2, 4)], 3), self.path("d.npy")
        for dtype in ("i32", "i64", "f32", "f64"):
            for algebra in ("min_plus", "max_plus", "max_min", "min_max"):
                given = "apsp", graph, "--algebra", algebra, "--dtype", dtype, "--out", out
                self.solve(*given)
                self.assertEqual(self.solve("apsp", out, "--algebra", algebra)["arcs"], 5, (dtype, algebra))
                if algebra[:3] != "max" and dtype[0] == "i" or algebra == "min_plus":
                    self.refuse(BAD_INPUT, "apsp", out, "--algebra", "max_min", says=["d.npy: element (0, 2) is "])
                if algebra != "max_min":  # whose largest number is of vertices to themselves
                    self.solve(*given, "--absent", "max")
                    if algebra != "min_max" or dtype[0] != "i":
                        self.refuse(BAD_INPUT, "apsp", out, "--algebra", algebra,
                                    says=["d.npy: element (0, 2) is ", "say which of them does (--no-arc "])
                    self.assertEqual(self.solve("apsp", out, "--algebra", algebra, "--no-arc", "max")["arcs"], 5)
                self.solve(*given, "--absent", "-1")
                if algebra == "min_plus" or algebra == "max_plus":
                    self.refuse(BAD_INPUT, "apsp", out, "--algebra", algebra,
                                says=["element (0, 2) is -1, and no other element is negative: does it mean no arc "
                                      "(--no-arc -1), or is it a weight (--no-arc"])
        self.solve("apsp", graph, "--out", out, "--dtype", "i64", "--absent", "max")
        self.refuse(BAD_INPUT, "closure", out, says=["d.npy: element (0, 2) is 9223372036854775807, which stands for "])
        self.assertEqual(self.solve("closure", out, "--no-arc", "max")["entries"], 5)
        pairs = self.path("d.csv")
        self.solve("apsp", graph, "--out", pairs, "--absent", "max")
        self.refuse(BAD_INPUT, "apsp", pairs,
                    says=["d.csv:3: arc 1 -> 3 has weight 2147483647, which stands for \"no path\" in many files"])
        self.assertEqual(self.solve("apsp", pairs, "--dtype", "i64")["arcs"], 6)
        for dtype, largest in (("f32", "3.4028235e+38"), ("f64", "1.7976931348623157e+308")):
            self.solve("apsp", graph, "--out", pairs, "--absent", "max", "--dtype", dtype)
            self.refuse(BAD_INPUT, "apsp", pairs, says=[f"d.csv:3: arc 1 -> 3 has weight {largest}, which stands for",
                                                        "if it is a weight (--dtype f64)"])
        self.solve("apsp", graph, "--out", pairs, "--absent", "-1")
        self.refuse(BAD_INPUT, "apsp", pairs,
                    says=["d.csv:3: arc 1 -> 3 has weight -1, which seems to stand for \"no path\" in this list of all "
                          "pairs: leave such lines out, or say the type if it is a weight (--dtype i64 or f64)"])
        self.solve("apsp", self.write("signs.csv", "a,b,-1\nb,c,1\n"))
        self.solve("apsp", self.write("parallel.csv", "a,b,-1\nb,c,5\nb,c,6\nb,c,7\na,b,4\na,c,4\n"))

    def test_arrays_of_matrix_market(self):
        array = self.write("a.mtx", "%%MatrixMarket matrix array real general\n3 3\n"
                                    "0\ninf\n7\n2.5\n0\ninf\ninf\n1\n0\n")
        got = self.solve("path", array, 1, 3)
        self.assertEqual((got["path"], got["cost"]), ([1, 2, 3], 3.5))
        array = self.write("b.mtx", "%%MatrixMarket matrix array integer symmetric\n2 2\n0\n7\n0\n")
        got = self.solve("apsp", array, "--no-arc", 0)
        self.assertEqual((got["arcs"], got["diameter"]), (2, 7))
        wide = self.write("c.mtx", "%%MatrixMarket matrix array integer general\n1 2\n0\n7\n")
        self.refuse(BAD_INPUT, "apsp", wide, says=["a graph is a square matrix, and this one is 1 x 2"])

    def test_refusals(self):
        matrix = self.saved([[0, 1], [1, 0]], np.int32)
        for word in ("x", "", "1x", "0x1"):
            self.refuse(USAGE, "apsp", matrix, "--no-arc", word, says=["--no-arc", f"a number, not '{word}'"])
        for word in ("inf", "nan", "0.5", "3000000000"):
            self.refuse(USAGE, "apsp", matrix, "--no-arc", word, says=[f"--no-arc {word}: the matrix in"])
        self.refuse(USAGE, "apsp", self.graph([(1, 2, 3)], 2), "--no-arc", 0, says=["graph.gr is none (DIMACS)"])
        self.refuse(USAGE, "closure", self.data("lagraph/karate.mtx"), "--no-arc", 0,
                    says=["karate.mtx is none (Matrix Market)"])


class SparseMatrices(CliTest):
    """What scipy.sparse.save_npz writes, by the writer that it calls: numpy.savez."""

    PARTS = {"indices": np.array([1, 2, 0], np.int32), "indptr": np.array([0, 1, 2, 3], np.int32),
             "format": np.bytes_(b"csr"), "shape": np.array([3, 3]), "data": np.array([3, 4.5, 1])}

    def saved(self, name, compressed=True, **other):
        (np.savez_compressed if compressed else np.savez)(self.path(name), **{**self.PARTS, **other})
        return self.path(name)

    def test_graphs(self):
        coo = {"row": np.array([0, 1, 2]), "col": np.array([1, 2, 0]), **{k: self.PARTS[k] for k in ("shape", "data")}}
        np.savez_compressed(self.path("coo.npz"), format=np.bytes_(b"coo"), **coo)
        for file in (self.saved("a.npz"), self.saved("b.npz", False), self.path("coo.npz")):
            got = self.solve("path", file, 0, 2)
            self.assertEqual((got["path"], got["cost"]), ([0, 1, 2], 7.5))
            self.assertEqual(self.solve("apsp", file)["arcs"], 3)
            self.assertEqual(self.solve("closure", file)["entries"], 9)
            said = self.solve("info", file)
            self.assertEqual((said["format"], said["kind"], said["arcs"], said["directed"]), ("npz", "graph", 3, True))
        got = self.solve("path", self.saved("c.npz", format=np.bytes_(b"csc")), 0, 1)
        self.assertEqual((got["path"], got["cost"]), ([0, 2, 1], 5.5))
        self.solve("convert", self.path("a.npz"), self.path("a.gr"))
        with open(self.path("a.gr"), encoding="ascii") as file:
            self.assertIn("a 2 3 4.5\n", file.read())

    def test_pipes(self):
        """NumPy cannot go back in a pipe, and puts sizes and CRC behind the members."""
        write = ("import numpy as np, sys; p = dict(indices=np.array([1]), indptr=np.array([0, 1, 1]), "
                 "format=np.bytes_(b'csr'), shape=np.array([2, 2]), data=np.array([5])); "
                 "np.savez_compressed(sys.stdout.buffer, **p)")
        with subprocess.Popen([sys.executable, "-c", write], stdout=subprocess.PIPE) as python:
            done = subprocess.run([harness.PROGRAM, "path", "-", "0", "1", "--json"], stdin=python.stdout,
                                  capture_output=True, check=False)
        self.assertEqual((python.returncode, done.returncode, done.stderr), (0, 0, b""))
        self.assertIn(b'"cost": 5', done.stdout)

    def test_matrices(self):
        values = np.array([[1, 2], [3, 4.5]])
        np.savez(self.path("d.npz"), values)
        np.save(self.path("d.npy"), values)
        for ending in ("npz", "npy"):
            file = self.path("d." + ending)
            self.assertEqual(self.solve("info", file)["kind"], "matrix")
            self.assertEqual(self.solve("apsp", file, "--no-arc", 2)["arcs"], 3)
            self.solve("gemm", file, file, "--algebra", "plus_times", "--out", self.path(ending + ".npy"))
            np.testing.assert_array_equal(np.load(self.path(ending + ".npy")), values @ values)
        wide = self.saved("w.npz", shape=np.array([3, 4]))
        self.assertEqual(self.solve("info", wide)["kind"], "sparse matrix")
        self.solve("gemm", self.saved("a.npz"), wide, "--algebra", "plus_times", "--out", self.path("p.npy"))
        np.testing.assert_array_equal(np.load(self.path("p.npy")), [[0, 0, 13.5, 0], [4.5, 0, 0, 0], [0, 3, 0, 0]])
        self.refuse(BAD_INPUT, "apsp", wide,
                    says=["w.npz (shape.npy): a graph is a square matrix, and this one is 3 x 4"])

    def test_refusals(self):
        file = self.saved("bsr.npz", format=np.bytes_(b"bsr"))
        self.refuse(BAD_INPUT, "apsp", file, says=["bsr.npz (format.npy): ", "the layout 'bsr'", "matrix.tocsr()"])
        np.savez(self.path("two.npz"), a=np.eye(2), b=np.eye(2))
        self.refuse(BAD_INPUT, "apsp", self.path("two.npz"), says=["it holds 'a.npy', 'b.npy'"])
        file = self.saved("out.npz", indices=np.array([1, 2, 3]))
        self.refuse(BAD_INPUT, "info", file,
                    says=["out.npz (indices.npy): at byte ", ": element 2 is 3, in a matrix of 3 x 3"])
        with open(self.saved("cut.npz"), "r+b") as cut:
            cut.truncate(os.path.getsize(cut.name) - 1)
        self.refuse(BAD_INPUT, "apsp", self.path("cut.npz"), says=["cut.npz: at byte ", "a truncated ZIP archive"])
        self.refuse(USAGE, "apsp", self.saved("a.npz"), "--undirected", says=["a.npz is no edge list (npz"])
        self.refuse(USAGE, "apsp", self.path("a.npz"), "--no-arc", 0, says=["--no-arc is about dense matrices"])


class GraphML(CliTest):
    """As networkx writes it. A build without expat has a sentence about that."""

    KEY = '<key id="d0" for="edge" attr.name="weight" attr.type="double" />'

    def document(self, content, direction="directed", key=KEY):
        return self.write("g.graphml", "<?xml version='1.0' encoding='utf-8'?>\n"
                          '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
                          f'{key}<graph edgedefault="{direction}">\n{content}\n</graph></graphml>\n')

    def setUp(self):
        super().setUp()
        nodes = "".join(f'<node id="{name}" />' for name in ("Fulda", "Essen", "Ulm"))
        self.content = (nodes + '<edge source="Fulda" target="Essen"><data key="d0">292.5</data></edge>'
                        '<edge source="Essen" target="Ulm"><data key="d0">1.5</data></edge>')
        said = self.kleene("info", self.document(self.content))
        if "has no libexpat to read it" in said.err:
            self.assertEqual(said.code, BAD_INPUT)
            self.skipTest("this build has no libexpat")

    def test_names_and_directions(self):
        file = self.document(self.content)
        got = self.solve("path", file, "Fulda", "Ulm")
        self.assertEqual((got["path"], got["cost"]), (["Fulda", "Essen", "Ulm"], 294))
        said = self.solve("info", file)
        self.assertEqual((said["format"], said["vertices"]), ("GraphML", 3))
        self.assertTrue(said["named"] and said["directed"])
        self.assertEqual(self.solve("apsp", file)["reachable_pairs"], 3)
        with open(file, "rb") as pipe:
            done = subprocess.run([harness.PROGRAM, "closure", "-", "--json"], stdin=pipe, capture_output=True,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b'"entries": 6', done.stdout)
        self.solve("convert", file, self.path("g.csv"))
        with open(self.path("g.csv"), encoding="utf-8") as text:
            self.assertIn("Fulda,Essen,292.5\n", text.read())
        file = self.document(self.content, "undirected")
        self.assertEqual(self.solve("apsp", file)["reachable_pairs"], 6)
        self.assertEqual(self.solve("path", file, "Ulm", "Fulda")["cost"], 294)

    def test_refusals(self):
        for content, says in (("<hyperedge/>", "g.graphml:4: a hyperedge"),
                              ('<node id="a"/><edge source="a" target="b"/>', "g.graphml:4: an edge at 'b'"),
                              ("<node>", "g.graphml:4: a node without the attribute id"),
                              ('<node id="a">', "g.graphml:5: this is no XML: mismatched tag")):
            self.refuse(BAD_INPUT, "apsp", self.document(content), says=[says])
        entities = self.write("e.graphml", '<!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>')
        self.refuse(BAD_INPUT, "info", entities, says=["e.graphml:1: a DOCTYPE with declarations of its own"])
        file = self.document(self.content)
        self.refuse(USAGE, "apsp", file, "--undirected", says=["g.graphml is no edge list (GraphML"])
        self.refuse(USAGE, "path", file, "Fulda", "Bonn", says=["Bonn"])


class UndirectedGraphs(CliTest):
    """The path 1 - 2 - 3 in each format, with weights 5 and 2 where it has weights."""

    def check(self, name, text, cost, form):
        file = self.write(name, text)
        for way, route in (((1, 3), [1, 2, 3]), ((3, 1), [3, 2, 1])):
            got = self.solve("path", file, *way)
            self.assertEqual((got["path"], got["cost"]), (route, cost), name)
        got = self.solve("apsp", file)
        self.assertEqual((got["vertices"], got["arcs"], got["reachable_pairs"]), (3, 4, 6), name)
        self.assertIn(f"({form}, undirected)", self.kleene("apsp", file).out)
        self.assertEqual(self.solve("closure", file)["entries"], 9)
        self.refuse(USAGE, "apsp", file, "--undirected", says=[f"{name} is no edge list ({form}"])
        return self.solve("apsp", file).get("read_as")

    def test_metis(self):
        self.assertIsNone(self.check("a.graph", "% c\n3 2 1\n2 5\n1 5 3 2\n2 2\n", 7, "METIS"))
        said = self.check("b.metis", "3 2 110 2\n4 9 9 2\n4 8 8 1 3\n4 7 7 2\n", 2, "METIS")
        self.assertEqual(said, "edges of weight 1, sizes and weights of vertices not used")
        bad = self.write("bad.graph", "3 2\n2\n1 3\n   \n")
        self.refuse(BAD_INPUT, "apsp", bad, says=["bad.graph:4: 2 edges are promised, which stand at both ends, 4",
                                                  "and 3 neighbours are listed"])
        bad = self.write("bad.graph", "3 1\n2\n3\n\n")
        self.refuse(BAD_INPUT, "closure", bad,
                    says=["bad.graph:2: vertex 1 has 2 as its neighbour, but 2 does not have 1"])

    def test_what_neither_content_nor_name_says(self):
        metis = self.write("roads.txt", "3 2 1\n2 5\n1 5 3 2\n2 2\n")
        for command, key, value in (("apsp", "reachable_pairs", 6), ("closure", "entries", 9), ("info", "vertices", 3)):
            self.assertEqual(self.solve(command, metis, "--input-format", "metis")[key], value)
            with open(metis, "rb") as pipe:
                done = subprocess.run([harness.PROGRAM, command, "-", "--input-format", "metis", "--json"], stdin=pipe,
                                      capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.solve("convert", metis, self.path("o.gset"), "--input-format", "metis")
        both = self.write("both.txt", "3 2\n1 2 5\n2 3 2\n")  # three arcs cannot have two fields and three
        noted = self.kleene("apsp", both, "--json")
        self.assertEqual((noted.json["arcs"], noted.err.count("two numbers above three a line are a G-set")), (4, 1))
        self.refuse(BAD_INPUT, "apsp", both, "--input-format", "edge-list", says=["both.txt:2: 3 fields"])
        self.assertEqual(self.solve("apsp", self.write("g.csv", "3 1\n1 2 5\n"), "--input-format", "gset")["arcs"], 2)
        banner = self.write("m.txt", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
        self.assertEqual(self.solve("apsp", banner, "--input-format", "metis")["arcs"], 1)
        self.refuse(USAGE, "apsp", metis, "--input-format", "mtx", says=["one of edge-list, metis, gset, not 'mtx'"])

    def test_gset(self):
        for name in ("G1", "g.gset", "g.rud"):
            self.check(name, "3 2\n1 2 5\n2 3 2\n", 7, "G-set")
        bad = self.write("G2", "3 2\n1 2 5\n2 4 2\n")
        self.refuse(BAD_INPUT, "apsp", bad, says=["G2:3: vertex 4 is outside 1 .. 3"])
        bad = self.write("G3", "3 1\n1 2 -5\n")
        self.refuse(BAD_INPUT, "apsp", bad, says=["negative cycle: "])

    def test_pace_and_dimacs_share_a_suffix(self):
        self.check("p.gr", "c x\np tw 3 2\n1 2\n2 3\n", 2, "PACE")
        self.assertEqual(self.solve("apsp", self.graph([(1, 2, 5)], 3, "p.gr"))["arcs"], 1)
        bad = self.write("bad.gr", "p tw 3 2\n1 2\na 2 3\n")
        self.refuse(BAD_INPUT, "apsp", bad, says=["bad.gr:3: a line starts with c, p or a vertex, not with 'a'"])

    def test_col_and_clq(self):
        self.check("a.col", "c x\np edge 3 2\nn 1 9\ne 1 2\ne 2 3\n", 2, "DIMACS edges")
        self.check("b.clq", "p col 3 4\ne 1 2\ne 2 1\ne 2 3\ne 3 2\n", 2, "DIMACS edges")
        binary = self.write("c.clq.b", "24\nc x\np col 3 2\n")
        self.refuse(BAD_INPUT, "apsp", binary, says=["c.clq.b:1: this is the binary form", "bin2asc"])

    def test_nothing_and_folders(self):
        for name in ("a.graph", "a.gset", "a.col"):
            self.refuse(BAD_INPUT, "apsp", self.write(name, ""), says=[name])
            self.refuse(BAD_INPUT, "apsp", self.path("none-" + name), says=["No such file"])
        self.refuse(BAD_INPUT, "apsp", self.folder, says=["Is a directory"])
        huge = self.write("huge.graph", "2147483647 1000000000000\n2\n1\n")
        self.refuse(BAD_INPUT, "apsp", huge, says=["huge.graph:1: ", "cannot hold them"])


class Compression(CliTest):
    """Each library that the build has; of those that it lacks a sentence."""

    GRAPH = b"p sp 3 2\na 1 2 3\na 2 3 4\n"

    def compressed(self, kind, data, name):
        with open(self.path(name), "wb") as file:
            file.write(COMPRESS[kind](data))
        return self.path(name)

    def known(self):
        return self.solve("info")["compressions"].split(", ")

    def test_plain_and_through_pipes(self):
        known = self.known()
        self.assertEqual(known[0], "gzip")
        self.assertIn("plain, gzip", self.kleene("info").out)
        for kind, suffix in SUFFIXES.items():
            for name in ("g.gr" + suffix, "g.gr", "g"):
                file = self.compressed(kind, self.GRAPH, name)
                if kind not in known:
                    self.refuse(BAD_INPUT, "apsp", file, says=[f"{name} is compressed by {kind}", "is without lib"])
                    continue
                self.assertEqual(self.solve("path", file, 1, 3)["cost"], 7)
            with open(file, "rb") as pipe:
                done = subprocess.run([harness.PROGRAM, "path", "-", "1", "3", "--json"], stdin=pipe,
                                      capture_output=True, check=False)
            self.assertEqual(done.returncode, 0 if kind in known else BAD_INPUT, kind)

    def test_line_numbers_and_cuts(self):
        for kind in set(SUFFIXES) & set(self.known()):
            file = self.compressed(kind, b"p sp 3 2\na 1 2 3\na 2 x 4\n", "bad.gr")
            self.refuse(BAD_INPUT, "apsp", file, says=["bad.gr:3: the vertex 'x' is not an integer"])
            with open(self.compressed(kind, self.GRAPH, "cut.gr"), "r+b") as cut:
                cut.truncate(os.path.getsize(cut.name) - 1)
            self.refuse(BAD_INPUT, "apsp", self.path("cut.gr"), says=[f"cut.gr: truncated {kind} data"])
            np.save(self.path("a.npy"), np.array([[0, 1], [2, 0]]))
            with open(self.path("a.npy"), "rb") as plain:
                file = self.compressed(kind, plain.read(), "b.npy" + SUFFIXES[kind])
            self.assertEqual(self.solve("apsp", file)["diameter"], 2)
        self.refuse(USAGE, "apsp", self.graph([(1, 2, 3)], 2), "--out", self.path("d.npy.xz"), says=["suffix"])
