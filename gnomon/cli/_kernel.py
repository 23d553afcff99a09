"""``gnomon kernel``: build a kernel, run it, check every bit, print its cycles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.options import (  # noqa: TC001 - typer reads them
    Json,
    Machine,
    Operands,
    Overrides,
)

if TYPE_CHECKING:
    from gnomon.bench.kernels import Kernel

Name = Annotated[str, typer.Argument(metavar="NAME", help="`gnomon list kernels` shows all.")]
Square = Annotated[
    int | None, typer.Option("--n", metavar="N", help="Size of square operands.", show_default="8")
]
Shape = Annotated[str | None, typer.Option("--shape", metavar="N,N,...", help="Sizes one by one.")]
Variants = Annotated[
    str | None,
    typer.Option(
        "--variant",
        metavar="NAME,...",
        help="Implementations, such as scalar,vector.",
        show_default="all the machine can run",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Of the random operands.")]
FractionBits = Annotated[int, typer.Option("--fraction-bits", help="Fractional bits (Q format).")]
PreShifts = Annotated[
    str | None,
    typer.Option(
        "--pre-shifts",
        metavar="A,B",
        help="Shifts of the operands before vector products.",
        show_default="a third each",
    ),
]

_RANDOM_DATA = "dense"  # what its random operands are to the activity table


def kernel(
    name: Name,
    arch: Machine,
    *,
    n: Square = None,
    shape: Shape = None,
    variant: Variants = None,
    overrides: Overrides = None,
    seed: Seed = 0,
    fraction_bits: FractionBits = 15,
    pre_shifts: PreShifts = None,
    operands: Operands = None,
    as_json: Json = False,
) -> None:
    """Measure a kernel; its result is compared bit by bit with the reference (exit code 1)."""
    from gnomon.arch import load_architecture
    from gnomon.bench.kernels import FixedPoint, find_kernel, measure

    chosen = find_kernel(name)
    extents = _extents(chosen, n, shape)
    third = fraction_bits // 3
    shift_a, shift_b = (
        (third, third) if pre_shifts is None else _numbers("--pre-shifts", pre_shifts, 2)
    )
    fixed = FixedPoint(fraction_bits, shift_a, shift_b)
    architecture = load_architecture(arch, overrides or ())
    if variant is None:
        # What the machine has no hardware for is left out, as nobody asked for it.
        names = [
            v.name
            for v in chosen.variants
            if (architecture.vcu or not v.vector)
            and (
                v.harts == 1
                or (
                    v.harts <= architecture.core.harts
                    and v.obstacle(architecture, extents, fixed) is None
                )
            )
        ]
    else:
        names = [word.strip() for word in variant.split(",")]
    variants = [chosen.variant(word) for word in names]
    from gnomon.cost.energy import Quote

    Quote.check_operands(architecture, operands)
    runs = [
        measure(chosen, each, architecture, extents, seed=seed, fixed=fixed) for each in variants
    ]
    quotes = [Quote.of(run.work, architecture, data=operands or _RANDOM_DATA) for run in runs]
    if as_json:
        answer = {
            "kernel": chosen.name,
            "arch": architecture.name,
            "extents": dict(zip(chosen.extents, extents, strict=True)),
            "seed": seed,
            "format": {
                "fraction_bits": fixed.fraction_bits,
                "pre_shift_a": fixed.pre_shift_a,
                "pre_shift_b": fixed.pre_shift_b,
                "post_shift": fixed.post_shift,
            },
            "runs": [
                run.to_json() | priced.to_json() for run, priced in zip(runs, quotes, strict=True)
            ],
        }
        print(json.dumps(answer))
        return
    from gnomon.report.bench_text import print_kernel_runs
    from gnomon.report.cost_text import print_quotes

    print_kernel_runs(chosen, fixed, runs)
    if architecture.power is not None:
        print_quotes([(run.variant, "", priced) for run, priced in zip(runs, quotes, strict=True)])


def _extents(kernel: Kernel, n: int | None, shape: str | None) -> tuple[int, ...]:
    if shape is None:
        return kernel.check_extents(kernel.square(8 if n is None else n))
    if n is not None:
        raise GnomonError("--n and --shape both give the size; leave out one")
    names = ",".join(kernel.extents)
    return kernel.check_extents(_numbers(f"--shape {names}", shape, len(kernel.extents)))


def _numbers(option: str, text: str, count: int) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if len(words) != count or not all(word.isascii() and word.isdigit() for word in words):
        raise GnomonError(f"{option} takes {count} number(s) with commas between, not {text!r}")
    return tuple(int(word) for word in words)
