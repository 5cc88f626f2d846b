"""What the library refuses, told by the names and the positions that the caller knows.

The library calls matrices A, B and C, and counts rows and columns within the part of a product that it was at.
"""

from __future__ import annotations

import os
import re
import sys

import numpy as np

from ._algebras import algebras

_PACKAGE = os.path.dirname(__file__)
_OUTSIDE = re.compile(r"(?P<name>.*)\((?P<place>\d+(?:, \d+)*)\)(?: = (?P<value>\S+) is outside the domain of "
                      r"(?P<algebra>\w+)| is NaN)")
_ARC = re.compile(r"(?P<arc>the arc .*) has weight (?P<value>\S+), outside the domain of (?P<algebra>\w+)(?: on \w+)?")
_TOO_LARGE = re.compile(r"(?P<algebra>\w+): a finite result is too large for the element type; use a wider one\. "
                        r"\w+ is not to be used")


def reword(names, operands, dtype, out=None):
    """Rewords the ValueError that is being handled, for `raise` alone to go on with it.

    names     what the library calls an argument: what the caller does
    operands  the caller's name: the array, of the caller's shape. A value outside a domain is wrong wherever it lies,
              and is shown where it lies first
    dtype     of the elements
    out       the caller's, which is not to be used then

    What functions of the caller's have raised (progress, handlers of signals) stays as it is.
    """
    refused = sys.exc_info()[1]
    trace = refused.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    if os.path.dirname(trace.tb_frame.f_code.co_filename) != _PACKAGE or len(refused.args) != 1:
        return
    told = refused.args[0]
    if outside := _OUTSIDE.fullmatch(told):
        value = outside["value"]
        place = _place(outside["name"], "nan" if value is None else value, operands)
        place = place or f"{_named(outside['name'], names)}[{outside['place']}]"
        told = f"{place} is NaN" if value is None else f"{place} = {value} {_why(value, outside['algebra'], dtype)}"
    elif arc := _ARC.fullmatch(told):
        told = f"{arc['arc']} has weight {arc['value']}, which {_why(arc['value'], arc['algebra'], dtype)}"
    elif large := _TOO_LARGE.fullmatch(told):
        told = f"{large['algebra']}: a finite result is too large for {dtype.name}; use "
        told += _wider(large["algebra"], dtype)
        told += "" if out is None else ". out is not to be used"
    else:
        told = _named(told, names)
    refused.args = (told,)


def _named(told, names):
    """The library's words with what the caller calls its arguments."""
    if not names:
        return told
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda found: names[found[0]], told)


def _why(value, algebra, dtype):
    """ "is outside the domain of max_times"; of integers of min_plus and max_plus the greatest that is inside."""
    if algebra not in ("min_plus", "max_plus") or dtype.kind != "i":
        return f"is outside the domain of {algebra}"
    most = 2 ** (8 * dtype.itemsize - 4) - 2  # tropical_range's limit, less one
    more, largest = ("more", "largest") if int(value) > 0 else ("less", "smallest")
    return (f"is {more} than {most if int(value) > 0 else -most}, the {largest} finite number that {algebra} over "
            f"{dtype.name} holds; use {_wider(algebra, dtype)}")


def _wider(algebra, dtype):
    """The types of the algebra that hold more: "int64 or float64"."""
    known = algebras[algebra].dtypes
    return " or ".join(name for name in ("int64", "float64") if np.dtype(name) in known and np.dtype(name) != dtype)


def wait(context):
    """Waits for a device, and raises what it found wrong with values as that of a call before: nobody knows which."""
    try:
        context.synchronise()
    except ValueError as refused:
        told = refused.args[0]
        outside = _OUTSIDE.fullmatch(told)
        if outside and outside["value"]:
            told = (f"{outside['value']}, at [{outside['place']}] of an operand, is outside the domain of "
                    f"{outside['algebra']}")
        refused.args = (f"a call before: {told.replace('C is not', 'Its result is not')}. With KLEENE_SYNC=1 in the "
                        "environment the call itself raises this",)
        raise


def _place(name, value, operands):
    """ "a[2, 3]" for the first element that is the value; None: there is none."""
    if name in ("alpha", "beta"):
        return name
    for called, array in operands.items():
        wanted = array.dtype.type(value)
        wrong = array == wanted if wanted == wanted else array != array
        if wrong.any():
            at = np.unravel_index(wrong.argmax(), wrong.shape)
            return f"{called}[{', '.join(map(str, at))}]"
    return None
