#!/usr/bin/env python3
"""Checks what the documents point to: files that are linked exist, and so do the tests that the how-tos name."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from check_floors import list_files  # noqa: E402

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
TEST = re.compile(r"`(?:[\w./]*/)?(\w+_test\.(?:cpp|cu|py))`")
EXAMPLES = ("pajek", "transpose_sum", "dedupe")  # what the how-tos pretend to add


def main():
    files = list_files(ROOT)
    names = {Path(name).name for name in files}
    wrong = []
    for page in (name for name in files if name.endswith(".md")):
        for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").split("\n"), 1):
            for target in LINK.findall(line):
                if "://" not in target and not (ROOT / page).parent.joinpath(target).exists():
                    wrong.append(f"{page}:{number}: there is no {target}")
            if page.startswith("docs/howto/"):
                wrong += [f"{page}:{number}: there is no test {test}" for test in TEST.findall(line)
                          if test not in names and not test.startswith(EXAMPLES)]
    howtos = [name for name in files if name.startswith("docs/howto/")]
    without = [name for name in howtos if not re.search(r"_test\.|[Tt]est", (ROOT / name).read_text(encoding="utf-8"))]
    wrong += [f"{name}: names no test" for name in without]
    print("\n".join(wrong) or f"{len(howtos)} how-tos, all links and tests are there")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
