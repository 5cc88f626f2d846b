"""What answers, helps and refusals say: in words of the algebra, and with the place of what is wrong."""

import gzip
import os
import re
import shlex
import subprocess

import numpy as np

import harness
from harness import CliTest

USAGE, BAD_INPUT, MEMORY = 2, 3, 5
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Answers(CliTest):
    def text(self, *arguments):
        answer = self.kleene(*arguments)
        self.assertEqual((answer.code, answer.err), (0, ""), arguments)
        return answer.out

    def test_components(self):
        parts = self.graph([(1, 2, 0), (2, 3, 0), (3, 1, 0), (4, 5, 0), (5, 4, 0), (3, 4, 0)], 6)
        strong = "3 groups in which all vertices reach each other, with 3, 2 and 1 vertices\n"
        self.assertIn("components  " + strong, self.text("apsp", parts, "--algebra", "or_and"))
        info = self.text("info", parts)
        self.assertIn("components  2 parts that no arc joins, with 5 and 1 vertices\n", info)
        self.assertIn("strong      " + strong, info)
        chain = self.text("info", self.graph([(v, v + 1, 1) for v in range(1, 12)], 12))
        self.assertIn("components  1: the arcs, taken both ways, join all vertices\n", chain)
        self.assertIn("strong      12 groups of one vertex each: no two reach each other both ways\n", chain)
        self.assertIn("components  3 parts of one vertex each\n", self.text("info", self.graph([], 3)))
        circles = self.graph([arc for v in range(1, 20, 2) for arc in ((v, v + 1, 1), (v + 1, v, 1))], 20)
        self.assertIn("10 groups in which all vertices reach each other, the largest with 2, 2, 2, 2, 2, 2, 2, 2, ... "
                      "vertices\n", self.text("info", circles))
        self.assertIn("components  1: the edges join all vertices\n",
                      self.text("info", self.data("lagraph/karate.mtx")))

    def test_one(self):
        one, two = self.graph([(1, 1, 2)], 1, "one.gr"), self.graph([(1, 2, 2)], 2, "two.gr")
        both = self.text("apsp", one, two)
        self.assertIn("one.gr: 1 vertex, 1 arc\n", both)
        self.assertIn("            1 pair has a path, the farthest 2; ", both)
        self.assertIn("closure     1 of 1 element has a path, 0 have none\n", self.text("closure", one))
        self.assertRegex(self.text("info", self.write("loop.csv", "a,a,1\n")), "read as .*, 1 vertex by name")
        self.assertIn("closure     1 vertex, ", self.text("model", "--vertices", 1))
        self.assertIn("product     1 x 1 from 1 term each\n", self.text("gemm", "--size", 1))
        self.assertIn("product     1 x 2 from 1,024 terms each\n", self.text("gemm", "--shape", "1x2x1024"))
        self.assertIn("median of 1 round\n",
                      self.text("bench", "--suite", "io", "--rounds", 1, "--only", "METIS"))
        few = self.text("bench", "--rounds", 1, "--only", "batch of gemm min_plus f32, n = 16")
        self.assertIn("batch of gemm min_plus f32, n = 16, 1 thread ", few)
        self.assertNotIn("closure", few)

    def test_info_of_the_build(self):
        text = self.text("info")
        self.assertNotRegex(text, r"[ \t]\n")
        rows = dict(line.split(None, 1) for line in text[text.index("\n\nalgebra") + 2:].splitlines())
        if len(rows) > 4:  # all algebras are compiled
            self.assertEqual(rows["plus_times"], "f32 f64 i32; products also bf16 f16 i8 u8")
            self.assertNotIn("products", rows["max_plus"])
        if "mpirun      one" in text:
            self.assertIn("\nmpirun      one process only: this build is without MPI\n", text)

    def test_coordinates_are_called_so(self):
        places = self.write("p.co", "p aux sp co 2\nv 1 10 20\nv 2 30 -40\n")
        self.assertIn("coordinates 2 vertices\n", self.text("info", places))
        self.assertEqual(self.solve("info", places)["kind"], "places")
        self.assertIn("Graph, matrix or coordinates", self.kleene("info", "--help").out)

    def test_one_name_of_a_format(self):
        edges = self.write("e.csv", "# Undirected\n1,2\n")
        written = self.text("convert", edges, self.path("o.col"), "--lossy")
        self.assertIn("(DIMACS edges)", written)
        self.assertIn("(DIMACS edges)", self.text("info", self.path("o.col")))

    def test_pairs_by_algebra(self):
        graph = self.graph([(1, 2, 3), (2, 3, 4)], 3)
        words = {"min_plus": ("diameter", "nearest", "farthest"), "max_plus": ("longest", "longest", "shortest"),
                 "max_min": ("narrowest", "widest", "narrowest"), "min_max": ("worst", "best", "worst")}
        for algebra, (last, best, worst) in words.items():
            lines = self.text("apsp", graph, "--algebra", algebra, "--top", 1).splitlines()
            labels = [line.split()[0] for line in lines if " from " in line]
            self.assertEqual(labels, [last, best, worst], algebra)
        odds = self.write("odds.csv", "a,b,0.5\nb,c,0.25\n")
        likely = self.text("apsp", odds, "--algebra", "max_times", "--top", 1)
        self.assertIn("likeliest   0.5 from a to b\nunlikeliest 0.125 from a to c\n", likely)
        self.text("apsp", graph, "--algebra", "max_min", "--svg", self.path("h.svg"))
        with open(self.path("h.svg"), encoding="utf-8") as picture:
            drawn = picture.read()
        self.assertIn("the narrowest pair is", drawn)
        self.assertNotIn("distance", drawn)

    def test_no_route(self):
        graph = self.graph([(1, 2, 3)], 3)
        self.assertIn("route       1 cannot be reached from 2\n", self.text("apsp", graph, "--from", 2, "--to", 1))
        got = self.solve("apsp", graph, "--from", 2, "--to", 1)
        self.assertEqual((got["route"], got["route_cost"]), ([], None))
        self.assertNotIn("route", self.solve("apsp", graph))

    def test_closures_count_paths(self):
        """0 is a length, and no path is none."""
        graph = self.graph([(1, 2, 0), (2, 3, 4)], 3)
        for algebra in ("min_plus", "max_min", "or_and"):
            self.assertIn("closure     6 of 9 elements have a path, 3 have none\n",
                          self.text("closure", graph, "--algebra", algebra))
        sums = self.write("sums.csv", "a,b,0.5\nb,c,0.25\n")
        self.assertIn("closure     6 of 9 elements are other than 0\n",
                      self.text("closure", sums, "--algebra", "plus_times"))
        self.assertIn("closure     6 of 9 elements are other than -inf\n",
                      self.text("closure", sums, "--algebra", "log_plus"))

    def test_memory(self):
        refused = self.refuse(MEMORY, "apsp", self.graph([], 1000000))
        self.assertRegex(refused.err, r"^kleene: 1000000 x 1000000 distances in i32: 3\.64 TiB of memory are needed "
                                      r"\(4000000000000 bytes\), and .* are available; --sources computes only some")

    def test_method(self):
        text = self.text("apsp", self.graph([(1, 2, 3)], 2), "--method", "dijkstra")
        self.assertIn("method      dijkstra, a search from each source: as asked\n", text)
        text = self.text("apsp", self.graph([(1, 2, 3)], 2), "--method", "hierarchy")
        self.assertIn("method      hierarchy, sixteen sources at a time: as asked\n", text)
        small = self.text("apsp", self.graph([(1, 2, 3)], 2), "--device", "cpu")
        self.assertIn(": the graph is so small that either method takes less than 1 ms\n", small)
        negative = self.text("apsp", self.graph([(1, 2, -3)], 2), "--device", "cpu")
        self.assertIn("method      floyd_warshall, all pairs at once: the arc 1 -> 2 has weight -3, and dijkstra takes "
                      "none that makes a path better\n", negative)
        road = self.text("apsp", self.data("road/minnesota.mtx"), "--device", "cpu")
        self.assertRegex(road, "method .*: by estimate (about|less).* of one core, and (dijkstra|floyd_warshall) about")

    def test_lossy(self):
        net = self.write("net.csv", "a,b,1\nb,c,2\n")
        names = "the names of 3 vertices (numbered from 1 to 3 here)"
        self.assertIn(f"left out    {names}\n", self.text("convert", net, self.path("o.mtx"), "--lossy"))
        self.assertEqual(self.solve("convert", net, self.path("o.gr"), "--lossy")["left_out"], [names])
        self.assertIn("left out    nothing", self.text("convert", net, self.path("o.csv"), "--lossy"))
        self.assertNotIn("left_out", self.solve("convert", net, self.path("o.csv")))
        lonely = self.graph([(2, 4, 5), (2, 4, 6)], 4)
        self.assertIn("left out    2 vertices without an arc (the first is 1)\n",
                      self.text("convert", lonely, self.path("o.tsv"), "--lossy"))
        self.assertIn("left out    1 arc beside a better one of the same ends\n",
                      self.text("convert", lonely, self.path("o.npy"), "--lossy"))
        self.assertIn("left out    the names of 3 vertices (numbered from 1 to 3 here); the weights\n",
                      self.text("convert", net, self.path("o.col"), "--undirected", "--lossy"))
        self.assertIn("left out    nothing", self.text("gen", "grid", "--vertices", 4, "--out", self.path("g.csv"),
                                                       "--lossy"))

    def test_help(self):
        for command in ("apsp", "path"):
            self.assertRegex(self.kleene(command, "--help").out, r"FILE .*\(\.npy, \.npz, \.mtx")
        for command in ("gen", "convert"):
            self.assertIn(".txt, .edges, ", self.kleene(command, "--help").out)
        has_parquet = "no Parquet" not in self.kleene("info").out
        refused = self.refuse(USAGE, "convert", self.graph([], 1), self.path("o.xlsx"), says=[".edges", ".metis"])
        for words in [refused.err] + [self.kleene(command, "--help").out for command in ("gen", "convert")]:
            self.assertEqual("parquet" in words, has_parquet, words)
        absent = " ".join(self.kleene("apsp", "--help").out.split())
        self.assertIn("What is written where there is no path: inf, max (the largest number of the type) or -1", absent)


