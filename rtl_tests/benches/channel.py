"""How a bench inside the simulator gets its arguments and gives its outcome."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from gnomon.rtl import ARGUMENTS_VARIABLE, OUTCOME_VARIABLE


def arguments() -> dict[str, Any]:
    """What ``run_bench`` was given."""
    return json.loads(os.environ[ARGUMENTS_VARIABLE])


def seed() -> int:
    """The seed of all random choices."""
    return int(os.environ["COCOTB_RANDOM_SEED"])


def tell(outcome: dict[str, Any]) -> None:
    """Hand an outcome to the caller of ``run_bench``; the last one counts."""
    Path(os.environ[OUTCOME_VARIABLE]).write_text(json.dumps(outcome), encoding="utf-8")
