"""SciPy's own tests of scipy.sparse.csgraph, from its wheel, with the import swapped for kleene.csgraph."""

import contextlib
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.sparse  # noqa: E402
import scipy.sparse.csgraph  # noqa: E402

from kleene import NegativeCycleError, csgraph  # noqa: E402

FOLDER = Path(scipy.sparse.csgraph.__file__).parent / "tests"
FILES = ["test_shortest_path.py", "test_connected_components.py"]
# Tests that do not hold for us, each with the reason.
SKIPPED = {}


@contextlib.contextmanager
def swapped():
    """Whoever imports scipy.sparse.csgraph meanwhile, in whatever words, gets kleene.csgraph."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "scipy.sparse.csgraph", csgraph)
        patch.setattr(scipy.sparse, "csgraph", csgraph)
        yield


def take_tests():
    for name in FILES:
        module = {"__name__": f"{__name__}.{name}"}
        with swapped():
            exec(compile((FOLDER / name).read_text(), str(FOLDER / name), "exec"), module)
        assert any(thing is csgraph or thing is csgraph.shortest_path for thing in module.values()), name
        for test, function in module.items():
            if test.startswith("test_"):
                reason = SKIPPED.get(test)
                yield f"{test}_of_scipy", pytest.mark.skip(reason=reason)(function) if reason else function


if FOLDER.is_dir():
    globals().update(take_tests())


def test_scipys_tests_are_here():
    """Distributions may leave SciPy's tests out; wheels have them."""
    if not FOLDER.is_dir():
        pytest.skip("this SciPy was installed without its tests")
    assert sum(name.endswith("_of_scipy") for name in globals()) >= 25


def random_graph(n, density, seed, low=1):
    rng = np.random.default_rng(seed)
    a = scipy.sparse.random(n, n, density, format="csr", random_state=seed).tocsr()
    a.data = rng.integers(low, 100, a.nnz).astype(float)
    return a


def chains_add_up(graph, distances, predecessors):
    """Whether each predecessor is one edge nearer."""
    i, j = np.nonzero(predecessors != -9999)
    before = predecessors[i, j]
    np.testing.assert_allclose(distances[i, before] + graph.toarray()[before, j], distances[i, j])
    no_path = (distances == np.inf) | np.eye(len(distances), dtype=bool)
    np.testing.assert_array_equal(predecessors == -9999, no_path)


INF = np.inf
FUNCTIONS = ["shortest_path", "floyd_warshall", "dijkstra", "bellman_ford", "johnson"]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
def test_as_scipy(function, directed, unweighted):
    a = random_graph(60, 0.06, 1)
    for graph in (a, a.tolil(), a.toarray(), np.ma.masked_equal(a.toarray(), 0)):
        ours, before = getattr(csgraph, function)(graph, directed=directed, unweighted=unweighted,
                                                  return_predecessors=True)
        theirs = scipy.sparse.csgraph.floyd_warshall(a, directed=directed, unweighted=unweighted)
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == np.float64 and before.dtype == np.int32
        if directed and not unweighted:
            chains_add_up(a, ours, before)


def test_limit_and_nearest_source():
    a = random_graph(80, 0.05, 2)
    for limit in ("3", b"3", None, [1, 2]):
        with pytest.raises(TypeError, match="limit: a number is needed"):
            csgraph.dijkstra(a, limit=limit)
    np.testing.assert_array_equal(csgraph.dijkstra(a, limit=10**400), csgraph.dijkstra(a))
    np.testing.assert_array_equal(csgraph.dijkstra(a, indices=np.array([0, 7], object)),
                                  csgraph.dijkstra(a, indices=[0, 7]))
    for limit in (0, 50, 120.5):
        ours, before = csgraph.dijkstra(a, limit=limit, return_predecessors=True)
        theirs, theirs_before = scipy.sparse.csgraph.dijkstra(a, limit=limit, return_predecessors=True)
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(before == -9999, theirs_before == -9999)
    ours = csgraph.dijkstra(a, indices=[5, -1, 17], min_only=True, return_predecessors=True, limit=150)
    theirs = scipy.sparse.csgraph.dijkstra(a, indices=[5, 79, 17], min_only=True, return_predecessors=True, limit=150)
    np.testing.assert_array_equal(ours[0], theirs[0])
    assert csgraph.dijkstra(a, indices=[]).shape == (0, 80)
    with pytest.raises(ValueError, match="limit must be >= 0"):
        csgraph.dijkstra(a, limit=-1)
    with pytest.raises(ValueError, match=r"indices out of range 0\.\.\.80"):
        csgraph.dijkstra(a, indices=[80])


@pytest.mark.parametrize("options, words", [
    ({"indices": "a"}, "indices: numbers of vertices are needed, and not 'a'"),
    ({"indices": [0, None]}, r"indices: numbers of vertices are needed, and not \[0, None\]"),
    ({"limit": None}, "limit: a number is needed, and not None"),
    ({"limit": "far"}, "limit: a number is needed, and not 'far'"),
])
def test_arguments_that_are_no_numbers(options, words):
    with pytest.raises(TypeError, match=f"^{words}$"):
        csgraph.dijkstra(random_graph(5, 0.5, 1), **options)


