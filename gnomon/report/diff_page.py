"""Two runs compared, as one page."""

from pathlib import Path

from gnomon.observe.diff import Result
from gnomon.report.diff_text import HEADLINES
from gnomon.report.page import render_html
from gnomon.report.table import Column, Table, Value, number

_HTML = Path(__file__).with_name("html")


def diff_page(result: Result) -> str:
    """The page: which cycles, whose they are, the first instruction that differs in its context."""
    change = result.b_cycles - result.a_cycles
    facts = {
        "a": result.a.title,
        "b": result.b.title,
        "cycles": [("A", number(result.a_cycles, ",.0f", how="wall cycles of A")),
                   ("B", number(result.b_cycles, ",.0f", how="wall cycles of B"))],
        "change": f"{abs(change):,} {'fewer' if change < 0 else 'more'}",
        "headline": HEADLINES[result.differs],
        "why": result.why,
        "outcome": [(name, a, b) for name, (a, b) in result.outcome.items()],
        "functions": _functions(result),
        "issues": _issues(result),
    }  # fmt: skip
    return render_html(_HTML, "diff.html.j2", facts)


def _functions(result: Result) -> Table | None:
    if not result.functions:
        return None
    columns = (Column("function"), Column("A", is_number=True), Column("B", is_number=True),
               Column("change", is_number=True))  # fmt: skip
    rows = [
        (Value(each.name), number(each.a_cycles, ",.0f"), number(each.b_cycles, ",.0f"),
         number(each.change_cycles, "+,.0f"))
        for each in result.functions
    ]  # fmt: skip
    return Table("functions", "Cycles by function, of all harts", columns, tuple(rows))


def _issues(result: Result) -> Table | None:
    """The first instructions that differ, with those before and behind them."""
    difference = result.found.difference
    if difference is None:
        return None
    columns = [Column(name) for name in ("", "place", "pc", "instruction")]
    columns.append(Column("cycle", is_number=True))
    both = [before for before, _ in difference.before]
    of_a = [difference.a, *difference.after_a]
    of_b = [difference.b, *difference.after_b]
    rows = []
    for name, labels, issues in (
        ("same", result.a, [*both]), ("A", result.a, of_a), ("B", result.b, of_b),
    ):  # fmt: skip
        for issue in issues:
            if issue is None:
                rows.append((Value(name), Value("(ended)"), *(Value("") for _ in range(3))))
                continue
            told = labels.tell(issue)
            rows.append((Value(name), Value(told["place"]), Value(f"{told['pc']:08x}"),
                         Value(told["text"]), number(told["cycle"], ",.0f")))  # fmt: skip
    title = f"The first difference: hart {difference.hart}"
    return Table("issues", title, tuple(columns), tuple(rows))
