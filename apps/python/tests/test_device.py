"""Arrays of torch, CuPy and JAX on a CUDA device: the same results there, of the same kind, on the caller's stream."""

import numpy as np
import pytest

import kleene as kl
from algebra_loops import OPERATIONS, ROWS, draw
from test_closure import BEFORE, ROADS, SHORTEST

pytestmark = pytest.mark.skipif(not kl.cuda_devices(), reason="no CUDA device, or a build without CUDA")


def torch_on_device():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("a torch without CUDA")
    return torch


def cupy_on_device():
    return pytest.importorskip("cupy")


def jax_on_device():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("a JAX without CUDA")
    return jax


@pytest.mark.parametrize("name, dtype", ROWS)
def test_products_of_torch(name, dtype):
    torch = torch_on_device()
    rng = np.random.default_rng(7)
    for shapes in (((2, 33, 40), (40, 17)), ((130, 70), (70, 150)), ((70,), (70, 5)), ((5, 1, 3, 4), (2, 4, 6))):
        a, b = (draw(rng, name, dtype, *s) for s in shapes)
        x, y = torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda()
        c = kl.matmul(x, y, name)
        assert isinstance(c, torch.Tensor) and c.device == x.device
        wanted = kl.matmul(a, b, name)
        if name == "log_plus":
            np.testing.assert_allclose(c.cpu().numpy(), wanted, rtol=1e-5, atol=2e-5)
        else:
            np.testing.assert_array_equal(c.cpu().numpy(), wanted)
        if OPERATIONS[name][2]:
            c, witness = kl.matmul(x, y, name, return_witness=True)
            np.testing.assert_array_equal(witness.cpu().numpy(), kl.matmul(a, b, name, return_witness=True)[1])
    kl.synchronise()


def test_strides_and_options_of_torch():
    torch = torch_on_device()
    rng = np.random.default_rng(8)
    a, b = draw(rng, "min_plus", "float32", 4, 50, 60), draw(rng, "min_plus", "float32", 100, 80)
    x, y = torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda()
    found = kl.matmul(x.transpose(1, 2), y[:50, ::2])
    np.testing.assert_array_equal(found.cpu(), kl.matmul(a.swapaxes(1, 2), b[:50, ::2]))
    mask, old = rng.random((60, 40)) < 0.5, draw(rng, "min_plus", "float32", 4, 60, 40)
    out = torch.from_numpy(old).cuda()
    assert kl.matmul(x.mT, y[:50, ::2], out=out, accumulate=True, mask=torch.from_numpy(mask).cuda()) is out
    kl.matmul(a.swapaxes(1, 2), b[:50, ::2], out=old, accumulate=True, mask=mask)
    np.testing.assert_array_equal(out.cpu(), old)
    a, b = np.where(np.isinf(a), 0, a), np.where(np.isinf(b), 0, b)
    found = kl.matmul(*(torch.from_numpy(z).cuda() for z in (a, b[:60])), "plus_times", alpha=2.0, beta=0.5,
                      accumulate=torch.ones(80, device="cuda"))
    np.testing.assert_array_equal(found.cpu(), 2 * (a @ b[:60]) + 0.5)
    assert kl.matmul(x[:0], y[:60]).shape == (0, 50, 80)
    assert torch.all(kl.matmul(x[:, :, :0], y[:0]) == torch.inf)
    with pytest.raises(ValueError, match="b is in host memory, and other arrays are on CUDA device 0"):
        kl.matmul(x, b)
    with pytest.raises(ValueError, match="a has elements of float32, b of float64"):
        kl.matmul(x, y[:60].double())
    with pytest.raises(ValueError, match=r"a is a torch tensor of torch.float16"):
        kl.matmul(x.half(), y[:60].half())


def test_the_current_stream_and_no_waiting():
    """The product starts after what the stream has before it, and the call is back before that has ended."""
    torch = torch_on_device()
    a = torch.rand(512, 512, device="cuda")
    wanted = kl.matmul(a, a)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        kl.matmul(a, a)  # the context and its workspace
        late = torch.full_like(a, torch.inf)
        torch.cuda.synchronize()
        torch.cuda._sleep(400_000_000)
        late.copy_(a)
        found = kl.matmul(late, late)
        assert not stream.query()
    stream.synchronize()
    assert torch.equal(found, wanted)


