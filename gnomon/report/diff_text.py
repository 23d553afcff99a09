"""Comparison of two runs, as human-readable tables."""

from typing import Any

from gnomon.base.console import Table, console, table
from gnomon.observe.diff import ComparisonResult

_HEADLINES = {
    "instructions": "They execute other instructions.",
    "timing": "The same instructions, in other cycles.",
    "data": "The same instructions in the same cycles, with other results.",
    "nothing": "No difference: the same instructions in the same cycles, with the same results.",
}
_CUT = "No difference up to where they stop, which is not the end of the program."
_MOST_FUNCTIONS = 20


def print_diff(result: ComparisonResult) -> None:
    """Print the differences, the first one in its context, and the functions with other cycles."""
    out = console()
    out.print(f"A: {result.a.title}: {result.a_cycles:,} cycles")
    out.print(f"B: {result.b.title}: {result.b_cycles:,} cycles")
    out.print(describe_difference(result))
    for line in bad_ends(result):
        out.print(line)
    _print_instructions(result)
    _print_timing(result)
    for name, (a, b) in result.outcome.items():
        out.print(f"other {name}: A {a}, B {b}")
    _print_functions(result)


def describe_difference(result: ComparisonResult) -> str:
    """Return the kind of difference as a sentence."""
    return _CUT if result.differs == "nothing" and not result.same else _HEADLINES[result.differs]


def bad_ends(result: ComparisonResult) -> list[str]:
    """Return a sentence for each side that does not end regularly."""
    ends = {"A": result.a_bad_end, "B": result.b_bad_end}
    return [f"{side} stops: {end}" for side, end in ends.items() if end is not None]


def _print_instructions(result: ComparisonResult) -> None:
    difference = result.found.difference
    if difference is None:
        return
    first = difference.a or difference.b
    assert first is not None
    rows = _issues(f"first difference: hart {difference.hart}, its instruction {first.index:,}")
    for a, b in difference.before:
        rows.add_row(*_cells("same", result.a.to_json(a), b.cycle))
    rows.add_section()
    for name, labels, issues in (
        ("A", result.a, (difference.a, *difference.after_a)),
        ("B", result.b, (difference.b, *difference.after_b)),
    ):
        for issue in issues:
            mark = f"{name} >" if issue is issues[0] else name
            cells = (mark, "(ended)") if issue is None else _cells(mark, labels.to_json(issue))
            rows.add_row(*cells)
        rows.add_section()
    console().print(rows)
    if result.why:
        console().print(f"why: {result.why}")


def _print_timing(result: ComparisonResult) -> None:
    timing = result.found.timing
    if timing is None:
        return
    title = f"first other cycle: hart {timing.hart}, its instruction {timing.a.index:,}"
    rows = _issues(title, "in B")
    for a, b in timing.before:
        rows.add_row(*_cells("same", result.a.to_json(a)), b.cycle)
    rows.add_row(*_cells(">", result.a.to_json(timing.a)), timing.b.cycle)
    console().print(rows)


def _issues(title: str, *more: str) -> Table:
    rows = table(title, 5, "", "place", "pc", "word", "instruction", "cycle", *more)
    for column in rows.columns[1:5]:
        column.no_wrap = True
    return rows


def _cells(mark: str, issue: dict[str, Any], other_cycle: int | None = None) -> list[str]:
    cycle = f"{issue['cycle']:,}"
    if other_cycle not in (None, issue["cycle"]):
        cycle += f" / {other_cycle:,}"
    return [
        mark, issue["place"], f"{issue['pc']:08x}", f"{issue['word']:08x}", issue["text"], cycle,
    ]  # fmt: skip


def _print_functions(result: ComparisonResult) -> None:
    if not result.functions:
        return
    rows = table("cycles by function, of all harts", 1, "function", "A", "B", "change")
    shown, rest = result.functions[:_MOST_FUNCTIONS], result.functions[_MOST_FUNCTIONS:]
    for each in shown:
        counts = ("-" if n is None else n for n in (each.a_cycles, each.b_cycles))
        rows.add_row(each.name, *counts, f"{each.change_cycles:+,}")
    if rest:
        change = sum(each.change_cycles for each in rest)
        rows.add_row(f"({len(rest)} more)", "", "", f"{change:+,}")
    rows.add_section()
    change = result.b_cycles - result.a_cycles
    rows.add_row("all, unchanged ones too", result.a_cycles, result.b_cycles, f"{change:+,}")
    console().print(rows)
