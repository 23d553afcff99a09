"""Integer dividers: what they compute, and how long they take for which operands."""

from gnomon.arch.dividers._divider import Divider, divider, dividers
from gnomon.arch.dividers._lane import Lane
from gnomon.arch.dividers._laws import LAWS

__all__ = ["LAWS", "Divider", "Lane", "divider", "dividers"]
