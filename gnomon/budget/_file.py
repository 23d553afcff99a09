"""Budget files: their keys, and the budget that they define."""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema, field_validator

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.keys import written
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.files import is_file, why_no_file
from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    ParseContext,
    Problems,
    Section,
    Version,
    context_of,
    items,
    key,
    validate_tree,
    version_key,
)
from gnomon.base.yaml import FileError, Mapping, Place, origin_of, read_file, shown
from gnomon.budget._budget import Budget, BudgetCheck
from gnomon.budget._limit import BUILD_SETTINGS, Limit, parse_limit
from gnomon.explore.settings import (
    BUILD,
    PROGRAM_SCHEMA,
    SETTINGS,
    Value,
    Workload,
    build_section,
    is_source,
)

_MOST = 2**32 - 1
_KEYS = "such as vcu.simd: 8"


def _machine_keys(given: Any) -> dict[str, Any]:
    """Return the keys of a machine by their dotted paths.

    Raises:
        ValueError: if the keys are not dotted.
    """
    if given is None:
        return {}
    if isinstance(given, dict) and not any(isinstance(value, dict) for value in given.values()):
        return {name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}
    raise ValueError(f"must be a section with one KEY: VALUE per line and dotted keys, {_KEYS}")


MachineKeys = Annotated[dict[str, Any], BeforeValidator(_machine_keys)]


class CheckFile(Section):
    """One measured workload."""

    learner: Any = key("workload: one step of a learner, by name", default=None)
    kernel: Any = key("workload: one call of a kernel, by name", default=None)
    program: Annotated[Any, WithJsonSchema(PROGRAM_SCHEMA)] = key(
        "workload: an ELF file, or a .c or .S file to build, by path; or a section with"
        " sources, defines, include, optimize, harts, compiler",
        default=None,
    )
    settings: dict[str, Any] | None = key(
        "settings of the workload, as in sweeps", default={}, validate_default=True
    )
    set: MachineKeys = key(
        "keys of the machine that differ, in addition to those of the file",
        default={},
        validate_default=True,
    )
    arch: Any = key("machine, instead of that of the file", default=None, validate_default=True)
    region: Any = key(
        "part of a program whose cycles, time and energy are measured: FUNCTION or START:END,"
        " each a symbol or an address",
        default=None,
    )
    hart: Any = key(
        "hart whose passes through the region count (all harts, from the first entry to the last"
        " exit)",
        default=None,
    )
    exit_code: Any = key("required exit code of a program", default=None, alias="exit-code")
    limits: Annotated[tuple[Any, ...], BeforeValidator(items)] = key(
        "upper limits: quantity <= number unit, or <= baseline, or <= baseline + number unit or %",
        default=(),
        validate_default=True,
    )

    @field_validator("settings")
    @classmethod
    def _settings(cls, section: dict[str, Any] | None, info: ValidationInfo) -> dict[str, Any]:
        kinds = _kinds(info.data)
        if len(kinds) != 1:
            what = f"only one of {' and '.join(kinds)} runs" if kinds else "missing: the workload"
            raise Problems([(tuple(kinds[1:2]), f"{what} (allowed: one of {', '.join(SETTINGS)})")])
        return _checked_settings(kinds[0], section or {}, info)

    @field_validator("arch")
    @classmethod
    def _arch(cls, arch: Any, info: ValidationInfo) -> tuple[str, tuple[str, ...], Architecture]:
        reading = context_of(info)
        given = reading.shared["arch"] if arch is None else arch
        own = info.data.get("set", {})
        if not isinstance(given, str):
            what = "missing" if given is None else f"must not be {shown(given)}"
            raise ValueError(  # noqa: TRY004 - pydantic requires it
                f"{what} (allowed: the name of a machine or the path of its file)"
            )
        keys = {**reading.shared["set"], **own}
        overrides = tuple(f"{name}={written(value)}" for name, value in keys.items())
        try:
            return given, overrides, load_architecture(reading.machine(given), overrides)
        except GnomonError as error:
            if own:
                raise Problems([(("set",), str(error))]) from None
            if arch is None and reading.shared["arch"] is not None:
                reading.note(str(error), "arch")
                raise Problems([]) from None
            raise ValueError(str(error)) from None

    @field_validator("region", "hart", "exit_code")
    @classmethod
    def _of_programs(cls, value: Any, info: ValidationInfo) -> Any:
        kinds, name = _kinds(info.data), info.field_name
        if kinds and "program" not in kinds:
            near = "; a learner has select_cycles and update_cycles" * (kinds[0] == "learner")
            raise ValueError(f"belongs to a program, not to a {kinds[0]}{near}")
        if value is None:
            return None
        if name == "region":
            if not (isinstance(value, str) and value):
                raise ValueError(f"must be FUNCTION or START:END, not {shown(value)}")
            return value
        most = _MOST
        if name == "hart" and "arch" in info.data:
            most = info.data["arch"][2].core.harts - 1
        if not (type(value) is int and 0 <= value <= most):
            raise ValueError(f"must be a whole number from 0 to {most:,}, not {shown(value)}")
        if name == "hart" and info.data.get("region") is None:
            raise ValueError("needs a region: the whole program is of all harts")
        return value

    @field_validator("limits")
    @classmethod
    def _limits(cls, texts: tuple[Any, ...], info: ValidationInfo) -> tuple[Limit, ...]:
        if not texts:
            raise ValueError(
                "missing: a list such as [wall_cycles <= baseline + 2 %, stack <= 2 KiB]"
            )
        kinds = _kinds(info.data)
        limits, found = [], []
        # Settings with a problem of their own are missing.
        settings = info.data.get("settings", {"rounds": "not known"})
        for index, text in enumerate(texts if len(kinds) == 1 else ()):
            try:
                limit = parse_limit(text, kinds[0])
            except GnomonError as error:
                found.append((("limits", index), str(error)))
                continue
            limits.append(limit)
            word = limit.metric.word
            if word.startswith("regret") and settings.get("rounds") is None:
                why = f"rounds is missing: {word} is measured over rounds; add it to settings"
                found.append((("limits", index), why))
        if found:
            raise Problems(found)
        return tuple(limits)


