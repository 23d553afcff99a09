"""A project in which the unit ``lanes`` has SystemVerilog: without its scalar instruction."""

from __future__ import annotations

import shutil
from pathlib import Path

LANES = Path(__file__).with_name("units") / "lanes"


def write_lanes(project: Path) -> Path:
    """Write the unit into a project and return its folder."""
    (project / "gnomon.yaml").touch()
    folder = project / "units" / "lanes"
    shutil.copytree(LANES, folder)
    path = folder / "unit.yaml"
    text = path.read_text().partition("  twice:")[0].replace("range: [1, 63]", "range: [3, 63]")
    path.write_text(
        text.replace("instructions:", "rtl: {sources: [lanes.sv], top: unit_lanes}\ninstructions:")
    )
    code = folder / "lanes.c"
    code.write_text(code.read_text().replace("UNIT(twice) { return 2 * a; }\n", ""))
    return folder
