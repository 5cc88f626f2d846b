"""Kernels for a ring or an order of one's own: its C++ text, compiled once by the machine's compiler, kept on disk.

A kept file's name says what it was made of: the text, the compiler, the flags, the headers, the extension that it is
linked to and the processor's kind. It is written beside its place and then renamed, so that processes do not see each
other's halves, and ends with its own digest: one that a full disk cut off is compiled again. The folder is KLEENE_CACHE
of the environment, else kleene in XDG_CACHE_HOME, else ~/.cache/kleene, else, where that cannot be written to, one that
goes with the process.

g++ and clang++ have the standard library that the extension was made with, and a kernel is linked to the extension. The
compiler of the wheel ziglang has another one, whose strings and exceptions are not those: a kernel of it contains the
few sources of the library that it needs (the folder `sources`), and is asked in plain C, like the others.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
from functools import lru_cache

from . import _kleene
from ._ring_trace import literal

# What only a compilation needs is imported there: a process that finds its kernels kept shall not wait for it.

_HERE = os.path.dirname(os.path.abspath(__file__))
_DIGEST_BYTES = hashlib.sha256().digest_size
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-fwrapv", "-w")

_RING = """#include <cmath>
#include <cstdint>
#include <limits>
struct ring {{
  using value_type = {type};
  static constexpr const char* name = "{name}";
  static constexpr bool is_idempotent = {idempotent}, is_selective = {selective}, is_commutative = {commutative};
  static constexpr bool is_distributive = {distributive};
  static constexpr value_type zero() {{ return {zero}; }}
{more}  static constexpr value_type add(value_type a, value_type b) {{
    {add}
  }}
  static constexpr value_type mul(value_type a, value_type b) {{
    {mul}
  }}
}};
#include "kleene/operations/own/plain/{part}.hpp"
extern "C" __attribute__((visibility("default"))) int ring_{part}(
    const kleene::plain::{request}* asked, kleene::plain::message* said) {{
  return kleene::plain::run<ring>(*asked, said);
}}
"""
_REQUESTS = {"gemm": "product", "closure": "closures"}

_ORDER = """#include <cmath>
#include <cstdint>
#include <limits>
struct order {{
  using value_type = {type};
  bool operator()(value_type a, value_type b) const {{
    {less}
  }}
}};
#include "kleene/operations/own/plain/ordered.hpp"
extern "C" __attribute__((visibility("default"))) int order_run(
    const kleene::plain::ordered_request* asked, std::int64_t* written, int threads, kleene::plain::message* said) {{
  return kleene::plain::run<order>(*asked, written, threads, said);
}}
"""

_TYPES = {"float32": "float", "float64": "double", "int32": "std::int32_t", "int64": "std::int64_t"}


class NoCompiler(Exception):
    """There is none, or it does not compile C++20."""


def cache_folder():
    named = os.environ.get("KLEENE_CACHE")
    if named:
        return named
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if caches.startswith("~"):
        raise OSError("nobody knows a home")
    return os.path.join(caches, "kleene")


@lru_cache(maxsize=1)
def _own_folder():
    """A folder of this process, removed at its end."""
    import tempfile

    return tempfile.TemporaryDirectory(prefix="kleene-")


def _program(word):
    """Where a command is, as a shell finds it; None: nowhere. (The import of shutil takes as long as all the rest.)"""
    places = [word] if os.path.dirname(word) else [os.path.join(folder, word) for folder in os.get_exec_path()]
    return next((path for path in places if os.access(path, os.X_OK) and not os.path.isdir(path)), None)


def compiler():
    """The command that compiles C++: CXX of the environment, g++, clang++, or ziglang's. NoCompiler: there is none."""
    for name in (os.environ.get("CXX"), "g++", "clang++"):
        words = shlex.split(name) if name else []
        if words and (found := _program(words[0])):
            return [os.path.realpath(found) if len(words) == 1 else found, *words[1:]]
    from importlib.util import find_spec

    wheel = find_spec("ziglang")
    if wheel is not None and wheel.origin is not None:
        # For the machine's least processor, as the others do unasked: which instructions there are the kernels say.
        return [os.path.join(os.path.dirname(wheel.origin), "zig"), "c++", "-mcpu=baseline"]
    raise NoCompiler("there is no C++ compiler (CXX, g++, clang++, or that of pip install 'kleene[jit]')")


def _stands_alone(command):
    """Whether this compiler's kernels have to contain all that they need."""
    return os.path.basename(command[0]).startswith("zig")


