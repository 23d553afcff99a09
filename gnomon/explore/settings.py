"""What runs at a point of a sweep: a learner, a kernel or a program, and its settings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from gnomon.base.errors import GnomonError, did_you_mean

Workload = Literal["learner", "kernel", "program"]

Value: TypeAlias = "bool | int | float | str | tuple[str, ...] | None"
"""One value of an axis, as a YAML file gives it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a workload.

    Attributes:
        words: the allowed ones, if they are few and need no other setting to be told.
        derived: what it is where it is left out, from the settings before it; and in words.
    """

    name: str
    kind: str  # `int`, `bool`, `word` or `words`; an `int` has `least` and `most`
    meaning: str
    default: Value = None  # None: it may be left out, and then is not there
    needed: bool = False  # it cannot be left out
    least: int = 0
    most: int = 2**31 - 1
    words: tuple[str, ...] = ()
    derived: tuple[Callable[[Mapping[str, Value]], Value], str] | None = None

    def take(self, given: Mapping[str, Value], before: Mapping[str, Value]) -> Value:
        """Its value of those given, or what it is where it is left out.

        Args:
            given: what a file says.
            before: the settings before it, complete.

        Raises:
            GnomonError: the value is of another kind.
        """
        value = given.get(self.name)
        if value is None and self.derived is not None:
            return self.derived[0](before)
        return self.check(given.get(self.name, self.default))

    @property
    def allowed(self) -> str:
        """For messages."""
        if self.kind == "int":
            return f"a whole number from {self.least} to {self.most:,}"
        plain = {"bool": "true, false", "words": "a list of words"}
        return plain.get(self.kind, ", ".join(self.words) or "a word")

    def check(self, value: Value) -> Value:
        """Return the value; one word where there may be several is a list of one.

        Raises:
            GnomonError: it is of another kind.
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
    """The implementation that a learner has by itself; None if there is no such learner.

    Whoever looks the learner up says so; a name may come from an axis.
    """
    from gnomon.bench.learners import find_learner

    try:
        return find_learner(str(before.get("learner"))).line
    except GnomonError:
        return None


_BUILD = (
    Setting("compiler", "word", "zig or gcc", "zig"),
    Setting("optimization", "word", "level of the compiler, such as -O2", "-O2"),
)
_INPUT = (
    Setting("seed", "int", "of random input", 0),
    Setting("fraction-bits", "int", "fractional bits (Q format)", 15, least=1, most=29),
    Setting("operands", "word", "operand values that energy assumes"),
)

SOURCES = (".c", ".S", ".s")
"""Ends of the names of programs that are built; any other is an ELF file."""


def _if_built(value: Value) -> Callable[[Mapping[str, Value]], Value]:
    return lambda before: value if is_source(before.get("program")) else None


def is_source(path: Value) -> bool:
    """Whether a program is to be built."""
    return isinstance(path, str) and path.endswith(SOURCES)


BUILD = (
    Setting(
        "sources",
        "words",
        "C and assembly, built for each machine",
        derived=(
            lambda before: (str(before["program"]),) if is_source(before["program"]) else None,
            "the program, if it is one",
        ),
    ),
    Setting("defines", "words", "macros of a build, NAME=VALUE", derived=(_if_built(()), "none")),
    Setting("include", "words", "folders of headers", derived=(_if_built(()), "none")),
    Setting(
        "optimization",
        "word",
        "level of the compiler",
        words=("-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"),
        derived=(_if_built("-O2"), "-O2"),
    ),
    Setting("harts", "int", "how many harts run main", least=1, derived=(_if_built(1), "1")),
    Setting(
        "compiler", "word", "zig or gcc", words=("zig", "gcc"), derived=(_if_built("zig"), "zig")
    ),
)
"""How a program is built; an ELF file has none of these."""

_IN_SECTION = {"optimize": "optimization"}


PROGRAM_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string"},
        {"type": "null"},
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["sources"],
            "properties": {
                "sources": {"type": ["string", "array"], "items": {"type": "string"}},
                "defines": {"type": ["object", "array", "string"]},
                "include": {"type": ["string", "array"], "items": {"type": "string"}},
                "optimize": {"type": ["string", "integer"]},
                "harts": {"type": "integer", "minimum": 1},
                "compiler": {"enum": ["zig", "gcc"]},
            },
        },
    ]
}
"""What editors know of the key ``program``."""


