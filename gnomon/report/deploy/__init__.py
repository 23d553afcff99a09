"""Results of a deployment in human-readable form."""

from gnomon.report.deploy._write import DeploymentReport

__all__ = ["DeploymentReport"]
