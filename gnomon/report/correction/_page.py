"""The page of the report, in Markdown."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from gnomon.report.correction._device import ARMS, MACHINES
from gnomon.report.correction._fixed import LAST_STEPS, LIMIT, SIZES
from gnomon.report.correction._words import COST, FIXED, GAIN, INTRODUCTION, SCHEDULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.content.reports.correction.schedules import ScheduleGain
    from gnomon.report.correction._device import DeviceCost, Reading
    from gnomon.report.correction._study import CorrectionStudy

CLAIMED_ORDERS = 1.5
"""What counts as reached; the paper says "up to two"."""

_READINGS = {
    "largest over all rounds, at a correction": "peak",
    "median just after a correction": "after",
    "median over all rounds": "median",
    "median just before a correction": "before",
    "largest drift of the last period": "last",
}
_METHODS = {
    "corrected": "corrected from A and A0",
    "closed-form": "corrected from A alone",
    "rank-one": "rank-one, never corrected",
}
_TITLES = {"linucb-disjoint": "Disjoint", "linucb-hybrid": "Hybrid"}


def page(study: CorrectionStudy) -> str:
    """The page."""
    case = study.size.schedules[0]
    longest = case.periods[0]
    laws = " and ".join(dict.fromkeys(each.law for each in study.size.schedules))
    build = study.costs[0].ordinary.build
    assert build is not None
    return "\n".join(
        (
            INTRODUCTION.format(size=study.size.name),
            GAIN.format(
                rounds=f"{case.rounds:,}",
                arms=case.arms,
                dimensions=case.dimensions,
                features=case.features,
                laws=laws,
                seed=case.seed,
                period=f"{longest:,}",
                table=_readings(study.gains, longest),
            ),
            SCHEDULES.format(
                period=f"{longest:,}", table=_schedules(study.gains), sustained=_sustained(study)
            ),
            COST.format(
                arms=ARMS,
                scalar=MACHINES["scalar"],
                vector=MACHINES["vector"],
                compiler=f"{build.compiler} {build.version}",
                flags=" ".join(build.flags),
                hart=_cycles(study, "hart"),
                wall=_cycles(study, "wall"),
                bytes=_bytes(study.costs),
            ),
            FIXED.format(
                steps=study.size.fixed_steps,
                arms=SIZES.arms,
                d=SIZES.d,
                f=SIZES.f,
                limit=LIMIT,
                last=LAST_STEPS,
                table=_fixed(study),
            ),
        )
    )


def _readings(gains: tuple[ScheduleGain, ...], period: int) -> str:
    own = [gain for gain in gains if (gain.variant, gain.period) == ("corrected", period)]
    rows = []
    for title, name in _READINGS.items():
        values = [getattr(gain, name) for gain in own]
        reached = sum(value >= CLAIMED_ORDERS for value in values)
        verdict = "reached" if reached == len(values) else "not reached" if not reached else "mixed"
        rows.append((title, *(f"{value:.2f}" for value in values), verdict))
    laws = [f"{gain.law} contexts" for gain in own]
    return _table(
        ("reading", *laws, f"{CLAIMED_ORDERS:g} orders"), "l" + "r" * len(laws) + "l", rows
    )


def _schedules(gains: tuple[ScheduleGain, ...]) -> str:
    rows = []
    for gain in gains:
        method = _METHODS[gain.variant]
        if gain.period is not None:
            method += f", every {gain.period:,}"
        values = (gain.after, gain.median, gain.before, gain.last)
        orders = ("" if value is None else f"{value:.2f}" for value in values)
        size_bytes = f"{gain.state_size_bytes:,}"
        rows.append((gain.law, method, *orders, f"{gain.largest_drift:.1e}", size_bytes))
    return _table(
        ("contexts", "method", "just after", "all rounds", "just before", "largest at the end",
         "largest drift at the end", "state (B)"),
        "llrrrrrr",
        rows,
    )  # fmt: skip


def _sustained(study: CorrectionStudy) -> str:
    """The longest period that gains enough over all rounds in every case, and what it costs."""
    case = study.size.schedules[0]
    for period in case.periods:
        gains = [
            gain for gain in study.gains if (gain.variant, gain.period) == ("corrected", period)
        ]
        if all(gain.median >= CLAIMED_ORDERS for gain in gains):
            break
    else:
        return f"None of these periods gains {CLAIMED_ORDERS:g} orders over all rounds everywhere."
    shares = [
        f"{_share(cost, period):.1f} % to a step on the"
        f" {'scalar core' if cost.case.unit == 'scalar' else 'vector unit'}"
        for cost in study.costs
        if (cost.case.d, cost.case.f) == (case.dimensions, case.features)
    ]
    text = (
        f"Of these periods, {period:,} is the longest with {CLAIMED_ORDERS:g} orders as the median"
        " over all rounds everywhere."
    )
    if shares:
        text += f" Its corrections add {', '.join(shares)} (wall cycles, tables below)."
    return textwrap.fill(text, 98, subsequent_indent="  ")


def _share(cost: DeviceCost, period: int) -> float:
    """Percent that corrections add to a step."""
    return 100 * cost.correction_cycles("wall") / period / cost.step_cycles("wall")


def _cycles(study: CorrectionStudy, reading: Reading) -> str:
    periods = study.size.schedules[0].periods
    rows = []
    for cost in study.costs:
        step, correction = cost.step_cycles(reading), cost.correction_cycles(reading)
        optimized = cost.optimized_cycles(reading)
        rows.append(
            (
                *_case(cost),
                f"{optimized:,}",
                f"{step:,}",
                f"{100 * (step / optimized - 1):.1f} %",
                f"{correction:,}",
                f"{correction / step:.2f}",
                *(f"{cost.amortised_cycles(reading, period):,.0f}" for period in periods),
            )
        )
    return _table(
        (*_CASE, "optimised step", "corrected step", "more", "a correction", "in steps",
         *(f"a step, every {period:,}" for period in periods)),
        "lrrl" + "r" * (5 + len(periods)),
        rows,
    )  # fmt: skip


def _bytes(costs: tuple[DeviceCost, ...]) -> str:
    rows = [
        (
            *_case(cost),
            *(f"{number:,}" for number in cost.model_bytes),
            *(f"{run.static_bytes:,}" for run in (cost.optimized, cost.ordinary)),
            *(f"{number:,}" for number in cost.stack_bytes),
            *(f"{run.text_bytes:,}" for run in (cost.optimized, cost.ordinary)),
        )
        for cost in costs
    ]
    return _table(
        (*_CASE, "model", "corrected", "static", "corrected", "peak stack", "corrected",
         "correcting step", "text", "corrected"),
        "lrrl" + "r" * 9,
        rows,
    )  # fmt: skip


def _fixed(study: CorrectionStudy) -> str:
    seeds = study.size.fixed_seeds
    rows = []
    for period in (None, *study.size.schedules[0].periods):
        cells = [
            cell
            for error in study.fixed
            if error.period == period
            for cell in (
                "none" if error.first_beyond is None else f"{error.first_beyond:,}",
                "" if error.after is None else _error(error.after),
                _error(error.last_median),
            )
        ]
        rows.append(("optimised" if period is None else f"corrected every {period:,}", *cells))
    header = [
        word
        for seed in seeds
        for word in (f"seed {seed}: first beyond", "just after", "at the end")
    ]
    return _table(("variant", *header), "l" + "rrr" * len(seeds), rows)


def _error(value: float) -> str:
    return f"{value:,.4f}" if value < 1 else f"{value:,.0f}"


_CASE = ("learner", "d", "f", "runs on")


def _case(cost: DeviceCost) -> tuple[str, int, int | str, str]:
    case = cost.case
    return _TITLES[case.learner], case.d, "" if case.f is None else case.f, case.unit


def _table(header: Iterable[str], align: str, rows: Iterable[Iterable[object]]) -> str:
    lines = [
        f"| {' | '.join(header)} |",
        f"| {' | '.join('---:' if side == 'r' else '---' for side in align)} |",
    ]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)