class BudgetFile(Section):
    """A budget file."""

    schema_version: Version = version_key()
    name: str = key(f"names the budget; {NAME_ALLOWED}", pattern=NAME_PATTERN, allowed=NAME_ALLOWED)
    baseline: str | None = key(
        "a JSON file that --update writes, by its path from this file (NAME.baseline.json)",
        default=None,
        allowed="the path of a JSON file",
    )
    arch: Any = key(
        "machine of checks that name none: a shipped name or a path from this file",
        default=None,
        validate_default=True,
    )
    set: MachineKeys = key(
        "keys of the machine that differ, for all checks, such as vcu.simd",
        default={},
        validate_default=True,
    )
    checks: dict[str, CheckFile] = key("measured workloads, by a user-defined name", min_length=1)

    @field_validator("arch", "set")
    @classmethod
    def _shared(cls, value: Any, info: ValidationInfo) -> Any:
        context_of(info).shared[str(info.field_name)] = value
        return value

    @field_validator("checks", mode="before")
    @classmethod
    def _names(cls, checks: Any, info: ValidationInfo) -> Any:
        context_of(info).shared.setdefault("set", {})
        for name in checks if isinstance(checks, dict) else ():
            if not (isinstance(name, str) and re.fullmatch(NAME_PATTERN, name)):
                why = f"the name must not be {shown(name)} (allowed: {NAME_ALLOWED})"
                context_of(info).note(why, "checks", name)
        return checks


