"""Microbenchmarks and random programs, both of position-independent words."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from gnomon.isa import (
    Decoded,
    Instruction,
    decode_word,
    disassemble,
    encode,
    encode_row,
    list_instructions,
    size_bytes,
)
from gnomon.rtl.bare_metal import DATA_BASE, EXIT_ADDRESS, li

_A, _B, _RD, _DATA, _T, _COUNT = 10, 11, 12, 8, 5, 20
_FREE = (6, 7, 9, _A, _B, _RD, 13, 14, 15)
_FROM_CODE: Final = 0.1
_OF_UNITS: Final = 0.3  # share of the arithmetic, if a machine has units
SHIFTS: Final = ("sll", "srl", "sra", "slli", "srli", "srai")
_ROWS: Final = {row.mnemonic: row for row in list_instructions(("I", "M", "Zicsr"))}
UNITS: Final = tuple(name for name, row in _ROWS.items() if row.extension == "M")
ALU: Final = tuple(
    name for name, row in _ROWS.items() if row.timing_class == "alu" and name not in SHIFTS
)
ACCESSES: Final = tuple(
    name for name, row in _ROWS.items() if row.timing_class in ("load", "store")
)
CSRS: Final = tuple(name for name, row in _ROWS.items() if row.timing_class == "csr")
_MSCRATCH = 0x340
BRANCHES: Final = tuple(name for name, row in _ROWS.items() if row.timing_class == "branch")
PLAIN: Final = encode("addi")  # nop, before and after each probe: no register field is in use
MARKER: Final = encode("sw", rs1=_DATA, rs2=0, imm=1024)  # its substitute if only stores are seen
_HOLE = 96  # words after the first one, for accesses and calls at low addresses
_RETURN = encode("jalr", rd=0, rs1=1)
JALR_ODD: Final = "jalr-odd"
"""A ``jalr`` to an odd sum, whose lowest bit the ISA clears; only the check of function has it."""
JALR_SAME: Final = "jalr-same"
"""A ``jalr`` that writes the register that it reads, as in far calls."""
EXCLUDABLE: Final = {*_ROWS, JALR_ODD, JALR_SAME} - {
    "addi", "lui", "auipc", "jal", "jalr", "bne", "lw", "sw",
}  # fmt: skip
"""Instructions that no program must contain."""
_CONTROL = (*BRANCHES, "jal", "jalr")
_SEVERAL = (0, 1, 2, 5, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FF80, 0x1_0000, 0x1234_5678)


def whole(body: Sequence[int], *, compressed: bool = False) -> list[int]:
    """Return a program: a hole, the base of the data in x8, the body, and the final store.

    With ``compressed`` the zeros of the hole are halfwords.
    """
    zeros = [0] * ((_HOLE - 1) * (2 if compressed else 1))
    over = [encode("jal", rd=0, imm=4 * (_HOLE + 1)), _RETURN, *zeros]
    end = [*li(_T, EXIT_ADDRESS), encode("sw", rs1=_T, rs2=0), *[PLAIN] * END]
    return [*over, *li(_DATA, DATA_BASE), *body, *end]


END: Final = 16
"""Words after the store that ends a program."""
BEFORE: Final = len(whole(())) - END - 3
"""Words of a program before its body."""


@dataclass(frozen=True)
class Probe:
    """Instructions on known operands, between plain instructions.

    The measured instructions start at index ``at`` of ``words``. ``length`` is the number of
    executed instructions up to the next plain one; at least ``spacers`` plain ones are executed
    before and after them. ``only``: number of the one whose cycles count; None: those of all.
    """

    mnemonic: str
    words: tuple[int, ...]
    at: int
    length: int = field(default=1, kw_only=True)
    a: int = 0
    b: int = 0
    kind: str = ""
    spacers: int = field(default=2, kw_only=True)
    only: int | None = field(default=None, kw_only=True)

    def __str__(self) -> str:
        operands = f" of {self.a:#x}, {self.b:#x}" if not self.kind else f", {self.kind}"
        return self.mnemonic + operands

    def listing(self, address: int) -> str:
        """Return the disassembly of the probe at an address, without plain instructions."""
        return "\n".join(list_words(self.words, address))


def _probe(mnemonic: str, word: int, spacers: int, a: int = 0, b: int = 0) -> Probe:
    setup, around = _operands(a, b), [PLAIN] * spacers
    words = (*setup, *around, word, *around)
    return Probe(mnemonic, words, len(setup) + spacers, a, b, spacers=spacers)


def sequence_probe(
    name: str, words: Sequence[int], length: int, spacers: int, *, only: int | None = None
) -> Probe:
    """Return a probe of a sequence; x10 is 7, x11 is 3, x8 points to the data.

    Args:
        name: name of the sequence.
        words: its instructions, and words that it jumps over.
        length: number of executed instructions.
        spacers: plain instructions on either side.
        only: number of the executed instruction whose cycles count, from 0; None: those of all.
    """
    setup, around = _operands(7, 3), [PLAIN] * spacers
    return Probe(name, (*setup, *around, *words, PLAIN, *around), len(setup) + spacers,
                 kind="in a sequence", length=length, spacers=spacers, only=only)  # fmt: skip


UNIT: Final = "unit"
"""Name of the instruction of a unit, in place of a mnemonic."""


def unit_probe(word: int, spacers: int) -> Probe:
    """Return a probe of an instruction of a unit.

    Args:
        word: with zeros for rd, rs1 and rs2.
        spacers: plain instructions on either side.
    """
    return _probe(UNIT, word | _RD << 7 | _A << 15 | _B << 20, spacers, word >> 25, 1)


def store_all() -> list[int]:
    """Return stores of all registers."""
    return [encode("sw", rs1=_DATA, rs2=each, imm=4 * each) for each in range(1, 32)]


def _operands(a: int, b: int) -> list[int]:
    return [*li(_A, a), *li(_B, b)]


def _jump_probe(
    mnemonic: str, *, spacers: int, back: bool, a: int, b: int, kind: str, **registers: int
) -> Probe:
    """Return a probe of a jump over one word, or back to plain words and a jump out.

    ``jalr`` jumps relative to an ``auipc`` before the plain words.
    """
    around, relative = [PLAIN] * spacers, mnemonic == "jalr"
    setup = [*_operands(a, b), *[encode("auipc", rd=_T)] * relative, *around]
    over = -4 * (spacers + 1 + spacers) if back else 8
    since = len(around) + 1 + (2 * spacers + 2 if back else 0)  # words from the auipc to the jump
    word = encode(mnemonic, imm=over + 4 * since * relative, **registers)
    if back:
        detour = [encode("jal", imm=4 * (spacers + 2)), *around,
                  encode("jal", imm=4 * (2 + spacers)), *around]  # fmt: skip
        words, at = [*setup, *detour, word, *around], len(setup) + len(detour)
    else:
        words, at = [*setup, word, PLAIN, *around], len(setup)
    return Probe(mnemonic, tuple(words), at, a, b, kind, spacers=spacers)


def control(spacers: int) -> Iterator[Probe]:
    """Yield branches in both directions, taken and untaken, and jumps."""
    for name in BRANCHES:
        for a, b in ((1, 1), (1, 2), (2, 1), (0xFFFF_FFFF, 1), (1, 0xFFFF_FFFF)):
            x, y = (a, b) if name.endswith("u") else ((v + 2**31) % 2**32 for v in (a, b))
            taken = {"eq": a == b, "ne": a != b, "lt": x < y, "ge": x >= y}[name[1:3]]
            for back in (False, True):
                kind = ("taken" if taken else "not taken") + (", back" if back else "")
                yield _jump_probe(
                    name, spacers=spacers, back=back, a=a, b=b, kind=kind, rs1=_A, rs2=_B
                )
    for rd in (0, 1):
        for back in (False, True):
            for name, registers in (("jal", {}), ("jalr", {"rs1": _T})):
                kind = "back" if back else "forward"
                yield _jump_probe(
                    name, spacers=spacers, back=back, a=0, b=0, kind=kind, rd=rd, **registers
                )


def units(isa: str) -> tuple[str, ...]:
    """Return the multiplications and divisions of an instruction set."""
    return UNITS if isa.startswith("rv32im") else ()


def plain(isa: str, spacers: int) -> Iterator[Probe]:
    """Yield probes of all instructions that do not jump, on a few operands."""
    for name in (*ALU, *SHIFTS, *units(isa)):
        for a, b in ((0, 0), (7, 3), (0xFFFF_FFFF, 0x8000_0001), (0x1234_5678, 30)):
            yield _operation(name, a, b, spacers)
    for name in ACCESSES:
        for offset in (0, 4, 64):
            register = {"rs2": _B} if name[0] == "s" else {"rd": _RD}
            word = encode(name, rs1=_DATA, imm=offset, **register)
            yield _probe(name, word, spacers, b=offset)
    yield _probe("fence", encode("fence", imm=0xFF), spacers)
    for name in CSRS if isa.endswith("_zicsr") else ():
        operand = {"imm": 5} if name.endswith("i") else {"rs1": _A}
        yield _probe(name, encode(name, rd=_RD, csr=_MSCRATCH, **operand), spacers)


def encode_operation(name: str, a: int, b: int, **registers: int) -> tuple[int, int]:
    """Encode an instruction of ALU or unit; immediates are bits of its operands.

    Return the word and its second operand.
    """
    layout = _ROWS[name].format
    imm = {"U": 0x1000 * (a % 1024), "shift": b % 32, "I": b % 2048}.get(layout)
    return encode_word(name, imm, **registers), b if imm is None or layout == "U" else imm


def _operation(name: str, a: int, b: int, spacers: int) -> Probe:
    word, second = encode_operation(name, a, b, rd=_RD, rs1=_A, rs2=_B)
    return _probe(name, word, spacers, a, second)


def by_operands(isa: str, spacers: int) -> Iterator[Probe]:
    """Yield shifts by every amount, and multiplications and divisions of every length and sign."""
    for name in SHIFTS:
        for amount in range(32):
            for a in (0, 0x8000_0001, 0x0012_3456):
                yield _operation(name, a, amount, spacers)
    rng = random.Random("operands")  # noqa: S311 - measurements, not secrets
    for name in units(isa):
        for a in _SEVERAL:
            for b in _SEVERAL:
                yield _operation(name, a, b, spacers)
        for bits in range(33):
            value = (1 << bits >> 1) | rng.getrandbits(32) & (1 << bits >> 1) - (bits > 0)
            yield _operation(name, value, rng.getrandbits(32), spacers)
            yield _operation(name, rng.getrandbits(32), value, spacers)


MAKERS: Final = (*ALU, *SHIFTS, *UNITS, *ACCESSES[:5])
READERS: Final = tuple(
    f"{name}.{register}"
    for name, row in _ROWS.items()
    if row.format in ("R", "S", "B", "I", "shift")
    for register in (("rs1", "rs2") if row.format in ("R", "S", "B") else ("rs1",))
)
"""Instructions with a result, and operands that read one."""


def pair(
    maker: str,
    reader: str,
    distance: int,
    start: int,
    spacers: int,
    lead: Sequence[int] | None = None,
) -> Probe | None:
    """Return a probe of two instructions: the second one reads the result of the first, which is 0.

    Args:
        maker: instruction with the result.
        reader: instruction and operand that read it, such as ``add.rs1``.
        distance: number of plain instructions between them.
        start: address of the program.
        spacers: plain instructions on either side.
        lead: instructions before the first one; then only the cycles of the second one count.
            None: those of all count.

    None if the pair cannot be measured.
    """
    name, register = reader.split(".")
    layout, address = _ROWS[name].format, name in ACCESSES or name == "jalr"
    imm, to_hole = 8, address and register == "rs1"
    if maker == "auipc" and (to_hole or name in (*SHIFTS, *UNITS)):
        return None  # its result is its address, not 0
    if to_hole:
        imm = start + (4 if name == "jalr" else 64)
        if imm >= 2048:
            return None
    registers = {"rd": 1 if name == "jalr" else 13, "rs1": _DATA if address else 0, "rs2": 0}
    reading = encode_word(name, None if layout == "R" else imm, **registers | {register: _RD})
    between = [PLAIN] * distance
    setup, around = _operands(0, 1 if maker in UNITS else 0), [PLAIN] * spacers
    before = lead or ()
    words = [*setup, *around, *before, _encode_zero(maker), *between, reading, PLAIN, *around]
    length = len(before) + distance + 2 + (name == "jalr")
    only = None if lead is None else len(before) + distance + 1
    return Probe(maker, tuple(words), len(setup) + spacers, kind=f"{distance} before {reader}",
                 length=length, spacers=spacers, only=only)  # fmt: skip


_FIELDS: Final = {"R": ("rd", "rs1", "rs2"), "S": ("rs1", "rs2"), "B": ("rs1", "rs2"),
                  "I": ("rd", "rs1"), "shift": ("rd", "rs1"), "U": ("rd",)}  # fmt: skip


def format_of(name: str) -> str:
    """Return the format of an instruction, such as ``R``."""
    return _ROWS[name].format


def encode_word(name: str, imm: int | None = None, **registers: int) -> int:
    """Encode an instruction with the registers of its format."""
    given = {each: registers[each] for each in _FIELDS[_ROWS[name].format]}
    return encode(name, **given) if imm is None else encode(name, **given, imm=imm)


def _encode_zero(name: str) -> int:
    """Encode an instruction with the result 0, for operands 0 and 0, or 0 and 1."""
    if name in ACCESSES:
        return encode(name, rd=_RD, rs1=_DATA, imm=512)
    return encode_word(name, rd=_RD, rs1=_A, rs2=_B)


def random_items(
    seed: int,
    isa: str,
    size: int,
    units: Sequence[Instruction] = (),
    excluded: frozenset[str] = frozenset(),
    *,
    from_code: bool = False,
) -> list[tuple[int, ...]]:
    """Return the items of a random program of about ``size`` instructions; each is removable.

    ``units``: instructions of units, which are a part of the arithmetic. ``excluded``:
    instructions that the program does not contain. ``from_code``: some loads are of its words.
    """
    rng = random.Random(f"core {seed}")  # noqa: S311 - tests, not secrets
    items: list[tuple[int, ...]] = [
        tuple(li(register, rng.choice((rng.getrandbits(32), rng.getrandbits(5), 0))))
        for register in _FREE
    ]
    while sum(map(len, items)) < size:
        if from_code and rng.random() < _FROM_CODE:
            items.append(tuple(_load_code(rng, excluded)))
        items.append(tuple(_random_item(rng, isa, units, excluded)))
    return items


def _load_code(rng: random.Random, excluded: frozenset[str]) -> Iterator[int]:
    name = _choose(rng, [each for each in ACCESSES if each[0] == "l"], excluded)
    size = {"b": 1, "h": 2, "w": 4}[name[1]]
    yield encode("auipc", rd=_T)
    yield encode(name, rd=_free_register(rng), rs1=_T, imm=rng.randrange(0, 32, size))


def _free_register(rng: random.Random) -> int:
    return rng.choice(_FREE)


def random_unit_word(rng: random.Random, row: Instruction) -> int:
    """Return an instruction of a unit; fields that it ignores are random, too."""
    registers = {"rd": 0 if rng.random() < 0.1 else _free_register(rng), "rs1": _free_register(rng)}
    if row.format == "I":
        return encode_row(row, **registers, imm=rng.randint(-2048, 2047))
    imm = _free_register(rng) if row.format == "R4" else 0
    return encode_row(row, **registers, rs2=_free_register(rng), imm=imm)


def _choose(rng: random.Random, names: Sequence[str], excluded: frozenset[str]) -> str:
    return rng.choice([name for name in names if name not in excluded])


def _random_word(
    rng: random.Random, isa: str, own: Sequence[Instruction], excluded: frozenset[str]
) -> int:
    if own and rng.random() < _OF_UNITS:
        return random_unit_word(rng, rng.choice(own))
    name = _choose(rng, [*ALU, *SHIFTS, *SHIFTS, *units(isa)], excluded)
    layout = _ROWS[name].format
    imm: int | None = None
    if layout in ("shift", "I"):
        imm = rng.randrange(32) if layout == "shift" else rng.randint(-2048, 2047)
    registers = {each: _free_register(rng) for each in _FIELDS[layout]}
    if layout == "U":
        imm = (rng.getrandbits(20) - 2**19) << 12
    return encode_word(name, imm, **registers)


def random_compressed(rng: random.Random) -> int:
    """Return a random compressed instruction that does not jump."""
    pool = [each - 8 for each in _FREE if each >= 8]
    one, two = rng.choice(pool), rng.choice(pool)
    bits = rng.randint(1, 31)
    imm = rng.getrandbits(1) << 12 | bits << 2
    match rng.randrange(5):
        case 0:  # c.addi, c.li
            return rng.choice((0x0001, 0x4001)) | _free_register(rng) << 7 | imm
        case 1:  # c.mv, c.add
            return (
                rng.choice((0x8002, 0x9002)) | _free_register(rng) << 7 | _free_register(rng) << 2
            )
        case 2:  # c.srli, c.srai, c.slli
            shift = bits << 2
            return (
                rng.choice((0x8001 | one << 7, 0x8401 | one << 7, 2 | _free_register(rng) << 7))
                | shift
            )
        case 3:  # c.sub, c.xor, c.or, c.and
            return 0x8C01 | one << 7 | rng.randrange(4) << 5 | two << 2
        case _:  # c.lw, c.sw
            return rng.choice((0x4000, 0xC000)) | rng.randrange(8) << 10 | two << 2


def _random_item(
    rng: random.Random, isa: str, own: Sequence[Instruction], excluded: frozenset[str]
) -> Iterator[int]:
    kind = rng.randrange(10)
    inner = [_random_word(rng, isa, own, excluded) for _ in range(rng.randint(1, 3))]
    if size_bytes(isa) == 2:
        inner = [random_compressed(rng) if rng.random() < 0.5 else each for each in inner]
    over = 4 + sum(map(size_bytes, inner))
    if kind < 4:
        yield inner[0]
    elif kind < 7:
        name = _choose(rng, ACCESSES, excluded)
        size = {"b": 1, "h": 2, "w": 4}[name[1]]
        register = {"rs2" if name[0] == "s" else "rd": _free_register(rng)}
        yield encode(name, rs1=_DATA, imm=rng.randrange(0, 2048, size), **register)
    elif kind == 7:
        name = _choose(rng, BRANCHES, excluded)
        yield encode(name, rs1=_free_register(rng), rs2=_free_register(rng), imm=over)
        yield from inner
    elif kind == 8:
        if rng.random() < 0.5:
            yield encode("jal", rd=rng.choice((0, 1)), imm=over)
        else:
            yield encode("auipc", rd=_T)
            yield encode("jalr", rd=rng.choice((0, 1)), rs1=_T, imm=over + 4)
        yield from inner
    else:  # a loop
        yield encode("addi", rd=_COUNT, imm=rng.randint(1, 3))
        yield from inner
        yield encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1)
        yield encode("bne", rs1=_COUNT, rs2=0, imm=-over)


def list_words(words: Iterable[int], address: int, *, plain: bool = False) -> Iterator[str]:
    """Yield one line for each instruction from an address on, without or with plain ones."""
    for word in words:
        if plain or word not in (PLAIN, MARKER):
            yield f"    {address:#x}  {disassemble(word, address)}"
        address += size_bytes(word)


def _find_control(item: tuple[int, ...]) -> list[tuple[int, Decoded]]:
    decoded = ((n, decode_word(word, compressed=True)) for n, word in enumerate(item))
    return [(n, each) for n, each in decoded
            if each is not None and each.instruction.mnemonic in _CONTROL]  # fmt: skip


def is_straight(item: tuple[int, ...]) -> bool:
    """Return whether an item of a random program does not jump."""
    return not _find_control(item)


def shorter(item: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield shorter forms of a jump or loop of a random program.

    The first form is its body alone; each further form lacks one instruction of the body.
    """
    found = _find_control(item)
    if not found:
        return
    control, each = found[0]
    if len(found) > 1:  # a call, a jump over what it calls, and the return
        yield item[found[1][0] + 1 : found[-1][0]]
        return
    loop = control == len(item) - 1
    inner = range(1, control - 1) if loop else range(control + 1, len(item))
    yield tuple(item[n] for n in inner)
    if len(inner) < 2:
        return
    fields = {name: getattr(each, name) for name in ("rd", "rs1", "rs2")}
    for out in inner:
        less = size_bytes(item[out])
        word = encode(each.instruction.mnemonic, **fields, imm=each.imm + (less if loop else -less))
        yield tuple(word if n == control else item[n] for n in range(len(item)) if n != out)
