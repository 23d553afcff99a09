"""A machine with a program in it: the arrays that the engine works on."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import DIVIDER_CYCLES
from gnomon.arch.dividers import TABLE_ENTRIES, divider, table_lookup
from gnomon.base.errors import GnomonError
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._inorder import fetch_cycles
from gnomon.sim._tables import CLASS_OF, pack

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.arch import Architecture
    from gnomon.program import Program

_SHARING = {"shared": 0, "replicated": 1, "multithreaded": 2}
_BYTE_ENABLES_WORD = 15
_TRACE_ROWS = 1 << 14
_CALL_ROWS = 1 << 12
_FIRST_ISSUE_CYCLE_T13 = 2  # request in cycle 0, decode in 1, execute in 2
_RESET_MTVEC_T13 = 0x94

Array = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Machine:
    """All state of one run. The arrays are written by the engine."""

    architecture: Architecture
    cfg: Array
    st: Array
    hs: Array
    acct: Array
    dyn: Array
    prof: Array
    vstat: Array
    laws: Array
    table: Array
    decoded: Array
    regs: Array
    ram: npt.NDArray[np.int32]
    spm: npt.NDArray[np.int32]
    temp: npt.NDArray[np.int32]
    printed: Array
    spans: Array
    trace: Array
    bus: Array
    calls: Array
    text: list[int]  # first and one past last instruction word that can have been executed
    marks: set[int] = field(default_factory=set)  # word indices with a mark over them
    watch: Callable[[Array, Array], npt.NDArray[np.bool_]] | None = None
    watched: set[int] = field(default_factory=set)  # word indices whose issues are recorded

    @property
    def harts(self) -> int:
        """Number of harts in the rotation."""
        return int(self.cfg[at.C_HARTS])

    def engine_arguments(self) -> tuple[Any, ...]:
        """The arrays in the order in which the loop takes them."""
        return (
            self.cfg, self.st, self.hs, self.acct, self.dyn.reshape(-1), self.prof.reshape(-1),
            self.vstat, self.laws, self.table,
            self.decoded, self.regs, self.ram, self.ram.view(np.int16), self.ram.view(np.int8),
            self.spm, self.temp, self.printed, self.spans, self.trace, self.bus, self.calls,
        )  # fmt: skip

    @property
    def divides(self) -> bool:
        """Has vector division, post-scaled products or a divider that depends on operands."""
        vcu = self.architecture.vcu
        return bool(self.cfg[at.C_DIV_VARIABLE]) or (vcu is not None and bool(vcu.extensions))

    def word_index(self, pc: int) -> int:
        """Index of the instruction word at an address inside the instruction memory."""
        return ((pc - int(self.cfg[at.C_IBASE])) & 0xFFFF_FFFF) >> 2

    def mark(self, index: int) -> None:
        """Make the loop stop before the instruction word ``index``."""
        self.marks.add(index)
        self._show(index)

    def unmark(self, index: int) -> None:
        """Take a mark away again."""
        self.marks.discard(index)
        self._show(index)

    def _show(self, index: int) -> None:
        """Put into the table what the loop is to see at ``index``."""
        if self.table[index] & 0xFF == op.STALE:
            return  # decoding it does so
        watched = index in self.watched
        if index in self.marks:
            self.table[index] = op.WATCHED_MARKED if watched else op.MARKED
        else:
            self.table[index] = op.WATCHED if watched else self.decoded[index]

    def watch_words(self, indices: Array) -> None:
        """Record the issues of those of the words that ``watch`` chooses."""
        if self.watch is None:
            return
        chosen = self.watch(indices, self.decoded)
        self.watched.difference_update(indices.tolist())
        self.watched.update(indices[chosen].tolist())
        for index in indices.tolist():
            self._show(index)

    def current_entry(self, index: int) -> int:
        """What is at ``index`` now, as the loop would fetch it, marks aside."""
        if self.table[index] & 0xFF == op.STALE:
            self.decode_stale()
        return int(self.decoded[index])

    def extend_text(self, first: int, end: int) -> None:
        """Account for the instruction words ``first`` up to ``end`` as well."""
        self.text[0] = min(self.text[0], first)
        self.text[1] = max(self.text[1], end)

    def decode_stale(self) -> None:
        """Decode again the words that were written since the last time."""
        stale = np.flatnonzero((self.table & 0xFF) == op.STALE)
        fresh = pack(self.ram[stale].view(np.uint32), self.architecture)
        for index, entry in zip(stale.tolist(), fresh.tolist(), strict=True):
            self._move_counts(index, entry)
            self.decoded[index] = self.table[index] = entry
            self._show(index)
        if stale.size:
            self.watch_words(stale)
            self.extend_text(int(stale[0]), int(stale[-1]) + 1)

    def _move_counts(self, index: int, entry: int) -> None:
        """Issues so far keep the class they had, although the word at this pc is another now."""
        old = int(self.decoded[index])
        for h in range(self.harts):
            issues = int(self.prof[index, h])
            for packed, sign in ((old, 1), (entry, -1)):
                kind = int(CLASS_OF[packed & 0xFF])
                extra = (packed >> 24) & 0xFF
                fetch = fetch_cycles(self.cfg, packed & 0xFF)
                self.acct[h, at.K_ISSUE + kind] += sign * issues
                self.acct[h, at.K_EXTRA + kind] += sign * issues * (extra - fetch)
                self.acct[h, at.K_WAIT_FETCH] += sign * issues * fetch
                self.dyn[at.D_EXECUTE, index, h] += sign * issues * (extra - fetch)
                self.dyn[at.D_WAIT_FETCH, index, h] += sign * issues * fetch

    def data_crc32(self) -> int:
        """CRC-32 of the data memory as it is now."""
        return zlib.crc32(self.ram[int(self.cfg[at.C_DWORD0]) :].tobytes())


def _configuration(architecture: Architecture, entry: int, *, tracing: bool) -> Array:
    cfg = np.zeros(at.C_COUNT, dtype=np.int64)
    core, memory, vcu = architecture.core, architecture.memory, architecture.vcu
    cfg[at.C_HARTS] = core.harts
    cfg[at.C_IS_T13] = core.model == "t13"
    # Without a vector unit nothing else works beside an in-order core.
    cfg[at.C_SERIAL] = not core.superscalar and (core.model == "t13" or vcu is not None)
    cfg[at.C_COUNT_ALL] = core.count_all
    cfg[at.C_IBASE] = memory.instruction.base
    cfg[at.C_ISIZE] = memory.instruction.size
    cfg[at.C_DBASE] = memory.data.base
    cfg[at.C_DSIZE] = memory.data.size
    cfg[at.C_DWORD0] = memory.instruction.size // 4
    cfg[at.C_PROTOCOL] = memory.unmapped == "protocol"
    cfg[at.C_RESET_PC] = entry if core.reset_pc == "entry" else core.reset_pc
    cfg[at.C_TRACING] = tracing
    cfg[at.C_SPLIT] = core.misaligned == "split"
    if core.latency is not None:
        latency = core.latency
        cfg[at.C_BRANCH_TAKEN] = latency.branch_taken
        cfg[at.C_LOAD_USE], cfg[at.C_MUL_USE] = latency.load_use, latency.mul_use
        cfg[at.C_MUL_PER_BIT] = latency.mul_per_bit
        if latency.div is not None and latency.div_by_zero is not None:
            cfg[at.C_DIV_ZERO] = latency.div_by_zero - latency.div
        cfg[at.C_MISALIGNED] = latency.misaligned or 0
        cfg[at.C_FETCH], cfg[at.C_REDIRECT] = latency.fetch, latency.fetch_redirect
    for bit, name in enumerate(at.CORE_QUIRKS):
        cfg[at.C_CORE_QUIRKS] |= int(getattr(core.quirks, name)) << bit
    if vcu is not None:
        cfg[at.C_HAS_VCU] = 1
        cfg[at.C_SIMD] = vcu.simd
        cfg[at.C_SHARING] = _SHARING[vcu.sharing]
        cfg[at.C_SPM_COUNT] = vcu.scratchpads.count
        cfg[at.C_SPM_SIZE] = vcu.scratchpads.size
        cfg[at.C_SPM_SHIFT] = int(vcu.scratchpads.size).bit_length() - 1
        cfg[at.C_SPM_BASE] = vcu.scratchpads.base
        for bit, name in enumerate(at.VCU_QUIRKS):
            cfg[at.C_VCU_QUIRKS] |= int(getattr(vcu.quirks, name)) << bit
        for bit, name in enumerate(at.MORPH_QUIRKS):
            cfg[at.C_MORPH_QUIRKS] |= int(getattr(vcu.morph_quirks, name)) << bit
        cfg[at.C_POSTSCALE] = -1 if vcu.postscale_shift == "mpsclfac" else vcu.postscale_shift
        cfg[at.C_DIVIDE_ZERO_RISCV] = vcu.divide_by_zero == "riscv"
        if vcu.divider is not None:
            lane = divider(vcu.divider)
            cfg[at.C_VDIV_LAW] = lane.law_number
            cfg[at.C_VDIV_FIRST], cfg[at.C_VDIV_SECOND] = lane.first, lane.second
    if core.divider is not None:
        scalar = divider(core.divider)
        cfg[at.C_DIV_VARIABLE] = core.divider not in DIVIDER_CYCLES
        cfg[at.C_DIV_LAW] = scalar.law_number
        cfg[at.C_DIV_FIRST], cfg[at.C_DIV_SECOND] = scalar.first, scalar.second
    return cfg


def _latency_tables(architecture: Architecture) -> Array:
    """Tables of a user's own dividers: row 0 of the scalar core, row 1 of the vector unit."""
    laws = np.zeros((2, TABLE_ENTRIES["both"]), dtype=np.int64)
    for row, unit in enumerate((architecture.core, architecture.vcu)):
        table = None if unit is None else unit.divider_table
        if table is not None:
            laws[row] = table_lookup(table.by, table.cycles)
    return laws


