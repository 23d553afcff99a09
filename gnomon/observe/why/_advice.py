"""What to change first: each piece of advice with what it saves, by a run or as a bound.

What a run can tell is run: other machines, other levels of the compiler, more harts, and only where
the program prints and returns the same. What needs other code is bounded: no code that does the
same saves more than the cycles that are named. Where work is to go, what is spent in it is told:
its calls and what replaces it are not in the figure, so that is no bound. Where a loop is a vector
instruction, the loop is taken off and C for the vector unit, which is run by itself, is added.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.dividers import Divider
from gnomon.base.errors import GnomonError
from gnomon.base.units import Bytes, format_size
from gnomon.observe.profile import COPIES, count_library_cycles
from gnomon.observe.why._analysis import StallAnalysis, is_transfer
from gnomon.observe.why._loops import Loop, cycles_of_call, vector_code, vector_loops
from gnomon.program import Program
from gnomon.sim import Run, simulate

How = Literal["run", "at most", "spent", "about"]
Rebuild = Callable[..., Program]
"""Builds the program with other options of ``gnomon.program.build``, or for another machine."""

_LEVELS = ("-O2", "-O3")
_LEAST_SHARE = 0.01
_LONGER = (2, 4, 8, 16)  # times the scratchpads of the machine


@dataclass(frozen=True, slots=True)
class Advice:
    """One change."""

    change: str  # what to do
    because: str  # what was seen
    saves_cycles: int  # wall cycles of the run that it saves
    how: How  # run of the change, bound, spent there, run of what replaces it
    code: str = ""  # C that does it

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def advise(
    why: StallAnalysis,
    program: Program,
    machine: str,
    overrides: Sequence[str],
    rebuild: Rebuild | None = None,
) -> tuple[Advice, ...]:
    """Return changes that save at least a hundredth of the run, the largest saving first.

    Args:
        why: the analysis of the run.
        program: what ran.
        machine: name or path of the machine.
        overrides: settings that it already has.
        rebuild: builds the program with other options of ``gnomon.program.build``; None for an
            executable.
    """
    run = why.run
    found = [*_bounds(why, program), *_machines(run, program, machine, overrides)]
    found += _vectors(why, program)
    if rebuild is not None:
        found += _builds(why, program, rebuild)
        found += _scratchpads(why, machine, overrides, rebuild)
    worth = [each for each in found if each.saves_cycles >= _LEAST_SHARE * run.wall_cycles]
    return tuple(sorted(worth, key=lambda each: (-each.saves_cycles, each.change)))


def _saved(
    run: Run, change: Callable[..., tuple[Program, Architecture]], **what: Any
) -> int | None:
    """Wall cycles that a change saves; None: it cannot be made, or not the same comes out."""
    try:
        other = simulate(*change(**what), max_cycles=run.wall_cycles)
    except GnomonError:
        return None
    does, did = ((each.exit_code, each.printed, each.console) for each in (other, run))
    return run.wall_cycles - other.wall_cycles if other.halted == "exit" and does == did else None


def _machines(
    run: Run, program: Program, machine: str, overrides: Sequence[str]
) -> Iterator[Advice]:
    here = load_architecture(machine, overrides)
    # Of several settings the one that saves most is told.
    choices: list[list[str]] = []
    if here.vcu is not None:
        choices += [[f"vcu.simd={2 * here.vcu.simd}"], ["vcu.sharing=replicated"]]
    if here.core.divider is not None and any(".div" in name for name in run.counters):
        choices.append([f"core.divider={name}" for name in Divider.by_name() if name != "table"])
    if any(_divides(work.mnemonic) for work in run.vector_work):
        choices.append([f"vcu.divider={name}" for name in Divider.by_name() if name != "table"])
    if here.core.model == "t13" and not here.core.superscalar:
        choices.append(["core.superscalar=true"])

    def change(setting: str) -> tuple[Program, Architecture]:
        return program, load_architecture(machine, [*overrides, setting])

    for settings in choices:
        found = [(_saved(run, change, setting=setting), setting) for setting in settings]
        known = [(saved, setting) for saved, setting in found if saved is not None]
        if known:
            saved, setting = max(known, key=lambda each: each[0])
            because = "a machine that is otherwise the same"
            if ".divider=" in setting:
                because += ", if this divider reaches its clock"
            yield Advice(f"--set {setting}", because, saved, "run")


def _builds(why: StallAnalysis, program: Program, rebuild: Rebuild) -> Iterator[Advice]:
    assert program.build is not None
    level = next(flag for flag in reversed(program.build.flags) if flag.startswith("-O"))

    def change(**option: Any) -> tuple[Program, Architecture]:
        return rebuild(**option), why.architecture

    best = 0
    for other in _LEVELS:
        saved = None if other == level else _saved(why.run, change, optimization=other)
        if saved is not None and saved > best:  # else a lower level saves as much
            best = saved
            yield Advice(f"build with {other}", f"it is built with {level}", saved, "run")
    harts, active = why.architecture.core.harts, program.build.active_harts
    saved = _saved(why.run, change, active_harts=harts) if active < harts else None
    if saved is not None:
        yield Advice(f"--harts {harts}", f"{active} of {harts} harts run main", saved, "run")


def _scratchpads(
    why: StallAnalysis, machine: str, overrides: Sequence[str], rebuild: Rebuild
) -> Iterator[Advice]:
    """Longer ones, where the source goes by their length; of those alike the shortest."""
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
        if (saved := _saved(run, change, setting=setting)) is not None:
            found.append((saved, -longer, setting))
    if found:
        saved, _, setting = max(found)
        short = format_size(vcu.scratchpads.size)
        because = f"scratchpads of {short} are too small; the program is built for longer ones"
        yield Advice(f"--set {setting}", because, saved, "run")


def _vectors(why: StallAnalysis, program: Program) -> Iterator[Advice]:
    """Scalar loops that are a vector instruction, by instruction."""
    run = why.run
    awake = int(run.profile.cycles.sum() - run.profile.parts["parked"].sum()) or 1
    worth: dict[str, list[Loop]] = {}
    if why.architecture.vcu is not None:
        for loop in vector_loops(run, program):
            if loop.cycles >= _LEAST_SHARE * awake:
                worth.setdefault(loop.instruction, []).append(loop)
    for instruction, loops in worth.items():
        try:
            takes = [each.calls * cycles_of_call(instruction, each.length, why.architecture)
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


def _divides(mnemonic: str) -> bool:
    return "div" in mnemonic or "rem" in mnemonic


def _bounds(why: StallAnalysis, program: Program) -> Iterator[Advice]:
    run, wall = why.run, why.run.wall_cycles
    stack = {part.cause: part.cycles for part in why.stack}
    turned = stack.get("retry.vcu", 0) + stack.get("wait.vcu", 0)
    vectors = [work for work in run.vector_work if not is_transfer(work.mnemonic)]
    busy = sum(work.busy_cycles for work in vectors)
    harts = len(run.harts)
    asleep = [  # in more than half of their slots
        h for h in range(harts) if 2 * harts * run.counters.get(f"hart{h}.parked", 0) > wall
    ]
    if asleep:
        # What all harts share takes as long: execute stage, load-store unit, one vector unit.
        vcu = why.architecture.vcu
        least = max(b.cycles for b in why.bounds if b.resource != "issue slots")
        if vcu is not None and vcu.sharing == "shared":
            least = max(least, busy)
        yield Advice(
            "split the work among all harts",
            f"{len(asleep)} of {harts} harts sleep, and their slots pass unused",
            wall - least, "at most",
        )  # fmt: skip
    # No order of the same instructions ends sooner than the largest bound.
    waits = min(stack.get("wait.lsu", 0), wall - why.bounds[0].cycles)
    if any(is_transfer(work.mnemonic) for work in run.vector_work):
        yield Advice(
            "start transfers earlier, into another half of a scratchpad",
            "instructions wait for the load-store unit",
            waits, "at most",
        )  # fmt: skip
    starting = [work for work in vectors if not _divides(work.mnemonic)]
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
    """Yield library code that other code of the program calls, by what it computes."""
    profile = run.profile
    total = int(profile.cycles.sum() - profile.parts["parked"].sum()) or 1
    for key, spent in count_library_cycles(run, program).items():
        saved = spent * run.wall_cycles // total
        if key in COPIES:
            change = f"copy less, or words that are aligned: {key}"
        else:
            change = f"compute without {key}; fixed point in 32 bits, or shifts"
        yield Advice(change, f"{spent / total:.0%} of the cycles awake are there", saved, "spent")
