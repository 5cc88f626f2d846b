"""kleene solve: memory and time that are kept to, sums of real weights, and cliques of sparse graphs."""

import itertools
import math
import os
import random
import subprocess

import harness
from solve_cases import BAD_INPUT, MEMORY, NONE, PETERSEN, USAGE, Problem, Solve


class SolveLimits(Solve):
    def test_a_few_bytes_that_name_many_variables(self):
        """Refused before anything is built: by what is free, and by --memory. Tables of 700 GB would take minutes."""
        files = {"a.cnf": ("sat", "p cnf 1000000000 1\n1 -2 0\n"), "a.wcnf": ("sat", "h 1000000000 0\n"),
                 "a.uai": ("factors", "MARKOV\n2\n2000000000 2000000000\n0\n")}
        for file, (problem, text) in files.items():
            path = self.write(file, text)
            for flags, says in (((), "are free"), (("--memory", "1GB"), "954 MiB are allowed; --memory ")):
                with self.subTest(file, flags=flags):
                    refused = self.refuse(MEMORY, "solve", problem, path, *flags, timeout=20,
                                          says=[f"{file}: ", " values in all take about ", says])
                    self.assertNotIn(" 0 bytes", refused.err)
        small = self.write("small.cnf", "p cnf 300000 1\n1 -2 0\n")  # 600 MB
        self.refuse(MEMORY, "solve", "sat", small, "--memory", "100MB", says=["256 MiB are allowed"])
        graph = self.edge_list(PETERSEN)
        self.refuse(MEMORY, "solve", "coloring", graph, "--colors", 1000000, says=["a table of 1000000 x 1000000"])

    def test_all_questions_are_counted(self):
        graph = self.path("regular.mtx")
        self.kleene("gen", "regular", "--vertices", 60, "--degree", 3, "--seed", 5, "--weights", "none", "--out", graph)
        alone = self.solve("solve", "dominating_set", graph)
        some = math.ceil(alone["log2_operations_of_all_questions"]) + 2
        self.assertLess(alone["log2_operations_of_all_questions"], alone["log2_operations"] + 1.01)
        self.solve("solve", "dominating_set", graph, "--operations", some)
        for questions in (("--count",), ("--best", 16), ("--count", "--best", 3)):
            self.refuse(MEMORY, "solve", "dominating_set", graph, "--operations", some, "--seconds", 0.5, *questions,
                        says=["operations of all questions, "])
        refused = self.refuse(MEMORY, "solve", "cut", graph, "--operations", 0)
        self.assertRegex(refused.err, r"found in [\d.]+ [mu]?s has a tensor of 2\^[\d.]+ elements, and it takes 2\^")

    def test_counts_beyond_their_range(self):
        file = self.write("free.cnf", "p cnf 2000 1\n1 -1 0\n")
        self.refuse(BAD_INPUT, "solve", "sat", file, "--count",
                    says=["free.cnf: --count: there are too many answers; counts end at 2^991"])


