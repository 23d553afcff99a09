"""Pipelines: the validated content of a pipeline file."""

from dataclasses import dataclass
from pathlib import Path

from gnomon.arch import Architecture
from gnomon.deploy._deployment import list_not_included
from gnomon.deploy._keys import BatteryKeys, PowerKeys, SleepKeys
from gnomon.deploy._model import Times
from gnomon.deploy._pipeline_keys import HarvestKeys, PipelineDeviceKeys, StageKeys
from gnomon.deploy.quantities import Requirement
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


@dataclass(frozen=True, slots=True, eq=False)
class Pipeline:
    """A validated pipeline as plain data."""

    name: str  # name of the report
    title: str
    length_ps: int  # length of the run
    seed: int  # for all random values of the run
    stages: tuple[PipelineStage, ...]
    arch: str  # the machine, by shipped name or path
    overrides: tuple[str, ...]  # keys of the machine, as `--set` writes them
    architecture: Architecture  # the machine
    device: PipelineDeviceKeys  # serving harts
    power: PowerKeys  # power drawn in every state
    sleep: SleepKeys | None  # None: the device never sleeps
    battery: BatteryKeys | None  # None: no battery is described
    harvest: HarvestKeys | None  # None: nothing charges the battery
    require: tuple[Requirement, ...]  # limits that a run must meet

    @property
    def not_included(self) -> tuple[str, ...]:
        """Names of the quantities without a figure in the file."""
        missing = list_not_included(self.power, self.sleep, self.battery)
        if self.harvest is not None and self.harvest.efficiency.value is None:
            return (*missing, "efficiency of harvesting")
        return missing
