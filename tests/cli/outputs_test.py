"""Where results are written: closed streams, other files of the same name, links, modes, odd names, full disks."""

import json
import os
import resource
import stat
import subprocess
import xml.etree.ElementTree

import numpy as np

import harness
from harness import CliTest

USAGE, BAD_INPUT = 2, 3


class ClosedStreams(CliTest):
    """A shell's 2>&- and the like. The answer is the same, and nothing that is printed gets into it."""

    def closed(self, streams, *arguments, env=None):
        words = " ".join(f"'{word}'" for word in (harness.PROGRAM, *arguments))
        return subprocess.run(["bash", "-c", f"exec {words} {streams}"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, **(env or {})}, check=False)

    def test_results_are_whole(self):
        graph, out, expected = self.graph([(1, 2, 3), (2, 3, 4)], 3), self.path("o.npy"), self.path("expected.npy")
        self.solve("apsp", graph, "--out", expected)
        for streams in ("2>&-", ">&-", "<&-", "2>&- >&-", "<&- >&- 2>&-"):
            for method in ("dijkstra", "floyd_warshall"):
                done = self.closed(streams, "apsp", graph, "--method", method, "--explain", "--out", out)
                self.assertEqual(done.returncode, 0, (streams, done.stderr))
                np.testing.assert_array_equal(np.load(out), np.load(expected))
                with open(out, "rb") as file:
                    self.assertTrue(file.read().startswith(b"\x93NUMPY"))
                os.remove(out)
        self.closed("2>&-", "apsp", graph, "--out", out, env={"KLEENE_EXPLAIN": "1"})
        np.testing.assert_array_equal(np.load(out), np.load(expected))

    def test_answers(self):
        graph = self.graph([(1, 2, 3)], 2)
        self.assertEqual(json.loads(self.closed("2>&- <&-", "apsp", graph, "--json").stdout)["distance_sum"], 3)
        self.assertEqual(self.closed(">&-", "apsp", graph).stderr, "")
        self.assertEqual(self.closed("2>&-", "apsp", self.path("absent.gr")).returncode, BAD_INPUT)
        refused = self.closed(">&- <&-", "apsp", self.path("absent.gr"))
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (BAD_INPUT, 1))

    def test_results_are_not_lost(self):
        graph = self.graph([(1, 2, 3)], 2)
        for flags in (["--out", "-", "--quiet"], ["--json"]):
            lost = self.closed(">&-", "apsp", graph, *flags)
            self.assertEqual((lost.returncode, lost.stderr),
                             (BAD_INPUT, "kleene: cannot write to standard output: it is closed\n"))


