"""Fetch queue and branch predictor of an in-order core.

docs/method/fetch.md gives the rules.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from gnomon.arch._rules import check_mnemonics
from gnomon.base.schema import Section, key, names_tuple, none_word

LATER = {"interval": 1, "redirect": 0, "restarts": []}
"""Later keys of a queue, with the values that have no effect."""

_MOST_ENTRIES = 64
_JUMPS = ("jal", "jalr", "beq", "bne", "blt", "bge", "bltu", "bgeu")
_RETURNS = "return address stacks are not modeled: a jalr costs core.latency.jump"


class Fetch(Section):
    """A queue of words between instruction memory and decode; a mapping."""

    queue: int = key(
        "words that are requested or wait in front of decode", unit="words", ge=1, le=8
    )
    latency: int = key(
        "cycles from the acceptance of a request until its instruction can issue, without wait "
        "states",
        unit="cycles",
        default=2,
        ge=1,
        le=8,
    )
    interval: int = key(
        "cycles from the acceptance of a request until that of another, without wait states",
        unit="cycles", default=1, ge=1, le=8,
    )  # fmt: skip
    redirect: int = key(
        "further cycles until the request of a target is accepted", unit="cycles", default=0, ge=0,
        le=8,
    )  # fmt: skip
    port: Literal["separate", "shared"] = key(
        "shared = loads and stores use the port of the instructions; they go "
        "before a word that does not have the address bus yet",
        default="separate",
    )

    @field_validator("port")
    @classmethod
    def _has_no_delay(cls, port: str, info: ValidationInfo) -> str:
        if port == "shared" and info.data.get("redirect"):
            raise ValueError("must be separate with redirect: which access goes first in its "
                             "cycles is unavailable")  # fmt: skip
        return port

    takes: Literal["words", "instructions"] = key(
        "with compressed instructions: words = a word leaves the queue when decode, which holds "
        "three halfwords, has room for it; instructions = with the last instruction that begins "
        "or ends in it",
        default="words",
    )
    memory_stage: bool = key(
        "wait states of a load or store begin after it has left decode: the next instruction is "
        "in decode, and a jump requests its target, before they end",
        default=False,
    )
    restarts: Annotated[tuple[str, ...], BeforeValidator(names_tuple)] = key(
        "instructions after which the fetch restarts as after a jump: the next word is requested "
        "in their last execute cycle",
        default=(),
        allowed="a list of mnemonics, without jumps and branches",
    )

    @field_validator("restarts")
    @classmethod
    def _do_not_jump(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in check_mnemonics(names):
            if name in _JUMPS:
                raise ValueError(f"must not name {name}: it jumps, or is predicted")
        return names


class Predictor(Section):
    """Prediction of branches; a mapping."""

    rejected: ClassVar[dict[str, str]] = dict.fromkeys(
        ("returns", "return_stack", "return-stack", "ras"), _RETURNS
    )

    kind: Literal["static", "one-entry", "table"] = key(
        "static = backward branches are taken; one-entry = pc and target of the last backward "
        "branch that was taken without being predicted, until it is not taken, a trap, or fence.i; "
        "table = counters"
    )
    entries: int = key(
        "counters, indexed by the address of the branch", default=16, ge=2, le=_MOST_ENTRIES
    )
    bits: Literal[1, 2] = key("bits of a counter; the highest predicts", unit="bits", default=2)
    targets: bool = key(
        "the table holds address and target of the branch: others are predicted as not taken, and "
        "a taken one replaces the entry",
        default=True,
    )
    hit: int = key(
        "extra cycles of a taken branch that is predicted as taken",
        unit="cycles",
        default=0,
        ge=0,
        le=64,
    )
    miss: Annotated[Annotated[int, Field(ge=0, le=128)] | None, BeforeValidator(none_word)] = key(
        "extra cycles of a branch that is predicted as taken and is not; none = as "
        "core.latency.branch-taken",
        unit="cycles",
        allowed="0 to 128, none",
        default=None,
    )

    @field_validator("entries")
    @classmethod
    def _power_of_two(cls, entries: int) -> int:
        if entries & (entries - 1):
            raise ValueError(f"must be a power of two from 2 to {_MOST_ENTRIES}, not {entries}")
        return entries
