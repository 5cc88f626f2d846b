"""kl.semiring: what is traced and what is refused, laws, kernels against loops and against the catalog, the cache."""

import itertools
import math
import os
import re
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kleene as kl
from kleene import _ring_build, _ring_calls
from kleene._ring_trace import Expression
from test_manners import run_python

INF = math.inf


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A cache of the tests' own, in this process and in those that it starts."""
    before = os.environ.get("KLEENE_CACHE")
    os.environ["KLEENE_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield os.environ["KLEENE_CACHE"]
    if before is None:
        del os.environ["KLEENE_CACHE"]
    else:
        os.environ["KLEENE_CACHE"] = before


@pytest.fixture
def no_compiler(monkeypatch):
    def refuse():
        raise _ring_build.NoCompiler("there is none in this test")

    monkeypatch.setattr(_ring_build, "compiler", refuse)


def has_compiler():
    try:
        _ring_build.compiler()
    except _ring_build.NoCompiler:
        return False
    return True


compiled = pytest.mark.skipif(not has_compiler(), reason="no C++ compiler")


def min_plus(**more):
    return kl.semiring("own_min_plus", kl.min, lambda a, b: a + b, zero=INF, one=0.0, **more)


def trust(**more):
    return kl.semiring("trust", kl.max, lambda a, b: kl.max(kl.min(a, b) + (kl.max(a, b) - 1), 0.0), zero=0.0, one=1.0,
                       domain=(0, 1), **more)


@compiled
@pytest.mark.parametrize("add, zero", [(kl.min, INF), (lambda a, b: kl.min(b, a), INF), (kl.max, -INF),
                                       (lambda a, b: kl.max(b, a), -INF)])
def test_a_sum_that_is_the_lesser_or_greater_passes_nan_over(add, zero):
    ring = kl.semiring("own", add, lambda a, b: a + b, zero=zero, one=0.0)
    a, b = np.array([[1.0, np.nan], [np.nan, 2.0], [np.nan, np.nan]]), np.zeros((2, 1))
    assert kl.matmul(a, b, ring).tolist() == [[1], [2], [zero]]
    found, witness = kl.matmul(a, b, ring, return_witness=True)
    assert found.tolist() == [[1], [2], [zero]] and witness.tolist() == [[0], [1], [-1]]


def test_expressions():
    """Against Python's own arithmetic, on all pairs of some numbers."""
    def strange(a, b):
        big = (a > b) & ~(b == 2) | (a * b < -1) ^ (a != a)
        return kl.where(big, abs(a - b) / 4 + 1, kl.max(-a, 3 * b)) - kl.min(a, 2.5)

    expression = Expression(strange, "it")
    for a, b in itertools.product([-3.0, -0.5, 0.0, 1.0, 2.0, 7.0], repeat=2):
        big = (a > b and not b == 2) or a * b < -1
        wanted = (abs(a - b) / 4 + 1 if big else max(-a, 3 * b)) - min(a, 2.5)
        assert expression(np.array(a), np.array(b)) == wanted
    assert Expression(lambda a, b: 1.5, "it")(np.array(2.0), np.array(3.0)) == 1.5
    text = Expression(lambda a, b: 0.1 * a, "it").text()
    assert text == "const value_type x0 = (value_type(0x1.999999999999ap-4) * a);\n    return x0;"


def test_numbers_of_numpy_stand_on_both_sides():
    two, truth = np.float64(2), np.True_
    for by_numpy, by_python in ((lambda a, b: two * a + b, lambda a, b: 2.0 * a + b),
                                (lambda a, b: np.float32(2) - a, lambda a, b: 2.0 - a),
                                (lambda a, b: np.int64(2) / b + a, lambda a, b: 2 / b + a),
                                (lambda a, b: kl.where(two < a, a, b), lambda a, b: kl.where(2.0 < a, a, b)),
                                (lambda a, b: kl.where(two >= a, a, b), lambda a, b: kl.where(2.0 >= a, a, b)),
                                (lambda a, b: kl.where(two == a, a, b), lambda a, b: kl.where(2.0 == a, a, b)),
                                (lambda a, b: kl.where(truth & (a < b), a, b),
                                 lambda a, b: kl.where(True & (a < b), a, b))):
        made, expected = Expression(by_numpy, "it"), Expression(by_python, "it")
        for x, y in ((3.0, 5.0), (2.0, 1.0), (-1.0, 4.0)):
            assert made(np.array(x), np.array(y)) == by_python(x, y)
        assert made.text().count("=") == expected.text().count("=")
    assert Expression(lambda a, b: two * a, "it").text() == Expression(lambda a, b: 2.0 * a, "it").text()


def test_integers_of_more_than_64_bits_are_floats():
    text = Expression(lambda a, b: a * 10**20, "it").text()
    assert text == "const value_type x0 = (a * value_type(0x1.5af1d78b58c40p+66));\n    return x0;"
    assert Expression(lambda a, b: -(2**63), "it").text() == "return value_type(-9223372036854775807LL - 1);"
    assert Expression(lambda a, b: 2**63, "it").text() == "return value_type(0x1.0000000000000p+63);"
    with pytest.raises(ValueError, match="constants are whole numbers"):
        kl.semiring("it", kl.min, lambda a, b: a + 2**63, zero=2**30, dtypes=["int32"])


def branch(a, b):
    return a if a < b else b                                     # refused: a branch


@pytest.mark.parametrize("function, words", [
    (branch, "refused: a branch\n  a branch on a value"),
    (lambda a, b: min(a, b), r"a branch on a value that is not known yet .*use kl.where, kl.min, kl.max"),
    (lambda a, b: math.exp(a), r"test_semiring.py:\d+: .*math.exp\(a\).*\n  a function that needs the value itself"),
    (lambda a, b: np.minimum(a, b), "numpy.minimum: use kl.where"),
    (lambda a, b: np.where(a < b, a, b), "numpy.where: use kl.where"),
    (lambda a, b: a ** 2, r"pow\(\) of a value: there are \+ - \* /"),
    (lambda a, b: (a < b) + 1, "a comparison where a number is needed"),
    (lambda a, b: kl.where(a, a, b), "a number where a comparison is needed"),
    (lambda a, b: a + "1", "'1' is no number"),
    (lambda a, b: a + math.nan, "NaN is no number"),
    (lambda a, b: a < b, "mul gives a truth, and no number"),
    (lambda a, b: None, "mul gives None, and no number"),
    (lambda a, b: a.sum(), "a value has no .sum: it is one number"),
    (lambda a, b: sum(a), "a loop over a value"),
    (lambda a, b: round(a), r"test_semiring.py:\d+: .*round\(a\).*\n  round\(\) of a value: there are"),
    (lambda a, b: round(a, 2), r"round\(\) of a value"),
    (lambda a, b: math.floor(a) + b, "a function that needs the value itself"),
    (lambda a, b: a + len(b), r"len\(\) of a value: it is one number"),
    (lambda a, b: a[0], "an element of a value: it is one number"),
    (lambda a, b: a + 10**400, r"10\*\*400.*\n  a number of 1329 bits is too large for any element"),
    (lambda a, b: 10**400, "a number of 1329 bits is too large for any element"),
    (lambda a, b: np.float64(2) ** a, "numpy.power: use kl.where"),
    (lambda a, b: np.add(a, b, dtype="f4"), "numpy.add: use kl.where"),
    (lambda a, b: np.ones(2) * a, r"array\(\[1., 1.\]\) is no number"),
])
def test_what_cannot_be_traced(function, words):
    with pytest.raises(ValueError, match=words):
        kl.semiring("it", kl.min, function, zero=INF)


@pytest.mark.parametrize("function, words", [
    (lambda a: a, r"it: mul is a function of two numbers, and this one takes \(a\)"),
    (lambda a, b, c: a, r"and this one takes \(a, b, c\)"),
    (3, "it: mul is a function of two numbers, and not 3"),
])
def test_functions_are_of_two_numbers(function, words):
    with pytest.raises(TypeError, match=words):
        kl.semiring("it", kl.min, function, zero=INF)


@pytest.mark.parametrize("arguments, words", [
    ((lambda a, b: a - b, lambda a, b: a * b, 0.0), r"add\(a, b\) = add\(b, a\) does not hold for a = "),
    ((kl.min, lambda a, b: a * b, 0.0), r"add\(zero, a\) = a does not hold for a = "),
    ((kl.min, lambda a, b: kl.max(a, b) * 0.5, INF, 0.0), r"mul\(one, a\) = a does not hold for a = "),
    ((kl.max, lambda a, b: a + b, 0.0), r"add\(zero, a\) = a does not hold.*\(domain=\(least, greatest\) says between"),
    ((lambda a, b: (a + b) / 2, lambda a, b: a * b, 0.0), r"add\(zero, a\) = a does not hold"),
    ((lambda a, b: a + b + a * b * (a - b) * (a - b), lambda a, b: a * b, 0.0), r"add\(add\(a, b\), c\) = "),
    ((kl.min, lambda a, b: 3, INF), r"mul\(zero, a\) = zero does not hold for a = inf: 3 and inf"),
    ((kl.min, lambda a, b: 3.0 + 0 * a, INF), r"mul\(zero, a\) = zero does not hold for a = inf: nan and inf"),
])
def test_laws(arguments, words):
    add, mul, zero, *one = arguments
    with pytest.raises(ValueError, match=words):
        kl.semiring("it", add, mul, zero=zero, one=one[0] if one else None)


@pytest.mark.parametrize("change, words", [
    ({"name": "min_plus"}, "'min_plus' is no name"), ({"name": "a b"}, "'a b' is no name"),
    ({"dtypes": ("float16",)}, "dtypes are some of float32"), ({"dtypes": ()}, "dtypes are some of float32"),
    ({"dtypes": ("float32", "int32")}, "dtypes are some of float32"),
    ({"dtypes": ("int32",), "zero": 2.0**40}, "int32 does not hold 1099511627776.0"),
    ({"dtypes": ("int32",), "zero": 2**30, "mul": lambda a, b: a / b}, "over integers there is no /"),
    ({"dtypes": ("int32",)}, "int32 does not hold inf"), ({"dtypes": ("what",)}, "'what' is no element type"),
    ({"domain": (3, 1)}, r"a domain is \(least, greatest\), and not \(3, 1\)"),
])
def test_arguments(change, words):
    arguments = {"name": "it", "add": kl.min, "mul": lambda a, b: a + b, "zero": INF, **change}
    with pytest.raises(ValueError, match=words):
        kl.semiring(**arguments)


def test_facts():
    own = min_plus()
    assert own.is_selective and own.is_idempotent and own.is_commutative and own.has_closure and not own.has_paths
    sums = kl.semiring("sums", lambda a, b: a + b, lambda a, b: a * b, zero=0.0, one=1.0)
    assert not sums.is_selective and not sums.is_idempotent and not sums.has_closure
    with pytest.raises(ValueError, match=r"sums: it is said to be selective, and add\(a, b\) = a or b does not hold"):
        kl.semiring("sums", lambda a, b: a + b, lambda a, b: a * b, zero=0.0, selective=True)
    assert kl.semiring("own", kl.min, lambda a, b: a + b, zero=INF, selective=True).is_selective
    assert not kl.semiring("own", kl.min, lambda a, b: a + b, zero=INF, selective=False).is_selective
    first = kl.semiring("first", kl.min, lambda a, b: kl.where(b == INF, INF, a), zero=INF)
    assert not first.is_commutative and not first.has_closure
    for ring, words in (
            (sums, r"sums has no closure: add\(a, a\) = a does not hold for a = "),
            (first, "first has no closure: it was made without `one`"),
            (kl.semiring("hump", kl.max, lambda a, b: a * b * (1 + 20 * (1 - a) * (1 - b)), zero=0.0, one=1.0,
                         domain=(0.0, 1.0)),
             r"hump has no closure: mul\(a, add\(b, c\)\) = add\(mul\(a, b\), mul\(a, c\)\) does not hold for a"),
    ):
        with pytest.raises(ValueError, match=words):
            kl.closure(np.ones((2, 2)), ring)
    for domain in ((100, 200), (-200, -100)):  # none of the numbers that laws are tried on else is there
        for dtypes in ("float64", "int64"):
            far = kl.semiring("far", kl.max, kl.min, zero=domain[0], one=domain[1], dtypes=dtypes, domain=domain)
            assert far.is_selective and far.has_closure
    assert own.zero(np.float32) == INF and [d.name for d in own.dtypes] == ["float32", "float64"]


def test_kernels_for_devices(tmp_path, monkeypatch):
    """NVRTC compiles what was traced where there is no device, too; what they compute is test_device.py's."""
    branching = kl.semiring("branching", kl.max, lambda a, b: kl.where((a > 0) & (b > 0), abs(a * b) / 2, 0.0),
                            zero=0.0, domain=(0, 5))
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path))
    ring = _ring_calls.device_ring(branching.extension.ring, np.dtype("float64"))
    try:
        ring.compile_for(90)
    except ValueError as why:
        if "needs NVRTC" not in str(why):
            raise
        pytest.skip(str(why))
    assert list(tmp_path.glob("*.cubin"))


