"""Divider laws and published cells: what is right passes, what is made wrong is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch.dividers import Divider
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.rtl.validate import _core_vector as words
from gnomon.rtl.validate import _measuring as measured
from gnomon.rtl.validate._laws import check_laws, published_high_performance
from gnomon.rtl.validate._measuring import measured_rows
from gnomon.rtl.validate._published import check_published
from gnomon.rtl.validate._record import Record

if TYPE_CHECKING:
    from pathlib import Path


def test_laws_have_no_residual() -> None:
    rows = check_laws()
    assert [(row.compared, row.mismatches) for row in rows] == [
        (3669, 0), (3669, 0), (3669, 0), (3669, 0), (1232, 0), (1232, 0), (3283, 0),
        (649, 0), (791, 0), (28, 0), (28, 0), (1232, 0),
    ]  # fmt: skip
    assert [row.criterion for row in rows].count("between bounds") == 2


def test_a_wrong_law_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Divider.engine_cycles
    monkeypatch.setattr(Divider, "engine_cycles", lambda *operands: right(*operands) + 2)
    rows = check_laws()
    assert [row.mismatches for row in rows[:3]] == [3669, 3669, 3669]
    assert rows[0].worst == "0x0 / 0x0: cycles 5, measured 3"
    assert rows[0].is_wrong


def test_the_published_hp_ends_when_the_code_does_with_the_values_it_gives() -> None:
    rows = [
        row
        for row in measured_rows("vdiv", "kprim_divider_latency.csv.xz")
        if row["variant"] == "HP"
    ]
    endless = right = wrong = 0
    for row in rows:
        dividend, divisor = int(row["dividend_hex"], 16), int(row["divisor_hex"], 16)
        result = published_high_performance(dividend, divisor)
        if row["cycles_enable_to_finished_measured"] == "no_termination":
            assert result is None
            endless += 1
            continue
        assert result is not None
        assert result.engine_cycles == int(row["cycles_enable_to_finished_measured"])
        if divisor:
            fine = (result.quotient, result.remainder) == divmod(dividend, divisor)
            assert str(int(fine)) == row["value_ok"]
            right += fine
            wrong += not fine
    assert (len(rows), endless, right, wrong) == (3669, 2, 2812, 822)


def test_a_wrong_result_of_the_simulator_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [dict(row) for row in measured_rows("t13x", "mul_div_results.csv.xz")]
    rows[100]["rd_hex"] = "00c0ffee"
    monkeypatch.setattr(words, "measured_rows", lambda *_: rows)
    tally = words.multiply_and_divide()
    assert (tally.compared, tally.mismatches) == (2312, 1)
    assert tally.worst is not None
    assert tally.worst.endswith("measured 00c0ffee")


def test_published_cells_are_compared_with_their_bands() -> None:
    rows = check_published()
    assert [row.compared for row in rows] == [4] * 8
    assert {row.criterion for row in rows} == {"within band"}
    assert all(row.worst is not None and row.worst.startswith("ratio ") for row in rows)


def test_a_cell_outside_its_band_is_no_error() -> None:
    assert not Record(
        "q", "published", 4, 4, "ratio 9.000 at d = 4", criterion="within band"
    ).is_wrong
    assert Record("q", "rtl", 4, 1, "x").is_wrong


def test_other_published_figures_are_refused(tmp_path: Path) -> None:
    text = content("reports", "paper", "cells.csv").read_text("utf-8")
    path = tmp_path / "cells.csv"
    path.write_text(text.replace(",96117,", ",96118,"))
    with pytest.raises(GnomonError) as caught:
        check_published(path)
    assert str(caught.value) == (
        f"{path}:2: published is 96118, but models/published/linucb-tables.csv has 96117"
    )


def test_a_wheel_has_no_measurements(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(measured, "content", tmp_path.joinpath)
    with pytest.raises(GnomonError, match="not part of the wheel: use a checkout of gnomon"):
        measured_rows("t13x", "scalar.csv.xz")
    (tmp_path / "tests/reference").mkdir(parents=True)
    with pytest.raises(GnomonError, match=r"scalar\.csv\.xz: no such file; this checkout"):
        measured_rows("t13x", "scalar.csv.xz")
