"""Deploy: a stream of requests meets a device; latency, missed deadlines, battery life."""

from __future__ import annotations

from gnomon.deploy._account import not_included
from gnomon.deploy._compiled import simulate_compiled
from gnomon.deploy._deploy import ENGINES, check_conservation, deploy
from gnomon.deploy._model import Device, Draw, Record, Requests, Sleep, Stages, Times
from gnomon.deploy._result import Result
from gnomon.deploy._search import Candidate, Found, search
from gnomon.deploy._service import measure_service
from gnomon.deploy._simpy_model import simulate_with_simpy
from gnomon.deploy._spec import Deployment
from gnomon.deploy.file import read_deployment
from gnomon.deploy.streams import Rewards, Stream, make_requests

__all__ = [
    "ENGINES", "Candidate", "Deployment", "Device", "Draw", "Found", "Record", "Requests",
    "Result", "Rewards", "Sleep", "Stages", "Stream", "Times", "check_conservation", "deploy",
    "make_requests", "measure_service", "not_included", "read_deployment", "search",
    "simulate_compiled", "simulate_with_simpy",
]  # fmt: skip
