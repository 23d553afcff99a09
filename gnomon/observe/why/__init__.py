"""Why: stall stacks, static bounds and what another machine would gain."""

from __future__ import annotations

from gnomon.observe.why._why import Why, what_if

__all__ = ["Why", "what_if"]
