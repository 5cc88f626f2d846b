"""The names of the package: what there is, what is misspelled, what takes another package, and the types of all."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kleene as kl
from kleene import bits, gradients


def run_python(code):
    """What a fresh interpreter prints: (stdout, stderr)."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    return done.stdout, done.stderr


def test_names_that_are_misspelled_are_noticed():
    _, errors = run_python("import kleene as kl; kl.matmull")
    assert errors.strip().splitlines()[-1] == (
        "AttributeError: module 'kleene' has no attribute 'matmull'. Did you mean: 'matmul'?")
    assert not hasattr(kl, "nothing")


@pytest.mark.parametrize("module, package, words", [
    ("jax", "jax", "kleene.jax is for JAX, and there is no JAX: pip install jax"),
    ("torch", "torch", "kleene.torch is for torch, and there is no torch: pip install torch"),
    ("csgraph", "scipy", "kleene.csgraph takes SciPy's matrices, and there is no SciPy: pip install scipy"),
])
def test_modules_whose_package_is_missing(module, package, words):
    """hasattr() says no, as do tools that look at all names; an import says which package it takes."""
    start = f"import sys; sys.modules[{package!r}] = None; import kleene as kl; "
    look = f"print(hasattr(kl, {module!r}), {module!r} in dict(__import__('inspect').getmembers(kl)))"
    assert run_python(start + look) == ("False False\n", "")
    for use, kind in ((f"import kleene.{module}", "ImportError"), (f"from kleene import {module}", "ImportError"),
                      (f"kl.{module}", "AttributeError")):
        assert run_python(start + use)[1].strip().splitlines()[-1] == f"{kind}: {words}"


def test_every_name_is_told_once():
    names = dir(kl)
    assert len(names) == len(set(names)) and set(kl.__all__) <= set(names)
    assert {name for name in names if not name.startswith("_")} == {
        *kl.__all__, "TYPE_CHECKING", "bits", "csgraph", "gradients", "jax", "torch"}
    assert len(kl.__all__) == len(set(kl.__all__)) and set(kl.__all__) == set(kl._HOME)
    source = ast.parse(Path(kl.__file__).read_text())  # what a type checker is told of the same names
    checked = next(s for s in source.body if isinstance(s, ast.If)).body
    assert {(line.module, name.name) for line in checked for name in line.names if line.module} == {
        (home, name) for home, names in kl._HOMES.items() for name in names}


def test_the_package_is_imported_before_numpy_is():
    """NumPy takes some tenth of a second, which a program that only might compute should not wait for."""
    numpy = "'numpy' in sys.modules"
    assert run_python(f"import sys, kleene as kl; print({numpy}, kl.__version__ != ''); kl.matmul; print({numpy})") == (
        "False True\nTrue\n", "")
    everything = "from kleene import *; print(matmul.__name__, sorted([3, 1]), where.__module__)"
    assert run_python(everything) == ("matmul [1, 3] kleene._ring_trace\n", "")


def test_the_algebras_show_their_names():
    assert repr(kl.algebras).startswith("<kleene algebras: min_plus, max_plus, ")


def functions_of(module):
    """The functions that are told, and the methods of classes that are: (name, function)."""
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for inner, method in vars(thing).items():
                method = method.fget if isinstance(method, property) else method
                if inspect.isfunction(method) and not inner.startswith("_"):
                    yield f"{name}.{inner}", method


@pytest.mark.parametrize("module", [kl, bits, gradients], ids=lambda module: module.__name__)
def test_every_function_has_types(module):
    found = dict(functions_of(module))
    assert len(found) >= len(module.__all__) // 2
    for name, function in found.items():
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty, name
        for parameter in signature.parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty or parameter.name == "self", (name, parameter)


def test_a_type_checker_agrees(tmp_path):
    """Where mypy is installed: a program with two names that there are not."""
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text("""\
import kleene as kl

trust = kl.semiring("trust", kl.max, lambda a, b: kl.max(a + b - 1, 0), zero=0, one=1, domain=(0, 1))
print(kl.matmul([[1.0]], [[2.0]], trust), kl.where(True, 1, 2), kl.bits.pack([[1]]).shape)
kl.matmull([[1.0]], [[2.0]])
kl.nothing()
""")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}", str(program)],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "MYPYPATH": str(Path(kl.__file__).parent.parent)})
    wrong = [line.split("error: ")[1] for line in done.stdout.splitlines() if line.startswith(str(program))]
    assert wrong == ['Module has no attribute "matmull"; maybe "matmul"?  [attr-defined]',
                     'Module has no attribute "nothing"  [attr-defined]'], done.stdout
