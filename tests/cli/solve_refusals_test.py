"""kleene solve: flags and files that are refused, what is too entangled, and Ctrl-C."""

import os
import pty
import signal
import subprocess
import time

import harness
from kill_test import as_in_a_shell
from solve_cases import BAD_INPUT, INTERRUPTED, MEMORY, PETERSEN, USAGE, Solve


class SolveRefusals(Solve):
    def test_flags(self):
        graph = self.edge_list(PETERSEN)
        for arguments, says in ((("coloring", graph), "coloring takes --colors Q"),
                                (("cut", graph, "--colors", 3), "--colors is for coloring, and not for cut"),
                                (("coloring", graph, "--colors", 0), "--colors: takes a whole number from 1"),
                                (("cut", graph, "--weights", graph), "--weights is for problems that choose"),
                                (("cut", graph, "--fields", graph), "--fields is for ising"),
                                (("cut", graph, "--soft"), "--soft is for sat"),
                                (("cut", graph, "--partition"), "--partition is for factors"),
                                (("cut", graph, "--best", 17), "--best: takes a whole number from 1 to 16"),
                                (("cut", graph, "--memory", "60XB"), "--memory: takes bytes such as 60GB, not '60XB'"),
                                (("cut", graph, "--memory", "-1"), "--memory"),
                                (("cut", graph, "--seconds", "x"), "--seconds: takes a number of at least 0"),
                                (("cut", graph, "--svg", self.path("a.svg")), "--svg FILE and --coordinates FILE"),
                                (("cut", graph, "--configuration", graph), "the same file"),
                                (("cut", graph, "--configuration", "side.npy"), "is written as .csv or .tsv"),
                                (("qubo", graph), "PROBLEM: takes one of ising, cut"),
                                (("cut",), "FILE is required")):
            with self.subTest(arguments=arguments):
                self.refuse(USAGE, "solve", *arguments, says=[says])
        clauses = self.write("a.wcnf", "h 1 0\n")
        self.refuse(USAGE, "solve", "sat", clauses, "--soft", says=["which clauses are soft"])
        self.refuse(USAGE, "solve", "sat", clauses, "--drop-loops", says=["--drop-loops is for graphs"])

    def test_files(self):
        for file, text, problem, says in (
                ("a.cnf", "p cnf 2 1\n1 3 0\n", "sat", "a.cnf:2: the literal 3 is of none of 2 variables"),
                ("a.wcnf", "p wcnf 2 1 5\n0 1 0\n", "sat", "a.wcnf:2: the weight 0 is below 1"),
                ("a.uai", "MARKOV\n1\n2\n1\n1 0\n3\n", "factors", "a.uai:6: a table of 3 elements"),
                ("b.uai", "MARKOV\n1\n2\n1\n1 0\n2\n1 -1\n", "factors", "b.uai:7: the element '-1' is below 0"),
                ("a.col", "p edge 2 1\ne 1 3\n", "cut", "a.col:2: vertex 3 is outside 1 .. 2"),
                ("one.csv", "a,b,3\nc,a,1\nb,a,4\n", "cut", "one.csv:3: the edge from a to b has weight 3, and weight"),
                ("sym.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "set_packing",
                 "sym.mtx: set_packing takes a sparse matrix")):
            with self.subTest(file):
                self.refuse(BAD_INPUT, "solve", problem, self.write(file, text), says=[says])
        self.assertEqual(self.solve("solve", "independent_set", self.path("one.csv"))["edges"], 2)

    def test_loops(self):
        file = self.write("loop.csv", "a,b,1\nc,c,7\nb,c,1\n")
        for problem in ("independent_set", "vertex_cover", "ising", "coloring"):
            extra = ["--colors", 2] if problem == "coloring" else []
            self.refuse(BAD_INPUT, "solve", problem, file, *extra,
                        says=["loop.csv:2: vertex c has an edge to itself", "--drop-loops"])
            answer = self.kleene("solve", problem, file, *extra, "--drop-loops")
            self.assertEqual((answer.code, answer.err.count("is left out")), (0, 1))
        for problem, value in (("cut", 2), ("clique", 2), ("dominating_set", 1)):
            answer = self.kleene("solve", problem, file, "--json")
            self.assertEqual((answer.code, answer.json["value"]), (0, value))
            self.assertRegex(answer.err, "^kleene: note: .*loop.csv: an edge from a vertex to itself is left out\n$")

    def test_weights(self):
        graph = self.edge_list([(0, 1), (1, 2)])
        for text, says in (("1\n2\n", "w:2: the file ends, and v2 has no number"),
                           ("1\n2\n3\n4\n", "w:4: a line beyond the 3"),
                           ("v0,1\nv1,2\n", "w:2: the file ends, and v2 has no number"),
                           ("v0,1\nx,2\n", "w:2: nothing is called 'x'"),
                           ("v0,1\nv0,2\n", "w:2: v0 has a number in line 1"),
                           ("v0,1\n2\n", "w:2: no name, where other lines have one"),
                           ("1\nv1,2\n", "w:2: a name, where other lines have none"),
                           ("v0,1,2\n", "w:1: 3 fields"), ("v0,x\n", "w:1: the number 'x' is not a number"),
                           ("1\ninf\n", "w:2: the number 'inf' is not finite"),
                           ("99999999999999999999\n", "outside the range of 64-bit integers")):
            with self.subTest(text):
                self.refuse(BAD_INPUT, "solve", "clique", graph, "--weights", self.write("w", text), says=[says])

    def entangled(self):
        """Each vertex has six neighbours, and no order is cheap."""
        graph = self.path("entangled.mtx")
        drawn = self.kleene("gen", "regular", "--vertices", 400, "--degree", 6, "--weights", "none", "--out", graph)
        self.assertEqual(drawn.code, 0)
        return graph

    def test_too_entangled(self):
        graph, chosen = self.entangled(), self.path("chosen.csv")
        refused = self.refuse(MEMORY, "solve", "independent_set", graph, "--seconds", 1, "--configuration", chosen)
        self.assertRegex(refused.err, r"entangled\.mtx: too entangled: the best order found in [\d.]+ s has a tensor "
                                      r"of 2\^\d+\.\d elements: 2\^\d+ bytes of memory would do, for "
                                      r"2\^\d+\.\d operations, and .* are free; in slices")
        self.assertFalse(os.path.exists(chosen))
        refused = self.refuse(MEMORY, "solve", "cut", self.edge_list(PETERSEN), "--operations", 5)
        self.assertRegex(refused.err, r"2\^\d+\.\d operations, .* --operations \d+ begins with this one")

    def test_progress_is_for_terminals(self):
        command = [harness.PROGRAM, "solve", "independent_set", self.entangled(), "--seconds", "2", "--threads", "1"]
        for flags, shows in (([], True), (["--quiet"], False), (["--json"], False)):
            master, slave = pty.openpty()
            with subprocess.Popen(command + flags, stdout=subprocess.PIPE, stderr=slave) as process:
                os.close(slave)
                seen = b""
                while True:
                    try:
                        piece = os.read(master, 4096)
                    except OSError:  # the other end is closed
                        break
                    seen += piece
                process.stdout.read()
            os.close(master)
            self.assertEqual(process.returncode, MEMORY)
            self.assertEqual(b"looking for an order" in seen, shows, seen)
            self.assertIn(b"kleene: ", seen)
            if shows:
                self.assertIn(b"\r\x1b[Kkleene: ", seen)

    def test_interrupt(self):
        command = [harness.PROGRAM, "solve", "independent_set", self.entangled(), "--seconds", "60", "--configuration",
                   self.path("chosen.csv")]
        before = set(os.listdir(self.folder))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=as_in_a_shell) as process:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out, err), (INTERRUPTED, b"", b""))
        self.assertEqual(set(os.listdir(self.folder)), before)
