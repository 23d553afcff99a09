"""Small programs in which a hart overwrites the code of others."""

from __future__ import annotations

from tests.exactness import _assembler as asm
from tests.exactness._corner_program import patch_branch, show, start
from tests.exactness._reference import elf_of

_CODE_WORD_1, _CODE_WORD_2 = 0x0010_0513, 0x0020_0513  # addi a0, x0, 1 and 2
FIRST_DISTANCE, DISTANCES = -3, 9
_LENGTH, _BEFORE = 16, 8  # words of one try of a hart, and those in front of the patched one
_TRIES = 2 * DISTANCES  # of hart 2, then of hart 1
_DONE = 8 * _TRIES  # where hart 1 reports it, after a word of each hart for each try


def _hart_of(number: int) -> int:
    return 2 if number < DISTANCES else 1


def _patched_hart(a: asm.Assembler, hart: int, *, loads: bool) -> list[int]:
    """What a hart does whose words are overwritten; returns where those are."""
    targets = []
    for number in range(_TRIES):
        for place in range(_LENGTH - 1):
            if place == _BEFORE:
                targets.append(a.word(_CODE_WORD_1))
            elif loads:
                a.lw(asm.T1, 0, asm.S0)
            else:
                a.nop()
        a.sw(asm.A0, 4 * (2 * number + hart - 1), asm.S0)
    if hart == 1:
        a.addi(asm.T1, 0, 1)
        a.sw(asm.T1, _DONE, asm.S0)
    a.jal(0, a.here)
    return targets


def _patching_hart(at: int, kind: str, targets: dict[int, list[int]]) -> list[int]:
    a = asm.Assembler(at)
    for number in range(_TRIES):
        slot = _BEFORE - 1 + FIRST_DISTANCE + number % DISTANCES
        start = a.here
        while a.here < start + 4 * (slot - 2):
            a.nop()
        address = targets[_hart_of(number)][number] + (2 if kind == "sb" else 0)
        low = ((address & 0xFFF) ^ 0x800) - 0x800
        a.word((address - low) & 0xFFFF_F000 | asm.S4 << 7 | 0x37)  # lui, and always an addi
        a.addi(asm.S4, asm.S4, low)
        if kind == "sw":
            a.sw(asm.S3, 0, asm.S4)
        elif kind == "sb":
            a.s(0, asm.S3, asm.S4, 0)
        else:
            a.amoswap(0 if kind == "amoswap-x0" else asm.S5, asm.S3, asm.S4)
        while a.here < start + 4 * _LENGTH:
            a.nop()
    return a.words


def patches(kind: str, *, waits: bool = False) -> bytes:
    """Hart 0 writes over a word of harts 2 and 1 at several distances.

    Prints what the word did, 1 as it was and 2 as written, for each distance in slots of its hart:
    first those of hart 2, then those of hart 1. ``kind``: sw, sb, amoswap, amoswap-x0; with
    ``waits`` the other words of hart 2 are loads, which wait for the store.
    """
    a = start(all_harts=True)
    a.li(asm.S0, asm.DATA_BASE)
    a.lw(asm.T1, 0, asm.S0)
    a.li(asm.S3, _CODE_WORD_2 if kind != "sb" else _CODE_WORD_2 >> 16)
    a.addi(asm.T1, 0, 1)
    a.addi(asm.T2, 0, 2)
    branches = {1: a.word(0), 2: a.word(0)}
    patching = a.here
    a.words += [0] * (_TRIES * _LENGTH)  # when the places to write are known
    a.nop()
    wait = a.here
    a.lw(asm.T1, _DONE, asm.S0)
    a.branch(0, asm.T1, 0, wait)
    for number in range(_TRIES):
        a.lw(asm.T1, 4 * (2 * number + _hart_of(number) - 1), asm.S0)
        show(a, asm.T1)
    asm.exit_with(a)
    targets = {}
    for hart, register in ((1, asm.T1), (2, asm.T2)):
        patch_branch(a, branches[hart], register, a.here)
        targets[hart] = _patched_hart(a, hart, loads=waits and hart == 2)
    words = _patching_hart(patching, kind, targets)
    first = (patching - a.base) // 4
    a.words[first : first + len(words)] = words
    return elf_of(a)


def patched_sleep() -> bytes:
    """Hart 0 overwrites the wfi in which hart 2 sleeps, then that of hart 1, with nops.

    Each prints its number when it resumes, and hart 0 when both have.
    """
    a = start(all_harts=True)
    a.li(asm.S0, asm.DATA_BASE)
    a.addi(asm.T1, 0, 2)
    writer = a.branch(0, asm.T0, 0, a.here)
    a.addi(asm.T2, 0, 8)
    a.csrrw(0, asm.MSTATUS, asm.T2)
    at_2 = a.branch(0, asm.T0, asm.T1, a.here)
    sleeps = []
    for hart in (1, 2):
        if hart == 2:
            patch_branch(a, at_2, asm.T1, a.here)
        sleeps.append(a.wfi())
        a.addi(asm.A0, 0, hart)
        a.sw(asm.A0, 4 * hart, asm.S0)
        show(a, asm.A0)
        a.jal(0, a.here)
    patch_branch(a, writer, 0, a.here)
    a.li(asm.S3, 0x13)
    for _ in range(12):
        a.nop()
    for hart, sleep in ((2, sleeps[1]), (1, sleeps[0])):
        a.li(asm.S4, sleep)
        a.sw(asm.S3, 0, asm.S4)
        wait = a.here
        a.lw(asm.T1, 4 * hart, asm.S0)
        a.branch(0, asm.T1, 0, wait)
    show(a, asm.T0)
    asm.exit_with(a)
    return elf_of(a)
