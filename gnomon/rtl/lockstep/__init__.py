"""Lock-step of the simulator with RTL: random programs, comparison, making small what differs.

It knows no core. Whoever can simulate one gives a ``Core`` (``_observed.py``).
"""

from gnomon.rtl.lockstep._compare import Compared, compare
from gnomon.rtl.lockstep._generate import WEIGHTS
from gnomon.rtl.lockstep._given import Given, read_programs
from gnomon.rtl.lockstep._observed import Observed, Recorded, program_words, words_of
from gnomon.rtl.lockstep._regression import Regression, Result, Settings, Target, coverage, run_all
from gnomon.rtl.lockstep._setting import Setting

__all__ = [
    "WEIGHTS", "Compared", "Given", "Observed", "Recorded", "Regression", "Result", "Setting",
    "Settings", "Target", "compare", "coverage", "program_words", "read_programs", "run_all",
    "words_of",
]  # fmt: skip
