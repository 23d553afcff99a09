"""Embedded learners: C sources by implementation and variant, found by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from gnomon.base.content import ContentItem, content, found
from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean, require_known
from gnomon.base.loading import import_content_module
from gnomon.learn.algorithm import (
    ALGORITHM_FILE,
    Embedded,
    EmbeddedVariant,
    Exploring,
    read_algorithm,
)
from gnomon.measure.kernels import include_folders, kernel_source
from gnomon.once.generate import OnceSource, generate

DEFAULT_FEATURES: Final = 4
"""Features of an arm if no number is given."""

_SHARES_SELECTION = 2  # of LEARNER_SHARES_ARMS in step.c
_HIGHEST_PERIOD = 2**31 - 1  # a word of the model counts down from it


@dataclass(frozen=True, slots=True)
class EmbeddedSizes:
    """Size of a learner.

    Attributes:
        d: features of a context.
        arms: number of arms.
        f: features of an arm, for hybrid learners; None for the others.

    Raises:
        GnomonError: if a size is below 1.
    """

    d: int
    arms: int
    f: int | None = None

    def __post_init__(self) -> None:
        """Check that all sizes are at least 1."""
        for name, value in self.named().items():
            if value < 1:
                raise GnomonError(f"{name} must be at least 1, not {value}")

    @property
    def k(self) -> int:
        """Shared features of a hybrid learner, d * f."""
        return self.d * (self.f or 0)

    def named(self) -> dict[str, int]:
        """Return the sizes that this learner has, by name."""
        named = {"d": self.d, "arms": self.arms}
        return named if self.f is None else {**named, "f": self.f}

    def defines(self) -> dict[str, int]:
        """Return the sizes as macros for ``learner.h``."""
        return {f"LEARNER_{name.upper()}": value for name, value in self.named().items()}


@dataclass(frozen=True)
class LearnerVariant:
    """Implementation in C; paths are relative to ``folder``, that of its ``algorithm.yaml``.

    Attributes:
        folder: folder of the description.
        name: name such as standard.
        line: its family of implementations, such as tuned.
        sources: C files.
        kernels: C files of kernels, such as ``matvec/vector.c``.
        library: file names of the sources that stand for the compiled library of a toolchain.
        program: C file of a step; empty for the program of all learners.
        vector: whether it runs on the vector unit.
        extensions: vector-unit features that it needs beyond the public vector unit.
        fraction_bits: the only number of fraction bits that it supports; None: any.
        shares_arms: whether harts can share the arms of hand-written C.
        correction_period: updates between two corrections; None: no correction.
        parameters: macros and their values, in addition to the sizes.
        counted: ``file.py:function`` of operations of each stage; empty if they depend on data.
        corrected: text for messages: the variants of the learner with a correction.
        once: the class from which its C is generated for each size; None: C files.
    """

    folder: str
    name: str
    line: str
    sources: tuple[str, ...]
    kernels: tuple[str, ...]
    library: tuple[str, ...]
    program: str
    vector: bool
    extensions: tuple[str, ...]
    fraction_bits: int | None
    shares_arms: bool
    correction_period: int | None
    parameters: Mapping[str, int]
    counted: str
    corrected: str = ""
    once: OnceSource | None = None

    def __hash__(self) -> int:
        return hash((self.folder, self.line, self.name))

    @property
    def counts(self) -> Callable[[EmbeddedSizes], Any] | None:
        """Formula of ``counted``; its return value is specific to the learner.

        Raises:
            GnomonError: if the file or the function does not exist.
        """
        file, _, function = self.counted.partition(":")
        if not file:
            return None
        path = self._path(file)
        module = import_content_module(path.parent, path.stem)
        if not hasattr(module, function):
            raise GnomonError(f"{path}: has no function {function}")
        formula: Callable[[EmbeddedSizes], Any] = getattr(module, function)
        return formula

    def defines(self) -> dict[str, int]:
        """Return the macros that select this implementation in the sources."""
        defines = {"LEARNER_VECTOR": 1} if self.vector else {}
        if self.correction_period is not None:
            defines["LEARNER_CORRECTION_PERIOD"] = self.correction_period
        return {**defines, **self.parameters}

    def with_parameters(self, **values: int) -> LearnerVariant:
        """Return the variant with these macro values; other macros are unchanged."""
        parameters = dict(sorted({**self.parameters, **values}.items()))
        return replace(self, parameters=parameters)

    def corrected_every(self, updates: int) -> LearnerVariant:
        """Return the variant with another correction period.

        Raises:
            GnomonError: if it has no correction, or the period is not from 1 to 2^31 - 1.
        """
        self.check_correction()
        if not 1 <= updates <= _HIGHEST_PERIOD:
            raise GnomonError(
                f"the correction period must be from 1 to {_HIGHEST_PERIOD:,} updates, not"
                f" {updates:,}"
            )
        return replace(self, correction_period=updates)

    def check_correction(self) -> None:
        """Check that the variant has a correction.

        Raises:
            GnomonError: if it has none.
        """
        if self.correction_period is None:
            raise GnomonError(
                f"variant {self.name} of the {self.line} implementation has no periodic"
                f" correction; {self.corrected or 'no variant of this learner has one'}"
            )

    def at(self, sizes: EmbeddedSizes, harts: int = 1) -> LearnerVariant:
        """Return the variant with the C files for these sizes, generated if they have to be.

        Raises:
            GnomonError: if C cannot be generated.
        """
        if self.once is None:
            return self
        made = generate(self.once, sizes.d, sizes.arms)
        common = (*made.common, "harts.c") if harts > 1 else made.common
        shares = {"LEARNER_SHARES_ARMS": _SHARES_SELECTION} if harts > 1 else {}
        sources = (str(made.path), *(str(_common(each)) for each in common))
        return replace(
            self, sources=sources, kernels=made.kernels, parameters={**self.parameters, **shares}
        )

    def why_alone(self, sizes: EmbeddedSizes) -> str:
        """Return why harts cannot share its arms; empty if they can.

        Raises:
            GnomonError: if C cannot be generated.
        """
        if self.once is None:
            return "" if self.shares_arms else "its C is for one"
        return generate(self.once, sizes.d, sizes.arms).alone

    def paths(self, frame: str = "step.c") -> list[Path]:
        """Return the files of a program: ``step.c``, ``rounds.c`` or ``host_steps.c``, sources."""
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
        """Return the folders of headers: its own, those of its sources, and the shared ones."""
        own = [Path(self.folder), *(self._path(name).parent for name in self.sources)]
        return list(dict.fromkeys([*own, content("algorithms", "common"), *include_folders()]))

    def _path(self, name: str) -> Path:
        return Path(os.path.normpath(Path(self.folder, name)))


@dataclass(frozen=True)
class EmbeddedLearner:
    """Algorithm with all its variants in C, as its file describes it.

    Attributes:
        name: name as on the command line.
        title: one-line description.
        has_features: whether arms have their own features, so ``f`` is one of its sizes.
        alpha: weight of the confidence bound in the published program.
        warm_steps: steps before the measured step, for a model that is not fresh.
        has_alpha: whether its program reads ``alpha``.
        fixed_arms: whether its arms have d constant features each, and no context exists.
        late_context: whether its update reads the context, for later selections.
        exploring: its explored rounds, if they cost other than exploited ones.
        turns: rounds that each arm takes first, before any is chosen; 0: none.
        variants: its implementations; the ``line`` of the first is the default.
    """

    name: str
    title: str
    has_features: bool
    alpha: float
    warm_steps: int
    has_alpha: bool
    fixed_arms: bool
    late_context: bool
    exploring: Exploring | None
    turns: int
    variants: tuple[LearnerVariant, ...]

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def line(self) -> str:
        """Default implementation: that of the first variant in its file."""
        return self.variants[0].line

    def variant(self, name: str, line: str | None = None) -> LearnerVariant:
        """Return the variant of this name in an implementation; None selects the default.

        Raises:
            GnomonError: if no such variant exists.
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
        """Return the names among ``standard`` and ``optimized`` that exist, else the first variant.

        Raises:
            GnomonError: if the learner has no such implementation.
        """
        names = list(self._of(line))
        return [name for name in ("standard", "optimized") if name in names] or names[:1]

    def _of(self, line: str) -> dict[str, LearnerVariant]:
        there = list(dict.fromkeys(variant.line for variant in self.variants))
        if line not in there:
            raise GnomonError(
                f"learner {self.name} has no {line!r} implementation {allowed_hint(line, there)}"
            )
        return {variant.name: variant for variant in self.variants if variant.line == line}

    def sizes(self, d: int, arms: int, f: int | None = None) -> EmbeddedSizes:
        """Return sizes for a measurement; if needed, f defaults to ``DEFAULT_FEATURES``.

        Raises:
            GnomonError: if a size is below 1, or f is given to a learner without f.
        """
        if self.has_features and f is None:
            f = DEFAULT_FEATURES
        return self.check_sizes(EmbeddedSizes(d, arms, f))

    def check_sizes(self, sizes: EmbeddedSizes) -> EmbeddedSizes:
        """Return the sizes.

        Raises:
            GnomonError: if ``f`` is missing, or given to a learner without f.
        """
        if self.has_features and sizes.f is None:
            raise GnomonError(f"learner {self.name} needs f, the number of features of an arm")
        if not self.has_features and sizes.f is not None:
            raise GnomonError(f"learner {self.name} has no f: its arms have no features")
        return sizes


