"""Measurements of kernels and embedded learners, and priced traces, as human-readable tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from gnomon.base.console import console, table
from gnomon.base.units import counted, format_frequency, microseconds
from gnomon.measure.kernels import FixedPoint, Kernel, KernelRun
from gnomon.measure.learners import EmbeddedLearner, Judgement, LearnerRun
from gnomon.measure.replay import Replay


def print_kernel_runs(
    kernel: Kernel, fixed: FixedPoint, runs: Sequence[KernelRun], left_out: Mapping[str, str]
) -> None:
    """Print the variants side by side, and the reasons why others were omitted.

    A speedup is the wall cycles of the first variant divided by those of the row.
    """
    first = runs[0]
    sizes = ", ".join(f"{n} {e}" for n, e in zip(kernel.extents, first.extents, strict=True))
    out = console()
    rows = table(
        f"{kernel.name}: {kernel.title}; {sizes}; {first.arch}",
        1,
        *("variant", "wall cycles", "hart cycles", "issued", "time, µs", "speedup"),
        *("largest error", "its bound"),
    )
    for run in runs:
        rows.add_row(
            run.variant,
            *(run.wall_cycles, run.hart_cycles, run.issued),
            *(f"{run.time_us:,.2f}", f"{first.wall_cycles / run.wall_cycles:.2f}"),
            *(f"{run.error:.2e}", f"{run.error_bound:.2e}"),
        )
    out.print(rows)
    for run in runs:
        out.print(f"  {run.variant}: {run.contract} ({run.function})")
    for name, why in left_out.items():
        out.print(f"  not run: {name}: {why}")
    shifts = f"{fixed.pre_shift_a} + {fixed.pre_shift_b} + {fixed.post_shift}"
    bits, values = fixed.fraction_bits, kernel.input_range(first.extents)
    out.print(
        f"  Q{31 - bits}.{bits}, vector shifts {shifts}; operands {values}; every bit as the model"
        " says"
    )
    compiler = f"{first.build.compiler} {first.build.version}"
    level = next(flag for flag in first.build.flags if flag.startswith("-O"))
    out.print(f"  {compiler} {level}; from the first instruction to the result in memory")


_SHOWN_FUNCTIONS = 8
_CLASSES = ("alu", "mul", "mulh", "div", "load", "store", "branch", "jump")


def print_learner_runs(learner: EmbeddedLearner, runs: Sequence[LearnerRun]) -> None:
    """Print stages, memory and functions of each run; speedups compare wall cycles."""
    first = runs[0]
    sizes = ", ".join(f"{name} {value}" for name, value in first.sizes.named().items())
    out = console()
    stages = table(
        f"{learner.name}: {learner.title.rstrip('.')}; {sizes}; {first.arch}",
        3,
        *("variant", "harts", "stage", "hart cycles", "wall cycles", "issued", "time, µs"),
        *("speedup", "stack, bytes"),
    )
    for run in runs:
        head: tuple[str | int, ...] = (run.variant, run.harts)
        speedup = f"{first.wall_cycles / run.wall_cycles:.2f}"
        parts: list[Any] = [(each.name, each, "", each.stack_bytes) for each in run.stages]
        for name, part, faster, stack_bytes in (*parts, ("both", run, speedup, run.stack_bytes[0])):
            time_us = microseconds(part.wall_cycles, run.clock_hz)
            stages.add_row(
                *(*head, name, part.hart_cycles, part.wall_cycles, part.issued),
                *(f"{time_us:,.2f}", faster, stack_bytes),
            )
            head = ("", "")
        stages.add_section()
    out.print(stages)

    memory = table("Memory in bytes, instructions by class", 2, *("variant", "harts"),
                   *("model", "static", "text"), *_CLASSES)  # fmt: skip
    for run in runs:
        memory.add_row(
            *(run.variant, run.harts, run.model_bytes, run.static_bytes, run.text_bytes),
            *(run.counter(f"issue.{name}") for name in _CLASSES),
        )
    out.print(memory)

    functions = table("Hart cycles and waits in decode, without what is called", 3,
                      *("variant", "harts", "function", "select", "update"))  # fmt: skip
    for run in runs:
        select, update = (stage.functions for stage in run.stages)
        totals = {name: select.get(name, 0) + update.get(name, 0) for name in (*select, *update)}
        ordered = sorted(totals, key=lambda name: (-totals[name], name))
        head = (run.variant, run.harts)
        for name in ordered[:_SHOWN_FUNCTIONS]:
            functions.add_row(*head, name, select.get(name, 0), update.get(name, 0))
            head = ("", "")
        functions.add_section()
    out.print(functions)
    level = next(flag for flag in first.build.flags if flag.startswith("-O"))
    out.print(
        f"  {first.line} implementation, Q{31 - first.fraction_bits}.{first.fraction_bits},"
        f" {first.case} input; {first.build.compiler} {first.build.version} {level};"
        f" {format_frequency(first.clock_hz)}"
    )
    if first.case == "fresh":
        out.print("  fresh: the first step of a new model, which may do less than later ones;")
        out.print(f"  --case random: a step after {learner.warm_steps} others")
    shown = {run.variant for run in runs}
    others = [each.name for each in learner.variants
              if each.line == first.line and each.name not in shown]  # fmt: skip
    if others:
        out.print(f"  not run: {', '.join(others)} (--variant)")
    corrected = [run for run in runs if run.correction_period is not None]
    if corrected:
        run = corrected[0]
        this = "this update corrects" if run.correcting else "this update does not correct"
        out.print(
            f"  inverses corrected every {run.correction_period:,} updates where variants do so;"
            f" {this}"
        )
    out.print("  cycles of hart 0, stack of hart 0; arm, scores and model as on the host,")
    out.print("  bit for bit")


def print_judgements(judged: Mapping[str, Judgement]) -> None:
    """Print formats, agreement, regret and losses of generated C, by variant."""
    out = console()
    for name, each in judged.items():
        formats = table(f"{name}: formats of generated C", 1, "line", "variable", "format", "saw")
        for row in each.formats:
            formats.add_row(str(row.line or ""), row.name, row.format, f"{row.saw:.3g}")
        out.print(formats)
        out.print(f"  {each.words}")


_MOST_CALLS = 24


def print_replay(title: str, replay: Replay) -> None:
    """Print the most expensive calls first, then stages, totals and the calls that they exclude."""
    out = console()
    rows = table(
        f"{title} on {replay.arch}",
        2,
        *("call", "embedded kernel", "calls", "wall cycles each", "wall cycles"),
        *("hart cycles", "share, %"),
    )
    ordered = sorted(replay.rows, key=lambda row: -row.wall_cycles)
    for row in ordered[:_MOST_CALLS]:
        run = row.run
        size = "x".join(map(str, run.extents))
        rows.add_row(
            *(str(row.call), f"{run.kernel} {size}, {run.variant}", row.count),
            *(run.wall_cycles, row.wall_cycles, row.hart_cycles),
            f"{100 * row.wall_cycles / replay.wall_cycles:.1f}",
        )
    out.print(rows)
    rest = ordered[_MOST_CALLS:]
    if rest:
        out.print(
            f"  and {len(rest)} more distinct calls: {sum(row.wall_cycles for row in rest):,}"
            " wall cycles (all of them with --json)"
        )
    parts: list[tuple[str, Any]] = [(each.name or "(no stage)", each) for each in replay.stages]
    for name, part in (*parts, ("total", replay)):
        time = f", {part.time_us:,.2f} µs" if part is replay else ""
        out.print(
            f"  {name}: {counted(part.calls, 'call')}, {part.wall_cycles:,} wall cycles,"
            f" {part.hart_cycles:,} hart cycles{time}"
        )
    if replay.vector:
        scalar = sorted({row.run.kernel for row in replay.rows if not row.vector})
        if scalar:
            out.print(f"  without a vector variant, so scalar: {', '.join(scalar)}")
    _print_direct(replay)
    for name, count in replay.left_out.items():
        out.print(f"  not in the price: {counted(count, 'call')} of {name}, left out on request")
    if replay.outside:
        total = sum(replay.outside.values())
        out.print(
            f"  not in the price: {counted(total, 'NumPy call')} of the learner outside the kernels"
        )
        for call, count in sorted(replay.outside.items(), key=lambda item: -item[1])[:_MOST_CALLS]:
            out.print(f"    {call.function}: {count:,}, {call.where}, {call.stage or 'no stage'}")
    out.print(f"  operands: random, seed {replay.seed}, in the range of each kernel")
    for other in replay.operand_dependent:
        out.print(
            f"  {other.call} depends on its operands: {other.run.wall_cycles:,} wall"
            f" cycles, {other.other_wall_cycles:,} with seed {other.other_seed}"
        )


def _print_direct(replay: Replay) -> None:
    direct = replay.direct
    if direct is None:
        console().print("  call overhead: not measured; totals leave it out")
        return
    share, unwaited = (100 * part for part in (direct.overhead_share, direct.unwaited_share))
    console().print(
        f"  call overhead: {direct.overhead_wall_cycles:+.1f} wall cycles per call, left out of the"
        f" totals\n    ({direct.calls} distinct call(s) in one program: {direct.wall_cycles:,} wall"
        f" cycles; their prices: {direct.priced_wall_cycles:,}; {share:+.2f} %)\n"
        f"    without waiting for results in between: {direct.unwaited_wall_cycles:,} wall cycles"
        f" ({unwaited:+.2f} % against the prices)"
    )
