"""Pipeline files: their keys, and the pipeline that they define.

A file has stages, machine, power, battery and requirements.
"""

import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.base.errors import allowed_hint
from gnomon.base.schema import ParseContext, context_of, items, key, none_word
from gnomon.base.yaml import Place, read_file
from gnomon.deploy._account import DEVICE_PARTS
from gnomon.deploy._device import check_harts
from gnomon.deploy._keys import Period
from gnomon.deploy._pipeline import Pipeline, PipelineStage
from gnomon.deploy._pipeline_keys import WORKLOADS, HarvestKeys, PipelineDeviceKeys, StageKeys
from gnomon.deploy._scenario_file import (
    ScenarioFile,
    list_common_fields,
    read_requirements,
    read_scenario,
)
from gnomon.deploy.file import settings_of_learner
from gnomon.deploy.quantities import PIPELINE_QUANTITIES, STAGE_QUANTITIES
from gnomon.deploy.streams import read_times
from gnomon.explore.settings import SETTINGS, Value, Workload, build_section, with_defaults
from gnomon.measure.kernels import find_kernel
from gnomon.measure.learners import find_embedded_learner

_MOST_STAGES = 32
_NAME = re.compile("[a-z0-9_-]+")
_OF_RUNS = ("region", "max-cycles", "operands")


