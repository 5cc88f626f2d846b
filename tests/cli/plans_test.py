"""One door: plans over max_plus, components over or_and, probabilities over max_times, closures with predecessors."""

import subprocess

import numpy as np

import harness
from harness import CliTest

USAGE, BAD_INPUT = 2, 3
# Days from one event to the next: dig, pour, frame and roof (3 + 5 + 9 + 4) beside pipes (3 + 2 + 6).
PLAN = "from,to,days\nstart,dug,3\ndug,poured,5\npoured,framed,9\nframed,done,4\ndug,piped,2\npiped,framed,6\n"


class Plans(CliTest):
    def setUp(self):
        super().setUp()
        self.plan = self.write("plan.csv", PLAN)

    def test_critical_path(self):
        got = self.solve("apsp", self.plan, "--algebra", "max_plus", "--slack", self.path("s.csv"))
        self.assertEqual((got["diameter"], got["critical_path"]), (21, ["start", "dug", "poured", "framed", "done"]))
        slack = {row["vertex"]: (row["earliest"], row["latest"], row["slack"]) for row in got["slack"]}
        # Pipes may be done from day 5 to 11: 17 - 6.
        self.assertEqual(slack, {"start": (0, 0, 0), "dug": (3, 3, 0), "poured": (8, 8, 0), "framed": (17, 17, 0),
                                 "done": (21, 21, 0), "piped": (5, 11, 6)})
        with open(self.path("s.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), "vertex,earliest,latest,slack\nstart,0,0,0\ndug,3,3,0\npoured,8,8,0\n"
                                          "framed,17,17,0\ndone,21,21,0\npiped,5,11,6\n")
        text = self.kleene("apsp", self.plan, "--algebra", "max_plus", "--unit", "days").out
        self.assertIn("longest     21 days from start to done\n", text)
        self.assertIn("critical    start -> dug -> poured -> framed -> done (4 arcs)\n", text)
        self.assertIn("slack       5 of 6 vertices have none; the most is 6 days at piped\n", text)
        self.assertNotIn("\nroute", text)

    def test_reals(self):
        """0.1 + 0.2 one way and 0.3 the other: neither may be late."""
        plan = self.write("reals.csv", "a,b,0.1\nb,d,0.2\na,c,0.15\nc,d,0.15\n")
        got = self.solve("apsp", plan, "--algebra", "max_plus")
        self.assertEqual([row["slack"] for row in got["slack"]], [0, 0, 0, 0])
        self.assertIn("slack       no vertex has any\n", self.kleene("apsp", plan, "--algebra", "max_plus").out)

    def test_some_sources_and_no_arcs(self):
        got = self.solve("apsp", self.plan, "--algebra", "max_plus", "--sources", "dug")
        self.assertEqual((got["diameter"], got["critical_path"]), (18, ["dug", "poured", "framed", "done"]))
        self.assertIsNone(got["slack"])
        got = self.solve("apsp", self.graph([], 2), "--algebra", "max_plus")
        self.assertEqual((got["critical_path"], [row["slack"] for row in got["slack"]]), ([], [0, 0]))
        asked = self.solve("apsp", self.plan, "--algebra", "max_plus", "--from", "dug", "--to", "framed")
        self.assertEqual((asked["route"], len(asked["critical_path"])), (["dug", "poured", "framed"], 5))

    def test_refusals(self):
        out = self.path("s.csv")
        self.refuse(USAGE, "apsp", self.plan, "--slack", out, says=["--slack", "max_plus"])
        self.refuse(USAGE, "apsp", self.plan, "--algebra", "max_plus", "--slack", out, "--sources", "dug",
                    says=["no --sources"])
        self.refuse(USAGE, "apsp", self.plan, "--algebra", "max_plus", "--slack", self.path("s.npy"), says=["s.npy"])
        self.refuse(USAGE, "apsp", self.plan, "--algebra", "max_plus", "--slack", self.plan, says=["same file"])
        circle = self.write("circle.csv", "a,b,3\nb,a,2\n")
        self.refuse(BAD_INPUT, "apsp", circle, "--algebra", "max_plus", "--slack", out, "--quiet", says=["cycle"])


class OneDoor(CliTest):
    def test_components(self):
        arcs = [(1, 2, 0), (2, 3, 0), (3, 1, 0), (4, 5, 0), (5, 4, 0), (3, 4, 0)]
        got = self.solve("apsp", self.graph(arcs, 6), "--algebra", "or_and")
        self.assertEqual((got["components"], got["component_sizes"]), (3, [3, 2, 1]))
        text = self.kleene("apsp", self.path("graph.gr"), "--algebra", "or_and").out
        self.assertIn("components  3 groups in which all vertices reach each other, with 3, 2 and 1 vertices\n", text)
        self.assertNotIn("diameter", text)
        self.assertNotIn("components", self.solve("apsp", self.path("graph.gr")))
        whole = self.kleene("apsp", self.data("lagraph/karate.mtx"), "--algebra", "or_and").out
        self.assertIn("components  1: every vertex reaches every other\n", whole)

    def test_more_than_certain(self):
        odds = self.graph([(1, 2, 0.5), (2, 3, 1.5)], 3)
        for command in (["apsp", odds], ["path", odds, 1, 3]):
            noted = self.kleene(*command, "--algebra", "max_times")
            self.assertEqual((noted.code, noted.err), (0, f"kleene: note: {odds}:3: arc 2 -> 3 has weight 1.5, and "
                                                          "probabilities are at most 1\n"))
            self.assertEqual(self.kleene(*command, "--algebra", "max_times", "--quiet").err, "")
            self.assertEqual(self.kleene(*command).err, "")
        self.assertIn("the largest element is 1.5", self.kleene("closure", odds, "--algebra", "max_times").err)
        self.assertEqual(self.kleene("apsp", self.graph([(1, 2, 1)], 2), "--algebra", "max_times").err, "")

    def test_closure_outputs(self):
        net = self.write("net.csv", "a,b,2\nb,c,3\na,c,9\n")
        out, last = self.path("c.npy"), self.path("p.npy")
        self.solve("closure", net, "--out", out, "--predecessors", last)
        np.testing.assert_array_equal(np.load(last), [[-1, 0, 1], [-1, -1, 1], [-1, -1, -1]])
        self.assertTrue(self.solve("verify", net, out, last)["correct"])
        got = self.solve("closure", net, "--out", out, "--predecessors", last, "--sources", "b,a")
        none = np.iinfo(np.int32).max // 2
        np.testing.assert_array_equal(np.load(out), [[none, 0, 3], [0, 2, 5]])
        np.testing.assert_array_equal(np.load(last), [[-1, -1, 1], [-1, 0, 1]])
        self.assertEqual(got["entries"], 6)
        self.solve("closure", net, "--out", self.path("c.csv"), "--sources", "b")
        with open(self.path("c.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), "from,to,value\nb,b,0\nb,c,3\n")
        self.refuse(USAGE, "closure", net, "--sources", "a", says=["--sources", "--out"])
        self.refuse(USAGE, "closure", net, "--out", out, "--sources", "a,x", says=["no vertex 'x'"])
        self.refuse(USAGE, "closure", net, "--predecessors", last, "--algebra", "plus_times", says=["selects one"])
        self.refuse(USAGE, "closure", net, "--predecessors", last, "--out", last, says=["same file"])
        self.refuse(USAGE, "closure", net, "--predecessors", self.path("p.csv"),
                    says=["--predecessors writes NumPy's format", "p.npy"])


class Shells(CliTest):
    def complete(self, line):
        """What bash offers at the end of this line."""
        script = (f"source <('{harness.PROGRAM}' completion bash); read -ra COMP_WORDS <<< \"$1\"; "
                  "[[ $1 == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kleene; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", script, "bash", line], capture_output=True, text=True, check=True,
                              cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.write("roads.csv", "")
        self.assertTrue({"apsp", "gen", "verify", "convert", "completion", "man"} <= set(self.complete("kleene ")))
        self.assertEqual(self.complete("kleene ver"), ["verify"])
        self.assertEqual(self.complete("kleene apsp --pred"), ["--predecessors"])
        self.assertEqual(self.complete("kleene gen "), ["rmat", "grid", "geometric", "regular", "planted-cycle"])
        self.assertEqual(self.complete("kleene gen grid --format np"), ["npy"])
        self.assertEqual(self.complete("kleene apsp --dtype f"), ["f32", "f64", "f16"])
        self.assertEqual(self.complete("kleene apsp ro"), ["roads.csv"])
        self.assertEqual(self.complete("kleene apsp --out ro"), ["roads.csv"])
        self.assertEqual(self.complete("kleene completion "), ["bash", "zsh"])
        # Every flag of --help is there.
        for command in ("apsp", "verify", "bench"):
            offered = set(self.complete(f"kleene {command} --"))
            for line in self.kleene(command, "--help").out.splitlines():
                if line.startswith("  --"):
                    self.assertIn(line.split()[0].split(",")[0], offered)

    def test_zsh(self):
        script = self.kleene("completion", "zsh").out
        self.assertTrue(script.startswith("#compdef kleene\n"))
        self.assertIn("'--dtype[", script)
        self.assertIn(":value:(f32 f64 i32 i64 bool bf16 f16 i8 u8)'", script)
        self.assertIn("'1:what:(rmat grid geometric regular planted-cycle)'", script)
        # The quotes of zsh are those of bash: what is between them is one word a line.
        self.assertEqual(subprocess.run(["bash", "-c", "n=0; for w in $1; do n=1; done", "b", script],
                                        check=False).returncode, 0)
        self.assertEqual(script.replace("'\\''", "").count("'") % 2, 0)

    def test_manual(self):
        page = self.kleene("man").out
        self.assertTrue(page.startswith(".TH KLEENE 1"))
        for words in (".SH \"KLEENE APSP\"\n", ".SH \"KLEENE VERIFY\"\n", "\\fB\\-\\-predecessors\\fR",
                      "130 interrupted", ".TP\nplanted\\-cycle\n"):
            self.assertIn(words, page)
        self.assertEqual([line for line in page.splitlines() if line.startswith("'")], [])
        self.assertEqual(page.count("130 interrupted"), 1)

    def test_refusals(self):
        self.refuse(USAGE, "completion", says=["SHELL"])
        self.refuse(USAGE, "completion", "fish", says=["bash", "zsh"])
        self.refuse(USAGE, "man", "apsp")
