"""The tables of the report, as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.criteria import csv_text

if TYPE_CHECKING:
    from gnomon.learn.ares import AresExperiment


def regret_csv(experiment: AresExperiment) -> str:
    """Regret over the oracle's of every policy on every system."""
    return csv_text(
        ("system", "policy", "runs", "rounds", "regret", "ratio", "ratio_std"),
        (
            (result.system, name, experiment.runs, experiment.rounds, f"{regret.mean():.4f}",
             f"{result.ratio(name):.4f}", f"{result.deviation(name):.4f}")
            for result in experiment.systems
            for name, regret in result.regret.items()
        ),
    )  # fmt: skip


def windows_csv(experiment: AresExperiment) -> str:
    """Figures 4 and 5: mean window and exploration term of each arm."""
    rows: list[tuple[object, ...]] = []
    for result in experiment.systems:
        for quantity, at, values in (
            ("window", result.window_rounds, result.windows),
            ("bonus", result.bonus_rounds, result.bonus),
        ):
            rows += [
                (result.system, quantity, int(t), arm + 1, f"{value:.5g}")
                for t, row in zip(at, values, strict=True)
                for arm, value in enumerate(row)
            ]
    return csv_text(("system", "quantity", "round", "arm", "mean"), rows)


def constants_csv(experiment: AresExperiment) -> str:
    """Mean window and ratio by B."""
    return csv_text(
        ("bound", "window", "ratio"),
        (
            (f"{bound:g}", f"{window:.4f}", f"{experiment.bound_ratios[bound]:.4f}")
            for bound, window in experiment.bound_windows.items()
        ),
    )


def systems_csv(experiment: AresExperiment) -> str:
    """Ratios on systems 1 to 20."""
    many = experiment.many
    assert many is not None
    columns = ("radius", "random", "ucb", "ares", "ares_p", "pies_short")
    return csv_text(
        ("system", *columns),
        (
            (index + 1, *(f"{getattr(many, name)[index]:.4f}" for name in columns))
            for index in range(len(many.radius))
        ),
    )


def true_windows_csv(experiment: AresExperiment) -> str:
    """Ratios of the true weights by window."""
    return csv_text(
        ("system", "window", "ratio"),
        (
            (system, window, f"{ratio:.4f}")
            for system, ratios in experiment.windows.items()
            for window, ratio in ratios.items()
        ),
    )
