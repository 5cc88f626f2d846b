#!/usr/bin/env python3
"""tools/check_floors.py catches each breach once, planted in a small house, and an upward include in a copy of ours."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("check_floors", ROOT / "tools" / "check_floors.py")
check_floors = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_floors)

SMALL_HOUSE = {
    ".gitignore": "/build*/\n",
    "README.md": "line\n" * 100,
    "include/kleene/algebra/README.md": "What a semiring is.\n",
    "include/kleene/algebra/ops.hpp": "#pragma once\n#if defined(__CUDACC__)\n#endif\n",
    "include/kleene/algebra/catalog.def": "KLEENE_ROW( min_plus, f32 )\n",
    "include/kleene/data/README.md": "Views.\n",
    "include/kleene/data/view.hpp": '#pragma once\n#include "kleene/algebra/ops.hpp"\n// __AVX2__ in a comment\n',
    "include/kleene/io/README.md": "Files.\n",
    "include/kleene/io/npy.hpp": '#pragma once\n#include "kleene/data/view.hpp"\n',
    "include/kleene/kernels/contract/README.md": "What kernels are given.\n",
    "include/kleene/kernels/contract/gemm_arguments.hpp": "#pragma once\n",
    "include/kleene/kernels/reference/README.md": "The truth.\n",
    "include/kleene/kernels/reference/gemm.hpp": "#pragma once\n",
    "include/kleene/kernels/cpu/tile/README.md": "Pieces.\n",
    "include/kleene/kernels/cpu/tile/vector.hpp": "#pragma once\n",
    "include/kleene/kernels/cpu/gemm/README.md": "Products.\n",
    "include/kleene/kernels/cpu/gemm/launch.hpp": '#pragma once\n#include "kleene/data/view.hpp"\n'
    '#include "kleene/kernels/cpu/tile/vector.hpp"\n#include "kleene/kernels/contract/gemm_arguments.hpp"\n',
    "include/kleene/kernels/cuda/scan/README.md": "Sequences.\n",
    "include/kleene/kernels/cuda/scan/launch.cuh": "#pragma once\n#include <cuda_runtime.h>\n",
    "include/kleene/kernels/cuda/gemm/README.md": "Products.\n",
    "include/kleene/kernels/cuda/gemm/raster.hpp": "#pragma once\n",
    "include/kleene/kernels/cuda/gemm/mma/README.md": "By warps.\n",
    "include/kleene/kernels/cuda/gemm/mma/policy.hpp": '#pragma once\n#include "kleene/kernels/cuda/gemm/raster.hpp"\n',
    "include/kleene/kernels/cuda/gemm/simt/README.md": "Any algebra.\n",
    "include/kleene/operations/README.md": "Meaning.\n",
    "include/kleene/operations/gemm.hpp": '#pragma once\n#include "kleene/kernels/cpu/gemm/launch.hpp"\n',
    "src/data/README.md": "No templates.\n",
    "src/data/threads.hpp": "#pragma once\n",
    "src/operations/README.md": "No templates.\n",
    "src/operations/paths.hpp": "#pragma once\n",
    "src/operations/paths.cpp": '#include "kleene/operations/gemm.hpp"\n#include "data/threads.hpp"\n',
    "apps/cli/README.md": "One file per subcommand.\n",
    "apps/cli/info.hpp": "#pragma once\n",
    "apps/cli/info.cpp": '#include "info.hpp"\n#include "kleene/operations/gemm.hpp"\n',
}

# What is planted: {path: text added to it}, and the one line that must come out.
PLANTED = {
    "upward include": (
        {"include/kleene/algebra/ops.hpp": '#include "kleene/operations/gemm.hpp"\n'},
        "include/kleene/algebra/ops.hpp:4: upward include: algebra (floor 0) may not include "
        "kleene/operations/gemm.hpp (floor 5)",
    ),
    "a launch whose own error is lost": (
        {"include/kleene/kernels/cuda/scan/launch.cuh": "inline void go() { scan<<<1, 32>>>(); }\n"},
        "include/kleene/kernels/cuda/scan/launch.cuh:3: <<<: kernels are launched by gpu::launch",
    ),
    "an earlier call's error": (
        {"include/kleene/kernels/cuda/scan/launch.cuh": 'inline void go() { require(cudaGetLastError(), "x"); }\n'},
        "include/kleene/kernels/cuda/scan/launch.cuh:3: require(cudaGetLastError(): kernels are launched by",
    ),
    "upward include from a subfolder, by a relative path": (
        {"include/kleene/data/view.hpp": '#include "../kernels/reference/gemm.hpp"\n'},
        "include/kleene/data/view.hpp:4: upward include: data",
    ),
    "data includes io": (
        {"include/kleene/data/view.hpp": '#include "kleene/io/npy.hpp"\n'},
        "include/kleene/data/view.hpp:4: upward include: data (floor 1) may not include kleene/io/npy.hpp (floor 1.5)",
    ),
    "a grid includes networks": (
        {"include/kleene/grid/README.md": "Workers.\n",
         "include/kleene/grid/grid.hpp": '#pragma once\n#include "kleene/networks/order.hpp"\n'},
        "include/kleene/grid/grid.hpp:2: upward include: grid (floor 5.5) may not include kleene/networks/order.hpp "
        "(floor 6)",
    ),
    "the library includes an app": (
        {"src/operations/paths.cpp": '#include "../../apps/cli/info.hpp"\n'},
        "src/operations/paths.cpp:3: upward include: src/operations",
    ),
    "a room of src includes a header of a higher floor": (
        {"src/data/threads.hpp": '#include "kleene/operations/gemm.hpp"\n'},
        "src/data/threads.hpp:2: upward include: src/data (floor 1) may not include kleene/operations/gemm.hpp",
    ),
    "a room of src includes a higher one": (
        {"src/data/threads.hpp": '#include "operations/paths.hpp"\n'},
        "src/data/threads.hpp:2: upward include: src/data (floor 1) may not include operations/paths.hpp (floor 5)",
    ),
    "wing to wing": (
        {
            "include/kleene/kernels/cpu/scan/scan.hpp": '#pragma once\n#include "kleene/kernels/cpu/gemm/launch.hpp"\n',
            "include/kleene/kernels/cpu/scan/README.md": "Sequences.\n",
        },
        "include/kleene/kernels/cpu/scan/scan.hpp:2: kernels/cpu/scan may not include",
    ),
    "a kernel that leans on the reference": (
        {"include/kleene/kernels/cpu/gemm/launch.hpp": '#include "kleene/kernels/reference/gemm.hpp"\n'},
        "include/kleene/kernels/cpu/gemm/launch.hpp:5: kernels/cpu/gemm may not include",
    ),
    "engine to engine": (
        {"include/kleene/kernels/cuda/gemm/mma/policy.hpp": '#include "kleene/kernels/cuda/gemm/simt/policy.hpp"\n',
         "include/kleene/kernels/cuda/gemm/simt/policy.hpp": "#pragma once\n"},
        "include/kleene/kernels/cuda/gemm/mma/policy.hpp:3: kernels/cuda/gemm/mma may not include",
    ),
    "the tiles of another machine": (
        {"include/kleene/kernels/cuda/scan/launch.cuh": '#include "kleene/kernels/cpu/tile/vector.hpp"\n'},
        "include/kleene/kernels/cuda/scan/launch.cuh:3: kernels/cuda/scan may not include",
    ),
    "no room": (
        {"include/kleene/attic/old.hpp": "#pragma once\n", "include/kleene/attic/README.md": "Old.\n",
         "include/kleene/operations/gemm.hpp": '#include "kleene/attic/old.hpp"\n'},
        "include/kleene/operations/gemm.hpp:3: kleene/attic/old.hpp is in no room",
    ),
    ".hpp includes .cuh": (
        {"include/kleene/operations/gemm.hpp": '#include "kleene/kernels/cuda/scan/launch.cuh"\n'},
        "include/kleene/operations/gemm.hpp:3: kleene/kernels/cuda/scan/launch.cuh needs nvcc",
    ),
    "CUDA header in a .hpp": (
        {"include/kleene/data/view.hpp": "#include <cuda_fp16.h>\n"},
        "include/kleene/data/view.hpp:4: cuda_fp16.h is a CUDA header",
    ),
    "CUDA header in a .cpp": (
        {"src/operations/paths.cpp": "#  include <cub/cub.cuh>\n"},
        "src/operations/paths.cpp:3: cub/cub.cuh is a CUDA header",
    ),
    "compiler pass asked": (
        {"include/kleene/data/view.hpp": "#ifdef __CUDA_ARCH__\n#endif\n"},
        "include/kleene/data/view.hpp:4: __CUDA_ARCH__: only algebra/ops.hpp",
    ),
    "instruction set asked": (
        {"include/kleene/kernels/cpu/gemm/launch.hpp": "#if __AVX512F__\n#endif\n"},
        "include/kleene/kernels/cpu/gemm/launch.hpp:5: __AVX512F__: only algebra/ops.hpp",
    ),
    "no pragma once": (
        {"include/kleene/data/bare.hpp": "struct bare {};\n"},
        "include/kleene/data/bare.hpp:1: no #pragma once",
    ),
    "too long": (
        {"include/kleene/data/view.hpp": "// line\n" * 398},
        "include/kleene/data/view.hpp:401: 401 lines; a file has at most 400",
    ),
    "too wide": (
        {"include/kleene/data/view.hpp": "// " + "x" * 118 + "\n"},
        "include/kleene/data/view.hpp:4: 121 columns; a line has at most 120",
    ),
    "too wide a script": (
        {"tools/README.md": "Tools.\n", "tools/check.py": "# " + "x" * 119 + "\n"},
        "tools/check.py:1: 121 columns; a line has at most 120",
    ),
    "a cycle of three headers": (
        {"include/kleene/data/a.hpp": '#pragma once\n#include "kleene/data/b.hpp"\n',
         "include/kleene/data/b.hpp": '#pragma once\n#include "c.hpp"\n',
         "include/kleene/data/c.hpp": '#pragma once\n\n#include "kleene/data/a.hpp"  // what it is made of\n'},
        "include/kleene/data/c.hpp:3: a cycle of includes: a.hpp -> b.hpp -> c.hpp -> a.hpp",
    ),
    "a crowded folder": (
        {f"include/kleene/data/part_{i}.hpp": "#pragma once\n" for i in range(16)},
        "include/kleene/data:1: 17 headers; a folder has at most 16",
    ),
    "room without a README": (
        {"include/kleene/streaming/scan.hpp": "#pragma once\n"},
        "include/kleene/streaming/README.md:1: a room has a README.md",
    ),
    "long README": (
        {"include/kleene/data/README.md": "line\n" * 15},
        "include/kleene/data/README.md:16: 16 lines; a room's README has at most 15",
    ),
    "Python that something else has formatted": (
        {"apps/cli/look.py": '""\n    "Looks."\n'},
        "apps/cli/look.py:2: no Python: unexpected indent",
    ),
    "generated mark": (
        {"src/data/tables.cpp": "// Automatically made. DO NOT EDIT.\n"},
        "src/data/tables.cpp:1: a generated file does not belong in git",
    ),
    "generated path": (
        {"src/data/context.o": "\n"},
        "src/data/context.o:1: a generated file does not belong in git",
    ),
    "unfinished work": (
        {"apps/cli/info.cpp": "// TO" "DO: later\n"},
        "apps/cli/info.cpp:3: 'TO" "DO': unfinished work",
    ),
}


def write(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with open(root / path, "a", encoding="utf-8") as out:
            out.write(text)


def run(root):
    """Exit status and lines of the checker, run as a user runs it."""
    done = subprocess.run(
        ["python3", str(ROOT / "tools" / "check_floors.py"), str(root)], capture_output=True, text=True, check=False
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


class SmallHouse(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kleene floors ")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        write(self.root, SMALL_HOUSE)
        # A folder that git does not own: keep git from finding a repository further up.
        os.environ["GIT_CEILING_DIRECTORIES"] = str(self.root.parent)

    def test_clean(self):
        self.assertEqual(run(self.root), (0, []))

    def test_each_breach_is_caught_once(self):
        for name, (files, message) in PLANTED.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                root = Path(folder)
                write(root, SMALL_HOUSE)
                write(root, files)
                status, lines = run(root)
                self.assertEqual(status, 1)
                self.assertEqual(len(lines), 1, lines)
                self.assertTrue(lines[0].startswith(message), lines[0])

    @unittest.skipUnless(shutil.which("git"), "no git")
    def test_untracked_counts_and_ignored_does_not(self):
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        write(self.root, {"build/release/view.hpp": "#error\n", "include/kleene/data/new.hpp": "\n"})
        self.assertEqual(run(self.root)[1], ["include/kleene/data/new.hpp:1: no #pragma once"])


class OurHouse(unittest.TestCase):
    def test_planted_upward_include(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path in check_floors.list_files(ROOT):
                if path.startswith("include/"):
                    (root / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(ROOT / path, root / path)
            before = run(root)[1]
            with open(root / "include/kleene/algebra/semirings.hpp", "a", encoding="utf-8") as header:
                header.write('#include "kleene/operations/gemm.hpp"\n')
            planted = set(run(root)[1]) - set(before)
        self.assertEqual(len(planted), 1, planted)
        self.assertIn("upward include: algebra (floor 0)", planted.pop())


if __name__ == "__main__":
    unittest.main()
