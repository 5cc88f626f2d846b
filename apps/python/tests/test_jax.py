"""kleene.jax against kleene, and its gradients against differences (jax.test_util)."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import kleene as kl  # noqa: E402
from kleene import jax as kj  # noqa: E402
from test_closure import ROADS, SHORTEST  # noqa: E402

ALGEBRAS = ["min_plus", "max_plus", "max_times", "max_min", "log_plus", "plus_times"]


@pytest.fixture(autouse=True)
def doubles():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("algebra", ALGEBRAS)
@pytest.mark.parametrize("left, right", [((3, 4), (4, 2)), ((4,), (4,)), ((4,), (4, 2)), ((3, 4), (4,)),
                                         ((2, 3, 4), (4, 2)), ((2, 1, 3, 4), (5, 4, 2))])
def test_products(algebra, left, right):
    rng = np.random.default_rng(1)
    a, b = jnp.asarray(rng.uniform(0.5, 2, left)), jnp.asarray(rng.uniform(0.5, 2, right))
    expected = kl.matmul(np.asarray(a), np.asarray(b), algebra)
    for function in (kj.matmul, jax.jit(kj.matmul, static_argnums=2)):
        np.testing.assert_array_equal(function(a, b, algebra), expected)
    check_grads(lambda a, b: kj.matmul(a, b, algebra), (a, b), order=1, modes=["rev"], atol=1e-5, rtol=1e-5)


def test_vmap():
    rng = np.random.default_rng(2)
    a, b = jnp.asarray(rng.random((6, 3, 4))), jnp.asarray(rng.random((4, 2)))
    for axes, right in (((0, None), b), ((0, 0), jnp.stack([b] * 6))):
        found = jax.vmap(kj.matmul, in_axes=axes)(a, right)
        np.testing.assert_array_equal(found, kl.matmul(np.asarray(a), np.asarray(b)))

    def loss(a, b):
        return (kj.matmul(a, b) ** 2).sum()

    one = [jax.grad(loss, (0, 1))(x, b) for x in a]
    many = jax.vmap(jax.grad(loss, (0, 1)), in_axes=(0, None))(a, b)
    for i in range(6):
        np.testing.assert_allclose(many[0][i], one[i][0])
        np.testing.assert_allclose(many[1][i], one[i][1])


def test_types():
    assert kj.matmul(jnp.ones((2, 2), jnp.float32), jnp.ones((2, 2), jnp.int32)).dtype == jnp.float32
    assert kj.matmul(jnp.ones((2, 2)), jnp.ones((2, 2), jnp.float32)).dtype == jnp.float64


def test_closure():
    a = jnp.asarray(ROADS)
    np.testing.assert_array_equal(kj.closure(a), SHORTEST)
    gradient = jax.jit(jax.grad(lambda a: kj.closure(a)[0, 3] + 10 * kj.closure(a)[1, 3]))(a)
    np.testing.assert_array_equal(gradient, [[0, 1, 0, 0], [0, 0, 11, 0], [0, 0, 0, 11], [0, 0, 0, 0]])
    many = jax.vmap(jax.grad(lambda a: kj.closure(a)[0, 3]))(jnp.stack([a, 2 * a]))
    np.testing.assert_array_equal(many, [[[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]] * 2)
    with pytest.raises(ValueError, match="a square matrix is needed"):
        kj.closure(jnp.ones((2, 3)))


def test_a_shortest_path_layer_learns():
    """Weights of roads from the lengths of routes alone."""
    rng = np.random.default_rng(3)
    wanted = rng.uniform(1, 3, (8, 8))
    target = jnp.asarray(kl.closure(wanted))
    weights = jnp.full((8, 8), 2.0)
    step = jax.jit(jax.value_and_grad(lambda w: ((kj.closure(w) - target) ** 2).mean()))
    first = float(step(weights)[0])
    for _ in range(300):
        loss, gradient = step(weights)
        weights = jnp.maximum(weights - 2.0 * gradient, 0.01)
    assert float(loss) < 0.01 * first
