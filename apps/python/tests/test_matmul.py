import numpy as np
import pytest

import kleene as kl
from algebra_loops import FLOATS, OPERATIONS, ROWS, draw, product, zero_of
from kleene._algebras import dtype_of

RNG = np.random.default_rng


def same(name, found, expected):
    if name == "log_plus":
        np.testing.assert_allclose(found, expected, rtol=1e-5 if found.dtype == np.float32 else 1e-11)
    else:
        np.testing.assert_array_equal(found, expected)


def test_the_rows_are_these():
    found = [(name, d.name) for name, algebra in kl.algebras.items() for d in algebra.dtypes]
    assert sorted(found) == sorted(ROWS), (
        "the catalog has other rows than algebra_loops.py beside this file: an algebra is a line of its OPERATIONS and "
        "of ZEROS, and what draw() says of its domain; an element type is a column of ZEROS, in ROWS and in zero_of()")
    for name, dtype in ROWS:
        assert kl.zero(name, dtype) == zero_of(name, dtype)
        assert kl.algebras[name].is_selective == OPERATIONS[name][2]


@pytest.mark.parametrize("name, dtype", ROWS)
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 4), (7, 40, 9), (33, 17, 35)])
def test_product(name, dtype, shape):
    rng = RNG(7)
    m, k, n = shape
    a, b = draw(rng, name, dtype, m, k), draw(rng, name, dtype, k, n)
    c, witness = product(name, dtype, a, b)
    found = kl.matmul(a, b, name)
    assert found.dtype == np.dtype(dtype) and found.shape == (m, n)
    same(name, found, c)
    if OPERATIONS[name][2]:
        found, found_witness = kl.matmul(a, b, name, return_witness=True)
        same(name, found, c)
        np.testing.assert_array_equal(found_witness, witness)
    else:
        with pytest.raises(ValueError, match="no witness"):
            kl.matmul(a, b, name, return_witness=True)


def test_literals():
    a, b = [[0.0, 7.0], [2.0, np.inf]], [[1.0, 5.0], [-3.0, 0.0]]
    np.testing.assert_array_equal(kl.matmul(a, b), [[1.0, 5.0], [3.0, 7.0]])
    np.testing.assert_array_equal(kl.matmul(a, b, kl.algebras["max_min"]), [[0.0, 0.0], [1.0, 2.0]])
    np.testing.assert_allclose(kl.matmul([[0.0, 0.0]], [[0.0], [0.0]], "log_plus"), [[0.6931471805599453]])


def test_no_terms_give_zero():
    c, witness = kl.matmul(np.empty((2, 0)), np.empty((0, 3)), "min_plus", return_witness=True)
    np.testing.assert_array_equal(c, np.full((2, 3), np.inf))
    np.testing.assert_array_equal(witness, np.full((2, 3), -1))
    assert kl.matmul(np.empty((0, 4)), np.empty((4, 3))).shape == (0, 3)
    assert kl.matmul(np.empty((0, 2, 4)), np.empty((4, 3))).shape == (0, 2, 3)


@pytest.mark.parametrize("left, right", [
    ((5,), (5,)), ((3, 5), (5,)), ((5,), (5, 4)), ((2, 3, 5), (5, 4)), ((3, 5), (2, 5, 4)), ((2, 3, 5), (2, 5, 4)),
    ((6, 1, 3, 5), (2, 5, 4)), ((6, 2, 3, 5), (1, 5, 4)), ((2, 3, 5), (5,)), ((5,), (2, 5, 4)),
    ((2, 1, 4, 3, 5), (3, 1, 5, 2)),
])
def test_shapes_are_those_of_numpy(left, right):
    rng = RNG(1)
    a, b = rng.integers(-9, 9, left).astype(float), rng.integers(-9, 9, right).astype(float)
    found = kl.matmul(a, b, "plus_times")
    np.testing.assert_array_equal(found, np.matmul(a, b))
    assert np.shape(found) == np.shape(np.matmul(a, b))
    shortest, witness = kl.matmul(a, b, return_witness=True)
    assert np.shape(shortest) == np.shape(witness) == np.shape(found)


