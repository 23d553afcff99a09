"""Deployments: a stream of requests on a device; latency, missed deadlines, battery life."""

from gnomon.deploy._account import Part
from gnomon.deploy._deploy import ENGINES, Engine, simulate_deployment
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._model import ASLEEP
from gnomon.deploy._outcome import Outcome
from gnomon.deploy._pipeline import Pipeline
from gnomon.deploy._pipeline_run import PipelineResult, StageResult, simulate_pipeline
from gnomon.deploy._result import DeploymentResult
from gnomon.deploy._scenario import Scenario
from gnomon.deploy._search import SearchResult, search_deployment
from gnomon.deploy._service import measure_service
from gnomon.deploy._stage_service import StageService, measure_stages
from gnomon.deploy.devices import ArrivalDevice, SimpyDevice, read_arrivals, sample_arrivals
from gnomon.deploy.file import DeploymentFile, read_deployment
from gnomon.deploy.pipeline_file import PipelineFile, is_pipeline, read_pipeline

__all__ = [
    "ASLEEP",
    "ENGINES",
    "ArrivalDevice",
    "Deployment",
    "DeploymentFile",
    "DeploymentResult",
    "Engine",
    "Outcome",
    "Part",
    "Pipeline",
    "PipelineFile",
    "PipelineResult",
    "Scenario",
    "SearchResult",
    "SimpyDevice",
    "StageResult",
    "StageService",
    "is_pipeline",
    "measure_service",
    "measure_stages",
    "read_arrivals",
    "read_deployment",
    "read_pipeline",
    "sample_arrivals",
    "search_deployment",
    "simulate_deployment",
    "simulate_pipeline",
]
