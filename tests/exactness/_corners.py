"""Small programs, one per corner of the T13 that a rule had wrong or had left out.

Hart 0 prints what it sees. Traps are counted by the handler: it adds mcause to a register and goes
on behind the instruction. One file: the corners share these few helpers and nothing else.
"""

from __future__ import annotations

from tests.exactness import _assembler as asm
from tests.exactness._reference import elf_of

MESTATUS, MBADADDR = 0x7B8, 0x343
EVENTS = (0x323, 0x326, 0x327, 0x328, 0x329, 0x32A)
CYCLE = 0x1A10_FFF8
_TRAPS, _PRINT, _HANDLER = 23, 24, 25
_CODE_WORD_1, _CODE_WORD_2 = 0x0010_0513, 0x0020_0513  # addi a0, x0, 1 and 2
FIRST_DISTANCE, DISTANCES = -3, 9


def _start(*, all_harts: bool = False) -> asm.Assembler:
    """Hart 0 goes on here, the others park, unless all are to go on."""
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.TRAP_PC:
        a.nop()
    handler = a.word(0)
    park = a.here
    a.addi(asm.T0, 0, 8)
    a.csrrw(0, asm.MSTATUS, asm.T0)
    spin = a.wfi()
    a.jal(0, spin)
    asm.patch_jump(a, handler, a.here)
    a.csrr(_HANDLER, asm.MCAUSE)
    a.r(0x33, 0, 0, (_TRAPS, _TRAPS, _HANDLER))
    a.csrr(_HANDLER, asm.MEPC)
    a.addi(_HANDLER, _HANDLER, 4)
    a.csrrw(0, asm.MEPC, _HANDLER)
    a.mret()
    asm.patch_jump(a, asm.RESET_PC, a.here)
    a.addi(_TRAPS, 0, 0)
    a.li(_PRINT, asm.PRINT)
    a.csrr(asm.T0, asm.MHARTID)
    if not all_harts:
        a.branch(1, asm.T0, 0, park)
    return a


def _show(a: asm.Assembler, register: int) -> None:
    a.sw(register, 0, _PRINT)


def _show_csr(a: asm.Assembler, csr: int) -> None:
    a.csrr(asm.T1, csr)
    _show(a, asm.T1)


def _show_traps(a: asm.Assembler) -> None:
    _show(a, _TRAPS)
    a.addi(_TRAPS, 0, 0)


def overruns(places: tuple[tuple[str, int, int], ...], size: int) -> bytes:
    """Transfers: name, offset in the scratchpad, bytes. Prints traps and cycles of each.

    Behind them it prints the sum of all words of the scratchpad after a load of 2 * size - 8 bytes
    at 4, and of the memory that a store of that many fills.
    """
    a = _start()
    a.li(asm.S0, asm.DATA_BASE)
    a.li(asm.S1, CYCLE)
    a.li(asm.S2, asm.SPM_BASE)
    words = size // 4
    # Every word of the scratchpad is written first.
    a.li(asm.T2, size)
    a.kmem("kmemld", asm.S2, asm.S0, asm.T2)
    for name, offset, size_bytes in places:
        a.li(asm.A0, asm.SPM_BASE + offset)
        a.li(asm.T2, size_bytes)
        a.lw(asm.A1, 0, asm.S1)
        if name == "kmemstr":
            a.li(asm.S3, asm.DATA_BASE + 8 * size)
            a.kmem(name, asm.S3, asm.A0, asm.T2)
        else:
            a.kmem(name, asm.A0, asm.S0, asm.T2)
        a.lw(asm.A2, 0, asm.S1)
        a.r(0x33, 0, 0x20, (asm.A2, asm.A2, asm.A1))
        _show_traps(a)
        _show(a, asm.A2)
    a.li(asm.A0, asm.SPM_BASE + 4)
    a.li(asm.T2, 2 * size - 8)
    a.kmem("kmemld", asm.A0, asm.S0, asm.T2)
    a.li(asm.S3, asm.DATA_BASE + 8 * size)
    a.kmem("kmemstr", asm.S3, asm.A0, asm.T2)
    _show_traps(a)
    for place in (0, 1, words - 2, words - 1, words, 2 * words - 3):
        a.li(asm.T1, asm.DATA_BASE + 8 * size + 4 * place)
        a.lw(asm.T1, 0, asm.T1)
        _show(a, asm.T1)
    asm.exit_with(a)
    data = b"".join((0x1000 + k).to_bytes(4, "little") for k in range(2 * words + 2))
    return elf_of(a, (asm.DATA_BASE, data))


