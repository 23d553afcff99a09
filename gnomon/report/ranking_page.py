"""Ranking of learners, as one page."""

from collections.abc import Mapping
from pathlib import Path

from gnomon.base.interval import Interval
from gnomon.base.units import short_number
from gnomon.explore.ranking import Candidate, Ranking
from gnomon.report.page import render_html
from gnomon.report.ranking_text import (
    list_basis,
    list_choices,
    list_reasons,
    locked_text,
    name_candidate,
)
from gnomon.report.table import NOTHING, PageColumn, PageTable, Value

_HTML = Path(__file__).with_name("html")
_MJ_PER_UJ = 1e-3
_LIMITS = {
    "slowest_cycles": ("slowest decision", "µs"), "energy_uj": ("energy of a decision", "µJ"),
    "ram_bytes": ("RAM", "B"), "flash_bytes": ("flash", "B"),
}  # fmt: skip


def ranking_page(found: Ranking, limits: Mapping[str, float], per_day: float | None = None) -> str:
    """Return the page: the choice, all implementations, and why some are not ranked."""
    at = found.at
    ranked = [each for each in found.candidates if each.rank]
    conditions = [f"on {found.machine}", f"d = {at.d}", f"{at.arms} arms",
                  f"{at.horizon:,} rounds"]  # fmt: skip
    conditions += [
        f"{word} at most {limits[name]:,.12g} {unit}"
        for name, (word, unit) in _LIMITS.items()
        if name in limits
    ]
    facts = {
        "headline": f"First: {name_candidate(ranked[0])}" if ranked else "Nothing is ranked",
        "conditions": ", ".join(conditions),
        "cards": _list_cards(ranked[0]) if ranked else [],
        "choices": list_choices(found, per_day),
        "rows": _make_table(found, per_day),
        "reasons": list_reasons(found),
        "basis": list_basis(found),
        "unmeasured": list(found.unmeasured.items()),
    }
    return render_html(_HTML, "ranking.html.j2", facts)


def _list_cards(first: Candidate) -> list[tuple[str, Value, str]]:
    """Return head, figure and interval of the costs of the first choice."""
    shown = [("regret", first.regret)]
    shown += [
        (head, first.costs.get(name))
        for head, name in (
            ("cycles of a decision", "cycles"), ("µJ of a decision", "energy_uj"),
            ("slowest decision, µs", "slowest_cycles"), ("RAM, B", "ram_bytes"),
        )
    ]  # fmt: skip
    return [
        (head, _number(each), f"{short_number(each.low)} to {short_number(each.high)}")
        for head, each in shown
        if each
    ]


def _make_table(found: Ranking, per_day: float | None) -> PageTable:
    """Return all implementations; what decides comes first, as it is what a phone shows."""
    goal = ["rounds", "mJ to it"] if found.target is not None else []
    daily = ["mJ/day"] if per_day else []
    numbers = ["interval", "locked", "cycles", *daily, "slowest, µs", "RAM, B", "flash, B"]
    columns = (
        PageColumn("rank", is_number=True), PageColumn("implementation"),
        *(PageColumn(head, is_number=True) for head in ("regret", *goal, "µJ", *numbers)),
    )  # fmt: skip
    rows = tuple(_make_row(each, found.target is not None, per_day) for each in found.candidates)
    caption = "Regret with its 95 % interval, and costs of a mean decision"
    return PageTable("ranking", caption, columns, rows)


def _make_row(each: Candidate, has_goal: bool, per_day: float | None) -> tuple[Value, ...]:
    regret, energy, star = each.regret, each.costs.get("energy_uj"), "*" * each.extrapolated
    goal = list[Value]()
    if has_goal:
        rounds = each.goal.to.rounds if each.goal else None
        goal = [
            NOTHING if rounds is None else Value(f"{rounds:,}"),
            _number(_scale(each.goal.energy_uj if each.goal else None, _MJ_PER_UJ)),
        ]
    limited = ("slowest_cycles", "ram_bytes", "flash_bytes")
    return (
        Value(str(each.rank or "-"), order=each.rank or float("inf")),
        Value(name_candidate(each)),
        Value(f"{regret.value:.3f}") if regret else NOTHING,
        *goal,
        _number(energy),
        Value(f"{regret.low:.3f} to {regret.high:.3f}") if regret else NOTHING,
        Value(locked_text(each.near)),
        _number(each.costs.get("cycles")),
        *([_number(_scale(energy, per_day * _MJ_PER_UJ))] if per_day else ()),
        *(_number(each.costs[name], star) for name in limited),
    )


def _scale(cost: Interval | None, factor: float) -> Interval | None:
    return None if cost is None else cost * factor


def _number(cost: Interval | None, mark: str = "") -> Value:
    """Return a figure that tells its interval on demand."""
    if cost is None:
        return NOTHING
    how = f"predicted: {short_number(cost.low)} to {short_number(cost.high)}"
    return Value(short_number(cost.value) + mark, how=how, order=cost.value)
