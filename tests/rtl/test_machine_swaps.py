"""Our RTL does in the programs around amoswap.w what the T13x was recorded to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.rtl.machine._simulation import simulation_of
from gnomon.rtl.tools import tool
from tests.exactness import _assembler as asm
from tests.exactness._reference import swap_events
from tests.exactness._swaps import PROGRAMS, swap_elf
from tests.rows import light_and_heavy
from tests.rtl.conftest import need

if TYPE_CHECKING:
    from pathlib import Path

_COUNTED = "first, counted"  # reads event counters, which our RTL has not: they read 0
_LIGHT = ("first", "first, of three harts", "three harts, one word")
_SERIAL = "core.superscalar=false"


@pytest.mark.parametrize(
    ("name", "superscalar"),
    light_and_heavy(
        "rtl",
        lambda name, superscalar: superscalar and name in _LIGHT,
        [
            (name, superscalar)
            for superscalar in (True, False)
            for name in PROGRAMS
            if name != _COUNTED
        ],
        lambda name, superscalar: f"{name}-{superscalar}",
    ),
)
def test_the_recorded_events_are_equal(name: str, superscalar: bool, tmp_path: Path) -> None:
    need(tool("icarus"))
    machine = load_architecture("t13-simd1", [] if superscalar else [_SERIAL])

    seen = simulation_of(machine, "icarus").observe(
        load_elf(swap_elf(name)), tmp_path, last_cycle=5_000
    )

    events = swap_events(name, superscalar)
    assert seen.ended == "exit"
    assert [tuple(row) for row in seen.issues.tolist()] == events["issue"]
    assert [tuple(row) for row in seen.bus.tolist()] == events["bus"]
    memory = {each: word for _, _, each, word in events["memory"]}
    held = seen.memory[int(machine.memory.instruction.size) :]
    for k in range(64):
        word = int.from_bytes(held[4 * k : 4 * k + 4], "little")
        assert word == memory.get(asm.DATA_BASE + 4 * k, 0)
