"""Threads, and what the library says of itself."""

from __future__ import annotations

from . import _kleene

_threads = 0  # 0: OMP_NUM_THREADS, else the processors that this process may use


def set_threads(threads: int | None) -> None:
    """Has all later calls run on at most so many threads; None or 0: OMP_NUM_THREADS, else all processors.

    Raises ValueError for a negative number.
    """
    global _threads
    _threads = threads_of(threads or 0)


def get_threads() -> int:
    """The number of threads that calls run on which are not told another."""
    return _threads or _kleene.default_threads()


def threads_of(threads):
    """A `threads` argument as the extension takes it."""
    if threads is None:
        return _threads
    if threads < 0:
        raise ValueError(f"a negative number of threads: {threads}")
    return int(threads)


def describe() -> str:
    """What runs the calls: "cpu (avx512, 2 threads)"."""
    return _kleene.describe(_threads)


def explain(on: bool = True) -> None:
    """Has each call print on stderr which kernel ran and why, as KLEENE_EXPLAIN=1 does."""
    _kleene.set_explain(on)
