"""Gradients against differences: central, in float64."""

import numpy as np
import pytest

import kleene as kl
from kleene.gradients import closure_gradient, matmul_gradient
from test_closure import ROADS

ALGEBRAS = ["min_plus", "max_plus", "min_times", "max_times", "min_max", "max_min", "log_plus", "plus_times"]


def differences(function, x, h=1e-6, no_edge=None):
    """d function / d x, element by element; 0 where there is no edge."""
    found = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        if x[at] == no_edge:
            continue
        up, down = x.copy(), x.copy()
        up[at] += h
        down[at] -= h
        found[at] = (function(up) - function(down)) / (2 * h)
    return found


@pytest.mark.parametrize("algebra", ALGEBRAS)
@pytest.mark.parametrize("left, right", [((4, 5), (5, 3)), ((2, 4, 5), (5, 3)), ((3, 1, 2, 4), (2, 4, 3))])
def test_products(algebra, left, right):
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0.5, 2, left), rng.uniform(0.5, 2, right)
    selective = kl.algebras[algebra].is_selective
    c = kl.matmul(a, b, algebra, return_witness=selective)
    c, witness = c if selective else (c, None)
    g = rng.normal(size=c.shape)
    to_a, to_b = matmul_gradient(g, a, b, c, witness, algebra)
    assert to_a.shape == a.shape and to_b.shape == b.shape
    np.testing.assert_allclose(to_a, differences(lambda x: (g * kl.matmul(x, b, algebra)).sum(), a), atol=1e-7)
    np.testing.assert_allclose(to_b, differences(lambda x: (g * kl.matmul(a, x, algebra)).sum(), b), atol=1e-7)


def test_literals():
    a, b = np.array([[1.0, 5.0]]), np.array([[3.0, 0.0], [0.0, 9.0]])
    c, witness = kl.matmul(a, b, return_witness=True)
    to_a, to_b = matmul_gradient(np.array([[10.0, 7.0]]), a, b, c, witness)
    assert to_a.tolist() == [[17.0, 0.0]] and to_b.tolist() == [[10.0, 7.0], [0.0, 0.0]]


def test_what_has_no_path_has_no_gradient():
    inf = np.inf
    for algebra, none in (("min_plus", inf), ("max_plus", -inf)):
        a, b = np.full((2, 2), none), np.array([[1.0, none], [none, none]])
        c, witness = kl.matmul(a, b, algebra, return_witness=True)
        to_a, to_b = matmul_gradient(np.ones((2, 2)), a, b, c, witness, algebra)
        assert not to_a.any() and not to_b.any()
    a, b = np.array([[0.0, -inf], [-inf, -inf]]), np.array([[-1.0, 2.0], [-inf, 3.0]])
    c = kl.matmul(a, b, "log_plus")
    to_a, to_b = matmul_gradient(np.array([[1.0, -2.0], [4.0, 5.0]]), a, b, c, algebra="log_plus")
    np.testing.assert_allclose(to_a, [[-1.0, 0.0], [0.0, 0.0]], rtol=1e-11)
    np.testing.assert_allclose(to_b, [[1.0, -2.0], [0.0, 0.0]], rtol=1e-11)


def test_log_sums_of_numbers_far_apart():
    """Shares are shares, wherever the numbers lie."""
    a, b = np.array([[800.0, -900.0]]), np.array([[-800.0, 0.0], [900.0, 1700.0]])
    c = kl.matmul(a, b, "log_plus")
    to_a, to_b = matmul_gradient(np.ones((1, 2)), a, b, c, algebra="log_plus")
    np.testing.assert_allclose(to_a, [[1.0, 1.0]], rtol=1e-11)
    np.testing.assert_allclose(to_b, [[0.5, 0.5], [0.5, 0.5]], rtol=1e-11)


