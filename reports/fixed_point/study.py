"""``gnomon experiment fixed-point``: every embedded LinUCB and number format next to float."""

from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.frames import across, frame
from gnomon.cli.study import study_command
from gnomon.content.reports.linucb.styles import TITLES
from gnomon.measure.regret import RegretCase
from gnomon.report.study import StudyReport

from .cells import SIZES, CellResult, FixedPointStudy, run_fixed_point
from .events import burn_in, first_of
from .pictures import PICTURES
from .tables import CSV, cell_names, facts

_NUMBERS = (
    "seed", "fraction bits", "equal arms, learning the same", "playing alone",
    "regret over float's", "average reward", "of float", "error of A⁻¹ at the end",
)  # fmt: skip
_SHOWN = ["algorithm", "seed", "variant", *_NUMBERS[1:-1], "regret leaves 2 %", _NUMBERS[-1]]


def fixed_point_report(study: FixedPointStudy) -> StudyReport:
    tables = {name: table(study) for name, table in CSV.items()}
    found = pd.DataFrame(_row(study, result) for result in study.results)
    found["learner"] = found["algorithm"] + ", " + found["variant"]
    scaled = found[found["scale"] != 1]
    first = found["seed"] == study.floats[0].case.seed
    main, seeds = found[(found["scale"] == 1) & first], found[~first]
    rounds = study.floats[0].case.rounds
    floats = _floats(study)
    shown = {
        "size": study.size,
        "titles": TITLES,
        "floats": study.floats,
        "burn_in": f"{100 * burn_in(rounds) / rounds:.0f} %",
        "right": _NUMBERS,
        "by_case": _by_case(main[main["any_bits"]]),
        "others": main[~main["any_bits"]][_SHOWN],
        "unseen": sorted(main[main["unseen"]]["variant"].unique()),
        "scale": None if scaled.empty else scaled["scale"].iloc[0],
        "float_pays": all(own > plain for _, plain, own in floats),
        "scaled_floats": frame(
            ("float64", "regret, contexts as they are", "scaled"),
            ((_title(case), *(f"{each:,.1f}" for each in regrets)) for case, *regrets in floats),
        ),
        "scaled": None if scaled.empty else _formats(scaled, "learner", "life and ratio"),
        "seeds": None if seeds.empty else seeds[_SHOWN],
        # the last section looks at runs that other sizes do not have
        **(facts(tables["cells"]) if study.size.name == "full" else {}),
    }
    answer = {"cells": [_answer(result) for result in study.results]}
    return StudyReport(
        Path(__file__).parent, "fixed-point", shown, tables, PICTURES, answer, results=study,
        packed=("cells", "curves", "events"),
    )  # fmt: skip


def _answer(result: CellResult) -> dict[str, object]:
    return {
        **cell_names(result.cell),
        "context_scale": result.cell.case.context_scale,
        "equal_following": result.equal_following,
        "equal_alone": result.equal_alone,
        "regret_ratio": result.left_regret.ratio,
        "regret_left_round": result.left_regret.for_good or None,
        "cause": result.cause or None,
    }


def _row(study: FixedPointStudy, result: CellResult) -> dict[str, Any]:
    cell, case, ratio = result.cell, result.cell.case, f"{result.left_regret.ratio:,.4g}"
    reward = f"{result.reward[-1] / case.rounds:.4f}"
    drift = f"{result.errors[-1].relative:.1e}" if result.errors else ""
    shares = [100 * result.equal_following, 100 * result.equal_alone]
    left = result.left_regret.for_good
    rounds = [first_of(group, result.events) for group in ("underflow", "overflow")]
    return {
        "algorithm": _title(case),
        "seed": case.seed,
        "scale": case.context_scale,
        "variant": cell.variant if cell.line == "paper" else f"{cell.line} {cell.variant}",
        "any_bits": cell.implementation.fraction_bits is None,
        "unseen": result.overflows is None,
        "fraction bits": cell.fraction_bits,
        "equal arms, learning the same": f"{shares[0]:.3f} %",
        "playing alone": f"{shares[1]:.3f} %",
        "regret over float's": ratio,
        "average reward": reward,
        "of float": f"{study.float_of(case).reward[-1] / case.rounds:.4f}",
        "regret leaves 2 %": _life(result),
        "error of A⁻¹ at the end": drift or "not known",
        "ratio and arms": f"{ratio}; {shares[0]:.1f} / {shares[1]:.1f}",
        "reward and drift": f"{reward}; {drift}" if drift else reward,
        "events": " / ".join(f"{number:,}" if number else "none" for number in rounds),
        "life and ratio": f"{left:,}: {result.cause}, {ratio}" if left else f"stays, {ratio}",
    }


def _floats(study: FixedPointStudy) -> list[tuple[RegretCase, float, float]]:
    """Return each case with scaled contexts; regret of float without and with scaling."""
    plain = {
        (curve.case.name, curve.case.law): float(curve.regret[-1])
        for curve in reversed(study.floats)
        if curve.case.context_scale == 1
    }
    return [
        (curve.case, plain[curve.case.name, curve.case.law], float(curve.regret[-1]))
        for curve in study.floats
        if curve.case.context_scale != 1
    ]


def _life(result: CellResult) -> str:
    left = result.left_regret.for_good
    if not left:
        return "stays"
    side = ", below" if result.left_regret.side == "below" else ""
    event = result.explaining
    evidence = (
        f" ({event.name}, {'' if event.exact else 'by '}{event.round_number:,})" if event else ""
    )
    return f"{left:,}{side}: {result.cause}{evidence}"


def _by_case(found: pd.DataFrame) -> list[tuple[str, list[pd.DataFrame]]]:
    """Return four tables for each case: formats down, variants across."""
    texts = ("regret leaves 2 %", "ratio and arms", "reward and drift", "events")
    return [
        (str(title), [_formats(of_case, "variant", text) for text in texts])
        for title, of_case in found.groupby("algorithm", sort=False)
    ]


def _formats(found: pd.DataFrame, column: str, text: str) -> pd.DataFrame:
    return across(found, "fraction bits", column, text).sort_values("fraction bits")


def _title(case: RegretCase) -> str:
    return f"{TITLES[case.name]}, {case.law} contexts"


main = study_command(
    lambda size, progress, keeps: fixed_point_report(
        run_fixed_point(size(), progress, fresh=keeps.fresh)
    ),
    SIZES,
)
