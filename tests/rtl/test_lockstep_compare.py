"""Faults put into a recording of the model's own run: each is found, where it is, and shown."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.rtl.lockstep._compare import Compared
from gnomon.rtl.lockstep._generate import random_case
from gnomon.rtl.observed import RtlRun
from gnomon.rtl.setting import Setting
from gnomon.sim import Run, simulate

if TYPE_CHECKING:
    from collections.abc import Callable

_SETTING = Setting(simd=2)
_ARCHITECTURE = load_architecture("t13-simd1", list(_SETTING.overrides()))


@functools.cache
def _run() -> Run:
    program = load_elf(random_case(5, _SETTING).elf(), name="case")
    return simulate(program, _ARCHITECTURE, trace=True, bus=True)


@functools.cache
def _recorded() -> RtlRun:
    run = _run()
    assert run.trace is not None
    assert run.bus is not None
    memory: dict[int, str] = {}
    for base, content in ((0, run.instruction_memory), (0x0010_0000, run.data_memory)):
        words = np.frombuffer(content, dtype="<u4")
        memory |= {base + 4 * i: f"{words[i]:08X}" for i in np.flatnonzero(words).tolist()}
    return RtlRun(
        ended="exit",
        cycle=run.exit_cycle + 1,
        issues=tuple(tuple(row) for row in run.trace.tolist()),
        bus=tuple((c, f"{e:X}", f"{a:08X}", f"{d:08X}") for c, e, a, d in run.bus.tolist()),
        memory=memory,
    )


def test_a_faithful_recording_is_equal() -> None:
    compared = Compared.from_run(_run(), _recorded(), _ARCHITECTURE)

    assert compared.divergence is None
    assert compared.issues == len(_recorded().issues)
    assert compared.bus_requests == len(_recorded().bus)
    assert compared.memory_words == (256 + 256) * 1024 // 4


def _issue(number: int, column: int, value: int | str) -> Callable[[RtlRun], RtlRun]:
    def change(seen: RtlRun) -> RtlRun:
        issues = [list(row) for row in seen.issues]
        issues[number][column] = value
        return replace(seen, issues=tuple(tuple(row) for row in issues))

    return change


@pytest.mark.parametrize("column", range(4), ids=["cycle", "hart", "pc", "word"])
@pytest.mark.parametrize("number", [0, 7, 300])
def test_any_field_of_any_issue_counts(number: int, column: int) -> None:
    value = int(_recorded().issues[number][column]) + 1

    found = Compared.from_run(
        _run(), _issue(number, column, value)(_recorded()), _ARCHITECTURE
    ).divergence

    assert found is not None
    assert found.kind == "issue"
    assert f"issue {number}:" in found.summary
    assert len(found.model) == len(found.rtl) == min(20, number + 1)
    assert found.model[:-1] == found.rtl[:-1]
    assert found.model[-1] != found.rtl[-1]


def test_undefined_bits_are_shown() -> None:
    changed = _issue(9, 3, "UUUU")(_recorded())
    found = Compared.from_run(_run(), changed, _ARCHITECTURE).divergence
    assert found is not None
    assert "UUUU (undefined)" in found.rtl[-1]


@pytest.mark.parametrize("column", range(4))
def test_any_field_of_the_bus_counts(column: int) -> None:
    bus = [list(row) for row in _recorded().bus]
    bus[40][column] = bus[40][column] + 1 if column == 0 else "X" * len(str(bus[40][column]))
    changed = replace(_recorded(), bus=tuple(tuple(row) for row in bus))

    found = Compared.from_run(_run(), changed, _ARCHITECTURE).divergence

    assert found is not None
    assert found.kind == "bus"
    assert len(found.rtl) == 20


def test_a_missing_and_a_surplus_request_count() -> None:
    for bus in (_recorded().bus[:-3], (*_recorded().bus, (99_999, "0", "00000000", "00000000"))):
        found = Compared.from_run(_run(), replace(_recorded(), bus=bus), _ARCHITECTURE).divergence
        assert found is not None
        assert "nothing more" in found.summary


def test_the_earlier_of_issue_and_bus_is_named() -> None:
    issues, bus = _recorded().issues, [list(row) for row in _recorded().bus]
    cycle = int(bus[30][0])
    bus[30][3] = "DEADBEEF"
    late = next(n for n, row in enumerate(issues) if row[0] > cycle + 5)
    changed = replace(_issue(late, 2, 0)(_recorded()), bus=tuple(tuple(row) for row in bus))
    found = Compared.from_run(_run(), changed, _ARCHITECTURE).divergence
    assert found is not None
    assert (found.kind, found.cycle) == ("bus", cycle)

    early = max(n for n, row in enumerate(issues) if row[0] < cycle)
    changed = replace(_issue(early, 2, 0)(changed), bus=changed.bus)
    found = Compared.from_run(_run(), changed, _ARCHITECTURE).divergence
    assert found is not None
    assert found.kind == "issue"


@pytest.mark.parametrize("change", ["wrong", "missing", "surplus"])
def test_any_word_of_the_memory_counts(change: str) -> None:
    memory = dict(_recorded().memory)
    address = 0x0010_0000
    if change == "wrong":
        memory[address] = f"{int(memory[address], 16) ^ 1:08X}"
    elif change == "missing":
        del memory[address]
    else:
        address = 0x0003_0000
        memory[address] = "00000001"

    found = Compared.from_run(_run(), replace(_recorded(), memory=memory), _ARCHITECTURE).divergence

    assert found is not None
    assert found.kind == "memory"
    assert f"1 words differ at the exit, first at 0x{address:08X}" in found.summary


def test_a_stopped_simulation_is_compared_up_to_its_end() -> None:
    number = 200
    cycle = int(_recorded().issues[number][0])
    cut = replace(
        _issue(number, 2, 0)(_recorded()),
        ended="difference",
        cycle=cycle,
        bus=tuple(row for row in _recorded().bus if row[0] < cycle - 10),
        memory={},
    )
    cut = replace(cut, issues=cut.issues[: number + 1])

    found = Compared.from_run(_run(), cut, _ARCHITECTURE).divergence

    assert found is not None
    assert (found.kind, found.cycle) == ("issue", cycle)


def test_a_core_that_does_not_end_differs() -> None:
    seen = _recorded()
    late = replace(seen, ended="cycle limit", cycle=_run().exit_cycle + 200)
    found = Compared.from_run(_run(), late, _ARCHITECTURE).divergence
    assert found is not None
    assert found.kind == "exit"
    assert "has not terminated" in found.summary


def test_a_write_of_no_byte_is_shown_as_one() -> None:
    """A swap before the first access; 0 byte enables alone would look like a read."""
    cycle, _, address, _ = _recorded().bus[0]
    seen = replace(_recorded(), bus=((cycle, "0", address, "00000001"), *_recorded().bus[1:]))

    found = Compared.from_run(_run(), seen, _ARCHITECTURE).divergence

    assert found is not None
    assert found.rtl[-1].endswith(f"{address} write 00000001 bytes 0")
