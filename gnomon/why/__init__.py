"""Why: stall stacks, static bounds and what another machine would gain."""

from __future__ import annotations

from gnomon.why._bound import Bound, bounds
from gnomon.why._stack import StackPart, stall_stack
from gnomon.why._what_if import Gain, WhatIf, what_if

__all__ = [
    "Bound",
    "Gain",
    "StackPart",
    "WhatIf",
    "bounds",
    "stall_stack",
    "what_if",
]
