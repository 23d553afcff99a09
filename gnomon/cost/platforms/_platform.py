"""Cost-model cores: tables of cycles from YAML, data of their boards, and their prices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, StringConstraints, create_model, model_validator

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import is_file, read_any_text
from gnomon.base.interval import Interval
from gnomon.base.keys import Key, keys_of
from gnomon.base.schema import Section, Version, given, key, validate_tree, version_key
from gnomon.base.units import Bytes, Hertz, parse_frequency, parse_size
from gnomon.base.values import json_attributes, to_json_data
from gnomon.base.yaml import FileError, Mapping, Origin, Problem, places, read_file, read_yaml

COST_CLASSES = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "branch-taken", "jump", "csr", "fence",
    "amo", "system",
)  # fmt: skip
"""Classes that have a cost: RV32IM instruction classes, and the extra cost of a taken branch."""

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Cycles = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_SOURCED = ("clock", "power", "memory", "build")
_Level = Literal["-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"]


def _text_key(meaning: str) -> Any:
    return key(meaning, allowed="text")


def _source_key() -> Any:
    return _text_key("source of the value")


class _Clock(Section):
    value: Annotated[Hertz, PlainValidator(given(parse_frequency))] = key(
        "clock of the core", unit="Hz", allowed="such as 80 MHz"
    )
    source: _Text = _source_key()


class _Power(Section):
    value_mw: _Positive = key("average power of core and memories", unit="mW", allowed="above 0")
    source: _Text = _source_key()


class _Memory(Section):
    size: Annotated[Bytes, PlainValidator(given(parse_size))] = key(
        "room for data and stacks", unit="bytes", allowed="such as 320 KiB"
    )
    source: _Text = _source_key()


class _Build(Section):
    optimization: _Level = key("optimization level of the priced build")
    source: _Text = _source_key()


class _Cost(Section):
    cycles: _Cycles = key(
        f"cycles of one instruction; CLASS is one of {', '.join(COST_CLASSES)}",
        unit="cycles",
        allowed="from 0",
    )
    low: _Cycles | None = key(
        "lower end; default: cycles", unit="cycles", allowed="from 0", default=None
    )
    high: _Cycles | None = key(
        "upper end; default: cycles", unit="cycles", allowed="from 0", default=None
    )
    source: _Text = _source_key()

    @model_validator(mode="after")
    def _ends(self) -> _Cost:
        cycles = self.interval
        if not cycles.low <= cycles.value <= cycles.high:
            raise ValueError(
                f"cycles {cycles.value:g} is not between low {cycles.low:g} and high"
                f" {cycles.high:g}"
            )
        return self

    @property
    def interval(self) -> Interval:
        low, high = (self.cycles if end is None else end for end in (self.low, self.high))
        return Interval(self.cycles, low, high)


class _Calibration(Section):
    factor: _Positive = key("fitted factor on all costs", allowed="above 0")
    optimization: _Level = key("optimization level of the fitted builds")
    implementation: _Text | None = key(
        "only learner implementation that it applies to", default=None, allowed="text",
        shown_default="it applies to all",
    )  # fmt: skip
    left_out_low: _Positive = key(
        "lowest predicted over published cycles, at sizes left out of the fit", allowed="above 0"
    )
    left_out_high: _Positive = key("highest of these ratios", allowed="above 0")
    source: _Text = _text_key("table cells of the fit")


class _Head(Section):
    version: Version = version_key()
    name: _Text = _text_key("name on the command line")
    title: _Text = _text_key("one-line title")
    clock: _Clock
    power: _Power
    memory: _Memory
    build: _Build


_fields: dict[str, Any] = {
    name.replace("-", "_"): (_Cost | None, Field(None, alias=name)) for name in COST_CLASSES
}
_Costs = create_model("_Costs", __base__=Section, **_fields)


class Platform(_Head):
    """A core that prices instruction counts; it does not execute programs."""

    costs: _Costs  # type: ignore[valid-type]
    calibration: _Calibration
    _file: str = ""

    @property
    def file(self) -> str:
        """File that it was read from, for messages."""
        return self._file

    @property
    def cost_of(self) -> dict[str, _Cost]:
        """Costs by class of instruction."""
        costs = {name: getattr(self.costs, name.replace("-", "_")) for name in COST_CLASSES}
        return {name: cost for name, cost in costs.items() if cost}

    @property
    def left_out(self) -> tuple[float, float]:
        """Lowest and highest predicted over published cycles, at sizes left out of the fit."""
        return self.calibration.left_out_low, self.calibration.left_out_high

    def documented_cycles(self, mix: MappingOf[str, int]) -> Interval:
        """Return the cycles of a mix from documented costs, with the interval of the costs.

        Raises:
            GnomonError: if an executed class has no cost.
        """
        costs = self.cost_of
        missing = [name for name, count in mix.items() if count and name not in costs]
        if missing:
            counts = ", ".join(f"{name} ({mix[name]:,})" for name in missing)
            raise GnomonError(
                f"{self.file}: no cost for what was executed: {counts}; add costs.{missing[0]} with"
                " cycles and source"
            )
        parts = (costs[name].interval * count for name, count in mix.items() if count)
        return sum(parts, Interval(0.0, 0.0, 0.0))

    def calibrated_cycles(self, mix: MappingOf[str, int]) -> Interval:
        """Return the cycles with the fitted factor; left-out cells give the interval.

        Raises:
            GnomonError: if an executed class has no cost.
        """
        value = self.documented_cycles(mix).value * self.calibration.factor
        lowest, highest = self.left_out
        return Interval(value, value / highest, value / lowest)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data; clock in Hz, memory in bytes."""
        return json_attributes(self, "name title file") | {
            "clock": self.clock.value,
            "power_mw": self.power.value_mw,
            "memory": self.memory.size,
            "optimization": self.build.optimization,
            "costs": {
                name: {"cycles": to_json_data(cost.interval), "source": cost.source}
                for name, cost in self.cost_of.items()
            },
            "calibration": {"left_out": self.left_out}
            | json_attributes(self.calibration, "factor optimization source"),
            "sources": {name: getattr(self, name).source for name in _SOURCED},
        }


