#!/usr/bin/env python3
"""Compiles the CUDA code down to machine code for every architecture that Kleene names.

    tools/check_architectures.py [--quick] [--nvcc NVCC] [--jobs N] [--only PART] [--architectures A,B,...]

PTX is not enough: nvcc passes instructions of sm_90 on into PTX for sm_80 without a word, and only the assembler (here,
or in the driver of whoever runs the program) refuses them. So every unit goes through it. Units are

    headers     all .cuh files of include/ in one unit, and for the oldest architecture each by itself
    rooms       src/*/*.cu: streams, copies, bits, paths, f32 on the tensor cores
    instances   a row of the catalog for each template of src/instances
    tests       tests/*/*_gpu_test.cu, which instantiate everything else

--quick takes a unit of each family of kernels, for the oldest and the newest architecture: the test
build.architectures, about two minutes on two cores. All units for all architectures take about half an hour there.
Prints a table of seconds, and exits 1 if a unit does not compile.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURES = ["80", "86", "89", "90a", "100a", "103a", "120a"]
QUICK_ARCHITECTURES = ["80", "120a"]

# What --quick compiles of each family.
FAMILIES = {
    "streaming": "tests/streaming/sets_gpu_test.cu",
    "spmv": "tests/operations/spmv_gpu_test.cu",
    "gemm on ordinary units": "tests/operations/own_ring_gpu_test.cu",
    "gemm on tensor cores of sm_80": "instances/gemm_mixed plus_times_bf16_f32",
    "gemm on tensor cores of sm_90": "src/kernels/gemm_tf32.cu",
    "gemv": "tests/operations/gemv_gpu_test.cu",
    "bits": "src/kernels/bits.cu",
    "closure": "tests/operations/own_ring_closure_gpu_test.cu",
}
# A row of the catalog (or of mixed.def) for each template.
INSTANCES = {
    "gemm": ["KLEENE_ROW(min_plus, f32)", "KLEENE_ROW(plus_times, f64)"],
    "gemv": ["KLEENE_ROW(min_plus, i32)"],
    "closure": ["KLEENE_ROW(min_plus, f32)"],
    "gemm_mixed": ["KLEENE_MIXED(plus_times, bf16, f32)"],
    "gemv_mixed": ["KLEENE_MIXED(plus_times, bf16, f32)"],
}


class Unit:
    def __init__(self, name, source):
        self.name, self.source = name, source


def instances(folder):
    units = []
    for template, rows in INSTANCES.items():
        text = (ROOT / f"src/instances/{template}.cu.in").read_text()
        for row in rows:
            name = "_".join(part.strip() for part in row[row.index("(") + 1 : -1].split(","))
            path = folder / f"{template}_{name}.cu"
            path.write_text(text.replace("@KLEENE_ROWS@", row))
            units.append(Unit(f"instances/{template} {name}", path))
    return units


def headers(folder):
    """One unit of all headers, and one of each."""
    names = sorted(p.relative_to(ROOT / "include").as_posix() for p in (ROOT / "include/kleene").rglob("*.cuh"))
    together = folder / "headers.cu"
    together.write_text("".join(f'#include "{name}"\n' for name in names))
    alone = []
    for name in names:
        path = folder / (name.replace("/", "_") + ".cu")
        path.write_text(f'#include "{name}"\n')
        alone.append(Unit(name, path))
    return Unit(f"all {len(names)} headers", together), alone


def compile_unit(nvcc, unit, architecture, folder):
    """Seconds, and what the compiler said if it failed. The assembler optimises little: its time is most of it."""
    out = folder / f"{abs(hash((unit.name, architecture)))}.cubin"
    command = [nvcc, "-std=c++20", "--expt-relaxed-constexpr", "-cubin", "-Xptxas", "-O1", "-o", str(out)]
    command += ["-gencode", f"arch=compute_{architecture},code=sm_{architecture}"]
    command += [f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", f"-I{ROOT / 'tests'}"]
    command += ['-DKLEENE_DATA="data"', '-DKLEENE_CUDA_ARCHITECTURES="any"', str(unit.source)]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    out.unlink(missing_ok=True)
    seconds = time.monotonic() - begin
    print(f"{unit.name} sm_{architecture} {'FAILS' if done.returncode else f'{seconds:.1f} s'}", file=sys.stderr)
    return seconds, "" if done.returncode == 0 else done.stdout + done.stderr


def known_to(nvcc, architectures):
    """Those that this nvcc knows: newer ones may not exist for it."""
    codes = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout.split()
    known = [a for a in architectures if f"sm_{a.rstrip('af')}" in codes]
    if unknown := [a for a in architectures if a not in known]:
        print(f"{nvcc} does not know {', '.join(unknown)}", file=sys.stderr)
    return known


def plan(arguments, folder):
    """Pairs of a unit and an architecture."""
    together, alone = headers(folder)
    files = [Unit(p.relative_to(ROOT).as_posix(), p)
             for room in ("src/*/*.cu", "tests/*/*_gpu_test.cu") for p in sorted(ROOT.glob(room))]
    units = [together] + files + instances(folder)
    if arguments.quick:
        units = [unit for unit in units if unit.name in FAMILIES.values()]
        missing = set(FAMILIES.values()) - {unit.name for unit in units}
        if missing:
            sys.exit(f"no such unit: {', '.join(sorted(missing))}")
        alone = []
    asked = arguments.architectures or (QUICK_ARCHITECTURES if arguments.quick else ARCHITECTURES)
    architectures = known_to(arguments.nvcc, asked)
    work = [(unit, architecture) for unit in units for architecture in architectures]
    work += [(unit, architectures[0]) for unit in alone]
    return [(unit, architecture) for unit, architecture in work if arguments.only in unit.name], architectures


def print_table(results, architectures):
    width = max(len(unit.name) for unit, _ in results)
    print(f"{'unit':{width}}" + "".join(f"{a:>7}" for a in architectures))
    for unit in dict.fromkeys(unit for unit, _ in results):
        cells = []
        for architecture in architectures:
            seconds, said = results.get((unit, architecture), (None, ""))
            cells.append("" if seconds is None else "FAILS" if said else f"{seconds:.1f}")
        print(f"{unit.name:{width}}" + "".join(f"{cell:>7}" for cell in cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="units with this in their name")
    parser.add_argument("--architectures", type=lambda names: names.split(","))
    arguments = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work, architectures = plan(arguments, folder)
        if not work:
            sys.exit(f"no unit has '{arguments.only}' in its name")
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as team:
            done = team.map(lambda pair: compile_unit(arguments.nvcc, *pair, folder), work)
            results = dict(zip(work, done))
    print_table(results, architectures)
    failures = {pair: said for pair, (_, said) in results.items() if said}
    for (unit, architecture), said in failures.items():
        first = [line for line in said.splitlines() if "error" in line][:3] or said.splitlines()[:3]
        print(f"\n{unit.name} for sm_{architecture}:", *first, sep="\n  ")
    print(f"\n{len(results)} compilations, {len(failures)} failures, {time.monotonic() - begin:.0f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