def embedded_learners() -> tuple[EmbeddedLearner, ...]:
    """Return all embedded learners, in the order of folders and names.

    Raises:
        GnomonError: if a description is wrong; the message names file and line.
    """
    return tuple(each for each in map(_embedded, found("algorithms").values()) if each)


def find_embedded_learner(name: str) -> EmbeddedLearner:
    """Return the embedded learner of this name, shipped or user-defined.

    Raises:
        GnomonError: if none exists, or its description is wrong; the message names file and line.
    """
    folders = found("algorithms")
    require_known("learner", name, folders)
    learner = _embedded(folders[name])
    if learner is None:
        there = ", ".join(each.name for each in embedded_learners())
        raise GnomonError(
            f"learner {name} has no embedded variants: {folders[name].folder / ALGORITHM_FILE} has"
            f" no section embedded (learners with one: {there})"
        )
    return learner


@cache
def _embedded(place: ContentItem) -> EmbeddedLearner | None:
    table, algorithm = read_algorithm(place)
    given = algorithm.embedded
    if given is None and not algorithm.once:
        return None
    given = given or Embedded()
    if not given.variants and not algorithm.once:
        raise GnomonError(f"{table.origin('embedded')}: embedded: needs variants")
    corrected = _corrected(given)
    has_alpha = given.has_alpha and ("alpha" in given.model_fields_set or bool(given.variants))
    variants = []
    for index, each in enumerate(given.variants):
        variant = _variant(each, str(place.folder), corrected)
        for path in variant.paths():
            if not path.is_file():
                where = table.origin("embedded", "variants", index)
                raise GnomonError(f"{where}: embedded.variants.{index}: file {path} does not exist")
        variants.append(variant)
    for name, once in algorithm.once.items():
        origin = f"{table.origin('once', name)}: once.{name}"
        if once.products == 16 and not once.vector:
            raise GnomonError(f"{origin}: products: 16 is for a vector unit: add vector: true")
        alpha = given.alpha if has_alpha else None
        source = OnceSource(str(place.folder), name, once, alpha, origin)
        entry = EmbeddedVariant(
            name=name, line="once", sources=[once.kind], fraction_bits=15, vector=once.vector,
            extensions=["kps"] if once.vector and once.products == 32 else [],
        )  # fmt: skip
        generated = _variant(entry, str(place.folder), corrected)
        variants.append(replace(generated, sources=(), once=source))
    return EmbeddedLearner(
        name=place.name,
        title=algorithm.title,
        has_features=given.has_features,
        alpha=given.alpha,
        warm_steps=given.warm_steps,
        has_alpha=has_alpha,
        fixed_arms=given.fixed_arms,
        late_context=given.late_context,
        exploring=given.exploring,
        turns=given.turns,
        variants=tuple(variants),
    )


def _variant(entry: EmbeddedVariant, folder: str, corrected: str) -> LearnerVariant:
    return LearnerVariant(
        folder=folder,
        name=entry.name,
        line=entry.line,
        sources=tuple(entry.sources),
        kernels=tuple(entry.kernels),
        library=tuple(entry.library),
        program=entry.program,
        vector=entry.vector,
        extensions=tuple(entry.extensions),
        fraction_bits=entry.fraction_bits,
        shares_arms=entry.shares_arms,
        correction_period=entry.correction_period,
        parameters=dict(entry.parameters),
        counted=entry.counted,
        corrected=corrected,
    )


def _corrected(embedded: Embedded) -> str:
    """Return advice for variants without a correction; empty if no variant has one."""
    by_line: dict[str, list[str]] = {}
    for each in embedded.variants:
        if each.correction_period is not None:
            by_line.setdefault(each.line, []).append(each.name)
    choices = [
        f"{' or '.join(names)} of the {line} implementation" for line, names in by_line.items()
    ]
    return f"use {', or '.join(choices)}" if by_line else ""


def _common(name: str) -> Path:
    return content("algorithms", "common", name)
