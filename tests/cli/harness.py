"""Runs the program under test. cli_test.py sets PROGRAM and DATA before any test runs."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = ""
DATA = ""


class Answer:
    """What one run left: exit code, stdout, stderr."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


class CliTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        self.addCleanup(self._folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def data(self, name):
        return os.path.join(DATA, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return self.path(name)

    def graph(self, arcs, vertices, name="graph.gr"):
        """A DIMACS file of (from, to, weight) arcs, vertices from 1."""
        lines = [f"p sp {vertices} {len(arcs)}"] + [f"a {u} {v} {w}" for u, v, w in arcs]
        return self.write(name, "\n".join(lines) + "\n")

    def kleene(self, *arguments, env=None, timeout=300):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **(env or {})}, check=False)
        return Answer(done.returncode, done.stdout, done.stderr)

    def solve(self, *arguments, **options):
        """A run that must succeed, without a word on stderr; its JSON."""
        answer = self.kleene(*arguments, "--json", **options)
        self.assertEqual((answer.code, answer.err), (0, ""), arguments)
        self.assertEqual(answer.out.count("\n"), 1)
        return answer.json

    def refuse(self, code, *arguments, says=(), **options):
        """A run that must fail with this code and exactly one line on stderr that holds these words."""
        answer = self.kleene(*arguments, **options)
        self.assertEqual(answer.code, code, (arguments, answer.err))
        self.assertTrue(answer.err.startswith("kleene: ") and answer.err.count("\n") == 1, answer.err)
        for words in says:
            self.assertIn(words, answer.err)
        return answer
