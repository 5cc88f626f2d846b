"""kleene.jax against kleene and plain loops, and its gradients against differences (jax.test_util).

They run on JAX's first device: on a machine with a GPU (jax[cuda12], a package with CUDA) that is the GPU, and
JAX_PLATFORMS=cpu has the processor.
"""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import kleene as kl  # noqa: E402
from algebra_loops import ROWS, draw, product  # noqa: E402
from kleene import jax as kj  # noqa: E402
from test_closure import ROADS, SHORTEST  # noqa: E402

ALGEBRAS = ["min_plus", "max_plus", "max_times", "max_min", "log_plus", "plus_times"]


def on_a_device():
    return jax.default_backend() != "cpu"


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
    rounded = on_a_device() and algebra in ("log_plus", "plus_times")  # a GPU sums in another order
    for function in (kj.matmul, jax.jit(kj.matmul, static_argnums=2)):
        np.testing.assert_allclose(function(a, b, algebra), expected, rtol=1e-14 if rounded else 0)
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


def test_vmap_where_one_operand_has_batches_of_its_own():
    rng = np.random.default_rng(4)
    a, b = jnp.asarray(rng.random((2, 3, 4))), jnp.asarray(rng.random((6, 4, 2)))
    expected = np.stack([kl.matmul(np.asarray(a), np.asarray(one)) for one in b])
    np.testing.assert_array_equal(jax.vmap(kj.matmul, in_axes=(None, 0))(a, b), expected)
    gradient = jax.vmap(jax.grad(lambda a, b: kj.matmul(a, b).sum(), 1), in_axes=(None, 0))(a, b)
    for i in range(6):
        np.testing.assert_array_equal(gradient[i], jax.grad(lambda a, b: kj.matmul(a, b).sum(), 1)(a, b[i]))


@pytest.mark.parametrize("name, dtype", ROWS)
def test_products_of_all_rows_are_those_of_plain_loops(name, dtype):
    rng = np.random.default_rng(5)
    a, b = draw(rng, name, dtype, 7, 9), draw(rng, name, dtype, 9, 5)
    found = jax.jit(kj.matmul, static_argnums=2)(a, b, name)
    assert found.dtype == np.dtype(dtype)
    expected, _ = product(name, dtype, a, b)
    tolerance = (1e-5 if dtype == "float32" else 1e-11) if name == "log_plus" else 0
    np.testing.assert_allclose(found, expected, rtol=tolerance)


def test_no_terms_and_no_elements():
    np.testing.assert_array_equal(kj.matmul(jnp.ones((2, 0)), jnp.ones((0, 3))), np.full((2, 3), np.inf))
    assert kj.matmul(jnp.ones((0, 4)), jnp.ones((4, 3))).shape == (0, 3)
    assert kj.matmul(jnp.ones((0, 2, 4)), jnp.ones((4, 3))).shape == (0, 2, 3)


def test_what_is_wrong():
    with pytest.raises(ValueError, match="inner extents differ"):
        kj.matmul(jnp.ones((2, 3)), jnp.ones((2, 3)))
    with pytest.raises(ValueError, match="both need at least 1"):
        kj.matmul(jnp.ones(()), jnp.ones((2, 3)))
    with pytest.raises(ValueError, match="or_and has no gradient"):
        jax.grad(lambda a: kj.matmul(a, a, "or_and").sum())(jnp.ones((2, 2)))
    on_host = jax.default_backend() == "cpu"
    x, y = jnp.ones((2, 3)), jnp.ones((3, 2))
    for a, b, place in ((x.at[1, 2].set(-1), y, r"a\[1, 2\]"), (x, y.at[2, 0].set(-1), r"b\[2, 0\]"),
                        (x, y[:, :1].at[1, 0].set(-1), r"b\[1, 0\]"), (x.at[1, 0].set(-1), y[:, :1], r"a\[1, 0\]"),
                        (x[:1].at[0, 1].set(-1), y, r"a\[0, 1\]"), (x[:1], y.at[1, 1].set(-1), r"b\[1, 1\]"),
                        (jnp.stack([x, x.at[0, 1].set(-1)]), y, r"a\[1, 0, 1\]")):
        said = (place + " = " if on_host else "") + "-1.*is outside the domain of max_times"
        with pytest.raises(Exception, match=said):
            jax.block_until_ready(kj.matmul(a, b, "max_times"))
            kl.synchronise()  # on a device


