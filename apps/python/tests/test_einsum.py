import itertools

import numpy as np
import pytest

import kleene as kl
from algebra_loops import OPERATIONS, ROWS, draw, product, zero_of

EQUATIONS = ["ik,kj->ij", "bik,kj->bij", "ij->", "ij->ji", "ii->i", "ij,ij->", "i,j->ij", "abc,cd,bd->a",
             "ab,bc,cd->ad"]


def loops(equation, operands, add, mul, zero):
    """The definition: a loop over all indices."""
    inputs, output = equation.split("->")
    inputs = inputs.split(",")
    extent = {i: n for own, x in zip(inputs, operands) for i, n in zip(own, x.shape)}
    letters = list(extent)
    result = np.full([extent[i] for i in output], zero, dtype=object)
    for values in itertools.product(*(range(extent[i]) for i in letters)):
        at = dict(zip(letters, values))
        terms = [x[tuple(at[i] for i in own)].item() for own, x in zip(inputs, operands)]
        term = zero if zero in terms else terms[0]
        for u in terms[1:]:
            term = term if term == zero else mul(term, u)
        place = tuple(at[i] for i in output)
        result[place] = add(result[place], term)
    return result


@pytest.mark.parametrize("equation", EQUATIONS)
@pytest.mark.parametrize("name", ["min_plus", "max_min", "plus_times", "max_times"])
def test_equations(name, equation):
    rng = np.random.default_rng(5)
    sizes = dict(zip("abcdijk", (2, 3, 2, 3, 3, 3, 4)))
    operands = [draw(rng, name, "float64", *(sizes[i] for i in own)) for own in equation.split("->")[0].split(",")]
    add, mul, _ = OPERATIONS[name]
    expected = loops(equation, operands, add, mul, zero_of(name, "float64"))
    found = kl.einsum(equation, *operands, algebra=name)
    np.testing.assert_array_equal(found, expected.astype(float))
    assert np.shape(found) == expected.shape


@pytest.mark.parametrize("name, dtype", ROWS)
def test_rows(name, dtype):
    rng = np.random.default_rng(6)
    a, b = draw(rng, name, dtype, 5, 7), draw(rng, name, dtype, 7, 4)
    found = kl.einsum("ik,kj", a, b, algebra=name)
    assert found.dtype == np.dtype(dtype)
    if name == "log_plus":
        np.testing.assert_allclose(found, product(name, dtype, a, b)[0], rtol=1e-5)
    else:
        np.testing.assert_array_equal(found, product(name, dtype, a, b)[0])


def test_witness_out_and_order():
    rng = np.random.default_rng(7)
    a, b, c = (rng.integers(-9, 9, shape).astype(float) for shape in ((4, 5), (5, 6), (6, 3)))
    expected, witness = product("min_plus", "float64", a, b)
    found, which = kl.einsum("ik,kj->ji", a, b, return_witness=True)
    np.testing.assert_array_equal(found, expected.T)
    np.testing.assert_array_equal(which, witness.T)
    assert which.dtype == np.int64
    out = np.full((4, 6), -5.0)
    assert kl.einsum("ik,kj->ij", a, b, out=out, accumulate=True) is out
    np.testing.assert_array_equal(out, np.minimum(expected, -5))
    chain = kl.einsum("ab,bc,cd->ad", a, b, c, order=[(1, 2), (0, 3)])
    np.testing.assert_array_equal(chain, product("min_plus", "float64", expected, c)[0])


@pytest.mark.parametrize("call, words", [
    (lambda x: kl.einsum("ij,jk->ik", x), "is of 2 operands, and there are 1"),
    (lambda x: kl.einsum("i...", x), "'.'|ellipsis"),
    (lambda x: kl.einsum("ij,jk->ik", x, x[:1]), "j"),
    (lambda x: kl.einsum("ij,jk->il", x, x), "l"),
    (lambda x: kl.einsum("ij,jk->ik", x, x, algebra="plus_times", return_witness=True), "no witness"),
    (lambda x: kl.einsum("ij->", x, return_witness=True), "a witness is of two operands"),
    (lambda x: kl.einsum("ij->", x, accumulate=True), "no `out`"),
    (lambda x: kl.einsum("ij->ij", x, out=np.empty((2, 3))), r"out is \(2, 3\)"),
])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call(np.ones((2, 2)))


def test_an_array_to_accumulate():
    """As of matmul: here it goes into `out`."""
    x = np.ones((2, 2))
    for options in ({}, {"out": x.copy()}):
        with pytest.raises(TypeError, match="^einsum: accumulate is True or False, and no array: out=array"):
            kl.einsum("ij,jk->ik", x, x, accumulate=x, **options)


def test_an_algebra_among_the_operands():
    x = np.ones((2, 2))
    with pytest.raises(TypeError, match="^einsum: 'max_plus' is no tensor: say algebra='max_plus'$"):
        kl.einsum("ij,jk->ik", x, x, "max_plus")
    with pytest.raises(TypeError, match="^einsum: the algebra max_plus is no tensor: say algebra=... with it$"):
        kl.einsum("ij,jk->ik", x, x, kl.algebras["max_plus"])
    with pytest.raises(TypeError, match="^matmul: b is the algebra max_plus where an array is needed: say algebra=$"):
        kl.matmul(x, "max_plus")