def test_values_are_told_later():
    torch = torch_on_device()
    a = torch.tensor([[1.0, -2.0], [3.0, 4.0]], device="cuda")
    kl.matmul(a, a, "max_times")
    with pytest.raises(ValueError, match="outside the domain of max_times"):
        kl.synchronise()
    kl.synchronise()
    large = torch.full((2, 2), 2**28, dtype=torch.int32, device="cuda")
    kl.matmul(large, large, "plus_times")
    with pytest.raises(ValueError, match="plus_times"):
        kl.synchronise()


def test_an_algebra_of_ones_own(tmp_path, monkeypatch):
    """Against the same on the processor, in NumPy's loops, and against the library's own where it is that."""
    torch = torch_on_device()
    monkeypatch.setenv("KLEENE_CACHE", str(tmp_path))
    rng = np.random.default_rng(10)
    trust = kl.semiring("trust", kl.max, lambda a, b: kl.max(kl.min(a, b) + (kl.max(a, b) - 1), 0.0), zero=0.0, one=1.0,
                        domain=(0, 1))
    for shapes in (((40, 30), (30, 50)), ((20, 9, 7), (7, 11)), ((300, 90), (90, 200))):
        a, b = (rng.integers(0, 9, s).astype(np.float32) / 8 for s in shapes)
        sums = np.maximum(a[..., None] + b - 1, 0)
        c, k = kl.matmul(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda(), trust, return_witness=True)
        np.testing.assert_array_equal(c.cpu().numpy(), sums.max(-2))
        np.testing.assert_array_equal(k.cpu().numpy(), np.where(sums.max(-2) > 0, sums.argmax(-2), -1))
    mask, old = rng.random((300, 200)) < 0.5, rng.integers(0, 9, (300, 200)).astype(np.float32) / 8
    out = torch.from_numpy(old).cuda()
    kl.matmul(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda(), trust, out=out, accumulate=True,
              mask=torch.from_numpy(mask).cuda())
    np.testing.assert_array_equal(out.cpu().numpy(), np.where(mask, np.maximum(sums.max(-2), old), old))
    kl.matmul(torch.from_numpy(a + 1).cuda(), torch.from_numpy(b).cuda(), trust)
    with pytest.raises(ValueError, match="outside the domain of trust"):
        kl.synchronise()

    friends = rng.integers(0, 9, (3, 70, 70)).astype(np.float32) / 8
    there = torch.from_numpy(friends).cuda()
    closed = kl.closure(there, trust, sizes=[70, 1, 33])
    for d, graph, n in zip(closed.cpu().numpy(), friends, (70, 1, 33)):
        wanted = np.maximum(graph[:n, :n], np.eye(n, dtype=np.float32))
        for k in range(n):
            wanted = np.maximum(wanted, np.maximum(wanted[:, k:k + 1] + wanted[k] - 1, 0))
        np.testing.assert_array_equal(d[:n, :n], wanted)
    with pytest.raises(ValueError, match="without predecessors"):
        kl.closure(there, trust, return_predecessors=True)

    own = kl.semiring("own", kl.min, lambda a, b: a + b, zero=np.inf, one=0.0)
    a, b = (torch.rand(1300, 1300, device="cuda") for _ in range(2))
    for x, y in zip(kl.matmul(a, b, own, return_witness=True), kl.matmul(a, b, return_witness=True)):
        assert torch.equal(x, y)
    assert torch.equal(kl.closure(a, own), kl.closure(a))
    with pytest.raises(kl.NegativeCycleError, match="vertex 1"):
        kl.closure(torch.tensor([[0.0, 1.0], [-2.0, 0.0]], device="cuda"), own)
    with pytest.raises(ValueError, match="own is an algebra of your own: on devices it has matmul and closure"):
        kl.einsum("ij,jk", a, b, algebra=own)


