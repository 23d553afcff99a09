"""Small programs, one per corner of the T13 that a rule had wrong or had left out."""

from __future__ import annotations

from tests.exactness import _assembler as asm
from tests.exactness._corner_program import patch_branch, show, show_csr, show_traps, start
from tests.exactness._reference import elf_of

MESTATUS, MBADADDR = 0x7B8, 0x343
EVENTS = (0x323, 0x326, 0x327, 0x328, 0x329, 0x32A)
COUNTERS = (0xB03, 0xB06, 0xB07, 0xB08, 0xB09, 0xB0A)
_READ = (10, 11, 12, 13, 14, 15)
CYCLE = 0x1A10_FFF8


def overruns(places: tuple[tuple[str, int, int], ...], size: int) -> bytes:
    """Transfers: name, offset in the scratchpad, bytes. Prints traps and cycles of each.

    Behind them it prints the sum of all words of the scratchpad after a load of 2 * size - 8 bytes
    at 4, and of the memory that a store of that many fills.
    """
    a = start()
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
        show_traps(a)
        show(a, asm.A2)
    a.li(asm.A0, asm.SPM_BASE + 4)
    a.li(asm.T2, 2 * size - 8)
    a.kmem("kmemld", asm.A0, asm.S0, asm.T2)
    a.li(asm.S3, asm.DATA_BASE + 8 * size)
    a.kmem("kmemstr", asm.S3, asm.A0, asm.T2)
    show_traps(a)
    for place in (0, 1, words - 2, words - 1, words, 2 * words - 3):
        a.li(asm.T1, asm.DATA_BASE + 8 * size + 4 * place)
        a.lw(asm.T1, 0, asm.T1)
        show(a, asm.T1)
    asm.exit_with(a)
    data = b"".join((0x1000 + k).to_bytes(4, "little") for k in range(2 * words + 2))
    return elf_of(a, (asm.DATA_BASE, data))


def jalr_forms() -> bytes:
    """A jalr with each funct3: prints the link, and 1 where it did not jump; then traps."""
    a = start()
    for funct3 in range(8):
        a.addi(asm.A0, 0, 0)
        a.word(0x0000_0317)  # auipc t1, 0
        a.i(0x67, funct3, asm.T2, asm.T1, 13)
        a.addi(asm.A0, 0, 1)
        show(a, asm.A0)
        show_traps(a)
    asm.exit_with(a)
    return elf_of(a)


def pcer_bits() -> bytes:
    """PCER and the events: at reset, after writes to one and to the others."""
    a = start()

    def show_all() -> None:
        for csr in (asm.PCER, *EVENTS):
            show_csr(a, csr)

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
    """Writes to mbadaddr: traps; mestatus at reset, after writes, after a trap."""
    a = start()
    show_csr(a, MESTATUS)
    a.li(asm.T0, 0xFFFF_FFFF)
    a.csrrw(asm.T1, MESTATUS, asm.T0)
    show_csr(a, MESTATUS)
    for funct3, source in ((1, asm.T0), (1, 0), (2, asm.T0), (3, asm.T0), (5, 0), (6, 1), (7, 0)):
        a.addi(asm.A0, 0, 0)
        a.i(0x73, funct3, asm.A0, source, MBADADDR)
        show_traps(a)
    show_csr(a, MESTATUS)
    a.csrrw(asm.T1, MESTATUS, asm.T0)
    show(a, asm.T1)
    show_csr(a, MESTATUS)
    a.ecall()
    show_csr(a, MESTATUS)
    a.i(0x73, 7, asm.T1, 31, MESTATUS)  # csrrci
    show_csr(a, MESTATUS)
    a.i(0x73, 6, asm.T1, 2, MESTATUS)  # csrrsi
    show_csr(a, MESTATUS)
    a.csrrwi(0, asm.MSTATUS, 8)
    a.ecall()
    show_csr(a, MESTATUS)
    a.i(0x73, 6, asm.T1, 1, MESTATUS)
    show_csr(a, MESTATUS)
    a.ecall()
    show_csr(a, MESTATUS)
    asm.exit_with(a)
    return elf_of(a)


def high_counters() -> bytes:
    """Counters of 64 bits with their highest bit set, and around: written, set, cleared, read."""
    a = start()
    mcycleh, minstreth = 0xB80, 0xB82
    a.addi(asm.T0, 0, 3)
    a.csrrw(0, asm.PCER, asm.T0)
    a.li(asm.T0, 0xFFFF_FFFF)
    a.li(asm.S0, 0xFFFF_FFF0)
    for low, high in ((asm.MCYCLE, mcycleh), (asm.MINSTRET, minstreth)):
        a.csrrw(0, high, asm.T0)
        show_csr(a, high)
        a.csrrw(0, low, asm.S0)
        for _ in range(8):
            a.nop()
        show_csr(a, low)
        show_csr(a, high)
        a.li(asm.S1, 0x8000_0001)
        for funct3 in (1, 2, 3):  # write, set, clear
            a.i(0x73, funct3, asm.T1, asm.S1, high)
            show(a, asm.T1)
            show_csr(a, high)
    asm.exit_with(a)
    return elf_of(a)


