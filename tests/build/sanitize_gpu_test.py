#!/usr/bin/env python3
"""tools/sanitize_gpu.py runs the tests that are not disabled; it explains the reports of its table, and those alone."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import sanitize_gpu  # noqa: E402

READ = """========= Uninitialized __global__ memory read of size 16 bytes
=========     at void kleene::kernels::cuda::{}<kleene::x>(int)+0xb010
=========     by thread (100,0,0) in block (0,0,0)
=========
"""
COPY = """========= Host API memory access error at host access to 0x7f9530a08c00 of size 55,296 bytes
=========     Uninitialized access to 0x7f9530a08c80 on access by cudaMemcpy source
=========
"""


class Explained(unittest.TestCase):
    def reason(self, output, test="gemm_mixed_on_cuda.layouts", tool="initcheck"):
        return sanitize_gpu.reason_of(tool, test, output)

    def test_what_the_table_names(self):
        self.assertIn("cp.async", self.reason(READ.format("gemm_mma")))
        self.assertIn("TMA", self.reason(COPY))
        both = self.reason(READ.format("gemm_mma") + COPY + COPY)
        self.assertIn("cp.async", both)
        self.assertIn("TMA", both)

    def test_nothing_else(self):
        read = READ.format("gemm_mma")
        self.assertIsNone(self.reason(""))
        self.assertIsNone(self.reason(READ.format("gemm_simt")), "another kernel")
        self.assertIsNone(self.reason(read + READ.format("gemm_simt")), "another kernel beside it")
        self.assertIsNone(self.reason(read.replace("16 bytes", "4 bytes")))
        self.assertIsNone(self.reason(read, test="scan_on_cuda.sums"), "another test")
        self.assertIsNone(self.reason(read, tool="memcheck"), "another tool")
        self.assertIsNone(self.reason(read + "========= Invalid __global__ read of size 4 bytes\n"))
        self.assertIsNone(self.reason(read + "[  FAILED  ] 1 test, listed below:\n"), "the test failed")


class Listed(unittest.TestCase):
    def test_disabled_ones_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text("#!/bin/sh\nprintf 'one.\\n  a\\n  DISABLED_b\\n  c/0  # GetParam() = 1\\n'\n")
            program.chmod(0o755)
            self.assertEqual(sanitize_gpu.tests_of(str(program), "*"), ["one.a", "one.c/0"])


if __name__ == "__main__":
    sys.exit(unittest.main())
