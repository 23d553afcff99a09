"""The files of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files

from .picture import study_figure
from .text import study_csv, study_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from .measure import Study


def write_study(study: Study, folder: Path) -> tuple[Path, ...]:
    """Write page, table and figure into a folder; the same study gives the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "study.md": study_markdown(study).encode(),
        "study.csv": study_csv(study).encode(),
        "study": study_figure(study),
    }
    return write_files(folder, files)
