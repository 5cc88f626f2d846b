import gzip
import os
import threading
import warnings

import numpy as np
import pytest

import kleene as kl


def test_edge_lists(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text("from,to,km\nUlm,Bonn,3\nBonn,Kiel,4.5\n")
    g = kl.read(path)
    assert (g.vertices, g.arcs, g.names) == (3, 2, ["Ulm", "Bonn", "Kiel"])
    assert g.row.tolist() == [0, 1] and g.col.tolist() == [1, 2] and g.data.tolist() == [3.0, 4.5]
    assert g.has_weights and not g.is_undirected and g.format == "edge list" and "'km'" in g.description
    assert kl.shortest_paths(g).path("Ulm", "Kiel") == (["Ulm", "Bonn", "Kiel"], 7.5)
    both = kl.read(path, directed=False, columns=["from", "to"])
    assert both.arcs == 4 and both.is_undirected and not both.has_weights and both.data.tolist() == [1] * 4
    (tmp_path / "semicolons.txt").write_text("1;2;3\n2;5;4\n")
    assert kl.read(str(tmp_path / "semicolons.txt"), separator=";", header=False).data.tolist() == [3, 4]


def test_compressed_and_matrix_market(tmp_path):
    path = tmp_path / "a.mtx.gz"
    with gzip.open(path, "wt") as file:
        file.write("%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 7\n3 3 1\n")
    g = kl.read(path)
    assert sorted(zip(g.row.tolist(), g.col.tolist(), g.data.tolist())) == [(0, 1, 7), (1, 0, 7), (2, 2, 1)]
    assert g.first_vertex == 1 and g.is_undirected and g.data.dtype == np.int64


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
def test_dense_matrices_come_back(tmp_path, dtype):
    a = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 99, (4, 6)).astype(dtype)
    kl.write(tmp_path / "a.npy", a.T)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), a.T)
    back = kl.read(tmp_path / "a.npy")
    assert back.dtype == a.dtype
    np.testing.assert_array_equal(back, a.T)
    kl.write(tmp_path / "a.mtx", a)
    np.testing.assert_array_equal(kl.read(tmp_path / "a.mtx"), a)


@pytest.mark.parametrize("dtype", ["float16", "int8", "uint8", "uint64", "longdouble"])
def test_text_holds_numbers_of_any_type(tmp_path, dtype):
    a = np.arange(6).astype(dtype).reshape(2, 3)
    kl.write(tmp_path / "a.mtx", a)
    assert kl.read(tmp_path / "a.mtx").tolist() == [[0, 1, 2], [3, 4, 5]]


