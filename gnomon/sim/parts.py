"""The engine in parts, for benches that drive it one instruction at a time.

State is records whose fields :mod:`._state` names; what a field means may change with any version.
"""

from gnomon.sim._reset import build_machine

__all__ = ["build_machine"]
