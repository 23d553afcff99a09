"""What an embedded learner is: C sources by implementation and variant, found by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, get_args

from gnomon.base.checks import Check
from gnomon.base.content import Found, content, found
from gnomon.base.errors import GnomonError, among, did_you_mean, known
from gnomon.base.loading import load
from gnomon.bench.kernels import include_folders, kernel_source
from gnomon.learn.algorithm import (
    ALGORITHM_FILE,
    Embedded,
    EmbeddedVariant,
    Line,
    read_algorithm,
)

LINES: tuple[Line, ...] = get_args(Line)

_HIGHEST_PERIOD = 2**31 - 1  # a word of the model counts down from it


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a learner is.

    Attributes:
        d: features of a context.
        arms: number of arms.
        f: features of an arm, for hybrid learners; None for the others.

    Raises:
        GnomonError: a size below 1.
    """

    d: int
    arms: int
    f: int | None = None

    def __post_init__(self) -> None:
        """Refuse sizes that no learner can have."""
        for name, value in self.named().items():
            if value < 1:
                raise GnomonError(f"{name} must be at least 1, not {value}")

    @property
    def k(self) -> int:
        """Shared features of a hybrid learner, d * f."""
        return self.d * (self.f or 0)

    def named(self) -> dict[str, int]:
        """The sizes that this learner has, by name."""
        named = {"d": self.d, "arms": self.arms}
        return named if self.f is None else {**named, "f": self.f}

    def defines(self) -> dict[str, int]:
        """The same as macros for ``learner.h``."""
        return {f"LEARNER_{name.upper()}": value for name, value in self.named().items()}


class LearnerVariant(EmbeddedVariant):
    """One implementation, as its file describes it, in the folder of its ``algorithm.yaml``."""

    folder: str

    LINES: ClassVar = LINES

    def __hash__(self) -> int:
        return hash((self.folder, self.line, self.name))

    @property
    def counts(self) -> Callable[[Sizes], Any] | None:
        """The formula of ``counted``; what it returns is the learner's own.

        Raises:
            GnomonError: there is no such file or function.
        """
        file, _, function = self.counted.partition(":")
        if not file:
            return None
        path = self._path(file)
        module = load(path.parent, path.stem)
        if not hasattr(module, function):
            raise GnomonError(f"{path}: has no function {function}")
        formula: Callable[[Sizes], Any] = getattr(module, function)
        return formula

    def defines(self) -> dict[str, int]:
        """Macros that make the sources this implementation."""
        defines = {"LEARNER_VECTOR": 1} if self.vector else {}
        if self.correction_period is not None:
            defines["LEARNER_CORRECTION_PERIOD"] = self.correction_period
        return defines | self.parameters

    def with_parameters(self, **values: int) -> LearnerVariant:
        """The same with macros of these values, others as they are."""
        parameters = dict(sorted({**self.parameters, **values}.items()))
        return self.model_copy(update={"parameters": parameters})

    def corrected_every(self, updates: int) -> LearnerVariant:
        """The same with another period.

        Raises:
            GnomonError: it has no correction, or the period is not from 1 to 2^31 - 1.
        """
        self.check_correction()
        if not 1 <= updates <= _HIGHEST_PERIOD:
            raise GnomonError(
                f"the correction period must be from 1 to {_HIGHEST_PERIOD:,} updates, not"
                f" {updates:,}"
            )
        return self.model_copy(update={"correction_period": updates})

    def check_correction(self) -> None:
        """Refuse a variant without correction.

        Raises:
            GnomonError: it has none.
        """
        if self.correction_period is None:
            raise GnomonError(
                f"variant {self.name} of the {self.line} implementation has no periodic correction;"
                " take corrected or corrected-vector of the paper implementation"
            )

    def paths(self, frame: str = "step.c") -> list[Path]:
        """The program around a learner, ``step.c``, ``rounds.c`` or ``host_steps.c``, and the
        sources, as files.
        """
        first = _common(frame)
        if frame == "step.c" and self.program:
            first = self._path(self.program)
        own = [self._path(name) for name in self.sources]
        return [
            first,
            *own,
            _common("learner.c"),
            *(kernel_source(name) for name in self.kernels),
        ]

    def include(self) -> list[Path]:
        """Folders of headers: its own, those of the sources, and those that all may use."""
        own = [Path(self.folder), *(self._path(name).parent for name in self.sources)]
        return list(dict.fromkeys([*own, content("algorithms", "common"), *include_folders()]))

    def _path(self, name: str) -> Path:
        return Path(os.path.normpath(Path(self.folder, name)))


