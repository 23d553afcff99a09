"""Deploy: a stream of requests meets a device; latency, missed deadlines, battery life."""

from __future__ import annotations

from gnomon.system._compiled import simulate_compiled
from gnomon.system._conservation import check_conservation
from gnomon.system._model import (
    ASLEEP,
    AWAKE,
    ENTERING,
    NEVER,
    PRIORITIES,
    PS_PER_S,
    STATES,
    UNLIMITED,
    WAKING,
    Device,
    Draw,
    Priority,
    Record,
    Requests,
    Sleep,
    Stages,
)
from gnomon.system._simpy_model import simulate_with_simpy

__all__ = [
    "ASLEEP",
    "AWAKE",
    "ENTERING",
    "NEVER",
    "PRIORITIES",
    "PS_PER_S",
    "STATES",
    "UNLIMITED",
    "WAKING",
    "Device",
    "Draw",
    "Priority",
    "Record",
    "Requests",
    "Sleep",
    "Stages",
    "check_conservation",
    "simulate_compiled",
    "simulate_with_simpy",
]
