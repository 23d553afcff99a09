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
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
