"""Sections of a deployment file: meaning of each key, and rules between keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, ConfigDict, PlainValidator, model_validator

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.schema import ProblemAt, Problems, Section, given, key
from gnomon.base.units import format_frequency, parse_frequency
from gnomon.base.yaml import Place, shown
from gnomon.deploy._model import UNLIMITED, Arrivals, Delay, Priority
from gnomon.deploy.quantities import NOT_INCLUDED, Sourced, parse_quantity

_MOST_REQUESTS = 20_000_000
_MOST_PER_S = 10**12
_LONGEST_PS = 2**61
FIGURE = "a figure: {value: ..., source: ...}, or `not included`"
GIVEN = "{value: ..., source: ...}"


def _ps(value: Any, least: int = 0) -> int:
    amount, _ = parse_quantity(value, "time")
    if amount > _LONGEST_PS or round(amount) < least:
        raise ValueError(f"must be from {least} ps to 26 days, not {shown(value)}")
    return round(amount)


def _share(value: Any) -> float:
    amount, _ = parse_quantity(value, "share")
    if amount > 1:
        raise ValueError("must not be more than 100 %")
    return float(amount)


def _rate(value: Any) -> int:
    """Return a rate as the time between requests in ps."""
    rate, _ = parse_quantity(value, "rate")
    if rate <= 0:
        raise ValueError("must be more than 0")
    if rate > _MOST_PER_S:
        raise ValueError(f"must be at most {_MOST_PER_S:,} /s: times are whole picoseconds")
    return max(1, round(_MOST_PER_S / rate))


def _waiting(value: Any) -> int:
    if value == "unlimited":
        return UNLIMITED
    if type(value) is not int or not 0 <= value <= _MOST_REQUESTS:
        raise ValueError(
            f"must be a whole number from 0 to {_MOST_REQUESTS:,}, or unlimited, not {shown(value)}"
        )
    return value


def sourced(*kinds: str, needed: bool = False, also: str = "") -> PlainValidator:
    """Return the validator of a value with its source; ``not included`` counts as 0.

    ``also``: a word that selects gnomon's own figure; the validator then returns None.
    """

    def amount_of(text: Any) -> float:
        exact = parse_quantity(text, *kinds)[0]
        if kinds == ("time",) and exact > _LONGEST_PS:
            raise GnomonError("must not be longer than 26 days")
        if kinds == ("share",) and exact > 1:
            raise GnomonError("must not be more than 100 %")
        return float(exact)

    def read(value: Any) -> Sourced | None:
        if also and value == also:
            return None
        if value == NOT_INCLUDED and not needed:
            return Sourced(None)
        words = [f"'{word}'" for word in (also, "" if needed else NOT_INCLUDED) if word]
        if not isinstance(value, dict):
            others = f", or {', '.join(words)}" if words else ""
            raise ValueError(  # noqa: TRY004 - pydantic requires it
                f"must be {GIVEN}{others}, not {shown(value)}: gnomon invents no such figure"
            )
        found: list[tuple[Place, str]] = [
            ((word,), f"unknown key (allowed: value, source{did_you_mean(word, _OFFIGURES)})")
            for word in value
            if word not in _OFFIGURES
        ]
        text, source = value.get("value"), value.get("source")
        if not isinstance(source, str) or not source.strip():
            found.append(((), "source is missing: where this figure is from"))
        amount = 0.0
        try:
            if text is None:
                found.append(((), "value is missing"))
            else:
                amount = amount_of(text)
        except GnomonError as error:
            found.append((("value",), str(error)))
        if found:
            raise Problems(found, own=True)
        return Sourced(amount, " ".join(str(source).split()), str(text).strip())

    return PlainValidator(read)


_OFFIGURES = ("value", "source")


def check_positive(figure: Sourced) -> Sourced:
    if figure.value is not None and figure.value <= 0:
        raise ValueError("must be more than 0")
    return figure


def _usable(figure: Sourced) -> Sourced:
    if figure.value == 0:
        raise ValueError("must be above 0 and at most 100 %, not 0")
    return figure


Time = Annotated[int, PlainValidator(given(_ps))]
Period = Annotated[int, PlainValidator(given(lambda value: _ps(value, 1)))]
Rate = Annotated[int, PlainValidator(given(_rate))]
Share = Annotated[float, PlainValidator(given(_share))]
Waiting = Annotated[int, PlainValidator(given(_waiting))]
Frequency = Annotated[int, PlainValidator(given(lambda value: int(parse_frequency(value))))]
Power = Annotated[Sourced, sourced("power")]
Duration = Annotated[Sourced, sourced("time")]
EnergyOrIdle = Annotated[Sourced | None, sourced("energy", also="idle")]


def optional(meaning: str, default: Any, shown_default: str = "", **options: Any) -> Any:
    """Return an optional key."""
    return key(meaning, default=default, shown_default=shown_default or str(default), **options)


class RequestKeys(Section):
    """Arrivals of requests."""

    arrivals: Arrivals = key("periodic, poisson or recorded")
    period: Period = key(
        "time between periodic requests; mean time between Poisson ones", default=0
    )
    rate: Rate = key("requests per time, instead of period", default=0)
    jitter_ps: Time = optional(
        "largest delay of periodic requests, uniformly distributed", 0, "0 s", alias="jitter"
    )
    count: int = optional(
        "number of requests; limit for recorded ones",
        0,
        "all recorded ones",
        ge=1,
        le=_MOST_REQUESTS,
        allowed=f"a whole number from 1 to {_MOST_REQUESTS:,}",
    )
    file: str = key(
        "CSV file of recorded requests with one column, time_s, time_ms or time_us",
        default="",
        allowed="the path of a CSV file",
    )
    seed: int = optional("seed for all random values of the run", 0, ge=0, le=2**31 - 1)

    @model_validator(mode="after")
    def _of_arrivals(self) -> RequestKeys:
        stated = self.model_fields_set
        found: list[tuple[Place, str]] = [
            ((name,), f"belongs to arrivals: {of}")
            for name, own, of in (("jitter", "jitter_ps", "periodic"), ("file", "file", "recorded"))
            if own in stated and self.arrivals != of
        ]
        if self.arrivals == "recorded":
            found += [
                ((name,), "a recorded stream has its own times")
                for name in ("period", "rate")
                if name in stated
            ]
            if not self.file:
                found.append(((), "file is missing: a CSV file of times"))
        else:
            if ("period" in stated) == ("rate" in stated):
                found.append(((), "give either period or rate"))
            elif self.jitter_ps > self.period_ps:
                message = "must not be longer than the period: requests stay in order"
                found.append((("jitter",), message))
            if "count" not in stated:
                found.append(((), "count is missing: the number of requests"))
        if found:
            raise Problems(found, own=True)
        return self

    @property
    def period_ps(self) -> int:
        """Time between requests, also if the file gives a rate."""
        return max(1, self.period or self.rate)


class RewardKeys(Section):
    """Arrivals of rewards, from which the learner updates."""

    delay_ps: Time = optional("mean time from decision to reward", 0, "0 s", alias="delay")
    kind: Delay = optional("constant, uniform (0 to twice the delay) or exponential", "constant")
    share: Share = optional("share of decisions with a reward", 1.0, "100 %")


class LearnerKeys(Section):
    """Keys of the section ``learner``, and the settings of a learner in sweeps."""

    model_config = ConfigDict(extra="allow")

    name: str = key("name of the learner", allowed="the name of a learner")
    steps: int = optional(
        "number of measured steps, each after 64 random ones, with consecutive seeds",
        16,
        ge=1,
        le=1000,
    )
    service: Literal["drawn", "in-order"] = optional(
        "drawn: each request has the cost of a random step; in-order: steps in turn", "drawn"
    )


class DeviceKeys(Section):
    """Serving harts and queues."""

    harts: int = optional("number of harts that serve requests in parallel", 1, ge=1, le=64)
    waiting_decisions: Waiting = optional(
        "length of the decision queue; further requests are dropped",
        UNLIMITED,
        "unlimited",
        alias="waiting-decisions",
    )
    waiting_updates: Waiting = optional(
        "length of the update queue; further rewards are dropped",
        UNLIMITED,
        "unlimited",
        alias="waiting-updates",
    )
    priority: Priority = optional("decisions-first, updates-first or in-order", "decisions-first")
    preempt: bool = optional("decisions interrupt updates; scalar variants only", False, "false")


class PowerKeys(Section):
    """Power that is independent of requests."""

    static_mw: Power = key(f"power at all times, also asleep; {FIGURE}", alias="static")
    idle_mw: Annotated[Sourced | None, sourced("power", also="measured")] = optional(
        "power awake without a working hart: `measured` prices sleeping harts by the power table;"
        f" or {FIGURE}",
        None,
        "measured",
        alias="idle",
    )


class SleepKeys(Section):
    """Times, power and energies of sleep; an energy of None means idle power during the change."""

    after_ps: Time = optional("idle time before the device falls asleep", 0, "0 s", alias="after")
    power_mw: Power = key(f"power asleep, beyond static; {FIGURE}", alias="power")
    enter_ps: Duration = key(f"time of falling asleep; {FIGURE}", alias="enter-time")
    enter_uj: EnergyOrIdle = key(
        f"energy of falling asleep, beyond static; `idle`: idle power; or {FIGURE}",
        alias="enter-energy",
    )
    wake_ps: Duration = key(f"time of waking; {FIGURE}", alias="wake-time")
    wake_uj: EnergyOrIdle = key(
        f"energy of waking, beyond static; `idle`: idle power; or {FIGURE}", alias="wake-energy"
    )


class BatteryKeys(Section):
    """The battery; voltage and current are None if the file does not give them."""

    capacity: Annotated[
        Sourced, sourced("capacity", "stored energy", needed=True), AfterValidator(check_positive)
    ] = key(f"mAh with a voltage, or mWh; {GIVEN}")
    voltage_v: Annotated[
        Sourced | None, sourced("voltage", needed=True), AfterValidator(check_positive)
    ] = key(f"mean voltage while it discharges; {GIVEN}", default=None, alias="voltage")
    usable: Annotated[Sourced, sourced("share"), AfterValidator(_usable)] = key(
        f"share of the capacity that the device can use; {FIGURE}"
    )
    self_discharge_per_year: Annotated[Sourced, sourced("share")] = key(
        f"share of the capacity lost in a year; {FIGURE}", alias="self-discharge"
    )
    current_ma: Annotated[Sourced | None, sourced("current", needed=True)] = key(
        f"specified load, to warn of a higher one; needs a voltage; {GIVEN}",
        default=None,
        alias="current",
    )

    @model_validator(mode="after")
    def _voltage_where_needed(self) -> BatteryKeys:
        found: list[tuple[Place, str]] = []
        if self._in_mah and self.voltage_v is None:
            found.append(((), "voltage is missing: a capacity in mAh needs it"))
        if not self._in_mah and self.voltage_v is not None and self.current_ma is None:
            found.append((("voltage",), "belongs to a capacity in mAh, or to current"))
        if self.current_ma is not None and self.voltage_v is None:
            found.append((("current",), "needs a voltage to compare with power"))
        if found:
            raise Problems(found, own=True)
        return self

    @property
    def _in_mah(self) -> bool:
        return self.capacity.text.endswith("Ah")

    @property
    def capacity_mwh(self) -> Sourced:
        """Energy of the full battery; text and source as given."""
        scale = self.voltage_v.counted if self._in_mah and self.voltage_v is not None else 1.0
        return Sourced(self.capacity.counted * scale, self.capacity.source, self.capacity.text)


class ClockSearchKeys(Section):
    """Clocks of a search."""

    slowest: Frequency = key("slowest clock", alias="from")
    fastest: Frequency = key("fastest clock", alias="to")
    points: int = key("number of clocks to try", default=9, ge=2, le=50)

    @model_validator(mode="after")
    def _ordered(self) -> ClockSearchKeys:
        if self.slowest == 0:
            raise ProblemAt("from", "must be more than 0 Hz")
        if self.slowest >= self.fastest:
            raise ValueError(
                f"from {format_frequency(self.slowest)} to {format_frequency(self.fastest)}: the"
                " first must be the slower one"
            )
        return self

    def clocks_hz(self) -> tuple[int, ...]:
        """Return the clocks from the slowest to the fastest, with equal ratios."""
        inner = np.geomspace(self.slowest, self.fastest, self.points)[1:-1]
        return tuple(dict.fromkeys([self.slowest, *(round(hz) for hz in inner), self.fastest]))


class DeploymentSearchKeys(Section):
    """Candidates and objective of a search."""

    clock: ClockSearchKeys | None = key(
        "{from: ..., to: ..., points: 9}: range in which the slowest clock is searched",
        default=None,
    )
    arch: Any = key("candidate machines, with the same keys set", default=None)
    objective: Literal["area", "power", "listed"] = optional(
        "objective among machines: area, power or listed", "area"
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> DeploymentSearchKeys:
        if (self.clock is None) == (self.arch is None):
            raise ValueError("give either clock or arch")
        if self.clock is not None and "objective" in self.model_fields_set:
            message = "belongs to arch; a search over clocks takes the slowest"
            raise Problems([(("objective",), message)], own=True)
        if self.clock is None:
            named = self.arch if isinstance(self.arch, list) else None
            other = [self.arch] if named is None else [x for x in named if not isinstance(x, str)]
            if other or not named:
                message = "must be a list of one or more machines, by name or path"
                message += f", not {shown(other[0])}" if other else ", not an empty one"
                raise Problems([(("arch",), message)], own=True)
        return self
