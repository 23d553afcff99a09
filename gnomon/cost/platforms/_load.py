"""Cost-model cores from YAML, with file and line in every error."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import read_text
from gnomon.base.units import parse_frequency, parse_size
from gnomon.cost.platforms._keys import LEVELS
from gnomon.cost.platforms._platform import COST_CLASSES, Calibration, Cost, Estimate, Platform

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gnomon.base.units import Bytes, Hertz

_SECTIONS = {
    "schema": None,
    "name": None,
    "title": None,
    "clock": ("value", "source"),
    "power": ("value_mw", "source"),
    "memory": ("size", "source"),
    "build": ("optimization", "source"),
    "costs": None,
    "calibration": ("factor", "optimization", "left_out_low", "left_out_high", "source"),
}


def list_platforms() -> tuple[str, ...]:
    """The cost-model cores that ship."""
    return tuple(sorted(path.stem for path in content("models", "platforms").glob("*.yaml")))


def is_platform(name_or_path: str | Path) -> bool:
    """Whether a name or a readable YAML file means a cost-model core rather than a machine."""
    name = str(name_or_path)
    if not name.endswith(".yaml"):
        return name in list_platforms()
    path = Path(name)
    return path.is_file() and any(line.startswith("costs:") for line in _lines(path))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def load_platform(name_or_path: str | Path, overrides: Sequence[str] = ()) -> Platform:
    """A cost-model core that ships, or one of the user's own by path.

    Args:
        name_or_path: its name, or a path that ends in ``.yaml``.
        overrides: ``dotted.path=value``, such as ``memory.size=128 KiB``.

    Raises:
        GnomonError: there is none, or its file does not describe one; with file and line.
    """
    name = str(name_or_path)
    if name.endswith(".yaml"):
        path = Path(name)
    else:
        known = list_platforms()
        if name not in known:
            raise GnomonError(
                f"no platform is called {name!r} (allowed: {', '.join(known)}, or a path that ends"
                f" in .yaml{did_you_mean(name, known)})"
            )
        path = content("models", "platforms", f"{name}.yaml")
    shown = path.name if path.parent == content("models", "platforms") else str(path)
    return _Reader(shown, read_text(path), overrides).platform()


class _Reader:
    """One file: its values, and the line of each."""

    def __init__(self, where: str, text: str, overrides: Sequence[str]) -> None:
        self.where = where
        self.lines: dict[str, int] = {}
        self.overridden: dict[str, str] = {}
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            self.values: Any = yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            place = f"{where}:{mark.line + 1}" if mark else where
            raise GnomonError(
                f"{place}: not YAML: {getattr(error, 'problem', None) or error}"
            ) from None
        if not isinstance(self.values, dict):
            raise GnomonError(f"{where}:1: a platform is a mapping with {', '.join(_SECTIONS)}")
        self._note_lines("", node)
        for text_ in overrides:
            self._override(text_)

    def _note_lines(self, path: str, node: yaml.Node | None) -> None:
        if not isinstance(node, yaml.MappingNode):
            return
        for key, value in node.value:
            below = f"{path}.{key.value}" if path else str(key.value)
            self.lines[below] = key.start_mark.line + 1
            self._note_lines(below, value)

    def _override(self, text: str) -> None:
        path, equals, value = text.partition("=")
        *above, last = path.strip().split(".")
        place: Any = self.values
        for key in above:
            place = place.get(key) if isinstance(place, dict) else None
        if not equals or not isinstance(place, dict) or last not in place:
            near = did_you_mean(path.strip(), self.lines)
            raise GnomonError(
                f"--set {text}: {self.where} has no such value{near}; write dotted.path=value"
            )
        try:
            place[last] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise GnomonError(f"--set {text}: {value!r} is not a value") from None
        self.overridden[path.strip()] = text

    def fail(self, path: str, message: str) -> GnomonError:
        if path in self.overridden:
            return GnomonError(f"--set {self.overridden[path]}: {message}")
        line = self.lines.get(path)
        while line is None and "." in path:
            path = path.rpartition(".")[0]
            line = self.lines.get(path)
        return GnomonError(f"{self.where}:{line or 1}: {message}")

    def section(self, path: str, values: Any, keys: Iterable[str]) -> Mapping[str, Any]:
        """A mapping that has no key but these."""
        if not isinstance(values, dict):
            raise self.fail(path, f"{path} must be a mapping with {', '.join(keys)}")
        for key in values:
            if key not in keys:
                below = f"{path}.{key}" if path else str(key)
                raise self.fail(
                    below,
                    f"unknown key {below} (allowed: {', '.join(keys)}"
                    f"{did_you_mean(str(key), keys)})",
                )
        return values

    def value(self, values: Mapping[str, Any], path: str) -> Any:
        """What must be there."""
        key = path.rpartition(".")[2]
        if values.get(key) is None:
            raise self.fail(path, f"{path} is missing")
        return values[key]

    def text(self, values: Mapping[str, Any], path: str) -> str:
        text = self.value(values, path)
        if not isinstance(text, str) or not text.strip():
            raise self.fail(path, f"{path} must be a text, not {text!r}")
        return text.strip()

    def number(
        self, values: Mapping[str, Any], path: str, *, above: float = 0, or_equal: bool = False
    ) -> float:
        number = self.value(values, path)
        fits = isinstance(number, int | float) and not isinstance(number, bool)
        fits = fits and math.isfinite(number) and (number > above or (or_equal and number == above))
        if not fits:
            limit = "from" if or_equal else "above"
            raise self.fail(path, f"{path} must be a number {limit} {above:g}, not {number!r}")
        return float(number)

    def quantity(
        self, values: Mapping[str, Any], path: str, parse: Callable[[object], Hertz | Bytes]
    ) -> Any:
        value = self.value(values, path)
        try:
            return parse(value)
        except GnomonError as error:
            raise self.fail(path, f"{path}: {error}") from None

    def cost(self, name: str, row: Any) -> Cost:
        path = f"costs.{name}"
        values = self.section(path, row, ("cycles", "low", "high", "source"))
        cycles = self.number(values, f"{path}.cycles", or_equal=True)
        low, high = (
            self.number(values, f"{path}.{end}", or_equal=True) if end in values else cycles
            for end in ("low", "high")
        )
        if not low <= cycles <= high:
            raise self.fail(
                path, f"{path}: cycles {cycles:g} is not between low {low:g} and high {high:g}"
            )
        return Cost(Estimate(cycles, low, high), self.text(values, f"{path}.source"))

    def level(self, parts: Mapping[str, Mapping[str, Any]], path: str) -> str:
        level = self.text(parts[path.partition(".")[0]], path)
        if level not in LEVELS:
            raise self.fail(path, f"{path} must be one of {', '.join(LEVELS)}, not {level!r}")
        return level

    def platform(self) -> Platform:
        """The whole file."""
        root = self.section("", self.values, _SECTIONS)
        if self.value(root, "schema") != 1:
            raise self.fail("schema", f"schema must be 1, not {root['schema']!r}")
        parts = {
            name: self.section(name, self.value(root, name), keys)
            for name, keys in _SECTIONS.items()
            if keys is not None
        }
        costs = self.section("costs", self.value(root, "costs"), COST_CLASSES)
        return Platform(
            name=self.text(root, "name"),
            title=self.text(root, "title"),
            file=self.where,
            clock=self.quantity(parts["clock"], "clock.value", parse_frequency),
            power_mw=self.number(parts["power"], "power.value_mw"),
            memory=self.quantity(parts["memory"], "memory.size", parse_size),
            optimization=self.level(parts, "build.optimization"),
            costs={name: self.cost(name, row) for name, row in costs.items()},
            calibration=Calibration(
                factor=self.number(parts["calibration"], "calibration.factor"),
                optimization=self.level(parts, "calibration.optimization"),
                left_out=(
                    self.number(parts["calibration"], "calibration.left_out_low"),
                    self.number(parts["calibration"], "calibration.left_out_high"),
                ),
                source=self.text(parts["calibration"], "calibration.source"),
            ),
            sources={
                name: self.text(parts[name], f"{name}.source")
                for name in ("clock", "power", "memory", "build")
            },
        )
