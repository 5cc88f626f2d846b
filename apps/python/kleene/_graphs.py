"""Graphs: those of files, and whatever else is one, as the arrays that the extension takes."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _kleene
from ._algebras import find
from ._arrays import as_array, cast, cast_exactly, require_memory
from ._runtime import threads_of, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from ._algebras import Algebra


_WHOLE = re.compile(r"[+-]?[0-9]+")


class Graph:
    """A graph of a file: its arcs as the file has them, and what its vertices are called.

    vertices       how many there are
    row, col       int32: arc e goes from row[e] to col[e], counted from 0
    data           its weight: of a file int64, or float64, and 1 where it has none; else of the type that was given
    names          what the vertices are called, or None: names[v] is the vertex at position v
    first_vertex   the number that the file gives to vertex 0
    is_undirected  the file says so; both directions are among the arcs
    has_weights    the file has some
    format         "Matrix Market", "DIMACS", "edge list", ...
    description    how the file was read, where that is a question

    Made from lists or arrays of any integer type. ValueError: row, col and data are not vectors of one length, a vertex
    is not in 0 ... vertices - 1, another number of names than of vertices, two vertices of one name. TypeError: a name
    that is no string, weights that are no numbers.
    """

    def __init__(
        self, vertices: int, row: ArrayLike, col: ArrayLike, data: ArrayLike, names: Sequence[str] | None = None
    ):
        self.vertices = whole(vertices, "vertices")
        self.row, self.col, self.data = _vertices(row), _vertices(col), as_array(data)
        _require_arcs(self.vertices, self.row, self.col, self.data)
        self.names = None if names is None else _names(names, self.vertices)
        self.first_vertex = 0
        self.is_undirected = False
        self.has_weights = True
        self.format = self.description = ""
        self._numbers: dict[str, int] | None = None
        self._names_are_numbers: bool | None = None

    @property
    def arcs(self) -> int:
        return len(self.data)

    def __repr__(self):
        return f"<kleene graph: {self.vertices} vertices, {self.arcs} arcs>"

    def vertex(self, name: Any) -> Any:
        """The position of a vertex by its name; numbers are positions, and stay as they are (what takes them looks at
        them, where there are no names).

        KeyError: no vertex has the name. ValueError: where there are names, a number that is no position; where all
        names are whole numbers ("50"), any number, which could be meant as a name: names[v] is that of position v.
        """
        if self.names is None:
            if isinstance(name, str):
                raise KeyError(f"no vertex is called {name!r}: this graph has no names, and numbers from 0")
            return name
        if not isinstance(name, str):
            self._require_position(name)
            return name
        if self._numbers is None:
            self._numbers = {n: i for i, n in enumerate(self.names)}
        if name not in self._numbers:
            raise KeyError(f"no vertex is called {name!r}")
        return self._numbers[name]

    def _require_position(self, number):
        """ValueError for a number that is no position, or may be a name as well; what is no whole number stays."""
        try:
            number = operator.index(number)
        except TypeError:
            return
        if not 0 <= number < self.vertices:
            known = str(number) if str(number) in self.names else next(iter(self.names), None)
            shown = "" if known is None else f", such as {known!r}"
            raise ValueError(f"vertex {number} is not in a graph of {self.vertices} (0-based), whose vertices have "
                             f"names{shown}")
        if self._names_are_numbers is None:
            self._names_are_numbers = all(_WHOLE.fullmatch(n) for n in self.names)
        if self._names_are_numbers:
            raise ValueError(f"{number} may be meant as the name '{number}' or as the position of "
                             f"{self.names[number]!r}: all names are numbers, so say the name (names[{number}] is that "
                             "of a position)")

    def csr(
        self, algebra: str | Algebra = "min_plus", dtype: DTypeLike | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(indptr, indices, data), int64, int32 and dtype: sorted, parallel arcs combined by the algebra's +.

        algebra  any, and one of your own; over or_and each arc is True
        dtype    of data; None: float64 (float32 stays)

        ValueError: a weight that the type does not hold, one other than 0 and 1 over xor_and. MemoryError: more
        vertices than there is room for.
        """
        algebra = find(algebra)
        if self.vertices > 1 << 24:  # a file of one line may name 10^9
            needed = 25 * self.vertices + 40 * len(self.row)
            require_memory(needed, f"a graph of {self.vertices} vertices takes {needed} bytes by rows")
        row = algebra.row(dtype) if dtype is not None else sparse_row(algebra, self.data.dtype)
        data = sparse_values(algebra, self.data, row)
        if algebra.is_selective and algebra.extension is _kleene:
            return algebra.extension.csr(row.number, self.vertices, self.row, self.col, data)
        return _sorted_and_added(algebra, row, self.vertices, (self.row, self.col, data))

    def to_scipy(self, algebra: str | Algebra = "min_plus", dtype: DTypeLike | None = None) -> Any:
        """The same as a scipy.sparse.csr_array."""
        sparse = scipy_sparse()
        indptr, indices, data = self.csr(algebra, dtype)
        return sparse.csr_array((data, indices, indptr), shape=(self.vertices, self.vertices))


