#!/usr/bin/env python3
"""Compiles the right halves of must_not_compile, all in one unit: what is there without -DWRONG.

    right_halves.py WORK SOURCE... -- COMPILER [OPTION...]

Most of what a compiler does with each is reading headers: together they take 2 s, alone 24. A source is a namespace
behind the includes of all.
"""

import re
import subprocess
import sys
from pathlib import Path

INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)


def main():
    work, *rest = sys.argv[1:]
    sources, command = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    includes, bodies = {}, []
    for source in map(Path, sources):
        text = source.read_text(encoding="utf-8")
        includes.update(dict.fromkeys(INCLUDE.findall(text)))
        bodies.append(f'namespace {source.stem} {{\n#line 1 "{source}"\n{INCLUDE.sub("", text)}\n}}')
    unit = Path(work) / "right_halves.cpp"
    unit.write_text("\n".join([*includes, *bodies, ""]), encoding="utf-8")
    print(f"{len(sources)} right halves")
    return subprocess.run([*command, unit], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
