"""Deployments: a stream of requests on a device; latency, missed deadlines, battery life."""

from gnomon.deploy._deploy import ENGINES, simulate_deployment
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._result import DeploymentResult
from gnomon.deploy._search import SearchResult, search_deployment
from gnomon.deploy._service import measure_service
from gnomon.deploy.file import DeploymentFile, read_deployment

__all__ = [
    "ENGINES",
    "Deployment",
    "DeploymentFile",
    "DeploymentResult",
    "SearchResult",
    "measure_service",
    "read_deployment",
    "search_deployment",
    "simulate_deployment",
]
