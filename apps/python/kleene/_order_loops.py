"""Sorts, merges and set operations over an order of one's own where no compiler is: loops of Python."""

from __future__ import annotations

from functools import cmp_to_key


def run(less, operation, a, b, offsets, keys, positions):
    """As Order.run."""
    if operation == "sort":
        return _sort(less, offsets, keys, positions)
    for name, (own, _) in (("a", a), ("b", b)):
        for i in range(1, len(own)):
            if less(own[i], own[i - 1]):
                raise ValueError(f"the keys of {name} are not in order: {own[i]}, at {i}, comes before {own[i - 1]}")
    taken = _taken(less, operation, a[0], b[0])
    for at, (side, place) in enumerate(taken):
        own, own_positions = b if side else a
        keys[at], positions[at] = own[place], own_positions[place]
    return len(taken)


def _sort(less, offsets, keys, positions):
    ends = [0, len(keys)] if offsets is None else offsets.tolist()
    for first, last in zip(ends, ends[1:]):
        compare = cmp_to_key(lambda i, j: -1 if less(keys[i], keys[j]) else int(bool(less(keys[j], keys[i]))))
        found = sorted(range(first, last), key=compare)
        keys[first:last], positions[first:last] = keys[found], positions[found]
    return len(keys)


def _taken(less, operation, a, b):
    """(whether of b, place) of each key of the result, in its order."""
    only_a = operation != "set_intersection"
    only_b = operation in ("merge", "set_union", "set_symmetric_difference")
    both = operation in ("set_union", "set_intersection")
    taken, i, j = [], 0, 0
    while i < len(a) or j < len(b):
        below = j == len(b) or i < len(a) and less(a[i], b[j])
        above = i == len(a) or j < len(b) and less(b[j], a[i])
        if below or operation == "merge" and not above:
            taken += [(False, i)] * only_a
            i += 1
        elif above:
            taken += [(True, j)] * only_b
            j += 1
        else:
            taken += [(False, i)] * both
            i, j = i + 1, j + 1
    return taken
