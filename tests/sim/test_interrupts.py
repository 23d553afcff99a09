"""Timer and software interrupts of programs in C: what they cost, and what they do not change."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from gnomon.program import build
from gnomon.sim import Run, simulate
from gnomon.sim.crash import crash_of
from tests.arch.test_devices import TIMED
from tests.sim.test_devices import run_of

TICK = Path(__file__).parents[2] / "examples" / "tick"


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.yaml"
    path.write_text(TIMED)
    return path


def test_the_example_ticks_every_millisecond() -> None:
    machine = load_architecture(TICK / "board.yaml")
    run = simulate(build([TICK / "tick.c"], machine), machine)
    lines = run.console.splitlines()
    assert (run.halted, run.exit_code, len(lines)) == ("exit", 5, 5)
    for number, line in enumerate(lines, 1):
        first, time_us = line.removesuffix(" us").split(" at ")
        assert first == f"tick {number}"
        assert 1000 * number <= int(time_us) <= 1000 * number + 5
    assert run.counters["hart0.trap"] == 5 * 4  # core.interrupts.entry
    assert run.counters["hart0.parked"] > 0.99 * run.wall_cycles
    assert run.work.instructions["wfi"] == 5
    assert run.harts[0].issued < 2000


BUSY = """
#include "gnomon.h"
#include <stdint.h>
#define CLINT ((volatile uint32_t *)0x02000000)
static volatile uint32_t timers, softwares;
__attribute__((interrupt("machine"), aligned(4))) static void on_interrupt(void) {{
    uint32_t cause;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    if (cause == 0x80000003u) {{ CLINT[0] = 0; softwares++; return; }}
    CLINT[0x4000 / 4] = CLINT[0xBFF8 / 4] + {ticks};
    timers++;
}}
__attribute__((noinline)) uint32_t work(uint32_t x) {{
    for (int k = 0; k < 200; k++) x = x * 1664525u + (x >> 7) + 1013904223u;
    return x;
}}
int main(int hart) {{
    uint32_t x = (uint32_t)hart;
    __asm__ volatile("csrw mtvec, %0" ::"r"(on_interrupt));
    CLINT[0x4004 / 4] = 0;
    CLINT[0x4000 / 4] = {ticks};
    __asm__ volatile("csrw mie, %0" ::"r"(0x88));
    __asm__ volatile("csrs mstatus, %0" ::"r"(8));
    for (int k = 0; k < 40; k++) {{ x = work(x); if (k % 8 == 0) CLINT[0] = 1; }}
    __asm__ volatile("csrci mstatus, 8");
    return (int)(x % 1000u + 1000u * softwares + 100000u * (timers > 20u));
}}
"""


@pytest.fixture
def program_text() -> str:
    return BUSY.format(ticks=90)


def test_neither_tiers_nor_slices_change_an_interrupted_run(
    board: Path, program_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = load_architecture(board)
    runs: list[Run] = []
    for tier, quantum in (("off", 20_000_000), ("force", 20_000_000), ("force", 997)):
        monkeypatch.setenv("GNOMON_BLOCKS", tier)
        runs.append(run_of(program_text, machine, tmp_path, quantum_cycles=quantum))
    traced = run_of(program_text, machine, tmp_path, trace=True, calls=True)
    first, *others = runs
    assert first.halted == "exit"
    assert first.exit_code is not None
    assert first.exit_code // 1000 == 100 + 5
    for each in (*others, traced):
        assert each.to_json() == first.to_json()
        assert (each.profile.cycles == first.profile.cycles).all()
    called = sum(node.calls for node in traced.call_nodes if node.function == "on_interrupt")
    assert first.counters["hart0.trap"] == 4 * called


def test_a_region_counts_its_entries_not_its_interrupts(
    board: Path, program_text: str, tmp_path: Path
) -> None:
    run = run_of(program_text, load_architecture(board), tmp_path, regions=["work"])
    (work,) = run.regions["work"]
    assert work.entries == 40
    assert work.counters["trap"] > 100


def test_a_region_of_the_handler_has_every_interrupt(
    board: Path, program_text: str, tmp_path: Path
) -> None:
    """It ends with its mret, also if the next interrupt replaces the instruction after that."""
    machine = load_architecture(board)
    for text in (program_text, BUSY.format(ticks=7)):
        run = run_of(text, machine, tmp_path, regions=["on_interrupt", "work"], calls=True)
        (handler,), (work,) = run.regions["on_interrupt"], run.regions["work"]
        assert handler.entries == sum(
            node.calls for node in run.call_nodes if node.function == "on_interrupt"
        )
        assert handler.entries * 4 == run.counters["hart0.trap"]
        assert not run.warnings
        assert sum(cycles * n for cycles, n in handler.lengths.items()) == handler.wall_cycles
        assert max(handler.lengths) < 60
        spent = sum(node.cycles for node in run.call_nodes if node.function == "on_interrupt")
        assert handler.wall_cycles == spent
        assert work.entries == 40


def test_each_cycle_of_entry_costs_one(board: Path, tmp_path: Path) -> None:
    """One interrupt of a program that then does the same: entry + 7 takes 7 cycles more."""
    text = BUSY.format(ticks=1000).replace("+ 1000;", "+ 100000000;")
    runs = [
        run_of(text, load_architecture(board, [f"core.interrupts.entry={n}"]), tmp_path)
        for n in (2, 9)
    ]
    few, many = (each.counters["hart0.trap"] for each in runs)
    interrupts = few // 2
    assert interrupts == 5 + 1  # one of the timer, five of software
    assert (few, many) == (2 * interrupts, 9 * interrupts)
    assert runs[1].wall_cycles - runs[0].wall_cycles == 7 * interrupts


SLEEP = """
#include "gnomon.h"
#include <stdint.h>
#define CLINT ((volatile uint32_t *)0x02000000)
int main(int hart) {{
    (void)hart;
    CLINT[0x4004 / 4] = {high}u;
    CLINT[0x4000 / 4] = {low}u;
    __asm__ volatile("csrw mie, %0\\n wfi" ::"r"({enabled}));
    return 7;
}}
"""


def sleep(board: Path, folder: Path, counts: int, enabled: int = 0x80, **options: object) -> Run:
    text = SLEEP.format(high=counts >> 32, low=counts & 0xFFFF_FFFF, enabled=enabled)
    return run_of(text, load_architecture(board), folder, **options)


def test_time_jumps_to_the_end_of_a_sleep(board: Path, tmp_path: Path) -> None:
    """The interrupt is disabled in mstatus: wfi ends when it is pending, and nothing replaces."""
    short = sleep(board, tmp_path, 5000)
    long = sleep(board, tmp_path, 400_000)
    assert (short.exit_code, long.exit_code) == (7, 7)
    assert long.wall_cycles - short.wall_cycles == 10 * (400_000 - 5000)
    assert long.harts == (long.harts[0],)
    assert long.harts[0].issued == short.harts[0].issued
    assert "hart0.trap" not in long.counters
    others = {name for name in long.counters if long.counters[name] != short.counters[name]}
    assert others == {"hart0.parked"}


def test_a_sleep_may_end_after_the_last_cycle(board: Path, tmp_path: Path) -> None:
    text = SLEEP.format(high=0, low=400_000, enabled=0x80)
    (tmp_path / "it.c").write_text(text)
    machine = load_architecture(board)
    program = build([tmp_path / "it.c"], machine)
    run = simulate(program, machine, max_cycles=5000)
    assert (run.halted, run.wall_cycles, sum(run.counters.values())) == ("max-cycles", 5000, 5000)
    assert run.counters["hart0.parked"] > 4500


@pytest.mark.parametrize(("counts", "enabled"), [(1000, 0), (1000, 8), (2**64 - 1, 0x88)])
def test_a_sleep_without_an_end_is_a_hang(
    counts: int, enabled: int, board: Path, tmp_path: Path
) -> None:
    run = sleep(board, tmp_path, counts, enabled)
    assert (run.halted, run.exit_code) == ("hang", None)
    assert run.reason.startswith("no event can ever wake a hart, last hart 0 at pc ")
    assert run.reason.endswith(" in main")


def test_the_energy_of_a_sleeping_core_is_unavailable(board: Path, tmp_path: Path) -> None:
    machine: Architecture = load_architecture(board)
    run = sleep(board, tmp_path, 1000)
    with pytest.raises(
        GnomonError, match=r"sleeps for .* the energy of a sleeping core is unavail"
    ):
        Energy.from_work(run.work, machine, power="t13x")


def test_an_interrupt_without_a_handler_stops_the_run(board: Path, tmp_path: Path) -> None:
    text = BUSY.format(ticks=90).replace('"r"(on_interrupt)', '"r"(0x300000)')
    run = run_of(text, load_architecture(board), tmp_path)
    assert run.halted == "fault"
    assert "no handler at mtvec = 0x00300000 (mcause 0x80000007, timer interrupt" in run.reason


@pytest.mark.parametrize(
    ("number", "request_it", "words"),
    [(3, "CLINT[0] = 1", "software interrupt"), (7, "CLINT[0x4000 / 4] = 0", "timer interrupt")],
)
def test_an_interrupt_that_the_start_up_code_gets_is_named(
    number: int, request_it: str, words: str, board: Path, tmp_path: Path
) -> None:
    """Not by the exception of the same number, also if the program has printed that number."""
    text = BUSY.format(ticks=1 << 30).replace(
        '__asm__ volatile("csrw mtvec, %0" ::"r"(on_interrupt));', f"gnomon_print({number});"
    )
    text = text.replace("if (k % 8 == 0) CLINT[0] = 1", f"if (k == 8) {request_it}")
    (tmp_path / "p.c").write_text(text)
    machine = load_architecture(board)
    program = build([tmp_path / "p.c"], machine)
    crash = crash_of(simulate(program, machine), program)
    assert crash is not None
    assert crash.cause == 1 << 31 | number
    assert str(crash).startswith(f"trap on hart 0: {words} at 0x000")
