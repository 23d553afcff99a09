"""Comparison of two runs, as one page."""

from pathlib import Path

from gnomon.observe.diff import ComparisonResult
from gnomon.report.diff_text import bad_ends, describe_difference
from gnomon.report.page import render_html
from gnomon.report.table import PageColumn, PageTable, Value, format_number

_HTML = Path(__file__).with_name("html")


def diff_page(result: ComparisonResult) -> str:
    """Return the page: cycles by function, and the first different instruction in context."""
    change = result.b_cycles - result.a_cycles
    facts = {
        "a": result.a.title,
        "b": result.b.title,
        "cycles": [("A", format_number(result.a_cycles, ",.0f", how="wall cycles of A")),
                   ("B", format_number(result.b_cycles, ",.0f", how="wall cycles of B"))],
        "change": f"{abs(change):,} {'fewer' if change < 0 else 'more'}" if change else "as many",
        "headline": describe_difference(result),
        "bad_ends": bad_ends(result),
        "why": result.why,
        "outcome": [(name, a, b) for name, (a, b) in result.outcome.items()],
        "functions": _functions(result),
        "issues": _issues(result),
    }  # fmt: skip
    return render_html(_HTML, "diff.html.j2", facts)


def _functions(result: ComparisonResult) -> PageTable | None:
    if not result.functions:
        return None
    rows = [
        (each.name, format_number(each.a_cycles, ",.0f"), format_number(each.b_cycles, ",.0f"),
         format_number(each.change_cycles, "+,.0f"))
        for each in result.functions
    ]  # fmt: skip
    heads = ("function", "A", "B", "change")
    return PageTable.from_cells("functions", "Cycles by function, of all harts", heads, rows)


def _issues(result: ComparisonResult) -> PageTable | None:
    """Return the first instructions that differ, with their neighbors before and after."""
    difference = result.found.difference
    if difference is None:
        return None
    issues = [
        *(("same", result.a, before) for before, _ in difference.before),
        *(("A", result.a, each) for each in (difference.a, *difference.after_a)),
        *(("B", result.b, each) for each in (difference.b, *difference.after_b)),
    ]
    rows: list[tuple[str | Value, ...]] = []
    for name, labels, issue in issues:
        if issue is None:
            rows.append((name, "(ended)", "", "", ""))
            continue
        shown = labels.to_json(issue)
        cycle = format_number(shown["cycle"], ",.0f")
        rows.append((name, shown["text"], cycle, shown["place"], f"{shown['pc']:08x}"))
    title = f"The first difference: hart {difference.hart}"
    columns = tuple(
        PageColumn(head, is_number=head == "cycle")
        for head in ("", "instruction", "cycle", "place", "pc")  # a phone shows the first ones
    )
    cells = (tuple(Value(each) if isinstance(each, str) else each for each in row) for row in rows)
    return PageTable("issues", title, columns, tuple(cells))
