"""``gnomon choose``: rank learners for a device."""

from functools import partial
from typing import Literal

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import option


@with_json_output(2)
def choose(
    *,
    arch: str = option("--arch", "Name of a machine of the T13 family.", "t13-simd4"),
    d: int = option("--d D", "Features of a context.", 8),
    arms: int = option("--arms N", "Number of arms.", 8),
    drift: Literal["yes", "no"] = option(
        "--drift", "Whether the rewards of arms change over time.", "no"
    ),
    deadline: str | None = option(
        "--deadline TIME", "Limit for the slowest decision, such as 1ms.", None
    ),
    energy: str | None = option(
        "--energy ENERGY", "Limit for the dynamic energy of a mean decision, such as 20uJ.", None
    ),
    ram: str | None = option("--ram SIZE", "Limit for static data and stack, such as 8KiB.", None),
    flash: str | None = option("--flash SIZE", "Limit for instructions, such as 16KiB.", None),
) -> CommandOutput:
    """Rank learners under limits, with intervals.

    Costs come from fitted latency models, regret from paired runs.
    """
    from gnomon.explore.learners import limit_of, rank
    from gnomon.report.sweep_text import print_ranking

    given = {
        "slowest_cycles": ("--deadline", deadline),
        "energy_uj": ("--energy", energy),
        "ram_bytes": ("--ram", ram),
        "flash_bytes": ("--flash", flash),
    }
    limits = {
        quantity: limit
        for quantity, (word, text) in given.items()
        if (limit := limit_of(word, text, quantity)) is not None
    }
    found = rank(arch, d, arms, limits, drift=drift == "yes")
    head = {"arch": found.machine, "d": d, "arms": arms, "drift": drift == "yes"}
    shown = {("slowest_us" if name == "slowest_cycles" else name): x for name, x in limits.items()}
    answer = {
        **head, "limits": shown, "note": found.note, "energy": found.energy,
        "not_ranked": found.unmeasured,
        "learners": [each.to_json() for each in found.candidates],
    }  # fmt: skip
    yield answer, partial(print_ranking, found, d, arms)
