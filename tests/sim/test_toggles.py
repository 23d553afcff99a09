"""Operand toggles; on random programs tests/exactness compares them with the oracle's."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.program import build
from gnomon.sim import Work, simulate, split_work_by_function

PROGRAM = """
__attribute__((noinline)) unsigned mix(unsigned a, unsigned b) { return a * b + (a ^ b) / 3; }
int main(void) {
    unsigned x = 1;
    for (unsigned k = 0; k < 40; k++) x = mix(x, 0x55AA0000u + k);
    return (int)x;
}
"""


@pytest.mark.parametrize("machine", ["t13-simd1", "rv32im"])
def test_windows_functions_and_words_sum_to_the_run(machine: str, tmp_path: Path) -> None:
    source = tmp_path / "mix.c"
    source.write_text(PROGRAM)
    architecture = load_architecture(machine)
    program = build([source], architecture)
    run = simulate(program, architecture, toggles=64, regions=["mix"])
    plain = simulate(program, architecture)
    assert run.to_json() | {"regions": {}} == plain.to_json()

    total = dict(run.work.buses)
    products = sum(n for name, n in run.work.instructions.items() if name.startswith("mul"))
    assert total["multiplier_a"].values == products >= 40
    assert total["multiplier_a"].toggles > 0
    windows = run.toggle_windows
    assert [each.wall_cycles for each in windows[:-1]] == [64] * (len(windows) - 1)
    assert sum(each.wall_cycles for each in windows) == run.wall_cycles
    assert Work.joined(windows).buses == total
    functions = split_work_by_function(run, program, architecture)
    assert Work.joined(functions.values()).buses == total
    inside = functions["mix"].buses["multiplier_b"]
    assert inside.values >= 40
    assert run.regions["mix"][0].work.buses["multiplier_b"] == inside
    assert not plain.work.buses
    assert not plain.toggle_windows


def test_a_window_has_cycles() -> None:
    architecture = load_architecture("rv32im")
    with pytest.raises(GnomonError, match="toggles must be 0, or the cycles of a window, not -1"):
        simulate(None, architecture, toggles=-1)  # type: ignore[arg-type]
