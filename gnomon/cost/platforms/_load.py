"""Cost-model cores from YAML: the model of their files, overrides, and where they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, PlainValidator, StringConstraints, create_model, model_validator

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.interval import Interval
from gnomon.base.schema import Key, Section, Version, check, given, key, keys_of, version_key
from gnomon.base.units import Bytes, Hertz, parse_frequency, parse_size
from gnomon.base.yaml import FileError, Mapping, Origin, Problem, places, read_file, read_yaml
from gnomon.cost.platforms._platform import COST_CLASSES, Calibration, Cost, Platform

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gnomon.base.yaml import Node

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Cycles = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_SOURCED = ("clock", "power", "memory", "build")
_Level = Literal["-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"]


def _text(meaning: str) -> Any:
    return key(meaning, allowed="text")


def _source() -> Any:
    return _text("where that is from")


class _Clock(Section):
    value: Annotated[Hertz, PlainValidator(given(parse_frequency))] = key(
        "clock of the core", unit="Hz", allowed="such as 80 MHz"
    )
    source: _Text = _source()


class _Power(Section):
    value_mw: _Positive = key("average power of core and memories", unit="mW", allowed="above 0")
    source: _Text = _source()


class _Memory(Section):
    size: Annotated[Bytes, PlainValidator(given(parse_size))] = key(
        "room for data and stacks", unit="bytes", allowed="such as 320 KiB"
    )
    source: _Text = _source()


class _Build(Section):
    optimization: _Level = key("of the build whose instructions are priced")
    source: _Text = _source()


class _Cost(Section):
    cycles: _Cycles = key(
        f"cycles of one instruction; CLASS is one of {', '.join(COST_CLASSES)}",
        unit="cycles",
        allowed="from 0",
    )
    low: _Cycles | None = key(
        "lower end; left out: as cycles", unit="cycles", allowed="from 0", default=None
    )
    high: _Cycles | None = key(
        "upper end; left out: as cycles", unit="cycles", allowed="from 0", default=None
    )
    source: _Text = _source()

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
    factor: _Positive = key("one factor on all costs, fitted", allowed="above 0")
    optimization: _Level = key("of the builds it was fitted to")
    left_out_low: _Positive = key(
        "prediction over published cycles of sizes left out of the fit, lowest", allowed="above 0"
    )
    left_out_high: _Positive = key("the same, highest", allowed="above 0")
    source: _Text = _text("the cells it was fitted to")


class _Head(Section):
    version: Version = version_key()
    name: _Text = _text("as on the command line")
    title: _Text = _text("one line for people")
    clock: _Clock
    power: _Power
    memory: _Memory
    build: _Build


_fields: dict[str, Any] = {
    name.replace("-", "_"): (_Cost | None, Field(None, alias=name)) for name in COST_CLASSES
}
_Costs = create_model("_Costs", __base__=Section, **_fields)


class _File(_Head):
    costs: _Costs  # type: ignore[valid-type]
    calibration: _Calibration


def _rows(kind: type[Section], above: str = "") -> Iterator[Key]:
    for each in keys_of(kind):
        yield replace(each, path=above + each.path)


PLATFORM_KEYS = (*_rows(_Head), *_rows(_Cost, "costs.CLASS."), *_rows(_Calibration, "calibration."))
"""Every key of the file of a cost-model core; CLASS stands for a class of instructions."""


def list_platforms() -> tuple[str, ...]:
    """The cost-model cores that ship."""
    return tuple(sorted(path.stem for path in content("models", "platforms").glob("*.yaml")))


def is_platform(name_or_path: str | Path) -> bool:
    """Whether a name or a readable YAML file means a cost-model core rather than a machine."""
    path = Path(name_or_path)
    if path.suffix != ".yaml":
        return str(name_or_path) in list_platforms()
    return path.is_file() and any(
        line.startswith("costs:")
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
    )


def load_platform(name_or_path: str | Path, overrides: Sequence[str] = ()) -> Platform:
    """A cost-model core that ships, or one of the user's own by path.

    Args:
        name_or_path: its name, or a path that ends in ``.yaml``.
        overrides: ``dotted.path=value``, such as ``memory.size=128 KiB``.

    Raises:
        GnomonError: there is none, or its file does not describe one; with file and line.
    """
    name, path = str(name_or_path), Path(name_or_path)
    if path.suffix != ".yaml":
        known = list_platforms()
        if name not in known:
            raise GnomonError(
                f"no platform is called {name!r} (allowed: {', '.join(known)}, or a path that ends"
                f" in .yaml{did_you_mean(name, known)})"
            )
        path = content("models", "platforms", f"{name}.yaml")
    where = path.name if path.parent == content("models", "platforms") else name
    tree, twice = read_file(path, "platform", where)
    for override in overrides:
        tree = _overridden(tree, override, where)
    file = check(tree, _File, twice)
    costs = {each: getattr(file.costs, each.replace("-", "_")) for each in COST_CLASSES}
    fitted = file.calibration
    return Platform(
        name=file.name,
        title=file.title,
        file=where,
        clock=file.clock.value,
        power_mw=file.power.value_mw,
        memory=file.memory.size,
        optimization=file.build.optimization,
        costs={name: Cost(cost.interval, cost.source) for name, cost in costs.items() if cost},
        calibration=Calibration(
            fitted.factor,
            fitted.optimization,
            (fitted.left_out_low, fitted.left_out_high),
            fitted.source,
        ),
        sources={
            each: getattr(file, each).source for each in ("clock", "power", "memory", "build")
        },
    )


def _overridden(tree: Mapping, override: str, where: str) -> Mapping:
    """The tree with one of its values replaced."""
    path, equals, text = override.partition("=")
    origin, names = Origin(f"--set {override}"), path.strip().split(".")
    known = {".".join(map(str, place)) for place, _ in places(tree)}
    if not equals or path.strip() not in known:
        near = did_you_mean(path.strip(), known)
        message = f"{where} has no such value{near}; write dotted.path=value"
        raise FileError([Problem(origin, "", message)])
    value, _ = read_yaml(text, str(origin), line_numbers=False, what="platform")
    return _with(tree, names, value, origin)


def _with(tree: Mapping, names: Sequence[str], value: Node, origin: Origin) -> Mapping:
    first, *rest = names
    at, below = tree.entries[first]
    if rest and isinstance(below, Mapping):
        return Mapping(tree.origin, tree.entries | {first: (at, _with(below, rest, value, origin))})
    return Mapping(tree.origin, tree.entries | {first: (origin, value)})