def list_platform_keys() -> tuple[Key, ...]:
    """Return every key of the file; CLASS stands for a class of instructions."""
    return (
        *keys_of(_Head),
        *_list_keys_below("costs.CLASS.", _Cost),
        *_list_keys_below("calibration.", _Calibration),
    )


def load_platform(name_or_path: str | Path, overrides: Sequence[str] = ()) -> Platform:
    """Read a shipped cost-model core by name, or a user-defined one by path.

    Args:
        name_or_path: its name, or a path that ends in ``.yaml``.
        overrides: ``dotted.path=value``, such as ``memory.size=128 KiB``.

    Raises:
        GnomonError: if there is no such core, or its file is invalid, with file and line.
    """
    name, path = str(name_or_path), Path(name_or_path)
    if path.suffix != ".yaml":
        known = list_platforms()
        if name not in known:
            raise GnomonError(
                f"no platform is called {name!r} (allowed: {', '.join(known)}, or a path that"
                f" ends in .yaml{did_you_mean(name, known)})"
            )
        path = content("models", "platforms", f"{name}.yaml")
    where = path.name if path.parent == content("models", "platforms") else name
    tree, twice = read_file(path, "platform", where)
    for override in overrides:
        tree = _override(tree, override, where)
    platform = validate_tree(tree, Platform, twice)
    platform._file = where  # noqa: SLF001 - of its own class
    return platform


def is_platform(name_or_path: str | Path) -> bool:
    """Return whether a name or a readable YAML file denotes a cost-model core, not a machine."""
    path = Path(name_or_path)
    if path.suffix != ".yaml":
        return str(name_or_path) in list_platforms()
    return is_file(path) and any(
        line.startswith("costs:") for line in read_any_text(path).splitlines()
    )


def list_platforms() -> tuple[str, ...]:
    """Return the names of the shipped cost-model cores."""
    folder = content("models", "platforms")
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


def _list_keys_below(above: str, kind: type[Section]) -> Iterator[Key]:
    return (each._replace(path=above + each.path) for each in keys_of(kind))


def _override(tree: Mapping, override: str, where: str) -> Mapping:
    """Return the tree with one value replaced.

    Raises:
        FileError: if the file has no such value.
    """
    path, equals, text = override.partition("=")
    origin, names = Origin(f"--set {override}"), path.strip().split(".")
    known = {".".join(map(str, place)) for place, _ in places(tree)}
    if not equals or path.strip() not in known:
        near = did_you_mean(path.strip(), known)
        message = f"{where} has no such value{near}; write dotted.path=value"
        raise FileError([Problem(origin, "", message)])
    value, _ = read_yaml(text, str(origin), line_numbers=False, what="platform")
    return tree.with_value(names, value, origin)
