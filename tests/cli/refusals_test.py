"""Everything that must be refused: the exit code, and one line on stderr that says why."""

import gzip
import os
import subprocess
import unittest

import numpy as np

import harness
from harness import CliTest

USAGE, BAD_INPUT, DEVICE, MEMORY = 2, 3, 4, 5

#G is a graph of 34 vertices, O an output; the first line is a call without any argument.
WRONG_USAGE = """
fly
apsp
apsp G --speed
apsp G --dtype f16
apsp G --algebra min_plux
apsp G --algebra plus_times
apsp G --algebra max_times --dtype i64
apsp G --dtype bool
apsp G --method magic
apsp G --device tpu
apsp G --device cuda:x
apsp G --device cuda:
apsp G --device cuda0
gemm --size 3 --device cuda:-1
bench --suite tpu
bench --suite gpu --device cpu
bench --suite streaming --device cpu
bench --rounds 0
apsp G --threads 0
apsp G --threads many
apsp G --sources 1,99
apsp G --sources 0
apsp G --from 1
apsp G --from -1 --to 2
apsp G --from 1 --to 99
apsp G --sources 3 --from 1 --to 2
apsp G --coordinates G
path G 1
path G 1 35
path G one 2
apsp G --picture histogram
apsp G --picture pie --svg O
apsp G --picture map --svg O
apsp G --plot --json
apsp G --plot --quiet
apsp G --picture heat --coordinates G --svg O
path G 1 2 --coordinates G
path G 1 2 --picture heat --svg O
path G 1 2 --plot --json
closure
closure G --algebra plus_min
gemm
gemm G
gemm G G --size 4
gemm --shape 3x4
gemm --shape 3x4x5x6
gemm --size 3 --shape 3x4x5
gemm --size -3
gemm --size 3 --algebra plus_times --witness O
gemm --size 3 --dtype bf16
gemm --size 3 --dtype i16 --algebra plus_times
gemm --size 3 --dtype bf16 --algebra plus_times --witness O
closure G --dtype f16 --algebra plus_times
apsp G --dtype i8
"""


