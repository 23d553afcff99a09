"""The cells as CSV and as a Markdown page."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from .cells import (
    ARMS,
    FITTED_D,
    PARAMS,
    READINGS,
    ROOMY_SCRATCHPADS,
    STATED_D,
    VARIANTS,
    VECTOR_MACHINE,
    band_of,
)
from .cells_tuned import tuned_note, tuned_table
from .inverse_bound import published_inverse_bound

if TYPE_CHECKING:
    from .cells import Cell, Cells, Refusal

COLUMNS = (
    "table", "algorithm", "platform", "variant", "param_name", "param", "metric", "unit", "line",
    "reading", "published", "ours", "ratio", "note",
)  # fmt: skip

_CLASSES = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump", "csr", "kmem", "kdsp",
)  # fmt: skip
_PARTS = {
    "products": ("multiply_", "scale_"),
    "inverse": ("inverse_",),
    "divisions": ("paper_divide", "divide_"),
    "copies": ("memcpy", "memset", "transpose_", "reshape_"),
}

_HEAD = """\
# Tables 2 and 3 on the T13

The published cycle counts beside those of our compiled paper line. What exactly is run was written
down before the first comparison: [docs/paper-line.md](../../docs/paper-line.md). Nothing is scaled
or fitted. Behind the tables, the same cells by the tuned line: the best we can write for the
machine, [docs/tuned-line.md](../../docs/tuned-line.md).

- Machine: `t13`, with the vector unit (+vcu) `{vector_machine}`; one hart works, the two others
  sleep. Table 3 has 4 MiB of data memory.
- hart: cycles in which the hart holds the execute stage; wall: cycles from start to end. The
  published counts are of the first kind.
- random: hart cycles on a model after 64 random steps and on a random context, over those of the
  fresh model and zeros that the cells use.
- Every run's chosen arm, scores and model were compared bit by bit with the same C on the computer
  that made this page.
- Compiler: {compiler}; flags of the first cell: `{flags}`
"""

_CAUSE = """\
## Why they differ

Hart cycles per multiply-accumulate of the inverse, from the leading coefficient of the cubic
through the four std cells of a table (7/3 n³ of them; the inverse is the only cubic term):

| | published | ours |
|---|---:|---:|
| Table 2 | {two_published:.1f} | {two_ours:.1f} |
| Table 3 | {three_published:.1f} | {three_ours:.1f} |

Both tables invert with the same function, and ours costs the same in both. The published one
costs {factor:.2f} times as much in Table 3 as in Table 2; the tables do not say what differs, build
settings or how cycles were counted. This cost alone would give ratios of {two_ratio:.2f} in Table 2
and {three_ratio:.2f} in Table 3, near the std cells of large size in both. What the opt cells
differ beyond that comes from the sequence of the optimised programs, which is not public: ours
does more work in Table 2 and less in Table 3.

The same shows with the vector unit. Our std+vcu programs run the same kernels in both tables.
Their ratio is {vector_two:.2f} in Table 2 (d = 32) and {vector_three:.2f} in Table 3 (f = 16),
{vector_factor:.2f} times that; the ratios of the scalar std programs there are {scalar_two:.2f}
and {scalar_three:.2f}, {scalar_factor:.2f} times. The published vector columns alone show it:

- Table 2: eight inverses of 32 x 32 and all else take {two_all:,}, so one takes
  {two_at_most:,.0f} at most.
- Table 3, f = 8: std+vcu less opt+vcu is one such inverse and eight of 4 x 4, less what the
  optimised update does more. The eight take at most what all of Table 2 takes at d = 4. That
  leaves {three_at_least:,} for the one at least, {bound_factor:.2f} times or more.

