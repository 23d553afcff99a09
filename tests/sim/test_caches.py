"""Caches: machine files that are refused, and what a cache costs and saves a program in C."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from gnomon.sim import Run
from tests.sim.test_devices import run_of

if TYPE_CHECKING:
    from pathlib import Path

MACHINE = """\
extends: rv32im
name: cached
title: A core with caches
core: {latency: {instruction-waits: 2, data-waits: 3}}
memory:
  caches:
    icache: {line: 16 B, sets: 64, ways: 2}
    dcache: {line: 16 B, sets: 8, ways: 2, burst: 4}
"""
REGIONS = """\
extends: rv32im
name: cached
title: A core with caches and regions
memory:
  instruction: none
  data: none
  regions:
    flash: {base: 0x20000000, size: 128 KiB, kind: flash, waits: 5, cache: both}
    ram: {base: 0x80000000, size: 64 KiB, kind: ram, waits: 1}
    ext: {base: 0x90000000, size: 1 MiB, kind: ram, waits: 9, cache: dcache}
  caches:
    icache: {line: 16 B, sets: 64, ways: 2}
    dcache: {line: 16 B, sets: 8, ways: 2, burst: 2}
  link: {text: flash, data: ram}
"""
REFUSED = {
    (MACHINE, "memory.caches.dcache.sets=3"): "sets: must be a power of two from 1 to 4096, not 3",
    (MACHINE, "memory.caches.dcache.write=back"): "not modeled: a store goes through",
    (MACHINE.replace("instruction-waits: 2, data-waits: 3", "waits: none"), "clock=1 MHz"):
        "core.latency.waits: must be any with memory.caches.dcache",
    (MACHINE.replace("rv32im", "rv32im-simd4"), "clock=1 MHz"):
        "vcu: must be none with memory.caches.dcache: the order of transfers and refills",
    (MACHINE.replace("rv32im", "t13").split("core:")[0] + "memory: {caches: {dcache: {line: 4 B, "
     "sets: 1, ways: 1}}}\n", "clock=1 MHz"):
        "core.model: must be inorder with memory.caches.dcache: the T13 RTL has no cache",
    (REGIONS, "memory.regions.ram.cache=both"):
        "memory.caches.icache: does not serve memory.regions.ram: instructions are fetched from",
    (REGIONS, "memory.caches.icache=none"):
        "memory.caches.icache: must not be none with memory.regions.flash.cache both",
    (REGIONS, "memory.regions.flash.cache=dcache"):
        "memory.caches.icache: must be none unless a region has cache: icache or both",
    (REGIONS.replace("cache: dcache}", "cache: none}"), "memory.regions.flash.cache=icache"):
        "memory.caches.dcache: must be none unless a region has cache: dcache or both",
}  # fmt: skip


@pytest.mark.parametrize(("text", "override"), REFUSED)
def test_a_cache_that_cannot_be_is_refused(text: str, override: str, tmp_path: Path) -> None:
    path = tmp_path / "it.yaml"
    path.write_text(text)
    with pytest.raises(GnomonError) as caught:
        load_architecture(path, [override])
    assert REFUSED[text, override] in str(caught.value)


def test_caches_are_in_the_fingerprint_only_if_there_are_some(tmp_path: Path) -> None:
    path = tmp_path / "it.yaml"
    path.write_text(MACHINE)
    changes = ["memory.caches.icache=none", "memory.caches.dcache=none"]
    sets = [[], changes[:1], changes[1:], changes, ["memory.caches.dcache.ways=3"]]
    prints = [load_architecture(path, each).fingerprint for each in sets]
    assert len(set(prints)) == len(sets)
    path.write_text(MACHINE.split("memory:", maxsplit=1)[0])
    plain = load_architecture(path)
    assert prints[3] == plain.fingerprint


WALK = """
#include "gnomon.h"
#include <stdint.h>
{table}
__attribute__((noinline)) uint32_t walk(void) {{
    uint32_t sum = 0;
    for (int k = 0; k < {words}; k += 1) sum += table[k];
    return sum;
}}
int main(int hart) {{
    (void)hart;
    for (int k = 0; k < {words}; k++) table[k] = (uint32_t)k;
    uint32_t sum = 0;
    for (int k = 0; k < 3; k++) sum += walk();
    return (int)sum;
}}
"""


def walk(
    text: str, words: int, folder: Path, *overrides: str, table: str = "", **more: object
) -> Run:
    (folder / "it.yaml").write_text(text)
    machine = load_architecture(folder / "it.yaml", list(overrides))
    table = table or f"static volatile uint32_t table[{words}];"
    run = run_of(WALK.format(words=words, table=table), machine, folder, regions=["walk"], **more)
    assert run.exit_code == 3 * (words * (words - 1) // 2)
    return run


@pytest.mark.parametrize(
    ("words", "times"),
    [
        (60, 1),  # it fits in 8 sets x 2 ways x 16 bytes, aligned to a line or not
        (128, 3),  # twice as much: the line that is used next was always replaced
    ],
)
def test_a_table_that_fits_misses_once(words: int, times: int, tmp_path: Path) -> None:
    only_data = ["memory.caches.icache=none", "core.latency.instruction-waits=0"]
    run = walk(MACHINE, words, tmp_path, *only_data)
    (region,) = run.regions["walk"]
    misses, rest = divmod(region.counters["wait.dcache"], 3 + 3)  # n - 1 + W
    assert rest == 0
    assert times * words // 4 <= misses <= times * (words // 4 + 1)
    assert region.counters["execute.load"] == region.counters["issue.load"]  # of class load: 2
    assert "hart0.wait.icache" not in run.counters


def test_no_result_depends_on_caches_and_every_cycle_has_a_cause(tmp_path: Path) -> None:
    runs = [
        walk(MACHINE, 100, tmp_path, *changes, quantum_cycles=quantum)
        for quantum in (20_000_000, 97)
        for changes in (
            ["memory.caches.icache=none", "memory.caches.dcache=none"],
            ["memory.caches.icache=none"], ["memory.caches.dcache=none"], [],
        )
    ]  # fmt: skip
    assert len({run.memory_crc32["data"] for run in runs}) == 1
    assert len({run.harts[0].issued for run in runs}) == 1
    whole, sliced = runs[:4], runs[4:]
    assert [each.to_json() for each in whole] == [each.to_json() for each in sliced]
    for run in whole:
        assert sum(run.counters.values()) == run.wall_cycles
        parts = run.profile.parts
        for name in ("wait.icache", "wait.dcache"):
            found = int(parts[name].sum()) if name in parts else 0
            assert found == run.counters.get(f"hart0.{name}", 0)
    neither, data, code, both = (run.wall_cycles for run in whole)
    assert both < min(data, code) < max(data, code) < neither


def test_regions_have_their_own_refill_and_may_have_no_cache(tmp_path: Path) -> None:
    """The same walk through three memories: each miss of ext costs 3 + 9 x 2 cycles."""
    ext = "#define table ((volatile uint32_t *)0x90000000u)"
    near = walk(REGIONS, 64, tmp_path)
    far = walk(REGIONS, 64, tmp_path, table=ext)
    (ram,), (cached,) = near.regions["walk"], far.regions["walk"]
    assert "wait.dcache" not in ram.counters
    assert ram.counters["execute.load"] == 2 * ram.counters["issue.load"]  # one more: its wait
    assert cached.counters["wait.dcache"] % (3 + 9 * 2) == 0
    assert 15 <= cached.counters["wait.dcache"] // (3 + 9 * 2) <= 17
    flash = near.counters["hart0.wait.icache"]
    assert flash > 0
    assert flash % (3 + 5 * 4) == 0


def test_the_energy_of_a_data_cache_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "it.yaml").write_text(MACHINE)
    run = walk(MACHINE, 16, tmp_path)
    with pytest.raises(GnomonError, match="and the energy of a data cache is unavailable"):
        Energy.from_work(run.work, load_architecture(tmp_path / "it.yaml"), power="t13x")


INTERRUPTED = """
#include <stdint.h>
#define CLINT ((volatile uint32_t *)0x02000000)
static volatile uint32_t word, entries;
__attribute__((interrupt("machine"), aligned(4))) static void on_interrupt(void) {
    CLINT[0x4000 / 4] = CLINT[0xBFF8 / 4] + 301;
    entries++;
}
int main(void) {
    __asm__ volatile("csrw mtvec, %0" ::"r"(on_interrupt));
    CLINT[0x4004 / 4] = 0;
    CLINT[0x4000 / 4] = FIRST;
    __asm__ volatile("csrw mie, %0" ::"r"(0x80));
    __asm__ volatile("csrs mstatus, %0" ::"r"(8));
    for (int k = 0; k < 500; k++) { word; word; word; word; word; word; }
    __asm__ volatile("csrci mstatus, 8");
    return (int)entries;
}
"""


@pytest.mark.parametrize("ram_waits", [0, 3])
def test_a_load_that_an_interrupt_replaces_uses_no_line(ram_waits: int, tmp_path: Path) -> None:
    """It has no address: neither the line at address 0 nor the wait states there are its own."""
    path = tmp_path / "cached.yaml"
    path.write_text(REGIONS.replace("base: 0x20000000", "base: 0x00000000") + (
        "core: {interrupts: {entry: 4}}\n"
        "devices: {timer: {kind: clint, base: 0x02000000, every: 1}}\n"
    ))  # fmt: skip
    machine = load_architecture(path, [f"memory.regions.ram.waits={ram_waits}"])
    often, never = (
        run_of(INTERRUPTED.replace("FIRST", first), machine, tmp_path) for first in ("400", "~0u")
    )
    assert often.exit_code is not None
    assert (often.exit_code > 20, never.exit_code) == (True, 0)
    missed = [run.counters.get("hart0.wait.dcache", 0) for run in (often, never)]
    assert missed[0] == missed[1]
