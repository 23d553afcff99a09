"""``gnomon choose``: rank learners for a device."""

from functools import partial
from typing import Literal

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import option
from gnomon.cli._view import Html

Law = Literal["zero-mean", "uniform", "correlated", "one-hot", "state"]


@with_json_output(2)
def choose(
    *,
    arch: str = option("--arch", "Name of a machine of the T13 family.", "t13-simd4"),
    d: int = option("--d D", "Features of a context.", 8),
    arms: int = option("--arms N", "Number of arms.", 8),
    horizon: int = option("--horizon N", "Rounds; with --regret, the most rounds.", 10_000),
    regret: float | None = option(
        "--regret R",
        "Relative regret to reach with the least energy over the chance to reach it; by default,"
        " learners are ranked by regret at the horizon.",
        None,
    ),
    noise: float = option(
        "--noise S",
        "Standard deviation of the noise on a reward, relative to that of expected rewards.",
        0.1,
    ),
    drift: Literal["yes", "no"] = option(
        "--drift", "Whether rewards follow a hidden state, which contexts observe.", "no"
    ),
    rate: float = option(
        "--rate R", "Share of the weights of arms that is replaced per round.", 0.0
    ),
    contexts: Law | None = option(
        "--contexts", "Distribution of contexts.", None, shown="zero-mean; state with --drift yes"
    ),
    shared: Literal["yes", "no"] = option(
        "--shared", "Whether arms share weights through their features.", "no"
    ),
    context_blind: bool = option(
        "--context-blind", "Also rank learners that read no context.", False
    ),
    decisions_per_day: float | None = option(
        "--decisions-per-day N", "Decisions per day, for energy per day and days.", None
    ),
    power: str | None = option(
        "--power TABLE", "Power table by name or path; by default, that of the machine.", None
    ),
    deadline: str | None = option(
        "--deadline TIME", "Limit for the slowest decision, such as 1ms.", None
    ),
    energy: str | None = option(
        "--energy ENERGY", "Limit for the dynamic energy of a mean decision, such as 20uJ.", None
    ),
    ram: str | None = option("--ram SIZE", "Limit for static data and stack, such as 8KiB.", None),
    flash: str | None = option("--flash SIZE", "Limit for instructions, such as 16KiB.", None),
    html: Html = None,
) -> CommandOutput:
    """Rank learners under limits, with intervals.

    Costs, event counts and regret come from laws fitted to measured cells. Nothing is ranked where
    no cell was measured near.
    """
    from gnomon.explore.learner_costs import limit_of
    from gnomon.explore.learners import rank
    from gnomon.explore.regret_law import STATE, Conditions
    from gnomon.report.ranking_text import check_rate_of_decisions, print_ranking

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
    check_rate_of_decisions(decisions_per_day)
    law = contexts or (STATE if drift == "yes" else "zero-mean")
    if drift == "yes" and law != STATE:
        from gnomon.base.errors import GnomonError

        raise GnomonError(
            f"--drift yes has contexts that observe a hidden state, not --contexts {law}; --rate"
            " lets the weights of arms drift under any contexts"
        )
    at = Conditions(d, arms, horizon, noise, rate, law, shared == "yes")
    found = rank(arch, at, limits, target=regret, context_blind=context_blind, power=power)
    shown = {("slowest_us" if name == "slowest_cycles" else name): x for name, x in limits.items()}
    answer = {
        "arch": found.machine, **at.to_json(), "drift": law == STATE, "target": regret,
        "decisions_per_day": decisions_per_day,
        "limits": shown, "note": found.note, "energy": found.energy,
        "not_ranked": list(found.unmeasured), "not_ranked_because": found.unmeasured,
        "second_choice": found.second.name if found.second else None,
        "learners": [
            each.to_json() | {"differs_from_first": each.differs_from(found.candidates[0])}
            for each in found.candidates
        ],
    }  # fmt: skip
    yield answer, partial(print_ranking, found, decisions_per_day)
    if html is not None:
        from gnomon.base.files import write_file
        from gnomon.report.ranking_page import ranking_page

        write_file(html, ranking_page(found, limits, decisions_per_day))
