"""``core.yaml``: the RTL of a user-defined core, and its connections."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from gnomon.base.errors import did_you_mean
from gnomon.base.files import is_file, is_folder, read_any_text, why_no_file
from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    ParseContext,
    Section,
    Version,
    context_of,
    items,
    key,
    names_tuple,
    none_word,
    validate_tree,
    version_key,
)
from gnomon.base.yaml import FileError, read_file
from gnomon.calibrate._programs import EXCLUDABLE
from gnomon.calibrate._unit_ports import UNIT_PORTS

_SIGNAL = r"^[A-Za-z_][A-Za-z0-9_$.]*$"
_CONSTANT = re.compile(r"([A-Za-z_][\w$]*::)*[A-Za-z_][\w$]*")
Signal = Annotated[str, Field(pattern=_SIGNAL)]
_TOKEN = re.compile(
    r"\d*'[sS]?[bodhBODH][0-9a-fA-F_]+|\d+|(?P<name>[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*)"
    r"|[-+~!&|^<>=?:(){},\[\]]"
)
_ADAPTERS = Path(__file__).parent / "adapters"
_PORTS = "// ports:"
_MOST_LINES = 60


class Bus(NamedTuple):
    """Bus adapter of a core: its Verilog, and the core's ports in it."""

    text: str
    ports: tuple[str, ...]


def buses() -> tuple[str, ...]:
    """Return the names of the shipped adapters."""
    return tuple(sorted(path.stem for path in _ADAPTERS.glob("*.v")))


def _read_bus(value: object, info: ValidationInfo) -> Bus:
    name = str(value)
    path = _ADAPTERS / f"{name}.v"
    if name.endswith(".v"):
        path = (context_of(info).folder or Path()) / name
    elif name not in buses():
        near = did_you_mean(name, buses())
        raise ValueError(
            f"must not be {name!r} (allowed: {', '.join(buses())}, or a user-defined adapter: a "
            f"file that ends in .v{near})"
        )
    if not is_file(path):
        raise ValueError(f"{name}: {why_no_file(path)}")
    text = read_any_text(path)
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        raise ValueError(f"{name}: an adapter has at most {_MOST_LINES} lines, not {len(lines)}")
    listed = [line.removeprefix(_PORTS).split() for line in lines if line.startswith(_PORTS)]
    if not any(listed):
        raise ValueError(f"{name}: needs a line '{_PORTS} NAME ...' with the bus ports of the core")
    return Bus(text, tuple(port for ports in listed for port in ports))


def _check_constant(value: object) -> object:
    if type(value) is not int and not (isinstance(value, str) and _CONSTANT.fullmatch(value)):
        raise ValueError(f"must not be {value!r} (allowed: a whole number, or a_pkg::NAME)")
    return value


_Constant = Annotated[int | str, BeforeValidator(_check_constant)]


def _check_names(given: dict[str, Any]) -> dict[str, Any]:
    for name in given:
        if not re.fullmatch(_SIGNAL, name):
            raise ValueError(f"{name!r} is not a Verilog name")
    return given


def _check_expression(value: object) -> object:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"must not be {value!r} (allowed: {_EXPRESSION_ALLOWED})")
    left = _TOKEN.sub("", value).split()
    if left or not any(found["name"] for found in _TOKEN.finditer(value)):
        what = f"{left[0]!r} in {value!r}" if left else f"{value!r}, which names no signal"
        raise ValueError(f"must not be {what} (allowed: {_EXPRESSION_ALLOWED})")
    return value


_EXPRESSION_ALLOWED = (
    "a name inside the top module, with dots into instances, or a Verilog expression of such "
    "names, such as state[2] && !stall"
)
Expression = Annotated[str, BeforeValidator(_check_expression)]


def name_inside(expression: str, instance: str) -> str:
    """Return a Verilog expression with each of its names taken from inside an instance."""

    def qualify(found: re.Match[str]) -> str:
        return f"{instance}.{found['name']}" if found["name"] else found[0]

    return _TOKEN.sub(qualify, expression)


class Reset(Section):
    """The reset of the core."""

    signal: Signal = key("port", allowed="a name of Verilog")
    active: Literal["low", "high"] = key("level that holds the core in reset")


