"""Devices that access the memory: each word moves in its cycle, whoever looks."""

from __future__ import annotations

import shutil
from bisect import bisect_left
from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.program import build
from gnomon.sim import Run, simulate, translated_blocks

ROOT = Path(__file__).parents[2]
BOARD = """\
extends: rv32im
name: board
title: A core with a copier
core:
  interrupts: {{entry: 4}}
devices:
  dma: {{kind: {kind}, base: 0x30000000, interrupt: external}}
"""
COPY = """
#include "gnomon.h"
#include <stdint.h>
#define DMA ((volatile uint32_t *)0x30000000)
#define WORDS 24
volatile uint32_t from[WORDS], to[WORDS], seen[200];
static volatile uint32_t copies;
__attribute__((interrupt("machine"), aligned(4))) static void on_interrupt(void) {
    DMA[3] = 0;
    copies++;
}
__attribute__((naked, noinline)) uint32_t peek(volatile uint32_t *at) {
    __asm__ volatile("lw a0, 0(a0)\\n ret");
}
int main(int hart) {
    uint32_t x = (uint32_t)hart;
    __asm__ volatile("csrw mtvec, %0" ::"r"(on_interrupt));
    __asm__ volatile("csrw mie, %0" ::"r"(0x800));
    __asm__ volatile("csrs mstatus, %0" ::"r"(8));
    for (unsigned k = 0; k < WORDS; k++) from[k] = 1000 + k;
    for (int again = 0; again < 2; again++) {
        DMA[0] = (uint32_t)from;
        DMA[1] = (uint32_t)to;
        DMA[2] = WORDS;
        for (unsigned k = 0; k < 100; k++) {
            seen[100 * again + k] = peek(&to[11]);
            if (k % 16 == 5) from[11 + (k >> 4)] += 1;
            x = x * 31u + to[k % WORDS];
        }
        while (DMA[3] & 1u) x++;
    }
    while (copies < 2) {}
    return (int)(x & 0xFFFFFu);
}
"""


def load_board(folder: Path, *sets: str, kind: str = "dma") -> Architecture:
    path = folder / "board.yaml"
    path.write_text(BOARD.format(kind=kind))
    return load_architecture(path, list(sets))


def run_copy(folder: Path, machine: Architecture, text: str = COPY, **options: object) -> Run:
    (folder / "copy.c").write_text(text)
    options = {"max_cycles": 100_000} | options
    return simulate(build([folder / "copy.c"], machine), machine, **options)  # type: ignore[arg-type]


def words_at(run: Run, folder: Path, machine: Architecture, name: str, count: int) -> list[int]:
    address = build([folder / "copy.c"], machine).symbol(name).address
    data = run.bytes_at(address, 4 * count)
    assert data is not None
    return [int.from_bytes(data[4 * k : 4 * k + 4], "little") for k in range(count)]


@pytest.mark.parametrize("waits", [0, 3])
def test_each_word_moves_in_its_cycle(waits: int, tmp_path: Path) -> None:
    machine = load_board(tmp_path, f"memory.data.waits={waits}")

    def moved(end: int) -> int:
        """The words that have moved in a run of some cycles."""
        run = run_copy(tmp_path, machine, max_cycles=end)
        return sum(word != 0 for word in words_at(run, tmp_path, machine, "to", 24))

    first = bisect_left(range(1, 500), 1, key=moved) + 1
    of_word = 2 + 2 * waits
    for k in (1, 7, 23):
        # A run may end within a load, which has seen the memory up to `waits` cycles later.
        at = first + of_word * k
        assert moved(at - 1 - waits) <= k
        assert moved(at + waits) >= k + 1


