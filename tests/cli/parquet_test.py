"""Parquet through the program: graphs and pairs read, answers and graphs written. A build without Apache Arrow has a
sentence about that. Where Python has pyarrow, it reads what kleene writes."""

import gzip
import os
import subprocess

import harness
from harness import CliTest

try:
    import pyarrow
    import pyarrow.parquet as arrow
except ImportError:
    arrow = None

USAGE, BAD_INPUT = 2, 3
LIST = "from,to,km\nFulda,Essen,292\nEssen,Ulm,150\nFulda,Ulm,500\n"


class Parquet(CliTest):
    def setUp(self):
        super().setUp()
        self.roads = self.data("parquet/roads.parquet")
        said = self.kleene("info", self.roads)
        if "has no Apache Arrow" in said.err:
            self.check_absence(said)
            self.skipTest("this build has no Apache Arrow")

    def check_absence(self, said):
        self.assertEqual((said.code, said.err.count("\n")), (BAD_INPUT, 1))
        listed, out = self.write("l.csv", LIST), self.path("d.parquet")
        for command in (("apsp", listed, "--out", out), ("closure", listed, "--out", out), ("convert", listed, out),
                        ("gen", "grid", "--vertices", 4, "--out", out)):
            self.refuse(BAD_INPUT, *command, says=["d.parquet", "has no Apache Arrow"])
        self.assertFalse(os.path.exists(out))

    def back(self, name, *flags):
        """What a file holds, by kleene itself as text."""
        self.solve("convert", self.path(name), self.path("back.csv"), *flags)
        with open(self.path("back.csv"), encoding="utf-8") as text:
            return text.read()

    def rows(self, name):
        table = arrow.read_table(self.path(name))
        return [str(c.type) for c in table.schema], [tuple(row.values()) for row in table.to_pylist()]

    def test_a_graph_of_pyarrow(self):
        got = self.solve("path", self.roads, "Fulda", "Köln")
        self.assertEqual((got["path"], got["cost"]), (["Fulda", "Essen", "Ulm", "Köln"], 842))
        self.assertEqual(got["read_as"], "from 'from' to 'to', weight 'distance' (10 of 13 columns not used), "
                                         "directed, 4 vertices by name")
        said = self.solve("info", self.roads)
        self.assertEqual((said["format"], said["named"], said["arcs"]), ("Parquet", True, 4))
        self.assertEqual(self.solve("apsp", self.roads, "--undirected")["arcs"], 8)
        self.assertEqual(self.solve("apsp", self.roads, "--columns", "i8,u32,f32")["vertices"], 5)
        with open(self.roads, "rb") as pipe:
            done = subprocess.run([harness.PROGRAM, "apsp", "-", "--json"], stdin=pipe, capture_output=True,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(self.roads, "rb") as plain, gzip.open(self.path("roads.gz"), "wb") as packed:
            packed.write(plain.read())
        self.assertEqual(self.solve("apsp", self.path("roads.gz"))["vertices"], 4)

    def test_refusals(self):
        for columns, says in (("from,bus", "there is no column 'bus': they are 'from', 'to', 'distance', 'i8'"),
                              ("from,day", "to ('day') holds Date"), ("nan,to", "from ('nan') holds DOUBLE"),
                              ("from,to,large", "the weight ('large') holds String"),
                              ("from,to,nulls", "row 3: 'nulls' is null"),
                              ("from,to,nan", "row 2: the weight nan is not finite")):
            self.refuse(BAD_INPUT, "apsp", self.roads, "--columns", columns, says=["roads.parquet: ", says])
        for flag in (("--separator", "tab"), ("--no-header",)):
            self.refuse(USAGE, "apsp", self.roads, *flag, says=["are for text, and this is Parquet"])
        self.refuse(USAGE, "apsp", self.roads, "--no-arc", 0, says=["--no-arc is about dense matrices"])
        self.refuse(BAD_INPUT, "path", self.roads, "Fulda", "Ulm", "--coordinates", self.roads, "--svg",
                    self.path("s.svg"), says=["roads.parquet: no coordinates"])
        with open(self.roads, "rb") as whole:
            content = whole.read()
        for name, bad in (("cut", content[:-9]), ("half", content[:1000]), ("magic", content[:5]),
                          ("footer", content[:-40] + b"\xff" * 32 + content[-8:])):
            with open(self.path(name), "wb") as file:
                file.write(bad)
            self.refuse(BAD_INPUT, "apsp", self.path(name), says=[f"/{name}: "])
        self.refuse(BAD_INPUT, "info", self.write("t.parquet", LIST), says=["it does not start with PAR1"])

    def test_distances(self):
        listed = self.write("l.csv", LIST)
        self.solve("apsp", listed, "--out", self.path("d.parquet"))
        self.assertEqual(self.back("d.parquet"), "from,to,weight\nFulda,Essen,292\nFulda,Ulm,442\nEssen,Ulm,150\n")
        self.solve("apsp", listed, "--out", self.path("t.parquet"), "--targets", "Ulm", "--sources", "Essen")
        self.assertEqual(self.back("t.parquet"), "from,to,weight\nEssen,Ulm,150\n")
        self.solve("closure", listed, "--out", self.path("named"), "--format", "parquet", "--algebra", "or_and")
        self.assertEqual(self.back("named").count("\n"), 7)
        self.solve("apsp", listed, "--out", self.path("m.parquet"), "--absent", "max")
        self.assertEqual(self.back("m.parquet").count(",2147483647\n"), 3)
        negative = self.write("n.csv", "from,to,km\na,b,-1\n")
        self.refuse(BAD_INPUT, "apsp", negative, "--out", self.path("n.parquet"), "--absent", "-1",
                    says=["n.parquet: -1 cannot stand for no path"])
        self.assertFalse(os.path.exists(self.path("n.parquet")))
        self.refuse(USAGE, "apsp", listed, "--out", self.path("x.parquet"), "--layout", "matrix", says=["--layout"])
        for command in (("apsp", listed, "--out", "-", "--format", "parquet"),
                        ("convert", listed, "-", "--format", "parquet")):
            self.refuse(USAGE, *command, says=["not to standard output"])
        self.refuse(BAD_INPUT, "apsp", listed, "--out", self.path("no/d.parquet"), says=["No such file"])

    def test_graphs(self):
        undirected = self.write("u.csv", "# Undirected graph\nfrom,to\n7,9\n9,900\n7,7\n")
        self.solve("convert", undirected, self.path("u.parquet"))
        said = self.solve("info", self.path("u.parquet"))
        self.assertEqual((said["arcs"], said["directed"], said["weights"]), (5, False, "none"))
        self.assertEqual(self.back("u.parquet"), "# Undirected graph\nfrom,to\n7,9\n9,900\n7,7\n")
        self.assertTrue(self.solve("info", self.path("u.parquet"), "--directed")["directed"])
        self.solve("gen", "grid", "--vertices", 12, "--out", self.path("g.parquet"))
        self.solve("gen", "grid", "--vertices", 12, "--out", self.path("g.csv"))
        with open(self.path("g.csv"), encoding="utf-8") as text:
            self.assertEqual(self.back("g.parquet"), text.read())
        alone = self.write("alone.gr", "p sp 3 1\na 1 2 5\n")
        self.refuse(BAD_INPUT, "convert", alone, self.path("a.parquet"), says=["1 have none (the first is 3)"])

    def test_pairs(self):
        listed = self.write("l.csv", LIST)
        asked = self.write("p.csv", "from,to\nFulda,Ulm\nUlm,Fulda\n")
        self.solve("convert", asked, self.path("p.parquet"))
        out = self.path("d.csv")
        self.solve("path", listed, "--pairs", self.path("p.parquet"), "--out", out)
        with open(out, encoding="utf-8") as text:
            self.assertEqual(text.read(), "from,to,distance\nFulda,Ulm,442\nUlm,Fulda,inf\n")
        self.solve("path", listed, "--pairs", asked, "--out", self.path("d.parquet"))
        self.refuse(BAD_INPUT, "apsp", self.path("d.parquet"), says=["d.parquet: row 2: 'distance' is null"])
        self.write("p.csv", "from,to\nFulda,Ulm\nFulda,Bonn\n")
        self.solve("convert", asked, self.path("p.parquet"))
        self.refuse(BAD_INPUT, "path", listed, "--pairs", self.path("p.parquet"), "--out", out,
                    says=["p.parquet: row 2: --pairs: ", "Bonn"])

    def test_pairs_by_titles(self):
        if arrow is None:
            self.skipTest("this Python has no pyarrow")
        table = pyarrow.table({"trip": [7], "to": ["Ulm"], "from": ["Fulda"]})
        arrow.write_table(table, self.path("p.parquet"))
        self.solve("path", self.write("l.csv", LIST), "--pairs", self.path("p.parquet"), "--out", self.path("d.csv"))
        with open(self.path("d.csv"), encoding="utf-8") as text:
            self.assertEqual(text.read(), "from,to,distance\nFulda,Ulm,442\n")

    def test_types_by_pyarrow(self):
        if arrow is None:
            self.skipTest("this Python has no pyarrow")
        listed, out = self.write("l.csv", LIST), self.path("d.parquet")
        cities = [("Fulda", "Essen", 292), ("Fulda", "Ulm", 442), ("Essen", "Ulm", 150)]
        self.solve("apsp", listed, "--out", out)
        self.assertEqual(self.rows("d.parquet"), (["string", "string", "int64"], cities))
        for dtype, name in (("f64", "double"), ("f32", "float"), ("i64", "int64")):
            self.solve("apsp", listed, "--out", out, "--dtype", dtype)
            self.assertEqual(self.rows("d.parquet"), (["string", "string", name], cities))
        self.solve("apsp", self.graph([(1, 2, 3)], 2), "--out", out, "--absent", "inf")
        self.assertEqual(self.rows("d.parquet"), (["int64", "int64", "double"], [(1, 2, 3), (2, 1, float("inf"))]))
        self.solve("path", listed, "--pairs", self.write("p.csv", "from,to\nUlm,Fulda\n"), "--out", out)
        self.assertEqual(self.rows("d.parquet"), (["string", "string", "int64"], [("Ulm", "Fulda", None)]))
        self.solve("convert", self.write("r.csv", "from,to,w\n3,70,0.1\n70,500,2\n"), out)
        self.assertEqual(self.rows("d.parquet"), (["int64", "int64", "double"], [(3, 70, 0.1), (70, 500, 2)]))
