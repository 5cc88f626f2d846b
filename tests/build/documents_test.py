#!/usr/bin/env python3
"""Checks what the documents point to: files that are linked or named exist, code that is quoted is the file's, and
figures are those of the committed results. With a folder: that the links of installed pages are there."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from check_floors import list_files  # noqa: E402

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FILE = re.compile(r"`(?:\.{1,2}/)*((?:[\w.-]+/)*[\w.-]+\.(?:hpp|cpp|cuh|cu|def|py|md|sh|in))`")
EXAMPLES = ("pajek", "transpose_sum", "dedupe", "X.")  # what the how-tos pretend to add, and X for any stem

# Rows of README's tables: the file, and for each figure the row of the file, what is shown of it, and how.
FIGURES = {
    "min_plus f32, any sign, 8192": ("gpu", [("min_plus f32, any sign, 8192", "tops", "{:.1f} Tops")]),
    "min_plus f32, non-negative, 8192": ("gpu", [("min_plus f32, non-negative, 8192", "tops", "{:.1f} Tops")]),
    "min_plus f32, whole numbers 0 .. 25, 8192": ("gpu", [
        ("min_plus f32, 0 .. 25, 8192", "tops", "{:.0f}"),
        ("min_plus f32 witness, 0 .. 25, 8192", "tops", "{:.0f} Tops")]),
    "min_plus u8, 0 .. 25, 8192": ("gpu", [("min_plus u8, 0 .. 25, 8192", "tops", "{:.0f} Tops")]),
    "min_plus i16 / f16 / bf16, 8192": ("gpu", [
        ("min_plus i16, 0 .. 2000, 8192", "tops", "{:.1f} /"), ("min_plus f16, any sign, 8192", "tops", "/ {:.1f} /"),
        ("min_plus bf16, any sign, 8192", "tops", "/ {:.1f} Tops")]),
    "log_plus f32, 8192": ("gpu", [("log_plus f32, any sign, 8192", "tops", "{:.0f} Tops")]),
    "min_plus i32, 0 .. 2^20, 8192": ("gpu", [("min_plus i32, 0 .. 2^20, 8192", "tops", "{:.1f} Tops")]),
    "min_plus f32 witness, non-negative": ("gpu", [
        ("min_plus f32 witness, non-negative, 8192", "tops", "{:.1f} Tops")]),
    "user-defined ring f32, non-negative": ("gpu", [
        ("my_route f32, non-negative, 8192, user-defined", "tops", "{:.1f} Tops")]),
    "min_plus f32, matrix times vector": ("streaming", [
        ("gemv min_plus f32 A x, 16384 x 16384", "rate", "{:,.0f} GB/s")]),
    "plus_times f32, matrix times vector": ("streaming", [
        ("gemv plus_times f32 A x, 16384 x 16384", "rate", "{:,.0f} GB/s"),
        ("gemv plus_times f32 A x, 16384 x 16384", "peer", "{:,.0f} (cuBLAS)")]),
    "plus_times f32, any sign, 8192": ("gpu", [
        ("plus_times f32, any sign, 8192", "tops", "{:.1f} Tops"),
        ("plus_times f32, any sign, 8192", "peer_tops", "{:.1f} (cuBLAS)")]),
    "plus_times f64, 8192": ("matrix", [
        ("f64, 8192 cubed NN", "rate", "{:.1f} Tops"), ("f64, 8192 cubed NN", "peer", "{:.1f} (cuBLASLt)")]),
    "plus_times bf16, 8192 / 4096": ("matrix", [
        ("bf16, 8192 cubed NN", "rate", "{:.0f} /"), ("bf16, 4096 cubed NN", "rate", "/ {:.0f} Tops"),
        ("bf16, 8192 cubed NN", "peer", "{:.0f} /"), ("bf16, 4096 cubed NN", "peer", "/ {:.0f} (cuBLASLt)")]),
    "plus_times f8_e4m3 to bf16": ("matrix", [
        ("f8_e4m3 to bf16, 8192 cubed NT", "rate", "{:,.0f} Tops"),
        ("f8_e4m3 to bf16, 8192 cubed NT", "peer", "{:,.0f} (cuBLASLt)")]),
    "xor_and on packed bits, 8192": ("bits", [("xor_and, 8192", "rate", "{:,.0f} Tops")]),
    "or_and on packed bits, 32,768": ("bits", [("or_and, 32768", "rate", "{:,.0f} Tops")]),
    "closure of packed bits": ("bits", [
        ("closure of a random DAG, 65536 vertices, 16 arcs each", "ms", "{:.0f} /"),
        ("closure of a random digraph, 65536 vertices, 16 arcs each", "ms", "/ {:.1f} ms")]),
    "closure min_plus f32, non-negative": ("closure", [
        ("min_plus f32, one sign, 32768", "seconds", "{:.2f} s"),
        ("min_plus f32, one sign, 32768", "share_of_gemm", "{:.0%} of gemm")]),
    "closures of 100,000 graphs": ("closure", [
        ("min_plus f32, one sign, 100000 of 64, with predecessors", "ms", "{:.1f} ms")]),
    "scan, 128 Mi": ("streaming", [("scan", "rate", "{:,.0f} GB/s"), ("scan", "peer", "{:,.0f} (CUB)")]),
    "merge, 128 Mi": ("streaming", [("merge keys", "rate", "{:,.0f} GB/s"), ("merge keys", "peer", "{:,.0f} (CUB)")]),
    "merge sort, 128 Mi": ("streaming", [
        ("merge sort keys", "rate", "{:.1f} G items/s"), ("merge sort keys", "peer", "{:.1f} (CUB)")]),
    "segmented sort, 128 Mi": ("streaming", [
        ("segmented sort, uniform", "rate", "{:.0f} /"), ("segmented sort, skewed", "rate", "/ {:.0f} G items/s"),
        ("segmented sort, uniform", "peer", "{:.0f} /"), ("segmented sort, skewed", "peer", "/ {:.1f} (CUB)")]),
    "reduce by key": ("streaming", [
        ("reduce by key", "rate", "{:,.0f} GB/s"), ("reduce by key", "peer", "{:,.0f} (CUB)")]),
    "sorted search": ("streaming", [("sorted search", "rate", "{:,.0f} GB/s")]),
    "segmented reduce": ("streaming", [("segmented reduce, skewed", "rate", "{:,.0f} GB/s")]),
    "SpMV f32": ("streaming", [
        ("SpMV f32 plus-times, uniform", "rate", "{:,.0f} /"), ("SpMV f32 plus-times, R-MAT", "rate", "/ {:,.0f} GB/s"),
        ("SpMV f32 plus-times, uniform", "peer", "{:,.0f} /"),
        ("SpMV f32 plus-times, R-MAT", "peer", "/ {:,.0f} (cuSPARSE)")]),
    "inner join": ("streaming", [("inner join", "rate", "{:.0f} G items/s")]),
}


def dead_links(root, page, line, number):
    return [f"{page}:{number}: there is no {target}" for target in LINK.findall(line)
            if "://" not in target and not (root / page).parent.joinpath(target).exists()]


def installed(root):
    """The links of all pages of an installed tree."""
    pages = sorted(path.relative_to(root) for path in root.rglob("*.md"))
    wrong = [fault for page in pages for number, line in enumerate((root / page).read_text("utf-8").split("\n"), 1)
             for fault in dead_links(root, page, line, number)]
    print("\n".join(wrong) or f"{len(pages)} pages, all links are there")
    return bool(wrong) or not pages


def links_and_names(page, line, number, ends):
    """What is wrong with one line of a page. ends: of the paths of all files, behind each folder."""
    wrong = dead_links(ROOT, page, line, number)
    if page == "README.md" or page.startswith("docs/") and not page.startswith("docs/decisions/"):
        named = [name for name in FILE.findall(line) if not any(word in name for word in EXAMPLES)]
        wrong += [f"{page}:{number}: there is no file {name}" for name in named if name not in ends]
    return wrong


def quotes():
    """docs/streaming.md quotes an example."""
    squeeze = lambda text: " ".join(text.split())
    example = squeeze((ROOT / "examples/merge_sides.cu").read_text(encoding="utf-8"))
    blocks = re.findall(r"```cuda\n(.*?)```", (ROOT / "docs/streaming.md").read_text(encoding="utf-8"), re.DOTALL)
    return [f"docs/streaming.md: not in examples/merge_sides.cu: {block}" for block in blocks
            if squeeze(block) not in example] + ["docs/streaming.md: quotes nothing"] * (not blocks)


def shown(row, what):
    if what == "ms":
        return 1000 * row["seconds"]
    return max(peer["rate"] for peer in row["peers"]) if what == "peer" else row[what]


def figures(readme):
    """README's table of one H200 has the figures of the committed files, and every row of it is looked at."""
    table = readme.split("| one NVIDIA H200 |", 1)[1].split("\n\n", 1)[0].split("\n")[2:]
    wrong, seen = [], set()
    for line in table:
        name = next((name for name in FIGURES if re.search(rf"(\| |gemm ){re.escape(name)}\b", line)), None)
        seen.add(name)
        if not name:
            wrong.append(f"README.md: a figure that no file is known for: {line}")
            continue
        file, cells = FIGURES[name]
        rows = {row["work"]: row for row in json.loads((ROOT / f"bench/results/h200/{file}.json").read_text())["rows"]}
        for work, what, form in cells:
            wanted = form.format(shown(rows[work], what)).replace("%", " %")
            if not re.search(rf"(?<![\d.,]){re.escape(wanted)}", line):
                wrong.append(f"README.md: {file}.json has {wanted} of {work!r}: {line}")
    return wrong + [f"README.md: there is no row {name}" for name in FIGURES.keys() - seen]


