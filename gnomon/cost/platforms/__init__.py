"""Execute on paper: what other cores would take for the same program, by a table of costs."""

from gnomon.cost.platforms._measure import LIBRARY_OPTIMIZATION, PlatformRun, count_step
from gnomon.cost.platforms._platform import Platform

__all__ = ["LIBRARY_OPTIMIZATION", "Platform", "PlatformRun", "count_step"]
