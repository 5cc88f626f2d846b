#!/usr/bin/env python3
"""Files that are compiled together include what they use all the same.

One unit of several files hides a header that one of them lacks until somebody compiles each alone (the presets clang
and dev do). Looked for by words: functions that one header of the folder alone declares at its margin, called in a file
that does not reach that header.
"""

import importlib.util
import re
import sys
import unittest
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("check_floors", ROOT / "tools" / "check_floors.py")
check_floors = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_floors)

FOLDERS = (("apps/cli", ""), ("apps/python", ""), ("src", "data"), ("src", "grid"), ("src", "io"),
           ("src", "networks"), ("src", "operations"))  # where includes start, and the folder
DECLARED = re.compile(r"^[A-Za-z][\w:<>,&* ]*?[ &*](\w+)\(", re.MULTILINE)
CALLED = re.compile(r"(?<![\w.>:])(\w+)\(")  # no member
OWN = re.compile(r"(?<!return)(?<!else)(?<=[\w>]) (\w+)\(")  # a variable or function that the file declares


def reached(name, codes, includes):
    """The files of the folder that `name` includes, whichever way."""
    found, left = set(), [name]
    while left:
        folder = PurePosixPath(name := left.pop()).parent
        for included in includes[name]:
            for header in (str(folder / included), included):
                if header in codes and header not in found:
                    found.add(header)
                    left.append(header)
    return found


def missing_includes(texts):
    """(file, word, header) for the files {path in the folder: text} of one folder."""
    codes = {name: "\n".join(check_floors.blank_comments(text)) for name, text in texts.items()}
    includes = {name: re.findall(r'#\s*include "([^"]+)"', text) for name, text in texts.items()}
    headers = {}
    for name in codes:
        if name.endswith(".hpp"):
            for word in DECLARED.findall(codes[name]):
                headers.setdefault(word, []).append(name)
    for name, code in codes.items():
        known = reached(name, codes, includes) | {name}
        for word in sorted(set(CALLED.findall(code)) & headers.keys() - set(OWN.findall(code))):
            if len(headers[word]) == 1 and headers[word][0] not in known:
                yield name, word, headers[word][0]


class Unity(unittest.TestCase):
    maxDiff = None

    def test_the_folders_that_are_compiled_together(self):
        for root, folder in FOLDERS:
            texts = {str(path.relative_to(ROOT / root)): path.read_text(encoding="utf-8")
                     for path in sorted((ROOT / root / folder).rglob("*.?pp"))}
            self.assertGreater(len(texts), 10)
            self.assertEqual(list(missing_includes(texts)), [], folder)

    def test_a_missing_include_is_seen(self):
        texts = {
            "results.hpp": "#pragma once\nvoid require_name(const char* flag);\nstruct results {\n  int size();\n};\n",
            "far.hpp": '#include "results.hpp"\n',
            "right.cpp": '#include "far.hpp"\nvoid f() { require_name("x"); }\n',
            "own.cpp": "void require_name(const char*);\nvoid g() { require_name(0); }\n",
            "other.cpp": "void h(thing& t) { t.require_name(1); list require_name(2); }  // require_name(3)\n",
            "wrong.cpp": 'int k() { return require_name("x"); }\n',
        }
        self.assertEqual(list(missing_includes(texts)), [("wrong.cpp", "require_name", "results.hpp")])


if __name__ == "__main__":
    sys.exit(unittest.main())
