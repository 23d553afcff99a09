"""Text of a ranking of learners."""

from gnomon.base.console import console, table
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.base.units import short_number
from gnomon.explore.ranking import Candidate, Ranking
from gnomon.explore.regret_law import MeasuredPoint

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
        energy = costs.get("energy_uj")
        rows.add_row(
            each.learner, name_implementation(each), str(each.rank or "-"),
            f"{each.regret.value:.3f}" if each.regret else "?",
            f"{each.regret.low:.3f} to {each.regret.high:.3f}" if each.regret else "",
            locked_text(each.near),
            *(_goal(each) if goal else ()),
            _cost(costs.get("cycles")), _cost(energy),
            *([_cost(energy * (per_day / _UJ_PER_MJ) if energy else None)] if per_day else ()),
            *(short_number(costs[name].value) + star
              for name in ("slowest_cycles", "ram_bytes", "flash_bytes")),
        )  # fmt: skip
    out.print(rows)
    for line in list_reasons(found):
        out.print(f"  {line}")
    *basis, last = list_basis(found)
    for line in (*list_choices(found, per_day), *basis, f"{last}, --json prints their intervals"):
        out.print(f"  {line}")
    if found.unmeasured:
        out.print("  not ranked, because no law was fitted to them:")
        for name, why in found.unmeasured.items():
            out.print(f"    {name}: {why}")
        out.print(f"  gnomon learner NAME --arch {found.machine} measures a step of one")


def list_reasons(found: Ranking) -> list[str]:
    """Return a line for each implementation that may exceed a limit, or is not ranked."""
    return [
        f"{name_candidate(each)}: {'; '.join(each.reasons)}"
        for each in found.candidates
        if each.reasons
    ]


def list_basis(found: Ranking) -> list[str]:
    """Return what the figures are based on."""
    lines = list[str]()
    if any(each.extrapolated for each in found.candidates):
        lines.append("*: beyond the sizes that were measured")
    if found.energy:
        unavailable = found.energy.startswith("energy unavailable")
        lines.append(found.energy if unavailable else f"energies are {found.energy}")
    return [*lines, f"{found.note}; costs are from fitted models"]


def list_choices(found: Ranking, per_day: float | None = None) -> list[str]:
    """Return the first and the second choice, and how certain their order is."""
    lines = list[str]()
    ranked = [each for each in found.candidates if each.rank]
    if found.second:
        kind = "energies to the regret" if found.target is not None else "regrets"
        lines.append(
            f"first choice: {name_candidate(ranked[0])}; second choice:"
            f" {name_candidate(found.second)}: the intervals of their {kind} overlap"
        )
    alike = sum(not each.differs_from(ranked[0]) for each in ranked[1:])
    if alike:
        lines.append(
            f"regrets of {alike} of {len(ranked) - 1} others overlap with the first's: their"
            " order is expected, not certain"
        )
    first = found.candidates[0] if found.candidates else None
    if found.target is not None and per_day and first and first.goal and first.goal.to.rounds:
        days = first.goal.to.rounds / per_day
        lines.append(f"regret {found.target:g} takes {first.learner} {short_number(days)} days")
    return lines


def _cost(cost: Interval | None) -> str:
    return "?" if cost is None else short_number(cost.value)


def _goal(each: Candidate) -> tuple[str, str]:
    goal = each.goal
    if goal is None or goal.to.rounds is None:
        return "-", "-"
    energy = "?" if goal.energy_uj is None else short_number(goal.energy_uj.value / _UJ_PER_MJ)
    return f"{goal.to.rounds:,}", energy


def locked_text(near: MeasuredPoint | None) -> str:
    """Return the share of locked runs with its interval and the number of runs."""
    share = near.locked_interval if near else None
    if near is None or share is None:
        return ""
    low, high = 100 * share.low, 100 * share.high
    return f"{100 * share.value:.0f} % ({low:.0f} to {high:.0f}) of {near.seeds}"


def name_candidate(each: Candidate) -> str:
    """Return learner, implementation and the setting that it plays."""
    return f"{each.learner} {name_implementation(each)}"


def name_implementation(each: Candidate) -> str:
    """Return implementation, settings, and the setting that it plays."""
    chosen = f", {each.chosen}" if each.chosen else ""
    return " ".join(filter(None, (each.variant, each.settings))) + chosen
