import copy
import pickle

import numpy as np
import pytest

import kleene as kl
from algebra_loops import closure
from test_closure import BEFORE, ROADS, SHORTEST, graph

scipy_sparse = pytest.importorskip("scipy.sparse")
INF = np.inf


def roads_as(kind):
    row, col = np.nonzero(np.isfinite(ROADS))
    matrix = scipy_sparse.coo_array((ROADS[row, col], (row, col)), shape=(4, 4))
    return ROADS if kind == "dense" else matrix.asformat(kind)


@pytest.mark.parametrize("kind", ["dense", "csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("method", ["auto", "floyd_warshall", "dijkstra"])
def test_literals(kind, method):
    r = kl.shortest_paths(roads_as(kind), method=method)
    np.testing.assert_array_equal(r.distances, SHORTEST)
    np.testing.assert_array_equal(r.predecessors, BEFORE)
    assert r.path(0, 3) == ([0, 1, 2, 3], 6.0)
    assert r.path(2, 2) == ([2], 0.0)
    assert r.paths([(0, 3), (3, 2)], threads=2) == [([0, 1, 2, 3], 6.0), ([3, 0, 1, 2], 7.0)]
    assert r.method == (method if method != "auto" else r.method) and r.reason and r.arcs == 5
    assert list(r.sources) == [0, 1, 2, 3] and repr(r).startswith("<kleene shortest paths of 4 vertices by ")


def test_a_hierarchy_of_roads():
    rng = np.random.default_rng(1)
    n = 30  # crossings a side
    at = np.arange(n * n).reshape(n, n)
    row = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    col = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    lengths = rng.integers(1, 100, 2 * len(row))
    roads = kl.Graph(n * n, np.append(row, col), np.append(col, row), lengths)
    r = kl.shortest_paths(roads, dtype=np.int32)
    assert r.method == "hierarchy" and r.reason.startswith("by estimate ")
    wanted = kl.shortest_paths(roads, dtype=np.int32, method="dijkstra")
    np.testing.assert_array_equal(r.distances, wanted.distances)
    way, length = r.path(0, n * n - 1)
    assert (way[0], way[-1], length) == (0, n * n - 1, wanted.distances[0, -1])
    some = kl.shortest_paths(roads, dtype=np.int64, method="hierarchy", sources=[5, 899, 5], predecessors=False)
    np.testing.assert_array_equal(some.distances, wanted.distances[[5, 899, 5]])
    with pytest.raises(ValueError, match="hierarchy: it is for sums of i32 or i64; use dijkstra"):
        kl.shortest_paths(roads, dtype=np.float64, method="hierarchy")


def test_widest_and_most_reliable_paths():
    pipes = np.array([[-INF, 3, 8], [-INF, -INF, -INF], [-INF, 5, -INF]])
    assert kl.shortest_paths(pipes, "max_min").path(0, 1) == ([0, 2, 1], 5.0)
    links = np.array([[0, 0.5, 0.9], [0, 0, 0], [0, 0.75, 0]])
    assert kl.shortest_paths(links, "max_times").path(0, 1) == ([0, 2, 1], 0.9 * 0.75)
    r = kl.shortest_paths(scipy_sparse.csr_array(links), "or_and")
    np.testing.assert_array_equal(r.distances, [[1, 1, 1], [0, 1, 0], [0, 1, 1]])
    assert r.distances.dtype == np.bool_


def test_in_sparse_data_only_what_is_not_stored_is_no_arc():
    a = scipy_sparse.csr_array((np.array([0.0, 1e-9]), np.array([1, 2]), np.array([0, 1, 2, 2])), shape=(3, 3))
    np.testing.assert_array_equal(kl.shortest_paths(a).distances, [[0, 0, 1e-9], [INF, 0, 1e-9], [INF, INF, 0]])


def test_what_a_sparse_matrix_stores_twice_is_added_up():
    """The list of kl.Graph and of files has parallel arcs (test_names); SciPy's matrices mean the sum."""
    listed = scipy_sparse.coo_array(([3.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    rows = scipy_sparse.csr_array((np.array([3.0, 2.0]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))
    columns = scipy_sparse.csc_array((np.array([3.0, 2.0]), np.array([0, 0]), np.array([0, 0, 2])), shape=(2, 2))
    for form in (listed, rows, columns):
        for algebra in ("min_plus", "max_min"):
            assert kl.shortest_paths(form, algebra).distances[0, 1] == form.toarray()[0, 1] == 5.0
        assert form.nnz == 2  # as it was


def test_unsorted_rows():
    rows = scipy_sparse.csr_array((np.array([3.0, 2.0]), np.array([2, 1]), np.array([0, 2, 2, 2])), shape=(3, 3))
    assert kl.shortest_paths(rows).distances[0].tolist() == [0.0, 2.0, 3.0]
    assert rows.indices.tolist() == [2, 1]


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_sparse_weights_are_not_rounded(dtype):
    def arc(weight):
        return scipy_sparse.coo_array((np.array([weight], dtype), ([0], [1])), shape=(2, 2))

    for weight in (2**53 + 1, 2**62 - 3, np.iinfo(dtype).max):
        with pytest.raises(ValueError, match=f"a weight: float64 does not hold {weight}"):
            kl.shortest_paths(arc(weight))
    with pytest.raises(ValueError, match="a weight: float32 does not hold 16777217"):
        kl.shortest_paths(arc(2**24 + 1), dtype="float32")
    assert kl.shortest_paths(arc(2**53 + 1), dtype="int64").distances[0, 1] == 2**53 + 1
    assert kl.shortest_paths(arc(2**60)).distances[0, 1] == 2.0**60


@pytest.mark.parametrize("graph_of", [lambda: ROADS, lambda: roads_as("csr")])
@pytest.mark.parametrize("method", ["auto", "floyd_warshall", "dijkstra"])
def test_no_sources_give_no_rows(graph_of, method):
    r = kl.shortest_paths(graph_of(), sources=[], method=method)
    assert r.distances.shape == r.predecessors.shape == (0, 4) and len(r.sources) == 0 and r.paths([]) == []
    assert kl.shortest_paths(graph_of(), sources=[], predecessors=False).predecessors is None
    for call in (lambda: r.path(0, 1), lambda: r.paths([(0, 1)])):
        with pytest.raises(ValueError, match="there are no sources"):
            call()
    assert kl.shortest_paths(np.empty((0, 0)), sources=[]).distances.shape == (0, 0)


def test_names_are_any_iterable_of_strings():
    for names in (["Ulm", "Bonn"], ("Ulm", "Bonn"), np.array(["Ulm", "Bonn"]), iter(["Ulm", "Bonn"])):
        graph = kl.Graph(2, [0], [1], [3], names)
        assert graph.names == ["Ulm", "Bonn"] and {type(n) for n in graph.names} == {str}
        assert graph.vertex("Bonn") == 1


def test_sources_are_any_iterable():
    named = kl.Graph(3, [0, 1], [1, 2], [3, 4], ["Ulm", "Bonn", "Kiel"])
    for make in (list, tuple, set, frozenset, iter, dict.fromkeys, lambda x: dict.fromkeys(x).keys(), np.array):
        assert sorted(kl.shortest_paths(ROADS, sources=make([0, 3])).sources.tolist()) == [0, 3]
        r = kl.shortest_paths(named, sources=make(["Ulm", "Bonn"]))
        assert sorted(r.sources.tolist()) == [0, 1] and r.path("Ulm", "Kiel").length == 7
    assert kl.shortest_paths(ROADS, sources=(v for v in ())).distances.shape == (0, 4)
    pairs = ((u, v) for u, v in [(0, 3), [3, 2]])
    assert [p.length for p in kl.shortest_paths(ROADS).paths(pairs)] == [6.0, 7.0]


@pytest.mark.parametrize("dtype, expected", [("float32", "float32"), ("int32", "int32"), (None, "float64")])
def test_types(dtype, expected):
    a = graph(np.random.default_rng(6), "min_plus", "float64", 23)
    matrix = scipy_sparse.csr_array(np.where(np.isinf(a), 0, a + 1))
    r = kl.shortest_paths(matrix, dtype=dtype, method="dijkstra")
    assert r.distances.dtype == np.dtype(expected)
    d = closure("min_plus", np.where(np.isinf(a), INF, a + 1), 0)
    np.testing.assert_array_equal(r.distances, np.where(np.isinf(d), kl.zero("min_plus", expected), d))
    assert kl.shortest_paths(matrix.astype(np.int8)).distances.dtype == np.float64
    assert kl.shortest_paths(matrix.astype(np.float32)).distances.dtype == np.float32


def test_a_dense_matrix_in_another_type():
    r = kl.shortest_paths(ROADS, dtype="int32")
    assert r.distances.dtype == np.int32
    np.testing.assert_array_equal(r.distances, SHORTEST)
    apart = kl.shortest_paths(np.array([[INF, 3.0], [INF, INF]]), dtype="int64").distances
    assert apart.tolist() == [[0, 3], [0x3FFFFFFFFFFFFFFF, 0]]
    wide = kl.shortest_paths(np.array([[0x3FFFFFFF, 3], [0x3FFFFFFF, 0x3FFFFFFF]], np.int32), dtype="float64").distances
    assert wide.tolist() == [[0.0, 3.0], [INF, 0.0]]


def test_without_predecessors():
    r = kl.shortest_paths(ROADS, predecessors=False)
    assert r.predecessors is None
    with pytest.raises(ValueError, match="predecessors"):
        r.path(0, 1)


def test_no_way():
    r = kl.shortest_paths(np.full((2, 2), INF))
    assert r.path(0, 1) == ([], INF) and r.predecessors.tolist() == [[-1, -1], [-1, -1]]
    assert kl.shortest_paths(np.empty((0, 0))).distances.shape == (0, 0)


def test_names():
    g = kl.Graph(3, np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.array([2, 5]), ["Ulm", "Bonn", "Kiel"])
    r = kl.shortest_paths(g)
    assert r.path("Ulm", "Kiel") == (["Ulm", "Bonn", "Kiel"], 7.0)
    assert r.path(0, "Bonn") == (["Ulm", "Bonn"], 2.0)
    assert kl.shortest_paths(g, sources=["Bonn"]).distances.tolist() == [[INF, 0.0, 5.0]]
    with pytest.raises(KeyError, match="no vertex is called 'Köln'"):
        r.path("Ulm", "Köln")
    with pytest.raises(ValueError, match="^there is no path from 'Ulm': it is not among the sources$"):
        kl.shortest_paths(g, sources=["Bonn"]).path("Ulm", "Kiel")
    with pytest.raises(ValueError, match=r"^paths need the predecessors: shortest_paths\(..., predecessors=True\)$"):
        kl.shortest_paths(g, predecessors=False).path("Ulm", "Kiel")
    loop = kl.Graph(2, np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.array([2, -3]), ["Ulm", "Bonn"])
    with pytest.raises(kl.NegativeCycleError) as caught:
        kl.shortest_paths(loop)
    assert sorted(caught.value.cycle) == ["Bonn", "Ulm"] and "Ulm -> Bonn" in str(caught.value)
    parallel = kl.Graph(2, np.array([0, 0], np.int32), np.array([1, 1], np.int32), np.array([7, 4]))
    assert kl.shortest_paths(parallel).distances[0, 1] == 4.0
    assert kl.shortest_paths(parallel, "max_min").distances[0, 1] == 7.0
    assert parallel.to_scipy().toarray().tolist() == [[0.0, 4.0], [0.0, 0.0]]


def test_many_paths_by_name():
    g = kl.Graph(3, [0, 1], [1, 2], [2, 5], ["Ulm", "Bonn", "Kiel"])
    assert kl.shortest_paths(g).paths([("Ulm", "Kiel"), ("Kiel", 0)]) == [(["Ulm", "Bonn", "Kiel"], 7.0), ([], INF)]
    with pytest.raises(TypeError, match="sources: a list of vertices is needed, and not 'Bonn'"):
        kl.shortest_paths(g, sources="Bonn")


def test_graphs_of_lists():
    g = kl.Graph(np.int64(3), [0, 1], np.array([1, 2]), [0.5, 2])
    assert g.row.dtype == g.col.dtype == np.int32 and g.data.tolist() == [0.5, 2.0] and g.arcs == 2
    assert kl.shortest_paths(g).path(0, 2) == ([0, 1, 2], 2.5)
    assert kl.shortest_paths(kl.Graph(2, [], [], [])).distances.tolist() == [[0.0, INF], [INF, 0.0]]


OWN_SUM = kl.semiring("own_sum", lambda a, b: a + b, lambda a, b: a * b, zero=0)
PARALLEL = kl.Graph(4, [2, 0, 0, 2, 0, 2], [1, 1, 0, 1, 1, 1], [1, 1, 1, 1, 1, 0])


@pytest.mark.parametrize("algebra, twice, thrice, dtype", [
    ("plus_times", 2, 2, "float64"), ("plus_min", 2, 2, "float64"), ("xor_and", 0, 0, "float64"),
    ("log_plus", 1 + np.log(2), np.log(2 * np.e + 1), "float64"), ("min_plus", 1, 0, "float64"),
    ("or_and", True, True, "bool"), (kl.semiring("own_max", kl.max, kl.min, zero=-INF), 1, 1, "float64"),
    (OWN_SUM, 2, 2, "float64")])
def test_parallel_arcs_are_added_over_any_algebra(algebra, twice, thrice, dtype):
    offsets, columns, data = PARALLEL.csr(algebra)
    assert (offsets.tolist(), columns.tolist()) == ([0, 2, 2, 3, 3], [0, 1, 1])
    assert (offsets.dtype, columns.dtype, data.dtype) == (np.int64, np.int32, np.dtype(dtype))
    np.testing.assert_allclose(data, [1, twice, thrice], rtol=1e-15)
    assert PARALLEL.to_scipy(algebra, np.float32 if dtype != "bool" else None).shape == (4, 4)
    assert kl.Graph(2, [], [], []).to_scipy(algebra).nnz == 0


def test_many_parallel_arcs():
    rng = np.random.default_rng(8)
    row, col = rng.integers(0, 5, 700), rng.integers(0, 7, 700)
    graph, wanted = kl.Graph(7, row, col, np.arange(700)), np.zeros((7, 7))
    np.add.at(wanted, (row, col), np.arange(700))
    for algebra in ("plus_times", OWN_SUM):
        np.testing.assert_array_equal(graph.to_scipy(algebra).toarray(), wanted)


def test_sums_of_parallel_arcs_that_are_none():
    graph = kl.Graph(2, [0, 0], [1, 1], [2**30, 2**30])
    with pytest.raises(ValueError, match="^parallel arcs add up to 2147483648, which int32 does not hold; use dtype="):
        graph.to_scipy("plus_times", "int32")
    assert graph.to_scipy("plus_times").data.tolist() == [2.0**31]
    with pytest.raises(ValueError, match=r"^the arc 0 -> 1 \(0-based\) has weight 2.0, which is outside the domain"):
        kl.Graph(2, [0, 0], [1, 1], [1, 2]).to_scipy("xor_and")


@pytest.mark.parametrize("arguments, kind, words", [
    ((2, [0, 1], [1], [3]), ValueError, r"vectors of one length; these are \(2,\), \(1,\) and \(1,\)"),
    ((2, [[0]], [[1]], [[3]]), ValueError, "vectors of one length"),
    ((2, [0], [2], [3]), ValueError, r"vertex 2 is not in a graph of 2"),
    ((2, [-1], [1], [3]), ValueError, r"vertex -1 is not in a graph of 2"),
    ((2, [0.5], [1], [3]), ValueError, "a vertex: int32 does not hold 0.5"),
    ((2, [0], [1], ["far"]), TypeError, "weights are numbers"),
    ((2, [0], [1], [3], ["Ulm"]), ValueError, "1 names for 2 vertices"),
    ((2.5, [0], [1], [3]), TypeError, "vertices: a whole number is needed, and not 2.5"),
    ((-1, [], [], []), ValueError, "and not -1"),
    ((2, [0], [1], [3], 2), TypeError, "^names: a list of strings is needed, and not 2$"),
    ((2, [0], [1], [3], ["Ulm", 2]), TypeError, "names are strings, and that of vertex 1 is 2: numbers are positions$"),
])
def test_graphs_that_are_none(arguments, kind, words):
    with pytest.raises(kind, match=words):
        kl.Graph(*arguments)


@pytest.mark.parametrize("call, words", [
    (lambda r: r.path("a", 0), "a vertex: a whole number is needed, and not 'a'"),
    (lambda r: r.paths([(0, 1.5)]), "a vertex: a whole number is needed, and not 1.5"),
    (lambda r: kl.shortest_paths(ROADS, sources=[True, False, False, True]), "and not bools"),
    (lambda r: kl.shortest_paths(ROADS, sources="name"), "sources: a list of vertices is needed, and not 'name'"),
    (lambda r: kl.shortest_paths(ROADS, sources=["a"]), "a source: a number is needed"),
    (lambda r: kl.shortest_paths(ROADS, block=1.5), "block: a whole number is needed, and not 1.5"),
    (lambda r: r.paths(3), r"^paths: pairs of vertices are needed, \[\(0, 1\), \(2, 3\)\], and not 3$"),
    (lambda r: r.paths([(0, 2), 1]), r"^paths: pairs of vertices are needed, \[\(0, 1\), \(2, 3\)\]; entry 1 is 1$"),
    (lambda r: r.paths(["01"]), "entry 0 is '01'$"),
    (pickle.dumps, "neither pickled nor copied: take their .distances"),
    (copy.deepcopy, "neither pickled nor copied: take their .distances"),
])
def test_what_is_of_the_wrong_kind(call, words):
    with pytest.raises(TypeError, match=words):
        call(kl.shortest_paths(ROADS))


def test_a_cycle_that_is_long_is_cut_in_the_message():
    n = 50
    row = np.arange(n, dtype=np.int32)
    weights = np.ones(n)
    weights[0] = -n
    ring = scipy_sparse.csr_array((weights, (row, (row + 1) % n)), shape=(n, n))
    with pytest.raises(kl.NegativeCycleError, match=" -> ... -> ") as caught:
        kl.shortest_paths(ring)
    assert sorted(caught.value.cycle) == list(range(n))


@pytest.mark.parametrize("call, words", [
    (lambda: kl.shortest_paths(np.ones((2, 3))), r"and not \(2, 3\)"),
    (lambda: kl.shortest_paths(scipy_sparse.csr_array(np.ones((2, 3)))), "and not 2 x 3"),
    (lambda: kl.shortest_paths(ROADS, "plus_times"), "plus_times has no paths"),
    (lambda: kl.shortest_paths(ROADS, method="quick"), "quick"),
    (lambda: kl.shortest_paths(np.array([[0, -1.0], [5, 0]]), method="dijkstra"), "-1"),
    (lambda: kl.shortest_paths(ROADS, sources=[4]), "4"),
    (lambda: kl.shortest_paths(ROADS, sources=[0.5]), "int32 does not hold 0.5"),
    (lambda: kl.shortest_paths(ROADS + 0.5, dtype="int32"), "int32 does not hold 1.5"),
    (lambda: kl.shortest_paths(np.full((2, 2), np.nan)), "NaN"),
    (lambda: kl.shortest_paths(ROADS).path(0, 2**40), "vertex 1099511627776 is not in a graph of 4"),
    (lambda: kl.shortest_paths(ROADS).paths([(0, 2, 1)]),
     r"^paths: entry 0 is of 3 vertices, \(0, 2, 1\); a pair is \(source, target\)$"),
    (lambda: kl.shortest_paths(ROADS, sources=[[0], [1, 2]]), "^sources: a list of vertices is needed, and not one"),
    (lambda: kl.shortest_paths(ROADS, block=2**70), "^block: 1180591620717411303424; a block is of 1 to "),
    (lambda: kl.closure(ROADS, block=2**70), "^block: 1180591620717411303424; a block is of 1 to "),
    (lambda: kl.closure(ROADS, block=-5), "^block: -5; a block is of 1 to "),
])
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_names_that_are_numbers(tmp_path):
    """1 may be a name or a position there, and is refused as neither was meant for sure."""
    path = tmp_path / "net.csv"
    path.write_text("1,50,5\n50,2,6\n2,40,1\n")
    graph = kl.read(path, header=False, vertices="names")
    assert graph.names == ["1", "2", "40", "50"]
    r = kl.shortest_paths(graph)
    assert r.path("1", "2") == (["1", "50", "2"], 11)
    assert r.path(graph.names[0], graph.names[2]) == (["1", "50", "2", "40"], 12)
    for call in (lambda: r.path(1, 2), lambda: r.path("2", 1), lambda: r.paths([("1", "2"), ("1", 1)]),
                 lambda: kl.shortest_paths(graph, sources=[1]), lambda: kl.shortest_paths(graph, sources=1),
                 lambda: kl.shortest_paths(graph, sources=np.array([1])), lambda: graph.vertex(1)):
        with pytest.raises(ValueError, match=r"^1 may be meant as the name '1' or as the position of '2': all names "
                                             r"are numbers, so say the name \(names\[1\] is that of a position\)$"):
            call()
    assert kl.shortest_paths(graph, sources=["2", "50"]).sources.tolist() == [1, 3]
    for number, known in ((50, "50"), (-1, "1"), (4, "1")):
        with pytest.raises(ValueError, match=rf"^vertex {number} is not in a graph of 4 \(0-based\), whose vertices "
                                             rf"have names, such as '{known}'$"):
            r.path("1", number)


def test_positions_where_names_are_words():
    graph = kl.Graph(3, [0, 1], [1, 2], [5, 6], names=["7", "x", "y"])
    r = kl.shortest_paths(graph, sources=[0, "x"])
    assert r.path(0, "y") == r.path("7", 2) == (["7", "x", "y"], 11)
    for call in (lambda: r.path(0, 7), lambda: kl.shortest_paths(graph, sources=[7])):
        with pytest.raises(ValueError, match=r"^vertex 7 is not in a graph of 3 \(0-based\), .* such as '7'$"):
            call()


def test_vertices_that_no_memory_holds():
    graph = kl.Graph(2**31 - 1, [0], [1], [1.0])
    if kl._kleene.available_memory() < 50e9:
        with pytest.raises(MemoryError, match="2147483647 vertices takes .* bytes by rows; .* are left"):
            kl.shortest_paths(graph, sources=[])


def test_paths_beyond_a_limit_may_be_too_long():
    """Those that no float64 holds are beyond it, too, from a source and from the nearest of several."""
    csgraph = pytest.importorskip("kleene.csgraph")
    long = np.array([[0, 1e308, 0, 2], [0, 0, 1e308, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    with pytest.raises(ValueError):
        csgraph.dijkstra(long)
    near = np.where(np.eye(4, dtype=bool), 0, np.inf)
    near[0, 3] = 2
    np.testing.assert_array_equal(csgraph.dijkstra(long, limit=5), near)
    np.testing.assert_array_equal(csgraph.dijkstra(long, limit=5, indices=[0], min_only=True), near[0])
