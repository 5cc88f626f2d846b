"""Refusals speak of the caller's arguments: by their names, their shapes, and where in them a value lies."""

import numpy as np
import pytest

import kleene as kl
from kleene._refusals import wait


def ones(*shape):
    return np.ones(shape)


def negative_at(shape, at):
    a = np.ones(shape)
    a[at] = -1
    return a


FITS = [  # arguments of matmul, and all that the refusal says
    ((ones(3, 4), ones(5, 6)), {}, "a is (3, 4), b is (5, 6): inner extents 4 and 5 differ"),
    ((ones(4), ones(5, 6)), {}, "a is (4,), b is (5, 6): inner extents 4 and 5 differ"),
    ((ones(2, 3, 4), ones(5)), {}, "a is (2, 3, 4), b is (5,): inner extents 4 and 5 differ"),
    ((ones(2, 3, 4), ones(3, 4, 6)), {},
     "a is (2, 3, 4), b is (3, 4, 6): their leading dimensions cannot be broadcast"),
    ((ones(2, 3), ones(3, 4)), {"mask": ones(3, 4)}, "mask is (3, 4), and cannot be broadcast to c, (2, 4)"),
    ((ones(2, 3), ones(3)), {"mask": ones(2, 1)}, "mask is (2, 1), and cannot be broadcast to c, (2,)"),
    ((ones(2, 3), ones(3, 4)), {"accumulate": ones(3)}, "accumulate is (3,), and cannot be broadcast to c, (2, 4)"),
]


@pytest.mark.parametrize("operands, options, words", FITS)
def test_shapes(operands, options, words):
    with pytest.raises(ValueError) as refused:
        kl.matmul(*operands, **options)
    assert str(refused.value) == "matmul: " + words


PLACES = [
    (negative_at((3, 4), (1, 2)), ones(4, 5), "a[1, 2]"),
    (ones(3, 4), negative_at((4, 5), (3, 4)), "b[3, 4]"),
    (negative_at(4, 2), ones(4, 5), "a[2]"),  # with a vector
    (ones(4), negative_at((4, 5), (1, 2)), "b[1, 2]"),
    (negative_at((3, 4), (2, 1)), ones(4), "a[2, 1]"),
    (ones(3, 4), negative_at(4, 1), "b[1]"),
    (negative_at(4, 2), ones(4), "a[2]"),
    (negative_at((1, 4), (0, 3)), ones(4, 5), "a[0, 3]"),
    (negative_at((2, 3, 4), (1, 2, 0)), ones(4, 5), "a[1, 2, 0]"),  # of a batch
    (ones(3, 4), negative_at((2, 3, 4, 5), (1, 0, 3, 2)), "b[1, 0, 3, 2]"),
    (negative_at((4, 3), (2, 1)).T, ones(4, 5), "a[1, 2]"),
    (ones(2, 3), negative_at((3, 4), (0, 1)).astype(np.float32), "b[0, 1]"),
    (negative_at((2100, 600), (2050, 7)), ones(600, 1000), "a[2050, 7]"),  # cut into blocks
]


@pytest.mark.parametrize("a, b, place", PLACES)
def test_where_a_value_is_outside_the_domain(a, b, place):
    with pytest.raises(ValueError) as refused:
        kl.matmul(a, b, "max_times")
    assert str(refused.value) == f"{place} = -1 is outside the domain of max_times"


def test_other_values_outside_the_domain():
    a = ones(2, 2)
    for options, place in (({"accumulate": negative_at((2, 2), (1, 0))}, "accumulate[1, 0]"), ({"alpha": -1}, "alpha"),
                           ({"accumulate": a, "beta": -1}, "beta")):
        with pytest.raises(ValueError) as refused:
            kl.matmul(a, a, "max_times", **options)
        assert str(refused.value) == f"{place} = -1 is outside the domain of max_times"
    with pytest.raises(ValueError, match=r"^a\[1, 0, 1\] = -1 is outside"):
        kl.closure(negative_at((2, 3, 3), (1, 0, 1)), "max_times")
    with pytest.raises(ValueError, match=r"^operand 2\[1, 0, 1\] = -1 is outside"):
        kl.einsum("ij,bjk->bik", a, negative_at((2, 2, 2), (1, 0, 1)), algebra="max_times")


NAN = float("nan")
TAKEN_2 = [[0.0, 1, NAN], [1, 0, NAN], [NAN, NAN, NAN]]


