"""Deploy: a stream of requests meets a device; latency, missed deadlines, battery life."""

from __future__ import annotations

from gnomon.deploy._account import Account, Part, not_included
from gnomon.deploy._battery import battery_life_ps
from gnomon.deploy._compiled import simulate_compiled
from gnomon.deploy._conservation import check_conservation
from gnomon.deploy._deploy import ENGINES, Engine, deploy
from gnomon.deploy._model import (
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
    Times,
)
from gnomon.deploy._result import Result
from gnomon.deploy._search import Candidate, Found, search
from gnomon.deploy._service import Costs, Service, cost_of, measure_service
from gnomon.deploy._simpy_model import simulate_with_simpy
from gnomon.deploy._spec import Deployment
from gnomon.deploy.file import DeploymentFile, read_deployment
from gnomon.deploy.streams import Rewards, Stream, make_requests, read_times

__all__ = [
    "ASLEEP",
    "AWAKE",
    "ENGINES",
    "ENTERING",
    "NEVER",
    "PRIORITIES",
    "PS_PER_S",
    "STATES",
    "UNLIMITED",
    "WAKING",
    "Account",
    "Candidate",
    "Costs",
    "Deployment",
    "DeploymentFile",
    "Device",
    "Draw",
    "Engine",
    "Found",
    "Part",
    "Priority",
    "Record",
    "Requests",
    "Result",
    "Rewards",
    "Service",
    "Sleep",
    "Stages",
    "Stream",
    "Times",
    "battery_life_ps",
    "check_conservation",
    "cost_of",
    "deploy",
    "make_requests",
    "measure_service",
    "not_included",
    "read_deployment",
    "read_times",
    "search",
    "simulate_compiled",
    "simulate_with_simpy",
]
