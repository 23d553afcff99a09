"""Lines of a run's page: wall cycles as in its headline; each cycle in one line or one row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import gnomon
from gnomon.observe.why import StallAnalysis
from gnomon.report.run_page import view_of

if TYPE_CHECKING:
    from gnomon.sim import Run

ROOT = Path(__file__).parents[2]
OWN = """#include <gnomon.h>
#include "helper.h"
static volatile int sum;
int main(void) {
    for (int i = 0; i < 40; ++i) sum = added(sum, i);
    return 0;
}
"""
SLEEPER = """#include <gnomon.h>
int main(void) {
    volatile int sum = 0;
    for (int i = 0; i < 30; ++i) sum += i;
    return 0;
}
"""
DIVIDES = "int main(void) { volatile long long a = 1; return (int)(a / 3); }\n"


def view(folder: Path, text: str, arch: str, **more: Any) -> tuple[dict[str, Any], Run]:
    source = folder / "own.c"
    source.write_text(text)
    (folder / "helper.h").write_text("static int added(int a, int b) { return a + b; }\n")
    machine = gnomon.load_architecture(arch)
    program = gnomon.build([source], machine, debug=True)
    run = gnomon.simulate(program, machine, **more)
    why = StallAnalysis(run, machine)
    return view_of(why, program, [source]), run


@pytest.mark.parametrize(
    ("text", "arch", "more"),
    [
        (SLEEPER, "t13", {}),
        (SLEEPER, "t13-simd4", {}),
        (OWN, "t13", {}),
        (OWN, "rv32im", {}),
        (DIVIDES, "t13", {}),
        (SLEEPER, "t13", {"max_cycles": 100}),
    ],
    ids=["parked", "vector", "two-files", "in-order", "library", "cut"],
)
def test_lines_sum_to_the_headline(
    text: str, arch: str, more: dict[str, Any], tmp_path: Path
) -> None:
    found, run = view(tmp_path, text, arch, **more)
    lines = sum(line[1] for file in found["files"] for line in file["lines"])
    assert lines + sum(cycles for _, cycles in found["elsewhere"]) == run.wall_cycles
    assert found["wall_cycles"] == run.wall_cycles
    assert all(cycles > 0 for _, cycles in found["elsewhere"])
