"""Arrays of other libraries, in host memory: the same kind comes back."""

import numpy as np
import pytest

import kleene as kl
from test_closure import BEFORE, ROADS, SHORTEST


class Speaker:
    """An array that speaks DLPack and nothing else of NumPy's."""

    def __init__(self, values, device=1):
        self.values, self.device = values, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)


def test_what_would_become_something_else_is_refused():
    masked = np.ma.masked_equal([[0.0, 1.0], [2.0, 0.0]], 0)
    for function in (kl.closure, kl.shortest_paths, lambda x: kl.matmul(x, x)):
        with pytest.raises(ValueError, match="a masked array: say what masked elements are"):
            function(masked)
    assert kl.closure(masked.filled(kl.zero("min_plus"))).tolist() == [[0.0, 1.0], [2.0, 0.0]]
    assert kl.closure(np.ma.array([[0.0]])).tolist() == [[0.0]]
    sparse = pytest.importorskip("scipy.sparse").eye_array(3, format="csr")
    for call, what in ((lambda: kl.matmul(np.eye(3), sparse), "matmul: b"), (lambda: kl.closure(sparse), "closure: a")):
        with pytest.raises(ValueError, match=rf"^{what} is a sparse matrix where a dense one is needed: call "
                                             r"\.toarray\(\) \(what is not stored becomes 0\), or kl\.shortest_paths "
                                             "for a graph$"):
            call()


def field(shape, dtype, value=0):
    """A field of a packed record: its elements lie 9 bytes apart, or 5."""
    array = np.zeros(shape, [("before", "i1"), ("field", dtype)])["field"]
    array[...] = value
    return array


def test_fields_of_packed_records():
    """They are read by way of a copy; written, they are refused in a sentence."""
    a = np.array([[0.0, 7.0], [2.0, np.inf]])
    packed = field((2, 2), "f8", a)
    assert kl.matmul(packed, packed, accumulate=packed).tolist() == kl.matmul(a, a, accumulate=a).tolist()
    assert kl.closure(packed).tolist() == kl.closure(a).tolist()
    for call, name in ((lambda: kl.matmul(a, a, out=packed), "out"), (lambda: kl.closure(a, out=packed), "out"),
                       (lambda: kl.matmul(a, a[0], out=packed[0]), "out"),
                       (lambda: kl.einsum("ij,jk->ik", a, a, out=packed), "out"),
                       (lambda: kl.closure(a, return_predecessors=True, out=(None, field((2, 2), "i4"))), r"out\[1\]")):
        with pytest.raises(ValueError, match=rf"^{name} has strides of .* bytes, not of whole elements of [48] "):
            call()
    one = np.zeros((1, 1), [("field", "f8"), ("behind", "i1")])["field"]
    assert kl.matmul([[1.0]], [[2.0]], out=one) is one and one == 3


@pytest.mark.parametrize("kind", ["Graph", "MultiDiGraph"])
def test_graphs_of_networkx(kind, tmp_path):
    """NumPy would make a vector of their labels, and so did products, scans and sorts."""
    nx = pytest.importorskip("networkx")
    graph = getattr(nx, kind)([(0, 1), (1, 2)])
    for call, what in ((lambda g: kl.matmul(g, [1.0, 2, 3]), "matmul: a"), (kl.closure, "closure: a"),
                       (kl.shortest_paths, "shortest_paths: the graph"), (kl.scan, "scan: the vector"),
                       (kl.sort, "sort: the vector of keys"), (lambda g: kl.einsum("i->", g), "einsum: operand 1"),
                       (kl.bits.pack, "pack: a"), (lambda g: kl.write(tmp_path / "a.npy", g), "write: what"),
                       (lambda g: kl.write(tmp_path / "a.csv", g), "write: what")):
        with pytest.raises(TypeError, match=rf"^{what} is a graph of NetworkX's .*: nx\.to_scipy_sparse_array\(graph\)"
                                            r' .* NetworkX\'s own functions with backend="kleene"$'):
            call(graph)
    pytest.importorskip("scipy")
    from kleene import csgraph

    for call in (csgraph.dijkstra, csgraph.floyd_warshall):
        with pytest.raises(TypeError, match="^csgraph is a graph of NetworkX's"):
            call(graph)
    assert kl.shortest_paths(nx.to_scipy_sparse_array(graph)).distances[0, 2] == 2


NO_ARRAYS = [
    (None, "is None where an array is needed"), ({}, "is of type dict where an array is needed"),
    (object(), "is of type object where an array is needed"), (1j, "has elements that are complex numbers: floats, "),
    ([["a"]], "has elements that are strings: floats, integers or bools are needed"),
    ([[None]], r"has elements that are objects \(NoneType\)"),
    (np.array([["2026-01-01"]], "M8[D]"), "has elements that are dates")]