class Usage(CliTest):
    def test_flags(self):
        names = {"G": self.data("lagraph/karate.mtx"), "O": self.path("output")}
        for line in WRONG_USAGE.splitlines():
            arguments = [names.get(word, word) for word in line.split()]
            with self.subTest(arguments=arguments):
                self.refuse(USAGE, *arguments)

    def test_words(self):
        graph = self.data("lagraph/karate.mtx")
        self.refuse(USAGE, "apsp", graph, "--threads", "many",
                    says=["--threads", "whole number from 1 to 1024", "'many'"])
        self.refuse(USAGE, "apsp", graph, "--threads", "0", says=["whole number from 1 to 1024", "'0'"])
        for command, flag in (("apsp", "--out"), ("apsp", "--predecessors"), ("apsp", "--svg"), ("closure", "--out")):
            self.refuse(USAGE, command, graph, flag, "", says=[flag, "name of a file"])
        self.refuse(USAGE, "apsp", "", says=["FILE", "name of a file"])
        self.refuse(USAGE, "apsp", graph, "--algebra", "", says=["--algebra", "a name"])
        self.refuse(USAGE, "apsp", graph, "--coordinates", "", "--svg", self.path("m.svg"), says=["--coordinates"])
        for sources in ("1,,2", "", "1,", ",1", "1,x", "1.5"):
            self.refuse(USAGE, "apsp", graph, "--sources", sources, says=["--sources"])
        self.refuse(USAGE, "gemm", graph, graph, graph, says=["FILES: at most 2, and 3 are given"])
        nobody = self.graph([], 0, "nobody.gr")
        self.refuse(USAGE, "path", nobody, "1", "1", says=["nobody.gr has no vertices"])
        self.assertIn("130 interrupted", self.kleene("--help").out)

    def test_subcommands_that_do_not_exist(self):
        self.refuse(USAGE, "asps", "x", says=["no subcommand 'asps': did you mean kleene apsp?"])
        self.refuse(USAGE, "clousre", says=["did you mean kleene closure?"])
        self.refuse(USAGE, "comp", "bash", says=["did you mean kleene completion?"])  # by its start
        self.refuse(USAGE, "con", "x", says=["did you mean kleene convert?"])
        self.refuse(USAGE, "everything", says=["no subcommand 'everything' (there are info, apsp, path, closure, gemm"])

    def test_flags_that_do_not_exist(self):
        graph = self.data("lagraph/karate.mtx")
        for arguments, says in (
                (("apsp", "G", "--source", "1"), "kleene apsp has no flag '--source': did you mean --sources?"),
                (("apsp", "G", "--alg", "max_min"), "no flag '--alg': did you mean --algebra?"),
                (("apsp", "G", "--algo=max_min"), "no flag '--algo': did you mean --algebra?"),
                (("apsp", "G", "--dir"), "no flag '--dir': did you mean --directed?"),
                (("apsp", "G", "--layuot=matrix"), "no flag '--layuot': did you mean --layout?"),
                (("path", "G", "1", "2", "--everything"), "path has no flag '--everything' (kleene path --help)"),
                (("gemm", "G", "G", "--outt", "c.npy"), "kleene gemm has no flag '--outt': did you mean --out?"),
                (("--foo",), "kleene has no flag '--foo' (kleene --help)"),
                (("apsp", "G", "--algebra", "min-plus"), "unknown algebra 'min-plus': did you mean min_plus?"),
                (("path", "G", "1", "2", "3"), "'3' is one argument too many (kleene path --help)"),
                (("apsp", "G", "--out"), "--out takes a value, and none was given (kleene apsp --help)"),
                (("apsp", "G", "--top", "2", "--top", "3"), "--top is given twice"),
                (("apsp", "G", "--dtype", "f128"), "--dtype: takes one of f32, f64, i32, i64, bool, bf16"),
                (("apsp",), "FILE is required (kleene apsp --help)"),
                ((), "which subcommand? (kleene --help)"),
                (("gemm", "--size", "-1"), "--size: takes a whole number of at least 0, not '-1'"),
                (("gemm", "--size", "99999999999999999999"),
                 "--size: takes a whole number of at least 0, not '99999999999999999999'"),
                (("gen", "rmat", "--scale", "5", "--arcs", "99999999999999999999"),
                 "--arcs: takes a whole number of at least 0, not '99999999999999999999'"),
                (("gen", "grid", "--vertices", "4", "--coordinates", "places.csv"),
                 "--coordinates writes the Matrix Market format: call places.csv places.mtx"),
                (("bench", "--suite", "ladder", "--only", "METIS"), "--only is for --suite cpu, io, networks, gpu, "
                                                                    "closure, matrix, bits, scale, streaming, and not "
                                                                    "for ladder"),
                (("bench", "--only", "METIS"), "--only 'METIS' finds no row"),
                (("--threads", "2", "apsp", "G"), "--threads goes after its subcommand: kleene apsp --threads"),
                (("--json", "info"), "--json goes after its subcommand: kleene info --json"),
                (("bench", "--suite", "io", "--largest", "5"), "--largest is for --suite closure, scale, ladder, and "
                                                               "not for io"),
                (("gemm", "--size", "3", "--seed", "x"),
                 "--seed: takes a whole number from 0 to 18446744073709551615, not 'x'"),
                (("gemm", "--size", "3", "--seed", "-1"),
                 "--seed: takes a whole number from 0 to 18446744073709551615, not '-1'"),
                (("gen", "rmat", "--scale", "3", "--degree", "-1"), "--degree: takes a number of at least 0, not '-1'"),
                (("gen", "rmat", "--scale", "3", "--degree", "1e300"),
                 "--degree: takes a number of at most 2147483647, as --vertices does, not 1e+300"),
                (("bench", "--rounds", "0"), "--rounds: takes a whole number from 1 to 1000, not '0'"),
                (("completion", "fish"), "SHELL: takes one of bash, zsh, not 'fish'")):
            with self.subTest(arguments=arguments):
                self.refuse(USAGE, *(graph if a == "G" else a for a in arguments), says=[says])

    def test_help_has_what_is_asked_for_first(self):
        for command, first, last in (("apsp", "--sources", "--names"), ("closure", "--out", "--no-arc"),
                                     ("verify", "--sources", "--names"), ("path", "--pairs", "--names")):
            text = self.kleene(command, "--help").out
            self.assertLess(text.index(f"  {first} "), text.index(f"  {last} "), command)
        for command in ("apsp", "path"):
            self.assertIn("max_plus the longest", " ".join(self.kleene(command, "--help").out.split()))

    def test_forced_instruction_set(self):
        self.refuse(USAGE, "info", env={"KLEENE_CPU": "mmx"}, says=["mmx"])

    @unittest.skipIf(os.environ.get("KLEENE_GPU_SUITES") == "ON", "compiled in")
    def test_suites_that_are_not_compiled_in(self):
        for suite in ("gpu", "closure", "matrix", "bits", "ladder", "streaming"):
            self.refuse(USAGE, "bench", "--suite", suite, says=["-DKLEENE_BENCHES=ON"])

    def test_names_what_there_is(self):
        self.refuse(USAGE, "bench", "--suite", "tpu",
                    says=["cpu, io, networks, gpu, closure, matrix, bits, scale, ladder or streaming"])
        graph = self.data("lagraph/karate.mtx")
        self.refuse(USAGE, "apsp", graph, "--algebra", "shortest", says=["min_plus", "max_min"])
        self.refuse(USAGE, "apsp", graph, "--algebra", "max_times", "--dtype", "i64", says=["f32, f64, i32"])
        self.refuse(USAGE, "apsp", graph, "--algebra", "log_plus", says=["min_plus"])


