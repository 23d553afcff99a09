"""Output of a deployment: terminal, page, Markdown, table of all runs, figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gnomon.base.console import console
from gnomon.base.console import table as console_table
from gnomon.base.files import Content, write_file, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.deploy import DeploymentResult, SearchResult
from gnomon.report.deploy._facts import assumptions, columns_of, list_warnings, write_headline
from gnomon.report.deploy._pictures import Drawn, pictures
from gnomon.report.deploy._tables import (
    energy_table,
    given_table,
    latency_table,
    ledger_table,
    tried_table,
)
from gnomon.report.page import picture_of, render_html, render_markdown
from gnomon.report.table import PageTable

_COLUMNS = (
    "run", "arch", "clock_hz", "keeps", "requests", "decided", "missed", "dropped", "p50_us",
    "p99_us", "p99_9_us", "worst_us", "mean_wait_us", "utilisation", "mean_mw", "mean_low_mw",
    "mean_high_mw", "uj_per_decision", "battery_life_days", "battery_life_low_days",
    "battery_life_high_days", "does_not_keep",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeploymentReport:
    """Results of a deployment."""

    result: DeploymentResult  # the run as described
    found: SearchResult | None  # result of the search; None if there was none

    def print(self) -> None:
        """Print the result first, then the tables, then their limits."""
        result, found = self.result, self.found
        shown = columns_of(result, found)
        tried = None if found is None else tried_table(found, reasons=False)
        tables = (latency_table(shown), ledger_table(shown), _energy_table(shown), tried)
        reasons = [
            f"{each.name} does not run: {each.reason}"
            for each in (() if found is None else found.tried)
            if each.result is None
        ]
        headline = write_headline(result, found)
        print_report(result.deployment.title, headline, tables, reasons + list_warnings(result))

    def write(self, target: Path, spec: str) -> tuple[Path, ...]:
        """Write page, Markdown, table and figures; the same deployment gives the same bytes.

        Args:
            target: the folder of the files, made if absent; a name in .html: the page alone.
            spec: the text of the deployment file, for the page.

        Raises:
            GnomonError: if a file cannot be written.
        """
        drawn = pictures(self.result, self.found)
        facts = _facts(self.result, self.found, drawn, spec)
        return write_pages(target, facts, drawn, {"runs.csv": runs_csv(self.result, self.found)})


def print_report(
    title: str,
    headline: Iterable[str],
    tables: Iterable[PageTable | None],
    notes: Iterable[str],
) -> None:
    """Print a report to the terminal, without tables that are None."""
    out = console()
    out.print(title)
    for line in headline:
        out.print(f"  {line}")
    for table in filter(None, tables):
        made = console_table(table.caption, 1, *(column.label for column in table.columns))
        made.columns[0].no_wrap = True  # a truncated name is not identifiable
        for shown_column, column in zip(made.columns, table.columns, strict=True):
            if not column.is_number:  # texts wrap between words, figures do not
                shown_column.justify = "left"
        for row in table.rows:
            made.add_row(*map(str, row))
        out.print(made)
    for line in notes:
        out.print(f"  {line}")


def make_section(
    drawn: Sequence[Drawn],
    title: str,
    table: PageTable | None = None,
    figures: Sequence[str] = (),
    lines: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the data of a section of a page; its figures are those that were drawn."""
    words = {each.name: each.words for each in drawn}
    return {
        "title": title,
        "table": table,
        "pictures": [(name, words[name]) for name in figures if name in words],
        "lines": lines,
    }


def write_pages(
    target: Path, facts: dict[str, Any], drawn: Sequence[Drawn], tables: Mapping[str, Content]
) -> tuple[Path, ...]:
    """Write page, Markdown, tables and figures; the page alone if the target is a .html file."""
    markdown = render_markdown(Path(__file__).parent, "deploy.md.j2", facts)
    images = {each.name: picture_of(each.files["svg"].decode(), each.name) for each in drawn}
    for section in facts["sections"]:
        section["pictures"] = [(images[name], words) for name, words in section["pictures"]]
    alone = target.suffix == ".html"
    page = render_html(Path(__file__).parent, "deploy.html.j2", facts | {"alone": alone})
    if alone:
        return (write_file(target, page),)
    files: dict[str, Content] = {"index.html": page, "deploy.md": markdown, **tables}
    files |= {picture.name: picture.files for picture in drawn}
    return write_files(target, files)


def deployment_markdown(
    result: DeploymentResult, found: SearchResult | None, drawn: Sequence[Drawn], spec: str
) -> str:
    """Return the page in Markdown; its pictures are files next to it."""
    facts = _facts(result, found, drawn, spec)
    return render_markdown(Path(__file__).parent, "deploy.md.j2", facts)


def _facts(
    result: DeploymentResult, found: SearchResult | None, drawn: Sequence[Drawn], spec: str
) -> dict[str, Any]:
    """Return the data that both pages show."""
    shown = columns_of(result, found)
    section = partial(make_section, drawn)
    energy = _energy_table(shown)
    sections = [section("Latency", latency_table(shown), ("latency", "timeline"))]
    if energy is not None:
        sections.append(section("Energy", energy, ("energy",)))
    if found is not None:
        sections.append(section("What was tried", tried_table(found), ("search",)))
    sections += [
        section("Nothing is lost", ledger_table(shown)),
        section("What was run", lines=assumptions(result)),
        section("Figures that the file gives", given_table(result.deployment)),
    ]
    return {
        "name": result.deployment.name,
        "title": result.deployment.title,
        "headline": write_headline(result, found),
        "warnings": list_warnings(result),
        "sections": sections,
        "spec": spec,
        "rows": "All runs",
        "csv": "runs.csv",
    }


def _energy_table(shown: Sequence[tuple[str, DeploymentResult]]) -> PageTable | None:
    caption = "Energy per decision, by part"
    return energy_table(caption, shown, lambda result: max(1, len(result.latency_ps)))


def runs_csv(result: DeploymentResult, found: SearchResult | None) -> str:
    """Return one row per run, the described one first; empty if a value is unavailable."""
    rows: list[list[str | int]] = [_row("described", result)]
    for candidate in () if found is None else found.tried:
        if candidate.result is None:
            empty = [""] * (len(_COLUMNS) - 4)
            rows.append([candidate.name, candidate.name, "", "no", *empty])
        else:
            rows.append(_row(candidate.name, candidate.result))
    return csv_text(frame(_COLUMNS, rows))


def _row(name: str, result: DeploymentResult) -> list[str | int]:
    found = result.to_json()
    requests, latency, energy = found["requests"], found["latency"], found["energy"]
    unknown = {"value": None, "low": None, "high": None}
    mean = (energy or {"mean_mw": unknown})["mean_mw"]
    days, decided = found["battery_life_days"] or unknown, requests["decided"]
    each = energy["total_uj"]["value"] / decided if energy is not None and decided else None
    figures = (
        *(latency[f"{key}_us"] for key in ("p50", "p99", "p99.9", "worst", "mean_wait")),
        found["time"]["utilisation"], *mean.values(), each, *days.values(),
    )  # fmt: skip
    missed = requests["missed"]
    return [
        *(name, result.architecture.name, result.clock_hz, result.verdict),
        *(requests["arrived"], decided, "" if missed is None else missed, requests["dropped"]),
        *format_cells(figures),
        "; ".join(result.misses),
    ]


def format_cells(figures: Iterable[float | None]) -> list[str]:
    """Return figures as cells of a CSV file; an unavailable one is empty."""
    return ["" if value is None else f"{value:.6g}" for value in figures]