def compare(own, built_in, dtype, low, high):
    """Products with every option, and closures, of a ring and of the catalog's that it is."""
    rng = np.random.default_rng(5)
    a, b, old = (rng.integers(low, high, s).astype(dtype) for s in ((2, 30, 40), (40, 25), (2, 30, 25)))
    a[rng.random(a.shape) < 0.2] = kl.zero(built_in, dtype)
    mask = rng.random((30, 25)) < 0.5
    for left, right in ((a, b), (a.swapaxes(1, 2)[:, ::2, :25], b[:25].T[:, :25].T), (a[0, 0], b), (a, b[:, 0])):
        for x, y in zip(kl.matmul(left, right, own, return_witness=True),
                        kl.matmul(left, right, built_in, return_witness=True)):
            np.testing.assert_array_equal(x, y)
    for more in ({"accumulate": old}, {"mask": mask}, {"mask": mask, "mask_complement": True}, {"alpha": 3},
                 {"accumulate": old, "beta": 2, "alpha": 1}):
        for x, y in zip(kl.matmul(a, b, own, return_witness=True, **more),
                        kl.matmul(a, b, built_in, return_witness=True, **more)):
            np.testing.assert_array_equal(x, y)
    for more in ({"accumulate": True}, {"mask": mask, "replace": True}, {"mask": mask, "accumulate": True}):
        outs = [old.copy(), old.copy()]
        for out, algebra in zip(outs, (own, built_in)):
            kl.matmul(a, b, algebra, out=out, **more)
        np.testing.assert_array_equal(*outs)
    graph = np.abs(a[:, :, :30])
    np.testing.assert_array_equal(kl.closure(graph, own), kl.closure(graph, built_in))
    np.testing.assert_array_equal(kl.closure(graph, own, sizes=[7, 30]), kl.closure(graph, built_in, sizes=[7, 30]))
    d, p = kl.closure(graph[0], own, return_predecessors=True)
    np.testing.assert_array_equal(d, kl.closure(graph[0], built_in))
    for (i, j), v in np.ndenumerate(p):
        assert (v < 0) == (i == j or d[i, j] == kl.zero(built_in, dtype))
        if v >= 0:
            assert d[i, j] == d[i, v] + graph[0, v, j]


