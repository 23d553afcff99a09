"""``gnomon advise``: changes, ranked by the cycles that each saves, and own instructions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.base.errors import GnomonError
from gnomon.base.files import write_files
from gnomon.base.units import counted
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._new import check_free, check_name, check_unit_name, require_project
from gnomon.cli._options import Machine, Overrides, argument, option
from gnomon.cli._program import MOST_CYCLES, Build, are_sources, load_program

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.observe.instructions import Proof, Proposal, Rebuild
    from gnomon.program import Program
    from gnomon.sim import Run

_UNIT = "proposed"
_FEATURES = _ARMS = 8
_CASE = "fresh"
_PICK = 1


@dataclass(frozen=True, slots=True)
class Subject:
    """What runs: a program, or one step of a learner; and its machine."""

    arch: Machine
    files: list[Path] | None = argument(
        "FILE", "RV32 executable, or C and assembly sources to build first.", None
    )
    overrides: Overrides = None
    build: Build = field(default_factory=Build)
    learner: str | None = option("--learner NAME", "Learner whose step runs instead of FILE.", None)
    variant: str | None = option(
        "--variant NAME", "Implementation of the learner.", None, shown="the first scalar one"
    )
    line: str | None = option(
        "--line",
        "paper: as published. tuned: hand-optimized for the machine.",
        None,
        shown="paper, if it exists",
    )
    d: int = option("--d D", "Features of a context.", _FEATURES)
    arms: int = option("--arms N", "Number of arms.", _ARMS)
    f: int | None = option("--f F", "Features of an arm, for hybrid learners.", None, shown="4")
    case: str = option(
        "--case", "fresh: a new model of zeros. random: a model after random steps.", _CASE
    )

    def load(self, architecture: Architecture) -> tuple[Program, Rebuild | None]:
        """Return the program, and a function that builds variants of it; None without sources.

        Raises:
            GnomonError: if neither or both of a program and a learner are given, or it does not
                build.
        """
        if bool(self.files) == (self.learner is not None):
            raise GnomonError("name FILE, or a learner with --learner NAME")
        if not self.files:
            return self._load_learner(architecture)
        of_learner = {
            "--variant": self.variant is not None, "--line": self.line is not None,
            "--d": self.d != _FEATURES, "--arms": self.arms != _ARMS, "--f": self.f is not None,
            "--case": self.case != _CASE,
        }  # fmt: skip
        if any(of_learner.values()):
            given = ", ".join(name for name, changed in of_learner.items() if changed)
            raise GnomonError(f"{given}: for --learner NAME, not for a FILE")
        files, options = self.files, self.build.given()

        def rebuild(*, architecture: Architecture = architecture, **changed: Any) -> Program:
            return load_program(files, architecture, options | changed, quiet=True)

        program = load_program(files, architecture, options)
        return program, rebuild if are_sources(files) else None

    def _load_learner(self, architecture: Architecture) -> tuple[Program, Rebuild]:
        from gnomon.measure.learners import LearnerBench, find_embedded_learner

        assert self.learner is not None
        if self.build.given():
            raise GnomonError("-O, -D, -I, --harts and --compiler are for FILE, not for a learner")
        chosen = find_embedded_learner(self.learner)
        line = self.line or chosen.line
        variant = chosen.variant(self.variant or chosen.scalar_names(line)[0], line)
        sizes = chosen.sizes(self.d, self.arms, self.f)
        bench = LearnerBench(chosen, variant, architecture, sizes)
        bench.check()
        step = bench.step(case=self.case)

        def rebuild(*, architecture: Architecture = architecture, **changed: Any) -> Program:
            other = replace(bench, architecture=architecture)
            placed = other.place(other.build(**changed), step)
            return replace(placed, name=chosen.name)

        return rebuild(), rebuild


@with_json_output()
def advise(
    subject: Subject,
    *,
    prove: bool = option(
        "--prove", "Run the program with each proposed instruction in its place.", False
    ),
    write_unit: str | None = option(
        "--write-unit NAME", "Write the folder units/NAME of a proposed instruction.", None
    ),
    pick: int = option("--pick K", "Number of the proposed instruction to write.", _PICK),
    max_cycles: int = option("--max-cycles N", "Cycle limit of each run.", MOST_CYCLES),
) -> CommandOutput:
    """Suggest changes and own instructions, ranked by cycles saved.

    Changes of the machine, of the optimization level and of the number of harts are run. Such a
    change is listed (`saves`) only if the program returns and prints the same. Changes that need
    new code get an upper bound (`saves at most`) or the cycles of removable work (`frees`). The
    latter excludes calls and the code that replaces the work. A scalar loop that a vector
    instruction can replace is listed with the C code and its saving.

    Own instructions are pieces of the compiled C that one instruction of a unit can compute. Their
    savings are predictions (`saves about`), or those of a run with equal results (`--prove`).
    """
    from gnomon.arch import load_architecture
    from gnomon.observe.why import StallAnalysis, find_advice
    from gnomon.sim import simulate
    from gnomon.sim.crash import check_end

    if write_unit is None and pick != _PICK:
        raise GnomonError("--pick: is for --write-unit NAME")
    target = None if write_unit is None else _Target(write_unit, pick)
    architecture = load_architecture(subject.arch, subject.overrides or ())
    program, rebuild = subject.load(architecture)
    run = simulate(program, architecture, max_cycles=max_cycles)
    check_end(run, program)
    of_sources = rebuild if subject.learner is None else None
    found = find_advice(
        StallAnalysis(run, architecture), program, subject.arch, subject.overrides or (), of_sources
    )
    head = {"program": run.program, "arch": run.arch, "wall_cycles": run.wall_cycles}
    lines = [f"{run.program} on {run.arch}: {run.wall_cycles:,} wall cycles"]
    for number, each in enumerate(found, 1):
        share = each.saves_cycles / run.wall_cycles
        how = {"run": "saves", "at most": "saves at most", "spent": "frees",
               "about": "saves about"}[each.how]  # fmt: skip
        lines.append(f"{number}. {each.change}: {how} {share:.1%}, {each.saves_cycles:,} cycles")
        lines.append(f"   {each.because}")
        lines += [f"       {line}" for line in each.code.splitlines()]
    if not found:
        lines.append("nothing that is tried or bounded saves a hundredth of it")
    own: list[dict[str, Any]] = []
    if rebuild is not None:
        for row, shown in _propose(program, run, rebuild, prove=prove, target=target):
            own += row
            lines += shown
    elif prove or target is not None:
        raise GnomonError(
            "--prove and --write-unit need sources: own instructions are pieces of compiled C"
        )
    yield head | {"advice": [each.to_json() for each in found], "instructions": own}, lines


class _Target:
    """The folder of a proposed instruction."""

    def __init__(self, name: str, pick: int) -> None:
        """Check the name.

        Raises:
            GnomonError: if the name is invalid or in use, or the current folder has no project.
        """
        check_name(name)
        check_unit_name(name)
        self.name, self.pick = name, pick
        self.folder = require_project() / "units" / name.replace("-", "_")
        check_free("unit", name.replace("_", "-"), [self.folder])

    def choose(self, proposals: Sequence[Proposal]) -> Proposal:
        """Return the proposal to write.

        Raises:
            GnomonError: if fewer instructions are proposed.
        """
        if not 1 <= self.pick <= len(proposals):
            raise GnomonError(
                f"--pick {self.pick}: there are {counted(len(proposals), 'proposed instruction')}"
                " (nothing was written)"
            )
        return proposals[self.pick - 1]

    def write(self, proposal: Proposal, run: Run) -> list[str]:
        """Write the files of a proposal; return their paths.

        Raises:
            GnomonError: if the loader rejects the files.
        """
        from gnomon.observe.instructions import load_proposed, unit_texts

        files = unit_texts(proposal, self.name, run.program, run.architecture)
        load_proposed(self.name, files)
        return [str(path) for path in write_files(self.folder, files)]


def _propose(
    program: Program, run: Run, rebuild: Rebuild, *, prove: bool, target: _Target | None
) -> Iterator[tuple[list[dict[str, Any]], list[str]]]:
    """Yield the JSON values and the lines of proposed instructions."""
    from gnomon.observe.instructions import (
        load_proposed,
        propose_instructions,
        prove_instruction,
        unit_texts,
    )
    from gnomon.program import MARKS

    try:
        proposals = propose_instructions(run, program, rebuild(edit=MARKS), run.architecture)
    except GnomonError as error:
        if target is not None:
            raise
        yield [], [f"no own instructions: {error}"]
        return
    chosen = None if target is None else target.choose(proposals)
    yield [], ["own instructions, if their units reach the clock:" if proposals else
               "no own instruction saves a hundredth of it"]  # fmt: skip
    names = _free_names(run.architecture)
    for number, proposal in enumerate(proposals, 1):
        proof = None
        if prove:
            name = next(names)
            files = unit_texts(proposal, name, run.program, run.architecture)
            proof = prove_instruction(proposal, load_proposed(name, files), program, run, rebuild)
        row = _as_json(proposal, proof, program)
        yield [row], [*_describe(number, row, run.wall_cycles)]
    if target is not None and chosen is not None:
        yield [], target.write(chosen, run)


def _free_names(architecture: Architecture) -> Iterator[str]:
    """Return names of units that are not those of a unit or an instruction of the machine."""
    taken = {unit.name for unit in architecture.units}
    taken |= {row.mnemonic.replace("_", "-") for row in architecture.unit_rows}
    return (name for number in count(1) if (name := f"{_UNIT}-{number}") not in taken)


def _as_json(proposal: Proposal, proof: Proof | None, program: Program) -> dict[str, Any]:
    """Return a proposal as JSON-compatible data; the savings of its run, if there is one."""
    best: Proposal | Proof = proof or proposal
    return {
        "instruction": proposal.text,
        "form": proposal.form,
        "cycles": proposal.cycles,
        "replaces": len(proposal.graph.nodes),
        "places": len(proposal.sites),
        "functions": sorted({program.function_name(each.address) for each in proposal.sites}),
        "executions": best.executions,
        "saves_cycles": best.saves_wall_cycles,
        "saves_hart_cycles": best.saves_hart_cycles,
        "how": "about" if proof is None else "run",
        "predicted_cycles": proposal.saves_wall_cycles,
        "code": "\n".join(proposal.graph.c_lines()),
    }


def _describe(number: int, row: dict[str, Any], wall_cycles: int) -> Iterator[str]:
    how = {"about": "saves about", "run": "saves"}[row["how"]]
    share = row["saves_cycles"] / wall_cycles
    yield (
        f"{number}. {row['instruction']}: {how} {share:.1%},"
        f" {counted(row['saves_cycles'], 'wall cycle')},"
        f" {counted(row['saves_hart_cycles'], 'hart cycle')}"
    )
    third = {"accumulator": ", third operand rd", "R4": ", format R4", "R": ""}[row["form"]]
    yield (
        f"   replaces {row['replaces']} instructions in {counted(row['places'], 'place')}"
        f" of {', '.join(row['functions'])}, executed {counted(row['executions'], 'time')};"
        f" {counted(row['cycles'], 'cycle')}{third}"
    )
