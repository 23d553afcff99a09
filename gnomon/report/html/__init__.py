"""One self-contained HTML page: values with their sources, tables, pictures, template, style.

A page is a template that extends ``base.html.j2`` and imports ``macros.html.j2``; style, script and
pictures are inlined, so that it works from a ``file://`` URL without a network.
"""

from __future__ import annotations

from gnomon.report.html._latex import latex_table
from gnomon.report.html._page import render_page
from gnomon.report.html._picture import Picture, read_picture
from gnomon.report.html._table import Column, Table
from gnomon.report.html._value import NOTHING, Value, number

__all__ = [
    "NOTHING",
    "Column",
    "Picture",
    "Table",
    "Value",
    "latex_table",
    "number",
    "read_picture",
    "render_page",
]