def test_batches_are_products_of_their_matrices():
    rng = RNG(2)
    a, b = rng.integers(-9, 9, (4, 1, 3, 5)), rng.integers(-9, 9, (2, 5, 6))
    for name in ("min_plus", "max_min"):
        found, witness = kl.matmul(a, b, name, return_witness=True)
        assert found.dtype == np.int64
        for i in range(4):
            for j in range(2):
                c, w = product(name, "int64", a[i, 0], b[j])
                np.testing.assert_array_equal(found[i, j], c)
                np.testing.assert_array_equal(witness[i, j], w)


def test_any_strides():
    rng = RNG(3)
    a, b = rng.integers(-9, 9, (4, 14, 18)).astype(np.float32), rng.integers(-9, 9, (4, 10, 22)).astype(np.float32)
    views = [
        (a[:, ::2, ::-1], np.swapaxes(b, 1, 2)[:, ::-1][:, :18]),
        (a[::2, :, 3:13], b[::-2]),
        (np.asfortranarray(a)[:, 1:, :10], b[:, :, ::3]),
        (np.broadcast_to(a[0, 0], (4, 5, 18)), np.broadcast_to(b[0, 0, 0], (18, 3))),
    ]
    for u, v in views:
        found = kl.matmul(u, v)
        for i in range(len(u)):
            np.testing.assert_array_equal(found[i], product("min_plus", "float32", u[i], v if v.ndim == 2 else v[i])[0])


def test_batches_whose_strides_are_not_one_batch():
    a = RNG(4).integers(-9, 9, (3, 4, 5, 6)).astype(float).transpose(1, 0, 2, 3)
    b = RNG(5).integers(-9, 9, (3, 6, 2)).astype(float)
    found, witness = kl.matmul(a, b, return_witness=True)
    for i in range(4):
        for j in range(3):
            c, w = product("min_plus", "float64", a[i, j], b[j])
            np.testing.assert_array_equal(found[i, j], c)
            np.testing.assert_array_equal(witness[i, j], w)
    out = np.empty((3, 4, 5, 2)).transpose(1, 0, 2, 3)
    assert kl.matmul(a, b, out=out) is out
    np.testing.assert_array_equal(out, found)


@pytest.mark.parametrize("types, expected", [
    (("int8", "int16"), "int32"), (("uint32", "int32"), "int64"), (("float16", "float32"), "float32"),
    (("int32", "float32"), "float64"), (("bool", "bool"), "int32"), (("int64", "float64"), "float64"),
    (("uint64", "uint64"), "float64"),
])
def test_types_meet_in_the_next_that_holds_both(types, expected):
    a, b = np.ones((2, 2), types[0]), np.ones((2, 2), types[1])
    found = kl.matmul(a, b)
    assert found.dtype == np.dtype(expected)
    np.testing.assert_array_equal(found, np.full((2, 2), 2))
    assert kl.matmul(np.ones((2, 2), ">f8"), b.astype(">f8")).dtype == np.float64


@pytest.mark.parametrize("name, dtype", [("plus_times", "int64"), ("max_times", "int64"), ("min_times", "int64"),
                                         ("plus_times", "uint64"), ("min_plus", "uint64")])
def test_integers_of_64_bits_are_not_rounded(name, dtype):
    one = np.ones((1, 1), dtype)
    for exact in (2**53, 2**60, 2**63 if dtype == "uint64" else -(2**63)):
        if exact > 0 or name == "plus_times":
            expected = float(exact) + 1 if name == "min_plus" else float(exact)
            assert kl.matmul(np.array([[exact]], dtype), one, name).tolist() == [[expected]]
    for rounded in (2**53 + 1, 2**63 - 1, np.iinfo(dtype).max):
        a = np.array([[1, rounded], [rounded, 1]], dtype)
        for call in (lambda: kl.matmul(a, a, name), lambda: kl.closure(a, name),
                     lambda: kl.closure(a, name, out=np.empty((2, 2))),
                     lambda: kl.einsum("ij,jk", a, a, algebra=name),
                     lambda: kl.matmul(one, one, name, accumulate=a[:1, 1:])):
            with pytest.raises(ValueError, match=f"float64 does not hold {rounded} .*astype"):
                call()
    with pytest.raises(ValueError, match="does not hold 9007199254740993"):
        kl.matmul(np.array([[2**53 + 1]]), np.array([[0.5]]))
    assert kl.matmul(np.array([[2**53 + 1]]), np.array([[0]])).tolist() == [[2**53 + 1]]