def build_section(section: Mapping[str, object], note: Callable[..., None]) -> dict[str, Value]:
    """The settings that a section ``program: {sources: [...], ...}`` says.

    Args:
        section: as a file has it.
        note: called with each problem, and the keys that lead to it in the section.
    """
    names = {key: key for key in (each.name for each in BUILD)}
    names = {key: name for key, name in names.items() if key not in _IN_SECTION.values()}
    names |= _IN_SECTION
    found: dict[str, Value] = {}
    for key, value in section.items():
        if key not in names:
            allowed = ", ".join(names)
            note(f"unknown key (allowed: {allowed}{did_you_mean(str(key), names)})", key)
            continue
        setting = next(each for each in BUILD if each.name == names[key])
        try:
            found[setting.name] = setting.check(_plain_value(key, value))
        except GnomonError as error:
            note(str(error), key)
    sources = found.get("sources")
    if not isinstance(sources, tuple) or not sources:
        if "sources" not in section or sources == ():
            note("missing: the C and assembly that the program is built of", "sources")
        return {}
    wrong = [each for each in sources if not is_source(each)]
    if wrong:
        note(f"{wrong[0]}: not a source (allowed: {', '.join(SOURCES)})", "sources")
    return {"program": sources[0], **found}


def macros(defines: Iterable[str]) -> dict[str, str]:
    """Macros by name, of ``NAME=VALUE`` or ``NAME``, which is 1."""
    parted = (each.partition("=") for each in defines)
    return {name: value if equals else "1" for name, equals, value in parted}


def _plain_value(key: str, value: object) -> Any:
    """A value of the section as settings have it: macros as ``NAME=VALUE``, levels as ``-O2``."""
    if key == "defines" and isinstance(value, dict):
        return tuple(f"{name}={'1' if each is True else each}" for name, each in value.items())
    if key == "optimize":
        return f"-O{str(value).removeprefix('-O')}"
    return tuple(map(str, value)) if isinstance(value, list) else value


SETTINGS: dict[str, tuple[Setting, ...]] = {
    "learner": (
        Setting("learner", "word", "name of the learner", needed=True),
        Setting(
            "line",
            "word",
            "implementation: paper or tuned",
            derived=(_line_of, "the learner's first"),
        ),
        Setting("variant", "word", "implementation, such as optimized-vector", needed=True),
        Setting("d", "int", "features of a context", 8, least=1),
        Setting("arms", "int", "number of arms", 8, least=1),
        Setting("f", "int", "features of an arm, for hybrid learners", least=1),
        Setting("harts", "int", "how many harts share the arms", 1, least=1),
        Setting("case", "word", "input: fresh or random", "fresh"),
        *_INPUT,
        *_BUILD,
        Setting("library-optimization", "word", "another level for what a toolchain brings"),
        Setting("correction-period", "int", "updates between corrections", least=1),
        Setting("correcting", "bool", "include a correction in the measured update", default=False),
        Setting(
            "rounds",
            "int",
            "played for regret; none: regret is not measured",
            least=1,
            most=10_000_000,
        ),
        Setting(
            "contexts",
            "word",
            "law of the contexts of these rounds",
            "uniform",
            words=("uniform", "normal"),
        ),
        Setting(
            "environments",
            "int",
            "how many runs of rounds, with seeds from 1",
            1,
            least=1,
            most=1000,
        ),
    ),
    "kernel": (
        Setting("kernel", "word", "name of the kernel", needed=True),
        Setting("variant", "word", "implementation, such as scalar", needed=True),
        Setting("n", "int", "size of square operands", least=1),
        Setting("shape", "word", "sizes one by one, such as 8x8x4"),
        *_INPUT,
        *_BUILD,
    ),
    "program": (
        Setting(
            "program", "word", "path of an ELF file, or of C or assembly to build", needed=True
        ),
        Setting("max-cycles", "int", "cycle limit", 1_000_000_000, least=1, most=2**60),
        Setting("operands", "word", "operand values that energy assumes", "sparse"),
        Setting("region", "word", "function that is measured, on hart 0; none = the whole run"),
        *BUILD,
    ),
}
"""By workload, in the order of their columns."""


def find_setting(workload: str, name: str) -> Setting | None:
    """The setting of this name, or None."""
    return next((each for each in SETTINGS[workload] if each.name == name), None)


def with_defaults(workload: str, given: Mapping[str, Value]) -> dict[str, Value]:
    """All settings of a workload in their order, checked.

    Raises:
        GnomonError: one that is needed is missing, or a value is of another kind.
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
    """``", did you mean 'vcu.simd'?"`` among settings and keys of machines."""
    settings = [each.name for each in SETTINGS[workload]]
    near = did_you_mean(name, [*settings, "arch", *keys])
    if near:
        return near
    by_last = {key.rsplit(".", 1)[-1]: key for key in keys}
    last = name.rsplit(".", 1)[-1]
    return f", did you mean {by_last[last]!r}?" if last in by_last else ""
