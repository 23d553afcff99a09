"""The area page: machines by part, and area x time and energy x time of kernels."""

from __future__ import annotations

from gnomon.report.area._files import write_area
from gnomon.report.area._study import AreaStudy, KernelArea, area_steps, run_area

__all__ = ["AreaStudy", "KernelArea", "area_steps", "run_area", "write_area"]
