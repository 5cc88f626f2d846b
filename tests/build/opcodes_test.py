#!/usr/bin/env python3
"""Counts instructions in the compiled CUDA products, so that a compiler cannot take their speed away unseen.

    opcodes_test.py NVCC TEMPLATE INCLUDE WORK

Compiles instances of TEMPLATE (src/instances/gemm.cu.in), and units of matrix instructions beside it, for sm_90a
and looks at the machine code of each kernel: the low 12 bits of an instruction say what it is. Exits 1 if a gate fails.
"""

import collections
import functools
import re
import struct
import subprocess
import sys
from pathlib import Path

# sm_90, register forms; read off a disassembly of these kernels.
OPCODES = {
    0x221: "FADD", 0x220: "FMUL", 0x223: "FFMA", 0x209: "FMNMX", 0x20F: "VIMNMX3", 0x20B: "FSETP", 0x208: "FSEL",
    0x246: "VIADDMNMX", 0x247: "VHMNMX", 0x230: "HADD2", 0x835: "HFMA2",
    0x226: "IDP4A", 0x229: "DADD", 0x22A: "DSETP", 0x984: "LDS", 0x983: "LDL", 0x387: "STL",
    0x3BA: "UBLKCP", 0x9F0: "HGMMA", 0x9F2: "BGMMA", 0x9F3: "QGMMA", 0x992: "MEMBAR",
    0x217: "IMNMX", 0x23C: "HMMA", 0x237: "IMMA", 0x23F: "DMMA", 0xFAE: "LDGSTS",
    0x5B4: "UTMALDG", 0x3B4: "UTMALDG.MULTICAST",
}  # fmt: skip

