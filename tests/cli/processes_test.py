"""kleene apsp as mpirun starts it: several processes, one answer."""

import os
import random
import shutil
import subprocess
import unittest

import harness
import numpy as np
from harness import Answer, CliTest

# Open MPI's: as root, more processes than cores, and none of them bound to one or looking for messages all the time.
MANY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
SHAPES = {2: (1, 2), 4: (2, 2), 6: (2, 3)}
USAGE, BAD_INPUT = 2, 3


def has_mpi():
    """Whether this build has what the program loads under mpirun."""
    beside = os.path.join(os.path.dirname(harness.PROGRAM), "kleene_mpi.so")
    return os.path.exists(beside) and shutil.which("mpirun") is not None


class ProcessesTest(CliTest):
    def setUp(self):
        super().setUp()
        if not has_mpi():
            raise unittest.SkipTest("there is no MPI here, or this build is without it")

    def command(self, processes, *arguments):
        return ["mpirun", "-n", str(processes), harness.PROGRAM, *map(str, arguments)]

    def together(self, processes, *arguments):
        done = subprocess.run(self.command(processes, *arguments), capture_output=True, text=True, timeout=120,
                              env={**os.environ, **MANY}, check=False, cwd=self.folder)
        return Answer(done.returncode, done.stdout, done.stderr)

    def said(self, answer):
        """What kleene says on stderr; mpirun says more, of processes that fail."""
        return [line for line in answer.err.splitlines() if line.startswith("kleene: ")]

    def roads(self, vertices=150, seed=5):
        """Arcs of whole lengths, so that the order of sums does not show."""
        draw = random.Random(seed).randrange
        arcs = [(v, v % vertices + 1, 1 + draw(9)) for v in range(1, vertices + 1)]
        arcs += [(1 + draw(vertices), 1 + draw(vertices), 1 + draw(99)) for _ in range(6 * vertices)]
        return self.graph(arcs, vertices)


class Processes(ProcessesTest):
    def test_the_answer_is_that_of_one(self):
        graph = self.roads()
        alone = self.solve("apsp", graph, "--out", self.path("one.npy"))
        want = np.load(self.path("one.npy"))
        for processes, (rows, cols) in SHAPES.items():
            answer = self.together(processes, "apsp", graph, "--json", "--out", "d.npy", "--predecessors", "p.npy")
            self.assertEqual((answer.code, answer.err, answer.out.count("\n")), (0, "", 1))
            for key in ("vertices", "arcs", "reachable_pairs", "distance_sum", "diameter"):
                self.assertEqual(answer.json[key], alone[key])
            self.assertEqual(answer.json["processes"], processes)
            workers = answer.json["workers"]
            self.assertEqual([(w["rank"], w["row"], w["col"]) for w in workers],
                             [(r * cols + c, r, c) for r in range(rows) for c in range(cols)])
            for worker in workers:
                self.assertTrue(worker["place"].startswith(("cpu", "cuda")) and worker["host"])
                self.assertTrue(0 < worker["communication_seconds"] <= worker["seconds"])
            np.testing.assert_array_equal(np.load(self.path("d.npy")), want)
            self.follow(graph, want, np.load(self.path("p.npy")))

    def follow(self, graph, distances, before):
        """Each path's last arc is in the graph, and as long as the distances say."""
        arcs = {}
        with open(graph, encoding="utf-8") as file:
            for line in file:
                if line.startswith("a "):
                    u, v, length = map(int, line.split()[1:])
                    arcs[u - 1, v - 1] = min(length, arcs.get((u - 1, v - 1), length))
        for i in range(0, len(before), 7):
            for j, last in enumerate(before[i]):
                if last >= 0:
                    self.assertEqual(distances[i, last] + arcs[last, j], distances[i, j])
                else:
                    self.assertTrue(i == j or distances[i, j] == np.inf or distances[i, j] > 10**8)

    def test_text_says_what_they_waited_for(self):
        answer = self.together(2, "apsp", self.roads(), "--method", "floyd_warshall")
        self.assertEqual((answer.code, answer.err), (0, ""))
        self.assertRegex(answer.out, r"workers +2 \(1 x 2\), communication \d+ to \d+ % of the time")

    def test_progress_is_said_in_lines(self):
        answer = self.together(2, "apsp", self.roads(600), "--progress", "0.0001", "--json")
        self.assertEqual(answer.code, 0)
        for line in self.said(answer):
            self.assertRegex(line, r"^kleene: apsp +\d+ %  [\d.]+ [kMG]?ops  \d+:\d\d left  communication \d+ %$")
        self.assertGreater(len(self.said(answer)), 2)
        self.assertEqual(self.together(2, "apsp", self.roads(600), "--progress", "0.0001", "--quiet").err, "")

    def test_one_says_what_is_wrong_with_all(self):
        cycle = self.graph([(1, 2, 3), (2, 3, -9), (3, 1, 2)], 3, "cycle.gr")
        for arguments, words in (((cycle,), "negative"), ((self.path("none.gr"),), "none.gr"),
                                 ((cycle, "--out", "no/such/folder/d.npy"), "no/such/folder"),
                                 ((self.write("bad.csv", "from,to,km\na,b,x\n"),), "bad.csv:2")):
            answer = self.together(3, "apsp", *arguments)
            self.assertEqual(answer.code, BAD_INPUT, answer.err)
            self.assertEqual(len(self.said(answer)), 1, answer.err)
            self.assertIn(words, self.said(answer)[0])

    def test_what_several_do_not_do(self):
        graph, other = self.roads(), self.graph([(1, 2, 1)], 2, "other.gr")
        for arguments, words in (((graph, other), "several processes find the paths of one FILE"),
                                 ((graph, "--device", "cuda:0-1"), "each takes one"),
                                 (("-",), "standard input reaches one process alone: give a file")):
            answer = self.together(2, "apsp", *arguments)
            self.assertEqual(answer.code, USAGE)
            self.assertIn(words, self.said(answer)[0])
        answer = self.together(2, "closure", graph)
        self.assertEqual(answer.code, USAGE)
        self.assertIn("kleene apsp works with several, kleene closure with one", self.said(answer)[0])


class Launchers(CliTest):
    """Environments of launchers, of whose other processes there are none."""

    def test_a_script_of_slurm_is_alone(self):
        graph = self.graph([(1, 2, 3)], 2)
        job = {"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_LOCALID": "0", "SLURM_JOB_ID": "7"}
        answer = self.kleene("apsp", graph, "--json", "--device", "cpu", env=job)
        self.assertEqual((answer.code, answer.json.get("processes")), (0, None))

    def test_without_mpi_processes_need_gpus(self):
        run = {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29999"}
        self.refuse(USAGE, "apsp", self.graph([(1, 2, 3)], 2), "--device", "cpu", env=run,
                    says=["torchrun has started 2 processes without GPUs: they talk by MPI"])
