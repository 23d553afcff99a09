"""Run a program on a machine: the engine in quanta, and everything around it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gnomon.base.compiled import without_collection
from gnomon.base.errors import GnomonError
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._accounting import counters, cut_at, hart_run, profile, settle, vector_work
from gnomon.sim._calls import CallRecorder
from gnomon.sim._engine import engine
from gnomon.sim._machine import Array, Machine, build_machine
from gnomon.sim._rare import execute_rare
from gnomon.sim._regions import RegionMeter
from gnomon.sim._run import (
    BUS_DTYPE,
    OPERANDS_DTYPE,
    SPAN_DTYPE,
    TRACE_DTYPE,
    WAIT_DTYPE,
    Halted,
    Region,
    Run,
)
from gnomon.sim._unobserved import unobserved_keys
from gnomon.sim._window import WINDOW_REGION, Recording, TraceWindow
from gnomon.sim._work import snapshot, work_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.arch import Architecture
    from gnomon.program import Program

QUANTUM_CYCLES = 20_000_000  # between two looks at Ctrl-C and progress: about 0.1 s

_TRACED_WAITS = [at.K_WAIT_LSU, at.K_WAIT_VCU, at.K_WAIT_OPERAND, at.K_WAIT_FETCH, at.K_TRAP]

_FAULTS = {
    at.FAULT_FETCH: "fetch outside the instruction memory at 0x{address:08X}",
    at.FAULT_LOAD: "load from 0x{address:08X}, where the machine has no memory",
    at.FAULT_STORE: "store to 0x{address:08X}, where the machine has no memory",
    at.FAULT_NO_HANDLER: "trap, and no handler at mtvec = 0x{address:08X} ({cause})",
    at.FAULT_TRAP_LOOP: "the same trap repeats without progress ({cause})",
    at.FAULT_EBREAK: "ebreak: the machine enters debug mode and stops",
    at.FAULT_SPM: (
        "vector access to 0x{address:08X}, where there is no scratchpad; this machine does not "
        "trap on it and its result is undefined"
    ),
    at.FAULT_SPM_ALIGN: (
        "vector address 0x{address:08X} is not a multiple of 4; the machine does not trap on it "
        "and its result is undefined"
    ),
    at.FAULT_NARROW: (
        "vector division or post-scaled product with 8- or 16-bit elements, which has no hardware"
    ),
    at.FAULT_LOST_REQUEST: (
        "misaligned sw to the software-interrupt register at 0x{address:08X}, behind a CSR access "
        "of the same hart: the machine waits for ever for a CSR request that the trap took away"
    ),
    at.FAULT_MVTYPE: "vector instruction with MVTYPE = 3, which is undefined",
}

_WARNINGS = {
    at.WARN_HPM: "the program reads an mhpm counter; they read 0, what they count is not modelled",
    at.WARN_MVTYPE_MIX: (
        "a hart other than 0 multiplies 16- or 32-bit elements while MVTYPE of hart 0 is 8-bit; "
        "the machine returns wrong data there, the simulator the intended ones"
    ),
    at.WARN_PARTIAL_WORD: (
        "a kmemld of less than 4 bytes leaves unpredictable upper bytes in its scratchpad word"
    ),
    at.WARN_BROADCAST_OVERLAP: (
        "a kbcastld started while a vector unit was busy; that timing is not exact"
    ),
    at.WARN_HELD_SUM: (
        "a kvred, kdotp or kdotpps waited for a transfer into the scratchpad of its result; the "
        "machine loses a part of the sum then, and so does the simulator "
        "(vcu.quirks.held_reduction_loses_beats)"
    ),
    at.WARN_BEHIND_VOID: (
        "a vector instruction came at most 7 cycles behind one of another hart that trapped or had "
        "MVSIZE 0; a shared unit may start it early, with wrong operands; the simulator does not"
    ),
    at.WARN_STALE_REQUEST: (
        "a vector instruction that trapped or had MVSIZE 0 found a functional unit of the "
        "multithreaded vector unit busy; the machine keeps its request, and later instructions "
        "wait for it, for ever in the worst case; so they do in the simulator"
    ),
    at.WARN_CARRY: (
        "a vector write waited for a transfer while another hart used the adder of the "
        "multithreaded vector unit; the machine gives the adder the waiting hart's carries there "
        "and may compute wrong sums, the simulator the right ones"
    ),
    at.WARN_SWI_REGISTER: (
        "a sw to a software-interrupt register has bits 4:0 of its offset set; the machine writes "
        "a CSR's value to the register they name, and so does the simulator: put the whole address "
        "in a register (core.quirks.swi_store_writes_register)"
    ),
    at.WARN_SCALAR_BESIDE: (
        "a ksvaddsc or ksvmulsc has its scalar in the scratchpad of its vector; the machine reads "
        "wrong operands then, and so does the simulator (vcu.quirks.scalar_beside_vector)"
    ),
}

_CAUSES = {
    0: "instruction address misaligned",
    2: "illegal instruction",
    3: "breakpoint",
    4: "load address misaligned",
    5: "load bus error",
    6: "store address misaligned",
    7: "store bus error",
    11: "ecall",
    0x100: "MVSIZE does not fit the element width",
    0x101: "operand is not in a scratchpad",
    0x102: "operand runs past the end of its scratchpad",
    0x103: "both sources are in the same scratchpad",
}


@dataclass(slots=True)
class _Collected:
    """What the engine's small buffers held, in order."""

    printed: list[int] = field(default_factory=list)
    traces: list[npt.NDArray[np.void]] = field(default_factory=list)
    extra: list[npt.NDArray[np.uint32]] = field(default_factory=list)
    waits: list[Array] = field(default_factory=list)
    spans: list[Array] = field(default_factory=list)
    bus: list[Array] = field(default_factory=list)
    issues: int = 0
    waited: Array = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))

    def start_trace(self, machine: Machine) -> None:
        """Waits count from here on."""
        self.waited = machine.acct[:, _TRACED_WAITS].copy()

    def _take_trace(self, rows: Array) -> None:
        self.traces.append(_records([rows], TRACE_DTYPE))
        self.extra.append(rows[:, at.T_EXTRA].astype(np.uint32))
        waits = np.zeros((len(rows), len(_TRACED_WAITS)), dtype=np.int64)
        for h in range(len(self.waited)):
            mine = np.flatnonzero(rows[:, at.T_HART] == h)
            if len(mine):
                sums = rows[mine, at.T_WAITS :]
                waits[mine] = np.diff(sums, axis=0, prepend=self.waited[h : h + 1])
                self.waited[h] = sums[-1]
        issue, cause = np.nonzero(waits)
        self.waits.append(np.column_stack([issue + self.issues, cause, waits[issue, cause]]))
        self.issues += len(rows)

    def take(self, machine: Machine) -> None:
        """Empty the buffers."""
        st = machine.st
        self.printed += machine.printed[: st[at.S_PRINTED]].tolist()
        if st[at.S_TRACED]:
            self._take_trace(machine.trace[: st[at.S_TRACED]])
        if st[at.S_SPANS]:
            self.spans.append(machine.spans[: st[at.S_SPANS]].copy())
        if st[at.S_BUS_ROWS]:
            self.bus.append(machine.bus[: st[at.S_BUS_ROWS]].copy())
        st[at.S_PRINTED] = st[at.S_TRACED] = st[at.S_SPANS] = st[at.S_BUS_ROWS] = 0


