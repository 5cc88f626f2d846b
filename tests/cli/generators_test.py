"""kleene gen: the models by what defines them, the same bytes everywhere, and outputs by suffix."""

import collections
import hashlib
import os
import subprocess

import numpy as np

import harness
from harness import CliTest

USAGE, BAD_INPUT = 2, 3


class Generators(CliTest):
    def draw(self, *arguments, name="g.csv", lossy=True):
        """The report, the head and the arcs (from, to, weight) of an edge list."""
        got = self.solve("gen", *arguments, "--out", self.path(name), *(["--lossy"] if lossy else []))
        with open(self.path(name), encoding="ascii") as file:
            lines = file.read().splitlines()
        first = lines.index("from,to,weight")
        arcs = [line.split(",") for line in lines[first + 1:]]
        return got, lines[:first], [(int(u), int(v), float(w)) for u, v, w in arcs]

    def text(self, name):
        with open(self.path(name), encoding="ascii") as file:
            return file.read()

    def test_bytes(self):
        """Digests of what the first version wrote: whoever changes a model changes what people cite."""
        for expected, arguments in DIGESTS.items():
            self.solve("gen", *arguments.split(), "--out", self.path("g.gr"))
            with open(self.path("g.gr"), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest()[:16], expected, arguments)

    def test_weights_by_hand(self):
        """SplitMix64 and Lemire's multiplication, once more."""
        state, expected = 77, []
        for _ in range(4):
            state = (state + 0x9e3779b97f4a7c15) % 2**64
            z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9 % 2**64
            z = (z ^ (z >> 27)) * 0x94d049bb133111eb % 2**64
            expected.append(10 + ((z ^ (z >> 31)) * 11 >> 64))
        _, _, arcs = self.draw("grid", "--vertices", 4, "--weights", "10,20", "--weight-seed", 77)
        self.assertEqual(arcs, [(u, v, w) for (u, v), w in zip(((1, 2), (1, 3), (2, 4), (3, 4)), expected)])

    def test_grid(self):
        self.solve("gen", "grid", "--vertices", 6, "--weights", "none", "--out", self.path("g.mtx"), "--coordinates",
                   self.path("places.mtx"))
        self.assertEqual(self.text("g.mtx"), "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 7\n"
                                             "2 1\n4 1\n3 2\n5 2\n6 3\n5 4\n6 5\n")
        self.assertEqual(self.text("places.mtx").split("\n")[1:], ["6 2", *"012012000111", ""])
        got = self.solve("apsp", self.path("g.mtx"), "--svg", self.path("m.svg"), "--coordinates",
                         self.path("places.mtx"))
        self.assertEqual((got["arcs"], got["diameter"]), (14, 3))
        got, head, arcs = self.draw("grid", "--vertices", 7, "--weights", "4,4")  # a prime number: a line
        self.assertEqual((got["arcs"], head), (12, ["# Undirected graph"]))
        self.assertEqual(arcs, [(v, v + 1, 4) for v in range(1, 7)])

    def test_rmat(self):
        got, head, arcs = self.draw("rmat", "--scale", 10, "--degree", 8)
        self.assertEqual((got["vertices"], got["directed"], got["arcs"], head), (1024, True, len(arcs), []))
        self.assertEqual(len({(u, v) for u, v, _ in arcs}), len(arcs))
        self.assertTrue(all(u != v and 1 <= u <= 1024 and 1 <= v <= 1024 and 1 <= w <= 100 for u, v, w in arcs))
        # A quarter of the vertices holds most ends of arcs, which is what the model is for.
        self.assertGreater(sum(u <= 256 for u, _, _ in arcs), len(arcs) // 2)
        self.assertGreater(len(arcs), 4000)
        self.assertLess(len(arcs), 8192)
        self.refuse(USAGE, "gen", "rmat", "--vertices", 1000, says=["1000 is none"])

    def test_geometric(self):
        _, _, arcs = self.draw("geometric", "--vertices", 400, "--degree", 8, "--coordinates", self.path("p.mtx"))
        values = [float(line) for line in self.text("p.mtx").split("\n")[2:-1]]
        places = np.array(values).reshape(2, 400).T
        self.assertTrue((places >= 0).all() and (places < 1).all())
        gaps = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
        radius = np.sqrt(8 / (399 * np.pi))
        near = {(i + 1, j + 1) for i, j in np.argwhere(gaps <= radius) if i < j}
        self.assertEqual({(u, v) for u, v, _ in arcs}, near)
        for u, v, length in arcs:
            self.assertAlmostEqual(length, gaps[u - 1, v - 1], delta=1e-15)
        got, _, arcs = self.draw("geometric", "--vertices", 40, "--weights", "3,3")
        self.assertEqual((got["weights"], {w for _, _, w in arcs}), ("integer", {3}))
        # More neighbours than there are vertices: all pairs.
        self.assertEqual(len(self.draw("geometric", "--vertices", 5, "--degree", 100)[2]), 10)

    def test_regular(self):
        for vertices, degree in ((10, 3), (10, 8), (7, 6), (64, 5), (5, 0), (1, 0)):
            flags = ["--weights", "2,5", "--out", self.path("g.gr")]
            got = self.solve("gen", "regular", "--vertices", vertices, "--degree", degree, *flags)
            self.assertEqual((got["vertices"], got["arcs"]), (vertices, vertices * degree))
            arcs = {tuple(map(int, line.split()[1:])) for line in self.text("g.gr").splitlines()[1:]}
            self.assertEqual(len(arcs), vertices * degree)
            self.assertTrue(all((v, u, w) in arcs and u != v and 2 <= w <= 5 for u, v, w in arcs))
            self.assertTrue(set(collections.Counter(u for u, _, _ in arcs).values()) <= {degree})
        self.assertEqual(self.solve("gen", "regular", "--vertices", 10, "--arcs", 40, "--out", "/dev/null")["arcs"], 40)
        self.refuse(USAGE, "gen", "regular", "--vertices", 5, "--degree", 3, says=["need an even product"])
        self.refuse(USAGE, "gen", "regular", "--vertices", 4, "--degree", 4, says=["cannot have 4 neighbours"])
        self.refuse(USAGE, "gen", "regular", "--vertices", 4, "--degree", 1.5, says=["cannot have 1.5 neighbours"])

    def test_planted_cycle(self):
        for flags in ([], ["--cycle", "7"], ["--cycle", "1"], ["--cycle", "30"], ["--weights", "1.5,9.25"]):
            got, _, arcs = self.draw("planted-cycle", "--vertices", 30, "--degree", 3, *flags)
            cycle = got["planted_cycle"]
            length = int(flags[1]) if flags[:1] == ["--cycle"] else 3
            self.assertEqual((len(cycle), len(arcs)), (length, 90 + length))
            weights = {(u, v): w for u, v, w in arcs}
            self.assertEqual(sum(weights[u, v] for u, v in zip(cycle, cycle[1:] + cycle[:1])), -1)
            answer = self.kleene("apsp", self.path("g.csv"), "--vertices", "1-based", "--json")
            found = answer.json["negative_cycle"]
            self.assertEqual((answer.code, sorted(found)), (BAD_INPUT, sorted(cycle)))
            # Without one of its arcs there is no negative cycle at all.
            del weights[cycle[0], cycle[1 % length]]
            rest = self.graph([(u, v, w) for (u, v), w in weights.items()], 30, "rest.gr")
            self.assertIsNone(self.solve("apsp", rest)["negative_cycle"])
        self.refuse(USAGE, "gen", "planted-cycle", "--vertices", 4, "--cycle", 5, says=["a cycle of 5", "4 vertices"])
        self.refuse(USAGE, "gen", "planted-cycle", "--vertices", 20, "--weights", "0,5", says=["1 or above, not at 0"])
        self.assertEqual(self.solve("gen", "planted-cycle", "--vertices", 3, "--out", "/dev/null")["arcs"], 3)
        self.refuse(USAGE, "gen", "planted-cycle", "--vertices", 4, "--degree", 9, says=["room for 4 arcs"])
        self.refuse(USAGE, "gen", "planted-cycle", "--vertices", 4, "--weights", "none", says=["has weights"])

    def test_weights(self):
        _, _, arcs = self.draw("grid", "--vertices", 900, "--weights", "-3,3")
        self.assertEqual({w for _, _, w in arcs}, set(range(-3, 4)))
        got, _, arcs = self.draw("grid", "--vertices", 900, "--weights", "0.5,2.0")
        self.assertEqual(got["weights"], "real")
        self.assertTrue(all(0.5 <= w <= 2 for _, _, w in arcs) and len({w for _, _, w in arcs}) == len(arcs))
        # The seed of the weights changes them alone.
        one = self.draw("regular", "--vertices", 20, "--weight-seed", "1")[2]
        two = self.draw("regular", "--vertices", 20, "--weight-seed", "2")[2]
        self.assertEqual([arc[:2] for arc in one], [arc[:2] for arc in two])
        self.assertNotEqual(one, two)
        other = self.draw("regular", "--vertices", 20, "--weight-seed", "1", "--seed", "2")[2]
        self.assertNotEqual([arc[:2] for arc in one], [arc[:2] for arc in other])
        for words in ("5", "5,1", "a,b", "1,2,3", "1,inf", "1,,2"):
            self.refuse(USAGE, "gen", "grid", "--vertices", 4, "--weights", words, says=["--weights"])
        self.refuse(USAGE, "gen", "grid", "--vertices", 4, "--weights", f"0,{2**53}", says=["2^52"])


class GraphFiles(CliTest):
    def test_formats(self):
        """The same graph, whatever it is written as."""
        sums = set()
        for name in ("g.mtx", "g.gr", "g.csv", "g.tsv", "g.txt", "g.edges", "g.npy", "plain"):
            got = self.solve("gen", "regular", "--vertices", 20, "--out", self.path(name))
            back = self.solve("apsp", self.path(name))
            self.assertEqual((back["vertices"], back["arcs"], got["arcs"]), (20, 60, 60), name)
            sums.add(back["distance_sum"])
        self.assertEqual(len(sums), 1)
        self.assertEqual(np.load(self.path("g.npy")).dtype, np.int64)
        self.solve("gen", "regular", "--vertices", 20, "--out", self.path("w.npy"), "--algebra", "max_min", "--dtype",
                   "f32")
        widths = np.load(self.path("w.npy"))
        self.assertEqual((widths.dtype, int((widths == -np.inf).sum())), (np.float32, 340))

    def test_standard_output(self):
        done = subprocess.run([harness.PROGRAM, "gen", "grid", "--vertices", "2", "--weights", "5,5"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 5\n")
        self.assertIn("standard output (Matrix Market, undirected)\n", done.stderr)
        done = subprocess.run(["bash", "-c", f"'{harness.PROGRAM}' gen grid --vertices 4 --format gr --quiet | "
                                             f"'{harness.PROGRAM}' apsp - --json"],
                              capture_output=True, text=True, check=True)
        self.assertIn('"vertices": 4, "arcs": 8', done.stdout)
        self.assertEqual(done.stderr, "")
        self.refuse(USAGE, "gen", "grid", "--vertices", 4, "--json", says=["give --out FILE"])

    def test_refusals(self):
        for arguments, words in (([], "KIND"), (["ring"], "takes one of rmat, grid, geometric, regular, planted-cycle"),
                                 (["grid"], "--vertices N or --scale S"),
                                 (["grid", "--vertices", 4, "--scale", 2], "--vertices N or --scale S"),
                                 (["grid", "--vertices", 0], "whole number from 1"),
                                 (["grid", "--vertices", "many"], "'many'"), (["grid", "--scale", 31], "from 0 to 30"),
                                 (["grid", "--vertices", 4, "--degree", 2], "not for a grid"),
                                 (["grid", "--vertices", 4, "--cycle", 2], "--cycle"),
                                 (["rmat", "--scale", 2, "--arcs", 4, "--degree", 2], "--arcs"),
                                 (["rmat", "--scale", 2, "--arcs", "-4"], "--arcs"),
                                 (["rmat", "--scale", 2, "--coordinates", self.path("p.mtx")], "no coordinates"),
                                 (["grid", "--vertices", 4, "--out", self.path("g.zip")], "g.zip"),
                                 (["grid", "--vertices", 4, "--out", self.path("g.gr.gz")], "compress it with gzip"),
                                 (["grid", "--vertices", 4, "--out", self.path("g.gr"), "--coordinates",
                                   self.path("g.gr")], "same file")):
            self.refuse(USAGE, "gen", *arguments, says=[words])
        self.refuse(BAD_INPUT, "gen", "grid", "--vertices", 1, "--out", self.path("g.csv"),
                    says=["1 have none (the first is 1)", "--lossy"])
        self.refuse(BAD_INPUT, "gen", "grid", "--vertices", 4, "--out", self.path("no/g.gr"), says=["no/g.gr"])
        self.refuse(5, "gen", "grid", "--scale", 30, "--out", self.path("g.npy"), says=["needed", "bytes"])
        self.assertEqual(os.listdir(self.folder), [])


DIGESTS = {
    "6f2cd668d8a19d7e": "rmat --scale 12",
    "d123f93059844060": "grid --vertices 100",
    "2564fc5241e57b49": "geometric --vertices 300",
    "3e9c52fe015c0b6e": "regular --vertices 100 --weights 0.5,2.0",
    "2d15982beb5088ee": "planted-cycle --vertices 100 --cycle 5",
}