@compiled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kernels_are_the_catalogs(dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(min_plus(), "min_plus", dtype, -9, 10)


@compiled
def test_integers():
    far = 2**30 - 1
    own = kl.semiring("far", kl.min, lambda a, b: kl.where((a == far) | (b == far), far, a + b), zero=far, one=0,
                      dtypes=["int32"])
    compare(own, "min_plus", "int32", -9, 10)


def test_without_a_compiler(no_compiler):
    with pytest.warns(RuntimeWarning, match="own_min_plus runs in NumPy, .*: there is none in this test"):
        compare(min_plus(), "min_plus", "float32", -9, 10)


@compiled
def test_a_ring_that_the_catalog_lacks():
    """Trust: a + b - 1, at least 0; against loops in Python."""
    own = trust()
    rng = np.random.default_rng(6)
    a, b = rng.random((5, 7)), rng.random((7, 4))
    c, witness = kl.matmul(a, b, own, return_witness=True)
    for i in range(5):
        for j in range(4):
            terms = [max(min(x, y) + (max(x, y) - 1), 0.0) for x, y in zip(a[i], b[:, j])]
            assert c[i, j] == max(terms)
            assert witness[i, j] == (terms.index(max(terms)) if max(terms) > 0 else -1)
    with pytest.raises(ValueError, match="trust"):
        kl.matmul(a + 1, b, own)
    friends = np.array([[0, 0.9, 0.1], [0, 0, 0.9], [0.5, 0, 0]])
    np.testing.assert_allclose(kl.closure(friends, own), [[1, 0.9, 0.8], [0.4, 1, 0.9], [0.5, 0.4, 1]], atol=1e-12)


@compiled
def test_errors_of_kernels():
    own = min_plus()
    with pytest.raises(ValueError, match=r"a is \(2, 3\), b is \(2, 3\)"):
        kl.matmul(np.ones((2, 3)), np.ones((2, 3)), own)
    with pytest.raises(kl.NegativeCycleError, match="a cycle through vertex"):
        kl.closure(np.array([[INF, 1.0], [-2.0, INF]]), own)
    with pytest.raises(ValueError, match="has no witness"):
        sums = kl.semiring("sums", lambda a, b: a + b, lambda a, b: a * b, zero=0.0)
        kl.matmul(np.ones((2, 2)), np.ones((2, 2)), sums, return_witness=True)
    with pytest.raises(ValueError, match="matmul and closure take these"):
        kl.einsum("ij,jk", np.ones((2, 2)), np.ones((2, 2)), algebra=own)
    with pytest.raises(ValueError, match="closure with return_predecessors has paths"):
        kl.shortest_paths(np.ones((2, 2)), own)


def compare_kernels_that_stand_alone(folder):
    """Products, closures, errors and threads of kernels that ask nothing of the extension; `folder` keeps them."""
    own = min_plus(dtypes=["float64"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(own, "min_plus", "float64", -9, 10)
    with pytest.raises(ValueError, match="outside the domain of trust"):
        kl.matmul([[2.0]], [[0.5]], trust(dtypes=["float64"]))
    with pytest.raises(kl.NegativeCycleError, match="a cycle through vertex"):
        kl.closure(np.array([[INF, 1.0], [-2.0, INF]]), own)
    rng = np.random.default_rng(8)
    a, b = rng.random((300, 200)), rng.random((200, 300))
    for threads in (1, 2):
        np.testing.assert_array_equal(kl.matmul(a, b, own, threads=threads), kl.matmul(a, b))
    by_size = kl.order("by_size", lambda a, b: abs(a) < abs(b))
    np.testing.assert_array_equal(kl.sort([3.0, -1.0, 2.0, 1.0], by_size), [-1.0, 1.0, 2.0, 3.0])
    kept = sorted(folder.iterdir())
    assert len(kept) == 4
    for path in kept:  # streams of its own C++ library would share locales with the process's, and end in a crash
        assert b"basic_ifstream" not in path.read_bytes()
    code = f"""
        import ctypes
        for name in {[str(path) for path in kept]}:
            ctypes.CDLL(name)  # without the extension
    """
    assert run_python(code)[0] == 0


@compiled
def test_kernels_that_stand_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path))
    monkeypatch.setattr(_ring_build, "_stands_alone", lambda command: True)
    compare_kernels_that_stand_alone(tmp_path)


def test_kernels_by_the_compiler_in_a_wheel(monkeypatch, tmp_path):
    """kleene[jit], where the machine has no compiler."""
    pytest.importorskip("ziglang")
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert os.path.basename(_ring_build.compiler()[0]) == "zig"
    compare_kernels_that_stand_alone(tmp_path)


@compiled
def test_kernels_are_kept(cache, monkeypatch):
    kl.matmul(np.ones((2, 2)), np.ones((2, 2)), trust())
    kept = sorted(os.listdir(cache))
    assert kept and all(re.fullmatch(r"[0-9a-f]{32}\.so", name) for name in kept)

    def refuse(*_, **__):
        raise AssertionError("compiled again")

    monkeypatch.setattr(subprocess, "run", refuse)
    assert kl.matmul([[1.0]], [[0.5]], trust()).tolist() == [[0.5]]
    assert sorted(os.listdir(cache)) == kept


@compiled
def test_kernels_that_were_cut_off(cache, tmp_path, monkeypatch):
    """As by a disk that was full: they are not loaded, but compiled again."""
    kl.matmul(np.ones((2, 2)), np.ones((2, 2)), trust())
    whole = os.path.join(cache, os.listdir(cache)[0])
    assert _ring_build._is_whole(whole)
    asked = []

    def compile_again(_, __, ___, path):
        asked.append(path)
        shutil.copy(whole, path)

    monkeypatch.setattr(_ring_build, "_compile", compile_again)
    cut = [tmp_path / f"{left}.so" for left in (1000, 7, 0)]
    for path in cut:
        shutil.copy(whole, path)
        os.truncate(path, int(path.stem))
        _ring_build._kept_or_compiled([], "", [], path)
    assert asked == cut


@compiled
def test_no_folder_for_kernels(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path / "file"))
    own = kl.semiring("homeless", kl.max, kl.min, zero=-INF)
    assert kl.matmul([[1.0, 4.0]], [[3.0], [2.0]], own).tolist() == [[2.0]]


