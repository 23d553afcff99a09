"""``gnomon replay``: price the kernel calls of an algorithm on a machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.progress import steps_progress
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import AnyMachine, OperandSeed, Overrides, argument, option

VARIANTS = ("scalar", "vector")


def _list_shapes() -> list[str]:
    """Return a line for each kernel of a trace: the numbers of its shape, and its operands."""
    from gnomon.measure.kernels import kernel_files

    lines = []
    files = kernel_files()
    renamed = {other for file in files.values() for other in file.traces}
    for name, file in files.items():
        operands = ", ".join(
            f"{operand} {' x '.join(map(str, sizes))}" for operand, sizes in file.operands.items()
        )
        others = {other: row for other, row in file.traces.items() if row.shape}
        own = name.replace("-", "_")
        if own not in renamed:
            lines.append((own, file.extents, operands))
        lines += [(other, row.shape, f"as {name}: {row.why}") for other, row in others.items()]
    return [f"{own} [{', '.join(shape)}]: {operands}" for own, shape, operands in sorted(lines)]


@with_json_output()
def replay(
    trace: Path | None = argument("TRACE", "File of kernel calls, .csv or .jsonl.", None),
    *,
    arch: AnyMachine = None,
    variant: str = option(
        "--variant scalar|vector",
        "vector: on the vector unit; kernels without a vector variant run scalar.",
        "scalar",
    ),
    overrides: Overrides = None,
    seed: OperandSeed = 0,
    expand: bool = option(
        "--expand",
        "Price a composite kernel as its simpler calls.",
        False,
    ),
    direct: int = option(
        "--direct N",
        "Distinct calls to also run in one program, for the call overhead; 0: none.",
        32,
        min=0,
    ),
    without: list[str] | None = option(
        "--without KERNEL", "Kernel to leave out of the price (repeatable).", None
    ),
    list_missing: bool = option(
        "--list-missing", "Only list kernels without an embedded implementation.", False
    ),
    list_kernels: bool = option(
        "--list",
        "Only list kernels with the numbers of their shape and their operands.",
        False,
    ),
) -> CommandOutput:
    """Price a kernel trace.

    Each distinct call is simulated once; totals are sums over all calls.
    """
    from gnomon.arch import load_architecture
    from gnomon.learn import Trace
    from gnomon.measure.replay import Replay
    from gnomon.report.bench_text import print_replay

    if variant not in VARIANTS:
        raise GnomonError(
            f"--variant must be one of: {', '.join(VARIANTS)}; not {variant!r}"
            f"{did_you_mean(variant, VARIANTS)}"
        )
    calls = None if trace is None else Trace.read(trace)
    if list_kernels:
        lines = _list_shapes()
        yield {"kernels": lines}, lines
        return
    if trace is None or calls is None:
        raise GnomonError("Missing argument 'TRACE' (see `gnomon replay --help`)")
    if arch is None:
        raise GnomonError("Missing option '--arch' (see `gnomon replay --help`)")
    architecture = load_architecture(arch, overrides or ())
    if list_missing:
        missing = Replay.missing(calls, expand=expand)
        lines = [f"{kernel}: {count:,} call(s)" for kernel, count in missing.items()]
        none = "none: every kernel of the trace has an embedded implementation"
        yield {"missing": missing}, lines or [none]
        return
    with steps_progress("pricing") as progress:
        priced = Replay.from_trace(
            calls,
            architecture,
            vector=variant == "vector",
            seed=seed,
            expand=expand,
            direct_calls=direct,
            without=without or (),
            path=trace,
            progress=progress,
        )
    yield {"trace": str(trace), **priced.to_json()}, partial(print_replay, trace.name, priced)