class StandardOutput(CliTest):
    """An output named - , and what else may not be printed then."""

    def piped(self, *arguments):
        done = subprocess.run([harness.PROGRAM, *arguments], capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_dash(self):
        graph, file = self.graph([(1, 2, 3), (2, 3, 4)], 3), self.path("o.npy")
        self.solve("apsp", graph, "--out", file)
        for name in ("-", "/dev/stdout"):
            code, out, err = self.piped("apsp", graph, "--out", name, "--quiet")
            self.assertEqual((code, err), (0, b""))
            with open(file, "rb") as expected:
                self.assertEqual(out, expected.read())
            code, out, err = self.piped("apsp", graph, "--out", name)  # what is said goes where it is in nobody's way
            with open(file, "rb") as expected:
                self.assertEqual((code, out), (0, expected.read()))
            self.assertIn(b"reachable   3 of 6 pairs\n", err)
            code, out, err = self.piped("apsp", graph, "--out", name, "--json")
            self.assertEqual((code, out), (USAGE, b""))
            self.assertIn(b"standard output", err)
            for said in ([], ["--quiet"]):
                code, out, _ = self.piped("apsp", graph, "--out", name, "--predecessors", "-", *said)
                self.assertEqual((code, out), (USAGE, b""))
        code, out, err = self.piped("closure", graph, "--out", "-", "--format", "csv")
        self.assertEqual((code, out), (0, b"from,to,value\n1,1,0\n1,2,3\n1,3,7\n2,2,0\n2,3,4\n3,3,0\n"))
        self.assertIn(b"6 of 9 elements", err)
        self.assertFalse(os.path.exists("-"))

    def test_a_file_that_goes_on(self):
        """Where standard output is a file, what it holds stays, and what comes later follows."""
        graph, file, log = self.graph([(1, 2, 3)], 2), self.path("o.npy"), self.path("log")
        self.solve("apsp", graph, "--out", file)
        with open(file, "rb") as whole:
            npy = whole.read()
        for name in ("-", "/dev/stdout"):
            run = f"'{harness.PROGRAM}' apsp '{graph}' --out {name} --quiet"
            subprocess.run(["bash", "-c", f"(echo first; {run} && {run}; echo last) > '{log}'"], check=True)
            with open(log, "rb") as got:
                self.assertEqual(got.read(), b"first\n" + npy + npy + b"last\n")
            subprocess.run(["bash", "-c", f"echo more > '{log}'; {run} >> '{log}'"], check=True)
            with open(log, "rb") as got:
                self.assertEqual(got.read(), b"more\n" + npy)
            done = subprocess.run(["bash", "-c", f"{run} >&-"], capture_output=True, check=False)
            self.assertIn(done.returncode, (0, BAD_INPUT))
        self.refuse(USAGE, "apsp", graph, "--out", "-", "--json", says=["standard output"])

    def test_dash_to_null(self):
        graph = self.graph([(1, 2, 3)], 2)
        self.assertEqual(self.kleene("apsp", graph, "--out", "/dev/null").code, 0)


class Targets(CliTest):
    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_mode_stays(self):
        graph, out = self.graph([(1, 2, 3)], 2), self.write("o.npy", "old")
        for mode in (0o600, 0o664, 0o755):
            os.chmod(out, mode)
            self.solve("apsp", graph, "--out", out)
            self.assertEqual(stat.S_IMODE(os.stat(out).st_mode), mode)
            self.assertEqual(np.load(out).shape, (2, 2))

    def test_links(self):
        graph = self.graph([(1, 2, 3)], 2)
        os.symlink("later.npy", self.path("link"))
        self.solve("apsp", graph, "--out", self.path("link"))
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(np.load(self.path("later.npy")).shape, (2, 2))
        os.symlink("circle", self.path("circle"))
        self.refuse(BAD_INPUT, "apsp", graph, "--out", self.path("circle"), says=["circle: Too many levels"])
        self.assertTrue(os.path.islink(self.path("circle")))

    def test_long_names(self):
        for length in (236, 255):
            out = self.path("n" * length)
            self.solve("gemm", "--size", 3, "--out", out)
            self.assertEqual(np.load(out).shape, (3, 3))
        self.refuse(BAD_INPUT, "gemm", "--size", "3", "--out", self.path("n" * 256), says=["File name too long"])
        self.assertEqual(len(os.listdir(self.folder)), 2)

    def test_a_file_that_may_not_grow(self):
        out = self.write("o.npy", "old")
        limits = (1 << 16, 1 << 16)
        says = f"kleene: cannot write {out}: File too large\n"
        for command in (["gemm", "--shape", "1000x1000x1"], ["apsp", self.data("road/minnesota.mtx")]):
            done = subprocess.run([harness.PROGRAM, *command, "--out", out], capture_output=True, text=True,
                                  check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits))
            self.assertEqual((done.returncode, done.stderr), (BAD_INPUT, says))
            self.assertEqual(self.content("o.npy"), b"old")
        self.assertEqual(os.listdir(self.folder), ["o.npy"])

    def test_one_file_for_two(self):
        """Refused before any work: what was written first, or is read, would be lost."""
        graph = self.graph([(1, 2, 3), (2, 1, 4)], 2)
        same, other = self.write("same", "old"), self.path("later")
        places = self.write("places.co", "p aux sp co 2\nv 1 0 0\nv 2 1 1\n")
        np.save(self.path("a.npy"), np.eye(2))
        matrix = self.path("a.npy")
        os.symlink("same", self.path("link"))
        os.link(same, self.path("hard"))
        os.symlink("later", self.path("dangling"))
        os.symlink("graph.gr", self.path("to_graph"))
        content = {name: self.content(name) for name in ("same", "graph.gr", "places.co", "a.npy")}
        apsp = ["apsp", graph]
        for arguments, flags in (
                ([*apsp, "--out", same, "--predecessors", same], ["--predecessors", "--out"]),
                ([*apsp, "--out", same, "--predecessors", self.path("link")], ["--predecessors", "--out"]),
                ([*apsp, "--out", self.path("hard"), "--svg", same], ["--svg", "--out"]),
                ([*apsp, "--out", other, "--predecessors", self.path("./later")], ["--predecessors", "--out"]),
                ([*apsp, "--predecessors", other, "--svg", self.path("dangling")], ["--svg", "--predecessors"]),
                ([*apsp, "--out", graph], ["--out", "FILE"]),
                ([*apsp, "--predecessors", self.path("to_graph")], ["--predecessors", "FILE"]),
                ([*apsp, "--svg", places, "--coordinates", places], ["--svg", "--coordinates"]),
                (["path", graph, "1", "2", "--svg", graph, "--coordinates", places], ["--svg", "FILE"]),
                (["path", graph, "1", "2", "--svg", places, "--coordinates", places], ["--svg", "--coordinates"]),
                (["closure", matrix, "--out", matrix], ["--out", "FILE"]),
                (["gemm", matrix, graph, "--out", matrix], ["--out", "FILES"]),
                (["gemm", graph, matrix, "--out", matrix], ["--out", "FILES"]),
                (["gemm", "--size", "2", "--out", same, "--witness", same], ["--witness", "--out"])):
            with self.subTest(arguments=arguments):
                self.refuse(USAGE, *arguments, says=[*flags, "same file"])
        for name, was in content.items():
            self.assertEqual(self.content(name), was)
        self.assertFalse(os.path.exists(other))
        self.solve("apsp", graph, "--out", "/dev/null", "--predecessors", "/dev/null")

    def test_one_file_for_results_and_stdout(self):
        graph, out = self.graph([(1, 2, 3)], 2), self.path("o.npy")
        for flags, code in (([], USAGE), (["--json"], USAGE), (["--quiet"], 0)):
            with open(out, "w", encoding="ascii") as file:
                done = subprocess.run([harness.PROGRAM, "apsp", graph, "--out", out, *flags], stdout=file,
                                      stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(np.load(out).shape, (2, 2))


class OddNames(CliTest):
    """File names are bytes; what is printed and drawn is UTF-8 all the same."""

    def test_json_and_svg(self):
        for name, shown in ((b"caf\xe9 \xff.gr", "caf\\xe9 \\xff.gr"), ("größe €𝄞.gr".encode(), "größe €𝄞.gr"),
                            (b"\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80.gr", r"\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80.gr"),
                            (b"cut\xe2\x82.gr", r"cut\xe2\x82.gr"), (b"no\xef\xbf\xbf.gr", r"no\xef\xbf\xbf.gr"),
                            (b"\"quoted\"\\<&>\t.gr", "\"quoted\"\\<&>\t.gr")):
            path, svg = os.path.join(os.fsencode(self.folder), name), self.path("k.svg")
            with open(path, "w", encoding="ascii") as file:
                file.write("p sp 2 1\na 1 2 3\n")
            for command in (["apsp", path, "--svg", svg], ["path", path, "1", "2"], ["closure", path]):
                done = subprocess.run([harness.PROGRAM, *command, "--json"], capture_output=True, check=True)
                self.assertEqual(json.loads(done.stdout.decode())["file"], os.path.join(self.folder, shown))
            title = next(xml.etree.ElementTree.parse(svg).getroot().iter("{http://www.w3.org/2000/svg}title")).text
            self.assertTrue(title.startswith(shown[:-3].replace("\t", " ") + ": all distances"), title)

    def test_sums_beyond_all_numbers(self):
        got = self.solve("apsp", self.graph([(1, 2, 1e308), (3, 2, 1.5e308)], 3))
        self.assertEqual((got["reachable_pairs"], got["diameter"], got["distance_sum"]), (2, 1.5e308, None))