@pytest.mark.parametrize("waits", [0, 2])
def test_a_load_sees_a_word_from_its_cycle_on(waits: int, tmp_path: Path) -> None:
    machine = load_board(tmp_path, f"memory.data.waits={waits}")
    run = run_copy(tmp_path, machine, trace=True)
    assert run.halted == "exit"
    program = build([tmp_path / "copy.c"], machine)
    peek = program.symbol("peek").address
    assert run.trace is not None
    granted = [int(row["cycle"]) + waits for row in run.trace if row["pc"] == peek][:100]
    seen = words_at(run, tmp_path, machine, "seen", 100)
    values = sorted({*seen})
    assert len(values) == 2
    assert values[0] == 0
    first = next(cycle for cycle, value in zip(granted, seen, strict=True) if value)
    last = max(cycle for cycle, value in zip(granted, seen, strict=True) if not value)
    # The cycle in which word 11 moves: found by cutting the run, whatever the core does.
    for end in range(last + 1, first + 2):
        cut = run_copy(tmp_path, machine, max_cycles=end)
        if words_at(cut, tmp_path, machine, "to", 12)[11]:
            break
    moves = end - 1
    assert last < moves <= first
    assert all((value != 0) == (cycle >= moves) for cycle, value in zip(granted, seen, strict=True))


def test_neither_tiers_nor_slices_nor_traces_change_a_copy(tmp_path: Path) -> None:
    machine = load_board(tmp_path)
    runs = []
    for blocks, quantum in (("off", 20_000_000), ("force", 20_000_000), ("off", 3), ("force", 41)):
        with translated_blocks(blocks):
            runs.append(run_copy(tmp_path, machine, quantum_cycles=quantum))
    runs.append(run_copy(tmp_path, machine, trace=True))
    first, *others = runs
    assert first.halted == "exit"
    assert first.counters["hart0.trap"] == 2 * 4
    assert all(each.to_json() == first.to_json() for each in others)


def test_a_copier_in_python_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "devices" / "slow_dma"
    shutil.copytree(ROOT / "devices" / "dma", folder)
    (folder / "dma.c").unlink()
    text = (folder / "device.yaml").read_text()
    (folder / "device.yaml").write_text(text.replace("dma.c", "slow.py"))
    (folder / "slow.py").write_text(PYTHON)
    monkeypatch.setenv("GNOMON_PATH", str(tmp_path))
    found = []
    for kind in ("dma", "slow-dma"):
        run = run_copy(tmp_path, load_board(tmp_path, "memory.data.waits=1", kind=kind))
        answer = run.to_json()
        del answer["devices"]["dma"]["kind"]
        found.append(answer)
    assert found[0] == found[1]


PYTHON = '''"""The copier of devices/dma, from its description alone."""


class Device:
    def __init__(self):
        self.registers = [0, 0, 0]
        self.request, self.due = False, None

    def cost(self):
        return 2 + self.host.waits(self.registers[0]) + self.host.waits(self.registers[1])

    def read(self, offset, lanes, cycle):
        if offset < 12:
            return self.registers[offset // 4]
        return (self.due is not None) + 2 * self.request

    def write(self, offset, value, lanes, cycle):
        if offset == 12:
            self.request = False
        elif self.due is None:
            self.registers[offset // 4] = value
            if offset == 8 and value:
                self.due = cycle + self.cost()

    def step(self, cycle):
        source, target, left = self.registers
        self.host.store(target, self.host.load(source))
        self.registers = [source + 4, target + 4, left - 1]
        self.due = cycle + self.cost() if left > 1 else None
        self.request = left == 1

    def level(self, cycle):
        return self.request

    def next(self, cycle):
        return self.due
'''

FAULTS = {
    "(uint32_t)to;": {
        "0x00000100;": "device dma writes to 0x00000100, which holds code",
        "0x70000000;": "device dma accesses 0x70000000, where the machine has no memory",
        "0x30000000;": "device dma accesses 0x30000000, where the machine has no memory",
    },
    "(uint32_t)from;": {
        "0x70000000;": "device dma accesses 0x70000000, where the machine has no memory",
    },
}
CASES = [(old, new) for old, words in FAULTS.items() for new in words]


@pytest.mark.parametrize(("old", "new"), CASES)
def test_a_wrong_address_ends_the_run(old: str, new: str, tmp_path: Path) -> None:
    run = run_copy(tmp_path, load_board(tmp_path), COPY.replace(old, new))
    assert run.halted == "fault"
    assert FAULTS[old][new] in run.reason
