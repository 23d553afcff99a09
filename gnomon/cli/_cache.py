"""``gnomon cache``: show, check and prune the cache folder."""

import typer

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import option

cache_app = typer.Typer(
    name="cache",
    help="The cache folder: show it, check it, make it smaller.",
    no_args_is_help=True,
)


@cache_app.command()
@with_json_output(2)
def show() -> CommandOutput:
    """Show the cache folder, its size limit, and files and bytes of each kind."""
    from gnomon.base.cache import cache_root
    from gnomon.base.units import format_size
    from gnomon.base.upkeep import limit_bytes, usage

    root, found, limit = cache_root(), usage(cache_root()), limit_bytes()
    kinds = {kind: {"files": files, "bytes": size} for kind, (files, size) in found.items()}
    lines = [
        f"  {kind:12}  {files:>8,} files  {size:>15,} bytes"
        for kind, (files, size) in found.items()
    ]
    answer = {"folder": str(root), "limit": limit, "kinds": kinds}
    yield answer, [f"{root} (limit: {format_size(limit)})", *lines]


@cache_app.command()
@with_json_output(2)
def verify() -> CommandOutput:
    """Check every entry against its digest and delete damaged ones (exit code 1)."""
    from gnomon.base.cache import cache_root
    from gnomon.base.upkeep import verify as verified

    count, damaged = verified(cache_root())
    lines = [f"{path}: deleted a damaged entry; it is recomputed on demand" for path in damaged]
    answer = {"entries": count, "damaged": [str(path) for path in damaged]}
    yield answer, [*lines, f"{count:,} entries, {len(damaged):,} damaged"]
    if damaged:
        raise typer.Exit(1)


@cache_app.command()
@with_json_output()
def prune(
    *,
    most: str | None = option("--most SIZE", "Largest remaining size.", None, shown="the limit"),
) -> CommandOutput:
    """Delete the least recently used entries until the cache fits into a size."""
    from gnomon.base.cache import cache_root
    from gnomon.base.units import parse_size
    from gnomon.base.upkeep import limit_bytes
    from gnomon.base.upkeep import prune as pruned

    gone = pruned(cache_root(), limit_bytes() if most is None else parse_size(most))
    yield {"deleted_bytes": gone}, [f"{gone:,} bytes deleted"]
