"""What the pipeline of a machine does with words, for those who tell a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gnomon.sim._inorder import fetch_cycles
from gnomon.sim._machine import machine_arrays
from gnomon.sim._tables import pack

if TYPE_CHECKING:
    from gnomon.arch import Architecture

Array = npt.NDArray[np.int64]


def static_fetch_cycles(words: npt.NDArray[np.uint32], architecture: Architecture) -> Array:
    """Cycles that each instruction word waits for the next one, taken branches aside."""
    cfg, _ = machine_arrays(architecture)
    entries = pack(words, architecture)
    return np.asarray(fetch_cycles(cfg, entries & 0xFF), dtype=np.int64)
