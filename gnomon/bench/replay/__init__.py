"""Replay: the price of an algorithm trace on a machine, from exact runs of its kernels."""

from __future__ import annotations

from gnomon.bench.replay._direct import DirectRun, run_direct
from gnomon.bench.replay._names import CallError
from gnomon.bench.replay._price import Price, price_call
from gnomon.bench.replay._replay import DIRECT_CALLS, distinct_calls, missing_kernels, replay_trace
from gnomon.bench.replay._result import (
    OtherOperands,
    PricedCall,
    Replay,
    Stage,
    print_replay,
)

__all__ = [
    "DIRECT_CALLS",
    "CallError",
    "DirectRun",
    "OtherOperands",
    "Price",
    "PricedCall",
    "Replay",
    "Stage",
    "distinct_calls",
    "missing_kernels",
    "price_call",
    "print_replay",
    "replay_trace",
    "run_direct",
]
