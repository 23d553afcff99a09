"""Why: stall stacks, static bounds and what another machine would gain."""

from __future__ import annotations

from gnomon.observe.why._why import Bound, StackPart, WhatIf, bounds, stall_stack, what_if

__all__ = [
    "Bound", "StackPart", "WhatIf", "bounds", "stall_stack", "what_if",
]  # fmt: skip
