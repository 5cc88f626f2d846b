"""kleene solve: values, counts, ranks and answers against all assignments, one by one; files."""

import gzip
import itertools
import math
import os
import random
import subprocess
import xml.etree.ElementTree

import harness
from solve_cases import GOALS, NONE, PETERSEN, SVG, BAD_INPUT, DEVICE, USAGE, Problem, Solve, name
from solve_limits_test import *  # noqa: F401,F403
from solve_refusals_test import *  # noqa: F401,F403


class SolveProblems(Solve):
    def test_published(self):
        graph = self.edge_list(PETERSEN)
        for arguments, value, count in ((("independent_set",), 4, 5), (("dominating_set",), 3, 10), (("cut",), 12, 10),
                                        (("coloring", "--colors", 3), 0, 120), (("vertex_cover",), 6, 5),
                                        (("clique",), 2, 15)):
            got = self.solve("solve", arguments[0], graph, *arguments[1:], "--count")
            self.assertEqual((got["value"], got["count"]), (value, count), arguments)
        ring = self.edge_list([(k, (k + 1) % 5) for k in range(5)])
        whole = self.edge_list(list(itertools.combinations(range(4), 2)), "k4.csv")
        for file, problem, value, count in ((ring, "independent_set", 2, 5), (ring, "cut", 4, 10),
                                            (whole, "clique", 4, 1), (whole, "independent_set", 1, 4)):
            got = self.solve("solve", problem, file, "--count")
            self.assertEqual((got["value"], got["count"]), (value, count), (file, problem))

    def test_kings(self):
        """Where pairs of variables are one: kings on a board of 14 x 14, 49 of them as A018807 counts."""
        cells = list(itertools.product(range(14), repeat=2))
        near = [(14 * i + j, 14 * k + l) for (i, j), (k, l) in itertools.combinations(cells, 2)
                if max(abs(i - k), abs(j - l)) == 1]
        lines = [f"{v + 1} {u + 1}" for u, v in near]
        board = self.write("board.mtx", "\n".join(["%%MatrixMarket matrix coordinate pattern symmetric",
                                                   f"196 196 {len(near)}", *lines, ""]))
        got = self.solve("solve", "independent_set", board, "--count", "--seconds", 0)
        self.assertEqual((got["value"], got["count"], got["vertices"]), (49, 1027533353168, 196))
        self.assertEqual(got["factor_graph_variables"], 98)
        chosen = [v for v, is_chosen in enumerate(got["configuration"]) if is_chosen]
        self.assertEqual(len(chosen), 49)
        self.assertFalse(any({u, v} <= set(chosen) for u, v in near))

    def test_choices(self):
        for seed in (1, 2):
            edges, n = self.random_graph(seed)
            edges = self.order_of(edges)
            file, weights = self.edge_list(edges), [random.Random(seed).randint(-3, 9) for _ in range(n)]
            rows = [f"{name(v)},{w}\n" for v, w in enumerate(weights)]
            lines = self.write("weights.csv", "".join(reversed(rows)))
            for problem in ("independent_set", "vertex_cover", "clique", "dominating_set"):
                for extra, truth in (((), Problem(edges, n)), (("--weights", lines), Problem(edges, n, weights))):
                    worth = getattr(truth, problem)
                    got = self.compare(worth, GOALS[problem], 2, n, problem, file, *extra)
                    self.assertEqual(worth(got["configuration"]), got["value"])
                    names = [f"v{v}" for v in range(n)]
                    self.assertCountEqual(got["chosen"],
                                          [v for v, chosen in zip(names, got["configuration"]) if chosen])

    def test_colors_cuts_and_spins(self):
        edges, n = self.random_graph(3, 8, 14)
        edges = self.order_of(edges)
        draw = random.Random(4)
        weights = [draw.randint(-5, 7) for _ in edges]
        fields = [draw.randint(-4, 4) for _ in range(n)]
        file, plain = self.edge_list(edges, "w.csv", weights), self.edge_list(edges)
        for colors in (1, 2, 3):
            worth = Problem(edges, n).coloring
            got = self.compare(worth, min, colors, n, "coloring", plain, "--colors", colors)
            self.assertEqual(worth(got["configuration"]), got["value"])
            self.assertTrue(set(got["configuration"]) <= set(range(1, colors + 1)))

        def cut(x):
            return sum(w for (u, v), w in zip(edges, weights) if x[u] != x[v])

        got = self.compare(cut, max, 2, n, "cut", file)
        self.assertEqual(cut(got["configuration"]), got["value"])

        def energy(spins, h):
            return -sum(w * spins[u] * spins[v] for (u, v), w in zip(edges, weights)) - \
                sum(a * s for a, s in zip(h, spins))

        listed = self.write("h.txt", "".join(f"{h}\n" for h in fields))
        for h, extra in (([0] * n, ()), (fields, ("--fields", listed))):
            got = self.compare(lambda x: energy([1 - 2 * s for s in x], h), min, 2, n, "ising", file, *extra)
            self.assertEqual(energy(got["configuration"], h), got["value"])

    def test_real_weights(self):
        edges = self.order_of(PETERSEN)
        weights = [0.25 * (v % 7) + 0.5 for v in range(10)]
        lines = self.write("w.txt", "# of v0, v1, ...\n" + "".join(f"{w}\n" for w in weights))
        worth = Problem(edges, 10, weights).independent_set
        got = self.compare(worth, max, 2, 10, "independent_set", self.edge_list(edges), "--weights", lines)
        self.assertEqual((got["dtype"], worth(got["configuration"])), ("f64", got["value"]))
        large = self.write("l.txt", "1000000000\n" * 10)
        got = self.solve("solve", "independent_set", self.edge_list(edges), "--weights", large)
        self.assertEqual((got["dtype"], got["value"]), ("i64", 4000000000))

    def test_sets(self):
        draw = random.Random(5)
        sets = [sorted(draw.sample("abcdefgh", draw.randint(1, 3))) for _ in range(8)]
        weights = [draw.randint(1, 5) for _ in sets]
        file = self.write("sets.csv", "".join(f"s{k},{e}\n" for k, members in enumerate(sets) for e in members))
        lines = self.write("w.csv", "name,weight\n" + "".join(f"s{k},{w}\n" for k, w in enumerate(weights)))

        def worth(x):
            members = [e for k, chosen in enumerate(x) if chosen for e in sets[k]]
            return sum(w for w, chosen in zip(weights, x) if chosen) if len(members) == len(set(members)) else None

        got = self.compare(worth, max, 2, len(sets), "set_packing", file, "--weights", lines)
        self.assertEqual((got["sets"], worth(got["configuration"])), (8, got["value"]))
        rows = "3 4 5\n1 1\n1 2\n2 2\n2 3\n3 4\n"
        matrix = self.write("s.mtx", "%%MatrixMarket matrix coordinate pattern general\n" + rows)
        got = self.solve("solve", "set_packing", matrix, "--count")
        self.assertEqual((got["sets"], got["elements"], got["value"], got["count"]), (3, 4, 2, 2))

    def test_clauses(self):
        draw = random.Random(6)
        n, clauses = 8, []
        for _ in range(20):
            clauses.append([v * draw.choice((-1, 1)) for v in draw.sample(range(1, n + 1), draw.randint(1, 4))])
        weights = [draw.choice((0, 1, 2, 3)) for _ in clauses]  # 0: hard

        def satisfied(x):
            return [any((literal > 0) == bool(x[abs(literal) - 1]) for literal in c) for c in clauses]

        def lines(heads):
            return "".join(f"{head}{' '.join(map(str, c))} 0\n" for head, c in zip(heads, clauses))

        soft = self.write("a.cnf", f"p cnf {n} {len(clauses)}\n" + lines([""] * len(clauses)))
        self.compare(lambda x: sum(satisfied(x)), max, 2, n, "sat", soft, "--soft")
        models = sum(all(satisfied(x)) for x in itertools.product((0, 1), repeat=n))
        answer = self.kleene("solve", "sat", soft, "--count", "--json")
        self.assertEqual((answer.code, answer.json["count"]), (0 if models else NONE, models))

        def worth(x):
            true = satisfied(x)
            if any(w == 0 and not t for w, t in zip(weights, true)):
                return None
            return sum(w for w, t in zip(weights, true) if t)

        old = f"p wcnf {n} {len(clauses)} 99\n" + lines([f"{w or 99} " for w in weights])
        new = lines([f"{w or 'h'} " for w in weights])
        for file in (self.write("old.wcnf", old), self.write("new.wcnf", new)):
            got = self.compare(worth, max, 2, n, "sat", file)
            self.assertEqual(worth(got["configuration"]), got["value"])
            self.assertEqual(got["chosen"], [v + 1 for v in range(n) if got["configuration"][v]])

    def test_unsatisfiable(self):
        file = self.write("no.cnf", "p cnf 1 2\n1 0\n-1 0\n")
        answer = self.kleene("solve", "sat", file, "--json", "--count", "--best", 2, "--configuration", self.path("o"))
        got = answer.json
        self.assertEqual((answer.code, answer.err), (NONE, ""))
        self.assertEqual([got[key] for key in ("feasible", "value", "count", "best", "check", "configuration")],
                         [False, None, 0, [], None, []])
        self.assertFalse(os.path.exists(self.path("o")))
        self.assertIn("unsatisfiable", self.kleene("solve", "sat", file).out)

    def test_factors(self):
        text = "BAYES\n3\n2 2 3\n3\n1 0\n2 0 1\n2 1 2\n2\n0.25 0.75\n4\n0.5 0.5 0 1\n6\n0.25 0.25 0.5 1 0 0\n"
        tables = [0.25, 0.75], [0.5, 0.5, 0, 1], [0.25, 0.25, 0.5, 1, 0, 0]
        products = {(a, b, c): tables[0][a] * tables[1][2 * a + b] * tables[2][3 * b + c]
                    for a in (0, 1) for b in (0, 1) for c in (0, 1, 2)}
        got = self.solve("solve", "factors", self.write("b.uai", text), "--partition", "--count", "--best", 16)
        ranked = sorted((math.log(p) for p in products.values() if p > 0), reverse=True)
        self.assertAlmostEqual(got["value"], ranked[0], places=12)
        self.assertAlmostEqual(got["log_partition"], math.log(sum(products.values())), places=12)
        self.assertEqual(len(got["best"]), len(ranked))
        for value, truth in zip(got["best"], ranked):
            self.assertAlmostEqual(value, truth, places=12)
        self.assertEqual(tuple(got["configuration"]), max(products, key=products.get))
        shown = self.kleene("solve", "factors", self.path("b.uai")).out
        self.assertIn(f", the logarithm of {max(products.values()):.6g}\n", shown)
        small = self.write("s.uai", "MARKOV\n1\n2\n2\n1 0\n1 0\n2\n0 1e-200\n2\n1 1e-300\n")
        self.assertIn("value       -1151.293, the logarithm of 10^-500\n", self.kleene("solve", "factors", small).out)
        self.assertEqual(got["count"], 1)

    def test_roads(self):
        roads, chosen = self.data("road/minnesota.mtx"), self.path("chosen.csv")
        got = self.solve("solve", "independent_set", roads, "--configuration", chosen)
        self.assertEqual((got["value"], len(got["chosen"])), (1323, 1323))
        with open(chosen, encoding="utf-8") as file:
            values = dict(line.strip().split(",") for line in file)
        self.assertEqual(values.pop("vertex"), "chosen")
        self.assertEqual(len(values), 2642)
        with open(roads, encoding="utf-8") as file:
            lines = [line.split() for line in file if not line.startswith("%")][1:]
        self.assertFalse([line for line in lines if values[line[0]] == values[line[1]] == "1"])
        small = self.solve("solve", "independent_set", roads, "--memory", "200kB", "--seconds", 2)
        self.assertEqual(small["value"], 1323)
        self.assertGreater(small["slices"], 1)
        self.assertLessEqual(small["bytes"], 200000)


