"""Random cases, each from one seed: every class of instruction, wrong operands, interrupts.

``WEIGHTS`` says how often which kind of item comes. What no case has: interrupt pins, wait states,
ebreak, harts of a shared vector unit on both sides of the 8-bit border, kbcastld next to the vector
units of other harts, transfers of less than a word, misaligned stores under interrupts.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from gnomon.isa import CSR_ADDRESS, Instruction, encode, list_instructions
from gnomon.rtl.bare_metal import SPM_BASE, li
from gnomon.rtl.lockstep import _case as layout
from gnomon.rtl.lockstep import _words as odd
from gnomon.rtl.lockstep._case import SPM_USED_BYTES, Body, Case, Item
from gnomon.rtl.lockstep._words import (
    PRIVATE,
    RD,
    RS1,
    RS2,
    SHARED,
    VALUES,
    T,
    U,
    csrr,
    csrw,
    csrwi,
)
from gnomon.rtl.setting import Setting

WEIGHTS = {
    "alu": 26, "muldiv": 6, "memory": 14, "amoswap": 4, "branch": 8, "vector": 18, "transfer": 8,
    "setting": 8, "csr": 10, "counter": 4, "trap": 3, "reserved": 5, "patch": 4, "return": 1,
    "fence": 2, "sleep": 2, "interrupt": 6,
}  # fmt: skip
"""Of the kinds of items; those that a case cannot have are left out of it."""

_SWI = 0xFF00
_BUS_ERROR = 0xDEAD_0000
_MOST_VECTOR_BYTES = 256  # two of them and an offset fit into what scratchpads hold at their start
_TRANSFER_SIZES = (0, 4, 8, 32, 64, 128, 256)
_VECTOR_KINDS = ("vector", "transfer", "setting")


def random_case(
    seed: int,
    setting: Setting,
    *,
    extensions: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
    known_differences: bool = False,
    event_counters: bool = False,
    tame: bool = False,
    morph: bool = False,
) -> Case:
    """The case of a seed for a setting, with 1 to ``setting.harts`` active harts.

    ``extensions`` adds vector instructions that the public T13x lacks, such as ``kdiv``;
    ``without`` takes vector instructions away that a core does not decode. With
    ``known_differences`` come the cases in which the RTL is known to do what the model does not
    (docs/notes/klessydra.md); without, they are left out. With ``event_counters`` harts access
    mhpmcounters in any form. A ``tame`` case has no vector instruction
    that traps or has no length. ``morph``: for the RTL of that name, whose illegal shifts write,
    and whose mbadaddr may show any register.
    """
    vectors = tuple(
        row
        for row in list_instructions(("kdsp", *extensions))
        if row.timing_class == "kdsp" and row.mnemonic not in without
    )
    rng = random.Random(f"case {seed}")  # noqa: S311 - tests, not secrets
    active = rng.randint(1, setting.harts)
    interrupts = rng.random() < 0.5
    # Filling whole scratchpads takes a thousand cycles per KiB.
    whole = setting.simd > 0 and rng.random() < (0.5 if setting.scratchpad_bytes <= 1024 else 0.1)
    # A shared unit needs every hart on the same side of the 8-bit border.
    narrow_or_wide: tuple[tuple[int, ...], ...] = ((0,), (1, 2))
    if extensions:  # their instructions are for words only
        narrow_or_wide = ((1, 2),)
    mvtypes = rng.choice(narrow_or_wide) if setting.sharing == "shared" else (0, 1, 2)
    # Behind one that has no effect, a shared unit starts too early.
    wrong_vectors = known_differences or active == 1 or setting.sharing != "shared"
    bodies = tuple(
        _Hart(
            rng, setting, active == 1, hart, mvtypes, vectors, interrupts,
            wrong_vectors and not tame, whole, event_counters, morph and not known_differences,
        ).body()
        for hart in range(active)
    )  # fmt: skip
    return Case(seed, setting, bodies, every_register=morph, event_counters=event_counters)


def _rows(*classes: str) -> list[Instruction]:
    return [row for row in list_instructions(("I", "M")) if row.timing_class in classes]


_ALU, _MULDIV, _BRANCHES = _rows("alu"), _rows("mul", "mulh", "div"), _rows("branch")
_LOADS, _STORES = _rows("load"), _rows("store")


@dataclass(slots=True)
class _Hart:
    rng: random.Random
    setting: Setting
    alone: bool
    hart: int
    mvtypes: tuple[int, ...]
    vectors: tuple[Instruction, ...]
    interrupts: bool
    wrong_vectors: bool
    whole: bool
    event_counters: bool
    no_shifts: bool
    about: list[str] = field(default_factory=list)
    width: int | None = None

    @property
    def shared(self) -> bool:
        return self.setting.sharing == "shared"

    def body(self) -> Body:
        rng = self.rng
        loops, pcer = rng.randint(1, 2), rng.choice((0x3FF, 3, rng.getrandbits(32) | 3))
        mvtype = self.width = rng.choice(self.mvtypes)
        mvsize = self._vector_bytes(mvtype)
        interruptible = self.interrupts and rng.random() < 0.8
        items = tuple(self._item() for _ in range(rng.randint(20, 80)))
        return Body(loops, pcer, mvtype, mvsize, interruptible, items, self.whole)

    def _vector_bytes(self, mvtype: int | None) -> int:
        """Any length: of the element's width, mostly, as others trap."""
        rng = self.rng
        unit = {0: 1, 1: 2}.get(mvtype if mvtype is not None else 2, 4)
        if rng.random() < 0.3:
            return int(rng.choice((64, 128, 256)))
        return unit * rng.randint(1, _MOST_VECTOR_BYTES // unit)

    def _item(self) -> Item:
        never = set() if self.setting.simd else set(_VECTOR_KINDS)
        never |= {"sleep"} if self.interrupts else {"interrupt"}
        weights = {kind: weight for kind, weight in WEIGHTS.items() if kind not in never}
        kind = self.rng.choices(list(weights), list(weights.values()))[0]
        self.about = []
        words = tuple(getattr(self, f"_{kind}")())
        return Item(kind, words, tuple(self.about))

    def _value(self) -> int:
        return self.rng.choice(VALUES)

    def _plain(self, row: Instruction) -> int:
        """A word of an integer instruction on random data."""
        rng = self.rng
        rd = rng.choice((0, *VALUES))
        if row.format == "R":
            return encode(row.mnemonic, rd=rd, rs1=self._value(), rs2=self._value())
        if row.format == "U":
            return encode(row.mnemonic, rd=rd, imm=(rng.getrandbits(20) - 2**19) << 12)
        imm = rng.randrange(32) if row.format == "shift" else rng.randint(-2048, 2047)
        return encode(row.mnemonic, rd=rd, rs1=self._value(), imm=imm)

    def _alu(self) -> Iterator[int]:
        yield self._plain(self.rng.choice(_ALU))

    def _muldiv(self) -> Iterator[int]:
        yield self._plain(self.rng.choice(_MULDIV))

    def _fence(self) -> Iterator[int]:
        yield encode("fence.i") if self.rng.random() < 0.5 else encode("fence", imm=0xFF)

    def _sleep(self) -> Iterator[int]:
        yield csrwi("mstatus", 0)  # mret behind an exception has set MIE
        yield encode("wfi")  # so it is a nop, and no hart waits for an interrupt that never comes

    def _memory(self) -> Iterator[int]:
        rng = self.rng
        base = rng.choice((PRIVATE, PRIVATE, SHARED))
        limit = 0x7E0 if base == PRIVATE else 0x3F0
        store = rng.random() < 0.5
        row = rng.choice(_STORES if store else _LOADS)
        size = {"b": 1, "h": 2, "w": 4}[row.mnemonic[1]]
        offset = rng.randrange(0, limit, size)
        if size > 1 and rng.random() < 0.05 and not (store and self.interrupts):
            offset += 1
        if store:
            yield encode(row.mnemonic, rs1=base, rs2=self._value(), imm=offset)
        else:
            yield encode(row.mnemonic, rd=rng.choice((0, *VALUES)), rs1=base, imm=offset)

    def _amoswap(self) -> Iterator[int]:
        rng = self.rng
        offset = rng.randrange(0, 0x100, 4) + (rng.choice((1, 2, 3)) if rng.random() < 0.1 else 0)
        yield encode("addi", rd=T, rs1=rng.choice((PRIVATE, SHARED)), imm=offset)
        yield encode("amoswap.w", rd=rng.choice((0, *VALUES)), rs1=T, rs2=self._value())

    def _branch(self) -> Iterator[int]:
        """Skip a few instructions, or not; all of them are in the item."""
        rng = self.rng
        skipped = rng.randint(1, 3)
        match rng.randrange(3):
            case 0:
                yield encode("jal", rd=rng.choice((0, *VALUES)), imm=4 * (skipped + 1))
            case 1:
                yield encode("auipc", rd=T)
                odd = rng.randrange(2)  # jalr clears bit 0
                target = 4 * (skipped + 2) + odd
                yield encode("jalr", rd=rng.choice((0, *VALUES)), rs1=T, imm=target)
            case _:
                row = rng.choice(_BRANCHES)
                target = 4 * (skipped + 1)
                yield encode(row.mnemonic, rs1=self._value(), rs2=self._value(), imm=target)
        for _ in range(skipped):
            yield from self._alu()

    def _setting(self) -> Iterator[int]:
        """Change vector length, width, or the shift of the dot product."""
        rng = self.rng
        match rng.randrange(4):
            case 0:
                yield from self._new_width()
            case 1:
                yield csrwi("mpsclfac", rng.randrange(32))
            case _:
                yield from self._length()

    def _new_width(self) -> Iterator[int]:
        self.width = self.rng.choice(self.mvtypes)
        yield csrwi("mvtype", self.width)
        if not self.wrong_vectors:  # the length may be none of the new width
            yield from self._length()

    def _length(self) -> Iterator[int]:
        rng = self.rng
        size = self._vector_bytes(self.width)
        if self.wrong_vectors and rng.random() < 0.1:
            size = rng.choice((0, size + 1, size + 2))
            self.about.append("MVSIZE 0" if not size else "MVSIZE no multiple of the width")
        yield from li(T, size)
        rd = rng.choice((0, *VALUES))
        yield encode("csrrw", rd=rd, rs1=T, csr=CSR_ADDRESS["mvsize"])

    def _csr(self) -> Iterator[int]:
        """Any register in any form, and set back what items behind it count on."""
        rng = self.rng
        vectors = odd.VECTOR_CSRS if self.setting.simd else ()
        counters = 2 * odd.COUNTER_CSRS if self.event_counters else ()
        names = (*odd.FREE_CSRS, *counters, *odd.READ_ONLY_CSRS, *vectors, "mtvec", None, None)
        name = rng.choice(names)
        # For a moment, hart 0 would be on the other side of a shared unit's 8-bit border.
        if name == "mvtype" and self.shared and not self.alone and self.hart == 0:
            name = None
        if name == "mip" and not self.interrupts:
            name = None  # its own interrupts would wake nobody who sleeps, but a sleep counts on it
        if name == "mtvec":
            yield from odd.trap_vector(rng)
            return
        yield from odd.csr_access(rng, name)
        if name == "mvsize":
            yield from self._length()
        elif name == "mvtype":
            yield from self._new_width()

    def _reserved(self) -> Iterator[int]:
        words = tuple(odd.reserved(self.rng))
        while self.no_shifts and any(map(odd.is_illegal_shift, words)):
            words = tuple(odd.reserved(self.rng))
        yield from words

    def _return(self) -> Iterator[int]:
        yield from odd.trap_return(self.rng)

    def _patch(self) -> Iterator[int]:
        """Code that changes: of this hart, of any, or run what others change."""
        rng = self.rng
        match rng.randrange(3):
            case 0:
                distance = rng.randint(0, odd.MOST_DISTANCE)
                self.about.append(f"own word patched {distance} slots ahead")
                yield from odd.patch_own(rng, distance)
            case 1:
                self.about.append("word of a hart patched")
                yield from odd.patch_other(rng, self.setting.harts)
            case _:
                self.about.append("words that others patch issued")
                yield from odd.call_patched(self.hart)

    def _counter(self) -> Iterator[int]:
        rng = self.rng
        name = rng.choice(("mcycle", "minstret"))
        if rng.random() < 0.8:
            yield csrr(self._value(), name)
        else:
            rd = rng.choice((0, self._value()))
            yield encode("csrrw", rd=rd, rs1=self._value(), csr=CSR_ADDRESS[name])

    def _trap(self) -> Iterator[int]:
        rng = self.rng
        match rng.randrange(4):
            case 0:
                yield encode("ecall")
            case 1:
                yield 0  # illegal
            case 2:
                yield csrw("mhartid", self._value())
            case _:
                yield from li(T, _BUS_ERROR + 4 * rng.randrange(16))
                match rng.randrange(3):
                    case 0:
                        yield encode("lw", rd=self._value(), rs1=T)
                    case 1:
                        yield encode("sw", rs1=T, rs2=self._value())
                    case _:
                        yield encode("amoswap.w", rd=self._value(), rs1=T, rs2=self._value())

    def _interrupt(self) -> Iterator[int]:
        rng = self.rng
        if rng.random() < 0.3:
            self.about.append("interrupt of its own, and wfi")
            yield from odd.own_interrupt(rng)
            return
        index = rng.randrange(self.setting.harts)  # parked harts too
        # The RTL takes bits 4:0 of the offset for a destination and writes a CSR's value there.
        offset = 32 * rng.randrange(-64, 64) + rng.choice((0, *VALUES))
        yield from li(T, _SWI + 4 * index - offset)
        yield encode("addi", rd=U, imm=rng.choice((8, 8, 8, 0, 0xF)))
        yield encode("sw", rs1=T, rs2=U, imm=offset)

    # -- vector instructions and transfers -------------------------------------------------------

    def _place(self, register: int, pad: int) -> Iterator[int]:
        """Put an address with defined contents behind it in a register."""
        size = self.setting.scratchpad_bytes
        offset = 4 * self.rng.randrange(SPM_USED_BYTES // 8)
        if self.wrong_vectors and self.rng.random() < 0.03:
            offset = size - 4 * self.rng.randint(1, 8)  # most vectors run past the end
        yield from li(register, SPM_BASE + pad * size + offset)

    def _vector(self) -> Iterator[int]:
        rng = self.rng
        row = rng.choice(self.vectors)
        first, second = rng.sample(range(layout.SCRATCHPADS), 2)
        if row.rs2 == "spm_scalar":
            if rng.random() < 0.2:  # no trap, but one read port for vector and scalar
                second = first
        elif self.wrong_vectors and rng.random() < 0.03:
            second = first
        target = rng.randrange(layout.SCRATCHPADS)
        yield from self._place(RD, target)
        yield from self._place(RS1, first)
        yield from self._place(RS2, second)
        if self.wrong_vectors and rng.random() < 0.03:
            yield encode("addi", rd=rng.choice((RD, RS1)), rs1=PRIVATE)  # no scratchpad address
        if rng.random() < 0.3:  # right behind a transfer to a scratchpad that it may use
            yield from li(T, rng.choice((4, 16, 64, 256)))
            yield encode("addi", rd=U, rs1=PRIVATE)
            yield encode("kmemld", rd=rng.choice((RD, RS1, RS2)), rs1=U, rs2=T)
        rs1 = self._value() if row.rs1 == "register_scalar" else RS1
        rs2 = self._value() if row.rs2 in ("register_scalar", "shift_amount") else RS2
        word = encode(row.mnemonic, rd=RD, rs1=rs1, rs2=rs2)
        if row.extension != "kdsp":
            self.width = 2
            yield csrwi("mvtype", self.width)
        if rng.random() < 0.1:
            word ^= rng.randrange(8) << 12  # funct3 is not looked at
        if self.width is not None:
            self.about.append(f"{row.mnemonic}, {8 << self.width} bits")
        yield word
        for _ in range(rng.choice((0, 0, 0, 1, 2))):  # right behind: it finds the unit busy
            yield word

    def _transfer(self) -> Iterator[int]:
        rng = self.rng
        names = ["kmemld", "kmemld", "kmemstr"] + ["kbcastld"] * (self.shared or self.alone)
        name = rng.choice(names)
        yield from self._place(RS1, rng.randrange(layout.SCRATCHPADS))
        far = self.whole and rng.random() < 0.25
        if far and name == "kmemstr":
            yield from li(RD, odd.FAR_BASE + odd.FAR_BYTES * self.hart + 4 * rng.randrange(64))
        else:
            yield encode("addi", rd=RD, rs1=PRIVATE, imm=4 * rng.randrange(64))
        if rng.random() < 0.04:
            yield encode("addi", rd=rng.choice((RD, RS1)), rs1=PRIVATE, imm=2)
        size = rng.choice(_TRANSFER_SIZES)
        size += rng.choice((0, 0, 1, 2, 3)) if size >= 8 else 0
        self.about.append(f"{name}, {'some words' if size else 'nothing'}")
        if far:
            size = self._far(name)
        yield from li(T, size)
        rd, rs1 = (RD, RS1) if name == "kmemstr" else (RS1, RD)
        yield encode(name, rd=rd, rs1=rs1, rs2=T)

    def _far(self, name: str) -> int:
        """Around the size of a scratchpad and above it, wherever it ends; stores go far away."""
        rng = self.rng
        size = self.setting.scratchpad_bytes
        if rng.random() < 0.7:
            length = size + rng.randint(-size // 2, size - 1)
        else:
            length = size + rng.choice((-4, -1, 0, 1, 4, 5))
        self.about.append(f"{name}, longer than a scratchpad" if length > size else f"{name}, long")
        return length
