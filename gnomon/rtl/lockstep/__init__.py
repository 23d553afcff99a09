"""Lock-step of the simulator with RTL: random programs, comparison, making small what differs.

It knows no core. Whoever can simulate one gives a ``Core`` (``_observed.py``).
"""

from gnomon.rtl.lockstep._compare import Compared
from gnomon.rtl.lockstep._given import Given
from gnomon.rtl.lockstep._observed import Observed, Recorded, program_words, words_of
from gnomon.rtl.lockstep._regression import Regression, Result, Settings, Target
from gnomon.rtl.lockstep._setting import Setting

__all__ = [
    "Compared", "Given", "Observed", "Recorded", "Regression", "Result", "Setting", "Settings",
    "Target", "program_words", "words_of",
]  # fmt: skip
