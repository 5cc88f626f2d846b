import numpy as np
import pytest

import kleene as kl
from algebra_loops import ROWS, closure, zero_of
from kleene import _kleene

# Roads: 0 -> 1 -> 2 -> 3, a long one 0 -> 3, and no way back but 3 -> 0.
INF = np.inf
ROADS = np.array([[INF, 1, INF, 9], [INF, INF, 2, INF], [INF, INF, INF, 3], [4, INF, INF, INF]])
SHORTEST = [[0, 1, 3, 6], [9, 0, 2, 5], [7, 8, 0, 3], [4, 5, 7, 0]]
BEFORE = [[-1, 0, 1, 2], [3, -1, 1, 2], [3, 0, -1, 2], [3, 0, 1, -1]]

CLOSED = [(name, dtype) for name, dtype in ROWS if name in ("min_plus", "max_plus", "min_max", "max_min", "min_times",
                                                            "max_times", "or_and")]
ONES = {"min_plus": 0, "max_plus": 0, "min_times": 1, "max_times": 1, "or_and": 1}


def one_of(name, dtype):
    if name in ONES:
        return ONES[name]
    lowest = {"float32": -INF, "float64": -INF, "int32": -(2**31), "int64": -(2**63)}[dtype]
    highest = {"float32": INF, "float64": INF, "int32": 2**31 - 1, "int64": 2**63 - 1}[dtype]
    return lowest if name == "min_max" else highest


def graph(rng, name, dtype, n):
    """Weights whose cycles improve nothing."""
    low, high = {"max_plus": (-9, 1), "min_times": (1, 3), "max_times": (0, 2), "or_and": (0, 2)}.get(name, (0, 9))
    a = rng.integers(low, high, (n, n)).astype(dtype)
    a[rng.random((n, n)) < 0.6] = zero_of(name, dtype)
    return a


def test_literals():
    d, p = kl.closure(ROADS, return_predecessors=True)
    np.testing.assert_array_equal(d, SHORTEST)
    np.testing.assert_array_equal(p, BEFORE)
    assert p.dtype == np.int32
    reach = kl.closure(np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]], bool), "or_and")
    np.testing.assert_array_equal(reach, [[1, 1, 0], [0, 1, 0], [0, 1, 1]])
    np.testing.assert_allclose(kl.closure([[0.0, 0.5], [0.0, 0.0]], "plus_times"), [[1.0, 0.5], [0.0, 1.0]])
    assert np.isposinf(ROADS[0, 0])  # the argument is as it was


@pytest.mark.parametrize("name, dtype", CLOSED)
def test_rows(name, dtype):
    rng = np.random.default_rng(3)
    for n in (1, 2, 19):
        a = graph(rng, name, dtype, n)
        expected = closure(name, a, one_of(name, dtype))
        found = kl.closure(a, name)
        assert found.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("block", [None, 5])
def test_predecessors_lead_back(block):
    a = graph(np.random.default_rng(4), "min_plus", "float64", 40)
    d, p = kl.closure(a, return_predecessors=True, block=block)
    for i in range(40):
        for j in range(40):
            if i == j or np.isinf(d[i, j]):
                assert p[i, j] == -1
                continue
            length, at = 0.0, j
            for _ in range(40):
                length += a[p[i, at], at]
                at = p[i, at]
                if at == i:
                    break
            assert at == i and length == d[i, j]


def test_batches_and_sizes():
    rng = np.random.default_rng(5)
    a = np.stack([graph(rng, "min_plus", "float32", 9) for _ in range(6)]).reshape(2, 3, 9, 9)
    d, p = kl.closure(a, return_predecessors=True)
    assert d.shape == p.shape == (2, 3, 9, 9)
    for i, j in np.ndindex(2, 3):
        np.testing.assert_array_equal(d[i, j], closure("min_plus", a[i, j], 0))
    sizes = np.array([[9, 1, 0], [4, 5, 6]])
    d, p = kl.closure(a, sizes=sizes, return_predecessors=True)
    for i, j in np.ndindex(2, 3):
        n = sizes[i, j]
        if n > 0:
            np.testing.assert_array_equal(d[i, j, :n, :n], closure("min_plus", a[i, j, :n, :n], 0))
        np.testing.assert_array_equal(d[i, j, n:], a[i, j, n:])
        assert (p[i, j, n:] == -1).all() and (p[i, j, :, n:] == -1).all()


