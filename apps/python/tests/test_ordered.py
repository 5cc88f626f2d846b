"""Sorts, merges and set operations against lists of Python's, over the package's orders and orders of one's own."""

import os
from collections import Counter

import numpy as np
import pytest

import kleene as kl


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    before = os.environ.get("KLEENE_CACHE")
    os.environ["KLEENE_CACHE"] = str(tmp_path_factory.mktemp("orders"))
    yield
    os.environ.pop("KLEENE_CACHE")
    if before is not None:
        os.environ["KLEENE_CACHE"] = before


BY_SIZE = kl.order("by_size", lambda a, b: abs(a) < abs(b))
# What stands for a key: keys of one class are equal, classes stand in the order of numbers.
CLASSES = {"ascending": lambda v: v, "descending": lambda v: -v, "by_size": abs}
ORDERS = ["ascending", "descending", BY_SIZE]


def class_of(order):
    return CLASSES[order if isinstance(order, str) else order.name]


def draw(seed, count, dtype, order):
    values = np.random.default_rng(seed).integers(-9, 10, count).astype(dtype)
    return values[np.argsort([class_of(order)(v) for v in values.tolist()], kind="stable")]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("offsets", [None, [0, 3, 3, 700, 1000]])
def test_sorts(order, dtype, offsets):
    keys = np.random.default_rng(1).integers(-50, 51, 1000).astype(dtype)
    found, positions = kl.sort(keys, order, offsets=offsets, return_positions=True, threads=3)
    assert found.dtype == dtype and positions.dtype == np.int64
    wanted = []
    for first, last in zip(offsets or [0], (offsets or [0, 1000])[1:]):
        wanted += sorted(range(first, last), key=lambda i: class_of(order)(float(keys[i])))
    assert positions.tolist() == wanted
    np.testing.assert_array_equal(found, keys[wanted])
    np.testing.assert_array_equal(kl.sort(keys, order, offsets=offsets), found)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtypes", [(np.int32, np.int64), (np.float64, np.float64), (np.uint8, np.float32)])
def test_merges(order, dtypes):
    a, b = (draw(seed, count, np.int8, order) for seed, count in ((1, 300), (2, 170)))
    if dtypes[0] == np.uint8:
        a = a[a >= 0]
    a, b = a.astype(dtypes[0]), b.astype(dtypes[1])
    both = np.concatenate([a, b])
    found, positions = kl.merge(a, b, order, return_positions=True)
    assert found.dtype == np.result_type(*dtypes)
    wanted = sorted(range(len(both)), key=lambda i: class_of(order)(float(both[i])))  # stable, and a stands first
    assert positions.tolist() == wanted
    np.testing.assert_array_equal(found, both[wanted])


def multiset(operation, a, b, of):
    """The positions that a set operation gives, class by class."""
    counts = [Counter(of(v) for v in x) for x in (a, b)]
    found = []
    for key in sorted(counts[0] + counts[1]):
        m, n = counts[0][key], counts[1][key]
        from_a = [i for i, v in enumerate(a) if of(v) == key]
        from_b = [len(a) + j for j, v in enumerate(b) if of(v) == key]
        found += {
            "union": from_a + from_b[min(m, n):],
            "intersection": from_a[:min(m, n)],
            "difference": from_a[min(m, n):],
            "symmetric_difference": from_a[min(m, n):] + from_b[min(m, n):],
        }[operation]
    return found


