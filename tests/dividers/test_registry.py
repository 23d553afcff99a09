"""The table of dividers: complete, with sources, and refused where it is wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from gnomon.arch.dividers import Divider
from gnomon.arch.dividers._divider import read_dividers
from gnomon.arch.dividers.section import DividerTable
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.tables import read_yaml_table

if TYPE_CHECKING:
    from pathlib import Path


def test_the_names_a_machine_may_use() -> None:
    assert tuple(Divider.by_name()) == (
        "restoring_r2", "nonrestoring_r2", "restoring_r4", "srt_r4", "unrolled_2", "unrolled_4",
        "unrolled_8", "early_clz_r2", "early_clz_r4", "early_divisor_only", "klessydra_vl_std",
        "klessydra_vl_hf", "klessydra_vl_ls", "klessydra_vl_hp", "combinational", "newton_lut",
        "fixed_10", "table",
    )  # fmt: skip


def test_every_row_says_where_it_is_from() -> None:
    for name, row in Divider.by_name().items():
        assert row.name == name
        assert row.title
        assert row.source
        assert 1 <= row.least_cycles <= row.most_cycles
    measured = {name for name, row in Divider.by_name().items() if row.certainty == "measured"}
    assert measured == {"restoring_r2", "klessydra_vl_std", "klessydra_vl_hf", "klessydra_vl_ls"}


def test_areas_belong_to_dividers_and_say_that_they_are_estimates() -> None:
    path = content("models", "dividers", "area-xc7.yaml")
    table = read_yaml_table(path).data
    assert [(row["divider"], row["lut"], row["ff"]) for row in table["rows"]] == [
        ("restoring_r2", 139, 104), ("nonrestoring_r2", 146, 106), ("early_clz_r2", 407, 104),
        ("restoring_r4", 267, 136), ("combinational", 2518, 0), ("klessydra_vl_std", 392, 173),
        ("klessydra_vl_ls", 483, 109), ("klessydra_vl_hp", 383, 104),
        ("klessydra_vl_hf", 767, 116),
    ]  # fmt: skip
    assert {row["divider"] for row in table["rows"]} <= set(Divider.by_name())
    assert table["certainty"] == "synthesis estimate"


def test_an_earlier_spelling_is_still_read() -> None:
    assert Divider.named("restoring-radix2") is Divider.named("restoring_r2")


def test_an_unknown_divider() -> None:
    with pytest.raises(GnomonError) as error:
        Divider.named("klessydra_vl_hpp")
    assert str(error.value) == (
        "no divider is called 'klessydra_vl_hpp' (known: "
        f"{', '.join(Divider.by_name())}, did you mean 'klessydra_vl_hp'?)"
    )


# ---- tables of users ----


def cycles_of(by: Any, table: list[int], dividend: int, divisor: int) -> int:
    lookup = DividerTable(by=by, cycles=tuple(table)).lookup()
    return Divider.named("table").with_table(lookup).engine_cycles(dividend, divisor)


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
    table = list(range(1, 33 * 33 + 1))
    assert cycles_of("both", table, 5, 2) == 33 * 3 + 2 + 1


def test_a_table_can_say_what_a_law_says() -> None:
    law = Divider.named("early_clz_r2")
    table = [max(1, 1 + bits) for bits in range(33)]
    for dividend, divisor in ((0, 3), (3, 9), (9, 3), (2**32 - 1, 1), (2**31, 2**31)):
        expected = law.engine_cycles(dividend, divisor)
        assert cycles_of("quotient-bits", table, dividend, divisor) == expected


# ---- a damaged table ----

GOOD = {
    "title": "t", "law": "fixed", "cycles": 3, "least_cycles": 3, "most_cycles": 3, "wide": False,
    "certainty": "derived", "source": "s",
}  # fmt: skip
MISSING = {name: value for name, value in GOOD.items() if name != "cycles"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (3, "d: must be a section with keys of its own, not 3"),
        (GOOD | {"law": "vl-st"}, "d.law: must not be 'vl-st' (allowed: fixed, digits"),
        (GOOD | {"cycles": "3"},
         "d.cycles: must not be '3' (allowed: whole number; with law fixed)"),
        (GOOD | {"wide": 1}, "d.wide: must not be 1 (allowed: true, false)"),
        (GOOD | {"title": None}, "d.title: must not be none (allowed: text)"),
        (GOOD | {"cycle": 3}, "d.cycle: unknown key (allowed: name, title, law, cycles, "),
        (GOOD | {"certainty": "sure"}, "d.certainty: must not be 'sure' (allowed: measured, ch"),
        (GOOD | {"least_skip": 1}, "d.least_skip: is not of law fixed"),
        (MISSING, "d: cycles is missing with law fixed"),
    ],
)  # fmt: skip
def test_a_wrong_row(row: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "laws.yaml"
    path.write_text(yaml.safe_dump({"d": GOOD}))
    assert read_dividers(path)["d"].engine.cycles == (3,)
    path.write_text(yaml.safe_dump({"d": row}))
    with pytest.raises(GnomonError) as error:
        read_dividers(path)
    assert re.match(rf"{path}:[1-9]: dividers\.{re.escape(message)}", str(error.value))


@pytest.mark.parametrize("text", [None, "a: [1\n", ""])
def test_a_table_that_cannot_be_read(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "laws.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(GnomonError, match=r"laws\.yaml:"):
        read_dividers(path)
