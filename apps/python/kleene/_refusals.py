"""What the library refuses, told by the names and the positions that the caller knows.

The library calls matrices A, B and C, and counts rows and columns within the part of a product that it was at.
"""

from __future__ import annotations

import os
import re
import sys

import numpy as np

_PACKAGE = os.path.dirname(__file__)
_OUTSIDE = re.compile(r"(?P<name>.*)(?P<place>\(\d+(?:, \d+)*\)) = (?P<value>\S+) "
                      r"(?P<rest>is outside the domain of \w+)")


def reword(names, operands):
    """Rewords the ValueError that is being handled, for `raise` alone to go on with it.

    names     what the library calls an argument: what the caller does
    operands  the caller's name: the array, of the caller's shape. A value outside a domain is wrong wherever it lies,
              and is shown where it lies first

    What functions of the caller's have raised (progress, handlers of signals) stays as it is.
    """
    refused = sys.exc_info()[1]
    trace = refused.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    if os.path.dirname(trace.tb_frame.f_code.co_filename) != _PACKAGE or len(refused.args) != 1:
        return
    outside = _OUTSIDE.fullmatch(refused.args[0])
    place = _place(outside["name"], outside["value"], operands) if outside else None
    if place:
        refused.args = (f"{place} = {outside['value']} {outside['rest']}",)
        return
    told = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    refused.args = (re.sub(rf"(?<!\w)(?:{told})(?!\w)", lambda found: names[found[0]], refused.args[0]),)


def wait(context):
    """Waits for a device, and raises what it found wrong with values as that of a call before: nobody knows which."""
    try:
        context.synchronise()
    except ValueError as refused:
        told = refused.args[0]
        if outside := _OUTSIDE.fullmatch(told):
            told = f"{outside['value']}, at {outside['place']} of an operand, {outside['rest']}"
        refused.args = (f"a call before: {told.replace('C is not', 'Its result is not')}. With KLEENE_SYNC=1 in the "
                        "environment the call itself raises this",)
        raise


def _place(name, value, operands):
    """ "a[2, 3]" for the first element that is the value; None: there is none."""
    if name in ("alpha", "beta"):
        return name
    for called, array in operands.items():
        wrong = array == array.dtype.type(value)
        if wrong.any():
            at = np.unravel_index(wrong.argmax(), wrong.shape)
            return f"{called}[{', '.join(map(str, at))}]"
    return None
