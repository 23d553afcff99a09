"""Open Bandit Dataset (ZOZOTOWN, 2019): ``CAMPAIGN.csv`` with ``item_context.csv`` next to it.

One recommendation a row: time, item, place on the page (1 to 3), click, the probability with which
the site's policy showed that item there, hashed features of the user, and one affinity for each
item. Every item of the campaign could have been shown. The affinities are not used, as in the
baselines of the data set's own pipeline.

Source: Saito et al., Open Bandit Dataset and Pipeline (2020), and the description next to the data.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cached_property, partial
from math import isnan
from pathlib import Path

from gnomon.base.errors import GnomonError
from gnomon.learn.logged._log import ClickLog, Features, Visit, VisitLines, click_of
from gnomon.learn.rows import NOT_ENDED, Malformed, csv_header, csv_lines, number_of

ITEMS = "item_context.csv"
POSITIONS = ("1", "2", "3")
_NEEDED = ("timestamp", "item_id", "position", "click", "propensity_score")
_USER = "user_feature_"
_ITEM = "item_feature_"


class OpenBanditLog(ClickLog):
    """Log of one campaign and one policy.

    Args:
        path: ``CAMPAIGN.csv``, optionally compressed by gzip.
        skip_malformed: whether to skip and count malformed rows.
    """

    def __init__(self, path: Path, *, skip_malformed: bool = False) -> None:
        super().__init__((path,), skip_malformed=skip_malformed)

    @cached_property
    def arm_features(self) -> Mapping[str, Features]:
        """Features of each item: a number under its name, a hash as ``name=hash`` with 1."""
        path = self.files[0].parent / ITEMS
        with closing(csv_lines(path, "click log")) as rows:
            header = csv_header(path, rows, ("item_id",))
            item_at = header.index("item_id")
            columns = [(i, name) for i, name in enumerate(header) if name.startswith(_ITEM)]
            items: dict[str, Features] = {}
            for number, row, ended in rows:
                where = f"{path}:{number}"
                if not ended:
                    raise GnomonError(f"{where}: {NOT_ENDED}")
                if len(row) != len(header):
                    raise GnomonError(f"{where}: must have {len(header)} columns, not {len(row)}")
                if not row[item_at].isprintable():
                    raise GnomonError(
                        f"{where}: an item has a name of printable characters,"
                        f" not {row[item_at]!r:.60}"
                    )
                if row[item_at] in items:
                    raise GnomonError(f"{where}: item {row[item_at]!r} is there twice")
                items[row[item_at]] = tuple(_item_feature(name, row[i]) for i, name in columns)
        if not items:
            raise GnomonError(f"{path}: holds no item")
        return items

    def _lines(self, path: Path) -> VisitLines:
        pool = tuple(self.arm_features)
        known = frozenset(pool)
        with closing(csv_lines(path, "click log")) as rows:
            header = csv_header(path, rows, _NEEDED)
            at = [header.index(name) for name in _NEEDED[1:]]
            users = [(i, name) for i, name in enumerate(header) if name.startswith(_USER)]

            def visit(row: Sequence[str], ended: bool) -> Visit:
                if not ended:  # its last value may have been longer
                    raise Malformed(NOT_ENDED)
                if len(row) != len(header):
                    raise Malformed(f"must have {len(header)} columns, not {len(row)}")
                item, position, click, propensity = (row[i] for i in at)
                if item not in known:
                    raise Malformed(f"item {item!r} is not in {ITEMS}")
                if position not in POSITIONS:
                    raise Malformed(f"a position is {', '.join(POSITIONS)}, not {position!r}")
                user = [(f"position={position}", 1.0)]
                user += [(f"{name}={row[i]}", 1.0) for i, name in users]
                clicked, share = click_of(click), number_of(propensity)
                if not 0.0 < share <= 1.0:
                    raise Malformed(f"a propensity is above 0, up to 1, not {propensity!r}")
                return Visit(item, clicked, share, tuple(user), pool)

            for number, row, ended in rows:
                yield number, partial(visit, row, ended)


def _item_feature(name: str, word: str) -> tuple[str, float]:
    number = number_of(word)
    return (f"{name}={word}", 1.0) if isnan(number) else (name, number)
