"""Formats of ``gnomon run --profile-to``, except Callgrind (``_calls.py``).

* ``folded``, ``folded-pj``: call paths, the input of flame graphs: ``hart 0;main;multiply 1234``;
* ``callgrind``: for KCachegrind;
* ``annotated``: disassembly with the cost of each instruction, by function;
* ``lcov``: cycles as execution counts of source lines, for genhtml and editors;
* ``csv``: one row per instruction.
"""

from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

import gnomon.program
from gnomon.base.content import content_root, project_folder
from gnomon.base.errors import GnomonError
from gnomon.base.files import writing
from gnomon.base.frames import csv_text, frame
from gnomon.base.values import apportion
from gnomon.isa import disassemble
from gnomon.observe._requests import FileRequests
from gnomon.observe.profile._calls import (
    BOOT,
    asleep_cycles,
    callgrind_text,
    node_energies_fj,
    paths,
)
from gnomon.observe.profile._profile import FJ_PER_PJ, RunProfile

_ASLEEP = "(asleep)"
_LARGEST_SOURCE_BYTES = 4 << 20
_HEAD = f"{'cycles':>12} {'share':>6} {'issued':>11} {'stalls':>11} {'pJ':>14}"


def folded_text(profile: RunProfile, *, energy: bool = False) -> str:
    """Return one line per call path, with its cycles or with its energy in whole pJ.

    Slots of sleeping harts are a separate frame. The lines sum to the cycles of the run, or to its
    energy in pJ, rounded once. Energy is priced by function and shared among the paths to a
    function by cycles.
    """
    names = paths(profile)
    counts: dict[str, int] = defaultdict(int)
    if energy:
        energies = np.array(node_energies_fj(profile), dtype=np.int64)
        total_pj = round(int(energies.sum()) / FJ_PER_PJ)
        for path, share in zip(names, apportion(total_pj, energies).tolist(), strict=True):
            counts[path] += share
        counts[BOOT] += round((profile.boot_energy_fj or 0) / FJ_PER_PJ)
    else:
        nodes = profile.run.call_nodes
        for path, node, slots in zip(names, nodes, asleep_cycles(profile), strict=True):
            counts[path] += node.cycles - slots
            counts[f"{path};{_ASLEEP}"] += slots
        counts[BOOT] += profile.boot_cycles
    return "".join(f"{path} {count}\n" for path, count in sorted(counts.items()) if count)


def annotated_text(profile: RunProfile) -> str:
    """Return every executed instruction with cycles, issues, stalls and pJ.

    Stalls are waits in decode, retries and waits for the next instruction. Shares are relative to
    all cycles except those of sleeping harts. If the program names source lines, each line precedes
    its instructions, with its text if the file is readable.
    """
    parts = profile.parts
    stalls = np.sum(
        [v for name, v in parts.items() if name.startswith(("wait.", "retry."))], axis=0
    )
    cycles = _count_awake_cycles(profile)
    awake = int(cycles.sum()) or 1
    units = profile.run.architecture.unit_rows
    files: dict[str, list[str]] = {}
    lines = []
    for row in profile.by_function():
        lines += [f"{row.name}: {row.cycles:,} cycles, {row.cycles / awake:.1%}", _HEAD]
        before = None
        for k in (k for k, name in enumerate(profile.functions) if name == row.name):
            line = profile.lines[k]
            if line is not None and line != before:
                lines.append(f"{'':>60}{line}{_format_source(files, line.file, line.line)}")
            before = line or before
            energy = "-"
            if profile.energy_fj is not None:
                energy = f"{int(profile.energy_fj[k]) / FJ_PER_PJ:,.1f}"
            address, word = profile.addresses[k], profile.words[k]
            lines.append(
                f"{int(cycles[k]):>12,} {int(cycles[k]) / awake:>6.1%}"
                f" {int(parts['issue'][k]):>11,} {int(stalls[k]):>11,} {energy:>14}"
                f"  {address:08x}  {disassemble(word, address, units=units)}"
            )
        lines.append("")
    return "\n".join(lines)


