"""Deploy: a stream of requests meets a device; latency, missed deadlines, battery life."""

from gnomon.deploy._result import Result
from gnomon.deploy._search import Found
from gnomon.deploy.file import Deployment

__all__ = ["Deployment", "Found", "Result"]
