"""Graphs and matrices in files."""

from __future__ import annotations

import errno
import os
import re
import stat
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _kleene
from ._arrays import as_array, cast_exactly, native, refuse_networkx
from ._graphs import Graph, is_sparse, scipy_sparse, summed
from ._runtime import require_texts, require_truths, threads_of


def read(
    path: str | bytes | os.PathLike[str],
    *,
    separator: str = "",
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    directed: bool | None = None,
    vertices: str = "",
    format: str = "",
    threads: int | None = None,
) -> Any:
    """A graph or a matrix from a file: Graph, a NumPy array, or a scipy.sparse.coo_array (one that is not square).

    Formats: edge lists (CSV, TSV, SNAP, KONECT), Parquet, GraphML, Matrix Market, DIMACS, METIS, .npy and .npz, plain
    or compressed; which it is, is found out from the content, or said: format "edge-list", "metis" or "gset". Of edge
    lists the rest may be said:

    separator   one character between fields; " " for runs of blanks
    header      whether the first line names the columns
    columns     from, to and weight, by name or by number from 1; two: no weights
    directed    False: each line is an arc in both directions
    vertices    "names", whatever they look like; "0-based" or "1-based": numbers, of which those that do not occur
                count, too

    Weights are taken as they are: that -1 or 2147483647 means "no arc" here, as the command line asks about, is for
    the caller to know.

    Raises OSError: no such file, no permission. ValueError: "file:line: what" is wrong with it; a question that the
    file does not answer. Warns (UserWarning) of what was found out and might have been meant otherwise.
    """
    path = os.fsdecode(path)
    if not stat.S_ISFIFO(os.stat(path).st_mode):  # a pipe is opened once
        with open(path, "rb"):  # Python's own words for what cannot be opened
            pass
    require_texts(separator=separator, vertices=vertices, format=format)
    require_truths(**{name: flag for name, flag in (("header", header), ("directed", directed)) if flag is not None})
    if isinstance(columns, str) or not isinstance(columns, Iterable) and columns is not None:
        raise TypeError(f"columns: a list of names or numbers is needed, and not {columns!r}")
    try:
        found = _kleene.read(path, separator, header, [str(c) for c in columns or ()], directed, vertices, format,
                             threads_of(threads))
    except ValueError as refused:
        refused.args = (_as_arguments(str(refused)),)
        raise
    if found.get("doubt"):
        warnings.warn(_as_arguments(found["doubt"]), stacklevel=2)
    if maybe_header := _MAYBE_HEADER.search(found.get("description", "")):
        warnings.warn(f"{path}: {_as_arguments(maybe_header[1])}", stacklevel=2)
    if found["kind"] == "dense":
        return found["values"]
    rows, cols, row, col, data = found["entries"]
    if found["kind"] == "sparse":
        return scipy_sparse().coo_array((data, (row, col)), shape=(rows, cols))
    graph = Graph(found["vertices"], row, col, data, found["names"] or None)
    graph.first_vertex = found["first_vertex"]
    graph.is_undirected = found["symmetric"]
    graph.has_weights = not found["pattern"]
    graph.format = found["format"]
    graph.description = _as_arguments(found["description"])
    return graph


# What the command line's flags are called here.
_ARGUMENTS = {"--header": "header=True", "--no-header": "header=False", "--directed": "directed=True",
              "--undirected": "directed=False", "--separator": "separator=", "--vertices": "vertices=",
              "--input-format": "format=", "--columns": "columns="}
_MAYBE_HEADER = re.compile(r"\((line 1 is an arc; [^)]*)\)")  # of a description: what may have been meant otherwise
_FLAG = re.compile(r"(?P<flag>--[a-z]+(?:-[a-z]+)?)"
                   r"(?: (?P<value>(?<=--columns )[^\s(),;?]+(?:,[^\s(),;?]+)+|(?<=--vertices )(?:names|[01]-based)|"
                   r"(?<=--input-format )(?:edge-list|metis|gset)))?")


def _as_arguments(refusal):
    """A refusal in the words of the command line, in those of read's arguments."""
    def argument(found):
        flag, value = found["flag"], found["value"]
        if flag not in _ARGUMENTS:
            return found[0]
        if value is None:
            return _ARGUMENTS[flag]
        if flag == "--columns":
            words = (c.strip("'\"") for c in value.split(","))  # as a shell takes them
            value = [int(c) if c.isdecimal() else c for c in words]
        return f"{_ARGUMENTS[flag]}{value!r}"

    return _FLAG.sub(argument, refusal)


