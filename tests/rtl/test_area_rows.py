"""The committed area rows of our RTL: whole, plausible, and made again by the same tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.area import read_synthesis_rows
from gnomon.content import content
from gnomon.rtl import DIVIDER_KINDS, Tool, divider_configurations, synthesise

if TYPE_CHECKING:
    from gnomon.area import SynthesisRow

COMMITTED = content("models", "area", "synth-dividers-xc7.csv")


def committed() -> tuple[SynthesisRow, ...]:
    return read_synthesis_rows(COMMITTED)


def test_the_committed_rows_are_of_the_whole_grid() -> None:
    assert "Synthesis estimates" in COMMITTED.read_text()
    assert [row.design for row in committed()] == [each.design for each in divider_configurations()]
    assert len({row.tool.split()[1] for row in committed()}) == 1


def test_area_grows_as_it_must() -> None:
    lut = {(row.part, *row.conditions.values()): row.counts["lut"] for row in committed()}
    for kind in DIVIDER_KINDS:
        assert lut["divider.engine", kind] < lut["divider", kind]
    assert lut["divider.engine", "combinational"] > 4 * lut["divider.engine", "unrolled_4"]
    for lanes in ("1", "2", "4"):
        ratio = lut["vector_divider", str(2 * int(lanes)), "klessydra_vl_std"]
        ratio /= lut["vector_divider", lanes, "klessydra_vl_std"]
        assert 1.5 < ratio < 2.1


@pytest.mark.nightly
def test_a_row_can_be_made_again(synthesiser: Tool) -> None:
    rows = {row.design: row for row in committed()}
    if rows[next(iter(rows))].tool.split()[1] != synthesiser.version:
        pytest.skip(f"the rows are of another version than yosys {synthesiser.version}")
    for configuration in divider_configurations(["restoring_r2"], ["restoring_r2"], [2]):
        counts = synthesise(configuration, synthesiser)
        assert counts == rows[configuration.design].counts
