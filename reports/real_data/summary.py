"""Tables of the study, and the orders that it claims."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.frames import across, frame
from gnomon.base.interval import Interval
from gnomon.content.reports.learners.orders import LEVEL, holm, sign_flips
from gnomon.content.reports.learners.points import mean_of

from .playing import Cost, Played
from .sets import DataSet

ARITHMETICS = ("fixed", "float64")


@dataclass(frozen=True, slots=True)
class Result:
    """All learners on one data set."""

    data: DataSet
    played: dict[str, Played]
    costs: dict[str, tuple[Cost, ...]]


def orders(results: Sequence[Result]) -> pd.DataFrame:
    """Test all pairs of learners of a data set, and each learner in its two arithmetics.

    Paired differences of the same orderings get random signs (Fisher's test). p is corrected by
    Holm over all rows. ``claimed``: the order is significant.
    """
    rows: list[tuple[str, str, str, Any]] = []
    for result in results:
        name = result.data.name
        for one, two in combinations(result.played, 2):
            regrets = [result.played[each].regrets("fixed") for each in (one, two)]
            rows.append((name, *_ordered((one, two), regrets)))
        for learner, played in result.played.items():
            regrets = [played.regrets(each) for each in ARITHMETICS]
            rows.append((name, *_ordered([f"{learner} {each}" for each in ARITHMETICS], regrets)))
    corrected = holm([sign_flips(differences) for *_, differences in rows]).tolist()
    return pd.DataFrame(
        {"data": name, "better": better, "worse": worse, "less": float(differences.mean()),
         "p": p, "claimed": "yes" if p <= LEVEL else "no"}
        for (name, better, worse, differences), p in zip(rows, corrected, strict=True)
    )  # fmt: skip


def _ordered(names: Sequence[str], regrets: Sequence[Any]) -> tuple[str, str, Any]:
    """Return the name of less mean regret, the other one, and what the other has more."""
    first, second = regrets
    if first.mean() <= second.mean():
        return names[0], names[1], second - first
    return names[1], names[0], first - second


DATA_COLUMNS = ("data", "kind", "source", "rows", "features", "d", "arms", "left_out", "digest")


def data(results: Sequence[Result]) -> Iterator[tuple[Any, ...]]:
    for each in results:
        of, table = each.data, each.data.table
        yield (of.name, of.kind, of.source, len(table.contexts), table.given_features,
               table.contexts.shape[1], len(table.arms), sum(map(len, table.left_out)),
               table.digest)  # fmt: skip


LEFT_OUT_COLUMNS = ("data", "reason", "what", "parts_of_reason")


def left_out(results: Sequence[Result]) -> Iterator[tuple[str, str, str, int]]:
    for each in results:
        for part in each.data.table.left_out:
            yield from ((each.data.name, part.reason, name, len(part)) for name in part.names)


def left_out_summary(results: Sequence[Result]) -> list[str]:
    return [
        f"{each.data.title}: {len(part):,} {part.reason}"
        for each in results
        for part in each.data.table.left_out
    ]


SETTING_COLUMNS = ("data", "learner", "setting", "regret", "chosen")


def settings(results: Sequence[Result]) -> Iterator[tuple[Any, ...]]:
    for each in results:
        for learner, played in each.played.items():
            for setting, regret in played.trials:
                chosen = "yes" if setting == played.setting else "no"
                yield each.data.name, learner, setting, f"{regret:.4f}", chosen


REGRET_COLUMNS = (
    "data", "learner", "arithmetic", "setting", "reward", "reward_low", "reward_high", "regret",
    "regret_low", "regret_high",
)  # fmt: skip


def regrets(results: Sequence[Result]) -> Iterator[tuple[Any, ...]]:
    for each in results:
        for learner, played in each.played.items():
            for arithmetic in ARITHMETICS:
                reward = mean_of(played.rewards(arithmetic).tolist())
                regret = mean_of(played.regrets(arithmetic).tolist())
                yield (each.data.name, learner, arithmetic, played.setting, *_three(reward),
                       *_three(regret))  # fmt: skip


def _three(value: Interval) -> tuple[str, str, str]:
    low, high = f"{value.low:.4f}", f"{value.high:.4f}"
    return f"{value.value:.4f}", low, high


def _half(value: Interval) -> str:
    return f"{value.value:.3f} ± {value.high - value.value:.3f}"


def rewards(results: Sequence[Result]) -> pd.DataFrame:
    """Return mean reward of each learner in fixed point, and of two references, by data set."""
    rows = []
    for each in results:
        first = next(iter(each.played.values()))
        rows.append(("best arm of each row", each.data.title, f"{np.mean(first.best):.3f}"))
        rows += [
            (learner, each.data.title, _half(mean_of(played.rewards("fixed").tolist())))
            for learner, played in each.played.items()
        ]
        rows.append(("uniformly at random", each.data.title, f"{np.mean(first.uniform):.3f}"))
    return across(frame(("learner", "data", "shown"), rows), "learner", "data", "shown")


def regret_of_learners(results: Sequence[Result], tested: pd.DataFrame) -> pd.DataFrame:
    """Return regret in fixed point by data set; learners that none beats are bold."""
    beaten = {(row["data"], row["worse"]) for row in tested.to_dict("records")
              if row["claimed"] == "yes"}  # fmt: skip
    rows = []
    for each in results:
        for learner, played in each.played.items():
            shown = _half(mean_of(played.regrets("fixed").tolist()))
            best = (each.data.name, learner) not in beaten
            rows.append((learner, each.data.title, f"**{shown}**" if best else shown))
    return across(frame(("learner", "data", "shown"), rows), "learner", "data", "shown")


def claims(results: Sequence[Result], tested: pd.DataFrame) -> list[dict[str, Any]]:
    """Return, by data set, the claimed orders of learners: the better one and all it beats."""
    found = []
    for each in results:
        own = tested[(tested["data"] == each.data.name) & (tested["claimed"] == "yes")]
        beats = [
            (learner, [str(worse) for worse in own[own["better"] == learner]["worse"]])
            for learner in each.played
        ]
        found.append({"title": each.data.title, "kind": each.data.kind,
                      "beats": [(one, others) for one, others in beats if others]})  # fmt: skip
    return found


def arithmetic(tested: pd.DataFrame) -> dict[str, Any]:
    """Return the pairs of arithmetics: number, claimed ones by the better arithmetic, largest."""
    own = tested[[str(name).endswith(ARITHMETICS) for name in tested["better"]]]
    claimed = own[own["claimed"] == "yes"]
    return {
        "pairs": len(own),
        "largest": float(own["less"].max()),
        "claimed": [
            f"{row['better']} on {row['data']} ({row['less']:.4f} less)"
            for row in claimed.to_dict("records")
        ],
    }


def ends(results: Sequence[Result]) -> list[str]:
    return [
        f"{learner} on {each.data.name} ({played.setting})"
        for each in results
        for learner, played in each.played.items()
        if played.at_end
    ]


COST_COLUMNS = (
    "data", "learner", "variant", "machine", "select_cycles", "update_cycles", "decision_cycles",
    "slowest_cycles", "energy_uj", "energy_low_uj", "energy_high_uj", "model_bytes", "refused",
)  # fmt: skip


def costs(results: Sequence[Result]) -> Iterator[tuple[Any, ...]]:
    for result in results:
        for learner, found in result.costs.items():
            for each in found:
                head = (result.data.name, learner, each.variant, each.machine)
                if each.refused:
                    yield (*head, *[""] * 8, each.refused)
                    continue
                cycles = each.select_cycles, each.update_cycles
                uj = each.energy_uj
                energy = (uj.value, uj.low, uj.high) if uj else (None, None, None)
                yield (*head, *(f"{value:.1f}" for value in (*cycles, sum(cycles))),
                       each.slowest_cycles, *("" if of is None else f"{of:.4g}" for of in energy),
                       each.model_bytes, each.energy_reason)  # fmt: skip


def cost_of_learners(results: Sequence[Result]) -> pd.DataFrame:
    """Return cycles and µJ of the cheapest variant on each machine, a column per data set."""
    rows = []
    for result in results:
        for learner, found in result.costs.items():
            for machine in dict.fromkeys(each.machine for each in found):
                own = [each for each in found if each.machine == machine and not each.refused]
                if not own:
                    continue
                best = min(own, key=lambda each: each.select_cycles + each.update_cycles)
                cycles = best.select_cycles + best.update_cycles
                energy = f"{best.energy_uj.value:.3g} µJ" if best.energy_uj else "–"  # noqa: RUF001
                vector = " v" if best.variant.endswith("vector") else ""
                rows.append((f"{learner}, {machine}", result.data.title,
                             f"{cycles:,.0f}, {energy}{vector}"))  # fmt: skip
    shown = across(frame(("case", "data", "shown"), rows), "case", "data", "shown")
    return shown.rename(columns={"case": "learner, machine"})


def refused(results: Sequence[Result]) -> list[str]:
    reasons = (each.refused for result in results for of in result.costs.values() for each in of)
    return sorted({reason for reason in reasons if reason})
