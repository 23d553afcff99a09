"""Advice: changes to a program or machine, with the cycles that each saves.

Other machines, compiler levels and more harts are run. They count only if the program prints and
returns the same. A change that needs new code gets an upper bound: equivalent code cannot save
more than the stated cycles. For removable work, the figure is the cycles spent in it. It omits the
calls and the replacement, so it is not a bound. For a loop that equals a vector instruction, the
figure is the cycles of the loop minus those of vector code, which is measured in isolation.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.dividers import Divider
from gnomon.base.errors import GnomonError
from gnomon.base.units import Bytes, format_size
from gnomon.isa import INSTRUCTIONS
from gnomon.observe.profile import COPIES, count_library_cycles
from gnomon.observe.why._analysis import StallAnalysis, is_transfer
from gnomon.observe.why._loops import Loop, find_vector_loops, measure_call_cycles, vector_code
from gnomon.observe.why._memories import try_caches, try_placements
from gnomon.program import Program
from gnomon.sim import Run, simulate

How = Literal["run", "at most", "spent", "about"]
Rebuild = Callable[..., Program]
"""Builds the program with other options of ``gnomon.program.build``, or for another machine."""

_LEVELS = ("-O2", "-O3")
_LEAST_SHARE = 0.01
_LONGER = (2, 4, 8, 16)  # times the scratchpads of the machine
_DIVISIONS = frozenset(row.mnemonic for row in INSTRUCTIONS if row.extension in ("kdiv", "kdivps"))


@dataclass(frozen=True, slots=True)
class Advice:
    """One suggested change."""

    change: str  # the change in words
    because: str  # the observation that suggests it
    saves_cycles: int  # wall cycles of the run saved
    how: How  # source of the saving: run, bound, cycles spent, run of the replacement
    code: str = ""  # C that implements the change

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def find_advice(
    why: StallAnalysis,
    program: Program,
    machine: str,
    overrides: Sequence[str],
    rebuild: Rebuild | None = None,
) -> tuple[Advice, ...]:
    """Return changes that save at least a hundredth of the run, the largest saving first.

    Args:
        why: the analysis of the run.
        program: the program of the run.
        machine: name or path of the machine.
        overrides: settings that the machine already has.
        rebuild: builds the program with other options of ``gnomon.program.build``; None for an
            executable.
    """
    run = why.run
    found = [*_list_bounds(why, program), *_try_machines(run, program, machine, overrides)]
    found += _try_vectors(why, program)
    found += _try_memories(why, program, machine, overrides, rebuild)
    if rebuild is not None:
        found += _try_builds(why, program, rebuild)
        found += _try_scratchpads(why, machine, overrides, rebuild)
    worth = [each for each in found if each.saves_cycles >= _LEAST_SHARE * run.wall_cycles]
    return tuple(sorted(worth, key=lambda each: (-each.saves_cycles, each.change)))


def _measure_saving(
    run: Run, change: Callable[..., tuple[Program, Architecture]], **what: Any
) -> int | None:
    """Return the wall cycles that a change saves; None: it is infeasible or changes the results."""
    try:
        other = simulate(*change(**what), max_cycles=run.wall_cycles)
    except GnomonError:
        return None
    does, did = ((each.exit_code, each.printed, each.console) for each in (other, run))
    return run.wall_cycles - other.wall_cycles if other.halted == "exit" and does == did else None


def _try_machines(
    run: Run, program: Program, machine: str, overrides: Sequence[str]
) -> Iterator[Advice]:
    here = load_architecture(machine, overrides)
    # Each list holds alternatives; only the one that saves most is reported.
    choices: list[list[str]] = []
    if here.vcu is not None:
        choices += [[f"vcu.simd={2 * here.vcu.simd}"], ["vcu.sharing=replicated"]]
    if here.core.divider is not None and any(".div" in name for name in run.counters):
        choices.append([f"core.divider={name}" for name in Divider.by_name() if name != "table"])
    if any(_is_division(work.mnemonic) for work in run.vector_work):
        choices.append([f"vcu.divider={name}" for name in Divider.by_name() if name != "table"])
    if here.core.model == "t13" and not here.core.superscalar:
        choices.append(["core.superscalar=true"])

    def change(setting: str) -> tuple[Program, Architecture]:
        return program, load_architecture(machine, [*overrides, setting])

    for settings in choices:
        found = [(_measure_saving(run, change, setting=setting), setting) for setting in settings]
        known = [(saved, setting) for saved, setting in found if saved is not None]
        if known:
            saved, setting = max(known, key=lambda each: each[0])
            because = "a machine that is otherwise the same"
            if ".divider=" in setting:
                because += ", if this divider reaches its clock"
            yield Advice(f"--set {setting}", because, saved, "run")


def _try_builds(why: StallAnalysis, program: Program, rebuild: Rebuild) -> Iterator[Advice]:
    assert program.build is not None
    level = next(flag for flag in reversed(program.build.flags) if flag.startswith("-O"))

    def change(**option: Any) -> tuple[Program, Architecture]:
        return rebuild(**option), why.architecture

    best = 0
    for other in _LEVELS:
        saved = None if other == level else _measure_saving(why.run, change, optimization=other)
        if saved is not None and saved > best:  # else a lower level saves as much
            best = saved
            yield Advice(f"build with {other}", f"it is built with {level}", saved, "run")
    harts, active = why.architecture.core.harts, program.build.active_harts
    saved = _measure_saving(why.run, change, active_harts=harts) if active < harts else None
    if saved is not None:
        yield Advice(f"--harts {harts}", f"{active} of {harts} harts run main", saved, "run")


def _try_scratchpads(
    why: StallAnalysis, machine: str, overrides: Sequence[str], rebuild: Rebuild
) -> Iterator[Advice]:
    """Suggest longer scratchpads if the source scales with them; of equal ones the shortest."""
    run, vcu = why.run, why.architecture.vcu
    if vcu is None or not any(is_transfer(work.mnemonic) for work in run.vector_work):
        return

    def change(setting: str) -> tuple[Program, Architecture]:
        there = load_architecture(machine, [*overrides, setting])
        return rebuild(architecture=there), there

    found = []
    for longer in _LONGER:
        size = format_size(Bytes(longer * vcu.scratchpads.size)).replace(" ", "")
        setting = f"vcu.scratchpads.size={size}"
        if (saved := _measure_saving(run, change, setting=setting)) is not None:
            found.append((saved, -longer, setting))
    if found:
        saved, _, setting = max(found)
        short = format_size(vcu.scratchpads.size)
        because = f"scratchpads of {short} are too small; the program is built for longer ones"
        yield Advice(f"--set {setting}", because, saved, "run")


def _try_memories(
    why: StallAnalysis,
    program: Program,
    machine: str,
    overrides: Sequence[str],
    rebuild: Rebuild | None,
) -> Iterator[Advice]:
    """Suggest other regions for code and constants, and an instruction cache."""

    def load(settings: Sequence[str]) -> Architecture:
        return load_architecture(machine, [*overrides, *settings])

    def measure_cache(settings: Sequence[str]) -> int | None:
        return _measure_saving(why.run, lambda: (program, load(settings)))

    tried = list(try_caches(why.architecture, measure_cache))
    if rebuild is not None:

        def measure_placement(settings: Sequence[str]) -> int | None:
            def change() -> tuple[Program, Architecture]:
                there = load(settings)
                return rebuild(architecture=there), there

            return _measure_saving(why.run, change)

        tried += try_placements(why.architecture, measure_placement)
    for settings, because, saved in tried:
        yield Advice(" ".join(f"--set {each}" for each in settings), because, saved, "run")


def _try_vectors(why: StallAnalysis, program: Program) -> Iterator[Advice]:
    """Suggest vector instructions for scalar loops that are equivalent, one per instruction."""
    run = why.run
    awake = int(run.profile.cycles.sum() - run.profile.parts["parked"].sum()) or 1
    worth: dict[str, list[Loop]] = {}
    if why.architecture.vcu is not None:
        for loop in find_vector_loops(run, program):
            if loop.cycles >= _LEAST_SHARE * awake:
                worth.setdefault(loop.instruction, []).append(loop)
    for instruction, loops in worth.items():
        try:
            takes = [each.calls * measure_call_cycles(instruction, each.length, why.architecture)
                     for each in loops]  # fmt: skip
        except GnomonError:
            continue
        spent = sum(each.cycles for each in loops) * run.wall_cycles // awake
        places = ", ".join(
            f"{each.function} at {each.address:#x}, {each.calls:,} times {each.length:,} words"
            for each in loops
        )
        yield Advice(
            f"use {instruction}",
            f"a scalar loop does the same: {places}; arrays must not overlap",
            spent - sum(takes), "about", vector_code(instruction),
        )  # fmt: skip


def _is_division(mnemonic: str) -> bool:
    return mnemonic in _DIVISIONS


def _list_bounds(why: StallAnalysis, program: Program) -> Iterator[Advice]:
    run, wall = why.run, why.run.wall_cycles
    stack = {part.cause: part.cycles for part in why.stack}
    turned = stack.get("retry.vcu", 0) + stack.get("wait.vcu", 0)
    vectors = [work for work in run.vector_work if not is_transfer(work.mnemonic)]
    busy = sum(work.busy_cycles for work in vectors)
    harts = len(run.harts)
    asleep = [  # in more than half of their slots
        h for h in range(harts) if 2 * harts * run.counters.get(f"hart{h}.parked", 0) > wall
    ]
    if asleep and harts > 1:
        # Shared resources take as long: execute stage, load-store unit, a shared vector unit.
        vcu = why.architecture.vcu
        least = max(b.cycles for b in why.bounds if b.resource != "issue slots")
        if vcu is not None and vcu.sharing == "shared":
            least = max(least, busy)
        yield Advice(
            "split the work among all harts",
            f"{len(asleep)} of {harts} harts sleep, and their slots pass unused",
            wall - least, "at most",
        )  # fmt: skip
    # The same instructions in any order take at least as long as the largest bound.
    waits = min(stack.get("wait.lsu", 0), wall - why.bounds[0].cycles)
    if any(is_transfer(work.mnemonic) for work in run.vector_work):
        yield Advice(
            "start transfers earlier, into another half of a scratchpad",
            "instructions wait for the load-store unit",
            waits, "at most",
        )  # fmt: skip
    starting = [work for work in vectors if not _is_division(work.mnemonic)]
    own, beats = sum(w.busy_cycles for w in starting), sum(w.beats for w in starting)
    if own > 2 * beats:
        count = sum(work.issued for work in starting)
        yield Advice(
            "make vectors longer",
            f"vector instructions ({count:,}) are busy for {own:,} cycles, {beats:,} of them beats",
            min(own - beats, turned), "spent",
        )  # fmt: skip
    if why.architecture.core.divider is None:  # else other dividers are run
        divided = sum(cycles for name, cycles in run.counters.items()
                      if name.endswith((".issue.div", ".execute.div")))  # fmt: skip
        yield Advice(
            "divide less, or by constants: from -O1 on they are multiplied instead",
            "scalar divisions take these cycles",
            divided, "spent",
        )  # fmt: skip
    yield from _functions(run, program)


def _functions(run: Run, program: Program) -> Iterator[Advice]:
    """Yield advice on library code, by kind of computation."""
    profile = run.profile
    total = int(profile.cycles.sum() - profile.parts["parked"].sum()) or 1
    for key, spent in count_library_cycles(run, program).items():
        saved = spent * run.wall_cycles // total
        if key in COPIES:
            change = f"copy less, or words that are aligned: {key}"
        else:
            change = f"compute without {key}; fixed point in 32 bits, or shifts"
        yield Advice(change, f"{spent / total:.0%} of the cycles awake are there", saved, "spent")