{room}
One multiply-accumulate of our matrix product takes 16 instructions, among them two loads, a MUL
and a MULH: 20 hart cycles. Below: the share of hart cycles by part, and the instructions by class;
kmem are transfers, kdsp vector instructions. With the vector unit the divisions of an inverse are
part of it. Repeats are the issue slots that a vector instruction takes while the unit is busy;
transfers wait in decode, in no hart cycle of theirs, as on the RTL.
"""


def note_of(cell: Cell, cells: Cells) -> str:
    """Instruction mix of a cell, and the cause if it is outside its band."""
    if cell.line == "tuned":
        return tuned_note(cell, cells)
    mix = _mix_of(cell)
    if cell.d == STATED_D:
        return f"d = {STATED_D} as the text says, the published counts fit {FITTED_D}; {mix}"
    stated = "" if cell.d is None else f"d = {cell.d}; "
    if cell.in_band:
        return stated + mix
    low, high = cell.band
    note = f"{stated}outside {low:.2f}..{high:.2f}: {mix}"
    if cell.key.table != 3:
        return note
    two, three = (cells.cycles_per_product(table) for table in (2, 3))
    per_product = (
        f"per product of the inverse the published tables need {two[0]:.1f} (Table 2) and"
        f" {three[0]:.1f} (Table 3), ours {two[1]:.1f} and {three[1]:.1f}"
    )
    if cell.is_vector:
        same = cells.column(2, cell.key.variant, None)[-1].ratio("hart")
        bound = published_inverse_bound()
        return (
            f"{note}; the published tables differ: their vector inverse of 32 x 32 takes at most"
            f" {bound.two_at_most:.0f} in Table 2 (an eighth of std+vcu, d = 32) and at least"
            f" {bound.three_at_least} in Table 3 (std+vcu less opt+vcu at f = 8, less Table 2 at"
            f" d = 4), {bound.factor:.2f} times or more; our kernels, the same in both, have"
            f" {same:.2f} in Table 2 (d = 32); in the scalar std columns, {per_product}"
        )
    return (
        f"{note}; {per_product}, which alone gives {three[1] / three[0]:.2f}; the rest is the"
        " unpublished sequence of the optimised code"
    )


def _mix_of(cell: Cell) -> str:
    parts = ", ".join(f"{name} {cell.share(*names):.0%}" for name, names in _PARTS.items())
    if not cell.is_vector:
        return f"{cell.run.hart_cycles / cell.products:.1f} hart cycles per 64-bit product; {parts}"
    vectors, busy = cell.run.counter("issue.kdsp"), cell.run.counter("retry.vcu")
    room = ""
    if cell.roomy:
        cycles = cell.roomy.hart_cycles
        room = (
            f"; {ROOMY_SCRATCHPADS} scratchpads, which hold k x k words, give {cycles} ="
            f" {cycles / cell.published:.3f} of the published"
        )
    return (
        f"{vectors} vector instructions and {cell.run.counter('issue.kmem')} transfers among"
        f" {cell.run.issued} instructions; {cell.run.hart_cycles / vectors:.1f} hart cycles per"
        f" vector instruction, {busy / vectors:.1f} of them repeats; {parts}{room}"
    )


def cells_csv(cells: Cells) -> str:
    """One line per cell and reading; the d of the text has a parameter name of its own."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cell in cells.cells:
        note = note_of(cell, cells)
        for reading in READINGS:
            ours = cell.ours(reading), f"{cell.ratio(reading):.4f}"
            writer.writerow((*_first_columns(cell, reading), *ours, note))
    for refusal in cells.refusals:
        for reading in READINGS:
            writer.writerow((*_first_columns(refusal, reading), "", "", refusal.reason))
    return text.getvalue()


def _first_columns(cell: Cell | Refusal, reading: str) -> tuple[object, ...]:
    key = cell.key
    name = key.param_name if cell.d != STATED_D else f"{key.param_name} (d={STATED_D})"
    return (
        *(key.table, key.algorithm, key.platform, key.variant, name, key.param),
        *(key.metric, "cycles", cell.line, reading, cell.published),
    )


