"""Integer dividers: their results, and their cycles by operands."""

from gnomon.arch.dividers._divider import Divider
from gnomon.arch.dividers._lane import Lane

__all__ = ["Divider", "Lane"]
