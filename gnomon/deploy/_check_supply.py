"""What feeds a device and what is looked for: power, sleep, battery, search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.units import format_frequency, parse_frequency
from gnomon.base.yaml import shown
from gnomon.deploy._quantities import Sourced
from gnomon.deploy._spec import (
    IDLE,
    MEASURED,
    OBJECTIVES,
    BatterySpec,
    SearchSpec,
    SleepSpec,
)
from gnomon.deploy._values import ValueReader

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_POINTS = 50
_DEFAULT_POINTS = 9


class SupplyReader(ValueReader):
    """Reads the sections power, sleep, battery and search."""

    def power(self) -> tuple[Sourced, Sourced | None]:
        section = self.part("power")
        static = self.figure(section, "power", "static", "power")
        idle = section.get("idle", MEASURED)
        if idle == MEASURED:
            return static, None
        return static, self.figure(section, "power", "idle", "power", also=(MEASURED,))

    def sleep(self) -> SleepSpec | None:
        if self.checker.raw.get("sleep") == "never":
            return None
        section = self.part("sleep")
        if not section:
            return None
        return SleepSpec(
            after_ps=self.ps(section.get("after", "0 s"), "sleep", "after") or 0,
            power_mw=self.figure(section, "sleep", "power", "power"),
            enter_ps=self.figure(section, "sleep", "enter-time", "time"),
            enter_uj=self.or_idle(section, "enter-energy"),
            wake_ps=self.figure(section, "sleep", "wake-time", "time"),
            wake_uj=self.or_idle(section, "wake-energy"),
        )

    def or_idle(self, section: Mapping[str, Any], key: str) -> Sourced | None:
        if section.get(key) == IDLE:
            return None
        return self.figure(section, "sleep", key, "energy", also=(IDLE,))

    def battery(self) -> BatterySpec | None:
        if self.checker.raw.get("battery") in (None, "none"):
            return None
        section = self.part("battery")
        if not section:
            return None
        capacity = self.figure(section, "battery", "capacity", "capacity", "stored energy",
                               needed=True)  # fmt: skip
        current = section.get("current")
        voltage = section.get("voltage")
        sourced_v = (
            None
            if voltage is None
            else self.figure(section, "battery", "voltage", "voltage", needed=True)
        )
        if sourced_v is not None and sourced_v.value is not None and sourced_v.value <= 0:
            self.checker.wrong("must be more than 0", "battery", "voltage")
        in_mah = capacity.text.endswith("Ah")
        if in_mah and sourced_v is None:
            self.checker.wrong("voltage is missing: a capacity in mAh needs it", "battery")
        if not in_mah and sourced_v is not None and current is None and capacity.value is not None:
            self.checker.wrong("belongs to a capacity in mAh, or to current", "battery", "voltage")
        if current is not None and sourced_v is None:
            self.checker.wrong("needs a voltage to compare with power", "battery", "current")
        scale = sourced_v.counted if in_mah and sourced_v is not None else 1.0
        value = None if capacity.value is None else capacity.value * scale
        if capacity.value is not None and capacity.value <= 0:
            self.checker.wrong("must be more than 0", "battery", "capacity")
        usable = self.figure(section, "battery", "usable", "share")
        if usable.value is not None and not 0 < usable.value <= 1:
            self.checker.wrong("must be from 0 to 100 %, not 0", "battery", "usable")
        return BatterySpec(
            capacity_mwh=Sourced(value, capacity.source, capacity.text),
            voltage_v=sourced_v,
            usable=usable,
            self_discharge_per_year=self.figure(section, "battery", "self-discharge", "share"),
            current_ma=None
            if current is None
            else self.figure(section, "battery", "current", "current", needed=True),
        )

    def search(self, required: bool, overrides: tuple[str, ...]) -> SearchSpec:
        section = self.part("search")
        if not section:
            return SearchSpec()
        if ("clock" in section) == ("arch" in section):
            self.checker.wrong("say clock or arch, one of them", "search")
            return SearchSpec()
        if not required:
            self.checker.wrong("nothing is looked for: say in require what must be kept", "search")
        if "clock" in section:
            if "objective" in section:
                self.checker.wrong("belongs to arch; of clocks the slowest is taken",
                                   "search", "objective")  # fmt: skip
            return SearchSpec(clocks_hz=self.clocks(section["clock"]))
        arches = section["arch"]
        strings = isinstance(arches, list) and all(isinstance(word, str) for word in arches)
        if not strings or not arches:
            self.checker.wrong(f"must be a list of machines, not {shown(arches)}", "search", "arch")
            return SearchSpec()
        for index, arch in enumerate(arches):
            try:
                load_architecture(self.placed(arch), overrides)
            except GnomonError as error:
                self.checker.wrong(str(error), "search", "arch", index)
        objective = self.word(section, "search", "objective", tuple(OBJECTIVES), "area")
        return SearchSpec(arches=tuple(self.placed(arch) for arch in arches), objective=objective)

    def clocks(self, section: Any) -> tuple[int, ...]:
        """From the slowest to the fastest, equal factors between them."""
        if not isinstance(section, dict):
            self.checker.wrong("must be {from: ..., to: ..., points: ...}", "search", "clock")
            return ()
        self.checker.keys(section, ("from", "to", "points"), "search", "clock")
        ends = []
        for key in ("from", "to"):
            try:
                ends.append(int(parse_frequency(section.get(key))))
            except GnomonError as error:
                self.checker.wrong(str(error), "search", "clock", key)
        points = section.get("points", _DEFAULT_POINTS)
        if type(points) is not int or not 2 <= points <= _MOST_POINTS:
            self.checker.wrong(f"must be a whole number from 2 to {_MOST_POINTS}, not"
                               f" {shown(points)}", "search", "clock", "points")  # fmt: skip
            return ()
        if len(ends) != 2:
            return ()
        if not 0 < ends[0] < ends[1]:
            self.checker.wrong(
                f"from {format_frequency(ends[0])} to {format_frequency(ends[1])}: the first must"
                " be the slower one",
                "search",
                "clock",
            )
            return ()
        exact = np.geomspace(ends[0], ends[1], points)
        return tuple(dict.fromkeys([ends[0], *(round(hz) for hz in exact[1:-1]), ends[1]]))
