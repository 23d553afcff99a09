"""A test program of removable items, over which a failing seed is minimized.

Every active hart runs its own body, a counted loop of items. An item is a few independent words:
its branches stay inside it, so any subset of items is also a program. Code before and after the
items is equal in every case. First, registers, scratchpads and counters get defined contents, since
the reset of this core sets none of them. At the end, each hart stores registers, CSRs and
scratchpads in the data memory.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gnomon.isa import CSR_ADDRESS, encode
from gnomon.rtl.bare_metal import (
    DATA_BASE,
    EXIT_ADDRESS,
    RESET_PC,
    SPM_BASE,
    TRAP_PC,
    li,
    write_elf,
)
from gnomon.rtl.lockstep._words import (
    COUNTER_CSRS,
    HANDLER0,
    HANDLER1,
    INTERRUPTS,
    LINK,
    LOOP,
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
    patched_address,
    patched_code,
)
from gnomon.rtl.setting import Setting

SCRATCHPADS = 4

_ZEROED = (RD, RS1, RS2, INTERRUPTS, T, U, LINK)

# Per hart: data, then scratchpads, then registers and CSRs.
PRIVATE_BYTES = 0x4000
DATA_BYTES = 0x800
_SPM_DUMP, _REGISTER_DUMP = 0x1000, 0x3000
SPM_USED_BYTES = 512  # at the start of each scratchpad
SPM_TAIL_BYTES = 64  # and at its end
SHARED_BYTES = 0x400
_START_FLAGS, _END_FLAGS = 0x400, 0x440
_DUMPED_CSRS = (
    "mcycle", "minstret", "mepc", "mcause", "mip", "mvsize", "mvtype", "mpsclfac", "mcycleh",
    "minstreth", "mestatus", "mbadaddr", "pcer", "mtvec", "mstatus",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A few words of a body; ``kind`` names their generator, ``about`` lists rules they meet."""

    kind: str
    words: tuple[int, ...]
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """The loop of one hart.

    ``pcer`` enables its counters; ``interruptible`` sets MIE. With ``whole_scratchpads`` every word
    of a scratchpad gets contents; otherwise only the parts that items use.
    """

    loops: int
    pcer: int
    mvtype: int
    mvsize_bytes: int
    interruptible: bool
    items: tuple[Item, ...]
    whole_scratchpads: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A program and its setting. Equal cases give equal ELF files.

    With ``every_register`` the program first writes all registers, otherwise only those that its
    items use. With ``event_counters`` its harts also store mhpmcounters at the end.
    """

    seed: int
    setting: Setting
    bodies: tuple[Body, ...]
    every_register: bool = False
    event_counters: bool = False

    @property
    def name(self) -> str:
        """Name of the case in reports."""
        return f"seed {self.seed}"

    @property
    def size(self) -> int:
        """Number of items."""
        return sum(len(body.items) for body in self.bodies)

    def with_items(self, hart: int, items: Sequence[Item]) -> Case:
        """Return the case with other items for one hart."""
        return self._changed(hart, items=tuple(items))

    def once(self, hart: int) -> Case:
        """Return the case in which a hart executes its loop once."""
        return self._changed(hart, loops=1)

    def _changed(self, hart: int, **changes: Any) -> Case:
        bodies = list(self.bodies)
        bodies[hart] = replace(bodies[hart], **changes)
        return replace(self, bodies=tuple(bodies))

    def elf(self) -> bytes:
        """Return the program as an ELF file of the program protocol."""
        code = Code(self)
        # The data do not depend on the items, so a minimized case uses equal data.
        rng = random.Random(f"data {self.seed}")  # noqa: S311 - tests, not secrets
        segments = [(RESET_PC, code.data()), (DATA_BASE, rng.randbytes(SHARED_BYTES))]
        segments += [
            (_private(hart), rng.randbytes(DATA_BYTES)) for hart in range(self.setting.harts)
        ]
        return write_elf(segments)


def _private(hart: int) -> int:
    return DATA_BASE + PRIVATE_BYTES * (hart + 1)


class Code:
    """The words of a case, with the addresses of its items and of its trap handler.

    ``items`` has hart, address and item. ``interrupted`` is the part of the handler for interrupts.
    """

    def __init__(self, case: Case) -> None:
        self.words: list[int] = []
        self.items: list[tuple[int, int, Item]] = []
        self._build(case)

    @property
    def here(self) -> int:
        return RESET_PC + 4 * len(self.words)

    def data(self) -> bytes:
        return b"".join(word.to_bytes(4, "little") for word in self.words)

    def put(self, *words: int) -> None:
        self.words += words

    def patch(self, address: int, word: int) -> None:
        self.words[(address - RESET_PC) // 4] = word

    def jump(self, target: int) -> None:
        self.put(encode("jal", imm=target - self.here))

    def _build(self, case: Case) -> None:
        self.put(0)  # to the start
        while self.here < TRAP_PC:
            self.put(encode("addi"))
        self.put(0)  # to the trap handler
        assert self.here == patched_address(0)
        self.put(*patched_code(case.setting.harts))
        self.patch(TRAP_PC, encode("jal", imm=self.here - TRAP_PC))
        self._handler()
        bodies = []
        for hart, body in enumerate(case.bodies):
            bodies.append(self.here)
            self._body(case, hart, body)
        park = self.here
        self.put(*li(T, 8), csrw("mstatus", T))
        spin = self.here
        self.put(encode("wfi"))
        self.jump(spin)
        self.patch(RESET_PC, encode("jal", imm=self.here - RESET_PC))
        named = (*VALUES, *_ZEROED, HANDLER0, HANDLER1, LOOP)
        for register in range(1, 32) if case.every_register else named:
            self.put(encode("addi", rd=register))
        self.put(csrr(T, "mhartid"))
        for hart, start in enumerate(bodies):
            self.put(*li(U, hart), encode("bne", rs1=T, rs2=U, imm=8))
            self.jump(start)
        self.jump(park)

    def _handler(self) -> None:
        """Write the trap handler: it counts interrupts and skips an instruction that raises."""
        self.handler = self.here
        self.put(csrr(HANDLER0, "mcause"))
        self.put(encode("blt", rs1=HANDLER0, imm=20))
        self.put(csrr(HANDLER1, "mepc"), encode("addi", rd=HANDLER1, rs1=HANDLER1, imm=4))
        self.put(csrw("mepc", HANDLER1), encode("mret"))
        self.interrupted = self.here
        self.put(encode("addi", rd=INTERRUPTS, rs1=INTERRUPTS, imm=1), encode("mret"))

    def _body(self, case: Case, hart: int, body: Body) -> None:
        rng = random.Random(f"registers {case.seed} {hart}")  # noqa: S311 - tests, not secrets
        setting = case.setting
        self.put(*li(SHARED, DATA_BASE), *li(PRIVATE, _private(hart)))
        self.put(*li(T, body.pcer), csrw("pcer", T))
        for register in VALUES:
            self.put(*li(register, rng.getrandbits(32)))
        if setting.simd:
            self.put(csrwi("mvtype", body.mvtype), *li(T, body.mvsize_bytes), csrw("mvsize", T))
        self.put(encode("lw", rd=T, rs1=PRIVATE, imm=2))  # misaligned; defines mbadaddr
        for pad in range(SCRATCHPADS if setting.simd else 0):
            base = SPM_BASE + pad * setting.scratchpad_bytes
            tail = base + setting.scratchpad_bytes - SPM_TAIL_BYTES
            parts = [(base, SPM_USED_BYTES), (tail, SPM_TAIL_BYTES)]
            if body.whole_scratchpads:
                parts = [(base, setting.scratchpad_bytes)]
            for address, size in parts:
                self.put(*li(RD, address), *li(RS2, size))
                self.put(encode("addi", rd=RS1, rs1=PRIVATE, imm=4 * rng.randrange(32)))
                self.put(encode("kmemld", rd=RD, rs1=RS1, rs2=RS2))
        self._barrier(case, hart, _START_FLAGS)
        if body.interruptible:
            self.put(encode("csrrsi", rd=1, imm=8, csr=CSR_ADDRESS["mstatus"]))
        self.put(*li(LOOP, body.loops))
        loop = self.here
        for item in body.items:
            self.items.append((hart, self.here, item))
            self.put(*item.words)
        self.put(encode("addi", rd=LOOP, rs1=LOOP, imm=-1), encode("beq", rs1=LOOP, imm=8))
        self.jump(loop)
        self._dump(case, hart)

    def _dump(self, case: Case, hart: int) -> None:
        self.put(csrwi("mstatus", 0), *li(U, _REGISTER_DUMP))
        self.put(encode("add", rd=T, rs1=PRIVATE, rs2=U))
        for register in (*VALUES, INTERRUPTS):
            self.put(encode("sw", rs1=T, rs2=register, imm=4 * register))
        counters = COUNTER_CSRS if case.event_counters else ()
        for slot, name in enumerate((*_DUMPED_CSRS, *counters)):
            self.put(csrr(U, name), encode("sw", rs1=T, rs2=U, imm=0x80 + 4 * slot))
        self.put(*li(RS2, SPM_USED_BYTES), *li(U, _SPM_DUMP))
        self.put(encode("add", rd=RD, rs1=PRIVATE, rs2=U))
        for pad in range(SCRATCHPADS if case.setting.simd else 0):
            self.put(*li(RS1, SPM_BASE + pad * case.setting.scratchpad_bytes))
            self.put(encode("kmemstr", rd=RD, rs1=RS1, rs2=RS2))
            self.put(encode("addi", rd=RD, rs1=RD, imm=SPM_USED_BYTES))
        self._barrier(case, hart, _END_FLAGS)
        if hart == 0:
            rng = random.Random(f"exit {case.seed}")  # noqa: S311 - tests, not secrets
            self.put(*li(T, EXIT_ADDRESS), *li(U, rng.getrandbits(32)))
            self.put(encode("sw", rs1=T, rs2=U))
        self.jump(self.here)

    def _barrier(self, case: Case, hart: int, flags: int) -> None:
        """Write a barrier: wait until every active hart has reached it."""
        own = flags + 4 * hart
        self.put(encode("addi", rd=T, imm=1), encode("sw", rs1=SHARED, rs2=T, imm=own))
        for other in range(len(case.bodies)):
            self.put(encode("lw", rd=T, rs1=SHARED, imm=flags + 4 * other))
            self.put(encode("beq", rs1=T, imm=-4))