def test_bools():
    a = np.array([[True, False], [False, True]])
    for name in ("or_and", "xor_and"):
        found = kl.matmul(a, ~a, name)
        assert found.dtype == np.bool_
        np.testing.assert_array_equal(found, ~a)


@pytest.mark.parametrize("m, n", [(1, 2), (2, 1), (1, 1), (2, 2)])
def test_accumulation_in_a_batch_of_vectors(m, n):
    """Two dimensions of a batch that are broadcast are multiplied one by one: `out` is what each is added to."""
    rng = RNG(7)
    a, b, d = rng.random((2, 1, m, 3)), rng.random((4, 3, n)), rng.random((2, 4, m, n))
    for out in (d.copy(), np.asfortranarray(d)):
        found = kl.matmul(a, b, out=out, accumulate=True)
        assert found is out
        np.testing.assert_array_equal(found, np.minimum((a[..., :, :, None] + b[..., None, :, :]).min(-2), d))


def test_accumulation_and_factors():
    rng = RNG(6)
    a, b, d = (rng.integers(-9, 9, shape).astype(float) for shape in ((4, 5), (5, 6), (4, 6)))
    c, _ = product("min_plus", "float64", a, b)
    np.testing.assert_array_equal(kl.matmul(a, b, accumulate=d), np.minimum(c, d))
    np.testing.assert_array_equal(kl.matmul(a, b, accumulate=d[0], alpha=2, beta=-1), np.minimum(c + 2, d[0] - 1))
    out = d.copy()
    found, witness = kl.matmul(a, b, accumulate=True, out=out, return_witness=True)
    assert found is out
    np.testing.assert_array_equal(out, np.minimum(c, d))
    np.testing.assert_array_equal(witness == -1, d <= c)
    np.testing.assert_array_equal(kl.matmul(a, b, "plus_times", alpha=0.5, accumulate=d, beta=3), 0.5 * (a @ b) + 3 * d)
    with pytest.raises(ValueError, match="no `out`"):
        kl.matmul(a, b, accumulate=True)
    for factor in (0.5, 2**40, np.int64(2**40), np.inf):
        x = np.ones((2, 2), "int32")
        for options, name in (({"alpha": factor}, "alpha"), ({"accumulate": x, "beta": factor}, "beta")):
            with pytest.raises(ValueError) as refused:
                kl.matmul(x, x, **options)
            assert str(refused.value) == (f"matmul: {name}: int32, in which this is computed, does not hold "
                                          f"{factor!r}; make the operands floats for it, .astype(numpy.float64)")


@pytest.mark.parametrize("factor", ["x", "2", b"2", [2], [], np.ones(1), None, 1j])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_factors_that_are_no_numbers(factor, dtype):
    x = np.ones((1, 1), dtype)
    for options in ({"alpha": factor}, {"accumulate": x, "beta": factor}):
        if factor is None:
            assert kl.matmul(x, x, **options).shape == (1, 1)
            continue
        with pytest.raises(TypeError) as refused:
            kl.matmul(x, x, **options)
        assert str(refused.value) == f"matmul: {[*options][-1]}: a number is needed, and not {factor!r}"


def test_outputs_of_another_byte_order():
    """A type's name says nothing of it."""
    a = np.ones((2, 2))
    out = a.astype(a.dtype.newbyteorder())
    for call in (lambda: kl.matmul(a, a, out=out), lambda: kl.closure(a, out=out),
                 lambda: kl.einsum("ij,jk", a, a, out=out)):
        with pytest.raises(ValueError) as refused:
            call()
        assert str(refused.value) == ("out is float64 in another byte order than this machine's "
                                      f"({out.dtype.str}): it is written in the machine's own")


def test_integers_beside_floats():
    with pytest.raises(ValueError) as refused:
        kl.matmul(np.array([[2**53 + 1]]), np.array([[0.5]]))
    assert str(refused.value) == ("a[0, 0]: float64 does not hold 9007199254740993 (int64); an algebra that has "
                                  "int64 keeps it, where all operands have int64, .astype(numpy.float64) rounds it")
    with pytest.raises(ValueError, match=r"float64 does not hold 9007199254740993 \(uint64\); no algebra has uint64, "
                                         r"\.astype\(numpy\.float64\) rounds it"):
        kl.matmul(np.array([[2**53 + 1]], np.uint64), np.array([[0]], np.uint64), "min_max")


