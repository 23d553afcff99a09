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
from typing import Annotated, Final, Literal

from pydantic import Field

from gnomon.base.content import ContentItem, found
from gnomon.base.errors import GnomonError, allowed_hint, require_known
from gnomon.base.loading import import_content_module
from gnomon.base.tables import Entry, YamlTable, check_table, read_yaml_table
from gnomon.learn.learner import Learner

ALGORITHM_FILE: Final = "algorithm.yaml"
_CLASS = re.compile(r"(?P<file>[^:]+)\.py:(?P<name>\w+)")


class EmbeddedVariant(Entry):
    """One implementation in C; files are relative to the folder.

    Attributes:
        name: such as standard.
        line: the implementation that it belongs to, a word such as tuned, optimized by hand, which
            it is if left out; shipped ones with the structure of a published program are of paper.
        sources: C files.
        kernels: C files of kernels, such as ``matvec/vector.c``.
        library: file names of those sources that stand for the compiled library of a toolchain,
            such as a 64-bit division; they are built at its level of optimization.
        program: C file of a step, if not that of all learners.
        vector: it runs on the vector unit.
        extensions: what the vector unit must have beyond the public one.
        fraction_bits: the only number of them that it computes with; without it, any.
        shares_arms: harts can share its arms.
        correction_period: updates from one computation of the inverses from the direct matrices to
            the next; only of variants that have one.
        parameters: macros and their values, beyond the sizes.
        counted: ``file.py:function`` that gives operations of each stage on the scalar core;
            without it, they depend on data.
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


class Embedded(Entry):
    """The embedded half of a learner.

    Attributes:
        has_features: arms have features of their own, so ``f`` is one of its sizes.
        alpha: weight of the confidence bound in the published program.
        warm_steps: steps before the one that is measured, of a model that is not fresh.
        has_alpha: its program reads ``alpha``.
        fixed_arms: its arms have d features each that never change, at most 1 long, and there is no
            context.
        late_context: its update reads the context, for the selections after it.
        variants: its implementations; the ``line`` of the first is the usual one.
    """

    has_features: bool = Field(alias="features", default=False)
    alpha: float = 0.0
    warm_steps: Annotated[int, Field(ge=0)] = 64
    has_alpha: bool = True
    fixed_arms: bool = False
    late_context: bool = False
    variants: Annotated[list[EmbeddedVariant], Field(min_length=1)]


class Algorithm(Entry):
    """``algorithm.yaml``.

    Attributes:
        schema_version: 1.
        title: what it is, in a line.
        source: the paper it is from.
        float_variants: the class of each variant in float64, the first one the usual one.
        waives: checks of the contract that need not hold, by name, and why.
        embedded: its implementations in C.
    """

    schema_version: Literal[1] = Field(alias="schema")
    title: str
    source: str = ""
    float_variants: dict[str, str] = Field(alias="float", default_factory=dict)
    waives: dict[str, str] = Field(default_factory=dict)
    embedded: Embedded | None = None


@cache
def read_algorithm(folder: ContentItem) -> tuple[YamlTable, Algorithm]:
    """``algorithm.yaml`` of a folder, with its lines and as what it says.

    Raises:
        GnomonError: with every wrong entry, ``file:line``.
    """
    table = read_yaml_table(folder.folder / ALGORITHM_FILE)
    return table, check_table(table, Algorithm)


def algorithms() -> dict[str, Algorithm]:
    """All that are found, by name, those with learners in C only included.

    Raises:
        GnomonError: one of the files is wrong.
    """
    return {name: read_algorithm(each)[1] for name, each in found("algorithms").items()}


def learners() -> dict[tuple[str, str], type[Learner]]:
    """The classes of all learners in float64, by name and variant.

    Raises:
        GnomonError: a file or a class of one is wrong.
    """
    return {
        (name, variant): find_learner(name, variant)
        for name, each in algorithms().items()
        for variant in each.float_variants
    }


def find_learner(name: str, variant: str | None = None) -> type[Learner]:
    """The class of a learner and variant; without one, of its first variant.

    Raises:
        GnomonError: there is none, or its file or class is wrong.
    """
    there = {of: each.float_variants for of, each in algorithms().items() if each.float_variants}
    variants = there[require_known("learner", name, there)]
    variant = next(iter(variants)) if variant is None else variant
    if variant not in variants:
        raise GnomonError(
            f"learner {name} has no variant {variant!r} {allowed_hint(variant, variants)}"
        )
    return _load(found("algorithms")[name], variant, variants[variant])


def _load(folder: ContentItem, variant: str, text: str) -> type[Learner]:
    origin = f"{read_algorithm(folder)[0].origin('float', variant)}: float.{variant}"
    match = _CLASS.fullmatch(text)
    if match is None:
        raise GnomonError(f"{origin}: must be FILE.py:CLASS, not {text!r}")
    file = Path(folder.folder, match["file"])
    place = (file.parent.resolve() if ".." in file.parts else file.parent, file.name)
    kind = getattr(import_content_module(*place), match["name"], None)
    if not isinstance(kind, type) or not issubclass(kind, Learner):
        raise GnomonError(f"{origin}: {match['file']}.py has no class {match['name']} of learners")
    if lacking := sorted(getattr(kind, "__abstractmethods__", ())):
        raise GnomonError(f"{origin}: {match['name']} lacks {', '.join(lacking)}")
    says = (getattr(kind, "name", None), getattr(kind, "variant", None))
    if says != (folder.name, variant):
        raise GnomonError(
            f"{origin}: {match['name']} has name and variant {says[0]!r}, {says[1]!r};"
            f" they must be {folder.name!r}, {variant!r}"
        )
    return kind
