"""Kernels by name: folders ``kernels/<name>/`` with ``kernel.yaml``, ``model.py`` and C.

The functions of ``model.py`` take the number format and then one argument for each operand
(``exact``: operands alone, in real numbers) or, after format and generator, for each extent::

    def exact(a, x): ...                  # real numbers in, real numbers out
    def generate(fixed, rng, n): ...      # random operands, int64 arrays of steps
    def model(fixed, a, x): ...           # the bits of the result, with the status if it has one
    def error_bound(fixed, a, x): ...     # of real operands, in real numbers
    def obstacle(architecture, fixed, n): ...  # why a machine cannot run it, or None
"""

from __future__ import annotations

import inspect
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from gnomon.base.content import Found, content, find, found
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.loading import blamed, load
from gnomon.base.tables import Entry, YamlTable, check_table, read_yaml_table, shown_path
from gnomon.bench.kernels._expression import evaluate
from gnomon.bench.kernels._kernel import Extents, Kernel, Variant
from gnomon.bench.kernels.fixed import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.arch import Architecture
    from gnomon.bench.kernels._kernel import Operands
    from gnomon.bench.kernels.fixed import Answer, FixedPoint, Reals

Sizes = list[str | int]
"""Expressions over the extents, such as ``rows * columns``."""


class Bits(Entry):
    """A limit of the number format, and what more fraction bits leave no room for."""

    bits: int
    room_for: str


class VariantEntry(Entry):
    """One implementation.

    Attributes:
        function: in C.
        sources: C files of the folder, of another kernel (``matvec/vector.c``), or shared ones
            (``fx_divide.c``).
        vector: needs the vector unit.
        contract: how it rounds, and what it does out of range, in a line.
        model: a function of ``model.py``.
        error_bound: another, or a number of steps.
        returns_status: an ``enum fx_status``; the model then returns a pair.
        obstacle: a function of ``model.py``.
        most_fraction_bits: of the formats it works in.
        harts: how many work together.
        helper: the function in C of harts other than 0.
    """

    function: str
    sources: list[str] = Field(min_length=1)
    vector: bool = False
    contract: str
    model: str = "model"
    error_bound: int | str
    returns_status: bool = False
    obstacle: str = ""
    most_fraction_bits: Bits | None = None
    harts: int = Field(default=1, ge=1)
    helper: str | None = None


