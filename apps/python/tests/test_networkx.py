"""The backend of NetworkX: as NetworkX itself, and NetworkX's own tests through it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

nx = pytest.importorskip("networkx", minversion="3.3")
from kleene import _networkx  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
# Test modules of NetworkX that call what the backend has.
MODULES = [
    "networkx.algorithms.shortest_paths.tests",
    "networkx.algorithms.tests.test_dag",
    "networkx.algorithms.tests.test_distance_measures",
]


@pytest.fixture(scope="module")
def metadata(tmp_path_factory):
    """A folder that says what the installed package would say: pyproject.toml's entry points."""
    folder = tmp_path_factory.mktemp("metadata") / "kleene-0.1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: kleene\nVersion: 0.1.0\n")
    text = (ROOT / "pyproject.toml").read_text()
    tables = re.findall(r'\[project\.entry-points\."(.*?)"\]\n(.*?)\n\n', text, re.DOTALL)
    assert [name for name, _ in tables] == ["networkx.backends", "networkx.backend_info"]
    (folder / "entry_points.txt").write_text("\n".join(f"[{name}]\n{rows}".replace('"', "") for name, rows in tables))
    return str(folder.parent)


def test_networkxs_own_tests(metadata):
    places = [metadata, str(Path(_networkx.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "NETWORKX_TEST_BACKEND": "kleene", "NETWORKX_FALLBACK_TO_NX": "True",
                   "PYTHONPATH": os.pathsep.join(filter(None, places))}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", *MODULES],
                          env=environment, capture_output=True, text=True, timeout=600, check=False)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0 and int(passed.group(1)) > 250, done.stdout[-3000:]


def graphs():
    rng = np.random.default_rng(1)
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        graph = nx.gnm_random_graph(25, 60, seed=2, directed=kind().is_directed())
        graph = kind(graph)
        for *_, data in graph.edges(data=True):
            data["weight"] = int(rng.integers(1, 20))
        graph.add_edge("away", 0, weight=2.5)
        yield graph


CALLS = [
    ("all_pairs_dijkstra_path_length", {}), ("all_pairs_dijkstra_path_length", {"cutoff": 11}),
    ("all_pairs_bellman_ford_path_length", {}), ("all_pairs_shortest_path_length", {}),
    ("all_pairs_shortest_path_length", {"cutoff": 2}), ("floyd_warshall", {}), ("floyd_warshall", {"weight": None}),
]


@pytest.mark.parametrize("name, options", CALLS)
def test_lengths(name, options):
    for graph in graphs():
        ours = getattr(_networkx.backend, name)(_networkx.convert_from_nx(graph, edge_attrs={"weight": 1}), **options)
        theirs = getattr(nx, name)(graph, **{**options, "weight": "none"} if "weight" in options else options)
        assert dict(ours) == {u: dict(lengths) for u, lengths in dict(theirs).items()}


@pytest.mark.parametrize("cutoff", [-1, 0, 0.5, 1, 1.5, 2, 2.5, 1000, float("inf"), None])
@pytest.mark.parametrize("name", ["all_pairs_shortest_path_length", "all_pairs_dijkstra_path_length",
                                  "all_pairs_shortest_path", "all_pairs_dijkstra_path"])
def test_cutoffs(name, cutoff):
    """The source is within each; of arcs NetworkX begins one level more for what is left of a whole number."""
    for graph in graphs():
        graph.add_edge("near", "nearer", weight=0)
        ours = dict(getattr(_networkx.backend, name)(_networkx.convert_from_nx(graph, edge_attrs={"weight": 1}),
                                                     cutoff=cutoff))
        theirs = dict(getattr(nx, name)(graph, cutoff=cutoff))
        if name.endswith("length"):
            assert ours == theirs
        else:
            assert {u: set(paths) for u, paths in ours.items()} == {u: set(paths) for u, paths in theirs.items()}


def test_predecessors_of_floyd_and_warshall():
    graph = nx.DiGraph([(0, 1, {"weight": 2}), (1, 2, {"weight": 3}), (1, 1, {"weight": 4}), (3, 3, {"weight": 0})])
    for one in (graph, graph.to_undirected()):
        ours = _networkx.backend.floyd_warshall_predecessor_and_distance(
            _networkx.convert_from_nx(one, edge_attrs={"weight": 1}))
        theirs = nx.floyd_warshall_predecessor_and_distance(one)
        assert ours == theirs and ours[0][1][1] == 1 and ours[0][3] == {3: 3}


@pytest.mark.parametrize("name", ["all_pairs_dijkstra_path", "all_pairs_bellman_ford_path", "johnson"])
def test_paths_are_as_long(name):
    for graph in graphs():
        converted = _networkx.convert_from_nx(graph, edge_attrs={"weight": 1})
        lengths = dict(nx.all_pairs_dijkstra_path_length(graph))
        ours = dict(getattr(_networkx.backend, name)(converted))
        assert {u: set(paths) for u, paths in ours.items()} == {u: set(reached) for u, reached in lengths.items()}
        for u, paths in ours.items():
            for v, path in paths.items():
                assert path[0] == u and path[-1] == v and nx.path_weight(graph, path, "weight") == lengths[u][v]


@pytest.mark.parametrize("reflexive", [False, True, None])
def test_transitive_closure(reflexive):
    for graph in graphs():
        converted = _networkx.convert_from_nx(graph)
        ours = _networkx.backend.transitive_closure(converted, reflexive=reflexive)
        theirs = nx.transitive_closure(graph, reflexive=reflexive)
        assert set(ours.edges()) | {(v, u) for u, v in ours.edges() if not ours.is_directed()} == \
            set(theirs.edges()) | {(v, u) for u, v in theirs.edges() if not theirs.is_directed()}


def test_what_is_left_to_networkx():
    odd = nx.DiGraph([(0, 1, {"weight": None}), (1, 2, {"weight": 3})])
    with pytest.raises(NotImplementedError):
        _networkx.backend.floyd_warshall(_networkx.convert_from_nx(odd, edge_attrs={"weight": 1}))
    for weight in (2**60, 10**30, float("inf")):
        odd[0][1]["weight"] = weight
        with pytest.raises(NotImplementedError, match="not finite numbers, or whole ones of 2.40 and more$"):
            _networkx.backend.floyd_warshall(_networkx.convert_from_nx(odd, edge_attrs={"weight": 1}))
    assert not _networkx.can_run("floyd_warshall", (odd,), {"weight": lambda u, v, data: 1})
    assert _networkx.can_run("floyd_warshall", (odd,), {"weight": "weight"})
    loop = nx.DiGraph([(0, 1, {"weight": -3}), (1, 0, {"weight": 2})])
    with pytest.raises(nx.NetworkXUnbounded):
        _networkx.backend.floyd_warshall(_networkx.convert_from_nx(loop, edge_attrs={"weight": 1}))


def test_the_eccentricity_of_nothing():
    def outcome(call, graph):
        try:
            return call(graph)
        except nx.NetworkXException as refused:
            return type(refused), str(refused)

    nothing = nx.Graph()
    assert outcome(_networkx.backend.eccentricity, _networkx.convert_from_nx(nothing)) == \
        outcome(nx.eccentricity.orig_func, nothing)
