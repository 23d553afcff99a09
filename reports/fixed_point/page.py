"""The page of the study: what its template shows and chooses its sentences by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.frames import frame
from gnomon.report.canvas import TITLES
from gnomon.report.study import study_page

from .events import burn_in, first_of
from .reading import facts
from .tables import cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

    from gnomon.bench.regret import RegretCase

    from .cells import CellResult, FixedPointStudy

_NUMBERS = (
    "seed", "fraction bits", "equal arms, learning the same", "playing alone",
    "regret over float's", "average reward", "of float", "error of A⁻¹ at the end",
)  # fmt: skip


def page(study: FixedPointStudy) -> str:
    """The page as Markdown."""
    first = study.floats[0].case.seed
    main = [
        r for r in study.results if r.cell.case.context_scale == 1 and r.cell.case.seed == first
    ]
    scaled = [r for r in study.results if r.cell.case.context_scale != 1]
    seeds = [r for r in study.results if r.cell.case.seed != first]
    by_format = [r for r in main if r.cell.implementation.fraction_bits is None]
    one_format = [r for r in main if r.cell.implementation.fraction_bits is not None]
    rounds = study.floats[0].case.rounds
    floats = _floats(study)
    # the last section looks at runs that other sizes do not have
    reading = facts(cells(study)) if study.size.name == "full" else {}
    return study_page(
        Path(__file__).parent,
        size=study.size,
        titles=TITLES,
        floats=study.floats,
        burn_in=f"{100 * burn_in(rounds) / rounds:.0f} %",
        right=_NUMBERS,
        by_case=_by_case(by_format),
        others=_rows(study, one_format),
        unseen=sorted({_variant(result) for result in main if result.overflows is None}),
        scale=scaled[0].cell.case.context_scale if scaled else None,
        float_pays=all(own > plain for _, plain, own in floats),
        scaled_floats=frame(
            ("float64", "regret, contexts as they are", "scaled"),
            ((_title(case), *(f"{each:,.1f}" for each in regrets)) for case, *regrets in floats),
        ),
        scaled=_scaled(scaled) if scaled else None,
        seeds=_rows(study, seeds) if seeds else None,
        **reading,
    )


def _floats(study: FixedPointStudy) -> list[tuple[RegretCase, float, float]]:
    """Each case with scaled contexts; regret of float without and with scaling."""
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


def _life_and_ratio(result: CellResult) -> str:
    left = result.left_regret.for_good
    ratio = f"{result.left_regret.ratio:,.4g}"
    return f"{left:,}: {result.cause}, {ratio}" if left else f"stays, {ratio}"


def _ratio_and_arms(result: CellResult) -> str:
    shares = f"{100 * result.equal_following:.1f} / {100 * result.equal_alone:.1f}"
    return f"{result.left_regret.ratio:,.4g}; {shares}"


def _reward_and_drift(result: CellResult) -> str:
    reward = f"{result.reward[-1] / result.cell.case.rounds:.4f}"
    return f"{reward}; {result.errors[-1].relative:.1e}" if result.errors else reward


def _rounds_of_events(result: CellResult) -> str:
    numbers = (first_of("underflow", result.events), first_of("overflow", result.events))
    return " / ".join(f"{number:,}" if number else "none" for number in numbers)


def _by_case(results: Sequence[CellResult]) -> list[tuple[str, list[pd.DataFrame]]]:
    """Four tables for each case."""
    texts = (_life, _ratio_and_arms, _reward_and_drift, _rounds_of_events)
    return [
        (_title(case), [_formats(of_case, _variant, text) for text in texts])
        for case in dict.fromkeys(result.cell.case for result in results)
        for of_case in ([result for result in results if result.cell.case == case],)
    ]


def _scaled(results: Sequence[CellResult]) -> pd.DataFrame:
    def column(result: CellResult) -> str:
        return f"{_title(result.cell.case)}, {_variant(result)}"

    return _formats(results, column, _life_and_ratio)


def _formats(
    results: Sequence[CellResult],
    column: Callable[[CellResult], str],
    text: Callable[[CellResult], str],
) -> pd.DataFrame:
    """Formats down, variants across."""
    columns = list(dict.fromkeys(map(column, results)))
    there = {(result.cell.fraction_bits, column(result)): text(result) for result in results}
    return frame(
        ("fraction bits", *columns),
        (
            (bits, *(there.get((bits, each), "") for each in columns))
            for bits in sorted({result.cell.fraction_bits for result in results})
        ),
    )


def _rows(study: FixedPointStudy, results: Iterable[CellResult]) -> pd.DataFrame:
    rows = []
    for result in results:
        case, last = result.cell.case, result.errors[-1] if result.errors else None
        rows.append(
            (_title(case), case.seed, _variant(result), result.cell.fraction_bits,
             f"{100 * result.equal_following:.3f} %", f"{100 * result.equal_alone:.3f} %",
             f"{result.left_regret.ratio:,.4g}", f"{result.reward[-1] / case.rounds:.4f}",
             f"{study.float_of(case).reward[-1] / case.rounds:.4f}", _life(result),
             f"{last.relative:.1e}" if last else "not known")
        )  # fmt: skip
    return frame(
        ("algorithm", "seed", "variant", *_NUMBERS[1:-1], "regret leaves 2 %", _NUMBERS[-1]), rows
    )


def _variant(result: CellResult) -> str:
    line = "" if result.cell.line == "paper" else f"{result.cell.line} "
    return f"{line}{result.cell.variant}"


def _title(case: RegretCase) -> str:
    return f"{TITLES[case.name]}, {case.law} contexts"
