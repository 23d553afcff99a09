"""Learners by name: folders ``algorithms/<name>/`` with a file ``algorithm.yaml``.

The file names the class of each variant in float64, as ``learner.py:Class`` with a path that is
relative to the folder; folders may share a file, ``../other/file.py:Class``::

    schema: 1
    title: Upper confidence bounds without contexts.
    source: Auer, Cesa-Bianchi and Fischer, 2002
    float:
      standard: learner.py:UCB1
"""

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from gnomon.base.content import ContentItem, found
from gnomon.base.errors import GnomonError, allowed_hint, require_known
from gnomon.base.loading import import_content_module
from gnomon.base.tables import Entry, YamlTable, check_table, read_yaml_table
from gnomon.learn.learner import Learner

ALGORITHM_FILE: Final = "algorithm.yaml"
_CLASS = re.compile(r"(?P<file>[^:]+)\.py:(?P<name>\w+)")


class EmbeddedVariant(Entry):
    """Implementation in C; files are relative to the folder.

    Attributes:
        name: such as standard.
        line: the family of the implementation, one word. Hand-optimized ones have tuned, the
            default; shipped ones with the structure of a published program have paper.
        sources: C files.
        kernels: C files of kernels, such as ``matvec/vector.c``.
        library: file names of those sources that stand for the compiled library of a toolchain,
            such as a 64-bit division; they are built at its level of optimization.
        program: C file of a step, unless the program of all learners is used.
        vector: whether the implementation runs on the vector unit.
        extensions: vector-unit features that it needs beyond the public vector unit.
        fraction_bits: the only number of fraction bits that it supports; without it, any number.
        shares_arms: whether harts can share its arms.
        correction_period: updates between two computations of the inverses from the direct
            matrices; only for variants with such a correction.
        parameters: macros and their values, in addition to the sizes.
        counted: ``file.py:function`` that returns operations of each stage on the scalar core;
            without it, the operations depend on data.
    """

    name: str
    line: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$")] = "tuned"
    sources: Annotated[list[str], Field(min_length=1)]
    kernels: list[str] = Field(default_factory=list)
    library: list[str] = Field(default_factory=list)
    program: str = ""
    vector: bool = False
    extensions: list[str] = Field(default_factory=list)
    fraction_bits: Annotated[int, Field(ge=1, le=29)] | None = None
    shares_arms: bool = False
    correction_period: Annotated[int, Field(ge=1)] | None = None
    parameters: dict[str, int] = Field(default_factory=dict)
    counted: str = Field(alias="counts", default="")


class Exploring(Entry):
    """Rounds of epsilon-greedy that explore: round t does with the probability min(1, p / t).

    Attributes:
        macro: macro that sets p.
        per_arm: p divided by the number of arms, unless the macro is set.
    """

    macro: Annotated[str, Field(pattern="^LEARNER_[A-Z0-9_]+$")]
    per_arm: Annotated[int, Field(ge=1)]


class Embedded(Entry):
    """Embedded part of a learner.

    Attributes:
        has_features: whether arms have their own features, so ``f`` is one of its sizes.
        alpha: weight of the confidence bound, an input of the programs. Without it, and without
            hand-written variants, ``once`` uses the default of the class, a constant.
        warm_steps: steps before the measured step, for a model that is not fresh.
        has_alpha: whether its program reads ``alpha``.
        fixed_arms: whether its arms have d constant features each, with a norm of at most 1, and no
            context exists.
        late_context: whether its update reads the context, for later selections.
        exploring: its explored rounds, if they cost other than exploited ones.
        turns: rounds that each arm takes first, before any is chosen; 0: none.
        variants: its hand-written implementations; the ``line`` of the first is the default.
    """

    has_features: bool = Field(alias="features", default=False)
    alpha: float = 0.0
    warm_steps: Annotated[int, Field(ge=0)] = 64
    has_alpha: bool = True
    fixed_arms: bool = False
    late_context: bool = False
    exploring: Exploring | None = None
    turns: Annotated[int, Field(ge=0)] = 0
    variants: list[EmbeddedVariant] = Field(default_factory=list)


class OnceRecord(Entry):
    """Rounds in which the number formats of generated C are recorded.

    Attributes:
        rounds: rounds of each run.
        seeds: number of runs.
        horizon: rounds that a device may learn; values that still grow are extrapolated to it.
        contexts: distribution of the contexts: uniform from 0 to 1, or normal.
    """

    rounds: Annotated[int, Field(ge=16, le=100_000)] = 500
    seeds: Annotated[int, Field(ge=1, le=64)] = 4
    horizon: Annotated[int, Field(ge=1)] = 10_000
    contexts: Literal["uniform", "normal"] = "normal"


