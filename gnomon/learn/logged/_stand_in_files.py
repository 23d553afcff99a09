"""Stand-ins as files, in the very formats that the readers read."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from gnomon.base.files import writing
from gnomon.learn.logged._open_bandit_log import ITEMS as ITEM_FILE
from gnomon.learn.logged._stand_in import OpenBanditStandIn, YahooR6aStandIn

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn.logged._stand_in import StandIn
    from gnomon.learn.logged._visit import Features

_FIRST_VISIT = {"yahoo-r6a": 1_241_160_900, "yahoo-r6b": 1_317_513_291}
_YAHOO_FILE = {
    "yahoo-r6a": "ydata-fp-td-clicks-v1_0.20090501.gz",
    "yahoo-r6b": "ydata-fp-td-clicks-v2_0.20111002.gz",
}
_FIRST_RECOMMENDATION = datetime(2019, 11, 24, tzinfo=UTC)


def write_stand_in(stand_in: StandIn, folder: Path) -> Path:
    """Write a log into a folder, and what belongs beside it.

    Returns:
        What ``open_log`` takes: the file.

    Raises:
        GnomonError: a file cannot be written.
    """
    if isinstance(stand_in, OpenBanditStandIn):
        return _write_open_bandit(stand_in, folder)
    path = folder / _YAHOO_FILE[stand_in.log_format]
    features = stand_in.article_features if isinstance(stand_in, YahooR6aStandIn) else {}
    time = _FIRST_VISIT[stand_in.log_format]
    with writing(path) as file:
        for at, visit in enumerate(stand_in.visits()):
            pool = " ".join(f"|{arm}{_yahoo(features.get(arm, ()))}" for arm in visit.pool)
            user = _yahoo(visit.user, valued=bool(features))
            line = f"{time + at} {visit.arm} {visit.click} |user{user} {pool}\n"
            file.write(line.encode())
    return path


def _yahoo(features: Features, *, valued: bool = True) -> str:
    return "".join(f" {name}:{value:.6f}" if valued else f" {name}" for name, value in features)


def _write_open_bandit(stand_in: OpenBanditStandIn, folder: Path) -> Path:
    columns = [name.partition("=")[0] for name, _ in stand_in.item_features["0"]]
    with writing(folder / ITEM_FILE) as file:
        file.write(_row(["", "item_id", *columns]))
        for number, (item, features) in enumerate(stand_in.item_features.items()):
            cells = [name.partition("=")[2] or repr(value) for name, value in features]
            file.write(_row([str(number), item, *cells]))
    users = [f"user_feature_{number}" for number in range(4)]
    affinities = [f"user-item_affinity_{item}" for item in stand_in.items]
    path = folder / "men.csv"
    with writing(path) as file:
        file.write(
            _row(["", "timestamp", "item_id", "position", "click", "propensity_score", *users,
                  *affinities])
        )  # fmt: skip
        for number, visit in enumerate(stand_in.visits()):
            position, *values = (name.partition("=")[2] for name, _ in visit.user)
            time = (_FIRST_RECOMMENDATION + timedelta(seconds=number)).isoformat(sep=" ")
            cells = [str(number), time, visit.arm, position, str(visit.click)]
            file.write(_row([*cells, repr(visit.propensity), *values, *["0.0"] * len(affinities)]))
    return path


def _row(cells: list[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()
