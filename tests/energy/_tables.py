"""Gate-level tables of made-up figures, of any machine."""

from __future__ import annotations

from pathlib import Path

import yaml

from gnomon.arch import Architecture
from gnomon.cost.energy.gate_machine import list_stated_keys

MADE_UP = Path(__file__).with_name("own") / "models" / "power" / "made-up.yaml"


def table_of(machine: Architecture, /, **keys: object) -> str:
    """Return a table of a machine with the figures of ``made-up``; ``keys`` replace others."""
    table = yaml.safe_load(MADE_UP.read_text())
    stated = {name: [value] for name, value in list_stated_keys(machine).items()}
    return yaml.safe_dump(table | {"name": "own", "machine": stated} | keys, sort_keys=False)


def tables_in(folder: Path, text: str) -> Path:
    """Write a table ``own`` and return the folder of content that it is in."""
    path = folder / "models" / "power" / "own.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return folder