class Retire(Section):
    """Expressions inside the top module that show a finished instruction."""

    valid: Expression = key("1 in the cycle in which an instruction finishes",
                            default="rvfi_valid", allowed=_EXPRESSION_ALLOWED)  # fmt: skip
    pc: Expression = key("address of the finished instruction", default="rvfi_pc_rdata",
                         allowed=_EXPRESSION_ALLOWED)  # fmt: skip
    rd: Expression | None = key(
        "register that the finished instruction writes, 0 for none; with value, results are "
        "compared too",
        default=None, allowed=_EXPRESSION_ALLOWED,
    )  # fmt: skip
    value: Expression | None = key(
        "value that it writes", default=None, validate_default=True, allowed=_EXPRESSION_ALLOWED,
    )  # fmt: skip

    @field_validator("value")
    @classmethod
    def _both_or_none(cls, value: str | None, info: ValidationInfo) -> str | None:
        if "rd" in info.data and (value is None) != (info.data["rd"] is None):
            raise ValueError("needs rd, and rd needs it: results are compared with both")
        return value

    def in_bench(self) -> dict[str, str | None]:
        """Return the expressions by key, with names as the bench reaches them."""
        return {name: given and name_inside(given, "dut") for name, given in self}


def _list_matching(folder: Path, name: str) -> list[Path]:
    """Return a file or folder, or the files of a pattern by name."""
    path = folder / name
    if is_file(path) or is_folder(path):
        return [path]
    if not any(sign in name for sign in "*?["):
        raise ValueError(f"{name}: {why_no_file(path)}")
    pattern = Path(name)
    start = folder / pattern.anchor
    found = sorted(filter(is_file, start.glob(str(pattern.relative_to(pattern.anchor)))))
    if not found:
        raise ValueError(f"{name}: no file matches")
    return found


