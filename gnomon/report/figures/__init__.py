"""The figures of the LinearUCB paper that are about the machine, ours beside the published ones."""

from __future__ import annotations

from gnomon.report.figures._run import Figures, figures_steps, run_figures
from gnomon.report.figures._sizes import FIGURE_SIZES, FigureSize, find_figure_size
from gnomon.report.figures._write import write_figures

__all__ = [
    "FIGURE_SIZES",
    "FigureSize",
    "Figures",
    "figures_steps",
    "find_figure_size",
    "run_figures",
    "write_figures",
]
