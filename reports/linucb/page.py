"""The page of the study: what its template shows and chooses its sentences by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.learn import Sizes, count_step
from gnomon.report.canvas import TITLES
from gnomon.report.study import study_page

from .drift import correction_gain
from .pictures import PICTURES
from .tables import CSV, OVER, claims, last_tenth

if TYPE_CHECKING:
    import pandas as pd

    from gnomon.learn import MemoryRow

    from .study import LinucbExperiment

ORDERS = 1.5
"""Orders of magnitude from which on a correction is said to gain."""

PUBLIC_SELECT = {4: 1208, 8: 9448, 16: 75_720, 32: 608_136}
"""``mulh`` of the authors' disjoint program by d, 8 arms (klessydra/Libraries d30dad2)."""

PUBLIC_STEP = 22_816
"""Those of their hybrid step with d = f = 4."""

DOUBLED = 8
"""Products by 2 in it, which compile to shifts."""


def write_linucb(experiment: LinucbExperiment, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {"linucb.md": page(experiment)}
    files |= {f"{name}.csv": csv_text(table(experiment)) for name, table in CSV.items()}
    files |= {name: draw(experiment) for name, draw in PICTURES.items()}
    return write_files(folder, files)


def page(experiment: LinucbExperiment) -> str:
    """The page as Markdown."""
    results = experiment.drift
    found = [(each, item) for each in results for item in each.disagreements]
    data = {
        "size": experiment.size,
        "titles": TITLES,
        "results": results,
        "found": found,
        "claims": _claims(experiment),
        "growth": _growth(experiment),
        "memory": _memory(experiment),
        "drift": _drift(experiment),
        "arms": _arms(experiment),
        "disagreements": _disagreements(found[:50]),
        "gain": _gain(experiment),
        "updates": _updates(experiment),
        **_complexity_facts(experiment),
        **_memory_facts(experiment),
        **_drift_facts(experiment),
    }
    return study_page(Path(__file__).parent, **data)


def _complexity_facts(experiment: LinucbExperiment) -> dict[str, Any]:
    bounded = [row for row in experiment.growth if row.verdict != "grows slower"]
    slower = [row for row in experiment.growth if row.verdict == "grows slower"]
    disjoint = {
        d: count_step("linucb-disjoint", "standard", Sizes(8, d))["select"].multiplications
        for d in PUBLIC_SELECT
    }
    step = count_step("linucb-hybrid", "standard", Sizes(8, 4, 4))
    hybrid = sum(each.multiplications for each in step.values())
    return {
        "faster": [row for row in bounded if row.verdict == "grows faster"],
        "slower": slower,
        "by_formula": all(row.formula == replace(row.counted, move=0) for row in experiment.counts),
        "multiplications": disjoint,
        "step_multiplications": PUBLIC_STEP,
        "doubled": DOUBLED,
        "as_public": disjoint == PUBLIC_SELECT and hybrid == PUBLIC_STEP + DOUBLED,
    }


def _memory_facts(experiment: LinucbExperiment) -> dict[str, Any]:
    rows = experiment.memory
    pairs: list[tuple[MemoryRow, MemoryRow]] = list(zip(rows[::2], rows[1::2], strict=True))

    def saved(name: str, *, arms: int = 0) -> list[int]:
        return [
            standard.peak_bytes - optimized.peak_bytes
            for standard, optimized in pairs
            if standard.name.endswith(name) and standard.sizes.arms >= arms
        ]

    return {
        "same_state": all(a.state_size_bytes == b.state_size_bytes for a, b in pairs),
        "select_relieved": all(b.select_peak_bytes < a.select_peak_bytes for a, b in pairs),
        "update_grows": all(b.update_peak_bytes > a.update_peak_bytes for a, b in pairs),
        "disjoint_saves": max(saved("disjoint", arms=8), default=0) > 0,
        "hybrid_saves": max(saved("hybrid"), default=0) > 0,
        "largest_shared_bytes": max(
            8 * (row.sizes.dimensions * row.sizes.features) ** 2 for row in rows
        ),
    }


def _drift_facts(experiment: LinucbExperiment) -> dict[str, Any]:
    hybrid = [each for each in experiment.drift if each.case.features]
    gains = [gain for gain in map(correction_gain, hybrid) if gain]

    def errors(variant: str) -> list[float]:
        return [last_tenth(each.variant(variant).error) for each in hybrid]

    def below(one: str, other: str) -> bool:
        return all(a < b for a, b in zip(errors(one), errors(other), strict=True))

    return {
        "orders": ORDERS,
        "gains": gains,
        "gains_after": all(gain.after >= ORDERS for gain in gains),
        "gains_always": all(gain.before >= ORDERS for gain in gains),
        "sustained": all(gain.median >= ORDERS for gain in gains),
        "standard_drifts_less": below("standard", "optimized"),
        "rank_one_closer": below("rank-one", "standard"),
    }


def _claims(experiment: LinucbExperiment) -> pd.DataFrame:
    found = claims(experiment)
    found["published"] = found["published"].map(
        lambda value: f"{value:.0e}" if value < 1e-3 else f"{value:,.0f}"
    )
    found["ours"] = found["ours"].map(_number)
    return found[["quantity", "published", "ours", "unit", "reading", "where"]]


def _number(value: float) -> str:
    if value == int(value) and abs(value) >= 1:
        return f"{int(value):,}"
    return f"{value:.1e}" if 0 < abs(value) < 0.01 else f"{value:.2f}"


def _growth(experiment: LinucbExperiment) -> pd.DataFrame:
    return frame(
        ("algorithm", "variant", "stage", "published", "over", "stated", "counted", ""),
        (
            (TITLES[row.name], row.variant, row.stage, row.bound, OVER[row.over], row.stated,
             f"{row.counted:.2f}", row.verdict)
            for row in experiment.growth
        ),
    )  # fmt: skip


def _memory(experiment: LinucbExperiment) -> pd.DataFrame:
    return frame(
        ("algorithm", "variant", "N", "d", "f", "state (B)", "select peak (B)", "update peak (B)"),
        (
            (TITLES[row.name], row.variant, sizes.arms, sizes.dimensions, sizes.features or "",
             f"{row.state_size_bytes:,}", f"{row.select_peak_bytes:,}",
             f"{row.update_peak_bytes:,}")
            for row in experiment.memory
            for sizes in (row.sizes,)
            if sizes.arms in {1, 8} and (not sizes.features or sizes.dimensions in {4, 8})
        ),
    )  # fmt: skip


def _drift(experiment: LinucbExperiment) -> pd.DataFrame:
    return frame(
        ("algorithm", "contexts", "variant", "largest drift", "residual", "to the exact inverse",
         "average reward", "variances below 0", "state (B)"),
        (
            (TITLES[result.case.name], result.case.law, item.variant,
             *(f"{last_tenth(each):.1e}" for each in (item.drift, item.residual, item.error)),
             f"{item.average_reward[-1]:.6f}", item.clamped_variances,
             f"{item.state_size_bytes:,}")
            for result in experiment.drift
            for item in result.variants
        ),
    )  # fmt: skip


def _arms(experiment: LinucbExperiment) -> pd.DataFrame:
    return frame(
        ("algorithm", "contexts", "variant", "learning the same", "playing alone"),
        (
            (TITLES[result.case.name], result.case.law, item.variant,
             *(f"{100 * equal / result.case.rounds:.3f} %"
               for equal in (item.equal_arms, item.equal_arms_alone)))
            for result in experiment.drift
            for item in result.variants[1:]
        ),
    )  # fmt: skip


def _disagreements(found: list[Any]) -> pd.DataFrame:
    return frame(
        ("algorithm", "contexts", "variant", "round", "arm", "instead of", "score margin"),
        (
            (TITLES[result.case.name], result.case.law, item.variant, f"{item.round_number:,}",
             item.variant_arm, item.standard_arm, f"{item.margin:.1e}")
            for result, item in found
        ),
    )  # fmt: skip


def _gain(experiment: LinucbExperiment) -> pd.DataFrame:
    found = claims(experiment).query("quantity == 'correction_gain'")
    return frame(
        ("reading", "orders of magnitude"),
        ((row.reading, f"{row.ours:.2f}") for row in found.itertuples()),
    )


def _updates(experiment: LinucbExperiment) -> pd.DataFrame:
    variants = ("standard", "optimized", "rank-one")
    return frame(
        ("f", *variants),
        (
            (features, *(
                f"{count_step('linucb-hybrid', each, sizes)['update'].arithmetic:,}"
                for each in variants
            ))
            for features in experiment.size.grid
            for sizes in (Sizes(8, 4, features),)
        ),
    )  # fmt: skip
