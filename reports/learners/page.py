"""The page, its tables and the CSV files."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from gnomon.base.content import content
from gnomon.base.frames import frame, worded
from gnomon.report.step_costs import LARGEST_LOSS, lossless_bits
from gnomon.report.study import StudyReport

from .pictures import comparison_figures
from .problems import FRACTION_BITS, SYSTEM, TITLES
from .study import Comparison, Point, front, panels


def comparison_report(comparison: Comparison) -> StudyReport:
    formats, missing, trials = comparison.formats, comparison.missing, comparison.trials
    if not missing.empty:
        made = missing["variant"] + ", " + missing["line"]
        missing = missing.assign(implementation=made, learner=missing["learner"].map(TITLES))
        missing = missing[["machine", "learner", "implementation", "why"]]
    facts = {
        "comparison": comparison,
        "size": comparison.size,
        "fraction_bits": FRACTION_BITS,
        "most": FRACTION_BITS if formats.empty else formats["fraction_bits"].max(),
        "extrapolated": sum(point.extrapolated for point in comparison.points),
        "fronts": fronts_table(comparison),
        "best": best_table(comparison),
        "problems": frame(
            ("problem", "d", "arms", "f", "the papers of", "what it is"),
            ((p.name, p.d, p.arms, p.f, p.whose, p.about) for p in comparison.problems),
        ),
        "formats": formats_table(comparison),
        "missing": missing,
        "elsewhere": elsewhere(pd.read_csv(content("reports", "ares", "regret.csv"))),
    }
    chosen = trials["chosen"].map(_yes)
    tables = {
        "comparison_points": points_table(comparison),
        "comparison_settings": worded(trials, {"regret": ".4f"}).assign(chosen=chosen),
        "comparison_formats": worded(formats, {"regret": ".4f"}),
    }
    return StudyReport(
        Path(__file__).parent, "comparison", facts, tables, comparison_figures(comparison)
    )


def points_table(comparison: Comparison) -> pd.DataFrame:
    """Every point, as in the CSV file."""
    best = [point for each in panels(comparison.points).values() for point in front(each)]
    return frame(
        ("problem", "machine", "learner", "line", "variant", "setting", "fraction_bits",
         "regret", "regret_low", "regret_high", "energy_uj", "energy_low_uj", "energy_high_uj",
         "select_uj", "update_uj", "time_us", "select_cycles", "update_cycles",
         "slowest_select_cycles", "slowest_update_cycles", "model_bytes", "text_bytes",
         "extrapolated", "front"),
        (
            (each.problem, each.machine, each.learner, each.line, each.variant, each.setting,
             FRACTION_BITS,
             *(f"{end:.4f}" for end in each.regret.to_json().values()),
             *(f"{end:.5g}" for end in each.energy_uj.to_json().values()),
             f"{each.select_uj:.5g}", f"{each.update_uj:.5g}",
             f"{each.time_us:.2f}", f"{each.select_cycles:.1f}", f"{each.update_cycles:.1f}",
             each.slowest_select_cycles, each.slowest_update_cycles, each.model_bytes,
             each.text_bytes, _yes(each.extrapolated), _yes(each in best))
            for each in comparison.points
        ),
    )  # fmt: skip


def fronts_table(comparison: Comparison) -> pd.DataFrame:
    """The front of each problem on each machine, from the cheapest on."""
    return frame(
        ("problem", "machine", "front"),
        (
            (
                *key,
                " → ".join(
                    f"{TITLES[point.learner]} {point.made}: {_short(point.energy_uj.value)} µJ,"
                    f" {point.regret.value:.3f}"
                    for point in front(points)
                ),
            )
            for key, points in panels(comparison.points).items()
        ),
    )


def best_table(comparison: Comparison) -> pd.DataFrame:
    """The implementation of least energy of each learner, within 2 % of its least regret."""
    of_panel = panels(comparison.points)
    rows = []
    for problem in comparison.problems:
        for learner, title in TITLES.items():
            own = [
                [point for point in of_panel[problem.name, machine] if point.learner == learner]
                for machine in comparison.machines
            ]
            found = [_good(points) for points in own if points]
            if found:
                last = found[-1]
                rows.append(
                    (problem.name, title, last.setting, f"{last.regret.value:.3f}",
                     f"{last.regret.low:.3f} to {last.regret.high:.3f}",
                     *(f"{_short(each.energy_uj.value)}, {each.time_us:,.0f} ({each.made})"
                       for each in found),
                     f"{last.model_bytes:,}", f"{last.text_bytes:,}")
                )  # fmt: skip
    heads = ("problem", "learner", "setting", "regret", "95 % interval",
             *(f"µJ, µs on {machine}" for machine in comparison.machines),
             "model bytes", "text bytes")  # fmt: skip
    return frame(heads, rows)


def _good(own: Sequence[Point]) -> Point:
    """The first of equals."""
    least = min(point.regret.value for point in own)
    return min(
        (point for point in own if point.regret.value <= LARGEST_LOSS * least),
        key=lambda point: point.energy_uj.value,
    )


_OF_ARES = {"linucb": "linucb-window"}  # policies of its page, by what they begin with: a learner


def elsewhere(measured: pd.DataFrame) -> pd.DataFrame:
    """Policies that the page of ARES finds better than ARES-P here, and that do not play here.

    ``measured``: its table of regret; ``ratio`` is to one who knows the system, who does not count.
    Better: by more than two standard errors of the difference.
    """
    own = measured[measured["system"] == SYSTEM].set_index("policy")
    ours = own.loc["ares-p"]
    variance = (own["ratio_std"] ** 2 + ours["ratio_std"] ** 2) / own["runs"]
    better = own[(ours["ratio"] - own["ratio"] > 2 * variance**0.5) & (own.index != "oracle")]
    away = [_OF_ARES.get(name.partition("-")[0], name) not in TITLES for name in better.index]
    found = better[away].reset_index()[["policy", "ratio"]].assign(ares_p=ours["ratio"])
    return found.assign(
        said=[f"{p} {r:.2f}" for p, r in zip(found.policy, found.ratio, strict=True)]
    )


def formats_table(comparison: Comparison) -> pd.DataFrame:
    """The fewest fraction bits of each implementation in each problem."""
    rows = []
    for (learner, line, variant), own in comparison.formats.groupby(
        ["learner", "line", "variant"], sort=False
    ):
        cells = {problem: least_bits(each) for problem, each in own.groupby("problem", sort=False)}
        implementation = f"{variant}, {line}"
        rows.append({"learner": TITLES[str(learner)], "implementation": implementation, **cells})
    return pd.DataFrame(rows)


def least_bits(formats: pd.DataFrame) -> int | None:
    """Of one implementation in one problem: lossless bits, compared with the most of them."""
    regret = formats.set_index("fraction_bits")["regret"]
    return lossless_bits(regret / regret[max(regret.index)])


def _short(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _yes(value: object) -> str:
    return "yes" if value else "no"
