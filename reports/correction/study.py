"""``gnomon report correction``: what the periodic correction gains and costs."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pandas as pd

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.base.frames import frame, worded
from gnomon.cli.study import Pages, study_command
from gnomon.content.reports.linucb.styles import TITLES
from gnomon.report.study import Steps, StudyReport

from . import measure

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
_TABLES = ("gain", "device", "fixed")
_UNITS = {machine: unit for unit, machine in measure.MACHINES.items()}


def correction_report(
    size: measure.CorrectionSize, results: measure.Results, *, pages: bool = False
) -> StudyReport:
    """Return page and tables; the page alone if ``pages`` is set."""
    orders, errors = [*_READINGS, "largest_drift"], list(measure.FIXED_COLUMNS[3:])
    gain = results.gain.assign(**results.gain[orders].apply(pd.to_numeric))
    fixed = results.fixed.assign(**results.fixed[errors].apply(pd.to_numeric))
    case, costs = size.schedules[0], _costs(results.device)
    facts = {
        "size": size,
        "case": case,
        "measure": measure,
        "results": results,
        "longest": case.periods[0],
        "orders": CLAIMED_ORDERS,
        "readings": _readings(gain, case.periods[0]),
        "schedules": _schedules(gain),
        "hart": _cycles(costs, "hart", case.periods),
        "wall": _cycles(costs, "wall", case.periods),
        "bytes": _bytes(costs),
        "fixed": _fixed(fixed, size.fixed_seeds),
        **_gain_facts(gain, case.periods),
        **_cost_facts(costs, size, _sustained(gain, case.periods)),
        **_fixed_facts(fixed, case.periods[0]),
    }
    tables = {} if pages else {name: getattr(results, name) for name in _TABLES}
    return StudyReport(Path(__file__).parent, "correction", facts, tables, prefix="correction_")


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
    """Return the longest period that gains enough over all rounds in every case."""
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
    heads = {
        "contexts": "contexts", "variant": "method", "after_orders": "just after",
        "median_orders": "all rounds", "before_orders": "just before",
        "last_orders": "largest at the end", "largest_drift": "largest drift at the end",
        "state_bytes": "state (B)",
    }  # fmt: skip
    forms = dict.fromkeys([*heads][2:6], ".2f") | {"largest_drift": ".1e", "state_bytes": ","}
    every = [f", every {each:,.0f}" if each > 0 else "" for each in gain["period"].astype(float)]
    texts = worded(gain.assign(variant=gain["variant"].map(_METHODS) + every), forms)
    return texts[[*heads]].rename(columns=heads)


def _costs(device: pd.DataFrame) -> Any:
    """Return a row per case; columns by quantity, then by step: optimized, ordinary, ..."""
    steps = ("optimized", "ordinary", "correcting")
    at = pd.RangeIndex(len(device))
    table = device.assign(case=at // 3, step=[steps[n % 3] for n in at])
    for reading in ("hart", "wall"):
        table[reading] = table[f"select_{reading}_cycles"] + table[f"update_{reading}_cycles"]
    return table.pivot(index="case", columns="step")  # noqa: PD010 - a key is there once


def _named(costs: Any) -> pd.DataFrame:
    own = costs.xs("ordinary", axis=1, level="step")
    return pd.DataFrame({
        "learner": own["learner"].map(TITLES),
        "d": own["d"],
        "f": own["f"].map(lambda f: "" if pd.isna(f) else f"{f:.0f}"),
        "runs on": own["arch"].map(_UNITS),
    })  # fmt: skip


def _cost_facts(costs: Any, size: measure.CorrectionSize, sustained: int | None) -> dict[str, Any]:
    """Return the cost of corrections per step, in percent, at the schedules' size and at most."""
    case, step = size.schedules[0], costs["wall"]
    more = 100 * (step["correcting"] - step["ordinary"]) / step["ordinary"]
    named = _named(costs)
    own = (named["d"] == case.dimensions) & (named["f"] == f"{case.features}")
    shares = zip(more[own] / sustained, named["runs on"][own], strict=True) if sustained else ()
    return {"shares": list(shares), "largest_share": (more / case.periods[0]).max()}


def _cycles(costs: Any, reading: str, periods: tuple[int, ...]) -> pd.DataFrame:
    step = costs[reading]
    correction = step["correcting"] - step["ordinary"]
    table = _named(costs).assign(**{
        "optimized step": step["optimized"],
        "corrected step": step["ordinary"],
        "more": 100 * (step["ordinary"] / step["optimized"] - 1),
        "a correction": correction,
        "in steps": correction / step["ordinary"],
        **{f"a step, every {period:,}": step["ordinary"] + correction / period
           for period in periods},
    })  # fmt: skip
    whole = [name for name in table.columns[4:] if name not in ("more", "in steps")]
    table = worded(table, dict.fromkeys(whole, ",.0f") | {"more": ".1f", "in steps": ".2f"})
    return table.assign(more=table["more"] + " %")


def _bytes(costs: Any) -> pd.DataFrame:
    both = ("optimized", "ordinary")
    shown = {"model": both, "static": both, "stack": (*both, "correcting"), "text": both}
    sizes = pd.concat([costs[f"{name}_bytes"][list(of)] for name, of in shown.items()], axis=1)
    return frame(
        ("learner", "d", "f", "runs on", "model", "corrected", "static", "corrected", "peak stack",
         "corrected", "correcting step", "text", "corrected"),
        pd.concat([_named(costs), sizes.map("{:,}".format)], axis=1).itertuples(index=False),
    )  # fmt: skip


def _fixed_facts(fixed: pd.DataFrame, longest: int) -> dict[str, Any]:
    plain, corrected = fixed[fixed["period"].isna()], fixed[fixed["period"].notna()]
    beyond = plain["first_step_beyond_0.01"]
    return {
        "first_beyond": None if beyond.isna().any() else (int(beyond.min()), int(beyond.max())),
        "back_to": float(corrected["median_error_after_correction"].max()),
        "leaves_again": bool(
            (corrected[corrected["period"] == longest]["last_median_error"] > measure.LIMIT).all()
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


_BUILD: Final = re.compile(r"Compiler: (?P<compiler>.*); flags of the first run: `(?P<flags>.*)`")


def read_results(folder: Path) -> measure.Results:
    """Read the results of an earlier run: its tables, and the compiler that its page names."""
    text = read_text(folder / "correction.md")
    build = _BUILD.search(text)
    if build is None:
        raise GnomonError(f"{folder / 'correction.md'}: names no compiler")
    gain, device, fixed = (pd.read_csv(folder / f"correction_{name}.csv") for name in _TABLES)
    return measure.Results(gain, device, fixed, build["compiler"], build["flags"])


def _run(size: measure.CorrectionSize, progress: Steps, *, pages: Pages = False) -> StudyReport:
    if pages:
        results = read_results(Path(__file__).parent)
        return correction_report(measure.CORRECTION_SIZES["full"], results, pages=True)
    return correction_report(size, measure.run_correction(size, progress))


main = study_command(_run, measure.CORRECTION_SIZES, title="measuring")
