"""What deployments and pipelines have in common: a machine, its power, a battery, requirements."""

from dataclasses import dataclass

from gnomon.arch import Architecture
from gnomon.deploy._keys import BatteryKeys, PowerKeys, SleepKeys
from gnomon.deploy._pipeline_keys import HarvestKeys
from gnomon.deploy.quantities import Requirement, Sourced


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scenario:
    """A machine with its power and battery, and the limits that a run must meet."""

    name: str  # name of the report
    title: str  # one-line title
    arch: str  # the machine, by shipped name or path
    overrides: tuple[str, ...]  # keys of the machine, as `--set` writes them
    architecture: Architecture  # the machine
    power: PowerKeys  # power drawn in every state
    sleep: SleepKeys | None  # None: the device never sleeps
    battery: BatteryKeys | None  # None: no battery is described
    harvest: HarvestKeys | None = None  # None: nothing charges the battery
    require: tuple[Requirement, ...]  # limits that a run must meet

    @property
    def figures(self) -> dict[str, Sourced | None]:
        """Figures of the file by name; None for a figure that gnomon computes."""
        sleep, battery, harvest = self.sleep, self.battery, self.harvest
        found: dict[str, Sourced | None] = {"static power": self.power.static_mw}
        if self.power.idle_mw is not None:
            found["idle power"] = self.power.idle_mw
        if sleep is not None:
            found |= {
                "power asleep": sleep.power_mw,
                "time of falling asleep": sleep.enter_ps,
                "energy of falling asleep": sleep.enter_uj,
                "time of waking": sleep.wake_ps,
                "energy of waking": sleep.wake_uj,
            }
        if battery is not None:
            found["capacity of the battery"] = battery.capacity_mwh
            if battery.voltage_v is not None:
                found["voltage of the battery"] = battery.voltage_v
            found["usable share of the battery"] = battery.usable
            found["self-discharge"] = battery.self_discharge_per_year
            if battery.current_ma is not None:
                found["current of the battery"] = battery.current_ma
        if harvest is not None:
            found["power of harvesting"] = harvest.power_mw
            found["efficiency of harvesting"] = harvest.efficiency
        return found

    @property
    def not_included(self) -> tuple[str, ...]:
        """Names of the quantities without a figure in the file."""
        return tuple(
            name
            for name, figure in self.figures.items()
            if figure is not None and figure.value is None
        )
