"""Pictures: what they say, whether it can be read, and that any name may stand in them; plots in a terminal."""

import os
import re
import subprocess
import xml.etree.ElementTree

import harness
from harness import CliTest

SVG = "{http://www.w3.org/2000/svg}"
USAGE = 2
NO_PATH = "#d3cfc8"
NET = "Bonn,Essen,84\nEssen,München,612\nMünchen,Fulda,410\nBonn,Fulda,1200\nÜlm,Bonn,500\n"


class Picture:
    """An SVG file, parsed: no NaN in it, and no letters below 11 pixels where it is shown 900 pixels wide."""

    def __init__(self, test, path):
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        test.assertNotRegex(self.source, r"\b(nan|inf)\b")
        root = xml.etree.ElementTree.fromstring(self.source)
        self.root = root
        width = float(root.get("width"))
        letters = list(root.iter(SVG + "text"))
        self.words = [text.text for text in letters]
        self.titles = [title.text for title in root.iter(SVG + "title")]
        for text in letters:
            test.assertGreaterEqual(float(text.get("font-size")) * 900 / width, 11, text.text)
            test.assertGreaterEqual(float(text.get("x")), 0)
            test.assertLessEqual(float(text.get("x")), width)

    def count(self, tag, **attributes):
        return sum(all(e.get(key) == value for key, value in attributes.items()) for e in self.root.iter(SVG + tag))


