"""Pipelines: the validated content of a pipeline file."""

from dataclasses import dataclass
from pathlib import Path

from gnomon.deploy._model import Times
from gnomon.deploy._pipeline_keys import PipelineDeviceKeys, StageKeys
from gnomon.deploy._scenario import Scenario
from gnomon.explore.settings import Value, Workload


@dataclass(frozen=True, slots=True, eq=False)
class PipelineStage:
    """One stage of a pipeline."""

    name: str
    keys: StageKeys
    workload: Workload
    settings: tuple[tuple[str, Value], ...]  # all settings of the workload, in order
    after: int  # place of the stage that starts this one; -1: none
    recorded: Times | None  # times of requests, where they are recorded
    source: tuple[Path, str] | None  # file and function of a SimPy process


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pipeline(Scenario):
    """A validated pipeline as plain data."""

    length_ps: int  # length of the run
    seed: int  # for all random values of the run
    stages: tuple[PipelineStage, ...]
    device: PipelineDeviceKeys  # serving harts
