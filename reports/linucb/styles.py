"""Names and styles of learners and variants in figures and tables of the LinUCB studies."""

from typing import Any

from gnomon.report.canvas import COLOURS

VARIANT_STYLES: dict[str, dict[str, Any]] = {
    "standard": {"color": COLOURS[0], "label": "standard"},
    "optimized": {"color": COLOURS[1], "label": "optimized (Algorithms 1, 2)"},
    "corrected": {"color": COLOURS[2], "label": "corrected (section 3.3.3)"},
    "rank-one": {"color": COLOURS[3], "label": "rank-one (ours)"},
}
TITLES = {"linucb-disjoint": "Disjoint", "linucb-hybrid": "Hybrid"}
