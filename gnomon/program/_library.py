"""The C library of programs: its sources, and messages about functions that it does not have."""

import re
from collections.abc import Iterable

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.program._linker import RUNTIME

HEADERS = RUNTIME / "libc"
LIBRARY = tuple(sorted((RUNTIME / "library").glob("gnomon_*.[cS]")))
"""Compiled and linked if a program uses a function that it does not define; all are weak."""

_NO_HEAP = (
    "there is no heap: the memory of a program is fixed when it is built; use static arrays,"
    " sized by macros (-D N=32), or a user-defined allocator from __heap_start to __heap_end"
)
_NO_FILES = "there are no files and no input: put the data into an array, or #embed them"
_NO_FLOATS_READ = "the library does not parse floating point; use strtol and fixed point"
_NO_MATH = (
    "not in the run-time library of zig, which has ceil, cos, exp, exp2, fabs, floor, fma, fmax,"
    " fmin, fmod, log, log10, log2, round, sin, sqrt, tan and trunc, and those with f; link another"
    " library, such as picolibc"
)
_NO_MATH_IN_GCC = "the run-time library of GCC has no function of <math.h>; build with zig"
_ONE_BY_ONE = {
    "atexit": "no code runs after main; call it at the end of main",
    "system": "there is no operating system",
}
_WHY = {
    **dict.fromkeys(("malloc", "calloc", "realloc", "aligned_alloc", "free", "strdup", "strndup"),
                    _NO_HEAP),
    **dict.fromkeys(("fopen", "fclose", "fread", "scanf", "fscanf", "sscanf"), _NO_FILES),
    **dict.fromkeys(("atof", "strtod", "strtof"), _NO_FLOATS_READ),
    **_ONE_BY_ONE,
}  # fmt: skip
_OF_ZIG = frozenset(
    ("ceil", "cos", "exp", "exp2", "floor", "fma", "fmax", "fmin", "fmod", "log", "log10", "log2",
     "round", "sin", "sqrt", "tan", "trunc")
)  # fmt: skip
_OF_NONE = frozenset(
    ("acos", "asin", "atan", "cbrt", "cosh", "erf", "expm1", "log1p", "sinh", "tanh", "tgamma",
     "atan2", "hypot", "pow")
)  # fmt: skip
# Messages of lld and of GNU ld. If lld stops listing names, any name may be missing.
_UNDEFINED = re.compile(
    r"undefined symbol: (?P<lld>\S+)(?:\n>>> referenced by [^\n]*(?:\n>>> +\S*:\((?P<by>\w+)\))?)?"
    r"|in function `(?P<in>\w+)'|undefined reference to `(?P<ld>[^']+)'|too many errors"
)
_ATOMIC = re.compile(r"__(?:atomic|sync)_(\w+?)(?:_(\d+))?$")


def undefined_in(complaint: str) -> dict[str, str]:
    """Return the names that a linker did not find, each with a function that uses it, or empty.

    An empty name represents names that the linker omitted.
    """
    found: dict[str, str] = {}
    function = ""
    for each in _UNDEFINED.finditer(complaint):
        if each["in"]:
            function = each["in"]
        elif each["ld"]:
            found.setdefault(each["ld"], function)
        else:
            found.setdefault(each["lld"] or "", each["by"] or "")
    return found


def uses_library(undefined: Iterable[str]) -> bool:
    """Return whether a program may need the library: names of compilers begin with ``__``."""
    return any(not name.startswith("__") or _ATOMIC.match(name) for name in undefined)


def check_undefined(undefined: dict[str, str], machine: Architecture, compiler: str) -> None:
    """Reject names that no library has, each with a remedy.

    Args:
        undefined: undefined names, each with the function that uses it or an empty text.
        machine: target of the program.
        compiler: ``zig`` or ``gcc``.

    Raises:
        GnomonError: if a name is known to be in no library.
    """
    for name, function in undefined.items():
        why = _explain(name, machine, compiler)
        if why:
            raise GnomonError(f"{f'{function} uses ' if function else ''}{name}: {why}")


def _explain(name: str, machine: Architecture, compiler: str) -> str:
    if name in _WHY:
        return _WHY[name]
    if name in _OF_NONE or name.removesuffix("f") in _OF_NONE:
        return _NO_MATH
    if compiler != "zig" and (name in _OF_ZIG or name.removesuffix("f") in _OF_ZIG):
        return _NO_MATH_IN_GCC
    atomic = _ATOMIC.match(name)
    if atomic is None and name != "gnomon_swap":
        return ""
    if machine.core.model != "t13":
        return (
            f"{machine.name} has no atomic instructions (core.isa {machine.core.isa}), so it loads"
            " and stores up to 4 bytes in one step, and has no other atomic operation"
        )
    size = ""
    if atomic is not None and atomic[2]:
        size = f" of {atomic[2]} byte{'s' if atomic[2] != '1' else ''}"
    operation = atomic[1] if atomic is not None else name
    return (
        f"{machine.name} has only amoswap.w, so it loads and stores up to 4 bytes and exchanges 4"
        f" bytes in one step, and has no {operation}{size}; guard the object by an atomic_flag"
    )
