"""Packed matrices of bits: Boolean products and closures, and linear algebra over GF(2). 64 elements a word.

    from kleene import bits

    a = bits.pack(array_of_bools)                   # BitMatrix; a.unpack() gives the bools back
    c = bits.matmul(a, b)                           # or_and: is there a k? algebra="xor_and": over GF(2)
    reach = bits.closure(a)                         # who reaches whom, the diagonal included
    r, x = bits.rank(a), bits.solve(a, b)           # over GF(2); inverse, row_reduce and null_space alike

Results are exact. Calls leave the interpreter's lock; Ctrl-C takes effect when a call is over. Each raises ValueError
for shapes that do not fit, TypeError for what is no BitMatrix, and MemoryError with the number of bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _kleene
from ._algebras import Algebra
from ._arrays import as_operand, empty, type_name
from ._runtime import threads_of, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

__all__ = ["BitMatrix", "closure", "count_products", "inverse", "matmul", "null_space", "pack", "rank", "row_reduce",
           "solve", "transpose"]


class BitMatrix:
    """A matrix of bits: element (i, j) is bit j % 64 of words[i, j // 64].

    words  uint64 (rows, ceil(columns / 64)); bits past the last column are 0
    shape  (rows, columns)

    ValueError: words of another type or shape, a bit past the last column. TypeError: words that are no array, a shape
    that is no pair of whole numbers.
    """

    def __init__(self, words: np.ndarray, shape: tuple[int, int]):
        rows, cols = _extents(shape)
        if not isinstance(words, np.ndarray):
            raise TypeError(f"words: an array of uint64 is needed, and not {type(words).__name__}")
        if words.dtype != np.uint64 or words.shape != (rows, -(-cols // 64)):
            raise ValueError(f"{rows} x {cols} bits are {rows} x {-(-cols // 64)} words, and not {words.shape} of "
                             f"{type_name(words.dtype)}")
        if cols % 64:
            behind = words[:, -1] >> np.uint64(cols % 64)
            if behind.any():
                row = int((behind != 0).argmax())
                lowest = int(behind[row]) & -int(behind[row])
                raise ValueError(f"row {row} has bit {cols + lowest.bit_length() - 1} set, and the last of {cols} "
                                 f"columns is bit {cols - 1}")
        self.words = np.ascontiguousarray(words)
        self.shape = (rows, cols)

    def unpack(self) -> np.ndarray:
        """The same as an array of bools."""
        out = empty(self.shape, np.dtype(bool))
        _kleene.unpack_bits(self.words, self.shape[1], out, threads_of(None))
        return out

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        """unpack() for NumPy's functions. ValueError for copy=False, as bits are no elements of NumPy's."""
        if copy is False:
            raise ValueError("bits are unpacked into a new array: copy=False cannot be kept")
        return self.unpack() if dtype is None else self.unpack().astype(dtype, copy=False)

    def copy(self) -> BitMatrix:
        return BitMatrix(self.words.copy(), self.shape)

    def __getitem__(self, at: tuple[int, int]) -> bool:
        if not isinstance(at, tuple) or len(at) != 2:
            raise TypeError(f"a row and a column are needed, bits[i, j], and not {at!r}; .unpack() gives an array")
        i, j = whole(at[0], "a row"), whole(at[1], "a column")
        if not (0 <= i < self.shape[0] and 0 <= j < self.shape[1]):
            raise IndexError(f"({i}, {j}) in {self.shape[0]} x {self.shape[1]} bits")
        return bool(int(self.words[i, j // 64]) >> (j % 64) & 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BitMatrix) and self.shape == other.shape and np.array_equal(self.words, other.words)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<kleene bits {self.shape[0]} x {self.shape[1]}>"


def _extents(shape):
    """Rows and columns. TypeError: the shape is no pair of whole numbers. ValueError: one is negative."""
    try:
        rows, cols = () if isinstance(shape, (str, bytes)) else shape
    except (TypeError, ValueError):
        raise TypeError(f"shape: a pair is needed, (rows, columns), and not {shape!r}") from None
    rows, cols = whole(rows, "rows"), whole(cols, "columns")
    if rows < 0 or cols < 0:
        raise ValueError(f"shape: rows and columns are 0 or more, and not {rows} and {cols}")
    return rows, cols


def _require_bits(**arguments):
    for name, given in arguments.items():
        if not isinstance(given, BitMatrix):
            raise TypeError(f"{name}: a BitMatrix is needed, which bits.pack makes, and not {type(given).__name__}")


def _zeros(rows, cols):
    words = empty((rows, -(-cols // 64)), np.dtype(np.uint64))
    words.fill(0)
    return BitMatrix(words, (rows, cols))


def pack(a: ArrayLike) -> BitMatrix:
    """A BitMatrix of an array of two dimensions, of bools or of numbers that are 0 or 1.

    ValueError, with its position, for another number: `a != 0` makes bools of all. TypeError: no array of numbers.
    """
    a = as_operand(a, "pack: a")
    if a.ndim != 2:
        raise ValueError(f"a matrix has two dimensions, and not {a.ndim}")
    ones = a if a.dtype == bool else a == 1
    wrong = None if ones is a else (a != 0) != ones
    if wrong is not None and wrong.any():
        i, j = np.unravel_index(wrong.argmax(), a.shape)
        raise ValueError(f"pack: a[{i}, {j}] = {a[i, j]} is neither 0 nor 1: a != 0 makes bools of it")
    packed = _zeros(*a.shape)
    _kleene.pack_bits(ones, packed.words, a.shape[1], threads_of(None))
    return packed


def matmul(
    a: BitMatrix,
    b: BitMatrix,
    algebra: str | Algebra = "or_and",
    *,
    accumulate: BitMatrix | None = None,
    transposed_b: bool = False,
    threads: int | None = None,
) -> BitMatrix:
    """The product over or_and or xor_and, by name or as kl.algebras has them; with `accumulate` added to it (or, xor).

    transposed_b: b is given as its transpose, (n, k). Raises ValueError for another algebra.
    """
    _require_bits(a=a, b=b, **({} if accumulate is None else {"accumulate": accumulate}))
    name = algebra.name if isinstance(algebra, Algebra) else algebra
    if name not in ("or_and", "xor_and"):
        raise ValueError(f"over bits there are or_and and xor_and, and no {name}")
    shape = (a.shape[0], b.shape[0] if transposed_b else b.shape[1])
    if a.shape[1] != b.shape[1 if transposed_b else 0]:
        raise ValueError(f"a is {a.shape}, b is {b.shape}{' (transposed)' if transposed_b else ''}")
    if accumulate is not None and accumulate.shape != shape:
        raise ValueError(f"accumulate is {accumulate.shape}, the product {shape}")
    c = _zeros(*shape) if accumulate is None else accumulate.copy()
    _kleene.multiply_bits(name == "xor_and", a.words, a.shape[1], b.words, shape[1], c.words, accumulate is not None,
                          transposed_b, threads_of(threads))
    return c


def count_products(a: BitMatrix, b: BitMatrix, *, threads: int | None = None) -> np.ndarray:
    """How many k have a[i, k] and b[k, j]: int32."""
    _require_bits(a=a, b=b)
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"a is {a.shape}, b is {b.shape}")
    counts = empty((a.shape[0], b.shape[1]), np.dtype(np.int32))
    _kleene.count_bits(a.words, a.shape[1], b.words, b.shape[1], counts, threads_of(threads))
    return counts


def transpose(a: BitMatrix, *, threads: int | None = None) -> BitMatrix:
    """The transpose."""
    _require_bits(a=a)
    turned = _zeros(a.shape[1], a.shape[0])
    _kleene.transpose_bits(a.words, a.shape[1], turned.words, a.shape[0], threads_of(threads))
    return turned


def closure(a: BitMatrix, *, threads: int | None = None) -> BitMatrix:
    """Who reaches whom: 1 or a or a a or ...; the diagonal is 1. Strong components first, then Warshall by blocks."""
    _require_bits(a=a)
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"closure: a square matrix is needed; a is {a.shape}")
    closed = a.copy()
    _kleene.close_bits(closed.words, a.shape[1], threads_of(threads))
    return closed


def rank(a: BitMatrix, *, threads: int | None = None) -> int:
    """The rank over GF(2)."""
    _require_bits(a=a)
    return _kleene.rank_of_bits(a.words, a.shape[1], threads_of(threads))


def row_reduce(a: BitMatrix, *, threads: int | None = None) -> tuple[BitMatrix, list[int]]:
    """The reduced row echelon form over GF(2), and the columns of its pivots, ascending."""
    _require_bits(a=a)
    reduced = a.copy()
    return reduced, _kleene.reduce_bits(reduced.words, a.shape[1], threads_of(threads))


def inverse(a: BitMatrix, *, threads: int | None = None) -> BitMatrix:
    """The inverse over GF(2). numpy.linalg.LinAlgError (a ValueError): there is none, with the rank."""
    _require_bits(a=a)
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"inverse: a square matrix is needed; a is {a.shape}")
    x = _zeros(*a.shape)
    exists, found = _kleene.invert_bits(a.words, a.shape[1], x.words, threads_of(threads))
    if not exists:
        raise np.linalg.LinAlgError(f"there is no inverse: the rank is {found} of {a.shape[0]}")
    return x


def solve(a: BitMatrix, b: BitMatrix, *, threads: int | None = None) -> BitMatrix:
    """An x with a x = b over GF(2); unknowns that are free are 0. numpy.linalg.LinAlgError: there is none."""
    _require_bits(a=a, b=b)
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"a is {a.shape}, b is {b.shape}")
    x = _zeros(a.shape[1], b.shape[1])
    exists, found = _kleene.solve_bits(a.words, a.shape[1], b.words, x.words, b.shape[1], threads_of(threads))
    if not exists:
        raise np.linalg.LinAlgError(f"there is no solution: a has rank {found}, and a and b together more")
    return x


def null_space(a: BitMatrix, *, threads: int | None = None) -> BitMatrix:
    """A basis of {x : a x = 0} over GF(2), a row each."""
    _require_bits(a=a)
    basis = _zeros(a.shape[1], a.shape[1])
    count = _kleene.null_space_of_bits(a.words, a.shape[1], basis.words, threads_of(threads))
    return BitMatrix(basis.words[:count].copy(), (count, a.shape[1]))
