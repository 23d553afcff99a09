"""Execute on paper: what other cores would take for the same program, by a table of costs."""

from gnomon.cost.platforms._measure import PlatformRun
from gnomon.cost.platforms._platform import Platform

__all__ = ["Platform", "PlatformRun"]