class Refusals(CliTest):
    def test_shapes_have_a_place(self):
        np.save(self.path("wide.npy"), np.zeros((2, 3)))
        np.savez(self.path("wide.npz"), np.zeros((2, 3)))
        self.write("wide.mtx", "%%MatrixMarket matrix array real general\n% wide\n2 1\n1\n2\n")
        self.write("list.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 3\n")
        for name, place in (("wide.npy", "wide.npy: "), ("wide.npz", "wide.npz (arr_0.npy): "),
                            ("wide.mtx", "wide.mtx:3: "), ("list.mtx", "list.mtx:2: ")):
            self.refuse(BAD_INPUT, "apsp", self.path(name), says=[place + "a graph is a square matrix"])
            self.refuse(BAD_INPUT, "closure", self.path(name), says=[place + "a closure needs a square matrix"])
        self.refuse(BAD_INPUT, "gemm", self.path("wide.npy"), self.path("wide.npz"),
                    says=["wide.npy: A is 2 x 3, and B (", "wide.npz) is 2 x 3: a product needs"])

    def test_columns_that_have_to_be_said(self):
        """The example of docs/formats.md."""
        lines = self.write("lines.csv", "route,boards,alights,toll\nR1,Ulm,Bonn,5\nR2,Bonn,Fulda,6\n")
        self.refuse(BAD_INPUT, "path", lines, "Ulm", "Fulda", says=["do not say which two columns are the ends"])
        self.assertEqual(self.solve("path", lines, "Ulm", "Fulda", "--columns", "boards,alights,toll")["cost"], 11)

    def test_products_go_by_numbers(self):
        names = self.write("names.csv", "from,to\nA,B\n")
        self.refuse(BAD_INPUT, "gemm", names, self.graph([], 2), says=[
            "(kleene convert writes .npy, --write-names the names of its vertices)"])

    def test_problems_that_are_no_graphs(self):
        clauses = self.write("z.cnf", "p cnf 2 1\n1 2 0\n")
        factors = self.write("z.uai", "MARKOV\n1\n2\n1\n1 0\n2 1 2\n")
        for command in (("info",), ("apsp",), ("closure",)):
            self.refuse(BAD_INPUT, *command, clauses, says=["z.cnf:1: clauses, no graph: kleene solve sat reads it\n"])
            self.refuse(BAD_INPUT, *command, factors,
                        says=["z.uai:1: a factor graph, no graph: kleene solve factors reads it\n"])

    def test_flags_that_contradict_each_other(self):
        graph = self.graph([(1, 2, 3)], 2)
        for method in ("dijkstra", "hierarchy"):
            self.refuse(USAGE, "apsp", graph, "--checkpoint", self.path("run"), "--method", method,
                        says=[f"--checkpoint goes without --method {method}: what it saves is of all pairs at once"])
        self.refuse(USAGE, "apsp", graph, "--slack", self.path("s.csv"), says=[
            "--slack says by how much each vertex may be late without making the longest path longer"])

    def test_damaged_magic(self):
        with open(self.path("bad.npy"), "wb") as file:
            file.write(b"\x93NUMPX\x01\x00v\x00")
        for command in ("apsp", "closure", "info"):
            self.refuse(BAD_INPUT, command, self.path("bad.npy"),
                        says=["bad.npy: at byte 0: no npy file: it does not start with \\x93NUMPY"])

    def test_nan_has_a_place(self):
        np.save(self.path("nan.npy"), np.array([[0, 1], [np.nan, 2]]))
        self.refuse(BAD_INPUT, "convert", self.path("nan.npy"), self.path("o.mtx"),
                    says=["nan.npy: element (1, 0) is NaN, which Matrix Market does not have"])
        self.assertFalse(os.path.exists(self.path("o.mtx")))

    def test_formats_that_are_not_read(self):
        texts = {"GEXF": '<?xml version="1.0"?>\n<gexf>\n', "Pajek": "*Vertices 2\n1 a\n2 b\n*Arcs\n1 2\n",
                 "GML": "graph [\n  directed 1\n]\n", "TGF": "1 A\n2 B\n#\n1 2\n", "XML": "<roads>\n</roads>\n",
                 "TSPLIB": "NAME : x\nTYPE : TSP\nDIMENSION : 3\n",
                 "a list of neighbours for each vertex": "a b c d\nb\nc a\nd a b\n"}
        for name, text in texts.items():
            for command in ("apsp", "info"):
                self.refuse(BAD_INPUT, command, self.write("f.txt", text),
                            says=["f.txt:", f": {name}", " is not read: save the graph as GraphML, or as an edge list"])

    def test_compressed_twice(self):
        with open(self.path("g.gr.gz"), "wb") as file:
            file.write(gzip.compress(gzip.compress(b"p sp 2 1\na 1 2 3\n")))
        self.refuse(BAD_INPUT, "apsp", self.path("g.gr.gz"), says=["g.gr.gz: compressed twice, by gzip and inside it"])

    def test_flags_of_other_programs(self):
        graph = self.data("lagraph/karate.mtx")
        for arguments, says in (
                (("path", graph, "--from", "1"), "no flag '--from': FROM and TO are given without flags"),
                (("apsp", graph, "--sep", "tab"), "no flag '--sep': did you mean --separator?"),
                (("apsp", graph, "--delimiter=tab"), "no flag '--delimiter': did you mean --separator?"),
                (("gemm", graph), "gemm takes two files, A and B (kleene gemm --help)"),
                (("apsp", graph, "--svg", "x.png"), "--svg writes SVG: call x.png x.svg"),
                (("path", graph, "1", "2", "--svg", "x.png"), "call x.png x.svg")):
            with self.subTest(arguments=arguments):
                self.refuse(USAGE, *arguments, says=[says])

    def test_help_of_a_subcommand(self):
        answer = self.kleene("help", "apsp")
        self.assertEqual((answer.code, answer.err), (0, ""))
        self.assertIn("--predecessors", answer.out)
        self.assertEqual(answer.out, self.kleene("apsp", "--help").out)
        self.refuse(USAGE, "help", "apps", says=["there is no subcommand 'apps': did you mean kleene apsp?"])

    def test_nearest_names(self):
        net = self.write("net.csv", "A,B,1\nB,Cologne,2\n")
        self.assertNotIn("nearest", self.refuse(USAGE, "path", net, "X", "B", says=["no vertex 'X'"]).err)
        self.refuse(USAGE, "path", net, "b", "A", says=["the nearest name is 'B'"])
        self.refuse(USAGE, "path", net, "A", "Colonge", says=["the nearest name is 'Cologne'"])


