"""What a divider takes: its row in ``models/dividers``, else the estimate of the area table."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.base.tables import read_yaml_table
from gnomon.cost.area._figure import NO_RESOURCES, Figure
from gnomon.cost.area._synthesis import spread
from gnomon.cost.area._table import one_paragraph

if TYPE_CHECKING:
    from gnomon.base.tables import YamlTable
    from gnomon.cost.area._table import AreaTable, Ends


@cache
def _rows() -> YamlTable:
    return read_yaml_table(content("models", "dividers", "area-xc7.yaml"))


def divider_figure(table: AreaTable, lines: YamlTable, divider: str, part: str) -> Figure:
    """One unsigned divider of 32 bits, as the part of that name.

    Raises:
        GnomonError: nothing is known of its area.
    """
    rows = _rows()
    for position, row in enumerate(rows.data["rows"]):
        if row["divider"] == divider:
            return Figure(
                part,
                "synthesised",
                spread(table, {"lut": row["lut"], "ff": row["ff"], "dsp": 0, "bram": 0}),
                f"{divider}: {row['design']}; {rows.data['tool']}; neither placed nor routed",
                f"{row['note']}; interval: {one_paragraph(table.synthesis.spread.reasoning)}",
                (rows.origin("rows", position), lines.origin("synthesis", "spread")),
            )
    estimate = table.dividers.estimates.get(divider)
    if estimate is None:
        known = [*(row["divider"] for row in rows.data["rows"]), *table.dividers.estimates]
        raise GnomonError(
            f"the area of divider {divider} ({part}) is not known to table {table.name} "
            f"(known: {', '.join(known)})"
        )
    return Figure(
        part,
        "estimate",
        replace(NO_RESOURCES, lut=estimate.lut.interval("LUT"), ff=estimate.ff.interval("FF")),
        f"{divider}: {one_paragraph(estimate.source)}",
        one_paragraph(estimate.reasoning),
        (lines.origin("dividers", "estimates", divider),),
    )


def widened(table: AreaTable, lines: YamlTable, figure: Figure) -> Figure:
    """The same divider for dividends of up to 63 bits."""
    wide = table.dividers.wide

    def times(count: Interval, factor: Ends) -> Interval:
        return Interval(
            count.value * factor.value, count.low * factor.low, count.high * factor.high, count.unit
        )

    own = figure.resources
    return Figure(
        figure.name,
        "estimate",
        replace(own, lut=times(own.lut, wide.lut), ff=times(own.ff, wide.ff)),
        f"{figure.source}; for longer dividends: {one_paragraph(wide.source)}",
        f"{figure.reasoning}; for longer dividends: {one_paragraph(wide.reasoning)}",
        (*figure.origins, lines.origin("dividers", "wide")),
    )