class BadInput(CliTest):
    def test_malformed_files(self):
        names = sorted(os.listdir(self.data("malformed")))
        self.assertGreaterEqual(len(names), 8)
        for name in names:
            for command in (["apsp"], ["closure"]):
                answer = self.refuse(BAD_INPUT, *command, self.data("malformed/" + name))
                self.assertRegex(answer.err, rf"{name}:\d+: ")

    def test_line_numbers(self):
        bad = self.write("bad.gr", "c a comment\np sp 3 2\na 1 2 5\na 1 4 5\n")
        self.refuse(BAD_INPUT, "apsp", bad, says=["bad.gr:4: "])
        bad = self.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 2 x\n")
        self.refuse(BAD_INPUT, "gemm", bad, bad, says=["bad.mtx:4: "])

    def test_files(self):
        self.refuse(BAD_INPUT, "apsp", self.path("absent.mtx"), says=["absent.mtx"])
        self.refuse(BAD_INPUT, "apsp", self.folder)
        self.refuse(BAD_INPUT, "closure", self.write("empty.mtx", ""))
        graph = self.data("lagraph/karate.mtx")
        for flag in ("--out", "--predecessors", "--svg"):
            self.refuse(BAD_INPUT, "apsp", graph, flag, self.path("no/such/folder.npy"), says=["no/such/folder.npy"])
        self.refuse(BAD_INPUT, "apsp", graph, "--out", self.folder)

    def test_shapes(self):
        np.save(self.path("a.npy"), np.zeros((2, 3)))
        self.refuse(BAD_INPUT, "gemm", self.path("a.npy"), self.path("a.npy"), says=["a.npy: A is 2 x 3"])
        self.refuse(BAD_INPUT, "closure", self.path("a.npy"), says=["2 x 3"])
        self.refuse(BAD_INPUT, "apsp", self.path("a.npy"), says=["a square matrix, and this one is 2 x 3"])
        self.refuse(BAD_INPUT, "apsp", self.data("lagraph/karate.mtx"), "--svg", self.path("k.svg"), "--coordinates",
                    self.data("road/minnesota_coord.mtx"), says=["2642 x 2", "34"])
        self.assertFalse(os.path.exists(self.path("k.svg")))

    def test_values(self):
        half = self.graph([(1, 2, 0.5)], 2)
        self.refuse(BAD_INPUT, "apsp", half, "--dtype", "i32", says=["arc 1 -> 2", "0.5"])
        for weight in ("1e39", "-1e39", "1e-46"):  # f32 would have no such arc, or another weight
            real = self.write("real.mtx", f"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 {weight}\n")
            self.refuse(BAD_INPUT, "apsp", real, "--dtype", "f32", says=["real.mtx:3", weight, "3.4e38", "--dtype f64"])
            for command in (["closure", real], ["gemm", real, real]):
                self.refuse(BAD_INPUT, *command, "--dtype", "f32", says=["real.mtx:3", weight, "--dtype f64"])
            np.save(self.path("real.npy"), np.array([[0, float(weight)], [0, 0]]))
            self.refuse(BAD_INPUT, "closure", self.path("real.npy"), "--dtype", "f32", says=["(0, 1)", "--dtype f64"])
            self.solve("apsp", real, "--dtype", "f32", "--algebra", "or_and")
        np.save(self.path("nan.npy"), np.array([[0, np.nan], [0, 0]]))
        self.refuse(BAD_INPUT, "closure", self.path("nan.npy"), says=["nan.npy: element (0, 1) is NaN"])
        wide = self.graph([(1, 2, 3000000000)], 2, "wide.gr")
        self.refuse(BAD_INPUT, "apsp", wide, "--dtype", "i32", says=["3000000000"])
        for value, dtype in ((300, "i8"), (-1, "u8"), (0.5, "i8"), (70000, "f16"), (1e39, "bf16")):
            np.save(self.path("a.npy"), np.array([[1, value]]))
            np.save(self.path("b.npy"), np.array([[1], [1]]))
            self.refuse(BAD_INPUT, "gemm", self.path("a.npy"), self.path("b.npy"), "--algebra", "plus_times", "--dtype",
                        dtype, says=["a.npy", "(0, 1)", f"which {dtype} cannot hold"])
        for value in (2, -1, 0.5):
            np.save(self.path("a.npy"), np.array([[1, value]]))
            self.refuse(BAD_INPUT, "gemm", self.path("a.npy"), self.path("b.npy"), "--algebra", "or_and", "--dtype",
                        "bool", says=["a.npy", "(0, 1)", "which bool cannot hold"])
        twice = self.write("twice.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 2\n1 1 100\n1 1 100\n")
        self.refuse(BAD_INPUT, "gemm", twice, twice, "--algebra", "plus_times", "--dtype", "i8", says=["(1, 1)", "i8"])
        negative = self.graph([(1, 2, -3)], 2, "negative.gr")
        self.refuse(BAD_INPUT, "apsp", negative, "--algebra", "max_times", says=["arc 1 -> 2 has weight -3"])
        self.refuse(BAD_INPUT, "path", negative, 1, 2, "--algebra", "max_times", says=["arc 1 -> 2 has weight -3"])
        self.refuse(BAD_INPUT, "apsp", negative, "--method", "dijkstra", says=["arc 1 -> 2 has weight -3, "])
        self.assertIn("arc 1 -> 2 has weight -3, ", self.solve("apsp", negative)["reason"])
        self.assertEqual(self.solve("apsp", negative)["method"], "floyd_warshall")

    def test_lines_of_weights_that_are_refused_after_reading(self):
        """The type that was asked for, and the algebra, are known once the file is read: it is read again for them."""
        files = {
            "a.gr": ("c 1 2 3000000000\np sp 3 2\na 2 3 3000000000\na 1 2 3000000000\n", "a.gr:3: arc 2 -> 3"),
            "b.mtx": ("%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 1\n3 1 3000000000\n",
                      "b.mtx:4: arc 3 -> 1"),
            "a.csv": ("from,km,to\nHalle an der Saale,1,Ulm\n\"Ulm\",+3000000000,\"Halle an der Saale\"\nUlm,1,A\n",
                      "a.csv:3: arc Ulm -> Halle an der Saale"),
            "a.txt": ("0 1 1\n10 0 7\n1 0 3000000000\n0 10 3000000000\n", "a.txt:3: arc 1 -> 0"),
            "a.graph": ("% METIS\n3 2 001\n2 1\n1 1 3 3000000000\n%\n2 3000000000\n", "a.graph:4: arc 2 -> 3"),
            "a.gset": ("3 2\n1 2 1\n1 3 3000000000\n", "a.gset:3: arc 1 -> 3"),
            "a.graphml": ('<graphml>\n<key id="w" for="edge" attr.name="weight" attr.type="long"/>\n'
                          '<graph edgedefault="directed"><node id="x"/><node id="y"/>\n<edge source="x" target="y">\n'
                          '<data key="w">3000000000</data></edge></graph></graphml>\n', "a.graphml:4: arc x -> y"),
        }
        for name, (text, place) in files.items():
            if name == "a.graphml" and "GraphML" not in self.kleene("info").out:
                continue
            file = self.write(name, text)
            self.refuse(BAD_INPUT, "apsp", file, "--dtype", "i32", says=[place + " has weight 3000000000, which i32"])
            with gzip.open(file + ".gz", "wb") as packed:
                packed.write(text.encode())
            self.refuse(BAD_INPUT, "apsp", file + ".gz", "--dtype", "i32", says=[place.replace(":", ".gz:", 1)])
        piped = subprocess.run([harness.PROGRAM, "apsp", "/dev/stdin", "--dtype", "i32"], input=files["a.gr"][0],
                               text=True, capture_output=True, check=False)  # a pipe cannot be read twice
        self.assertEqual(piped.returncode, BAD_INPUT)
        self.assertTrue(piped.stderr.startswith("kleene: /dev/stdin: arc 2 -> 3 has weight 3000000000"), piped.stderr)
        named, names = self.path("a.gr"), self.write("names.txt", "1\n2\nUlm\n")
        self.refuse(BAD_INPUT, "apsp", named, "--names", names, "--dtype", "i32", says=["a.gr:3: arc 2 -> Ulm"])
        array = self.write("array.mtx", "%%MatrixMarket matrix array integer general\n2 2\n1\n3000000000\n1\n1\n")
        self.refuse(BAD_INPUT, "closure", array, "--dtype", "i32", says=["array.mtx:4: element (2, 1) is 3000000000"])
        self.refuse(BAD_INPUT, "closure", self.path("b.mtx"), "--dtype", "i32", says=["b.mtx:4: entry (3, 1)"])
        self.refuse(BAD_INPUT, "apsp", array, "--dtype", "i32", says=["array.mtx:4: arc 2 -> 1 has weight 3000000000"])
        skew = self.write("skew.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n%\n2 2 1\n\n2 1 0.5\n")
        self.refuse(BAD_INPUT, "apsp", skew, "--algebra", "max_times", says=["skew.mtx:5: arc 1 -> 2 has weight -0.5"])
        wide = self.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 1\n2 1 1\n")
        self.refuse(BAD_INPUT, "apsp", wide, says=["wide.mtx:2: a graph is a square matrix"])
        places = self.write("places.co", "c\np aux sp co 1\nv 1 2 3\n")
        self.refuse(BAD_INPUT, "apsp", places, says=["places.co:2: these are coordinates"])
        negative = self.write("negative.csv", "a,b,1\nb,c,-2\n")
        self.refuse(BAD_INPUT, "apsp", negative, "--algebra", "max_times", says=["negative.csv:2: arc b -> c"])

    def test_entries_outside_the_domain(self):
        """They may lose against zero(), or against a duplicate, and are refused all the same."""
        banner = "%%MatrixMarket matrix coordinate {} general\n2 2 {}\n"
        large = self.write("large.mtx", banner.format("integer", 1) + "1 2 9223372036854775807\n")
        least = self.write("least.mtx", banner.format("integer", 1) + "1 2 -2147483648\n")
        most = self.write("most.mtx", banner.format("integer", 1) + "1 2 2147483647\n")
        real = self.write("real.mtx", banner.format("real", 1) + "1 2 -3\n")
        twice = self.write("twice.mtx", banner.format("real", 2) + "1 2 -5\n1 2 3\n")
        for command in (["closure", large], ["gemm", large, large]):
            self.refuse(BAD_INPUT, *command, says=["(1, 2)", "9223372036854775807", "min_plus on i64"])
        for command in (["closure", real], ["gemm", real, real]):
            self.refuse(BAD_INPUT, *command, "--algebra", "max_times", says=["(1, 2) is -3", "max_times"])
        for command in (["apsp", twice], ["path", twice, "1", "2"]):
            self.refuse(BAD_INPUT, *command, "--algebra", "max_times", says=["arc 1 -> 2 has weight -5"])
        self.refuse(BAD_INPUT, "closure", twice, "--algebra", "max_times", says=["(1, 2) is -5"])
        for algebra, file in (("min_times", most), ("max_min", least), ("min_max", most)):
            self.refuse(BAD_INPUT, "path", file, "1", "2", "--algebra", algebra, "--dtype", "i32", says=["no path"])
            self.refuse(BAD_INPUT, "closure", file, "--algebra", algebra, "--dtype", "i32", says=["no path"])

    def test_lengths_beyond_the_type(self):
        """Each weight can be held, their sum cannot: no path is not the answer."""
        far = self.write("far.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1e308\n2 3 1e308\n")
        self.refuse(BAD_INPUT, "closure", far, "--out", self.path("o.npy"), says=["far.mtx", "from 1 to 3", "f64"])
        self.refuse(BAD_INPUT, "apsp", far, says=["far.mtx: min_plus: the distance from 1 to 3"])
        below = self.write("below.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n-inf\n1\n0\n")
        refusal = self.refuse(BAD_INPUT, "closure", below, says=["improves without end at row 2"])
        self.assertNotIn("apsp", refusal.err)  # which takes no such element
        # A product that is too small is no path, as in apsp; one that is too large is refused.
        odd = "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 2 1e-200\n2 3 1e-200\n3 4 {}\n4 4 1\n"
        small = self.write("small.mtx", odd.format("1e200"))
        self.assertEqual(self.kleene("closure", small, "--algebra", "max_times").code, 0)
        large = self.write("large.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1e200\n2 3 1e200\n")
        self.refuse(BAD_INPUT, "closure", large, "--algebra", "max_times", says=["from 1 to 3"])
        near = self.write("near.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1e308\n3 2 1e308\n")
        self.assertEqual(self.solve("closure", near)["entries"], 5)
        self.assertFalse(os.path.exists(self.path("o.npy")))


