"""``core.yaml``: the RTL of a core of the user's, and how it is connected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from gnomon.base.schema import (
    NAME_ALLOWED,
    NAME_PATTERN,
    Reading,
    Section,
    Version,
    check,
    key,
    names_tuple,
    reading_of,
    version_key,
)
from gnomon.base.yaml import FileError, read_file

_SIGNAL = r"^[A-Za-z_][A-Za-z0-9_$.]*$"
Signal = Annotated[str, Field(pattern=_SIGNAL)]


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


def _there(sources: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    folder = reading_of(info).folder or Path()
    found = tuple(str((folder / each).resolve()) for each in sources)
    for name, path in zip(sources, found, strict=True):
        if not Path(path).is_file():
            raise ValueError(f"{name}: no such file")
    if not sources:
        raise ValueError("must name a file")
    return found


class CoreFile(Section):
    """One core. Paths start at the folder of the file."""

    schema_version: Version = version_key()
    name: str = key("of the core, and of its machine", pattern=NAME_PATTERN, allowed=NAME_ALLOWED)
    source: str = key("where the RTL is from, with its revision", min_length=1)
    sources: Annotated[tuple[str, ...], BeforeValidator(names_tuple), AfterValidator(_there)] = key(
        "files of Verilog", allowed="a list of paths"
    )
    top: Signal = key("module under test", allowed="a name of Verilog")
    parameters: dict[str, int] = key("of the top module", default={}, allowed="whole numbers")
    defines: Annotated[tuple[str, ...], BeforeValidator(names_tuple)] = key(
        "macros, such as RISCV_FORMAL", default=(), allowed="a list of names"
    )
    clock: Signal = key("port", allowed="a name of Verilog")
    reset: Reset = key("how the core is held at the start")
    bus: Literal["pico", "wishbone"] = key(
        "how it reaches memory: pico = one native port of PicoRV32; wishbone = one port for "
        "instructions and one for data, classic cycles"
    )
    ports: dict[str, str] = key(
        "ports of the bus that are not called as usual: usual name to that of the core",
        default={}, allowed="names",
    )  # fmt: skip
    inputs: dict[str, int] = key(
        "other inputs, and the number each is held at", default={}, allowed="whole numbers"
    )
    isa: Literal["rv32i", "rv32im"] = key("what the core executes")
    reset_pc: int = key(
        "address of the first instruction", unit="address", alias="reset-pc", ge=0, lt=2**17
    )
    retire: Retire = key("where it says that one is finished; RVFI if not given",
                         default=Retire())  # fmt: skip

    @field_validator("ports")
    @classmethod
    def _known_ports(cls, ports: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        usual = usual_ports(info.data.get("bus", "pico"))
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
        return check(tree, cls, reading=Reading(path.parent), in_order=True)


def usual_ports(bus: str) -> tuple[str, ...]:
    """Names of the ports of a bus, where a core gives no others."""
    if bus == "pico":
        return ("mem_valid", "mem_instr", "mem_ready", "mem_addr", "mem_wdata", "mem_wstrb",
                "mem_rdata")  # fmt: skip
    return ("ibus_adr", "ibus_cyc", "ibus_rdt", "ibus_ack", "dbus_adr", "dbus_dat", "dbus_sel",
            "dbus_we", "dbus_cyc", "dbus_rdt", "dbus_ack")  # fmt: skip
