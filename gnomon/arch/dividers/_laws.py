"""The forms of divider latency: engine cycles as a :class:`~gnomon.arch.operands.LatencyModel`.

Operands are magnitudes. The forms ``fixed``, ``divisor-clz`` and ``table`` hold for 32-bit
dividends only. An *engine cycle* counts from the first cycle with the operands to the one that
shows the result, one load cycle included. Sources: see ``models/dividers/laws.yaml``.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from gnomon.arch._steps import ANY_SKIP
from gnomon.arch.operands import PROPERTIES, WORD_BITS, LatencyModel


class Law(NamedTuple):
    """A form of latency models.

    ``keys`` of the divider are its parameters. ``cycles`` gives the engine cycles for a number of
    property ``by`` and these parameters. ``limits``: parameters of the property; None if the keys
    are these.
    """

    meaning: str
    keys: tuple[str, ...]
    by: str
    cycles: Callable[..., int]
    limits: tuple[int, int] | None = (0, 0)

    def model(
        self, parameters: Sequence[int], source: str, bounds: tuple[int, int]
    ) -> LatencyModel:
        """Return the latency model with these parameters."""
        if self.limits is None:
            first, second = parameters
            limits, parameters = (first, second), ()
        else:
            limits = self.limits
        numbers = range(PROPERTIES[self.by].size)
        cycles = tuple(self.cycles(number, *parameters) for number in numbers)
        return LatencyModel(self.by, cycles, limits, source=source, bounds=bounds)


def _two_and_steps(steps: int) -> int:
    return 2 + steps


LAWS: Final[dict[str, Law]] = {
    "fixed": Law("`cycles`, whatever the operands", ("cycles",), "none", lambda _, cycles: cycles),
    "digits": Law(
        "a step per `bits_per_cycle` quotient bits, and `overhead_cycles`",
        ("bits_per_cycle", "overhead_cycles"), "width-bits",
        lambda bits, per_cycle, overhead: -(-bits // per_cycle) + overhead,
    ),
    "early-clz": Law(
        "1, and a step per `bits_per_cycle` bits that the quotient can have", ("bits_per_cycle",),
        "quotient-bits", lambda bits, per_cycle: 1 - -bits // per_cycle,
    ),
    "divisor-clz": Law(
        "`overhead_cycles`, and the leading zeros of the divisor", ("overhead_cycles",),
        "rs2-bits", lambda bits, overhead: overhead + WORD_BITS - bits,
    ),
    "vl-std": Law(
        "2, and a step per quotient bit that is not known to be zero", (), "skip-steps",
        _two_and_steps, (0, ANY_SKIP),
    ),
    "vl-hf": Law(
        "2, and the same steps, but a skip of zeros takes one of its own", (),
        "high-frequency-steps", _two_and_steps,
    ),
    "vl-ls": Law(
        "2, and the same steps, with skips from `least_skip` to `most_skip` bits only",
        ("least_skip", "most_skip"), "skip-steps", _two_and_steps, None,
    ),
    "vl-hp": Law(
        "2, and a step per one in the quotient, and one if it ends in zero", (),
        "high-performance-steps", _two_and_steps,
    ),
    "table": Law("those of the `divider_table` of the machine", (), "both-bits", lambda _: 0),
}  # fmt: skip
"""By name, as ``models/dividers/laws.yaml`` spells them."""
