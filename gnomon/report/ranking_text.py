"""Text of a ranking of learners."""

from gnomon.base.console import console, table
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.base.units import short_number
from gnomon.explore.learners import Candidate, Ranking

_UJ_PER_MJ = 1000.0


def check_rate_of_decisions(per_day: float | None) -> None:
    """Check that a rate of decisions is above 0.

    Raises:
        GnomonError: if it is not.
    """
    if per_day is not None and not 0 < per_day < float("inf"):
        raise GnomonError(f"--decisions-per-day must be above 0, not {per_day:g}")


def print_ranking(found: Ranking, per_day: float | None = None) -> None:
    """Print implementations that meet the limits, best first, then the others with reasons."""
    out, at = console(), found.at
    goal = ["rounds", "mJ to it"] if found.target is not None else []
    daily = ["mJ/day"] if per_day else []
    rows = table(
        f"learners on {found.machine}, d = {at.d}, {at.arms} arms, {at.horizon:,} rounds", 2,
        "learner", "implementation", "rank", "regret", "interval", "locked", *goal, "cycles",
        "µJ", *daily, "slowest, µs", "RAM, B", "flash, B",
    )  # fmt: skip
    for each in found.candidates:
        star, costs = "*" if each.extrapolated else "", each.costs
        locked = each.near.locked if each.near else None
        energy = costs.get("energy_uj")
        rows.add_row(
            each.learner, _made(each), str(each.rank or "-"),
            f"{each.regret.value:.3f}" if each.regret else "?",
            f"{each.regret.low:.3f} to {each.regret.high:.3f}" if each.regret else "",
            "" if locked is None else f"{100 * locked:.0f} %",
            *(_goal(each) if goal else ()),
            _cost(costs.get("cycles")), _cost(energy),
            *([_cost(energy * (per_day / _UJ_PER_MJ) if energy else None)] if per_day else ()),
            *(short_number(costs[name].value) + star
              for name in ("slowest_cycles", "ram_bytes", "flash_bytes")),
        )  # fmt: skip
    out.print(rows)
    for each in found.candidates:
        if each.reasons:
            out.print(f"  {each.learner} {_made(each)}: {'; '.join(each.reasons)}")
    if any(each.extrapolated for each in found.candidates):
        out.print("  *: beyond the sizes that were measured")
    first = found.candidates[0] if found.candidates else None
    ranked = [each for each in found.candidates if each.rank]
    alike = sum(not each.differs_from(ranked[0]) for each in ranked[1:])
    if alike:
        out.print(
            f"  regrets of {alike} of {len(ranked) - 1} others overlap with the first's: their"
            " order is expected, not certain"
        )
    if found.target is not None and per_day and first and first.goal and first.goal.rounds:
        days = first.goal.rounds / per_day
        out.print(f"  {first.learner} reaches regret {found.target:g} in {short_number(days)} days")
    if found.energy:
        unavailable = found.energy.startswith("energy unavailable")
        out.print(f"  {found.energy}" if unavailable else f"  energies are {found.energy}")
    out.print(f"  {found.note}; costs are from fitted models, --json prints their intervals")
    if found.unmeasured:
        out.print(
            "  not ranked, because no cost model was fitted:"
            f" {', '.join(found.unmeasured)}; gnomon learner NAME --arch {found.machine} measures"
            " a step of one"
        )


def _cost(cost: Interval | None) -> str:
    return "?" if cost is None else short_number(cost.value)


def _goal(each: Candidate) -> tuple[str, str]:
    goal = each.goal
    if goal is None or goal.rounds is None:
        return "-", "-"
    energy = "?" if goal.energy_uj is None else short_number(goal.energy_uj.value / _UJ_PER_MJ)
    return f"{goal.rounds:,}", energy


def _made(each: Candidate) -> str:
    chosen = f", {each.chosen}" if each.chosen else ""
    return " ".join(filter(None, (each.variant, each.settings))) + chosen
