"""Why a figure of ours is not the published one: which reason holds for which row.

The words are in ``reasons.html.j2``, one section for each name.
"""

from __future__ import annotations

from gnomon.report.table import NOTHING, Value

AGREES = 0.05
"""A ratio this near to one is no disagreement."""

REASONS = {
    "product": "product cost",
    "sequence": "sequence",
    "vector": "vector code",
    "inverse": "inverse in Table 3",
    "power": "time and power",
    "boards": "board model",
    "clearing": "what the region holds",
    "quotient": "quotient of two cells",
    "profiler": "what was profiled",
    "zeros": "zeros counted",
    "contexts": "environment not given",
    "gain": "which gain",
    "bound": "a bound, not a law",
}


def cell_reason(table: int, platform: str, variant: str) -> str:
    """The reason that holds for a cell of Tables 2 and 3."""
    if platform != "t13":
        return "boards"
    if table == 2:
        return {"std": "product", "std+vcu": "vector"}.get(variant, "sequence")
    return "sequence" if variant == "opt" else "inverse"


def why(name: str, *ratios: float | None, detail: str = "") -> Value:
    """A link to the reason, if one of the ratios is a disagreement."""
    known = [ratio for ratio in ratios if ratio is not None]
    if not known:
        return NOTHING
    if all(abs(ratio - 1) <= AGREES for ratio in known):
        return Value("agrees", detail=f"within {AGREES:.0%}")
    return Value(REASONS[name], link=f"#why-{name}", detail=detail)