class SolveFiles(Solve):
    def test_formats(self):
        edges = [(u + 1, v + 1) for u, v in PETERSEN]
        both = edges + [(v, u) for u, v in edges]
        files = {
            "p.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n10 10 15\n" +
                     "".join(f"{max(e)} {min(e)}\n" for e in edges),
            "g.mtx": "%%MatrixMarket matrix coordinate integer general\n10 10 30\n" +
                     "".join(f"{u} {v} 1\n" for u, v in both),
            "p.gset": "10 15\n" + "".join(f"{u} {v} 1\n" for u, v in edges),
            "p.col": "p edge 10 15\n" + "".join(f"e {u} {v}\n" for u, v in edges),
            "twice.clq": "p col 10 30\n" + "".join(f"e {u} {v}\n" for u, v in both),
            "p.gr": "p sp 10 30\n" + "".join(f"a {u} {v} 1\n" for u, v in both),
            "p.txt": "".join(f"{u} {v}\n" for u, v in edges),
        }
        for file, text in files.items():
            with self.subTest(file):
                got = self.solve("solve", "cut", self.write(file, text), "--count")
                self.assertEqual((got["vertices"], got["edges"], got["value"], got["count"]), (10, 15, 12, 10))
                self.assertEqual(self.solve("solve", "independent_set", self.path(file))["value"], 4)

    def test_spins_that_all_meet_have_weights_of_minus_one(self):
        """In a list of all distances -1 would be asked about; here every number is a weight."""
        couplings = {(0, 1): 1, (0, 2): -1, (0, 3): 1, (1, 2): 1, (1, 3): -1, (2, 3): 1}
        rows = "".join(f"{u + 1} {v + 1} {j}\n" for (u, v), j in couplings.items())
        energies = [-sum(j * s[u] * s[v] for (u, v), j in couplings.items())
                    for s in itertools.product((1, -1), repeat=4)]
        for file in (self.write("all.gset", "4 6\n" + rows),
                     self.write("all.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n4 4 6\n" +
                                "".join(f"{v + 1} {u + 1} {j}\n" for (u, v), j in couplings.items()))):
            got = self.solve("solve", "ising", file, "--count")
            self.assertEqual((got["value"], got["count"]), (min(energies), energies.count(min(energies))), file)

    def test_compressed_and_piped(self):
        text = "p cnf 2 1\n1 2 0\n"
        with gzip.open(self.path("a.cnf.gz"), "wb") as packed:
            packed.write(text.encode())
        self.assertEqual(self.solve("solve", "sat", self.path("a.cnf.gz"), "--count")["count"], 3)
        piped = subprocess.run([harness.PROGRAM, "solve", "sat", "-", "--count"], input=text, text=True,
                               capture_output=True, check=False)
        self.assertEqual(piped.returncode, 0)
        self.assertIn("count       3 optimal answers\n", piped.stdout)

    def test_devices(self):
        graph = self.edge_list(PETERSEN)
        places = {"cpu": "cpu", "auto": "cpu"}  # a device is worth its start for more than this
        if self.solve("info")["cuda"]["devices"]:
            places["cuda"] = "cuda"
        for place, device in places.items():
            got = self.solve("solve", "cut", graph, "--count", "--best", 3, "--device", place)
            self.assertEqual((got["value"], got["count"], got["best"]), (12, 10, [12, 12, 12]), place)
            self.assertEqual(got["device"], device)
        self.refuse(USAGE, "solve", "cut", graph, "--device", "gpu", says=["unknown device 'gpu'"])
        if "cuda" not in places:
            self.refuse(DEVICE, "solve", "cut", graph, "--device", "cuda", says=["no CUDA device"])

    def test_text_has_the_same_facts(self):
        edges = self.order_of(PETERSEN)
        graph = self.edge_list(edges)
        answer = self.kleene("solve", "independent_set", graph, "--count", "--best", 3)
        self.assertEqual((answer.code, answer.err), (0, ""))
        lines = dict(line.split(None, 1) for line in answer.out.splitlines())
        self.assertEqual(lines["file"], f"{graph} (edge list): 10 vertices, 15 edges")
        self.assertEqual((lines["value"], lines["count"], lines["best"]), ("4", "5 optimal answers", "4, 4, 4"))
        self.assertRegex(lines["answer"], r"^4 of 10 vertices: v\d, v\d, v\d, v\d$")
        chosen = [int(v[1:]) for v in lines["answer"].split(": ")[1].split(", ")]
        self.assertFalse([e for e in edges if e[0] in chosen and e[1] in chosen])
        self.assertEqual(lines["check"], "passed: no two that are chosen are neighbours")
        self.assertRegex(lines["cost"], r"^2\^[\d.]+ operations \(2\^[\d.]+ with --count and --best\), "
                                        r"largest tensor 2\^[\d.]+ elements, 1 slice; order: .+$")
        self.assertEqual(self.kleene("solve", "independent_set", graph, "--quiet").out, "")

    def test_words_of_answers(self):
        path = self.write("path.csv", "1,2\n2,3\n")
        text = self.kleene("solve", "coloring", path, "--colors", 2, "--count").out
        self.assertRegex(text, r"\nanswer      [12] of colour 1, [12] of colour 2\n")
        self.assertRegex(text, r"\ncount       2 optimal answers\n")
        self.assertRegex(text, r"\ncost        2\^[\d.]+ operations \(2\^[\d.]+ with --count\), ")
        one = self.kleene("solve", "independent_set", path, "--count").out
        self.assertIn("\ncount       1 optimal answer\n", one)
        help_text = " ".join(self.kleene("solve", "--help").out.split())
        self.assertIn("Draw the answer on the graph; needs --coordinates", help_text)

    def test_configurations(self):
        names = self.write("odd.csv", '"Halle, Westf.",Ulm,2\nUlm,"say ""no""",3\n')
        self.assertEqual(self.kleene("solve", "cut", names, "--quiet", "--configuration", self.path("c.txt")).code, 0)
        with open(self.path("c.txt"), encoding="utf-8") as file:
            got = file.read()
        self.assertIn(got, ['vertex,side\n"Halle, Westf.",0\nUlm,1\n"say ""no""",0\n',
                            'vertex,side\n"Halle, Westf.",1\nUlm,0\n"say ""no""",1\n'])
        out = self.kleene("solve", "independent_set", names, "--configuration", "-", "--quiet").out
        self.assertEqual(out, 'vertex,chosen\n"Halle, Westf.",1\nUlm,0\n"say ""no""",1\n')
        self.kleene("solve", "ising", names, "--quiet", "--configuration", self.path("c.tsv"))
        with open(self.path("c.tsv"), encoding="utf-8") as file:
            spins = file.read().splitlines()
        self.assertEqual(spins[0], "vertex\tspin")
        self.assertEqual(len({line.split("\t")[1] for line in spins[1:]}), 1)  # all alike

    def test_maps(self):
        graph = self.write("square.txt", "1 2\n2 3\n3 4\n4 1\n")
        places = self.write("places.mtx", "%%MatrixMarket matrix array real general\n4 2\n0\n0\n1\n1\n0\n1\n1\n0\n")
        for problem, colours in (("independent_set", {"#d1243f": 2, "#9aa7b5": 2}), ("cut", {"#d1243f": 2})):
            svg = self.path(problem + ".svg")
            self.assertEqual(self.kleene("solve", problem, graph, "--svg", svg, "--coordinates", places).code, 0)
            root = xml.etree.ElementTree.parse(svg).getroot()
            dots = [circle.get("fill") for circle in root.iter(SVG + "circle")]
            self.assertEqual(len(dots), 4)
            for colour, count in colours.items():
                self.assertEqual(dots.count(colour), count)
            lines = [path for path in root.iter(SVG + "path") if path.get("d").count("M") == 4]
            self.assertEqual(len(lines), 1)
            words = [text.text for text in root.iter(SVG + "text")]
            self.assertTrue({"side 0", "side 1", "an edge between the sides"} <= set(words) if problem == "cut"
                            else {"chosen", "not chosen"} <= set(words))
        listed = self.write("places.csv", "name,lon,lat\n4,1,0\n1,0,0\n3,1,1\n2,0,1\n")
        ordered = self.write("places.txt", "0 0\n0 1\n1 1\n1 0\n")
        drawn = []
        for file in (places, listed, ordered):
            self.kleene("solve", "cut", graph, "--svg", self.path("x.svg"), "--coordinates", file)
            with open(self.path("x.svg"), encoding="utf-8") as svg:
                drawn.append(svg.read())
        self.assertEqual(drawn[0], drawn[1])
        self.assertEqual(drawn[0], drawn[2])
        for text, says in (("1,0,0\n2,0\n", "p.csv:2: no name, where other lines have one"),
                           ("1,0,x\n", "p.csv:1: the coordinate 'x' is not a number"),
                           ("0,inf\n", "p.csv:1: the coordinate 'inf' is not finite"),
                           ("1,0,0,0\n", "p.csv:1: 4 fields where a name and two coordinates belong")):
            self.refuse(BAD_INPUT, "solve", "cut", graph, "--svg", self.path("x.svg"), "--coordinates",
                        self.write("p.csv", text), says=[says])
        self.refuse(BAD_INPUT, "solve", "cut", graph, "--svg", self.path("x.svg"), "--coordinates",
                    self.data("road/minnesota_coord.mtx"), says=["2642 x 2", "4 vertices"])
