"""Functions of two numbers, called once with what stands for numbers, as expressions: for kl.semiring and kl.order.

What cannot be an expression of numbers (a branch on a value, a function of math, a loop over it) is refused with the
line where it stands.
"""

from __future__ import annotations

import inspect
import linecache
import math
import operator
import os
import sys
from functools import partial
from typing import Any

import numpy as np

_PACKAGE = os.path.dirname(__file__)


def _least(a, b):
    return np.where(b < a, b, a)


def _greatest(a, b):
    return np.where(a < b, b, a)


def _magnitude(a):
    """Of the least integer of a type, which has no negative, the greatest."""
    size = np.abs(a)
    return np.where(size < 0, np.iinfo(size.dtype).max, size) if size.dtype.kind == "i" else size


_LIMITS = "std::numeric_limits<value_type>"

# operation: (as C++, on NumPy's arrays, whether it gives a truth)
OPERATIONS = {
    "add": ("({0} + {1})", operator.add, False),
    "sub": ("({0} - {1})", operator.sub, False),
    "mul": ("({0} * {1})", operator.mul, False),
    "div": ("({0} / {1})", operator.truediv, False),
    "neg": ("(-{0})", operator.neg, False),
    "abs": (f"({{0}} < 0 ? ({{0}} == {_LIMITS}::lowest() ? {_LIMITS}::max() : -{{0}}) : {{0}})", _magnitude, False),
    "min": ("({1} < {0} ? {1} : {0})", _least, False),
    "max": ("({0} < {1} ? {1} : {0})", _greatest, False),
    "where": ("({0} ? {1} : {2})", np.where, False),
    "lt": ("({0} < {1})", operator.lt, True),
    "le": ("({0} <= {1})", operator.le, True),
    "eq": ("({0} == {1})", operator.eq, True),
    "ne": ("({0} != {1})", operator.ne, True),
    "and": ("({0} & {1})", operator.and_, True),
    "or": ("({0} | {1})", operator.or_, True),
    "xor": ("({0} ^ {1})", operator.xor, True),
    "not": ("(!{0})", np.logical_not, True),
}


def _line():
    """The nearest line outside this package."""
    frame = sys._getframe(1)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == _PACKAGE:
        frame = frame.f_back
    name, number = frame.f_code.co_filename, frame.f_lineno
    return f"{name}:{number}: {linecache.getline(name, number).strip()}"


def _refuse(what):
    raise ValueError(f"{_line()}\n  {what}")


class Traced:
    """A number (or a truth) that is not known yet: an operation on others, or one of the function's two arguments."""

    __slots__ = ("arguments", "is_truth", "operation")
    __hash__ = object.__hash__

    def __init__(self, operation, *arguments):
        self.operation = operation
        self.arguments = arguments
        self.is_truth = operation in OPERATIONS and OPERATIONS[operation][2]

    def __bool__(self):
        _refuse("a branch on a value that is not known yet (if, and, or, not, min(), max()): use kl.where, kl.min, "
                "kl.max")

    def __float__(self):
        _refuse("a function that needs the value itself (float, math.*): use kl.where, kl.min, kl.max and arithmetic")

    __int__ = __index__ = __complex__ = __trunc__ = __floor__ = __ceil__ = __float__

    def __round__(self, *_digits):
        _refuse("round() of a value: there are + - * / and comparisons")

    def __len__(self):
        _refuse("len() of a value: it is one number")

    def __getitem__(self, _at):
        _refuse("an element of a value: it is one number")

    def __iter__(self):
        _refuse("a loop over a value: it is one number")

    def __array_ufunc__(self, ufunc, method, *arguments, **options):
        # NumPy's own numbers come here for their operators, numpy.float64(2) * a; to be compared as arrays of no axes.
        if ufunc in _OF_NUMPY and method == "__call__" and not options:
            return _OF_NUMPY[ufunc](*(x[()] if isinstance(x, np.ndarray) else x for x in arguments))
        _refuse(f"numpy.{ufunc.__name__}: use kl.where, kl.min, kl.max and arithmetic")

    def __array_function__(self, function, *_arguments):
        _refuse(f"numpy.{function.__name__}: use kl.where, kl.min, kl.max and arithmetic")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse(f"a value has no .{name}: it is one number")


