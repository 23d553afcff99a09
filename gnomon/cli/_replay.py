"""``gnomon replay``: what the kernel calls of an algorithm cost on a machine."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.progress import steps_progress
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import AnyMachine, OperandSeed, Overrides, argument, option

VARIANTS = ("scalar", "vector")


def _shapes() -> list[str]:
    """Return what calls of a trace may name: the numbers of their shape, and their operands."""
    from gnomon.measure.kernels import kernel_files

    lines = []
    files = kernel_files()
    renamed = {other for file in files.values() for other in file.traces}
    for name, file in files.items():
        operands = ", ".join(
            f"{operand} {' x '.join(map(str, sizes))}" for operand, sizes in file.operands.items()
        )
        others = {other: said for other, said in file.traces.items() if said.shape}
        own = name.replace("-", "_")
        if own not in renamed:
            lines.append((own, file.extents, operands))
        lines += [(other, said.shape, f"as {name}: {said.why}") for other, said in others.items()]
    return [f"{own} [{', '.join(shape)}]: {operands}" for own, shape, operands in sorted(lines)]


@answers()
def replay(
    trace: Path | None = argument("TRACE", "Kernel calls, .csv or .jsonl.", None),
    *,
    arch: AnyMachine = None,
    variant: str = option(
        "--variant scalar|vector",
        "vector: on the vector unit; scalar for kernels that have no vector variant.",
        "scalar",
    ),
    overrides: Overrides = None,
    seed: OperandSeed = 0,
    expand: bool = option(
        "--expand",
        "Price kernels that are made of simpler calls as those calls.",
        False,
    ),
    direct: int = option(
        "--direct N",
        "Distinct calls to run in one program as well, for the call overhead; 0: none.",
        32,
        min=0,
    ),
    without: list[str] | None = option(
        "--without KERNEL", "Kernel to leave out of the price; may be repeated.", None
    ),
    list_missing: bool = option(
        "--list-missing", "Only list kernels that have no embedded implementation.", False
    ),
    list_kernels: bool = option(
        "--list",
        "Only list kernels, the numbers of their shape, and their operands.",
        False,
    ),
) -> Answer:
    """Price a trace: each distinct call is simulated once, totals are sums over all calls."""
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
        lines = _shapes()
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
