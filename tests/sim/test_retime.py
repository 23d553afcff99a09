"""A path recorded once and priced on other machines is what direct runs there give."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import load_architecture
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.program import build
from gnomon.sim import NotPriceable, Region, record_path, simulate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.program import Program

MACHINE = "t13-paper-simd1"
MOST_CYCLES = 10_000_000

MIXED = """\
#include "vcu.h"
#include "gnomon.h"
int a[40], b[40], c[40];
volatile unsigned divisor = 3;
GNOMON_REGION int work(int turn)
{
    int sum = 0;
    for (int i = 0; i < 40; i++) { a[i] = i * 7919 + turn; b[i] = i * 31 % 13; }
    vcu_set_mvsize(160);
    kmemld(VCU_SPM(0), a, 160);
    kmemld(VCU_SPM(1), b, 160);
    sum += a[3];
    kvdiv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
    kmemstr(c, VCU_SPM(2), 160);
    sum += (int)((unsigned)c[5] / divisor);
    vcu_set_mvsize(36);
    kaddv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
    ksvmulrf(VCU_SPM(3), VCU_SPM(2), 5);
    kdotp(VCU_SPM(3) + 64, VCU_SPM(0), VCU_SPM(1));
    kvrem(VCU_SPM(2), VCU_SPM(3), VCU_SPM(1));
    kmemld(VCU_SPM(3) + 256, a, 160);
    kvdiv(VCU_SPM(3), VCU_SPM(2), VCU_SPM(1)); /* its target is being loaded */
    kmemld(VCU_SPM(0), c, 40);
    kaddv(VCU_SPM(1), VCU_SPM(2), VCU_SPM(3));
    vcu_set_mvsize(0);
    kaddv(VCU_SPM(1), VCU_SPM(2), VCU_SPM(3));
    kmemstr(c, VCU_SPM(1), 0);
    vcu_set_mvsize(36);
    kmemstr(c + 1, VCU_SPM(1), 36);
    ((char *)b)[2] = (char)sum;
    return sum % (turn + 5) + c[7] / (turn + 1);
}
GNOMON_REGION int twice(int turn) { return work(turn) + work(turn + 3); }
int main(int hart) { return hart + twice(1) + work(9); }
"""

REFUSED = {
    "clock": (
        (
            '#include "gnomon.h"\n#include "vcu.h"\nint a[4];\nint main(int hart) { vcu_set_mvsize(16);'  # noqa: E501
            " kmemld(VCU_SPM(0), a, 16); a[1] = 1; return hart + (int)gnomon_cycle(); }"
        ),
        1,
        "the program behaves differently when it is delayed",
    ),
    "counters": (
        (
            "int main(int hart) { unsigned n;"
            ' __asm__ volatile("csrr %0, mcycle" : "=r"(n)); return hart + (int)n; }'
        ),
        1,
        "the program reads counters, traps or takes interrupts",
    ),
    "harts": (
        "volatile unsigned a = 99, b = 7;\nint main(int hart) { return (int)(a / b) + hart; }",
        3,
        "events of harts other than 0, or with several harts awake",
    ),
    "narrow": (
        (
            '#include "vcu.h"\nint a[4];\nint main(int hart) { vcu_set_mvtype(VCU_8_BIT);'
            " vcu_set_mvsize(16); kbcast(VCU_SPM(0), 1); return hart + a[0]; }"
        ),
        1,
        "vectors of 8- or 16-bit elements, whose results depend on lanes",
    ),
    "overlap": (
        (
            '#include "vcu.h"\nint main(int hart) { vcu_set_mvsize(32);'
            " kvcp(VCU_SPM(0) + 4, VCU_SPM(0)); return hart; }"
        ),
        1,
        "a vector instruction writes operands that it still reads",
    ),
}


def built(folder: Path, source: str, harts: int = 1) -> Program:
    path = folder / "program.c"
    path.write_text(source)
    return build([path], load_architecture(MACHINE), active_harts=harts, stack_size_bytes=512)


def machines() -> list[Architecture]:
    """Machines that differ in what can be priced."""
    return [
        load_architecture(
            MACHINE,
            [
                f"vcu.simd={simd}",
                f"vcu.sharing={sharing}",
                f"vcu.divider={lanes}",
                f"core.divider={core}",
                "clock=33 MHz",
            ],
        )
        for simd, sharing, (lanes, core) in product(
            (1, 2, 8),
            ("shared", "replicated", "multithreaded"),
            (
                ("restoring_r2", "klessydra_vl_hp"),
                ("klessydra_vl_std", "restoring_r4"),
                ("combinational", "klessydra_vl_hf"),
                ("early_clz_r4", "early_clz_r2"),
            ),
        )
    ]


def check(program: Program, regions: Sequence[Region]) -> None:
    path = record_path(program, load_architecture(MACHINE), regions, max_cycles=MOST_CYCLES)
    walls = set()
    for machine in machines():
        run = simulate(program, machine, regions=regions, max_cycles=MOST_CYCLES)
        assert run.exit_code == path.exit_code
        assert run.data_memory == path.data_memory
        priced = path.retime(machine)
        assert priced == run.regions
        walls.add(tuple(part.wall_cycles for parts in priced.values() for part in parts))
    assert len(walls) > 6


def test_a_program_with_every_kind_of_event(tmp_path: Path) -> None:
    program = built(tmp_path, MIXED)
    regions = [Region(name, program.symbol(name).address) for name in ("work", "twice", "main")]
    check(program, regions)


def test_a_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Program, Any]] = []

    def spy(program: Program, architecture: Architecture, **options: Any) -> Any:
        seen.append((program, options["regions"]))
        return simulate(program, architecture, **options)

    monkeypatch.setattr("gnomon.measure.learners._program.simulate", spy)
    learner = find_embedded_learner("linucb-disjoint")
    LearnerBench(
        learner,
        learner.variant("optimized-vector"),
        load_architecture(MACHINE),
        EmbeddedSizes(2, 2),
    ).measure(case="random", details=False)
    check(*seen[0])


@pytest.mark.parametrize("name", REFUSED)
def test_what_timing_could_change_is_refused(tmp_path: Path, name: str) -> None:
    source, harts, message = REFUSED[name]
    program = built(tmp_path, source, harts)
    with pytest.raises(NotPriceable) as error:
        record_path(program, load_architecture(MACHINE), [], max_cycles=MOST_CYCLES)
    assert str(error.value) == message


def test_machines_that_are_not_understood(tmp_path: Path) -> None:
    program = built(tmp_path, "int main(int hart) { return hart; }")
    serial = load_architecture(MACHINE, ["core.superscalar=false"])
    with pytest.raises(NotPriceable, match="only the t13"):
        record_path(program, serial, [], max_cycles=MOST_CYCLES)
    path = record_path(program, load_architecture(MACHINE), [], max_cycles=MOST_CYCLES)
    assert path.retime(load_architecture(MACHINE, ["vcu.simd=8"])) == {}
    more = "differs from the machine of the recording in more"
    with pytest.raises(NotPriceable, match=more):
        path.retime(load_architecture(MACHINE, ["vcu.scratchpads.size=4 KiB"]))
