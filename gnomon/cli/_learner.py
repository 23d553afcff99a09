"""``gnomon learner``: measure one step of an embedded learner on a machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.units import counted
from gnomon.base.values import parse_digits
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import FractionBits, Machine, Operands, Overrides, argument, option

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.cost.energy import OptionalEnergy
    from gnomon.measure.learners import LearnerRun, LearnerVariant


@with_json_output()
def learner(
    name: Annotated[
        str,
        argument(
            "NAME",
            "Learner with a C implementation; gnomon list learners prints all.",
        ),
    ],
    arch: Machine,
    *,
    variant: str | None = option(
        "--variant NAME,...",
        "Implementations to compare.",
        None,
        shown="standard,optimized, if both exist",
    ),
    d: int = option("--d D", "Features of a context.", 8),
    arms: int = option("--arms N", "Number of arms.", 8),
    f: int | None = option("--f F", "Features of an arm, for hybrid learners.", None, shown="4"),
    overrides: Overrides = None,
    line: str | None = option(
        "--line",
        "paper: as published. tuned: hand-optimized for the machine.",
        None,
        shown="paper, if it exists",
    ),
    harts: str = option("--harts N,...", "Numbers of harts that share the arms.", "1"),
    case: str = option(
        "--case", "fresh: a new model of zeros. random: a model after random steps.", "fresh"
    ),
    seed: int = option("--seed", "Seed for random input.", 0),
    fraction_bits: FractionBits = 15,
    correction_period: int | None = option(
        "--correction-period UPDATES",
        "Updates between two corrections, for corrected variants.",
        None,
        shown="5000",
    ),
    correcting: bool = option(
        "--correcting", "Include a correction in the measured update.", False
    ),
    operands: Operands = None,
    c: str | None = option(
        "--c FOLDER", "Write the generated C, test vectors and a host check to a folder.", None
    ),
) -> CommandOutput:
    """Measure one learner step; exit code 1 if a bit differs.

    A step is one selection and one update. The host computes the reference result.
    """
    from gnomon.arch import load_architecture
    from gnomon.cost.energy import check_operands
    from gnomon.cost.platforms import is_platform, load_platform, measure_platform
    from gnomon.measure.learners import (
        LearnerBench,
        find_embedded_learner,
        judge_once,
        write_generated,
    )
    from gnomon.program import refusal_of

    chosen = find_embedded_learner(name)
    sizes = chosen.sizes(d, arms, f)
    of_line = line or chosen.line
    words = variant.split(",") if variant else chosen.scalar_names(of_line)
    variants = [chosen.variant(word.strip(), of_line) for word in words]
    if correcting or correction_period is not None:
        variants = _set_correction(variants, correction_period)
    counts = _parse_counts(harts)
    if not 1 <= fraction_bits <= 29:
        raise GnomonError(f"--fraction-bits must be from 1 to 29, not {fraction_bits}")

    def result_json(arch: str, clock_hz: int, runs: list[dict[str, Any]]) -> dict[str, Any]:
        head = {"learner": chosen.name, "arch": arch, "clock_hz": int(clock_hz)}
        return {**head, "sizes": sizes.named(), "runs": runs}

    if c is not None:
        machine = None if is_platform(arch) else load_architecture(arch, overrides or ())
        write_generated(variants, sizes, Path(c), machine)
    if is_platform(arch):
        from gnomon.report.cost_text import print_platform_runs

        platform = load_platform(arch, overrides or ())
        if counts != [1]:
            raise GnomonError(f"{platform.name} is a cost-model core of 1 hart: leave out --harts")
        if correcting:
            raise GnomonError(f"{platform.name} is a cost-model core: leave out --correcting")
        step: dict[str, Any] = {"case": case, "seed": seed, "fraction_bits": fraction_bits}
        priced = [measure_platform(platform, chosen, each, sizes, **step) for each in variants]
        runs_json = [run.to_json() for run in priced]
        answer = result_json(platform.name, platform.clock.value, runs_json)
        yield answer, partial(print_platform_runs, priced)
        return
    architecture = load_architecture(arch, overrides or ())
    check_operands(architecture, operands)

    def measure(each: LearnerVariant, count: int) -> LearnerRun:
        corrects = correcting and each.correction_period is not None
        try:
            bench = LearnerBench(chosen, each, architecture, sizes, count, fraction_bits)
            return bench.measure(case=case, seed=seed, correcting=corrects)
        except GnomonError as error:
            if isinstance(error, CheckFailed) or "\n" not in str(error):
                raise
            # A source rejects sizes with #error; this keeps its sentence, not the compiler's log.
            raise GnomonError(
                f"{chosen.name} {each.name} on {architecture.name}: {refusal_of(error)}"
            ) from None

    runs = [measure(each, count) for each in variants for count in counts]
    judged = {each.name: judge_once(each, sizes) for each in variants if each.once is not None}
    quotes = [(run, _price_stages(run, architecture, operands or run.operands)) for run in runs]

    def show() -> None:
        from gnomon.report.bench_text import print_judgements, print_learner_runs
        from gnomon.report.cost_text import print_quotes

        print_learner_runs(chosen, runs)
        print_judgements(judged)
        print_quotes([
            (run.variant, f"{part}, {counted(run.harts, 'hart')}", each)
            for run, quoted in quotes
            for part, each in quoted.items()
        ])  # fmt: skip

    def run_json(run: LearnerRun, quoted: dict[str, OptionalEnergy]) -> dict[str, Any]:
        both = run.to_json() | quoted["both"].to_json()
        stages = {part: stage | quoted[part].to_json() for part, stage in both["stages"].items()}
        made = {"once": judged[run.variant].to_json()} if run.variant in judged else {}
        return both | {"stages": stages} | made

    runs_json = [run_json(*each) for each in quotes]
    yield result_json(architecture.name, architecture.clock, runs_json), show


def _price_stages(
    run: LearnerRun, architecture: Architecture, data: str
) -> dict[str, OptionalEnergy]:
    """Return the energy of each stage and of both together."""
    from gnomon.cost.energy import OptionalEnergy
    from gnomon.sim import Work

    works = {stage.name: stage.work for stage in run.stages}
    works["both"] = Work.joined(works.values())
    return {
        name: OptionalEnergy.from_work(work, architecture, data=data)
        for name, work in works.items()
    }


def _set_correction(variants: list[LearnerVariant], period: int | None) -> list[LearnerVariant]:
    """Return the variants, the corrected ones with this period in updates.

    Raises:
        GnomonError: if no variant has a correction.
    """
    if all(each.correction_period is None for each in variants):
        variants[0].check_correction()
    return [
        each if each.correction_period is None or period is None else each.corrected_every(period)
        for each in variants
    ]


def _parse_counts(text: str) -> list[int]:
    numbers = [parse_digits(word.strip()) or 0 for word in text.split(",")]
    if 0 in numbers:
        raise GnomonError(f"--harts takes numbers from 1 up, separated by commas, not {text!r}")
    return numbers
