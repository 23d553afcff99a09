"""``gnomon rtl klessydra``: lock-step with the user's own checkout of the core."""

from __future__ import annotations

import json
import shlex
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json, Overrides  # noqa: TC001 - typer reads them
from gnomon.base.progress import steps_progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.rtl.klessydra import Build
    from gnomon.rtl.lockstep import Result

Sources = Annotated[
    Path,
    typer.Option(
        "--sources", help="The core's own list of sources: src_files.yml, a .f list, or a .core."
    ),
]
Top = Annotated[str, typer.Option("--top", help="The entity of the core.")]
Arch = Annotated[
    str, typer.Option("--arch", help="The machine described; each setting is set on top of it.")
]
Programs = Annotated[
    list[Path] | None,
    typer.Option("--programs", help="A table of ELF files and their hardware settings, CSV."),
]
Random = Annotated[int, typer.Option("--random", help="How many random programs.", min=0)]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the first; the others follow.", min=0)]
Simd = Annotated[str, typer.Option("--simd", help="Of random programs: some of 1,2,4,8.")]
SharingModes = Annotated[
    str,
    typer.Option("--sharing", help="Of random programs: some of shared,replicated,multithreaded."),
]
Superscalar = Annotated[str, typer.Option("--superscalar", help="Of random programs: on,off.")]
Without = Annotated[
    str, typer.Option("--without", help="Vector instructions to leave out: kvdiv,kvrem.")
]
KnownDifferences = Annotated[
    bool,
    typer.Option("--known-differences", help="Random programs also with what is known to differ."),
]
ScratchEdits = Annotated[
    bool,
    typer.Option(
        "--scratch-edits",
        help="Where the simulator rejects a file, edit a copy in the known ways and say how.",
    ),
]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Go on behind a program that differs.")
]
Tries = Annotated[
    int,
    typer.Option(
        "--minimize", "--minimise", help="Smaller programs to try where one differs.", min=0
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", help="Simulations at a time.", min=1)]
Work = Annotated[
    Path | None, typer.Option("--work", help="Folder for build and runs; kept if given.")
]
Report = Annotated[
    Path | None,
    typer.Option("--report", help="Write this page, rows of gnomon validate next to it, a table."),
]
GhdlPath = Annotated[Path | None, typer.Option("--ghdl", help="Which GHDL; the one on PATH else.")]
GhdlFlags = Annotated[
    list[str] | None, typer.Option("--ghdl-flag", help="One more option for it, such as -PFOLDER.")
]


def klessydra(
    *,
    sources: Sources,
    top: Top = "klessydra_t1_3th_core",
    arch: Arch = "t13-simd1",
    overrides: Overrides = None,
    programs: Programs = None,
    random: Random = 24,
    seed: Seed = 0,
    simd: Simd = "1,2,4,8",
    sharing: SharingModes = "shared,replicated,multithreaded",
    superscalar: Superscalar = "on,off",
    without: Without = "",
    known_differences: KnownDifferences = False,
    scratch_edits: ScratchEdits = False,
    keep_going: KeepGoing = False,
    minimize: Tries = 80,
    jobs: Jobs = 1,
    work: Work = None,
    report: Report = None,
    ghdl: GhdlPath = None,
    ghdl_flags: GhdlFlags = None,
    as_json: Json = False,
) -> None:
    """Compare the simulator with your checkout of the Klessydra-T13, cycle by cycle.

    Every issue, every request on the data bus and the final memory must be equal. The first
    difference is shown with the last 20 events of both sides, and a random program that differs is
    made small. Exit code 1 if anything differs.
    """
    from gnomon.rtl import read_sources
    from gnomon.rtl.klessydra import GhdlCore, build_bench, find_ghdl
    from gnomon.rtl.lockstep import Regression, Settings, Target, read_programs, run_all

    settings = Settings.parse(simd, sharing, superscalar)
    target = Target(
        arch, tuple(overrides or ()), _vector_names(without), known_differences=known_differences
    )
    machine = target.architecture(settings.of(seed))
    given = tuple(each for table in programs or () for each in read_programs(table))
    if not given and not random:
        raise GnomonError("nothing to run: give --programs, or --random with a number above 0")
    listed = read_sources(sources)
    found = find_ghdl(ghdl)
    with _folder(work) as folder, steps_progress("lock-step", len(given) + random + 1) as progress:
        build = build_bench(
            found,
            listed.of("vhdl"),
            top,
            folder / "build",
            memory=machine.memory,
            scratch_edits=scratch_edits,
            flags=ghdl_flags or (),
        )
        progress("build")
        if not as_json:
            _say_build(build)
        regression = Regression(GhdlCore(build), target, folder / "runs", most_tries=minimize)
        with found.first_on_path(build.folder / "path"):
            results = run_all(
                regression,
                given,
                range(seed, seed + random),
                settings,
                progress=progress,
                keep_going=keep_going,
                jobs=jobs,
            )
        written: tuple[Path, ...] = ()
        if report is not None:
            written = _write_report(report, results, build, sources=sources, arch=arch, given=given)
        if as_json:
            print(json.dumps(_json(results, build), indent=2))
        else:
            _say(results, folder if work else None)
            for path in written:
                print(f"written: {path}")
    if any(each.unexplained for each in results):
        raise typer.Exit(1)


@contextmanager
def _folder(work: Path | None) -> Iterator[Path]:
    if work is not None:
        yield work.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="gnomon-rtl-") as folder:
        yield Path(folder)


def _vector_names(text: str) -> tuple[str, ...]:
    from gnomon.isa import instruction

    names = tuple(word.strip() for word in text.split(",") if word.strip())
    for name in names:
        if instruction(name).timing_class != "kdsp":
            raise GnomonError(f"--without: {name} is no vector instruction")
    return names


def _say_build(build: Build) -> None:
    print(f"{build.ghdl.title}, entity {build.entity.name}, {len(build.sources)} files")
    for edit in build.edits:
        print(f"edited in a copy: {edit}")
    for driver in build.drivers:
        print(f"note: {driver}")


def _say(results: tuple[Result, ...], folder: Path | None) -> None:
    from gnomon.isa import disassemble

    for each in results:
        if each.same:
            continue
        if each.known:
            print(f"{each.name}, {each.setting.title}: differs, a known case")
            for text in each.known:
                print(f"  {text}")
            continue
        print(f"{each.name}, {each.setting.title}: differs")
        print(each.compared.divergence)
        small = each.minimized
        if small is None:
            continue
        end = "no item can go" if small.complete else "the search was cut"
        print(f"  made small in {small.tries} tries ({end}); loop of each hart:")
        for hart, body in enumerate(small.case.bodies):
            print(f"    hart {hart}: {body.loops} rounds, MVTYPE {body.mvtype}")
            for item in body.items:
                print(f"      {item.kind}: " + "; ".join(map(disassemble, item.words)))
        if folder:
            print(f"  as a program: {folder / 'runs' / f'seed-{each.seed}' / 'minimised.elf'}")
        print(f"  gnomon run ELF {' '.join(f'--set {shlex.quote(s)}' for s in _sets(each))}")
    same = sum(each.same for each in results)
    issues = sum(each.compared.issues for each in results)
    bus = sum(each.compared.bus_requests for each in results)
    print(
        f"{same} of {len(results)} programs are equal: {issues:,} issues,"
        f" {bus:,} bus requests, final memory"
    )
    known = sum(not each.same and bool(each.known) for each in results)
    if known:
        print(f"{known} differ in what is known to differ")


def _sets(result: Result) -> tuple[str, ...]:
    return result.setting.overrides()


def _json(results: tuple[Result, ...], build: Build) -> dict[str, Any]:
    return {
        "simulator": build.ghdl.title,
        "entity": build.entity.name,
        "edits": [str(edit) for edit in build.edits],
        "compared": len(results),
        "mismatches": sum(not each.same for each in results),
        "programs": [each.to_json() for each in results],
    }


def _write_report(
    path: Path,
    results: tuple[Result, ...],
    build: Build,
    *,
    sources: Path,
    arch: str,
    given: tuple[Any, ...],
) -> tuple[Path, ...]:
    from dataclasses import replace
    from importlib.metadata import version

    from gnomon.base.files import write_file
    from gnomon.rtl.klessydra import Conditions, revision_of, write_record
    from gnomon.rtl.validate import Record, comparison_rows

    seeds = [each.seed for each in results if each.seed is not None]
    words = ["gnomon rtl klessydra", f"--sources CHECKOUT/{sources.name}"]
    words.append(f"--top {build.entity.name}")
    words += ["--programs EXPECTED.csv"] if given else []
    words += [f"--random {len(seeds)}"] + ([f"--seed {seeds[0]}"] if seeds else [])
    words += ["--scratch-edits"] if build.edits else []
    words += [] if all(each.same for each in results) else ["--keep-going"]
    words += [f"--report {path.name}"]
    command = " ".join(words)
    conditions = Conditions(command, arch, revision_of(sources), version("cocotb"))
    written = write_record(path, results, build, conditions)
    table = path.with_suffix(".csv")
    tool = f"{build.ghdl.title}, cocotb {version('cocotb')}"
    seed = f"{seeds[0]} to {seeds[-1]}" if seeds else ""
    records = [
        replace(row, command=command, seed=seed, tool=tool)
        for row in comparison_rows(results, build.entity.name)
    ]
    write_file(table, Record.csv(records, f"Written by {words[0]} --report."))
    return (*written, table)