def jalr_forms() -> bytes:
    """A jalr with each funct3: prints the link, and 1 where it did not jump; then traps."""
    a = _start()
    for funct3 in range(8):
        a.addi(asm.A0, 0, 0)
        a.word(0x0000_0317)  # auipc t1, 0
        a.i(0x67, funct3, asm.T2, asm.T1, 13)
        a.addi(asm.A0, 0, 1)
        _show(a, asm.A0)
        _show_traps(a)
    asm.exit_with(a)
    return elf_of(a)


def pcer_bits() -> bytes:
    """PCER and the events: at reset, after writes to one and to the others."""
    a = _start()

    def show_all() -> None:
        for csr in (asm.PCER, *EVENTS):
            _show_csr(a, csr)

    show_all()
    for value in (0x3FF, 0xFFFF_FFFF, 0x1234_5678):
        a.li(asm.T0, value)
        a.csrrw(0, asm.PCER, asm.T0)
        show_all()
    a.li(asm.T0, 0x660)
    a.csrrs(asm.T1, asm.PCER, asm.T0)
    show_all()
    a.i(0x73, 3, asm.T1, asm.T0, asm.PCER)  # csrrc
    show_all()
    a.li(asm.T0, 0x3FC)
    for csr in EVENTS:
        a.csrrs(asm.T1, csr, asm.T0)
    show_all()
    for csr in EVENTS[:3]:
        a.i(0x73, 3, asm.T1, asm.T0, csr)
    show_all()
    a.li(asm.T0, 0x20)
    a.csrrs(asm.T1, asm.PCER, asm.T0)
    show_all()
    for csr in EVENTS[2:]:
        a.csrrw(asm.T1, csr, 0)
    show_all()
    asm.exit_with(a)
    return elf_of(a)


def trap_registers() -> bytes:
    """Writes to mbadaddr: traps; mestatus at reset, behind writes, behind a trap."""
    a = _start()
    _show_csr(a, MESTATUS)
    a.li(asm.T0, 0xFFFF_FFFF)
    a.csrrw(asm.T1, MESTATUS, asm.T0)
    _show_csr(a, MESTATUS)
    for funct3, source in ((1, asm.T0), (1, 0), (2, asm.T0), (3, asm.T0), (5, 0), (6, 1), (7, 0)):
        a.addi(asm.A0, 0, 0)
        a.i(0x73, funct3, asm.A0, source, MBADADDR)
        _show_traps(a)
    _show_csr(a, MESTATUS)
    a.csrrw(asm.T1, MESTATUS, asm.T0)
    _show(a, asm.T1)
    _show_csr(a, MESTATUS)
    a.ecall()
    _show_csr(a, MESTATUS)
    a.i(0x73, 7, asm.T1, 31, MESTATUS)  # csrrci
    _show_csr(a, MESTATUS)
    a.i(0x73, 6, asm.T1, 2, MESTATUS)  # csrrsi
    _show_csr(a, MESTATUS)
    a.csrrwi(0, asm.MSTATUS, 8)
    a.ecall()
    _show_csr(a, MESTATUS)
    a.i(0x73, 6, asm.T1, 1, MESTATUS)
    _show_csr(a, MESTATUS)
    a.ecall()
    _show_csr(a, MESTATUS)
    asm.exit_with(a)
    return elf_of(a)


_LENGTH, _BEFORE = 16, 8  # words of one try of a hart, and those in front of the patched one
_TRIES = 2 * DISTANCES  # of hart 2, then of hart 1
_DONE = 8 * _TRIES  # where hart 1 says so, behind a word of each hart for each try


def _hart_of(number: int) -> int:
    return 2 if number < DISTANCES else 1


