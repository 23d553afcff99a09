"""Options that several commands share, declared once so that they mean the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

_MACHINE = "A machine by its name, or the path of a YAML file."
Machine = Annotated[str, typer.Option("--arch", help=_MACHINE)]
AnyMachine = Annotated[str | None, typer.Option("--arch", help=_MACHINE)]
MachineArgument = Annotated[str, typer.Argument(metavar="MACHINE", help=_MACHINE)]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one key, such as vcu.simd=8."),
]
Operands = Annotated[
    str | None,
    typer.Option(
        "--operands",
        metavar="NAME",
        help="Operand values that its energy assumes: zeros, small8, q15, rand32, sparse, dense,"
        " or hamming-N.",
    ),
]
FractionBits = Annotated[int, typer.Option("--fraction-bits", help="Fractional bits (Q format).")]
OperandSeed = Annotated[int, typer.Option("--seed", help="Of the random operands.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
