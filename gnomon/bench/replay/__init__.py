"""Replay: the price of an algorithm trace on a machine, from exact runs of its kernels."""

from gnomon.bench.replay._replay import missing_kernels, replay_trace
from gnomon.bench.replay._result import Replay

__all__ = ["Replay", "missing_kernels", "replay_trace"]