class Notes(CliTest):
    """One line on stderr where something is done, but not quite what was asked for."""

    def test_rounded_integers(self):
        graph = self.graph([(1, 2, 16777217)], 2)
        for command in (["apsp", graph], ["path", graph, "1", "2"], ["closure", graph], ["gemm", graph, graph]):
            noted = self.kleene(*command, "--dtype", "f32")
            self.assertEqual(noted.code, 0)
            self.assertRegex(noted.err, r"^kleene: note: .*graph.gr: f32 cannot hold 16777217 exactly.*\n$")
            self.assertEqual(self.kleene(*command, "--dtype", "f32", "--quiet").err, "")
            self.assertEqual(self.kleene(*command, "--dtype", "f64").err, "")
            self.assertEqual(self.kleene(*command).err, "")

    def test_threads_of_the_surroundings(self):
        graph = self.graph([(1, 2, 3)], 2)
        for asked in ("abc", "0", "-3", "1.5", "1e3"):
            noted = self.kleene("apsp", graph, "--device", "cpu", env={"OMP_NUM_THREADS": asked})
            self.assertEqual(noted.code, 0)  # an OpenMP runtime may have its say first
            said = f"kleene: note: OMP_NUM_THREADS is '{asked}', which is no number of threads, and ignored"
            self.assertEqual(noted.err.splitlines()[-1], said)
            unheard = self.kleene("apsp", graph, "--threads", "1", env={"OMP_NUM_THREADS": asked})
            self.assertEqual(unheard.code, 0)
            self.assertNotIn("kleene: note", unheard.err)


