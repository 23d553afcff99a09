"""Workloads of a sweep: a learner, a kernel or a program, and its settings."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean
from gnomon.base.tables import read_yaml_table
from gnomon.measure.learners import find_embedded_learner

Workload = Literal["learner", "kernel", "program"]

Value: TypeAlias = "bool | int | float | str | tuple[str, ...] | None"
"""Value of an axis, as in a YAML file."""


@dataclass(frozen=True, slots=True)
class WorkloadSetting:
    """Setting of a workload."""

    name: str
    kind: str  # `int`, `bool`, `word` or `words`; an `int` has `least` and `most`
    meaning: str
    default: Value = None  # None: it may be omitted, and is then absent
    needed: bool = False  # it cannot be omitted
    least: int = 0
    most: int = 2**31 - 1
    # the allowed ones, if they are few and independent of other settings
    words: tuple[str, ...] = ()
    # value if omitted, from the settings before it; and in words
    derived: tuple[Callable[[Mapping[str, Value]], Value], str] | None = None

    def take(self, given: Mapping[str, Value], before: Mapping[str, Value]) -> Value:
        """Return its value, or its default from the settings before it.

        Raises:
            GnomonError: if the value is of another kind.
        """
        value = given.get(self.name)
        if value is None and self.derived is not None:
            return self.derived[0](before)
        return self.check(given.get(self.name, self.default))

    @property
    def allowed(self) -> str:
        """Allowed values, for messages."""
        if self.kind == "int":
            return f"a whole number from {self.least} to {self.most:,}"
        plain = {"bool": "true, false", "words": "a list of words"}
        return plain.get(self.kind, ", ".join(self.words) or "a word")

    def check(self, value: Value) -> Value:
        """Return the value; a single word becomes a list if several words are allowed.

        Raises:
            GnomonError: if the value is of another kind.
        """
        if self.kind == "words" and isinstance(value, str):
            value = (value,)
        good = (
            (self.kind == "word" and isinstance(value, str) and value in (self.words or (value,)))
            or (self.kind == "words" and isinstance(value, tuple))
            or (self.kind == "bool" and isinstance(value, bool))
            or (self.kind == "int" and type(value) is int and self.least <= value <= self.most)
            or (value is None and self.default is None and not self.needed)
        )
        if not good:
            shown = "none" if value is None else repr(value)
            near = did_you_mean(value, self.words) if isinstance(value, str) else ""
            raise GnomonError(f"must not be {shown} (allowed: {self.allowed}{near})")
        return value


def _line_of(before: Mapping[str, Value]) -> Value:
    """Return the default implementation of a learner; None if there is no such learner.

    The lookup of the learner reports the error, because a name may come from an axis.
    """
    try:
        return find_embedded_learner(str(before.get("learner"))).line
    except GnomonError:
        return None


SOURCES = (".c", ".S", ".s")
"""Suffixes of programs that are built; any other is an ELF file."""


def _if_built(value: Value) -> Callable[[Mapping[str, Value]], Value]:
    return lambda before: value if is_source(before.get("program")) else None


def is_source(path: Value) -> bool:
    """Return whether a program is to be built."""
    return isinstance(path, str) and path.endswith(SOURCES)


def build_section(section: Mapping[str, object], note: Callable[..., None]) -> dict[str, Value]:
    """Return the settings of a section ``program: {sources: [...], ...}``.

    ``note`` is called with each problem and the keys that lead to it in the section.
    """
    settings = {each.name: each for each in BUILD}
    settings["optimize"] = settings.pop("optimization")
    found: dict[str, Value] = {}
    for key, value in section.items():
        setting = settings.get(key)
        if setting is None:
            note(f"unknown key {allowed_hint(key, settings)}", key)
            continue
        try:
            found[setting.name] = setting.check(_plain_value(key, value))
        except GnomonError as error:
            note(str(error), key)
    sources = found.get("sources")
    if not isinstance(sources, tuple) or not sources:
        if "sources" not in section or sources == ():
            note("missing: the C and assembly sources of the program", "sources")
        return {}
    wrong = [each for each in sources if not is_source(each)]
    if wrong:
        note(f"{wrong[0]}: not a source (allowed: {', '.join(SOURCES)})", "sources")
    return {"program": sources[0], **found}


def parse_macros(defines: Iterable[str]) -> dict[str, str]:
    """Return macros by name, from ``NAME=VALUE`` or ``NAME``, which is 1."""
    parted = (each.partition("=") for each in defines)
    return {name: value if equals else "1" for name, equals, value in parted}


def _plain_value(key: str, value: object) -> Any:
    """Return a value of the section as a setting: macros as ``NAME=VALUE``, levels as ``-O2``."""
    if key == "defines" and isinstance(value, dict):
        return tuple(f"{name}={'1' if each is True else each}" for name, each in value.items())
    if key == "optimize":
        return f"-O{str(value).removeprefix('-O')}"
    return tuple(map(str, value)) if isinstance(value, list) else value


_DERIVED: dict[str, Callable[[Mapping[str, Value]], Value]] = {
    "line": _line_of,
    "sources": lambda before: _if_built((str(before["program"]),))(before),
    "defines": _if_built(()),
    "include": _if_built(()),
    "optimization": _if_built("-O2"),
    "harts": _if_built(1),
    "compiler": _if_built("zig"),
}
_FILE = read_yaml_table(Path(__file__).with_name("settings.yaml")).data


def _settings(group: str) -> Iterator[WorkloadSetting]:
    for row in _FILE[group]:
        if isinstance(row, str):
            yield from _settings(row)
            continue
        text = row.get("derived")
        derived = None if text is None else (_DERIVED[row["name"]], text)
        yield WorkloadSetting(**row | {"words": tuple(row.get("words", ())), "derived": derived})


SETTINGS: dict[str, tuple[WorkloadSetting, ...]] = {
    workload: tuple(_settings(workload)) for workload in get_args(Workload)
}
"""Settings by workload, in the order of their columns."""
BUILD = tuple(_settings("build"))
"""Build settings of a program; an ELF file has none of these."""
COMPILED = frozenset(
    each.name for group in ("build", "compiled", "library") for each in _settings(group)
)
"""Settings that affect the build only, for all workloads: equal binaries give equal figures."""
PROGRAM_SCHEMA: dict[str, Any] = _FILE["program_schema"]
"""JSON schema of the key ``program``, for editors."""


def find_setting(workload: str, name: str) -> WorkloadSetting | None:
    """Return the setting of this name, or None."""
    return next((each for each in SETTINGS[workload] if each.name == name), None)


def with_defaults(workload: str, given: Mapping[str, Value]) -> dict[str, Value]:
    """Return all settings of a workload in their order, checked.

    Raises:
        GnomonError: if a required setting is missing, or a value is of another kind.
    """
    settings: dict[str, Value] = {}
    if workload == "program" and not is_source(given.get("program")):
        for name in (each.name for each in BUILD if given.get(each.name) is not None):
            raise GnomonError(
                f"{name}: {given.get('program')} is built already; name its sources instead"
            )
    for setting in SETTINGS[workload]:
        if setting.needed and setting.name not in given:
            raise GnomonError(f"{setting.name} is missing: {setting.meaning}")
        try:
            settings[setting.name] = setting.take(given, settings)
        except GnomonError as error:
            raise GnomonError(f"{setting.name}: {error}") from None
    return settings


def nearest_name(name: str, workload: str, keys: tuple[str, ...]) -> str:
    """Return text such as ``", did you mean 'vcu.simd'?"`` for settings and machine keys."""
    settings = [each.name for each in SETTINGS[workload]]
    near = did_you_mean(name, [*settings, "arch", *keys])
    if near:
        return near
    by_last = {key.rsplit(".", 1)[-1]: key for key in keys}
    last = name.rsplit(".", 1)[-1]
    return f", did you mean {by_last[last]!r}?" if last in by_last else ""
