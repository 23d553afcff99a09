"""A learner's experiment as a page, tables and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.report.criteria import csv_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from gnomon.learn import Criterion
    from gnomon.report.learners._report import LearnerReport

CRITERIA_COLUMNS = ("criterion", "quantity", "found", "limit", "met", "before", "remark")


def write_learner_report(report: LearnerReport, folder: Path) -> tuple[Path, ...]:
    """Write the files into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {f"{report.name}.md": page(report).encode()}
    if report.criteria:
        rows = [_criterion(each) for each in report.criteria]
        files[f"{report.name}-criteria.csv"] = csv_text(CRITERIA_COLUMNS, rows)
    for table in report.tables:
        files[f"{report.name}-{table.name}.csv"] = csv_text(table.columns, table.rows)
    for name, (_, kinds) in report.figures.items():
        files[f"{report.name}-{name}"] = kinds
    return write_files(folder, files)


def page(report: LearnerReport) -> str:
    """The page in Markdown."""
    lines = [f"# {report.title}", "", f"Made by `{report.command}`.", ""]
    for paragraph in report.about:
        lines += [paragraph, ""]
    if report.criteria:
        lines += _criteria(report.criteria)
    for name, (title, _) in report.figures.items():
        lines += [f"## {title}", "", f"![{title}]({report.name}-{name}.svg)", ""]
    for table in report.tables:
        lines += [f"## {table.title}", ""]
        if table.about:
            lines += [table.about, ""]
        lines += [*_table(table.columns, table.rows), ""]
    return "\n".join(lines)


def _criteria(criteria: Sequence[Criterion]) -> list[str]:
    judged = [each for each in criteria if not each.weak]
    met = sum(bool(each.met) for each in judged)
    shown = len(criteria) - len(judged)
    weak = f"; {shown} more shown only" if shown else ""
    said = any(each.before for each in criteria)
    before = " Before: what a NumPy prototype of ours gave; the limits come from it."
    return [
        "## Criteria",
        "",
        f"{met} of {len(judged)} met{weak}.{before if said else ''}",
        "",
        *_table(CRITERIA_COLUMNS, [_criterion(each) for each in criteria]),
        "",
    ]


def _criterion(each: Criterion) -> tuple[str, ...]:
    return (
        each.name,
        each.what,
        each.found,
        each.limit,
        "shown only" if each.weak else "yes" if each.met else "no",
        each.before,
        each.remark,
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns that are empty in all rows are left out."""
    rows = list(rows)
    kept = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    lines = [_line([columns[i].replace("_", " ") for i in kept]), "|" + "---|" * len(kept)]
    return lines + [_line([row[i] for i in kept]) for row in rows]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
