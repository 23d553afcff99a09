"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.report.deploy._csv import runs_csv
from gnomon.report.deploy._markdown import deployment_markdown
from gnomon.report.deploy._page import deployment_page
from gnomon.report.deploy._pictures import pictures

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.deploy import Found, Result


def write_deployment_report(
    result: Result, found: Found | None, folder: Path, spec: str
) -> tuple[Path, ...]:
    """Write page, Markdown, table and figures; the same deployment gives the same bytes.

    Args:
        result: the run as described.
        found: what the search found; None if there was none.
        folder: where the files go, made if absent.
        spec: the text of the deployment file, for the page.

    Raises:
        GnomonError: a file cannot be written.
    """
    drawn = pictures(result, found)
    files: dict[str, Content] = {
        "index.html": deployment_page(result, found, drawn, spec).encode(),
        "deploy.md": deployment_markdown(result, found, drawn, spec).encode(),
        "runs.csv": runs_csv(result, found).encode(),
    }
    for picture in drawn:
        files[picture.name] = picture.files
    return write_files(folder, files)
