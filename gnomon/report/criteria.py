"""Acceptance criteria of a study: as CSV, as a table of its page, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.base import frames

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gnomon.learn import Criterion


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV file."""
    return frames.csv_text(frames.frame(header, rows))


def table(header: Sequence[str], right: Sequence[bool], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; ``right`` says which columns are numbers."""
    numbers = [name for name, number in zip(header, right, strict=True) if number]
    return frames.markdown(frames.frame(header, rows), numbers)


def criteria_csv(criteria: Sequence[Criterion]) -> str:
    """One row for each."""
    return csv_text(
        ("criterion", "measured", "value", "limit", "met", "asserted", "remark"),
        [
            (each.name, each.what, f"{each.value:.6g}", each.limit, _yes(each.met),
             _yes(not each.weak), each.remark)
            for each in criteria
        ],
    )  # fmt: skip


def criteria_table(criteria: Sequence[Criterion]) -> str:
    """The same for a page."""
    return table(
        ("criterion", "measured", "value", "limit", "met", "remark"),
        (False, False, True, True, False, False),
        [
            (each.name, each.what, _short(each.value), each.limit, verdict(each), each.remark)
            for each in criteria
        ],
    )


def criteria_json(criteria: Sequence[Criterion]) -> list[dict[str, Any]]:
    """The same for ``--json``."""
    return [
        {
            "criterion": each.name,
            "measured": each.what,
            "value": float(each.value),
            "limit": each.limit,
            "met": each.met,
            "asserted": not each.weak,
        }
        for each in criteria
    ]


def verdict(criterion: Criterion) -> str:
    """Whether it is met, or only shown."""
    if criterion.weak:
        return f"shown ({_yes(criterion.met)})"
    return "yes" if criterion.met else "**no**"


def summary(criteria: Sequence[Criterion]) -> str:
    """How many are met."""
    asserted = [each for each in criteria if not each.weak]
    met = sum(bool(each.met) for each in asserted)
    shown = len(criteria) - len(asserted)
    return f"{met} of {len(asserted)} met; {shown} more are weak, and shown without being asserted."


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _short(value: float) -> str:
    return f"{value:.1e}" if 0 < abs(value) < 1e-3 else f"{value:.3g}"
