"""Functions of hand-written assembly: every view of a run agrees on where they are."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.cost.energy import price_functions
from gnomon.observe.diff import compare_programs
from gnomon.observe.profile import RunProfile
from gnomon.observe.profile._calls import callgrind_text
from gnomon.observe.profile._formats import annotated_text, folded_text, profile_csv
from gnomon.program import build
from gnomon.sim import Region, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.program import Program

MAIN = """
int total(const int *words, int count);
int twice(int x);
static int words[50];
int main(void) {
    for (int i = 0; i < 50; i++) words[i] = i;
    return total(words, 50) == 1225 && twice(4) == 8 ? 0 : 1;
}
"""
TOTAL = """
    .text
    .globl total
    {type}
total:
    mv   t0, a0
    li   a0, 0
    beqz a1, done
loop:
    lw   t1, 0(t0)
    add  a0, a0, t1
    addi t0, t0, 4
    addi a1, a1, -1
    bnez a1, loop
done:
    ret
    {size}
"""
PLAIN = {"type": "", "size": ""}
TWICE = "    .globl twice\ntwice:\n    slli a0, a0, 1\n    ret\n"
TYPE, SIZE = ".type total, @function", ".size total, . - total"
FORMS = {
    "without type": TOTAL.format(**PLAIN) + TWICE,
    "without size": TOTAL.format(**PLAIN | {"type": TYPE}) + TWICE,
    "with size, then without type": TOTAL.format(**PLAIN | {"type": TYPE, "size": SIZE}) + TWICE,
    "without type, then with size": TOTAL.format(**PLAIN)
    + ".type twice, @function\n" + TWICE + ".size twice, . - twice\n",
    "both with size": TOTAL.format(**PLAIN | {"type": TYPE, "size": SIZE})
    + ".type twice, @function\n" + TWICE + ".size twice, . - twice\n",
    "other order": ".text\n" + TWICE + TOTAL.format(**PLAIN),
    "weak": TOTAL.format(**PLAIN).replace(".globl", ".weak") + TWICE,
    "sections": TOTAL.format(**PLAIN) + '    .section .text.twice, "ax"\n' + TWICE,
    "local label of linkers": TOTAL.format(**PLAIN) + TWICE.replace("    ret", ".Lout:\n    ret"),
}  # fmt: skip
MACHINES = {"without type": ("rv32im", "t13", "hazard3-c"), "without size": ("rv32im", "ibex")}


@pytest.mark.parametrize(
    ("form", "name"), [(f, m) for f in FORMS for m in MACHINES.get(f, ("rv32im",))]
)
def test_every_view_says_the_same(form: str, name: str, tmp_path: Path) -> None:
    machine = load_architecture(name)
    waits = ["core.latency.waits=any"] if name in ("ibex", "hazard3-c") else []
    slower = load_architecture(name, [*waits, "memory.data.waits=2"])
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "kernel.S").write_text(FORMS[form])
    program = build([tmp_path / "main.c", tmp_path / "kernel.S"], machine)
    cycles = cycles_of_all_views(program, machine)
    compared = compare_programs((program, machine), (program, slower), max_cycles=100_000)
    there = cycles_of_all_views(program, slower)
    changed = {each.name: (each.a_cycles, each.b_cycles) for each in compared.functions}
    assert {name: changed[name] for name in changed if name in cycles} == {
        name: (cycles[name], there[name]) for name in cycles if cycles[name] != there[name]
    }
    assert "total" in changed


def cycles_of_all_views(program: Program, machine: Architecture) -> dict[str, int]:
    """Cycles awake by function, which are those of regions, folded stacks and all files."""
    issued = {"total": 3 + 50 * 5 + 1, "twice": 2}  # by hand; they call nothing
    regions = [Region(each, program.symbol(each).address) for each in issued]
    run = simulate(program, machine, regions=regions, calls=True)
    assert run.exit_code == 0
    profile = RunProfile.from_run(run, program, machine)
    rows = {row.name: row for row in profile.by_function()}
    assert {each: rows[each].issued for each in issued} == issued
    assert not {"loop", "done", "out"} & {*rows}
    cycles = {row.name: row.cycles + row.parked_cycles for row in rows.values()}
    if len(run.harts) == 1:
        for each in issued:
            assert run.regions[each][0].wall_cycles == cycles[each]
    folded = Counter[str]()
    for line in folded_text(profile).splitlines():
        path, _, count = line.rpartition(" ")
        folded[path.removesuffix(";(asleep)").rpartition(";")[2]] += int(count)
    assert {k: v for k, v in folded.items() if k != "(boot)"} == cycles
    in_file = Counter[str]()
    for row in csv.DictReader(io.StringIO(profile_csv(profile))):
        in_file[row["function"]] += int(row["cycles"])
    assert {k: v for k, v in in_file.items() if k} == cycles
    own = Counter[str]()
    function, after_call = "", False
    for line in callgrind_text(profile).splitlines():
        function = line[3:] if line.startswith("fn=") else function
        if line.startswith("0x") and not after_call:
            own[function] += int(line.split()[2])
        after_call = line.startswith("calls=")
    assert {k: v for k, v in own.items() if k != "(boot)"} == cycles
    awake = {row.name: row.cycles for row in rows.values()}
    heads = re.findall(r"^(\S+): ([\d,]+) cycles, ", annotated_text(profile), re.MULTILINE)
    assert {each: int(count.replace(",", "")) for each, count in heads} == awake
    if profile.energy_fj is not None:
        assert {*price_functions(run, program, machine)} == {*cycles}
    return awake
