"""Selects of overlapping instructions and steps of serial units, counted again from a trace."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.program import build
from gnomon.sim import simulate

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.program import Program

LOAD, STORE, BRANCH, JALR, JAL = 0x03, 0x23, 0x63, 0x67, 0x6F
WIDTHS = {LOAD: {0, 1, 2, 4, 5}, STORE: {0, 1, 2}}
C = """
static unsigned char text[64];
static struct node { struct node *next; short key; } nodes[9];
unsigned factor = 77777;
int main(void) {
    unsigned sum = 1;
    for (unsigned k = 0; k < 64; k++) text[k] = k * factor >> 3;
    for (unsigned k = 0; k < 9; k++) nodes[k] = (struct node){k ? &nodes[k - 1] : 0, text[k]};
    for (struct node *at = &nodes[8]; at; at = at->next)
        sum = at->key < (int)(sum % 97) ? sum / (at->key + 3u) + text[at->key & 63] : sum ^ 5;
    return sum & 63;
}
"""


def switched(word: int, following: int) -> int:
    """Multiplexers of two trees of 32 registers whose select changes."""
    differ = [(word ^ following) >> place & 31 for place in (15, 20)]
    return sum(16 >> bit for each in differ for bit in range(5) if each >> bit & 1)


def looks_like_access(opcode: int, word: int) -> bool:
    return (word >> 12 & 7) in WIDTHS.get(opcode, ())


def counted(program: Program, issued: list[tuple[int, int]]) -> tuple[Counter[str], Counter[str]]:
    """Values and toggles by bus, of (pc, word) in the order of issue."""
    values, toggles = Counter[str](), Counter[str]()

    def put(bus: str, word: int, following: int) -> None:
        values[bus] += 1
        toggles[bus] += switched(word, following)

    before, restarts = 0, 0
    for (pc, word), (target, following) in pairwise(issued):
        jumped = target != pc + 4 and word & 127 in (BRANCH, JAL, JALR)
        fetched = program.instruction_at(pc + 4) if jumped else following
        accessed = looks_like_access(before & 127, before)
        accesses = looks_like_access(word & 127, word)
        passing = before & 0x6F | word & 0x10  # one bit of the opcode is faster than the others
        if not accessed and (accesses or looks_like_access(passing, word)):
            put("access_select", word, fetched)
        if accessed and not accesses:
            put("after_access_select", word, fetched)
        if jumped:
            put("landing_select", fetched, following)
        if restarts:
            put("restart_select", word, fetched)
            restarts -= 1
        loaded = before >> 7 & 31 if before & 127 == LOAD else 0
        reads = {word >> 15 & 31, word >> 20 & 31 if word & 127 in (0x33, BRANCH) else 0}
        if word & 0xFE00007F == 0x02000033 or (loaded and loaded in reads):
            put("waiting_select", word, fetched)
            restarts = 2
        restarts = 0 if jumped else restarts
        before = fetched if jumped else word
    return values, toggles


@pytest.mark.parametrize("machine", ["picorv32", "hazard3"])
def test_selects_are_those_of_the_issued_words(machine: str, tmp_path: Path) -> None:
    architecture = load_architecture(machine)
    source = tmp_path / "walk.c"
    source.write_text(C)
    program = build([source], architecture)
    run = simulate(program, architecture, trace=True, toggles=0)
    assert run.trace is not None
    issued = [(int(row["pc"]), int(row["word"])) for row in run.trace]
    values, toggles = counted(program, issued)
    assert len(values) == 5
    for bus, count in values.items():
        assert run.work.buses[bus].values == count > 0, bus
        assert run.work.buses[bus].toggles == toggles[bus] > 0, bus


def test_a_serial_unit_shifts_its_accumulator(tmp_path: Path) -> None:
    """1 x 1: the 1 goes out and comes back at the top of the low half, and wanders down."""
    architecture = load_architecture("picorv32")
    source = tmp_path / "one.c"
    source.write_text("volatile unsigned a = 1; int main(void) { a = a * a; return 0; }\n")
    work = simulate(build([source], architecture), architecture, toggles=0).work
    assert work.instructions["mul"] == 1
    whole, result = work.buses["accumulator"], work.buses["accumulator_result"]
    assert whole.values == result.values == 1
    assert whole.toggles == result.toggles == 2 + 2 * 31


def test_a_rotating_machine_has_no_overlap(tmp_path: Path) -> None:
    architecture = load_architecture("t13-simd1")
    source = tmp_path / "walk.c"
    source.write_text(C)
    work = simulate(build([source], architecture), architecture, toggles=0).work
    for bus in ("access_select", "landing_select", "waiting_select", "accumulator"):
        assert work.buses[bus].values == work.buses[bus].toggles == 0
