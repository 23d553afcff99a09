"""Yahoo! Front Page Today Module user click logs: R6A (ten days of 2009) and R6B (2011).

One visit per line: time, article shown, click, then the user and the pool of articles, each after a
bar. In R6A users and articles have six features with values. In R6B users have up to 136 features
without values, and articles have none. The article shown was sampled uniformly from the pool:

    1241160900 109513 0 |user 2:0.000012 [...] 1:1.000000 |109498 2:0.306008 [...] |109513 [...]
    1317513291 id-560620 0 |user 1 9 11 13 |id-552077 |id-555224 |id-560620

Source: the descriptions that come with the data sets, ydata-fp-td-clicks-v1_0 and -v2_0.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import lru_cache, partial
from math import isnan
from pathlib import Path
from typing import Literal, TypeAlias

from gnomon.learn.logged._log import ClickLog, Features, Visit, VisitLines, click_of
from gnomon.learn.rows import NOT_ENDED, Malformed, number_of, text_lines

Version: TypeAlias = Literal["r6a", "r6b"]

Articles: TypeAlias = "tuple[tuple[str, Features], ...]"

_POOLS_KEPT = 4096
_OF_R6A = frozenset("123456")  # features of each user and article
_MOST_OF_R6B = 136


class YahooLog(ClickLog):
    """Log in the format of R6A or R6B.

    Args:
        files: in the order of time, optionally compressed by gzip.
        version: the format.
        skip_malformed: whether to skip and count malformed lines.
    """

    def __init__(
        self, files: Iterable[Path], version: Version, *, skip_malformed: bool = False
    ) -> None:
        super().__init__(files, skip_malformed=skip_malformed)
        self.version = version
        self._arm_features: dict[str, Features] = {}

    @property
    def arm_features(self) -> Mapping[str, Features]:
        """Features of each article, from the first line with it; empty for R6B."""
        return self._arm_features if self.version == "r6a" else {}

    def _lines(self, path: Path) -> VisitLines:
        with closing(text_lines(path, "click log")) as lines:
            for number, line in enumerate(lines, start=1):
                yield number, partial(self._visit, line)

    def _visit(self, line: str) -> Visit:
        if not line.endswith(("\n", "\r")):  # its pool may have been longer
            raise Malformed(NOT_ENDED)
        visit, articles = parse_visit(line, self.version)
        for article, features in articles:
            self._arm_features.setdefault(article, features)
        return visit


def parse_visit(line: str, version: Version) -> tuple[Visit, Articles]:
    """Read one line.

    Returns:
        The visit, and the articles of its pool with their features.

    Raises:
        Malformed: if the line does not match this version.
    """
    head, mark, rest = line.rstrip("\r\n").partition(" |user")
    words = head.split(" ")
    if not mark or len(words) != 3:
        raise Malformed(
            f"must be a time, the article shown, a click and then |user, not {line.strip()!r:.60}"
        )
    if not (words[0].isascii() and words[0].isdigit()):
        raise Malformed(f"a time is a number of seconds, not {words[0]!r}")
    of_user, _, tail = rest.partition("|")
    valued = version == "r6a"
    user = _features(of_user.split(), "the user", valued=valued)
    pool, articles = _articles(tail.rstrip(" "), valued=valued)
    if words[1] not in pool:
        raise Malformed(f"the article shown, {words[1]!r}, is not in the pool")
    return Visit(words[1], click_of(words[2]), 1.0 / len(pool), user, pool), articles


@lru_cache(maxsize=_POOLS_KEPT)  # a pool remains for thousands of lines
def _articles(tail: str, *, valued: bool) -> tuple[tuple[str, ...], Articles]:
    if not tail:
        raise Malformed("no pool of articles follows the user")
    articles: dict[str, Features] = {}
    for part in tail.split("|"):
        words = part.split()
        if not words:
            raise Malformed("no article follows a bar")
        if not words[0].isprintable():
            raise Malformed(f"an article has a name of printable characters, not {words[0]!r:.60}")
        if words[0] in articles:
            raise Malformed(f"article {words[0]!r} is in the pool twice")
        if words[1:] and not valued:
            raise Malformed(f"article {words[0]!r} has features, but articles of R6B have none")
        articles[words[0]] = _features(words[1:], f"article {words[0]!r}", valued=valued)
    return tuple(articles), tuple(articles.items())


def _features(words: list[str], whose: str, *, valued: bool) -> Features:
    found: dict[str, float] = {}
    for word in words:
        name, colon, text = word.partition(":")
        if not (name.isascii() and name.isdigit() and bool(colon) == valued):
            form = "index:value" if valued else "an index"
            raise Malformed(f"a feature is {form}, not {word!r}")
        if name in found:
            raise Malformed(f"feature {name} occurs twice")
        found[name] = number_of(text) if valued else 1.0
        if isnan(found[name]):
            raise Malformed(f"the value of a feature is a finite number, not {word!r}")
    if valued and found.keys() != _OF_R6A:
        odd = sorted(found.keys() ^ _OF_R6A, key=lambda name: (len(name), name))
        shown = ", ".join(odd)
        raise Malformed(f"{whose} must have exactly the features 1 to 6; differing: {shown:.60}")
    if not valued and (odd := [name for name in found if not 1 <= int(name[:9]) <= _MOST_OF_R6B]):
        raise Malformed(f"{whose} has feature {odd[0]:.60}, but they are 1 to {_MOST_OF_R6B}")
    return tuple(found.items())
