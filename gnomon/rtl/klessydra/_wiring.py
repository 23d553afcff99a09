"""The text of the bench: the user's core and our platform, connected.

It is made from the declaration of the core, so that a core with other generics or a few ports
more (Morph) takes the same bench. Ports are known by name: those of the PULPino interface that the
whole Klessydra family has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.rtl.klessydra._setting import FIXED_GENERICS, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.arch import Memory
    from gnomon.rtl.klessydra._entity import Entity

BENCH = "klessydra_bench"
PLATFORM = "klessydra_platform"

_BUS = {
    "instr_req_o": "std_logic",
    "instr_gnt_i": "std_logic",
    "instr_rvalid_i": "std_logic",
    "instr_addr_o": "std_logic_vector(31 downto 0)",
    "instr_rdata_i": "std_logic_vector(31 downto 0)",
    "data_req_o": "std_logic",
    "data_gnt_i": "std_logic",
    "data_rvalid_i": "std_logic",
    "data_we_o": "std_logic",
    "data_be_o": "std_logic_vector(3 downto 0)",
    "data_addr_o": "std_logic_vector(31 downto 0)",
    "data_wdata_o": "std_logic_vector(31 downto 0)",
    "data_rdata_i": "std_logic_vector(31 downto 0)",
    "data_err_i": "std_logic",
}
_NEEDED = frozenset(_BUS) | {"clk_i", "rst_ni", "fetch_enable_i"}
_TIED = {"clock_en_i": "'1'"}  # every other input is tied to zero


def bench_text(entity: Entity, memory: Memory) -> str:
    """The VHDL of the bench, with the memories of the machine.

    Raises:
        GnomonError: the core lacks a port of the interface, or has a generic without which a
            setting cannot be chosen.
    """
    names = {port.name.lower() for port in entity.ports}
    if memory.instruction.base != 0:
        raise GnomonError(
            "memory.instruction.base: the bench has the instruction memory at address 0, not at"
            f" {memory.instruction.base:#x}"
        )
    missing = sorted(_NEEDED - names)
    if missing:
        raise GnomonError(
            f"{entity.path}:{entity.line}: entity {entity.name} has no port {missing[0]}; the bench"
            f" connects cores with the PULPino interface ({len(missing)} of {len(_NEEDED)} missing)"
        )
    chosen = Setting().generics()
    generics = {name.lower(): name for name in entity.generics}
    absent = [name for name in chosen if name.lower() not in generics]
    if absent:
        raise GnomonError(
            f"{entity.path}:{entity.line}: entity {entity.name} has no generic {absent[0]}, which"
            " chooses a part of the hardware setting"
        )
    lines = [
        "-- Made from the declaration of the core by gnomon; not kept.",
        "library ieee;",
        "use ieee.std_logic_1164.all;",
        "",
        f"entity {BENCH} is",
        "  generic (",
        ";\n".join(f"    {name} : integer := {value}" for name, value in chosen.items()),
        "  );",
        f"end entity {BENCH};",
        "",
        f"architecture wiring of {BENCH} is",
        "  signal clk_i, rst_ni, fetch_enable_i, done : std_logic;",
        "  signal stop : std_logic := '0';",
        *(f"  signal {name} : {subtype};" for name, subtype in _BUS.items()),
        "begin",
        f"  platform : entity work.{PLATFORM}",
        "    generic map (",
        f"      instruction_bytes => {int(memory.instruction.size)},",
        f"      data_base => {memory.data.base},",
        f"      data_bytes => {int(memory.data.size)}",
        "    )",
        "    port map (",
        ",\n".join(f"      {ours} => {signal}" for ours, signal in _platform_ports()),
        "    );",
        f"  core : entity work.{entity.name}",
        "    generic map (",
        ",\n".join(f"      {name} => {value}" for name, value in _generics(entity)),
        "    )",
        "    port map (",
        ",\n".join(f"      {name} => {value}" for name, value in _ports(entity)),
        "    );",
        "end architecture wiring;",
        "",
    ]
    return "\n".join(lines)


def _platform_ports() -> Iterator[tuple[str, str]]:
    yield "stop_i", "stop"
    yield "done_o", "done"
    yield "clk_o", "clk_i"
    yield "rst_n_o", "rst_ni"
    yield "fetch_enable_o", "fetch_enable_i"
    for name in _BUS:
        stem, direction = name.rsplit("_", 1)
        yield f"{stem}_{'i' if direction == 'o' else 'o'}", name


def _generics(entity: Entity) -> Iterator[tuple[str, str]]:
    chosen = {name.lower(): name for name in Setting().generics()}
    fixed = {name.lower(): value for name, value in FIXED_GENERICS.items()}
    for name in entity.generics:
        if name.lower() in chosen:
            yield name, chosen[name.lower()]
        elif name.lower() in fixed:
            yield name, str(fixed[name.lower()])


def _ports(entity: Entity) -> Iterator[tuple[str, str]]:
    for port in entity.ports:
        name = port.name.lower()
        if name in _NEEDED:
            yield port.name, name
        elif port.direction != "in":
            yield port.name, "open"
        elif name in _TIED:
            yield port.name, _TIED[name]
        else:
            yield port.name, "(others => '0')" if "(" in port.type else "'0'"
