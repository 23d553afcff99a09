"""Where functions begin and end in assembly, which often says neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.isa import assemble
from gnomon.program import Program
from gnomon.program._program import Segment, Symbol

if TYPE_CHECKING:
    from gnomon.program._program import SymbolKind

BASE = 0x80
SOURCE = """
main:   addi a0, zero, 3
        jal ra, sub
        auipc t1, 0
        jalr ra, 28(t1)
        lui t0, 0
        addi t0, t0, 192
        csrrw zero, mtvec, t0
        jal zero, skip
skip:   addi a0, a0, 1
far:    addi a0, a0, 2
loop:   addi a1, a1, -1
        bnez a1, loop
        jalr zero, 0(ra)
sub:    addi a0, a0, 4
inner:  jalr zero, 0(ra)
        addi zero, zero, 0
trap:   mret
last:   jalr zero, 0(ra)
"""
LABELS = {
    "main": 0, "skip": 8, "far": 9, "loop": 10, "sub": 13, "inner": 14, "trap": 16, "last": 17,
}  # fmt: skip
NONE = "?"


def program(*symbols: Symbol, compressed: bool = False) -> Program:
    data = b"".join(word.to_bytes(4, "little") for word in assemble(SOURCE, BASE))
    segments = (
        Segment(BASE, data, len(data), executable=True, writable=False),
        Segment(0x100000, bytes(64), 64, executable=False, writable=True),
    )
    elf = bytearray(40)
    elf[36] = compressed
    ordered = tuple(sorted(symbols, key=lambda s: (s.address, s.name, s.size_bytes)))
    return Program("it", bytes(elf), BASE, segments, ordered)


def at(
    name: str, kind: SymbolKind = "none", words: int = 0, *, local: bool = False, place: int = -1
) -> Symbol:
    place = LABELS[name] if place < 0 else place
    return Symbol(name, BASE + 4 * place, 4 * words, kind, local=local)


def local(*names: str) -> tuple[Symbol, ...]:
    return tuple(at(name, local=True) for name in names)


MAIN = at("main", "function", 9)
CASES: dict[str, tuple[tuple[Symbol, ...], dict[int, str]]] = {
    "bare labels, inner ones local": (
        (at("main"), at("far"), at("sub"), *local("skip", "loop", "inner")),
        {0: "main", 8: "main", 9: "far", 10: "far", 12: "far", 13: "sub", 14: "sub", 17: "sub"},
    ),
    "a typed function without size ends at a bare global": (
        (at("main", "function"), at("far", "function"), at("sub"), *local("loop")),
        {8: "main", 9: "far", 10: "far", 13: "sub", 17: "sub"},
    ),
    "called local labels": (
        (at("main"), *local("skip", "far", "loop", "sub", "inner", "trap", "last")),
        {0: "main", 8: "main", 9: "far", 11: "far", 13: "sub", 14: "sub", 16: "trap", 17: "trap"},
    ),
    "typed local functions": (
        (at("main"), at("far", "function", local=True), at("sub", "function", 2, local=True)),
        {8: "main", 9: "far", 12: "far", 13: "sub", 14: "sub", 15: NONE, 16: NONE},
    ),
    "after a function with a size the next label begins one": (
        (MAIN, *local("loop", "inner", "last")),
        {0: "main", 8: "main", 9: NONE, 10: "loop", 12: "loop", 14: "loop", 17: "loop"},
    ),
    "a bare function after one with a size is not split": (
        (MAIN, at("far"), *local("loop"), at("sub", "function", 3), *local("inner", "trap")),
        {8: "main", 9: "far", 10: "far", 12: "far", 13: "sub", 14: "sub", 15: "sub", 16: "trap"},
    ),
    "labels in a function with a size": (
        (at("main", "function", 18), at("skip"), *local("sub", "loop"), at("last")),
        {0: "main", 8: "main", 13: "main", 17: "main"},
    ),
    "a function in another one": (
        (at("main", "function", 18), at("sub", "function", 2)),
        {12: "main", 13: "sub", 14: "sub", 15: "main", 17: "main"},
    ),
    "linker numbers and data are no functions": (
        (at("main"), Symbol("_stack_size", BASE + 16, 0, "none", absolute=True),
         at("loop", "object", 2), Symbol("shared", 0x100000, 0, "none")),
        {4: "main", 10: "main", 17: "main"},
    ),
    "the entry and the first label of a segment": (
        local("main", "skip", "last"), {0: "main", 9: "main", 17: "main"},
    ),
    "of two names of an address the global one, and not the linker's": (
        (at("main"), Symbol("_text", BASE, 0, "none"), at("far", local=True),
         Symbol("alias", BASE + 36, 0, "none")),
        {0: "main", 9: "alias", 17: "alias"},
    ),
    "no symbol at all": ((), {0: NONE, 17: NONE}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_functions(name: str) -> None:
    symbols, expected = CASES[name]
    it = program(*symbols)
    assert {word: it.function_name(BASE + 4 * word) for word in expected} == expected
    for outside in (BASE - 4, BASE + 4 * 18, 0x100000):
        assert it.function_at(outside) is None


def test_calls_of_compressed_code() -> None:
    """The upper half of an instruction may look like a call: c.jal is 0x2001."""
    hidden = 0x20010013 | 1 << 7  # addi, whose upper half is c.jal of the word itself
    words = [hidden.to_bytes(4, "little"), (0x2011).to_bytes(2, "little"), bytes.fromhex("0100"),
             bytes.fromhex("8280"), bytes.fromhex("8280")]  # fmt: skip
    data = b"".join(words)  # c.jal +4, c.nop, two c.jr ra
    elf = bytearray(40)
    elf[36] = 1
    names = {"main": 0, "hidden": 2, "inner": 6, "sub": 8, "rest": 10}
    symbols = tuple(Symbol(name, offset, 0, "none", local=True) for name, offset in names.items())
    segment = Segment(0, data, len(data), executable=True, writable=False)
    it = Program("it", bytes(elf), 0, (segment,), symbols)
    assert [it.function_name(offset) for offset in names.values()] == [
        "main", "main", "main", "sub", "sub",
    ]  # fmt: skip


def test_local_functions_of_one_name_are_found_by_what_they_are_called() -> None:
    it = program(at("main"), at("sub", local=True), at("sub", local=True, place=9))
    names = [it.function_name(BASE + 4 * place) for place in (9, 13)]
    assert names == ["sub#1", "sub#2"]
    assert [it.symbol(name).address for name in names] == [BASE + 36, BASE + 52]
