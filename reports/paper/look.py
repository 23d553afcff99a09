"""What curves and bars of each line and reading look like, in all figures of this page."""

from __future__ import annotations

from typing import Any

from gnomon.report.canvas import COLOURS

PUBLISHED, TUNED, PAPER = COLOURS[0], COLOURS[1], COLOURS[3]

COLOUR_OF = {"published": PUBLISHED, "paper": PAPER, "tuned": TUNED}

# Line styles and markers differ as well as colours, for grey prints.
STYLES: dict[tuple[str, str], dict[str, Any]] = {
    ("published", ""): {
        "color": PUBLISHED,
        "marker": "*",
        "markersize": 8,
        "markerfacecolor": PUBLISHED,
        "linestyle": "none",
    },
    ("paper", "hart"): {"color": PAPER, "marker": "o", "linestyle": "-"},
    ("paper", "wall"): {"color": PAPER, "marker": "o", "linestyle": ":"},
    ("tuned", "hart"): {"color": TUNED, "marker": "s", "linestyle": "-"},
    ("tuned", "wall"): {"color": TUNED, "marker": "s", "linestyle": ":"},
}
COMMON: dict[str, Any] = {"markersize": 4.5, "markerfacecolor": "none", "linewidth": 1.3}


def style(line: str, reading: str = "") -> dict[str, Any]:
    """Settings of one curve."""
    return {**COMMON, **STYLES[line, reading]}
