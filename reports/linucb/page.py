"""The page of the study: values that its template shows and chooses its sentences by."""

from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.learn import Sizes, count_step, find_learner
from gnomon.report.study import StudyReport

from .drift import correction_gain
from .pictures import PICTURES
from .study import LinucbExperiment
from .styles import TITLES
from .tables import claims, disagreements, last_tenth, linucb_tables, peaks, saved

ORDERS = 1.5
"""Orders of magnitude from which on a correction is said to gain."""

PUBLIC_SELECT = {4: 1208, 8: 9448, 16: 75_720, 32: 608_136}
"""``mulh`` of the authors' disjoint program by d, 8 arms (klessydra/Libraries d30dad2)."""

PUBLIC_STEP = 22_816
"""Those of their hybrid step with d = f = 4."""

DOUBLED = 8
"""Products by 2 in it, which compile to shifts."""


def linucb_report(experiment: LinucbExperiment) -> StudyReport:
    results = experiment.drift
    found, drift = disagreements(experiment), _variants(experiment)
    stated = claims(experiment)
    facts = {
        "size": experiment.size,
        "titles": TITLES,
        "results": results,
        "claims": _claims(stated),
        "memory": _memory(experiment),
        "drift": drift.drop(columns=["learning the same", "playing alone"]),
        "arms": drift[drift["variant"] != "standard"],
        "disagreements": _disagreements(found),
        "gain": stated.query("quantity == 'correction_gain'"),
        "updates": _updates(experiment),
        **_complexity_facts(experiment),
        **_memory_facts(experiment),
        **_drift_facts(experiment),
    }
    rows = stated[["quantity", "unit", "published", "ours", "reading"]]
    tables, answer = linucb_tables(experiment), {"claims": rows.to_dict("records")}
    return StudyReport(
        Path(__file__).parent, "linucb", facts, tables, PICTURES, answer, results=experiment,
        packed=("drift",),
    )  # fmt: skip


def _complexity_facts(experiment: LinucbExperiment) -> dict[str, Any]:
    growth, counts = pd.DataFrame(experiment.growth), pd.DataFrame(experiment.counts)
    growth["algorithm"] = growth["algorithm"].map(TITLES)
    formula = counts.filter(like="formula_")
    counted = counts[formula.columns.str.replace("formula", "counted")]
    standard = find_learner("linucb-disjoint", "standard")
    disjoint = {
        d: count_step(standard.from_sizes(Sizes(8, d)))["select"].multiplications
        for d in PUBLIC_SELECT
    }
    step = count_step(find_learner("linucb-hybrid", "standard").from_sizes(Sizes(8, 4, 4)))
    hybrid = sum(each.multiplications for each in step.values())
    return {
        "growth": growth.rename(columns={"verdict": ""}),
        "faster": growth[growth["verdict"] == "grows faster"],
        "slower": growth[growth["verdict"] == "grows slower"],
        "by_formula": bool((formula.to_numpy() == counted.to_numpy()).all()),
        "multiplications": disjoint,
        "step_multiplications": PUBLIC_STEP,
        "doubled": DOUBLED,
        "as_public": disjoint == PUBLIC_SELECT and hybrid == PUBLIC_STEP + DOUBLED,
    }


def _memory_facts(experiment: LinucbExperiment) -> dict[str, Any]:
    of = peaks(experiment)
    disjoint = of.loc["linucb-disjoint"]
    rows = pd.DataFrame(experiment.memory)
    return {
        "same_state": not saved(of, "state_size_bytes").any(),
        "select_relieved": bool((saved(of, "select") > 0).all()),
        "update_grows": bool((saved(of, "update") < 0).all()),
        "disjoint_saves": bool((saved(disjoint.loc[8:], "most") > 0).any()),
        "hybrid_saves": bool((saved(of.loc["linucb-hybrid"], "most") > 0).any()),
        "largest_shared_bytes": int(8 * ((rows["d"] * rows["f"]) ** 2).max()),
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


def _claims(found: pd.DataFrame) -> pd.DataFrame:
    texts = [f"{each:.0e}" if each < 1e-3 else f"{each:,.0f}" for each in found["published"]]
    shown = found.assign(published=texts, ours=found["ours"].map(_number))
    return shown[["quantity", "published", "ours", "unit", "reading", "where"]]


def _number(value: float) -> str:
    if value == int(value) and abs(value) >= 1:
        return f"{int(value):,}"
    return f"{value:.1e}" if 0 < abs(value) < 0.01 else f"{value:.2f}"


def _memory(experiment: LinucbExperiment) -> pd.DataFrame:
    rows = pd.DataFrame(experiment.memory)
    rows["algorithm"] = rows["algorithm"].map(TITLES)
    some = rows[rows["arms"].isin([1, 8]) & ((rows["f"] == 0) | rows["d"].isin([4, 8]))]
    heads = {"arms": "N", "state_size_bytes": "state (B)", "select_peak_bytes": "select peak (B)",
             "update_peak_bytes": "update peak (B)"}  # fmt: skip
    return some.assign(f=some["f"].replace(0, "").astype(object)).rename(columns=heads)


def _variants(experiment: LinucbExperiment) -> pd.DataFrame:
    """Return one row for each variant in each run."""
    return pd.DataFrame(
        {
            "algorithm": TITLES[result.case.name],
            "contexts": result.case.law,
            "variant": item.variant,
            "largest drift": last_tenth(item.drift),
            "residual": last_tenth(item.residual),
            "to the exact inverse": last_tenth(item.error),
            "average reward": item.average_reward[-1],
            "variances below 0": item.clamped_variances,
            "state (B)": item.state_size_bytes,
            "learning the same": f"{100 * item.equal_arms / result.case.rounds:.3f} %",
            "playing alone": f"{100 * item.equal_arms_alone / result.case.rounds:.3f} %",
        }
        for result in experiment.drift
        for item in result.variants
    )


def _disagreements(found: pd.DataFrame) -> pd.DataFrame:
    shown = found.assign(algorithm=found["algorithm"].map(TITLES))
    heads = {"variant_arm": "arm", "standard_arm": "instead of", "score_margin": "score margin"}
    columns = ["algorithm", "contexts", "variant", "round", *heads]
    return shown[columns].rename(columns=heads)


def _updates(experiment: LinucbExperiment) -> pd.DataFrame:
    grid, names = experiment.size.grid, ("standard", "optimized", "rank-one")
    variants = {name: find_learner("linucb-hybrid", name) for name in names}
    counts = {
        name: [count_step(each.from_sizes(Sizes(8, 4, f)))["update"].arithmetic for f in grid]
        for name, each in variants.items()
    }
    return pd.DataFrame({"f": grid} | counts).map("{:,}".format)