def cells_markdown(cells: Cells) -> str:
    """The page."""
    build = cells.cells[0].run.build
    two, three = (cells.cycles_per_product(table) for table in (2, 3))
    bound = published_inverse_bound()
    falls = {}
    for variant in ("std", "std+vcu"):
        of_two = cells.column(2, variant, None)[PARAMS.index(32)].ratio("hart")
        of_three = cells.column(3, variant, FITTED_D)[PARAMS.index(16)].ratio("hart")
        falls[variant] = of_two, of_three
    return "\n".join(
        [
            _HEAD.format(
                compiler=f"{build.compiler} {build.version}",
                flags=" ".join(build.flags),
                vector_machine=VECTOR_MACHINE,
            ),
            f"## Table 2: Disjoint, {ARMS} arms\n",
            _table(cells, 2, None),
            f"## Table 3: Hybrid, {ARMS} arms, d = {FITTED_D}\n",
            _table(cells, 3, FITTED_D),
            f"## Table 3 with d = {STATED_D}, as the text says\n",
            "Beside the same published counts, which grow as with d = 4.\n",
            _table(cells, 3, STATED_D),
            "## The tuned line\n",
            tuned_table(cells),
            _CAUSE.format(
                two_published=two[0],
                two_ours=two[1],
                three_published=three[0],
                three_ours=three[1],
                factor=three[0] / two[0],
                two_ratio=two[1] / two[0],
                three_ratio=three[1] / three[0],
                vector_two=falls["std+vcu"][0],
                vector_three=falls["std+vcu"][1],
                vector_factor=falls["std+vcu"][1] / falls["std+vcu"][0],
                scalar_two=falls["std"][0],
                scalar_three=falls["std"][1],
                two_all=round(bound.two_at_most * ARMS),
                two_at_most=bound.two_at_most,
                three_at_least=bound.three_at_least,
                bound_factor=bound.factor,
                room=_room(cells),
                scalar_factor=falls["std"][1] / falls["std"][0],
            ),
            _mix(cells),
            "All rows: [cells.csv](cells.csv).\n",
        ]
    )


def _room(cells: Cells) -> str:
    """What the scratchpads of the machine cost where k x k words do not fit."""
    lines = []
    for cell in cells.cells:
        if cell.roomy:
            cycles = cell.roomy.hart_cycles
            lines.append(
                f"- {cell.key.variant}, f = {cell.key.param}: {cell.ours('hart'):,} hart cycles,"
                f" ratio {cell.ratio('hart'):.3f}; with {ROOMY_SCRATCHPADS} {cycles:,}, ratio"
                f" {cycles / cell.published:.3f}.\n"
            )
    head = (
        "With f = 32 a k x k matrix exceeds a scratchpad of 16 KiB, and our kernels bring rows in\n"
        f"one at a time. Scratchpads of {ROOMY_SCRATCHPADS}, which hold it, for comparison:\n\n"
    )
    return head + "".join(lines)


def _table(cells: Cells, table: int, d: int | None) -> str:
    name = "d" if table == 2 else "f"
    lines = [
        f"| variant | {name} | published | hart | ratio | in its band | wall | ratio | random |",
        "|---|---:|---:|---:|---:|---|---:|---:|---:|",
    ]
    for variant in VARIANTS:
        low, high = band_of(table, variant)
        for cell in cells.column(table, variant, d):
            verdict = (
                f"yes, {low:.2f}..{high:.2f}" if cell.in_band else f"**no**, {low:.2f}..{high:.2f}"
            )
            verdict = verdict if cell.is_comparison else "none"
            random = cell.random.hart_cycles / cell.run.hart_cycles
            lines.append(
                f"| {variant} | {cell.key.param} | {cell.published:,} | {cell.ours('hart'):,} |"
                f" {cell.ratio('hart'):.3f} | {verdict} | {cell.ours('wall'):,} |"
                f" {cell.ratio('wall'):.3f} | {random:.3f} |"
            )
    return "\n".join([*lines, ""])


def _mix(cells: Cells) -> str:
    names = [*_PARTS, *_CLASSES, "repeats"]
    lines = [
        "| table | variant | param | " + " | ".join(names) + " |",
        "|---|---|---:|" + "---:|" * len(names),
    ]
    for cell in cells.cells:
        if not cell.is_comparison:
            continue
        shares = [f"{cell.share(*prefixes):.1%}" for prefixes in _PARTS.values()]
        counts = [f"{cell.run.counter(f'issue.{name}'):,}" for name in _CLASSES]
        counts.append(f"{cell.run.counter('retry.vcu'):,}")
        lines.append(
            f"| {cell.key.table} | {cell.key.variant} | {cell.key.param} | "
            + " | ".join([*shares, *counts])
            + " |"
        )
    return "\n".join([*lines, ""])