def test_masks():
    rng = RNG(8)
    a, b = rng.integers(-9, 9, (4, 5)).astype(float), rng.integers(-9, 9, (5, 6)).astype(float)
    mask = rng.random((4, 6)) < 0.5
    c, w = product("min_plus", "float64", a, b)
    np.testing.assert_array_equal(kl.matmul(a, b, mask=mask), np.where(mask, c, np.inf))
    np.testing.assert_array_equal(kl.matmul(a, b, mask=mask[0], mask_complement=True), np.where(mask[0], np.inf, c))
    out = np.full((4, 6), 77.0)
    _, witness = kl.matmul(a, b, mask=mask, out=out, return_witness=True)
    np.testing.assert_array_equal(out, np.where(mask, c, 77.0))
    np.testing.assert_array_equal(witness, np.where(mask, w, -1))
    kl.matmul(a, b, mask=mask, out=out, replace=True)
    np.testing.assert_array_equal(out, np.where(mask, c, np.inf))
    with pytest.raises(ValueError, match="mask_complement without a mask"):
        kl.matmul(np.ones((2, 2)), np.ones((2, 2)), mask_complement=True)
    with pytest.raises(ValueError, match="replace without a mask"):
        kl.matmul(a, b, replace=True)


@pytest.mark.parametrize("options", [{}, {"return_witness": True}, {"mask": True}, {"threads": 1}])
def test_products_that_are_cut_into_blocks(options):
    """More than 1e9 pairs: in blocks, with every option. Rows and columns here and there, by NumPy."""
    rng = RNG(9)
    a, b = (rng.integers(-99, 99, shape).astype(np.float32) for shape in ((1301, 1170), (1170, 1403)))
    mask = rng.random((1301, 1403)) < 0.5
    asked, seen = {**options, "mask": mask} if "mask" in options else options, []
    found = kl.matmul(a, b, progress=lambda done, total: seen.append((done, total)), **asked)
    rows, columns = [0, 63, 64, 700, 1300], [0, 127, 128, 1000, 1402]
    sums = a[rows][:, :, None] + b[:, columns]
    if "return_witness" in options:
        found, witness = found
        np.testing.assert_array_equal(witness[np.ix_(rows, columns)], sums.argmin(1))
    c = np.where(mask[np.ix_(rows, columns)], sums.min(1), np.inf) if "mask" in options else sums.min(1)
    np.testing.assert_array_equal(found[np.ix_(rows, columns)], c)
    np.testing.assert_array_equal(found, kl.matmul(a.T[::-1].T, b[::-1], **asked if "mask" in options else {}))
    assert seen[-1] == (2.0 * 1301 * 1170 * 1403,) * 2
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_long_products_that_are_cut_are_whole():
    a = RNG(11).random((410, 300))
    found = kl.matmul(a, a.T[:, :407], "log_plus")
    np.testing.assert_allclose(found, np.log(np.exp(a) @ np.exp(a.T[:, :407])), rtol=1e-11)


def test_batches_that_are_cut():
    a = RNG(10).integers(-99, 99, (70, 250, 250)).astype(np.float32)
    found = kl.matmul(a, a[:1], "max_plus")
    for i in (0, 35, 69):
        np.testing.assert_array_equal(found[i, 7], (a[i, 7][:, None] + a[0]).max(0))
        np.testing.assert_array_equal(found[i, :, 249], (a[i] + a[0][:, 249]).max(1))


@pytest.mark.parametrize("call, words", [
    (lambda x: kl.matmul(x, np.ones((4, 2))), r"a is \(3, 3\), b is \(4, 2\): inner extents 3 and 4 differ"),
    (lambda x: kl.matmul(x, 1.0), "a has 2 dimensions, b has 0"),
    (lambda x: kl.matmul(x, x, "min_pluss"), "there is no algebra 'min_pluss'; there are min_plus, max_plus"),
    (lambda x: kl.matmul(x, x, out=np.empty((3, 2))), r"out is \(3, 2\) of float64; c is \(3, 3\) of float64"),
    (lambda x: kl.matmul(x, x, out=np.empty((3, 3), "f4")), "of float32"),
    (lambda x: kl.matmul(x, x, out=x), "overlap"),
    (lambda x: kl.matmul(-x, x, "max_times"), "-1"),
    (lambda x: kl.matmul(np.ones((2, 3, 3)), np.ones((3, 3, 3))), "broadcast"),
    (lambda x: kl.matmul(x, x, mask=[0.5, 0, 1]), "a mask: bool does not hold 0.5"),
    (lambda x: kl.matmul(x, x, threads=-1), "a negative number of threads"),
    (lambda x: kl.matmul(np.full((1, 1), 2**28 - 2, "i4"), np.full((1, 1), 2**28 - 2, "i4")), "too large"),
    (lambda x: kl.matmul(np.full((1, 1), 2**30, "i4"), np.zeros((1, 1), "i4")), "1073741824"),
])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call(np.ones((3, 3)))