class Once(Entry):
    """Learner written once, in Python, from which gnomon generates fixed-point C.

    Attributes:
        kind: ``file.py:Class`` with ``select(x)`` and ``update(x, arm, reward)``.
        record: rounds in which its number formats are recorded.
        formats: formats of variables that are not chosen, such as ``Q4.27``, by name.
        vector: whether sums of products run on a vector unit.
        products: 32: of a vector unit with post-scaled products; 16: of factors with 16 bits, on
            any vector unit.
        macq: fraction bits that products lose in sums, so that the instruction ``macq`` of a unit
            with this ``fraction`` computes them; 0: as formats are best without it.
    """

    kind: str = Field(alias="class")
    record: OnceRecord = Field(default_factory=OnceRecord)
    vector: bool = False
    products: Literal[16, 32] = 32
    macq: Annotated[int, Field(ge=0, le=31)] = 0
    formats: dict[str, Annotated[str, Field(pattern=r"^Q[0-9]{1,2}\.[0-9]{1,2}$")]] = Field(
        default_factory=dict
    )


class Algorithm(Entry):
    """Content of ``algorithm.yaml``.

    Attributes:
        schema_version: 1.
        title: one-line description.
        source: the paper of the algorithm.
        float_variants: the class of each float64 variant; the first is the default.
        waives: contract checks that need not hold: the reason, by name of the check.
        embedded: its implementations in C.
        once: by name of the variant, classes from which gnomon generates C (implementation once).
    """

    schema_version: Literal[1] = Field(alias="schema")
    title: str
    source: str = ""
    float_variants: dict[str, str] = Field(alias="float", default_factory=dict)
    waives: dict[str, str] = Field(default_factory=dict)
    embedded: Embedded | None = None
    once: dict[Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$")], Once] = Field(
        default_factory=dict
    )


@cache
def read_algorithm(folder: ContentItem) -> tuple[YamlTable, Algorithm]:
    """Return ``algorithm.yaml`` of a folder, as a table with line numbers and as a model.

    Raises:
        GnomonError: if an entry is wrong; the message names each with ``file:line``.
    """
    table = read_yaml_table(folder.folder / ALGORITHM_FILE)
    return table, check_table(table, Algorithm)


def algorithms() -> dict[str, Algorithm]:
    """Return all learners that are found, by name, including learners in C only.

    Raises:
        GnomonError: if one of the files is wrong.
    """
    return {name: read_algorithm(each)[1] for name, each in found("algorithms").items()}


def learners() -> dict[tuple[str, str], type[Learner]]:
    """Return the classes of all learners in float64, by name and variant.

    Raises:
        GnomonError: if a file or its class is wrong.
    """
    return {
        (name, variant): find_learner(name, variant)
        for name, each in algorithms().items()
        for variant in each.float_variants
    }


def find_learner(name: str, variant: str | None = None) -> type[Learner]:
    """Return the class of a learner and variant; by default its first variant.

    Raises:
        GnomonError: if no such class exists, or its file or class is wrong.
    """
    there = {of: each.float_variants for of, each in algorithms().items() if each.float_variants}
    variants = there[require_known("learner", name, there)]
    variant = next(iter(variants)) if variant is None else variant
    if variant not in variants:
        raise GnomonError(
            f"learner {name} has no variant {variant!r} {allowed_hint(variant, variants)}"
        )
    return _load(found("algorithms")[name], variant, variants[variant])


def load_class(folder: Path, text: str, origin: str) -> type[Any]:
    """Return the class that ``FILE.py:CLASS`` names, relative to a folder of content.

    Raises:
        GnomonError: if there is none, or its file fails; ``origin`` names the entry.
    """
    match = _CLASS.fullmatch(text)
    if match is None:
        raise GnomonError(f"{origin}: must be FILE.py:CLASS, not {text!r}")
    file = Path(folder, match["file"])
    place = (file.parent.resolve() if ".." in file.parts else file.parent, file.name)
    kind = getattr(import_content_module(*place), match["name"], None)
    if not isinstance(kind, type):
        raise GnomonError(f"{origin}: {match['file']}.py has no class {match['name']} of learners")
    return kind


def _load(folder: ContentItem, variant: str, text: str) -> type[Learner]:
    origin = f"{read_algorithm(folder)[0].origin('float', variant)}: float.{variant}"
    kind = load_class(folder.folder, text, origin)
    if not issubclass(kind, Learner):
        raise GnomonError(f"{origin}: {text} is not a class of learners")
    if lacking := sorted(getattr(kind, "__abstractmethods__", ())):
        raise GnomonError(f"{origin}: {kind.__name__} lacks {', '.join(lacking)}")
    says = (getattr(kind, "name", None), getattr(kind, "variant", None))
    if says != (folder.name, variant):
        raise GnomonError(
            f"{origin}: {kind.__name__} has name and variant {says[0]!r}, {says[1]!r};"
            f" they must be {folder.name!r}, {variant!r}"
        )
    return kind