def two_cores(readme, page):
    """The first table of docs/performance.md is the committed file's, and README's one shows rows of it."""
    rows = json.loads((ROOT / "bench/results/zen5-2c/cpu.json").read_text())["rows"]
    wrong = []
    for row in (row for row in rows if "gpairs_per_second" in row):
        line = (f'| {row["work"]} | {row["gpairs_per_second"]:.1f} Gpairs/s '
                f'| {row["operations_per_clock_and_thread"]:.1f} | {100 * row["share"]:.0f} % of {row["against"]} |')
        wrong += [f"docs/performance.md: cpu.json gives {line}"] * (line not in page)
    shown_there = re.findall(r"^\| (?:gemm|closure) .*Gpairs/s.*$", readme, re.MULTILINE)
    wrong += [f"README.md: not a row of docs/performance.md: {line}" for line in shown_there if line not in page]
    return wrong + ["README.md: no row of two cores"] * (not shown_there)


def rows_of(file):
    return {row["work"]: row for row in json.loads((ROOT / f"bench/results/{file}.json").read_text())["rows"]}


def prose():
    """Sentences that repeat figures of the committed files."""
    h200, h100, cpu = rows_of("h200/gpu"), rows_of("h100/gpu"), rows_of("zen5-2c/cpu")
    small = [work for work in h200 if re.search(r" 0 \.\. 2[05], ", work) and "witness" not in work]
    slower = max(1 - h100[work]["tops"] / h200[work]["tops"] for work in small)
    vectors = [100 * row["share"] for work, row in cpu.items() if work.startswith("gemv ")]
    tops = lambda rows, *works: [rows[f"min_plus f32, {work}"]["tops"] for work in works]
    sentences = [
        ("docs/architecture.md", "at {:.0f} to {:.0f} % of the memory's on two cores", [min(vectors), max(vectors)]),
        ("docs/performance.md", "1024 x 1024 x 1024 reaches {:.1f} for any sign, {:.1f} for one",
         tops(h200, "any sign, 1024", "non-negative, 1024")),
        ("docs/performance.md", "4096 x 4096 x 256 reaches {:.1f} for any sign (asked 25.0), {:.1f} for one",
         tops(h200, "any sign, 4096x4096x256", "non-negative, 4096x4096x256")),
        ("docs/performance.md", "{:.0f} Tops at 8192 and {:.0f} at 16,384 where the H100 has {:.0f} and {:.0f}.",
         tops(h200, "0 .. 25, 8192", "0 .. 25, 16384") + tops(h100, "0 .. 25, 8192", "0 .. 25, 16384")),
        ("docs/performance.md", "Rows of small whole numbers are up to {:.0f} % slower than on the H200",
         [100 * slower]),
    ]
    pages = {page: " ".join((ROOT / page).read_text(encoding="utf-8").split()) for page, _, _ in sentences}
    wanted = [(page, form.format(*figures)) for page, form, figures in sentences]
    return [f"{page}: the files give: {sentence}" for page, sentence in wanted if sentence not in pages[page]]


