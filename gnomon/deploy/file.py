"""A deployment file: what it may say, and the deployment that it says."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    ValidationInfo,
    field_validator,
    model_validator,
)

from gnomon.arch import load_architecture, machine_beside
from gnomon.arch.keys import written
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    Problems,
    Reading,
    Section,
    Version,
    check,
    given,
    items,
    key,
    none_word,
    reading_of,
    version_key,
)
from gnomon.base.units import format_frequency, parse_frequency
from gnomon.base.yaml import FileError, read_file, shown
from gnomon.bench.learners import find_learner
from gnomon.deploy._model import UNLIMITED, Priority
from gnomon.deploy._spec import (
    IDLE,
    MEASURED,
    BatterySpec,
    Deployment,
    SearchSpec,
    SleepSpec,
)
from gnomon.deploy.quantities import NOT_INCLUDED, Sourced, parse_quantity, parse_requirement
from gnomon.deploy.streams import Arrivals, Delay, Rewards, Stream, read_times
from gnomon.explore import SETTINGS

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.base.yaml import Place
    from gnomon.explore import Setting

_MOST_REQUESTS = 20_000_000
_MOST_STEPS = 1000
_MOST_PER_S = 10**12
_LONGEST_PS = 2**61
_DEFAULT_STEPS = 16
_FIGURE = "a figure: {value: ..., source: ...}, or `not included`"
_GIVEN = "{value: ..., source: ...}"

OBJECTIVES = {
    "area": "fewest LUTs by the area table",
    "power": "least mean power",
    "listed": "the first of the list",
}
"""Of a search among machines."""

NOT_OF_DEPLOYMENTS = ("learner", "correcting", "rounds", "contexts", "environments")
"""Settings of a learner in sweeps that a deployment has no use for: it corrects by itself."""


def _settings() -> tuple[Setting, ...]:
    return tuple(each for each in SETTINGS["learner"] if each.name not in NOT_OF_DEPLOYMENTS)


def _ps(value: Any) -> int:
    amount, _ = parse_quantity(value, "time")
    if not 0 <= amount <= _LONGEST_PS:
        raise ValueError(f"must be from 0 ps to 26 days, not {shown(value)}")
    return round(amount)


def _share(value: Any) -> float:
    amount, _ = parse_quantity(value, "share")
    if amount > 1:
        raise ValueError("must not be more than 100 %")
    return float(amount)


def _frequency(value: Any) -> int:
    return int(parse_frequency(value))


def _period(value: Any) -> int:
    period_ps = _ps(value)
    if period_ps < 1:
        raise ValueError(f"must be from 1 ps to 26 days, not {shown(value)}")
    return period_ps


def _rate(value: Any) -> int:
    """A rate as the time between requests."""
    rate, _ = parse_quantity(value, "rate")
    if rate <= 0:
        raise ValueError("must be more than 0")
    if rate > _MOST_PER_S:
        raise ValueError(f"must be at most {_MOST_PER_S:,} /s: times are whole picoseconds")
    return max(1, round(_MOST_PER_S / rate))


def _figure(*kinds: str, needed: bool = False, also: str = "") -> PlainValidator:
    """A value with its source; ``not included`` counts as nothing, and is shown as that.

    Args:
        kinds: of quantity.
        needed: it must be included.
        also: a word that stands for a figure that gnomon has; then there is None.
    """

    def read(value: Any, info: ValidationInfo) -> Sourced | None:
        name = (info.field_name or "").replace("_", "-")
        if also and value == also:
            return None
        if value == NOT_INCLUDED and not needed:
            return Sourced(None)
        words = [f"'{word}'" for word in (also, "" if needed else NOT_INCLUDED) if word]
        if not isinstance(value, dict):
            others = f", or {', '.join(words)}" if words else ""
            raise ValueError(  # noqa: TRY004 - pydantic asks for it
                f"must be {_GIVEN}{others}, not {shown(value)}: gnomon invents no such figure"
            )
        found: list[tuple[Place, str]] = []
        for word in value:
            if word not in ("value", "source"):
                near = did_you_mean(word, ("value", "source"))
                found.append(((name, word), f"unknown key (allowed: value, source{near})"))
        source = value.get("source")
        if not isinstance(source, str) or not source.strip():
            found.append(((name,), "source is missing: where this figure is from"))
        amount = 0.0
        if value.get("value") is None:
            found.append(((name,), "value is missing"))
        else:
            try:
                exact = parse_quantity(value["value"], *kinds)[0]
                if kinds == ("time",) and exact > _LONGEST_PS:
                    raise GnomonError("must not be longer than 26 days")  # noqa: TRY301
                if kinds == ("share",) and exact > 1:
                    raise GnomonError("must not be more than 100 %")  # noqa: TRY301
                amount = float(exact)
            except GnomonError as error:
                found.append(((name, "value"), str(error)))
        if found:
            raise Problems(found)
        return Sourced(amount, " ".join(str(source).split()), str(value["value"]).strip())

    return PlainValidator(read)


def _positive(figure: Sourced) -> Sourced:
    if figure.value is not None and figure.value <= 0:
        raise ValueError("must be more than 0")
    return figure


def _usable(figure: Sourced) -> Sourced:
    if figure.value == 0:
        raise ValueError("must be from 0 to 100 %, not 0")
    return figure


def _waiting(value: Any) -> int:
    if value == "unlimited":
        return UNLIMITED
    if type(value) is not int or not 0 <= value <= _MOST_REQUESTS:
        raise ValueError(
            f"must be a whole number from 0 to {_MOST_REQUESTS:,}, or unlimited, not {shown(value)}"
        )
    return value


_Time = PlainValidator(given(_ps))


class RequestKeys(Section):
    """When requests come."""

    arrivals: Arrivals = key("periodic, poisson or recorded")
    period: Annotated[int, PlainValidator(given(_period))] = key(
        "time between requests: of periodic ones; mean of Poisson ones", default=0
    )
    rate: Annotated[int, PlainValidator(given(_rate))] = key(
        "requests per time, instead of period", default=0
    )
    jitter: Annotated[int, _Time] = key(
        "of periodic ones: each comes later by up to so much, uniform",
        default=0,
        shown_default="0 s",
    )
    count: int = key(
        "how many requests; of recorded ones, at most",
        default=0,
        ge=1,
        le=_MOST_REQUESTS,
        allowed=f"a whole number from 1 to {_MOST_REQUESTS:,}",
        shown_default="all recorded ones",
    )
    file: str = key(
        "of recorded ones: a CSV file with one column, time_s, time_ms or time_us",
        default="",
        allowed="the path of a CSV file",
    )
    seed: int = key("of all that is random in the run", default=0, ge=0, le=2**31 - 1,
                    shown_default="0")  # fmt: skip

    @model_validator(mode="after")
    def _of_arrivals(self) -> RequestKeys:
        found: list[tuple[Place, str]] = []
        said = self.model_fields_set
        for name, of in (("jitter", "periodic"), ("file", "recorded")):
            if name in said and self.arrivals != of:
                found.append(((name,), f"belongs to arrivals: {of}"))
        if self.arrivals == "recorded":
            found += [
                ((name,), "a recorded stream has its own times")
                for name in ("period", "rate")
                if name in said
            ]
            if not self.file:
                found.append(((), "file is missing: a CSV file of times"))
        else:
            if ("period" in said) == ("rate" in said):
                found.append(((), "say period or rate, one of them"))
            elif self.jitter > self.period_ps:
                message = "must not be longer than the period: requests stay in order"
                found.append((("jitter",), message))
            if "count" not in said:
                found.append(((), "count is missing: how many requests"))
        if found:
            raise Problems(found, own=True)
        return self

    @property
    def period_ps(self) -> int:
        """Between requests, also where the file says a rate."""
        return max(1, self.period or self.rate)


class RewardKeys(Section):
    """When what is learned from comes back."""

    delay: Annotated[int, _Time] = key(
        "from the decision to the reward, on average", default=0, shown_default="0 s"
    )
    kind: Delay = key(
        "constant, uniform (0 to twice the delay) or exponential",
        default="constant",
        shown_default="constant",
    )
    share: Annotated[float, PlainValidator(given(_share))] = key(
        "of decisions whose reward comes back at all", default=1.0, shown_default="100 %"
    )


class LearnerKeys(Section):
    """Keys of the section ``learner``, and the settings of a learner in sweeps."""

    model_config = ConfigDict(extra="allow")

    name: str = key("name of the learner", allowed="the name of a learner")
    steps: int = key(
        "how many steps are measured, each after 64 random ones, from seeds in a row",
        default=_DEFAULT_STEPS,
        ge=1,
        le=_MOST_STEPS,
        shown_default="16",
    )
    service: Literal["drawn", "in-order"] = key(
        "drawn: each request costs one of them at random; in-order: one after the other",
        default="drawn",
        shown_default="drawn",
    )


class DeviceKeys(Section):
    """Who serves, and who may wait."""

    harts: int = key("how many serve requests side by side", default=1, ge=1, le=64,
                     shown_default="1")  # fmt: skip
    waiting_decisions: Annotated[int, PlainValidator(given(_waiting))] = key(
        "how many may wait; more are dropped",
        default=UNLIMITED,
        alias="waiting-decisions",
        shown_default="unlimited",
    )
    waiting_updates: Annotated[int, PlainValidator(given(_waiting))] = key(
        "how many may wait; more are dropped",
        default=UNLIMITED,
        alias="waiting-updates",
        shown_default="unlimited",
    )
    priority: Priority = key(
        "decisions-first, updates-first or in-order",
        default="decisions-first",
        shown_default="decisions-first",
    )
    preempt: bool = key(
        "decisions interrupt updates; scalar variants only", default=False, shown_default="false"
    )


class PowerKeys(Section):
    """Power that is drawn whatever the device does."""

    static: Annotated[Sourced, _figure("power")] = key(f"drawn at all times, asleep too; {_FIGURE}")
    idle: Annotated[Sourced | None, _figure("power", also=MEASURED)] = key(
        "awake, no hart at work: `measured` prices sleeping harts by the power table;"
        f" or {_FIGURE}",
        default=None,
        shown_default="measured",
    )


class SleepKeys(Section):
    """What sleeping takes."""

    after: Annotated[int, _Time] = key(
        "idle time before it falls asleep", default=0, shown_default="0 s"
    )
    power: Annotated[Sourced, _figure("power")] = key(f"while asleep, beyond static; {_FIGURE}")
    enter_time: Annotated[Sourced, _figure("time")] = key(
        f"of falling asleep; {_FIGURE}", alias="enter-time"
    )
    enter_energy: Annotated[Sourced | None, _figure("energy", also=IDLE)] = key(
        f"of falling asleep, beyond static; `idle`: idle power; or {_FIGURE}", alias="enter-energy"
    )
    wake_time: Annotated[Sourced, _figure("time")] = key(f"of waking; {_FIGURE}", alias="wake-time")
    wake_energy: Annotated[Sourced | None, _figure("energy", also=IDLE)] = key(
        f"of waking, beyond static; `idle`: idle power; or {_FIGURE}", alias="wake-energy"
    )


class BatteryKeys(Section):
    """What feeds it."""

    capacity: Annotated[
        Sourced, _figure("capacity", "stored energy", needed=True), AfterValidator(_positive)
    ] = key(f"mAh with a voltage, or mWh; {_GIVEN}")
    voltage: Annotated[
        Sourced | None, _figure("voltage", needed=True), AfterValidator(_positive)
    ] = key(f"mean voltage while it discharges; {_GIVEN}", default=None)
    usable: Annotated[Sourced, _figure("share"), AfterValidator(_usable)] = key(
        f"share of the capacity that the device can use; {_FIGURE}"
    )
    self_discharge: Annotated[Sourced, _figure("share")] = key(
        f"share of the capacity lost in a year; {_FIGURE}", alias="self-discharge"
    )
    current: Annotated[Sourced | None, _figure("current", needed=True)] = key(
        f"load that it is made for, to warn of more; needs a voltage; {_GIVEN}", default=None
    )

    @model_validator(mode="after")
    def _voltage_where_needed(self) -> BatteryKeys:
        found: list[tuple[Place, str]] = []
        if self.in_mah and self.voltage is None:
            found.append(((), "voltage is missing: a capacity in mAh needs it"))
        if not self.in_mah and self.voltage is not None and self.current is None:
            found.append((("voltage",), "belongs to a capacity in mAh, or to current"))
        if self.current is not None and self.voltage is None:
            found.append((("current",), "needs a voltage to compare with power"))
        if found:
            raise Problems(found, own=True)
        return self

    @property
    def in_mah(self) -> bool:
        """The capacity is a charge."""
        return self.capacity.text.endswith("Ah")

    def spec(self) -> BatterySpec:
        """As the rest of the package has it."""
        scale = self.voltage.counted if self.in_mah and self.voltage is not None else 1.0
        capacity = self.capacity
        value = None if capacity.value is None else capacity.value * scale
        return BatterySpec(
            capacity_mwh=Sourced(value, capacity.source, capacity.text),
            voltage_v=self.voltage,
            usable=self.usable,
            self_discharge_per_year=self.self_discharge,
            current_ma=self.current,
        )


class ClockKeys(Section):
    """Clocks that are tried."""

    slowest: Annotated[int, PlainValidator(given(_frequency))] = key("the slowest", alias="from")
    fastest: Annotated[int, PlainValidator(given(_frequency))] = key("the fastest", alias="to")
    points: int = key("how many are tried", default=9, ge=2, le=50)

    @model_validator(mode="after")
    def _ordered(self) -> ClockKeys:
        if not 0 < self.slowest < self.fastest:
            raise ValueError(
                f"from {format_frequency(self.slowest)} to {format_frequency(self.fastest)}: the"
                " first must be the slower one"
            )
        return self

    def clocks_hz(self) -> tuple[int, ...]:
        """From the slowest to the fastest, equal factors between them."""
        inner = np.geomspace(self.slowest, self.fastest, self.points)[1:-1]
        return tuple(dict.fromkeys([self.slowest, *(round(hz) for hz in inner), self.fastest]))


class SearchKeys(Section):
    """What is looked for."""

    clock: ClockKeys | None = key(
        "{from: ..., to: ..., points: 9}: clocks between which the slowest is found", default=None
    )
    arch: Any = key("machines to choose from, with the same keys set", default=None)
    objective: Literal["area", "power", "listed"] = key(
        "of machines: area, power or listed", default="area", shown_default="area"
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> SearchKeys:
        if (self.clock is None) == (self.arch is None):
            raise ValueError("say clock or arch, one of them")
        if self.clock is not None and "objective" in self.model_fields_set:
            message = "belongs to arch; of clocks the slowest is taken"
            raise Problems([(("objective",), message)], own=True)
        strings = isinstance(self.arch, list) and all(isinstance(word, str) for word in self.arch)
        if self.clock is None and not (strings and self.arch):
            message = f"must be a list of machines, not {shown(self.arch)}"
            raise Problems([(("arch",), message)], own=True)
        return self


def _sleeps(value: object) -> object:
    if value is None:
        raise ValueError("missing: what sleeping takes, or `never`")
    return None if value == "never" else value


class DeploymentFile(Section):
    """A deployment file. Rules see the keys above their own, as in machine files."""

    schema_version: Version = version_key()
    name: str = key(f"names the report; {NAME_ALLOWED}", pattern=NAME_PATTERN, allowed=NAME_ALLOWED)
    title: str | None = key(
        "one line for people", default=None, allowed="text", shown_default="the name"
    )
    requests: RequestKeys = key("when requests for decisions come")
    rewards: RewardKeys = key(
        "when what is learned from comes back",
        default=RewardKeys(),
        shown_default="updates right after the decision",
    )
    deadline: Annotated[int | None, _Time] = key(
        "a decision that takes longer is missed", default=None, shown_default="none"
    )
    learner: LearnerKeys = key("what decides and learns")
    arch: str = key(
        "the machine: a shipped name or a path from this file",
        allowed="the name of a machine or the path of its file",
    )
    set: dict[str, Any] | None = key(
        "keys of the machine that differ, such as clock", default={}, validate_default=True
    )
    device: DeviceKeys = key(
        "who serves and who may wait", default=DeviceKeys(), validate_default=True
    )
    power: PowerKeys = key("power that is drawn whatever the device does")
    sleep: Annotated[SleepKeys | None, BeforeValidator(_sleeps)] = key(
        "what sleeping takes, or `never`"
    )
    battery: Annotated[BatteryKeys | None, BeforeValidator(none_word)] = key(
        "what feeds it", default=None, shown_default="none"
    )
    require: Annotated[tuple[Any, ...], BeforeValidator(items)] = key(
        "what must be kept: quantity, <= or >=, number, unit", default=(), shown_default="nothing"
    )
    search: SearchKeys | None = key(
        "the slowest clock, or the best of some machines, that keeps it",
        default=None,
        shown_default="none",
    )

    @field_validator("requests")
    @classmethod
    def _requests(cls, requests: RequestKeys, info: ValidationInfo) -> RequestKeys:
        if requests.file:
            reading = reading_of(info)
            read = partial(read_times, (reading.folder or Path()) / requests.file)
            reading.shared["recorded"] = reading.attempt(read, "requests", "file")
        return requests

    @field_validator("learner")
    @classmethod
    def _learner(cls, section: LearnerKeys, info: ValidationInfo) -> LearnerKeys:
        reading = reading_of(info)
        known = {each.name: each for each in _settings()}
        settings: dict[str, Any] = {"learner": section.name}
        more = section.model_extra or {}
        for name in more:
            if name not in known:
                names = [*LearnerKeys.model_fields, *known]
                why = f"unknown key (allowed: {', '.join(names)}{did_you_mean(name, names)})"
                reading.note(why, "learner", name)
        for name, setting in known.items():
            if setting.needed and name not in more:
                reading.note(f"{name} is missing: {setting.meaning}", "learner")
                continue
            value = more.get(name, "random" if name == "case" else setting.default)
            settings[name] = reading.attempt(partial(setting.check, value), "learner", name)
        reading.shared["settings"] = settings
        one = settings["case"] == "fresh" and "steps" not in section.model_fields_set
        reading.shared["steps"] = 1 if one else section.steps  # the same input costs the same
        learner = reading.attempt(partial(find_learner, section.name), "learner", "name")
        if learner is not None and isinstance(settings.get("variant"), str):
            find = partial(learner.variant, settings["variant"], str(settings["line"]))
            variant = reading.attempt(find, "learner", "variant")
            period = settings.get("correction-period")
            if variant is not None and period is not None:
                reading.attempt(partial(variant.corrected_every, period), "learner", "variant")
        return section

    @field_validator("arch")
    @classmethod
    def _arch(cls, arch: str, info: ValidationInfo) -> str:
        arch = machine_beside(reading_of(info).folder or Path(), arch)
        given(load_architecture)(arch)
        return arch

    @field_validator("set")
    @classmethod
    def _set(cls, section: dict[str, Any] | None, info: ValidationInfo) -> dict[str, Any]:
        section = section or {}
        nested = [name for name, value in section.items() if isinstance(value, dict)]
        overrides = tuple(
            f"{name}={written(tuple(value) if isinstance(value, list) else value)}"
            for name, value in section.items()
            if name not in nested
        )
        reading_of(info).shared["overrides"] = overrides
        if nested:
            raise Problems(
                [(("set", name), ("must be a value, not a section; write dotted keys, such as"
                  " vcu.simd: 8")) for name in nested]
            )  # fmt: skip
        if "arch" in info.data:
            load = given(partial(load_architecture, overrides=overrides))
            reading_of(info).shared["machine"] = load(info.data["arch"])
        return section

    @field_validator("device")
    @classmethod
    def _device(cls, device: DeviceKeys, info: ValidationInfo) -> DeviceKeys:
        reading = reading_of(info)
        settings: dict[str, Any] = reading.shared.get("settings", {})
        if device.preempt and device.priority != "decisions-first":
            reading.note("goes with priority: decisions-first only", "device", "preempt")
        if device.preempt and str(settings.get("variant", "")).endswith("vector"):
            why = (
                f"variant {settings['variant']} keeps its operands in the scratchpads, which a"
                " decision would overwrite; take a scalar variant"
            )
            reading.note(why, "device", "preempt")
        sharing = settings.get("harts")
        machine: Architecture | None = reading.shared.get("machine")
        used = device.harts * (sharing if isinstance(sharing, int) else 1)
        if machine is not None and used > machine.core.harts:
            each = f" x {sharing} that share the arms" if sharing not in (None, 1) else ""
            why = f"{device.harts} at work{each} is more than {machine.name} has"
            reading.note(f"{why} ({machine.core.harts})", "device", "harts")
        return device

    @field_validator("require")
    @classmethod
    def _require(cls, texts: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        reading = reading_of(info)
        found = []
        for index, text in enumerate(texts):
            each = reading.attempt(partial(parse_requirement, text), "require", index)
            if each is not None:
                found.append(each)
        names = {each.name for each in found}
        if info.data.get("deadline", 0) is None and "missed" in names:
            reading.note("missed needs a deadline; say it in deadline", "require")
        if info.data.get("battery", 0) is None and "battery-life" in names:
            reading.note("battery-life needs a battery; describe it in battery", "require")
        return tuple(found)

    @field_validator("search")
    @classmethod
    def _search(cls, search: SearchKeys | None, info: ValidationInfo) -> SearchKeys | None:
        reading = reading_of(info)
        if search is None:
            return None
        if not info.data.get("require", True):
            reading.note("nothing is looked for: say in require what must be kept", "search")
        folder, overrides = reading.folder or Path(), reading.shared.get("overrides", ())
        for index, arch in enumerate(search.arch or ()):
            path = machine_beside(folder, arch)
            load = partial(load_architecture, path, overrides)
            reading.attempt(load, "search", "arch", index)
        return search


def read_deployment(path: Path | str) -> Deployment:
    """Read a deployment file. Paths in it that are relative are so to its folder.

    Raises:
        GnomonError: with every problem, one per line: ``file:line: key: what is wrong``.
    """
    folder = Path(path).parent
    tree, twice = read_file(path, "deployment")
    if twice:
        raise FileError(twice)
    reading = Reading(folder)
    file = check(tree, DeploymentFile, reading=reading, in_order=True)
    shared = reading.shared
    requests, device, sleep, search = file.requests, file.device, file.sleep, file.search
    arches = tuple(machine_beside(folder, arch) for arch in (search.arch if search else None) or ())
    return Deployment(
        name=file.name,
        title=" ".join((file.title or file.name).split()),
        stream=Stream(
            requests.arrivals,
            requests.period_ps,
            requests.jitter,
            requests.count,
            requests.seed,
            requests.file,
        ),
        recorded=shared.get("recorded"),
        rewards=Rewards(file.rewards.delay, file.rewards.kind, file.rewards.share),
        deadline_ps=file.deadline,
        settings=tuple(shared["settings"].items()),
        steps=shared["steps"],
        service=file.learner.service,
        arch=file.arch,
        overrides=shared["overrides"],
        architecture=shared["machine"],
        harts=device.harts,
        decision_places=device.waiting_decisions,
        update_places=device.waiting_updates,
        priority=device.priority,
        preempt=device.preempt,
        static_mw=file.power.static,
        idle_mw=file.power.idle,
        sleep=None
        if sleep is None
        else SleepSpec(
            sleep.after,
            sleep.power,
            sleep.enter_time,
            sleep.enter_energy,
            sleep.wake_time,
            sleep.wake_energy,
        ),
        battery=None if file.battery is None else file.battery.spec(),
        require=file.require,
        search=SearchSpec()
        if search is None
        else SearchSpec(search.clock.clocks_hz() if search.clock else (), arches, search.objective),
    )
