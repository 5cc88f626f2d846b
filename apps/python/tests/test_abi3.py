"""The declarations of Python's stable ABI in abi3/, for machines without Python's headers, beside those headers."""

import subprocess
import sysconfig
from pathlib import Path

import pytest

ABI3 = Path(__file__).parents[1] / "abi3"
HEADERS = Path(sysconfig.get_path("include"))


def errors_of(tmp_path, *lines):
    """What the compiler finds wrong with Python's own headers and these lines."""
    unit = tmp_path / "unit.cpp"
    unit.write_text("\n".join(["#include <Python.h>", *lines]) + "\n")
    done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Werror", "-DPy_LIMITED_API=0x030A0000",
                           f"-I{HEADERS}", f"-I{ABI3}", str(unit)], capture_output=True, text=True, check=False)
    return done.stderr


@pytest.mark.skipif(not (HEADERS / "Python.h").exists(), reason="this Python has no headers here")
def test_what_is_declared_is_what_python_declares(tmp_path):
    """A function that is declared twice with different types, or a constant with two values, does not compile."""
    assert errors_of(tmp_path, '#include "functions.h"', '#include "constants.h"') == ""
    assert "conflicting declaration" in errors_of(tmp_path, "extern \"C\" double PyList_Sort(PyObject*);")
    assert "redefined" in errors_of(tmp_path, "#define Py_LT 1")
