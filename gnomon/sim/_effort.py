"""Conditions and options for the translation of hot blocks.

``GNOMON_BLOCKS``, for tests: ``off``, or ``force``: all blocks are translated before the first
instruction, and several harts run ahead in short windows with small lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from gnomon.base.errors import require_known

VARIABLE: Final = "GNOMON_BLOCKS"


class Effort(NamedTuple):
    """When and how to translate blocks."""

    issues: int = 200_000_000  # issues of a run before its blocks are translated
    everything: bool = False  # all blocks, hot or not
    wait: bool = False  # wait for the compiler before the run continues
    quick: bool = False  # compile at once, without optimization and cache
    window_slots: int = 2048  # most slots that a hart may run ahead of the others
    line_bytes: int = 4  # bytes of data RAM with one owner


NORMAL: Final = Effort()
FORCED: Final = Effort(
    issues=0, everything=True, wait=True, quick=True, window_slots=64, line_bytes=4
)
_EFFORTS: Final[dict[str, Effort | None]] = {"": NORMAL, "off": None, "force": FORCED}


_chosen: ContextVar[str | None] = ContextVar("blocks", default=None)


@contextmanager
def translated_blocks(variable: str) -> Iterator[None]:
    """Let the runs of a block of code use a value of ``GNOMON_BLOCKS``."""
    token = _chosen.set(variable)
    try:
        yield
    finally:
        _chosen.reset(token)


def chosen_effort() -> Effort | None:
    """Return the effort that the environment selects; None disables translation.

    Raises:
        GnomonError: if the variable has another value.
    """
    chosen = _chosen.get()
    variable = os.environ.get(VARIABLE, "") if chosen is None else chosen
    return _EFFORTS[require_known(VARIABLE, variable, _EFFORTS)]
