"""Pages of studies on made-up numbers: other numbers, other sentences."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from gnomon.arch import load_architecture
from gnomon.base.frames import frame
from gnomon.content.reports.paper.cells import DIMENSIONS, PARAMS, Cell, Cells, plan
from gnomon.content.reports.paper.cells_page import cells_markdown
from gnomon.content.reports.paper.published import published_cells
from gnomon.content.reports.study.study import COLUMNS, STUDY_KERNELS, Study, study_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.content.reports.paper.cells import Planned

_BUILD = SimpleNamespace(compiler="cc", version="1", flags=("-O2",))


def _run(hart: float, wall: float) -> Any:
    return SimpleNamespace(
        hart_cycles=round(hart), wall_cycles=round(wall), issued=1, variant="v", contract="exact",
        error=0.0, error_bound=0.0, build=_BUILD, counter=lambda _: 1,
        stages=(SimpleNamespace(functions={"inverse_lu": 1}),),
    )  # fmt: skip


def _cells(cycles: Callable[[Planned, int], float]) -> Cells:
    published = published_cells()
    found = []
    for each in plan((2, 3), PARAMS, DIMENSIONS):
        run = _run(cycles(each, published[each.key]), 1e6)
        found.append(Cell(each.key, each.line, published[each.key], each.d, run, run, None))
    return Cells(tuple(found))


def test_the_cause_of_the_cells() -> None:
    """Ours as published: what costs more there costs more here."""
    same = " ".join(cells_markdown(_cells(lambda _, published: published)).split())
    assert "but gnomon's does not cost the same in both" in same
    assert "does less work in Table 2 and less work" not in same
    assert "near these in both" in same
    assert "**no**" not in same

    def cubic(each: Planned, _: int) -> float:
        return 20 * 7 / 3 * (8 * each.key.param**3 if each.d is None else (4 * each.key.param) ** 3)

    ours = cells_markdown(_cells(cubic))
    assert "and gnomon's costs the same in both" in ours
    assert "does more work in Table 2 and more in Table 3" in ours.replace("\n", " ")
    assert "**no**" in ours


def _study(gain: float) -> Study:
    rows = []
    for kernel in STUDY_KERNELS:
        for simd in (None, 1, 2, 4, 8):
            variant = "vector" if simd else "scalar"
            for size in (4, 32):
                cycles = round(9e4 / (1 + (gain - 1) * (simd or 1) / 8))
                rows.append((kernel, size, variant, simd, cycles, cycles, 1, 1.0, 1.0, 0.0, 0.0))
    machine = load_architecture("t13-simd4")
    return Study(machine, 0, ("exact",), cast("Any", _BUILD), frame(COLUMNS, rows))


def test_what_the_width_gives() -> None:
    text = study_report(_study(1.0)).page()
    assert "The sum becomes 1.00 times as fast: a wider vector unit does not help." in text
    assert "issuing instructions takes most of the time" in text
    assert "The product becomes 1.00 times as fast: a wider" in text
    text = study_report(_study(1e3)).page()
    assert "its time is nearly proportional to 1 / lanes" in text
    assert "transfers bound the sum" in text
    assert cast("str", text).count("Compared with the published figures") == 1
