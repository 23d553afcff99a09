"""The page in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report._criteria_table import table
from gnomon.report.comparison._front import front, panels
from gnomon.report.comparison._learners import TITLES
from gnomon.report.comparison._run import FRACTION_BITS

if TYPE_CHECKING:
    from gnomon.report.comparison._run import Comparison, Point

_START = """\
# All learners: regret against energy

Made by `gnomon report learners --size {size}`. Every learner of `algorithms/` plays the same
problems, in the same rounds, in the fixed-point arithmetic of its own C.

![Regret against dynamic energy per decision, problem by machine](comparison.svg)

Left is cheaper, lower is better; both axes are logarithmic. Regret is over that of one who plays
any arm, each as likely (dotted line at 1); 0 would be the best arm in every round. {known}
Large marks are what no other implementation of the same learner beats; small ones are its others.
The grey line is the Pareto front of all, its points have a black edge. Bars are 95 % intervals of
regret over {seeds} seeds and the intervals of energy. For narrow screens: {narrow}.

## The fronts

{fronts}

## The best of each learner

Of each learner the implementation with the least energy among those whose regret is within 2 % of
its least, in each problem on each machine.

{best}

All implementations: [comparison_points.csv](comparison_points.csv).

## What is compared

{problems}

* Seeds 1 to {seeds} of {rounds:,} rounds each. In every round all learners know the same context
  before they choose. SoftUCB takes the features of the arms and no context. ARES-P reads a context
  with a reward, so it is handed that of the next round then.
* Each learner chooses one of six settings, by the regret of its scalar `optimized` implementation
  in {training} other runs of the same problem: [comparison_settings.csv](comparison_settings.csv).
* All numbers are Q{integer}.{bits}: the one format that all implementations have. {why}
* Regret is that of the same C on this computer. The first {machine_seeds} runs are played from
  the first round to the last on each machine, and every arm and every word of the model at the end
  are those of this computer. So how often a learner explores, solves or grows is as it happened.
* Energy is dynamic, of the mean selection and the mean update, operands dense; static power is not
  in it ([docs/energy.md](../../docs/energy.md)). Time is at 100 MHz, one hart.

## What is not compared

* Problems of one size and one horizon. A learner that is ahead after {rounds:,} rounds may not be
  after 100,000.
* Corrections of the inverses: they are 5,000 updates apart, none falls into these rounds.
* The cost of sensing, of communication, and of waiting for the next decision.

{absences}
"""


def page(comparison: Comparison) -> str:
    """The page of all results."""
    size = comparison.size
    return _START.format(
        size=size.name,
        known=_known(comparison),
        seeds=size.seeds,
        narrow=", ".join(f"[{name}](comparison-{name}.svg)" for name in comparison.machines),
        fronts=_fronts(comparison),
        best=_best(comparison),
        problems=_problems(comparison),
        rounds=size.rounds,
        training=size.training_seeds,
        integer=31 - FRACTION_BITS,
        bits=FRACTION_BITS,
        why="",
        machine_seeds=size.machine_seeds,
        absences=_absences(comparison),
    )


def _known(comparison: Comparison) -> str:
    return " ".join(
        f"The dashed line at {value.mean:.2f} is the Kalman filter that knows the system."
        for value in comparison.known.values()
    )


_HEAD = ("problem", "machine", "learner", "implementation", "setting", "regret", "interval", "µJ",
         "interval", "µs", "model bytes", "text bytes")  # fmt: skip
_RIGHT = (False, False, False, False, False, True, True, True, True, True, True, True)


def _row(point: Point) -> tuple[str, ...]:
    return (
        point.problem,
        point.machine,
        TITLES[point.learner],
        f"{point.variant}, {point.line}",
        point.setting,
        f"{point.regret.mean:.3f}",
        f"{point.regret.low:.3f} to {point.regret.high:.3f}",
        f"{point.energy_uj:,.3g}",
        f"{point.low_uj:,.3g} to {point.high_uj:,.3g}",
        f"{point.time_us:,.1f}",
        f"{point.model_bytes:,}",
        f"{point.text_bytes:,}",
    )


def _fronts(comparison: Comparison) -> str:
    rows = [_row(point) for each in panels(comparison.points).values() for point in front(each)]
    return table(_HEAD, _RIGHT, rows)


def _best(comparison: Comparison) -> str:
    rows = []
    for points in panels(comparison.points).values():
        for learner in TITLES:
            own = [point for point in points if point.learner == learner]
            if own:
                least = min(point.regret.mean for point in own)
                good = [point for point in own if point.regret.mean <= 1.02 * least]
                rows.append(_row(min(good, key=lambda point: point.energy_uj)))
    return table(_HEAD, _RIGHT, rows)


def _problems(comparison: Comparison) -> str:
    return table(
        ("problem", "d", "arms", "f", "the papers of", "what it is"),
        (False, True, True, True, False, False),
        [
            (each.name, each.d, each.arms, each.f, each.whose, each.about)
            for each in comparison.problems
        ],
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
