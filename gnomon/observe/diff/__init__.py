"""Compare two runs: the first instruction that differs, and where the cycles went."""

from gnomon.observe.diff._log import is_log
from gnomon.observe.diff._result import Result

__all__ = ["Result", "is_log"]
