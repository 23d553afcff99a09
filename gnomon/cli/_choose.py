"""``gnomon choose``: which learner on which device."""

from functools import partial
from typing import Literal

from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import option


@answers(2)
def choose(
    *,
    arch: str = option("--arch", "A machine of the T13 family, by its name.", "t13-simd4"),
    d: int = option("--d D", "Features of a context.", 8),
    arms: int = option("--arms N", "Number of arms.", 8),
    drift: Literal["yes", "no"] = option(
        "--drift", "Whether what arms give changes with time.", "no"
    ),
    deadline: str | None = option("--deadline TIME", "Of the slowest decision, such as 1ms.", None),
    energy: str | None = option(
        "--energy ENERGY", "Of a mean decision, dynamic, such as 20uJ.", None
    ),
    ram: str | None = option("--ram SIZE", "For static data and stack, such as 8KiB.", None),
    flash: str | None = option("--flash SIZE", "For instructions, such as 16KiB.", None),
) -> Answer:
    """Rank learners within limits: costs by fitted laws, regret by paired runs, with intervals."""
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
    said = {("slowest_us" if name == "slowest_cycles" else name): x for name, x in limits.items()}
    told = {
        **head, "limits": said, "note": found.note, "energy": found.energy,
        "not_ranked": found.unmeasured,
        "learners": [each.to_json() for each in found.candidates],
    }  # fmt: skip
    yield told, partial(print_ranking, found, d, arms)
