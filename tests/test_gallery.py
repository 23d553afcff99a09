"""The programs of examples/c: what they compute, and what their vector versions gain."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.explore import read_sweep, recommend, run_sweep
from gnomon.program import build
from gnomon.sim import Region, simulate
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GALLERY = Path(__file__).parents[1] / "examples" / "c"
PROGRAMS = {
    "dot": (1,),
    "fir": (1,),
    "mlp": (1,),
    "kalman": (1, 3),
    "quicksort": (1, 3),
    "ridge": (1,),
}


def draws(seed: int) -> Callable[[int], int]:
    state = seed

    def draw(limit: int) -> int:
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return (state >> 16 & (2 * limit - 1)) - limit

    return draw


def check(values: Iterable[int]) -> str:
    total = 0
    for value in values:
        total = (31 * total + value) % 2**32
    return f"{total:08x}"


def dot() -> str:
    draw = draws(1)
    a, b = ([draw(1024) for _ in range(256)] for _ in range(2))
    return str(int(np.dot(a, b)))


def fir() -> str:
    draw = draws(2)
    h = [draw(128) for _ in range(16)]
    x = [draw(2048) for _ in range(192 + 15)]
    return check(np.correlate(x, h).tolist())


def mlp() -> str:
    draw = draws(3)
    x = np.array([draw(128) for _ in range(32)])
    w = [np.array([draw(32) for _ in range(n * m)]).reshape(n, m) for n, m in ((24, 32), (10, 24))]
    b = [np.array([draw(1024) for _ in range(n)]) for n in (24, 10)]
    for weights, bias in zip(w, b, strict=True):
        x = np.minimum(np.maximum(weights @ x + bias, 0) >> 7, 127)
    return " ".join(map(str, x.tolist()))


def _gains() -> Iterator[tuple[int, int]]:
    a, b, c = 4000, 0, 1000
    while True:
        a, b, c = a + 2 * b + c + 40, b + c, c + 20
        s = a + 400
        k1, k2 = (a << 12) // s, (b << 12) // s
        c -= k2 * b >> 12
        b -= k1 * b >> 12
        a -= k1 * a >> 12
        yield k1, k2


def kalman() -> str:
    draw = draws(4)
    measured = np.zeros((8, 192), dtype=np.int64)
    for track in range(192):
        speed = draw(64)
        measured[:, track] = [16 * speed * step + draw(128) for step in range(1, 9)]
    x, v = np.zeros((2, 192), dtype=np.int64)
    for z, (k1, k2) in zip(measured, _gains(), strict=False):
        x += v
        error = z - x
        x += k1 * error >> 12
        v += k2 * error >> 12
    return check(a ^ (b << 16) for a, b in zip(x.tolist(), v.tolist(), strict=True))


def quicksort() -> str:
    draw = draws(5)
    return check(sorted(draw(16384) for _ in range(300)))


@cache
def run(name: str, machine: str, harts: int, *, scalar: bool) -> tuple[str, int]:
    """What it prints, and wall cycles of ``work`` on hart 0."""
    architecture = load_architecture(machine)
    defines = {"SCALAR": 1} if scalar else {}
    program = build([GALLERY / f"{name}.c"], architecture, defines=defines, active_harts=harts)
    region = Region("work", program.symbol("work").address)
    result = simulate(program, architecture, max_cycles=1_000_000, regions=[region])
    assert (result.exit_code, result.warnings) == (0, ())
    return result.console.strip(), result.regions["work"][0].wall_cycles


def row(name: str) -> str:
    cells = []
    for harts in (1, 3):
        if harts not in PROGRAMS[name]:
            cells += ["-"] * 3
            continue
        scalar, vector = (run(name, "t13-simd4", harts, scalar=s)[1] for s in (True, False))
        same = name == "quicksort"
        assert same == (scalar == vector)
        gain = "-" if same else f"{scalar / vector:.1f}"
        cells += [f"{scalar:,}", "-" if same else f"{vector:,}", gain]
    return f"| [{name}.c]({name}.c) | " + " | ".join(cells) + " |"


@pytest.mark.parametrize("name", light_and_heavy("studies", 3, PROGRAMS))
def test_all_versions_compute_the_same(name: str) -> None:
    printed = {
        run(name, machine, harts, scalar=scalar)[0]
        for harts in PROGRAMS[name]
        for machine in ("t13", "t13-simd1", "t13-simd4", "t13-simd8")
        for scalar in (True, False)
    }
    assert len(printed) == 1
    if name == "ridge":  # what the columns were multiplied by, but for noise and the ridge
        found = [int(word) / 1024 for word in printed.pop().split()]
        assert np.allclose(found, [(i - 4) / 4 for i in range(8)], atol=0.2)
    else:
        assert printed == {globals()[name]()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_table_says_what_runs_say(name: str) -> None:
    assert row(name) in (GALLERY / "README.md").read_text("utf-8").splitlines()


@pytest.mark.parametrize("name", light_and_heavy("studies", 1, ["fir", "mlp", "kalman"]))
def test_a_sweep_of_work_has_a_front_for_each_memory(name: str) -> None:
    sweep = read_sweep(GALLERY / f"{name}.yaml")
    result = run_sweep(sweep)
    assert not result.failed
    choices = recommend(result)
    assert [choice.where for choice in choices] == [
        (("memory.data.waits", waits),) for waits in (0, 2, 8)
    ]
    assert all(len(choice.front) > 1 and choice.take in choice.front for choice in choices)
    fastest = [min(row.outcome.metrics["time_us"] for row in each.front) for each in choices]
    assert fastest == sorted(fastest)  # a slower memory makes nothing faster
    # Whether run or re-timed, a point is what a run of it gives.
    for row in result.rows[:: len(result.rows) // 5]:
        values = result.named(row)
        harts = values.pop("harts", 1)
        machine = load_architecture("t13-simd1", [f"{k}={v}" for k, v in values.items()])
        program = build([GALLERY / f"{name}.c"], machine, active_harts=harts)
        region = Region("work", program.symbol("work").address)
        run = simulate(program, machine, max_cycles=1_000_000, regions=[region])
        assert row.outcome.metrics["wall_cycles"] == run.region_totals["work"].wall_cycles


if __name__ == "__main__":
    print("\n".join(map(row, PROGRAMS)))