def machine_arrays(architecture: Architecture) -> tuple[Array, Array]:
    """What the engine knows of a machine: its configuration, and its own latency tables."""
    return _configuration(architecture, 0, tracing=False), _latency_tables(architecture)


def _load(ram: npt.NDArray[np.int32], cfg: Array, program: Program) -> tuple[int, int]:
    """Copy the program into memory; returns the range of instruction words it fills."""
    memory = ram.view(np.uint8)
    places = (
        (int(cfg[at.C_IBASE]), int(cfg[at.C_ISIZE]), 0),
        (int(cfg[at.C_DBASE]), int(cfg[at.C_DSIZE]), int(cfg[at.C_ISIZE])),
    )
    first, last = int(cfg[at.C_ISIZE]) // 4, 0
    for segment in program.segments:
        for base, size, start in places:
            offset = segment.address - base
            if offset >= 0 and offset + segment.size_bytes <= size:
                memory[start + offset : start + offset + len(segment.data)] = np.frombuffer(
                    segment.data, dtype=np.uint8
                )
                if start == 0 and segment.size_bytes:
                    first = min(first, offset // 4)
                    last = max(last, (offset + segment.size_bytes + 3) // 4)
                break
        else:
            end = segment.address + segment.size_bytes
            memories = ", ".join(
                f"0x{base:08X}..0x{base + size - 1:08X}" for base, size, _ in places
            )
            raise GnomonError(
                f"{program.name}: segment 0x{segment.address:08X}..0x{end - 1:08X} is outside the "
                f"memories of the machine ({memories})"
            )
    return min(first, last), last


def build_machine(
    program: Program,
    architecture: Architecture,
    *,
    tracing: bool,
    hard_limit: int,
    bus: bool = False,
    watch: Callable[[Array, Array], npt.NDArray[np.bool_]] | None = None,
) -> Machine:
    """Reset a machine and load a program into it.

    Raises:
        GnomonError: if a segment of the program is outside the memories, or its entry is not
            aligned.
    """
    if architecture.core.reset_pc == "entry" and program.entry % 4:
        raise GnomonError(
            f"{program.name}: its entry 0x{program.entry:08X} is not a multiple of 4, where an "
            "instruction must be"
        )
    cfg = _configuration(architecture, program.entry, tracing=tracing)
    cfg[at.C_HARD_LIMIT] = hard_limit
    cfg[at.C_BUS] = bus
    cfg[at.C_CALLS] = watch is not None
    harts = int(cfg[at.C_HARTS])
    text_words = int(cfg[at.C_DWORD0])
    ram = np.zeros(text_words + int(cfg[at.C_DSIZE]) // 4, dtype=np.int32)
    first, last = _load(ram, cfg, program)
    empty = pack(np.zeros(1, dtype=np.uint32), architecture)[0]
    decoded = np.full(text_words, empty, dtype=np.int64)
    decoded[first:last] = pack(ram[first:last].view(np.uint32), architecture)

    t13 = bool(cfg[at.C_IS_T13])
    st = np.zeros(at.S_COUNT, dtype=np.int64)
    st[at.S_CYCLE] = _FIRST_ISSUE_CYCLE_T13 if t13 else 0
    st[at.S_HART] = harts - 1
    st[at.S_LSU_LAST] = st[at.S_XFER_LAST] = -(1 << 40)
    st[at.S_VCU0 : at.S_VCU0 + at.MAX_HARTS] = -(1 << 40)
    st[at.S_EXIT_CYCLE] = st[at.S_TRAP_END] = -1
    st[at.S_VOID_CYCLE] = -(1 << 40)
    st[at.S_XFER_SPM] = -1
    st[at.S_AMO_ENABLES] = _BYTE_ENABLES_WORD
    st[at.S_MULTI] = harts > 1
    hs = np.zeros((at.MAX_HARTS, at.H_COUNT), dtype=np.int64)
    for h in range(harts):
        hs[h, at.H_PC] = cfg[at.C_RESET_PC]
        hs[h, at.H_NEXT] = (h - 1) % harts
        hs[h, at.H_MTVEC] = _RESET_MTVEC_T13 if t13 else 0
        hs[h, at.H_MVTYPE] = 2
        hs[h, at.H_INS_VALUE] = -1  # minstret is stored one higher than it reads
        if not t13:
            # An ISA-clean core counts from reset, without an enable register.
            hs[h, at.H_PCER] = 3
            hs[h, at.H_INS_BASE] = 1
    pads = int(cfg[at.C_SPM_COUNT]) * (1 if cfg[at.C_SHARING] == 0 else harts)
    pad_words = int(cfg[at.C_SPM_SIZE]) // 4
    event_rows = 4096 + pad_words
    return Machine(
        architecture=architecture,
        cfg=cfg,
        st=st,
        hs=hs,
        acct=np.zeros((at.MAX_HARTS, at.K_COUNT), dtype=np.int64),
        dyn=np.zeros((at.D_COUNT, text_words, at.MAX_HARTS), dtype=np.int64),
        prof=np.zeros((text_words, at.MAX_HARTS), dtype=np.int64),
        vstat=np.zeros((at.MAX_HARTS, len(INSTRUCTIONS), at.V_COUNT), dtype=np.int64),
        laws=_latency_tables(architecture),
        table=decoded.copy(),
        decoded=decoded,
        regs=np.zeros(at.MAX_HARTS * at.REGISTER_STRIDE, dtype=np.int64),
        ram=ram,
        spm=np.zeros(max(pads * pad_words, 1), dtype=np.int32),
        temp=np.zeros(2 * pad_words + 64, dtype=np.int32),
        printed=np.zeros(2 * event_rows, dtype=np.int64),
        spans=np.zeros((_TRACE_ROWS if tracing else 8, at.SPAN_COUNT), dtype=np.int64),
        trace=np.zeros((_TRACE_ROWS if tracing else 1, at.T_COUNT), dtype=np.int64),
        bus=np.zeros((_TRACE_ROWS + pad_words if bus else 1, at.B_COUNT), dtype=np.int64),
        calls=np.zeros((_CALL_ROWS if watch is not None else 1, at.R_COUNT), dtype=np.int64),
        text=[first, last],
        watch=watch,
    )


def static_fetch_cycles(
    words: npt.NDArray[np.uint32], architecture: Architecture
) -> npt.NDArray[np.int64]:
    """Cycles that each instruction word waits for the next one, taken branches aside."""
    cfg, _ = machine_arrays(architecture)
    entries = pack(words, architecture)
    return np.asarray(fetch_cycles(cfg, entries & 0xFF), dtype=np.int64)
