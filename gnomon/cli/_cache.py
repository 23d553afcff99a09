"""``gnomon cache``: what is kept in the cache folder."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gnomon.base.options import Json

cache_app = typer.Typer(
    name="cache", help="What is kept: show it, check it, make it smaller.", no_args_is_help=True
)


@cache_app.command()
def show(*, as_json: Json = False) -> None:
    """Where the cache folder is, its limit, and files and bytes of each kind."""
    from gnomon.base.cache import cache_root
    from gnomon.base.units import format_size
    from gnomon.base.upkeep import limit_bytes, usage

    root, found = cache_root(), usage(cache_root())
    if as_json:
        kinds = {kind: {"files": files, "bytes": size} for kind, (files, size) in found.items()}
        print(json.dumps({"folder": str(root), "limit": limit_bytes(), "kinds": kinds}, indent=2))
        return
    print(f"{root} (limit: {format_size(limit_bytes())})")
    for kind, (files, size) in found.items():
        print(f"  {kind:12}  {files:>8,} files  {size:>15,} bytes")


@cache_app.command()
def verify(*, as_json: Json = False) -> None:
    """Check every entry against its digest; damaged ones are deleted (exit code 1)."""
    from gnomon.base.cache import cache_root
    from gnomon.base.upkeep import verify as verified

    count, damaged = verified(cache_root())
    if as_json:
        print(json.dumps({"entries": count, "damaged": [str(path) for path in damaged]}, indent=2))
    else:
        for path in damaged:
            print(f"{path}: was damaged; it is made again when it is needed")
        print(f"{count:,} entries, {len(damaged):,} damaged")
    if damaged:
        raise typer.Exit(1)


@cache_app.command()
def prune(
    *,
    most: Annotated[
        str | None, typer.Option(metavar="SIZE", help="What may stay.", show_default="the limit")
    ] = None,
    as_json: Json = False,
) -> None:
    """Delete what was used longest ago, until the rest is not larger than a size."""
    from gnomon.base.cache import cache_root
    from gnomon.base.units import parse_size
    from gnomon.base.upkeep import limit_bytes
    from gnomon.base.upkeep import prune as pruned

    gone = pruned(cache_root(), limit_bytes() if most is None else parse_size(most))
    print(json.dumps({"deleted_bytes": gone}) if as_json else f"{gone:,} bytes deleted")
