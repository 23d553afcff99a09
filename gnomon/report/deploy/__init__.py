"""What came of a deployment, for people."""

from gnomon.report.deploy._write import DeploymentReport

__all__ = ["DeploymentReport"]