class Pictures(CliTest):
    def draw(self, *arguments, code=0):
        svg = self.path("picture.svg")
        answer = self.kleene(*arguments, "--svg", svg, "--quiet")
        self.assertEqual((answer.code, answer.err), (code, ""))
        return Picture(self, svg)

    def chain(self, count):
        return self.write("chain.csv", "".join(f"v{i},v{i + 1},{i % 7 + 1}\n" for i in range(count - 1)))

    def test_route(self):
        got = self.draw("path", self.write("net.csv", NET), "Bonn", "Fulda", "--unit", "km")
        for word in ("net: from Bonn to Fulda", "1106 km over 3 arcs", "Bonn", "Essen", "München", "Fulda",
                     "84", "612", "410", "0", "696", "1106"):
            self.assertIn(word, got.words)
        self.assertEqual(got.count("circle"), 4)
        # Beside the route an arc enters Bonn, and one leaves it for Fulda.
        self.assertEqual(sorted(t for t in got.titles if "more" in t),
                         ["1 more arc enters Bonn", "1 more arc enters Fulda", "1 more arc leaves Bonn"])

    def test_maps_of_a_plane_have_no_scale(self):
        """The bar is for degrees: not for all whole numbers, nor for all in [0, 1]."""
        square = self.write("square.csv", "1,2,1\n2,3,1\n3,4,1\n")
        for points, has_bar in (("0,0\n0,9\n9,9\n9,0\n", False), ("0.25,0\n0,1\n1,0.5\n1,0\n", False),
                                ("0.25,0\n0,1\n1,0.5\n1,1.5\n", True), ("-93.5,45\n-93,46\n-92,45\n-91,44\n", True),
                                ("-93.5,45\n-93,146\n-92,45\n-91,44\n", False)):
            places = self.write("places.csv", points)
            got = self.draw("apsp", square, "--coordinates", places)
            self.assertEqual(any(word.endswith(" km") for word in got.words), has_bar, points)
        for model, flags in (("geometric", ("--vertices", 30)), ("grid", ("--vertices", 30))):
            self.solve("gen", model, *flags, "--out", self.path("g.mtx"), "--coordinates", self.path("c.mtx"))
            got = self.draw("apsp", self.path("g.mtx"), "--coordinates", self.path("c.mtx"))
            self.assertFalse(any(word.endswith(" km") for word in got.words), model)

    def test_files_of_coordinates(self):
        """In each format the same map; by names in any order."""
        net = self.write("net.csv", "Ulm,Bonn,3\nBonn,Fulda,4\n")
        drawn = set()
        for name, text in (("c.csv", "name,lon,lat\nFulda,9.5,50.5\nUlm,10,48.5\nBonn,7,50.5\n"),
                           ("c.tsv", "Ulm\t10\t48.5\nBonn\t7\t50.5\nFulda\t9.5\t50.5\n"),
                           ("c.txt", "10 48.5\n7 50.5\n9.5 50.5\n"),
                           ("c.mtx", "%%MatrixMarket matrix array real general\n3 2\n10\n7\n9.5\n48.5\n50.5\n50.5\n")):
            for command in (("apsp", net), ("path", net, "Ulm", "Fulda")):
                drawn.add((command[0], self.draw(*command, "--coordinates", self.write(name, text)).source))
        self.assertEqual(len(drawn), 2)
        svg = self.path("no.svg")
        self.refuse(3, "path", net, "Ulm", "Fulda", "--svg", svg, "--coordinates", self.write("c.csv", "Ulm,1,2\n"),
                    says=["c.csv:1: the file ends, and Bonn has no number"])
        for command in ("apsp", "path", "solve"):
            self.assertIn("(.csv, .tsv or .txt: name,x,y or x,y; .co; .mtx: an array)",
                          " ".join(self.kleene(command, "--help").out.split()))

    def test_title_without_a_subtitle(self):
        got = self.draw("apsp", self.graph([], 3, "e1.gr"))
        self.assertEqual(got.titles[0], "e1: all distances")

    def test_routes_in_other_algebras(self):
        net = self.write("net.csv", "a,b,5\nb,c,3\nc,d,4\n")
        for algebra, totals in (("max_min", ["5", "3", "3"]), ("max_plus", ["0", "5", "8", "12"]),
                                ("min_max", ["5", "5", "5"])):
            got = self.draw("path", net, "a", "d", "--algebra", algebra)
            below = [e.text for e in got.root.iter(SVG + "text") if e.get("font-size") == "13"]
            for total in totals:
                self.assertIn(total, below, algebra)
            self.assertFalse([word for word in below if "2147483647" in word or "2147483648" in word], algebra)
        got = self.draw("path", net, "a", "d", "--algebra", "or_and")
        self.assertEqual([w for w in got.words if re.fullmatch(r"[-\d.]+", w)], [])
        got = self.draw("apsp", self.graph([(1, 2, -5), (2, 3, 4)], 3), "--picture", "route")
        self.assertIn("graph: the longest shortest route", got.words)
        self.assertIn("4 from 2 to 3, over 1 arc", got.words)

    def test_long_routes(self):
        got = self.draw("path", self.chain(60), "v0", "v59")
        self.assertEqual(got.count("circle"), 60)
        got = self.draw("path", self.chain(500), "v0", "v499")
        self.assertEqual(got.count("circle"), 59)
        self.assertTrue({"v0", "v29", "441", "left out", "v471", "v499"} <= set(got.words))
        self.assertFalse({"v30", "v470"} & set(got.words))
        xs = [float(e.get("cx")) for e in got.root.iter(SVG + "circle")]
        self.assertTrue(all(0 < x < 900 for x in xs))

    def test_routes_that_are_none(self):
        graph = self.graph([(1, 2, 3)], 3)
        got = self.draw("path", graph, 2, 1, code=1)
        self.assertTrue({"no path", "there is no path"} <= set(got.words))
        self.assertEqual(self.draw("path", graph, 3, 3).count("circle"), 1)
        for arcs, n in (([], 0), ([], 4)):
            got = self.draw("apsp", self.graph(arcs, n), "--picture", "route")
            self.assertIn("there is no path", got.words)

    def test_names_of_any_kind(self):
        long_name = "the longest of all names, which is cut"
        path = self.path("odd.csv")
        with open(path, "wb") as file:
            file.write(b'"<a&b>",caf\xe9,1\ncaf\xe9,"say ""no""",2\n' + b'"say ""no""","%s",3\n' % long_name.encode())
        for arguments in (["path", path, "<a&b>", long_name], ["apsp", path], ["apsp", path, "--picture", "histogram"],
                          ["apsp", path, "--picture", "route"]):
            got = self.draw(*arguments)
            if "histogram" in arguments:
                continue
            for name in ("<a&b>", r"caf\xe9", 'say "no"'):
                self.assertIn(name, got.words)
            self.assertIn(long_name, got.titles)
            self.assertNotIn(long_name, got.words)
            self.assertTrue(any(long_name.startswith(w[:-1]) and w.endswith("…") for w in got.words if len(w) > 9))

    def test_wide_letters(self):
        """What is cut is cut by the width of its letters: a W is as wide as it is high."""
        net = self.write("wide.csv", "".join(f"{'W' * 30}{i},{'W' * 30}{i + 1},1\n" for i in range(20)))
        for picture in ("heat", "route"):
            names = [w for w in self.draw("apsp", net, "--picture", picture).words if w.startswith("W")]
            self.assertGreaterEqual(len(names), 21)
            self.assertTrue(all(len(name) <= 13 for name in names), names)

    def test_heat_maps_have_names(self):
        got = self.draw("apsp", self.write("net.csv", NET), "--unit", "km")
        for name in ("Bonn", "Essen", "München", "Fulda", "Ülm"):
            self.assertEqual(got.words.count(name), 2, name)
        self.assertTrue({"from", "to", "km", "no path", "net: all distances", "0", "1,000"} <= set(got.words))
        self.assertGreaterEqual(got.count("path", stroke=NO_PATH), 1)
        self.assertIn("the farthest pair is Ülm and Fulda: 1606 km", got.words)
        got = self.draw("apsp", self.chain(60))
        self.assertTrue(all(got.words.count(f"v{i}") == 2 for i in range(60)))
        got = self.draw("apsp", self.chain(400))
        named = {w for w in got.words if re.fullmatch(r"v\d+", w)}
        self.assertEqual(named, {f"v{i}" for i in range(0, 400, 20)})
        got = self.draw("apsp", self.chain(50), "--sources", "v3,v4")
        self.assertEqual([got.words.count(w) for w in ("v3", "v4", "v5")], [2, 2, 1])

    def test_heat_maps_of_few(self):
        got = self.draw("apsp", self.write("few.csv", "a,b,3\nb,c,4\n"), "--unit", "km")  # of 7 km the farthest pair
        self.assertIn("6", got.words)
        self.assertFalse([w for w in got.words if "and more" in w])
        self.assertIn("there are no pairs", self.draw("apsp", self.graph([], 1)).words)
        got = self.draw("apsp", self.graph([], 3))
        self.assertIn("0 of 6 pairs have a path", " ".join(got.words))
        self.assertIn("no path", got.words)
        got = self.draw("apsp", self.graph([(1, 2, 0)], 3), "--algebra", "or_and")
        self.assertTrue({"a path", "no path", "graph: which vertices reach which"} <= set(got.words))

    def test_histogram(self):
        # Undirected and unweighted: 156, 530, 274, 146 and 16 ordered pairs (SciPy).
        got = self.draw("apsp", self.data("lagraph/karate.mtx"), "--picture", "histogram")
        self.assertEqual(got.titles[1:],
                         ["1: 156 pairs", "2: 530 pairs", "3: 274 pairs", "4: 146 pairs", "5: 16 pairs"])
        self.assertTrue({"median 2", "longest 5", "pairs", "distance", "1", "5", "200"} <= set(got.words))
        got = self.draw("apsp", self.data("road/minnesota_km.mtx"), "--picture", "histogram", "--unit", "km")
        self.assertTrue({"longest 846.408 km", "median 219.475 km", "distance in km", "800"} <= set(got.words))
        self.assertIn("6,966,962 of 6,977,522 pairs have a path", " ".join(got.words))
        counts = [int(t.split(": ")[1].split()[0].replace(",", "")) for t in got.titles[1:]]
        self.assertEqual(sum(counts), 6966962)
        self.assertLessEqual(len(counts), 40)
        got = self.draw("apsp", self.graph([(1, 2, -5), (2, 3, 4)], 3), "--picture", "histogram")
        self.assertEqual(got.titles[1:], ["-5: 1 pair", "-1: 1 pair", "4: 1 pair"])
        got = self.draw("apsp", self.graph([], 3), "--picture", "histogram")
        self.assertIn("no pair has a path", got.words)
        got = self.draw("apsp", self.graph([(1, 2, 0.25)], 2), "--picture", "histogram")
        self.assertIn("median and longest 0.25", got.words)


