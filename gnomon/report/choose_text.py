"""A ranking of learners as a table for people."""

from gnomon.base.console import console, table
from gnomon.base.interval import Interval
from gnomon.explore.learners import Candidate, Ranking


def print_ranking(found: Ranking, d: int, arms: int) -> None:
    """Print what keeps the limits, best first, then what does not and why."""
    out = console()
    rows = table(
        f"learners on {found.machine}, d = {d}, {arms} arms", 2,
        "learner", "implementation", "rank", "regret", "95 %", "slowest, µs", "µJ", "RAM, B",
        "flash, B",
    )  # fmt: skip
    for each in found.candidates:
        regret = each.regret.regret if each.regret else None
        star = "*" if each.extrapolated else ""
        rows.add_row(
            each.learner, _made(each), str(each.rank or "-"),
            f"{regret.value:.3f}" if regret else "?",
            f"{regret.low:.3f} to {regret.high:.3f}" if regret else "",
            *(_short(each.costs[name]) + star
              for name in ("slowest_cycles", "energy_uj", "ram_bytes", "flash_bytes")),
        )  # fmt: skip
    out.print(rows)
    for each in found.candidates:
        if each.reasons:
            out.print(f"  {each.learner} {_made(each)}: {'; '.join(each.reasons)}")
    if any(each.extrapolated for each in found.candidates):
        out.print("  *: beyond the sizes that were measured")
    out.print(f"  {found.note}; costs are of fitted laws, --json prints their intervals")


def _made(each: Candidate) -> str:
    chosen = f", {each.regret.chosen}" if each.regret and each.regret.chosen else ""
    return " ".join(filter(None, (each.variant, each.settings))) + chosen


def _short(figure: Interval) -> str:
    value = figure.value
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
