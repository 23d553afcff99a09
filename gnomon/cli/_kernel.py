"""``gnomon kernel``: build and run a kernel, check every bit, print its cycles."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from gnomon.base.errors import GnomonError
from gnomon.base.values import parse_digits
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import (
    FractionBits,
    Json,
    Machine,
    Operands,
    OperandSeed,
    Overrides,
    argument,
    option,
)

if TYPE_CHECKING:
    from gnomon.measure.kernels import KernelBench

_RANDOM_DATA = "dense"  # the name of random operands in the activity table


@with_json_output()
def kernel(
    name: Annotated[str, argument("NAME", "Kernel; `gnomon list kernels` prints all.")],
    arch: Machine,
    *,
    n: int | None = option("--n N", "Size of square operands.", None, shown="8"),
    shape: str | None = option("--shape NxN...", "Size of each extent, such as 8x8x4.", None),
    variant: str | None = option(
        "--variant NAME,...",
        "Implementations to measure, such as scalar,vector.",
        None,
        shown="all that the machine can run",
    ),
    overrides: Overrides = None,
    seed: OperandSeed = 0,
    fraction_bits: FractionBits = 15,
    pre_shifts: str | None = option(
        "--pre-shifts A,B",
        "Shifts of the operands before vector products.",
        None,
        shown="a third each",
    ),
    operands: Operands = None,
    profile: bool = option(
        "--profile", "Also print hottest code, stalls and peak stack of each variant.", False
    ),
    as_json: Json = False,
) -> CommandOutput:
    """Measure a kernel; exit code 1 if a bit differs.

    The result is compared with the integer model of the kernel.
    """
    from gnomon.arch import load_architecture
    from gnomon.cost.energy import OptionalEnergy, check_operands
    from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel

    if profile and as_json:
        raise GnomonError("--profile prints tables; leave out --json, which prints the runs alone")
    chosen = find_kernel(name)
    extents = chosen.sized(8 if n is None and shape is None else n, shape)
    third = fraction_bits // 3
    shifts = (third, third) if pre_shifts is None else _parse_numbers("--pre-shifts", pre_shifts, 2)
    fixed = FixedPoint(fraction_bits, *shifts)
    architecture = load_architecture(arch, overrides or ())
    named = chosen.variants
    if variant is not None:
        named = tuple(chosen.variant(word.strip()) for word in variant.split(","))
    benches = [KernelBench(chosen, each, architecture, fixed) for each in named]
    # A variant that the machine cannot run is left out, unless --variant requests it.
    obstacles = {each.variant.name: each.obstacle(extents) for each in benches}
    left_out = {name: why for name, why in obstacles.items() if why is not None}
    if variant is not None or len(left_out) == len(benches):
        for bench in benches:
            bench.check(extents)
    benches = [each for each in benches if each.variant.name not in left_out]
    check_operands(architecture, operands)
    runs = [bench.measure(extents, seed=seed) for bench in benches]
    data = operands or _RANDOM_DATA
    quotes = [(run, OptionalEnergy.from_work(run.work, architecture, data=data)) for run in runs]

    def show() -> None:
        from gnomon.report.bench_text import print_kernel_runs
        from gnomon.report.cost_text import print_quotes

        print_kernel_runs(chosen, fixed, runs, left_out)
        print_quotes([(run.variant, "", priced) for run, priced in quotes])
        if profile:
            for bench in benches:
                _print_profile(bench, extents, seed, data)

    yield (
        {
            "kernel": chosen.name,
            "arch": architecture.name,
            "extents": dict(zip(chosen.extents, extents, strict=True)),
            "seed": seed,
            "format": asdict(fixed) | {"post_shift": fixed.post_shift},
            "runs": [run.to_json() | priced.to_json() for run, priced in quotes],
            "not_run": left_out,
        },
        show,
    )


def _print_profile(bench: KernelBench, extents: tuple[int, ...], seed: int, data: str) -> None:
    """Print the profile of the measured run, start-up included."""
    from gnomon.observe.profile import RunProfile
    from gnomon.report.run_text import print_profile
    from gnomon.sim import simulate

    program = bench.loaded(extents, seed=seed, program=bench.build(debug=True))
    run = simulate(program, bench.architecture, calls=True)
    print(f"Whole program of variant {bench.variant.name}, start-up included:")
    print_profile(RunProfile.from_run(run, program, bench.architecture, data=data))


def _parse_numbers(option: str, text: str, count: int) -> tuple[int, ...]:
    numbers = [parse_digits(word.strip()) for word in text.split(",")]
    if len(numbers) != count or None in numbers:
        raise GnomonError(f"{option} takes {count} numbers separated by commas, not {text!r}")
    return tuple(number for number in numbers if number is not None)