def loads_to_x0() -> bytes:
    """Loads of every funct3 to x0 and to x1, misaligned too: what traps."""
    a = start()
    a.li(asm.S0, asm.DATA_BASE)
    for rd in (0, asm.A0):
        for funct3 in range(8):
            a.i(0x03, funct3, rd, asm.S0, 1)
            show_traps(a)
    asm.exit_with(a)
    return elf_of(a)


def mcause_bit_30() -> bytes:
    """Writes to mcause after an interrupt that was taken in wfi, which has set bit 30."""
    a = start()
    a.addi(asm.T0, 0, 8)
    a.csrrw(0, asm.MIP, asm.T0)
    a.csrrs(asm.T1, asm.MSTATUS, asm.T0)
    a.wfi()
    for _ in range(4):  # the handler and mret each go on behind
        a.nop()
    a.li(asm.S0, 0xFFFF_FFFF)
    for funct3, source in ((2, 0), (1, 0), (2, asm.S0), (3, asm.S0)):  # read, write, set, clear
        a.i(0x73, funct3, asm.T1, source, asm.MCAUSE)
        show(a, asm.T1)
        show_csr(a, asm.MCAUSE)
    asm.exit_with(a)
    return elf_of(a)


def misaligned_before_retries() -> bytes:
    """Hart 1 prints mbadaddr after misaligned loads while hart 0 waits for the vector unit.

    The next slot after hart 1's belongs to hart 0, which tries a kaddv again and again, and jumps
    to itself in the end.
    """
    a = start(all_harts=True)
    a.addi(asm.T1, 0, 1)
    at_1 = a.branch(0, asm.T0, asm.T1, a.here)
    at_0 = a.branch(0, asm.T0, 0, a.here)
    a.jal(0, a.here)
    patch_branch(a, at_0, 0, a.here)
    a.li(asm.A0, asm.SPM_BASE)
    a.li(asm.A1, asm.SPM_BASE + 0x440)
    a.li(asm.A2, asm.SPM_BASE + 0x800)
    a.addi(asm.T2, 0, 256)
    a.csrrw(0, asm.MVSIZE, asm.T2)
    a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
    a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
    a.jal(0, a.here)
    patch_branch(a, at_1, asm.T1, a.here)
    a.li(asm.S0, asm.DATA_BASE)
    for _ in range(8):
        a.nop()
    for _ in range(4):
        a.lw(asm.T1, 2, asm.S0)
        show_csr(a, MBADADDR)
    asm.exit_with(a)
    return elf_of(a)


def misaligned_before_loads_of_nothing() -> bytes:
    """Hart 1 prints mbadaddr after misaligned loads while hart 0 loads to x0 and elsewhere.

    The next slot after hart 1's belongs to hart 0. Every other of its loads is to x0, half
    of these with a reserved funct3; offsets tell them apart.
    """
    a = start(all_harts=True)
    a.addi(asm.T1, 0, 1)
    at_1 = a.branch(0, asm.T0, asm.T1, a.here)
    at_0 = a.branch(0, asm.T0, 0, a.here)
    a.jal(0, a.here)
    patch_branch(a, at_0, 0, a.here)
    a.li(asm.S0, asm.DATA_BASE + 0x100)
    a.addi(31, 0, 31)  # which the jump has in its bits of rs1
    loads = a.here
    for offset, funct3, register in ((4, 2, 0), (8, 2, asm.T1), (12, 3, 0), (16, 4, asm.T1)):
        a.i(0x03, funct3, register, asm.S0, offset)
    a.jal(0, loads)
    patch_branch(a, at_1, asm.T1, a.here)
    a.li(asm.S0, asm.DATA_BASE)
    for nops in (0, 1, 1, 1, 1, 3, 3, 3, 3, 3):  # every phase of the other's loop
        for _ in range(nops):
            a.nop()
        a.lw(asm.T1, 2, asm.S0)
        show_csr(a, MBADADDR)
    asm.exit_with(a)
    return elf_of(a)


def minstreth_at_zero() -> bytes:
    """Minstreth where minstret is stored as 0: read, set, cleared, with high halves 0 to 2.

    PCER is off, so that neither counts.
    """
    a = start()
    minstreth = 0xB82
    for low in (0, 1):
        a.csrrwi(0, asm.MINSTRET, low)
        for high in range(3):
            a.csrrwi(0, minstreth, high)
            show_csr(a, asm.MINSTRET)
            show_csr(a, minstreth)
            for funct3, bits in ((6, 4), (7, 1)):  # set, clear
                a.i(0x73, funct3, asm.T1, bits, minstreth)
                show(a, asm.T1)
                show_csr(a, minstreth)
    asm.exit_with(a)
    return elf_of(a)


def event_counters() -> bytes:
    """Counters 3 and 6 to 10 after one event each; retries, swaps, transfers, and lost writes.

    All are shown, read while a transfer runs, too.
    """
    a = start()
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
            show(a, register)

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
