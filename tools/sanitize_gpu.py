#!/usr/bin/env python3
"""Runs a GoogleTest program under the tools of compute-sanitizer, each test in a process of its own.

    tools/sanitize_gpu.py build/release/tests/test_gpu                       all four tools
    tools/sanitize_gpu.py build/release/tests/test_gpu --tool racecheck --filter 'spmv*'

A test that a tool reports on, or that fails under it, is a finding: its output is shown and the exit status is 1. A
test that does not end within --limit seconds under a tool is listed as not covered, never as passed; so is one that
dies under a tool without a report and passes without it (racecheck's shadow of 4 GiB is too much for it). A test that
fails under a tool without a report is run once more when no other runs: racecheck of CUDA 13.0 changed a register of
one kernel whenever processes took turns on the device (always the same one; alone under it, and beside others without
it, that kernel is right). Reports that are known to be the tool's own are listed as explained, with the reason: see
EXPLAINED.

The tools slow kernels down by up to a thousand times, so tests whose sizes are their point are left out by default
(--leave-out). On an H200, 14 at a time: memcheck and synccheck take a minute or two each; under racecheck and initcheck
most tests need more than a minute, so give those a sample of each test's cases: --sample 16.
Kernels that fault on purpose (lost_device_gpu) are left out, too.
"""
import argparse
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import time

TOOLS = {
    # Calls of the runtime that fail are left to the tests: some ask for more memory than there is.
    "memcheck": ["--leak-check", "full", "--report-api-errors", "no"],
    "racecheck": ["--racecheck-report", "analysis"],
    "initcheck": [],
    "synccheck": [],
}

class Explained:
    """A report that is the tool's own: a line with `first` and the next with `then`, in tests that match."""

    def __init__(self, tool, tests, first, then, reason):
        self.tool, self.tests, self.reason = tool, re.compile(tests), reason
        self.lines = re.compile(first + r".*\n=+ +" + then)


EXPLAINED = [
    Explained("initcheck", r"mma/|gemm_mixed_on_cuda\.|initcheck_on_cuda\.cp_async",
              r"Uninitialized __global__ memory read of size 16 bytes",
              r"at (void )?\S*(gemm_mma<|copy_first_of_four)",
              "cp.async with fewer source bytes than 16 reads those alone; the tool counts 16. "
              "initcheck_on_cuda.cp_async_reads_no_more_than_it_is_asked_for does only that."),
    Explained("initcheck", r"gemm_mixed_on_cuda\.|gemm_f16_sums_on_cuda\.|f8_on_cuda|pointers\.to_halves|"
                           r"surroundings_gpu\.a_thread_that_has_called_nothing_yet|initcheck_on_cuda\.tma",
              r"Host API memory access error at host access to",
              r"Uninitialized access to \S+ on access by cudaMemcpy source",
              "TMA's stores do not count as writes for the tool, so copying what they wrote is reported. "
              "initcheck_on_cuda.tma_writes_what_it_stores does only that."),
    Explained("initcheck", r"streams_on_cuda\.|no_order_on_cuda\.merges|initcheck_on_cuda\.tma_stores",
              r"Uninitialized __global__ memory read of size [\d,]+ bytes",
              r"at .*(merge_tiles<.*merge_of_runs<|copy_words)",
              "A pass of a merge sort reads what the pass before it wrote by TMA. "
              "initcheck_on_cuda.tma_stores_what_a_kernel_reads does only that."),
    Explained("initcheck", r"sort_on_cuda\.merge_sort|initcheck_on_cuda\.structs",
              r"Uninitialized __global__ memory read of size \d+ bytes",
              r"at .*(merge_tiles<.*kleene::sequences::record|copy_words)",
              "Assigning a struct leaves its padding unwritten, and whole items are copied; nobody looks at it. "
              "initcheck_on_cuda.structs_with_padding does only that."),
]
# Every line that opens a report.
REPORT = re.compile(r"^=+ (?:Error: |Warning: )?(?:Uninitialized|Invalid|Host API|Program hit|Race reported|Barrier"
                    r"|Leaked|Divergent|Missing)", re.MULTILINE)

# What the tools say, as an error, of a test that passes without a call of CUDA.
NO_CALL = "Target application terminated before first instrumented API call"

# What they say when the program died, and when they have nothing to report.
DIED = "process didn't terminate successfully"
NOTHING = re.compile(r"SUMMARY: 0 (errors|hazards)")


def tests_of(program, pattern):
    """The full names of the tests that match a GoogleTest filter and are not disabled."""
    listing = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={pattern}"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    suite, names = "", []
    for line in listing.splitlines():
        word = line.split("#")[0].rstrip()
        if word.startswith("  "):
            if not word.strip().startswith("DISABLED_"):  # what another test starts
                names.append(suite + word.strip())
        elif word.endswith("."):
            suite = word
    return names


def passes_alone(program, name, limit):
    """Whether the test passes without a tool."""
    try:
        return subprocess.run([program, f"--gtest_filter={name}"], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                              timeout=limit).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def reason_of(tool, name, output):
    """Why a tool reports on a test, if each of its reports is explained and the test itself passed; else None."""
    if "[  FAILED  ]" in output:
        return None
    known = [e for e in EXPLAINED if e.tool == tool and e.tests.search(name) and e.lines.search(output)]
    if not known or sum(len(e.lines.findall(output)) for e in known) != len(REPORT.findall(output)):
        return None
    return " ".join(e.reason for e in known)


