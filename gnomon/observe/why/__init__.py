"""Why: stall stacks, static bounds and what another machine would gain."""

from __future__ import annotations

from gnomon.observe.why._bound import Bound, StackPart, bounds, stall_stack
from gnomon.observe.why._what_if import WhatIf, what_if

__all__ = [
    "Bound", "StackPart", "WhatIf", "bounds", "stall_stack", "what_if",
]  # fmt: skip
