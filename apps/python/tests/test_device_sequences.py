"""Sequences on devices: kinds of arrays, strides and refusals on a pretended device (pretended_device.py)."""

import numpy as np
import pytest

import kleene as kl
import pretended_device
from pretended_device import Array

SETS = ("set_union", "set_intersection", "set_difference", "set_symmetric_difference")


@pytest.fixture(autouse=True)
def device(monkeypatch):
    pretended_device.install(monkeypatch)


def draw(count, dtype, seed):
    return np.random.default_rng(seed).integers(0, 2 if dtype == bool else 50, count).astype(dtype)


def same(found, wanted):
    found, wanted = ((x,) if not isinstance(x, tuple) else x for x in (found, wanted))
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted):
        assert type(x) is Array and x.values.dtype == y.dtype
        np.testing.assert_array_equal(x.values, y)


@pytest.mark.parametrize("name, dtype", [("plus_times", np.float32), ("min_plus", np.int64), ("max_times", np.float64),
                                         ("or_and", bool), ("log_plus", np.float64), ("xor_and", np.int32)])
def test_scans_and_segments(name, dtype):
    x, offsets = draw(40, dtype, 1), np.array([0, 0, 7, 40])
    for exclusive in (False, True):
        same(kl.scan(Array(x), name, exclusive=exclusive), kl.scan(x, name, exclusive=exclusive))
        same(kl.scan(Array(x), name, offsets=Array(offsets), exclusive=exclusive),
             kl.scan(x, name, offsets=offsets, exclusive=exclusive))
    same(kl.segmented_reduce(Array(x), Array(offsets), name), kl.segmented_reduce(x, offsets, name))
    same(kl.scan(Array(x[::-3]), name), kl.scan(x[::-3], name))
    same(kl.segmented_reduce(Array(x[:0]), Array(np.zeros(3, int)), name),
         kl.segmented_reduce(x[:0], np.zeros(3, int), name))


@pytest.mark.parametrize("order", ["ascending", "descending"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_orders(order, dtype):
    keys, offsets = draw(60, dtype, 2), np.array([0, 10, 10, 60])
    for rest in ({}, {"return_positions": True}):
        given = keys.copy()
        same(kl.sort(Array(given), order, **rest), kl.sort(keys, order, **rest))
        np.testing.assert_array_equal(given, keys)
        same(kl.sort(Array(keys[::2]), order, **rest), kl.sort(keys[::2], order, **rest))
        same(kl.sort(Array(keys), order, offsets=Array(offsets), **rest), kl.sort(keys, order, offsets=offsets, **rest))
        a, b = kl.sort(keys[:25], order), kl.sort(keys[25:], order)
        for name in ("merge", *SETS):
            function = getattr(kl, name)
            for x, y in ((a, b), (a[:0], b), (a, b[:0]), (a[::2], b[::3])):
                same(function(Array(x), Array(y), order, **rest), function(x, y, order, **rest))


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_joins(how, dtype):
    a, b = np.sort(draw(30, dtype, 3)), np.sort(draw(40, dtype, 4))
    same(kl.join(Array(a), Array(b), how), kl.join(a, b, how))
    same(kl.join(Array(a[::2]), Array(b[:0]), how), kl.join(a[::2], b[:0], how))


X, AT = Array(np.arange(4.0)), Array(np.array([0, 4]))
WHOLE = Array(np.arange(4))


@pytest.mark.parametrize("call, words", [
    (lambda: kl.scan(X, offsets=[0, 4]), "scan: offsets is in host memory, and other arrays are on CUDA device 0"),
    (lambda: kl.scan([1.0], offsets=AT), "scan: the vector is in host memory"),
    (lambda: kl.scan(Array(np.ones((2, 2)))), "scan: the vector has 2 dimensions; values are a vector"),
    (lambda: kl.scan(WHOLE), "plus_times has no elements of int64"),
    (lambda: kl.scan(X, offsets=Array(np.array([0, 4], np.int32))), "not 2 of int32"),
    (lambda: kl.segmented_reduce(X, Array(np.zeros(0, int))), "one more than there are segments, and not 0 of int64"),
    (lambda: kl.scan(X, kl.semiring("own", kl.max, kl.min, zero=-np.inf)), "own is an algebra of your own"),
    (lambda: kl.sort(Array(np.arange(4, dtype=np.uint8))),
     "sort: keys on a device are float32, float64, int32 or int64, and not uint8"),
    (lambda: kl.sort(X, kl.order("own", lambda a, b: b < a)), "sort: own is an order of your own"),
    (lambda: kl.sort(X, "upwards"), "there is no order 'upwards'"),
    (lambda: kl.sort(X, offsets=[0, 4]), "sort: offsets is in host memory"),
    (lambda: kl.merge(X, np.arange(3.0)), "merge: b is in host memory"),
    (lambda: kl.set_union(X, WHOLE), "set_union: a has elements of float64, b of int64"),
    (lambda: kl.join(X, Array(np.arange(3.0), 1)), "join: b is on CUDA device 1"),
    (lambda: kl.join(X, X, "cross"), "there is no join 'cross'"),
])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_arrays_whose_results_cannot_be_made():
    strange = type("Elsewhere", (), {"__module__": "elsewhere", "__cuda_array_interface__":
                                     property(lambda self: Array(np.arange(4.0)).__cuda_array_interface__)})()
    with pytest.raises(ValueError, match="scan: results cannot be made for arrays of elsewhere"):
        kl.scan(strange)
