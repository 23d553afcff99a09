"""Why: stall stacks, static bounds and what another machine would gain."""

from gnomon.observe.why._advice import advise
from gnomon.observe.why._analysis import StallAnalysis
from gnomon.observe.why._end import run_to_end
from gnomon.observe.why._what_if import what_if

__all__ = ["StallAnalysis", "advise", "run_to_end", "what_if"]
