"""``core.yaml``: the RTL of a core of the user's, and how it is connected."""

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

_SIGNAL = r"^[A-Za-z_][A-Za-z0-9_$.]*$"
_CONSTANT = re.compile(r"([A-Za-z_][\w$]*::)*[A-Za-z_][\w$]*")
Signal = Annotated[str, Field(pattern=_SIGNAL)]
_ADAPTERS = Path(__file__).parent / "adapters"
_PORTS = "// ports:"
_MOST_LINES = 60


class Bus(NamedTuple):
    """How a core reaches memory: the Verilog of the adapter, and the core's ports in it."""

    text: str
    ports: tuple[str, ...]


def buses() -> tuple[str, ...]:
    """Names of the adapters that are there."""
    return tuple(sorted(path.stem for path in _ADAPTERS.glob("*.v")))


def _bus(value: object, info: ValidationInfo) -> Bus:
    name = str(value)
    path = _ADAPTERS / f"{name}.v"
    if name.endswith(".v"):
        path = (context_of(info).folder or Path()) / name
    elif name not in buses():
        near = did_you_mean(name, buses())
        raise ValueError(
            f"must not be {name!r} (allowed: {', '.join(buses())}, or an adapter of yours: a file "
            f"that ends in .v{near})"
        )
    if not is_file(path):
        raise ValueError(f"{name}: {why_no_file(path)}")
    text = read_any_text(path)
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        raise ValueError(f"{name}: an adapter has at most {_MOST_LINES} lines, not {len(lines)}")
    listed = [line.removeprefix(_PORTS).split() for line in lines if line.startswith(_PORTS)]
    if not any(listed):
        raise ValueError(
            f"{name}: needs a line '{_PORTS} NAME ...' with the core's ports of the bus"
        )
    return Bus(text, tuple(port for ports in listed for port in ports))


def _constant(value: object) -> object:
    if type(value) is not int and not (isinstance(value, str) and _CONSTANT.fullmatch(value)):
        raise ValueError(f"must not be {value!r} (allowed: a whole number, or a_pkg::NAME)")
    return value


_Constant = Annotated[int | str, BeforeValidator(_constant)]


def _names(given: dict[str, Any]) -> dict[str, Any]:
    for name in given:
        if not re.fullmatch(_SIGNAL, name):
            raise ValueError(f"{name!r} is no name of Verilog")
    return given


class Reset(Section):
    """The reset of the core."""

    signal: Signal = key("port", allowed="a name of Verilog")
    active: Literal["low", "high"] = key("its level while the core is held")


class Retire(Section):
    """Where the core says that an instruction is finished, in names of its top module."""

    valid: Signal = key("1 in the cycle in which one is", default="rvfi_valid",
                        allowed="a name of Verilog, with dots into instances")  # fmt: skip
    pc: Signal = key("its address", default="rvfi_pc_rdata",
                     allowed="a name of Verilog, with dots into instances")  # fmt: skip


def _there(paths: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    folder = context_of(info).folder or Path()
    for name in paths:
        if not is_file(folder / name) and not is_folder(folder / name):
            raise ValueError(f"{name}: {why_no_file(folder / name)}")
    return tuple(str((folder / each).resolve()) for each in paths)


_Paths = Annotated[tuple[str, ...], BeforeValidator(names_tuple), AfterValidator(_there)]


class CoreFile(Section):
    """One core. Paths start at the folder of the file."""

    schema_version: Version = version_key()
    name: str = key("of the core, and of its machine", pattern=NAME_PATTERN, allowed=NAME_ALLOWED)
    source: str = key("where the RTL is from, with its revision", pattern=r"^[^\x00-\x1f]+$",
                      allowed="one line")  # fmt: skip
    sources: _Paths = key("files of Verilog", allowed="a list of paths")
    include: _Paths = key("folders of what they include", default=(), allowed="a list of paths")
    top: Signal = key("module under test", allowed="a name of Verilog")
    parameters: Annotated[dict[str, _Constant], AfterValidator(_names)] = key(
        "of the top module", default={}, allowed="whole numbers, or constants such as a_pkg::NAME"
    )
    defines: Annotated[tuple[str, ...], BeforeValidator(names_tuple)] = key(
        "macros, such as RISCV_FORMAL", default=(), allowed="a list of names"
    )
    clock: Annotated[tuple[Signal, ...], BeforeValidator(items)] = key(
        "port, or ports", allowed="a name of Verilog, or a list"
    )
    reset: Reset = key("how the core is held at the start")
    bus: Annotated[Bus, BeforeValidator(_bus)] = key(
        "how it reaches memory", allowed="pico, ahb-lite, ahb-lite-1port, wishbone, obi, FILE.v"
    )
    ports: dict[str, Signal] = key(
        "ports of the bus that are not called as usual: usual name to that of the core",
        default={}, allowed="names",
    )  # fmt: skip
    inputs: Annotated[dict[str, int], AfterValidator(_names)] = key(
        "other inputs, and the number each is held at", default={}, allowed="whole numbers"
    )
    isa: Literal[
        "rv32im_zicsr", "rv32im", "rv32i_zicsr", "rv32i",
        "rv32imc_zicsr", "rv32imc", "rv32ic_zicsr", "rv32ic",
    ] = key(
        "what the core executes; with _zicsr CSR accesses are measured, on mscratch"
    )  # fmt: skip
    reset_pc: int = key(
        "address of the first instruction", alias="reset-pc", ge=0, lt=2**17, multiple_of=4,
        allowed="a multiple of 4 below 0x20000",
    )  # fmt: skip
    waits: Literal["any", "none"] = key(
        "measured with wait states of the memories; none = the machine has none", default="any"
    )
    retire: Annotated[Retire | None, BeforeValidator(none_word)] = key(
        "where it says that one is finished; RVFI if not given; none = only stores are seen on the "
        "bus, which is weaker",
        default=Retire(),
    )  # fmt: skip

    @field_validator("sources", "clock")
    @classmethod
    def _some(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names:
            raise ValueError("must name one")
        return names

    @field_validator("ports")
    @classmethod
    def _known_ports(cls, ports: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        usual = info.data["bus"].ports if "bus" in info.data else tuple(ports)
        for name in ports:
            if name not in usual:
                raise ValueError(f"{name} is no port of the bus (allowed: {', '.join(usual)})")
        return ports

    @classmethod
    def read(cls, path: Path) -> CoreFile:
        """Read a file.

        Raises:
            FileError: with every problem, one per line.
        """
        tree, twice = read_file(path, "core")
        if twice:
            raise FileError(twice)
        return validate_tree(tree, cls, reading=ParseContext(path.parent), in_order=True)