def tables():
    """docs/performance.md has the tables that tools/table_of_results.py makes of the committed files."""
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8").split("\n")
    wrong = []
    for file in ("h200/gpu", "h200/matrix", "h200/bits", "h200/streaming", "zen4-2c/io", "zen5-2c/optima",
                 "zen5-2c/networks", "h200/networks", "emerald-rapids-2c/orders"):
        command = [sys.executable, ROOT / "tools/table_of_results.py", ROOT / f"bench/results/{file}.json"]
        table = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
        wrong += [f"docs/performance.md: {file}.json gives {row}" for row in table.split("\n") if row not in page]
    return wrong


def picture():
    """docs/performance.svg is what tools/plot_shares.py draws of the committed files."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.svg"
        source = ROOT / "bench/results/h200/gpu.json"
        subprocess.run([sys.executable, ROOT / "tools/plot_shares.py", source, drawn], check=True)
        same = drawn.read_text(encoding="utf-8") == (ROOT / "docs/performance.svg").read_text(encoding="utf-8")
    return ["docs/performance.svg: draw it again by tools/plot_shares.py"] * (not same)


def main():
    if len(sys.argv) > 1:
        sys.exit(installed(Path(sys.argv[1])))
    files = list_files(ROOT)
    ends = {"/".join(name.split("/")[depth:]) for name in files for depth in range(name.count("/") + 1)}
    pages = {page: (ROOT / page).read_text(encoding="utf-8") for page in files if page.endswith(".md")}
    wrong = [fault for page, text in pages.items() for number, line in enumerate(text.split("\n"), 1)
             for fault in links_and_names(page, line, number, ends)]
    howtos = [name for name in files if name.startswith("docs/howto/")]
    wrong += [f"{name}: names no test" for name in howtos if not re.search(r"_test\.|[Tt]est", pages[name])]
    readme = pages["README.md"]
    wrong += quotes() + figures(readme) + two_cores(readme, pages["docs/performance.md"])
    wrong += tables() + picture() + prose()
    print("\n".join(wrong) or f"{len(howtos)} how-tos, all links and files are there; figures are those of the files")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