class SolveSums(Solve):
    def weighted(self, weights, *flags):
        """Each pair of a path of as many vertices is forbidden: what is chosen are vertices that are apart."""
        n = len(weights)
        graph = self.edge_list([(v, v + 1) for v in range(n - 1)])
        lines = self.write("w.txt", "".join(f"{w}\n" for w in weights))
        return ("solve", "independent_set", graph, "--weights", lines, *flags)

    def test_decimals_tie(self):
        """0.1 + 0.2 is no more than 0.3, nor less."""
        got = self.solve(*self.weighted(["0.1", "0.3", "0.2"], "--count", "--best", 4))
        self.assertEqual((got["value"], got["count"], got["best"], got["exact"]), (0.3, 2, [0.3, 0.3, 0.2, 0.1], True))
        text = self.kleene(*self.weighted(["0.1", "0.3", "0.2"], "--count")).out
        self.assertIn("value       0.3\n", text)
        self.assertIn("count       2 optimal answers\n", text)
        got = self.solve(*self.weighted(["-1.05", "12.5", "1e-3"], "--best", 5))
        self.assertEqual(got["best"], [12.5, 0.001, 0, -1.049, -1.05])

    def test_parallel_edges_add_up_as_decimals(self):
        """0.1 + 0.2 is 0.3 before it ties with 0.3."""
        got = self.solve("solve", "cut", self.write("t.gset", "3 4\n1 2 0.3\n1 3 0.1\n1 3 0.2\n2 3 0.3\n"), "--count",
                         "--best", 7)
        self.assertEqual((got["value"], got["exact"], got["count"]), (0.6, True, 6))
        self.assertEqual(got["best"], [0.6] * 6 + [0])
        both = self.write("both.csv", "from,to,weight\na,b,0.1\na,b,0.2\nb,a,0.3\n")
        self.assertEqual(self.solve("solve", "cut", both)["value"], 0.3)

    def test_multiples_of_a_power_of_two(self):
        tiny = 2.0 ** -40
        got = self.solve(*self.weighted([tiny, 3 * tiny, 2 * tiny], "--count"))
        self.assertEqual((got["value"], got["count"], got["exact"], got["dtype"]), (3 * tiny, 2, True, "f64"))
        got = self.solve(*self.weighted([0.25, 2.0 ** 50 + 0.75, 0.5, 0], "--count"))
        self.assertEqual((got["value"], got["count"], got["exact"]), (2.0 ** 50 + 0.75, 2, True))
        got = self.solve(*self.weighted([0.25, 2.0 ** 53, 0.5, 0], "--count"))
        self.assertIs(got["exact"], False)

    def test_rounded_sums_say_so(self):
        weights = [math.sqrt(v) for v in (2, 8, 2)]  # 2 sqrt(2) twice
        got = self.solve(*self.weighted(weights, "--count"))
        self.assertIs(got["exact"], False)
        self.assertIn("sums of real numbers are rounded", self.kleene(*self.weighted(weights, "--count")).out)

    def test_factors_of_powers_of_two(self):
        half = "MARKOV\n3\n2 2 2\n3\n1 0\n1 1\n2 0 2\n2\n1 0.125\n2\n0.5 0.0625\n4\n0 1 1 8\n"
        tables = {(a, b, c): (1, 0.125)[a] * (0.5, 0.0625)[b] * (0, 1, 1, 8)[2 * a + c]
                  for a, b, c in itertools.product((0, 1), repeat=3)}
        got = self.solve("solve", "factors", self.write("h.uai", half), "--count", "--partition")
        best = max(tables.values())
        self.assertEqual((got["count"], got["exact"]), (list(tables.values()).count(best), True))
        self.assertAlmostEqual(got["value"], math.log(best), places=14)
        self.assertAlmostEqual(got["log_partition"], math.log(sum(tables.values())), places=14)
        other = self.write("o.uai", "MARKOV\n1\n2\n1\n1 0\n2\n0.1 0.9\n")
        self.assertIs(self.solve("solve", "factors", other)["exact"], False)

    def test_sums_that_no_type_holds(self):
        huge = ["600000000000000000"] * 3
        self.refuse(BAD_INPUT, *self.weighted(huge),
                    says=["w.txt: the weights add up to 1800000000000000000, and sums end below 2^60 = 1152921504606"])
        self.refuse(BAD_INPUT, *self.weighted(["1.5e308"] * 3), says=["w.txt: the weights add up to inf"])
        both = self.write("both.csv", "a,b,1\na,b,9223372036854775807\n")
        self.refuse(BAD_INPUT, "solve", "cut", both, says=["both.csv: the weights of an edge that stands there"])


class SolveCliques(Solve):
    def test_sparse_graphs_against_all_sets(self):
        for seed in range(6):
            draw = random.Random(seed)
            density = (0.2, 0.35, 0.45)[seed % 3]
            edges = self.order_of([e for e in itertools.combinations(range(15), 2) if draw.random() < density])
            n = len({v for e in edges for v in e})
            weights = [draw.randint(-2, 6) for _ in range(n)]
            lines = self.write("w.txt", "".join(f"{w}\n" for w in weights))
            for extra, truth in (((), Problem(edges, n)), (("--weights", lines), Problem(edges, n, weights))):
                got = self.compare(truth.clique, max, 2, n, "clique", self.edge_list(edges), *extra)
                self.assertEqual(truth.clique(got["configuration"]), got["value"])

    def test_dense_parts_of_a_sparse_graph(self):
        """Twenty copies of the complement of ten disjoint edges: 2^10 cliques of ten vertices each."""
        edges = [(20 * k + u, 20 * k + v) for k in range(20)
                 for u, v in itertools.combinations(range(20), 2) if v != u + 1 or u % 2]
        got = self.solve("solve", "clique", self.edge_list(edges), "--count", "--best", 3)
        self.assertEqual((got["value"], got["count"], got["best"]), (10, 20 * 2 ** 10, [10, 10, 10]))
        self.assertGreater(got["log2_operations"], 0)

    def test_roads(self):
        got = self.solve("solve", "clique", self.data("road/minnesota.mtx"), "--count")
        self.assertEqual((got["value"], got["count"]), (3, 53))

    def test_too_entangled_is_of_the_complement(self):
        draw = random.Random(1)
        edges = [e for e in itertools.combinations(range(150), 2) if draw.random() < 0.6]
        self.refuse(MEMORY, "solve", "clique", self.edge_list(edges), "--seconds", 1,
                    says=[": the complement of the graph, ", " edges, is too entangled: "])


