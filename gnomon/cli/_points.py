"""Points of the parameters of units, as arguments of commands."""

import re
from collections.abc import Iterable
from itertools import product
from typing import Final

from gnomon.base.errors import GnomonError

_WHOLE: Final = re.compile(r" *-?[0-9]{1,10} *")


def parse_points(texts: Iterable[str]) -> list[dict[str, int]]:
    """Return all combinations of the values of some parameters.

    Raises:
        GnomonError: if a text is not PARAMETER=VALUE[,VALUE]...
    """
    values: dict[str, dict[int, None]] = {}
    for text in texts:
        key, _, given = text.partition("=")
        numbers = given.split(",")
        if not all(_WHOLE.fullmatch(each) for each in numbers):
            raise GnomonError(f"{text!r}: write PARAMETER=VALUE, such as stages=2 or stages=1,2,4")
        values.setdefault(key.strip(), {}).update(dict.fromkeys(map(int, numbers)))
    return [dict(zip(values, point, strict=True)) for point in product(*values.values())]
