#!/usr/bin/env python3
"""Which headers headers_alone.py compiles in one unit: those alone that hide nothing from each other."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True

from headers_alone import chains_of, includes_at_top  # noqa: E402


class Chains(unittest.TestCase):
    def test_each_includes_the_one_before(self):
        texts = {"k/a.hpp": "// first\n#pragma once\n#include <vector>\n",
                 "k/b.hpp": '#pragma once\n#include "k/a.hpp"\n',
                 "k/c.hpp": '/* two\nlines */\n#include "b.hpp"\nint c;\n', "k/d.hpp": '#include "k/a.hpp"\n'}
        self.assertEqual(chains_of(texts, ".hpp"), [["k/a.hpp", "k/b.hpp", "k/c.hpp"], ["k/d.hpp"]])

    def test_by_a_header_of_another_kind(self):
        texts = {"a.cuh": '#include "b.hpp"\n', "b.hpp": '#include "c.cuh"\n', "c.cuh": ""}
        self.assertEqual(chains_of(texts, ".cuh"), [["c.cuh", "a.cuh"]])

    def test_strangers_are_apart(self):
        texts = {"a.hpp": "", "b.hpp": '// #include "a.hpp"\n', "c.hpp": "#include <a.hpp>\n"}
        self.assertEqual(chains_of(texts, ".hpp"), [["a.hpp"], ["b.hpp"], ["c.hpp"]])

    def test_what_is_included_below_a_declaration_or_on_a_condition_does_not_count(self):
        self.assertEqual(includes_at_top('int a;\n#include "a.hpp"\n'), [])
        self.assertEqual(includes_at_top('#ifdef __CUDACC__\n#include "a.hpp"\n#endif\n#include "b.hpp"\n'), ["b.hpp"])


if __name__ == "__main__":
    unittest.main()