def simulate(
    program: Program,
    architecture: Architecture,
    *,
    max_cycles: int | None = None,
    regions: Sequence[Region] = (),
    trace: bool = False,
    window: TraceWindow | None = None,
    bus: bool = False,
    calls: bool = False,
    progress: Callable[[int], None] | None = None,
    quantum_cycles: int = QUANTUM_CYCLES,
) -> Run:
    """Run a program to its exit, cycle by cycle exact.

    Args:
        program: what to run.
        architecture: where to run it.
        max_cycles: last cycle to simulate; None = no limit.
        regions: parts to measure.
        trace: record every issue and every busy interval; parked harts are then simulated slot
            by slot.
        window: the part of the run to trace; None = all of it.
        bus: record every request on the data bus too; needs ``trace`` and a T13.
        calls: follow calls, returns and the stack pointer.
        progress: called with the cycle reached, several times per second.
        quantum_cycles: cycles between two looks at Ctrl-C and ``progress``.

    Raises:
        GnomonError: if the program does not fit the machine. What goes wrong during the run is
            in ``Run.halted`` and ``Run.reason``.
    """
    if max_cycles is not None and max_cycles < 1:
        raise GnomonError(f"max_cycles must be at least 1, not {max_cycles}")
    if quantum_cycles < 1:
        raise GnomonError(f"quantum_cycles must be at least 1, not {quantum_cycles}")
    hard_limit = at.NEVER - 1 if max_cycles is None else max_cycles - 1
    if bus and not (trace and architecture.core.model == "t13"):
        raise GnomonError("requests on the data bus are recorded of traced runs of a T13 only")
    memory = architecture.memory.instruction
    caller = CallRecorder(program, int(memory.base), int(memory.size)) if calls else None
    machine = build_machine(
        program,
        architecture,
        tracing=trace,
        hard_limit=hard_limit,
        bus=bus,
        watch=caller.choose if caller is not None else None,
    )
    window = TraceWindow() if window is None else window
    opener = () if window.region is None else (replace(window.region, name=WINDOW_REGION),)
    meter = RegionMeter(machine, [*regions, *opener] if trace else regions)
    recording = Recording(machine, meter, window) if trace else None
    if caller is not None:
        caller.start(machine)
    collected = _Collected()
    arguments = machine.engine_arguments()
    loop = engine(inorder=not machine.cfg[at.C_IS_T13], divides=machine.divides)
    st = machine.st
    stop = at.STOP_QUANTUM
    rewritten = False
    while True:
        reached = int(st[at.S_CYCLE])
        if stop == at.STOP_QUANTUM:
            reached = max(reached, int(st[at.S_QUANTUM_END]) + 1)
            st[at.S_QUANTUM_END] = max(st[at.S_QUANTUM_END], st[at.S_CYCLE]) + quantum_cycles
        was_on = recording is not None and recording.on
        if recording is not None:
            recording.before_engine(reached)
            if recording.on and not was_on:
                collected.start_trace(machine)
        with without_collection():
            stop = loop(*arguments)
        meter.after_engine()
        rows = int(st[at.S_TRACED])
        collected.take(machine)
        if recording is not None:
            recording.after_engine(rows)
        if caller is not None:
            caller.take(machine)
        if progress is not None:
            progress(int(st[at.S_CYCLE]))
        if stop == at.STOP_RARE:
            stop = execute_rare(machine) or at.STOP_BUFFER
        if stop == at.STOP_DECODE:
            machine.decode_stale()
            rewritten = True
        elif stop == at.STOP_MARK:
            meter.at_mark()
            if recording is not None:
                was_on = recording.on
                recording.at_mark()
                if recording.on and not was_on:
                    collected.start_trace(machine)
        elif stop not in (at.STOP_QUANTUM, at.STOP_BUFFER):
            break
    return _finish(
        machine,
        program,
        meter,
        stop,
        collected,
        recording=recording,
        caller=caller,
        rewritten=rewritten,
    )


