"""kleene.torch: its operators by torch's own checks, its gradients against differences, on the CPU and on CUDA."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import kleene as kl  # noqa: E402
from kleene import torch as kt  # noqa: E402
from test_closure import INF, ROADS, SHORTEST  # noqa: E402

ALGEBRAS = ["min_plus", "max_plus", "min_times", "max_times", "max_min", "min_max", "log_plus", "plus_times"]
DEVICES = ["cpu"] + ["cuda"] * bool(kl.cuda_devices() and torch.cuda.is_available())
SHAPES = [((3, 4), (4, 2)), ((4,), (4,)), ((4,), (4, 2)), ((3, 4), (4,)), ((2, 3, 4), (4, 2)),
          ((2, 1, 3, 4), (5, 4, 2))]
on_devices = pytest.mark.parametrize("device", DEVICES)


def draw(shape, device, seed=1):
    """Positive, all different, so that no two terms are equal."""
    values = np.random.default_rng(seed).uniform(0.5, 2, shape)
    return torch.tensor(values, device=device, requires_grad=True)


@on_devices
@pytest.mark.parametrize("algebra", ALGEBRAS)
@pytest.mark.parametrize("left, right", SHAPES)
def test_products(algebra, left, right, device):
    a, b = draw(left, device), draw(right, device, 2)
    c = kt.matmul(a, b, algebra)
    wanted = kl.matmul(*(x.detach().cpu().numpy() for x in (a, b)), algebra)
    np.testing.assert_allclose(c.detach().cpu().numpy(), wanted, rtol=1e-12)
    assert c.requires_grad and not kt.matmul(a.detach(), b.detach(), algebra).requires_grad
    assert torch.autograd.gradcheck(lambda a, b: kt.matmul(a, b, algebra), (a, b))


@on_devices
@pytest.mark.parametrize("algebra", ["max_plus", "log_plus", "plus_times"])
def test_operators_by_torchs_checks(algebra, device):
    a, b = draw((2, 3, 4), device), draw((4, 5), device, 2)
    witness = algebra == "max_plus"
    torch.library.opcheck(torch.ops.kleene.matmul, (a, b, algebra, witness))
    c, w = torch.ops.kleene.matmul(a.detach(), b.detach(), algebra, witness)
    torch.library.opcheck(torch.ops.kleene.matmul_gradient, (torch.ones_like(c), a.detach(), b.detach(), c, w, algebra))
    if witness:
        roads = torch.tensor(-ROADS, device=device, requires_grad=True)
        torch.library.opcheck(torch.ops.kleene.closure, (roads, algebra, True))
        d, p = torch.ops.kleene.closure(roads.detach(), algebra, True)
        torch.library.opcheck(torch.ops.kleene.closure_gradient, (torch.ones_like(d), roads.detach(), d, p, algebra))


@on_devices
def test_graphs_are_not_broken(device):
    def loss(a, b):
        return (kt.matmul(a, b, "log_plus") ** 2).sum() + kt.matmul(a, b.unsqueeze(0), "max_plus").mean()

    a, b = draw((3, 4), device), draw((4, 2), device, 2)
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    for x, y in zip(torch.autograd.grad(compiled(a, b), (a, b)), torch.autograd.grad(loss(a, b), (a, b))):
        torch.testing.assert_close(x, y)
    closed = torch.compile(lambda a: kt.closure(a, "min_plus"), fullgraph=True, backend="aot_eager")
    assert closed(torch.tensor(ROADS, device=device)).tolist() == SHORTEST


@on_devices
def test_who_looks_on_sees_operators(device):
    """Without them the call is a shorter one, with the same bits, and as few second derivatives."""
    class Looking(TorchDispatchMode):
        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            seen.append(operator.name())
            return operator(*args, **(kwargs or {}))

    seen = []
    a, b = draw((3, 4), device), draw((4, 2), device, 2)
    with Looking():
        slow = kt.matmul(a, b, "max_plus")
    assert "kleene::matmul" in seen
    fast = kt.matmul(a, b, "max_plus")
    assert torch.equal(slow, fast)
    for x, y in zip(torch.autograd.grad(slow.sum(), (a, b)), torch.autograd.grad(fast.sum(), (a, b))):
        assert torch.equal(x, y)
    first, = torch.autograd.grad(kt.matmul(a, b, "max_plus").sum(), a, create_graph=True)
    with pytest.raises(RuntimeError, match="no autograd formula"):
        first.sum().backward()


@on_devices
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("columns", [7, 300, 1500, 9000])
def test_gradients_are_whose_term_gave_the_element(columns, dtype, device):
    """Against sums by NumPy over the witness; and again, to the last bit."""
    rng = np.random.default_rng(3)
    a = torch.tensor(rng.random((2, 5, 40)), dtype=dtype, device=device, requires_grad=True)
    b = torch.tensor(rng.random((40, columns)), dtype=dtype, device=device, requires_grad=True)
    g = torch.tensor(rng.normal(size=(2, 5, columns)), dtype=dtype, device=device)
    with torch.no_grad():
        a[1, 2, :] = INF  # a row without terms
    found = torch.autograd.grad(kt.matmul(a, b), (a, b), g)
    _, witness = kl.matmul(a.detach().cpu().numpy(), b.detach().cpu().numpy(), return_witness=True)
    to_a, to_b, values = np.zeros((2, 5, 40)), np.zeros((40, columns)), g.double().cpu().numpy()
    for (m, i, j), k in np.ndenumerate(witness):
        if k >= 0:
            to_a[m, i, k] += values[m, i, j]
            to_b[k, j] += values[m, i, j]
    tolerance = 1e-4 if dtype == torch.float32 else 1e-11
    np.testing.assert_allclose(found[0].cpu(), to_a, atol=tolerance)
    np.testing.assert_allclose(found[1].cpu(), to_b, atol=tolerance)
    for x, y in zip(found, torch.autograd.grad(kt.matmul(a, b), (a, b), g)):
        assert torch.equal(x, y)


@on_devices
def test_logarithms_far_from_each_other(device):
    """Weights are formed in logarithms: nothing overflows, and what cannot be reached has no gradient."""
    kind = {"dtype": torch.float64, "device": device, "requires_grad": True}
    a = torch.tensor([[0.0, -800.0, -INF], [900.0, 0.0, -900.0]], **kind)
    b = torch.tensor([[0.0, -INF], [800.0, -INF], [1.0, -INF]], **kind)
    c = kt.matmul(a, b, "log_plus")
    to_a, to_b = torch.autograd.grad(c[:, 0].sum(), (a, b))
    np.testing.assert_allclose(to_a.cpu(), [[0.5, 0.5, 0], [1, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(to_b.cpu(), [[1.5, 0], [0.5, 0], [0, 0]], atol=1e-12)


@on_devices
def test_closures(device):
    roads = torch.tensor(ROADS, device=device, requires_grad=True)
    d = kt.closure(roads)
    assert d.tolist() == SHORTEST
    gradient, = torch.autograd.grad(d[0, 3] + 10 * d[1, 3], roads)
    assert gradient.tolist() == [[0, 1, 0, 0], [0, 0, 11, 0], [0, 0, 0, 11], [0, 0, 0, 0]]
    many = torch.stack([roads, 2 * roads])
    gradient, = torch.autograd.grad(kt.closure(many)[1, 0, 3], roads)
    assert gradient.tolist() == [[0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2], [0, 0, 0, 0]]
    a = draw((5, 5), device)
    assert torch.autograd.gradcheck(lambda a: kt.closure(-a, "max_plus"), (a,))


@on_devices
def test_a_shortest_path_layer_learns(device):
    """Weights of roads from the lengths of routes alone."""
    rng = np.random.default_rng(3)
    target = torch.tensor(kl.closure(rng.uniform(1, 3, (8, 8))), device=device)
    weights = torch.full((8, 8), 2.0, dtype=torch.float64, device=device, requires_grad=True)
    losses = []
    for _ in range(300):
        loss = ((kt.closure(weights) - target) ** 2).mean()
        losses.append(float(loss.detach()))
        gradient, = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            weights.sub_(2.0 * gradient).clamp_(min=0.01)
    assert losses[-1] < 0.01 * losses[0]


@pytest.mark.parametrize("call, words", [
    (lambda a: kt.matmul(a, a, "min_pluss"), "there is no algebra 'min_pluss'"),
    (lambda a: kt.matmul(a.half(), a.half()), "min_plus has no elements of torch.float16"),
    (lambda a: kt.matmul(a, a, "plus_min"), "matmul: plus_min has no gradient here"),
    (lambda a: kt.closure(a, "log_plus"), "closure: log_plus has no gradient here"),
    (lambda a: kt.closure(a[:2]), r"a square matrix or a batch of them is needed; a is \(2, 3\)"),
    (lambda a: torch.ops.kleene.matmul(a, a, "min_plus", False)[0].sum().backward(), "over min_plus needs the witness"),
    (lambda a: kt.matmul(a, a[:2]), "inner extents"),
])
def test_refusals(call, words):
    with pytest.raises((ValueError, RuntimeError), match=words):
        call(draw((3, 3), "cpu"))


def test_types():
    a = torch.ones(2, 2)
    assert kt.matmul(a, a.double()).dtype == torch.float64
    assert kt.matmul(a.int(), a.int(), "plus_times").tolist() == [[2, 2], [2, 2]]
    assert kt.matmul(a.bool(), a.bool(), "or_and").all()


def test_what_are_no_tensors():
    x = torch.ones(2, 2)
    with pytest.raises(TypeError, match=r"^matmul: a is of type list: kleene\.torch takes tensors, kleene\.matmul "):
        kt.matmul([[1.0]], [[2.0]])
    with pytest.raises(TypeError, match="^matmul: b is of type ndarray: "):
        kt.matmul(x, x.numpy())
    with pytest.raises(TypeError, match="^closure: a is of type list: "):
        kt.closure([[1.0]])
