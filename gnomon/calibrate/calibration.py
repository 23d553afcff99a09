"""Measure a core, write its machine, hold it against random programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product, starmap
from pathlib import Path
from typing import Any

import yaml

from gnomon.arch import load_architecture, variants
from gnomon.base.errors import GnomonError
from gnomon.calibrate._compare import Compared, Comparison, Difference
from gnomon.calibrate._core import CoreFile
from gnomon.calibrate._device import Device, MachineDevice, RtlDevice, Waits
from gnomon.calibrate._infer import Inferred, infer
from gnomon.calibrate._measure import Refused as Refused  # noqa: PLC0414 - for callers
from gnomon.calibrate._measure import measure
from gnomon.calibrate._programs import control
from gnomon.program import build, load_elf
from gnomon.rtl.synthesis import Configuration, synthesize
from gnomon.rtl.tools import Simulator, tool

_WAITS = (Waits(0, 0), Waits(1, 0), Waits(0, 2), Waits(3, 1))
_SIZE = 1500
_FLOW: dict[str, Any] = {"default_flow_style": True, "sort_keys": False, "width": 2**20}
_OWN_SEEDS = range(8)


@dataclass(frozen=True)
class Calibration:
    """What was inferred of a core."""

    inferred: Inferred
    device: Device
    name: str
    source: str

    @classmethod
    def of(cls, file: Path, folder: Path, simulator: Simulator = "icarus") -> Calibration:
        """Measure a core.

        Args:
            file: its ``core.yaml``.
            folder: where to build.
            simulator: of the RTL.

        Raises:
            GnomonError: it does not compile, does not run, or no machine file can say what it does.
        """
        device = _built(file, folder, simulator)
        return cls(infer(device), device, device.core.name, device.core.source)

    @staticmethod
    def hold(
        file: Path,
        folder: Path,
        machine: Path | str,
        seeds: Iterable[int],
        programs: Sequence[Path] = (),
        simulator: Simulator = "icarus",
        most_waits: int | None = None,
    ) -> Compared:
        """Programs on a core as RTL and on a machine, at several wait states.

        Args:
            file: the core.
            folder: where to build.
            machine: what it should be.
            seeds: of random programs.
            programs: C, assembly or ELF files that run before those.
            simulator: of the RTL.
            most_waits: all wait states of both memories up to this.

        Raises:
            GnomonError: the core does not compile, or runs nothing.
        """
        device = _built(file, folder, simulator)
        grid = _waits(device)
        if most_waits is not None:
            if device.waits != "any" and most_waits:
                raise GnomonError(f"{file}: waits: none leaves no wait states to run with")
            grid = tuple(starmap(Waits, product(range(most_waits + 1), repeat=2)))
        early = measure(device, control(), Waits(0, 0)).early
        held = _comparison(device, machine, early=early)
        count = 0
        for path in programs:
            ours = load_architecture(machine)
            program = load_elf(path) if path.suffix == ".elf" else build([path], ours)
            for waits in grid:
                message, instructions = held.held(program, waits)
                count += instructions
                if message:
                    return Compared(0, count, Difference((), waits, f"{path.name}: {message}"))
        found = held.random(seeds, grid, _SIZE)
        return replace(found, instructions=found.instructions + count, compiled=len(programs))

    @staticmethod
    def area(file: Path) -> tuple[dict[str, float], str]:
        """What yosys makes of a core, without RVFI: LUT, FF, DSP and BRAM, and what was counted.

        Raises:
            GnomonError: there is no yosys, or it does not take the core.
        """
        core, yosys = CoreFile.read(file), tool("yosys")
        for name, value in core.parameters.items():
            if isinstance(value, str):
                raise GnomonError(f"{file}: parameters.{name}: yosys sets numbers, not {value!r}")
        options = [f"-D{name}" for name in core.defines if name != "RISCV_FORMAL"]
        options += [f"-I{folder}" for folder in core.include]
        design = Configuration(core.name, core.top, file.parent, core.sources, core.parameters,
                               options=tuple(options))  # fmt: skip
        given = "".join(f", {name} {value}" for name, value in core.parameters.items())
        source = f"{core.source}{given}; yosys {yosys.version} {design.command}"
        return synthesize(design, yosys), source

    def text(self, held: Compared | None = None) -> str:
        """The machine file, with the measurements behind each number, and what checked it."""
        made = self.inferred
        lines = [
            f"# Measured by `gnomon calibrate`: {self.source}.",
            *(f"# {note}." for note in made.notes),
            *(f"# Residual: {each}." for each in (held,) if each is not None),
            "extends: rv32im",
            f"name: {self.name}",
            f"title: {self.name}, measured on its RTL",
            f"source: {json.dumps(f'gnomon calibrate; {self.source}', ensure_ascii=False)}",
            "",
            "core:",
            f"  isa: {self.device.isa}",
            "  misaligned: trap             # not measured",
            "  latency:",
        ]
        for name, value in made.latency.items():
            if not isinstance(value, list):
                lines.append(f"    {f'{name}: {value}':<25}  # {made.evidence[name]}")
            elif value:
                lines.append(f"    {name}:  # {made.evidence[name]}")
                lines += [f"      - {yaml.safe_dump(entry, **_FLOW).strip()}" for entry in value]
        return "\n".join(lines) + "\n"

    def check(self, machine: Path) -> Compared:
        """Hold a written machine against random programs.

        Raises:
            Refused: they differ; with the smallest program that shows it.
        """
        held = _comparison(self.device, machine, early=self.inferred.early)
        found = held.random(_OWN_SEEDS, _waits(self.device), _SIZE)
        if found.difference is not None:
            raise Refused(
                f"{self.name}: no machine file says what it does {found.difference}",
                found.difference.timeline,
            )
        return found


def _comparison(device: Device, machine: Path | str, *, early: bool) -> Comparison:
    return Comparison(device, MachineDevice(variants(machine), device.isa, device.start), early)


def _waits(device: Device) -> tuple[Waits, ...]:
    return _WAITS if device.waits == "any" else _WAITS[:1]


def _built(file: Path, folder: Path, simulator: Simulator) -> RtlDevice:
    device = RtlDevice(CoreFile.read(file), folder.resolve(), simulator)
    device.build()
    return device