def test_closures_of_torch():
    torch = torch_on_device()
    roads = torch.tensor(ROADS, device="cuda", dtype=torch.float64)
    d, p = kl.closure(roads, return_predecessors=True)
    assert d.tolist() == np.asarray(SHORTEST).tolist() and p.tolist() == np.asarray(BEFORE).tolist()
    rng = np.random.default_rng(9)
    many = rng.random((3, 70, 70)).astype(np.float32)
    np.testing.assert_array_equal(kl.closure(torch.from_numpy(many).cuda()).cpu(), kl.closure(many))
    large = rng.random((900, 900)).astype(np.float32)
    found = kl.shortest_paths(torch.from_numpy(large).cuda())
    wanted = kl.shortest_paths(large, method="floyd_warshall")
    np.testing.assert_array_equal(found.distances.cpu(), wanted.distances)
    way, length = found.path(3, 800)
    assert way[0] == 3 and way[-1] == 800 and length == pytest.approx(float(wanted.distances[3, 800]), rel=1e-6)
    with pytest.raises(kl.NegativeCycleError, match="negative cycle") as cycle:
        kl.closure(torch.tensor([[torch.inf, 1.0], [-2.0, torch.inf]], device="cuda"))
    assert sorted(cycle.value.cycle) == [0, 1]


def require_roads(found):
    np.testing.assert_array_equal(found.distances.tolist(), SHORTEST)
    np.testing.assert_array_equal(found.predecessors.tolist(), BEFORE)


def test_sparse_graphs():
    torch = torch_on_device()
    roads = np.array(ROADS)
    row, col = np.nonzero(np.isfinite(roads))
    data = roads[row, col]
    twice = torch.sparse_coo_tensor(np.array([np.r_[row, row], np.r_[col, col]]), np.r_[data / 2, data / 2])
    require_roads(kl.shortest_paths(twice.cuda().to_sparse_csr()))
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    cupy = cupy_on_device()
    graph = sparse.csr_matrix((cupy.asarray(data), (cupy.asarray(row), cupy.asarray(col))), shape=roads.shape)
    require_roads(kl.shortest_paths(graph))


def test_einsum_of_torch():
    torch = torch_on_device()
    rng = np.random.default_rng(10)
    a, b = rng.random((3, 20, 30)).astype(np.float32), rng.random((30, 40)).astype(np.float32)
    found = kl.einsum("bik,kj->bij", torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda())
    np.testing.assert_array_equal(found.cpu(), kl.einsum("bik,kj->bij", a, b))
    square = torch.from_numpy(a[:, :, :20].copy()).cuda()
    found = kl.einsum("bii,ij,jk->kb", square, square[0], torch.from_numpy(b[:20]).cuda())
    np.testing.assert_allclose(found.cpu(), kl.einsum("bii,ij,jk->kb", a[:, :, :20], a[0, :, :20], b[:20]), rtol=1e-6)


def on_host(found):
    return tuple(x.cpu().numpy() for x in found) if isinstance(found, tuple) else found.cpu().numpy()


def same(found, wanted):
    """Of torch, and the same as on the host, to the last bit."""
    found = on_host(found)
    pairs = zip(found, wanted) if isinstance(found, tuple) else [(found, wanted)]
    for x, y in pairs:
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name, dtype", ROWS)
def test_scans_of_torch(name, dtype):
    torch = torch_on_device()
    rng = np.random.default_rng(14)

    def compare(found, wanted):
        if name == "log_plus":
            np.testing.assert_allclose(on_host(found), wanted, rtol=1e-4)
        else:
            same(found, wanted)

    for count in (1, 333, 100_003):
        values = draw(rng, name, dtype, count)
        offsets = np.concatenate([[0], np.sort(rng.integers(0, count + 1, 50)), [count]])
        x, at = torch.from_numpy(values).cuda(), torch.from_numpy(offsets).cuda()
        for exclusive in (False, True):
            compare(kl.scan(x, name, exclusive=exclusive), kl.scan(values, name, exclusive=exclusive, threads=1))
            compare(kl.scan(x, name, offsets=at, exclusive=exclusive),
                    kl.scan(values, name, offsets=offsets, exclusive=exclusive, threads=1))
        compare(kl.segmented_reduce(x, at, name), kl.segmented_reduce(values, offsets, name, threads=1))
    assert kl.scan(x[:0], name).shape == (0,)
    assert kl.segmented_reduce(x[:0], at[:1], name).shape == (0,)
    compare(kl.scan(x[::2], name), kl.scan(values[::2], name, threads=1))


