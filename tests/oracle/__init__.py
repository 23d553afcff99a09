"""A slow, readable simulator of the T13 rules, the second opinion on the compiled engine.

It is written from the rules alone and shares no code with the package. One slot of the
rotation is one pass of a Python loop; parked harts are simulated like all others.
"""

from tests.oracle.config import (
    BusyInterval,
    OracleConfig,
    OracleError,
    OracleRegion,
    OracleRun,
    OracleUnit,
    OracleVectorUnit,
    UnmodelledError,
)
from tests.oracle.machine import Oracle

__all__ = [
    "BusyInterval",
    "Oracle",
    "OracleConfig",
    "OracleError",
    "OracleRegion",
    "OracleRun",
    "OracleUnit",
    "OracleVectorUnit",
    "UnmodelledError",
]
