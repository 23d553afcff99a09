"""Energy by function: a partition of the run, and no power that the machine cannot have."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.cost.energy import Energy, price_functions
from gnomon.cost.energy._gate_table import GateTable
from gnomon.cost.energy._load import load_table
from gnomon.cost.energy.gate_machine import list_stated_keys
from gnomon.program import Program, Symbol, build, load_elf
from gnomon.sim import Run, Work, simulate, split_work_by_function
from tests.energy._tables import table_of, tables_in
from tests.exactness._random_program import random_case

if TYPE_CHECKING:
    from collections.abc import Iterable

SHIPPED = ("osu018-t13-simd1", "osu018-t13-simd4", "sg13g2-t13-simd1", "sg13g2-klessydra-simd1")
# Values that a bus carries in a cycle at most, and bits of them that differ; other buses carry one
# word. The product of the read ports has 32 x 32 partial products.
PRODUCTS = ("product", "lane_product")
LANES = ("lane_a", "lane_b", "lane_product", "scratchpad_write")


def most_mw(table: GateTable, machine: Architecture) -> float:
    """Return the power of a machine on all of whose buses every bit changes in every cycle."""
    lanes = 1 if machine.vcu is None else machine.vcu.simd
    units = 1 if machine.vcu is None or machine.vcu.sharing == "shared" else machine.core.harts
    pj = dict.fromkeys(table.units, 0.0)
    for unit, keys in table.units.items():
        pj[unit] += 0.0 if keys.cycle is None else keys.cycle.value
    for unit, bus, per_value, per_toggle in table.bus_prices():
        width = 1024 if bus in PRODUCTS else 32
        values = lanes * units * (2 if bus == "scratchpad_read" else 1)
        values = values if bus in (*LANES, "scratchpad_read") else 1
        pj[unit] += values * (per_value.value + width * per_toggle.value)
    wires = {} if table.stated is None else table.stated.wires
    whole_pj = sum(each * (1 + wires[unit].value if unit in wires else 1)
                   for unit, each in pj.items())  # fmt: skip
    for memory in table.memories.values():
        whole_pj += memory.macros * (memory.read.value + memory.write.value)
    whole_pj += table.clock_pj.value + (table.stated.clock_tree.value if table.stated else 0)
    return whole_pj * int(machine.clock) * 1e-9 + table.leakage_uw.value / 1e3


def check_law(run: Run, program: Program, machine: Architecture, power: str) -> dict[str, Energy]:
    """Check that functions are a partition of the run and that each has a power that can be."""
    whole = Energy.from_work(run.work, machine, power=power)
    found = price_functions(run, program, machine, power=power)
    assert sum(each.energy_uj.value for each in found.values()) == pytest.approx(
        whole.energy_uj.value, rel=1e-9
    )
    assert sum(each.wall_cycles for each in found.values()) == run.wall_cycles
    for unit, uj in whole.units.items():
        parts = sum(each.units[unit].value for each in found.values())
        assert parts == pytest.approx(uj.value, rel=1e-9, abs=1e-12), unit
    works = split_work_by_function(run, program, machine)
    assert Work.joined(works.values()).buses == run.work.buses
    table = load_table(power)
    assert isinstance(table, GateTable)
    limit = most_mw(table, machine)
    for name, each in found.items():
        assert 0 < each.power_mw.value <= limit, f"{name}: {each.power_mw.value} of {limit} mW"
    return found


def machine_of(configuration: dict[str, Any]) -> Architecture:
    """Return the machine of a random case."""
    keys = {
        "vcu.simd": configuration["simd"],
        "vcu.sharing": configuration["sharing"],
        "core.superscalar": str(configuration["superscalar"]).lower(),
        "core.harts": configuration["harts"],
        "core.count_all": str(configuration["count_all"]).lower(),
        "vcu.scratchpads.size": f"{configuration['spm_size_bytes']} B",
    }
    return load_architecture("t13-simd1", [f"{name}={value}" for name, value in keys.items()])


def in_functions(program: Program, machine: Architecture, seed: int) -> Program:
    """Return a program whose text is cut into functions at random places."""
    rng = random.Random(seed)
    first = int(machine.memory.instruction.base)
    segment = next(each for each in program.segments if each.address < first + 2**16)
    words = len(segment.data) // 4
    cuts = sorted({0, *(rng.randrange(words) for _ in range(rng.randint(3, 40)))})
    ends = [*cuts[1:], words]
    symbols = tuple(
        Symbol(f"f{k}", segment.address + 4 * start, 4 * (end - start), "function")
        for k, (start, end) in enumerate(zip(cuts, ends, strict=True))
    )
    return replace(program, symbols=symbols)


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_keep_the_law(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = random_case(seed)
    machine = machine_of(case.configuration)
    monkeypatch.setenv("GNOMON_PATH", str(tables_in(tmp_path, table_of(machine))))
    program = in_functions(load_elf(case.elf, "random"), machine, seed)
    run = simulate(program, machine, toggles=0, max_cycles=100_000)
    assert len(check_law(run, program, machine, "own")) > 2


SLEEPERS = """
#include "gnomon.h"
volatile unsigned x;
__attribute__((noinline)) void busy(int n) { for (int k = 0; k < n; k++) x += k * x; }
__attribute__((noinline)) void other(int n) { for (int k = 0; k < n; k++) x ^= x >> 3; }
int main(int hart) { if (hart) gnomon_park(); busy(300); other(100); return 0; }
"""
BESIDE = """
#include "gnomon.h"
#include "vcu.h"
int a[256];
volatile int x;
__attribute__((noinline)) void start(void) { kvmul(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1)); }
__attribute__((noinline)) void move(void) { kmemld(VCU_SPM(1), a, sizeof a); }
__attribute__((noinline)) void beside(void) { for (int k = 0; k < 90; k++) x += 3; }
int main(void) {
    for (int k = 0; k < 256; k++) a[k] = k * 0x9e3779b9;
    vcu_set_mvtype(VCU_32_BIT); vcu_set_mvsize(sizeof a);
    kmemld(VCU_SPM(0), a, sizeof a); move();
    for (int k = 0; k < 9; k++) { start(); beside(); move(); beside(); }
    kmemstr(a, VCU_SPM(2), sizeof a);
    return ((volatile int *)a)[1] & 0;
}
"""


def check_partition(run: Run, program: Program, machine: Architecture) -> dict[str, Energy]:
    """Check that energy, units and events of the functions sum to those of the run."""
    whole = Energy.from_work(run.work, machine)
    by_name = price_functions(run, program, machine)
    found = by_name.values()
    for each in found:
        assert each.spread_mw.value == each.power_mw.value
        assert each.power_mw.low <= each.spread_mw.low <= each.spread_mw.high <= each.power_mw.high
    exactly = {"rel": 1e-12, "abs": 1e-12}
    uj = sum(each.energy_uj.value for each in found)
    assert uj == pytest.approx(whole.energy_uj.value, **exactly)
    for unit, of_run in whole.units.items():
        parts = sum(each.units[unit].value for each in found)
        assert parts == pytest.approx(of_run.value, **exactly), unit

    def events_of(energies: Iterable[Energy]) -> tuple[Counter[str], Counter[str]]:
        counts: Counter[str] = Counter()
        spent: Counter[str] = Counter()
        for each in (event for energy in energies for event in energy.events):
            name = Energy.IDLE if each.event == Energy.OVERLAP else each.event
            counts[name] += -each.count if each.event == Energy.OVERLAP else each.count
            spent[name] += each.energy_uj  # type: ignore[assignment]
        return counts, spent

    (counts, spent), (of_run, spent_by_run) = events_of(found), events_of([whole])
    assert counts == of_run
    assert spent == pytest.approx(spent_by_run, **exactly)
    return by_name


MANY = '#include "gnomon.h"\nvolatile unsigned x;\n' + "".join(
    f"__attribute__((noinline)) void f{k}(void)"
    f" {{ for (int i = 0; i < {7 * k + 1}; i++) x = x * {k + 3} / (x | 1); }}\n"
    for k in range(16)
) + "int main(int hart) {" + "".join(
    f" if (hart <= {k % 3}) f{k}();" for k in range(16)
) + " return 0; }\n"  # fmt: skip


@pytest.mark.parametrize("machine", ["t13", "t13-simd1", "t13-paper-simd4"])
@pytest.mark.parametrize("harts", [1, 2, 3])
@pytest.mark.parametrize("source", [SLEEPERS, BESIDE, MANY], ids=["sleepers", "beside", "many"])
def test_fpga_tables_keep_the_law(machine: str, harts: int, source: str, tmp_path: Path) -> None:
    if source == BESIDE and (machine == "t13" or harts > 1):
        return  # it needs one hart and a vector unit
    file = tmp_path / "program.c"
    file.write_text(source)
    architecture = load_architecture(machine)
    program = build([file], architecture, active_harts=harts)
    found = check_partition(simulate(program, architecture), program, architecture)
    if source == BESIDE:
        assert found["start"].working_cycles > found["start"].wall_cycles


@pytest.mark.parametrize("power", SHIPPED)
@pytest.mark.parametrize(
    ("source", "harts"),
    [(SLEEPERS, 1), (SLEEPERS, 2), (SLEEPERS, 3), (BESIDE, 1),
     ("int main(void) { return 0; }", 1)],
    ids=["asleep from the start", "one parks", "two park", "vector beside scalar", "nothing"],
)  # fmt: skip
def test_shipped_tables_keep_the_law(power: str, source: str, harts: int, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(source)
    name = "t13-simd4" if power.endswith("simd4") else "t13-simd1"
    machine = load_architecture(name, [f"power={power}"])
    program = build([file], machine, active_harts=harts)
    run = simulate(program, machine)
    found = check_law(run, program, machine, power)
    if source == BESIDE:
        assert found["start"].working_cycles > found["start"].wall_cycles
        assert found["start"].to_json()["working_cycles"] == found["start"].working_cycles


def test_a_lock_of_three_harts_keeps_the_law() -> None:
    """Harts that finish first sleep: amoswap.w is priced as all that a gate-level table prices."""
    machine = load_architecture("t13-simd4", ["power=osu018-t13-simd4"])
    program = build([content("reports", "gates", "lock.c")], machine, active_harts=3)
    run = simulate(program, machine)
    assert run.work.instructions["amoswap.w"] > 1000
    check_law(run, program, machine, "osu018-t13-simd4")


def test_a_table_states_the_machine_of_each_case() -> None:
    machines = [machine_of(random_case(seed).configuration) for seed in range(24)]
    assert len({str(list_stated_keys(each)) for each in machines}) > 12