def write(path: str | bytes | os.PathLike[str], what: Any) -> None:
    """Writes a matrix or a graph by the suffix of the path: the file appears whole or not at all.

    .npy       a dense array of two dimensions (a vector as one row, a number as one element): float32, float64, int32,
               int64, bool
    .mtx       a dense array of any numbers that int64 or float64 holds, a sparse matrix of SciPy's, or a Graph (without
               names, vertices numbered from 1)
    .csv .tsv  a Graph or a square sparse matrix, as from,to,weight: names where there are some. Of names that look like
               times (08:00) or all like numbers with a point, read(path, vertices="names") says what they are

    Of an entry that a sparse matrix stores twice the sum is written, as SciPy means it. Parallel arcs of a Graph stay
    as they are.

    Warns (UserWarning) of vertices without arcs, which .csv and .tsv do not hold. Without any arc these are a header
    alone, which read refuses; .mtx holds such a graph.
    Raises OSError where the system does not write (no such folder, no permission, no space left). ValueError: another
    suffix, a sparse matrix that is not square as .csv or .tsv, a weight beyond int64, one that is NaN or, as .csv or
    .tsv, infinite, a name that no edge list holds (empty, with control characters or no-break spaces at its ends), a
    zero byte in the path.
    TypeError: elements or dimensions that the format does not have, a graph of NetworkX's.
    """
    path = os.fsdecode(path)
    refuse_networkx(what, "write: what")
    suffix = os.path.splitext(path)[1].lower()
    graph = what if isinstance(what, Graph) else _graph_of(what) if is_sparse(what) else None
    if suffix == ".mtx" and graph is not None:
        rows, cols = (graph.vertices,) * 2 if graph is what else what.shape
        _write(path, _kleene.write_entries, rows, cols, graph.row, graph.col, _number_type(graph.data))
    elif suffix in (".csv", ".tsv") and graph is not None:
        if graph is not what and what.shape[0] != what.shape[1]:
            raise ValueError(f"{path}: a list of arcs is of a square matrix, and not of one that is {what.shape}")
        _write_arcs(path, graph, "," if suffix == ".csv" else "\t")
    elif suffix in (".mtx", ".npy") and graph is None:
        values = native(np.atleast_2d(as_array(what, "write: what")))
        if values.dtype.kind not in "biuf":
            raise TypeError(f"{path}: a graph or a matrix of numbers is needed, and not one of {values.dtype.name}")
        if values.dtype not in _WRITTEN:
            if suffix == ".npy":
                raise TypeError(f"{path}: elements of {values.dtype.name} are not written as .npy; {_shown(_WRITTEN)} "
                                "are, which .astype() makes")
            values = _number_type(values, "an element")
        elif suffix == ".mtx" and values.dtype == np.float32:
            values = _number_type(values)
        _write(path, _kleene.write_dense, values, suffix == ".npy")
    else:
        kind, suffixes = ("dense matrix", ".npy or .mtx") if graph is None else ("graph", ".mtx, .csv or .tsv")
        if graph is not None and graph is not what:
            kind = "sparse matrix"
        raise ValueError(f"{path}: a {kind} is not written as '{suffix}', but as {suffixes}")


def _graph_of(matrix):
    """A sparse matrix's entries as arcs, in the order in which it stores them if it stores each once."""
    once = summed(matrix)
    coo = (matrix if matrix.nnz == once.nnz else once).tocoo()
    return Graph(max(coo.shape), coo.row.astype(np.int32), coo.col.astype(np.int32), coo.data)


# The types that the library writes. As text the others are what they are in a wider one.
_WRITTEN = [np.dtype(name) for name in ("float32", "float64", "int32", "int64", "bool")]


def _shown(dtypes):
    return f"{', '.join(d.name for d in dtypes[:-1])} and {dtypes[-1].name}"


def _number_type(data, what="a weight"):
    """Values as one of the types that lists of entries are written from. ValueError: none of them holds one."""
    if data.dtype in _WRITTEN and data.dtype not in (bool, np.float32):  # 0.1 of float32 is no 0.1 when it is read
        return data
    return cast_exactly(data, np.dtype(np.float64 if data.dtype.kind == "f" else np.int64), what)


def _write(path, write, *what):
    """A file by the library, whose words for what the system refuses become Python's error."""
    try:
        write(path, *what)
    except ValueError as refused:
        start, _, reason = str(refused).rpartition(": ")
        code = next((code for code in errno.errorcode if os.strerror(code) == reason), None)
        if start != f"cannot write {path}" or code is None:
            raise
        raise OSError(code, reason, path) from None


def _write_arcs(path, graph, separator):
    """An edge list with a header, by way of a file beside it."""
    data = _number_type(graph.data)
    infinite = np.flatnonzero(~np.isfinite(data))
    if infinite.size:
        ends = (graph.names[v] if graph.names is not None else v + graph.first_vertex
                for v in (graph.row[infinite[0]], graph.col[infinite[0]]))
        raise ValueError(f"{path}: arc {' -> '.join(map(str, ends))} has weight {data[infinite[0]]}, which is not "
                         "finite")
    names = range(graph.first_vertex, graph.first_vertex + graph.vertices)
    if graph.names is not None:
        names = [_field(path, str(name), separator) for name in graph.names]
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(separator.join(("from", "to", "weight")) + "\n")
            file.writelines(f"{names[row]}{separator}{names[col]}{separator}{weight}\n"
                            for row, col, weight in zip(graph.row.tolist(), graph.col.tolist(), data.tolist()))
        os.replace(beside, path)
    except OSError as refused:
        raise OSError(refused.errno, refused.strerror, path) from None
    finally:
        if os.path.exists(beside):
            os.remove(beside)
    lonely = graph.vertices - np.union1d(graph.row, graph.col).size
    if lonely:
        vertices = "1 vertex has" if lonely == 1 else f"{lonely} vertices have"
        warnings.warn(f"{path}: {vertices} no arc, and a list of arcs does not hold such; .mtx does", stacklevel=3)


_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")  # but those that stand for a byte, as read makes them
_UNSEEN = ("\N{ZERO WIDTH NO-BREAK SPACE}", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{ZERO WIDTH SPACE}")


def _field(path, name, separator):
    """A name as a field of an edge list, in quotation marks where read would take it for something else without.

    ValueError for a name that read refuses or alters even so.
    """
    wrong = ("is empty" if not name else
             "has a control character in it" if _CONTROL.search(name) else
             "is no text of Unicode" if _SURROGATE.search(name) else
             "starts or ends with a blank that nobody sees" if name.startswith(_UNSEEN) or name.endswith(_UNSEEN) else
             None)
    if wrong:
        raise ValueError(f"{path}: the name {name!r} {wrong}, and an edge list does not hold it")
    if name[0] in " #%" or name[-1] == " " or separator in name or '"' in name:
        return '"' + name.replace('"', '""') + '"'
    return name
