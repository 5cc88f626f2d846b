"""Threads, and what the library says of itself."""

from __future__ import annotations

import operator

from . import _kleene

_threads = 0  # 0: OMP_NUM_THREADS, else the processors that this process may use


def set_threads(threads: int | None) -> None:
    """Has all later calls run on at most so many threads; None or 0: OMP_NUM_THREADS, else all processors.

    Raises ValueError for a negative number or one of 2^31 or more, TypeError for what is no whole number.
    """
    global _threads
    _threads = 0 if threads is None else threads_of(threads)
    _kleene.xla.set_threads(_threads)


def get_threads() -> int:
    """The number of threads that calls run on which are not told another."""
    return _threads or _kleene.default_threads()


def threads_of(threads):
    """A `threads` argument as the extension takes it."""
    if threads is None:
        return _threads
    threads = whole(threads, "threads")
    if threads < 0:
        raise ValueError(f"a negative number of threads: {threads}")
    if threads >= 2**31:
        raise ValueError(f"threads: {threads}; there are at most {2**31 - 1}")
    return threads


def whole(number, what):
    """A number as an int. TypeError for what is no whole number: nothing is cut off."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{what}: a whole number is needed, and not {number!r}") from None


def block_of(block):
    """A `block` argument as the extension takes it: 0 for its own choice."""
    block = whole(block or 0, "block")
    if not 0 <= block < 2**63:
        raise ValueError(f"block: {block}; a block is of 1 to {2**63 - 1} vertices")
    return block


def require_truths(**flags):
    """TypeError, with its name, for a flag that is neither True nor False."""
    for name, flag in flags.items():
        if flag is not True and flag is not False:
            given = "an array" if getattr(flag, "ndim", 0) else repr(flag)
            raise TypeError(f"{name}: True or False is needed, and not {given}") from None


def require_texts(**words):
    """TypeError, with its name, for what is no string."""
    for name, word in words.items():
        if not isinstance(word, str):
            raise TypeError(f"{name}: a string is needed, and not {word!r}") from None


def describe() -> str:
    """What runs the calls: "cpu (avx512, 2 threads)"."""
    return _kleene.describe(_threads)


def cuda_devices() -> list[str]:
    """The CUDA devices that calls on arrays there can use, "0: NVIDIA H200"; none where this build has no CUDA."""
    return [f"{number}: {name}" for number, name, _ in _kleene.cuda_devices()]


def explain(on: bool = True) -> None:
    """Has each call print on stderr which kernel ran and why, as KLEENE_EXPLAIN=1 does."""
    require_truths(on=on)
    _kleene.set_explain(on)
