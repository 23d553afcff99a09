"""Stall analysis: stall stacks, static bounds, and gains on other machines."""

from gnomon.observe.why._advice import find_advice
from gnomon.observe.why._analysis import StallAnalysis
from gnomon.observe.why._end import run_to_end
from gnomon.observe.why._what_if import compute_what_if

__all__ = ["StallAnalysis", "compute_what_if", "find_advice", "run_to_end"]
