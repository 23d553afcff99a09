"""The files of the report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.report.sweep._csv import points_csv
from gnomon.report.sweep._page import sweep_page
from gnomon.report.sweep._pictures import front_figure, sensitivity_figure
from gnomon.report.sweep._shown import show

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.explore import SweepResult

PAGE = "index.html"


def write_sweep_report(result: SweepResult, folder: Path, spec: str = "") -> tuple[Path, ...]:
    """Write page, table and pictures; the same sweep gives the same bytes.

    Args:
        result: a finished sweep.
        folder: where the files go, made if absent.
        spec: the text of the sweep file, for the page; its content as JSON if empty.

    Raises:
        GnomonError: a file cannot be written.
    """
    shown = show(result)
    text = spec or json.dumps(result.sweep.to_json(), indent=1)
    files: dict[str, Content] = {
        PAGE: sweep_page(shown, text).encode(),
        "points.csv": points_csv(shown).encode(),
    }
    if shown.measured:
        files |= {"front": front_figure(shown), "sensitivity": sensitivity_figure(shown)}
    return write_files(folder, files)
