"""Simulation of a program on a machine: the engine in quanta, and all recorders."""

from __future__ import annotations  # the reference shows them as they are written

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.program import Program
from gnomon.sim import _codes as at
from gnomon.sim import _texts
from gnomon.sim._accounting import (
    build_profile,
    collect_counters,
    collect_vector_work,
    cut_at,
    settle,
    summarize_hart,
)
from gnomon.sim._calls import CallTreeRecorder
from gnomon.sim._collected import Collected
from gnomon.sim._devices import describe_devices
from gnomon.sim._effort import chosen_effort
from gnomon.sim._ending import collect_warnings, describe_reason, find_ending
from gnomon.sim._host import Host
from gnomon.sim._hot import SecondTier
from gnomon.sim._machine import Machine
from gnomon.sim._regions import RegionMeter
from gnomon.sim._reset import build_machine, check_cycles, text_bytes_of
from gnomon.sim._run import Region, Run
from gnomon.sim._snapshot import WORK_COUNTS, snapshot, work_of
from gnomon.sim._substituted import warnings_of_words
from gnomon.sim._unobserved import unobserved_keys
from gnomon.sim._window import WINDOW_REGION, Recording, TraceWindow
from gnomon.sim._work import Work
from gnomon.sim.debugged import DebugSession

QUANTUM_CYCLES = 20_000_000  # between two checks of Ctrl-C and progress: below 0.1 s
_FETCHES = ("FETCH", "NO_HANDLER")
_FIRST_CYCLES = 2_000_000  # until the first check, which loads cached translations


def simulate(
    program: Program,
    architecture: Architecture,
    *,
    max_cycles: int | None = None,
    regions: Sequence[Region | str] = (),
    trace: bool = False,
    window: TraceWindow | None = None,
    bus: bool = False,
    calls: bool = False,
    toggles: int | None = None,
    progress: Callable[[int], None] | None = None,
    quantum_cycles: int = QUANTUM_CYCLES,
    debug: Callable[[DebugSession], None] | None = None,
) -> Run:
    """Run a program to its exit, exact to the cycle.

    Args:
        program: the program.
        architecture: the machine.
        max_cycles: last cycle to simulate; None = no limit.
        regions: parts to measure; a name stands for that function.
        trace: record every issue and every busy interval; parked harts are then simulated slot
            by slot.
        window: the part of the run to trace; None = all of it.
        bus: also record every request on the data bus; needs ``trace`` and a T13.
        calls: record calls, returns and the stack pointer.
        toggles: count operand toggles by bus, which gate-level energy tables price: in
            ``Run.work``, in the work of regions, and by instruction in ``Run.profile``. 0: for the
            whole run; N: also the work of windows of N cycles. None: only if the machine's power
            table needs them.
        progress: called with the cycle reached, several times per second.
        quantum_cycles: cycles between two checks of Ctrl-C and ``progress``.
        debug: receives the run and advances it; after its return the run continues to its end. Not
            with ``regions``, ``trace`` or ``calls``, which use the same marks.

    Raises:
        GnomonError: if the program does not fit the machine. Errors during the run are reported in
            ``Run.halted`` and ``Run.reason``.
    """
    check_cycles("quantum_cycles", quantum_cycles)
    if bus and not (trace and architecture.core.model == "t13"):
        raise GnomonError("requests on the data bus are recorded only in traced runs of a T13")
    if toggles is None and architecture.counts_operands:
        toggles = 0
    if toggles is not None and toggles < 0:
        raise GnomonError(f"toggles must be 0, or the cycles of a window, not {toggles}")
    if toggles:
        check_cycles("toggles", toggles)
    if toggles is not None and architecture.core.alignment_bytes == 2:
        raise GnomonError(
            f"{architecture.name}: operand toggles of compressed instructions are not counted"
        )
    if debug is not None and (trace or calls or regions):
        raise GnomonError("a run that is debugged has no regions, no trace and no call paths")
    parts = [
        each if isinstance(each, Region) else Region(each, program.symbol(each).address)
        for each in regions
    ]
    window = TraceWindow() if window is None else window
    opener = () if window.region is None else (replace(window.region, name=WINDOW_REGION),)

    def begin(*, everywhere: bool) -> _Running:
        caller = CallTreeRecorder(program, architecture) if calls else None
        machine = build_machine(
            program,
            architecture,
            tracing=trace,
            max_cycles=max_cycles,
            bus=bus,
            watch=caller.choose if caller is not None else None,
            toggles=toggles is not None,
            everywhere=everywhere,
        )
        meter = RegionMeter(machine, [*parts, *opener] if trace else parts)
        recording = Recording(machine, meter, window) if trace else None
        if caller is not None:
            caller.start(machine)
        return _Running(program, machine, meter, recording, caller, toggles or None)

    running = begin(everywhere=not _are_in_text([*parts, *opener], program, architecture))
    stop = None if debug is None else running.debugged(debug)
    if stop is None:
        stop = running.until_end(progress, quantum_cycles)
    if debug is None and running.left_text:
        running = begin(everywhere=True)
        stop = running.until_end(progress, quantum_cycles)
    return running.result(stop)


