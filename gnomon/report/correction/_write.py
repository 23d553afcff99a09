"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import write_files
from gnomon.report.correction._page import page
from gnomon.report.correction._tables import device_csv, fixed_csv, gain_csv

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.report.correction._study import CorrectionStudy


def write_correction(study: CorrectionStudy, folder: Path) -> tuple[Path, ...]:
    """Write page and tables into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files = {
        "correction.md": page(study),
        "correction_gain.csv": gain_csv(study),
        "correction_device.csv": device_csv(study),
        "correction_fixed.csv": fixed_csv(study),
    }
    return write_files(folder, files)
