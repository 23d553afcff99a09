"""Random machines with caches: line checks in both tiers equal the rule for every fetch."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.program import build
from gnomon.sim import simulate, translated_blocks
from tests.rows import light_and_heavy
from tests.sim.blocks._noted import note_tiers
from tests.sim.blocks.test_long_programs import assert_same

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.program import Program
    from gnomon.sim import Run

_PROGRAM = """
#include <stdint.h>
static int32_t a[N][N];
static int32_t product(int32_t x, int32_t y) { return (int32_t)(((int64_t)x * y) >> 15); }
int main(void) {
    uint32_t s = SEED;
    int32_t sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                s = s * 1664525u + 1013904223u;
                a[i][j] = (int32_t)(s >> 17) + (i == j ? 1 << 20 : 0);
            }
        for (int k = 0; k < N; k++)
            for (int i = k + 1; i < N; i++) {
                const int32_t f = (a[i][k] << 4) / ((a[k][k] >> 11) | 1);
                for (int j = k; j < N; j++) a[i][j] -= product(f, a[k][j]);
            }
        __asm__ volatile("fence.i");
        sum ^= a[N - 1][N - 1];
    }
    return sum & 0x7F;
}
"""


def _region(name: str, base: int, waits: int, cache: str) -> str:
    keys = f"base: {base:#x}, size: 256 KiB, kind: {name}, waits: {waits}, cache: {cache}"
    return f"    {name}: {{{keys}}}"


def _machine_file(rng: random.Random) -> str:
    """Return a machine with a cache of fetches, of loads or both, with or without regions."""
    latency: dict[str, list[int | str]] = {
        "instruction-waits": [0, 1, 3], "data-waits": [0, 2], "fetch": [0, 0, 1],
        "fetch-redirect": [0, 2], "taken-fetches": [0, 1, 2], "prefetch": ["none", 1, 3],
        "branch-taken": [0, 2], "mul": [1, 3], "load": [1, 2],
    }  # fmt: skip
    keys = ", ".join(f"{name}: {rng.choice(values)}" for name, values in latency.items())
    icache, dcache = rng.choice([(True, False), (False, True), (True, True)])
    of_ram = dcache and rng.random() < 0.7
    of_flash = dcache and (not of_ram or rng.random() < 0.5)
    lines = ["extends: rv32im", "name: cached", "title: Cached", f"core: {{latency: {{{keys}}}}}"]
    lines.append("memory:")
    if rng.random() < 0.5:
        served = {(True, True): "both", (True, False): "icache", (False, True): "dcache"}
        lines += [
            "  instruction: none", "  data: none", "  regions:",
            _region("flash", 0, rng.choice([0, 2, 5]), served.get((icache, of_flash), "none")),
            _region("ram", 0x10_0000, rng.choice([0, 1]), served.get((False, of_ram), "none")),
            "  link: {text: flash, data: ram}",
        ]  # fmt: skip
    lines.append("  caches:")
    for name in ["icache"] * icache + ["dcache"] * dcache:
        line, sets = rng.choice([4, 8, 16, 32]), rng.choice([1, 2, 4, 16, 64])
        ways, burst = rng.choice([1, 1, 2, 3]), rng.choice([1, 2, 4])
        lines.append(f"    {name}: {{line: {line} B, sets: {sets}, ways: {ways}, burst: {burst}}}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", light_and_heavy("oracle", 6, range(300)))
def test_lines_are_checked_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)
    (tmp_path / "it.c").write_text(_PROGRAM)
    (tmp_path / "it.yaml").write_text(_machine_file(rng))
    machine = load_architecture(tmp_path / "it.yaml")
    defines = {"N": rng.choice([3, 5, 8]), "SEED": seed}
    program = build([tmp_path / "it.c"], machine, defines=defines)
    expected = _by_every_fetch(program, machine, monkeypatch)
    limit, quantum = rng.randrange(1, expected.exit_cycle), rng.choice([700, 3000, 1_000_000])
    cut = _by_every_fetch(program, machine, monkeypatch, limit)
    tiers = note_tiers(monkeypatch)
    for variable in ("off", "force"):
        with translated_blocks(variable):
            assert_same(simulate(program, machine, quantum_cycles=quantum), expected)
            assert_same(simulate(program, machine, max_cycles=limit), cut)
    issued = expected.harts[0].issued
    # A slice may be shorter than a block with all its misses.
    assert tiers[2].figures["solo_instructions"] > issued / 2 or quantum < 1_000_000


def _by_every_fetch(
    program: Program, machine: Architecture, monkeypatch: pytest.MonkeyPatch,
    limit: int | None = None,
) -> Run:  # fmt: skip
    """Run in the loop that computes the wait after every instruction."""
    with monkeypatch.context() as patch, translated_blocks("off"):
        patch.setattr(Architecture, "computes_fetch", True)
        return simulate(program, machine, max_cycles=limit)