@pytest.mark.parametrize("value, words", NO_ARRAYS)
def test_what_is_no_array_of_numbers(value, words):
    for call, what in ((lambda x: kl.matmul(x, [[1.0]]), "matmul: a"), (lambda x: kl.matmul([[1.0]], x), "matmul: b"),
                       (kl.closure, "closure: a"), (kl.shortest_paths, "shortest_paths: the graph"),
                       (lambda x: kl.einsum("ij->ji", x), "einsum: operand 1"), (kl.scan, "scan: the vector"),
                       (kl.sort, "sort: the vector of keys"), (lambda x: kl.merge([1], x), "merge: b"),
                       (lambda x: kl.join(x, [1]), "join: a"), (kl.bits.pack, "pack: a"),
                       (lambda x: kl.matmul([[1.0]], [[1.0]], accumulate=np.asarray(x)), "matmul: accumulate")):
        if what == "matmul: accumulate" and np.asarray(value).dtype == object:
            continue
        with pytest.raises(TypeError, match=f"^{what} .*{words}"):
            call(value)


def test_dlpack():
    a = np.array([[0.0, 7.0], [2.0, np.inf]])
    found = kl.matmul(Speaker(a), Speaker(a))
    assert type(found) is np.ndarray and found.tolist() == [[0.0, 7.0], [2.0, 9.0]]
    with pytest.raises(ValueError, match="Speaker in the memory of a device: this works in host memory"):
        kl.bits.pack(Speaker(a, device=2))
    if not kl.cuda_devices():
        with pytest.raises(ValueError, match="test_arrays Speaker in the memory of a device, and th"):
            kl.matmul(Speaker(a, device=2), a)


def test_jax():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    a = jax.device_put(np.array([[0.0, 7.0], [2.0, np.inf]], np.float32), jax.devices("cpu")[0])
    c, witness = kl.matmul(a, np.asarray(a), return_witness=True)
    assert isinstance(c, jnp.ndarray) and isinstance(witness, jnp.ndarray)
    assert c.tolist() == [[0.0, 7.0], [2.0, 9.0]] and witness.tolist() == [[0, 0], [0, 0]]
    d, p = kl.closure(jnp.asarray(ROADS, dtype=jnp.float32), return_predecessors=True)
    assert isinstance(d, jnp.ndarray) and d.tolist() == SHORTEST and p.tolist() == BEFORE
    assert kl.shortest_paths(a).path(1, 1) == ([1], 0.0)


def test_torch():
    torch = pytest.importorskip("torch")
    a = torch.tensor([[0.0, 7.0], [2.0, torch.inf]])
    c, witness = kl.matmul(a, a, return_witness=True)
    assert isinstance(c, torch.Tensor) and c.dtype == torch.float32 and witness.dtype == torch.int32
    assert c.tolist() == [[0.0, 7.0], [2.0, 9.0]] and witness.tolist() == [[0, 0], [0, 0]]
    out = torch.empty(2, 2)
    assert kl.matmul(a, a, "max_min", out=out) is out and out.tolist() == [[2.0, 7.0], [2.0, torch.inf]]
    roads = torch.tensor(ROADS)
    d, p = kl.closure(roads, return_predecessors=True)
    assert d.tolist() == SHORTEST and p.tolist() == BEFORE
    graph = torch.tensor([[0.0, 3.0], [0.0, 0.0]]).to_sparse_csr()
    assert kl.shortest_paths(graph).distances.tolist() == [[0.0, 3.0], [np.inf, 0.0]]


def test_tensors_that_need_a_gradient():
    """Refused, as by torch's own .numpy(): the result would have none, and nobody would notice."""
    torch = pytest.importorskip("torch")
    t = torch.tensor([[0.0, 1.0], [2.0, 0.0]], requires_grad=True)
    calls = [(lambda x: kl.matmul(x, x), "matmul: a"), (lambda x: kl.matmul([[1.0, 2.0]], x), "matmul: b"),
             (lambda x: kl.matmul(np.ones((2, 2), "f4"), np.ones((2, 2), "f4"), out=x), "out"),
             (kl.closure, "closure: a"),
             (lambda x: kl.einsum("ij->ji", x), "einsum: operand 1"),
             (kl.shortest_paths, "shortest_paths: the graph"), (lambda x: kl.scan(x[0]), "scan: the vector"),
             (lambda x: kl.sort(x[0]), "sort: the vector of keys")]
    for call, what in calls:
        with pytest.raises(ValueError, match=rf"^{what} needs a gradient, .* kleene\.torch has .*, \.detach\(\) goes"):
            call(t)
        with torch.no_grad():
            call(t)
        call(t.detach())


def test_elements_that_numpy_has_not():
    torch = pytest.importorskip("torch")
    x = torch.ones(2, 2, dtype=torch.bfloat16)
    with pytest.raises(TypeError, match=r"^matmul: a has elements of torch\.bfloat16, which NumPy has not: make them "
                                        r"float32 \(of a tensor, \.float\(\)\)$"):
        kl.matmul(x, x)
    assert kl.matmul(x.float(), x.float()).tolist() == [[2, 2], [2, 2]]


def test_large_results_begin_on_a_line():
    for found in (kl.matmul(np.ones((256, 256)), np.ones((256, 256))), *kl.closure(np.ones((40, 32, 32), np.float32),
                                                                                 return_predecessors=True)):
        assert found.ctypes.data % 64 == 0 and found.flags.c_contiguous and found.flags.writeable
