"""Edge lists as people have them: what is found out, what flags say, and names wherever vertices stand."""

import gzip
import os
import subprocess
import xml.etree.ElementTree

import harness
from harness import CliTest

USAGE, BAD_INPUT = 2, 3
NET = "from,to,km\nFulda,Essen,292.5\nEssen,München,612\nMünchen,Fulda,410\nBonn,Essen,84\n"


class EdgeLists(CliTest):
    def net(self, text=NET, name="net.csv"):
        return self.write(name, text)

    def test_names_stand_everywhere(self):
        net, svg = self.net(), self.path("net.svg")
        got = self.solve("path", net, "Bonn", "Fulda")
        self.assertEqual((got["from"], got["to"]), ("Bonn", "Fulda"))
        self.assertEqual(got["path"], ["Bonn", "Essen", "München", "Fulda"])
        self.assertEqual((got["weights"], got["cost"]), ([84, 612, 410], 1106))
        self.assertEqual(got["read_as"], "comma-separated with a header, from 'from' to 'to', weight 'km', directed, "
                                         "4 vertices by name")
        text = self.kleene("path", net, "Bonn", "Fulda").out
        self.assertIn("read as comma-separated with a header", text)
        self.assertIn("\n   München             612\n", text)
        got = self.solve("apsp", net, "--sources", "Bonn,Essen", "--from", "Essen", "--to", "Fulda", "--svg", svg)
        self.assertEqual((got["diameter_from"], got["diameter_to"]), ("Bonn", "Fulda"))
        self.assertEqual(got["route"], ["Essen", "München", "Fulda"])
        words = [e.text for e in xml.etree.ElementTree.parse(svg).getroot().iter("{http://www.w3.org/2000/svg}text")]
        self.assertTrue({"Fulda", "München", "Bonn"} <= set(words), words)
        self.assertIn("1106 from Bonn to Fulda", self.kleene("apsp", net).out)

    def test_products_go_by_numbers(self):
        one, other = self.write("one.csv", "A,B,5\nB,C,2\n"), self.write("other.csv", "C,D,5\nD,E,2\n")
        self.refuse(BAD_INPUT, "gemm", one, other, says=["one.csv: its vertices have names"])
        self.kleene("gemm", one, one, "--out", self.path("square.npy"))

    def test_memory_is_asked_for_before_facts_are_looked_for(self):
        huge = self.write("huge.gr", "p sp 2000000000 1\na 1 2 3\n")
        self.refuse(5, "info", huge, says=["2,000,000,000 vertices"])

    def test_a_name_that_is_not_there(self):
        self.refuse(USAGE, "path", self.net(), "Fuldda", "Essen",
                    says=["FROM", "net.csv has no vertex 'Fuldda'; the nearest name is 'Fulda'"])
        self.refuse(USAGE, "apsp", self.net(), "--sources", "Fulda,Rom", says=["--sources", "no vertex 'Rom'"])

    def test_numbers_as_in_the_file(self):
        snap = self.write("snap.txt", "# Undirected graph: x\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n")
        got = self.solve("path", snap, 0, 2)
        self.assertEqual((got["path"], got["cost"], got["from"]), ([0, 1, 2], 2, 0))
        self.assertEqual(self.solve("apsp", snap)["reachable_pairs"], 6)
        self.refuse(USAGE, "path", snap, 0, 3, says=["vertex 3 (they are numbered 0 to 2)"])
        negative = self.write("negative.txt", "0 1 -5\n1 2 4\n")
        self.refuse(BAD_INPUT, "apsp", negative, "--method", "dijkstra", says=["the arc 0 -> 1 has weight -5"])
        self.refuse(BAD_INPUT, "apsp", negative, "--algebra", "max_times", says=["arc 0 -> 1 has weight -5"])
        self.refuse(BAD_INPUT, "closure", negative, "--algebra", "max_times", says=["arc 0 -> 1 has weight -5"])
        gaps = self.write("gaps.txt", "10 20\n20 1000\n")
        self.assertEqual(self.solve("path", gaps, 10, 1000)["path"], ["10", "20", "1000"])

    def test_a_file_that_is_cut_off(self):
        """Noted once by every command, and no refusal: comments stay when lines are taken out."""
        cut = self.write("cut.txt", "# Undirected graph: x\n# Nodes: 4 Edges: 3\n0\t1\n1\t2\n")
        says = f"kleene: note: {cut}:2: the comment says 3 edges, and there are 2: is the file cut off?\n"
        for command in (["apsp", cut], ["path", cut, 0, 2], ["closure", cut], ["info", cut],
                        ["convert", cut, self.path("o.gr")]):
            noted = self.kleene(*command)
            self.assertEqual((noted.code, noted.err), (0, says), command)
            self.assertEqual(self.kleene(*command, "--quiet").err, "")

    def test_lines_that_are_left_out(self):
        net = self.net("from,to,km\nA,B,3\n,,\n#x,B,4\n")
        noted = self.kleene("apsp", net)
        self.assertEqual((noted.code, noted.err.count("\n")), (0, 1))
        self.assertIn(f"note: {net}:3: a row of nothing but separators is left out; {net}:4: a comment", noted.err)

    def test_zeros_have_no_sign(self):
        net = self.net("a,b,-0.0\nb,c,1.5\n")
        self.assertEqual(self.kleene("apsp", net, "--sources", "a", "--out", "-", "--format", "csv", "--quiet").out,
                         "from,to,distance\na,b,0\na,c,1.5\n")
        self.assertIn("1 edge, both ways", self.kleene("info", self.net("a,b\n"), "--undirected").out)

    def test_names_in_refusals(self):
        net = self.net("a,b,-5\nb,c,2\n")
        self.refuse(BAD_INPUT, "apsp", net, "--method", "dijkstra", says=["the arc a -> b has weight -5"])
        self.refuse(BAD_INPUT, "apsp", net, "--algebra", "max_times", says=["arc a -> b has weight -5"])
        cycle = self.net("a,b,-5\nb,a,2\n")
        answer = self.refuse(BAD_INPUT, "apsp", cycle, "--json", says=["negative cycle: "])
        self.assertEqual(sorted(answer.json["negative_cycle"]), ["a", "b"])
        self.refuse(BAD_INPUT, "closure", cycle,
                    says=["improves without end at vertex ", "(kleene apsp shows the cycle)"])
        far = self.net("a,b,1e308\nb,c,1e308\n")
        for command in (["apsp"], ["path", "a", "c"], ["apsp", "--sources", "a"], ["closure"]):
            self.refuse(BAD_INPUT, command[0], far, *command[1:], says=[f"{far}: ", "from a to c"])
        self.refuse(BAD_INPUT, "apsp", self.net("a,b,1e400\nb,c,2\n"),
                    says=[":1: the weight '1e400' is outside the range of double precision"])

    def test_a_way_of_no_arcs_is_as_wide_as_any(self):
        net, pairs, out = self.net("a,b,3\nb,c,4\n"), self.write("pairs.csv", "from,to\na,a\na,c\n"), self.path("o.csv")
        for algebra, weight in (("max_min", 2**31 - 1), ("min_max", -2**31)):
            most = self.write("most.csv", f"from,to,w\na,b,{weight}\nb,c,5\n")
            for command in (("apsp",), ("closure",), ("path", "a", "b")):
                self.refuse(BAD_INPUT, command[0], most, *command[1:], "--algebra", algebra, "--dtype", "i32",
                            says=[f"most.csv:2: arc a -> b has weight {weight}", f"\"no limit\" in {algebra} on i32"])
            found = self.solve("path", most, "a", "b", "--algebra", algebra, "--dtype", "i64")
            self.assertEqual(found["cost"], weight)
        for algebra, word, infinity, far in (("max_min", "narrowest", "inf", 3), ("min_max", "greatest", "-inf", 4)):
            self.assertIn(f"{word:>10}  {infinity:>14}  over 0 arcs",
                          self.kleene("path", net, "a", "a", "--algebra", algebra).out)
            self.assertIsNone(self.solve("path", net, "a", "a", "--algebra", algebra)["cost"])
            self.kleene("path", net, "--pairs", pairs, "--algebra", algebra, "--out", out)
            with open(out, encoding="utf-8") as file:
                self.assertEqual(file.read(), f"from,to,distance\na,a,{infinity}\na,c,{far}\n")

    def test_flags_override(self):
        text = "id;von;nach;km;min\n1;B;A;10;7\n2;A;C;20;9\n"
        net = self.net(text)
        self.refuse(BAD_INPUT, "apsp", net, says=["net.csv:1: ", "'km' or 'min' may be the weight", "--columns"])
        self.assertEqual(self.solve("path", net, "B", "C", "--columns", "von,nach,min")["cost"], 16)
        self.assertEqual(self.solve("path", net, "C", "B", "--columns", "2,3,4", "--undirected")["cost"], 30)
        self.assertEqual(self.solve("path", net, "B", "C", "--columns", "von,nach")["weights"], [1, 1])
        pairs = self.net("a b\n1 4\n")
        self.assertEqual(self.solve("apsp", pairs)["vertices"], 2)
        self.assertEqual(self.solve("apsp", pairs, "--header", "--vertices", "0-based")["vertices"], 5)
        self.assertEqual(self.solve("apsp", pairs, "--no-header", "--separator", "blank")["vertices"], 4)
        for flags in (["--columns", "von,nach"], ["--undirected"], ["--header"], ["--vertices", "names"]):
            self.refuse(USAGE, "apsp", self.data("lagraph/karate.mtx"), *flags,
                        says=["karate.mtx is no edge list (Matrix Market"])
        self.refuse(USAGE, "apsp", net, "--separator", "x",
                    says=["--separator", "one of comma, semicolon, tab, bar, blank, not 'x'"])
        self.refuse(USAGE, "apsp", net, "--columns", "von", says=["FROM,TO,WEIGHT"])
        self.refuse(USAGE, "apsp", net, "--columns", "von,,km", says=["--columns"])

    def test_names_for_other_formats(self):
        graph = self.graph([(1, 2, 3), (2, 3, 4)], 3)
        names = self.write("names.txt", "Fulda\n\"Bad \"\"Neustadt\"\"\"\nEssen\n")
        got = self.solve("path", graph, "Fulda", "Essen", "--names", names)
        self.assertEqual(got["path"], ["Fulda", 'Bad "Neustadt"', "Essen"])
        two = self.write("two.txt", "Fulda\nEssen\n")
        self.refuse(BAD_INPUT, "path", graph, "Fulda", "Essen", "--names", two, says=["2 names", "3 vertices"])
        self.refuse(USAGE, "apsp", self.net(), "--names", names, says=["have names already"])
        twice = self.write("twice.txt", "a\nb\na\n")
        self.refuse(BAD_INPUT, "apsp", graph, "--names", twice, says=["twice.txt:3: "])
        self.refuse(USAGE, "apsp", graph, "--names", names, "--out", names, says=["same file"])

    def test_line_numbers(self):
        self.refuse(BAD_INPUT, "apsp", self.net("# c\nfrom,to,km\na,b,1\na,b,x\n"), says=["net.csv:4: the weight 'x'"])
        with gzip.open(self.path("net.csv.gz"), "wb") as file:
            file.write(b"a,b\n\na,b,c\n")
        self.refuse(BAD_INPUT, "closure", self.path("net.csv.gz"), says=["net.csv.gz:3: 3 fields"])

    def test_a_question_is_answered_by_what_it_names(self):
        net = self.net("alpha,beta,gamma\nA,B,x\nB,C,y\n")
        flags = "--header", "--columns", "1,2"
        self.refuse(BAD_INPUT, "apsp", net, says=["net.csv:1: columns 1, 2 and 3 hold names", " ".join(flags)])
        self.assertEqual(self.solve("apsp", net, *flags)["vertices"], 3)
        self.assertEqual(self.solve("apsp", net, "--no-header", *flags[1:])["vertices"], 5)

    def test_pipes(self):
        done = subprocess.run([harness.PROGRAM, "path", "-", "a", "c"], input="a b\nb c\n", capture_output=True,
                              text=True, check=False, env=os.environ)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("over 2 arcs", done.stdout)

    def test_closure(self):
        got = self.solve("closure", self.net())
        self.assertEqual((got["vertices"], got["entries"]), (4, 13))
        self.assertIn("read as", self.kleene("closure", self.net()).out)
