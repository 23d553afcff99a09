"""Deployment files: their keys, and the deployment that they define.

A file has requests, learner, machine, power, battery and requirements.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.keys import written
from gnomon.base.errors import allowed_hint
from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    ParseContext,
    Problems,
    Section,
    Version,
    context_of,
    given,
    items,
    key,
    none_word,
    validate_tree,
    version_key,
)
from gnomon.base.yaml import FileError, read_file
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._keys import (
    BatteryKeys,
    DeploymentSearchKeys,
    DeviceKeys,
    LearnerKeys,
    PowerKeys,
    RequestKeys,
    RewardKeys,
    SleepKeys,
    Time,
)
from gnomon.deploy.quantities import parse_requirement
from gnomon.deploy.streams import read_times
from gnomon.explore.settings import SETTINGS, WorkloadSetting
from gnomon.measure.learners import find_embedded_learner

OBJECTIVES = {
    "area": "fewest LUTs by the area table",
    "power": "least mean power",
    "listed": "the first of the list",
}
"""Objectives of a search among machines."""
NOT_OF_DEPLOYMENTS = ("learner", "correcting", "rounds", "contexts", "environments")
"""Settings of a learner in sweeps that do not apply: a deployment schedules corrections."""


def settings_of_learner() -> tuple[WorkloadSetting, ...]:
    """Return the settings of a learner that apply to deployments."""
    return tuple(each for each in SETTINGS["learner"] if each.name not in NOT_OF_DEPLOYMENTS)


def read_sleep(value: object) -> object:
    """Return the section; None for ``never``."""
    if value is None:
        raise ValueError("missing: costs of sleep, or `never`")
    return None if value == "never" else value


def check_machine(arch: str, info: ValidationInfo) -> str:
    """Return a machine by name or path, which must exist."""
    arch = context_of(info).machine(arch)
    given(load_architecture)(arch)
    return arch


def apply_keys(section: dict[str, Any] | None, info: ValidationInfo) -> dict[str, Any]:
    """Load the machine of a file with its keys; share it and the keys as ``--set`` writes them."""
    section = section or {}
    nested = [name for name, value in section.items() if isinstance(value, dict)]
    overrides = tuple(
        f"{name}={written(tuple(value) if isinstance(value, list) else value)}"
        for name, value in section.items()
        if name not in nested
    )
    context_of(info).shared["overrides"] = overrides
    if nested:
        raise Problems(
            [(("set", name), ("must be a value, not a section; write dotted keys, such as"
              " vcu.simd: 8")) for name in nested]
        )  # fmt: skip
    if "arch" in info.data:
        load = given(partial(load_architecture, overrides=overrides))
        context_of(info).shared["machine"] = load(info.data["arch"])
    return section


class DeploymentFile(Section):
    """A deployment file. Rules can use the keys above their own, as in machine files."""

    schema_version: Version = version_key()
    name: str = key(f"names the report; {NAME_ALLOWED}", pattern=NAME_PATTERN, allowed=NAME_ALLOWED)
    title: str | None = key(
        "one-line title", default=None, allowed="text", shown_default="the name"
    )
    requests: RequestKeys = key("arrivals of requests for decisions")
    rewards: RewardKeys = key(
        "arrivals of rewards",
        default_factory=RewardKeys,
        shown_default="updates right after the decision",
    )
    deadline_ps: Time | None = key(
        "limit on the latency of a decision; a later one is missed",
        default=None,
        shown_default="none",
        alias="deadline",
    )
    learner: LearnerKeys = key("the learner")
    arch: str = key(
        "the machine: a shipped name or a path from this file",
        allowed="the name of a machine or the path of its file",
    )
    set: dict[str, Any] | None = key(
        "keys of the machine that differ, such as clock", default={}, validate_default=True
    )
    device: DeviceKeys = key(
        "serving harts and queues", default_factory=DeviceKeys, validate_default=True
    )
    power: PowerKeys = key("power that is independent of requests")
    sleep: Annotated[SleepKeys | None, BeforeValidator(read_sleep)] = key(
        "times, power and energies of sleep, or `never`"
    )
    battery: Annotated[BatteryKeys | None, BeforeValidator(none_word)] = key(
        "the battery", default=None, shown_default="none"
    )
    require: Annotated[tuple[Any, ...], BeforeValidator(items)] = key(
        "requirements: quantity, <= or >=, number, unit", default=(), shown_default="nothing"
    )
    search: DeploymentSearchKeys | None = key(
        "search for the slowest clock, or the best of several machines, that meets them",
        default=None,
        shown_default="none",
    )

    @field_validator("requests")
    @classmethod
    def _requests(cls, requests: RequestKeys, info: ValidationInfo) -> RequestKeys:
        if requests.file:
            reading = context_of(info)
            read = partial(read_times, (reading.folder or Path()) / requests.file)
            reading.shared["recorded"] = reading.parse_or_note(read, "requests", "file")
        return requests

    @field_validator("learner")
    @classmethod
    def _learner(cls, section: LearnerKeys, info: ValidationInfo) -> LearnerKeys:
        reading = context_of(info)
        known = {each.name: each for each in settings_of_learner()}
        settings: dict[str, Any] = {"learner": section.name}
        more = section.model_extra or {}
        for name in more:
            if name not in known:
                names = [*LearnerKeys.model_fields, *known]
                why = f"unknown key {allowed_hint(name, names)}"
                reading.note(why, "learner", name)
        for name, setting in known.items():
            if setting.needed and name not in more:
                reading.note(f"{name} is missing: {setting.meaning}", "learner")
                continue
            take = partial(setting.take, {"case": "random", **more}, settings)
            settings[name] = reading.parse_or_note(take, "learner", name)
        reading.shared["settings"] = settings
        one = settings["case"] == "fresh" and "steps" not in section.model_fields_set
        reading.shared["steps"] = 1 if one else section.steps  # equal input has equal cost
        learner = reading.parse_or_note(
            partial(find_embedded_learner, section.name), "learner", "name"
        )
        if learner is not None and isinstance(settings.get("variant"), str):
            find = partial(learner.variant, settings["variant"], settings["line"])
            variant = reading.parse_or_note(find, "learner", "variant")
            period = settings.get("correction-period")
            if variant is not None and period is not None:
                reading.parse_or_note(
                    partial(variant.corrected_every, period), "learner", "variant"
                )
        return section

    @field_validator("arch")
    @classmethod
    def _arch(cls, arch: str, info: ValidationInfo) -> str:
        return check_machine(arch, info)

    @field_validator("set")
    @classmethod
    def _set(cls, section: dict[str, Any] | None, info: ValidationInfo) -> dict[str, Any]:
        return apply_keys(section, info)

    @field_validator("device")
    @classmethod
    def _device(cls, device: DeviceKeys, info: ValidationInfo) -> DeviceKeys:
        reading = context_of(info)
        settings: dict[str, Any] = reading.shared.get("settings", {})
        if device.preempt and device.priority != "decisions-first":
            reading.note("needs priority: decisions-first", "device", "preempt")
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
        reading = context_of(info)
        found = []
        for index, text in enumerate(texts):
            each = reading.parse_or_note(partial(parse_requirement, text), "require", index)
            if each is not None:
                found.append(each)
        names = {each.name for each in found}
        if info.data.get("deadline_ps", 0) is None and "missed" in names:
            reading.note("missed needs a deadline; state it in deadline", "require")
        if info.data.get("battery", 0) is None and "battery-life" in names:
            reading.note("battery-life needs a battery; describe it in battery", "require")
        return tuple(found)

    @field_validator("search")
    @classmethod
    def _search(
        cls, search: DeploymentSearchKeys | None, info: ValidationInfo
    ) -> DeploymentSearchKeys | None:
        reading = context_of(info)
        if search is None:
            return None
        if not info.data.get("require", True):
            reading.note("the search has no requirements; state them in require", "search")
        overrides = reading.shared.get("overrides", ())
        paths = list(map(reading.machine, search.arch or ()))
        for index, path in enumerate(paths):
            load = partial(load_architecture, path, overrides)
            reading.parse_or_note(load, "search", "arch", index)
        return search.model_copy(update={"arch": paths or None})


def read_deployment(path: Path | str) -> Deployment:
    """Read a deployment file. Relative paths in it are relative to its folder.

    Raises:
        GnomonError: if the file is invalid; one line per problem: ``file:line: key: problem``.
    """
    tree, twice = read_file(path, "deployment")
    if twice:
        raise FileError(twice)
    reading = ParseContext(Path(path).parent)
    file = validate_tree(tree, DeploymentFile, reading=reading, in_order=True)
    shared = reading.shared
    return Deployment(
        name=file.name,
        title=" ".join((file.title or file.name).split()),
        requests=file.requests,
        rewards=file.rewards,
        deadline_ps=file.deadline_ps,
        learner=file.learner,
        settings=tuple(shared["settings"].items()),
        steps=shared["steps"],
        arch=file.arch,
        overrides=shared["overrides"],
        architecture=shared["machine"],
        device=file.device,
        power=file.power,
        sleep=file.sleep,
        battery=file.battery,
        require=file.require,
        search=file.search,
        recorded=shared.get("recorded"),
    )
