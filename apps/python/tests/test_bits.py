import numpy as np
import pytest

import kleene as kl
from kleene import bits

SHAPES = [(1, 1, 1), (3, 64, 65), (70, 130, 20), (5, 0, 4), (129, 63, 128)]


def draw(seed, *shape):
    return np.random.default_rng(seed).random(shape) < 0.3


@pytest.mark.parametrize("m, k, n", SHAPES)
def test_products(m, k, n):
    a, b, d = draw(1, m, k), draw(2, k, n), draw(3, m, n)
    counts = a.astype(int) @ b.astype(int)
    pa, pb, pd = map(bits.pack, (a, b, d))
    np.testing.assert_array_equal(pa.unpack(), a)
    np.testing.assert_array_equal(bits.matmul(pa, pb).unpack(), counts > 0)
    np.testing.assert_array_equal(bits.matmul(pa, pb, "xor_and").unpack(), counts % 2 == 1)
    np.testing.assert_array_equal(bits.matmul(pa, pb, accumulate=pd).unpack(), (counts > 0) | d)
    np.testing.assert_array_equal(bits.matmul(pa, pb, "xor_and", accumulate=pd).unpack(), (counts % 2 == 1) ^ d)
    np.testing.assert_array_equal(bits.matmul(pa, bits.transpose(pb), transposed_b=True).unpack(), counts > 0)
    np.testing.assert_array_equal(bits.count_products(pa, pb), counts)
    np.testing.assert_array_equal(bits.transpose(pa).unpack(), a.T)
    np.testing.assert_array_equal(pd.unpack(), d)  # as it was


def test_no_rows():
    a = bits.pack(np.zeros((0, 65)))
    assert a.unpack().shape == (0, 65) and bits.transpose(a).unpack().shape == (65, 0) and bits.rank(a) == 0
    assert bits.matmul(a, bits.pack(np.ones((65, 70)))).unpack().shape == (0, 70)
    assert not bits.matmul(bits.transpose(a), a).unpack().any() and bits.count_products(a, bits.transpose(a)).size == 0
    np.testing.assert_array_equal(bits.null_space(a).unpack(), np.eye(65, dtype=bool))
    assert bits.null_space(bits.pack(np.eye(65))).unpack().shape == (0, 65)
    assert bits.row_reduce(a)[1] == [] and bits.solve(a, bits.pack(np.zeros((0, 66)))).shape == (65, 66)


def test_elements():
    a = bits.pack(np.array([[0, 1.0, 0], [1, 0, 0]]))
    assert a.words.tolist() == [[2], [1]] and a.shape == (2, 3)
    assert a[0, 1] and not a[0, 0] and repr(a) == "<kleene bits 2 x 3>"
    assert a == a.copy() and a != bits.pack(np.zeros((2, 3)))
    with pytest.raises(IndexError):
        a[0, 3]


@pytest.mark.parametrize("n", [1, 5, 64, 150])
def test_closure(n):
    a = np.random.default_rng(4).random((n, n)) < 1.2 / n
    reach = a | np.eye(n, dtype=bool)
    for k in range(n):
        reach |= np.outer(reach[:, k], reach[k])
    found = bits.pack(a)
    np.testing.assert_array_equal(bits.closure(found).unpack(), reach)
    np.testing.assert_array_equal(found.unpack(), a)


def test_linear_algebra_literals():
    a = bits.pack([[1, 1, 0], [0, 1, 1], [1, 0, 1]])  # the third row is the sum of the others
    assert bits.rank(a) == 2
    reduced, pivots = bits.row_reduce(a)
    assert reduced.unpack().astype(int).tolist() == [[1, 0, 1], [0, 1, 1], [0, 0, 0]] and pivots == [0, 1]
    assert bits.null_space(a).unpack().astype(int).tolist() == [[1, 1, 1]]
    with pytest.raises(np.linalg.LinAlgError, match="the rank is 2 of 3"):
        bits.inverse(a)
    assert bits.solve(a, bits.pack([[1], [0], [1]])).unpack().astype(int).tolist() == [[1], [0], [0]]
    with pytest.raises(np.linalg.LinAlgError, match="no solution"):
        bits.solve(a, bits.pack([[1], [0], [0]]))


@pytest.mark.parametrize("n", [1, 63, 65, 200])
def test_inverses_and_solutions(n):
    rng = np.random.default_rng(5)
    lower, upper = np.tril(rng.random((n, n)) < 0.5, -1), np.triu(rng.random((n, n)) < 0.5, 1)
    eye = np.eye(n, dtype=int)
    a = ((lower + eye) @ (upper + eye)) % 2
    b = draw(6, n, 7)
    x = bits.inverse(bits.pack(a))
    np.testing.assert_array_equal(a @ x.unpack().astype(int) % 2, eye)
    y = bits.solve(bits.pack(a), bits.pack(b), threads=1)
    np.testing.assert_array_equal(a @ y.unpack().astype(int) % 2, b)
    assert bits.rank(bits.pack(a)) == n and bits.null_space(bits.pack(a)).shape == (0, n)


def test_words_of_ones_own():
    full = np.array([[2**64 - 1, 2**36 - 1]], np.uint64)
    assert bits.BitMatrix(full, (1, 100)) == bits.pack(np.ones((1, 100)))
    assert bits.BitMatrix(full[:, :1], (1, 64)) == bits.pack(np.ones((1, 64)))
    assert bits.BitMatrix(np.zeros((0, 2), np.uint64), (0, 65)).unpack().shape == (0, 65)
    assert bits.BitMatrix(np.zeros((3, 0), np.uint64), (3, 0)).unpack().shape == (3, 0)


