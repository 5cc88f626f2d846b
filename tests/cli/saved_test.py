"""kleene apsp --checkpoint: runs that are killed and go on by --resume."""

import fcntl
import os
import random
import re
import signal
import subprocess
import time

import harness
import numpy as np
from harness import CliTest
from kill_test import LEVEL
from processes_test import MANY, ProcessesTest

KILLS = 10 if LEVEL == 0 else 100
USAGE, BAD_INPUT = 2, 3


class Saved(CliTest):
    def setUp(self):
        super().setUp()
        draw, vertices = random.Random(3).randrange, 900
        arcs = [(v, v % vertices + 1, 1 + draw(9)) for v in range(1, vertices + 1)]
        arcs += [(1 + draw(vertices), 1 + draw(vertices), 1 + draw(999)) for _ in range(5 * vertices)]
        self.arcs, self.vertices = arcs, vertices
        self.roads = self.graph(arcs, vertices)
        self.run_folder = self.path("run")
        self.first = ["apsp", "graph.gr", "--device", "cpu", "--threads", "1", "--out", "d.npy", "--predecessors",
                      "p.npy", "--every", "0", "--checkpoint", "run", "--quiet"]
        self.again = ["apsp", "--resume", "run", "--quiet"]

    def here(self, *arguments):
        done = subprocess.run([harness.PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False,
                              cwd=self.folder)
        return done.returncode, done.stderr

    def killed(self, command, seconds, environment=None):
        """Whether the command was still there after so many seconds; it is killed then."""
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment, start_new_session=True) as process:
            try:
                process.wait(timeout=seconds)
                return False
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return True

    def saved_run(self):
        """A folder of a run that was killed when it had saved something."""
        with subprocess.Popen([harness.PROGRAM, *self.first], cwd=self.folder) as process:
            while process.poll() is None and not os.path.exists(os.path.join(self.run_folder, "checkpoint")):
                time.sleep(0.0005)
            process.kill()
            process.wait()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertFalse(os.path.exists(self.path("d.npy")))

    def answers(self):
        return np.load(self.path("d.npy")), np.load(self.path("p.npy"))

    def test_a_run_that_ends_leaves_nothing(self):
        self.assertEqual(self.here(*self.first), (0, ""))
        self.assertEqual(os.listdir(self.run_folder), [])
        self.assertEqual(self.here(*self.again), (BAD_INPUT, "kleene: run: no run is saved here: --checkpoint FOLDER "
                                                             "saves one, until it has ended\n"))

    def test_refused_runs_leave_nothing(self):
        """What is wrong with the input or the flags is said before the run begins: there is nothing to go on with."""
        for words in (["absent.csv"], ["graph.gr", "--method", "dijkstra"], ["graph.gr", "--sources", "901"],
                      ["graph.gr", "--within", "3"]):
            code, err = self.here("apsp", *words, "--checkpoint", "run")
            self.assertIn(code, (USAGE, BAD_INPUT), err)
            self.assertFalse(os.path.exists(self.run_folder), words)
        os.mkdir(self.run_folder)
        self.assertEqual(self.here("apsp", "absent.csv", "--checkpoint", "run")[0], BAD_INPUT)
        self.assertEqual(os.listdir(self.run_folder), [])  # ours or not, it was there
        if not self.solve("info")["cuda"]["devices"]:
            os.rmdir(self.run_folder)
            self.assertNotEqual(self.here("apsp", "graph.gr", "--device", "cuda", "--checkpoint", "run")[0], 0)
            self.assertFalse(os.path.exists(self.run_folder))

    def test_files_of_others_stay(self):
        """A folder's files that are called as those of a checkpoint, and are not its own."""
        os.mkdir(self.run_folder)
        replaced = "a checkpoint would replace this file"
        for name, refusal in (("values-1.npy", replaced), ("predecessors-12.npy", replaced),
                              ("command", "is not what --checkpoint writes under that name")):
            other = os.path.join(self.run_folder, name)
            with open(other, "w", encoding="utf-8") as file:
                file.write("somebody's")
            code, err = self.here(*self.first)
            self.assertEqual(code, BAD_INPUT)
            self.assertIn(f"run/{name}: {refusal}", err)
            with open(other, encoding="utf-8") as file:
                self.assertEqual(file.read(), "somebody's")
            os.remove(other)
        for name in ("values-1.npy", "command", "checkpoint", "predecessors-3.npy.partial"):
            words = [f"run/{name}" if word == "d.npy" else word for word in self.first] + ["--format", "npy"]
            self.assertEqual(self.here(*words), (USAGE, f"kleene: --out: run/{name} is a name of the checkpoint's own "
                                                        "in run: give another\n"))
        for folder in (".", "./", self.folder):
            said = self.here("apsp", "graph.gr", "--checkpoint", folder, "--out", "command", "--format", "npy")
            self.assertEqual(said, (USAGE, "kleene: --out: command is a name of the checkpoint's own in "
                                           f"{folder}: give another\n"))
        self.assertEqual(self.here(*self.first, "--resume", "run")[0], USAGE)
        open(os.path.join(self.run_folder, "notes.txt"), "w", encoding="utf-8").close()
        self.assertEqual(self.here(*self.first), (0, ""))
        self.assertEqual(os.listdir(self.run_folder), ["notes.txt"])

    def test_kills(self):
        """At random moments, each run going on where the last one was; the first in the same process again."""
        start = time.perf_counter()
        self.assertEqual(self.here(*self.first), (0, ""))
        whole = time.perf_counter() - start
        want = self.answers()
        draw, kills, resumed = random.Random(11), 0, 0
        while kills < KILLS:
            for path in ("d.npy", "p.npy"):
                if os.path.exists(self.path(path)):
                    os.remove(self.path(path))
            has_words = os.path.exists(os.path.join(self.run_folder, "command"))
            resumed += os.path.exists(os.path.join(self.run_folder, "checkpoint"))
            words = self.again if has_words else self.first
            kills += self.killed([harness.PROGRAM, *words], draw.uniform(0, 0.8 * whole))
        with open(os.path.join(self.run_folder, "values-77.npy.partial"), "wb") as file:
            file.write(b"half")  # as a kill in the middle of a checkpoint leaves it
        words = self.again if os.path.exists(os.path.join(self.run_folder, "command")) else self.first
        self.assertEqual(self.here(*words), (0, ""))
        self.assertEqual(os.listdir(self.run_folder), [])
        for got, wanted in zip(self.answers(), want):
            np.testing.assert_array_equal(got, wanted)
        self.assertGreater(resumed, 0)

    def test_another_run_in_the_folder(self):
        self.saved_run()
        before = sorted(os.listdir(self.run_folder))
        other_run = os.open(self.run_folder, os.O_RDONLY)
        fcntl.flock(other_run, fcntl.LOCK_EX)
        for words in (self.again, self.first):
            self.assertEqual(self.here(*words), (BAD_INPUT, "kleene: run: another run saves its checkpoints here: wait "
                                                            "until it has ended, or end it\n"))
            self.assertEqual(sorted(os.listdir(self.run_folder)), before)
        os.close(other_run)
        self.assertEqual(self.here(*self.again), (0, ""))
        self.assertEqual(os.listdir(self.run_folder), [])

    def test_flags_of_now_go_first(self):
        self.saved_run()
        with open(os.path.join(self.run_folder, "command"), encoding="utf-8") as file:
            words = file.read().splitlines()
        self.assertEqual(words[:2] + sorted(words[2:-1]),
                         ["kleene command 2", os.path.realpath(self.folder), "--device=cpu", "--every=0",
                          "--out=d.npy", "--predecessors=p.npy", "--threads=1", "graph.gr"])
        self.assertEqual(self.here(*self.again, "--out", "other.npy"), (0, ""))
        self.assertFalse(os.path.exists(self.path("d.npy")))
        self.assertEqual(np.load(self.path("other.npy")).shape, (self.vertices, self.vertices))

    def test_words_that_have_changed(self):
        """None of them is believed: without its --out a run would end well, and leave nothing."""
        self.saved_run()
        path = os.path.join(self.run_folder, "command")
        with open(path, "rb") as file:
            words = file.read()
        for changed in (words[: words.index(b"--out")], words[:-1], words.replace(b"--out=d", b"--out=e"),
                        words + b"\n"):
            with open(path, "wb") as file:
                file.write(changed)
            self.assertEqual(self.here(*self.again),
                             (BAD_INPUT, "kleene: run/command: it has changed since --checkpoint wrote it\n"))
        with open(path, "wb") as file:
            file.write(words)
        self.assertEqual(self.here(*self.again), (0, ""))

    def test_refusals(self):
        self.refuse(USAGE, "apsp", self.path("graph.gr"), "--every", "5", says=["give --checkpoint FOLDER"])
        self.saved_run()
        said = self.here(*self.first)
        self.assertEqual(said, (BAD_INPUT, "kleene: run: holds a checkpoint: --resume run goes on from it, and to "
                                           "begin again it must be removed first\n"))
        self.refuse(BAD_INPUT, "apsp", "--resume", self.run_folder, says=["the run was begun in", "and goes on there"])
        self.assertEqual(self.here(*self.again, "--checkpoint", "other")[0], USAGE)
        self.assertEqual(self.here(*self.again, "graph.gr"),
                         (USAGE, "kleene: --resume knows its FILE: leave it out\n"))
        code, err = self.here("apsp", "--resume", "run", "--dtype", "f64")
        self.assertEqual(code, BAD_INPUT)
        self.assertIn("a checkpoint of another problem: min_plus i32, 900 vertices", err)
        self.graph(self.arcs[:-1], self.vertices)
        code, err = self.here(*self.again)
        self.assertEqual(code, BAD_INPUT)
        self.assertIn("a checkpoint of another matrix", err)
        self.graph(self.arcs, self.vertices)
        values = next(name for name in os.listdir(self.run_folder) if name.startswith("values-"))
        with open(os.path.join(self.run_folder, values), "r+b") as file:
            file.seek(5000)
            byte = file.read(1)
            file.seek(5000)
            file.write(bytes([byte[0] ^ 1]))
        code, err = self.here(*self.again)
        self.assertEqual(code, BAD_INPUT)
        self.assertIn(f"run/{values}: this is not what a checkpoint wrote", err)


