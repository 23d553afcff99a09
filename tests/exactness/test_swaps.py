"""swaps.csv.xz: issues, requests and final words of programs around amoswap.w, of the RTL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.exactness import _assembler as asm
from tests.exactness._reference import swap_events
from tests.exactness._swaps import PROGRAMS, swap_elf

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_WORDS = 48
ROWS = [(name, superscalar) for superscalar in (True, False) for name in PROGRAMS]
NOTHING_WRITTEN = {
    "first", "first, to x0", "first, of three harts", "first, counted", "after a load to x0",
    "after a misaligned swap", "after kmemld", "after kmemstr",
}  # fmt: skip


def test_every_program_was_recorded() -> None:
    assert {row for row in ROWS if swap_events(*row)["issue"]} == {*ROWS}


@pytest.mark.parametrize(("name", "superscalar"), ROWS)
def test_issues_and_memory(name: str, superscalar: bool, runner: Runner) -> None:
    events = swap_events(name, superscalar)

    result = runner(swap_elf(name), superscalar=superscalar)

    assert result.trace == events["issue"]
    assert (result.halted, result.exit_cycle) == (True, events["bus"][-1][0])
    words = [
        (0, 0, asm.DATA_BASE + 4 * k, int.from_bytes(result.data_ram[4 * k : 4 * k + 4], "little"))
        for k in range(_WORDS)
    ]
    assert [each for each in words if each[3]] == events["memory"]


@pytest.mark.parametrize(("name", "superscalar"), ROWS)
def test_requests(name: str, superscalar: bool) -> None:
    machine = load_architecture("t13-simd1", [f"core.superscalar={str(superscalar).lower()}"])

    run = simulate(load_elf(swap_elf(name)), machine, max_cycles=5_000, trace=True, bus=True)

    assert run.bus is not None
    assert run.bus.tolist() == swap_events(name, superscalar)["bus"]
    said = any("before the first load or store" in each for each in run.warnings)
    assert said is (name in NOTHING_WRITTEN)


@pytest.mark.parametrize(("name", "superscalar"), ROWS)
def test_nothing_comes_between_read_and_write(name: str, superscalar: bool) -> None:
    """On the RTL: the write of a swap is the next request after its read, two cycles later."""
    events = swap_events(name, superscalar)
    issued = {cycle: word for cycle, _, _, word in events["issue"]}
    requests = events["bus"]
    pairs = [
        (requests[k], requests[k + 1])
        for k, (cycle, enables, *_) in enumerate(requests)
        if not enables and issued.get(cycle, 0) & 0x7F == 0x2F and issued[cycle] >> 7 & 31
    ]
    assert pairs
    for (read, _, place, _), (write, _, written, _) in pairs:
        assert (write - read, written) == (2, place)
        assert not {read + 1, write, write + 1} & {*issued}