class Squares(CliTest):
    def test_a_file_times_itself(self):
        net, out = self.write("net.csv", "a,b,1\nb,c,2\n"), self.path("c.npy")
        expected = np.full((3, 3), np.iinfo(np.int32).max // 2, dtype=np.int32)
        expected[0, 2] = 3
        for other in (net, os.path.join(self.folder, ".", "net.csv")):
            self.solve("gemm", net, other, "--out", out)
            np.testing.assert_array_equal(np.load(out), expected)
        with open(net, "rb") as pipe:
            done = subprocess.run([harness.PROGRAM, "gemm", "-", "-", "--out", out, "--quiet"], stdin=pipe,
                                  capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        np.testing.assert_array_equal(np.load(out), expected)
        done = subprocess.run(["bash", "-c", f"cat '{net}' | '{harness.PROGRAM}' gemm - - --out '{out}' --quiet"],
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.refuse(BAD_INPUT, "gemm", net, self.write("copy.csv", "a,b,1\nb,c,2\n"),
                    says=["net.csv: its vertices have names"])


class Documents(CliTest):
    def page(self, name):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            return file.read()

    def test_commands_of_the_readme(self):
        os.symlink(os.path.abspath(self.data("")), self.path("data"))  # what the clone has is enough
        commands = re.findall(r"^kleene (.*?) *#", self.page("README.md"), re.MULTILINE)
        self.assertEqual(len(commands), 12)
        for command in commands:
            if "cuda" not in command and "--resume" not in command and not command.startswith("bench"):
                done = subprocess.run([harness.PROGRAM, *shlex.split(command)], cwd=self.folder, capture_output=True,
                                      text=True, timeout=300, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        distances = np.load(self.path("d.npy"))
        self.assertEqual((np.isfinite(distances).sum() - 2642, round(distances[0, 2623], 3)), (6966962, 846.408))

    def test_the_map(self):
        """README shows what the demo draws."""
        self.solve("apsp", self.data("road/minnesota_km.mtx"), "--device", "cpu", "--method", "dijkstra",
                   "--unit", "km", "--coordinates", self.data("road/minnesota_coord.mtx"),
                   "--svg", self.path("map.svg"))
        with open(self.path("map.svg"), encoding="utf-8") as drawn:
            self.assertEqual(drawn.read(), self.page("docs/minnesota.svg"))

    def test_flags_are_there(self):
        commands = re.findall(r"^  (\w+)  ", self.kleene("--help").out, re.MULTILINE)
        self.assertIn("solve", commands)
        known = {"--help", "--cflags", "--libs"}  # the last two are pkg-config's
        for command in commands:
            known.update(re.findall(r"--[a-z][a-z-]+", self.kleene(command, "--help").out))
        for name in ("README.md", "docs/cookbook.md", "docs/formats.md", "docs/networks.md"):
            self.assertEqual(set(re.findall(r"--[a-z][a-z-]+", self.page(name))) - known, set(), name)
