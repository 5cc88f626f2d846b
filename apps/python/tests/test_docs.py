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