@pytest.mark.parametrize("call, words", [
    (lambda: kl.matmul([[NAN]], [[1.0]], "max_times"), "a[0, 0] = nan is outside the domain of max_times"),
    (lambda: kl.matmul(ones(2), [[1.0], [NAN]], "max_times"), "b[1, 0] = nan is outside the domain of max_times"),
    (lambda: kl.einsum("ij,jk->ik", [[1.0]], [[NAN]], algebra="max_times"),
     "operand 2[0, 0] = nan is outside the domain of max_times"),
    (lambda: kl.closure([[1.0, NAN], [1, 1]]), "a[0, 1] is NaN"),
    (lambda: kl.closure([[[1.0]], [[NAN]]]), "a[1, 0, 0] is NaN"),
    (lambda: kl.closure([TAKEN_2, TAKEN_2], sizes=[2, 3]), "a[1, 0, 2] is NaN"),
    (lambda: kl.closure([[TAKEN_2], [TAKEN_2]], sizes=[[2], [3]]), "a[1, 0, 0, 2] is NaN"),
])
def test_places_stand_in_brackets(call, words):
    with pytest.raises(ValueError) as refused:
        call()
    assert str(refused.value) == words


MOST = ("268435456 is more than 268435454, the largest finite number that min_plus over int32 holds; use int64 or "
        "float64")
MOST_64 = ("1152921504606846976 is more than 1152921504606846974, the largest finite number that min_plus over int64 "
           "holds; use float64")


@pytest.mark.parametrize("call, words", [
    (lambda x: kl.matmul(x, x), f"a[0, 0] = {MOST}"),
    (lambda x: kl.matmul(x.astype("i8") << 32, [[1]]), f"a[0, 0] = {MOST_64}"),
    (lambda x: kl.matmul(-x, x - 2, "max_plus"),
     "a[0, 0] = -268435456 is less than -268435454, the smallest finite number that max_plus over int32 holds; use "
     "int64 or float64"),
    (lambda x: kl.einsum("ij,jk->ik", x, x - 2), f"operand 1[0, 0] = {MOST}"),
    (kl.closure, f"a[0, 0] = {MOST}"),
    (lambda x: kl.shortest_paths(x), f"the arc 0 -> 0 (0-based) has weight {MOST.replace(' is', ', which is', 1)}"),
    (lambda x: kl.shortest_paths([[-1.0]], "max_times"),
     "the arc 0 -> 0 (0-based) has weight -1, which is outside the domain of max_times"),
    (lambda x: kl.matmul(x - 2, x - 2, out=x.copy()),
     "min_plus: a finite result is too large for int32; use int64 or float64. out is not to be used"),
    (lambda x: kl.einsum("ij,jk->ik", x - 2, x - 2),
     "min_plus: a finite result is too large for int32; use int64 or float64"),
    (lambda x: kl.matmul(4 * x, 4 * x, "plus_times"),
     "plus_times: a finite result is too large for int32; use float64"),
    (lambda x: kl.matmul(np.array([[2**60 - 2]]), np.array([[2**60 - 2]])),
     "min_plus: a finite result is too large for int64; use float64"),
])
def test_integers_that_are_too_large(call, words):
    with pytest.raises(ValueError) as refused:
        call(np.array([[2**28]], "i4"))
    assert str(refused.value) == words


@pytest.mark.parametrize("dtypes", [3, 2.5])
def test_element_types_of_an_algebra_that_are_none(dtypes):
    with pytest.raises(ValueError, match=f"^semiring: {dtypes} is no element type$"):
        kl.semiring("own", kl.max, kl.min, zero=0.0, dtypes=dtypes)


def rounded(*shape):
    """Whole numbers of which the last is no float64."""
    a = np.ones(shape, np.int64)
    a.flat[-1] = 2**60 + 1
    return a


