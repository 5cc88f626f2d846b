"""Scans, sums of segments and joins against loops."""

import itertools

import numpy as np
import pytest

import kleene as kl
from algebra_loops import OPERATIONS, ROWS, draw, zero_of


def sums(name, dtype, values, exclusive):
    add, total, found = OPERATIONS[name][0], zero_of(name, dtype), []
    for v in values.tolist():
        whole = name == "xor_and"
        after = add(int(total), int(v)) if whole else add(total, v)
        found.append(total if exclusive else after)
        total = after
    return np.array(found, dtype), np.array([total], dtype)


@pytest.mark.parametrize("name, dtype", ROWS)
@pytest.mark.parametrize("offsets", [None, [0, 0, 7, 50, 50, 333], [0, 333]])
def test_scans_and_segments(name, dtype, offsets):
    values = draw(np.random.default_rng(1), name, dtype, 333)
    parts = [values[i:j] for i, j in zip(offsets, offsets[1:])] if offsets else [values]
    same = np.testing.assert_allclose if name == "log_plus" else np.testing.assert_array_equal
    more = {"rtol": 1e-4} if name == "log_plus" else {}
    for exclusive in (False, True):
        found = kl.scan(values, name, offsets=offsets, exclusive=exclusive)
        assert found.dtype == dtype
        same(found, np.concatenate([sums(name, dtype, part, exclusive)[0] for part in parts]), **more)
    if offsets:
        found = kl.segmented_reduce(values, offsets, name)
        same(found, np.concatenate([sums(name, dtype, part, False)[1] for part in parts]), **more)


def test_long_ones():
    values = np.random.default_rng(2).integers(-1000, 1000, 10**6)
    np.testing.assert_array_equal(kl.scan(values, "max_plus", threads=3), np.maximum.accumulate(values))
    counts = values.astype(np.int32)
    np.testing.assert_array_equal(kl.scan(counts, threads=2), np.cumsum(counts, dtype=np.int32))
    offsets = np.sort(np.random.default_rng(3).integers(0, 10**6, 999))
    offsets = np.concatenate([[0], offsets, [10**6]])
    wanted = [values[i:j].min(initial=np.iinfo(np.int64).max) for i, j in zip(offsets, offsets[1:])]
    np.testing.assert_array_equal(kl.segmented_reduce(values, offsets, "min_max"), wanted)
    assert kl.scan(values[::2]).tolist() == np.cumsum(values[::2]).tolist()
    assert kl.scan([]).tolist() == [] and kl.segmented_reduce([], [0, 0]).tolist() == [0.0]


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_joins(how, dtype):
    rng = np.random.default_rng(4)
    a, b = np.sort(rng.integers(0, 60, 80)).astype(dtype), np.sort(rng.integers(0, 90, 70)).astype(dtype)
    rows = [(i, j) for i, j in itertools.product(range(80), range(70)) if a[i] == b[j]]
    if how in ("left", "outer"):
        rows += [(i, -1) for i in range(80) if a[i] not in b]
    rows.sort()
    if how in ("right", "outer"):
        rows += [(-1, j) for j in range(70) if b[j] not in a]
    left, right = kl.join(a, b, how)
    assert left.dtype == right.dtype == np.int64
    assert list(zip(left.tolist(), right.tolist())) == rows
    assert [len(x) for x in kl.join(a[:0], b, how)] == [70 * (how in ("right", "outer"))] * 2