def _sorted_and_added(algebra, row, vertices, arcs):
    """The arrays of a csr over an algebra of which the extension makes none."""
    order = np.lexsort((arcs[1], arcs[0]))
    rows, columns, data = (x[order] for x in arcs)
    if algebra.name == "xor_and" and not np.isin(data, (0, 1)).all():
        wrong = np.flatnonzero(~np.isin(data, (0, 1)))[0]
        raise ValueError(f"the arc {rows[wrong]} -> {columns[wrong]} (0-based) has weight {data[wrong]}, which is "
                         "outside the domain of xor_and")
    is_first = np.ones(len(data), bool)
    is_first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    first = np.flatnonzero(is_first)
    if len(first) < len(data):
        ends = np.append(first, len(data))
        data = (_added(algebra, row, data, ends) if algebra.extension is _kleene else
                _added_by_ring(algebra.extension.ring, data, ends))
    offsets = np.zeros(vertices + 1, np.int64)
    np.cumsum(np.bincount(rows[first], minlength=vertices), out=offsets[1:])
    return offsets, columns[first], data


def _added(algebra, row, values, ends):
    """The sum of each run of values, by the extension. ValueError: the type does not hold one."""
    sums = np.empty(len(ends) - 1, row.dtype)
    _kleene.segmented_reduce(row.number, values, ends, sums, threads_of(None))
    if row.dtype.kind == "i" and algebra.name.startswith("plus_"):  # where sums wrap around
        exact = np.add.reduceat(values, ends[:-1], dtype=np.int64)
        if (sums != exact).any():
            raise ValueError(f"parallel arcs add up to {exact[sums != exact][0]}, which {row.dtype.name} does not "
                             'hold; use dtype="float64"')
    return sums


