"""The page in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.comparison._formats import least_bits
from gnomon.report.comparison._front import front, panels
from gnomon.report.comparison._learners import TITLES
from gnomon.report.comparison._regret import FRACTION_BITS
from gnomon.report.criteria import table

if TYPE_CHECKING:
    from gnomon.report.comparison._run import Comparison, Point

_PAGE = """\
# All learners: regret against energy

Made by `gnomon report learners --size {size}`. Every learner of `algorithms/` plays the same
problems, in the same rounds, in the fixed-point arithmetic of its own C.

![Regret against dynamic energy per decision, problem by machine](comparison.svg)

Left is cheaper, lower is better; both axes are logarithmic. Regret is over that of one who plays
any arm, each as likely: dotted line at 1; 0 is the best arm in every round.{known}
A large mark is an implementation that no other of its learner beats, a small one any other. The
grey line is the Pareto front of all; marks on it have a black edge. Bars are 95 % intervals of
regret over {seeds} seeds, and intervals of energy. One machine each, for narrow screens: {narrow}.

## The fronts

From the cheapest to the one of least regret: µJ per decision, then regret. Implementations are of
the tuned line unless `paper` is said.

{fronts}

## The best of each learner

The implementation of least energy among those whose regret is within 2 % of the learner's least on
that machine. Regret is that on {last}.

{best}

Every implementation, with cycles of mean and slowest steps, µs, bytes and intervals:
[comparison_points.csv](comparison_points.csv).

## What is compared

{problems}

* Seeds 1 to {seeds}, {rounds:,} rounds each. All learners know the same context before they choose.
  SoftUCB takes the features of the arms and no context. ARES-P reads a context with a reward, so it
  is handed that of the next round then.
* Each learner chooses one of six settings, by the regret of its scalar `optimized` implementation
  in {training} other runs of the problem: [comparison_settings.csv](comparison_settings.csv).
* Regret is that of the C on this computer, {seeds} runs. {played} played from the first
  round to the last on each machine; every arm, and every word of the model at the end, is that of
  this computer. So how often a learner explores, solves or grows is as it happened.
* Energy is dynamic, of the mean selection and the mean update, operands dense; static power is not
  in it ([docs/energy.md](../../docs/energy.md)). One hart, at the machine's clock.{extrapolated}

## Number formats

All points are Q{integer}.{bits}, the one format that every implementation has. Words are 32 bits in
every format, so fewer bits would not shrink a model. What would do, where there is a choice: the
fewest fraction bits from which on regret is at most 2 % above that with {most}, in the training
runs ([comparison_formats.csv](comparison_formats.csv)). Learners that draw random numbers part
after the first unequal draw, so for them 2 % is also chance.

{formats}

## What is not compared

* Other sizes and horizons: who is ahead after {rounds:,} rounds may not be after 100,000.
* The paper's correction of inverses: it comes every 5,000 updates, so none falls into these rounds.
* Sensing, communication, and waiting for the next decision.