@pytest.mark.parametrize("call, words", [
    (lambda: kl.scan([[1.0]]), "scan: the values have 2 dimensions"),
    (lambda: kl.scan([1.0, 2.0], offsets=[0, 1]), "segments from 0 to 1 of 2 items"),
    (lambda: kl.scan([1.0, 2.0], offsets=[0, 2, 1, 2]), "offset 2 is 1 after 2"),
    (lambda: kl.segmented_reduce([1.0], []), "one more than there are segments"),
    (lambda: kl.segmented_reduce([1.0], [0, 0.5]), "an offset: int64 does not hold 0.5"),
    (lambda: kl.join([1, 2], [3, 1]), "the keys of b do not ascend"),
    (lambda: kl.join([np.nan], [np.nan]), r"join: a has NaN, which is no key of joins \(sort and merge take it\)"),
    (lambda: kl.join([3], [1.0, np.nan]), "join: b has NaN"),
    (lambda: kl.join([2**53 + 1], [0.5]), r"9007199254740993 \(int64\); the other vector in int64 keeps it, \.astype"),
    (lambda: kl.join([[1]], [3]), "a has 2 dimensions; keys are a vector"),
    (lambda: kl.join([1], [3], "cross"), "there is no join 'cross'"),
    (lambda: kl.scan([1.0], kl.semiring("own", kl.max, kl.min, zero=-np.inf)), "own is an algebra of your own"),
])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_rows_that_do_not_fit():
    """They are counted before any is written."""
    equal = np.zeros(10**6, int)
    for how in ("inner", "outer"):
        words = r"^join: 1000000000000 rows take 16000000000000 bytes; \d+ bytes are left$"
        with pytest.raises(MemoryError, match=words):
            kl.join(equal, equal, how)


def test_integers_of_sums():
    """In the type that the algebra computes in, where they wrap around: plus_times has no int64."""
    assert kl.scan(np.array([100, 100], "i1")).tolist() == [100, 200]
    assert kl.scan(np.array([100, 100], "i1")).dtype == np.int32
    assert kl.scan(np.array([2**31 - 1, 1], "i4")).tolist() == [2**31 - 1, -(2**31)]
    assert kl.segmented_reduce(np.array([2**31 - 1, 1], "i4"), [0, 2]).tolist() == [-(2**31)]
    assert kl.scan([1, 2, 3]).dtype == np.float64
    with pytest.raises(ValueError, match="float64 does not hold 9223372036854775807"):
        kl.scan([2**63 - 1])
    assert kl.scan([1, 2**63 - 1], "max_plus").tolist() == [1, 2**63 - 1]


@pytest.mark.parametrize("algebra, accumulated, zero", [
    ("min_plus", np.fmin, np.inf), ("max_plus", np.fmax, -np.inf), ("max_min", np.fmax, -np.inf)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_minima_pass_nan_over(algebra, accumulated, zero, dtype):
    """Wherever it stands: at the beginning of a vector, a segment, a thread's part or a lane."""
    rng = np.random.default_rng(4)
    for count in (1, 7, 64, 1000, 30_000):
        for share in (0.05, 0.5, 1):
            x = rng.random(count).astype(dtype)
            x[rng.random(count) < share] = np.nan
            offsets = np.unique(np.concatenate([[0, count], rng.integers(0, count, 5)]))
            for threads in (1, 2, 3):
                np.testing.assert_array_equal(kl.scan(x, algebra, threads=threads), accumulated.accumulate(x))
                inner = [accumulated.accumulate(x[a:b]) for a, b in zip(offsets[:-1], offsets[1:])]
                np.testing.assert_array_equal(kl.scan(x, algebra, offsets=offsets, threads=threads),
                                              np.concatenate(inner))
                wanted = [accumulated(part[-1], np.array(zero, dtype)) for part in inner]
                np.testing.assert_array_equal(kl.segmented_reduce(x, offsets, algebra, threads=threads), wanted)


def test_nan_in_sums():
    nan = np.nan
    for algebra, sums in (("min_plus", [1, 1, 0.5]), ("max_times", [1, 1, 1]), ("max_min", [1, 1, 1]),
                          ("plus_times", [1, nan, nan]), ("log_plus", [1, nan, nan])):
        np.testing.assert_array_equal(kl.scan([1, nan, 0.5], algebra), sums)


def test_what_is_no_kind_of_join():
    for how, called in ((kl.algebras["min_plus"], "the algebra min_plus: no algebra takes part"), (None, "None"),
                        (3, "3")):
        with pytest.raises(TypeError, match=f"^join: how is 'inner', 'left', 'right' or 'outer', and not {called}$"):
            kl.join([1], [1], how)
