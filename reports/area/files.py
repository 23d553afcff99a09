"""The files of the area page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files

from .page import area_page
from .pictures import kernels_figure, machines_figure
from .tables import kernels_csv, machines_csv, parts_csv

if TYPE_CHECKING:
    from pathlib import Path

    from .measure import AreaStudy


def write_area(study: AreaStudy, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and pictures; the same study gives the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "area.md": area_page(study).encode(),
        "machines.csv": machines_csv(study.machines).encode(),
        "parts.csv": parts_csv(study.machines).encode(),
        "kernels.csv": kernels_csv(study.kernels).encode(),
        "machines": machines_figure(study.machines),
        "kernels": kernels_figure(study),
    }
    return write_files(folder, files)