@pytest.mark.parametrize("operation", ["union", "intersection", "difference", "symmetric_difference"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_set_operations(operation, order, dtype):
    function = getattr(kl, f"set_{operation}")
    for counts in ((200, 90), (0, 5), (5, 0), (0, 0), (1, 300)):
        a, b = (draw(seed, count, dtype, order) for seed, count in zip((3, 4), counts))
        found, positions = function(a, b, order, return_positions=True)
        wanted = multiset(operation, a.tolist(), b.tolist(), class_of(order))
        assert positions.tolist() == wanted
        np.testing.assert_array_equal(found, np.concatenate([a, b])[wanted])
        np.testing.assert_array_equal(function(a, b, order, threads=1), found)


def test_orders_with_constants_and_branches():
    negative_first = kl.order("negative_first", lambda a, b: kl.where(a < 0, 0 * a, a) < kl.where(b < 0, 0 * b, b))
    assert kl.sort([3, -1, 2, -5, 0], negative_first).tolist() == [-1, -5, 0, 2, 3]
    halves = kl.order("halves", lambda a, b: abs(a / 2 - 0.5) < abs(b / 2 - 0.5))
    assert kl.sort([0.0, 4.0, 1.0, 1.5], halves).tolist() == [1.0, 1.5, 0.0, 4.0]
    with pytest.raises(ValueError, match="sort: halves has a / or a number that is not whole"):
        kl.sort([0, 4, 1], halves)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_the_least_integer_is_large(dtype):
    """Of int64 it has no negative, and counts as the greatest integer."""
    least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
    keys = [greatest, least, 5, -7, 2 - greatest]
    assert kl.sort(np.array(keys, dtype), BY_SIZE).tolist() == sorted(keys, key=abs)


def test_nan_stands_last():
    keys = np.array([2.0, np.nan, -np.inf, 1.0, np.inf])
    np.testing.assert_array_equal(kl.sort(keys), [-np.inf, 1, 2, np.inf, np.nan])
    np.testing.assert_array_equal(kl.sort(keys, "descending"), [np.inf, 2, 1, -np.inf, np.nan])
    np.testing.assert_array_equal(kl.merge([1, np.nan], [2, np.nan]), [1, 2, np.nan, np.nan])
    assert kl.set_difference([1, np.nan], [np.nan]).tolist() == [1]


@pytest.mark.parametrize("order", ["ascending", "descending"])
@pytest.mark.parametrize("dtype", ["bool", "i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("threads", [1, 3])
def test_whole_vectors_to_the_last_bit(order, dtype, threads):
    """Zeros of both signs are equal, and each NaN keeps its bits and its place among the others."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(9)
    if dtype.kind == "f":
        odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
        keys = np.concatenate([odd[rng.integers(0, 8, 40_000)], rng.normal(size=20_000).astype(dtype)])
        by_class = np.argsort(keys if order == "ascending" else -keys, kind="stable")  # NaN last in both
    else:
        most = 2**63 - 1 if dtype == np.uint64 else 1 if dtype.kind == "b" else np.iinfo(dtype).max
        least = 0 if dtype.kind in "bu" else np.iinfo(dtype).min
        keys = rng.choice([least, most, *rng.integers(least, most, 3000)], 60_000).astype(dtype)
        wide = keys.astype(np.int64)
        by_class = np.argsort(wide if order == "ascending" else ~wide, kind="stable")
    found, positions = kl.sort(keys, order, return_positions=True, threads=threads)
    assert found.dtype == dtype and positions.tolist() == by_class.tolist()
    assert found.tobytes() == keys[by_class].tobytes()
    assert kl.sort(keys, order, threads=threads).tobytes() == found.tobytes()
    assert kl.sort(keys[keys == keys], order, threads=threads).tobytes() == found[found == found].tobytes()


def test_long_ones():
    keys = np.random.default_rng(5).random(1_000_000)
    found, positions = kl.sort(keys, return_positions=True, threads=2)
    np.testing.assert_array_equal(found, np.sort(keys))
    np.testing.assert_array_equal(positions, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(kl.merge(np.sort(keys[:300_000]), np.sort(keys[300_000:]), threads=2), found)
    assert kl.sort([]).tolist() == [] and kl.sort(keys[:8:2]).tolist() == sorted(keys[:8:2].tolist())


def test_without_a_compiler(monkeypatch):
    """The loops of Python that then do it, beside what was compiled."""
    loose = kl.order("loose", lambda a, b: abs(a) < abs(b))
    a, b = draw(6, 40, np.int64, BY_SIZE), draw(7, 30, np.int64, BY_SIZE)
    keys = np.random.default_rng(8).integers(-9, 9, 50)
    monkeypatch.setenv("CXX", "/nowhere/g++")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.warns(RuntimeWarning, match="loose sorts in Python"):
        found = kl.sort(keys, loose, offsets=[0, 20, 50]).tolist()
    assert found == sum((sorted(keys[i:j].tolist(), key=abs) for i, j in ((0, 20), (20, 50))), [])
    for name in ("merge", "set_union", "set_intersection", "set_difference", "set_symmetric_difference"):
        function = getattr(kl, name)
        for x, y in zip(function(a, b, loose, return_positions=True), function(a, b, BY_SIZE, return_positions=True)):
            np.testing.assert_array_equal(x, y)
    with pytest.raises(ValueError, match="the keys of b are not in order: 1, at 1, comes before 2"):
        kl.merge([1], [2, 1], loose)


@pytest.mark.parametrize("less, words", [
    (lambda a, b: a <= b, "less\\(-50.0, itself\\) is true"),
    (lambda a, b: a != b, "is before"),
    (lambda a, b: a + 1 < b, "is neither before nor after"),
    (lambda a, b: a - b, "gives no truth"),
    (lambda a, b: 1 if a < b else 0, "a branch on a value"),
])
def test_orders_that_are_none(less, words):
    with pytest.raises(ValueError, match=words):
        kl.order("none", less)


@pytest.mark.parametrize("call, kind, words", [
    (lambda: kl.sort([[1]]), ValueError, "sort: the vector of keys has 2 dimensions"),
    (lambda: kl.sort(["a"]), TypeError, "sort: the vector of keys has elements that are strings"),
    (lambda: kl.sort([2**63]), ValueError, r"^keys\[0\]: int64 does not hold 9223372036854775808"),
    (lambda: kl.merge([2**53 + 1], [0.5]), ValueError,
     r"^a\[0\]: float64 does not hold 9007199254740993 \(int64\); the other vector in int64 keeps it, \.astype"),
    (lambda: kl.sort([1], "upwards"), ValueError, "there is no order 'upwards'"),
    (lambda: kl.sort([1, 2], offsets=[0, 3]), ValueError, "segments from 0 to 3 of 2 keys: the first begins"),
    (lambda: kl.sort([3, 2, 1], offsets=[0, 2]), ValueError, "^sort: segments from 0 to 2 of 3 keys: the first begins"),
    (lambda: kl.sort([3, 2, 1], offsets=[1, 3]), ValueError, "^sort: segments from 1 to 3 of 3 keys: the first begins"),
    (lambda: kl.sort([3, 2, 1], offsets=[0, 2, 1, 3]), ValueError, "offset 2 is 1 after 2"),
    (lambda: kl.merge([1, 3, 2], [1]), ValueError, "the keys of a are not in order: 2, at 2, comes before 3"),
    (lambda: kl.set_union([1], [2.5, 1], BY_SIZE), ValueError, "the keys of b are not in order: 1, at 1"),
    (lambda: kl.set_union([1], [[2]]), ValueError, "set_union: b has 2 dimensions"),
    (lambda: kl.order("ascending", lambda a, b: a < b), ValueError, "no name for an order"),
])
def test_refusals(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


NAN = float("nan")
PLAIN = kl.order("plain", lambda a, b: a < b)
NAN_LAST = kl.order("nan_last", lambda a, b: (a < b) | (a == a) & (b != b))


@pytest.mark.parametrize("call, words", [
    (lambda o: kl.sort([3, NAN, -1], o, return_positions=True), r"sort: keys\[1\] is NaN"),
    (lambda o: kl.sort(np.array([1, NAN], "f4"), o, offsets=[0, 1, 2]), r"sort: keys\[1\] is NaN"),
    (lambda o: kl.merge([1, 2], [3, NAN], o), r"merge: b\[1\] is NaN"),
    (lambda o: kl.set_union([NAN], [3], o), r"set_union: a\[0\] is NaN"),
    (lambda o: kl.set_difference([1], [NAN], o), r"set_difference: b\[0\] is NaN")])
def test_nan_that_no_order_places(call, words):
    with pytest.raises(ValueError, match=f"^{words}, which plain does not place: its less has to say where NaN goes"):
        call(PLAIN)
    call(NAN_LAST)


def test_nan_that_an_order_places():
    keys, positions = kl.sort([3, NAN, -1, NAN, 2], NAN_LAST, return_positions=True)
    np.testing.assert_array_equal(keys, [-1, 2, 3, NAN, NAN])
    assert positions.tolist() == [2, 4, 0, 1, 3]
    np.testing.assert_array_equal(kl.merge([1, NAN], [2, NAN], NAN_LAST), [1, 2, NAN, NAN])
    assert kl.sort([3, 1, 2], PLAIN).tolist() == [1, 2, 3]  # without NaN as ever
