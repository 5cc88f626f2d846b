#!/usr/bin/env python3
"""Compiles every header of a folder by itself, so that none leans on what another includes; then all of them together,
so that no two name the same thing.

    headers_alone.py [--but HEADER] FOLDER SUFFIX WORK COMPILER [OPTION...]

A unit is a chain of headers, each of which includes the one before it, whichever way, at its top: then what stands
before a header is what it includes itself, and nothing else. So a header is as alone in its chain as in a unit of its
own, and there are half as many units. Exits 1, with what the compiler said, if one does not compile.
"""

import argparse
import concurrent.futures
import functools
import os
import re
import subprocess
import sys
from pathlib import Path


def includes_at_top(text):
    """What a header includes before its first declaration, under whatever condition there may be: none."""
    text = re.sub(r"/\*.*?\*/", "", re.sub(r"//.*", "", text), flags=re.DOTALL)
    found, depth = [], 0
    for line in filter(None, map(str.strip, text.splitlines())):
        if not line.startswith("#"):
            break
        depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
        if depth == 0:
            found += re.findall(r'#\s*include\s+"([^"]+)"', line)
    return found


def chains_of(texts, suffix):
    """The headers that end so of {path: text}, each in one list; in a list each includes the one before it."""

    @functools.cache
    def reached(name):
        folder = os.path.dirname(name)
        beside = ({path, os.path.normpath(os.path.join(folder, path))} & texts.keys()
                  for path in includes_at_top(texts[name]))
        direct = set().union(*beside)
        return direct.union(*map(reached, direct))

    chains = []
    for name in sorted((n for n in texts if n.endswith(suffix)), key=lambda n: (len(reached(n)), n)):
        fitting = [chain for chain in chains if chain[-1] in reached(name)]
        if fitting:
            max(fitting, key=lambda chain: len(reached(chain[-1]))).append(name)
        else:
            chains.append([name])
    return chains


def compile_unit(work, folder, command, headers, suffix):
    """What the compiler said if it refused the unit of these headers."""
    source = work / f"{re.sub(r'[^a-z0-9]', '_', headers[-1])}_{len(headers)}{suffix}"
    text = "".join(f'#include "{header}"\n' for header in headers)
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    done = subprocess.run([*command, "-I", folder, "-o", source.with_suffix(".out"), source], capture_output=True,
                          text=True, check=False)
    return "" if done.returncode == 0 else f"{' '.join(headers)}:\n{done.stdout}{done.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--but", help="a header to leave out")
    parser.add_argument("folder", type=Path)
    parser.add_argument("suffix", choices=[".hpp", ".cuh"])
    parser.add_argument("work", type=Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    texts = {path.relative_to(asked.folder).as_posix(): path.read_text(encoding="utf-8")
             for path in asked.folder.rglob("*") if path.is_file()}
    texts.pop(asked.but, None)
    chains = chains_of(texts, asked.suffix)
    if not chains:
        sys.exit(f"{asked.folder} has no headers {asked.suffix}")
    units = [sorted(sum(chains, [])), *chains] if len(chains) > 1 else chains
    run = functools.partial(compile_unit, asked.work, asked.folder, asked.command,
                            suffix=".cu" if asked.suffix == ".cuh" else ".cpp")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as team:
        refused = [said for said in team.map(run, units) if said]
    print(*refused, sep="\n")
    headers = sum(map(len, chains))
    print(f"{headers} headers {asked.suffix} in {len(units)} units, of which {len(refused)} do not compile")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
