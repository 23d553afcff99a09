"""Why: stall stacks, static bounds and what another machine would gain."""

from gnomon.observe.why._why import Why

__all__ = ["Why"]
