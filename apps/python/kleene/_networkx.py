"""A backend of NetworkX (3.2 and later): its all-pairs and reachability functions.

    nx.floyd_warshall(graph, backend="kleene")     or NETWORKX_BACKEND_PRIORITY=kleene in the environment

Results are NetworkX's dictionaries. Weights are numbers; functions of edges, and edges hidden by None, are left to
NetworkX. Where best paths tie another one may be returned.
"""

from __future__ import annotations

import numpy as np

FUNCTIONS = (
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path",
    "all_pairs_shortest_path_length",
    "average_shortest_path_length",
    "eccentricity",
    "floyd_warshall",
    "floyd_warshall_numpy",
    "floyd_warshall_predecessor_and_distance",
    "johnson",
    "transitive_closure",
)


def get_info():
    """What NetworkX's documentation says of the backend."""
    return {
        "backend_name": "kleene",
        "project": "kleene",
        "package": "kleene",
        "short_summary": "All-pairs paths and reachability on all cores",
        "functions": {name: {} for name in FUNCTIONS},
    }


class KleeneGraph:
    """A graph as arrays: vertex i is nodes[i], arc e goes from row[e] to col[e] (undirected ones both ways)."""

    __networkx_backend__ = "kleene"

    def __init__(self, graph, attributes):
        self.original = graph
        self.nodes = list(graph)
        self.number = {node: i for i, node in enumerate(self.nodes)}
        arcs = list(graph.edges(data=True))
        row = np.array([self.number[u] for u, _, _ in arcs], np.int32)
        col = np.array([self.number[v] for _, v, _ in arcs], np.int32)
        both = not graph.is_directed()
        self.row = np.append(row, col) if both else row
        self.col = np.append(col, row) if both else col
        self.weights = {}
        for name, default in (attributes or {}).items():
            values = _numbers([data.get(name, default) for _, _, data in arcs])
            self.weights[name] = np.append(values, values) if both and values is not None else values

    def is_directed(self):
        return self.original.is_directed()

    def is_multigraph(self):
        return self.original.is_multigraph()

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __contains__(self, node):
        try:
            return node in self.number
        except TypeError:  # a list of nodes
            return False


def _numbers(values):
    """Weights as int64 or float64; None where one is no finite number, or a whole one whose sums may be rounded."""
    try:
        made = np.array(values)
    except (ValueError, OverflowError):
        return None
    if made.size == 0:
        return np.empty(0, np.int64)
    if made.dtype.kind in "biu" and abs(made.astype(float)).max() < 2**40:
        return made.astype(np.int64)
    return made.astype(np.float64) if made.dtype.kind == "f" and np.isfinite(made).all() else None


def convert_from_nx(graph, *, edge_attrs=None, name=None, graph_name=None, **_):
    """The backend's graph of one of NetworkX's."""
    return KleeneGraph(graph, edge_attrs)


def convert_to_nx(result, *, name=None):
    """Results are NetworkX's already."""
    return result.original if isinstance(result, KleeneGraph) else result


def can_run(name, args, kwargs):
    """Weights that are functions of an edge are not for arrays."""
    return name in FUNCTIONS and not any(callable(x) for x in [*args, *kwargs.values()])


class _Found:
    """Distances and predecessors of all pairs, as dictionaries of nodes."""

    def __init__(self, graph, weight=None, predecessors=False, refuse_negative=False):
        import networkx as nx

        from ._errors import NegativeCycleError
        from ._graphs import Graph
        from ._paths import shortest_paths

        values = np.ones(len(graph.row), np.int64) if weight is None else graph.weights.get(weight)
        if values is None:
            raise NotImplementedError("weights that are not finite numbers, or whole ones of 2^40 and more")
        if refuse_negative and (values < 0).any():
            raise ValueError("Contradictory paths found:", "negative weights?")
        try:
            found = shortest_paths(Graph(len(graph), graph.row, graph.col, values), predecessors=predecessors)
        except NegativeCycleError as fault:
            raise nx.NetworkXUnbounded("Negative cycle detected.") from fault
        self.nodes = graph.nodes
        self.distances, self.predecessors = found.distances, found.predecessors
        self.are_whole = values.dtype.kind == "i"

    def lengths(self, i, cutoff=None):
        """{target: length} from vertex i, the nearest first."""
        row, reached = self.distances[i], self._reached(i, cutoff)
        values = row[reached].astype(np.int64).tolist() if self.are_whole else row[reached].tolist()
        return {self.nodes[v]: length for v, length in zip(reached.tolist(), values)}

    def all_lengths(self, i):
        """The same with inf where there is no path, in the order of the nodes."""
        row = self.distances[i]
        values = [int(x) if x < np.inf else x for x in row.tolist()] if self.are_whole else row.tolist()
        return dict(zip(self.nodes, values))

    def paths(self, i, cutoff=None):
        """{target: path} from vertex i, the nearest first."""
        before, reached = self.predecessors[i].tolist(), self._reached(i, cutoff).tolist()
        found = {i: [self.nodes[i]]}
        for v in reached:
            way = []
            while v not in found:
                way.append(v)
                v = before[v]
            for u in reversed(way):
                found[u] = [*found[before[u]], self.nodes[u]]
        return {self.nodes[v]: found[v] for v in reached}

    def _reached(self, i, cutoff):
        """The vertices within the cutoff, the nearest first; vertex i itself whatever the cutoff is."""
        row = self.distances[i]
        within = np.isfinite(row)
        if cutoff is not None:
            within &= ~(row > cutoff)
            within[i] = True
        reached = np.flatnonzero(within)
        return reached[np.argsort(row[reached], kind="stable")]


