"""Equal arms and regret over fraction bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
from matplotlib.ticker import MultipleLocator

from gnomon.report.canvas import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .formats import LearnerFormat

_KINDS = (
    ("softucb", "standard", False, "literal"),
    ("softucb", "optimized", False, "incremental"),
    ("softucb", "optimized", True, "incremental, V⁻¹ alike"),
    ("softucb", "online", False, "online"),
    ("softucb", "optimized-vector", False, "vector"),
    ("ares", "standard", False, "windows"),
    ("ares", "optimized", False, "one factor"),
    ("ares", "standard", True, "windows, V⁻¹ alike"),
    ("ares", "standard-vector", False, "vector"),
)


def draw_formats(formats: tuple[LearnerFormat, ...]) -> Figure:
    """A column for each learner."""
    figure, grid = plt.subplots(2, 2, figsize=(8.4, 5.6), sharex=True, layout="constrained")
    for column, learner in enumerate(("softucb", "ares")):
        equal, regret = grid[0][column], grid[1][column]
        kinds = [kind for kind in _KINDS if kind[0] == learner]
        for colour, (_, variant, alike, label) in zip(COLOURS, kinds, strict=False):
            found = [
                each
                for each in formats
                if (each.learner, each.variant) == (learner, variant)
                and (each.inverse_bits is not None) == alike
            ]
            first = found[0].case if found else ""
            found = [each for each in found if each.case == first]
            bits = [each.fraction_bits for each in found]
            style = {"color": colour, "marker": "o", "markersize": 3.5, "linewidth": 1.2}
            equal.plot(bits, [100 * each.equal_following for each in found], label=label, **style)
            regret.plot(bits, [each.ratio for each in found], **style)
            equal.set_title(f"{'SoftUCB' if learner == 'softucb' else 'ARES-P'}: {first}", size=9)
        regret.axhspan(0.98, 1.02, color="#DDDDDD", zorder=0)
        regret.set_xlabel("fraction bits")
        regret.xaxis.set_major_locator(MultipleLocator(2))
        equal.legend(frameon=False, fontsize=8, loc="lower right")
    grid[0][0].set_ylabel("equal arms, following (%)")
    grid[1][0].set_ylabel("regret over float (grey: ±2 %)")
    return figure