def read_budget(path: Path | str) -> Budget:
    """Read a budget file. Relative paths in it are relative to its folder.

    Raises:
        GnomonError: if the file is invalid; one line per problem: ``file:line: key: problem``.
    """
    path = Path(path)
    tree, twice = read_file(path, "budget")
    if twice:
        raise FileError(twice)
    file = validate_tree(tree, BudgetFile, reading=ParseContext(path.parent), in_order=True)
    baseline = file.baseline or f"{file.name}.baseline.json"
    return Budget(
        name=file.name,
        path=os.fspath(path),
        baseline=Path(os.path.normpath(path.parent / baseline)),
        checks=tuple(_budget_check(tree, name, each) for name, each in file.checks.items()),
    )


def _budget_check(tree: Mapping, name: str, given: CheckFile) -> BudgetCheck:
    (workload,) = _kinds(dict(given))
    arch, overrides, architecture = given.arch
    places = (origin_of(tree, ("checks", name, "limits", n)) for n in range(len(given.limits)))
    limits = zip(given.limits, places, strict=True)
    return BudgetCheck(
        name=name,
        where=str(origin_of(tree, ("checks", name))),
        workload=workload,
        program=given.program,
        arch=arch,
        overrides=overrides,
        architecture=architecture,
        settings=given.settings or {},
        region=given.region,
        hart=given.hart,
        exit_code=given.exit_code,
        limits=tuple(replace(each, where=str(at)) for each, at in limits),
    )


def _kinds(data: dict[str, Any]) -> list[Workload]:
    return cast("list[Workload]", [kind for kind in SETTINGS if data.get(kind) is not None])


def _checked_settings(
    workload: Workload, section: dict[str, Any], info: ValidationInfo
) -> dict[str, Value]:
    """Return all settings of a workload, with defaults; paths are those to read.

    Raises:
        Problems: if a setting is missing, unknown or invalid, or a file does not exist.
    """
    found: list[tuple[Place, str]] = []
    written_program = info.data["program"] if workload == "program" else None
    built: dict[str, Value] = {}
    if isinstance(written_program, dict):
        built = build_section(
            written_program, lambda why, *below: found.append((("program", *below), why))
        )
        if not built:
            raise Problems(found)
    program = str(built.get("program", written_program or ""))
    offered = SETTINGS[workload]
    if workload == "program":
        own = [each for each in offered if each not in BUILD]
        offered = (*own, *(BUILD_SETTINGS if is_source(program) else ()))
    known = {each.name: each for each in offered}
    given = {("active-harts" if name == "harts" else name): value for name, value in built.items()}
    given |= {**section, workload: program or info.data[workload]}
    values: dict[str, Value] = {}
    for name, setting in known.items():
        if setting.needed and name not in given:
            found.append((("settings",), f"{name} is missing: {setting.meaning}"))
            continue
        try:
            values[name] = setting.take(given, values)
        except GnomonError as error:
            found.append(((workload,) if name == workload else ("settings", name), str(error)))
    for name in section:
        if name == workload:
            found.append((("settings", name), "belongs to the check itself"))
        elif name not in known:
            of_builds = name in {each.name for each in BUILD_SETTINGS}
            why = " of an ELF file, which is built already" if of_builds else f" of a {workload}"
            names = [each for each in known if each != workload]
            found.append((("settings", name), f"no setting{why} {allowed_hint(name, names)}"))
    if program:
        values |= _placed(program, built, context_of(info).placed)
        files = cast("tuple[str, ...]", values.get("sources", (values["program"],)))
        absent = [path for path in files if not is_file(Path(path))]
        found += [(("program",), f"{path}: {why_no_file(Path(path))}") for path in absent]
    if found:
        raise Problems(found)
    return values


def _placed(
    program: str, built: dict[str, Value], placed: Callable[[str], str]
) -> dict[str, Value]:
    """Return program, sources and header folders as paths to read; macros unchanged."""
    values: dict[str, Value] = {"program": placed(program)}
    if built:
        for name in ("sources", "include"):
            paths = cast("tuple[str, ...]", built.get(name, ()))
            values[name] = tuple(map(placed, paths))
        values["defines"] = built.get("defines", ())
    return values