{absences}
"""


def page(comparison: Comparison) -> str:
    """The page of all results."""
    size = comparison.size
    alone = size.machine_seeds == 1
    return _PAGE.format(
        size=size.name,
        known=_known(comparison),
        seeds=size.seeds,
        narrow=", ".join(f"[{name}](comparison-{name}.svg)" for name in comparison.machines),
        fronts=_fronts(comparison),
        last=comparison.machines[-1],
        best=_best(comparison),
        problems=_problems(comparison),
        rounds=size.rounds,
        training=size.training_seeds,
        played="The run of seed 1 is" if alone else f"The first {size.machine_seeds} runs are",
        extrapolated=_extrapolated(comparison),
        integer=31 - FRACTION_BITS,
        bits=FRACTION_BITS,
        most=max((each.fraction_bits for each in comparison.formats), default=FRACTION_BITS),
        formats=_formats(comparison),
        absences=_absences(comparison),
    )


def _known(comparison: Comparison) -> str:
    return "".join(
        f" Dashed, at {value.mean:.2f}: the Kalman filter, which knows the system."
        for value in comparison.known.values()
    )


def _extrapolated(comparison: Comparison) -> str:
    count = sum(point.extrapolated for point in comparison.points)
    if not count:
        return ""
    return (
        f"\n  Of {len(comparison.points)} points, {count} switch more or less than any run behind"
        " the power table;\n  `extrapolated` in the CSV file names them."
    )


def _fronts(comparison: Comparison) -> str:
    rows = [
        (
            *key,
            " → ".join(
                f"{TITLES[point.learner]} {_made(point)}: {_short(point.energy_uj)} µJ,"
                f" {point.regret.mean:.3f}"
                for point in front(points)
            ),
        )
        for key, points in panels(comparison.points).items()
    ]
    return table(("problem", "machine", "front"), (False,) * 3, rows)


def _best(comparison: Comparison) -> str:
    of_panel = panels(comparison.points)
    rows = []
    for problem in comparison.problems:
        for learner, title in TITLES.items():
            found = [
                _good(own)
                for machine in comparison.machines
                if (own := [point for point in of_panel[problem.name, machine]
                            if point.learner == learner])
            ]  # fmt: skip
            if not found:
                continue
            last = found[-1]
            rows.append(
                (
                    *(problem.name, title, last.setting, f"{last.regret.mean:.3f}"),
                    f"{last.regret.low:.3f} to {last.regret.high:.3f}",
                    *(_cost(point) for point in found),
                    f"{last.model_bytes:,}",
                    f"{last.text_bytes:,}",
                )
            )
    head = ("problem", "learner", "setting", "regret", "95 % interval",
            *(f"µJ, µs on {machine}" for machine in comparison.machines),
            "model bytes", "text bytes")  # fmt: skip
    right = (False, False, False, True, True, *(False for _ in comparison.machines), True, True)
    return table(head, right, rows)


def _good(own: list[Point]) -> Point:
    """The cheapest within 2 % of the least regret, the first of equals."""
    least = min(point.regret.mean for point in own)
    return min(
        (point for point in own if point.regret.mean <= 1.02 * least),
        key=lambda point: point.energy_uj,
    )


def _cost(point: Point) -> str:
    return f"{_short(point.energy_uj)}, {point.time_us:,.0f} ({_made(point)})"


def _made(point: Point) -> str:
    """Which implementation; of the tuned line, if nothing else is said."""
    return point.variant if point.line == "tuned" else f"{point.variant}, {point.line}"


def _short(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _problems(comparison: Comparison) -> str:
    return table(
        ("problem", "d", "arms", "f", "the papers of", "what it is"),
        (False, True, True, True, False, False),
        [
            (each.name, each.d, each.arms, each.f, each.whose, each.about)
            for each in comparison.problems
        ],
    )


def _formats(comparison: Comparison) -> str:
    kinds = dict.fromkeys((each.learner, each.line, each.variant) for each in comparison.formats)
    rows = []
    for learner, line, variant in kinds:
        cells = []
        for problem in comparison.problems:
            own = [
                each
                for each in comparison.formats
                if (each.problem, each.learner, each.line, each.variant)
                == (problem.name, learner, line, variant)
            ]
            bits = least_bits(own)
            cells.append(f"{own[-1].fraction_bits}" if bits is None else f"{bits}")
        rows.append((TITLES[learner], f"{variant}, {line}", *cells))
    names = [problem.name for problem in comparison.problems]
    return table(
        ("learner", "implementation", *names), (False, False, *(True for _ in names)), rows
    )


def _absences(comparison: Comparison) -> str:
    if not comparison.absences:
        return "Every machine runs every implementation."
    rows = [
        (each.machine, TITLES[each.learner], f"{each.variant}, {each.line}", each.reason)
        for each in comparison.absences
    ]
    return "Implementations that a machine cannot run:\n\n" + table(
        ("machine", "learner", "implementation", "why"), (False,) * 4, rows
    )
