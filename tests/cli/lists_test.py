"""kleene apsp FILES...: many graphs in one call."""

import os

import numpy as np

from harness import CliTest

USAGE, BAD_INPUT = 2, 3


class Lists(CliTest):
    def graphs(self):
        """Chains of 2, 3 and 4 vertices, whose arcs are 1, 2 and 3 long."""
        return [self.graph([(v, v + 1, arcs) for v in range(1, arcs + 1)], arcs + 1, f"chain{arcs}.gr")
                for arcs in (1, 2, 3)]

    def test_each_is_answered_in_the_order_given(self):
        files = self.graphs()
        got = self.solve("apsp", *reversed(files))
        self.assertEqual([(g["file"], g["vertices"], g["arcs"], g["reachable_pairs"], g["diameter"])
                          for g in got["graphs"]],
                         [(files[2], 4, 3, 6, 9), (files[1], 3, 2, 3, 4), (files[0], 2, 1, 1, 1)])
        self.assertEqual({g["negative_cycle"] for g in got["graphs"]}, {None})
        text = self.kleene("apsp", *files).out
        self.assertIn("the farthest 9;", text)
        self.assertIn("for 3 graphs", text)

    def test_results_go_to_folders(self):
        files, out, before = self.graphs(), self.path("out"), self.path("before")
        os.mkdir(out), os.mkdir(before)
        self.solve("apsp", *files, "--out", out, "--predecessors", before, "--absent", "-1", "--dtype", "i64")
        np.testing.assert_array_equal(np.load(os.path.join(out, "chain2.npy")), [[0, 2, 4], [-1, 0, 2], [-1, -1, 0]])
        np.testing.assert_array_equal(np.load(os.path.join(before, "chain2.npy")),
                                      [[-1, 0, 1], [-1, -1, 1], [-1, -1, -1]])
        self.assertEqual(sorted(os.listdir(out)), ["chain1.npy", "chain2.npy", "chain3.npy"])

    def test_no_file_is_lost(self):
        """Results over graphs, whatever the names, or over each other."""
        os.mkdir(self.path("out"))
        one, two = self.path("one.npy"), self.path("two.npy")
        for name in (one, two):
            np.save(name, [[0, 3, 9], [1, 0, 2], [1, 5, 0]])
        before = np.load(one)
        for folder in (self.folder, os.path.join(self.folder, "out", "..")):
            self.refuse(USAGE, "apsp", one, two, "--out", folder, says=["--out and FILE are the same file ("])
        os.symlink("../two.npy", os.path.join(self.path("out"), "one.npy"))
        self.refuse(USAGE, "apsp", one, two, "--out", self.path("out"), says=["--out and FILE are the same file ("])
        self.refuse(USAGE, "apsp", one, two, "--predecessors", self.path("out"),
                    says=["--predecessors and FILE are the same file ("])
        os.remove(os.path.join(self.path("out"), "one.npy"))
        self.refuse(USAGE, "apsp", one, two, "--out", self.path("out"), "--predecessors", self.path("out"),
                    says=["--predecessors and --out are the same file ("])
        self.assertEqual(os.listdir(self.path("out")), [])
        np.testing.assert_array_equal(np.load(one), before)
        self.solve("apsp", one, two, "--out", self.path("out"), "--predecessors", self.path("out"), "--format", "csv")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["one.csv", "one.npy", "two.csv", "two.npy"])

    def test_negative_cycles_are_told_by_graph(self):
        files = self.graphs()
        bad = self.graph([(1, 2, 3), (2, 1, -4)], 2)
        done = self.kleene("apsp", files[0], bad, files[1], "--json")
        self.assertEqual(done.code, BAD_INPUT)
        self.assertIn("improves without end (1 of 3 graphs have one)", done.err)
        self.assertIn('"reachable_pairs": 3', done.out)

    def test_refusals(self):
        files = self.graphs()
        for flag in (["--sources", "1"], ["--top", "3"], ["--plot"], ["--svg", self.path("x.svg")]):
            self.refuse(USAGE, "apsp", *files, *flag, says=[f"kleene: {flag[0]} takes one graph, not 3\n"])
        self.refuse(BAD_INPUT, "apsp", *files, "--out", self.path("absent"), says=["a folder that is there"])
        os.mkdir(self.path("out"))
        self.refuse(USAGE, "apsp", files[0], files[0], "--out", self.path("out"), says=["two FILES are called chain1"])
        self.refuse(BAD_INPUT, "apsp", *files, self.path("absent.gr"), says=["absent.gr"])
        self.refuse(USAGE, "apsp", *files, "-", says=["standard input (-) is one graph"])