def _ending(machine: Machine, stop: int) -> tuple[Halted, int]:
    st = machine.st
    if stop == at.STOP_EXIT:
        return "exit", int(st[at.S_EXIT_CYCLE])
    if stop == at.STOP_HARD_LIMIT:
        return "max-cycles", int(machine.cfg[at.C_HARD_LIMIT])
    halted: Halted = "hang" if stop == at.STOP_HANG else "fault"
    return halted, int(st[at.S_CYCLE]) - 1


def _asleep(machine: Machine, h: int) -> bool:
    """In a wfi that no interrupt has ended."""
    waits = machine.hs[h, at.H_PARKED] or machine.hs[h, at.H_STUCK]
    entry = int(machine.decoded[machine.word_index(int(machine.hs[h, at.H_PC]))]) if waits else 0
    return entry & 0xFF == op.WFI and not (int(machine.st[at.S_PENDING]) >> h) & 1


def _reason(machine: Machine, program: Program, halted: Halted) -> str:
    if halted == "exit":
        return ""
    st, hs = machine.st, machine.hs
    h = int(st[at.S_HART])
    while _asleep(machine, h) and not all(_asleep(machine, k) for k in range(machine.harts)):
        h = (h - 1) % machine.harts  # while tracing, sleepers have their slots as well
    pc = int(hs[h, at.H_PC])
    if st[at.S_STOP] == at.STOP_HANG:  # counted by the loop, which has gone on to the next hart
        h = int(st[at.S_LAST_HART])
        pc = (int(machine.cfg[at.C_IBASE]) + 4 * int(st[at.S_LAST_INDEX])) & 0xFFFF_FFFF
    function = program.function_at(pc)
    where = f"hart {h} at pc 0x{pc:08X}" + (f" in {function.name}" if function else "")
    if halted == "max-cycles":
        return f"the cycle limit is reached, {where}"
    if halted == "hang" and max(st[at.S_VCU0 : at.S_VCU0 + at.MAX_HARTS]) >= at.NEVER:
        return f"a vector unit that never finishes blocks every hart, last {where}"
    if halted == "hang":
        return f"no event can ever wake a hart, last {where}"
    cause = int(hs[h, at.H_MCAUSE])
    named = _CAUSES.get(cause, "software interrupt" if cause >> 31 else "unknown")
    text = _FAULTS[int(st[at.S_FAULT])].format(
        address=int(st[at.S_FAULT_ADDRESS]) & 0xFFFF_FFFF,
        cause=f"mcause 0x{cause:X}, {named}, mepc 0x{int(hs[h, at.H_MEPC]):08X}",
    )
    return f"{where}: {text}"


