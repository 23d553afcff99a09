"""Contract checks of user-defined devices: determinism, what they announce, equal runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.devices import DeviceCode
from gnomon.arch.devices.load import load_device, read_device
from gnomon.base.errors import Check, CheckFailed, GnomonError, expect
from gnomon.program import build
from gnomon.sim import DeviceProbe, Run, simulate, translated_blocks

_CLOCK_HZ: Final = 100_000_000
_SCRIPTS: Final = 4
_ACCESSES: Final = 300
_MOST_GAP: Final = 3000
_LOOKS: Final = 8  # at the level between two accesses
_NEVER: Final = (1 << 64) - 1
_WHOLE: Final = 20_000_000
_MOST_CYCLES: Final = 4_000_000
_BASE: Final = 0x3000_0000
_MACHINE: Final = """\
extends: rv32im
name: device-check
title: A core with the device
source: made for this check
core:
  interrupts: {{entry: 4}}
devices:
  timer: {{kind: clint, base: 0x02000000, every: 1}}
  it:
    {{kind: {kind}, base: 0x{base:X}, waits: {waits}, interrupt: {interrupt},
     parameters: {{{parameters}}}}}
"""
_PROGRAM: Final = """\
#include "gnomon.h"
#include <stdint.h>
#define CLINT ((volatile uint32_t *)0x02000000)
#define BASE 0x{base:X}u
static volatile uint32_t taken;
__attribute__((interrupt("machine"), aligned(4))) static void on_interrupt(void) {{
    uint32_t cause;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    taken = taken * 31u + cause;
    __asm__ volatile("csrc mie, %0" ::"r"(cause == 0x80000007u ? 0x80 : 0x800));
}}
static const uint32_t script[][4] = {{ {script} }};
int main(int hart) {{
    uint32_t seen = (uint32_t)hart;
    __asm__ volatile("csrw mtvec, %0" ::"r"(on_interrupt));
    CLINT[0x4004 / 4] = 0;
    __asm__ volatile("csrs mstatus, %0" ::"r"(8));
    for (unsigned k = 0; k < sizeof script / sizeof *script; k++) {{
        const uint32_t kind = script[k][0], address = BASE + script[k][1], value = script[k][2];
        switch (kind) {{
        case 0: seen = seen * 31u + *(volatile uint32_t *)address; break;
        case 1: seen = seen * 31u + *(volatile uint16_t *)address; break;
        case 2: seen = seen * 31u + *(volatile uint8_t *)address; break;
        case 3: *(volatile uint32_t *)address = value; break;
        case 4: *(volatile uint16_t *)address = (uint16_t)value; break;
        case 5: *(volatile uint8_t *)address = (uint8_t)value; break;
        }}
        for (uint32_t n = script[k][3]; n; n--) seen = seen * 1664525u + 1013904223u;
        if (value & 0x100u) {{
            CLINT[0x4000 / 4] = CLINT[0xBFF8 / 4] + script[k][3];
            __asm__ volatile("csrs mie, %0\\n wfi" ::"r"(0x880));
        }}
        seen = seen * 31u + taken;
    }}
    return (int)seen;
}}
"""


def list_device_checks(name: str) -> Iterator[Check]:
    """Yield the checks of a device: with its defaults, and at each end of each parameter's range.

    Raises:
        GnomonError: if the device does not exist.
    """
    yield Check(name, "files", partial(_check_files, name))
    try:
        file = read_device(name)
    except GnomonError:
        return  # the first check reports it
    points: list[dict[str, int]] = [{}]
    points += [{each: end} for each, keys in file.parameters.items() for end in keys.range]
    for point in points:
        of = " ".join([name, *(f"{key}={value}" for key, value in point.items())])
        code = load_device(name, point)
        scripts = 1 if point or code.master else _SCRIPTS
        yield Check(
            of, "answers by accesses and cycles alone", partial(_check_answers, code, scripts)
        )
        if code.interrupt or code.master:
            yield Check(
                of, "next announces each change of the level", partial(_check_next, code, scripts)
            )
    why = "" if not load_device(name, {}).master else "its accesses need a program of its own"
    yield Check(name, "equal runs: tiers, quanta, traces", partial(_check_runs, name), why)


def _check_files(name: str) -> None:
    DeviceProbe(load_device(name, {}), _CLOCK_HZ)


Access = tuple[int, int, int, int, int]
"""Kind (0: read, 1: write), offset, value, lanes, cycle."""


def _make_script(code: DeviceCode, seed: int) -> list[Access]:
    """Return random accesses in order of their cycles."""
    rng = np.random.default_rng(seed)
    found, cycle = [], int(rng.integers(1, 100))
    words = min(code.size_bytes // 4, 16)
    for _ in range(_ACCESSES):
        cycle += int(rng.integers(1, 20 if rng.random() < 0.7 else _MOST_GAP))
        lanes = 15 if code.whole_words else int(rng.choice([15, 3, 12, 1, 2, 4, 8]))
        value = int(rng.integers(0, 1 << int(rng.choice([1, 4, 8, 32]))))
        found.append(
            (int(rng.integers(0, 2)), 4 * int(rng.integers(0, words)), value, lanes, cycle)
        )
    return found


def _play(code: DeviceCode, script: list[Access], *, looks: bool) -> list[int]:
    """Return all answers of a new device; ``looks``: also ask for its level between accesses."""
    probe, answers, due = DeviceProbe(code, _CLOCK_HZ), list[int](), _NEVER
    rng = np.random.default_rng(7)
    if code.master:
        due = probe.call("next", 0)
    ends = [each[4] for each in script[1:]] + [_NEVER]
    for (kind, offset, value, lanes, cycle), end in zip(script, ends, strict=True):
        while due <= cycle:
            probe.call("step", due)
            due = _next_after(probe, due)
        if looks and code.interrupt:
            answers.append(probe.call("level", cycle))
        if kind:
            probe.call("write", offset, value, lanes, cycle)
        else:
            answers.append(probe.call("read", offset, lanes, cycle))
        if code.master:
            due = _next_after(probe, cycle)
        for ahead in sorted(rng.integers(1, 4, 3).tolist()) if looks and code.interrupt else ():
            if cycle + ahead < min(due, end):
                probe.call("level", cycle + ahead)
                probe.call("next", cycle + ahead)
        probe.check_state()
    return [*answers, len(probe.done), hash(tuple(probe.done))]


def _next_after(probe: DeviceProbe, cycle: int) -> int:
    found = probe.call("next", cycle)
    expect(found > cycle, f"next({cycle}) answers {found}, which is not after {cycle}")
    return found


def _check_answers(code: DeviceCode, scripts: int) -> str:
    for seed in range(scripts):
        script = _make_script(code, seed)
        first, again = (_play(code, script, looks=False) for _ in range(2))
        expect(first == again, f"{code.file}: the same accesses have other answers in a second run:"
               " its answers depend on something besides accesses and cycles")  # fmt: skip
        if code.interrupt:
            seen, also = (_play(code, script, looks=True) for _ in range(2))
            expect(seen == also, f"{code.file}: level differs in a second run of the same accesses")
    if code.interrupt and not code.master:  # a master steps in between: equal runs are its check
        _check_pure(code, scripts)
    return f"{scripts * _ACCESSES} accesses"


def _check_pure(code: DeviceCode, scripts: int) -> None:
    """Check that ``level`` and ``next`` change nothing, up to the cycle that they are asked for."""
    for seed in range(scripts):
        script = _make_script(code, seed)
        plain, asked = DeviceProbe(code, _CLOCK_HZ), DeviceProbe(code, _CLOCK_HZ)
        for kind, offset, value, lanes, cycle in script:
            for _ in range(1 + cycle % 3):
                asked.call("level", cycle)
                asked.call("next", cycle)
            if kind:
                for each in (plain, asked):
                    each.call("write", offset, value, lanes, cycle)
                continue
            one, other = (each.call("read", offset, lanes, cycle) for each in (plain, asked))
            expect(one == other, f"{code.file}: level or next changes what a read at offset"
                   f" {offset} in cycle {cycle} returns ({one} becomes {other})")  # fmt: skip


def _check_next(code: DeviceCode, scripts: int) -> str:
    changes = 0
    for seed in range(scripts):
        script = _make_script(code, 100 + seed)
        probe, due = DeviceProbe(code, _CLOCK_HZ), _NEVER
        ends = [each[4] for each in script[1:]] + [script[-1][4] + _MOST_GAP]
        for (kind, offset, value, lanes, cycle), end in zip(script, ends, strict=True):
            while code.master and due <= cycle:
                probe.call("step", due)
                due = _next_after(probe, due)
            if kind:
                probe.call("write", offset, value, lanes, cycle)
            else:
                probe.call("read", offset, lanes, cycle)
            due = _next_after(probe, cycle)
            if code.interrupt:
                changes += _follow_level(probe, cycle + 1, end)
    return f"{changes} changes of the level"


def _follow_level(probe: DeviceProbe, cycle: int, end: int) -> int:
    """Compare the level with what ``next`` announces; return the number of changes."""
    changes = 0
    for _ in range(_LOOKS):
        if cycle >= end:
            break
        level, due = probe.call("level", cycle), _next_after(probe, cycle)
        until = min(due, end)
        for each in sorted({cycle + 1, (cycle + until) // 2, until - 1}):
            if not cycle < each < until:
                continue
            now = probe.call("level", each)
            expect(now == level, f"the level is {level} in cycle {cycle} and {now} in cycle {each}"
                   f" without an access, and next({cycle}) is {_shown(due)}")  # fmt: skip
        if due >= end:
            break
        changes += probe.call("level", due) != level
        cycle = due
    return changes


def _shown(cycle: int) -> str:
    return "never" if cycle == _NEVER else str(cycle)


def _check_runs(name: str) -> str:
    file = read_device(name)
    code = load_device(name, {})
    points: list[dict[str, int]] = [{}]
    points += [{each: keys.range[0]} for each, keys in file.parameters.items()]
    cycles = 0
    with TemporaryDirectory(prefix="gnomon-") as folder:
        for number, point in enumerate(points):
            machine = _write_machine(Path(folder), code, point, waits=number % 4)
            runs = _run_all(Path(folder), machine, code, number)
            first, *others = runs
            for how, run in others:
                expect(_outcome(run) == _outcome(first[1]),
                       f"{how} differs from {first[0]}: {_difference(first[1], run)}")  # fmt: skip
            cycles += first[1].wall_cycles
    return f"{cycles:,} cycles, {len(runs)} ways"


def _write_machine(
    folder: Path, code: DeviceCode, point: dict[str, int], waits: int
) -> Architecture:
    path = folder / "machine.yaml"
    path.write_text(_MACHINE.format(
        kind=code.name, base=_BASE, waits=waits or "none",
        interrupt="external" if code.interrupt else "none",
        parameters=", ".join(f"{key}: {value}" for key, value in point.items()),
    ), encoding="utf-8")  # fmt: skip
    return load_architecture(path)


def _run_all(
    folder: Path, machine: Architecture, code: DeviceCode, seed: int
) -> list[tuple[str, Run]]:
    rng = np.random.default_rng([11, seed])
    rows = []
    for _ in range(120):
        kind = int(rng.choice([0, 3] if code.whole_words else [0, 0, 1, 2, 3, 3, 4, 5]))
        step = (4, 2, 1)[kind % 3]
        offset = step * int(rng.integers(0, min(code.size_bytes, 64) // step))
        value = int(rng.integers(0, 1 << int(rng.choice([1, 4, 9, 32]))))
        rows.append(f"{{{kind}, {offset}, {value}u, {int(rng.integers(1, 60))}}}")
    source = folder / "check.c"
    source.write_text(_PROGRAM.format(base=_BASE, script=", ".join(rows)), encoding="utf-8")
    program = build([source], machine)
    found = []
    for blocks, quantum in (("off", _WHOLE), ("force", _WHOLE), ("off", 97), ("force", 997)):
        with translated_blocks(blocks):
            run = simulate(program, machine, max_cycles=_MOST_CYCLES, quantum_cycles=quantum)
        found.append((f"blocks {blocks}, quanta of {quantum} cycles", run))
    return [*found, ("a trace", simulate(program, machine, max_cycles=_MOST_CYCLES, trace=True))]


def _outcome(run: Run) -> object:
    return run.to_json(), run.profile.cycles.tolist()


def _difference(one: Run, other: Run) -> str:
    """Return the first field in which two runs differ."""
    here, there = one.to_json(), other.to_json()
    for name, value in here.items():
        if there[name] != value:
            return f"{name}: {there[name]} instead of {value}"
    return "the cycles of some instruction"


def check_device(name: str) -> None:
    """Run all checks of a device.

    Raises:
        CheckFailed: if one fails.
    """
    for each in list_device_checks(name):
        if not each.waived:
            try:
                each.run()
            except CheckFailed as error:
                raise CheckFailed(f"{each.of}: {each.name}: {error}") from None
