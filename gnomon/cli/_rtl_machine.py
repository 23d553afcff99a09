"""``gnomon rtl parameters``, ``lockstep`` and ``run``: gnomon's machine in SystemVerilog."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.progress import steps_progress
from gnomon.cli._answer import CommandOutput, as_typed, with_json_output
from gnomon.cli._options import AnyMachine, Overrides, argument, option, output_file
from gnomon.cli._program import Build, load_program
from gnomon.cli._rtl_results import coverage, equal_line, unit_lines, working_folder, write_rows

if TYPE_CHECKING:
    from gnomon.arch import Architecture

Machine = Annotated[str, argument("ARCH", "Machine: a name or the path of a YAML file.")]
Simulator = Annotated[
    Literal["icarus", "verilator"],
    option("--simulator", "RTL simulator; icarus builds in less time, verilator runs faster."),
]


@with_json_output(2)
def parameters(
    machine: Machine,
    *,
    overrides: Overrides = None,
    out: Path | None = output_file("--out", "Parameter file to write.", None),
) -> CommandOutput:
    """Print the parameter file of a machine for gnomon's RTL, a SystemVerilog package.

    Compile it before rtl_tests/hdl/t13_pkg.svh; the top module is t13_machine.
    """
    from gnomon.base.files import write_file
    from gnomon.rtl.machine import MachineCore

    text = MachineCore.parameters(_load(machine, overrides))
    if out is not None:
        write_file(out, text)
    values = dict(re.findall(r"localparam (?:.* )?(\w+) = (.*);", text))
    shown = text.splitlines() if out is None else [f"written: {out}"]
    yield {"arch": machine, "parameters": values}, shown


@with_json_output(2)
def lockstep(
    machine: Machine,
    programs: list[Path] | None = argument("[PROGRAM]...", "C or ELF files.", None),
    *,
    overrides: Overrides = None,
    random: int = option("--random", "Number of random programs.", 0, min=0),
    seed: int = option(
        "--seed", "Seed of the first random program; each next one adds 1.", 0, min=0
    ),
    simd: str | None = option(
        "--simd",
        "Lanes for random programs: some of 1,2,4,8.",
        None,
        shown="1,2,4,8; 0 on a machine without a vector unit",
    ),
    sharing: str = option(
        "--sharing",
        "Sharing for random programs: some of shared,replicated,multithreaded.",
        "shared,replicated,multithreaded",
    ),
    superscalar: str = option(
        "--superscalar", "Superscalar issue for random programs: some of on,off.", "on,off"
    ),
    harts: str = option("--harts", "Harts for random programs: some of 3,4,5.", "3,4,5"),
    simulator: Simulator = "icarus",
    keep_going: bool = option("--keep-going", "Continue after a difference.", False),
    work: Path | None = option("--work", "Folder for the runs; not deleted.", None),
    report: Path | None = output_file(
        "--report", "CSV file for rows of gnomon validate; a table is written next to it.", None
    ),
) -> CommandOutput:
    """Compare the simulator with gnomon's RTL of the machine, cycle by cycle.

    Every issue, every request on the data bus and the final memory must be equal. Given programs
    run on the machine itself; random programs run on it with the chosen settings. Exit code 1 if
    a program differs.
    """
    from gnomon.rtl import find_tools
    from gnomon.rtl.lockstep import Regression, Result, Settings, count_unit_issues
    from gnomon.rtl.machine import MachineCore

    given = programs or []
    if report is not None and (given or not random):
        raise GnomonError("--report: records random programs; give --random, and no PROGRAM")
    if not given and not random:
        raise GnomonError("nothing to run: give programs, or --random with a number above 0")
    architecture = _load(machine, overrides)
    scalar = architecture.vcu is None
    if scalar and simd is not None and simd.strip() != "0":
        raise GnomonError(f"--simd {simd}: {machine} has no vector unit (allowed: 0)")
    simd = simd or ("0" if scalar else "1,2,4,8")
    core = MachineCore(simulator)
    rows: list[dict[str, object]] = []
    lines: list[str] = []
    units: Counter[str] = Counter()
    with working_folder(work) as folder, steps_progress("lock-step", len(given) + random) as step:
        for index, path in enumerate(given):
            program = load_program([path], architecture, quiet=True)
            core.parameters(architecture)  # raises if gnomon's RTL cannot be this machine
            ran, compared = Regression(core, folder / f"program-{index}").run_both(
                program, architecture
            )
            step(program.name)
            units.update(count_unit_issues(ran))
            row = {"program": str(path), "exit_cycle": ran.exit_cycle} | compared.to_json()
            rows.append(row | {"known": list(ran.unlike_rtl)})
            if compared.divergence:
                lines.append(f"{path}: differs\n{compared.divergence}")
        results: tuple[Result, ...] = ()
        if random:
            settings = Settings(machine, tuple(overrides or ()))
            settings = settings.parsed(simd, sharing, superscalar, harts)
            results = Regression(core, folder, settings).run_all(
                (), range(seed, seed + random),
                progress=lambda each: step(each.name), keep_going=keep_going,
            )  # fmt: skip
    rows += [each.to_json() for each in results]
    lines += [
        f"{each.name}, {each.setting.title}: differs\n{each.compared.divergence}"
        for each in results
        if not each.same
    ]
    same = sum(row["difference"] is None for row in rows)
    issues, bus = (sum(int(str(row[name])) for row in rows) for name in ("issues", "bus_requests"))
    rules, of_rules = coverage(results)
    of_given = unit_lines(units, "given programs") if given else []
    yield (
        {
            "simulator": simulator,
            "compared": len(rows),
            "mismatches": len(rows) - same,
            "rules": rules,
            "units": dict(units),
            "programs": rows,
        },
        [*lines, equal_line(same, len(rows), issues, bus), *of_given, *of_rules],
    )
    if report is not None:
        words = as_typed({
            f"gnomon rtl lockstep {shlex.quote(machine)}": True, "--set": overrides,
            "--random": random, "--seed": seed, "--simd": simd, "--sharing": sharing,
            "--superscalar": superscalar, "--harts": harts, "--simulator": simulator,
            "--report": report.name,
        })  # fmt: skip
        version = next(each.version for each in find_tools() if each.name == simulator)
        tool = f"our RTL, {simulator} {version}"
        write_rows(report, results, "our t13", " ".join(words), tool)
        Result.write_table(results, report)
    if same != len(rows):
        raise typer.Exit(1)


@with_json_output(2)
def run(
    files: Annotated[
        list[Path], argument("FILE", "RV32 executable, or C and assembly sources to build first.")
    ],
    *,
    arch: AnyMachine = None,
    overrides: Overrides = None,
    build: Build,
    simulator: Simulator = "icarus",
    wave: Path | None = option("--wave", "FST file for all signals; icarus only.", None),
) -> CommandOutput:
    """Run a program on gnomon's RTL of the machine and compare it with the simulator.

    Without --arch the first argument is the machine: gnomon rtl run t13-simd4 program.c.
    """
    import shutil

    from gnomon.rtl.lockstep import Regression, count_unit_issues
    from gnomon.rtl.machine import MachineCore

    if wave is not None and simulator != "icarus":
        raise GnomonError(f"--wave: needs --simulator icarus, not {simulator}")
    if arch is None and len(files) == 1:
        raise GnomonError(f"no machine to run {files[0]} on; name one with --arch")
    if arch is None:
        arch, files = str(files[0]), files[1:]
    architecture = _load(arch, overrides)
    built = load_program(files, architecture, build.given(), quiet=True)
    core = MachineCore(simulator, wave=wave is not None)
    core.parameters(architecture)  # raises if gnomon's RTL cannot be this machine
    with working_folder(None) as folder:
        ran, compared = Regression(core, folder).run_both(built, architecture)
        if wave is not None:
            shutil.copyfile(folder / "wave.fst", wave)
    row = {"program": str(files[0]), "exit_cycle": ran.exit_cycle} | compared.to_json()
    row |= {"known": list(ran.unlike_rtl), "arch": architecture.name, "simulator": simulator}
    row["wave"] = str(wave or "") or None
    row["units"] = units = count_unit_issues(ran)
    equal = (
        f"our RTL is equal: {compared.issues:,} issues, {compared.bus_requests:,} bus requests,"
        f" {compared.memory_words:,} words of memory"
    )
    title, found = f"{built.name} on {architecture.name}", compared.divergence
    yield (
        row,
        [
            f"{title}: exit code {ran.exit_code}, cycle {ran.exit_cycle}",
            equal if found is None else f"our RTL differs\n{found}",
            *unit_lines(units, "the program"),
            *([] if wave is None else [f"written: {wave}"]),
        ],
    )
    if found is not None:
        raise typer.Exit(1)


def _load(machine: str, overrides: list[str] | None) -> Architecture:
    from gnomon.arch import load_architecture

    return load_architecture(machine, overrides or [])