@pytest.mark.parametrize("n", [20, 33])
def test_batches_of_small_graphs_with_ties(n):
    rng = np.random.default_rng(n)
    drawn = rng.integers(1, 4, (50, n, n)).astype(np.float32)
    a = np.where(rng.random((50, n, n)) < 0.15, drawn, np.float32(np.inf))
    d, p = kl.closure(a, return_predecessors=True)
    for arcs, lengths, before in zip(a, d, p):
        np.testing.assert_array_equal(lengths, closure("min_plus", arcs, 0))
        i, j = np.nonzero(before >= 0)
        np.testing.assert_array_equal(lengths[i, before[i, j]] + arcs[before[i, j], j], lengths[i, j])
        np.testing.assert_array_equal(before >= 0, np.isfinite(lengths) & ~np.eye(n, dtype=bool))


def test_a_batch_names_the_matrix_that_is_wrong():
    a = np.full((5000, 60, 60), np.inf, np.float32)  # more than are closed at a time
    a[4990, 7, 8] = np.nan
    with pytest.raises(ValueError, match=r"^a\[4990, 7, 8\] is NaN$"):
        kl.closure(a)
    with pytest.raises(ValueError, match=r"^a\[4990, 7, 8\] is NaN$"):
        kl.closure(a, out=np.empty_like(a))


@pytest.mark.parametrize("n", [5, 32, 66])
def test_a_batch_that_is_not_written_to_stays_as_it_is(n):
    rng = np.random.default_rng(n)
    a = np.where(rng.random((2, 40, n, n)) < 0.2, rng.integers(1, 50, (2, 40, n, n)), np.inf).astype(np.float32)
    before = a.copy()
    d, p = kl.closure(a, return_predecessors=True)
    np.testing.assert_array_equal(a, before)
    in_place = a.copy()
    _, q = kl.closure(in_place, out=in_place, return_predecessors=True)
    np.testing.assert_array_equal(d, in_place)
    np.testing.assert_array_equal(p, q)
    apart = np.full_like(a, 7)  # where the result is to be, which is then not copied to before
    returned, q = kl.closure(a, out=apart, return_predecessors=True)
    assert returned is apart
    np.testing.assert_array_equal(d, apart)
    np.testing.assert_array_equal(p, q)
    np.testing.assert_array_equal(a, before)
    both = np.concatenate([a, a])  # a result that lies over a part of what is closed
    kl.closure(both[:2], out=both[1:3])
    np.testing.assert_array_equal(both[1:3], d)
    turned = np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)  # read-only, and columns together
    turned.flags.writeable = False
    np.testing.assert_array_equal(kl.closure(turned), d)
    a.flags.writeable = False
    np.testing.assert_array_equal(kl.closure(a), d)


@pytest.mark.parametrize("shape", [(6, 6), (3, 33, 33), (2, 2, 70, 70)])
def test_a_pair_of_arrays_takes_lengths_and_predecessors(shape):
    rng = np.random.default_rng(shape[-1])
    a = np.where(rng.random(shape) < 0.3, rng.integers(1, 50, shape), np.inf)
    d, p = kl.closure(a, return_predecessors=True)
    lengths, before = np.full_like(a, 7), np.full(shape, 7, np.int32)
    found = kl.closure(a, return_predecessors=True, out=(lengths, before))
    assert found[0] is lengths and found[1] is before
    np.testing.assert_array_equal(lengths, d)
    np.testing.assert_array_equal(before, p)
    before.fill(7)
    found = kl.closure(a, return_predecessors=True, out=(None, before))
    assert found[0] is not lengths and found[1] is before
    np.testing.assert_array_equal(found[0], d)
    np.testing.assert_array_equal(before, p)
    in_place = a.copy()
    assert kl.closure(in_place, return_predecessors=True, out=(in_place, None))[0] is in_place
    np.testing.assert_array_equal(in_place, d)
    sizes = np.full(shape[:-2], 4)
    for x, y in zip(kl.closure(a, return_predecessors=True, sizes=sizes, out=(lengths, before)),
                    kl.closure(a, return_predecessors=True, sizes=sizes)):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("out, words", [
    ((None,), "out is a tuple of 1; a pair of arrays takes lengths and predecessors"),
    ((None, np.empty((4, 4))), r"out\[1\] is \(4, 4\) of float64; it must be C-contiguous, \(4, 4\) of int32"),
    ((None, np.empty((4, 5), np.int32)), r"out\[1\] is \(4, 5\) of int32"),
    ((None, np.empty((4, 4), np.int32).T), "it must be C-contiguous"),
])
def test_pairs_that_are_refused(out, words):
    with pytest.raises(ValueError, match=words):
        kl.closure(ROADS, return_predecessors=True, out=out)


