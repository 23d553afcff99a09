"""Options that several commands share, declared once so that they mean the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

Machine = Annotated[
    str, typer.Option("--arch", help="A shipped machine, or the path of a YAML file.")
]
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
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
