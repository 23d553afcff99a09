"""The page of all keys of ``unit.yaml``, and of the port of its SystemVerilog."""

from pydantic import BaseModel

from gnomon.arch.operands import PROPERTIES, RULE_PROPERTIES
from gnomon.arch.units.energy import UnitEnergy
from gnomon.arch.units.file import (
    EncodingKeys,
    InstructionKeys,
    LawKeys,
    OperandKeys,
    ParameterKeys,
    PriceKeys,
    StateKeys,
    UnitFile,
    UnitRtlKeys,
    VectorKeys,
)
from gnomon.cli.reference._markdown import code, keys_table, page, table

_INTRODUCTION = """\
A functional unit is a folder `units/NAME/`: `unit.yaml`, a C file and, optionally, SystemVerilog
([guide](../guide/unit.md); `gnomon new unit NAME` writes an example). A machine has it if its file
says `units: {NAME: {PARAMETER: value}}`. A number may be an expression over the parameters: whole
numbers, names, `+ - * // **`, `min`, `max`."""

_SECTIONS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("Keys", UnitFile), ("Each of the parameters", ParameterKeys),
    ("Each of the instructions", InstructionKeys), ("encoding", EncodingKeys),
    ("operands", OperandKeys), ("vector", VectorKeys), ("cycles", LawKeys), ("state", StateKeys),
    ("rtl", UnitRtlKeys), ("price", PriceKeys), ("Each of the points of energy.yaml", UnitEnergy),
)  # fmt: skip

_VECTORS = """\
The vector unit of the machine applies instructions with `vector` to each element of their vectors
([guide](../guide/unit-vector.md), which has the port of their SystemVerilog)."""

_PROPERTY = """\
For `by` of `cycles`. Other combinations of operands, or a number of ones, cannot be expressed. A
list of `cycles` has one entry per n. For ceil(n / 8) steps after a first cycle of rs1-bits, write
1, then eight times 2, 3, 4 and 5."""

_SIGNAL = ("signal", "direction", "meaning")
_PORT = (
    ("clk, rst_n", "in", "clock; synchronous reset, active low"),
    ("start", "in", "1 in the first cycle of an instruction of the unit in execute"),
    ("hart[2:0]", "in", "hart of the instruction; only with `state: {of: hart}`"),
    ("word[31:0]", "in", "instruction word, held until `done`"),
    ("a, b, c[31:0]", "in", "operands, held until `done`; absent operands have any value"),
    ("done", "out", "1 in the last cycle, 0 in idle ones (free if all instructions take 1 cycle)"),
    ("result[31:0]", "out", "value for rd, in the cycle of `done`"),
)
_PORTS = (
    ("gnomon's T13; in-order cores by default", "`direct`", "rs3, immediate, accumulator", "0"),
    ("PicoRV32: PCPI", "`pcpi`", "immediate", "3 (`picorv32`, `picorv32-fast`)"),
    ("CVE2: CV-X-IF", "`cv-x-if`", "rs3, immediate", "1 (commit 527da100)"),
)


def unit_page() -> str:
    parts = [_INTRODUCTION]
    for title, section in _SECTIONS:
        parts += [f"## {title}"]
        parts += [_VECTORS] if section is VectorKeys else []
        parts += [keys_table(section)]
    laws = [(code(name), PROPERTIES[name].meaning, f"{PROPERTIES[name].size}")
            for name in RULE_PROPERTIES]  # fmt: skip
    parts += ["## Operand properties", _PROPERTY,
              table(("by", "number n", "values of n"), laws),
              "## Port of the SystemVerilog", table(_SIGNAL, _PORT),
              "## Ports of cores",
              "A machine has its port in `core.unit_port`, its cycles in `core.latency.unit-port`.",
              table(("core", "`core.unit_port`", "third operand", "added cycles"), _PORTS),
              "CV-X-IF has the ports and types of CVE2. Other cores with CV-X-IF were not tried.",
    ]  # fmt: skip
    return page("Keys of a unit", *parts)