def test_a_compiler_that_writes_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path))
    monkeypatch.setenv("CXX", "true")
    with pytest.warns(RuntimeWarning, match="writes nothing"):
        own = kl.semiring("silent", kl.max, kl.min, zero=-INF)
        assert kl.matmul([[1.0, 4.0]], [[3.0], [2.0]], own).tolist() == [[2.0]]


@compiled
def test_processes_that_start_together(tmp_path):
    """All compile the same ring into an empty cache, and none sees another's half."""
    code = """
        import kleene as kl
        own = kl.semiring("together", kl.max, kl.min, zero=-float("inf"))
        print(kl.matmul([[1.0, 4.0]], [[3.0], [2.0]], own)[0, 0])
    """
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: run_python(code, KLEENE_CACHE=str(tmp_path)), range(2)))
    assert [f[:2] for f in found] == [(0, "2.0\n")] * 2, found
    assert len(os.listdir(tmp_path)) == 1


def test_a_compiler_that_is_too_old(tmp_path, monkeypatch):
    old = tmp_path / "c++"
    old.write_text(f"#!{sys.executable}\nraise SystemExit('error: what is C++20?')\n")
    old.chmod(0o755)
    monkeypatch.setenv("CXX", str(old))
    with pytest.warns(RuntimeWarning, match="does not compile it: error: what is"):
        own = kl.semiring("old", kl.max, kl.min, zero=-INF)
        assert kl.matmul([[1.0, 4.0]], [[3.0], [2.0]], own).tolist() == [[2.0]]
