"""Random programs that vary what the timing or the results of a core may depend on.

A third of their instructions are those of :func:`random_items`, with nine registers and one base
address. The others have all registers, immediates that cores may treat apart, equal operands, the
same addresses again and far ones, loops, calls that return, fences and accesses to a CSR. At the
end are limits and masks as immediates, calls with further registers as link, nested calls and long
loops.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Final

from gnomon.calibrate._programs import (
    ACCESSES,
    ALU,
    BRANCHES,
    CSRS,
    JALR_SAME,
    SHIFTS,
    encode_word,
    format_of,
    random_compressed,
    random_items,
    random_unit_word,
    units,
)
from gnomon.isa import Instruction, decode_word, encode, size_bytes
from gnomon.rtl.bare_metal import DATA_BASE, li

_DATA, _T, _COUNT = 8, 5, 20  # base of the data, address or target, rounds of a loop
REGISTERS: Final = tuple(each for each in range(1, 32) if each not in (_DATA, _T, _COUNT))
"""Registers that the programs write, without those for addresses and rounds."""
_LINK: Final = 1
_WRITABLE: Final = REGISTERS[1:]  # without the link
_MSCRATCH: Final = 0x340
_SOME: Final = 6  # registers, and addresses, that a program prefers; five programs prefer all
_STEP: Final = 10  # coprime to the number of registers
_RECENT: Final = 2  # registers written last
_RUN: Final = 10  # items of one kind
_MOST_ROUNDS: Final = 9
_LINKS: Final = (_T, _COUNT, *_WRITABLE)
_CALLS: Final = 4  # with another link; eight programs have each
_DEEP: Final = range(3, 10)  # calls in one another
_IMMEDIATES: Final = tuple(
    (name, imm)
    for name in ("addi", "slti", "sltiu", "xori", "ori", "andi")
    for imm in (-2048, *((1 << bits) - 1 for bits in range(2, 12)))
)
_OF_IMMEDIATES: Final = 9  # in a program; eight programs have all
_LONG: Final = (17, 33, 65)  # rounds of loops, beyond what counters of a few bits hold
_FAR: Final = 1 << 18  # bytes of data


class _Draw:
    """The choices of one program."""

    def __init__(
        self, seed: int, isa: str, own: Sequence[Instruction], excluded: frozenset[str]
    ) -> None:
        self.rng = random.Random(f"varied {seed}")  # noqa: S311 - tests, not secrets
        self.isa, self.own, self.excluded = isa, own, excluded
        self.some = [_WRITABLE[(_SOME * seed + n) * _STEP % len(_WRITABLE)] for n in range(_SOME)]
        self.written = list(self.some[:_RECENT])
        self.places = [self.rng.randrange(0, 2048, 4) for _ in range(_SOME)]
        self.last = ""  # name of the last operation or access
        self.calls = 0

    def register(self) -> int:
        """Return one of a few registers, or any."""
        return self.rng.choice(self.some if self.rng.random() < 0.7 else _WRITABLE)

    def source(self) -> int:
        """Return a register to read: often one that was written last, sometimes x0."""
        kind = self.rng.random()
        if kind < 0.6:
            return self.rng.choice(self.written)
        return 0 if kind < 0.65 else self.register()

    def target(self) -> int:
        """Return a register to write, sometimes x0."""
        if self.rng.random() < 0.05:
            return 0
        self.written = [*self.written[1:], self.register()]
        return self.written[-1]

    def name(self, names: Sequence[str]) -> str | None:
        """Return one that is not excluded, often the last one again; None if all are."""
        left = [each for each in names if each not in self.excluded]
        if self.last not in left or self.rng.random() < 0.7:
            self.last = self.rng.choice(left) if left else ""
        return self.last or None

    def immediate(self) -> int:
        """Return 0, 1, -1, a power of two, or any."""
        power = 1 << self.rng.randrange(11)
        return self.rng.choice((0, 1, -1, power, -power, self.rng.randint(-2048, 2047)))

    def operation(self) -> int:
        """Return an operation, often of one register twice, perhaps compressed or of a unit."""
        if self.own and self.rng.random() < 0.2:
            return random_unit_word(self.rng, self.rng.choice(self.own))
        if size_bytes(self.isa) == 2 and self.rng.random() < 0.3:
            return random_compressed(self.rng)
        name = self.name((*ALU, *SHIFTS, *units(self.isa))) or "addi"
        layout, first = format_of(name), self.source()
        second = first if self.rng.random() < 0.2 else self.source()
        registers = {"rs1": first, "rs2": second, "rd": self.target()}
        imm = {"I": self.immediate(), "shift": self.rng.randrange(32),
               "U": (self.rng.getrandbits(20) - 2**19) << 12}.get(layout)  # fmt: skip
        return encode_word(name, imm, **registers)

    def access(self) -> list[int]:
        """Return an access to a few words, to any near one, or to one far away."""
        name = self.name(ACCESSES) or "lw"
        size = {"b": 1, "h": 2, "w": 4}[name[1]]
        register = {"rs2": self.source()} if name[0] == "s" else {"rd": self.target()}
        at = self.rng.choice(self.places) + self.rng.randrange(0, 4, size)
        match self.rng.randrange(8):
            case 0 | 1:
                at = self.rng.randrange(0, 2048, size)
            case 2 | 3:  # relative to an address that was just computed
                base = self.rng.choice((0, 4, 1024, 2044))
                moved = encode("addi", rd=_T, rs1=_DATA, imm=base)
                return [moved, encode(name, rs1=_T, imm=at - base, **register)]
            case 4:
                far = self.rng.randrange(0, _FAR, 4096)
                return [*li(_T, DATA_BASE + far), encode(name, rs1=_T, imm=at, **register)]
        return [encode(name, rs1=_DATA, imm=at, **register)]

    def order(self) -> list[int]:
        """Return a fence or an access to a CSR."""
        csr = self.name(CSRS) if self.isa.endswith("_zicsr") else None
        if csr is not None and self.rng.random() < 0.7:
            operand = {"imm": self.rng.randrange(32)} if csr[-1] == "i" else {"rs1": self.source()}
            return [encode(csr, csr=_MSCRATCH, **operand, rd=self.target())]
        return [] if "fence" in self.excluded else [encode("fence", imm=0xFF)]

    def straight(self, most: int) -> list[int]:
        """Return some operations, accesses or others, none of which jumps."""
        found: list[int] = []
        for _ in range(self.rng.randint(1, most)):
            kind = self.rng.random()
            if kind < 0.5:
                found.append(self.operation())
            else:
                found += self.access() if kind < 0.95 else self.order()
        return found or [self.operation()]

    def item(self) -> Iterator[int]:
        """Yield the instructions of one item."""
        kind = self.rng.randrange(10)
        if kind < 7:
            yield from self.straight(1)
            return
        inner = self.straight(3)
        over = 4 + sum(map(size_bytes, inner))
        if kind == 7:
            first = self.source()
            second = self.rng.choice((0, first, self.source()))
            name = self.name(BRANCHES) or "bne"
            yield encode(name, rs1=first, rs2=second, imm=over)
            yield from inner
        elif kind == 8:  # a call, and the jump over what it calls
            yield encode("jal", rd=_LINK, imm=8)
            yield encode("jal", rd=0, imm=over + 4)
            yield from inner
            self.calls += 1  # no choice, so that programs of a seed stay as they were
            links = self.calls % 2 == 0 and JALR_SAME not in self.excluded
            yield encode("jalr", rd=_LINK if links else 0, rs1=_LINK)
        else:
            yield encode("addi", rd=_COUNT, imm=self.rng.randint(1, _MOST_ROUNDS))
            yield from inner
            yield encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1)
            yield encode("bne", rs1=_COUNT, rs2=0, imm=-over)

    def last_items(self, seed: int) -> Iterator[tuple[int, ...]]:
        """Yield limits and masks as immediates, calls with other links, deep calls, long loops."""
        for n in range(_OF_IMMEDIATES):
            name, imm = _IMMEDIATES[(_OF_IMMEDIATES * seed + n) % len(_IMMEDIATES)]
            if name not in self.excluded:
                yield (encode(name, rd=self.target(), rs1=self.source(), imm=imm),)
        for n in range(_CALLS):
            yield tuple(self.call(_LINKS[(_CALLS * seed + n) % len(_LINKS)]))
        free, *saved = self.rng.sample(_WRITABLE, 1 + self.rng.choice(_DEEP))
        yield tuple(_enter(_nested(free, saved)))
        for rounds in _LONG:
            inner = self.straight(2)
            over = 4 + sum(map(size_bytes, inner))
            yield (
                encode("addi", rd=_COUNT, imm=rounds),
                *inner,
                encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1),
                encode("bne", rs1=_COUNT, rs2=0, imm=-over),
            )

    def call(self, link: int) -> list[int]:
        """Return a call with a link, and its return, which may link to another register."""
        inner = self.operation()
        decoded = decode_word(inner, compressed=True)
        kept = [] if decoded is None or decoded.rd == link else [inner]
        other = self.rng.choice([each for each in (0, 0, *_WRITABLE) if each != link])
        return _enter([*kept, encode("jalr", rd=other, rs1=link)], link)


def _nested(free: int, saved: Sequence[int]) -> list[int]:
    """Return a function that calls another, and so on; each saves its link in a register."""
    word, back = encode("xor", rd=free, rs1=free, rs2=_LINK), encode("jalr", rd=0, rs1=_LINK)
    if not saved:
        return [word, back]
    save = encode("addi", rd=saved[0], rs1=_LINK)
    restore = encode("addi", rd=_LINK, rs1=saved[0])
    return [save, word, *_enter(_nested(free, saved[1:])), restore, back]


def _enter(function: Sequence[int], link: int = _LINK) -> list[int]:
    """Return a function with a call of it and a jump over it."""
    over = 4 + sum(map(size_bytes, function))
    return [encode("jal", rd=link, imm=8), encode("jal", rd=0, imm=over), *function]


def varied_items(
    seed: int,
    isa: str,
    size: int,
    own: Sequence[Instruction] = (),
    excluded: frozenset[str] = frozenset(),
    *,
    from_code: bool = False,
) -> list[tuple[int, ...]]:
    """Return the items of a random program of about ``size`` instructions; each is removable.

    Args:
        seed: seed of the program.
        isa: instruction set.
        size: instructions of the program, each round of a loop once.
        own: instructions of units.
        excluded: instructions that the program does not contain.
        from_code: whether some loads are of its words.
    """
    draw = _Draw(seed, isa, own, excluded)
    first = [tuple(li(each, draw.rng.choice((0, 1, draw.rng.getrandbits(32)))))
             for each in _WRITABLE]  # fmt: skip
    first += [(encode("sw", rs1=_DATA, rs2=draw.register(), imm=at),) for at in draw.places]
    plain = random_items(seed, isa, size // 3, own, excluded, from_code=from_code)
    items, left = first, size - sum(map(len, plain))
    while plain or sum(map(len, items)) < left:
        if sum(map(len, items)) < left:
            items += (tuple(draw.item()) for _ in range(_RUN))
        items += plain[:_RUN]
        left += sum(map(len, plain[:_RUN]))
        del plain[:_RUN]
    draw.rng = random.Random(f"last {seed}")  # noqa: S311 - tests, not secrets
    return [*items, *draw.last_items(seed)]