# (algebra, type, parts of the kernel's name, an enumerator among them): conditions on its counts. A tuned loop does
# 32 to 96 pairs a step, 8 steps a turn; what is outside the loop (the tail of k, the epilogue) may add a few of
# anything.
GATES = [
    ("min_plus", "f32", ["plain_atom", "workload::four_bytes"], {
        "two instructions a pair": lambda n: n["FADD"] >= 768 and n["FMNMX"] >= n["FADD"],
        "no ternary": lambda n: n["FSETP"] + n["FSEL"] < n["FADD"] / 8}),
    ("min_plus", "f32", ["bits_atom", "workload::four_bytes"], {
        "one 3-input minimum per two pairs": lambda n: n["FADD"] >= 768 and abs(2 * n["VIMNMX3"] - n["FADD"]) < 64,
        "no other minimum": lambda n: n["FMNMX"] + n["FSETP"] + n["FSEL"] < n["FADD"] / 8}),
    ("min_plus", "f32", ["plain_atom", "workload::four_bytes_one_round"], {
        "two instructions a pair": lambda n: n["FADD"] >= 512 and n["FMNMX"] >= n["FADD"]}),
    ("min_plus", "f32", ["bits_atom", "workload::four_bytes_one_round"], {
        "one 3-input minimum per two pairs": lambda n: n["FADD"] >= 512 and abs(2 * n["VIMNMX3"] - n["FADD"]) < 64}),
    ("max_times", "f32", ["bits_atom", "workload::four_bytes"], {
        "one 3-input maximum per two pairs": lambda n: n["FMUL"] >= 768 and abs(2 * n["VIMNMX3"] - n["FMUL"]) < 64}),
    ("min_plus", "i32", ["fused_integer", "workload::four_bytes"], {
        "one instruction a pair": lambda n: n["VIADDMNMX"] >= 768}),
    ("min_plus", "f64", ["plain_atom", "workload::eight_bytes"], {
        "one addition, one comparison": lambda n: n["DADD"] >= 256 and n["DSETP"] < 1.2 * n["DADD"],
        "two selections": lambda n: n["FSEL"] < 2.3 * n["DADD"]}),
    ("plus_times", "f32", ["plain_atom", "workload::sums"], {
        "one instruction a pair": lambda n: n["FFMA"] >= 512 and n["FADD"] + n["FMUL"] < n["FFMA"] / 4}),
    ("or_and", "f32", ["counting_atom", "workload::counts"], {
        "four pairs an instruction": lambda n: n["IDP4A"] >= 512}),
]  # fmt: skip
LOCAL_MEMORY = "local memory"  # of no use, unless a gate says how much
# The same for each kernel with that in its name of a unit of its own: (the file under src, part of the name,
# conditions, and the architecture where it is not 90a). Templates are compiled with ROWS.
# Fences belong to the cluster's first and last barrier: one at each step's end waited for copies in flight and cost
# a quarter of the speed.
UNIT_GATES = [
    ("kernels/bits.cu", "gemm_bits_sm90", {
        "binary matrix instructions": lambda n: n["BGMMA"] >= 4,
        "bulk copies": lambda n: n["UBLKCP"] >= 2,
        "no fences at work": lambda n: n["MEMBAR.GPU"] <= 2}),
    ("kernels/gemm_tf32.cu", "gemm_wgmma", {
        "matrix instructions": lambda n: n["HGMMA"] >= 4,
        "copies by coordinates": lambda n: n["UTMALDG"] + n["UTMALDG.MULTICAST"] >= 2,
        "no fences at work": lambda n: n["MEMBAR.GPU"] <= 2}),
    ("kernels/log_sums.cu", "gemm_log_sums", {
        "matrix instructions: three products of four": lambda n: n["HGMMA"] >= 12,
        "bulk copies": lambda n: n["UBLKCP"] >= 2,
        "no fences at work": lambda n: n["MEMBAR.GPU"] <= 2}),
    ("kernels/log_sums.cu", "stream_log_sums", {  # a quarter of a turn at least, and no local memory
        "sums of terms, or of doubles": lambda n: n["FADD"] + n["DADD"] >= 48}),
    ("instances/gemm_mixed.cu.in", "wgmma_type::bf16", {
        "matrix instructions": lambda n: n["HGMMA"] >= 16 and n["HGMMA.F16"] == 0,
        "copies by coordinates": lambda n: n["UTMALDG"] + n["UTMALDG.MULTICAST"] >= 4,
        "no fences at work": lambda n: n["MEMBAR.GPU"] <= 2}),
    ("instances/gemm_mixed.cu.in", "wgmma_type::f16_sums", {
        "matrix instructions that sum in f16": lambda n: n["HGMMA.F16"] >= 16 and n["HGMMA"] == 0,
        "copies by coordinates": lambda n: n["UTMALDG"] + n["UTMALDG.MULTICAST"] >= 4,
        "no fences at work": lambda n: n["MEMBAR.GPU"] <= 2}),
    ("instances/gemm_mixed.cu.in", "wgmma_type::e4m3", {
        "matrix instructions": lambda n: n["QGMMA"] >= 4 and n["HGMMA"] == 0,
        "copies by coordinates": lambda n: n["UTMALDG"] + n["UTMALDG.MULTICAST"] >= 2,
        "no fences at work": lambda n: n["MEMBAR.GPU"] <= 2}),
    *(("../tests/build/half_loops.cu", type, {
        "three instructions for two steps of two pairs":
            lambda n: n["HADD2"] + n["HFMA2"] >= 768 and abs(2 * n["VHMNMX"] - n["HADD2"] - n["HFMA2"]) < 64,
        "bulk copies": lambda n: n["UBLKCP"] >= 2}) for type in ("min_plusINS_3f16", "min_plusINS_4bf16")),
    ("../tests/build/exponents.cu", "14gemm_exponentsI", {
        "matrix instructions": lambda n: n["HGMMA"] >= 4,
        "one 3-input maximum for two sums": lambda n: n["VIMNMX3"] >= 64 and n["IMNMX"] == 0,
        "bulk copies": lambda n: n["UBLKCP"] >= 2,
        "no fences at work": lambda n: n["MEMBAR.GPU"] <= 2,
        LOCAL_MEMORY: lambda n: n["LDL"] + n["STL"] <= 32}),
    ("../tests/build/exponents.cu", "gemm_exponents_mmaI", {
        "matrix instructions": lambda n: n["HMMA"] >= 64,
        "one maximum a sum": lambda n: 2 * n["HMMA"] <= n["IMNMX"] <= 4 * n["HMMA"],
        "copies beside the arithmetic": lambda n: n["LDGSTS"] >= 24,
        LOCAL_MEMORY: lambda n: n["LDL"] + n["STL"] <= 80}, "80"),
    ("instances/gemm.cu.in", "gemm_mma", {
        "products of 16 x 8 x 8 doubles, five ways to copy": lambda n: 80 <= n["DMMA"] <= 160,
        "copies beside the arithmetic": lambda n: n["LDGSTS"] >= 16}),
    ("instances/gemm_mixed.cu.in", "gemm_mma", {
        "matrix instructions": lambda n: n["HMMA"] >= 32,
        "copies beside the arithmetic": lambda n: n["LDGSTS"] >= 16}, "80"),
    ("instances/gemm.cu.in", "workload::eight_bytes", {  # a build for Hopper alone never compiles this
        "a body on sm_80": lambda n: sum(n.values()) > 200}, "80"),
]  # fmt: skip
ROWS = "".join(f"KLEENE_MIXED(plus_times, {t}) " for t in ("bf16, bf16", "f16, f16", "f8_e4m3, bf16"))
EVERYWHERE = {
    LOCAL_MEMORY: lambda n: n["LDL"] + n["STL"] == 0,
}
PACKED = {"bulk copies": lambda n: n["UBLKCP"] >= 2}


