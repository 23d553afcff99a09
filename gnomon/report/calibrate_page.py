"""Page of a calibration: measured keys, residuals, and the timeline of a misfit."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gnomon.report.page import render_html
from gnomon.report.table import PageTable, format_number

_HTML = Path(__file__).with_name("html")


def calibration_page(
    title: str,
    outcome: str,
    latency: Mapping[str, Any],
    evidence: Mapping[str, str],
    notes: Sequence[str] = (),
    timeline: Sequence[tuple[str, int | None, int | None]] = (),
) -> str:
    """Return the page of one calibration.

    ``outcome`` is the result of random programs, or the reason of rejection; further lines are a
    listing. ``latency`` holds the keys of the machine, as far as determined. ``timeline`` holds
    instructions with their cycles on the core and on the machine.
    """
    finding, *listing = outcome.splitlines()
    facts = {
        "title": title,
        "told": finding,
        "listing": listing,
        "notes": notes,
        "keys": _keys(latency, evidence) if latency else None,
        "timeline": _timeline(timeline) if timeline else None,
    }
    return render_html(_HTML, "calibrate.html.j2", facts)


def _keys(latency: Mapping[str, Any], evidence: Mapping[str, str]) -> PageTable:
    rows = []
    for name, value in latency.items():
        for each in value if isinstance(value, list) else [value]:
            shown = (", ".join(f"{key}: {_flat(part)}" for key, part in each.items())
                     if isinstance(each, dict) else str(each))  # fmt: skip
            rows.append((name, shown, evidence[name]))
    caption = "Keys of the machine, in cycles where they are numbers"
    heads = ("key", "value", "measured by")
    return PageTable.from_cells("keys", caption, heads, rows, words=3)


def _flat(part: object) -> str:
    return " ".join(map(str, part)) if isinstance(part, list) else str(part)


def _timeline(steps: Sequence[tuple[str, int | None, int | None]]) -> PageTable:
    rows = []
    end = 0
    for text, core, machine in steps:
        end += core or 0
        residual = None if core is None or machine is None else core - machine
        took, modeled = format_number(core, ",.0f"), format_number(machine, ",.0f")
        left = format_number(residual or None, "+,.0f")
        rows.append((text, format_number(end, ",.0f"), took, modeled, left))
    heads = ("instruction", "retires in cycle", "took", "machine says", "residual")
    caption = (
        "Instructions that the core executed, with their cycles; if the end of a jump shows only "
        "with the next instruction, the residuals of both cancel"
    )
    return PageTable.from_cells("timeline", caption, heads, rows)