class Domains(CliTest):
    """What is refused says the file, the bounds, and what means that there is no path."""

    def test_words(self):
        negative = self.graph([(1, 2, -3)], 2)
        says = ["numbers are not negative, and 0 means no path"]
        self.refuse(BAD_INPUT, "apsp", negative, "--algebra", "max_times", says=["graph.gr:2: arc 1 -> 2", *says])
        np.save(self.path("a.npy"), np.array([[0, -3.0], [0, 0]]))
        for command in (["closure"], ["apsp"]):
            self.refuse(BAD_INPUT, *command, self.path("a.npy"), "--algebra", "max_times",
                        says=["a.npy: ", "-3", *says])
        large = self.graph([(1, 2, 2**60)], 2, "large.gr")
        self.refuse(BAD_INPUT, "apsp", large, says=["large.gr", "numbers go from -1152921504606846974 to "
                                                    "1152921504606846974, and 4611686018427387903 means no path"])
        for type, most in (("i32", 2**28 - 2), ("i64", 2**60 - 2)):
            self.assertEqual(self.solve("apsp", self.graph([(1, 2, most)], 2), "--dtype", type)["diameter"], most)
            beyond = self.graph([(1, 2, most + 1)], 2)
            self.refuse(BAD_INPUT, "apsp", beyond, "--dtype", type, says=[f"numbers go from -{most} to {most}, and "])
        np.save(self.path("b.npy"), np.array([[0, 2.0], [0, 0]]))
        self.refuse(BAD_INPUT, "closure", self.path("b.npy"), "--algebra", "or_and", says=["b.npy", "0 and 1"])


