#!/usr/bin/env python3
"""How fast other programs read the files of `kleene bench --suite io --keep FOLDER`: medians of five, from the page
cache.

    python3 bench/peers/readers.py FOLDER [RESULTS.json]        (needs NumPy, SciPy, pandas, pyarrow)

Into the rows of RESULTS.json, what the suite wrote with --out, the peers are added.

What each does: arrays of numbers (SciPy: of a sparse matrix, coordinates as they come; pandas, pyarrow: columns), no
more; Kleene's own time brings the vertices of edge lists together, too. One thread, then as many as there are
processors where the program has them.
"""
import json
import os
import statistics
import sys
import time

import numpy
import pandas
import pyarrow
import pyarrow.csv
import scipy
import scipy.io


def seconds(read):
    read()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        read()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def scipy_mmread(path, threads):
    import scipy.io._fast_matrix_market as fast  # mmread's own; its number of threads is no argument of mmread
    fast.PARALLELISM = threads
    scipy.io.mmread(path)


def arrow_csv(path, threads):
    pyarrow.csv.read_csv(path, read_options=pyarrow.csv.ReadOptions(use_threads=threads > 1))


READERS = [
    ("Matrix Market, integers", "i.mtx", "SciPy mmread", scipy_mmread),
    ("Matrix Market, reals", "r.mtx", "SciPy mmread", scipy_mmread),
    ("Matrix Market, a pattern", "p.mtx", "SciPy mmread", scipy_mmread),
    ("Matrix Market array", "d.mtx", "SciPy mmread", scipy_mmread),
    ("CSV, numbers", "n.csv", "pandas read_csv", lambda path, _: pandas.read_csv(path)),
    ("CSV, numbers", "n.csv", "pyarrow.csv", arrow_csv),
    ("CSV, numbers and reals", "r.csv", "pandas read_csv", lambda path, _: pandas.read_csv(path)),
    ("CSV, numbers and reals", "r.csv", "pyarrow.csv", arrow_csv),
    ("CSV, names", "v.csv", "pandas read_csv", lambda path, _: pandas.read_csv(path)),
    ("CSV, names", "v.csv", "pyarrow.csv", arrow_csv),
    ("SNAP, two columns", "s.txt", "pandas read_csv", lambda path, _: pandas.read_csv(path, sep="\t")),
    (".npy f32, 8192 x 8192", "d.npy", "numpy.load", lambda path, _: numpy.load(path)),
]
PARALLEL = (scipy_mmread, arrow_csv)
VERSIONS = {"SciPy": scipy.__version__, "pandas": pandas.__version__, "pyarrow": pyarrow.__version__,
            "numpy": numpy.__version__}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    results = {"rows": []}
    if len(sys.argv) == 3:
        with open(sys.argv[2], encoding="utf-8") as file:
            results = json.load(file)
    rows = {row["work"]: row for row in results["rows"]}
    for row in rows.values():
        row.pop("peers", None)
    processors = len(os.sched_getaffinity(0))
    print(f"NumPy {numpy.__version__}, SciPy {scipy.__version__}, pandas {pandas.__version__}, pyarrow "
          f"{pyarrow.__version__}; {processors} processors")
    for work, name, peer, read in READERS:
        path = os.path.join(sys.argv[1], name)
        megabytes = os.path.getsize(path) / 1e6
        one = seconds(lambda: read(path, 1))
        every = seconds(lambda: read(path, processors)) if read in PARALLEL else one
        print(f"{work:<26} {peer:<16} {megabytes / one:7.0f} MB/s on one core, {every:.3f} s on all")
        rows.setdefault(work, {}).setdefault("peers", []).append(
            {"name": f"{peer} {VERSIONS[peer.split()[0].split('.')[0]]}", "mb_per_second_and_core": megabytes / one,
             "seconds": every})
    if len(sys.argv) == 3:
        head = {key: value for key, value in results.items() if key != "rows"}
        text = json.dumps(head)[:-1] + ', "rows": [\n  ' + ",\n  ".join(map(json.dumps, results["rows"])) + "]}\n"
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