@pytest.mark.parametrize("call, place", [
    (lambda: kl.matmul(rounded(2, 3), np.ones((3, 2))), "a[1, 2]"),
    (lambda: kl.matmul(rounded(3), np.ones((3, 2))), "a[2]"),
    (lambda: kl.matmul(np.ones((2, 3)), rounded(3)), "b[2]"),
    (lambda: kl.matmul(ones(4, 2, 3), rounded(4, 3, 2), "plus_times"), "b[3, 2, 1]"),
    (lambda: kl.matmul(ones(2, 3), ones(3, 2), accumulate=rounded(2, 2)), "accumulate[1, 1]"),
    (lambda: kl.einsum("ij,jk->ik", ones(2, 3), rounded(3, 2)), "operand 2[2, 1]"),
    (lambda: kl.closure(rounded(3, 2, 2), "plus_times"), "a[2, 1, 1]"),
    (lambda: kl.closure(rounded(2, 2), "plus_times", out=ones(2, 2)), "a[1, 1]"),
    (lambda: kl.shortest_paths(rounded(2, 2), "max_times"), "graph[1, 1]"),
    (lambda: kl.scan(rounded(5)), "values[4]"),
    (lambda: kl.segmented_reduce(rounded(5), [0, 5]), "values[4]"),
    (lambda: kl.join(ones(3), rounded(5)), "b[4]"),
    (lambda: kl.merge(rounded(5), ones(3)), "a[4]"),
    (lambda: kl.set_union(ones(3), rounded(5)), "b[4]"),
])
def test_where_an_integer_is_that_would_be_rounded(call, place):
    with pytest.raises(ValueError) as refused:
        call()
    assert str(refused.value).startswith(f"{place}: float64 does not hold 1152921504606846977 (int64); ")


def test_where_a_key_is_that_is_too_large():
    large = np.array([1, 2**63], np.uint64)
    for call, name in ((kl.sort, "keys"), (lambda x: kl.merge(x[:1], x), "b"), (lambda x: kl.join(x, x[:1]), "a")):
        with pytest.raises(ValueError) as refused:
            call(large)
        assert str(refused.value) == f"{name}[1]: int64 does not hold 9223372036854775808"


def test_outputs():
    x, y, v = ones(4, 4), ones(4, 4), ones(4)
    for call, words in (
        (lambda: kl.matmul(x, y, out=x), "a overlaps out, which the same call writes"),
        (lambda: kl.matmul(y, x, out=x), "b overlaps out, which the same call writes"),
        (lambda: kl.matmul(v, y, out=v), "a overlaps out, which the same call writes"),
        (lambda: kl.matmul(y, v, out=v), "b overlaps out, which the same call writes"),
        (lambda: kl.matmul(v, y, out=y[1]), "b overlaps out, which the same call writes"),
        (lambda: kl.matmul(y, v, out=y[1]), "a overlaps out, which the same call writes"),
        (lambda: kl.matmul(y, y, out=x[::-1], accumulate=x), "accumulate overlaps out, which the same call writes"),
        (lambda: kl.matmul(y, y, out=x, mask=x.view(bool)[:, :4]), "mask overlaps out, which the same call writes"),
        (lambda: kl.einsum("ij,jk", x, y, out=x), "operand 1 overlaps out, which the same call writes"),
        (lambda: kl.matmul(np.full((2, 2), 2**28 - 2, "i4"), np.full(2, 2**28 - 2, "i4")),
         "min_plus: a finite result is too large for int32; use int64 or float64"),
    ):
        with pytest.raises(ValueError) as refused:
            call()
        assert str(refused.value) == words


def test_what_the_caller_raises_stays_as_it_is():
    def stop(_done, _total):
        raise ValueError("A and C")

    with pytest.raises(ValueError, match="^A and C$"):
        kl.matmul(ones(1100, 1100), ones(1100, 1100), progress=stop)


def test_equations_that_are_none():
    x = ones(2, 2)
    for equation, letter, at in (("αβ,βγ->αγ", "α", 0), ("aé,éb->ab", "é", 1), ("ab,b\0->a", r"\x00", 4),
                                 ("ab\udcff,b->a", r"\udcff", 2)):
        with pytest.raises(ValueError) as refused:
            kl.einsum(equation, x, x)
        assert str(refused.value).endswith(
            f": '{letter}' at position {at} is no index; indices are letters a to z and A to Z")
    for equation in (3, b"ij", x):
        with pytest.raises(TypeError, match=f"'ij,jk->ik', and not of type {type(equation).__name__}"):
            kl.einsum(equation, x, x)