@pytest.mark.parametrize("order", ["ascending", "descending"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_orders_of_torch(dtype, order):
    torch = torch_on_device()
    rng = np.random.default_rng(15)
    for count in (1, 2, 777, 60_001):
        keys = rng.integers(-200, 200, count).astype(dtype)
        if dtype.startswith("f"):
            keys[rng.random(count) < 0.1] = np.nan
            keys[rng.random(count) < 0.1] = -np.inf
        x = torch.from_numpy(keys).cuda()
        offsets = np.concatenate([[0], np.sort(rng.integers(0, count + 1, 30)), [count]])
        at = torch.from_numpy(offsets).cuda()
        for rest in ({}, {"return_positions": True}):
            same(kl.sort(x, order, **rest), kl.sort(keys, order, **rest))
            same(kl.sort(x, order, offsets=at, **rest), kl.sort(keys, order, offsets=offsets, **rest))
            part = count // 3
            a, b = kl.sort(keys[:part], order), kl.sort(keys[part:], order)
            left, right = torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda()
            for name in ("merge", "set_union", "set_intersection", "set_difference", "set_symmetric_difference"):
                function = getattr(kl, name)
                same(function(left, right, order, **rest), function(a, b, order, **rest))
                same(function(right, left[:0], order, **rest), function(b, a[:0], order, **rest))
        np.testing.assert_array_equal(x.cpu(), keys)


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_joins_of_torch(dtype, how):
    torch = torch_on_device()
    rng = np.random.default_rng(16)
    for counts, most in (((0, 5), 9), ((300, 200), 50), ((20_000, 30_000), 9_000)):
        a, b = (np.sort(rng.integers(0, most, count)).astype(dtype) for count in counts)
        same(kl.join(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda(), how), kl.join(a, b, how))


def test_sequences_wait_for_nothing():
    """On the current stream, behind what is there; back before that has ended."""
    torch = torch_on_device()
    keys = torch.randperm(100_000, device="cuda").float()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        kl.sort(keys, return_positions=True), kl.scan(keys, "max_min")  # the context and its workspace
        late = torch.zeros_like(keys)
        torch.cuda.synchronize()
        torch.cuda._sleep(400_000_000)
        late.copy_(keys)
        (found, positions), greatest = kl.sort(late, return_positions=True), kl.scan(late, "max_min")
        assert not stream.query()
    stream.synchronize()
    assert found.tolist() == list(range(100_000)) and torch.equal(keys[positions], found)
    assert torch.equal(greatest, torch.cummax(keys, 0)[0])


@pytest.mark.parametrize("order", ["ascending", "descending"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_sorts_of_torch(order, dtype):
    """As in host memory: zeros of both signs are equal, NaN stands last; but each is the quiet one."""
    torch = torch_on_device()
    rng = np.random.default_rng(5)
    for count in (0, 1, 2, 777, 100_000):
        if dtype in (np.float32, np.float64):
            odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, np.finfo(dtype).max, 1e-40, -2.5], dtype)
            keys = odd[rng.integers(0, len(odd), count)]
        else:
            odd = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, -1, 1], dtype)
            keys = np.where(rng.random(count) < 0.5, odd[rng.integers(0, len(odd), count)],
                            rng.integers(-1000, 1000, count)).astype(dtype)
        wanted, positions = kl.sort(keys, order, return_positions=True)
        there = torch.from_numpy(keys).cuda()
        found, from_ = kl.sort(there, order, return_positions=True)
        assert from_.cpu().tolist() == positions.tolist()
        for got in (found, kl.sort(there, order)):
            got = got.cpu().numpy()
            np.testing.assert_array_equal(got, wanted)
            assert np.signbit(got[got == got]).tolist() == np.signbit(wanted[wanted == wanted]).tolist()
            assert not np.signbit(got[got != got]).any()


def test_graphs_of_torch():
    """Calls that were made once on a stream can be captured there, and do the same again with what is there then."""
    torch = torch_on_device()
    a, b = torch.rand(300, 200, device="cuda"), torch.rand(200, 100, device="cuda")
    keys = torch.rand(5000, device="cuda")
    out = torch.empty(300, 100, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())

    def calls():
        return kl.matmul(a, b, out=out), kl.sort(keys, return_positions=True), kl.scan(keys, "max_plus")

    with torch.cuda.stream(stream):
        calls()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        _, (ordered, positions), greatest = calls()
    for seed in (1, 2):
        torch.manual_seed(seed)
        a.copy_(torch.rand(300, 200)), keys.copy_(torch.rand(5000))
        graph.replay()
        torch.cuda.synchronize()
        np.testing.assert_array_equal(out.cpu(), kl.matmul(a.cpu().numpy(), b.cpu().numpy()))
        assert torch.equal(ordered, keys.sort()[0]) and torch.equal(keys[positions], ordered)
        assert torch.equal(greatest, torch.cummax(keys, 0)[0])


