"""The tables of the study, as they are in its CSV files, and the facts for its text."""

import io
from collections.abc import Mapping
from typing import Any

import pandas as pd

from gnomon.base.errors import GnomonError
from gnomon.base.frames import csv_text
from gnomon.measure.regret import RegretCase, RegretCell

from .cells import CellResult, FixedPointStudy, FloatCurve
from .history import InverseError
from .host_run import checkpoints

_ERROR = (
    "inverse_error", "inverse_relative_error", "shared_inverse_error", "theta_relative_error",
)  # fmt: skip


def cells(study: FixedPointStudy) -> pd.DataFrame:
    """Return one row per cell: the round in which it left float, and the cause."""
    return pd.DataFrame((_cell_row(study, result) for result in study.results), dtype=object)


def _cell_row(study: FixedPointStudy, result: CellResult) -> dict[str, object]:
    case, event = result.cell.case, result.explaining
    reference = study.float_of(case)
    return {
        **cell_names(result.cell),
        "rounds": case.rounds,
        "equal_following_percent": f"{100 * result.equal_following:.3f}",
        "equal_alone_percent": f"{100 * result.equal_alone:.3f}",
        "first_other_arm_round": result.first_other_arm or None,
        "average_reward": f"{result.reward[-1] / case.rounds:.6f}",
        "average_reward_float": f"{reference.reward[-1] / case.rounds:.6f}",
        "regret": f"{result.regret[-1]:.3f}",
        "regret_float": f"{reference.regret[-1]:.3f}",
        "regret_left_first_round": result.left_regret.first or None,
        "regret_left_round": result.left_regret.for_good or None,
        "regret_left_side": result.left_regret.side,
        "reward_left_round": result.left_reward.for_good or None,
        "cause": result.cause or None,
        "evidence": event and event.name,
        "evidence_round": event and event.round_number,
        "evidence_exact": event and ("yes" if event.exact else "no"),
        "overflows": _overflows(result, -1),
        **_error(result.errors[-1] if result.errors else None),
    }


def _overflows(result: CellResult, index: int) -> int | None:
    """Return overflows up to checkpoint ``index``, -1: the last; None where uncounted."""
    counts = result.overflows or ()
    return counts[index] if max(index, 0) < len(counts) else None


def _error(error: InverseError | None) -> dict[str, str | None]:
    below = "below_one_unit_percent"
    if error is None:
        return dict.fromkeys((*_ERROR, below))
    numbers = (error.absolute, error.relative, error.shared_absolute, error.theta)
    texts = (None if each is None else f"{each:.2e}" for each in numbers)
    return {**dict(zip(_ERROR, texts, strict=True)), below: f"{100 * error.below_unit:.1f}"}


def events(study: FixedPointStudy) -> pd.DataFrame:
    """Return every first event of every cell; the round is its own, or between two checkpoints."""
    return pd.DataFrame(
        {**cell_names(result.cell), "group": event.group, "event": event.name,
         "round": event.round_number, "earliest_round": event.earliest}
        for result in study.results
        for event in result.events
    )  # fmt: skip


def curves(study: FixedPointStudy) -> pd.DataFrame:
    """Return sums and errors at every second checkpoint up to the last."""
    rows = []
    for result in study.results:
        errors = {error.round_number: error for error in result.errors}
        for index, stop in _every_second(result.cell.case.rounds):
            rows.append({**cell_names(result.cell), **_sums(result, stop),
                         "overflows": _overflows(result, index),
                         **_error(errors.get(stop))})  # fmt: skip
    return pd.DataFrame(rows, dtype=object)


def float_curves(study: FixedPointStudy) -> pd.DataFrame:
    """Return the rewards of the float learners, at the same checkpoints."""
    return pd.DataFrame(
        {**_case(curve.case), **_sums(curve, stop)}
        for curve in study.floats
        for _, stop in _every_second(curve.case.rounds)
    )


def _every_second(rounds: int) -> list[tuple[int, int]]:
    """Return every second checkpoint with its number; the last is among them."""
    return list(enumerate(checkpoints(rounds)))[::-2][::-1]


def _sums(run: CellResult | FloatCurve, stop: int) -> dict[str, object]:
    return {"round": stop, "average_reward": f"{run.reward[stop - 1] / stop:.6f}",
            "regret": f"{run.regret[stop - 1]:.3f}"}  # fmt: skip


def _case(case: RegretCase) -> dict[str, object]:
    return {"algorithm": case.name, "contexts": case.law,
            "context_scale": f"{case.context_scale:g}", "seed": case.seed}  # fmt: skip


