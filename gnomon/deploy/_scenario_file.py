"""Keys that deployment files and pipeline files have in common, and how such a file is read."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch import load_architecture
from gnomon.arch.keys import written
from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    ParseContext,
    Problems,
    Section,
    Version,
    context_of,
    given,
    key,
    none_word,
    validate_tree,
    version_key,
)
from gnomon.base.yaml import FileError, read_file
from gnomon.deploy._keys import BatteryKeys, PowerKeys, SleepKeys
from gnomon.deploy.quantities import Requirement, parse_requirement


def _read_sleep(value: object) -> object:
    """Return the section; None for ``never``."""
    if value is None:
        raise ValueError("missing: costs of sleep, or `never`")
    return None if value == "never" else value


class ScenarioFile(Section):
    """Machine, power and battery. Rules can use the keys above their own, as in machine files."""

    schema_version: Version = version_key()
    name: str = key(f"names the report; {NAME_ALLOWED}", pattern=NAME_PATTERN, allowed=NAME_ALLOWED)
    title: str | None = key(
        "one-line title", default=None, allowed="text", shown_default="the name"
    )
    arch: str = key(
        "the machine: a shipped name or a path from this file",
        allowed="the name of a machine or the path of its file",
    )
    set: dict[str, Any] | None = key(
        "keys of the machine that differ, such as clock", default={}, validate_default=True
    )
    power: PowerKeys = key("power that is independent of requests")
    sleep: Annotated[SleepKeys | None, BeforeValidator(_read_sleep)] = key(
        "times, power and energies of sleep, or `never`"
    )
    battery: Annotated[BatteryKeys | None, BeforeValidator(none_word)] = key(
        "the battery", default=None, shown_default="none"
    )

    @field_validator("arch")
    @classmethod
    def _arch(cls, arch: str, info: ValidationInfo) -> str:
        arch = context_of(info).machine(arch)
        given(load_architecture)(arch)
        return arch

    @field_validator("set")
    @classmethod
    def _set(cls, section: dict[str, Any] | None, info: ValidationInfo) -> dict[str, Any]:
        """Load the machine with its keys; share it and the keys as ``--set`` writes them."""
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


_File = TypeVar("_File", bound=ScenarioFile)


def read_scenario(path: Path | str, what: str, model: type[_File]) -> tuple[_File, dict[str, Any]]:
    """Return a validated file, and what its rules share: the machine, settings, recorded times.

    Raises:
        GnomonError: if the file is invalid; one line per problem: ``file:line: key: problem``.
    """
    tree, twice = read_file(path, what)
    if twice:
        raise FileError(twice)
    reading = ParseContext(Path(path).parent)
    file = validate_tree(tree, model, reading=reading, in_order=True)
    return file, reading.shared


def list_common_fields(file: ScenarioFile, shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a :class:`Scenario` that the common keys define."""
    return {
        "name": file.name,
        "title": " ".join((file.title or file.name).split()),
        "arch": file.arch,
        "overrides": shared["overrides"],
        "architecture": shared["machine"],
        "power": file.power,
        "sleep": file.sleep,
        "battery": file.battery,
    }


def read_requirements(
    texts: tuple[Any, ...],
    info: ValidationInfo,
    quantities: Mapping[str, tuple[str, str]],
    needs: Callable[[str], str],
) -> tuple[Requirement, ...]:
    """Return the requirements of a file; note its problems.

    Args:
        texts: as the file states them.
        info: of the validator.
        quantities: those that a requirement can limit.
        needs: returns what a quantity needs and the file lacks, or nothing.
    """
    reading = context_of(info)
    found = []
    for index, text in enumerate(texts):
        each = reading.parse_or_note(partial(parse_requirement, text, quantities), "require", index)
        if each is None:
            continue
        found.append(each)
        lacking = needs(each.name)
        if each.name == "battery-life" and info.data.get("battery", 0) is None:
            lacking = "a battery; describe it in battery"
        if lacking:
            reading.note(f"{each.name} needs {lacking}", "require", index)
    return tuple(found)
