"""What all studies are made of: sizes, steps that count themselves, criteria."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.frames import frame
from gnomon.report.criteria import CriteriaChecker, criteria_json, findings, tally
from gnomon.report.study import Steps, size_of, study_page

if TYPE_CHECKING:
    from pathlib import Path


def test_a_size_by_its_name() -> None:
    assert size_of("full", {"small": 1, "full": 2}) == 2
    with pytest.raises(GnomonError, match=r"'ful'.*full"):
        size_of("ful", {"small": 1, "full": 2})


def test_steps_count_themselves() -> None:
    seen: list[tuple[int, int, str]] = []
    steps = Steps(lambda *each: seen.append(each))
    assert list(steps.over([7, 8], lambda item: f"item {item}")) == [7, 8]
    steps("last")
    assert seen == [(1, 2, "item 7"), (2, 2, "item 8"), (3, 3, "last")]


def test_steps_that_are_planned_count_once() -> None:
    steps = Steps()
    steps.plan(3)
    list(steps.over("ab"))
    steps()
    assert (steps.done, steps.total) == (3, 3)


def test_a_page_is_its_template_filled(tmp_path: Path) -> None:
    (tmp_path / "page.md.j2").write_text(
        "{% if loss < 0.02 %}\nless\n{% else %}\nmore\n{% endif %}\n{{ rows | table('b') }}\n"
    )
    rows = frame(("a", "b"), [("x", 1)])
    assert study_page(tmp_path, loss=0.01, rows=rows) == (
        "less\n| a | b |\n|---|---:|\n| x | 1 |\n"
    )
    with pytest.raises(GnomonError, match=r"page\.md\.j2:1: 'loss'"):
        study_page(tmp_path, rows=rows)


def test_criteria_are_stated_in_yaml(tmp_path: Path) -> None:
    text = (
        "schema: 1\ncriteria:\n"
        "  A: {source: paper, what: a share, least: {small: 0.5, full: 0.9},\n"
        "      before: {full: '0.95'}}\n"
        "  B {}: {source: paper, what: both, limit: 'within {near:.1f}', catches: others}\n"
    )
    path = tmp_path / "criteria.yaml"
    path.write_text(text)
    judge = CriteriaChecker(path)
    rows = [judge.each("A", [0.6, 0.8], size) for size in ("small", "full")]
    rows.append(judge.compare("B {}", "1, 2", met=None, key="x", numbers={"near": 1.5}))
    assert tally(rows) == "1 of 2 met; 1 more shown only"
    assert findings(rows).to_numpy().tolist() == [
        ["A", "a share", "0.600 to 0.800", "at least 0.5", "yes", "", ""],
        ["A", "a share", "0.600 to 0.800", "at least 0.9", "no", "0.95", ""],
        ["B x", "both", "1, 2", "within 1.5", "shown only", "", ""],
    ]
    assert [row["met"] for row in criteria_json(rows)] == [True, False, None]
    assert [row["value"] for row in criteria_json(rows)] == [0.6, 0.6, None]
    assert [row["asserted"] for row in criteria_json(rows)] == [True, True, False]
    assert findings([]).empty
    with pytest.raises(GnomonError, match="there is no criterion 'C'"):
        judge.each("C", [])
    for missing, words in (
        ("source: paper, ", "source: missing"),
        (", catches: others", "catches"),
    ):
        path.write_text(text.replace(missing, ""))
        with pytest.raises(GnomonError, match=words):
            CriteriaChecker(path)