class Plots(CliTest):
    """Below the text of the answer, character by character."""

    def plot(self, *arguments, locale="C.UTF-8", columns="60", code=0):
        answer = self.kleene(*arguments, "--plot", env={"LC_ALL": locale, "COLUMNS": columns})
        self.assertEqual((answer.code, answer.err), (code, ""))
        self.assertNotIn("\x1b", answer.out)
        self.assertIn("\n\n", answer.out)
        plot = answer.out.split("\n\n", 1)[1]
        self.assertTrue(all(len(line) <= int(columns) for line in plot.splitlines()), plot)
        if locale == "C":
            self.assertTrue(plot.isascii())
        return plot

    def test_route(self):
        net = self.write("net.csv", NET)
        path = ["path", net, "Bonn", "Fulda"]
        self.assertEqual(self.plot(*path), "Bonn ─[84]→ Essen ─[612]→ München ─[410]→ Fulda\n")
        self.assertEqual(self.plot(*path, locale="C"), "Bonn -[84]-> Essen -[612]-> M?nchen -[410]-> Fulda\n")
        self.assertEqual(self.plot(*path, columns="40"), "Bonn ─[84]→ Essen ─[612]→ München\n  ─[410]→ Fulda\n")
        self.assertEqual(self.plot("path", net, "Fulda", "Bonn", code=1), "Fulda (no path) Bonn\n")
        self.assertEqual(self.plot("apsp", net, "--picture", "route", columns="80"),
                         "Ülm ─[500]→ Bonn ─[84]→ Essen ─[612]→ München ─[410]→ Fulda\n")
        self.assertEqual(self.plot("path", net, "Bonn", "Fulda", "--algebra", "or_and"), "Bonn ─→ Fulda\n")
        chain = self.write("chain.csv", "".join(f"v{i},v{i + 1},1\n" for i in range(99)))
        plot = self.plot("path", chain, "v0", "v99")
        self.assertIn("v29 ─→ (41 left out) ─→ v71", " ".join(plot.split()))

    def test_histogram(self):
        # 1 -> 2 (3), 2 -> 3 (4), 1 -> 3 (7); 4 is alone: 3 of 12 pairs, of 3, 4 and 7.
        graph = self.graph([(1, 2, 3), (2, 3, 4)], 4)
        self.assertEqual(self.plot("apsp", graph, "--picture", "histogram", columns="40", locale="C"),
                         "distance  pairs\n"
                         "       3      1  " + "#" * 23 + "\n"
                         "       4      1  " + "#" * 23 + "\n"
                         "       5      0\n"
                         "       6      0\n"
                         "       7      1  " + "#" * 23 + "\n"
                         "median 4, longest 7;\n  9 pairs have no path\n")
        plot = self.plot("apsp", self.data("lagraph/karate.mtx"), "--picture", "histogram", columns="70")
        self.assertEqual(plot,
                         "distance  pairs\n"
                         "       1    156  " + "█" * 15 + "▋\n"
                         "       2    530  " + "█" * 53 + "\n"
                         "       3    274  " + "█" * 27 + "▍\n"
                         "       4    146  " + "█" * 14 + "▋\n"
                         "       5     16  █▋\n"
                         "median 2, longest 5\n")
        large = self.plot("apsp", self.data("road/minnesota_km.mtx"), "--unit", "km", columns="80")
        self.assertIn("\n800 to 850      180  ▏\n", large)
        self.assertIn("median 219.475 km, longest 846.408 km; 10,560 pairs have no path\n", large)
        self.assertEqual(self.plot("apsp", self.graph([], 3), "--picture", "histogram"),
                         "no pair has a path, 6 have none\n")

    def test_heat_map(self):
        graph = self.write("net.csv", "A,Öl,1\nÖl,C,7\n")
        self.assertEqual(self.plot("apsp", graph),
                         "      Ö\n"
                         "    A l C\n"
                         " A    ░░██\n"
                         "Öl  --  ██\n"
                         " C  ----\n"
                         "░░ 0 to 2  ▒▒ 2 to 4  ▓▓ 4 to 6  ██ 6 to 8  -- no path\n")
        self.assertEqual(self.plot("apsp", graph, "--unit", "h", locale="C"),
                         "      ?\n"
                         "    A l C\n"
                         " A    ..##\n"
                         "?l  --  ##\n"
                         " C  ----\n"
                         ".. 0 to 2  :: 2 to 4  oo 4 to 6  ## 6 to 8 h  -- no path\n")
        self.assertEqual(self.plot("apsp", graph, "--algebra", "or_and"),
                         "      Ö\n    A l C\n A    ████\nÖl  --  ██\n C  ----\n██ a path  -- no path\n")
        self.assertEqual(self.plot("apsp", self.graph([], 1)), "there are no pairs\n")
        self.assertEqual(self.plot("apsp", self.graph([], 0)), "there are no pairs\n")
        large = self.plot("apsp", self.data("road/minnesota_km.mtx"), "--picture", "heat")
        self.assertEqual(large.splitlines()[23:],
                         ["░░ 0 to 157.3  ▒▒ 157.3 to 314.6  ▓▓ 314.6 to 471.9", "  ██ 471.9 to 629.2",
                          "from: top to bottom, to: left to right;",
                          "  2,642 x 2,642 vertices, a cell is the mean of several"])

    def test_locales(self):
        net = self.write("net.csv", "a,b,1\n")
        for env, arrow in (({"LC_ALL": "", "LC_CTYPE": "", "LANG": "de_DE.utf8"}, "─[1]→"),
                           ({"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, "-[1]->"),
                           ({"LC_ALL": "", "LC_CTYPE": "C", "LANG": "de_DE.UTF-8"}, "-[1]->"),
                           ({"LC_ALL": "", "LC_CTYPE": "", "LANG": ""}, "-[1]->")):
            self.assertIn(f"\na {arrow} b\n", self.kleene("path", net, "a", "b", "--plot", env=env).out)

    def test_beside_a_result(self):
        """The plot goes where the text goes."""
        graph = self.graph([(1, 2, 3)], 2)
        done = subprocess.run([harness.PROGRAM, "apsp", graph, "--out", "-", "--format", "csv", "--plot"],
                              capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"})
        self.assertEqual(done.stdout, "from,to,distance\n1,2,3\n")
        self.assertTrue(done.stderr.endswith("   1 2\n1    ##\n2  --\n## 3  -- no path\n"), done.stderr)

    def test_flags_are_known_everywhere(self):
        for arguments in (["completion", "bash"], ["completion", "zsh"], ["man"], ["apsp", "--help"],
                          ["path", "--help"]):
            out = self.kleene(*arguments).out.replace("\\-", "-")
            for flag in ("--plot", "--picture"):
                self.assertIn(flag, out, arguments)
        self.assertIn("heat histogram route map", self.kleene("completion", "bash").out)
