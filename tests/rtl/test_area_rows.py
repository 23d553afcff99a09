"""The committed area rows of our RTL: whole, plausible, and made again by the same tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.cost.area import RESOURCES, Area, SynthesisRow, read_synthesis_rows
from gnomon.rtl import Grid, Tool
from gnomon.rtl.designs import DIVIDER_KINDS, LANES, SCRATCHPADS
from gnomon.rtl.synthesis import synthesize

if TYPE_CHECKING:
    from pathlib import Path

GRIDS = {
    "synth-dividers-xc7.csv": "dividers",
    "synth-whole-vcu-xc7.csv": "vector-unit",
    "synth-vector-units-xc7.csv": "vector-parts",
    "synth-machines-xc7.csv": "machines",
}


def committed(file: str) -> tuple[SynthesisRow, ...]:
    return read_synthesis_rows(content("models", "area", file))


@pytest.mark.parametrize("file", GRIDS)
def test_the_committed_rows_are_of_the_whole_grid(file: str) -> None:
    text = content("models", "area", file).read_text()
    grid = Grid.from_design(GRIDS[file])
    assert text.startswith(f"# Made by `gnomon rtl area --design {grid.design}`. Synthesis estim")
    designs = [each.design for each in grid.configurations]
    rows = [row.design for row in committed(file)]
    # Of whole machines, those that have been synthesized yet: the grid goes from small to large.
    assert rows == (designs[: len(rows)] if grid.design == "machines" else designs)
    assert len({row.tool.split()[1] for row in committed(file)}) == 1


def test_a_vector_unit_grows_with_lanes_and_scratchpads() -> None:
    lut = {
        (int(row.conditions["vcu.simd"]), int(row.conditions["vcu.scratchpads.count"])): row.counts
        for row in committed("synth-whole-vcu-xc7.csv")
    }
    assert set(lut) == {(simd, count) for simd in LANES for count in SCRATCHPADS}
    for (simd, count), counts in lut.items():
        assert counts["dsp"] == 4 * simd
        assert counts["bram"] == count * max(1, simd / 2)
        if simd < LANES[-1]:
            assert counts["lut"] < lut[2 * simd, count]["lut"]
        if count + 2 in SCRATCHPADS:  # one more may cost nothing: multiplexers grow by powers of 2
            assert counts["lut"] < lut[simd, count + 2]["lut"]


# In docs/method/area-checks.md, too: the fifth hart of gnomon's core takes 889 LUT;
# the table estimates 100 to 600. With a divider per lane there is more block RAM than in the table.
OUTSIDE = {
    ("HARTS=5 SIMD=0 SHARING=shared DIVIDER=restoring_r2 LANE_DIVIDER=none", "lut"),
    ("HARTS=3 SIMD=1 SHARING=shared DIVIDER=restoring_r2 LANE_DIVIDER=restoring_r2", "bram"),
}


def test_whole_machines_are_within_the_intervals_of_the_sums_of_their_parts() -> None:
    outside = set()
    for row in committed("synth-machines-xc7.csv"):
        written = {
            "vcu.extensions none": "[]",
            "vcu.extensions kdiv": "[kdiv]",
            "vcu.scratchpads.size 4096": "4 KiB",
        }
        sets = [
            f"{key}={written.get(f'{key} {value}', value)}"
            for key, value in row.conditions.items()
            if (key, value) != ("vcu.simd", "none")
        ]
        machine = load_architecture("t13-simd1" if "vcu.sharing" in row.conditions else "t13", sets)
        assert row.holds_for(machine)
        found = Area.from_architecture(machine)
        assert found.whole is not None
        assert found.whole.origins[0] == row.origin
        for name in RESOURCES:
            total = found.total.of(name)
            if not total.low <= row.counts[name] <= total.high:
                outside.add((row.design.split(" t13 ")[1], name))
    assert outside == OUTSIDE


def test_area_grows_as_it_must() -> None:
    dividers = committed("synth-dividers-xc7.csv")
    lut = {(row.part, *row.conditions.values()): row.counts["lut"] for row in dividers}
    for kind in DIVIDER_KINDS:
        assert lut["divider.engine", kind] < lut["divider", kind]
        for lanes in LANES[:-1]:
            ratio = lut["vector_divider", str(2 * lanes), kind]
            ratio /= lut["vector_divider", str(lanes), kind]
            assert 1.5 < ratio < 2.1
    assert lut["divider.engine", "combinational"] > 4 * lut["divider.engine", "unrolled_4"]


@pytest.mark.heavy("gates")
def test_a_row_can_be_made_again(
    synthesizer: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path))
    rows = {row.design: row for row in committed("synth-dividers-xc7.csv")}
    if rows[next(iter(rows))].tool.split()[1] != synthesizer.version:
        pytest.skip(f"the rows are of another version than yosys {synthesizer.version}")
    for configuration in Grid.from_design(
        "dividers", dividers=["restoring_r2"], lanes=[2]
    ).configurations:
        counts = synthesize(configuration, synthesizer)
        assert counts == rows[configuration.design].counts
