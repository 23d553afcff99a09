"""Deploy: serve a stream of requests on a device; latency, missed deadlines, battery life."""

from gnomon.deploy._deploy import ENGINES, Engine, simulate_deployment
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._result import DeploymentResult
from gnomon.deploy._search import SearchCandidate, SearchResult, search_deployment
from gnomon.deploy._service import Service, measure_service
from gnomon.deploy.file import DeploymentFile, read_deployment

__all__ = [
    "ENGINES",
    "Deployment",
    "DeploymentFile",
    "DeploymentResult",
    "Engine",
    "SearchCandidate",
    "SearchResult",
    "Service",
    "measure_service",
    "read_deployment",
    "search_deployment",
    "simulate_deployment",
]