class SolveWords(Solve):
    def test_flags_for_other_files(self):
        clauses, names = self.write("a.cnf", "p cnf 1 1\n1 0\n"), self.write("n.txt", "x\n")
        for flags, says in ((("--names", names), "a.cnf holds clauses: --names is for graphs"),
                            (("--input-format", "gset"), "--input-format is for graphs")):
            self.refuse(USAGE, "solve", "sat", clauses, *flags, says=[says])
        graph = self.edge_list(PETERSEN)
        self.refuse(USAGE, "solve", "cut", graph, "--svg", "--threads", "--coordinates", graph,
                    says=["--svg takes the name of a file, not --threads"])

    def test_no_stale_configuration(self):
        old = self.write("c.csv", "variable,value\n1,1\n")
        file = self.write("no.cnf", "p cnf 1 2\n1 0\n-1 0\n")
        self.assertEqual(self.kleene("solve", "sat", file, "--configuration", old).code, NONE)
        self.assertFalse(os.path.exists(old))
        link = self.path("link.csv")
        os.symlink(self.write("target.csv", "variable,value\n1,1\n"), link)
        self.assertEqual(self.kleene("solve", "sat", file, "--configuration", link).code, NONE)
        self.assertTrue(os.path.islink(link))
        self.assertFalse(os.path.exists(self.path("target.csv")))
        kept = self.write("stdout.txt", "")
        with open(kept, "w", encoding="utf-8") as out:
            done = subprocess.run([harness.PROGRAM, "solve", "sat", file, "--configuration", "/dev/stdout", "--quiet"],
                                  stdout=out, check=False)
        self.assertEqual(done.returncode, NONE)
        self.assertTrue(os.path.exists(kept))

    def test_parts_that_share_nothing(self):
        """Each is summed up before they are multiplied: 300^4 elements would be 65 GB."""
        graph = self.write("two.col", "p edge 4 2\ne 1 2\ne 3 4\n")
        got = self.solve("solve", "coloring", "--colors", "300", graph, "--memory", "10MB", "--count")
        self.assertEqual((got["value"], int(got["count"])), (0, (300 * 299) ** 2))
        alone = self.write("alone.uai", "MARKOV\n2\n30000 30000\n0\n")
        self.assertEqual(self.solve("solve", "factors", alone, "--memory", "10MB")["value"], 0)

    def test_sets_and_elements(self):
        file = self.write("sets.csv", "s0,a\ns0,b\ns1,b\ns2,c\n")
        got = self.solve("solve", "set_packing", file)
        self.assertEqual((got["sets"], got["elements"], got["value"]), (3, 3, 2))
        titled = self.write("titled.csv", "set,element\ns0,a\ns0,b\ns1,b\n")
        self.refuse(BAD_INPUT, "solve", "set_packing", titled, says=["the first line has a set called 'set'"])
        self.assertEqual(self.solve("solve", "set_packing", titled, "--header")["sets"], 2)
        self.assertEqual(self.solve("solve", "set_packing", titled, "--no-header")["sets"], 3)
        mixed = self.write("mixed.csv", "set,element\ns0,1\ns0,2\ns1,2\n")
        self.refuse(BAD_INPUT, "solve", "set_packing", mixed, says=["'set' holds names, and 'element' numbers"])
        got = self.solve("solve", "set_packing", mixed, "--columns", "set,element")
        self.assertEqual((got["sets"], got["elements"], got["value"]), (2, 2, 1))

    def test_what_is_looked_for_with_weights(self):
        graph, weights = self.write("path.csv", "a,b\nb,c\n"), self.write("w.csv", "a,1\nb,5\nc,2\n")
        for problem, counted, weighted, value in (
                ("independent_set", "the most vertices, no two of them neighbours",
                 "the greatest sum of weights of vertices, no two of them neighbours", 5),
                ("vertex_cover", "the fewest vertices that touch every edge",
                 "the least sum of weights of vertices that touch every edge", 3)):
            self.assertIn(f"problem     {problem}: {counted}\n", self.kleene("solve", problem, graph).out)
            answer = self.kleene("solve", problem, graph, "--weights", weights).out
            self.assertIn(f"problem     {problem}: {weighted}\nvalue       {value}\n", answer)

    def test_exponents_of_operations(self):
        graph = self.write("path.csv", "a,b\nb,c\n")
        for many in ("1000", "101", "inf"):
            self.refuse(USAGE, "solve", "independent_set", graph, "--operations", many,
                        says=[f"takes the exponent E of 2^E operations, 100 at most, not '{many}'"])
        self.assertEqual(self.solve("solve", "independent_set", graph, "--operations", 100)["value"], 2)

    def test_weights_that_the_file_does_not_have(self):
        file = self.write("twice.csv", "a,b,1\na,b,3\nb,a,5\n")
        self.refuse(BAD_INPUT, "solve", "cut", file,
                    says=["from a to b has weights that add up to 4, and weight 5 the other way"])
        self.refuse(BAD_INPUT, "solve", "sat", self.write("e.wcnf", ""), says=["neither a p line nor a clause"])