def _levels(cutoff):
    """A cutoff of arcs as NetworkX takes one: another level is begun where the cutoff is beyond the last."""
    return cutoff if cutoff is None else np.ceil(cutoff) if cutoff > 0 else 0


class _Backend:
    """What NetworkX asks for functions by name."""

    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)
    can_run = staticmethod(can_run)

    @staticmethod
    def floyd_warshall_numpy(G, nodelist=None, weight="weight"):
        import networkx as nx

        order = slice(None)
        if nodelist is not None:
            if not (len(nodelist) == len(G) == len(set(nodelist))) or not all(n in G for n in nodelist):
                raise nx.NetworkXError("nodelist must contain every node in G with no repeats.")
            numbers = [G.number[n] for n in nodelist]
            order = np.ix_(numbers, numbers)
        return _Found(G, weight).distances[order]

    @staticmethod
    def floyd_warshall(G, weight="weight"):
        found = _Found(G, weight)
        return {node: found.all_lengths(i) for i, node in enumerate(G)}

    @staticmethod
    def floyd_warshall_predecessor_and_distance(G, weight="weight"):
        found = _Found(G, weight, predecessors=True)
        before, loops = {}, set(G.row[G.row == G.col].tolist())
        for i, node in enumerate(G):
            row = {G.nodes[v]: G.nodes[p] for v, p in enumerate(found.predecessors[i].tolist()) if p >= 0}
            if i in loops:
                row[node] = node
            if row:
                before[node] = row
        return before, {node: found.all_lengths(i) for i, node in enumerate(G)}

    @staticmethod
    def all_pairs_dijkstra(G, cutoff=None, weight="weight"):
        found = _Found(G, weight, predecessors=True, refuse_negative=True)
        for i, node in enumerate(G):
            yield node, (found.lengths(i, cutoff), found.paths(i, cutoff))

    @staticmethod
    def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
        found = _Found(G, weight, refuse_negative=True)
        for i, node in enumerate(G):
            yield node, found.lengths(i, cutoff)

    @staticmethod
    def all_pairs_dijkstra_path(G, cutoff=None, weight="weight"):
        found = _Found(G, weight, predecessors=True, refuse_negative=True)
        for i, node in enumerate(G):
            yield node, found.paths(i, cutoff)

    @staticmethod
    def all_pairs_bellman_ford_path_length(G, weight="weight"):
        found = _Found(G, weight)
        for i, node in enumerate(G):
            yield node, found.lengths(i)

    @staticmethod
    def all_pairs_bellman_ford_path(G, weight="weight"):
        found = _Found(G, weight, predecessors=True)
        for i, node in enumerate(G):
            yield node, found.paths(i)

    @staticmethod
    def all_pairs_shortest_path_length(G, cutoff=None):
        found = _Found(G)
        for i, node in enumerate(G):
            yield node, found.lengths(i, _levels(cutoff))

    @staticmethod
    def all_pairs_shortest_path(G, cutoff=None):
        found = _Found(G, predecessors=True)
        for i, node in enumerate(G):
            yield node, found.paths(i, _levels(cutoff))

    @staticmethod
    def johnson(G, weight="weight"):
        found = _Found(G, weight, predecessors=True)
        return {node: found.paths(i) for i, node in enumerate(G)}

    @staticmethod
    def average_shortest_path_length(G, weight=None, method=None):
        import networkx as nx

        n = len(G)
        if method not in (None, "unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"):
            raise ValueError(f"method not supported: {method}")
        if n == 0:
            raise nx.NetworkXPointlessConcept("the null graph has no paths: there is no average shortest path length")
        if n == 1:
            return 0
        distances = _Found(G, None if method == "unweighted" else weight).distances
        if not np.isfinite(distances).all():
            kind = "strongly connected" if G.is_directed() else "connected"
            raise nx.NetworkXError(f"Graph is not {kind}.")
        return float(distances.sum()) / (n * (n - 1))

    @staticmethod
    def eccentricity(G, v=None, sp=None, weight=None):
        import networkx as nx

        if sp is not None:
            raise NotImplementedError("lengths that are given")
        if len(G) == 0:  # an empty dictionary, or refused from version 3.7 on
            return nx.eccentricity.orig_func(G.original, v, weight=weight)
        asked = list(G.original.nbunch_iter(v))
        found = _Found(G, weight)
        rows = found.distances[[G.number[n] for n in asked]]
        if not np.isfinite(rows).all():
            kind = "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
            raise nx.NetworkXError(f"Found infinite path length because the {kind}")
        of_all = {n: int(r.max()) if found.are_whole else float(r.max()) for n, r in zip(asked, rows)}
        return of_all[v] if v in G else of_all

    @staticmethod
    def transitive_closure(G, reflexive=False):
        import networkx as nx

        from ._closure import closure
        from ._matmul import matmul

        if reflexive not in {None, True, False}:
            raise nx.NetworkXError("Incorrect value for the parameter `reflexive`")
        n = len(G)
        arcs = np.zeros((n, n), bool)
        arcs[G.row, G.col] = True
        reach = closure(arcs, "or_and")
        if reflexive is not True:  # paths of one arc at least: a vertex reaches itself by a cycle alone
            reach = matmul(arcs, reach, "or_and")
            if reflexive is None or not G.is_directed():  # an edge and back is no cycle
                np.fill_diagonal(reach, False)
        closed = G.original.copy()
        missing = reach & ~arcs
        rows, cols = np.nonzero(missing if G.is_directed() else np.triu(missing))
        closed.add_edges_from((G.nodes[u], G.nodes[v]) for u, v in zip(rows.tolist(), cols.tolist()))
        return closed


backend = _Backend()