def _make(operation, *arguments):
    made = []
    wants_truths = operation in ("and", "or", "xor", "not")
    for at, argument in enumerate(arguments):
        is_truth = argument.is_truth if isinstance(argument, Traced) else isinstance(argument, (bool, np.bool_))
        if not isinstance(argument, (Traced, bool, int, float, np.number, np.bool_)):
            _refuse(f"{argument!r} is no number")
        if isinstance(argument, (float, np.floating)) and math.isnan(argument):
            _refuse("NaN is no number")
        if is_truth != (wants_truths or (operation == "where" and at == 0)):
            _refuse("a comparison where a number is needed: kl.where makes one of it" if is_truth else
                    "a number where a comparison is needed")
        made.append(_constant(argument))
    return Traced(operation, *made)


def _constant(number):
    """A number of Python's; an integer of more than 64 bits as the float that it is beside other floats."""
    number = number.item() if isinstance(number, np.generic) else number
    if not isinstance(number, int) or -(2**63) <= number < 2**63:
        return number
    try:
        return float(number)
    except OverflowError:
        _refuse(f"a number of {number.bit_length()} bits is too large for any element")


def _forward(operation):
    return lambda self, other: _make(operation, self, other)


def _backward(operation):
    return lambda self, other: _make(operation, other, self)


for _name, _operation in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("and", "and"),
                          ("or", "or"), ("xor", "xor")):
    setattr(Traced, f"__{_name}__", _forward(_operation))
    setattr(Traced, f"__r{_name}__", _backward(_operation))
for _name in ("lt", "le", "eq", "ne"):
    setattr(Traced, f"__{_name}__", _forward(_name))
_OF_NUMPY = {ufunc: partial(_make, operation) for ufunc, operation in (
    (np.add, "add"), (np.subtract, "sub"), (np.multiply, "mul"), (np.true_divide, "div"), (np.less, "lt"),
    (np.less_equal, "le"), (np.equal, "eq"), (np.not_equal, "ne"), (np.bitwise_and, "and"), (np.bitwise_or, "or"),
    (np.bitwise_xor, "xor"))}
