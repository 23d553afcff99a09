"""Origin of the limit of each criterion, and the deviation of a result that it detects."""

import re
from collections.abc import Sequence

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.tables import CsvRow, read_csv_table
from gnomon.report.criteria import CriteriaChecker, Stated

STUDIES = {
    "softucb": "criteria.csv",
    "ares": "criteria.csv",
    "ek_ucb": "ek-ucb-criteria.csv",
    "bento_epsilon_greedy": "bento-epsilon-greedy-criteria.csv",
}
"""Studies with stated criteria, and what was found."""

LOOSE = 10
"""A limit that so many times what was found does not reach."""

POWER = ("study", "criterion", "measured", "rows", "limit from", "catches", "factor")


def criteria_power() -> list[tuple[object, ...]]:
    """Return one row for each criterion that the committed tables have, see ``POWER``.

    Raises:
        GnomonError: if a committed row is of no stated criterion.
    """
    return [row for study in STUDIES for row in _of_study(study)]


def _of_study(study: str) -> list[tuple[object, ...]]:
    folder = content("reports", study)
    left = list(read_csv_table(folder / STUDIES[study]))
    found: list[tuple[object, ...]] = []
    for key, stated in CriteriaChecker(folder / "criteria.yaml").stated.items():
        own = [row for row in left if _is_of(row, key, stated)]
        if own:
            left = [row for row in left if row not in own]
            catches, factor = _power(stated, own)
            found.append((study, stated.name or key.removesuffix("{}").rstrip(", "),
                          re.sub(r"\{[^}]*\}", "…", stated.what), len(own), stated.source, catches,
                          factor))  # fmt: skip
    if left:
        raise GnomonError(f"{left[0].origin}: no criterion of criteria.yaml is called so")
    return found


def _is_of(row: CsvRow, key: str, stated: Stated) -> bool:
    def fits(pattern: str, text: str) -> bool:
        parts = re.split(r"\{[^}]*\}", pattern)
        return re.fullmatch(".*".join(map(re.escape, parts)), text) is not None

    what = row.values.get("measured") or row.values.get("quantity", "")
    return fits(stated.name or key, row.values["criterion"]) and fits(stated.what, what)


def _power(stated: Stated, rows: Sequence[CsvRow]) -> tuple[str, float]:
    """Return the text, and the factor on the result at which the nearest row would be missed.

    For a missed criterion, the factor by which the furthest row misses it. NaN if the result or
    the limit is 0 or text.
    """
    if stated.catches:
        return stated.catches, float("nan")
    factors: list[float] = []
    missed: list[float] = []
    words: set[str] = set()
    for row in rows:
        low, high = _limits(row.values["limit"])
        for text in (row.values.get("value") or row.values["found"]).split(" to "):
            value = float(text)
            for limit, word, is_out in (
                (low, "below", low is not None and value < low),
                (high, "above", high is not None and value > high),
            ):
                if limit is None:
                    continue
                if value <= 0 or limit <= 0:
                    words.add(f"{'missed: ' if is_out else ''}any {word} {limit:g}")
                else:
                    (missed if is_out else factors).append(limit / value)
    if missed:
        furthest = max(missed, key=_distance)
        return f"missed; would be met at {furthest:.3g} times the result", furthest
    if not factors:
        return ", ".join(sorted(words)), float("nan")
    nearest = min(factors, key=_distance)
    return (f"{nearest:.3g} times the result" if nearest != 1 else "any change"), nearest


def _distance(factor: float) -> float:
    return max(factor, 1 / factor)


def _limits(text: str) -> tuple[float | None, float | None]:
    for words, place in (("at least ", 0), ("at most ", 1)):
        if text.startswith(words):
            number = float(text.removeprefix(words))
            return (number, None) if place == 0 else (None, number)
    low, _, high = text.partition(" to ")
    return float(low), float(high or low)
