"""The algebras by name. Their rows (an algebra over an element type) are those of the library's catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _kleene

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

# What the library's names of element types are to NumPy: "f32", "i64", "u8", "bool".
_DTYPES = {f"{kind}{8 * size}": np.dtype(f"{kind}{size}") for kind, sizes in
           (("f", (2, 4, 8)), ("i", (1, 2, 4, 8)), ("u", (1, 2, 4, 8))) for size in sizes}
_DTYPES["bool"] = np.dtype(bool)


class Row(NamedTuple):
    number: int
    dtype: np.dtype[Any]
    zero: Any
    one: Any


class Algebra:
    """An algebra: what + and x are, over the element types that it has.

    name            "min_plus", ...
    dtypes          the element types, NumPy's
    is_idempotent   a + a is a
    is_selective    a + b is a or b: one term gives a result, so there are witnesses and paths
    is_commutative  of x
    has_closure     kl.closure takes it
    has_paths       kl.shortest_paths takes it
    """

    extension: Any = _kleene  # where the rows are compiled: an algebra of one's own may bring another
    no_closure: str | None = "it is not distributive, or has no star"  # why, where has_closure is False

    def __init__(self, name, rows, idempotent, selective, commutative, has_closure, has_paths):
        self.name = name
        self.is_idempotent = idempotent
        self.is_selective = selective
        self.is_commutative = commutative
        self.has_closure = has_closure
        self.has_paths = has_paths
        self._rows = rows
        self._chosen = {}  # what row_for has found

    @property
    def dtypes(self) -> list[np.dtype[Any]]:
        return list(self._rows)

    def __repr__(self):
        return f"<kleene algebra {self.name} over {', '.join(d.name for d in self._rows)}>"

    def row(self, dtype: DTypeLike) -> Row:
        """The row over this very type. ValueError: there is none."""
        row = self._rows.get(np.dtype(dtype))
        if row is None:
            types = ", ".join(d.name for d in self._rows)
            raise ValueError(f"{self.name} has no elements of {np.dtype(dtype).name}; it has {types}")
        return row

    def row_for(self, *dtypes: DTypeLike) -> Row:
        """The row that operands of these types are computed in: their common type, else the next wider one."""
        row = self._chosen.get(dtypes)
        if row is None:
            common = np.result_type(*dtypes)
            wider = sorted(self._rows, key=_width)
            fits = [d for d in [common, *wider] if d in self._rows and np.can_cast(common, d, "safe")]
            row = self._chosen[dtypes] = self.row(fits[0] if fits else common)
        return row

    def zero(self, dtype: DTypeLike) -> Any:
        """The identity of + ("no edge"); for integers over min_plus and max_plus half the type's range."""
        return self.row(dtype).zero

    def one(self, dtype: DTypeLike) -> Any:
        """The identity of x ("no way to go"). ValueError where the algebra has none."""
        one = self.row(dtype).one
        if one is None:
            raise ValueError(f"{self.name} has no identity of its multiplication")
        return one


def _width(dtype):
    """Sorts types so that the first one that holds all values of another is the one to compute in."""
    return "biuf".index(dtype.kind), dtype.itemsize


def dtype_of(kind):
    """NumPy's type for the library's name of an element type. ImportError: there is none."""
    if kind not in _DTYPES:
        raise ImportError(f"kleene/_algebras.py: the catalog has elements of type {kind}, and _DTYPES does not say "
                          "what they are to NumPy; rows of a type that NumPy lacks are to be left out in catalog.cpp")
    return _DTYPES[kind]


class _Algebras(Mapping[str, Algebra]):
    """All algebras by name."""

    def __init__(self):
        found = {}
        for number, (name, kind, zero, one, *facts) in enumerate(_kleene.catalog()):
            dtype = dtype_of(kind)
            rows, _ = found.setdefault(name, ({}, facts))
            rows[dtype] = Row(number, dtype, dtype.type(zero), None if one is None else dtype.type(one))
        self._by_name = {name: Algebra(name, rows, *facts) for name, (rows, facts) in found.items()}

    def __getitem__(self, name):
        return self._by_name[name]

    def __iter__(self):
        return iter(self._by_name)

    def __len__(self):
        return len(self._by_name)

    def __repr__(self):
        return f"<kleene algebras: {', '.join(self._by_name)}>"


algebras: Mapping[str, Algebra] = _Algebras()
_by_name = dict(algebras)
element_types = sorted({dtype for algebra in algebras.values() for dtype in algebra.dtypes}, key=_width)


def find(algebra):
    """An algebra by its name, or as it is. ValueError for an unknown name."""
    found = _by_name.get(algebra) if isinstance(algebra, str) else algebra
    if not isinstance(found, Algebra):
        raise ValueError(f"there is no algebra {algebra!r}; there are {', '.join(_by_name)}")
    return found


def zero(algebra: str | Algebra, dtype: DTypeLike = np.float64) -> Any:
    """The identity of the algebra's +, which in dense matrices means "no edge": inf over min_plus.

    Raises ValueError for an unknown algebra, or a type that it does not have.
    """
    return find(algebra).zero(dtype)


def one(algebra: str | Algebra, dtype: DTypeLike = np.float64) -> Any:
    """The identity of the algebra's x: 0 over min_plus. Raises ValueError as zero() does."""
    return find(algebra).one(dtype)
