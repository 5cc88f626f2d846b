"""The Python of the documents runs, in the root of the repository."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]


def blocks(document):
    return re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL)


def test_the_readme(monkeypatch):
    pytest.importorskip("scipy")
    monkeypatch.chdir(ROOT)
    a = np.random.default_rng(1).random((5, 5))
    shown = {"a": a, "b": a}
    code = blocks("README.md")
    assert len(code) == 1
    exec(code[0], shown)
    assert shown["way"][0] == 0 and shown["way"][-1] == 2623
    np.testing.assert_allclose(shown["km"], shown["d"][0, 2623])
    np.testing.assert_array_equal(shown["c"], (a[:, :, None] + a).min(1))


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder with the clone's data, in which pictures are drawn."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_six_problems(clone, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("scipy")
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path / "cache"))
    shown = {}
    for code in blocks("docs/python.md"):
        if not code.startswith(("import torch", "import jax")):
            exec(code, shown)
    assert round(shown["km"], 3) == 846.408
    trust, _, others = capsys.readouterr().out.partition("]]\n")
    assert trust == "[[1.  0.9 0.8]\n [0.4 1.  0.9]\n [0.5 0.4 1. "
    assert others.startswith("Reservoir - North - South - Mill carries 45")
    assert shown["widest"] == {"Reservoir": np.inf, "North": 60, "South": 45, "Mill": 45, "Town": 45}
    assert np.abs(shown["error"]).max() < 0.1
    check_the_chain(shown)
    check_the_molecules(shown)
    check_the_history(shown)
    pictures = sorted(re.findall(r"pictures/(\w+\.png)", (ROOT / "docs/python.md").read_text(encoding="utf-8")))
    assert sorted(p.name for p in clone.glob("*.png")) == pictures
    for name in pictures:
        assert (clone / name).stat().st_size > 5000 and (ROOT / "docs" / "pictures" / name).is_file()


def test_layers_of_torch():
    pytest.importorskip("torch")
    shown = {}
    for code in blocks("docs/python.md"):
        if code.startswith("import torch"):
            exec(code, shown)
    assert shown["loss"].item() < 0.01 and shown["error"].item() < 0.01


def check_the_chain(shown):
    """Against sums over the states of its first ten spins, and the energy of the state that was found."""
    spins, coupling, field = shown["ground"], shown["coupling"], shown["field"]
    energy = (coupling * spins[1:] * spins[:-1]).sum() + (field * spins).sum()
    np.testing.assert_allclose(energy, shown["energy"])
    for i in range(len(spins)):
        flipped = spins.copy()
        flipped[i] *= -1
        assert (coupling * flipped[1:] * flipped[:-1]).sum() + (field * flipped).sum() <= energy + 1e-12
    logs, beta = np.array([-1.0, 1.0]) * field[0] * shown["beta"], shown["beta"]
    for j, h in zip(coupling, field[1:]):
        terms = logs[:, None] + beta * (j * np.outer([-1, 1], [-1, 1]) + h * np.array([-1, 1]))
        logs = np.log(np.exp(terms).sum(0))
    np.testing.assert_allclose(shown["free_energy"], -np.log(np.exp(logs).sum()) / beta)


def check_the_molecules(shown):
    graph, hops = shown["graphs"][77], shown["hops"][77]
    reached = np.eye(24, dtype=bool)
    for step in range(24):
        assert (hops[reached] <= step).all() and (hops[~reached] > step).all()
        reached = reached | (reached.astype(int) @ (graph == 1).astype(int) > 0)


def check_the_history(shown):
    """Against all 3^8 histories."""
    moves, shows, seen = shown["moves"], shown["shows"], shown["seen"]
    best, total = (-np.inf, None), 0.0
    for history in np.ndindex(*[3] * len(seen)):
        score = np.log(1 / 3) + sum(shows[s, o] for s, o in zip(history, seen))
        score += sum(moves[u, v] for u, v in zip(history, history[1:]))
        best, total = max(best, (score, history)), total + np.exp(score)
    assert tuple(shown["history"]) == best[1]
    np.testing.assert_allclose(shown["evidence"], np.log(total))


def test_the_program_of_jax():
    jax = pytest.importorskip("jax")
    shown = {}
    code, = (code for code in blocks("docs/python.md") if code.startswith("import jax"))
    exec(code, shown)
    slopes, x = np.linspace(-3.0, 3.0, 24), np.linspace(-2.0, 2.0, 81)
    fit = (slopes[:, None] * x).max(0) - x**2
    np.testing.assert_allclose(shown["error"], (fit**2).mean(), rtol=1e-5)
    # Of a sum of squares of maxima: a point belongs to the first plane that is greatest there.
    best = (slopes[:, None] * x).argmax(0)
    np.testing.assert_allclose(shown["to_heights"], np.bincount(best, 2 * fit / 81, 24), atol=1e-5)
    assert isinstance(shown["to_slopes"], jax.Array)