def shares(a, b, c, g):
    """The gradients over log_plus, term by term in float64."""
    a, b, c, g = (x.astype(np.float64) for x in (a, b, c, g))
    with np.errstate(invalid="ignore"):
        terms = np.exp(a[..., :, :, None] + b[..., None, :, :] - c[..., :, None, :])
    terms = g[..., :, None, :] * np.nan_to_num(terms)
    return terms.sum(axis=-1), terms.sum(axis=-3)


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-5), (np.float64, 1e-12)])
@pytest.mark.parametrize("spread", [1, 30, 300, 3000])
def test_log_sums_whose_terms_are_near_or_far(spread, dtype, tolerance):
    """By products, and term by term what lies far below its maxima, as some does where numbers are spread out."""
    rng = np.random.default_rng(7)
    a, b = (spread * rng.uniform(-1, 1, (20, 20)).astype(dtype) for _ in range(2))
    a[3, 4] = a[5, :] = b[:, 6] = -np.inf
    g = rng.normal(size=(20, 20)).astype(dtype)
    g[7, 8] = 0
    c = kl.matmul(a, b, "log_plus")
    for found, expected in zip(matmul_gradient(g, a, b, c, algebra="log_plus"), shares(a, b, c, g)):
        assert found.dtype == dtype
        rounded = 8 * spread * float(np.finfo(dtype).eps)  # c itself errs by two units of its last place
        np.testing.assert_allclose(found, expected, atol=tolerance + rounded, rtol=0)


def test_log_sums_that_products_alone_would_lose():
    """Maxima of 100 that meet -100 in the other matrix: exp(a - 100) exp(b - 100) is nothing in float32."""
    a, b = np.array([[100, 0], [0, 1]], np.float32), np.array([[-200, 1], [100, 0]], np.float32)
    a[0, 1] = -100
    c = kl.matmul(a, b, "log_plus")
    np.testing.assert_array_equal(c, np.float32([[0, 101], [101, 1.6931472]]))
    to_a, to_b = matmul_gradient(np.array([[3, 0], [0, 0]], np.float32), a, b, c, algebra="log_plus")
    np.testing.assert_allclose(to_a, [[0, 3], [0, 0]], atol=1e-5)
    np.testing.assert_allclose(to_b, [[0, 0], [3, 0]], atol=1e-5)


@pytest.mark.parametrize("algebra", ["min_plus", "max_plus", "max_times"])
def test_closures(algebra):
    rng = np.random.default_rng(2)
    n = 7
    a = {"min_plus": rng.uniform(1, 5, (n, n)), "max_plus": -rng.uniform(1, 5, (n, n)),
         "max_times": rng.uniform(0.1, 0.9, (n, n))}[algebra]
    a[rng.random((n, n)) < 0.5] = kl.zero(algebra)
    a.flat[:: n + 1] = kl.zero(algebra)
    d, p = kl.closure(a, algebra, return_predecessors=True)
    g = rng.normal(size=(n, n))

    def loss(x):
        found = kl.closure(x, algebra)
        return (g * np.where(np.isfinite(found), found, 0)).sum()

    expected = differences(loss, a, no_edge=kl.zero(algebra))
    np.testing.assert_allclose(closure_gradient(g, a, d, p, algebra), expected, atol=1e-6)


def test_roads():
    d, p = kl.closure(ROADS, return_predecessors=True)
    g = np.zeros((4, 4))
    g[0, 3], g[1, 3] = 1.0, 10.0
    found = closure_gradient(g, ROADS, d, p)
    assert found.tolist() == [[0, 1, 0, 0], [0, 0, 11, 0], [0, 0, 0, 11], [0, 0, 0, 0]]


def test_threads_give_the_same_bits():
    rng = np.random.default_rng(3)
    a, b, g = (rng.random((300, 300), np.float32) for _ in range(3))
    c, witness = kl.matmul(a, b, return_witness=True)
    one, many = (matmul_gradient(g, a, b, c, witness, threads=t) for t in (1, 3))
    assert one[0].dtype == np.float32
    np.testing.assert_array_equal(one[0], many[0])
    np.testing.assert_array_equal(one[1], many[1])


@pytest.mark.parametrize("call, words", [
    (lambda x: matmul_gradient(x, x, x, x, algebra="or_and"), "or_and has no gradient"),
    (lambda x: matmul_gradient(x, x, x, x), "the witness says"),
    (lambda x: closure_gradient(x, x, x, x.astype("i4"), "max_min"), "max_min has no gradient here"),
    (lambda x: closure_gradient(x[:1], x, x, x.astype("i4")), r"g is \(1, 2\)"),
])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call(np.ones((2, 2)))


