"""Instruction words of items, the use of registers and addresses, and generators of rare words.

The generators yield every CSR in every form, reserved encodings and patched code. Their words are
independent of other items and leave the machine in a state in which the next item can run.
"""

import random
from collections.abc import Iterator

from gnomon.isa import CSR_ADDRESS, decode_word, encode
from gnomon.rtl.bare_metal import DATA_BASE, TRAP_PC, li

VALUES = range(1, 16)  # random data
RD, RS1, RS2 = 16, 17, 18  # addresses of vector operands
INTERRUPTS = 22  # software interrupts taken
PRIVATE, SHARED = 24, 25  # data of this hart, data of all
HANDLER0, HANDLER1 = 26, 27
LOOP, T, U = 28, 29, 30
LINK = 31

PATCHED_WORDS = 8
"""Number of words per hart that other harts may overwrite; the return jump follows them."""

_PATCHED_BASE = TRAP_PC + 4


def patched_address(hart: int) -> int:
    """Return the address of the words of a hart that other harts may overwrite."""
    return _PATCHED_BASE + 4 * (PATCHED_WORDS + 1) * hart


def patched_code(harts: int) -> Iterator[int]:
    """Yield the initial words at ``patched_address`` of all harts."""
    for _ in range(harts):
        for number in range(PATCHED_WORDS):
            register = VALUES[number]
            yield encode("addi", rd=register, rs1=register, imm=number + 1)
        yield encode("jalr", rs1=LINK)


def csrw(name: str, register: int) -> int:
    """Return a word that writes a CSR.

    The set and clear forms with rd = x0 have no effect on the T13.
    """
    return encode("csrrw", rs1=register, csr=CSR_ADDRESS[name])


def csrwi(name: str, value: int) -> int:
    """Return a word that writes a constant below 32 into a CSR."""
    return encode("csrrwi", imm=value, csr=CSR_ADDRESS[name])


def csrr(register: int, name: str) -> int:
    """Return a word that reads a CSR."""
    return encode("csrrs", rd=register, csr=CSR_ADDRESS[name])


CSR_FORMS = ("csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci")
READ_ONLY_CSRS = ("mcpuid", "mimpid", "mhartid", "mirq", "mbadaddr")
FREE_CSRS = (
    "mstatus", "mepc", "mcause", "mip", "pcer", "mestatus", "mcycle", "minstret", "mcycleh",
    "minstreth", "mpsclfac", "mhpmevent3", "mhpmevent6", "mhpmevent7", "mhpmevent8", "mhpmevent9",
    "mhpmevent10",
)  # fmt: skip
COUNTER_CSRS = tuple(f"mhpmcounter{number}" for number in (3, 6, 7, 8, 9, 10))
"""CSRs of programs that access event counters."""
VECTOR_CSRS = ("mvsize", "mvtype", "mpsclfac")
MOST_DISTANCE = 6
"""Largest distance between a store and the word of its own hart that it patches, in issue slots."""


def csr_access(rng: random.Random, name: str | None) -> Iterator[int]:
    """Yield one CSR access in any form; ``name`` None: to an address without a CSR."""
    form = rng.choice(CSR_FORMS)
    known = CSR_ADDRESS.values()
    address = CSR_ADDRESS[name] if name else _absent(rng, set(known))
    rd = rng.choice((0, *VALUES))
    if form.endswith("i"):
        yield encode(form, rd=rd, imm=rng.choice((0, rng.randrange(32))), csr=address)
    else:
        yield encode(form, rd=rd, rs1=rng.choice((0, *VALUES)), csr=address)


def _absent(rng: random.Random, known: set[int]) -> int:
    """Return an address without a CSR and outside of the debug CSRs."""
    while True:
        address = rng.randrange(0x1000)
        if address not in known and not 0x7B0 <= address < 0x7C0:
            return address


def trap_vector(rng: random.Random) -> Iterator[int]:
    """Yield a write of mtvec in any form and its restoration; its two low bits may differ."""
    yield csrwi("mstatus", 0)  # disables interrupts in between
    yield from csr_access(rng, "mtvec")
    yield from li(T, TRAP_PC + rng.choice((0, 0, 0, 1, 2, 3)))
    yield csrw("mtvec", T)


_ODD_FUNCT3 = {0x63: (2, 3), 0x03: (3, 6, 7), 0x23: (3, 4, 5, 6, 7)}
"""Values of funct3 that branches, loads and stores do not use, by opcode."""


def reserved(rng: random.Random) -> Iterator[int]:
    """Yield a word with a reserved encoding or reserved bits; most of them trap."""
    rd, rs1, rs2 = rng.choice((0, *VALUES)), rng.choice(VALUES), rng.choice(VALUES)
    registers = rd << 7 | rs1 << 15 | rs2 << 20
    funct3, funct7 = rng.randrange(8), rng.randrange(128)
    match rng.randrange(8):
        case 0:  # any funct7, such as those of extensions that the core lacks
            yield registers | funct3 << 12 | funct7 << 25 | 0x33
        case 1:  # shifts by a constant
            yield registers | rng.choice((1, 5)) << 12 | funct7 << 25 | 0x13
        case 2:
            opcode = rng.choice(tuple(_ODD_FUNCT3))
            yield registers | rng.choice(_ODD_FUNCT3[opcode]) << 12 | opcode
        case 3:  # jalr
            yield encode("auipc", rd=T)
            yield rd << 7 | T << 15 | funct3 << 12 | rng.choice((8, 9)) << 20 | 0x67
        case 4:
            yield registers | funct3 << 12 | funct7 << 25 | 0x0F
        case 5:  # privileged, and funct3 4
            if rng.random() < 0.5:
                yield registers | 4 << 12 | funct7 << 25 | 0x73
            else:
                number = rng.choice((0x002, 0x102, 0x120, 0x7B2, 0x000, 0x105, 0x302, 0x303))
                odd = (rd or 1) << 7 if number in {0x000, 0x105, 0x302} else 0
                yield number << 20 | odd | 0x73
        case 6:  # atomics: the core executes every funct5 of word size as a swap
            yield from _atomic(rng)
        case _:  # an opcode that the machine lacks
            while True:
                word = rng.getrandbits(32)
                if word & 0x7F not in _OPCODES:
                    break
            yield word


