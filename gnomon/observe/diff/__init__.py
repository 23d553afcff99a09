"""Compare two runs: the first instruction that differs, and where the cycles went."""

from gnomon.observe.diff._result import Result

__all__ = ["Result"]
