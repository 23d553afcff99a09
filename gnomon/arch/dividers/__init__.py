"""Integer dividers: what they compute, and how long they take for which operands."""

from gnomon.arch.dividers._divider import Divider
from gnomon.arch.dividers._laws import Lane

__all__ = ["Divider", "Lane"]
