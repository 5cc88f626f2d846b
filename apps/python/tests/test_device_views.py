"""Calls on arrays of devices: shapes, strides, masks and refusals, on a pretended device (pretended_device.py)."""

from contextlib import nullcontext

import numpy as np
import pytest

import kleene as kl
import pretended_device
from kleene import _device_libraries, _kleene
from pretended_device import Array, Context, Sparse
from test_closure import BEFORE, ROADS, SHORTEST


@pytest.fixture(autouse=True)
def device(monkeypatch):
    pretended_device.install(monkeypatch)


def draw(shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).integers(0, 50, shape).astype(dtype)


@pytest.mark.parametrize("left, right", [
    ((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)), ((6, 3, 4), (6, 4)[:1] + (4, 2)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((0, 4), (4, 3)),
    ((3, 0), (0, 2)), ((0, 3, 4), (4, 2)), ((2, 3, 3, 4), (2, 3, 4, 2)),
])
def test_shapes(left, right):
    a, b = draw(left), draw(right, seed=1)
    for algebra in ("min_plus", "plus_times"):
        found = kl.matmul(Array(a), Array(b), algebra)
        assert type(found) is Array
        np.testing.assert_array_equal(found.values, kl.matmul(a, b, algebra))
    c, witness = kl.matmul(Array(a), Array(b), "max_plus", return_witness=True)
    wanted = kl.matmul(a, b, "max_plus", return_witness=True)
    np.testing.assert_array_equal(c.values, wanted[0])
    np.testing.assert_array_equal(witness.values, wanted[1])
    assert witness.values.dtype == np.int32


def test_strides():
    a, b = draw((4, 8, 6)), draw((12, 10), seed=1)
    for x, y in ((a.swapaxes(1, 2), b[:8]), (a[:, ::-1, :], b[::2]), (a[::2, :, ::2], b[:6:2, 3:5]),
                 (a.transpose(2, 0, 1), b[:8, ::3]), (np.broadcast_to(a[0], (3, 8, 6)), b[::-2])):
        y = y[: x.shape[-1]]
        np.testing.assert_array_equal(kl.matmul(Array(x), Array(y)).values, kl.matmul(x, y))
    # A batch that no single stride goes through.
    x = draw((3, 2, 5, 6, 4)).transpose(1, 0, 2, 3, 4)[:, :, ::2]
    y = draw((4, 3))
    np.testing.assert_array_equal(kl.matmul(Array(x), Array(y)).values, kl.matmul(x, y))


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("replace", [False, True])
def test_options(complement, replace):
    a, b, old = draw((2, 3, 4)), draw((4, 5), seed=1), draw((2, 3, 5), seed=2)
    mask = draw((3, 5)) > 20
    rest = {"mask_complement": complement, "replace": replace, "return_witness": True}
    for accumulate in (None, True, draw((1, 5), seed=3)):
        plain = accumulate if accumulate is None or accumulate is True else Array(accumulate)
        out, wanted = Array(old.copy()), old.copy()
        c, witness = kl.matmul(Array(a), Array(b), out=out, mask=Array(mask), accumulate=plain, **rest)
        assert c is out
        expected = kl.matmul(a, b, out=wanted, mask=mask, accumulate=accumulate, **rest)
        np.testing.assert_array_equal(out.values, wanted)
        np.testing.assert_array_equal(witness.values, expected[1])
    found = kl.matmul(Array(a), Array(b), "plus_times", alpha=2, beta=3, accumulate=Array(old))
    np.testing.assert_array_equal(found.values, 2 * (a @ b) + 3 * old)
    found = kl.matmul(Array(a), Array(b), mask=Array(mask), mask_complement=complement)
    np.testing.assert_array_equal(found.values, kl.matmul(a, b, mask=mask, mask_complement=complement))


def test_a_transposed_out():
    a, b = draw((3, 4)), draw((4, 5), seed=1)
    out = Array(np.zeros((5, 3), np.float32).T)
    kl.matmul(Array(a), Array(b), out=out)
    np.testing.assert_array_equal(out.values, kl.matmul(a, b))
    out = Array(np.zeros((2, 5), np.float32)[1])
    kl.matmul(Array(a[0]), Array(b), out=out)
    np.testing.assert_array_equal(out.values, kl.matmul(a[0], b))


def test_nothing_waits_but_what_returns_an_answer():
    Context.waited = 0
    a = Array(draw((4, 4)))
    kl.matmul(a, a)
    assert Context.waited == 0
    kl.synchronise()
    assert Context.waited == 1
    kl.closure(a)
    assert Context.waited == 2


@pytest.mark.parametrize("change, words", [
    ({"b": draw((4, 5))}, "matmul: b is in host memory, and other arrays are on CUDA device 0"),
    ({"out": draw((3, 5))}, "matmul: out is in host memory"),
    ({"b": Array(draw((4, 5)), device=1)}, "matmul: b is on CUDA device 1, and other arrays are on CUDA device 0"),
    ({"b": Array(draw((4, 5), np.float64))}, "a has elements of float32, b of float64: on a device"),
    ({"a": Array(draw((3, 4), "f2")), "b": Array(draw((4, 5), "f2"))}, "min_plus has no elements of float16"),
    ({"out": Array(draw((3, 4)))}, r"matmul: out is \(3, 4\) of float32; c is \(3, 5\) of float32"),
    ({"mask": Array(draw((3, 5), np.int32))}, "a mask on a device is of bools, and not of int32"),
    ({"mask": Array(draw((2, 5)) > 3)}, r"mask is \(2, 5\), and cannot be broadcast to c, \(3, 5\)"),
    ({"replace": True}, "replace without a mask"),
    ({"mask_complement": True}, "mask_complement without a mask"),
    ({"accumulate": True}, "adds to what `out` holds, and there is no `out`"),
    ({"accumulate": Array(draw((3, 5), np.int32))}, "accumulate has elements of int32, a of float32"),
    ({"a": Array(np.float32(3))}, "a has 0 dimensions"),
    ({"a": Array(draw((3, 7)))}, r"a is \(3, 7\), b is \(4, 5\)"),
    ({"algebra": "log_plus", "return_witness": True}, "log_plus has no witness"),
])
def test_refusals(change, words):
    arguments = {"a": Array(draw((3, 4))), "b": Array(draw((4, 5))), **change}
    with pytest.raises(ValueError, match=words):
        kl.matmul(**arguments)


def test_strides_between_elements_are_refused():
    pairs = np.zeros((3, 3), [("x", "f4"), ("y", "i2")])["x"]
    with pytest.raises(ValueError, match="are no multiples of its elements' 4"):
        kl.matmul(Array(pairs), Array(pairs))


def test_closures():
    a = np.asarray(ROADS, np.float64)
    before = a.copy()
    d, p = kl.closure(Array(a), return_predecessors=True)
    assert d.values.tolist() == SHORTEST and p.values.tolist() == BEFORE
    np.testing.assert_array_equal(a, before)
    many = Array(np.stack([a, 2 * a, a]).transpose(0, 2, 1))
    np.testing.assert_array_equal(kl.closure(many).values, kl.closure(many.values))
    out = Array(a.copy())
    assert kl.closure(out, out=out) is out and out.values.tolist() == SHORTEST
    out = Array(np.zeros_like(a))
    kl.closure(Array(a), out=out)
    assert out.values.tolist() == SHORTEST
    found = kl.closure(Array(np.stack([a, a])), sizes=[2, 4], return_predecessors=True)
    for x, y in zip(found, kl.closure(np.stack([a, a]), sizes=[2, 4], return_predecessors=True)):
        np.testing.assert_array_equal(x.values, y)
    pair = Array(np.zeros_like(a)), Array(np.zeros((4, 4), np.int32))
    found = kl.closure(Array(a), out=pair, return_predecessors=True)
    assert found[0] is pair[0] and found[1] is pair[1]
    assert pair[0].values.tolist() == SHORTEST and pair[1].values.tolist() == BEFORE
    with pytest.raises(ValueError, match=r"out\[1\] is \(4, 4\) of float64; it must be"):
        kl.closure(Array(a), out=(None, Array(np.zeros((4, 4)))), return_predecessors=True)
    pair = Array(np.zeros((2, 4, 4))), Array(np.zeros((2, 4, 4), np.int32))
    found = kl.closure(Array(np.stack([a, a])), sizes=[2, 4], out=pair, return_predecessors=True)
    for x, y in zip(found, kl.closure(np.stack([a, a]), sizes=[2, 4], return_predecessors=True)):
        np.testing.assert_array_equal(x.values, y)
    numbers, others = Array(np.ones((4, 4), np.int32)), Array(np.full((4, 4), 7, np.int32))
    with pytest.raises(ValueError, match=r"out\[1\] shares memory with a"):
        kl.closure(numbers, out=(None, numbers), return_predecessors=True)
    with pytest.raises(ValueError, match=r"out\[1\] shares memory with out\[0\]"):
        kl.closure(numbers, out=(others, others), return_predecessors=True)
    assert (others.values == 7).all()
    for out in (Array(np.zeros((4, 4), np.float32)), Array(np.zeros((4, 4)).T[::-1])):
        with pytest.raises(ValueError, match="it must be C-contiguous"):
            kl.closure(Array(a), out=out)
    with pytest.raises(ValueError, match="a square matrix or a batch"):
        kl.closure(Array(a[:2]))
    with pytest.raises(ValueError, match="plus_min has no closure"):
        kl.closure(Array(a), "plus_min")


def test_cycles_without_a_value():
    a = np.array([[np.inf, 1.0], [-2.0, np.inf]])
    with pytest.raises(kl.NegativeCycleError, match="negative cycle: ") as found:
        kl.closure(Array(a))
    assert sorted(found.value.cycle) == [0, 1]
    with pytest.raises(kl.NegativeCycleError, match="of matrix 1 improves without end"):
        kl.closure(Array(np.stack([np.abs(a), a])))
    with pytest.raises(ValueError, match="the star of vertex 0 has no value"):
        kl.closure(Array(np.eye(2)), "plus_times")


def test_shortest_paths():
    a = np.asarray(ROADS, np.float64)
    wanted = kl.shortest_paths(a)
    found = kl.shortest_paths(Array(a))
    assert found.distances.values.tolist() == SHORTEST and found.predecessors.values.tolist() == BEFORE
    assert found.method == "floyd_warshall"
    for s in range(4):
        for t in range(4):
            assert found.path(s, t) == wanted.path(s, t)
    some = kl.shortest_paths(Array(a), sources=[2, 0])
    np.testing.assert_array_equal(some.distances.values, wanted.distances[[2, 0]])
    assert some.path(2, 3) == wanted.path(2, 3)
    with pytest.raises(ValueError, match="no path from vertex 1: it is not among the sources"):
        some.path(1, 0)
    with pytest.raises(ValueError, match="not among the 4 vertices"):
        kl.shortest_paths(Array(a), sources=[4])
    with pytest.raises(ValueError, match="there is floyd_warshall, and not 'dijkstra'"):
        kl.shortest_paths(Array(a), method="dijkstra")
    with pytest.raises(ValueError, match="nothing is converted"):
        kl.shortest_paths(Array(a), dtype=np.float32)
    with pytest.raises(ValueError, match="paths need the predecessors"):
        kl.shortest_paths(Array(a), predecessors=False).path(0, 1)


def test_sparse_graphs():
    row, col = np.nonzero(np.isfinite(ROADS))
    found = kl.shortest_paths(Sparse(row, col, np.asarray(ROADS)[row, col], (4, 4)))
    assert found.distances.values.tolist() == SHORTEST and found.predecessors.values.tolist() == BEFORE
    assert found.path(1, 0) == ([1, 2, 3, 0], 9)
    with pytest.raises(ValueError, match=r"a graph is a square matrix, and not \(4, 5\)"):
        kl.shortest_paths(Sparse(row, col, np.asarray(ROADS)[row, col], (4, 5)))
    with pytest.raises(ValueError, match="max_times has no elements of int64"):
        kl.shortest_paths(Sparse(row, col, np.ones(len(row), int), (4, 4)), "max_times")


def test_einsum():
    a, b = draw((3, 4, 5)), draw((5, 6), seed=1)
    found = kl.einsum("bik,kj->bij", Array(a), Array(b))
    np.testing.assert_array_equal(found.values, kl.einsum("bik,kj->bij", a, b))
    out = Array(draw((3, 4, 6)))
    wanted = out.values.copy()
    assert kl.einsum("bik,kj->bij", Array(a), Array(b), out=out, accumulate=True) is out
    np.testing.assert_array_equal(out.values, np.minimum(wanted, kl.einsum("bik,kj->bij", a, b)))
    for x, y in zip(kl.einsum("bik,kj->bij", Array(a), Array(b), return_witness=True),
                    kl.einsum("bik,kj->bij", a, b, return_witness=True)):
        np.testing.assert_array_equal(x.values, y)
    found = kl.einsum("ij,kj,k->ki", Array(a[0]), Array(b.T[:, :5]), Array(b[1]), order=[(1, 2), (0, 3)])
    np.testing.assert_array_equal(found.values, kl.einsum("ij,kj,k->ki", a[0], b.T[:, :5], b[1]))
    assert kl.einsum("ij->", Array(b)).values.shape == ()
    with pytest.raises(ValueError, match="log_plus has no witness"):
        kl.einsum("ij,jk", Array(a[0]), Array(b), algebra="log_plus", return_witness=True)
    with pytest.raises(ValueError, match="operand 2 is in host memory"):
        kl.einsum("bik,kj->bij", Array(a), b)


def test_an_algebra_of_ones_own(monkeypatch):
    """Products: what the extension is asked for. All else is the processor's."""
    made = []

    class Ring:
        def __init__(self, *texts):
            made.append(texts)

        def matmul(self, context, a, b, out, *rest):
            assert rest == (None, None, None, None, None, False, False, True)
            x, y, c = (pretended_device.memory(numbers, "f4")[0] for numbers in (a, b, out))
            c[:] = np.minimum(x[:, :, None], y[None]).max(1)

        def closure(self, context, a, predecessors, sizes, block, check_domain):
            if predecessors is not None:
                raise ValueError("a device finds none")
            pretended_device.memory(a, "f4")[:] = 7
            return [-1] * (1 if sizes is None else len(sizes))

    monkeypatch.setattr(_kleene, "DeviceRing", Ring)
    own = kl.semiring("own", kl.max, kl.min, zero=-np.inf, one=np.inf, domain=(0, 9))
    a, b = draw((3, 4)), draw((4, 5))
    for _ in range(2):
        found = kl.matmul(Array(a), Array(b), own)
        np.testing.assert_array_equal(found.values, np.minimum(a[:, :, None], b[None]).max(1))
    assert len(made) == 1
    element, name, add, mul, zero, one, domain, is_idempotent, is_selective, is_distributive, computes_as, *_ = made[0]
    assert (element, name, add) == ("float", "own", "kleene::ops::max{}(a, b)")
    assert (is_idempotent, is_selective, is_distributive, computes_as) == (True, True, True, "max_min")
    assert mul == "[&] {\n    const value_type x0 = (b < a ? b : a);\n    return x0;\n  }()"
    assert (zero, one) == ("value_type(-INFINITY)", "value_type(INFINITY)")
    assert domain == "(value_type(0x0.0p+0) <= v && v <= value_type(0x1.2000000000000p+3)) || v == zero()"
    a = Array(draw((2, 3, 3)))
    assert kl.closure(a, own, sizes=[2, 3]).values.tolist() == np.full((2, 3, 3), 7).tolist()
    with pytest.raises(ValueError, match="a device finds none"):
        kl.closure(a, own, return_predecessors=True)
    with pytest.raises(ValueError, match="own is an algebra of your own: on devices it has matmul and closure"):
        kl.einsum("bij,bjk", a, a, algebra=own)


def test_an_algebra_of_ones_own_of_torch(on_device, monkeypatch):
    """By the way of all, and by the short one."""
    asked = []

    class Ring:
        def __init__(self, *_texts):
            pass

        def matmul(self, context, a, b, out, *rest):
            asked.append(a)
            pretended_device.memory(out, "f4")[:] = 7

    monkeypatch.setattr(_kleene, "DeviceRing", Ring)
    a = on_device(draw((3, 3)))
    for _ in range(3):
        own = kl.semiring("own", kl.max, kl.min, zero=-np.inf)
        assert kl.matmul(a, a, own).tolist() == np.full((3, 3), 7).tolist()
    assert asked == 3 * [(a.data_ptr(), 1, 3, 3, 0, 3, 1)]


@pytest.fixture
def on_device(monkeypatch):
    """What makes torch's tensors of arrays, which say that they are on a device."""
    torch = pytest.importorskip("torch")

    class Tensor(torch.Tensor):
        is_cuda = True
        __torch_function__ = torch._C._disabled_torch_function_impl

        def get_device(self):
            return 0

    monkeypatch.setattr(_device_libraries.library("torch"), "raw_stream", lambda device: 7)
    monkeypatch.setattr(torch.cuda, "device", lambda device: nullcontext())
    return lambda values: torch.from_numpy(values).as_subclass(Tensor)


def test_torch(on_device):
    """The first call makes the context, and takes the way of all; those after it, where they can, the short one."""
    rng = np.random.default_rng(3)
    a, b = rng.random((40, 50)).astype(np.float32), rng.random((50, 30)).astype(np.float32)
    x, y = on_device(a), on_device(b)
    for _ in range(2):
        np.testing.assert_array_equal(kl.matmul(x, y), kl.matmul(a, b))
        np.testing.assert_array_equal(kl.matmul(on_device(a.T), on_device(a[:, ::2]), "max_plus"),
                                      kl.matmul(a.T, a[:, ::2], "max_plus"))
        np.testing.assert_array_equal(kl.matmul(on_device(a[0]), y), kl.matmul(a[0], b))
        out = on_device(np.zeros((30, 40), np.float32).T)
        assert kl.matmul(x, y, out=out) is out
        np.testing.assert_array_equal(out, kl.matmul(a, b))
    assert kl.matmul(on_device(a[:0]), y).shape == (0, 30)
    counts = (9 * a).astype(np.int32)
    np.testing.assert_array_equal(kl.matmul(on_device(counts), on_device(counts.T), "plus_times"), counts @ counts.T)
    for wrong, words in ((on_device(b.astype(float)), "a has elements of float32, b of float64"),
                         (on_device(b[:40]), r"a is \(40, 50\), b is \(40, 30\): inner extents 50 and 40 differ"),
                         (b, "b is in host memory")):
        with pytest.raises(ValueError, match=words):
            kl.matmul(x, wrong)
    with pytest.raises(ValueError, match="torch tensor of torch.float16"):
        kl.matmul(on_device(a.astype("f2")), on_device(b.astype("f2")))
    with pytest.raises(ValueError, match=r"out is \(40, 40\) of float32; c is \(40, 30\)"):
        kl.matmul(x, y, out=on_device(np.zeros((40, 40), np.float32)))


def test_tensors_that_need_a_gradient(on_device):
    """On the way of all and on the short one."""
    torch = pytest.importorskip("torch")
    a = on_device(np.ones((3, 3), np.float32))
    for _ in range(2):
        learns = on_device(np.ones((3, 3), np.float32)).requires_grad_()
        for call, words in ((lambda: kl.matmul(learns, a), "matmul: a"), (lambda: kl.matmul(a, learns), "matmul: b"),
                            (lambda: kl.matmul(a, a, out=learns), "matmul: out"),
                            (lambda: kl.closure(learns), "closure: a"),
                            (lambda: kl.einsum("ij->ji", learns), "einsum: operand 1")):
            with pytest.raises(ValueError, match=f"^{words} needs a gradient, and results have none here: "):
                call()
        with torch.no_grad():
            assert kl.matmul(learns, a).tolist() == 3 * [3 * [2.0]]
        assert kl.matmul(a, a).tolist() == 3 * [3 * [2.0]]


def test_elements_of_dlpack():
    """A capsule says the same of host memory; only elements that an algebra has are taken."""
    for name in ("float32", "float64", "int32", "int64", "bool"):
        found = _device_libraries._from_capsule(np.ones((2, 3), name), "a", None)
        assert (found.dtype, found.shape, found.strides) == (np.dtype(name), (2, 3), (3, 1))
    for name, kind, bits in (("float16", 2, 16), ("uint8", 1, 8), ("int8", 0, 8), ("complex64", 5, 64)):
        with pytest.raises(ValueError) as refused:
            _device_libraries._from_capsule(np.ones(3, name), "a", None)
        assert str(refused.value) == (f"a has elements of {bits} bits of DLPack's kind {kind}; on a device they are "
                                      "bool, int32, int64, float32 or float64")
