"""When and how hot blocks are translated.

``GNOMON_BLOCKS``, for tests: ``off``, or ``force``: everything is translated before the first
instruction, and several harts run ahead in short windows with small lines.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from gnomon.base.errors import require_known

VARIABLE: Final = "GNOMON_BLOCKS"


@dataclass(frozen=True, slots=True)
class Effort:
    """When and how to translate."""

    issues: int = 200_000_000  # a run has earned it after so many
    everything: bool = False  # all blocks, hot or not
    wait: bool = False  # for the compiler, before the run goes on
    quick: bool = False  # compile at once and without optimizing; nothing is kept
    window_slots: int = 2048  # that a hart may be ahead of the others, at most
    line_bytes: int = 4  # of data RAM that have one owner


NORMAL: Final = Effort()
FORCED: Final = Effort(
    issues=0, everything=True, wait=True, quick=True, window_slots=64, line_bytes=4
)
_EFFORTS: Final[dict[str, Effort | None]] = {"": NORMAL, "off": None, "force": FORCED}


def chosen_effort() -> Effort | None:
    """Return the effort that the environment selects; None: nothing is translated.

    Raises:
        GnomonError: if the variable has another value.
    """
    variable = os.environ.get(VARIABLE, "")
    return _EFFORTS[require_known(VARIABLE, variable, _EFFORTS)]
