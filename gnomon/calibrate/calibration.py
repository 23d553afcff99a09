"""Calibration of a core: measure it, write its machine file, compare both on random programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product, starmap
from pathlib import Path

from gnomon.arch import Architecture, load_architecture, variants
from gnomon.arch.units import Unit
from gnomon.base.errors import GnomonError
from gnomon.calibrate._cache import warm_up
from gnomon.calibrate._compare import ComparedPrograms, CoreComparison, Difference
from gnomon.calibrate._core import CoreFile
from gnomon.calibrate._device import Device, MachineDevice, Progress, RtlDevice, Waits
from gnomon.calibrate._function import check_function
from gnomon.calibrate._infer import infer
from gnomon.calibrate._inferred import Inferred, machine_text
from gnomon.calibrate._measure import Refused as Refused  # noqa: PLC0414 - for callers
from gnomon.calibrate._measure import (
    Skews,
    find_spacers,
    join_targets,
    measure,
    merge_skews,
    quick,
)
from gnomon.calibrate._named import name_key
from gnomon.calibrate._regions import random_map, region_machine
from gnomon.calibrate._shared_port import find_shared_port, flush, without_fetch
from gnomon.calibrate._skipped_words import check_skipped_words
from gnomon.calibrate._unit_port import PROBE_UNIT
from gnomon.program import build, load_elf
from gnomon.rtl.synthesis import Configuration, synthesize
from gnomon.rtl.tools import Simulator, tool

_WAITS = (Waits(0, 0), Waits(1, 0), Waits(0, 2), Waits(3, 1))
_SIZE = 1500
_OWN_SEEDS = range(8)


@dataclass(frozen=True)
class Calibration:
    """The inferred keys of a core."""

    inferred: Inferred
    device: Device
    name: str
    source: str

    @classmethod
    def from_core(
        cls,
        file: Path,
        folder: Path,
        simulator: Simulator = "icarus",
        progress: Progress = lambda *_: None,
    ) -> Calibration:
        """Measure a core and infer the keys of its machine.

        Args:
            file: its ``core.yaml``.
            folder: build folder.
            simulator: RTL simulator.
            progress: function to call with the work, the rounds done and their total.

        Raises:
            GnomonError: if the core does not compile or run, or no machine file can describe it.
        """
        has_port = CoreFile.read(file).unit_port is not None
        units = (PROBE_UNIT,) if has_port else ()
        device = _build_device(file, folder, simulator, units, progress)
        check_function(device)
        return cls(infer(device), device, device.core.name, device.core.source)

    @staticmethod
    def compare(
        file: Path,
        folder: Path,
        machine: Path | str,
        seeds: Iterable[int],
        programs: Sequence[Path] = (),
        simulator: Simulator = "icarus",
        most_waits: int | None = None,
        progress: Progress = lambda *_: None,
    ) -> ComparedPrograms:
        """Compare programs on an RTL core and on a machine with its units, at some wait states.

        Args:
            file: ``core.yaml`` of the core.
            folder: build folder.
            machine: name or path of the machine.
            seeds: seeds of random programs.
            programs: C, assembly or ELF files that run before the random programs.
            simulator: RTL simulator.
            most_waits: largest number of wait states of both memories; all pairs up to it run.
            progress: function to call with the work, the rounds done and their total.

        Raises:
            GnomonError: if the core does not compile or executes nothing, or does not have the port
                of the machine's units.
        """
        units = _check_units(file, load_architecture(machine))
        device = _build_device(file, folder, simulator, units, progress)
        grid = _list_waits(device)
        if most_waits is not None:
            if device.waits != "any" and most_waits:
                raise GnomonError(f"{file}: waits: none excludes wait states")
            grid = tuple(starmap(Waits, product(range(most_waits + 1), repeat=2)))
        skews = _find_skews(device, load_architecture(machine))
        comparison = _build_comparison(device, machine, skews=skews)
        count, of_units = 0, Counter[str]()
        for path in programs:
            is_elf = path.suffix == ".elf"
            program = load_elf(path) if is_elf else build([path], load_architecture(machine))
            for waits in grid:
                message, instructions = comparison.first_difference(program, waits, of_units)
                count += instructions
                if message:
                    return ComparedPrograms(
                        0, count, Difference((), waits, f"{path.name}: {message}")
                    )
        found = comparison.random(seeds, grid, _SIZE)
        found.of_units.update(of_units)
        return replace(found, instructions=found.instructions + count, compiled=len(programs))

    @staticmethod
    def compare_regions(
        file: Path,
        folder: Path,
        machine: Path | str,
        maps: Iterable[int],
        programs_each: int,
        simulator: Simulator = "icarus",
        progress: Progress = lambda *_: None,
    ) -> ComparedPrograms:
        """Compare random programs on an RTL core and on its machine with regions.

        The bus of the core waits by address, for fetches and for the data port.

        Args:
            file: ``core.yaml`` of the core.
            folder: build folder.
            machine: name or path of the machine.
            maps: seeds of maps: regions, their sizes and wait states.
            programs_each: random programs on each map.
            simulator: RTL simulator.
            progress: function to call with the work, the rounds done and their total.

        Raises:
            GnomonError: if the core does not compile or executes nothing, its adapter has no wait
                states by address, or the machine cannot have regions.
        """
        units = _check_units(file, load_architecture(machine))
        device = _build_device(file, folder, simulator, units, progress)
        skews = _find_skews(device, load_architecture(machine))
        return _compare_maps(device, machine, skews, maps, programs_each)

    @staticmethod
    def area(file: Path) -> tuple[dict[str, float], str]:
        """Synthesize a core without RVFI; return LUT, FF, DSP and BRAM, and the source.

        Raises:
            GnomonError: if yosys is missing or rejects the core.
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

    def text(self, compared: ComparedPrograms | None = None) -> str:
        """Return the text of the machine file, with the evidence of each number.

        Args:
            compared: result of a comparison, for the line ``Residual``.
        """
        return machine_text(self.inferred, self.device, self.name, self.source, compared)

    def check(self, machine: Path) -> ComparedPrograms:
        """Compare a written machine with the core on random programs.

        Raises:
            Refused: if they differ; the message shows the smallest program found.
        """
        comparison = _build_comparison(self.device, machine, skews=self.inferred.skews)
        found = comparison.random(_OWN_SEEDS, _list_waits(self.device), _SIZE)
        if found.difference is not None:
            if not any(key.startswith("icache.") for key in self.inferred.others):
                check_skipped_words(self.device)
            reason = Refused(
                f"no machine file describes this core {found.difference}",
                found.difference.timeline,
            )
            named = name_key(self.device, reason, found.difference.mnemonics)
            raise Refused(f"{self.name}: {named}", named.timeline)
        return found


