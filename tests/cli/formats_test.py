"""Every format through the program: what weights, directions and numbers of vertices a small file comes to."""

import numpy as np

from harness import CliTest

USAGE, BAD_INPUT = 2, 3


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

    def test_words(self):
        inf, nan = np.inf, np.nan
        self.assertEqual(self.solve("apsp", self.saved([[0, 1], [inf, 0]], np.float64), "--no-arc", "inf")["arcs"], 3)
        self.assertEqual(self.solve("apsp", self.saved([[0, nan], [nan, 0]], np.float32), "--no-arc", "nan")["arcs"], 2)
        graph, out = self.graph([(1, 2, 5)], 2), self.path("d.npy")
        self.solve("apsp", graph, "--out", out, "--absent", "max")
        self.assertEqual(self.solve("apsp", out, "--no-arc", "max")["arcs"], 3)
        self.assertIn("inf means no arc", self.solve("apsp", self.saved([[0, inf], [1, 0]], np.float64))["read_as"])

    def test_arrays_of_matrix_market(self):
        array = self.write("a.mtx", "%%MatrixMarket matrix array real general\n3 3\n0\ninf\n7\n2.5\n0\ninf\ninf\n1\n0\n")
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
            self.refuse(USAGE, "apsp", matrix, "--no-arc", word, says=[f"--no-arc: {word} is no i32"])
        self.refuse(USAGE, "apsp", self.graph([(1, 2, 3)], 2), "--no-arc", 0, says=["graph.gr is DIMACS"])
        self.refuse(USAGE, "closure", self.data("lagraph/karate.mtx"), "--no-arc", 0, says=["karate.mtx is Matrix Market"])