class PipelineFile(ScenarioFile):
    """A pipeline file. Rules can use the keys above their own, as in machine files."""

    length_ps: Period = key("length of the run", alias="length")
    seed: int = key(
        "seed for all random values of the run", default=0, shown_default="0", ge=0, le=2**31 - 1
    )
    stages: dict[str, StageKeys] = key("the stages by name; a stage comes after the one it follows")
    device: PipelineDeviceKeys = key(
        "serving harts", default_factory=PipelineDeviceKeys, validate_default=True
    )
    harvest: Annotated[HarvestKeys | None, BeforeValidator(none_word)] = key(
        "a source of power that charges the battery", default=None, shown_default="none"
    )
    require: Annotated[tuple[Any, ...], BeforeValidator(items)] = key(
        "requirements: quantity or STAGE.QUANTITY, <= or >=, number, unit",
        default=(),
        shown_default="nothing",
    )

    @field_validator("stages")
    @classmethod
    def _stages(cls, stages: dict[str, StageKeys], info: ValidationInfo) -> dict[str, StageKeys]:
        reading = context_of(info)
        if not 1 <= len(stages) <= _MOST_STAGES:
            raise ValueError(f"must be 1 to {_MOST_STAGES} stages, not {len(stages)}")
        found, names = [], list(stages)
        for place, (name, keys) in enumerate(stages.items()):
            if not _NAME.fullmatch(name):
                why = "must be of lower-case letters, digits, '_' and '-'"
                reading.note(f"{name!r} {why}", "stages", name)
            if name in DEVICE_PARTS:
                why = "is the name of a part of the energy; rename the stage"
                reading.note(f"{name!r} {why}", "stages", name)
            after = -1
            if keys.after and keys.after in names[:place]:
                after = names.index(keys.after)
            elif keys.after:
                allowed = allowed_hint(keys.after, names[:place]) if place else "(it is the first)"
                why = f"no stage above this one is named {keys.after!r} {allowed}"
                reading.note(why, "stages", name, "after")
            found.append(_read_stage(name, keys, after, reading))
        reading.shared["stages"] = tuple(found)
        return stages

    @field_validator("device")
    @classmethod
    def _device(cls, device: PipelineDeviceKeys, info: ValidationInfo) -> PipelineDeviceKeys:
        reading = context_of(info)
        machine = reading.shared.get("machine")
        if machine is not None:
            check = partial(check_harts, machine, device.harts)
            reading.parse_or_note(check, "device", "harts")
        for name, keys in info.data.get("stages", {}).items():
            if keys.hart is not None and keys.hart >= device.harts:
                why = f"only harts 0 to {device.harts - 1} serve (device.harts)"
                reading.note(why, "stages", name, "hart")
        return device

    @field_validator("harvest")
    @classmethod
    def _harvest(cls, harvest: HarvestKeys | None, info: ValidationInfo) -> HarvestKeys | None:
        if harvest is not None and info.data.get("battery", 0) is None:
            raise ValueError("needs a battery that it charges; describe it in battery")
        return harvest

    @field_validator("require")
    @classmethod
    def _require(cls, texts: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        if "stages" not in info.data:
            return ()
        stages: dict[str, StageKeys] = info.data["stages"]
        known = dict(PIPELINE_QUANTITIES)
        for stage in stages:
            known |= {f"{stage}.{name}": each for name, each in STAGE_QUANTITIES.items()}

        def needs(name: str) -> str:
            stage, _, quantity = name.partition(".")
            lacks = quantity == "missed" and stages[stage].deadline_ps is None
            return f"a deadline of stage {stage}" if lacks else ""

        return read_requirements(texts, info, known, needs)


def _read_stage(name: str, keys: StageKeys, after: int, reading: ParseContext) -> PipelineStage:
    """Return a stage with checked settings; note its problems."""
    workload: Workload = next(each for each in WORKLOADS if getattr(keys, each) is not None)
    place = ("stages", name, workload)
    settings = _read_settings(workload, getattr(keys, workload), place, reading)
    recorded = source = None
    if keys.file:
        read = partial(read_times, Path(reading.placed(keys.file)))
        recorded = reading.parse_or_note(read, "stages", name, "file")
    if keys.source:
        file, colon, function = keys.source.rpartition(":")
        if not colon or not function.isidentifier() or not file.endswith(".py"):
            why = f"{keys.source!r} is not FILE.py:FUNCTION"
            reading.note(why, "stages", name, "source")
        else:
            source = Path(reading.placed(file)), function
            if not source[0].is_file():
                reading.note(f"{source[0]}: there is no such file", "stages", name, "source")
    return PipelineStage(name, keys, workload, settings, after, recorded, source)


def _read_settings(
    workload: Workload, given: Any, place: Place, reading: ParseContext
) -> tuple[tuple[str, Value], ...]:
    """Return all settings of what runs in a stage."""
    if workload == "program":
        stated = _read_program(given, place, reading)
        if not stated:
            return ()
    elif not isinstance(given, dict):
        reading.note("must be a section: name, variant, and its settings", *place)
        return ()
    else:
        stated = {workload if name == "name" else name: value for name, value in given.items()}
        known = {each.name for each in SETTINGS[workload]}
        if workload == "learner":
            known = {"learner", *(each.name for each in settings_of_learner())}
            stated = {"case": "random", **stated}
        for name in [name for name in stated if name not in known]:
            allowed = allowed_hint(name, ["name", *sorted(known - {workload})])
            reading.note(f"unknown key {allowed}", *place, name)
            return ()
    settings = reading.parse_or_note(partial(with_defaults, workload, stated), *place)
    if settings is None:
        return ()
    if workload == "program" and settings["harts"] not in (None, 1):
        reading.note("a stage runs on one hart", *place, "harts")
    if workload == "learner" and settings["harts"] != 1:
        reading.note("a stage runs on one hart", *place, "harts")
    reading.parse_or_note(partial(_check_variant, workload, settings), *place)
    return tuple(settings.items())


def _check_variant(workload: Workload, settings: dict[str, Any]) -> None:
    """Check that kernel or learner and its variant exist."""
    if workload == "kernel":
        find_kernel(settings["kernel"]).variant(settings["variant"])
    elif workload == "learner":
        learner = find_embedded_learner(settings["learner"])
        variant = learner.variant(settings["variant"], settings["line"])
        if settings["correction-period"] is not None:
            variant.corrected_every(settings["correction-period"])


def _read_program(given: Any, place: Place, reading: ParseContext) -> dict[str, Value]:
    """Return the stated settings of a program; its paths are relative to the file."""
    if isinstance(given, str):
        return {"program": reading.placed(given)}
    if not isinstance(given, dict):
        reading.note("must be a path or a section with sources or file", *place)
        return {}
    stated: dict[str, Value] = {name: given[name] for name in _OF_RUNS if name in given}
    rest = {name: value for name, value in given.items() if name not in _OF_RUNS}
    if "file" in rest:
        for name in (name for name in rest if name != "file"):
            allowed = allowed_hint(name, ["file", *_OF_RUNS])
            reading.note(f"a built program has no such key {allowed}", *place, name)
        return stated | {"program": reading.placed(str(rest["file"]))}
    built = build_section(rest, lambda why, *below: reading.note(why, *place, *below))
    for name in ("sources", "include"):
        paths = built.get(name)
        if isinstance(paths, tuple):
            built[name] = tuple(map(reading.placed, paths))
    return stated | built | {"program": built["sources"][0]} if built else {}  # type: ignore[index]


def is_pipeline(path: Path | str) -> bool:
    """Return whether a deployment file describes stages.

    Raises:
        GnomonError: if the file cannot be read.
    """
    return read_file(path, "deployment")[0].at("stages") is not None


def read_pipeline(path: Path | str) -> Pipeline:
    """Read a pipeline file. Relative paths in it are relative to its folder.

    Raises:
        GnomonError: if the file is invalid; one line per problem: ``file:line: key: problem``.
    """
    file, shared = read_scenario(path, "pipeline", PipelineFile)
    return Pipeline(
        **list_common_fields(file, shared),
        length_ps=file.length_ps,
        seed=file.seed,
        stages=shared["stages"],
        device=file.device,
        harvest=file.harvest,
        require=file.require,
    )