def _compare_maps(
    device: RtlDevice, machine: Path | str, skews: Skews, maps: Iterable[int], programs_each: int
) -> ComparedPrograms:
    """Compare random programs on a core and on its machine with the regions of each map."""
    programs = instructions = 0
    of_units, found = Counter[str](), ComparedPrograms(0, 0, None)
    for seed in maps:
        places = random_map(seed)
        path = device.folder / "mapped.yaml"
        path.write_text(region_machine(machine, places), encoding="utf-8")
        seeds = range(programs_each * seed, programs_each * (seed + 1))
        comparison = _build_comparison(device, path, skews=skews)
        found = comparison.random(seeds, [Waits(0, 0, places)], _SIZE)
        programs += found.programs
        instructions += found.instructions
        of_units.update(found.of_units)
        if found.difference is not None:
            break
    return replace(found, programs=programs, instructions=instructions, of_units=of_units)


def _build_comparison(device: Device, machine: Path | str, *, skews: Skews) -> CoreComparison:
    return CoreComparison(device, MachineDevice(variants(machine), device.isa, device.start), skews)


def _find_skews(device: Device, machine: Architecture) -> Skews:
    """Return the instructions whose cycles show with others.

    With a fetch queue, cycles with wait states of instructions depend on earlier ones, and are left
    out.
    """
    fetch = machine.core.fetch
    warm, _ = warm_up(device)
    device = warm if fetch is None or fetch.port == "separate" else flush(warm)
    spacers = find_spacers(device)
    probes = quick(device, spacers)
    grid = [each for each in _list_waits(device) if not (fetch and each.instruction)]
    measured = [measure(device, probes, waits) for waits in grid]
    skews = merge_skews(*(each.skews for each in measured))
    if fetch is not None:
        skews = join_targets(skews, predicts=machine.core.predictor is not None)
    port = find_shared_port(device, spacers, measured[0].cycles, measured[0].plain)
    return skews if port is None else without_fetch(skews, device, spacers, port)


def _list_waits(device: Device) -> tuple[Waits, ...]:
    return _WAITS if device.waits == "any" else _WAITS[:1]


def _check_units(file: Path, machine: Architecture) -> tuple[Unit, ...]:
    """Return the units of a machine, which must have the port of a core.

    Raises:
        GnomonError: if the core has no port, the port is not the one of the machine, or a unit has
            no SystemVerilog.
    """
    port = CoreFile.read(file).unit_port
    names = ", ".join(each.name for each in machine.units)
    if machine.units and port != machine.core.unit_port:
        raise GnomonError(
            f"{file}: unit-port: must be {machine.core.unit_port}, not {port or 'none'}: it is "
            f"core.unit_port of {machine.name}, which has units ({names})"
        )
    for each in machine.units:
        if each.rtl is None:
            raise GnomonError(f"units.{each.name}: it has no SystemVerilog (rtl in its unit.yaml)")
    return machine.units


def _build_device(
    file: Path, folder: Path, simulator: Simulator, units: tuple[Unit, ...], progress: Progress
) -> RtlDevice:
    device = RtlDevice(CoreFile.read(file), folder.resolve(), simulator, units, progress=progress)
    device.build()
    return device