def test_types_of_the_catalog():
    """A new element type is NumPy's of the same name; of one that NumPy lacks the import says what to do."""
    assert [dtype_of(kind).name for kind in ("f16", "f64", "i8", "u8", "i64", "bool")] == [
        "float16", "float64", "int8", "uint8", "int64", "bool"]
    for kind in ("bf16", "f8", "f8_e4m3", "unknown"):
        with pytest.raises(ImportError, match=f"_algebras.py: the catalog has elements of type {kind}, and _DTYPES"):
            dtype_of(kind)


@pytest.mark.parametrize("algebra, given, computed", [
    ("min_plus", "bool", "int32"), ("min_plus", "int8", "int32"), ("min_plus", "uint32", "int64"),
    ("min_plus", "float16", "float32"), ("min_plus", "uint64", "float64"), ("plus_times", "int64", "float64"),
    ("log_plus", "int16", "float32"), ("or_and", "bool", "bool"),
])
def test_the_next_wider_type(algebra, given, computed):
    assert kl.algebras[algebra].row_for(np.dtype(given)).dtype == computed


def test_floats_are_what_float_rows_are():
    assert all({*FLOATS} <= {d.name for d in algebra.dtypes} for algebra in kl.algebras.values())


@pytest.mark.parametrize("algebra, product", [("min_plus", 1), ("max_plus", 1), ("min_max", 0.5), ("max_min", 0.5),
                                              ("log_plus", np.nan), ("plus_times", np.nan)])
def test_nan_in_products(algebra, product):
    a, b = [[np.nan, 0.5]], [[0.5], [0.5]]
    for found in (kl.matmul(a, b, algebra), kl.einsum("ij,jk->ik", a, b, algebra=algebra)):
        np.testing.assert_array_equal(found, [[product]])


@pytest.mark.parametrize("algebra", ["min_times", "max_times", "plus_min", "or_and", "xor_and"])
def test_nan_outside_a_domain(algebra):
    with pytest.raises(ValueError, match=rf"^a\[0, 0\] = nan is outside the domain of {algebra}$"):
        kl.matmul([[np.nan, 1]], [[1.0], [1]], algebra)


def test_a_truth_of_numpy_is_a_truth():
    a, old = np.ones((2, 2)), np.full((2, 2), -7.0)
    assert (kl.matmul(a, a, out=old.copy(), accumulate=np.True_) == -7).all()
    assert (kl.matmul(a, a, out=old.copy(), accumulate=np.bool_(False)) == 2).all()


@pytest.mark.parametrize("name", ["min_plus", "max_plus", "min_max", "max_min", "min_times"])
def test_no_edge_stays_no_edge_in_another_type(name):
    z = kl.zero(name, np.int32)
    a = np.array([[z, 3], [z, z]], np.int32)
    for wider in (np.float64,) if name == "min_times" else (np.float64, np.int64):
        b = np.ones((2, 2), wider)
        same = np.array([[kl.zero(name, wider), 3]] * 2, wider)
        same[1, 1] = kl.zero(name, wider)
        assert (kl.matmul(a, b, name) == kl.matmul(same, b, name)).all()
        assert (kl.matmul(b, a, name) == kl.matmul(b, same, name)).all()
        assert (kl.einsum("ik,kj->ij", a, b, algebra=name) == kl.matmul(same, b, name)).all()
        assert (kl.matmul(b, b, name, accumulate=a) == kl.matmul(b, b, name, accumulate=same)).all()
    value, witness = kl.matmul(np.full((1, 1), z), np.ones((1, 1)), name, return_witness=True)
    assert value[0, 0] == kl.zero(name, np.float64) and witness[0, 0] == -1