class Learner(Embedded):
    """One algorithm in all its variants, as its file describes it."""

    FEATURES: ClassVar = 4
    """Of an arm, where no number is given."""

    name: str
    title: str
    variants: tuple[LearnerVariant, ...]  # type: ignore[assignment]

    @staticmethod
    def all() -> tuple[Learner, ...]:
        """All embedded learners, in the order of places and names.

        Raises:
            GnomonError: a description is wrong; with file and line.
        """
        return tuple(each for each in map(_embedded, found("algorithms").values()) if each)

    @property
    def line(self) -> Line:
        """The implementation where none is asked for: that of the first variant in its file."""
        return self.variants[0].line

    def variant(self, name: str, line: str | None = None) -> LearnerVariant:
        """The variant of this name in an implementation; None: the learner's own.

        Raises:
            GnomonError: there is none.
        """
        line = self.line if line is None else line
        of_line = self._of(line)
        if name not in of_line:
            raise GnomonError(
                f"learner {self.name} has no variant {name!r} in the {line} implementation"
                f" (allowed: {', '.join(of_line) or 'none'}{did_you_mean(name, of_line)})"
            )
        return of_line[name]

    def scalar_names(self, line: str) -> list[str]:
        """Of ``standard`` and ``optimized``, those there are; else the first one.

        Raises:
            GnomonError: the learner has no such implementation.
        """
        names = list(self._of(line))
        return [name for name in ("standard", "optimized") if name in names] or names[:1]

    def _of(self, line: str) -> dict[str, LearnerVariant]:
        there = list(dict.fromkeys(variant.line for variant in self.variants))
        if line not in there:
            raise GnomonError(
                f"learner {self.name} has no {line!r} implementation {among(line, there)}"
            )
        return {variant.name: variant for variant in self.variants if variant.line == line}

    @staticmethod
    def checks(name: str) -> Iterator[Check]:
        """The contract of a learner, that of its variants in float64 first.

        Raises:
            GnomonError: there is no such learner, its description is wrong, with file and line, or
                a check that it waives.
        """
        from gnomon.bench.learners._checks import learner_checks

        return learner_checks(name)

    def sizes(self, d: int, arms: int, f: int | None = None) -> Sizes:
        """Sizes to measure at; f is ``FEATURES`` where arms have some and it is not given.

        Raises:
            GnomonError: a size is below 1, or f is given to a learner without it.
        """
        return self.check_sizes(
            Sizes(d, arms, self.FEATURES if self.has_features and f is None else f)
        )

    def check_sizes(self, sizes: Sizes) -> Sizes:
        """Return the sizes.

        Raises:
            GnomonError: ``f`` is missing, or given to a learner without it.
        """
        if self.has_features and sizes.f is None:
            raise GnomonError(f"learner {self.name} needs f, the number of features of an arm")
        if not self.has_features and sizes.f is not None:
            raise GnomonError(f"learner {self.name} has no f: its arms have no features")
        return sizes


def find_learner(name: str) -> Learner:
    """The embedded learner of a name, shipped or a user's.

    Raises:
        GnomonError: there is none, or its description is wrong; with file and line.
    """
    folders = found("algorithms")
    known("learner", name, folders)
    learner = _embedded(folders[name])
    if learner is None:
        there = ", ".join(each.name for each in Learner.all())
        raise GnomonError(
            f"learner {name} has no embedded variants: {folders[name].folder / ALGORITHM_FILE} has"
            f" no section embedded (those that have: {there})"
        )
    return learner


@cache
def _embedded(place: Found) -> Learner | None:
    table, algorithm = read_algorithm(place)
    given = algorithm.embedded
    if given is None:
        return None
    variants = []
    for index, each in enumerate(given.variants):
        variant = LearnerVariant.model_construct(folder=str(place.folder), **dict(each))
        for path in variant.paths():
            if not path.is_file():
                where = table.origin("embedded", "variants", index)
                raise GnomonError(f"{where}: embedded.variants.{index}: there is no file {path}")
        variants.append(variant)
    said = dict(given) | {"variants": tuple(variants)}
    return Learner.model_construct(name=place.name, title=algorithm.title, **said)


def _common(name: str) -> Path:
    return content("algorithms", "common", name)
