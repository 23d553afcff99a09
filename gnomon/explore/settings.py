"""What runs at a point of a sweep: a learner, a kernel or a program, and its settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from gnomon.base.errors import GnomonError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Value: TypeAlias = "bool | int | float | str | tuple[str, ...] | None"
"""One value of an axis, as a YAML file gives it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a workload.

    Attributes:
        kind: ``int``, ``bool`` or ``word``; an ``int`` has ``least`` and ``most``.
        words: the allowed ones, if they are few and need no other setting to be told.
        default: None: it may be left out, and then is not there.
        needed: it cannot be left out.
        derived: what it is where it is left out, from the settings before it; and in words.
    """

    name: str
    kind: str
    meaning: str
    default: Value = None
    needed: bool = False
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
        return {"bool": "true, false"}.get(self.kind, ", ".join(self.words) or "a word")

    def check(self, value: Value) -> Value:
        """Return the value.

        Raises:
            GnomonError: it is of another kind.
        """
        good = (
            (self.kind == "word" and isinstance(value, str) and value in (self.words or (value,)))
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
        Setting("program", "word", "path of an ELF file", needed=True),
        Setting("max-cycles", "int", "cycle limit", 1_000_000_000, least=1, most=2**60),
        Setting("operands", "word", "operand values that energy assumes", "sparse"),
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