def test_arrays_where_bits_are_needed():
    array, packed = np.ones((2, 2)), bits.pack(np.ones((2, 2)))
    for call in (bits.transpose, bits.closure, bits.rank, bits.row_reduce, bits.inverse, bits.null_space,
                 lambda a: bits.matmul(a, packed), lambda a: bits.count_products(a, packed),
                 lambda a: bits.solve(a, packed)):
        with pytest.raises(TypeError, match="^a: a BitMatrix is needed, which bits.pack makes, and not ndarray$"):
            call(array)
    with pytest.raises(TypeError, match="^b: a BitMatrix"):
        bits.solve(packed, array)
    with pytest.raises(TypeError, match="^accumulate: a BitMatrix"):
        bits.matmul(packed, packed, accumulate=array)
    for at, words in ((0, r"bits\[i, j\], and not 0"), ((0, slice(1)), "a column: a whole number is needed"),
                      ((1.0, 0), "a row: a whole number is needed")):
        with pytest.raises(TypeError, match=words):
            packed[at]


@pytest.mark.parametrize("call, words", [
    (lambda x: bits.matmul(x, x, "min_plus"), "no min_plus"),
    (lambda x: bits.matmul(x, bits.pack(np.ones((2, 2)))), r"a is \(2, 3\), b is \(2, 2\)|a is"),
    (lambda x: bits.matmul(x, x), r"a is \(2, 3\), b is \(2, 3\)"),
    (lambda x: bits.matmul(x, x, transposed_b=True, accumulate=x), r"accumulate is \(2, 3\)"),
    (lambda x: bits.closure(x), "square"),
    (lambda x: bits.inverse(x), "square"),
    (lambda x: bits.solve(x, bits.pack(np.ones((3, 1)))), r"b is \(3, 1\)"),
    (lambda x: bits.pack(np.ones(3)), "two dimensions"),
    (lambda x: bits.BitMatrix(np.zeros((2, 2), np.uint64), (2, 64)), "2 x 64 bits are 2 x 1 words"),
    (lambda x: bits.BitMatrix(np.zeros((2, 1), np.dtype(np.uint64).newbyteorder()), (2, 64)),
     r"and not \(2, 1\) of uint64 in another byte order than this machine's \([<>]u8\)$"),
    (lambda x: bits.BitMatrix(np.array([[7], [12]], np.uint64), (2, 3)),
     "row 1 has bit 3 set, and the last of 3 columns is bit 2"),
    (lambda x: bits.BitMatrix(np.array([[0, 2**63]], np.uint64), (1, 100)),
     "row 0 has bit 127 set, and the last of 100 columns is bit 99"),
])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call(bits.pack(np.ones((2, 3))))


@pytest.mark.parametrize("words, shape, kind, told", [
    (np.zeros((1, 1), "u8"), "ab", TypeError, r"^shape: a pair is needed, \(rows, columns\), and not 'ab'$"),
    (np.zeros((1, 1), "u8"), 1, TypeError, r"^shape: a pair is needed, \(rows, columns\), and not 1$"),
    (np.zeros((1, 1), "u8"), (1,), TypeError, "^shape: a pair is needed"),
    (np.zeros((1, 1), "u8"), (1.0, 2.0), TypeError, "^rows: a whole number is needed, and not 1.0$"),
    (np.zeros((1, 0), "u8"), (1, -1), ValueError, "^shape: rows and columns are 0 or more, and not 1 and -1$"),
    ([[0]], (1, 2), TypeError, "^words: an array of uint64 is needed, and not list$"),
])
def test_what_makes_no_bits(words, shape, kind, told):
    with pytest.raises(kind, match=told):
        bits.BitMatrix(words, shape)
    assert bits.BitMatrix(np.zeros((1, 1), "u8"), [np.int64(1), 2]).shape == (1, 2)


def test_shapes_of_any_pair():
    words = np.zeros((3, 1), np.uint64)
    for shape in ((3, 40), [3, 40], np.array([3, 40])):
        assert kl.bits.BitMatrix(words, shape).shape == (3, 40)
    with pytest.raises(TypeError, match="shape: a pair is needed"):
        kl.bits.BitMatrix(words, "ab")


def test_algebras_by_name_or_as_they_are():
    a = bits.pack([[1, 1], [0, 1]])
    for name in ("or_and", "xor_and"):
        assert bits.matmul(a, a, kl.algebras[name]) == bits.matmul(a, a, name)
    with pytest.raises(ValueError, match="^over bits there are or_and and xor_and, and no min_plus$"):
        bits.matmul(a, a, kl.algebras["min_plus"])


@pytest.mark.parametrize("value", [2, -1, 0.5, np.nan])
def test_only_0_and_1_are_packed(value):
    with pytest.raises(ValueError, match=rf"^pack: a\[1, 0\] = {value} is neither 0 nor 1: a != 0 makes bools of it$"):
        bits.pack([[0, 1], [value, 1]])
    assert bits.pack(np.array([[0, 1], [value, 1]]) != 0).unpack().tolist() == [[False, True], [True, True]]
    for dtype in (bool, "i1", "u8", "f4"):
        assert bits.pack(np.array([[0, 1]], dtype)).unpack().tolist() == [[False, True]]


def test_bits_are_arrays_to_numpy():
    a = np.random.default_rng(1).random((5, 70)) < 0.3
    packed = bits.pack(a)
    np.testing.assert_array_equal(np.asarray(packed), a)
    assert np.asarray(packed).dtype == bool and np.asarray(packed, np.int8).dtype == np.int8
    assert np.asarray(packed, np.int8).sum() == a.sum()
    np.testing.assert_array_equal(kl.matmul(packed, a.T, "or_and"), (a.astype(int) @ a.T) > 0)
    with pytest.raises(ValueError, match="copy=False cannot be kept"):
        packed.__array__(copy=False)
