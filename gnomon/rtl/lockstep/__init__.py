"""Lock-step of the simulator with RTL: random programs, comparison, minimization of differences.

The package is independent of the core: callers pass a ``SimulatedCore`` (``_regression.py``), which
simulates one.
"""

from gnomon.rtl.lockstep._coverage import count_unit_issues
from gnomon.rtl.lockstep._regression import Regression, Result, Settings

__all__ = ["Regression", "Result", "Settings", "count_unit_issues"]