class NumPyGraphs(CliTest):
    """One door: apsp, path and closure take .npy, of int64, too."""

    def test_reals(self):
        np.save(self.path("a.npy"), np.array([[0, 1.5, np.inf], [np.inf, 0, 2], [np.inf, np.inf, 0]]))
        got = self.solve("path", self.path("a.npy"), 0, 2)
        self.assertEqual((got["path"], got["cost"], got["arcs"]), ([0, 1, 2], 3.5, 5))
        self.assertEqual(got["read_as"], "a matrix of f64, in which inf means no arc")
        self.solve("apsp", self.path("a.npy"), "--out", self.path("d.npy"))
        self.solve("closure", self.path("a.npy"), "--out", self.path("c.npy"))
        np.testing.assert_array_equal(np.load(self.path("d.npy")), np.load(self.path("c.npy")))
        self.refuse(USAGE, "apsp", self.path("a.npy"), "--undirected", says=["a.npy is no edge list (npy"])
        self.refuse(BAD_INPUT, "apsp", self.path("a.npy"), "--algebra", "max_min", says=["element (0, 2) is inf"])
        np.save(self.path("n.npy"), np.array([[0, np.nan], [1.5, 0]]))
        self.refuse(BAD_INPUT, "apsp", self.path("n.npy"), says=["n.npy: element (0, 1) is nan", "--no-arc nan"])
        self.assertEqual(self.solve("apsp", self.path("n.npy"), "--no-arc", "nan")["reachable_pairs"], 1)

    def test_int64(self):
        far = np.iinfo(np.int64).max // 2
        np.save(self.path("a.npy"), np.array([[0, 3, 9], [1, 0, 4], [9, 9, 0]]))
        for algebra in ("min_plus", "max_min", "min_max"):
            self.solve("closure", self.path("a.npy"), "--algebra", algebra, "--out", self.path("c.npy"))
            self.assertEqual(np.load(self.path("c.npy")).dtype, np.int32)
        self.assertIn("min_plus over i32 (the file's int64 fits)", self.kleene("closure", self.path("a.npy")).out)
        self.solve("gemm", self.path("a.npy"), self.path("a.npy"), "--algebra", "max_plus", "--out", self.path("c.npy"))
        self.assertEqual(np.load(self.path("c.npy"))[0].tolist(), [18, 18, 9])
        np.save(self.path("b.npy"), np.array([[0, 3, far], [far, 0, 4], [far, far, 0]]))
        got = self.solve("apsp", self.path("b.npy"))
        self.assertEqual((got["dtype"], got["reachable_pairs"], got["diameter"]), ("i32", 3, 7))
        got = self.solve("closure", self.path("b.npy"))
        self.assertEqual((got["dtype"], got["entries"]), ("i64", 6))


