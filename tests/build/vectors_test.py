#!/usr/bin/env python3
"""Kernels stay in vectors, whatever level of optimisation their unit is compiled at, and by each version of GCC.

    vectors_test.py CXX INCLUDE

Compiles min-plus products for AVX-512 at -O1 and -Os, and counts instructions in the assembly of their kernel, which
is AVX2's by GCC 15 and later. Exits 1 if there are not at least 10 minima of whole vectors (AVX2's tile has 5 rows of
2), and fewer of single numbers. GCC 13 and 14 once had none: they forget a function's vectors where its attribute of
the target stands before that of the level.
"""

import re
import subprocess
import sys

UNIT = """
#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
namespace kleene::kernels::cpu {
using product = gemm_arguments<min_plus<float>>;
template status launch_gemm<product>(const product&, void*) noexcept;
}
"""


def kernel(assembly):
    """The lines of the function that multiplies."""
    lines = assembly.splitlines()
    name = next(line[:-1] for line in lines if re.match(r"_ZN6kleene.*run_avx(?:512|2)I.*gemm_worker.*:$", line))
    return lines[lines.index(name + ":") : next(i for i, line in enumerate(lines) if f".size\t{name}" in line)]


def main():
    compiler, include = sys.argv[1:]
    failed = False
    for level in ("-O1", "-Os"):
        command = [compiler, "-std=c++20", level, "-w", "-DKLEENE_INSTRUCTION_SET=avx512", f"-I{include}"]
        done = subprocess.run(
            [*command, "-x", "c++", "-S", "-o", "-", "-"], input=UNIT, capture_output=True, text=True, check=True
        )
        lines = kernel(done.stdout)
        vectors = sum("\tvminps\t" in line and re.search("%[yz]mm", line) is not None for line in lines)
        numbers = sum("\tvminss\t" in line for line in lines)
        print(f"{level}: {vectors} minima of vectors, {numbers} of single numbers, in {len(lines)} lines")
        failed |= vectors < 10 or numbers >= vectors
    return failed


if __name__ == "__main__":
    sys.exit(main())
