"""Every number of every committed table has a chain, and every chain ends in a source."""

from __future__ import annotations

import csv
import lzma
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import Described, list_architectures
from gnomon.base.content import content, content_root
from gnomon.report.explain import explain_quantity, read_sidecar
from gnomon.report.explain._entries import explain_place, yaml_lines
from gnomon.report.explain._resolve import _resolve
from gnomon.report.explain._rows import csv_rows, explain_cell
from gnomon.report.explain._sources import sources_of

if TYPE_CHECKING:
    from gnomon.report.explain._chain import Chain

ROOT = content_root()


def tables(folder: str, *ends: str) -> list[str]:
    found = [path for end in ends for path in (ROOT / folder).rglob(f"*.{end}")]
    names = sorted(path.relative_to(ROOT).as_posix() for path in found)
    return [name for name in names if not name.endswith("SOURCES.yaml")]


TABLES = ("csv", "csv.xz")
CSV = [*tables("reports", *TABLES), *tables("models", *TABLES)]
YAML = tables("models", "yaml")


@cache
def lines_of(file: str) -> tuple[str, ...]:
    raw = (ROOT / file).read_bytes()
    return tuple((lzma.decompress(raw) if file.endswith(".xz") else raw).decode().splitlines())


@cache
def check_where(where: str) -> None:
    """Every ``file:line`` exists and the line is not empty; a page alone has no line."""
    for each in where.split(", "):
        file, _, line = each.rpartition(":")
        if not file:
            assert (ROOT / each).exists(), where
            continue
        assert lines_of(file)[int(line) - 1].strip(), where


def check(chain: Chain) -> None:
    assert chain.sources, f"{chain.quantity} ends nowhere"
    assert chain.steps[0].depth == 0
    for before, step in zip(chain.steps, chain.steps[1:], strict=False):
        assert 1 <= step.depth <= before.depth + 1 or step.depth <= before.depth
        assert step.text
    # What explains nothing more is a source, or a word about the step above it.
    for source in chain.sources:
        assert source.text
        assert source.where, source
        assert source.confidence
    for step in chain.steps:
        if step.where:
            check_where(step.where)


@pytest.mark.parametrize("folder", ["reports", "models"])
def test_every_table_is_described_and_every_description_has_a_table(folder: str) -> None:
    described = {f"{folder}/{name}" for name in read_sidecar(folder)[0]}
    ends = (*TABLES, "yaml") if folder == "models" else TABLES
    # A missing one: state its origin in <folder>/SOURCES.yaml (docs/method/provenance.md).
    assert described == set(tables(folder, *ends))


def check_cells(file: str, every: int) -> None:
    """Follow the numbers of each so many rows of a table; the first row stands for its remarks."""
    table = sources_of(file)
    rows = csv_rows(file)
    committed = [
        row for row in csv.reader(x for x in lines_of(file) if not x.startswith("#")) if row
    ]
    assert len(rows) == len(committed) - 1, file
    for at, ((line, row), values) in enumerate(zip(rows.items(), committed[1:], strict=True)):
        assert list(row.values.values()) == values, (file, line)
        for column, value in row.values.items():
            if at and (at % every or not table.is_number(column)):
                continue  # keys and remarks of one row stand for those of all
            chain = explain_cell(file, line, column, _resolve)
            assert chain.value == value, (file, line, column)
            assert chain.steps[0].where == f"{file}:{line}"
            if value and table.is_number(column):
                check(chain)


def test_cells_of_each_table_end_in_a_source() -> None:
    for file in CSV:
        check_cells(file, every=50)


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("file", CSV)
def test_every_cell_of_every_row_ends_in_a_source(file: str) -> None:
    check_cells(file, every=1)


def test_names_of_the_description_are_columns() -> None:
    for file in CSV:
        table = sources_of(file)
        columns = next(csv.reader(x for x in lines_of(file) if not x.startswith("#")))
        named = [*table.entry.keys, *table.entry.remarks]
        for rule in table.entry.rules:
            named += [*(c for c in rule.columns if c != "*"), *rule.when, *rule.of]
        for by_columns in table.entry.names.values():
            named += [word for key in by_columns for word in key.split()]
        assert set(named) <= set(columns), file
        assert not csv_rows(file) or any(map(table.is_number, columns)), file


def test_every_entry_of_every_table_ends_in_a_source() -> None:
    for file in YAML:
        for place in yaml_lines(file).lines:
            check(explain_place(file, place, "t", _resolve))


def test_every_key_of_every_machine_ends_in_a_source() -> None:
    for machine in list_architectures():
        for row in Described.list_keys(machine):
            (chain,) = explain_quantity(f"arch.{machine}.{row.path}")
            check(chain)
            assert chain.value == row.value, (machine, row.path)


@pytest.mark.parametrize("name", ["machines.csv", "parts.csv.xz"])
def test_areas_of_the_report_are_those_of_the_chains(name: str) -> None:
    file = f"reports/area/{name}"
    for row in csv.DictReader(lines_of(file)):
        part = f".{row['part']}" if "part" in row else ""
        for resource in ("lut", "ff", "dsp", "bram"):
            (chain,) = explain_quantity(f"area.{row['machine']}[{row['change']}]{part}.{resource}")
            assert float(chain.value) == pytest.approx(float(row[resource]), rel=1e-5)


def test_a_published_reference_leads_to_the_published_figure() -> None:
    """The figure beside ours and the row that its chain names hold the same number."""
    file = "reports/paper/cells.csv"
    seen = 0
    for line, row in csv_rows(file).items():
        if not row.values["published"]:
            continue
        chain = explain_cell(file, line, "published", _resolve)
        (origin,) = [
            step for step in chain.steps[1:] if step.where.startswith("models/published/linucb-tab")
        ]
        name, _, number = origin.where.rpartition(":")
        assert lines_of(name)[int(number) - 1].rpartition(",")[2] == row.values["published"]
        seen += 1
    assert seen > 400


def test_the_fit_of_a_power_table_leads_to_the_published_tables() -> None:
    (chain,) = explain_quantity("power.t13-table2.clock_power_mw")
    assert any("Tables 2 and 3" in step.text for step in chain.sources)
    assert any(step.where.startswith("models/published/") or "linucb-tables" in step.text
               for step in chain.steps)  # fmt: skip
    (point,) = explain_quantity("models/power/sources/t13-power.csv?point=table2/std/d8:power_mw")
    values = [step.text for step in point.steps if step.kind == "value"]
    assert any(text.startswith("939 uJ") for text in values)
    assert any(text.startswith("4844 us") for text in values)


def test_programs_name_files_that_are_there() -> None:
    for quantity in ("kernel.multiply.cycles", "learner.linucb-disjoint.paper"):
        for chain in explain_quantity(quantity):
            check(chain)
            (sources,) = [step for step in chain.steps if step.text.startswith("sources: ")]
            for file in sources.text.removeprefix("sources: ").split(", "):
                assert content(*Path(file).parts).is_file()
