"""The cells of the tuned line, in words and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cells import READINGS

if TYPE_CHECKING:
    from .cells import Cell, Cells, Refusal

TUNED_HYBRID = """\
The tuned Hybrid learner computes the same scores as one regression over all arms, of size d N and
not d f (`algorithms/linucb_hybrid/joint.h`), so its cycles hardly grow with f. That holds for
features of arms that stay: others start a fresh model.
"""


def tuned_note(cell: Cell, cells: Cells) -> str:
    """How a cell of the tuned line compares with ours of the paper line."""
    paper = cells.paper(cell)
    hart, wall = (paper.ours(reading) / cell.ours(reading) for reading in READINGS)
    stated = "" if cell.d is None else f"d = {cell.d}; "
    note = f"{stated}our paper line takes {hart:.1f} times the hart and {wall:.1f} times the wall"
    vectors, transfers = (cell.run.counter(f"issue.{name}") for name in ("kdsp", "kmem"))
    vector = f"{vectors} vector instructions and {transfers} transfers among "
    return f"{note} cycles; {vector if cell.is_vector else ''}{cell.run.issued} instructions"


def tuned_table(cells: Cells) -> str:
    """The cells of the tuned line, beside the published ones and those of our paper line."""
    lines = [
        "Ratio: over the published count. Paper's: cycles of our paper line over these.\n",
        "| table | variant | size | published | hart | ratio | paper's | wall | ratio | paper's |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for cell in cells.cells:
        if cell.line != "tuned":
            continue
        words = [_first_words(cell)]
        for reading in READINGS:
            gain = cells.paper(cell).ours(reading) / cell.ours(reading)
            words.append(f"{cell.ours(reading):,} | {cell.ratio(reading):.4f} | {gain:.1f}")
        lines.append(f"| {' | '.join(words)} |")
    hybrid = any(cell.line == "tuned" and cell.key.table == 3 for cell in cells.cells)
    lines += [f"| {_first_words(refusal)} |{' none |' * 6}" for refusal in cells.refusals]
    lines += ["", *(f"- {text}" for text in _reasons(cells))]
    return "\n".join([*lines, *([TUNED_HYBRID] if hybrid else []), ""])


def _first_words(cell: Cell | Refusal) -> str:
    key = cell.key
    size = f"{key.param_name} = {key.param}" + ("" if cell.d is None else f", d = {cell.d}")
    return f"{key.table} | {key.variant} | {size} | {cell.published:,}"


def _reasons(cells: Cells) -> list[str]:
    return list(dict.fromkeys(refusal.reason for refusal in cells.refusals))
