"""The algebras by name. Their rows (an algebra over an element type) are those of the library's catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _kleene

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

_DTYPES = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "bool": np.dtype(np.bool_),
}
# Where a type has no row of its own, the first of these that holds its values.
_WIDER = [_DTYPES[name] for name in ("bool", "i32", "i64", "f32", "f64")]


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
            fits = [d for d in [common, *_WIDER] if d in self._rows and np.can_cast(common, d, "safe")]
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


class _Algebras(Mapping[str, Algebra]):
    """All algebras by name."""

    def __init__(self):
        found = {}
        for number, (name, kind, zero, one, *facts) in enumerate(_kleene.catalog()):
            dtype = _DTYPES[kind]
            rows, _ = found.setdefault(name, ({}, facts))
            rows[dtype] = Row(number, dtype, dtype.type(zero), None if one is None else dtype.type(one))
        self._by_name = {name: Algebra(name, rows, *facts) for name, (rows, facts) in found.items()}

    def __getitem__(self, name):
        return self._by_name[name]

    def __iter__(self):
        return iter(self._by_name)

    def __len__(self):
        return len(self._by_name)


algebras: Mapping[str, Algebra] = _Algebras()
_by_name = dict(algebras)


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
