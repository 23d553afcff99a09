"""Library code that compilers insert, identified by its computation.

Compilers agree on the names of their support functions (GCC internals, "The GCC low-level runtime
library"): ``__addsf3`` adds 32-bit floats, ``__udivdi3`` divides 64-bit integers. A function may
have further names at the same address, such as zig's ``compiler_rt.addf3.__addsf3``. It may call
helpers without such a name, such as ``compiler_rt.addf3.add_f32``. Cycles of helpers are shared
among their callers by number of calls, as are integer operations inside float functions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from gnomon.base.values import apportion
from gnomon.isa import decode_word
from gnomon.program import Program
from gnomon.sim import Run

COPIES = ("memcpy", "memmove", "memset", "memcmp")
"""Kinds that move or compare bytes, named after the C functions."""

_SUPPORT = re.compile(r"__([a-z]+?)((?:[hsdxt][fic]){1,2})[2-4]?")
_CLONE = re.compile(r"\.(part|constprop|isra|cold|lto_priv|llvm)\b.*")
_HELPS = re.compile("integers")  # kinds that float functions use; their callers get the cycles
_SCALE = 1 << 20  # fixed-point scale of shares
_BITS = {"h": 16, "s": 32, "d": 64, "x": 80, "t": 128}
_ARITHMETIC = {
    "add", "sub", "mul", "div", "neg", "pow", "powi", "cmp", "eq", "ne", "lt", "le", "gt", "ge",
    "unord", "extend", "trunc", "fix", "fixuns", "float", "floatun",
}  # fmt: skip
_OF_INTEGERS = {
    "div", "udiv", "mod", "umod", "divmod", "udivmod", "mul", "mulv", "mulo",
}  # fmt: skip
_SHIFTS = {"ashl", "ashr", "lshr", "neg", "cmp", "ucmp", "abs"}
_COUNTS = {"clz", "ctz", "ffs", "popcount", "parity", "clrsb", "bswap"}


def library_kind(name: str) -> str | None:
    """Return the kind of a compiler runtime or string.h function; None for other functions."""
    name = _CLONE.sub("", name)
    if name in COPIES:
        return name
    found = _SUPPORT.fullmatch(name)
    if found is None:
        return None
    operation, modes = found.groups()
    of = [(mode[1], _BITS[mode[0]]) for mode in re.findall("..", modes)]
    floats = [bits for form, bits in of if form in "fc"]
    if floats and operation in _ARITHMETIC:
        return f"{max(floats)}-bit floats"
    bits = max(bits for _, bits in of)
    if floats:
        return None
    if operation in _OF_INTEGERS:
        return f"{bits}-bit integers divided or multiplied"
    if operation in _SHIFTS:
        return f"{bits}-bit integers shifted or compared"
    return "bits of integers counted" if operation in _COUNTS else None


def count_library_cycles(run: Run, program: Program) -> dict[str, int]:
    """Return the cycles awake in library code by kind of computation, the most first."""
    profile = run.profile
    cycles = profile.cycles.sum(axis=0) - profile.parts["parked"].sum(axis=0)
    issues = profile.issues.sum(axis=0)
    spent: dict[int, int] = defaultdict(int)  # by address of the function
    calls: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))  # of, by
    for place in profile.spent.tolist():
        pc = profile.address(place)
        function = program.function_at(pc)
        if function is None:
            continue
        spent[function.address] += int(cycles[place])
        decoded = decode_word(program.instruction_at(pc), compressed=program.compressed)
        if decoded is None or decoded.instruction.mnemonic != "jal":
            continue
        callee = program.function_at(pc + decoded.imm)
        if callee is not None and callee.address != function.address:
            calls[callee.address][function.address] += int(issues[place])
    kinds = _Kinds(program, calls)
    sums: dict[str, int] = defaultdict(int)
    for address, taken in spent.items():
        shares = kinds.of(address)
        parts = (
            apportion(taken, np.array([*shares.values()], dtype=np.int64)).tolist()
            if shares
            else []
        )
        for kind, part in zip(shares, parts, strict=True):
            sums[kind] += part
    found = ((kind, taken) for kind, taken in sums.items() if taken)
    return dict(sorted(found, key=lambda each: (-each[1], each[0])))


class _Kinds:
    """Kinds of functions, as shares by kind; empty for code of the program itself."""

    def __init__(self, program: Program, calls: Mapping[int, Mapping[int, int]]) -> None:
        self._calls = calls
        self._known: dict[int, dict[str, int]] = {}
        self._open: set[int] = set()
        names: dict[int, list[str]] = defaultdict(list)
        for symbol in program.symbols:
            names[symbol.address].append(symbol.name)
        self._names = names

    def of(self, address: int) -> dict[str, int]:
        if address not in self._known:
            self._open.add(address)
            self._known[address] = self._compute_shares(address)
            self._open.remove(address)
        return self._known[address]

    def _compute_shares(self, address: int) -> dict[str, int]:
        kinds = [library_kind(name) for name in self._names[address]]
        own = next((kind for kind in kinds if kind), None)
        if own is not None and not _HELPS.search(own):
            return {own: 1}
        shares: dict[str, int] = defaultdict(int)
        for caller, count in self._calls.get(address, {}).items():
            if caller in self._open or not count:  # recursion adds no information
                continue
            of_caller = self.of(caller) or ({} if own is None else {own: 1})
            if not of_caller:
                return {}
            whole = sum(of_caller.values())
            for kind, share in of_caller.items():
                shares[kind] += count * _SCALE * share // whole
        return dict(shares) or ({} if own is None else {own: 1})
