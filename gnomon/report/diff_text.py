"""Two runs compared, as tables for people."""

from __future__ import annotations

from typing import Any

from gnomon.base.console import console, table
from gnomon.observe.diff import Result

_HEADLINES = {
    "instructions": "They execute other instructions.",
    "timing": "The same instructions, in other cycles.",
    "data": "The same instructions in the same cycles, with other results.",
    "nothing": ("No difference: the same instructions in the same cycles, with the same results."),
}
_MOST_FUNCTIONS = 20


def print_diff(result: Result) -> None:
    """Print what differs, the first difference in its context, and whose cycles changed."""
    out = console()
    for name, labels, cycles in (
        ("A", result.a, result.a_cycles),
        ("B", result.b, result.b_cycles),
    ):
        out.print(f"{name}: {labels.title}: {cycles:,} cycles")
    out.print(_HEADLINES[result.differs])
    _print_instructions(result)
    _print_timing(result)
    for name, (a, b) in result.outcome.items():
        out.print(f"other {name}: A {a}, B {b}")
    _print_functions(result)


def _print_instructions(result: Result) -> None:
    difference = result.found.difference
    if difference is None:
        return
    first = difference.a or difference.b
    assert first is not None
    rows = table(
        f"first difference: hart {difference.hart}, its instruction {first.index:,}", 5,
        "", "place", "pc", "word", "instruction", "cycle",
    )  # fmt: skip
    for column in rows.columns[1:5]:
        column.no_wrap = True
    for a, b in difference.before:
        rows.add_row(*_cells("same", result.a.tell(a), b.cycle))
    rows.add_section()
    for name, labels, issues in (
        ("A", result.a, (difference.a, *difference.after_a)),
        ("B", result.b, (difference.b, *difference.after_b)),
    ):
        for issue in issues:
            mark = f"{name} >" if issue is issues[0] else name
            if issue is None:
                rows.add_row(mark, "(ended)", "", "", "", "")
            else:
                rows.add_row(*_cells(mark, labels.tell(issue)))
        rows.add_section()
    console().print(rows)
    if result.why:
        console().print(f"why: {result.why}")


def _print_timing(result: Result) -> None:
    timing = result.found.timing
    if timing is None:
        return
    rows = table(
        f"first other cycle: hart {timing.hart}, its instruction {timing.a.index:,}", 5,
        "", "place", "pc", "word", "instruction", "cycle", "in B",
    )  # fmt: skip
    for column in rows.columns[1:5]:
        column.no_wrap = True
    for a, b in timing.before:
        rows.add_row(*_cells("same", result.a.tell(a)), f"{b.cycle:,}")
    rows.add_row(*_cells(">", result.a.tell(timing.a)), f"{timing.b.cycle:,}")
    console().print(rows)


def _cells(mark: str, told: dict[str, Any], other_cycle: int | None = None) -> list[str]:
    cycle = f"{told['cycle']:,}"
    if other_cycle not in (None, told["cycle"]):
        cycle += f" / {other_cycle:,}"
    return [
        mark, told["place"], f"{told['pc']:08x}", f"{told['word']:08x}", told["text"], cycle,
    ]  # fmt: skip


def _print_functions(result: Result) -> None:
    if not result.functions:
        return
    rows = table("cycles by function, of all harts", 1, "function", "A", "B", "change")
    shown, rest = result.functions[:_MOST_FUNCTIONS], result.functions[_MOST_FUNCTIONS:]
    for each in shown:
        rows.add_row(each.name, _count(each.a_cycles), _count(each.b_cycles),
                     f"{each.change_cycles:+,}")  # fmt: skip
    if rest:
        change = sum(each.change_cycles for each in rest)
        rows.add_row(f"({len(rest)} more)", "", "", f"{change:+,}")
    rows.add_section()
    rows.add_row("all, unchanged ones too", f"{result.a_cycles:,}", f"{result.b_cycles:,}",
                 f"{result.b_cycles - result.a_cycles:+,}")  # fmt: skip
    console().print(rows)


def _count(cycles: int | None) -> str:
    return "-" if cycles is None else f"{cycles:,}"
