#!/usr/bin/env python3
"""Formats the C++ and CUDA sources that git tracks or would track, with one version of clang-format for everybody.

    tools/format.py [--check] [FILE...]

--check changes nothing, names the files that are not formatted, and exits 1 if there is one. The version below comes
from PyPI into build/format, once; where it cannot be had (no network) a clang-format of that version in the path will
do. The style is .clang-format. Comments stay as they are written: contracts are tables with hanging indents.
"""

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = "19.1.7"
SUFFIXES = (".hpp", ".cuh", ".cpp", ".cu", ".h")


def version_of(program):
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return told.stdout.split("version ")[-1].split()[0] if told.returncode == 0 else ""


FOLDER = ROOT / "build" / "format"


def at_hand():
    """The path of clang-format VERSION where it has been fetched or is in the path; else None."""
    for program in (str(FOLDER / "bin" / "clang-format"), shutil.which("clang-format")):
        if program and os.path.exists(program) and version_of(program) == VERSION:
            return program
    return None


def find_formatter():
    """The path of clang-format VERSION, which is fetched if need be."""
    if program := at_hand():
        return program
    venv.create(FOLDER, with_pip=True, clear=True)
    fetch = [FOLDER / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*fetch, f"clang-format=={VERSION}"], check=False).returncode != 0:
        sys.exit(f"tools/format.py: clang-format {VERSION} is neither in the path nor to be had from PyPI")
    return str(FOLDER / "bin" / "clang-format")


def sources():
    listed = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"]
    names = subprocess.run(listed, capture_output=True, check=True).stdout.decode().split("\0")
    return sorted({str(ROOT / n) for n in names if n.endswith(SUFFIXES) and (ROOT / n).is_file()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*", metavar="FILE")
    arguments = parser.parse_args()
    for name in arguments.files:
        if not name.endswith(SUFFIXES):
            parser.error(f"{name}: only {', '.join(SUFFIXES)} are formatted")
    formatter, files = find_formatter(), arguments.files or sources()
    if not arguments.check:
        return max(subprocess.run([formatter, "-i", *files[at : at + 100]], check=False).returncode
                   for at in range(0, len(files), 100))
    unformatted = set()
    for at in range(0, len(files), 100):
        look = [formatter, "--dry-run", "--ferror-limit=1", *files[at : at + 100]]
        said = subprocess.run(look, capture_output=True, text=True, check=True).stderr.splitlines()
        unformatted |= {line.split(":")[0] for line in said if "[-Wclang-format-violations]" in line}
    for name in sorted(os.path.relpath(name, ROOT) for name in unformatted):
        print(f"{name}: not formatted (tools/format.py {name})")
    return 1 if unformatted else 0


if __name__ == "__main__":
    sys.exit(main())