def _sources():
    """The sources of the library that a kernel needs which is not linked to the extension."""
    folder = os.path.join(_HERE, "sources")
    return sorted(os.path.join(room, name) for room, _, names in os.walk(folder, followlinks=True) for name in names
                  if name.endswith(".cpp"))


def _stamp(path):
    state = os.stat(path)
    return f"{path} {state.st_size} {state.st_mtime_ns}\n"


@lru_cache(maxsize=1)
def _package_stamp():
    """What the package's headers and extension are, without reading them."""
    found = [_stamp(path) for path in (_kleene.__file__, *_sources())]
    for root, folders, files in os.walk(headers(), followlinks=True):
        folders.sort()
        found += [_stamp(os.path.join(root, name)) for name in sorted(files)]
    return "".join(found)


def type_of(dtype):
    """What C++ calls an element type."""
    return _TYPES[dtype.name]


def headers():
    """The folder of the library's headers."""
    return os.path.join(_HERE, "include")


def as_expression(expression):
    """A traced function as an expression of C++, and not as statements."""
    return f"[&] {{\n    {expression.text()}\n  }}()"


def domain_of(ring):
    """Whether v is in a ring's domain, as an expression of C++; empty: all is."""
    if ring.domain is None:
        return ""
    low, high = map(literal, ring.domain)
    return f"({low} <= v && v <= {high}) || v == zero()"


def writable_cache():
    """The folder of kept files, else one of this process."""
    try:
        folder = cache_folder()
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return _own_folder().name


def text_of(ring, dtype, part):
    """The C++ unit of `part` (gemm, closure) for a ring over an element type."""
    more = ""
    if ring.one is not None:
        more += f"  static constexpr value_type one() {{ return {literal(ring.one)}; }}\n"
    if ring.domain is not None:
        more += f"  static constexpr bool in_domain(value_type v) {{ return {domain_of(ring)}; }}\n"
    facts = {name: "true" if getattr(ring, f"is_{name}") else "false"
             for name in ("idempotent", "selective", "commutative", "distributive")}
    return _RING.format(type=_TYPES[dtype], name=ring.name, zero=literal(ring.zero), more=more, part=part,
                        request=_REQUESTS[part], add=ring.add.text(), mul=ring.mul.text(), **facts)


def text_of_order(less, dtype):
    """The C++ unit of an order over an element type; less: its Expression."""
    return _ORDER.format(type=_TYPES[dtype], less=less.text())


def library_of(text):
    """The unit's functions, by ctypes; compiled now where no earlier process has. NoCompiler."""
    # For this machine's instruction set alone: all of them would take the compiler twice the time.
    command = [*compiler(), *_FLAGS, f"-DKLEENE_INSTRUCTION_SET={_kleene.instruction_set()}"]
    linked = [_kleene.__file__]
    if _stands_alone(command):
        command += ["-fvisibility=hidden", "-s"]
        text += "".join(f'#include "{path}"\n' for path in _sources())
        linked = []
    made_of = "\n".join([text, *command, *linked, _stamp(command[0]), _package_stamp(), os.uname().machine])
    name = hashlib.sha256(made_of.encode()).hexdigest()[:32] + ".so"
    try:
        return _kept_or_compiled(command, text, linked, os.path.join(cache_folder(), name))
    except OSError:  # no folder there, or no room in it
        return _kept_or_compiled(command, text, linked, os.path.join(_own_folder().name, name))


def _kept_or_compiled(command, text, linked, path):
    if not _is_whole(path):
        _compile(command, text, linked, path)
    return ctypes.CDLL(path)


def _is_whole(path):
    """Whether a file is there and ends with the digest of what comes before."""
    try:
        with open(path, "rb") as file:
            kept = file.read()
    except FileNotFoundError:
        return False
    return len(kept) > _DIGEST_BYTES and hashlib.sha256(kept[:-_DIGEST_BYTES]).digest() == kept[-_DIGEST_BYTES:]


def _compile(command, text, linked, path):
    import subprocess
    import tempfile

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="making-", dir=os.path.dirname(path)) as folder:
        unit, made = os.path.join(folder, "ring.cpp"), os.path.join(folder, "ring.so")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([*command, f"-I{headers()}", unit, "-o", made, *linked],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
            raise NoCompiler(f"{command[0]} does not compile it: {first}")
        if not os.path.exists(made):
            raise NoCompiler(f"{command[0]} does not compile it: it writes nothing, and reports no error")
        with open(made, "r+b") as file:  # loaders look at nothing behind a library's sections
            digest = hashlib.sha256(file.read()).digest()
            file.write(digest)
            file.flush()
            os.fsync(file.fileno())
        os.replace(made, path)