def _patch_branch(a: asm.Assembler, address: int, register: int, target: int) -> None:
    """Put a branch, taken if mhartid in t0 is the register, at an address already placed."""
    branch = asm.Assembler(address)
    branch.branch(0, asm.T0, register, target)
    a.words[(address - a.base) // 4] = branch.words[0]


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
    a = _start(all_harts=True)
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
        _show(a, asm.T1)
    asm.exit_with(a)
    targets = {}
    for hart, register in ((1, asm.T1), (2, asm.T2)):
        _patch_branch(a, branches[hart], register, a.here)
        targets[hart] = _patched_hart(a, hart, loads=waits and hart == 2)
    words = _patching_hart(patching, kind, targets)
    first = (patching - a.base) // 4
    a.words[first : first + len(words)] = words
    return elf_of(a)


def patched_sleep() -> bytes:
    """Hart 0 overwrites the wfi in which hart 2 sleeps, then that of hart 1, with nops.

    Each prints its number when it goes on, and hart 0 when both have.
    """
    a = _start(all_harts=True)
    a.li(asm.S0, asm.DATA_BASE)
    a.addi(asm.T1, 0, 2)
    writer = a.branch(0, asm.T0, 0, a.here)
    a.addi(asm.T2, 0, 8)
    a.csrrw(0, asm.MSTATUS, asm.T2)
    at_2 = a.branch(0, asm.T0, asm.T1, a.here)
    sleeps = []
    for hart in (1, 2):
        if hart == 2:
            _patch_branch(a, at_2, asm.T1, a.here)
        sleeps.append(a.wfi())
        a.addi(asm.A0, 0, hart)
        a.sw(asm.A0, 4 * hart, asm.S0)
        _show(a, asm.A0)
        a.jal(0, a.here)
    _patch_branch(a, writer, 0, a.here)
    a.li(asm.S3, 0x13)
    for _ in range(12):
        a.nop()
    for hart, sleep in ((2, sleeps[1]), (1, sleeps[0])):
        a.li(asm.S4, sleep)
        a.sw(asm.S3, 0, asm.S4)
        wait = a.here
        a.lw(asm.T1, 4 * hart, asm.S0)
        a.branch(0, asm.T1, 0, wait)
    _show(a, asm.T0)
    asm.exit_with(a)
    return elf_of(a)


def high_counters() -> bytes:
    """Counters of 64 bits with their highest bit set, and around: written, set, cleared, read."""
    a = _start()
    mcycleh, minstreth = 0xB80, 0xB82
    a.addi(asm.T0, 0, 3)
    a.csrrw(0, asm.PCER, asm.T0)
    a.li(asm.T0, 0xFFFF_FFFF)
    a.li(asm.S0, 0xFFFF_FFF0)
    for low, high in ((asm.MCYCLE, mcycleh), (asm.MINSTRET, minstreth)):
        a.csrrw(0, high, asm.T0)
        _show_csr(a, high)
        a.csrrw(0, low, asm.S0)
        for _ in range(8):
            a.nop()
        _show_csr(a, low)
        _show_csr(a, high)
        a.li(asm.S1, 0x8000_0001)
        for funct3 in (1, 2, 3):  # write, set, clear
            a.i(0x73, funct3, asm.T1, asm.S1, high)
            _show(a, asm.T1)
            _show_csr(a, high)
    asm.exit_with(a)
    return elf_of(a)


def loads_to_x0() -> bytes:
    """Loads of every funct3 to x0 and to x1, misaligned too: what traps."""
    a = _start()
    a.li(asm.S0, asm.DATA_BASE)
    for rd in (0, asm.A0):
        for funct3 in range(8):
            a.i(0x03, funct3, rd, asm.S0, 1)
            _show_traps(a)
    asm.exit_with(a)
    return elf_of(a)


def mcause_bit_30() -> bytes:
    """Writes to mcause behind an interrupt that was taken in wfi, which has set bit 30."""
    a = _start()
    a.addi(asm.T0, 0, 8)
    a.csrrw(0, asm.MIP, asm.T0)
    a.csrrs(asm.T1, asm.MSTATUS, asm.T0)
    a.wfi()
    for _ in range(4):  # the handler and mret each go on behind
        a.nop()
    a.li(asm.S0, 0xFFFF_FFFF)
    for funct3, source in ((2, 0), (1, 0), (2, asm.S0), (3, asm.S0)):  # read, write, set, clear
        a.i(0x73, funct3, asm.T1, source, asm.MCAUSE)
        _show(a, asm.T1)
        _show_csr(a, asm.MCAUSE)
    asm.exit_with(a)
    return elf_of(a)


def misaligned_before_retries() -> bytes:
    """Hart 1 prints mbadaddr behind misaligned loads while hart 0 waits for the vector unit.

    The next slot behind hart 1's belongs to hart 0, which tries a kaddv again and again, and jumps
    to itself in the end.
    """
    a = _start(all_harts=True)
    a.addi(asm.T1, 0, 1)
    at_1 = a.branch(0, asm.T0, asm.T1, a.here)
    at_0 = a.branch(0, asm.T0, 0, a.here)
    a.jal(0, a.here)
    _patch_branch(a, at_0, 0, a.here)
    a.li(asm.A0, asm.SPM_BASE)
    a.li(asm.A1, asm.SPM_BASE + 0x440)
    a.li(asm.A2, asm.SPM_BASE + 0x800)
    a.addi(asm.T2, 0, 256)
    a.csrrw(0, asm.MVSIZE, asm.T2)
    a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
    a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
    a.jal(0, a.here)
    _patch_branch(a, at_1, asm.T1, a.here)
    a.li(asm.S0, asm.DATA_BASE)
    for _ in range(8):
        a.nop()
    for _ in range(4):
        a.lw(asm.T1, 2, asm.S0)
        _show_csr(a, MBADADDR)
    asm.exit_with(a)
    return elf_of(a)


def misaligned_before_loads_of_nothing() -> bytes:
    """Hart 1 prints mbadaddr behind misaligned loads while hart 0 loads to x0 and elsewhere.

    The next slot behind hart 1's belongs to hart 0. Every other of its loads is to x0, half
    of these with a reserved funct3; offsets tell them apart.
    """
    a = _start(all_harts=True)
    a.addi(asm.T1, 0, 1)
    at_1 = a.branch(0, asm.T0, asm.T1, a.here)
    at_0 = a.branch(0, asm.T0, 0, a.here)
    a.jal(0, a.here)
    _patch_branch(a, at_0, 0, a.here)
    a.li(asm.S0, asm.DATA_BASE + 0x100)
    a.addi(31, 0, 31)  # which the jump has in its bits of rs1
    loads = a.here
    for offset, funct3, register in ((4, 2, 0), (8, 2, asm.T1), (12, 3, 0), (16, 4, asm.T1)):
        a.i(0x03, funct3, register, asm.S0, offset)
    a.jal(0, loads)
    _patch_branch(a, at_1, asm.T1, a.here)
    a.li(asm.S0, asm.DATA_BASE)
    for nops in (0, 1, 1, 1, 1, 3, 3, 3, 3, 3):  # every phase of the other's loop
        for _ in range(nops):
            a.nop()
        a.lw(asm.T1, 2, asm.S0)
        _show_csr(a, MBADADDR)
    asm.exit_with(a)
    return elf_of(a)


def minstreth_at_zero() -> bytes:
    """Minstreth where minstret is stored as 0: read, set, cleared, with high halves 0 to 2.

    PCER is off, so that neither counts.
    """
    a = _start()
    minstreth = 0xB82
    for low in (0, 1):
        a.csrrwi(0, asm.MINSTRET, low)
        for high in range(3):
            a.csrrwi(0, minstreth, high)
            _show_csr(a, asm.MINSTRET)
            _show_csr(a, minstreth)
            for funct3, bits in ((6, 4), (7, 1)):  # set, clear
                a.i(0x73, funct3, asm.T1, bits, minstreth)
                _show(a, asm.T1)
                _show_csr(a, minstreth)
    asm.exit_with(a)
    return elf_of(a)


def event_counters() -> bytes:
    """Counters 3 and 6 to 10 behind one thing each; retries, swaps, transfers, and lost writes.

    All are shown, read while a transfer runs, too.
    """
    a = _start()
    a.li(asm.S0, asm.DATA_BASE)
    a.li(asm.S2, asm.SPM_BASE)
    a.li(asm.T2, 256)
    a.csrrw(0, asm.MVSIZE, asm.T2)
    a.csrrwi(0, asm.MVTYPE, 2)
    a.kmem("kmemld", asm.S2, asm.S0, asm.T2)
    a.li(asm.T0, 0x3E4)
    a.csrrw(0, asm.PCER, asm.T0)

    def show_all() -> None:
        for register, csr in zip(_READ, COUNTERS, strict=True):
            a.csrr(register, csr)
        for register in _READ:
            _show(a, register)

    show_all()
    a.lw(asm.T0, 0, asm.S0)
    a.lw(asm.T0, 4, asm.S0)
    a.amoswap(asm.T0, asm.T2, asm.S0)
    a.amoswap(0, asm.T2, asm.S0)
    a.jal(0, a.here + 4)
    a.branch(0, 0, 0, a.here + 4)
    a.branch(1, 0, 0, a.here + 4)
    a.branch(5, 0, 0, a.here + 4)
    a.kdsp("kbcast", asm.S2, asm.T0, 0)  # of one lane: 64 beats
    a.kdsp("kbcast", asm.S2, asm.T0, 0)  # tries until then: each is a jump
    show_all()
    a.kmem("kmemstr", asm.S0, asm.S2, asm.T2)
    show_all()
    a.kmem("kmemld", asm.S2, asm.S0, asm.T2)
    for csr in COUNTERS:  # those of loads lose against the transfer
        a.csrrwi(0, csr, 1)
    show_all()
    a.ecall()
    a.lw(asm.T0, 1, asm.S0)  # misaligned: no request
    a.csrrwi(0, EVENTS[1], 0)
    a.lw(asm.T0, 0, asm.S0)
    show_all()
    asm.exit_with(a)
    return elf_of(a)


COUNTERS = (0xB03, 0xB06, 0xB07, 0xB08, 0xB09, 0xB0A)
_READ = (10, 11, 12, 13, 14, 15)