def test_programs_call_the_kernels_themselves(monkeypatch):
    if not kj._platforms:
        pytest.skip("this JAX has no jax.ffi")
    if jax.default_backend() == "gpu" and "cuda" not in kj._platforms:
        pytest.skip("a package without CUDA")
    a = jnp.ones((3, 3))
    step = jax.jit(jax.grad(lambda a: kj.matmul(a, a, "log_plus").sum()))
    text = step.lower(a).compile().as_text()
    assert "kleene_matmul" in text and "kleene_matmul_gradient" in text and "callback" not in text
    # Where they cannot, Python is called.
    monkeypatch.setattr(kj, "_platforms", [])
    jax.clear_caches()
    by_python = jax.jit(jax.grad(lambda a: kj.matmul(a, a, "log_plus").sum()))
    assert "callback" in by_python.lower(a).compile().as_text()
    np.testing.assert_array_equal(by_python(a), step(a))
    jax.clear_caches()


def test_algebras_of_ones_own():
    trust = kl.semiring("trust", kl.max, lambda a, b: kl.max(a + b - 1, 0), zero=0, one=1, domain=(0, 1))
    a = jnp.asarray(np.random.default_rng(6).random((5, 5)))
    for function in (kj.matmul, jax.jit(kj.matmul, static_argnums=2)):
        np.testing.assert_array_equal(function(a, a, trust), kl.matmul(np.asarray(a), np.asarray(a), trust))


def test_threads_are_as_many_as_were_said():
    a = jnp.asarray(np.random.default_rng(7).random((300, 300)))
    try:
        kl.set_threads(1)
        np.testing.assert_array_equal(kj.matmul(a, a), kl.matmul(np.asarray(a), np.asarray(a)))
    finally:
        kl.set_threads(None)


LAYOUT = """
#include "xla/ffi/api/c_api.h"
#include "xla_ffi.hpp"
#include <cstddef>
#include <type_traits>
namespace k = kleene::python::xla_ffi;
// XLA_FFI_Extension_Base, and XLA_FFI_InternalExtension since jaxlib 0.11.
using extension_of_theirs = std::remove_pointer_t<decltype(XLA_FFI_CallFrame::extension_start)>;
#define SAME(ours, field, theirs, other) \
  static_assert(offsetof(k::ours, field) == offsetof(theirs, other) && \
                sizeof(k::ours::field) == sizeof(theirs::other), #theirs " " #other)
SAME(extension, kind, extension_of_theirs, type);
SAME(extension, next, extension_of_theirs, next);
SAME(version, major, XLA_FFI_Api_Version, major_version);
SAME(version, minor, XLA_FFI_Api_Version, minor_version);
SAME(metadata, api, XLA_FFI_Metadata, api_version);
SAME(metadata, traits, XLA_FFI_Metadata, traits);
SAME(metadata_request, answer, XLA_FFI_Metadata_Extension, metadata);
SAME(buffer, type, XLA_FFI_Buffer, dtype);
SAME(buffer, data, XLA_FFI_Buffer, data);
SAME(buffer, rank, XLA_FFI_Buffer, rank);
SAME(buffer, extents, XLA_FFI_Buffer, dims);
SAME(list, count, XLA_FFI_Args, size);
SAME(list, kinds, XLA_FFI_Args, types);
SAME(list, items, XLA_FFI_Args, args);
SAME(list, items, XLA_FFI_Rets, rets);
SAME(text, data, XLA_FFI_ByteSpan, ptr);
SAME(text, size, XLA_FFI_ByteSpan, len);
SAME(scalar, type, XLA_FFI_Scalar, dtype);
SAME(scalar, value, XLA_FFI_Scalar, value);
SAME(attributes, kinds, XLA_FFI_Attrs, types);
SAME(attributes, names, XLA_FFI_Attrs, names);
SAME(attributes, values, XLA_FFI_Attrs, attrs);
SAME(error_request, message, XLA_FFI_Error_Create_Args, message);
SAME(error_request, code, XLA_FFI_Error_Create_Args, errc);
SAME(stream_request, of, XLA_FFI_Stream_Get_Args, ctx);
SAME(stream_request, stream, XLA_FFI_Stream_Get_Args, stream);
SAME(api, create_error, XLA_FFI_Api, XLA_FFI_Error_Create);
SAME(api, get_stream, XLA_FFI_Api, XLA_FFI_Stream_Get);
SAME(frame, api, XLA_FFI_CallFrame, api);
SAME(frame, running, XLA_FFI_CallFrame, ctx);
SAME(frame, arguments, XLA_FFI_CallFrame, args);
SAME(frame, results, XLA_FFI_CallFrame, rets);
SAME(frame, attributes, XLA_FFI_CallFrame, attrs);
static_assert(k::asks_for_metadata == XLA_FFI_Extension_Metadata && k::is_buffer == XLA_FFI_ArgType_BUFFER &&
              k::is_buffer == XLA_FFI_RetType_BUFFER && k::is_scalar == XLA_FFI_AttrType_SCALAR &&
              k::is_text == XLA_FFI_AttrType_STRING && k::invalid_argument == XLA_FFI_Error_Code_INVALID_ARGUMENT &&
              k::resource_exhausted == XLA_FFI_Error_Code_RESOURCE_EXHAUSTED &&
              k::internal == XLA_FFI_Error_Code_INTERNAL && k::major_version == XLA_FFI_API_MAJOR);
static_assert(k::type_of<bool> == XLA_FFI_DataType_PRED && k::type_of<std::int32_t> == XLA_FFI_DataType_S32 &&
              k::type_of<std::int64_t> == XLA_FFI_DataType_S64 && k::type_of<float> == XLA_FFI_DataType_F32 &&
              k::type_of<double> == XLA_FFI_DataType_F64);
"""