@pytest.mark.parametrize("at, wrong", [((0, 0), 5), ((1, 2), 1_000_000), ((2, 1), 2), ((0, 1), -2), ((1, 0), -2**31)])
def test_witnesses_that_point_outside(at, wrong):
    """They were trusted, and memory outside of the gradients was written."""
    witness = np.zeros((3, 3), np.int32)
    witness[at] = wrong
    with pytest.raises(ValueError) as refused:
        matmul_gradient(np.ones((3, 3)), np.ones((3, 2)), np.ones((2, 3)), np.ones((3, 3)), witness)
    assert str(refused.value) == f"matmul_gradient: witness[{at[0]}, {at[1]}] = {wrong} is not in -1 .. 1"


def test_witnesses_of_batches_that_point_outside():
    witness = np.zeros((2, 1, 1), np.int32)
    witness[1] = 3
    one, two = np.ones((1, 1)), np.ones((2, 1, 1))
    with pytest.raises(ValueError, match=r"^matmul_gradient: witness\[1, 0, 0\] = 3 is not in -1 .. 0$"):
        matmul_gradient(two, two, one, two, witness)
    with pytest.raises(ValueError, match=r"^matmul_gradient: witness\[0, 0\] = 0 is not in -1 .. -1$"):
        matmul_gradient(one, np.ones((1, 0)), np.ones((0, 1)), one, np.zeros((1, 1), np.int32))


@pytest.mark.parametrize("wrong", [5, 2, -2, 2**31 - 1])
def test_predecessors_that_point_outside(wrong):
    g, p = np.ones((2, 2)), np.array([[-1, wrong], [1, -1]], np.int32)
    with pytest.raises(ValueError) as refused:
        closure_gradient(g, g, g, p)
    assert str(refused.value) == f"closure_gradient: predecessors[0, 1] = {wrong} is not in -1 .. 1"


@pytest.mark.parametrize("row", [[-1, 2, 1, 1], [0, -1, 3, 2], [1, 2, 3, 0]])
def test_predecessors_in_a_cycle_end(row):
    g = np.ones((4, 4))
    assert closure_gradient(g, g, g, np.array([row] * 4, np.int32)).shape == (4, 4)


@pytest.mark.parametrize("shapes, words", [
    (((2,), (2, 3), (3,)), "a is (2,), b is (2, 3): matrices or batches of them are needed, a vector as one of 1 row "
     "or 1 column"),
    (((2, 2), (3, 2), (2, 2)), "a is (2, 2), b is (3, 2): inner extents 2 and 3 differ"),
    (((2, 2), (2, 3), (3, 3)), "g is (3, 3); the product of a, (2, 2), and b, (2, 3), is (2, 3)"),
    (((2, 2), (4, 2, 3), (2, 3)), "g is (2, 3); the product of a, (2, 2), and b, (4, 2, 3), is (4, 2, 3)"),
])
@pytest.mark.parametrize("algebra", ["min_plus", "log_plus", "plus_times"])
def test_shapes_that_do_not_fit(shapes, words, algebra):
    a, b, g = map(np.ones, shapes)
    with pytest.raises(ValueError) as refused:
        matmul_gradient(g, a, b, g, np.zeros(g.shape, np.int32), algebra)
    assert str(refused.value) == f"matmul_gradient: {words}"


def test_shapes_of_witnesses():
    x = np.ones((2, 2))
    with pytest.raises(ValueError, match=r"^matmul_gradient: witness is \(1, 2\); the product of a, \(2, 2\)"):
        matmul_gradient(x, x, x, x, np.zeros((1, 2), np.int32))
    with pytest.raises(ValueError, match=r"^matmul_gradient: c is \(1, 2\); the product of a, \(2, 2\)"):
        matmul_gradient(x, x, x, x[:1], np.zeros((2, 2), np.int32))


def test_another_byte_order():
    x = np.ones((2, 2), np.dtype(np.float64).newbyteorder())
    assert matmul_gradient(x, x, x, x, np.zeros((2, 2), np.int32))[0].tolist() == [[2, 0], [2, 0]]
    assert closure_gradient(x, x, x, np.array([[-1, 0], [-1, -1]], np.int32)).tolist() == [[0, 1], [0, 0]]
