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
    with pytest.raises(ValueError, match="a sparse matrix where a dense one is needed"):
        kl.matmul(sparse, np.eye(3))


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
    roads = torch.tensor(ROADS, requires_grad=True)
    d, p = kl.closure(roads, return_predecessors=True)
    assert d.tolist() == SHORTEST and p.tolist() == BEFORE
    graph = torch.tensor([[0.0, 3.0], [0.0, 0.0]]).to_sparse_csr()
    assert kl.shortest_paths(graph).distances.tolist() == [[0.0, 3.0], [np.inf, 0.0]]
