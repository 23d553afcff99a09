"""Numbers of Markdown pages: the cell that holds each, or the tables that it is computed from."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pytest

from gnomon.base.content import content_root
from gnomon.base.errors import GnomonError
from gnomon.report.explain import explain_quantity
from gnomon.report.explain._pages import page_files, tables_of
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOT = content_root()
PAGES = [name for name in page_files() if not name.endswith("README.md")]
SMALL_PAGES = ["reports/study/study.md", "reports/area/area.md", "reports/claims/claims.md"]


def lines_of(file: str) -> list[str]:
    return (ROOT / file).read_text(encoding="utf-8").splitlines()


def rows_of(file: str) -> list[int]:
    """Lines of table rows with a number."""
    lines = lines_of(file)
    rules = {at for at, text in enumerate(lines, 1) if re.fullmatch(r"\|[\s:|-]+", text)}
    rows = [at for at, text in enumerate(lines, 1) if text.startswith("|") and at not in rules]
    number = re.compile(r"(?<=\| )\d")  # not a part of a name
    return [at for at in rows if at + 1 not in rules and number.search(lines[at - 1])]


def test_every_page_has_tables() -> None:
    assert len(PAGES) > 20
    assert [name for name in PAGES if not tables_of(name)] == []


@pytest.mark.parametrize(
    "file", light_and_heavy("studies", SMALL_PAGES, dict.fromkeys([*SMALL_PAGES, *PAGES]))
)
def test_numbers_of_every_page_end_in_sources(file: str) -> None:
    """The first, the last and some rows between, each number of them."""
    rows = rows_of(file)
    for line in {rows[0], rows[-1], *rows[:: max(1, len(rows) // 8)]}:
        for chain in explain_quantity(f"{file}:{line}"):
            assert chain.steps[0].where == f"{file}:{line}"
            assert chain.value in lines_of(file)[line - 1]
            assert chain.sources, chain.quantity


def shown_as_they_are() -> Iterator[tuple[str, str, int, list[int]]]:
    """Tables of pages that are CSV files cell by cell: page, file, first line, columns."""
    for page, table in (
        ("logged/logged.md", "logged/logged-replay.csv"),
        ("logged/logged.md", "logged/logged-taught.csv"),
        ("logged/logged.md", "logged/logged-estimators.csv"),
        ("cores/cores.md", "cores/cores.csv"),
        ("gate_energy/gate_energy.md", "gate_energy/kernels.csv"),
    ):
        with (ROOT / "reports" / table).open(newline="") as file:
            heads = next(csv.reader(file))
        lines = lines_of(f"reports/{page}")
        wanted = [" ".join(head.split("_")) for head in heads]
        for at, text in enumerate(lines, 1):
            cells = [" ".join(cell.strip().split("_")) for cell in text.strip("|").split("|")]
            if cells == wanted[: len(cells)] and len(cells) > 2:
                yield f"reports/{page}", f"reports/{table}", at + 2, list(range(len(cells)))


SHOWN = list(shown_as_they_are())


def test_some_tables_are_shown_as_they_are() -> None:
    assert len(SHOWN) >= 3


def alike(shown: str, stored: str) -> bool:
    """Whether a cell of a page is one of a table, as far as it is printed."""
    try:
        digits = len(shown.partition(".")[2])
        return abs(float(shown.replace(",", "")) - float(stored)) <= 0.5001 * 10.0**-digits
    except ValueError:
        return shown == stored


@pytest.mark.parametrize(("page", "table", "first", "columns"), SHOWN)
def test_a_cell_that_is_shown_is_found(
    page: str, table: str, first: int, columns: list[int]
) -> None:
    """The row that is found holds every other cell of the page's row as well."""
    with (ROOT / table).open(newline="") as file:
        heads, *rows = csv.reader(file)
    found = 0
    shown = lines_of(page)
    ends = (at for at in range(first, len(shown)) if not shown[at].startswith("|"))
    last = next(ends, len(shown))
    for line in range(first, last + 1, 4):
        cells = [each.strip() for each in lines_of(page)[line - 1].strip("|").split("|")]
        for at in columns:
            if not re.fullmatch(r"-?[\d,]+(\.\d+)?", cells[at]):
                continue
            (chain,) = explain_quantity(f"{page}:{line}:{' '.join(heads[at].split('_'))}")
            step = chain.steps[1]
            if step.kind != "value":
                assert "not distinguish" in step.text or "names the case" in step.text
                continue
            assert step.where.startswith(f"{table}:")
            own = rows[int(step.where.rpartition(":")[2]) - 2]
            assert [k for k in columns if not alike(cells[k], own[k])] == []
            assert f": {heads[at]} of" in step.text
            found += 1
    assert found >= 4


