"""The table of dividers: complete, with sources, and refused where it is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch.dividers import _registry as registry
from gnomon.arch.dividers import (
    divider,
    divider_areas,
    divider_names,
    dividers,
    engine_cycles,
    table_lookup,
)
from gnomon.arch.dividers._divider import read_divider
from gnomon.arch.dividers._table import TABLE_ENTRIES
from gnomon.base.content import content
from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_names_a_machine_may_use() -> None:
    assert divider_names() == (
        "restoring_r2", "nonrestoring_r2", "restoring_r4", "srt_r4", "unrolled_2", "unrolled_4",
        "unrolled_8", "early_clz_r2", "early_clz_r4", "early_divisor_only", "klessydra_vl_std",
        "klessydra_vl_hf", "klessydra_vl_ls", "klessydra_vl_hp", "combinational", "newton_lut",
        "fixed_10", "table",
    )  # fmt: skip


def test_every_row_says_where_it_is_from() -> None:
    for name, row in dividers().items():
        assert row.name == name
        assert row.title
        assert row.source
        assert 1 <= row.least_cycles <= row.most_cycles
    measured = {name for name, row in dividers().items() if row.certainty == "measured"}
    assert measured == {"restoring_r2", "klessydra_vl_std", "klessydra_vl_hf", "klessydra_vl_ls"}


def test_areas_belong_to_dividers_and_say_that_they_are_estimates() -> None:
    areas = divider_areas()
    assert [(row.divider, row.lut, row.ff) for row in areas] == [
        ("restoring_r2", 139, 104), ("nonrestoring_r2", 146, 106), ("early_clz_r2", 407, 104),
        ("restoring_r4", 267, 136), ("combinational", 2518, 0), ("klessydra_vl_std", 392, 173),
        ("klessydra_vl_ls", 483, 109), ("klessydra_vl_hp", 383, 104),
        ("klessydra_vl_hf", 767, 116),
    ]  # fmt: skip
    assert {row.divider for row in areas} <= set(dividers())
    text = content("models", "dividers", "area-xc7.yaml").read_text("utf-8")
    assert "certainty: synthesis estimate" in text


def test_an_earlier_spelling_is_still_read() -> None:
    assert divider("restoring-radix2") is divider("restoring_r2")


def test_an_unknown_divider() -> None:
    with pytest.raises(GnomonError) as error:
        divider("klessydra_vl_hpp")
    assert str(error.value) == (
        "no divider is called 'klessydra_vl_hpp' (known: "
        f"{', '.join(divider_names())}, did you mean 'klessydra_vl_hp'?)"
    )


# ---- tables of users ----


def cycles_of(by: Any, table: list[int], dividend: int, divisor: int) -> int:
    law = divider("table").law_number
    return engine_cycles(law, 0, 0, table_lookup(by, table), dividend, divisor, 32)


def test_a_table_by_length() -> None:
    table = [100 + length for length in range(33)]
    assert cycles_of("dividend-bits", table, 0, 9) == 100
    assert cycles_of("dividend-bits", table, 2**32 - 1, 9) == 132
    assert cycles_of("divisor-bits", table, 7, 8) == 104
    assert cycles_of("quotient-bits", table, 7, 8) == 100
    assert cycles_of("quotient-bits", table, 8, 8) == 101
    assert cycles_of("quotient-bits", table, 2**32 - 1, 1) == 132
    assert cycles_of("quotient-bits", table, 7, 0) == 132


def test_a_table_by_both_lengths() -> None:
    table = list(range(33 * 33))
    assert TABLE_ENTRIES["both"] == len(table)
    assert cycles_of("both", table, 5, 2) == 33 * 3 + 2


def test_a_table_can_say_what_a_law_says() -> None:
    law = divider("early_clz_r2")
    table = [max(1, 1 + bits) for bits in range(33)]
    for dividend, divisor in ((0, 3), (3, 9), (9, 3), (2**32 - 1, 1), (2**31, 2**31)):
        expected = engine_cycles(law.law_number, law.first, 0, (), dividend, divisor, 32)
        assert cycles_of("quotient-bits", table, dividend, divisor) == expected


# ---- a damaged table ----

GOOD = {
    "title": "t", "law": "fixed", "cycles": 3, "least_cycles": 3, "most_cycles": 3, "wide": False,
    "certainty": "derived", "source": "s",
}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (3, "must be a section with keys of its own"),
        (
            GOOD | {"law": "vl-st"},
            (
                "law must not be 'vl-st' (allowed: fixed, digits, early-clz, divisor-clz, vl-std, "
                "vl-hf, vl-ls, vl-hp, table, did you mean 'vl-std'?)"
            ),
        ),
        (GOOD | {"cycles": "3"}, "cycles must be a whole number, not '3'"),
        (GOOD | {"wide": 1}, "wide must be true or false, not 1"),
        (GOOD | {"title": None}, "title must be a text, not None"),
        (
            GOOD | {"cycle": 3},
            (
                "unknown key 'cycle' (allowed: title, law, certainty, source, wide, least_cycles, "
                "most_cycles, cycles, did you mean 'cycles'?)"
            ),
        ),
        (
            GOOD | {"certainty": "sure"},
            "certainty must not be 'sure' (allowed: measured, checked, derived, published, yours)",
        ),
    ],
)
def test_a_wrong_row(row: object, message: str) -> None:
    assert read_divider("d", GOOD, "laws.yaml").first == 3
    with pytest.raises(GnomonError) as error:
        read_divider("d", row, "laws.yaml")
    assert str(error.value) == f"laws.yaml: d: {message}"


@pytest.mark.parametrize("text", [None, "a: [1\n", ""])
def test_a_table_that_cannot_be_read(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "laws.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(GnomonError, match=r"laws\.yaml:"):
        registry._read(path)
