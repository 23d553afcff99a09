"""``kernel.yaml``: the folders ``kernels/<name>/`` and what their descriptions say.

:mod:`gnomon.measure.kernels._kernel` says what belongs to a description in ``model.py``.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from gnomon.base.content import ContentItem, content, find, found
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.tables import Entry, YamlTable, check_table, read_yaml_table

Sizes = list[str | int]
"""Expressions over the extents, such as ``rows * columns``.

They are whole numbers, extents, ``+ - * // **``, ``min`` and ``max``.
"""

_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_FUNCTIONS = {"min": min, "max": max}


class Bits(Entry):
    """A limit of the number format, and what more fraction bits leave no room for."""

    bits: int
    room_for: str


class VariantEntry(Entry):
    """One implementation.

    Attributes:
        function: its name in C.
        sources: C files of the folder, of another kernel (``matvec/vector.c``), or shared ones
            (``fx_divide.c``).
        vector: needs the vector unit.
        scratchpads: how many of them it uses, from the first one on; 4 if left out. Where it
            includes ``fx_vector.h``, its C says so before that, as ``FX_SCRATCHPADS``.
        contract: how it rounds, and what it does out of range, in a line.
        model: a function of ``model.py`` that gives the bits of the result.
        error_bound: a function of ``model.py`` that gives the largest error in real numbers, or a
            number of steps.
        returns_status: an ``enum fx_status``; the model then returns a pair.
        obstacle: a function of ``model.py``, of the machine, the format and the extents, that says
            why a machine cannot run it, or gives None.
        most_fraction_bits: of the formats it works in, as ``bits``, and what more have no
            ``room_for``.
        harts: how many work together; 1 if left out.
        helper: ``void helper(uint32_t hart)`` in C, which harts 1 to ``harts`` - 1 run while hart 0
            runs ``function``; it has no operands of its own, the sources hand them over.
            ``GNOMON_ACTIVE_HARTS`` is ``harts``.
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
        schema_version: version of this file format, 1.
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
def describe(folder: ContentItem) -> tuple[YamlTable, KernelFile]:
    """``kernel.yaml`` of a folder, with its lines and as what it says."""
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
    problems += [
        (("in_place",), f"{name!r} is no operand {allowed_hint(name, said.operands)}")
        for name in said.in_place
        if name not in said.operands
    ]
    try:
        said.input.format(**some)
    except (KeyError, IndexError, ValueError) as error:
        problems.append((("input",), f"{error} is no extent"))
    if problems:
        shown = [f"{table.origin(*place)}: {'.'.join(map(str, place))}: {what}"
                 for place, what in problems]  # fmt: skip
        raise GnomonError("\n".join(shown))
    return table, said


def kernel_files() -> dict[str, KernelFile]:
    """Return what each ``kernel.yaml`` says, by the kernel's name; no ``model.py`` is loaded.

    Raises:
        GnomonError: with what is wrong, ``file:line``.
    """
    return {name: describe(folder)[1] for name, folder in found("kernels").items()}


def kernel_source(name: str) -> Path:
    """Return a C file: of a kernel, such as ``matvec/vector.c``, or shared, ``fx_divide.c``.

    Raises:
        GnomonError: there is no such kernel.
    """
    folder, _, file = name.rpartition("/")
    if not folder:
        return content("kernels", "common", file)
    return find("kernels", folder.replace("_", "-")).folder / file


def include_folders() -> list[Path]:
    """Return the folders of headers, for ``#include "fx.h"`` and ``"matvec/matvec.h"``."""
    folders = dict.fromkeys(each.folder.parent for each in found("kernels").values())
    return [content("kernels", "common"), *folders]


def evaluate(text: str | int, extents: Mapping[str, int]) -> int:
    """The value of an expression over extents.

    Raises:
        ValueError: it has something else in it; says what.
    """
    return _value(_parsed(str(text)), extents)


@cache
def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ValueError(f"{text!r} is no arithmetic expression") from None


def _value(node: ast.expr, extents: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name in extents:
            return extents[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            value = _OPERATORS[type(op)](_value(left, extents), _value(right, extents))
            return int(value)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return int(_FUNCTIONS[name](_value(each, extents) for each in args))
    raise ValueError(
        f"{ast.unparse(node)!r} is none of: whole numbers, {', '.join(extents)}, + - * // **,"
        " min(), max()"
    )
