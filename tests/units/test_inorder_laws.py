"""A unit with the latency model of a multiplication or division takes its cycles, on any core."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.program import Program, build
from gnomon.sim import Run, simulate

_CORES = ("rv32im", "ibex", "ibex-fast", "hazard3", "hazard3-c", "picorv32", "picorv32-fast")
_WITH_WAITS = ("rv32im", "picorv32", "picorv32-fast")
_ROUNDS = 60
_BODY = """\
.globl main
main:
    li a1, 0x12345679
    li a2, 0
    li s0, {rounds}
    la s1, place
1:  {op} a3, a1, a2          # a result that the next instruction reads
    add a4, a3, a2
    {op} a5, a2, a1          # one that is read later
    sw a4, 0(s1)
    lw a6, 0(s1)
    xor a2, a2, a5
    {op} a2, a6, a2          # that reads a load
    {op} a2, a2, a1          # after another one of its kind
    beqz a2, 2f
    {op} x0, a1, a6
2:  jal x0, 3f
3:  {op} a7, a1, a1
    slli a1, a1, 1
    srl a2, a2, s0
    addi s0, s0, -1
    bnez s0, 1b
    li a3, 0x1a10fff4
    sw a2, 0(a3)
    li a0, 0
    ret
.data
place: .word 0
"""


def _law(core: Architecture, mnemonic: str, kind: str) -> dict[str, object]:
    """Return the keys of the latency model that a core has for an instruction."""
    timing = core.core.latency
    assert timing is not None
    late = timing.use(mnemonic, kind)
    assert len(late) == 1, "a unit has one use for all readers"
    use = {"use": late[""]}
    for each in timing.instruction_latencies():
        if mnemonic in each.of:
            assert each.hides
            by = {} if each.model.by == "none" else {"by": each.model.by}
            cycles = [*each.model.cycles] if by else each.model.cycles[0]
            return {"cycles": {**by, "cycles": cycles}, **use}
    return {"cycles": timing[kind], **use}


Runner = Callable[[int | None], Run]


def _prepare(name: str, kind: str, changes: tuple[str, ...], project: Path) -> tuple[Runner, ...]:
    """Return runs up to a cycle: with the instruction of the core, and with that of a unit."""
    mnemonic = {"mul": "mul", "div": "divu"}[kind]
    overrides = [f"core.latency.{change}" for change in changes]
    plain = load_architecture(name, overrides)
    if plain.core.unit_port == "pcpi":  # its cycles are not of the latency model
        overrides.append("core.latency.unit-port=0")
    folder = project / "units" / "same"
    folder.mkdir()
    keys = {
        "schema": 1, "title": "The same", "source": "a test", "code": "same.c",
        "instructions": {"same": {
            "encoding": {"format": "R", "opcode": "custom-3", "funct3": 6, "funct7": 0},
            "operands": {"rd": "result", "rs1": "operand", "rs2": "operand"},
            **_law(plain, mnemonic, kind),
        }},
    }  # fmt: skip
    (folder / "unit.yaml").write_text(json.dumps(keys))
    function = {"mul": "a * b", "divu": "b ? a / b : 0xffffffffu"}[mnemonic]
    (folder / "same.c").write_text(f"UNIT(same) {{ return {function}; }}\n")
    found = []
    for op, more in ((mnemonic, []), (".insn r 0x7b, 6, 0,", ["units.same={}"])):
        machine, source = load_architecture(name, [*overrides, *more]), project / "body.S"
        source.write_text(_BODY.format(op=op, rounds=_ROUNDS))
        found.append(partial(_run, build([source], machine), machine))
    return tuple(found)


def _run(program: Program, machine: Architecture, last_cycle: int | None) -> Run:
    return simulate(program, machine, max_cycles=last_cycle)


def _causes(run: Run, kind: str) -> Counter[str]:
    found = Counter[str]()
    for cause, cycles in run.counters.items():  # the start-up code multiplies
        found[cause.replace(f".{kind}", ".unit")] += cycles
    return found


_ROWS = [(name, kind, ()) for name in _CORES for kind in ("mul", "div")]
_ROWS += [(name, kind, ("instruction-waits=3",)) for name in _WITH_WAITS for kind in ("mul", "div")]
_ROWS += [
    ("rv32im", "mul", ("mul-use=3", "mul-per-bit=1", "fetch=2")),
    ("rv32im", "mul", ("mul-use=3", "mul=4", "fetch=2", "fetch-redirect=1", "load-use=1")),
    ("rv32im", "mul", ("mul-use=2", "mul=3", "instruction-waits=5", "prefetch=1")),
    ("rv32im", "div", ("div-by-zero=2", "fetch=3", "load-use=2")),
]


@pytest.mark.parametrize(("name", "kind", "changes"), _ROWS)
def test_a_unit_takes_the_cycles_of_its_law(
    name: str, kind: str, changes: tuple[str, ...], project: Path
) -> None:
    own, unit = (run(None) for run in _prepare(name, kind, changes, project))
    assert unit.printed == own.printed
    assert unit.exit_cycle == own.exit_cycle
    assert _causes(unit, kind) == _causes(own, kind)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [("mul", ("mul-use=3", "mul-per-bit=1", "fetch=2")), ("div", ("div-by-zero=2", "fetch=3"))],
)
def test_a_unit_may_be_cut_off_anywhere(kind: str, changes: tuple[str, ...], project: Path) -> None:
    own, unit = _prepare("rv32im", kind, changes, project)
    for last in range(400, 480):
        assert _causes(unit(last), kind) == _causes(own(last), kind), last
