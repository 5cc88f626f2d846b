"""Runs every command of docs/cookbook.md, in a folder that has data/, and compares what it prints."""

import os
import re
import stat
import subprocess
import sys

import harness
from harness import CliTest

BOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "cookbook.md")


class Step:
    """A command behind "$ " (with the line behind a backslash), and its output, in which "..." is anything."""

    def __init__(self, line, command):
        self.line, self.command, self.expected = line, command, []

    def difference(self, printed):
        """None, or the first line that is not as the document says."""
        lines = printed.splitlines()
        for at, wanted in enumerate(self.expected):
            got = lines[at] if at < len(lines) else "nothing"
            if not re.fullmatch(".*".join(map(re.escape, wanted.split("..."))), got):
                return f"docs/cookbook.md:{self.line + 1 + at}: {wanted!r} was {got!r}"
        if len(lines) > len(self.expected):
            return f"docs/cookbook.md:{self.line}: prints more: {lines[len(self.expected)]!r}"
        return None


def recipes_of(text):
    """The steps below each heading "## "."""
    recipes, inside = {}, False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif line.startswith("## "):
            steps = recipes.setdefault(line[3:], [])
        elif inside and steps and steps[-1].command.endswith("\\"):
            steps[-1].command = steps[-1].command[:-1] + line.removeprefix("> ")
            steps[-1].line = number
        elif inside and line.startswith("$ "):
            steps.append(Step(number, line[2:]))
        elif inside:
            steps[-1].expected.append(line)
    return recipes


class Cookbook(CliTest):
    def setUp(self):
        super().setUp()
        with open(BOOK, encoding="utf-8") as file:
            self.recipes = recipes_of(file.read())
        os.mkdir(self.path("bin"))
        for name, program in (("kleene", harness.PROGRAM), ("python3", sys.executable)):
            path = self.write(os.path.join("bin", name), f'#!/bin/sh\nexec "{program}" "$@"\n')
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        os.symlink(harness.DATA, self.path("data"))

    def run_step(self, step):
        """What a terminal shows."""
        path = os.pathsep.join((self.path("bin"), os.environ.get("PATH", os.defpath)))
        return subprocess.run(["sh", "-c", step.command], cwd=self.folder, env={**os.environ, "PATH": path},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                              check=False).stdout

    def test_commands(self):
        self.assertEqual(len(self.recipes), 13)
        for question, steps in self.recipes.items():
            with self.subTest(question):
                self.assertTrue(any("kleene " in step.command for step in steps))
                self.assertTrue(any(step.expected for step in steps))
                for step in steps:
                    printed = self.run_step(step)
                    self.assertIsNone(step.difference(printed), printed)
                    self.check_that_errors_are_found(step)

    def check_that_errors_are_found(self, step):
        """The document with another digit, a line less or one more would not pass."""
        truth = "\n".join(step.expected) + "\n" if step.expected else ""
        self.assertIsNone(step.difference(truth))
        self.assertIsNotNone(step.difference(truth + "more\n"))
        for at, line in enumerate(step.expected):
            digit = re.search("[0-9]", line)
            others = step.expected[:at], step.expected[at + 1:]
            self.assertIsNotNone(step.difference("\n".join(step.expected[:-1])))
            if digit:
                wrong = line[:digit.start()] + str((int(digit[0]) + 1) % 10) + line[digit.end():]
                self.assertIsNotNone(step.difference("\n".join([*others[0], wrong, *others[1]])))
