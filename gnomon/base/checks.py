"""A named property that something must have, such as one check of the contract of learners."""

from collections.abc import Callable
from dataclasses import dataclass, field

from gnomon.base.errors import CheckFailed


@dataclass(frozen=True, slots=True)
class Check:
    """One check of one thing.

    ``run``: raises :class:`gnomon.base.errors.CheckFailed` where it does not hold.
    """

    of: str  # what is checked, such as `ares/standard`
    name: str  # of the property
    run: Callable[[], object] = field(repr=False)
    waived: str = ""  # why it need not hold; empty where it must


def expect(holds: object, otherwise: str) -> None:
    """Hold a part of a check.

    Raises:
        CheckFailed: it does not hold; says what was found instead.
    """
    if not holds:
        raise CheckFailed(otherwise)
