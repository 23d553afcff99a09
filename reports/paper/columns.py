"""Columns of the page's tables, and reasons why gnomon's figures differ from published ones.

The text of the reasons is in ``reasons.html.j2``, one section for each name.
"""

from collections.abc import Callable, Mapping
from typing import Any

from gnomon.report.table import NOTHING, PageColumn, Value, format_number

from .results import Row

At = Callable[[Row], Row | None]

AGREES = 0.05
"""A ratio this near to one is no disagreement."""

REASONS = {
    "product": "divisions and products",
    "sequence": "sequence",
    "vector": "vector code",
    "inverse": "inverse in Table 3",
    "power": "time and power",
    "boards": "board model",
    "clearing": "extent of the region",
    "quotient": "quotient of two cells",
    "profiler": "unknown profile",
    "zeros": "zeros counted",
    "contexts": "environment not given",
    "gain": "moment of the gain",
    "bound": "an upper bound",
}
PLATFORMS = {"t13": "T13", "cortex-m4": "Cortex-M4", "cortex-a72": "Cortex-A72"}
_NAMES = PLATFORMS | {"linucb-disjoint": "Disjoint", "linucb-hybrid": "Hybrid", "2": "Disjoint",
                      "3": "Hybrid"}  # fmt: skip
"""Of platforms, learners and tables."""


def word(
    label: str, column: str = "", names: Mapping[str, str] = _NAMES, **settings: Any
) -> PageColumn:
    """Return a column of text that readers may filter by."""

    def shows(row: Row) -> Value:
        text = row[column or label]
        return Value(names.get(text, text))

    return PageColumn(label, shows=shows, **{"is_filter": True, **settings})


def size(label: str, column: str = "", form: str = "", *, is_filter: bool = True) -> PageColumn:
    """Return a column of a number that names a row; 0 stands for none."""

    def shows(row: Row) -> Value:
        text = row[column or label]
        return format_number("" if text == "0" else text, form)

    return PageColumn(label, is_number=True, is_filter=is_filter, shows=shows)


def cited(
    label: str, column: str, form: str = "", group: str = "", at: At = lambda row: row,
    **settings: Any,
) -> PageColumn:  # fmt: skip
    """Return a column with a number of the row, or of one in its place, with its source."""

    def shows(row: Row) -> Value:
        other = at(row)
        return NOTHING if other is None else other.value(column, form)

    return PageColumn(label, group, shows=shows, **{"is_number": True, **settings})


def computed(
    label: str, form: str, of: Callable[[Any], float | None], how: Callable[[Any], str],
    group: str = "",
) -> PageColumn:  # fmt: skip
    """Return a column with a number that follows from a result, and its derivation."""

    def shows(result: Any) -> Value:
        return format_number(of(result), form, how=how(result))

    return PageColumn(label, group, is_number=True, shows=shows)


def ratio_of(above: str, below: str, form: str = ".3f") -> PageColumn:
    return computed(
        "ratio", form, lambda row: quotient(row, above, below),
        lambda row: f"{row.origin}: {above} over {below}",
    )  # fmt: skip


def quotient(row: Row, above: str, below: str) -> float | None:
    """Divide one column by another; None where one of them is empty."""
    over, under = row.known(above), row.known(below)
    return None if over is None or under is None else over / under


OF_CELL = (word("table"), word("variant"), size("size", "param"))
"""What names a cell of Tables 2 and 3."""


def reason(shows: Callable[[Row], Value]) -> PageColumn:
    """Return a column with the reasons why ratios of a row are not one."""
    return PageColumn("why not 1", in_print=False, shows=shows)


def why(name: str, *ratios: float | None, detail: str = "") -> Value:
    """Return a link to the reason, if one of the ratios is a disagreement."""
    known = [ratio for ratio in ratios if ratio is not None]
    if not known:
        return NOTHING
    if agrees(*known):
        return Value("agrees", detail=f"within {AGREES:.0%}")
    return Value(REASONS[name], link=f"#why-{name}", detail=detail)


def readings_of(platform: str) -> tuple[str, str]:
    """Return the two readings of a platform in Tables 2 and 3."""
    return ("hart", "wall") if platform == "t13" else ("left-out", "documented")


def agrees(*ratios: float) -> bool:
    return all(abs(ratio - 1) <= AGREES for ratio in ratios)