def _resolve_paths(names: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    folder = context_of(info).folder or Path()
    found = (each.resolve() for name in names for each in _list_matching(folder, name))
    return tuple(dict.fromkeys(map(str, found)))  # a file that two patterns match is read once


_Paths = Annotated[tuple[str, ...], BeforeValidator(names_tuple), AfterValidator(_resolve_paths)]


class Synthesis(Section):
    """Where the synthesized core differs from the measured one, such as without trace ports."""

    parameters: Annotated[dict[str, _Constant], AfterValidator(_check_names)] = key(
        "parameters with another value",
        default={},
        allowed="whole numbers, or constants such as a_pkg::NAME",
    )
    defines: Annotated[tuple[str, ...] | None, BeforeValidator(names_tuple)] = key(
        "macros instead of the others; default: the others without RISCV_FORMAL and RVFI",
        default=None, allowed="a list of names",
    )  # fmt: skip


_TRACE_MACROS = ("RISCV_FORMAL", "RVFI")


class CoreFile(Section):
    """Description of a core. Paths are relative to the folder of the file."""

    schema_version: Version = version_key()
    name: str = key(
        "name of the core and of its machine", pattern=NAME_PATTERN, allowed=NAME_ALLOWED
    )
    source: str = key("source of the RTL, with its revision", pattern=r"^[^\x00-\x1f]+$",
                      allowed="one line")  # fmt: skip
    sources: _Paths = key("Verilog files", allowed="a list of paths or patterns such as rtl/*.v")
    include: _Paths = key("folders of included files", default=(), allowed="a list of paths")
    top: Signal = key("module under test", allowed="a name of Verilog")
    parameters: Annotated[dict[str, _Constant], AfterValidator(_check_names)] = key(
        "parameters of the top module",
        default={},
        allowed="whole numbers, or constants such as a_pkg::NAME",
    )
    defines: Annotated[tuple[str, ...], BeforeValidator(names_tuple)] = key(
        "macros, such as RISCV_FORMAL", default=(), allowed="a list of names"
    )
    clock: Annotated[tuple[Signal, ...], BeforeValidator(items)] = key(
        "clock port or ports", allowed="a name of Verilog, or a list"
    )
    reset: Reset = key("reset of the core")
    bus: Annotated[Bus, BeforeValidator(_read_bus)] = key(
        "bus adapter of the core", allowed="pico, ahb-lite, ahb-lite-1port, wishbone, obi, FILE.v"
    )
    ports: dict[str, Signal] = key(
        "bus ports with another name in the core: name in the adapter to name in the core",
        default={}, allowed="names",
    )  # fmt: skip
    inputs: Annotated[dict[str, int], AfterValidator(_check_names)] = key(
        "other inputs, and the constant value of each", default={}, allowed="whole numbers"
    )
    isa: Literal[
        "rv32im_zicsr", "rv32im", "rv32i_zicsr", "rv32i",
        "rv32imc_zicsr", "rv32imc", "rv32ic_zicsr", "rv32ic",
    ] = key(
        "instruction set of the core; with _zicsr, accesses to mscratch are measured"
    )  # fmt: skip
    reset_pc: int = key(
        "address of the first instruction", alias="reset-pc", ge=0, lt=2**17, multiple_of=4,
        allowed="a multiple of 4 below 0x20000",
    )  # fmt: skip
    waits: Literal["any", "none"] = key(
        "any: measure wait states of the memories; none: the machine has none", default="any"
    )
    retire: Annotated[Retire | None, BeforeValidator(none_word)] = key(
        "signals that show a finished instruction; RVFI if not given; none: only stores on the bus "
        "are seen, a weaker check",
        default=Retire(),
    )  # fmt: skip
    exclude: Annotated[tuple[str, ...], BeforeValidator(names_tuple)] = key(
        "instructions that the core lacks or computes wrongly; no program contains them",
        default=(), allowed="a list of mnemonics",
    )  # fmt: skip
    unit_port: Annotated[Literal["pcpi", "cv-x-if"] | None, BeforeValidator(none_word)] = key(
        "port of the core at which the units of its machine are connected; pcpi: that of PicoRV32 "
        "with ENABLE_PCPI 1; cv-x-if: that of CVE2 with XInterface 1",
        alias="unit-port",
        default=None,
    )

    synthesis: Synthesis = key(
        "where the synthesized core differs (gnomon gates)", default=Synthesis()
    )

    def synthesized(self) -> CoreFile:
        """Return the core as it is synthesized: nothing shows its retired instructions."""
        own = self.synthesis
        kept = tuple(name for name in self.defines if name not in _TRACE_MACROS)
        changes = {"retire": None, "parameters": self.parameters | own.parameters,
                   "defines": kept if own.defines is None else own.defines}  # fmt: skip
        return self.model_copy(update=changes)

    @field_validator("sources", "clock")
    @classmethod
    def _check_not_empty(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names:
            raise ValueError("must not be empty")
        return names

    @field_validator("ports")
    @classmethod
    def _check_ports(cls, ports: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        usual = info.data["bus"].ports if "bus" in info.data else tuple(ports)
        for name in ports:
            if name not in usual:
                raise ValueError(f"{name} is not a port of the bus (allowed: {', '.join(usual)})")
        return ports

    @field_validator("exclude")
    @classmethod
    def _check_excluded(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in EXCLUDABLE:
                near = did_you_mean(name, EXCLUDABLE)
                raise ValueError(
                    f"must not name {name!r} (allowed: {', '.join(sorted(EXCLUDABLE))}{near})"
                )
        return names

    @field_validator("unit_port")
    @classmethod
    def _check_unit_port(cls, port: str | None, info: ValidationInfo) -> str | None:
        if port is not None and info.data.get("retire", True) is None:
            raise ValueError("needs retire: the end of each instruction must be seen")
        signals = UNIT_PORTS[port].signals if port is not None else {}
        constant = [name for name in signals if name in info.data.get("inputs", ())]
        if constant:
            names = ", ".join(constant)
            raise ValueError(f"connects {names}, which must not be in inputs")
        return port

    @classmethod
    def read(cls, path: Path) -> CoreFile:
        """Read a file ``core.yaml``.

        Raises:
            FileError: if the file is invalid; the message has one problem per line.
        """
        tree, twice = read_file(path, "core")
        if twice:
            raise FileError(twice)
        return validate_tree(tree, cls, reading=ParseContext(path.parent), in_order=True)