class Limits(CliTest):
    def test_device(self):
        graph = self.data("lagraph/karate.mtx")
        absent = f"cuda:{max([-1] + [d['ordinal'] for d in self.solve('info')['cuda']['devices']]) + 1}"
        if os.environ.get("KLEENE_GPU_SUITES") == "ON":
            for suite in ("gpu", "closure", "matrix", "bits", "scale", "ladder", "streaming"):
                self.refuse(DEVICE, "bench", "--suite", suite, "--device", absent, says=["no CUDA device"])
        for command in (["info"], ["gemm", "--size", "4"], ["apsp", graph], ["path", graph, "1", "2"],
                        ["closure", graph]):
            self.refuse(DEVICE, *command, "--device", absent, says=["no CUDA device"])
            self.assertEqual(self.kleene(*command, "--device", "auto").code, 0)

    def test_several_devices(self):
        graph = self.data("lagraph/karate.mtx")
        for wrong in ("cuda:", "cuda:0-", "cuda:2-1", "cuda:0,,1", "cuda:0-4000000000", "cuda:0,x", "cuda:-1"):
            self.refuse(USAGE, "closure", graph, "--device", wrong, says=["unknown device '" + wrong, "cuda:0-3"])
        for command in (["info"], ["path", graph, "1", "2"]):
            self.refuse(USAGE, *command, "--device", "cuda:0-2",
                        says=["names 3 devices", "apsp, closure and gemm take several"])
        self.refuse(USAGE, "gemm", "--size", "4", "--device", "cuda:0,0", "--witness", self.path("w.npy"),
                    says=["--witness is for one device"])
        for command in ("apsp", "closure"):
            self.refuse(DEVICE, command, graph, "--device", "cuda:98,99", says=["no CUDA device"])
        if not self.solve("info")["cuda"]["devices"]:
            self.refuse(DEVICE, "gemm", "--size", "4", "--device", "cuda:all", says=["there is no CUDA device"])
            return
        for algebra in ("min_plus", "max_min"):
            one = self.solve("closure", graph, "--algebra", algebra, "--device", "cuda")
            for several in ("cuda:all", "cuda:0,0,0,0"):
                got = self.solve("closure", graph, "--algebra", algebra, "--device", several)
                self.assertEqual((got["exists"], got["entries"]), (one["exists"], one["entries"]))
            one = self.solve("apsp", graph, "--algebra", algebra, "--device", "cpu")
            got = self.solve("apsp", graph, "--algebra", algebra, "--device", "cuda:0,0,0,0", "--predecessors",
                             self.path("p.npy"))
            for fact in ("distance_sum", "diameter", "reachable_pairs"):
                self.assertEqual(got[fact], one[fact])
            self.assertEqual(got["devices"], [0, 0, 0, 0])
        self.refuse(USAGE, "apsp", graph, "--device", "cuda:0,0", "--method", "dijkstra", says=["dijkstra searches"])
        self.assertEqual(self.solve("gemm", "--size", "100", "--device", "cuda:0,0")["devices"], [0, 0])

    def test_links_between_devices(self):
        self.refuse(USAGE, "info", self.data("lagraph/karate.mtx"), "--measure-links", says=["without a FILE"])
        cuda = self.solve("info", "--measure-links")["cuda"]
        devices = [d["ordinal"] for d in cuda["devices"]]
        self.assertEqual([(link["from"], link["to"]) for link in cuda["links"]],
                         [(i, j) for i in devices for j in devices if i != j])
        for link in cuda["links"]:
            self.assertGreater(link["gb_per_second"], 0)
            self.assertEqual(link["direct"], [link["to"], link["from"]] in cuda["peers"])
        self.assertNotIn("links", self.solve("info")["cuda"])

    def test_memory_that_a_small_file_promises(self):
        promise = self.write("promise.gr", "p sp 2147483647 1\na 1 2 5\n")
        if self.solve("info")["memory_available_bytes"] > 45e9:
            self.skipTest("this machine has the memory")
        for command in (["apsp", promise, "--sources", "1"], ["path", promise, "1", "2"]):
            self.refuse(MEMORY, *command, says=["2,147,483,647 vertices and 1 arc: ", "51539607580 bytes"])

    def test_memory(self):
        huge = self.write("huge.gr", "p sp 10000000 1\na 1 2 3\n")
        self.refuse(MEMORY, "apsp", huge, says=["400000000000000 bytes"])
        self.refuse(MEMORY, "apsp", huge, "--predecessors", self.path("p.npy"), says=["800000000000000 bytes"])
        self.refuse(MEMORY, "closure", huge, says=["400000000000000 bytes"])
        self.refuse(MEMORY, "gemm", "--size", 10000000, says=["1200000000000000 bytes"])
        self.refuse(MEMORY, "gemm", "--shape", "9000000000000000000x2x9000000000000000000", says=["bytes"])
        self.assertEqual(self.solve("apsp", huge, "--sources", "1")["reachable_pairs"], 1)
