"""Embedded SoftUCB and ARES: number formats beside float, and what a step costs on each machine."""

from __future__ import annotations

from gnomon.report.embedded._costs import StepCost, measure_costs
from gnomon.report.embedded._run import (
    EmbeddedLearners,
    check_size,
    embedded_steps,
    run_embedded,
)
from gnomon.report.embedded._write import write_embedded

__all__ = [
    "EmbeddedLearners",
    "StepCost",
    "check_size",
    "embedded_steps",
    "measure_costs",
    "run_embedded",
    "write_embedded",
]