def _are_in_text(parts: Sequence[Region], program: Program, architecture: Architecture) -> bool:
    """Return whether all regions are in the part of a common memory that holds code."""
    text_bytes = text_bytes_of(program, architecture)
    if text_bytes is None:
        return True
    base = architecture.memory.instruction.base
    places = [place for each in parts for place in (each.start_address, each.end_address)]
    return all(place is None or base <= place < base + text_bytes for place in places)


class _Running:
    """A run between its reset and its result."""

    def __init__(
        self,
        program: Program,
        machine: Machine,
        meter: RegionMeter,
        recording: Recording | None,
        caller: CallTreeRecorder | None,
        window_cycles: int | None,
    ) -> None:
        self._window_cycles, self._windows = window_cycles, [np.zeros(WORK_COUNTS, dtype=np.int64)]
        self._program, self._machine, self._meter = program, machine, meter
        self._recording, self._caller = recording, caller
        self._collected = Collected(machine)
        self._host = Host(machine, program, self._collected.console)
        self._second_tier = SecondTier(
            machine,
            None if recording is not None or "toggles" in machine.arrays else chosen_effort(),
        )
        self._rewritten = False

    @property
    def left_text(self) -> bool:
        """Whether the run ended at a fetch from the part of a common memory treated as data."""
        machine = self._machine
        cfg, st = machine.cfg, machine.st
        fetched = int(st["fault"]) in [1 + list(_texts.FAULTS).index(each) for each in _FETCHES]
        address, memory = int(st["fault_address"]) & 0xFFFF_FFFF, machine.architecture.memory
        code = memory.instruction
        beyond = code.base + int(cfg["isize"]) <= address < code.base + code.size
        return fetched and beyond and (memory.is_one or bool(memory.regions))

    def until_end(self, progress: Callable[[int], None] | None, quantum_cycles: int) -> int:
        """Run to the end; return the STOP code that ended the run."""
        machine, st = self._machine, self._machine.st
        stop = at.STOP_QUANTUM
        while stop in (
            at.STOP_QUANTUM, at.STOP_BUFFER, at.STOP_DECODE, at.STOP_MARK, at.STOP_HOST,
        ):  # fmt: skip
            reached = int(st["cycle"])
            if stop == at.STOP_QUANTUM:
                quantum_end = int(st["quantum_end"])
                cycles = quantum_cycles if quantum_end else min(quantum_cycles, _FIRST_CYCLES)
                st["quantum_end"] = max(quantum_end, reached) + cycles
                if self._window_cycles is not None:
                    st["quantum_end"] = len(self._windows) * self._window_cycles - 1
                reached = max(reached, quantum_end + 1)
            self._record(partial(Recording.before_engine, reached=reached))
            self._second_tier.before_engine()
            stop = machine.run()
            if stop == at.STOP_QUANTUM and self._window_cycles is not None:
                self._windows.append(snapshot(machine))
            self._meter.after_engine()
            rows = self._collected.take()
            if self._recording is not None:
                self._recording.after_engine(rows)
            if self._caller is not None:
                self._caller.take(machine)
            if progress is not None:
                progress(int(st["cycle"]))
            if stop == at.STOP_DECODE:
                machine.decode_stale()
                self._rewritten = True
            elif stop == at.STOP_HOST:
                stop = self._host.answer()
            elif stop == at.STOP_MARK:
                self._meter.at_mark()
                self._record(Recording.at_mark)
        return stop

    def debugged(self, debug: Callable[[DebugSession], None]) -> int | None:
        """Let ``debug`` advance the run; return the STOP code if the run has ended, else None."""
        machine = self._machine
        self._second_tier = SecondTier(machine, None)

        def advance(cycle: int) -> int:
            machine.st["quantum_end"] = cycle
            while True:
                stop = machine.run()
                self._collected.take()
                if stop == at.STOP_DECODE:
                    machine.decode_stale()
                    self._rewritten = True
                elif stop == at.STOP_HOST:
                    stop = self._host.answer()
                if stop not in (at.STOP_BUFFER, at.STOP_DECODE, at.STOP_HOST):
                    return stop

        target = DebugSession(machine, advance)
        debug(target)
        for index in list(machine.marks):
            machine.unmark(index)
        return target.stop if target.ended else None

    def _record(self, look: Callable[[Recording], None]) -> None:
        if self._recording is None:
            return
        was_on = self._recording.on
        look(self._recording)
        if self._recording.on and not was_on:
            self._collected.start_trace()

    def result(self, stop: int) -> Run:
        machine = self._machine
        halted, last_cycle = find_ending(machine, stop)
        if halted in ("exit", "max-cycles"):
            cut_at(machine, last_cycle)
        settle(machine)
        self._meter.drop(WINDOW_REGION)
        data_memory, end = machine.data_memory(), snapshot(machine)
        further = {name: machine.region(name) for name in machine.architecture.memory.regions}
        return Run(
            arch=machine.architecture.name,
            program=self._program.name,
            exit_code=int(machine.st["exit_code"]) if halted == "exit" else None,
            exit_cycle=last_cycle,
            halted=halted,
            reason=describe_reason(machine, self._program, halted),
            harts=tuple(summarize_hart(machine, h) for h in range(machine.harts)),
            regions=self._meter.result(),
            region_totals=self._meter.totals(),
            counters=collect_counters(machine, last_cycle + 1),
            vector_work=collect_vector_work(machine),
            transfer_bus_requests=int(machine.st["bus_requests"]),
            printed=tuple(self._collected.printed),
            console=self._collected.console.decode("utf-8", "replace"),
            memory_crc32={
                "data": f"{zlib.crc32(data_memory):08x}",
                **{name: f"{zlib.crc32(held):08x}" for name, held in further.items()},
            },
            warnings=(
                *collect_warnings(machine),
                *warnings_of_words(machine, self._program),
                *self._meter.still_open(),
            ),
            unobserved=unobserved_keys(machine, rewritten=self._rewritten),
            architecture=machine.architecture,
            work=work_of(end, last_cycle + 1, machine),
            toggle_windows=self._by_window(end, last_cycle + 1),
            profile=build_profile(machine),
            calls=None if self._caller is None else self._caller.result(machine),
            instruction_memory=machine.instruction_memory(),
            data_memory=data_memory,
            region_memory=further,
            devices=describe_devices(machine),
            **self._recorded(last_cycle),
        )

    def _by_window(self, end: npt.NDArray[np.int64], cycles: int) -> tuple[Work, ...]:
        each = self._window_cycles
        if each is None:
            return ()
        spans = np.diff([*self._windows, end], axis=0)
        lengths = (min(each, cycles - each * k) for k in range(len(spans)))
        return tuple(
            work_of(span, length, self._machine)
            for span, length in zip(spans, lengths, strict=True)
            if length > 0
        )

    def _recorded(self, last_cycle: int) -> dict[str, Any]:
        recording, collected = self._recording, self._collected
        if recording is None:
            return {}
        windows = recording.end(last_cycle + 1)
        fields = collected.traced(windows[0][0] if windows else 0)
        fields |= {"trace_windows": windows, "trace_cut": recording.cut}
        if self._machine.cfg["bus"]:
            fields["bus"] = collected.bus(last_cycle)
        return fields
