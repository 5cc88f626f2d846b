"""Signals at random moments of a run that writes two files. Each is the old or the new one, whole; what a run that was
killed leaves is removed by the next. KLEENE_TEST_LEVEL=1 asks for many more moments."""

import os
import random
import resource
import signal
import subprocess
import time

import harness
from harness import CliTest

LEVEL = int(os.environ.get("KLEENE_TEST_LEVEL", "0"))
ROUNDS = 2 if LEVEL == 0 else 40
OLD = b"OLD" * 1000
TIDY = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)  # these leave nothing
HARSH = (signal.SIGKILL, signal.SIGXFSZ)  # nobody can act on the first; the second is ignored


def as_in_a_shell():
    """No core files, and no signal ignored because the tests' own parent ignores it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in TIDY + (signal.SIGXFSZ,):
        signal.signal(number, signal.SIG_DFL)


class Kills(CliTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(17)
        draw, vertices = self.random.randrange, 500
        arcs = [(v, v % vertices + 1, 1 + draw(9)) for v in range(1, vertices + 1)]
        arcs += [(1 + draw(vertices), 1 + draw(vertices), 1 + draw(99)) for _ in range(10000)]
        self.graph_file = self.graph(arcs, vertices)
        self.outputs = [self.path("d.npy"), self.path("p.npy")]
        start = time.perf_counter()
        self.run_to_the_end()
        self.seconds = time.perf_counter() - start
        self.new = [self.content(path) for path in self.outputs]

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def leftovers(self):
        return [name for name in os.listdir(self.folder) if name.endswith(".part")]

    def start(self):
        return subprocess.Popen([harness.PROGRAM, "apsp", self.graph_file, "--method", "floyd_warshall", "--quiet",
                                 "--device", "cpu", "--threads", "1", "--out", self.outputs[0], "--predecessors",
                                 self.outputs[1]], stderr=subprocess.PIPE, preexec_fn=as_in_a_shell)

    def run_to_the_end(self):
        with self.start() as process:
            _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, b""))

    def killed_by(self, number):
        """One run that gets the signal at a random moment: what it left in the folder, and its exit status."""
        for path in self.outputs:
            with open(path, "wb") as file:
                file.write(OLD)
        with self.start() as process:
            time.sleep(self.random.uniform(0, 1.1 * self.seconds))
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        self.assertEqual(err, b"")
        for path, new in zip(self.outputs, self.new):
            self.assertIn(self.content(path), (OLD, new), f"{path} is damaged")
        return process.returncode

    def test_signals_that_are_acted_on(self):
        for number in TIDY:
            by_signal = -number if number in (signal.SIGQUIT, signal.SIGXCPU) else 128 + number
            for _ in range(ROUNDS):
                # Before main() has begun, the signal still does what it does by itself.
                self.assertIn(self.killed_by(number), (0, by_signal, -number))
                self.assertEqual(self.leftovers(), [])

    def test_signals_that_nobody_sees(self):
        swept = 0
        for number in HARSH:
            for _ in range(ROUNDS):
                self.assertIn(self.killed_by(number), (0, -number))
                left = self.leftovers()
                self.assertLessEqual(len(left), 2)
                if number != signal.SIGKILL:
                    self.assertEqual(left, [])
                swept += len(left)
                if left:
                    self.run_to_the_end()
                    self.assertEqual([self.content(path) for path in self.outputs], self.new)
                    self.assertEqual(self.leftovers(), [])
        if LEVEL > 0:
            self.assertGreater(swept, 0)

    def test_the_next_run_sweeps(self):
        """Killed while its temporaries are there for certain."""
        with self.start() as process:
            while process.poll() is None and len(self.leftovers()) < 2:
                time.sleep(0.001)
            process.kill()
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertEqual(len(self.leftovers()), 2)
        self.run_to_the_end()
        self.assertEqual(self.leftovers(), [])
        self.assertEqual([self.content(path) for path in self.outputs], self.new)

    def test_rivals(self):
        """Runs that write the same files at once sweep nothing of each other; one of them is the last."""
        for _ in range(ROUNDS):
            rivals = [self.start() for _ in range(3)]
            for rival in rivals:
                with rival:
                    _, err = rival.communicate(timeout=60)
                self.assertEqual((rival.returncode, err), (0, b""))
            self.assertEqual([self.content(path) for path in self.outputs], self.new)
            self.assertEqual(self.leftovers(), [])
