"""The page of the study: what its template shows and chooses its sentences by."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnomon.base.frames import frame
from gnomon.report.canvas import TITLES
from gnomon.report.study import study_page

from .measure import ARMS, LAST_STEPS, LIMIT, MACHINES, SIZES

if TYPE_CHECKING:
    from .study import CorrectionSize
    from .tables import Results

CLAIMED_ORDERS = 1.5
"""What counts as reached; the paper says "up to two"."""

_READINGS = {
    "peak_orders": "largest over all rounds, at a correction",
    "after_orders": "median just after a correction",
    "median_orders": "median over all rounds",
    "before_orders": "median just before a correction",
    "last_orders": "largest drift of the last period",
}
_METHODS = {
    "corrected": "corrected from A and A0",
    "closed-form": "corrected from A alone",
    "rank-one": "rank-one, never corrected",
}
_CASE = ["learner", "d", "f", "arch"]
_UNITS = {machine: unit for unit, machine in MACHINES.items()}


def page(size: CorrectionSize, results: Results) -> str:
    """The page as Markdown."""
    gain = _numbers(results.gain, [*_READINGS, "largest_drift"])
    fixed = _numbers(results.fixed, ["median_error_after_correction", "last_median_error"])
    case = size.schedules[0]
    costs = _costs(results.device)
    return study_page(
        Path(__file__).parent,
        size=size,
        case=case,
        laws=list(dict.fromkeys(each.law for each in size.schedules)),
        longest=case.periods[0],
        orders=CLAIMED_ORDERS,
        readings=_readings(gain, case.periods[0]),
        schedules=_schedules(gain),
        arms=ARMS,
        machines=MACHINES,
        compiler=results.compiler,
        flags=results.flags,
        hart=_cycles(costs, "hart", case.periods),
        wall=_cycles(costs, "wall", case.periods),
        bytes=_bytes(costs),
        fixed=_fixed(fixed, size.fixed_seeds),
        sizes=SIZES,
        limit=LIMIT,
        last=LAST_STEPS,
        **_gain_facts(gain, case.periods),
        **_cost_facts(costs, size, _sustained(gain, case.periods)),
        **_fixed_facts(fixed, case.periods[0]),
    )


def _numbers(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    return table.assign(**{name: pd.to_numeric(table[name]) for name in columns})


def _corrected(gain: pd.DataFrame, period: int, variant: str = "corrected") -> pd.DataFrame:
    return gain[(gain["variant"] == variant) & (gain["period"] == period)].set_index("contexts")


def _reached(own: pd.DataFrame, name: str) -> bool:
    return bool((own[name] >= CLAIMED_ORDERS).all())


def _gain_facts(gain: pd.DataFrame, periods: tuple[int, ...]) -> dict[str, Any]:
    own = [_corrected(gain, period) for period in periods]
    closed = _corrected(gain, periods[0], "closed-form")
    rank_one = gain[gain["variant"] == "rank-one"].set_index("contexts")
    best = gain[gain["variant"] != "rank-one"].groupby("contexts")["median_orders"].max()
    near = ("peak_orders", "after_orders")
    return {
        "near_gains": all(_reached(own[0], name) for name in near),
        "far_gains": any(_reached(own[0], name) for name in _READINGS if name not in near),
        "shorter_is_better": all(
            (shorter["median_orders"] > longer["median_orders"]).all()
            for longer, shorter in pairwise(own)
        ),
        "end_is_left": not any(_reached(each, "last_orders") for each in own),
        "closed_form_gains": bool((closed["median_orders"] > own[0]["median_orders"] + 0.1).all()),
        "rank_one_is_best": bool((rank_one["median_orders"].gt(best)).all()),
        "sustained": _sustained(gain, periods),
    }


def _sustained(gain: pd.DataFrame, periods: tuple[int, ...]) -> int | None:
    """The longest period that gains enough over all rounds in every case."""
    enough = (each for each in periods if _reached(_corrected(gain, each), "median_orders"))
    return next(enough, None)


def _readings(gain: pd.DataFrame, period: int) -> pd.DataFrame:
    own = _corrected(gain, period)
    rows = []
    for name, title in _READINGS.items():
        values = own[name].tolist()
        reached = sum(value >= CLAIMED_ORDERS for value in values)
        verdict = "reached" if reached == len(values) else "not reached" if not reached else "mixed"
        rows.append((title, *(f"{value:.2f}" for value in values), verdict))
    laws = [f"{law} contexts" for law in own.index]
    return frame(("reading", *laws, f"{CLAIMED_ORDERS:g} orders"), rows)


def _schedules(gain: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for row in gain.to_dict("records"):
        method, period = _METHODS[row["variant"]], row["period"]
        method += "" if pd.isna(period) else f", every {period:,.0f}"
        orders = (row[f"{name}_orders"] for name in ("after", "median", "before", "last"))
        shown = ("" if pd.isna(each) else f"{each:.2f}" for each in orders)
        rows.append((row["contexts"], method, *shown, f"{row['largest_drift']:.1e}",
                     f"{row['state_bytes']:,}"))  # fmt: skip
    return frame(
        ("contexts", "method", "just after", "all rounds", "just before", "largest at the end",
         "largest drift at the end", "state (B)"),
        rows,
    )  # fmt: skip


def _costs(device: pd.DataFrame) -> list[dict[str, Any]]:
    """Each case with its optimized, ordinary and correcting steps."""
    rows = iter(device.to_dict("records"))
    return [
        {"optimized": one, "ordinary": two, "correcting": three}
        for one, two, three in zip(rows, rows, rows, strict=True)
    ]


def _step(cost: dict[str, Any], which: str, reading: str) -> int:
    return int(cost[which][f"select_{reading}_cycles"] + cost[which][f"update_{reading}_cycles"])


def _correction(cost: dict[str, Any], reading: str) -> int:
    """What a step with correction takes more than one without."""
    return _step(cost, "correcting", reading) - _step(cost, "ordinary", reading)


def _share(cost: dict[str, Any], period: int) -> float:
    """Percent that corrections add to a step."""
    return 100 * _correction(cost, "wall") / period / _step(cost, "ordinary", "wall")


def _cost_facts(
    costs: list[dict[str, Any]], size: CorrectionSize, sustained: int | None
) -> dict[str, Any]:
    case = size.schedules[0]
    shares = [
        (_share(cost, sustained), _unit(cost))
        for cost in costs
        if sustained
        and (cost["ordinary"]["d"], cost["ordinary"]["f"]) == (case.dimensions, case.features)
    ]
    return {
        "shares": shares,
        "largest_share": max(_share(cost, case.periods[0]) for cost in costs),
    }


def _unit(cost: dict[str, Any]) -> str:
    return _UNITS[cost["ordinary"]["arch"]]


def _named(cost: dict[str, Any]) -> tuple[object, ...]:
    own = cost["ordinary"]
    f = "" if pd.isna(own["f"]) else f"{own['f']:.0f}"
    return TITLES[own["learner"]], own["d"], f, _unit(cost)


def _cycles(costs: list[dict[str, Any]], reading: str, periods: tuple[int, ...]) -> pd.DataFrame:
    rows = []
    for cost in costs:
        optimized, step = (_step(cost, each, reading) for each in ("optimized", "ordinary"))
        correction = _correction(cost, reading)
        rows.append(
            (*_named(cost), f"{optimized:,}", f"{step:,}", f"{100 * (step / optimized - 1):.1f} %",
             f"{correction:,}", f"{correction / step:.2f}",
             *(f"{step + correction / period:,.0f}" for period in periods))
        )  # fmt: skip
    return frame(
        ("learner", "d", "f", "runs on", "optimized step", "corrected step", "more",
         "a correction", "in steps", *(f"a step, every {period:,}" for period in periods)),
        rows,
    )  # fmt: skip


def _bytes(costs: list[dict[str, Any]]) -> pd.DataFrame:
    both = ("optimized", "ordinary")
    columns: list[tuple[str, tuple[str, ...]]] = [
        ("model", both), ("static", both), ("stack", (*both, "correcting")), ("text", both)
    ]  # fmt: skip
    return frame(
        ("learner", "d", "f", "runs on", "model", "corrected", "static", "corrected", "peak stack",
         "corrected", "correcting step", "text", "corrected"),
        (
            (*_named(cost), *(f"{cost[which][f'{name}_bytes']:,}" for name, of in columns
                              for which in of))
            for cost in costs
        ),
    )  # fmt: skip


def _fixed_facts(fixed: pd.DataFrame, longest: int) -> dict[str, Any]:
    plain, corrected = fixed[fixed["period"].isna()], fixed[fixed["period"].notna()]
    beyond = plain["first_step_beyond_0.01"]
    return {
        "first_beyond": None if beyond.isna().any() else (int(beyond.min()), int(beyond.max())),
        "back_to": float(corrected["median_error_after_correction"].max()),
        "leaves_again": bool(
            (corrected[corrected["period"] == longest]["last_median_error"] > LIMIT).all()
        ),
    }


def _fixed(fixed: pd.DataFrame, seeds: tuple[int, ...]) -> pd.DataFrame:
    rows = []
    for period in dict.fromkeys(None if pd.isna(each) else each for each in fixed["period"]):
        own = fixed[fixed["period"].isna() if period is None else fixed["period"] == period]
        cells = [
            cell
            for _, beyond, after, last in own.drop(columns="seed").itertuples(index=False)
            for cell in (
                "none" if pd.isna(beyond) else f"{beyond:,.0f}",
                "" if pd.isna(after) else _error(after),
                _error(last),
            )
        ]
        rows.append(("optimized" if period is None else f"corrected every {period:,.0f}", *cells))
    heads = (f"seed {each}: first beyond, just after, at the end".split(", ") for each in seeds)
    return frame(("variant", *(word for head in heads for word in head)), rows)


def _error(value: float) -> str:
    return f"{value:,.4f}" if value < 1 else f"{value:,.0f}"
