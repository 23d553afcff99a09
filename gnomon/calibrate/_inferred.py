"""The keys of a measured core, and the text of its machine file."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device
from gnomon.calibrate._measure import Skews
from gnomon.calibrate._restarts import Restarts
from gnomon.calibrate._shared_port import SharedPort

_FLOW: Final[dict[str, Any]] = {"default_flow_style": True, "sort_keys": False, "width": 2**20}
CLASSES: Final = {"alu": programs.ALU + programs.SHIFTS, "mul": ("mul",),
                  "mulh": ("mulh", "mulhsu", "mulhu"), "div": ("div", "divu", "rem", "remu"),
                  "load": programs.ACCESSES[:5], "store": programs.ACCESSES[5:],
                  "branch": programs.BRANCHES, "jump": ("jal", "jalr"),
                  "fence": ("fence",), "csr": programs.CSRS}  # fmt: skip
"""Instructions by class."""
SECTIONS: Final = ("fetch", "predictor")
"""Sections of ``core`` next to ``latency``."""


@dataclass
class Inferred:
    """Keys of ``core``, each with its evidence."""

    latency: dict[str, Any] = field(default_factory=dict)
    others: dict[str, Any] = field(default_factory=dict)
    """Keys of the sections ``SECTIONS``, such as ``fetch.queue``, and of the cache, ``icache``."""
    evidence: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    skews: Skews = field(default_factory=dict)
    """Instructions whose cycles show with others."""
    spacers: int = 2
    """Plain instructions on either side of each probe."""
    port: SharedPort | None = None
    """How loads and stores delay the fetch."""
    restarts: Restarts | None = None
    """Instructions that restart the fetch; None if they are not measured."""
    accesses: set[str] = field(default_factory=lambda: set(programs.ACCESSES))
    """Instructions with the wait states of data."""

    def note(self, name: str, value: Any, evidence: str) -> None:
        """Record a key of ``core.latency`` with its value and evidence."""
        self.latency[name], self.evidence[name] = value, evidence

    @property
    def keys(self) -> dict[str, Any]:
        """All keys by the names that ``evidence`` has."""
        return self.latency | self.others


def machine_text(
    inferred: Inferred, device: Device, name: str, source: str, compared: object = None
) -> str:
    """Return the text of the machine file, with the evidence of each number.

    Args:
        inferred: keys of the machine.
        device: measured device.
        name: name of the machine.
        source: origin of the device.
        compared: result of a comparison, for the line ``Residual``.
    """
    port = device.unit_port
    lines = [
        f"# Measured by `gnomon calibrate`: {source}.",
        *(f"# {note}." for note in inferred.notes),
        *(f"# Residual: {each}." for each in (compared,) if each is not None),
        "extends: rv32im",
        f"name: {name}",
        f"title: {name}, measured on its RTL",
        f"source: {json.dumps(f'gnomon calibrate; {source}', ensure_ascii=False)}",
        "",
        "core:",
        f"  isa: {device.isa}",
        "  misaligned: trap             # not measured",
        *([f"{f'  unit_port: {port}':<31}# from core.yaml"] if port else []),
    ]
    for section in SECTIONS:
        keys = [each for each in inferred.others if each.startswith(f"{section}.")]
        lines += [f"  {section}:"] * bool(keys)
        for each in keys:
            value = inferred.others[each]
            flow = _FLOW if isinstance(value, list | tuple) else {}
            shown = yaml.safe_dump({each.split(".")[1]: value}, **flow).strip().strip("{}")
            lines.append(f"    {shown:<25}  # {inferred.evidence.get(each, '')}")
    lines.append("  latency:")
    for each, value in inferred.latency.items():
        if not isinstance(value, list):
            lines.append(f"    {f'{each}: {value}':<25}  # {inferred.evidence[each]}")
        elif value:
            lines.append(f"    {each}:  # {inferred.evidence[each]}")
            lines += [f"      - {yaml.safe_dump(entry, **_FLOW).strip()}" for entry in value]
    cache = [each for each in inferred.others if each.startswith("icache.")]
    lines += ["memory:", "  caches:", "    icache:"] * bool(cache)
    for each in cache:
        shown = f"{each.removeprefix('icache.')}: {inferred.others[each]}"
        lines.append(f"      {shown:<23}  # {inferred.evidence[each]}")
    return "\n".join(lines) + "\n"