def kernels(cubin):
    """(symbol, counts of opcodes) of every kernel in a cubin: the .text sections of an ELF file."""
    data = cubin.read_bytes()
    (offset,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    for name, _, _, _, start, length in sections:
        at = sections[names][4] + name
        symbol = data[at : data.index(b"\0", at)].decode()
        if symbol.startswith(".text."):
            words = struct.iter_unpack("<QQ", data[start : start + length])
            yield symbol[6:], collections.Counter(opcode(low, high) for low, high in words)


def opcode(low, high):
    name = OPCODES.get(low & 0xFFF, "other")
    if name == "MEMBAR" and high & 0x2000:  # its scope: the device, or the block
        return "MEMBAR.GPU"
    return "HGMMA.F16" if name == "HGMMA" and not high & 0x800 else name  # the type of its sums


def compile_row(nvcc, template, include, work, algebra, dtype):
    source = work / f"{algebra}_{dtype}.cu"
    source.write_text(template.replace("@KLEENE_ROWS@", f"KLEENE_ROW({algebra}, {dtype})"))
    return compile_unit(nvcc, source, include, work / f"{algebra}_{dtype}.cubin")


@functools.cache  # several gates look at one unit
def compile_unit(nvcc, source, include, cubin, arch="90a"):
    command = [nvcc, "-std=c++20", "-O3", "--expt-relaxed-constexpr", "-gencode", f"arch=compute_{arch},code=sm_{arch}",
               "-I", include, "-I", Path(include, "..", "src"), "-cubin", "-o", cubin, source]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    # What is serialized are matrix instructions (C7510, C7511, C7514, C7520).
    if done.returncode != 0 or "are serialized" in done.stderr + done.stdout:
        sys.exit(f"{source}:\n{done.stdout}{done.stderr}")
    return list(kernels(cubin))


@functools.cache
def enumerators(include):
    """The names of every enumeration that kernels take, in the order of their numbers: a mangled name has numbers."""
    found = {}
    rooms = [Path(include, "kleene", room) for room in ("gpu", "kernels/cuda")]
    for header in sorted(header for room in rooms for header in room.glob("**/*.[hc]*")):
        code = re.sub(r"//.*", "", header.read_text())
        for name, body in re.findall(r"enum class (\w+)(?: : \w+)? \{([^}=]*)\}", code):
            if rows := re.search(r'#include "(.+\.def)"', body):  # the names of a table's rows
                text = Path(include, rows.group(1)).read_text()
                values = re.findall(r"^KLEENE_\w+_ROW\((\w+)", text, re.MULTILINE)
            else:
                values = [one.strip() for one in body.split(",") if one.strip()]
            found.setdefault(name, []).append(values)
    return found


def mangled(part, include):
    """workload::four_bytes_few_tiles -> 8workloadE1E; anything else as it is."""
    name, _, value = part.partition("::")
    if not value:
        return part
    [values] = enumerators(include)[name]  # one enumeration of that name
    return f"{len(name)}{name}E{values.index(value)}E"


def main():
    nvcc, template, include, work = sys.argv[1:]
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    sources = Path(template).parents[1]
    template = Path(template).read_text()
    compiled, failures = {}, 0

    def check(what, counts, conditions):
        broken = [condition for condition, holds in conditions.items() if not holds(counts)]
        for condition in broken:
            print(f"{what}: {condition}: does not hold for {dict(counts)}")
        return len(broken)

    for algebra, dtype, parts, conditions in GATES:
        if (algebra, dtype) not in compiled:
            compiled[algebra, dtype] = compile_row(nvcc, template, include, work, algebra, dtype)
        wanted = ["gemm_simt", "ELb0E", *(mangled(part, include) for part in parts)]
        found = [n for name, n in compiled[algebra, dtype] if all(part in name for part in wanted)]
        if len(found) != 1:
            print(f"{algebra} {dtype} {parts}: {len(found)} kernels where one is expected")
            failures += 1
            continue
        failures += check(f"{algebra} {dtype} {parts}", found[0], {**conditions, **PACKED, **EVERYWHERE})
    for file, part, conditions, *arch in UNIT_GATES:
        source = sources / file
        if file.endswith(".in"):
            source = work / Path(file).stem
            rows = ROWS if "mixed" in file else "KLEENE_ROW(plus_times, f64)"
            source.write_text((sources / file).read_text().replace("@KLEENE_ROWS@", rows))
        unit = compile_unit(nvcc, source, include, work / f"{source.stem}.cubin", *arch)
        found = [(name, n) for name, n in unit if mangled(part, include) in name]
        if not found:
            print(f"{part}: no such kernel in {file}")
            failures += 1
        for name, n in found:
            failures += check(name, n, {**EVERYWHERE, **conditions})
    print(f"{len(GATES) + len(UNIT_GATES)} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