@pytest.mark.skipif(not shutil.which("g++") or not hasattr(jax, "ffi"), reason="no g++, or a JAX without headers")
def test_what_is_declared_is_what_jaxlib_declares(tmp_path):
    unit = tmp_path / "layout.cpp"
    unit.write_text(LAYOUT)
    done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", f"-I{jax.ffi.include_dir()}",
                           f"-I{Path(__file__).parents[1]}", str(unit)], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_types():
    assert kj.matmul(jnp.ones((2, 2), jnp.float32), jnp.ones((2, 2), jnp.int32)).dtype == jnp.float32
    assert kj.matmul(jnp.ones((2, 2)), jnp.ones((2, 2), jnp.float32)).dtype == jnp.float64
    assert kj.matmul(jnp.ones((2, 2), jnp.bfloat16), jnp.ones((2, 2), jnp.bfloat16)).dtype == jnp.float32
    whole = jnp.ones((2, 2), jnp.int32)
    assert kj.matmul(whole, whole).dtype == jnp.int32
    assert kj.matmul(whole, whole.astype(jnp.uint8)).dtype == jnp.int32
    assert kj.matmul(whole, whole, "log_plus").dtype == jnp.float64
    with jax.enable_x64(False):
        assert kj.matmul(whole, whole, "log_plus").dtype == jnp.float32


def test_closures_keep_types():
    """Integers and truths, whose zero is no arc, and algebras of one's own."""
    zero = kl.zero("min_plus", np.int32)
    a = np.array([[0, 2**24 + 1], [zero, 0]], np.int32)
    found = kj.closure(jnp.asarray(a))
    assert found.dtype == jnp.int32
    np.testing.assert_array_equal(found, a)
    truths = jnp.asarray([[False, True, False], [False, False, True], [False, False, False]])
    np.testing.assert_array_equal(kj.closure(truths, "or_and"), kl.closure(np.asarray(truths), "or_and"))
    own = kl.semiring("jax_trust", kl.max, lambda a, b: kl.max(a + b - 1, 0), zero=0, one=1, domain=(0, 1))
    half = np.array([[0, 0.75, 0], [0, 0, 0.75], [0, 0, 0]], np.float32)
    np.testing.assert_array_equal(kj.closure(jnp.asarray(half), own), kl.closure(half, own))
    with pytest.raises(ValueError, match="closure: max_min has no gradient"):
        jax.grad(lambda a: kj.closure(a, "max_min").sum())(jnp.ones((2, 2)))


def test_integers_that_jax_would_round_or_cut_off():
    one = np.ones((1, 1), np.int32)
    with pytest.raises(ValueError, match=r"a\[0, 0\]: float32 does not hold 16777217"):
        kj.matmul(np.array([[2**24 + 1]], np.int32), np.ones((1, 1), np.float32))
    with jax.enable_x64(False):
        with pytest.raises(ValueError, match="matmul: a: int32, which JAX makes of int64, does not hold 1099511627776"):
            kj.matmul(np.full((1, 1), 2**40), one)
        found = kj.matmul(np.full((1, 1), 2**31, np.uint32), np.zeros((1, 1), np.uint32))
        assert found.dtype == jnp.float32 and float(found[0, 0]) == 2.0**31


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
