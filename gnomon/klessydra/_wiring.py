"""The bench as text: the core, connected with gnomon's platform.

The bench is generated from the declaration of the core, so it also fits a core with other generics
or additional ports (Morph). Ports are identified by the names of the PULPino interface, which all
Klessydra cores have.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gnomon.arch import Architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl.bench import rendered
from gnomon.rtl.setting import Setting

_FIXED = {
    "LUTRAM_RF": 1, "RV32E": 0, "RV32M": 1, "MCYCLE_EN": 1, "MINSTRET_EN": 1, "MHPMCOUNTER_EN": 1,
    "debug_en": 1, "tracer_en": 0,
}  # fmt: skip
"""Generics with equal values in every setting."""
_OF_VECTORS = ("replicate_accl_en", "multithreaded_accl_en", "SPM_NUM", "Addr_Width", "SIMD")
"""Generics of the vector unit; a scalar core of the family has none of them."""

_ENTITY = re.compile(r"\bentity\s+(\w+)\s+is\b", re.IGNORECASE)
_DECLARATION = re.compile(
    r"(?:signal\s+|constant\s+)?([\w\s,]+?)\s*:\s*(?:(in|out|inout|buffer)\b)?\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Port:
    """One port: ``direction`` is in, out, inout or buffer."""

    name: str
    direction: str
    type: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A declared entity. ``generics`` maps names to types without defaults."""

    name: str
    path: Path
    line: int
    generics: dict[str, str]
    ports: tuple[Port, ...]


def read_entity(paths: Iterable[Path], name: str) -> Entity:
    """Return the entity ``name`` of the first file that declares it, ignoring case.

    Raises:
        GnomonError: if no file declares it, or a file cannot be read.
    """
    known: list[str] = []
    paths = tuple(paths)
    for path in paths:
        text = without_comments(read_vhdl(path))
        for match in _ENTITY.finditer(text):
            if match[1].lower() == name.lower():
                return _parse_entity(text, match, path)
            known.append(match[1])
    raise GnomonError(
        f"--top {name}: none of the {len(paths)} source files declares this entity"
        f"{did_you_mean(name, known)}"
    )


def read_vhdl(path: Path) -> str:
    """Return the text of a source: UTF-8, or Latin-1, the character set of VHDL.

    Raises:
        GnomonError: if the file cannot be read.
    """
    try:
        return path.read_bytes().decode(encoding_of(path))
    except OSError as error:
        raise GnomonError(f"{path}: cannot be read: {error.strerror}") from None


def encoding_of(path: Path) -> str:
    """Return the encoding of a file: UTF-8 if its bytes are valid UTF-8, otherwise Latin-1."""
    try:
        path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def without_comments(text: str) -> str:
    """Return the text with comments replaced by blanks, so that offsets stay valid."""
    return re.sub(r"--[^\n]*", lambda match: " " * len(match[0]), text)