def line_with(file: str, *words: str) -> int:
    return next(at for at, text in enumerate(lines_of(file), 1) if all(w in text for w in words))


def test_a_cell_goes_by_head_or_by_character() -> None:
    file = "reports/study/study.md"
    line = line_with(file, "| 20 |", "1,649")
    by_head = explain_quantity(f"{file}:{line}:SIMD 4")
    place = lines_of(file)[line - 1].index("1,649") + 2
    assert [chain.value for chain in by_head] == ["1,649", "6.32"]
    assert by_head[0].unit == "cycles"
    assert explain_quantity(f"{file}:{line}:simd 4") == by_head
    assert explain_quantity(f"{file}:{line}:{place}") == explain_quantity(
        f"{file}:{line}:SIMD 1"
    ) or explain_quantity(f"{file}:{line}:{place}")[0].value.startswith("1,6")


def test_numbers_in_words_and_whole_pages() -> None:
    file = "reports/claims/claims.md"
    line = line_with(file, "reproduced,", "contradicted,")
    chains = explain_quantity(f"{file}:{line}")
    assert [chain.value for chain in chains] == re.findall(r"\d+", lines_of(file)[line - 1])
    assert all(chain.sources for chain in chains)
    (whole,) = explain_quantity(file)
    assert any(step.text == "gnomon report claims" for step in whole.steps)


@pytest.mark.parametrize(
    ("quantity", "told"),
    [
        ("reports/study/studdy.md:26", "no page .*did you mean 'reports/study/study.md'?"),
        ("reports/study/study.md:9999", r"has no line 9999 \(lines 1 to \d+\)"),
        ("reports/study/study.md:34:SIMD 5", "has no column 'SIMD 5' here .*did you mean 'SIMD"),
        ("reports/study/study.md:1:ours", "no table is there, so no column 'ours'"),
        ("reports/study/study.md:2", "no number is there"),
        ("reports/../README.md:3", "no page"),
        ("docs/glossary.md:3", "no page"),
    ],
)
def test_a_slip_about_a_page(quantity: str, told: str) -> None:
    with pytest.raises(GnomonError, match=told.replace("'?", r"'\?")):
        explain_quantity(quantity)


def test_a_page_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gnomon.yaml").write_text("schema: 1\n")
    folder = tmp_path / "reports" / "mine"
    folder.mkdir(parents=True)
    (folder / "own.csv").write_text("size,cycles\n4,1700\n8,9250\n")
    (folder / "page.md").write_text("# Mine\n\n| size | cycles |\n|---|---|\n| 8 | 9,250 |\n")
    (tmp_path / "reports" / "SOURCES.yaml").write_text(
        "files:\n  mine/own.csv:\n    what: cycles\n    keys: [size]\n    rules:\n"
        "      - {columns: ['*'], how: counted, refs: [simulator]}\n"
    )
    monkeypatch.chdir(tmp_path)
    (chain,) = explain_quantity("reports/mine/page.md:5")  # and not the 8, which names the case
    assert (chain.value, chain.unit) == ("9,250", "cycles")
    assert chain.steps[1].where == str(folder / "own.csv") + ":3"
