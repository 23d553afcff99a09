"""Replay: the price of an algorithm trace on a machine, from exact runs of its kernels."""

from __future__ import annotations

from gnomon.bench.replay._replay import missing_kernels, replay_trace
from gnomon.bench.replay._result import print_replay

__all__ = ["missing_kernels", "print_replay", "replay_trace"]