def closing(text: str, opening: int) -> int:
    """Return the index of the parenthesis that closes the one at ``opening``, or the length."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return len(text)


def _parse_entity(text: str, match: re.Match[str], path: Path) -> Entity:
    end = re.compile(rf"\bend\b\s*(entity\b)?\s*({match[1]}\b)?\s*;", re.IGNORECASE)
    stop = end.search(text, match.end())
    body = text[match.end() : stop.start() if stop else len(text)]
    generics: dict[str, str] = {}
    ports: list[Port] = []
    for kind in ("generic", "port"):
        for names, direction, subtype in _parse_declarations(body, kind):
            for each in names.split(","):
                if kind == "generic":
                    generics[each.strip()] = subtype
                else:
                    ports.append(Port(each.strip(), (direction or "in").lower(), subtype))
    line = text.count("\n", 0, match.start()) + 1
    return Entity(match[1], path, line, generics, tuple(ports))


def _parse_declarations(body: str, kind: str) -> Iterable[tuple[str, str | None, str]]:
    opening = re.search(rf"\b{kind}\s*\(", body, re.IGNORECASE)
    if opening is None:
        return
    inside = body[opening.end() : closing(body, opening.end() - 1)]
    depths = accumulate((each == "(") - (each == ")") for each in inside)
    ends = [at for at, depth in enumerate(depths) if inside[at] == ";" and not depth]
    for start, end in pairwise([-1, *ends, len(inside)]):
        match = _DECLARATION.fullmatch(inside[start + 1 : end].strip())
        if match:
            subtype = match[3].split(":=")[0]
            yield match[1], match[2], " ".join(subtype.split())


BENCH = "klessydra_bench"

_BUS = {
    "instr_req_o": "std_logic", "instr_gnt_i": "std_logic", "instr_rvalid_i": "std_logic",
    "instr_addr_o": "std_logic_vector(31 downto 0)",
    "instr_rdata_i": "std_logic_vector(31 downto 0)",
    "data_req_o": "std_logic", "data_gnt_i": "std_logic", "data_rvalid_i": "std_logic",
    "data_we_o": "std_logic", "data_be_o": "std_logic_vector(3 downto 0)",
    "data_addr_o": "std_logic_vector(31 downto 0)", "data_wdata_o": "std_logic_vector(31 downto 0)",
    "data_rdata_i": "std_logic_vector(31 downto 0)", "data_err_i": "std_logic",
}  # fmt: skip
_NEEDED = frozenset(_BUS) | {"clk_i", "rst_ni", "fetch_enable_i"}
_TIED = {"clock_en_i": "'1'"}  # every other input is tied to zero


def generics(setting: Setting) -> dict[str, int]:
    """Return the setting as generics of ``klessydra_t1_3th_core`` (Morph has equal names)."""
    return {
        "THREAD_POOL_SIZE": setting.harts,
        "superscalar_exec_en": int(setting.superscalar),
        "replicate_accl_en": int(setting.sharing != "shared"),
        "multithreaded_accl_en": int(setting.sharing == "multithreaded"),
        "SPM_NUM": setting.scratchpads,
        "Addr_Width": setting.scratchpad_bytes.bit_length() - 1,
        "SIMD": max(setting.simd, 1),
        "accl_en": int(setting.simd > 0),
        "count_all": int(setting.count_all),
    }


def check_entity(entity: Entity, machine: Architecture) -> None:
    """Check that the bench can connect a core.

    Raises:
        GnomonError: if the core lacks a port of the interface, or a generic that selects a
            setting; or if the memories of the machine do not fit the bench.
    """
    names = {port.name.lower() for port in entity.ports}
    if machine.memory.regions:
        raise GnomonError("memory.regions: the bench has one instruction and one data memory")
    base = machine.memory.instruction.base
    if base != 0:
        raise GnomonError(
            "memory.instruction.base: the bench has the instruction memory at address 0, not at"
            f" {base:#x}"
        )
    if machine.memory.is_one:
        raise GnomonError("memory: the bench has no memory for both code and data")
    missing = sorted(_NEEDED - names)
    if missing:
        raise GnomonError(
            f"{entity.path}:{entity.line}: entity {entity.name} has no port {missing[0]}; the bench"
            f" connects cores with the PULPino interface ({len(missing)} of {len(_NEEDED)} missing)"
        )
    declared = {name.lower() for name in entity.generics}
    absent = [name for name in _OF_VECTORS if name.lower() not in declared]
    if absent and len(absent) < len(_OF_VECTORS):
        raise GnomonError(
            f"{entity.path}:{entity.line}: entity {entity.name} has no generic {absent[0]},"
            " by which the bench sets the vector unit"
        )


def parse_generics(words: Sequence[str], entity: Entity) -> dict[str, int]:
    """Return the values of ``NAME=VALUE``, under the names of the entity.

    Raises:
        GnomonError: if a generic does not exist, a setting selects it, or the value is not a whole
            number.
    """
    declared = {name.lower(): name for name in entity.generics}
    chosen = {name.lower() for name in generics(Setting())}
    values: dict[str, int] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name.lower() not in declared:
            near = did_you_mean(name, entity.generics)
            raise GnomonError(f"--generic {word}: entity {entity.name} has no {name!r}{near}")
        if name.lower() in chosen:
            raise GnomonError(f"--generic {word}: the setting of each program selects {name}")
        try:
            values[declared[name.lower()]] = int(value, 0)
        except ValueError:
            raise GnomonError(f"--generic {word}: {value!r} is not a whole number") from None
    return values


def bench_text(
    entity: Entity, machine: Architecture, given: Mapping[str, int] = MappingProxyType({})
) -> str:
    """Return the VHDL of the bench, with the memories of the machine; ``given``: more generics.

    Raises:
        GnomonError: if the bench cannot connect the core (``check_entity``).
    """
    check_entity(entity, machine)
    chosen = generics(Setting())
    names = {name: name for name in chosen}
    values = _select_generics(entity, {**_FIXED, **names, **given})
    return rendered(
        content("rtl_tests", "klessydra", "bench.vhd.j2"), bench=BENCH, chosen=chosen, bus=_BUS,
        memory=machine.memory, core=entity.name, generics=values.items(),
        ports=list(_connect_ports(entity)),
    )  # fmt: skip


def bound_generics(entity: Entity, setting: Setting, given: Mapping[str, int]) -> dict[str, int]:
    """Return every generic that gets a value in a setting, under the names of the entity."""
    return _select_generics(entity, {**_FIXED, **generics(setting), **given})


def _select_generics(entity: Entity, values: Mapping[str, Any]) -> dict[str, Any]:
    known = {name.lower(): value for name, value in values.items()}
    return {name: known[name.lower()] for name in entity.generics if name.lower() in known}


def verilog_ports(entity: Entity) -> list[tuple[str, str]]:
    """Return every port of the synthesized core, with the Verilog signal to connect."""
    shown = {"open": "", "'1'": "1'b1"}
    return [(name.lower(), shown.get(value, "0" if "'0'" in value else value))
            for name, value in _connect_ports(entity)]  # fmt: skip


def _connect_ports(entity: Entity) -> Iterator[tuple[str, str]]:
    for port in entity.ports:
        name = port.name.lower()
        zero = "(others => '0')" if "(" in port.type else "'0'"
        if port.type.lower().startswith(("natural", "integer", "positive")):
            zero = "0"
        if name in _NEEDED:
            yield port.name, name
        elif port.direction != "in":
            yield port.name, "open"
        else:
            yield port.name, _TIED.get(name, zero)
