"""The page of the report, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.learn.softucb import published_widths
from gnomon.report.criteria import criteria_table, summary, table

if TYPE_CHECKING:
    from gnomon.learn.softucb import SoftucbExperiment

_INTRODUCTION = """\
# SoftUCB: a bandit that learns its confidence width

Yang and Toni, Differentiable Linear Bandit Algorithm (arXiv 2006.03000), in NumPy float64. Made
by `gnomon experiment softucb --size {size}`. Figures 1 and 2 of the paper have no numbers behind
them; its one table is Table 1. Its Appendices E to G were not at hand: pseudo-code of training,
and details of MovieLens and Jester, are resolved as `gnomon/learn/softucb` says.

{summary}

**To be read first.** The gain over LinUCB is mostly the smaller width: LinUCB with the best of
four constant widths, chosen in hindsight, is as good as SoftUCB or better in most setups below.
Offline training also plays {iterations} more runs on the same arms, which no other policy here
may do. What SoftUCB offers is that nobody needs to know the width.
"""

_REGRET = """\
## Regret (Figure 2)

![Regret over rounds](softucb_regret.svg)

R(T) by true means, mean of all environments, one run each, standard error in brackets. MovieLens:
{movielens}; Jester: {jester}. Features of Jester are scaled by 1/10; its true rewards are not
linear in them.

{table}
"""

_TRAINING = """\
## Training (Figure 1)

![Width and regret while training](softucb_training.svg)

{iterations} iterations from width 1, eta = 0.003, learning rate 2 / T; online eta = 0.01,
learning rate 0.01. Which width training ends with is decided by eta: the constraint term pushes
the width up, the covariance of estimate and norm down.

![Regret over a fixed width](softucb_width.svg)
"""

_TABLE_1 = """\
## Table 1

Trained width beside that of equation (5), K = 50, N = 50 iterations, 10 environments of ours.
Published values hold for the authors' data. The widths grow with T as published; with d they do
not.

{table}
"""

_TRAP = """\
## The trap of an empty set

Equation (9) is not defined while no arm is flagged as suboptimal; the prose of the paper then
plays uniformly. With the authors' online parameters (d = 20, noise 0.5) that never ends:
{zero:.0%} of the regret of uniform play, and the width climbs to {zero_beta:.1f}. With an empty
set counted as one arm it is {one:.0%}, and the width ends at {one_beta:.2f}. Here it counts as
one.
"""


def page(experiment: SoftucbExperiment) -> str:
    """The page."""
    iterations = experiment.comparisons[0].setup.iterations
    parts = [
        _INTRODUCTION.format(
            size=experiment.size, summary=summary(experiment.criteria), iterations=iterations
        ),
        "## Acceptance criteria\n",
        criteria_table(experiment.criteria) + "\n",
        _REGRET.format(
            movielens=experiment.data["movielens"],
            jester=experiment.data["jester"],
            table=_regret(experiment),
        ),
        _TRAINING.format(iterations=iterations),
    ]
    if experiment.table_1:
        parts.append(_TABLE_1.format(table=_widths(experiment)))
    if experiment.trap is not None:
        parts.append(_trap(experiment))
    return "\n".join(parts)


def _regret(experiment: SoftucbExperiment) -> str:
    names = list(experiment.comparisons[0].played)
    return table(
        ("policy", *(c.setup.name for c in experiment.comparisons)),
        (False, *(True for _ in experiment.comparisons)),
        (
            (
                name,
                *(
                    f"{c.played[name].mean:.1f} ({c.played[name].standard_error:.1f})"
                    + ("" if c.played[name].beta is None else f", β {c.played[name].beta:.2f}")
                    for c in experiment.comparisons
                ),
            )
            for name in names
        ),
    )


def _widths(experiment: SoftucbExperiment) -> str:
    trained, theory = published_widths("beta_trained"), published_widths("beta_theory")
    return table(
        ("d", "T", "noise", "β trained, published", "ours", "β of (5), published", "ours",
         "R(T)", "R(T) of LinUCB"),
        (True,) * 9,
        (
            (row.dimensions, row.rounds, f"{row.noise_std:.3g}",
             trained[row.dimensions, row.rounds], f"{row.mean:.2f}",
             theory[row.dimensions, row.rounds], f"{row.theory:.2f}",
             f"{row.regret:.0f}", f"{row.linucb:.0f}")
            for row in experiment.table_1
        ),
    )  # fmt: skip


def _trap(experiment: SoftucbExperiment) -> str:
    trap = experiment.trap
    assert trap is not None
    return _TRAP.format(
        zero=trap.share["zero"],
        zero_beta=trap.beta["zero"],
        one=trap.share["one"],
        one_beta=trap.beta["one"],
    )
