"""The tables of the report, as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.learn.softucb import published_widths
from gnomon.report.criteria import csv_text

if TYPE_CHECKING:
    from gnomon.learn.softucb import SoftucbExperiment


def regret_csv(experiment: SoftucbExperiment) -> str:
    """R(T) of every policy in every setup."""
    return csv_text(
        ("setup", "policy", "arms", "d", "rounds", "environments", "noise_std", "beta", "regret",
         "standard_error"),
        (
            (c.setup.name, name, c.setup.arm_sets.means.shape[1],
             c.setup.arm_sets.features.shape[2], c.setup.rounds, len(each.final),
             f"{c.setup.arm_sets.noise_std:g}", "" if each.beta is None else f"{each.beta:.4f}",
             f"{each.mean:.3f}", f"{each.standard_error:.3f}")
            for c in experiment.comparisons
            for name, each in c.played.items()
        ),
    )  # fmt: skip


def curves_csv(experiment: SoftucbExperiment) -> str:
    """Regret over rounds, at 17 rounds."""
    return csv_text(
        ("setup", "policy", "round", "regret"),
        (
            (c.setup.name, name, int(c.stops[at]), f"{each.regret[at]:.3f}")
            for c in experiment.comparisons
            for name, each in c.played.items()
            for at in range(0, len(c.stops), 8)
        ),
    )


def training_csv(experiment: SoftucbExperiment) -> str:
    """Trained width and regret over iterations."""
    return csv_text(
        ("setup", "iteration", "beta", "regret"),
        (
            (c.setup.name, at + 1, f"{c.beta_by_iteration[at + 1]:.4f}", f"{regret:.3f}")
            for c in experiment.comparisons
            for at, regret in enumerate(c.regret_by_iteration)
        ),
    )


def sweep_csv(experiment: SoftucbExperiment) -> str:
    """R(T) over a fixed width."""
    return csv_text(
        ("d", "rounds", "noise_std", "beta", "regret"),
        (
            (d, rounds, f"{noise:.4g}", f"{width:g}", f"{regret:.3f}")
            for (d, rounds, noise), sweep in experiment.sweeps.items()
            for width, regret in sweep.items()
        ),
    )


def widths_csv(experiment: SoftucbExperiment) -> str:
    """Table 1 beside ours."""
    trained, theory = published_widths("beta_trained"), published_widths("beta_theory")
    return csv_text(
        ("d", "rounds", "noise_std", "beta_trained_published", "beta_trained_ours", "beta_std",
         "beta_theory_published", "beta_theory_ours", "regret", "regret_linucb"),
        (
            (row.dimensions, row.rounds, f"{row.noise_std:.4g}",
             trained[row.dimensions, row.rounds], f"{row.mean:.4f}",
             f"{row.beta.std(ddof=1):.4f}", theory[row.dimensions, row.rounds],
             f"{row.theory:.4f}", f"{row.regret:.3f}", f"{row.linucb:.3f}")
            for row in experiment.table_1
        ),
    )  # fmt: skip
