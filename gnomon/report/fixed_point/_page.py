"""The page of the report, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.bench.fixedpoint import burn_in, first_of
from gnomon.report.canvas import TITLES
from gnomon.report.fixed_point._reading import reading
from gnomon.report.fixed_point._tables import cell_rows
from gnomon.report.fixed_point._words import INTRODUCTION, LIVES, OTHERS, SCALED, SEEDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gnomon.bench.fixedpoint import CellResult, FixedPointStudy, StudyCase


def page(study: FixedPointStudy) -> str:
    """The page."""
    first = study.floats[0].case.seed
    main = [
        r for r in study.results if r.cell.case.context_scale == 1 and r.cell.case.seed == first
    ]
    scaled = [r for r in study.results if r.cell.case.context_scale != 1]
    seeds = [r for r in study.results if r.cell.case.seed != first]
    by_format = [r for r in main if r.cell.implementation.fraction_bits is None]
    one_format = [r for r in main if r.cell.implementation.fraction_bits is not None]
    rounds = study.floats[0].case.rounds
    parts = [
        INTRODUCTION.format(
            size=study.size.name,
            cases=_cases(study),
            burn_in=f"{100 * burn_in(rounds) / rounds:.0f} %",
        ),
        LIVES.format(
            tables=_by_case(by_format),
        ),
        OTHERS.format(others=_rows(study, one_format), counts=_counts(main)),
    ]
    if scaled:
        scale = scaled[0].cell.case.context_scale
        parts.append(
            SCALED.format(
                scale=f"{scale:g}",
                factor=f"{scale**-2:g}",
                floats=_float_rows(study),
                tables=_pivot(scaled, _life_and_ratio),
            )
        )
    if seeds:
        parts.append(SEEDS.format(seeds=_rows(study, seeds)))
    if study.size.name == "full":  # it looks at runs that other sizes do not have
        parts.append(reading(cell_rows(study)))
    return "".join(parts)


def _cases(study: FixedPointStudy) -> str:
    lines = []
    for curve in study.floats:
        case = curve.case
        features = f", f = {case.features}" if case.features else ""
        scale = f", contexts times {case.context_scale:g}" if case.context_scale != 1 else ""
        lines.append(
            f"- {_title(case)}{scale}: {case.rounds:,} rounds (learning the same:"
            f" {case.follow_rounds:,}), N = {case.arms}, d = {case.dimensions}{features},"
            f" alpha = {case.alpha:g}, seed {case.seed}. Float: regret {curve.regret[-1]:,.1f},"
            f" average reward {curve.reward[-1] / case.rounds:.4f}; arms played"
            f" {', '.join(f'{count:,}' for count in curve.plays)} times."
        )
    return "\n".join(lines)


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


def _by_case(results: Sequence[CellResult]) -> str:
    """Four tables for each case: formats down, variants across."""
    parts = []
    texts = (_life, _ratio_and_arms, _reward_and_drift, _rounds_of_events)
    for case in dict.fromkeys(result.cell.case for result in results):
        of_case = [result for result in results if result.cell.case == case]
        parts.append(f"\n### {_title(case)}\n")
        parts += [f"\n{_formats_table(of_case, text)}\n" for text in texts]
    return "".join(parts)


def _formats_table(results: Sequence[CellResult], text: Callable[[CellResult], str]) -> str:
    variants = list(dict.fromkeys(_variant(result) for result in results))
    formats = sorted({result.cell.fraction_bits for result in results})
    found = {(result.cell.fraction_bits, _variant(result)): text(result) for result in results}
    return _table(
        ("fraction bits", *variants),
        "r" + "l" * len(variants),
        ((bits, *(found.get((bits, variant), "") for variant in variants)) for bits in formats),
    )


def _pivot(results: Sequence[CellResult], text: Callable[[CellResult], str]) -> str:
    """One table: formats down, cases and variants across."""
    columns = list(dict.fromkeys((result.cell.case, _variant(result)) for result in results))
    formats = sorted({result.cell.fraction_bits for result in results})
    found = {
        (result.cell.fraction_bits, result.cell.case, _variant(result)): text(result)
        for result in results
    }
    return _table(
        ("fraction bits", *(f"{_title(case)}, {variant}" for case, variant in columns)),
        "r" + "r" * len(columns),
        ((bits, *(found.get((bits, *column), "") for column in columns)) for bits in formats),
    )


def _rows(study: FixedPointStudy, results: Sequence[CellResult]) -> str:
    rows = []
    for result in results:
        case, last = result.cell.case, result.errors[-1] if result.errors else None
        rows.append(
            (
                _title(case),
                case.seed,
                _variant(result),
                result.cell.fraction_bits,
                f"{100 * result.equal_following:.3f} %",
                f"{100 * result.equal_alone:.3f} %",
                f"{result.left_regret.ratio:,.4g}",
                f"{result.reward[-1] / case.rounds:.4f}",
                f"{study.float_of(case).reward[-1] / case.rounds:.4f}",
                _life(result),
                f"{last.relative:.1e}" if last else "not known",
            )
        )
    return _table(
        ("algorithm", "seed", "variant", "fraction bits", "equal arms, learning the same",
         "playing alone", "regret over float's", "average reward", "of float", "regret leaves 2 %",
         "error of A⁻¹ at the end"),
        "lrlrrrrrrlr",
        rows,
    )  # fmt: skip


def _float_rows(study: FixedPointStudy) -> str:
    plain = {
        (curve.case.name, curve.case.law): curve
        for curve in reversed(study.floats)
        if curve.case.context_scale == 1
    }
    rows = [
        (
            _title(curve.case),
            f"{plain[curve.case.name, curve.case.law].regret[-1]:,.1f}",
            f"{curve.regret[-1]:,.1f}",
        )
        for curve in study.floats
        if curve.case.context_scale != 1
    ]
    return _table(("float64", "regret, contexts as they are", "scaled"), "lrr", rows)


def _counts(results: Iterable[CellResult]) -> str:
    unseen = sorted({_variant(result) for result in results if result.overflows is None})
    if not unseen:
        return "Overflows are counted in every variant here."
    return f"Not counted are the overflows of: {', '.join(unseen)}."


def _variant(result: CellResult) -> str:
    line = "" if result.cell.line == "paper" else f"{result.cell.line} "
    return f"{line}{result.cell.variant}"


def _title(case: StudyCase) -> str:
    return f"{TITLES[case.name]}, {case.law} contexts"


def _table(header: Iterable[str], align: str, rows: Iterable[Iterable[object]]) -> str:
    lines = [
        f"| {' | '.join(header)} |",
        f"| {' | '.join('---:' if side == 'r' else '---' for side in align)} |",
    ]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)
