"""Tables 2 and 3 on the Cortex-M4 and the Cortex-A72, from the committed counts."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.frames import rows_of
from gnomon.base.progress import Steps
from gnomon.content.reports.paper.cells_page import merged_cells, others_of_cells
from gnomon.content.reports.paper.published import published_cells
from gnomon.content.reports.platforms.cells import (
    PLATFORMS,
    PlatformFit,
    fit_factor,
    fit_platform,
    ours,
    platform_rows,
    priced,
)
from gnomon.content.reports.platforms.counts import run_counts, run_selection
from gnomon.content.reports.platforms.study import platforms_markdown, write_platforms
from gnomon.cost.platforms import load_platform
from gnomon.program import find_toolchain

COMMITTED = Path(__file__).parents[2] / "reports" / "paper"
COUNTS = pd.read_csv(COMMITTED / "platform-mixes.csv")
SELECTION = pd.read_csv(COMMITTED / "platform-functions.csv")
COMPILER = COUNTS["compiler"].iloc[0]


@pytest.fixture(scope="module")
def fits() -> list[PlatformFit]:
    return [fit_platform(name, COUNTS) for name in PLATFORMS]


def test_committed_page_and_table_are_those_of_the_committed_counts(
    fits: list[PlatformFit], tmp_path: Path
) -> None:
    assert (COMMITTED / "platforms.md").read_text("utf-8") == platforms_markdown(
        fits, COUNTS, SELECTION
    )
    rows = list(csv.DictReader(io.StringIO((COMMITTED / "cells.csv").read_text("utf-8"))))
    assert [row for row in rows if row["platform"] in PLATFORMS] == platform_rows(fits)
    (tmp_path / "cells.csv").write_bytes((COMMITTED / "cells.csv").read_bytes())
    for path in write_platforms(COUNTS, SELECTION, tmp_path):
        assert path.read_bytes() == (COMMITTED / path.name).read_bytes()


@pytest.mark.heavy("studies")
def test_committed_counts_are_those_of_this_code() -> None:
    progress = Steps()
    counts = run_counts(progress, params=[4])
    assert progress.done == len(counts) == 16
    if counts["compiler"].iloc[0] != COMPILER:
        pytest.skip(f"the committed counts are not of {counts['compiler'].iloc[0]}")
    committed = COUNTS[COUNTS["param"] == 4]
    assert counts.to_dict("records") == committed.to_dict("records")


@pytest.mark.heavy("studies")
def test_committed_functions_are_those_of_this_code() -> None:
    rows = run_selection()
    if find_toolchain("zig").title != COMPILER:
        pytest.skip(f"the committed functions are of {COMPILER}")
    assert rows.to_dict() == SELECTION.to_dict()


def test_sentences_follow_the_numbers(fits: list[PlatformFit]) -> None:
    """Which build is nearest, by how much, and which board the programs fit."""
    text = platforms_markdown(fits, COUNTS, SELECTION)
    assert "about a seventh of the published time on the" in text
    changed = []
    for fit in fits:
        builds = fit.builds.copy()
        builds.loc["-O2", ["documented_error", "documented_ratio"]] = 0.0, 0.5
        changed.append(replace(fit, builds=builds))
    small = COUNTS.assign(static_bytes=1000, stack_bytes=0)
    other = platforms_markdown(changed, small, SELECTION)
    assert "about a half of the published time on the" in other
    assert "Builds at -O2 come nearest" in other
    assert "come nearest: the cells" not in text
    functions = SELECTION.assign(rv32im=1)
    slower = small.assign(div=small["div"].where(small["build"] != "-O2", 10**9))
    unlike = platforms_markdown(changed, slower, functions)
    assert "not fit at f = 16 either" in text
    assert "not fit at f = 16 either" not in other
    for sentence in (
        "no choice within the documented intervals closes this gap",
        "It is not caused by a different number of instructions for the same C",
    ):
        assert sentence in " ".join(text.split())
        assert sentence not in " ".join(unlike.split())
    nearer = []
    for each in fits:
        builds = each.builds.copy()
        builds.loc["-O0 throughout"] = builds.loc["-O2"]
        nearer.append(replace(each, builds=builds))
    assert "that row is nearer; with the factor it is further off" in " ".join(text.split())
    other = " ".join(platforms_markdown(nearer, COUNTS, SELECTION).split())
    assert "that row is no nearer" in other


@pytest.mark.parametrize(("index", "mean", "worst"), [(0, 0.0933, -0.1711), (1, 0.0657, 0.1253)])
def test_left_out_sizes_are_predicted(
    fits: list[PlatformFit], index: int, mean: float, worst: float
) -> None:
    error = fits[index].builds.loc["-O0"]
    assert error["left_out_error"] == pytest.approx(mean, abs=1e-4)
    assert error["left_out_error"] <= 0.15
    assert error["left_out_worst"] == pytest.approx(worst, abs=1e-4)
    assert error["documented_error"] > error["left_out_error"]


def test_what_the_page_says_of_intervals(fits: list[PlatformFit]) -> None:
    """Optimized builds stay below the cells at the high end of every cost; -O0 on the M4 too."""
    for fit in fits:
        optimized = priced(fit.platform, COUNTS[COUNTS["build"] == "-O2"]).dropna()
        assert len(optimized) == len(fit.known)
        assert (optimized["high"] < optimized["cycles"]).all()
        beyond = fit.known["high"] < fit.known["cycles"]
        assert beyond.all() if fit.platform.name == "cortex-m4" else not beyond.any()


def test_shipped_calibrations_are_the_fits(fits: list[PlatformFit]) -> None:
    for fit in fits:
        platform = load_platform(fit.platform.name)
        assert platform.calibration.factor == round(fit.factor, 3)
        low, high = fit.left_out_range
        assert platform.left_out == (round(low, 3), round(high, 3))


def test_every_published_cell_has_a_value_of_ours(fits: list[PlatformFit]) -> None:
    rows = platform_rows(fits)
    published = {key: v for key, v in published_cells().items() if key.platform in PLATFORMS}
    assert len(published) == 2 * 2 * 2 * 4 * 3 - 6
    for reading in ("left-out", "documented"):
        ours = {
            (row["table"], row["platform"], row["variant"], row["param"], row["metric"]): row
            for row in rows
            if row["reading"] == reading
        }
        assert len(ours) == len(published) + 6
        for key, value in published.items():
            row = ours[str(key.table), key.platform, key.variant, str(key.param), key.metric]
            assert int(row["published"]) == value
            assert float(row["ratio"]) == pytest.approx(float(row["ours"]) / value, abs=6e-5)


def test_only_the_cells_that_are_not_there_do_not_fit(fits: list[PlatformFit]) -> None:
    not_fitting = {
        (row["platform"], row["table"], row["param"], row["published"], row["ratio"])
        for row in platform_rows(fits)
        if row["ours"] == "does not fit"
    }
    assert not_fitting == {("cortex-m4", "3", "32", "N.A.", "")}
    for fit in fits:
        assert (fit.cells["fits"] == fit.cells["cycles"].notna()).all()


def test_energy_errs_as_cycles_do(fits: list[PlatformFit]) -> None:
    for fit in fits:
        for cell in rows_of(fit.known):
            cycles = ours(fit.platform, cell, "cycles", "left-out") / cell.cycles
            energy = ours(fit.platform, cell, "energy", "left-out") / cell.energy
            # Half a microsecond and half a microjoule of rounding in what is printed.
            slack = 1 / cell.energy + 1 / cell.time + 0.002
            assert energy == pytest.approx(cycles, rel=slack)


def test_lines_of_other_parts_stay() -> None:
    head = (COMMITTED / "cells.csv").read_text("utf-8").splitlines()[0]
    line = "2,Disjoint,{},std,d,4,cycles,cycles,paper,hart,1,2,2.0000,{}"
    before = "\n".join([head, line.format("t13", "kept"), line.format("cortex-m4", "old"), ""])
    new = dict(zip(head.split(","), line.format("cortex-m4", "new").split(","), strict=True))

    def owned(row: dict[str, str]) -> bool:
        return row["platform"] == "cortex-m4"

    merged = merged_cells(before, [new], owned)
    assert merged == before.replace("old", "new")
    assert merged_cells(merged, [new], owned) == merged
    assert merged_cells("", [new], owned).splitlines() == [head, line.format("cortex-m4", "new")]
    assert others_of_cells(before, owned) == f"{line.format('t13', 'kept')}\n"


def test_least_squares_of_relative_errors() -> None:
    ratios = (0.5, 0.4)
    factor = fit_factor(ratios)
    assert factor == pytest.approx((0.5 + 0.4) / (0.25 + 0.16))

    def squares(tried: float) -> float:
        return sum((tried * ratio - 1) ** 2 for ratio in ratios)

    assert squares(factor) < min(squares(factor * 0.99), squares(factor * 1.01))


def test_no_cell_has_a_part_in_its_own_prediction(fits: list[PlatformFit]) -> None:
    for fit in fits:
        for cell in rows_of(fit.known):
            others = fit.known[fit.known["param"] != cell.param]
            assert cell.factor == pytest.approx(fit_factor(others["ratio"]))
            assert cell.left_out == pytest.approx(cell.documented * cell.factor)
            assert cell.left_out_ratio == pytest.approx(cell.left_out / cell.cycles)


def test_one_size_alone_cannot_be_left_out() -> None:
    one = COUNTS[(COUNTS["build"] == "-O0") & (COUNTS["param"] == 4)]
    with pytest.raises(GnomonError) as error:
        priced(load_platform("cortex-m4"), one)
    assert str(error.value) == "a factor needs at least one published cell to be fitted to"