def is_illegal_shift(word: int) -> bool:
    """Return whether a word is an illegal shift that writes a register.

    These are right shifts by a constant, and R-type words with funct7 0x20.
    """
    opcode, funct3 = word & 0x7F, word >> 12 & 7
    shift = (opcode == 0x13 and funct3 == 5) or (opcode == 0x33 and word >> 25 == 0x20)
    return shift and bool(word >> 7 & 31) and decode_word(word) is None


_OPCODES = frozenset(
    (0x03, 0x0B, 0x0F, 0x13, 0x17, 0x23, 0x2B, 0x2F, 0x33, 0x37, 0x63, 0x67, 0x6F, 0x73)
)


def _atomic(rng: random.Random) -> Iterator[int]:
    width = 2 if rng.random() < 0.6 else rng.randrange(8)
    yield encode("addi", rd=T, rs1=PRIVATE, imm=rng.randrange(0, 0x100, 4))
    rd, rs2 = rng.choice((0, *VALUES)), rng.choice((0, *VALUES))
    yield rng.randrange(128) << 25 | rs2 << 20 | T << 15 | width << 12 | rd << 7 | 0x2F


def _new_word(rng: random.Random) -> int:
    """Return a new content of a patched word; it writes only registers with random data."""
    mnemonic = rng.choice(("addi", "xori", "ori", "andi"))
    register = rng.choice(VALUES)
    return encode(mnemonic, rd=register, rs1=register, imm=rng.randint(-2048, 2047))


def patch_own(rng: random.Random, distance: int) -> Iterator[int]:
    """Yield code that overwrites a word of this item, ``distance`` issue slots after the store."""
    yield encode("auipc", rd=T)
    load = list(li(U, _new_word(rng)))
    yield from load
    store = rng.choice(("sw", "sw", "sh", "sb", "amoswap.w"))
    offset = 4 * (len(load) + (3 if store == "amoswap.w" else 2) + distance)
    if store == "amoswap.w":
        yield encode("addi", rd=T, rs1=T, imm=offset)
        yield encode(store, rd=rng.choice((0, *VALUES)), rs1=T, rs2=U)
    else:
        yield encode(store, rs1=T, rs2=U, imm=offset)
    for _ in range(distance):
        yield encode("addi", rd=rng.choice(VALUES), rs1=rng.choice(VALUES), imm=1)
    yield encode("addi", rd=0)


def patch_other(rng: random.Random, harts: int) -> Iterator[int]:
    """Yield code that overwrites a word that some hart may issue (``call_patched``)."""
    yield from li(T, patched_address(rng.randrange(harts)) + 4 * rng.randrange(PATCHED_WORDS))
    yield from li(U, _new_word(rng))
    if rng.random() < 0.8:
        yield encode(rng.choice(("sw", "sw", "sw", "sh", "sb")), rs1=T, rs2=U)
    else:
        yield encode("amoswap.w", rd=rng.choice((0, *VALUES)), rs1=T, rs2=U)


def call_patched(hart: int) -> Iterator[int]:
    """Yield a call of the words that other harts patch."""
    yield from li(T, patched_address(hart))
    yield encode("jalr", rd=LINK, rs1=T)


def own_interrupt(rng: random.Random) -> Iterator[int]:
    """Yield a software interrupt of the own hart and a wfi.

    At the wfi the interrupt is pending, has been taken, or is absent.
    """
    yield csrwi("mstatus", 0)
    yield encode("addi", rd=T, imm=8)
    yield csrw("mip", T)
    for _ in range(rng.randrange(3)):
        yield encode("addi", rd=rng.choice(VALUES), rs1=rng.choice(VALUES), imm=1)
    yield encode("csrrsi", rd=rng.choice(VALUES), imm=8, csr=CSR_ADDRESS["mstatus"])
    if rng.random() < 0.5:
        yield encode("wfi")
    if rng.random() < 0.3:
        yield encode("addi", rd=rng.choice(VALUES), rs1=rng.choice(VALUES), imm=1)
    yield csrwi("mstatus", 0)
    yield encode("wfi")


def trap_return(rng: random.Random) -> Iterator[int]:
    """Yield an mret outside of a handler, to a word of this item; it changes mstatus."""
    skipped, odd = rng.randrange(3), rng.random() < 0.25
    yield encode("csrrwi", imm=0, csr=CSR_ADDRESS["mcause"])
    yield csrwi("mstatus", 0)
    yield encode("auipc", rd=T)
    yield encode("addi", rd=T, rs1=T, imm=4 * (4 + skipped) + odd)
    yield csrw("mepc", T)
    yield encode("mret")
    for _ in range(skipped):
        yield encode("addi", rd=rng.choice(VALUES), rs1=rng.choice(VALUES), imm=1)
    yield encode("auipc", rd=T)
    yield encode("jalr", rs1=T, imm=8)  # clears bit 0 of the pc


FAR_BASE = DATA_BASE + 0x2_0000
"""Start of the areas that only long transfers write, one area per hart."""
FAR_BYTES = 0x2800
