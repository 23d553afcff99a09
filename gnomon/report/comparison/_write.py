"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.report.comparison._figure import machine_figure, overview_figure
from gnomon.report.comparison._front import front, panels
from gnomon.report.comparison._page import page
from gnomon.report.comparison._regret import FRACTION_BITS
from gnomon.report.criteria import csv_text

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.report.comparison._run import Comparison


def write_comparison(comparison: Comparison, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "comparison.md": page(comparison).encode(),
        "comparison_points.csv": _points(comparison).encode(),
        "comparison_settings.csv": _settings(comparison).encode(),
        "comparison_formats.csv": _formats(comparison).encode(),
    }
    figures = {"": overview_figure(comparison)}
    figures |= {
        f"-{machine}": machine_figure(comparison, machine) for machine in comparison.machines
    }
    for name, kinds in figures.items():
        files[f"comparison{name}"] = kinds
    return write_files(folder, files)


def _points(comparison: Comparison) -> str:
    best = [point for each in panels(comparison.points).values() for point in front(each)]
    return csv_text(
        ("problem", "machine", "learner", "line", "variant", "setting", "fraction_bits",
         "regret", "regret_low", "regret_high", "energy_uj", "energy_low_uj", "energy_high_uj",
         "select_uj", "update_uj", "time_us", "select_cycles", "update_cycles",
         "slowest_select_cycles", "slowest_update_cycles", "model_bytes", "text_bytes",
         "extrapolated", "front"),
        (
            (each.problem, each.machine, each.learner, each.line, each.variant, each.setting,
             FRACTION_BITS,
             *(f"{value:.4f}" for value in (each.regret.mean, each.regret.low, each.regret.high)),
             *(f"{value:.5g}" for value in (each.energy_uj, each.low_uj, each.high_uj,
                                            each.select_uj, each.update_uj)),
             f"{each.time_us:.2f}", f"{each.select_cycles:.1f}", f"{each.update_cycles:.1f}",
             each.slowest_select_cycles, each.slowest_update_cycles, each.model_bytes,
             each.text_bytes, _yes(each.extrapolated), _yes(each in best))
            for each in comparison.points
        ),
    )  # fmt: skip


def _settings(comparison: Comparison) -> str:
    return csv_text(
        ("problem", "learner", "setting", "regret", "chosen"),
        (
            (each.problem, each.learner, each.setting, f"{each.regret:.4f}", _yes(each.chosen))
            for each in comparison.trials
        ),
    )


def _formats(comparison: Comparison) -> str:
    return csv_text(
        ("problem", "learner", "line", "variant", "fraction_bits", "regret"),
        (
            (each.problem, each.learner, each.line, each.variant, each.fraction_bits,
             f"{each.regret:.4f}")
            for each in comparison.formats
        ),
    )  # fmt: skip


def _yes(value: object) -> str:
    return "yes" if value else "no"