_OF_NUMPY[np.greater] = lambda a, b: _make("lt", b, a)
_OF_NUMPY[np.greater_equal] = lambda a, b: _make("le", b, a)
Traced.__gt__, Traced.__ge__ = _backward("lt"), _backward("le")
Traced.__neg__ = lambda self: _make("neg", self)
Traced.__abs__ = lambda self: _make("abs", self)
Traced.__invert__ = lambda self: _make("not", self)
Traced.__pos__ = lambda self: self
for _name in ("pow", "mod", "floordiv", "matmul", "lshift", "rshift", "divmod"):
    for _side in ("", "r"):
        setattr(Traced, f"__{_side}{_name}__",
                lambda self, *_, name=_name: _refuse(f"{name}() of a value: there are + - * / and comparisons"))


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition is true, else b: in functions for kl.semiring and kl.order; on arrays as numpy.where."""
    if any(isinstance(x, Traced) for x in (condition, a, b)):
        return _make("where", condition, a, b)
    return np.where(condition, a, b)


def min(a: Any, b: Any) -> Any:
    """The smaller of two, a where neither is (one is NaN): in functions for kl.semiring and kl.order, and on arrays."""
    return _make("min", a, b) if isinstance(a, Traced) or isinstance(b, Traced) else _least(a, b)


def max(a: Any, b: Any) -> Any:
    """The greater of two, a where neither is (one is NaN): in functions for kl.semiring and kl.order, and on arrays."""
    return _make("max", a, b) if isinstance(a, Traced) or isinstance(b, Traced) else _greatest(a, b)


def _require_function_of_two(function, what):
    """TypeError; what is written in C need not say what it takes, and is called."""
    if not callable(function):
        raise TypeError(f"{what} is a function of two numbers, and not {function!r}")
    try:
        taken = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        taken.bind(1, 2)
    except TypeError:
        raise TypeError(f"{what} is a function of two numbers, and this one takes {taken}") from None


class Expression:
    """A function of two numbers, which gives a number or, of an order's, a truth.

    is_sum  b is added to a: the lesser or greater of them passes a NaN in b over, in whatever order it names them
    """

    def __init__(self, function, what, gives_truth=False, is_sum=False):
        _require_function_of_two(function, what)
        self._arguments = Traced("a"), Traced("b")
        found = function(*self._arguments)
        is_truth = isinstance(found, Traced) and found.is_truth or isinstance(found, (bool, np.bool_))
        if gives_truth and not is_truth:
            raise ValueError(f"{what} gives no truth: a comparison, or several joined by & | ^ ~")
        if is_truth and not gives_truth:
            raise ValueError(f"{what} gives a truth, and no number: kl.where makes one of it")
        if not isinstance(found, (Traced, int, float, np.number)):
            raise ValueError(f"{what} gives {found!r}, and no number")
        found = found if isinstance(found, Traced) else _constant(found)
        if is_sum and isinstance(found, Traced) and found.operation in ("min", "max") and (
                set(map(id, found.arguments)) == set(map(id, self._arguments))):
            found = Traced(found.operation, *self._arguments)
        self._found = found
        self._steps = []  # operations, each behind its arguments
        known = set(map(id, self._arguments))
        stack = [found] if isinstance(found, Traced) else []
        while stack:
            node = stack[-1]
            missing = [x for x in node.arguments if isinstance(x, Traced) and id(x) not in known]
            if missing and id(node) not in known:
                stack.extend(missing)
                continue
            stack.pop()
            if id(node) not in known:
                known.add(id(node))
                self._steps.append(node)

    def __call__(self, a, b):
        """On NumPy's arrays."""
        known = {id(self._arguments[0]): a, id(self._arguments[1]): b}

        def value(x):
            return known[id(x)] if isinstance(x, Traced) else x

        with np.errstate(all="ignore"):
            for node in self._steps:
                known[id(node)] = OPERATIONS[node.operation][1](*map(value, node.arguments))
        return value(self._found)

    def is_whole(self):
        """Whether it stays within whole numbers: there is no / in it, and no number of floats."""
        found = [x for node in self._steps for x in node.arguments if not isinstance(x, Traced)]
        constants = found if isinstance(self._found, Traced) else [self._found]
        return all(node.operation != "div" for node in self._steps) and not any(isinstance(x, float) for x in constants)

    def operation(self):
        """Its name, where it is one operation on the two arguments in their order; else None."""
        found = self._found
        arguments = found.arguments if isinstance(found, Traced) else ()
        is_one = len(arguments) == 2 and all(x is y for x, y in zip(arguments, self._arguments))
        return found.operation if is_one else None

    def text(self):
        """The statements of a C++ function of a and b, whose elements are value_type."""
        names = dict(zip(map(id, self._arguments), "ab"))

        def name(x):
            return names[id(x)] if isinstance(x, Traced) else literal(x)

        lines = []
        for node in self._steps:
            pattern, _, is_truth = OPERATIONS[node.operation]
            own = names[id(node)] = f"x{len(lines)}"
            kind = "bool" if is_truth else "value_type"
            lines.append(f"const {kind} {own} = {pattern.format(*map(name, node.arguments))};")
        return "\n    ".join([*lines, f"return {name(self._found)};"])


def literal(number):
    """A number as C++'s value_type, exactly."""
    if isinstance(number, bool):
        return "true" if number else "false"
    if isinstance(number, int):
        return f"value_type({number}LL)" if abs(number) < 2**63 else f"value_type(-{2**63 - 1}LL - 1)"
    if math.isinf(number):
        return f"value_type({'-' if number < 0 else ''}INFINITY)"
    return f"value_type({number.hex()})"
