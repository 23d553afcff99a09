"""The engine in parts, for benches that drive it one instruction at a time.

State is arrays whose columns :mod:`layout` names; what a column means may change with any version.
"""

from __future__ import annotations

from gnomon.sim import _layout as layout
from gnomon.sim._engine import run_until
from gnomon.sim._machine import build_machine
from gnomon.sim._transfer import transfer_issue
from gnomon.sim._vcu import vector_issue

__all__ = ["build_machine", "layout", "run_until", "transfer_issue", "vector_issue"]