def test_another_current_device():
    torch = torch_on_device()
    if torch.cuda.device_count() < 2:
        pytest.skip("one device")
    rng = np.random.default_rng(11)
    a = rng.random((60, 60)).astype(np.float32)
    x = torch.from_numpy(a).to("cuda:1")
    with torch.cuda.device(0):
        found = kl.matmul(x, x)
        closed = kl.closure(x)
        assert torch.cuda.current_device() == 0
    assert found.device == closed.device == x.device
    np.testing.assert_array_equal(found.cpu(), kl.matmul(a, a))
    np.testing.assert_array_equal(closed.cpu(), kl.closure(a))
    with pytest.raises(ValueError, match="b is on CUDA device 0, and other arrays are on CUDA device 1"):
        kl.matmul(x, torch.from_numpy(a).to("cuda:0"))


def test_cupy():
    cupy = cupy_on_device()
    rng = np.random.default_rng(12)
    a, b = rng.random((40, 50)).astype(np.float32), rng.random((50, 30)).astype(np.float32)
    x, y = cupy.asarray(a), cupy.asarray(b)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        c, witness = kl.matmul(x, y, return_witness=True)
        stream.synchronize()
    assert isinstance(c, cupy.ndarray) and isinstance(witness, cupy.ndarray)
    wanted = kl.matmul(a, b, return_witness=True)
    np.testing.assert_array_equal(c.get(), wanted[0])
    np.testing.assert_array_equal(witness.get(), wanted[1])
    d, p = kl.closure(cupy.asarray(ROADS), return_predecessors=True)
    assert d.tolist() == np.asarray(SHORTEST).tolist() and p.tolist() == np.asarray(BEFORE).tolist()
    some = kl.shortest_paths(cupy.asarray(ROADS), sources=[2, 0])
    np.testing.assert_array_equal(some.distances.get(), np.asarray(SHORTEST)[[2, 0]])
    np.testing.assert_array_equal(kl.matmul(x[::2].T, x[::2]).get(), kl.matmul(a[::2].T, a[::2]))
    keys, positions = kl.sort(x[0], "descending", return_positions=True)
    assert isinstance(keys, cupy.ndarray) and keys.get().tolist() == sorted(a[0].tolist(), reverse=True)
    np.testing.assert_array_equal(a[0][positions.get()], keys.get())
    np.testing.assert_array_equal(kl.scan(x[:, 3], "max_plus").get(), np.maximum.accumulate(a[:, 3]))
    left, right = kl.join(cupy.arange(0, 9, 2), cupy.arange(0, 9, 3), "outer")
    assert left.tolist() == [0, 1, 2, 3, 4, -1] and right.tolist() == [0, -1, -1, 2, -1, 1]


def test_jax_on_a_device():
    jax = jax_on_device()
    rng = np.random.default_rng(13)
    a, b = rng.random((40, 50)).astype(np.float32), rng.random((50, 30)).astype(np.float32)
    x, y = jax.numpy.asarray(a), jax.numpy.asarray(b)
    c, witness = kl.matmul(x, y, return_witness=True)
    assert isinstance(c, jax.Array) and c.devices() == x.devices()
    wanted = kl.matmul(a, b, return_witness=True)
    np.testing.assert_array_equal(c, wanted[0])
    np.testing.assert_array_equal(witness, wanted[1])
    large = rng.random((300, 300)).astype(np.float32)
    np.testing.assert_array_equal(kl.closure(jax.numpy.asarray(large)), kl.closure(large))
    keys = kl.sort(x[0], "descending")
    assert isinstance(keys, jax.Array) and keys.tolist() == sorted(a[0].tolist(), reverse=True)
    np.testing.assert_array_equal(kl.scan(x[0], "max_plus"), np.maximum.accumulate(a[0]))
    both = kl.set_union(kl.sort(x[0]), kl.sort(x[1]))
    np.testing.assert_array_equal(both, np.sort(a[:2].reshape(-1)))
    with pytest.raises(ValueError, match="out is an array of JAX's, which are not written to"):
        kl.matmul(x, y, out=c)