def test_predecessors_stand_apart():
    both = np.zeros((2, 4, 4), np.int32)
    with pytest.raises(ValueError, match=r"out\[1\] shares memory with a"):
        kl.closure(both[0], return_predecessors=True, out=(None, both[0]))
    with pytest.raises(ValueError, match=r"out\[1\] shares memory with out\[0\]"):
        kl.closure(both[0], return_predecessors=True, out=(both[1], both[1]))
    with pytest.raises(ValueError, match="out is a tuple of 2, without return_predecessors"):
        kl.closure(both[0], out=(None, None))


def test_a_batch_whose_lengths_leave_the_type_is_refused():
    a = np.full((30, 20, 20), np.inf, np.float32)
    a[17, 3, 4] = a[17, 4, 5] = 3e38
    with pytest.raises(ValueError, match=r"the length of the path from 3 to 5 of matrix 17 is too large for float32"):
        kl.closure(a)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("length", [1, 7, 16, 70_001])
def test_the_largest_finite_magnitude_of_a_copy(dtype, length):
    source = np.linspace(-3, 2, length, dtype=dtype)
    source[length // 2] = np.inf
    out = np.zeros_like(source)
    finite = np.abs(source[np.isfinite(source)])
    assert _kleene.copy_largest(source, out, 2) == (finite.max() if finite.size else 0)
    np.testing.assert_array_equal(out, source)
    source[-1] = -9
    assert _kleene.copy_largest(source, source, 1) == 9


def test_in_place():
    a = ROADS.copy()
    assert kl.closure(a, out=a) is a
    np.testing.assert_array_equal(a, SHORTEST)
    out = np.empty((4, 4), np.float64)
    kl.closure(ROADS, out=out)
    np.testing.assert_array_equal(out, SHORTEST)


def test_negative_cycles_are_shown():
    a = ROADS.copy()
    a[3, 0] = -7.0
    for options in ({}, {"return_predecessors": True}):
        with pytest.raises(kl.NegativeCycleError, match="there is a negative cycle: ") as caught:
            kl.closure(a, **options)
        at = caught.value.cycle.index(0)
        assert caught.value.cycle[at:] + caught.value.cycle[:at] == [0, 1, 2, 3]
    for batch, called in (((3,), "1"), ((3, 1), r"\(1, 0\)")):
        matrices = np.stack([ROADS, a, a]).reshape(*batch, 4, 4)
        for options in ({}, {"sizes": 4}, {"return_predecessors": True}):
            with pytest.raises(kl.NegativeCycleError, match=f"a negative cycle of matrix {called}: ") as caught:
                kl.closure(matrices, **options)
            assert sorted(caught.value.cycle) == [0, 1, 2, 3]
        with pytest.raises(kl.NegativeCycleError, match=f"a cycle through vertex [0-3] of matrix {called} improves"):
            kl.closure(matrices, out=matrices)
    with pytest.raises(kl.NegativeCycleError, match="a cycle through vertex [0-3] improves") as caught:
        kl.closure(a, out=a)
    assert caught.value.cycle is None
    with pytest.raises(kl.NegativeCycleError, match="a positive cycle: 1 -> 0 -> 1|a positive cycle: 0 -> 1 -> 0"):
        kl.closure(np.array([[-INF, 1.0], [0.0, -INF]]), "max_plus")


@pytest.mark.parametrize("name, sign", [("min_plus", 1), ("max_plus", -1)])
@pytest.mark.parametrize("dtype, large", [("float64", 1e308), ("float32", 2e38)])
def test_lengths_that_leave_the_type_are_refused(name, sign, dtype, large):
    a = sign * np.array([[INF, large, INF], [INF, INF, large], [INF, INF, INF]], dtype)
    for call in (lambda: kl.closure(a, name), lambda: kl.closure(a.copy(), name, out=a.copy()),
                 lambda: kl.shortest_paths(a, name)):
        with pytest.raises(ValueError, match="from 0 to 2 .*too large"):
            call()
    with pytest.raises(ValueError, match="from 0 to 2 of matrix 1 is too large"):
        kl.closure(np.stack([a * 0.25, a]), name)
    again = a.copy()
    with pytest.raises(ValueError, match="from 0 to 2 is too large"):
        kl.closure(again, name, out=again)
    assert np.array_equal(kl.closure(np.stack([a, a]), name, sizes=[2, 2])[1], sign * np.array(
        [[0, large, INF], [INF, 0, large], [INF, INF, INF]], dtype))  # two vertices: one arc
    a[1, 2] = -a[1, 2]
    assert kl.closure(a, name)[0, 2] == 0
    a[1, 2] = sign * INF
    assert kl.closure(a, name)[0].tolist() == [0, sign * np.dtype(dtype).type(large), sign * INF]


@pytest.mark.parametrize("name, sign", [("min_plus", 1), ("max_plus", -1)])
@pytest.mark.parametrize("dtype, large", [("float64", 1e308), ("float32", 2e38)])
def test_lengths_that_leave_the_type_at_its_good_end_are_refused(name, sign, dtype, large):
    a = sign * np.array([[INF, -large, INF], [INF, INF, -large], [INF, INF, INF]], dtype)
    for call in (lambda: kl.closure(a, name), lambda: kl.closure(a, name, return_predecessors=True),
                 lambda: kl.closure(a.copy(), name, out=a.copy()), lambda: kl.closure(np.stack([a]), name),
                 lambda: kl.shortest_paths(a, name)):
        with pytest.raises(ValueError, match="from 0 to 2 .*too large"):
            call()
    a[0, 1] = -sign * INF  # infinite from the start
    assert kl.closure(a, name)[0].tolist() == [0, -sign * INF, -sign * INF]


@pytest.mark.parametrize("call, words", [
    (lambda: kl.closure(np.ones((2, 3))), r"a is \(2, 3\)"),
    (lambda: kl.closure(np.ones(3)), r"a is \(3,\)"),
    (lambda: kl.closure(np.ones((2, 2)), "plus_min"), "plus_min has no closure"),
    (lambda: kl.closure(np.ones((1, 1)), "plus_times"), "over plus_times the star of vertex 0 has no value"),
    (lambda: kl.closure(np.ones((2, 2)), "plus_times", return_predecessors=True), "plus_times has no predecessors"),
    (lambda: kl.closure(np.full((2, 2), np.nan)), "NaN"),
    (lambda: kl.closure(ROADS, out=np.empty((4, 4), "f4")), "out is .* of float32"),
    (lambda: kl.closure(np.ones((2, 3, 3)), sizes=[1, 4]), "4 vertices"),
    (lambda: kl.closure(np.ones((2, 3, 3)), sizes=[1.9, 1]), "a size: int32 does not hold 1.9"),
    (lambda: kl.closure(np.ones((2, 3, 3)), sizes=[1, 1, 1]),
     r"^closure: sizes is \(3,\); there is one for each matrix of a batch that is \(2,\)$"),
    (lambda: kl.closure(np.ones((3, 3)), sizes=[1]),
     r"^closure: sizes is \(1,\); there is one for each matrix of a batch that is \(\)$"),
    (lambda: kl.closure(np.array([[2]], "i4"), "plus_times"),
     "^closure: over plus_times the star of vertex 0 has no value in int32, where only that of 0 has one: "
     r"\.astype\(numpy\.float64\) makes it \(I - a\)\^-1 of floats$"),
])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_walks_are_counted():
    """Over plus_times: int32 without cycles, what becomes floats also with some."""
    count = kl.closure(np.array([[0, 2, 1], [0, 0, 3], [0, 0, 0]], "i4"), "plus_times")
    assert count.dtype == np.int32 and count.tolist() == [[1, 2, 7], [0, 1, 3], [0, 0, 1]]
    assert kl.closure(np.array([[2]], "i8"), "plus_times").tolist() == [[-1.0]]


def test_what_are_no_numbers():
    for options in ({"sizes": ["1", "2"]}, {"sizes": "2"}, {"block": 1.5}):
        with pytest.raises(TypeError, match="a size: a number is needed|block: a whole number is needed, and not 1.5"):
            kl.closure(np.ones((2, 3, 3)), **options)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 4, 4), (2, 0, 3, 3)])
def test_nothing_to_close(shape):
    d, p = kl.closure(np.zeros(shape), return_predecessors=True)
    assert d.shape == p.shape == kl.closure(np.zeros(shape)).shape == shape
    assert kl.closure(np.zeros(shape), sizes=np.zeros(shape[:-2], int)).shape == shape