def _count_awake_cycles(profile: RunProfile) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the cycles of each word, without those of sleeping harts."""
    return np.asarray(np.sum([v for n, v in profile.parts.items() if n != "parked"], axis=0))


def _format_source(files: dict[str, list[str]], name: str, number: int) -> str:
    if name not in files:
        files[name] = _read_lines(Path(name))
    text = files[name]
    return f"  {text[number - 1].strip()}" if 0 < number <= len(text) else ""


def _read_lines(path: Path) -> list[str]:
    """Return the lines of a source file, or an empty list.

    A program can name any file as its source. Therefore only regular files of the working folder,
    the project around it or gnomon itself are read.
    """
    folders = (Path.cwd(), project_folder(), content_root(), Path(gnomon.program.__file__).parent)
    try:
        file = path.resolve(strict=True)
        inside = any(folder and file.is_relative_to(folder.resolve()) for folder in folders)
        if not inside or not file.is_file() or file.stat().st_size > _LARGEST_SOURCE_BYTES:
            return []
        return file.read_text("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return []


def lcov_text(profile: RunProfile) -> str:
    """Return the lcov tracefile, without cycles of sleeping harts.

    Raises:
        GnomonError: if the program names no source lines.
    """
    files: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for line, spent in zip(profile.lines, _count_awake_cycles(profile).tolist(), strict=True):
        if line is not None:
            files[line.file][line.line] += spent
    if not files:
        raise GnomonError(
            f"{profile.program.name}: no source lines in it; build it with -g, or give the C file"
        )
    parts = []
    for name, counts in sorted(files.items()):
        lines = [f"DA:{line},{count}" for line, count in sorted(counts.items())]
        reached = sum(1 for count in counts.values() if count)
        parts += ["TN:", f"SF:{name}", *lines, f"LF:{len(counts)}", f"LH:{reached}"]
        parts.append("end_of_record")
    return "\n".join(parts) + "\n"


def profile_csv(profile: RunProfile) -> str:
    """Return CSV with cycles by cause and fJ; the first row is the boot, before any instruction.

    ``cycles`` sum to the wall cycles of the run, ``energy_fj`` to its energy.
    """
    causes = [f"{name.replace('.', '_')}_cycles" for name in profile.parts]
    units = profile.run.architecture.unit_rows
    rows: list[list[object]] = [
        ["", "", "", "boot", profile.boot_cycles, *([""] * len(causes)),
         profile.boot_energy_fj or ""]
    ]  # fmt: skip
    for k, (address, line) in enumerate(zip(profile.addresses, profile.lines, strict=True)):
        values = [int(values[k]) for values in profile.parts.values()]
        rows.append([
            f"{address:08x}", profile.functions[k], str(line or ""),
            disassemble(profile.words[k], address, units=units), sum(values), *values,
            "" if profile.energy_fj is None else int(profile.energy_fj[k]),
        ])  # fmt: skip
    return csv_text(
        frame(["pc", "function", "source", "code", "cycles", *causes, "energy_fj"], rows)
    )


class ProfileFiles(FileRequests):
    """Files requested by ``--profile-to``."""

    OPTION = "--profile-to"
    FORMATS: ClassVar = {
        "folded": folded_text,
        "folded-pj": partial(folded_text, energy=True),
        "callgrind": callgrind_text,
        "annotated": annotated_text,
        "lcov": lcov_text,
        "csv": profile_csv,
    }

    def write(self, profile: RunProfile) -> None:
        """Write every requested file, or none if data for one of them is unavailable.

        Raises:
            GnomonError: if data for a format is unavailable, or a file cannot be written.
        """
        texts = {path: self.FORMATS[name](profile) for name, path in self.files}
        for path, text in texts.items():
            with writing(path) as file:
                file.write(text.encode())