@pytest.mark.parametrize("order, kind, words", [
    ("greedy", TypeError, r"order has pairs of tensors' numbers, \[\(0, 1\), \(2, 3\)\]; it is not 'greedy'"),
    ([0, 1], TypeError, r"it is not \[0, 1\]"),
    (3, TypeError, "it is not 3"),
    ([(0, 1.5)], TypeError, r"it is not \[\(0, 1.5\)\]"),
    ([(0, 1, 2)], ValueError, r"its entry 0 is of 3: \(0, 1, 2\)"),
    ([(0, 1), (2**40, 2)], ValueError, r"pair 1 \(1099511627776, 2\) takes a tensor that is not there"),
    ([(0, 1), (0, 2)], ValueError, r"pair 1 \(0, 2\) takes a tensor that is not there, or was taken before"),
])
def test_orders_that_are_none(order, kind, words):
    x = ones(2, 2)
    with pytest.raises(kind, match="^einsum: .*" + words):
        kl.einsum("ij,jk,kl", x, x, x, order=order)


def test_what_is_no_matrix(tmp_path):
    """Files and what they were read as: both say what to call."""
    path = tmp_path / "roads.csv"
    path.write_text("a,b,1\nb,c,2\n")
    for call in (kl.shortest_paths, kl.closure, lambda name: kl.matmul(name, name)):
        for name in (str(path), path):
            with pytest.raises(TypeError, match=r"roads\.csv'.* where an array is needed: kl\.read\(path\) reads"):
                call(name)
    graph = kl.read(path)
    assert kl.shortest_paths(graph).path("a", "c")[1] == 3
    for call in (kl.closure, lambda g: kl.matmul(g, g)):
        with pytest.raises(ValueError, match="a graph where a dense matrix is needed: kl.shortest_paths takes it"):
            call(graph)


def test_closures_over_plus_times_exchange_no_rows():
    """(I - a)^-1: also where walks grow without end, not where a pivot is 0."""
    np.testing.assert_allclose(kl.closure(np.array([[0, 2.0], [3, 0]]), "plus_times"),
                               [[-0.2, -0.4], [-0.6, -0.2]], rtol=1e-14)
    with pytest.raises(ValueError, match="the star of vertex 0 has no value"):
        kl.closure(np.array([[1, 0.5], [-0.5, 0.2]]), "plus_times")


@pytest.mark.parametrize("found, told", [
    ("A(3, 4) = -2 is outside the domain of max_times",
     "-2, at [3, 4] of an operand, is outside the domain of max_times"),
    ("the source(0, 1) = -1 is outside the domain of or_and",
     "-1, at [0, 1] of an operand, is outside the domain of or_and"),
    ("min_plus: a finite result is too large for the element type; use a wider one. C is not to be used",
     "min_plus: a finite result is too large for the element type; use a wider one. Its result is not to be used"),
])
def test_what_a_device_tells_later_has_no_names_of_the_library(found, told):
    class Context:
        def synchronise(self):
            raise ValueError(found)

    with pytest.raises(ValueError) as refused:
        wait(Context())
    advice = "With KLEENE_SYNC=1 in the environment the call itself raises this"
    assert str(refused.value) == f"a call before: {told}. {advice}"


def spoilt(kind, part, position, value):
    """A sparse matrix of 3 x 3, one number of whose arrays is another one."""
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.coo_array(np.array([[0, 1.0, 2], [1, 0, 3], [4, 5, 0]])).asformat(kind)
    getattr(matrix, part)[position] = value
    return matrix


# SciPy's conversions trust these numbers: they read and wrote outside of their memory.
@pytest.mark.parametrize("kind, part, position, value, words", [
    ("csr", "indptr", 1, -4, "indptr does not ascend from 0 to at most 6"),
    ("csr", "indptr", 1, 50, "indptr does not ascend"),
    ("csr", "indptr", 0, 2, "indptr does not ascend"),
    ("csc", "indptr", 3, 500, "indptr does not ascend"),
    ("csr", "indices", 0, 3, "index 3 is not in 0 .. 2"),
    ("csc", "indices", 5, -1, "index -1 is not in 0 .. 2"),
    ("coo", "row", 2, 7, "index 7 is not in 0 .. 2"),
    ("coo", "col", 2, 3, "index 3 is not in 0 .. 2")])
def test_sparse_matrices_that_point_outside(kind, part, position, value, words, tmp_path):
    from kleene import csgraph  # noqa: PLC0415 - needs SciPy

    for call in (kl.shortest_paths, csgraph.shortest_path, csgraph.floyd_warshall, csgraph.dijkstra,
                 lambda matrix: kl.write(tmp_path / "graph.csv", matrix)):
        with pytest.raises(ValueError, match=words):
            call(spoilt(kind, part, position, value))
    assert not list(tmp_path.iterdir())
