"""What programs of XLA's call, called as XLA does it, without JAX: on the host, and where torch has a GPU, there."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_void_p, cast

import numpy as np
import pytest

import kleene as kl
from kleene import _kleene, gradients

TYPES = {"bool": 1, "int32": 4, "int64": 5, "float32": 11, "float64": 12}


class Buffer(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("type", c_int), ("data", c_void_p), ("rank", c_int64),
                ("extents", POINTER(c_int64))]


class List(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("count", c_int64), ("kinds", POINTER(c_int)),
                ("items", POINTER(c_void_p))]


class Text(Structure):
    _fields_ = [("data", c_char_p), ("size", c_size_t)]


class Scalar(Structure):
    _fields_ = [("type", c_int), ("value", c_void_p)]


class Attributes(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("count", c_int64), ("kinds", POINTER(c_int)),
                ("names", POINTER(c_void_p)), ("values", POINTER(c_void_p))]


class ErrorRequest(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("message", c_char_p), ("code", c_int)]


class StreamRequest(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("of", c_void_p), ("stream", c_void_p)]


class Version(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("major", c_int), ("minor", c_int)]


CREATE_ERROR = CFUNCTYPE(c_void_p, POINTER(ErrorRequest))
GET_STREAM = CFUNCTYPE(c_void_p, POINTER(StreamRequest))


class Api(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("own", Version), ("internals", c_void_p),
                ("create_error", CREATE_ERROR), ("get_message", c_void_p), ("destroy_error", c_void_p),
                ("register_handler", c_void_p), ("get_stream", GET_STREAM)]


class Frame(Structure):
    _fields_ = [("size", c_size_t), ("extensions", c_void_p), ("api", POINTER(Api)), ("running", c_void_p),
                ("stage", c_int), ("arguments", List), ("results", List), ("attributes", Attributes)]


class Metadata(Structure):
    _fields_ = [("size", c_size_t), ("api", Version), ("traits", ctypes.c_uint32)]


class MetadataRequest(Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("next", c_void_p), ("answer", POINTER(Metadata))]


def address(structure):
    return cast(ctypes.pointer(structure), c_void_p).value


def pointers(values):
    return (c_void_p * len(values))(*values)


def handler(platform, name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    capsule = _kleene.xla.handlers()[platform][name]
    return CFUNCTYPE(c_void_p, POINTER(Frame))(get(capsule, b"xla._CUSTOM_CALL_TARGET"))


class Caller:
    """Calls handlers on arrays of NumPy's, or on torch's on a device; raises what they answer."""

    def __init__(self, platform, stream=None):
        self.platform, self.stream = platform, stream

    def __call__(self, name, arguments, results, **said):
        errors, kept = [], []

        @CREATE_ERROR
        def create_error(asked):
            errors.append((asked.contents.code, asked.contents.message.decode()))
            return 1

        @GET_STREAM
        def get_stream(asked):
            asked.contents.stream = self.stream
            return None

        def buffers(arrays):
            made = []
            for x in arrays:
                data = x.ctypes.data if isinstance(x, np.ndarray) else x.data_ptr()
                extents = (c_int64 * x.ndim)(*x.shape)
                made.append(Buffer(ctypes.sizeof(Buffer), None, TYPES[str(x.dtype).rpartition(".")[2]], data, x.ndim,
                                   extents))
            kept.append(made)
            return List(ctypes.sizeof(List), None, len(made), (c_int * len(made))(*[1] * len(made)),
                        pointers([address(b) for b in made]))

        kinds, names, values = [], [], []
        for key in sorted(said):
            names.append(Text(key.encode(), len(key)))
            if isinstance(said[key], str):
                kinds.append(4)
                values.append(Text(said[key].encode(), len(said[key])))
            else:
                number = c_int64(said[key])
                kept.append(number)
                kinds.append(3)
                values.append(Scalar(TYPES["int64"], address(number)))
        attributes = Attributes(ctypes.sizeof(Attributes), None, len(kinds), (c_int * len(kinds))(*kinds),
                                pointers([address(n) for n in names]), pointers([address(v) for v in values]))
        api = Api(ctypes.sizeof(Api), None, Version(), None, create_error, None, None, None, get_stream)
        frame = Frame(ctypes.sizeof(Frame), None, ctypes.pointer(api), None, 3, buffers(arguments), buffers(results),
                      attributes)
        answer = handler(self.platform, name)(ctypes.byref(frame))
        assert bool(answer) == bool(errors)
        if errors:
            raise RuntimeError(*errors[0])


def row(algebra, dtype):
    return kl.algebras[algebra].row(dtype).number


def test_metadata():
    for platform, handlers in _kleene.xla.handlers().items():
        for name in handlers:
            answer = Metadata(ctypes.sizeof(Metadata), Version(), 77)
            request = MetadataRequest(ctypes.sizeof(MetadataRequest), 1, None, ctypes.pointer(answer))
            frame = Frame(ctypes.sizeof(Frame), address(request))
            assert not handler(platform, name)(ctypes.byref(frame))
            assert (answer.api.major, answer.api.minor, answer.traits) == (0, 1, 0)


CALLERS = ["cpu", "CUDA"]


@pytest.fixture(params=CALLERS)
def machine(request):
    """(a caller, what brings an array to its machine, what brings it back)."""
    if request.param == "cpu":
        return Caller("cpu"), np.asarray, np.asarray
    torch = pytest.importorskip("torch")
    if "CUDA" not in _kleene.xla.handlers() or not torch.cuda.is_available():
        pytest.skip("no GPU, or a package without CUDA")
    stream = torch.cuda.Stream()
    torch.cuda.set_stream(stream)
    request.addfinalizer(lambda: torch.cuda.set_stream(torch.cuda.default_stream()))
    caller = Caller("CUDA", stream.cuda_stream)
    caller.torch_stream = stream
    return caller, lambda x: torch.from_numpy(np.ascontiguousarray(x)).cuda(), lambda x: x.cpu().numpy()


@pytest.mark.parametrize("left, right", [((5, 7), (7, 4)), ((3, 5, 7), (3, 7, 4)), ((3, 5, 7), (1, 7, 4)),
                                         ((2, 1, 5, 7), (1, 3, 7, 4)), ((2, 1, 3, 5, 7), (2, 4, 3, 7, 4)),
                                         ((1, 6), (6, 1)), ((0, 3, 4), (0, 4, 2)), ((2, 3, 0), (2, 0, 4))])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_batches(machine, left, right, dtype):
    call, there, back = machine
    rng = np.random.default_rng(1)
    a, b = rng.integers(-9, 10, left).astype(dtype), rng.integers(-9, 10, right).astype(dtype)
    expected, of = kl.matmul(a, b, return_witness=True)
    c, witness = there(np.zeros_like(expected)), there(np.zeros_like(of))
    call("matmul", [there(a), there(b)], [c, witness], row=row("min_plus", dtype))
    np.testing.assert_array_equal(back(c), expected)
    np.testing.assert_array_equal(back(witness), of)
    call("matmul", [there(a), there(b)], [c], row=row("min_plus", dtype))
    np.testing.assert_array_equal(back(c), expected)
    if dtype == "int32":
        return
    g = rng.integers(-9, 10, expected.shape).astype(dtype)
    to_a, to_b = (there(np.full(g.shape[:-2] + x.shape[-2:], 7, dtype)) for x in (a, b))
    call("matmul_gradient", [there(g), there(a), there(b), there(of)], [to_a, to_b], mul="plus")
    whole = [np.broadcast_to(x, g.shape[:-2] + x.shape[-2:]) for x in (a, b)]
    for found, wanted in zip((to_a, to_b), gradients.matmul_gradient(g, *whole, expected, of)):
        np.testing.assert_array_equal(back(found), wanted)  # sums of whole numbers


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_log_sums(machine, dtype):
    call, there, back = machine
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 5, 7)).astype(dtype), rng.normal(size=(1, 7, 4)).astype(dtype)
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-10}
    expected = np.log(np.exp(a.astype("f8")) @ np.exp(b.astype("f8")))
    c = there(np.zeros(expected.shape, dtype))
    call("matmul", [there(a), there(b)], [c], row=row("log_plus", dtype))
    np.testing.assert_allclose(back(c), expected, **tolerance)
    g = rng.normal(size=c.shape).astype(dtype)
    to_a, to_b = (there(np.zeros((2, *x.shape[1:]), dtype)) for x in (a, b))
    call("matmul_gradient", [there(g), there(a), there(b), c], [to_a, to_b], mul="log_plus")
    shares = np.exp(a[:, :, :, None].astype("f8") + b[:, None] - expected[:, :, None])
    np.testing.assert_allclose(back(to_a), (shares * g[:, :, None]).sum(3), **tolerance)
    np.testing.assert_allclose(back(to_b), (shares * g[:, :, None]).sum(1), **tolerance)


def test_what_is_wrong():
    call, ones = Caller("cpu"), np.ones((2, 2))
    with pytest.raises(RuntimeError, match="outside the domain of max_times") as refused:
        call("matmul", [-ones, ones], [ones.copy()], row=row("max_times", "float64"))
    assert refused.value.args[0] == 3  # an argument that is invalid
    for arguments, results, said, words in (
            ([ones, ones], [ones.copy()], {}, "no attribute row"),
            ([ones, ones], [ones.copy()], {"row": 10**6}, "matmul: no row"),
            ([ones, ones.astype("f4")], [ones.copy()], {"row": row("min_plus", "float64")}, "another type"),
            ([ones, np.ones(2)], [ones.copy()], {"row": row("min_plus", "float64")}, "no matrix"),
            ([ones, np.ones((1, 2, 2))], [ones.copy()], {"row": row("min_plus", "float64")}, "different ranks"),
            ([np.ones((2, 2, 2)), np.ones((3, 2, 2))], [np.ones((3, 2, 2))], {"row": row("min_plus", "float64")},
             "batches differ"),
            ([ones, np.ones((3, 2))], [ones.copy()], {"row": row("min_plus", "float64")}, "A is 2x2, B is 3x2")):
        with pytest.raises(RuntimeError, match=words):
            call("matmul", arguments, results, **said)


def test_a_device_finds_what_is_wrong_later(machine):
    call, there, _ = machine
    if call.platform == "cpu":
        return
    ones = np.ones((2, 2))
    call("matmul", [there(-ones), there(ones)], [there(ones)], row=row("max_times", "float64"))
    with pytest.raises(ValueError, match="outside the domain of max_times"):
        kl.synchronise()
    kl.synchronise()
