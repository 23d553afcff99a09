"""Random cases, each from one seed: every class of instruction, wrong operands, interrupts.

``WEIGHTS`` gives the frequency of each kind of item. No case has interrupt pins, wait states,
ebreak, 8-bit and wider elements in different harts of a shared vector unit, kbcastld next to vector
units of other harts, transfers of less than a word, or misaligned stores under interrupts.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from gnomon.arch.units import UnitInstruction
from gnomon.isa import CSR_ADDRESS, Instruction, encode, encode_row, list_instructions
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
"""Weights of the kinds of items; a case leaves out the kinds that it cannot have."""

_WIDTHS = 3  # of elements
_UNIT_WEIGHT = 24  # of instructions of units, if the machine has some
_SWI = 0xFF00
_BUS_ERROR = 0xDEAD_0000
_MOST_VECTOR_BYTES = 256  # two vectors and an offset fit into the first SPM_USED_BYTES
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
    units: tuple[Instruction, ...] = (),
    own: tuple[UnitInstruction, ...] = (),
) -> Case:
    """Return the case of a seed for a setting, with 1 to ``setting.harts`` active harts.

    Args:
        seed: seed of all random choices.
        setting: hardware setting of the core.
        extensions: vector instructions that the public T13x lacks, such as ``kdiv``.
        without: vector instructions that the core does not decode.
        known_differences: include items for which model and RTL are known to differ
            (docs/notes/klessydra.md).
        event_counters: include all forms of access to mhpmcounters.
        tame: leave out vector instructions that trap or have length 0.
        morph: generate for the RTL of that name, whose illegal shifts write a register, and whose
            mbadaddr may show any register.
        units: instructions of the machine's units, with words of their opcodes that trap.
        own: vector instructions of the machine's units.
    """
    vectors = tuple(
        row
        for row in list_instructions(("kdsp", *extensions))
        if row.timing_class == "kdsp" and row.mnemonic not in without
    )
    rng = random.Random(f"case {seed}")  # noqa: S311 - tests, not secrets
    active = rng.randint(1, setting.harts)
    interrupts = rng.random() < 0.5
    # Filling scratchpads completely takes 1,000 cycles per KiB.
    whole = setting.simd > 0 and rng.random() < (0.5 if setting.scratchpad_bytes <= 1024 else 0.1)
    # On a shared unit, either all harts use 8-bit elements or none does.
    narrow_or_wide: tuple[tuple[int, ...], ...] = ((0,), (1, 2))
    if extensions:  # their instructions support 32-bit elements only
        narrow_or_wide = ((1, 2),)
    mvtypes = rng.choice(narrow_or_wide) if setting.sharing == "shared" else (0, 1, 2)
    # After a vector instruction without effect, a shared unit starts too early.
    wrong_vectors = known_differences or active == 1 or setting.sharing != "shared"
    bodies = tuple(
        _HartGenerator(
            rng, setting, active == 1, hart, mvtypes, vectors, interrupts,
            wrong_vectors and not tame, whole, event_counters, morph and not known_differences,
            units, own,
        ).body()
        for hart in range(active)
    )  # fmt: skip
    return Case(seed, setting, bodies, every_register=morph, event_counters=event_counters)


def _instructions_of(*classes: str) -> list[Instruction]:
    return [row for row in list_instructions(("I", "M")) if row.timing_class in classes]


_ALU, _MULDIV, _BRANCHES = (
    _instructions_of("alu"),
    _instructions_of("mul", "mulh", "div"),
    _instructions_of("branch"),
)
_LOADS, _STORES = _instructions_of("load"), _instructions_of("store")


@dataclass(slots=True)
class _HartGenerator:
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
    units: tuple[Instruction, ...] = ()
    own: tuple[UnitInstruction, ...] = ()
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
        items = tuple(self._random_item() for _ in range(rng.randint(20, 80)))
        return Body(loops, pcer, mvtype, mvsize, interruptible, items, self.whole)

    def _vector_bytes(self, mvtype: int | None) -> int:
        """Return a vector length in bytes; mostly a multiple of the element width."""
        rng = self.rng
        unit = {0: 1, 1: 2}.get(mvtype if mvtype is not None else 2, 4)
        if rng.random() < 0.3:
            return int(rng.choice((64, 128, 256)))
        return unit * rng.randint(1, _MOST_VECTOR_BYTES // unit)

    def _random_item(self) -> Item:
        never = set() if self.setting.simd else set(_VECTOR_KINDS)
        never |= {"sleep"} if self.interrupts else {"interrupt"}
        weights = {kind: weight for kind, weight in WEIGHTS.items() if kind not in never}
        weights |= {"unit": _UNIT_WEIGHT} if self.units else {}
        kind = self.rng.choices(list(weights), list(weights.values()))[0]
        self.about = []
        words = tuple(getattr(self, f"_{kind}")())
        return Item(kind, words, tuple(self.about))

    def _random_value(self) -> int:
        return self.rng.choice(VALUES)

    def _integer_word(self, row: Instruction) -> int:
        """Return a word of an integer instruction on random data."""
        rng = self.rng
        rd = rng.choice((0, *VALUES))
        if row.format == "R":
            return encode(row.mnemonic, rd=rd, rs1=self._random_value(), rs2=self._random_value())
        if row.format == "U":
            return encode(row.mnemonic, rd=rd, imm=(rng.getrandbits(20) - 2**19) << 12)
        imm = rng.randrange(32) if row.format == "shift" else rng.randint(-2048, 2047)
        return encode(row.mnemonic, rd=rd, rs1=self._random_value(), imm=imm)

    def _alu(self) -> Iterator[int]:
        yield self._integer_word(self.rng.choice(_ALU))

    def _muldiv(self) -> Iterator[int]:
        yield self._integer_word(self.rng.choice(_MULDIV))

    def _unit(self) -> Iterator[int]:
        """Yield an instruction of a unit: some with rd = x0, few with other bits of their word."""
        rng = self.rng
        row = rng.choice(self.units)
        rd = 0 if rng.random() < 0.1 else self._random_value()
        imm = self._random_value() if row.format == "R4" else 0
        imm = rng.randint(-2048, 2047) if row.format == "I" else imm
        second = {} if row.format == "I" else {"rs2": self._random_value()}
        word = encode_row(row, rd=rd, rs1=self._random_value(), imm=imm, **second)
        yield word ^ (1 << rng.randrange(7, 32) if rng.random() < 0.1 else 0)

    def _fence(self) -> Iterator[int]:
        yield encode("fence.i") if self.rng.random() < 0.5 else encode("fence", imm=0xFF)

    def _sleep(self) -> Iterator[int]:
        yield csrwi("mstatus", 0)  # an mret after an exception has set MIE
        yield encode("wfi")  # with MIE 0 it is a nop; else the hart would wait forever

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
            yield encode(row.mnemonic, rs1=base, rs2=self._random_value(), imm=offset)
        else:
            yield encode(row.mnemonic, rd=rng.choice((0, *VALUES)), rs1=base, imm=offset)

    def _amoswap(self) -> Iterator[int]:
        rng = self.rng
        offset = rng.randrange(0, 0x100, 4) + (rng.choice((1, 2, 3)) if rng.random() < 0.1 else 0)
        yield encode("addi", rd=T, rs1=rng.choice((PRIVATE, SHARED)), imm=offset)
        yield encode("amoswap.w", rd=rng.choice((0, *VALUES)), rs1=T, rs2=self._random_value())

    def _branch(self) -> Iterator[int]:
        """Yield a jump or branch over a few instructions of this item."""
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
                yield encode(
                    row.mnemonic, rs1=self._random_value(), rs2=self._random_value(), imm=target
                )
        for _ in range(skipped):
            yield from self._alu()

    def _setting(self) -> Iterator[int]:
        """Yield a change of the vector length, the width, or the shift of the dot product."""
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
        if not self.wrong_vectors:  # the length may be no multiple of the new width
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
        """Yield an access to a CSR in any form; restore the state that later items rely on."""
        rng = self.rng
        vectors = odd.VECTOR_CSRS if self.setting.simd else ()
        counters = 2 * odd.COUNTER_CSRS if self.event_counters else ()
        names = (*odd.FREE_CSRS, *counters, *odd.READ_ONLY_CSRS, *vectors, "mtvec", None, None)
        name = rng.choice(names)
        # Hart 0 of a shared unit would briefly use another class of widths than the other harts.
        if name == "mvtype" and self.shared and not self.alone and self.hart == 0:
            name = None
        if name == "mip" and not self.interrupts:
            name = None  # items of kind sleep rely on no interrupt being pending
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
        """Yield self-modifying code: change own words, change those of a hart, or run them."""
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
            yield csrr(self._random_value(), name)
        else:
            rd = rng.choice((0, self._random_value()))
            yield encode("csrrw", rd=rd, rs1=self._random_value(), csr=CSR_ADDRESS[name])

    def _trap(self) -> Iterator[int]:
        rng = self.rng
        match rng.randrange(4):
            case 0:
                yield encode("ecall")
            case 1:
                yield 0  # illegal
            case 2:
                yield csrw("mhartid", self._random_value())
            case _:
                yield from li(T, _BUS_ERROR + 4 * rng.randrange(16))
                match rng.randrange(3):
                    case 0:
                        yield encode("lw", rd=self._random_value(), rs1=T)
                    case 1:
                        yield encode("sw", rs1=T, rs2=self._random_value())
                    case _:
                        yield encode(
                            "amoswap.w", rd=self._random_value(), rs1=T, rs2=self._random_value()
                        )

    def _interrupt(self) -> Iterator[int]:
        rng = self.rng
        if rng.random() < 0.3:
            self.about.append("interrupt of its own, and wfi")
            yield from odd.own_interrupt(rng)
            return
        index = rng.randrange(self.setting.harts)  # parked harts too
        # The RTL uses bits 4:0 of the offset as destination and writes the value of a CSR there.
        offset = 32 * rng.randrange(-64, 64) + rng.choice((0, *VALUES))
        yield from li(T, _SWI + 4 * index - offset)
        yield encode("addi", rd=U, imm=rng.choice((8, 8, 8, 0, 0xF)))
        yield encode("sw", rs1=T, rs2=U, imm=offset)

    # -- vector instructions and transfers -------------------------------------------------------

    def _place(self, register: int, pad: int) -> Iterator[int]:
        """Yield code that loads a register with an address at which scratchpads are defined."""
        size = self.setting.scratchpad_bytes
        offset = 4 * self.rng.randrange(SPM_USED_BYTES // 8)
        if self.wrong_vectors and self.rng.random() < 0.03:
            offset = size - 4 * self.rng.randint(1, 8)  # most vectors then exceed the scratchpad
        yield from li(register, SPM_BASE + pad * size + offset)

    def _own_vector(self) -> UnitInstruction | None:
        """Return a vector instruction of a unit that has a width of the case; None: another one."""
        if not self.own or self.rng.random() < 0.5:
            return None
        found = self.rng.choice(self.own)
        assert found.vector is not None
        return found if set(found.vector.elements) & {8 << each for each in self.mvtypes} else None

    def _own_width(self, own: UnitInstruction) -> Iterator[int]:
        """Yield a change to a width that the instruction has."""
        assert own.vector is not None
        widths = [each for each in self.mvtypes if 8 << each in own.vector.elements]
        if len(own.vector.elements) < _WIDTHS:
            self.width = self.rng.choice(widths)
            yield csrwi("mvtype", self.width)
            if not self.wrong_vectors:
                yield from self._length()

    def _vector(self) -> Iterator[int]:
        rng = self.rng
        own = self._own_vector()
        row = rng.choice(self.vectors) if own is None else own.row
        first, second = rng.sample(range(layout.SCRATCHPADS), 2)
        if row.rs2 == "spm_scalar":
            if rng.random() < 0.2:  # no trap: vector and scalar share one read port
                second = first
        elif self.wrong_vectors and rng.random() < 0.03:
            second = first
        target = rng.randrange(layout.SCRATCHPADS)
        yield from self._place(RD, target)
        yield from self._place(RS1, first)
        yield from self._place(RS2, second)
        if self.wrong_vectors and rng.random() < 0.03:
            yield encode("addi", rd=rng.choice((RD, RS1)), rs1=PRIVATE)  # not in a scratchpad
        if rng.random() < 0.3:  # directly after a transfer to a scratchpad that it may use
            yield from li(T, rng.choice((4, 16, 64, 256)))
            yield encode("addi", rd=U, rs1=PRIVATE)
            yield encode("kmemld", rd=rng.choice((RD, RS1, RS2)), rs1=U, rs2=T)
        rs1 = self._random_value() if row.rs1 == "register_scalar" else RS1
        rs2 = self._random_value() if row.rs2 in ("register_scalar", "shift_amount") else RS2
        if own is not None:
            yield from self._own_width(own)
            imm = rng.randint(-2048, 2047) if row.format == "I" else self._random_value()
            given = {} if row.format == "I" else {"rs2": rs2}
            word = encode_row(row, rd=RD, rs1=rs1, imm=imm * (row.format != "R"), **given)
        else:
            word = encode(row.mnemonic, rd=RD, rs1=rs1, rs2=rs2)
        if own is None and row.extension != "kdsp":
            self.width = 2
            yield csrwi("mvtype", self.width)
        if own is None and rng.random() < 0.1:
            word ^= rng.randrange(8) << 12  # the decoder ignores funct3
        if self.width is not None:
            self.about.append(f"{row.mnemonic}, {8 << self.width} bits")
        yield word
        for _ in range(rng.choice((0, 0, 0, 1, 2))):  # directly after it: the unit is busy
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
            size = self._long_transfer_bytes(name)
        yield from li(T, size)
        rd, rs1 = (RD, RS1) if name == "kmemstr" else (RS1, RD)
        yield encode(name, rd=rd, rs1=rs1, rs2=T)

    def _long_transfer_bytes(self, name: str) -> int:
        """Return a length in bytes around the size of a scratchpad, for a long transfer."""
        rng = self.rng
        size = self.setting.scratchpad_bytes
        if rng.random() < 0.7:
            length = size + rng.randint(-size // 2, size - 1)
        else:
            length = size + rng.choice((-4, -1, 0, 1, 4, 5))
        self.about.append(f"{name}, longer than a scratchpad" if length > size else f"{name}, long")
        return length
