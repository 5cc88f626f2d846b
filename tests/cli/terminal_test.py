"""How the program behaves towards terminals, signals and outputs that end early."""

import os
import pty
import signal
import subprocess
import time
import unittest

import numpy as np

import harness
from harness import CliTest

SLOW = {**os.environ, "KLEENE_CPU": "baseline", "OMP_NUM_THREADS": "1"}


class Terminal(CliTest):
    def big_matrix(self, n):
        rng = np.random.default_rng(1)
        np.save(self.path("big.npy"), rng.integers(1, 1000, (n, n)).astype(np.float64))
        return self.path("big.npy")

    def on_terminal(self, *arguments, stream="stderr", code=0):
        """stderr, or stdout, of a run where that is a terminal."""
        master, slave = pty.openpty()
        other = "stdout" if stream == "stderr" else "stderr"
        streams = {stream: slave, other: subprocess.PIPE}
        with subprocess.Popen([harness.PROGRAM, *arguments], env=SLOW, **streams) as process:
            os.close(slave)
            seen = b""
            while True:
                try:
                    piece = os.read(master, 4096)
                except OSError:  # the other end is closed
                    break
                if not piece:
                    break
                seen += piece
            getattr(process, other).read()
        os.close(master)
        self.assertEqual(process.returncode, code, seen)
        return seen.decode()

    def test_progress_bar(self):
        big = self.big_matrix(2700)  # short work has no bar
        seen = self.on_terminal("closure", big, "--device", "cpu")  # a GPU is done before there is a bar
        self.assertRegex(seen, r"closure \[#*\.*\] +\d+ %  [\d.]+ [GM]ops  \d+:\d\d left")
        self.assertTrue(seen.endswith("\r\x1b[K"), seen[-80:])
        for flag in ("--quiet", "--json"):
            self.assertEqual(self.on_terminal("closure", big, "--device", "cpu", flag), "")
        self.assertEqual(self.kleene("closure", big, "--device", "cpu").err, "")

    def test_results_on_a_terminal_are_text(self):
        graph = self.graph([(1, 2, 3)], 2)
        self.assertEqual(self.on_terminal("apsp", graph, "--out", "-", "--quiet", stream="stdout"),
                         "from,to,distance\r\n1,2,3\r\n")
        for command in (["gemm", "--size", "3", "--out", "-"], ["apsp", graph, "--out", "-", "--format", "npy"],
                        ["convert", graph, "-", "--format", "npy"], ["apsp", graph, "--predecessors", "-"]):
            self.assertEqual(self.on_terminal(*command, stream="stdout", code=2), "", command)

    def test_short_work_shows_no_bar(self):
        self.assertEqual(self.on_terminal("apsp", self.data("lagraph/karate.mtx")), "")


class Interrupts(Terminal):
    def test_signals_leave_nothing(self):
        big = self.big_matrix(5000)
        os.mkdir(self.path("out"))
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([harness.PROGRAM, "closure", big, "--device", "cpu", "--out", self.path("out/c.npy")],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=SLOW) as process:
                time.sleep(1)
                process.send_signal(number)
                out, err = process.communicate(timeout=20)
            self.assertEqual((process.returncode, out, err), (128 + number, b"", b""))
            self.assertEqual(os.listdir(self.path("out")), [])

    def test_signals_during_paths_leave_nothing(self):
        """The outputs are there under other names while their paths are computed."""
        graph = self.graph([(v, v % 4000 + 1, -1 if v == 1 else 2) for v in range(1, 4001)], 4000)
        os.mkdir(self.path("out"))
        command = [harness.PROGRAM, "apsp", graph, "--device", "cpu", "--out", self.path("out/d.npy"), "--predecessors",
                   self.path("out/p.npy")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=SLOW) as process:
            time.sleep(1)
            self.assertEqual(len(os.listdir(self.path("out"))), 2)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out, err), (130, b"", b""))
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_interrupted_write(self):
        """Interrupts at many moments: the output is whole or absent, and no temporary stays."""
        os.mkdir(self.path("out"))
        target = self.path("out/c.npy")
        for delay in range(24):
            with subprocess.Popen([harness.PROGRAM, "gemm", "--shape", "4000x4000x1", "--out", target],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
                time.sleep(0.02 * delay)
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=60)
            left = os.listdir(self.path("out"))
            self.assertIn(left, ([], ["c.npy"]))
            if left:
                self.assertEqual(np.load(target).shape, (4000, 4000))
                os.remove(target)


class Streams(CliTest):
    def test_reader_that_leaves(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([harness.PROGRAM, "info"], stdout=writer, stderr=subprocess.PIPE, check=False)
        os.close(writer)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(done.returncode, 128 + signal.SIGPIPE)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full here")
    def test_full_disk(self):
        for arguments in (["info"], ["--help"], ["--version"], ["gemm", "--size", "3", "--json"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([harness.PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                      check=False)
            self.assertEqual(done.returncode, 3, arguments)
            self.assertIn("No space left", done.stderr)
        answer = self.refuse(3, "gemm", "--size", "3", "--out", "/dev/full", says=["/dev/full"])
        self.assertEqual(answer.out, "")

    def test_help_and_version(self):
        for arguments in (["--help"], ["apsp", "--help"], ["bench", "--help"]):
            answer = self.kleene(*arguments)
            self.assertEqual((answer.code, answer.err), (0, ""))
            self.assertIn("--json" if len(arguments) == 2 else "apsp", answer.out)
        # A build from a checkout says which commit it is of, one from an archive the version alone.
        self.assertRegex(self.kleene("--version").out, r"^kleene \d+\.\d+\.\d+( \([0-9a-f]{10,}(-dirty)?\))?\n$")

    @unittest.skipIf(os.environ.get("KLEENE_SANITIZE"), "a sanitizer takes its time to start")
    def test_starts_at_once(self):
        """20 ms; the best of ten, since the machine may be busy."""
        best = min(self.seconds("--help") for _ in range(10))
        self.assertLess(best, 0.02)

    @staticmethod
    def seconds(*arguments):
        start = time.perf_counter()
        subprocess.run([harness.PROGRAM, *arguments], stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - start
