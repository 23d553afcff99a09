"""Results of a deployment in human-readable form."""

from gnomon.report.deploy._pipeline import PipelineReport
from gnomon.report.deploy._write import DeploymentReport

__all__ = ["DeploymentReport", "PipelineReport"]