def _finish(
    machine: Machine,
    program: Program,
    meter: RegionMeter,
    stop: int,
    collected: _Collected,
    *,
    recording: Recording | None,
    caller: CallRecorder | None,
    rewritten: bool,
) -> Run:
    halted, last_cycle = _ending(machine, stop)
    if halted in ("exit", "max-cycles"):
        cut_at(machine, last_cycle)
    settle(machine)
    meter.drop(WINDOW_REGION)
    flags = int(machine.st[at.S_WARNINGS])
    warnings = tuple(text for bit, text in _WARNINGS.items() if flags & bit) + meter.still_open()
    data = machine.ram[int(machine.cfg[at.C_DWORD0]) :]
    traced = extra = waited = spanned = operands = bused = None
    windows: tuple[tuple[int, int], ...] = ()
    cut = False
    if recording is not None:
        windows, cut = recording.end(last_cycle + 1), recording.cut
        traced = np.concatenate([np.zeros(0, dtype=TRACE_DTYPE), *collected.traces])
        extra = np.concatenate([np.zeros(0, dtype=np.uint32), *collected.extra])
        waited = _records(collected.waits, WAIT_DTYPE)
        # One issue from before the window stays: it is in execute when the window begins.
        first = windows[0][0] if windows else 0
        early = max(0, int(np.searchsorted(traced["cycle"], first)) - 1)
        traced, extra = traced[early:], extra[early:]
        waited = waited[waited["issue"] >= early]
        waited["issue"] -= early
        spanned = _records(collected.spans, SPAN_DTYPE)
        operands = _records([part[:, 3:] for part in collected.spans], OPERANDS_DTYPE)
    if machine.cfg[at.C_BUS]:
        bused = _records(collected.bus, BUS_DTYPE)
        # A transfer is recorded at its issue, and what is requested after the exit is no part.
        bused = bused[np.argsort(bused["cycle"], kind="stable")]
        bused = bused[bused["cycle"] <= last_cycle]
    return Run(
        arch=machine.architecture.name,
        program=program.name,
        exit_code=int(machine.st[at.S_EXIT_CODE]) if halted == "exit" else None,
        exit_cycle=last_cycle,
        halted=halted,
        reason=_reason(machine, program, halted),
        harts=tuple(hart_run(machine, h) for h in range(machine.harts)),
        regions=meter.result(),
        counters=counters(machine, last_cycle + 1),
        vector_work=vector_work(machine),
        transfer_bus_requests=int(machine.st[at.S_BUS_REQUESTS]),
        printed=tuple(collected.printed),
        memory_crc32={"data": f"{machine.data_crc32():08x}"},
        warnings=warnings,
        unobserved=unobserved_keys(machine, rewritten=rewritten),
        work=work_of(snapshot(machine), last_cycle + 1, machine.harts),
        profile=profile(machine),
        trace=traced,
        extra_cycles=extra,
        waits=waited,
        trace_windows=windows,
        trace_cut=cut,
        calls=None if caller is None else caller.result(machine),
        spans=spanned,
        span_operands=operands,
        bus=bused,
        instruction_memory=machine.ram[: int(machine.cfg[at.C_DWORD0])].tobytes(),
        data_memory=data.tobytes(),
    )


def _records(parts: list[Array], dtype: np.dtype[np.void]) -> npt.NDArray[np.void]:
    records = np.zeros(sum(len(part) for part in parts), dtype=dtype)
    assert dtype.names is not None
    if parts:
        rows = np.concatenate(parts)
        for column, name in enumerate(dtype.names):
            records[name] = rows[:, column]
    return records
