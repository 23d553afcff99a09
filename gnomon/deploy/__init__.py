"""Deploy: a stream of requests meets a device; latency, missed deadlines, battery life."""

from gnomon.deploy._deploy import ENGINES, deploy
from gnomon.deploy._result import Result
from gnomon.deploy._search import Candidate, Found, search
from gnomon.deploy._service import measure_service
from gnomon.deploy._spec import Deployment
from gnomon.deploy.file import read_deployment

__all__ = [
    "ENGINES", "Candidate", "Deployment", "Found", "Result", "deploy", "measure_service",
    "read_deployment", "search",
]  # fmt: skip
