"""Errors beside ValueError (shapes, values, files), MemoryError and RuntimeError, which the extension raises."""


from __future__ import annotations

from typing import Any


class NegativeCycleError(ValueError):
    """A cycle that improves without end, so that best paths do not exist: a negative one, over min_plus.

    cycle   its vertices in order, each once (the last is followed by the first); names where the graph has names;
            None where it is not known
    """

    def __init__(self, message: str = "a cycle improves without end", cycle: list[Any] | None = None):
        super().__init__(message)
        self.cycle = cycle


def star_error(algebra, dtype, vertex, where):
    """The error for a closure over an algebra whose stars are numbers."""
    told = f"closure: over {algebra.name} the star of vertex {vertex}{where} has no value"
    if algebra.name == "plus_times" and dtype.kind == "i":
        told += f" in {dtype.name}, where only that of 0 has one: .astype(numpy.float64) makes it (I - a)^-1 of floats"
    return ValueError(told)


def cycle_error(cycle, algebra, where=""):
    """The error that shows a cycle, at most twenty vertices of it; where: " of matrix 3"."""
    shown = [str(v) for v in [*cycle, cycle[0]]]
    if len(shown) > 20:
        shown[10:-9] = ["..."]
    kind = {"min_plus": f"negative cycle{where}", "max_plus": f"positive cycle{where}"}.get(
        algebra, f"cycle{where} that improves without end")
    return NegativeCycleError(f"there are no best paths, for there is a {kind}: {' -> '.join(shown)}", cycle)
