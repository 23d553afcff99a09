"""``gnomon platform``: cost-model cores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json, Overrides  # noqa: TC001 - typer reads them

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.bench.learners import Learner, LearnerVariant, Sizes

platform_app = typer.Typer(
    name="platform", help="Cores that are priced by a table of costs.", no_args_is_help=True
)

PlatformName = Annotated[
    str, typer.Argument(metavar="NAME", help="A shipped platform, or the path of a YAML file.")
]


@platform_app.command("list")
def list_(*, as_json: Json = False) -> None:
    """The cost-model cores that ship; `gnomon learner --arch` takes them."""
    from gnomon.cost.platforms import Platform

    known = [Platform.load(name) for name in Platform.shipped()]
    if as_json:
        print(json.dumps([{"name": each.name, "title": each.title} for each in known]))
        return
    for each in known:
        print(f"{each.name}  {each.title}")


@platform_app.command()
def show(name: PlatformName, *, overrides: Overrides = None, as_json: Json = False) -> None:
    """Clock, power, memory and every cost of a core, with interval and source."""
    from gnomon.cost.platforms import Platform

    platform = Platform.load(name, overrides or ())
    if as_json:
        print(json.dumps(platform.to_json(), indent=2))
        return
    from gnomon.report.cost_text import print_platform

    print_platform(platform)


def learner_on_platform(
    name: str,
    overrides: Sequence[str],
    learner: Learner,
    variants: Sequence[LearnerVariant],
    sizes: Sizes,
    *,
    harts: Sequence[int],
    case: str,
    seed: int,
    fraction_bits: int,
    correcting: bool,
    as_json: bool,
) -> None:
    """What ``gnomon learner`` does where ``--arch`` is a cost-model core.

    Raises:
        GnomonError: a choice that only machines have.
    """
    from gnomon.cost.platforms import Platform, PlatformRun

    platform = Platform.load(name, overrides)
    if list(harts) != [1]:
        raise GnomonError(f"{platform.name} is a cost-model core of 1 hart: leave out --harts")
    if correcting:
        raise GnomonError(f"{platform.name} is a cost-model core: leave out --correcting")
    runs = [
        PlatformRun.of(
            platform,
            learner,
            each,
            sizes,
            case=case,
            seed=seed,
            fraction_bits=fraction_bits,
        )
        for each in variants
    ]
    if as_json:
        answer = {
            "learner": learner.name,
            "arch": platform.name,
            "clock_hz": int(platform.clock.value),
            "sizes": sizes.named(),
            "runs": [run.to_json() for run in runs],
        }
        print(json.dumps(answer))
        return
    from gnomon.report.cost_text import print_platform_runs

    print_platform_runs(runs)