def cell_names(cell: RegretCell) -> dict[str, object]:
    """Return the columns that name a cell."""
    return {**_case(cell.case), "line": cell.line, "variant": cell.variant,
            "fraction_bits": cell.fraction_bits}  # fmt: skip


CSV = {"cells": cells, "events": events, "curves": curves, "float": float_curves}


_LAWS = ("uniform", "normal")
PUBLISHED_BITS = 15  # Q16.15
_DISJOINT, _HYBRID = "linucb-disjoint", "linucb-hybrid"


def facts(cells: pd.DataFrame) -> dict[str, Any]:
    """Return the values that ``reading.md.j2`` shows and chooses its sentences by.

    Args:
        cells: ``cells.csv.xz``, of the size ``full``.
    """
    rows = pd.read_csv(io.StringIO(csv_text(cells)))
    rows["ratio"] = rows["regret"] / rows["regret_float"]
    rows["within"] = rows["regret_left_side"] == "within"
    rows["life"] = rows["regret_left_round"].fillna(rows["rounds"]).astype(int)
    paper = _of(rows, line="paper", context_scale=1)
    tuned = _of(rows, line="tuned", context_scale=1)
    disjoint = _of(paper, algorithm=_DISJOINT)

    def published(rows: pd.DataFrame, law: str, what: str, *variants: str) -> dict[str, Any]:
        return {variant: _published(rows, variant, law)[what] for variant in variants}

    by_law: list[dict[str, Any]] = [
        {
            "law": law,
            "longest": _longest(_of(disjoint, contexts=law, variant="standard")),
            "lives": published(disjoint, law, "life", "standard", "optimized"),
            "ratios": published(disjoint, law, "ratio", "optimized", "corrected", "standard"),
            "hybrid_ratios": published(
                _of(paper, algorithm=_HYBRID), law, "ratio", "optimized", "corrected"
            ),
        }
        for law in _LAWS
    ]
    one, two = (_of(disjoint, variant=variant)["life"] for variant in ("standard", "optimized"))
    hybrid = {
        variant: _longest(_of(rows, algorithm=_HYBRID, line="paper", variant=variant))
        for variant in ("standard", "optimized")
    }
    return {
        "bits": PUBLISHED_BITS,
        "paper": paper,
        "tuned": tuned,
        "causes": paper["cause"].value_counts().to_dict(),
        "laws": by_law,
        "earlier": int((two.to_numpy() < one.to_numpy()).sum()),
        "pairs": len(one),
        "hybrid": hybrid,
        "hybrid_sooner": hybrid["standard"]["life"] < max(e["longest"]["life"] for e in by_law),
        **{
            name: all(each[of]["corrected"] < 0.5 * each[of]["optimized"] for each in by_law)
            for name, of in (("repairs", "ratios"), ("repairs_hybrid", "hybrid_ratios"))
        },
        **_scaling(rows),
    }  # fmt: skip


def _scaling(rows: pd.DataFrame) -> dict[str, Any]:
    scale = next(each for each in rows["context_scale"] if each != 1)
    scaled = _of(rows, algorithm=_DISJOINT, line="paper", context_scale=scale)
    plain = _of(rows, algorithm=_DISJOINT, line="paper", context_scale=1)

    def stays(variant: str, law: str) -> list[int]:
        own = _of(scaled, variant=variant, contexts=law)
        return [int(each) for each in own[own["within"]]["fraction_bits"]]

    def cost(law: str) -> float:
        one, two = (_published(of, "standard", law)["regret_float"] for of in (scaled, plain))
        return float(one / two)

    return {
        "scaling": scale,
        "stays": {each: {law: stays(each, law) for law in _LAWS}
                  for each in ("standard", "optimized")},
        "costs": [cost(law) for law in _LAWS],
    }  # fmt: skip


def _of(rows: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    there = rows
    for name, value in wanted.items():
        same: Any = there[name] == value
        there = there[same]
    if there.empty:
        raise GnomonError(f"the study has no run with {wanted}")
    return there


def _published(rows: pd.DataFrame, variant: str, law: str) -> Mapping[str, Any]:
    own = _of(rows, variant=variant, contexts=law, fraction_bits=PUBLISHED_BITS)
    return dict(own.iloc[0])


def _longest(rows: pd.DataFrame) -> Mapping[str, Any]:
    longest: Any = rows["life"].idxmax()
    return dict(rows.loc[longest])