class Traced(Entry):
    """A kernel of traces under another name or size, and why; without extents, it is refused."""

    shape: list[str] = Field(default_factory=list)
    extents: Sizes = Field(default_factory=list)
    why: str

    def extents_at(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The extents of the kernel for a call of this shape."""
        names = dict(zip(self.shape, shape, strict=True))
        return tuple(evaluate(size, names) for size in self.extents)


class KernelFile(Entry):
    """``kernel.yaml``.

    Attributes:
        title: what it computes, in a line.
        extents: names of the numbers that size it.
        square: the extents that ``--n`` means, from ``n``.
        operands: their shapes, by name, in the order of the C parameters.
        result: its shape; the C functions take a pointer to it after the operands.
        arguments: the numbers that the C functions take last.
        work_words: words of workspace, for which they take a pointer after the result.
        in_place: operands in whose place the result may be written.
        result_is_index: the result is a whole number and not fixed point.
        input: range of the generated operands; ``{rows}`` stands for an extent.
        driver: a C file that calls a variant, where the generated one does not do.
        vector_work: a function of ``model.py``, for ``cycle_bound``.
        traces: which calls of traces it is, where names or sizes differ.
    """

    schema_version: Literal[1] = Field(alias="schema")
    title: str
    extents: list[str] = Field(min_length=1)
    square: Sizes
    operands: dict[str, Sizes] = Field(min_length=1)
    result: Sizes
    arguments: Sizes
    work_words: int | str = 0
    in_place: list[str] = Field(default_factory=list)
    result_is_index: bool = False
    input: str
    driver: str | None = None
    vector_work: str | None = None
    traces: dict[str, Traced] = Field(default_factory=dict)
    variants: dict[str, VariantEntry] = Field(min_length=1)

    @classmethod
    def read(cls, folder: Found) -> KernelFile:
        """What the file of a folder says; nothing of the kernel is loaded.

        Raises:
            GnomonError: with what is wrong, ``file:line``.
        """
        return describe(folder)[1]


def kernels() -> tuple[Kernel, ...]:
    """All that are found.

    Raises:
        GnomonError: one is wrong, or two have one name.
    """
    return tuple(_load(each) for each in found("kernels").values())


def find_kernel(name: str) -> Kernel:
    """The kernel called ``name``.

    Raises:
        GnomonError: there is none, or its folder is wrong: ``file:line: what``.
    """
    return _load(find("kernels", name))


@cache
def describe(folder: Found) -> tuple[YamlTable, KernelFile]:
    """``kernel.yaml`` of a folder, with its lines and as what it says.

    Raises:
        GnomonError: with what is wrong, ``file:line``.
    """
    table = read_yaml_table(folder.folder / "kernel.yaml")
    said = check_table(table, KernelFile)
    some = dict.fromkeys(said.extents, 2)
    each: list[tuple[tuple[str | int, ...], Sizes, dict[str, int]]] = [
        (("square",), said.square, {"n": 2}),
        (("result",), said.result, some),
        (("arguments",), said.arguments, some),
        (("work_words",), [said.work_words], some),
        *((("operands", name), sizes, some) for name, sizes in said.operands.items()),
        *(
            (("traces", name, "extents"), call.extents, dict.fromkeys(call.shape, 2))
            for name, call in said.traces.items()
        ),
    ]
    problems = []
    for place, sizes, names in each:
        for size in sizes:
            try:
                evaluate(size, names)
            except ValueError as error:
                problems.append((place, str(error)))
    if len(said.square) != len(said.extents):
        problems.append((("square",), f"must have {len(said.extents)} number(s), one per extent"))
    for name in said.in_place:
        if name not in said.operands:
            hint = did_you_mean(name, said.operands)
            problems.append(
                (
                    ("in_place",),
                    f"{name!r} is no operand (allowed: {', '.join(said.operands)}{hint})",
                )
            )
    try:
        said.input.format(**some)
    except (KeyError, IndexError, ValueError) as error:
        problems.append((("input",), f"{error} is no extent"))
    if problems:
        shown = [f"{table.origin(*place)}: {'.'.join(map(str, place))}: {what}"
                 for place, what in problems]  # fmt: skip
        raise GnomonError("\n".join(shown))
    return table, said


def kernel_source(name: str) -> Path:
    """A C file: of a kernel, such as ``matvec/vector.c``, or shared, such as ``fx_divide.c``.

    Raises:
        GnomonError: there is no such kernel.
    """
    folder, _, file = name.rpartition("/")
    if not folder:
        return content("kernels", "common", file)
    return find("kernels", folder.replace("_", "-")).folder / file


def kernel_include() -> list[Path]:
    """Folders of headers, for ``#include "fx.h"`` and ``#include "matvec/matvec.h"``."""
    folders = dict.fromkeys(each.folder.parent for each in found("kernels").values())
    return [content("kernels", "common"), *folders]


@cache
def _load(folder: Found) -> Kernel:
    return _Loader(folder).kernel()


class _Loader:
    """One folder on its way to a :class:`Kernel`."""

    def __init__(self, folder: Found) -> None:
        self.folder = folder
        self.table, self.said = describe(folder)
        self.module = load(folder.folder, "model")

    def kernel(self) -> Kernel:
        said = self.said
        exact = self.function("exact", len(said.operands), ("variants",))
        generate = self.function("generate", 2 + len(said.extents), ("extents",))
        names = list(said.operands)
        return Kernel(
            name=self.folder.name,
            title=said.title,
            folder=self.folder.folder,
            extents=tuple(said.extents),
            square=lambda n: tuple(evaluate(size, {"n": n}) for size in said.square),
            operand_names=tuple(names),
            operand_shapes=lambda extents: tuple(
                self.sizes(shape, extents) for shape in said.operands.values()
            ),
            result_shape=lambda extents: self.sizes(said.result, extents),
            arguments=lambda extents: self.sizes(said.arguments, extents),
            exact=lambda operands: exact(*operands),
            generate=lambda fixed, extents, rng: tuple(generate(fixed, rng, *extents)),
            input_range=lambda extents: said.input.format(**self.named(extents)),
            variants=tuple(self.variant(*each) for each in said.variants.items()),
            work_words=self.work_words,
            in_place=tuple(names.index(name) for name in said.in_place),
            result_is_index=said.result_is_index,
            driver=None if said.driver is None else self.source(said.driver, ("driver",)),
            vector_work=None
            if said.vector_work is None
            else self.function(said.vector_work, len(said.extents), ("vector_work",)),
        )

    def variant(self, name: str, said: VariantEntry) -> Variant:
        place = ("variants", name)
        answer = self.model(said, (*place, "model"))
        return Variant(
            name=name,
            function=said.function,
            sources=tuple(
                self.source(each, (*place, "sources", n)) for n, each in enumerate(said.sources)
            ),
            vector=said.vector,
            contract=said.contract,
            model=lambda fixed, operands: answer(fixed, operands)[0],
            error_bound=self.error_bound(said, (*place, "error_bound")),
            status=(lambda fixed, operands: answer(fixed, operands)[1])
            if said.returns_status
            else None,
            obstacle=self.obstacle(said, (*place, "obstacle")),
            harts=said.harts,
            helper=said.helper,
        )

    def model(
        self, said: VariantEntry, place: tuple[str | int, ...]
    ) -> Callable[[FixedPoint, Operands], Answer]:
        function = self.function(said.model, 1 + len(self.said.operands), place)

        def answer(fixed: FixedPoint, operands: Operands) -> Answer:
            given = function(fixed, *operands)
            pair = given if said.returns_status else (given, Status.OK)
            try:
                result, status = pair[0], Status(pair[1])
                good = isinstance(result, np.ndarray) and result.dtype == np.int64
            except (TypeError, ValueError, IndexError):
                good = False
            if not good:
                what = "an int64 array and a Status" if said.returns_status else "an int64 array"
                raise GnomonError(
                    f"{self.place_of(said.model)}: {said.model} must return {what}, not {given!r}"
                )
            return result, status

        return answer

    def error_bound(
        self, said: VariantEntry, place: tuple[str | int, ...]
    ) -> Callable[[FixedPoint, Operands], Reals]:
        if isinstance(said.error_bound, int):
            steps = said.error_bound
            return lambda fixed, _: np.array(steps * fixed.step)
        bound = self.function(said.error_bound, 1 + len(self.said.operands), place)
        return lambda fixed, operands: np.asarray(bound(fixed, *map(fixed.to_real, operands)))

    def obstacle(
        self, said: VariantEntry, place: tuple[str | int, ...]
    ) -> Callable[[Architecture, Extents, FixedPoint], str | None]:
        most = said.most_fraction_bits
        own: Callable[..., str | None] = (
            self.function(said.obstacle, 2 + len(self.said.extents), place)
            if said.obstacle
            else lambda *_: None
        )

        def obstacle(architecture: Architecture, extents: Extents, fixed: FixedPoint) -> str | None:
            found_own = own(architecture, fixed, *extents)
            if found_own is None and most is not None and fixed.fraction_bits > most.bits:
                return (
                    f"{fixed.fraction_bits} fraction bits leave no room for {most.room_for}"
                    f" (at most {most.bits})"
                )
            return found_own

        return obstacle

    def sizes(self, sizes: Sequence[str | int], extents: Extents) -> tuple[int, ...]:
        named = self.named(extents)
        return tuple(evaluate(size, named) for size in sizes)

    def named(self, extents: Extents) -> dict[str, int]:
        return dict(zip(self.said.extents, extents, strict=True))

    def work_words(self, extents: Extents) -> int:
        """Never 0 where the C functions take a pointer to workspace."""
        words = self.said.work_words
        return max(1, evaluate(words, self.named(extents))) if words != 0 else 0

    def source(self, name: str, place: tuple[str | int, ...]) -> Path:
        own = self.folder.folder / name
        path = own if own.is_file() else kernel_source(name)
        if not path.is_file():
            raise GnomonError(
                f"{self.table.origin(*place)}: {name}: there is no such file in"
                f" {shown_path(self.folder.folder)} or among the shared ones of"
                f" {shown_path(content('kernels', 'common'))}"
            )
        return path

    def place_of(self, name: str) -> str:
        """``file:line`` of a function of ``model.py``."""
        code = inspect.unwrap(getattr(self.module, name)).__code__
        return f"{shown_path(Path(code.co_filename))}:{code.co_firstlineno}"

    def function(self, name: str, count: int, place: tuple[str | int, ...]) -> Callable[..., Any]:
        """A function of ``model.py``, whose own errors say where in the folder they are."""
        file = shown_path(self.folder.folder / "model.py")
        function = getattr(self.module, name, None)
        if not callable(function):
            raise GnomonError(
                f"{self.table.origin(*place)}: {'.'.join(map(str, place))}: {file} has no"
                f" function {name!r}"
            )
        kinds = [each.kind for each in inspect.signature(function).parameters.values()]
        if inspect.Parameter.VAR_POSITIONAL not in kinds and len(kinds) != count:
            raise GnomonError(
                f"{self.place_of(name)}: {name} takes {len(kinds)} argument(s), but {count} are"
                " given to it: see the operands and extents in kernel.yaml"
            )

        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except GnomonError:
                raise
            except Exception as error:
                raise GnomonError(blamed(error, self.folder.folder)) from error

        return call