class SavedByProcesses(ProcessesTest, Saved):
    """The same runs, of several processes of mpirun; on as many as one likes they go on."""

    def setUp(self):
        ProcessesTest.setUp(self)
        Saved.setUp(self)

    def children(self, process):
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]

    def test_a_process_is_killed(self):
        alone = self.here(*self.first)
        self.assertEqual(alone, (0, ""))
        want = self.answers()[0]
        for processes, others in ((4, 6), (2, 1), (6, 4)):
            os.remove(self.path("d.npy"))
            with subprocess.Popen(self.command(processes, *self.first), cwd=self.folder, stderr=subprocess.DEVNULL,
                                  env={**os.environ, **MANY}) as run:
                while run.poll() is None and not os.path.exists(os.path.join(self.run_folder, "checkpoint")):
                    time.sleep(0.0005)
                start = time.monotonic()
                os.kill(self.children(run)[-1], signal.SIGKILL)
                run.wait(timeout=30)
                self.assertLess(time.monotonic() - start, 30)
            self.assertNotEqual(run.returncode, 0)
            self.assertFalse(os.path.exists(self.path("d.npy")))
            answer = self.together(others, *self.again, "--every", "600")
            self.assertEqual((answer.code, answer.err), (0, ""))
            np.testing.assert_array_equal(self.answers()[0], want)
            self.assertEqual(os.listdir(self.run_folder), [])

    def test_what_readme_says(self):
        """Its commands, of which the first is killed."""
        with open(os.path.join(harness.DATA, "..", "README.md"), encoding="utf-8") as file:
            text = file.read()
        several = re.search(r"^(mpirun -n 8) kleene (apsp .* --checkpoint run/) +#", text, re.MULTILINE)
        resume = re.search(r"^kleene (apsp +--resume run/) +#", text, re.MULTILINE)
        os.symlink(harness.DATA, self.path("data"))
        run = [*several[1].split(), harness.PROGRAM, *several[2].split(), "--every", "0"]
        with subprocess.Popen(run, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, **MANY}, start_new_session=True) as process:
            while process.poll() is None and not os.path.exists(os.path.join(self.run_folder, "checkpoint")):
                time.sleep(0.001)
            for each in [process.pid, *self.children(process)]:  # those have groups of their own
                os.kill(each, signal.SIGKILL)
            process.wait()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        answer = self.together(1, *resume[1].split(), "--json", "--every", "600")
        self.assertEqual((answer.code, answer.json["reachable_pairs"]), (0, 6966962))
        self.assertAlmostEqual(answer.json["diameter"], 846.408487, places=6)

    # What one process does is tested above.
    test_a_run_that_ends_leaves_nothing = test_kills = test_flags_of_now_go_first = test_refusals = None
    test_refused_runs_leave_nothing = test_files_of_others_stay = None