def run_one(program, tool, name, limit):
    """One test under one tool: (verdict, seconds, output)."""
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", "--print-limit", "100000", *TOOLS[tool],
               program, f"--gtest_filter={name}"]
    start = time.monotonic()
    # A session of its own: the tool's death leaves the test running, and in the way of all others on the device.
    with subprocess.Popen(command, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "not covered", time.monotonic() - start, process.communicate()[0]
    if "[  SKIPPED ]" in output or NO_CALL in output and "[  PASSED  ] 1 test" in output:
        verdict = "skipped"
    elif process.returncode == 0:
        verdict = "clean"
    elif DIED in output and NOTHING.search(output) and passes_alone(program, name, limit):
        verdict = "not covered"
    elif reason_of(tool, name, output):
        verdict = "explained"
    else:
        verdict = "finding"
    return verdict, time.monotonic() - start, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="may be given several times; default: all four")
    parser.add_argument("--filter", default="*", help="a GoogleTest filter")
    parser.add_argument("--leave-out", default="*large*:*full_device*:lost_device_gpu*",
                        help="a GoogleTest filter of what is not run")
    parser.add_argument("--jobs", type=int, default=8, help="tests at a time on the one device")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one test under one tool")
    parser.add_argument("--total", type=float, default=float("inf"),
                        help="seconds for everything; then no test is begun")
    parser.add_argument("--json", help="where to write every verdict with its seconds")
    parser.add_argument("--resume", action="store_true",
                        help="keep what the file of --json says of clean or skipped tests, and run the others")
    parser.add_argument("--quick-first", metavar="JSON",
                        help="begin with what took least in that earlier run: more is covered in the same time")
    parser.add_argument("--sample", type=int, default=1, metavar="N",
                        help="one in N of the cases of tests that have many (tests/support/sample.hpp)")
    arguments = parser.parse_args()
    os.environ["KLEENE_TEST_SAMPLE"] = str(arguments.sample)

    program = os.path.abspath(arguments.program)
    names = tests_of(program, f"{arguments.filter}-{arguments.leave_out}")
    if not names:
        sys.exit("no test matches")
    if arguments.quick_first:
        with open(arguments.quick_first) as earlier:
            seconds = {r["test"]: r["seconds"] for r in json.load(earlier)}
        names.sort(key=lambda name: seconds.get(name, float("inf")))
    tools = arguments.tool or list(TOOLS)
    end = time.monotonic() + arguments.total
    rows, findings = [], 0
    jobs = [(t, n) for t in tools for n in names]
    if arguments.resume and os.path.exists(arguments.json or ""):
        with open(arguments.json) as earlier:
            rows = [r for r in json.load(earlier) if r["verdict"] in ("clean", "explained", "skipped")]
        known = {(r["tool"], r["test"]) for r in rows}
        jobs = [j for j in jobs if j not in known]

    def work(job):
        tool, name = job
        if time.monotonic() > end:
            return tool, name, "not covered", 0.0, ""
        return (tool, name, *run_one(program, tool, name, arguments.limit))

    def record(tool, name, verdict, seconds):
        """Into the file as soon as it is known: whoever is stopped can --resume."""
        rows.append({"tool": tool, "test": name, "verdict": verdict, "seconds": round(seconds, 1),
                     "sample": arguments.sample})
        if arguments.json:
            with open(arguments.json, "w") as out:
                json.dump(rows, out, indent=1)

    suspects = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for run in concurrent.futures.as_completed([pool.submit(work, job) for job in jobs]):
            tool, name, verdict, seconds, output = run.result()
            if verdict == "finding":
                suspects.append((tool, name, seconds, output))
            else:
                record(tool, name, verdict, seconds)
    for tool, name, seconds, output in suspects:
        verdict = "finding"
        if NOTHING.search(output):
            verdict, seconds, output = run_one(program, tool, name, arguments.limit)
        record(tool, name, verdict, seconds)
        if verdict == "finding":
            findings += 1
            print(f"--- {tool} {name}\n" + "\n".join(output.splitlines()[-40:]), flush=True)
    kinds = ("clean", "explained", "finding", "not covered", "skipped")
    print(f"{'tool':<10} {'clean':>6} {'explained':>10} {'finding':>8} {'not covered':>12} {'skipped':>8} "
          f"{'seconds':>8}")
    for tool in tools:
        mine = [r for r in rows if r["tool"] == tool]
        count = {v: sum(r["verdict"] == v for r in mine) for v in kinds}
        print(f"{tool:<10} {count['clean']:>6} {count['explained']:>10} {count['finding']:>8} "
              f"{count['not covered']:>12} {count['skipped']:>8} {sum(r['seconds'] for r in mine):>8.0f}")
    for row in rows:
        if row["verdict"] in ("not covered", "explained"):
            print(f"{row['verdict']}: {row['tool']} {row['test']}")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
