"""``kernel.yaml``: descriptions of kernels in the folders ``kernels/<name>/``.

:mod:`gnomon.measure.kernels._kernel` describes the functions of ``model.py``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from gnomon.base.content import ContentItem, content, find, found
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.expressions import evaluate
from gnomon.base.tables import Entry, YamlTable, check_table, read_yaml_table

Sizes = list[str | int]
"""Expressions over the extents, such as ``rows * columns``.

They are whole numbers, extents, ``+ - * // **``, ``min`` and ``max``.
"""


class Bits(Entry):
    """Limit of the number format, and the quantity that more fraction bits would exclude."""

    bits: int
    room_for: str


class VariantEntry(Entry):
    """Implementation of a kernel.

    Attributes:
        function: its name in C.
        sources: C files of the folder, of another kernel (``matvec/vector.c``), or shared ones
            (``fx_divide.c``).
        vector: whether it needs the vector unit.
        scratchpads: number of scratchpads in use, from the first; 4 by default. C files that
            include ``fx_vector.h`` define the same number as ``FX_SCRATCHPADS`` before.
        contract: one line on rounding and on behavior out of range.
        model: a function of ``model.py`` that returns the bits of the result.
        error_bound: a function of ``model.py`` that returns the largest error in real numbers, or a
            number of steps.
        returns_status: whether it returns an ``enum fx_status``; the model then returns a pair.
        obstacle: a function of ``model.py`` with the machine, the format and the extents as
            arguments. It returns the reason why a machine cannot run the variant, or None.
        most_fraction_bits: largest number of fraction bits, as ``bits``, and the quantity that more
            bits leave no ``room_for``.
        harts: number of harts that work together; 1 by default.
        helper: ``void helper(uint32_t hart)`` in C, which harts 1 to ``harts`` - 1 run while hart 0
            runs ``function``. It has no operands; the sources pass them. ``GNOMON_ACTIVE_HARTS`` is
            ``harts``.
    """

    function: str
    sources: list[str] = Field(min_length=1)
    vector: bool = False
    scratchpads: int = Field(default=4, ge=1, le=8)
    contract: str
    model: str = "model"
    error_bound: int | str
    returns_status: bool = False
    obstacle: str = ""
    most_fraction_bits: Bits | None = None
    harts: int = Field(default=1, ge=1)
    helper: str | None = None


class Traced(Entry):
    """Traced call under another name or size, with the reason; rejected if it has no extents."""

    shape: list[str] = Field(default_factory=list)
    extents: Sizes = Field(default_factory=list)
    why: str

    def extents_at(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the extents of the kernel for a call of this shape."""
        names = dict(zip(self.shape, shape, strict=True))
        return tuple(evaluate(size, names) for size in self.extents)


class KernelFile(Entry):
    """Content of ``kernel.yaml``.

    Attributes:
        schema_version: version of this file format, 1.
        title: one-line description.
        extents: names of the numbers that determine its size.
        square: the extents for ``--n``, from ``n``.
        operands: their shapes, by name, in the order of the C parameters.
        result: its shape; the C functions take a pointer to it after the operands.
        arguments: the last arguments of the C functions, which are numbers.
        work_words: 32-bit words of workspace; the C functions take a pointer to it after the
            result.
        in_place: operands that the result may overwrite.
        result_is_index: whether the result is a whole number instead of fixed point.
        input: range of the generated operands; ``{rows}`` stands for an extent.
        driver: a C file that calls a variant, if the generated one is unsuitable.
        vector_work: a function of ``model.py``, for ``cycle_bound``.
        traces: calls of traces that this kernel covers, if names or sizes differ.
        variants: its implementations, by name; speedups refer to the first.
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


@cache
def read_kernel_file(folder: ContentItem) -> tuple[YamlTable, KernelFile]:
    """Return ``kernel.yaml`` of a folder, as a table with line numbers and as a model."""
    table = read_yaml_table(folder.folder / "kernel.yaml")
    file = check_table(table, KernelFile)
    some = dict.fromkeys(file.extents, 2)
    each: list[tuple[tuple[str | int, ...], Sizes, dict[str, int]]] = [
        (("square",), file.square, {"n": 2}),
        (("result",), file.result, some),
        (("arguments",), file.arguments, some),
        (("work_words",), [file.work_words], some),
        *((("operands", name), sizes, some) for name, sizes in file.operands.items()),
        *(
            (("traces", name, "extents"), call.extents, dict.fromkeys(call.shape, 2))
            for name, call in file.traces.items()
        ),
    ]
    problems = []
    for place, sizes, names in each:
        for size in sizes:
            try:
                evaluate(size, names)
            except ValueError as error:
                problems.append((place, str(error)))
    if len(file.square) != len(file.extents):
        problems.append((("square",), f"must have {len(file.extents)} number(s), one per extent"))
    problems += [
        (("in_place",), f"{name!r} is not an operand {allowed_hint(name, file.operands)}")
        for name in file.in_place
        if name not in file.operands
    ]
    try:
        file.input.format(**some)
    except (KeyError, IndexError, ValueError) as error:
        problems.append((("input",), f"{error} is not an extent"))
    if problems:
        shown = [f"{table.origin(*place)}: {'.'.join(map(str, place))}: {what}"
                 for place, what in problems]  # fmt: skip
        raise GnomonError("\n".join(shown))
    return table, file


def kernel_files() -> dict[str, KernelFile]:
    """Return the content of each ``kernel.yaml``, by name of the kernel, without its ``model.py``.

    Raises:
        GnomonError: if a file is wrong; the message names ``file:line``.
    """
    return {name: read_kernel_file(folder)[1] for name, folder in found("kernels").items()}


def kernel_source(name: str) -> Path:
    """Return a C file: of a kernel, such as ``matvec/vector.c``, or shared, ``fx_divide.c``.

    Raises:
        GnomonError: if no such kernel exists.
    """
    folder, _, file = name.rpartition("/")
    if not folder:
        return content("kernels", "common", file)
    return find("kernels", folder.replace("_", "-")).folder / file


def include_folders() -> list[Path]:
    """Return the folders of headers, for ``#include "fx.h"`` and ``"matvec/matvec.h"``."""
    folders = dict.fromkeys(each.folder.parent for each in found("kernels").values())
    return [content("kernels", "common"), *folders]
