"""Page, tables and figures of the report."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.report.canvas import render
from gnomon.report.criteria import criteria_csv, criteria_table, summary
from gnomon.report.study import study_page

from .pictures import regret_figure, windows_figure
from .policies import LONG, SHORT, pies

if TYPE_CHECKING:
    import pandas as pd

    from .experiment import AresExperiment
    from .runs import ManySystems, SystemResult

_ENOUGH = 1.05
"""Regret over the oracle's at which a window is long enough."""
_STILL = 0.1
"""Spectral radius below which a system has next to no memory."""


def write_ares(experiment: AresExperiment, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "ares.md": page(experiment),
        "criteria.csv": criteria_csv(experiment.criteria),
        "regret.csv": csv_text(_regret(experiment)),
        "windows.csv": csv_text(_windows(experiment)),
    }
    if experiment.many is not None:
        files["constants.csv"] = csv_text(_constants(experiment, 4))
        files["systems.csv"] = csv_text(_many(experiment.many, 4))
        files["true_windows.csv"] = csv_text(_true(experiment))
    for name, draw in {"regret": regret_figure, "windows": windows_figure}.items():
        files[name] = render(partial(draw, experiment))
    return write_files(folder, files)


def page(experiment: AresExperiment) -> str:
    """The page as Markdown, its sentences chosen by the results."""
    facts: dict[str, Any] = {
        "extent": experiment.extent,
        "summary": summary(experiment.criteria),
        "criteria": criteria_table(experiment.criteria),
        "systems": [each.system for each in experiment.systems],
        "regret": _regret_of_policies(experiment),
        "full": experiment.many is not None,
        **_order(experiment.systems),
        "late": {each.system: each.late_windows for each in experiment.systems},
        "bonus_least": min(float(each.bonus[-1].min()) for each in experiment.systems),
        "bonus_most": max(float(each.bonus[-1].max()) for each in experiment.systems),
    }
    if experiment.many is not None:
        facts |= {"constants": _constants(experiment, 2), "many": _many(experiment.many, 2)}
        facts |= _of_constants(experiment) | _of_many(experiment.many) | _of_windows(experiment)
    return study_page(Path(__file__).parent, **facts)


def _order(systems: tuple[SystemResult, ...]) -> dict[str, Any]:
    """Systems on which the published order holds, and on which one window is enough."""

    def below(result: SystemResult, low: str, *high: str) -> bool:
        return all(result.ratio(low) < result.ratio(each) for each in high)

    long = [name for name in systems[0].regret if name.startswith("pies-") and "short" not in name]
    return {
        "published": [each.system for each in systems if below(each, "ares", "ucb", *long)],
        "fixed": [each.system for each in systems if below(each, pies(2, SHORT), "ares")],
        "linucb": [each.system for each in systems if below(each, "linucb-2", "ares")],
        "averaged": [each.system for each in systems if below(each, "ares-p", "ares")],
        "long": LONG,
    }


def _of_constants(experiment: AresExperiment) -> dict[str, Any]:
    windows, ratios = experiment.bound_windows, experiment.bound_ratios
    steps = list(pairwise(sorted(windows)))
    return {
        "shrink": all(windows[high] <= windows[low] for low, high in steps),
        "lose": all(ratios[high] >= ratios[low] for low, high in steps),
        "at_one": ratios[1.0],
        "blind": experiment.systems[0].ratio("random"),
    }


def _of_many(many: ManySystems) -> dict[str, Any]:
    still = many.radius < _STILL
    played = (many.random, many.ucb, many.ares, many.ares_p, many.pies_short)
    return {
        "still": [int(index) + 1 for index in still.nonzero()[0]],
        "still_limit": _STILL,
        "still_most": max(float(each[still].max(initial=0.0)) for each in played),
        "many_averaged": int((many.ares_p < many.ares).sum()),
        "many_systems": len(many.radius),
    }


def _of_windows(experiment: AresExperiment) -> dict[str, Any]:
    enough = {
        system: next((s for s, ratio in ratios.items() if ratio <= _ENOUGH), None)
        for system, ratios in experiment.windows.items()
    }
    windows = list(next(iter(experiment.windows.values())))
    columns = ["system", *(f"s = {window}" for window in windows)]
    rows = [
        (system, *(f"{ratio:.2f}" for ratio in ratios.values()))
        for system, ratios in experiment.windows.items()
    ]
    late = [
        system for system, ratios in experiment.windows.items()
        if ratios[windows[-1]] > ratios[windows[-2]]
    ]  # fmt: skip
    return {
        "windows": frame(columns, rows),
        "enough": [each for each in enough.values() if each is not None],
        "never": [system for system, each in enough.items() if each is None],
        "enough_limit": _ENOUGH,
        "late_loss": late,
        "longest": windows[-1],
        "shorter": windows[-2],
    }


def _regret(experiment: AresExperiment) -> pd.DataFrame:
    """Regret over the oracle's of every policy on every system."""
    extent = experiment.extent
    rows = [
        (result.system, name, extent.runs, extent.rounds, f"{regret.mean():.4f}",
         f"{result.ratio(name):.4f}", f"{result.deviation(name):.4f}")
        for result in experiment.systems
        for name, regret in result.regret.items()
    ]  # fmt: skip
    return frame(("system", "policy", "runs", "rounds", "regret", "ratio", "ratio_std"), rows)


def _regret_of_policies(experiment: AresExperiment) -> pd.DataFrame:
    rows = [
        (name, *(f"{result.ratio(name):.3f} ({result.deviation(name):.3f})"
                 for result in experiment.systems))
        for name in experiment.systems[0].regret
    ]  # fmt: skip
    return frame(("policy", *(f"system {result.system}" for result in experiment.systems)), rows)


def _windows(experiment: AresExperiment) -> pd.DataFrame:
    """Figures 4 and 5: mean window and exploration term of each arm."""
    rows = [
        (result.system, quantity, int(t), arm + 1, f"{value:.5g}")
        for result in experiment.systems
        for quantity, at, values in (
            ("window", result.window_rounds, result.windows),
            ("bonus", result.bonus_rounds, result.bonus),
        )
        for t, row in zip(at, values, strict=True)
        for arm, value in enumerate(row)
    ]
    return frame(("system", "quantity", "round", "arm", "mean"), rows)


def _constants(experiment: AresExperiment, digits: int) -> pd.DataFrame:
    """Mean window and ratio by B."""
    ratios = experiment.bound_ratios
    rows = [
        (f"{bound:g}", f"{window:.{digits}f}", f"{ratios[bound]:.{max(digits, 3)}f}")
        for bound, window in experiment.bound_windows.items()
    ]
    return frame(("bound", "window", "ratio"), rows)


def _many(many: ManySystems, digits: int) -> pd.DataFrame:
    """Ratios on systems 1 to 20."""
    columns = ("radius", "random", "ucb", "ares", "ares_p", "pies_short")
    rows = [
        (index + 1, *(f"{getattr(many, name)[index]:.{digits}f}" for name in columns))
        for index in range(len(many.radius))
    ]
    return frame(("system", *columns), rows)


def _true(experiment: AresExperiment) -> pd.DataFrame:
    """Ratios of the true weights by window."""
    rows = [
        (system, window, f"{ratio:.4f}")
        for system, ratios in experiment.windows.items()
        for window, ratio in ratios.items()
    ]
    return frame(("system", "window", "ratio"), rows)
