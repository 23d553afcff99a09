"""Lock-step of the simulator with RTL: random programs, comparison, making small what differs.

It knows no core. Whoever can simulate one gives a ``Core`` (``_regression.py``).
"""

from gnomon.rtl.lockstep._regression import Regression, Result, Settings

__all__ = ["Regression", "Result", "Settings"]
