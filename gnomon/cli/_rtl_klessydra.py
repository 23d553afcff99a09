"""``gnomon rtl klessydra``: lock-step with the user's own checkout of the core."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json, Overrides  # noqa: TC001 - typer reads them
from gnomon.base.progress import steps_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gnomon.base.progress import Steps
    from gnomon.rtl.klessydra import Build
    from gnomon.rtl.lockstep import Given, Result, Settings

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
    typer.Option(
        "--programs",
        help="Programs: .elf or .c in the first of the settings, or a table (.csv) with settings.",
    ),
]
Random = Annotated[
    int | None,
    typer.Option("--random", help="How many random programs; 24, or none with --programs.", min=0),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the first; the others follow.", min=0)]
Simd = Annotated[
    str, typer.Option("--simd", help="Some of 1,2,4,8; 0 is a core without its vector unit.")
]
SharingModes = Annotated[
    str,
    typer.Option("--sharing", help="Some of shared,replicated,multithreaded."),
]
Superscalar = Annotated[str, typer.Option("--superscalar", help="Some of on,off.")]
ScratchpadBytes = Annotated[
    int | None,
    typer.Option("--scratchpad-bytes", help="Of each scratchpad; random programs: 1024 and 4096."),
]
CountAll = Annotated[
    bool | None,
    typer.Option(
        "--count-all/--count-own", help="What counters count; random programs: both, in turn."
    ),
]
Generics = Annotated[
    list[str] | None,
    typer.Option("--generic", metavar="NAME=VALUE", help="A generic of the core (repeatable)."),
]
Inside = Annotated[
    str,
    typer.Option(
        "--inside", help="Instance inside the entity that has the execute stage's signals."
    ),
]
Fast = Annotated[
    bool,
    typer.Option(
        "--fast", help="Through GHDL's synthesis (version 7 or newer) and Verilator, two-valued."
    ),
]
Keep = Annotated[
    Path, typer.Option("--keep", help="Folder for programs that differ, and what differs.")
]
ShowEdits = Annotated[
    bool, typer.Option("--show-edits", help="Print each line that --scratch-edits changed.")
]
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
    random: Random = None,
    seed: Seed = 0,
    simd: Simd = "1,2,4,8",
    sharing: SharingModes = "shared,replicated,multithreaded",
    superscalar: Superscalar = "on,off",
    scratchpad_bytes: ScratchpadBytes = None,
    count_all: CountAll = None,
    generics: Generics = None,
    inside: Inside = "",
    without: Without = "",
    known_differences: KnownDifferences = False,
    scratch_edits: ScratchEdits = False,
    show_edits: ShowEdits = False,
    fast: Fast = False,
    keep_going: KeepGoing = False,
    minimize: Tries = 150,
    jobs: Jobs = 1,
    work: Work = None,
    keep: Keep = Path("lockstep-differences"),
    report: Report = None,
    ghdl: GhdlPath = None,
    ghdl_flags: GhdlFlags = None,
    as_json: Json = False,
) -> None:
    """Compare the simulator with your checkout of the Klessydra-T13, cycle by cycle.

    Every issue, every request on the data bus and the final memory must be equal. The first
    difference is shown with the last 20 events of both sides; the program is kept, and a random one
    is made small. Exit code 1 if anything differs that the simulator does not warn of.
    """
    from gnomon.rtl import read_sources
    from gnomon.rtl.klessydra import find_ghdl
    from gnomon.rtl.lockstep import Regression, Settings, Target, run_all

    settings = Settings.parse(simd, sharing, superscalar).with_only(scratchpad_bytes, count_all)
    target = Target(
        arch, tuple(overrides or ()), _vector_names(without), known_differences=known_differences
    )
    machine = target.architecture(settings.of(seed))
    given = _given(tuple(programs or ()), settings)
    count = (0 if given else 24) if random is None else random
    if not given and not count:
        raise GnomonError("nothing to run: give --programs, or --random with a number above 0")
    listed = read_sources(sources)
    found = find_ghdl(ghdl)
    with _folder(work) as folder, steps_progress("lock-step", len(given) + count + 1) as steps:
        build, core = _core(
            found, listed.of("vhdl"), top, folder / "build", memory=machine.memory, fast=fast,
            scratch_edits=scratch_edits, flags=ghdl_flags or (), given=generics or (),
            inside=f"{inside}." if inside else "",
        )  # fmt: skip
        steps("build")
        if not as_json:
            _say_build(build, show_edits=show_edits)
        regression = Regression(core, target, folder / "runs", most_tries=minimize)
        with found.first_on_path(build.folder / "path"):
            results = run_all(
                regression,
                given,
                range(seed, seed + count),
                settings,
                progress=_told(steps, len(given) + count),
                keep_going=keep_going,
                jobs=jobs,
            )
        written: tuple[Path, ...] = ()
        if report is not None:
            written = _write_report(report, results, build, sources=sources, arch=arch, given=given)
        _keep(results, keep)
        if as_json:
            print(json.dumps(_json(results, build), indent=2))
        else:
            words = [f"--sources {shlex.quote(str(sources))}", f"--top {build.entity.name}"]
            words += ["--scratch-edits"] if scratch_edits else []
            words += [f"--generic {shlex.quote(each)}" for each in generics or ()]
            words += [f"--inside {inside}"] if inside else []
            words += [f"--set {shlex.quote(each)}" for each in overrides or ()]
            words += [f"--arch {shlex.quote(arch)}"] if arch != "t13-simd1" else []
            _say(results, keep, " ".join(words), arch)
            _say_coverage(results)
            for path in written:
                print(f"written: {path}")
    if any(each.unexplained for each in results):
        raise typer.Exit(1)


def _core(ghdl: Any, sources: Any, top: str, folder: Path, **options: Any) -> tuple[Build, Any]:
    """The core as it is to be simulated, and what was built or is going to be."""
    from gnomon.rtl.klessydra import GhdlCore, build_bench, fast_core

    fast = options.pop("fast")
    if not fast:
        inside = options.pop("inside")
        build = build_bench(ghdl, sources, top, folder, **options)
        return build, GhdlCore(build, inside)
    del options["scratch_edits"]
    core = fast_core(ghdl, sources, top, folder, told=_note, **options)
    return core.build, core


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _given(paths: tuple[Path, ...], settings: Settings) -> tuple[Given, ...]:
    from gnomon.rtl.lockstep import Given, read_programs

    found: list[Given] = []
    for path in paths:
        if path.suffix in (".elf", ".c"):
            found.append(Given(path, settings.of(0)))
        else:
            found += read_programs(path)
    return tuple(found)


def _told(steps: Steps, count: int) -> Callable[[Result], None]:
    """Progress: a bar on a terminal, a line per program in a log."""
    number = 0

    def tell(result: Result) -> None:
        nonlocal number
        number += 1
        steps(result.name)
        if sys.stderr.isatty():
            return
        state = "equal" if result.same else "known" if result.known else "differs"
        _note(
            f"{number}/{count} {result.name}, {result.setting.title}: {state},"
            f" {result.exit_cycle + 1:,} cycles"
        )

    return tell


def _kept_name(result: Result) -> str:
    return f"seed-{result.seed}" if result.seed is not None else result.name


def _keep(results: tuple[Result, ...], folder: Path) -> None:
    """Programs that differ, as they are and small, with what was different."""
    for each in results:
        if each.same or each.program is None:
            continue
        place = folder / _kept_name(each)
        place.mkdir(parents=True, exist_ok=True)
        if each.seed is not None:
            shutil.copy(each.program, place / "program.elf")
        if each.minimized is not None:
            (place / "minimised.elf").write_bytes(each.minimized.case.elf())
        text = f"{each.name}, {each.setting.title}\n{each.compared.divergence}\n"
        (place / "difference.txt").write_text(text, encoding="utf-8")


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


def _say_build(build: Build, *, show_edits: bool) -> None:
    from gnomon.rtl.lockstep import WEIGHTS

    print(f"{build.ghdl.title}, entity {build.entity.name}, {len(build.sources)} files")
    if build.edits and not show_edits:
        print(f"{len(build.edits)} lines edited in a copy, no meaning changed (--show-edits)")
    for edit in build.edits if show_edits else ():
        print(f"edited in a copy: {edit}")
    for driver in build.drivers:
        print(f"note: {driver}")
    weights = ", ".join(f"{kind} {weight}" for kind, weight in WEIGHTS.items())
    print(f"weights of random items: {weights}")


def _say(results: tuple[Result, ...], keep: Path, words: str, arch: str) -> None:
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
        place = keep / _kept_name(each)
        program = place / "program.elf" if each.seed is not None else each.program
        if each.minimized is not None:
            _say_small(each)
            program = place / "minimised.elf"
        print(f"  kept in {place}; to see it again:")
        print(f"  gnomon rtl klessydra {words} --programs {program} {_options(each)}")
        sets = " ".join(f"--set {shlex.quote(text)}" for text in _sets(each))
        print(f"  gnomon run {program} --arch {shlex.quote(arch)} {sets}")
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
    endless = sum(each.halted != "exit" for each in results)
    if endless:
        print(f"{endless} do not end, and were compared up to the last issue of the simulator")


def _say_small(result: Result) -> None:
    from gnomon.isa import disassemble

    def text(word: int) -> str:
        try:
            return disassemble(word)
        except GnomonError:
            return f".word {word:#010x}"

    small = result.minimized
    assert small is not None
    end = "no item can go" if small.complete else "the search was cut"
    print(
        f"  made small in {small.tries} tries ({end}), {small.instructions} instructions;"
        " loop of each hart:"
    )
    for hart, body in enumerate(small.case.bodies):
        print(f"    hart {hart}: {body.loops} rounds, MVTYPE {body.mvtype}")
        for item in body.items:
            print(f"      {item.kind}: " + "; ".join(map(text, item.words)))


def _options(result: Result) -> str:
    """The setting of a result as options of this command."""
    setting = result.setting
    words = [f"--simd {setting.simd}", f"--sharing {setting.sharing}"]
    words.append(f"--superscalar {'on' if setting.superscalar else 'off'}")
    words.append(f"--scratchpad-bytes {setting.scratchpad_bytes}")
    words.append("--count-all" if setting.count_all else "--count-own")
    return " ".join(words)


def _say_coverage(results: tuple[Result, ...]) -> None:
    missing, total = _coverage(results)
    if not total:
        return
    print(f"random programs met {total - len(missing)} of {total} rules of the reference")
    if missing:
        print(f"  not met: {', '.join(missing[:12])}{', ...' if len(missing) > 12 else ''}")


def _coverage(results: tuple[Result, ...]) -> tuple[list[str], int]:
    """Rules that no random program met, and how many there are."""
    from gnomon.rtl.lockstep import all_rules

    random = [each for each in results if each.seed is not None]
    if not random:
        return [], 0
    rules = all_rules(vector=any(each.setting.simd for each in random))
    return [rule for rule in rules if not any(each.met.get(rule) for each in random)], len(rules)


def _sets(result: Result) -> tuple[str, ...]:
    return result.setting.overrides()


def _json(results: tuple[Result, ...], build: Build) -> dict[str, Any]:
    return {
        "simulator": build.ghdl.title,
        "entity": build.entity.name,
        "edits": [str(edit) for edit in build.edits],
        "rules": {"all": _coverage(results)[1], "not_met": _coverage(results)[0]},
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
