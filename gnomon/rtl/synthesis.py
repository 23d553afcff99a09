"""Synthesis of RTL configurations with yosys: counts of Xilinx 7-series primitives.

The counts precede placement and routing. They are suitable for ratios and give neither clock
frequency nor power.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gnomon.base.cache import Store
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.rtl.tools import Tool, run
from gnomon.rtl.tools import tool as outside

COMMAND = "synth_xilinx -family xc7"
# Counts of the whole design, times instances. Yosys 0.23 prints plain text inside the JSON.
_WHOLE = re.compile(r'^\s*"design":\s*', re.MULTILINE)
_LUT = re.compile(r"LUT[1-6]|INV")
# Weights in LUT, FF, DSP and BRAM of 36 Kbit. A memory of look-up tables counts as its tables.
WEIGHTS: dict[str, dict[str, float]] = {
    "lut": {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "SRL16E": 1, "SRLC32E": 1},
    "ff": {"FDRE": 1, "FDSE": 1, "FDCE": 1, "FDPE": 1},
    "dsp": {"DSP48E1": 1},
    "bram": {"RAMB18E1": 0.5, "RAMB36E1": 1},
}
# Carry chains and wide multiplexers belong to the slices of the look-up tables.
_FREE = {"CARRY4", "MUXF7", "MUXF8", "BUFG", "IBUF", "OBUF"}


@dataclass(frozen=True, slots=True)
class Configuration:
    """One design with its parameters, and the conditions on machines that contain it.

    ``part`` and ``conditions`` are columns of a row of ``models/area`` (``models/README.md``).
    ``sources``: file names in ``folder``. ``flat``: flatten the hierarchy; otherwise each module is
    synthesized once for all its instances.
    """

    part: str
    top: str
    folder: Path
    sources: tuple[str, ...]
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    conditions: Mapping[str, int | str] = field(default_factory=dict)
    flat: bool = True
    options: tuple[str, ...] = ()  # of read_verilog: macros, include folders

    @property
    def design(self) -> str:
        """File, module and parameters, as in a row of ``models/area``."""
        given = "".join(f" {name}={value}" for name, value in self.parameters.items())
        file = Path("rtl_tests", self.folder.name, self.sources[-1])  # absolute for a user's core
        return f"{file} {self.top}{given}"

    @property
    def command(self) -> str:
        """The yosys command that synthesizes the design."""
        return f"{COMMAND} -flatten" if self.flat else COMMAND


def parameter_steps(parameters: Mapping[str, int | str], top: str) -> list[str]:
    """Return the commands of yosys that set the parameters of a module."""
    if not parameters:
        return []
    settings = (f"-set {name} {_parameter_text(value)}" for name, value in parameters.items())
    return [f"chparam {' '.join(settings)} {top}"]


def _parameter_text(value: int | str) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    return str(value) if value >= 0 else f"32'sb{value & 0xFFFF_FFFF:b}"  # it rejects a minus sign


def synthesize(configuration: Configuration, tool: Tool | None = None) -> dict[str, float]:
    """Count LUT, FF, DSP and BRAM of one configuration; results are cached.

    Raises:
        GnomonError: if yosys is missing, rejects the design, or returns an unknown primitive.
    """
    tool = (tool or outside("yosys")).check()
    steps = [" ".join(["read_verilog -sv", *configuration.options, *configuration.sources])]
    steps += parameter_steps(configuration.parameters, configuration.top)
    steps.append(f"{configuration.command} -noiopad -noclkbuf -top {configuration.top}")
    steps.append("stat -json")
    files = [configuration.folder / name for name in configuration.sources]
    folders = {file.parent for file in files}  # with files that the sources may include
    folders |= {Path(each[2:]) for each in configuration.options if each.startswith("-I")}
    files += [file for folder in sorted(folders) for file in sorted(folder.glob("*.*h"))]
    key = digest(([file.read_bytes() for file in files], steps, tool.path, tool.version))
    store = Store("synthesis", ".json")
    entry = store.load(key)
    if entry is None:
        cells = json.dumps(_run_yosys(configuration, tool, steps), sort_keys=True)
        entry = store.keep(key, cells.encode())
    return _weigh_cells(configuration, json.loads(entry.data))


def _run_yosys(configuration: Configuration, tool: Tool, steps: list[str]) -> dict[str, int]:
    done = run([str(tool.path), "-Q", "-p", "; ".join(steps)], configuration.folder)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise GnomonError(f"{configuration.design}: yosys reports: {''.join(last)}")
    ends = [match.end() for match in _WHOLE.finditer(done.stdout)]
    if not ends:
        raise GnomonError(f"{configuration.design}: yosys prints no statistics")
    whole = json.JSONDecoder().raw_decode(done.stdout[ends[-1] :])[0]
    cells: dict[str, int] = whole["num_cells_by_type"]
    return cells


def _weigh_cells(configuration: Configuration, cells: dict[str, int]) -> dict[str, float]:
    found = dict.fromkeys(WEIGHTS, 0.0)
    for cell, number in cells.items():
        if cell in _FREE or cell.startswith("$"):  # $: modules and notes, not primitives
            continue
        if _LUT.fullmatch(cell):
            found["lut"] += number
            continue
        homes = [name for name, weights in WEIGHTS.items() if cell in weights]
        if not homes:
            raise GnomonError(f"{configuration.design}: {cell} is not a counted primitive")
        found[homes[0]] += number * WEIGHTS[homes[0]][cell]
    return found
