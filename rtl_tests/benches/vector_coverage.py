"""Which situations were met: instruction x width x length x placement x what else went on."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from typing import TYPE_CHECKING

from rtl_tests.benches.vector_stream import (
    BITS,
    REDUCTIONS,
    ROWS,
    SPM_BASE,
    TRANSFERS,
    VECTORS,
    Config,
    beat_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rtl_tests.benches.vector_model import Expected

LENGTHS = ("part of a beat", "one beat", "whole beats", "beats and a part", "whole scratchpad")
PLACEMENTS = ("apart", "rd = rs1", "rd = rs2", "overlaps", "same scratchpad")
SITUATIONS = ("alone", "transfer elsewhere", "transfer on a source", "transfer on the target")
AXES = ("instruction", "bits", "length", "placement", "overlap")


def classes_of(one: Expected, config: Config) -> Iterator[str]:
    """The class of an instruction that was executed, as one cell of the table, and its trap."""
    issue = one.issue
    if one.unit is None:
        yield f"refused|{one.cause:#x}" if one.cause else f"nothing|{issue.name}"
        return
    assert issue.name is not None
    overlap = {"nothing": "alone", "other": "transfer elsewhere"}.get(one.in_flight, "")
    if not overlap:
        overlap = f"transfer on {'a source' if one.in_flight == 'source' else 'the target'}"
    bits = "" if issue.transfer else str(BITS[issue.mvtype])
    length = _length(one, config)
    yield "|".join((issue.name, bits, length, _placement(one, config), overlap))
    if one.others_busy:
        yield f"another accelerator busy|{issue.name}"


def _length(one: Expected, config: Config) -> str:
    issue = one.issue
    size = issue.rs2 & (2 * config.spm_bytes - 1) if issue.transfer else issue.mvsize
    beat = beat_bytes(config, str(issue.name), issue.mvtype)
    if size == config.spm_bytes:
        return LENGTHS[4]
    if size < beat:
        return LENGTHS[0]
    if size == beat:
        return LENGTHS[1]
    return LENGTHS[3] if size % beat else LENGTHS[2]


def lengths_of(config: Config, name: str, mvtype: int) -> tuple[str, ...]:
    """The classes of length that exist: a beat of one element has no parts."""
    if beat_bytes(config, name, mvtype) > BITS[mvtype] // 8:
        return LENGTHS
    return tuple(length for length in LENGTHS if "part" not in length)


def _placement(one: Expected, config: Config) -> str:
    issue, row = one.issue, ROWS[str(one.issue.name)]
    if issue.transfer or row.rs1 != "spm_vector":
        return PLACEMENTS[0]
    sources = [issue.rs1, issue.rs2] if row.rs2 == "spm_vector" else [issue.rs1]
    if issue.rd == issue.rs1:
        return PLACEMENTS[1]
    if len(sources) == 2 and issue.rd == issue.rs2:
        return PLACEMENTS[2]
    reach = 4 if issue.name in REDUCTIONS else issue.mvsize
    placement = PLACEMENTS[0]
    for source in sources:
        same = (source - SPM_BASE) // config.spm_bytes == (issue.rd - SPM_BASE) // config.spm_bytes
        if same and source - reach < issue.rd < source + issue.mvsize:
            return PLACEMENTS[3]
        if same:
            placement = PLACEMENTS[4]
    return placement


def coverage_csv(covered: Mapping[str, int], config: Config) -> str:
    """Every cell of the table that can be met, with its count, as CSV; 0 where it was not."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow((*AXES, "count"))
    for name in VECTORS:
        for mvtype, bits in BITS.items():
            for length in lengths_of(config, name, mvtype):
                for placement in PLACEMENTS:
                    for overlap in SITUATIONS:
                        cell = (name, str(bits), length, placement, overlap)
                        count = covered.get("|".join(cell), 0)
                        if count or _possible(name, length, placement, overlap):
                            table.writerow((*cell, count))
    return out.getvalue()


def _possible(name: str, length: str, placement: str, overlap: str) -> bool:
    row = ROWS[name]
    if row.rs1 != "spm_vector":
        return placement == PLACEMENTS[0] and overlap != SITUATIONS[2]
    if placement == PLACEMENTS[2] and row.rs2 != "spm_vector":
        return False
    # A vector that fills its scratchpad leaves no room beside it for another.
    if length == LENGTHS[4] and placement in PLACEMENTS[3:] and name not in REDUCTIONS:
        return False
    if length == LENGTHS[4] and placement == PLACEMENTS[4]:
        return False
    # In the same scratchpad a transfer on the target is one on a source.
    return not (overlap == SITUATIONS[3] and placement != PLACEMENTS[0])


def coverage_table(covered: Mapping[str, int], config: Config) -> str:
    """Markdown: per instruction how many of its cells were met, and how often it ran."""
    met: dict[str, int] = defaultdict(int)
    cells: dict[str, int] = defaultdict(int)
    ran: dict[str, int] = defaultdict(int)
    for row in csv.DictReader(io.StringIO(coverage_csv(covered, config))):
        name = row["instruction"]
        cells[name] += 1
        met[name] += row["count"] != "0"
        ran[name] += int(row["count"])
    lines = ["| instruction | executed | cells met | of |", "|---|---|---|---|"]
    lines += [f"| {name} | {ran[name]} | {met[name]} | {cells[name]} |" for name in VECTORS]
    for name in TRANSFERS:
        count = sum(n for cell, n in covered.items() if cell.startswith(f"{name}|"))
        lines.append(f"| {name} | {count} | | |")
    return "\n".join(lines) + "\n"