def _added_by_ring(ring, values, ends):
    """The same over a ring of one's own: neighbours in pairs, until each run is one value."""
    while len(ends) - 1 < len(values):
        counts = np.diff(ends)
        places = np.arange(len(values)) - np.repeat(ends[:-1], counts)
        lefts = np.flatnonzero((places % 2 == 0) & (places + 1 < np.repeat(counts, counts)))
        sums = values.copy()
        sums[lefts] = ring.add(values[lefts], values[lefts + 1])
        values = sums[places % 2 == 0]
        ends = np.append(0, np.cumsum((counts + 1) // 2))
    return values


def scipy_sparse():
    """scipy.sparse, or an ImportError that says what to install."""
    try:
        from scipy import sparse
    except ImportError as missing:
        raise ImportError("sparse matrices are SciPy's, and there is no SciPy: pip install scipy") from missing
    return sparse


def _names(names, vertices):
    """The names as a list. TypeError: one is no string. ValueError: they are not as many, or two are the same."""
    if not isinstance(names, Iterable):
        raise TypeError(f"names: a list of strings is needed, and not {names!r}")
    names = list(names)
    if len(names) != vertices:
        raise ValueError(f"{len(names)} names for {vertices} vertices")
    if set(map(type, names)) != {str}:
        for vertex, name in enumerate(names):
            if not isinstance(name, str):
                raise TypeError(f"a graph's names are strings, and that of vertex {vertex} is {name!r}: numbers are "
                                "positions")
        names = list(map(str, names))  # NumPy's strings
    _require_different(names)
    return names


def _require_different(names):
    if len(set(names)) == len(names):
        return
    first = {}
    for vertex, name in enumerate(names):
        if first.setdefault(name, vertex) != vertex:
            raise ValueError(f"vertices {first[name]} and {vertex} have one name, {name!r}")


def sparse_row(algebra, dtype):
    """The row for the weights of a sparse graph: float32 stays, or_and has truths, everything else is float64."""
    if algebra.name == "or_and":
        return algebra.row(np.bool_)
    return algebra.row_for(np.dtype(np.float32 if dtype in (np.float32, np.float16) else np.float64))


def sparse_values(algebra, data, row):
    """Weights in the row's type; over or_and each stored entry is an arc, whatever its weight."""
    if algebra.name == "or_and":
        return np.ones(len(data), row.dtype)
    return np.ascontiguousarray(cast_exactly(data, row.dtype, "a weight"))


def is_sparse(graph):
    """Whether it is a sparse matrix of SciPy's, or shaped like one; or a tensor of torch's in csr form."""
    is_tensor = str(getattr(graph, "layout", "")) == "torch.sparse_csr"
    return is_tensor or (hasattr(graph, "tocsr") and hasattr(graph, "nnz"))


def require_consistent(matrix):
    """ValueError for a sparse matrix of SciPy's whose arrays point outside: its own conversions would write there."""
    def within(indices, extent):
        if len(indices) and not (0 <= indices.min() and indices.max() < extent):
            wrong = indices[(indices < 0) | (indices >= extent)][0]
            raise ValueError(f"a sparse matrix whose index {wrong} is not in 0 .. {extent - 1}")

    if len(matrix.shape) != 2 or not isinstance(getattr(matrix, "data", None), np.ndarray):
        return  # SciPy's other forms, and other libraries' matrices
    kind = getattr(matrix, "format", "")
    if kind in ("csr", "csc", "bsr"):
        block = matrix.blocksize if kind == "bsr" else (1, 1)
        slices, extent = (size // part for size, part in zip(matrix.shape, block, strict=True))
        if kind == "csc":
            slices, extent = extent, slices
        offsets, stored = matrix.indptr, min(len(matrix.indices), len(matrix.data))
        if (len(offsets) != slices + 1 or offsets[0] != 0 or offsets[-1] > stored
                or (offsets[1:] < offsets[:-1]).any()):
            raise ValueError(f"a sparse matrix whose indptr does not ascend from 0 to at most {stored}, the number of "
                             "its entries")
        within(matrix.indices[:offsets[-1]], extent)
    elif kind == "coo":
        within(matrix.row, matrix.shape[0])
        within(matrix.col, matrix.shape[1])


def summed(matrix):
    """A sparse matrix of SciPy's in csr form, in which each entry is stored once: the sum of what it was. ValueError.

    The caller's matrix stays as it is.
    """
    require_two_dimensions(matrix)
    require_consistent(matrix)
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is matrix else csr
        csr.sum_duplicates()
    return csr


def require_two_dimensions(matrix):
    """ValueError for a sparse array of another number of dimensions."""
    if len(matrix.shape) != 2:
        raise ValueError(f"a sparse array of the shape {tuple(matrix.shape)} where a matrix, of two dimensions, is "
                         "needed")


def rows_of(matrix, algebra, dtype):
    """The row and the three arrays of a square sparse matrix. Entries stored twice are added up, as SciPy does."""
    require_two_dimensions(matrix)
    n = matrix.shape[0]
    if n != matrix.shape[1]:
        raise ValueError(f"a graph is a square matrix, and not {n} x {matrix.shape[1]}")
    if hasattr(matrix, "crow_indices"):
        parts = (matrix.crow_indices(), matrix.col_indices(), matrix.values())
    else:
        csr = summed(matrix)
        parts = (csr.indptr, csr.indices, csr.data)
    offsets, columns, data = map(as_array, parts)
    row = algebra.row(dtype) if dtype is not None else sparse_row(algebra, data.dtype)
    return row, (cast(offsets, np.dtype(np.int64), "indptr"), _vertices(columns), sparse_values(algebra, data, row))


def _vertices(numbers):
    return np.ascontiguousarray(cast_exactly(as_array(numbers), np.dtype(np.int32), "a vertex"))


def _require_arcs(vertices, row, col, data):
    """ValueError for arcs that are none of a graph of so many vertices."""
    if not row.ndim == 1 == col.ndim == data.ndim or not len(row) == len(col) == len(data):
        raise ValueError(f"a graph's row, col and data are vectors of one length; these are {row.shape}, {col.shape} "
                         f"and {data.shape}")
    if data.dtype.kind not in "biuf" and len(data):
        raise TypeError(f"a graph's weights are numbers, and not {data.dtype.name}")
    if not 0 <= vertices < 2**31:
        raise ValueError(f"a graph has 0 to {2**31 - 1} vertices, and not {vertices}")
    for ends in (row, col):
        if len(ends) and not (0 <= ends.min() and ends.max() < vertices):
            wrong = ends[(ends < 0) | (ends >= vertices)][0]
            raise ValueError(f"vertex {wrong} is not in a graph of {vertices} (0-based)")