def test_graphs_come_back(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    a = sparse.random(20, 20, 0.2, format="csr", random_state=2)
    kl.write(tmp_path / "a.mtx", a)
    np.testing.assert_array_equal(kl.read(tmp_path / "a.mtx").to_scipy().toarray(), a.toarray())
    kl.write(tmp_path / "wide.mtx", a[:5])
    np.testing.assert_array_equal(kl.read(tmp_path / "wide.mtx").toarray(), a[:5].toarray())
    sparse.save_npz(tmp_path / "a.npz", a)
    np.testing.assert_array_equal(kl.read(tmp_path / "a.npz").to_scipy().toarray(), a.toarray())
    named = kl.Graph(2, np.array([0], np.int32), np.array([1], np.int32), np.array([5]), ["Halle, Westf.", "Ulm"])
    kl.write(tmp_path / "named.csv", named)
    assert (tmp_path / "named.csv").read_text() == 'from,to,weight\n"Halle, Westf.",Ulm,5\n'
    assert kl.read(tmp_path / "named.csv").names == named.names
    assert [p.suffix for p in tmp_path.iterdir() if p.suffix == ".tmp"] == []


def test_pipes(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("from,to,km\nUlm,Bonn,3\n",))
    writer.start()
    assert kl.read(path).names == ["Ulm", "Bonn"]
    writer.join()


def test_refusals(tmp_path):
    (tmp_path / "bad.csv").write_text("from,to,km\na,b,3\na,c,x\n")
    with pytest.raises(ValueError, match=r"bad.csv:3: "):
        kl.read(tmp_path / "bad.csv")
    with pytest.raises(FileNotFoundError):
        kl.read(tmp_path / "none.csv")
    with pytest.raises(IsADirectoryError):
        kl.read(tmp_path)
    with pytest.raises(ValueError, match="a dense matrix is not written as '.csv', but as .npy or .mtx$"):
        kl.write(tmp_path / "a.csv", np.ones((2, 2)))
    with pytest.raises(ValueError, match="one character"):
        kl.read(tmp_path / "bad.csv", separator=";;")
    with pytest.raises(TypeError, match="complex"):
        kl.write(tmp_path / "a.npy", np.ones((2, 2), complex))
    with pytest.raises(TypeError, match="a.npy: a graph or a matrix of numbers is needed"):
        kl.write(tmp_path / "a.npy", "abc")


@pytest.mark.parametrize("suffix", [".npy", ".mtx", ".csv"])
def test_what_the_system_does_not_write(tmp_path, suffix):
    """OSError, as of open(), with the path that was given."""
    arc = kl.Graph(2, [0], [1], [5])
    what = [np.ones((2, 2))] * (suffix != ".csv") + [arc] * (suffix != ".npy")
    (tmp_path / "file").write_text("")
    (tmp_path / f"folder{suffix}").mkdir()
    for path, kind, reason in ((tmp_path / f"none/a{suffix}", FileNotFoundError, "No such file or directory"),
                               (tmp_path / f"file/a{suffix}", NotADirectoryError, "Not a directory"),
                               (tmp_path / f"folder{suffix}", IsADirectoryError, "Is a directory"),
                               (tmp_path / f"{300 * 'a'}{suffix}", OSError, "File name too long")):
        for one in what:
            with pytest.raises(kind) as refused:
                kl.write(path, one)
            assert (refused.value.filename, refused.value.strerror) == (str(path), reason)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", f"folder{suffix}"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk(tmp_path):
    os.symlink("/dev/full", tmp_path / "a.npy")
    with pytest.raises(OSError, match="No space left on device"):
        kl.write(tmp_path / "a.npy", np.ones((2, 2)))


@pytest.mark.parametrize("name, what, kind, words", [
    ("a.xyz", np.ones((2, 2)), ValueError, "a dense matrix is not written as '.xyz'"),
    ("a.npy", kl.Graph(2, [0], [1], [5]), ValueError, "a graph is not written as '.npy', but as .mtx, .csv or .tsv$"),
    ("a\0.npy", np.ones((2, 2)), ValueError, "a zero byte in the name of a file"),
    ("a.mtx", kl.Graph(2, [0], [1], np.array([2**63], np.uint64)), ValueError,
     "a weight: int64 does not hold 9223372036854775808"),
    ("a.npy", np.ones((2, 2, 2)), TypeError, "the matrix has 3 dimensions; wanted: 2"),
    *(("a.npy", np.ones((2, 2), dtype), TypeError, f"elements of {np.dtype(dtype).name} are not written as .npy; "
       "float32, float64, int32, int64 and bool are, which .astype\\(\\) makes$") for dtype in ("u1", "i2", "f2", "g")),
    ("a.mtx", np.array([[1, 2**63]], np.uint64), ValueError, "an element: int64 does not hold 9223372036854775808"),
    (None, np.ones((2, 2)), TypeError, "expected str, bytes or os.PathLike object, not NoneType"),
])
def test_what_no_file_holds(tmp_path, name, what, kind, words):
    with pytest.raises(kind, match=words):
        kl.write(name and f"{tmp_path}/{name}", what)
    assert list(tmp_path.iterdir()) == []


def test_arcs_of_a_matrix_that_is_not_square(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match=r"a list of arcs is of a square matrix, and not of one that is \(2, 3\)"):
        kl.write(tmp_path / "a.csv", sparse.coo_array(np.ones((2, 3))))


def test_paths_of_bytes(tmp_path):
    path = bytes(tmp_path / "a.npy")
    kl.write(path, np.array([[1.0, 2.0]]))
    assert kl.read(path).tolist() == [[1.0, 2.0]]


def test_refusals_name_the_arguments(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text(",0,1,2\n0,5,6,1\n1,6,7,1\n")
    with pytest.raises(ValueError, match=r"\(header=True columns=\[0, 1, 2\]\), or .* \(header=False\)\?$"):
        kl.read(path)
    with pytest.raises(ValueError, match="^columns= takes two or three, FROM,TO or FROM,TO,WEIGHT, not 1$"):
        kl.read(path, header=False, columns=["1"])
    with pytest.raises(ValueError, match="^vertices is one of 'names', '0-based', '1-based', and not 'name'$"):
        kl.read(path, vertices="name")
    with pytest.raises(ValueError, match="^format is one of 'edge-list', 'metis', 'gset', and not 'csv'$"):
        kl.read(path, format="csv")


def test_arguments_for_edge_lists_are_for_those(tmp_path):
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n")
    with pytest.raises(ValueError, match=r"m\.mtx is no edge list \(Matrix Market\): separator, header, columns, "):
        kl.read(path, directed=False)
    np.save(tmp_path / "a.npy", np.eye(2))
    with pytest.raises(ValueError, match="is no edge list"):
        kl.read(tmp_path / "a.npy", header=True)
    lengths = tmp_path / "r.csv"
    lengths.write_text("start,end,km,t\na,b,1,2\nb,c,3,4\n")
    with pytest.raises(ValueError, match=r"columns=\['start', 'end', 'km'\]"):
        kl.read(lengths)
    assert kl.read(lengths, columns=["start", "end", "km"]).data.tolist() == [1, 3]
    with pytest.raises(TypeError, match="^columns: a list of names or numbers is needed, and not 'start,end,km'$"):
        kl.read(lengths, columns="start,end,km")


def test_what_is_found_out_may_be_said(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text("2,3,1\n3,5,1\n")
    assert kl.read(path, header=False, vertices="names").names == ["2", "3", "5"]
    assert kl.read(path, header=False, vertices="0-based").vertices == 6
    assert kl.read(path, header=False, vertices="1-based").vertices == 5
    metis = tmp_path / "net.txt"
    metis.write_text("3 2\n2\n1 3\n2\n")
    g = kl.read(metis, format="metis")
    assert (g.format, g.vertices, g.arcs) == ("METIS", 3, 4)


def test_a_doubt_is_a_warning(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text("1,2,3\n2,3,4\nUlm,2,5\n")
    with pytest.warns(UserWarning, match="are they names|read as names") as said:
        kl.read(path, header=False)
    assert "--" not in str(said[0].message)


def test_two_vertices_of_one_name_are_refused():
    with pytest.raises(ValueError, match="^vertices 0 and 2 have one name, 'x'$"):
        kl.Graph(3, [0, 1], [1, 2], [1.0, 2.0], names=["x", "y", "x"])


def test_a_line_that_may_be_a_header_is_a_warning(tmp_path):
    path = tmp_path / "needs.csv"
    path.write_text("package,needs\nshop,web\nshop,log\n")
    with pytest.warns(UserWarning, match=r"needs\.csv: line 1 is an arc; header=True if it names the columns$") as said:
        graph = kl.read(path)
    assert len(said) == 1 and graph.arcs == 3
    assert "(line 1 is an arc; header=True if" in graph.description
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kl.read(path, header=True).arcs == 2
        assert kl.read(path, header=False).arcs == 3


def test_a_sparse_matrix_is_called_so(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="a sparse matrix is not written as '.npy', but as .mtx, .csv or .tsv$"):
        kl.write(tmp_path / "a.npy", sparse.coo_array(np.ones((2, 2))))


KEPT = [" a", "a ", " a b ", " ", "#a", "%a", " #a", "a,b", 'a"b', '"a"', 'a"b ', "(1,2)", "a;b", "a|b", "1,5", "-1",
        "01", "9999999999", "from", "weight", "a -> b", "\N{EM SPACE}a", "\N{NEXT LINE}a", "Köln", "5 km", "inf"]
READ_AS_NAMES = ["08:00", "1.0", "1e5", "2020-01-01"]  # alone refused, with what to say


def test_names_that_are_no_utf8(tmp_path):
    """Names are bytes: those of another code are told, and written as they were."""
    old, again = tmp_path / "old.csv", tmp_path / "again.csv"
    old.write_bytes("from,to,weight\nZürich,Bern,95\nBern,Zürich,95\n".encode("latin-1"))
    with pytest.warns(UserWarning, match="is not in UTF-8"):
        g = kl.read(old)
    assert g.names == ["Z\udcfcrich", "Bern"]
    assert g.vertex("Bern") == 1
    kl.write(again, g)
    assert again.read_bytes() == old.read_bytes()
    with pytest.raises(KeyError, match="no vertex is called 'a'"):
        kl.Graph(2, [0], [1], [1.0]).vertex("a")


def test_float32_comes_back(tmp_path):
    """As the number that it is: 0.1 of float32 is not 0.1."""
    x = np.array([[0.1, 1e-45, 3.4e38], [1 / 3, -0.0, np.inf]], np.float32)
    kl.write(tmp_path / "x.mtx", x)
    np.testing.assert_array_equal(kl.read(tmp_path / "x.mtx"), x)
    kl.write(tmp_path / "g.mtx", kl.Graph(2, [0, 1], [1, 0], x[0, :2]))
    np.testing.assert_array_equal(kl.read(tmp_path / "g.mtx").data.astype(np.float32), x[0, :2])


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_names_come_back(tmp_path, suffix):
    """Whatever a reader takes for a comment, for several fields or for a blank stands in quotation marks."""
    path = tmp_path / f"a{suffix}"
    for name in KEPT + READ_AS_NAMES:
        for names, arcs in (([name, "b", "c"], [(0, 1), (1, 2), (2, 0)]), (["b", name, "c"], [(0, 1), (1, 2), (2, 0)]),
                            ([name, name + "7"], [(0, 1), (1, 0)])):
            kl.write(path, kl.Graph(len(names), *np.transpose(arcs), np.full(len(arcs), 5), names))
            g = kl.read(path, vertices="names" if name in READ_AS_NAMES else "")
            assert g.data.tolist() == [5] * len(arcs)
            called = g.names if g.names is not None else [str(v + g.first_vertex) for v in range(g.vertices)]
            assert [(called[u], called[v]) for u, v in zip(g.row, g.col)] == [(names[u], names[v]) for u, v in arcs]


@pytest.mark.parametrize("name, words", [
    ("", "'' is empty"),
    ("a\nb", r"'a\nb' has a control character in it"),
    ("a\r", r"'a\r' has a control character in it"),
    ("a\tb", r"'a\tb' has a control character in it"),
    ("\x7f", r"'\x7f' has a control character in it"),
    ("\N{NO-BREAK SPACE}a", r"'\xa0a' starts or ends with a blank that nobody sees"),
    (" a\N{NARROW NO-BREAK SPACE}", r"' a\u202f' starts or ends with a blank that nobody sees"),
    ("\ufeffa", r"'\ufeffa' starts or ends with a blank that nobody sees"),
    ("a\u200b", r"'a\u200b' starts or ends with a blank that nobody sees"),
    ("a\ud800", r"'a\ud800' is no text of Unicode"),
])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_names_that_no_edge_list_holds(tmp_path, suffix, name, words):
    path = tmp_path / f"a{suffix}"
    with pytest.raises(ValueError) as refused:
        kl.write(path, kl.Graph(2, [0], [1], [5], ["b", name]))
    assert str(refused.value) == f"{path}: the name {words}, and an edge list does not hold it"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_vertices_without_arcs_are_not_dropped_in_silence(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    with pytest.warns(UserWarning, match=f"{suffix}: 1 vertex has no arc, "):
        kl.write(path, kl.Graph(3, [0], [2], [5], ["a", "b", "c"]))
    with pytest.warns(UserWarning, match=f"{suffix}: 2 vertices have no arc, "):
        kl.write(path, kl.Graph(4, [0, 0], [2, 0], [5, 1]))


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_weights_that_no_edge_list_holds(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    for weight in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError) as refused:
            kl.write(path, kl.Graph(2, [0, 1], [1, 0], [5, weight], ["a", "b"]))
        assert str(refused.value) == f"{path}: arc b -> a has weight {weight}, which is not finite"
    with pytest.raises(ValueError, match="^a weight: int64 does not hold 9223372036854775808$"):
        kl.write(path, kl.Graph(2, [0], [1], np.array([2**63], np.uint64)))
    assert list(tmp_path.iterdir()) == []
    kl.write(path, kl.Graph(2, [0, 1], [1, 0], [True, False]))  # as .mtx has them
    assert kl.read(path).data.tolist() == [1, 0]
    kl.write(path, kl.Graph(2, [0], [1], np.array([2**63 - 1], np.uint64)))
    assert kl.read(path).data.tolist() == [2**63 - 1]


def test_another_byte_order(tmp_path):
    a = np.array([[1.5, 2], [3, 4]])
    for suffix in (".npy", ".mtx"):
        kl.write(tmp_path / f"a{suffix}", a.astype(a.dtype.newbyteorder()))
        assert kl.read(tmp_path / f"a{suffix}").tolist() == [[1.5, 2], [3, 4]]


def stored_twice(kind):
    """1 and 2 at (0, 1), and 0 and -7 elsewhere."""
    sparse = pytest.importorskip("scipy.sparse")
    if kind == "coo":
        return sparse.coo_array(([1.0, 2, -7, 0], ([0, 0, 1, 1], [1, 1, 1, 0])), shape=(2, 2))
    arrays = (np.array([1.0, 2, -7, 0]), np.array([1, 1, 1, 0]), np.array([0, 2, 4]))
    return getattr(sparse, f"{kind}_array")(arrays, shape=(2, 2))


@pytest.mark.parametrize("kind", ["coo", "csr", "csc"])
@pytest.mark.parametrize("suffix", [".mtx", ".csv", ".tsv"])
def test_entries_stored_twice_are_written_as_their_sum(tmp_path, kind, suffix):
    matrix = stored_twice(kind)
    meant, stored = matrix.toarray(), matrix.nnz
    kl.write(tmp_path / f"a{suffix}", matrix)
    assert matrix.nnz == stored == 4
    back = kl.read(tmp_path / f"a{suffix}")
    assert back.arcs == 3
    np.testing.assert_array_equal(back.to_scipy().toarray(), meant)


def test_entries_stored_once_keep_their_order(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    kl.write(tmp_path / "a.csv", sparse.coo_array(([3.0, 2, 1], ([1, 0, 0], [0, 1, 0])), shape=(2, 2)))
    assert (tmp_path / "a.csv").read_text() == "from,to,weight\n1,0,3.0\n0,1,2.0\n0,0,1.0\n"


def test_sparse_vectors_are_no_matrices(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    vector = sparse.coo_array(np.ones(3))
    if vector.ndim != 1:
        pytest.skip("this SciPy has no sparse vectors")
    for call in (kl.shortest_paths, *(lambda x, to=to: kl.write(tmp_path / to, x) for to in ("a.mtx", "a.csv"))):
        with pytest.raises(ValueError, match=r"^a sparse array of the shape \(3,\) where a matrix, of two dimensions"):
            call(vector)
    assert list(tmp_path.iterdir()) == []
