"""Deployment files: their keys, and the deployment that they define.

A file has requests, learner, machine, power, battery and requirements.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import allowed_hint
from gnomon.base.schema import context_of, items, key
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._device import check_harts
from gnomon.deploy._keys import (
    DeploymentSearchKeys,
    DeviceKeys,
    LearnerKeys,
    RequestKeys,
    RewardKeys,
    Time,
)
from gnomon.deploy._scenario_file import (
    ScenarioFile,
    list_common_fields,
    read_requirements,
    read_scenario,
)
from gnomon.deploy.quantities import QUANTITIES
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


class DeploymentFile(ScenarioFile):
    """A deployment file. Rules can use the keys above their own, as in machine files."""

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
    device: DeviceKeys = key(
        "serving harts and queues", default_factory=DeviceKeys, validate_default=True
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
        each = sharing if isinstance(sharing, int) else 1
        if machine is not None:
            how = f" ({device.harts} x {each} that share the arms)" if each > 1 else ""
            check = partial(check_harts, machine, device.harts * each, how)
            reading.parse_or_note(check, "device", "harts")
        return device

    @field_validator("require")
    @classmethod
    def _require(cls, texts: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        lacks = info.data.get("deadline_ps", 0) is None
        missed = "a deadline; state it in deadline" if lacks else ""
        return read_requirements(
            texts, info, QUANTITIES, lambda name: missed if name == "missed" else ""
        )

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
    file, shared = read_scenario(path, "deployment", DeploymentFile)
    return Deployment(
        **list_common_fields(file, shared),
        requests=file.requests,
        rewards=file.rewards,
        deadline_ps=file.deadline_ps,
        learner=file.learner,
        settings=tuple(shared["settings"].items()),
        steps=shared["steps"],
        device=file.device,
        require=file.require,
        search=file.search,
        recorded=shared.get("recorded"),
    )
