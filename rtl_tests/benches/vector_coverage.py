"""Covered situations: instruction x width x length x placement x concurrent transfer."""

import itertools
from collections.abc import Iterable, Iterator, Mapping

from gnomon.base.frames import csv_text, frame
from rtl_tests.benches import vector_stream as streams
from rtl_tests.benches.vector_model import Expected

LENGTHS = ("part of a beat", "one beat", "whole beats", "beats and a part", "whole scratchpad")
PLACEMENTS = ("apart", "rd = rs1", "rd = rs2", "overlaps", "same scratchpad")
SITUATIONS = ("alone", "transfer elsewhere", "transfer on a source", "transfer on the target")
AXES = ("instruction", "bits", "length", "placement", "overlap")


def classes_of(one: Expected, config: streams.Config) -> Iterator[str]:
    """Yield the class of an executed instruction, as one cell of the table, and its trap."""
    issue = one.issue
    if one.unit is None:
        yield f"refused|{one.cause:#x}" if one.cause else f"nothing|{issue.name}"
        return
    assert issue.name is not None
    overlap = {"nothing": "alone", "other": "transfer elsewhere"}.get(one.in_flight, "")
    if not overlap:
        overlap = f"transfer on {'a source' if one.in_flight == 'source' else 'the target'}"
    bits = "" if issue.transfer else str(streams.BITS[issue.mvtype])
    length = _length(one, config)
    yield "|".join((issue.name, bits, length, _placement(one, config), overlap))
    if one.others_busy:
        yield f"another accelerator busy|{issue.name}"


def _length(one: Expected, config: streams.Config) -> str:
    issue = one.issue
    size = issue.rs2 & (2 * config.spm_bytes - 1) if issue.transfer else issue.mvsize
    beat = streams.beat_bytes(config, str(issue.name), issue.mvtype)
    if size == config.spm_bytes:
        return LENGTHS[4]
    if size < beat:
        return LENGTHS[0]
    if size == beat:
        return LENGTHS[1]
    return LENGTHS[3] if size % beat else LENGTHS[2]


def lengths_of(config: streams.Config, name: str, mvtype: int) -> tuple[str, ...]:
    """Return the possible classes of length: a beat of one element has no parts."""
    if streams.beat_bytes(config, name, mvtype) > streams.BITS[mvtype] // 8:
        return LENGTHS
    return tuple(length for length in LENGTHS if "part" not in length)


def _placement(one: Expected, config: streams.Config) -> str:
    issue, row = one.issue, streams.ROWS[str(one.issue.name)]
    if issue.transfer or row.rs1 != "spm_vector":
        return PLACEMENTS[0]
    sources = [issue.rs1, issue.rs2] if row.rs2 == "spm_vector" else [issue.rs1]
    if issue.rd == issue.rs1:
        return PLACEMENTS[1]
    if len(sources) == 2 and issue.rd == issue.rs2:
        return PLACEMENTS[2]
    reach = 4 if issue.name in streams.REDUCTIONS else issue.mvsize
    placement = PLACEMENTS[0]
    for source in sources:
        same = (source - streams.SPM_BASE) // config.spm_bytes == (
            issue.rd - streams.SPM_BASE
        ) // config.spm_bytes
        if same and source - reach < issue.rd < source + issue.mvsize:
            return PLACEMENTS[3]
        if same:
            placement = PLACEMENTS[4]
    return placement


def coverage_csv(covered: Mapping[int, Mapping[str, int]]) -> str:
    """Return every cell of the table with its count by SIMD, as CSV; empty if impossible."""
    rows = []
    for cell in itertools.product(streams.VECTORS, streams.BITS, LENGTHS, PLACEMENTS, SITUATIONS):
        counts = [
            counted.get(_key(cell), 0) if _possible(streams.Config(simd=simd), *cell) else None
            for simd, counted in covered.items()
        ]
        if any(count is not None for count in counts):
            rows.append((*_key(cell).split("|"), *counts))
    return csv_text(frame((*AXES, *(f"simd_{simd}" for simd in covered)), rows))


def _key(cell: tuple[str, int, str, str, str]) -> str:
    name, mvtype, *rest = cell
    return "|".join((name, str(streams.BITS[mvtype]), *rest))


def _possible(config: streams.Config, name: str, mvtype: int, length: str, *where: str) -> bool:
    placement, overlap = where
    if length not in lengths_of(config, name, mvtype):
        return False
    row = streams.ROWS[name]
    if row.rs1 != "spm_vector":
        return placement == PLACEMENTS[0] and overlap != SITUATIONS[2]
    if placement == PLACEMENTS[2] and row.rs2 != "spm_vector":
        return False
    # A scratchpad that a vector fills has no room for another vector.
    if length == LENGTHS[4] and (
        placement == PLACEMENTS[4]
        or (placement == PLACEMENTS[3] and name not in streams.REDUCTIONS)
    ):
        return False
    # In the scratchpad of a source, a transfer on the target counts as one on a source.
    return overlap != SITUATIONS[3] or placement == PLACEMENTS[0]


def cells_met(counted: Mapping[str, int], config: streams.Config, name: str) -> tuple[int, int]:
    """Return the number of covered cells of an instruction, and of all its cells."""
    cells = [
        cell
        for cell in itertools.product((name,), streams.BITS, LENGTHS, PLACEMENTS, SITUATIONS)
        if _possible(config, *cell)
    ]
    return sum(counted.get(_key(cell), 0) > 0 for cell in cells), len(cells)


def executed(counted: Mapping[str, int], names: Iterable[str]) -> int:
    """Return the number of executed instructions with these names."""
    wanted = set(names)
    return sum(n for cell, n in counted.items() if cell.split("|")[0] in wanted)
