"""The report on the periodic correction: what it gains, and what it costs on the device."""

from __future__ import annotations

from gnomon.report.correction._study import (
    CORRECTION_SIZES,
    CorrectionSize,
    CorrectionStudy,
    correction_steps,
    find_correction_size,
    run_correction,
)
from gnomon.report.correction._write import write_correction

__all__ = [
    "CORRECTION_SIZES",
    "CorrectionSize",
    "CorrectionStudy",
    "correction_steps",
    "find_correction_size",
    "run_correction",
    "write_correction",
]