def test_large_graphs_with_negative_weights():
    """Too large to be eliminated: Johnson's algorithm. Potentials make weights negative and no cycle."""
    n = 1600
    a = random_graph(n, 0.003, 3)
    height = np.random.default_rng(4).integers(0, 300, n)
    coo = a.tocoo()
    a = scipy.sparse.csr_array((coo.data + height[coo.row] - height[coo.col], (coo.row, coo.col)), shape=(n, n))
    assert a.data.min() < 0
    sources = [3, 700, 3]
    ours, before = csgraph.johnson(a, indices=sources, return_predecessors=True)
    np.testing.assert_allclose(ours, scipy.sparse.csgraph.bellman_ford(a, indices=sources), atol=1e-9)
    np.testing.assert_array_equal(ours[0], ours[2])
    i, j = np.nonzero(before != -9999)
    np.testing.assert_allclose(ours[i, before[i, j]] + a.toarray()[before[i, j], j], ours[i, j], atol=1e-9)


@pytest.mark.parametrize("n", [30, 1600])
def test_negative_cycles_are_shown(n):
    a = random_graph(n, 5 / n, 5).tolil()
    ring = [4, 9, 2, 17]
    for u, v in zip(ring, ring[1:] + ring[:1]):
        a[u, v] = -1.0
    a = a.tocsr()
    for function in FUNCTIONS if n == 30 else ["johnson", "dijkstra"]:
        with pytest.raises(scipy.sparse.csgraph.NegativeCycleError) as caught:
            getattr(csgraph, function)(a)
        assert isinstance(caught.value, NegativeCycleError)
        cycle = caught.value.cycle
        assert sum(a[u, v] for u, v in zip(cycle, cycle[1:] + cycle[:1])) < 0
        assert all(a[u, v] != 0 for u, v in zip(cycle, cycle[1:] + cycle[:1]))


@pytest.mark.parametrize("largest", [1.0, 2.0**26, 2.0**40, 0.5, np.inf])
def test_weights_of_any_size(largest):
    """Whole numbers that are small go through int32."""
    a = random_graph(50, 0.05, 7)
    a.data[0] = largest
    np.testing.assert_array_equal(csgraph.dijkstra(a), scipy.sparse.csgraph.dijkstra(a))


def test_overwrite_computes_in_place():
    a = random_graph(20, 0.2, 6).toarray()
    expected = scipy.sparse.csgraph.floyd_warshall(a)
    assert csgraph.floyd_warshall(a, overwrite=True) is a
    np.testing.assert_array_equal(a, expected)


def test_where_it_differs():
    """As the module's help says."""
    stored = scipy.sparse.csr_array((np.array([np.nan]), ([0], [1])), shape=(2, 2))
    for function in (csgraph.shortest_path, csgraph.floyd_warshall, csgraph.dijkstra, csgraph.bellman_ford):
        with pytest.raises(ValueError, match="NaN"):
            function(stored)
    assert csgraph.floyd_warshall([[0, 1e-9], [0, 0]]).tolist() == [[0, 1e-9], [np.inf, 0]]
    assert csgraph.dijkstra([[0, 1e-9], [0, 0]]).tolist() == [[0, 1e-9], [np.inf, 0]]
    assert csgraph.dijkstra([[0, 2.5], [0, 0]], limit=np.nan).tolist() == [[0, 2.5], [np.inf, 0]]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_edges_stored_twice(function):
    """As SciPy's functions take them: what csr and csc store as it is, other forms as they are converted."""
    twice = scipy.sparse.csr_array((np.array([5.0, 2, 3]), np.array([1, 1, 1]), np.array([0, 3, 3])), shape=(2, 2))
    ours, theirs = getattr(csgraph, function), getattr(scipy.sparse.csgraph, function)
    assert ours(twice)[0, 1] == theirs(twice.copy())[0, 1] == 2
    turned = scipy.sparse.csc_array((twice.data, np.zeros(3, int), np.array([0, 0, 3])), shape=(2, 2))
    assert ours(turned)[0, 1] == theirs(turned.copy())[0, 1] == 2
    assert ours(twice.tocoo())[0, 1] == scipy.sparse.csgraph.dijkstra(twice.tocoo())[0, 1] == 10


@pytest.mark.parametrize("function", FUNCTIONS)
def test_masked_input(function):
    values = np.array([[0.0, 0, 7], [1, 0, INF], [1, 1, 0]])
    masked = np.ma.array(values, mask=[[1, 0, 1], [1, 1, 0], [1, 1, 1]])
    found = getattr(csgraph, function)(masked)
    assert found.tolist() == [[0, 0, INF], [INF, 0, INF], [INF, INF, 0]]
    masked[1, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        getattr(csgraph, function)(masked)
    masked[1, 2] = np.ma.masked
    assert getattr(csgraph, function)(masked).tolist() == found.tolist()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers_that_no_float_holds(function):
    ours, theirs = getattr(csgraph, function), getattr(scipy.sparse.csgraph, function)
    rounded = np.array([[0, 2**53 + 1], [0, 0]])
    assert ours(rounded)[0, 1] == theirs(rounded)[0, 1] == 2.0**53
    far = np.array([[0, 1e308, 0], [0, 0, 1e308], [0, 0, 0]])
    assert theirs(far)[0, 2] == np.inf
    with pytest.raises(ValueError, match="from 0 to 2 .*too large for f"):
        ours(far)


def test_what_is_not_ours_is_scipys():
    assert csgraph.minimum_spanning_tree is scipy.sparse.csgraph.minimum_spanning_tree
    assert csgraph.shortest_path is not scipy.sparse.csgraph.shortest_path
    assert set(csgraph.__all__) == set(scipy.sparse.csgraph.__all__)
