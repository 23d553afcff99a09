"""The timing of an in-order core: cycles per class of instruction, and the causes of waits.

docs/method/inorder-timing.md gives the rules as equations.
"""

from collections.abc import ItemsView, Iterator, KeysView
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from gnomon.arch._rules import Bypass, Interlock, Rule
from gnomon.arch.operands import InstructionLatency, LatencyModel, cycles_by_number
from gnomon.base.schema import ProblemAt, Section, key, names_tuple, none_word

LONGEST_CYCLES = 256
"""Most cycles of one instruction and the fetch of the next: size of the engine's table."""

LATER = ("instruction-waits", "data-waits", "prefetch", "taken-fetches", "rules", "bypass", "waits",
         "split-target", "split-next", "split-again", "unit-port", "interlocks")  # fmt: skip
"""Later keys; at 0, none or empty they have no effect."""

MOST_INTERLOCKS = 64
"""Bits of a word of the engine."""

_Maybe = Annotated[
    Annotated[int, Field(ge=1, le=LONGEST_CYCLES)] | None, BeforeValidator(none_word)
]


def _cycles_key(meaning: str, *, ge: int = 1, **options: Any) -> Any:
    """Declare a key of cycles that every core must give."""
    return key(meaning, unit="cycles", ge=ge, le=LONGEST_CYCLES, **options)


def _optional_cycles_key(
    meaning: str, *, unit: str = "cycles", le: int = LONGEST_CYCLES, alias: str | None = None
) -> Any:
    """Declare a key of cycles that is 0 by default."""
    return key(meaning, unit=unit, default=0, ge=0, le=le, alias=alias)


def _cycles_or_none_key(meaning: str, **options: Any) -> Any:
    """Declare a key of cycles that may be none."""
    allowed = f"1 to {LONGEST_CYCLES}, none"
    return key(meaning, unit="cycles", allowed=allowed, default=None, **options)


def _to_key_name(field: str) -> str:
    return field.replace("_", "-")


class Latency(Section):
    """Cycles per instruction class of an in-order core; a mapping."""

    alu: int = _cycles_key("integer, lui, auipc")
    mul: int = _cycles_key("mul")
    mulh: int = _cycles_key("mulh, mulhu, mulhsu")
    div: _Maybe = _cycles_or_none_key(
        "div, divu, rem, remu, for any operands; none = by the latency model of core.divider"
    )
    load: int = _cycles_key("loads")
    store: int = _cycles_key("stores")
    branch: int = _cycles_key("branches that are not taken")
    branch_taken: int = _cycles_key(
        "extra cycles of a branch that is taken", ge=0, alias="branch-taken"
    )
    jump: int = _cycles_key("jal, jalr")
    csr: int = _cycles_key("CSR accesses")
    fence: int = _cycles_key("fence, fence.i")
    amo: int = _cycles_key("amoswap.w, which core.model inorder does not have")
    system: int = _cycles_key("ecall, ebreak, mret, wfi")
    fence_i: _Maybe = _cycles_or_none_key("fence.i alone; none = as fence", alias="fence-i")
    vector: int = _cycles_key(
        "vector instructions and transfers in the core itself; the vector unit has its own timing",
        default=1,
    )
    load_use: int = _optional_cycles_key(
        "cycles from the end of a load until its result can be read; an instruction that reads "
        "it earlier waits",
        alias="load-use",
    )
    mul_use: int = _optional_cycles_key(
        "as load-use, for mul, mulh, mulhu, mulhsu: a pipelined multiplier", alias="mul-use"
    )
    mul_per_bit: int = _optional_cycles_key(
        "extra cycles of mul for each bit of its second operand, read as unsigned, beyond the "
        "first: a multiplier of one bit per step that stops early",
        unit="cycles per bit",
        le=8,
        alias="mul-per-bit",
    )
    div_by_zero: _Maybe = _cycles_or_none_key(
        "div, divu, rem, remu with divisor 0; none = as div", alias="div-by-zero"
    )
    misaligned: _Maybe = _cycles_or_none_key(
        "extra cycles of a load or store that touches two words, with core.misaligned split; "
        "none = as many as the first access takes"
    )
    fetch: int = _optional_cycles_key(
        "wait of the core for the next instruction, after every instruction: a memory without "
        "prefetch",
        le=128,
    )
    fetch_redirect: int = _optional_cycles_key(
        "further wait for the next instruction after a redirect of the fetch: taken branch, jump, "
        "trap, mret, fence.i",
        le=128,
        alias="fetch-redirect",
    )
    instruction_waits: int = _optional_cycles_key(
        "wait states of the instruction memory: further wait for each instruction",
        le=64,
        alias="instruction-waits",
    )
    data_waits: int = _optional_cycles_key(
        "wait states of the data memory: further cycles of each access",
        le=64,
        alias="data-waits",
    )
    waits: Literal["any", "none"] = key(
        "wait states that the model covers; none = instruction-waits and data-waits must be 0",
        default="any",
    )
    prefetch: _Maybe = _cycles_or_none_key(
        "the next instruction is fetched during this one: each cycle an instruction takes beyond "
        "this value hides one of instruction-waits, except for loads, stores, traps and class "
        "system; none = no instruction hides any"
    )
    taken_fetches: int = _optional_cycles_key(
        "further fetches of a taken branch, each with its instruction-waits",
        unit="",
        le=4,
        alias="taken-fetches",
    )
    split_target: int = _optional_cycles_key(
        "with compressed instructions: wait of a taken branch, jump or mret to a 32-bit "
        "instruction that lies in two words of the memory",
        le=16,
        alias="split-target",
    )
    split_next: _Maybe = _cycles_or_none_key(
        "with compressed instructions: the core keeps the upper half of the last word, and does "
        "not fetch an instruction in it again; one of 32 bits that begins there waits so long, and "
        "for the wait states of its second word; none = each instruction has those of a word",
        alias="split-next",
    )
    split_again: int = _optional_cycles_key(
        "with split-next: wait of a taken branch to the upper half of a word for a further fetch "
        "of its target, without wait states; if the next word has wait states, is not in the upper "
        "half of another, and has ones in bits 16 and 17",
        le=16,
        alias="split-again",
    )
    unit_port: int = _optional_cycles_key(
        "cycles that the port of the core adds to each instruction of a unit, beyond those from "
        "start to done",
        le=64,
        alias="unit-port",
    )
    rules: Annotated[tuple[Rule, ...], BeforeValidator(names_tuple)] = key(
        "cycles of single instructions, instead of those of their class",
        default=(),
        allowed="a list of {of: [mnemonics], cycles: 1 to 256, or a table with by; by: "
        "shift-amount, signs, signs-product, rs1-bits, rs2-bits; each, step: 0 to 32; hides, "
        "access: true, false}",
    )

    bypass: Annotated[tuple[Bypass, ...], BeforeValidator(names_tuple)] = key(
        "when results can be read, instead of load-use, mul-use and, for others, at their end",
        default=(),
        allowed="a list of {of: [mnemonics], cycles: 0 to 64 after their end; to: [register fields "
        "such as sw.rs2; rs1, rs2 or rd of all instructions] that the entry applies to, all "
        "operands if omitted}",
    )

    interlocks: Annotated[tuple[Interlock, ...], BeforeValidator(names_tuple)] = key(
        "waits without a shared register: when an instruction can issue after another",
        default=(),
        allowed="a list of {of: [mnemonics], to: [mnemonics] that wait for them, cycles: 1 to 64 "
        "from the end of the last one of `of`}",
    )

    @field_validator("split_again")
    @classmethod
    def _of_a_kept_half(cls, cycles: int, info: ValidationInfo) -> int:
        if cycles and info.data.get("split_next") is None:
            raise ValueError("must be 0 without split-next, which keeps the upper half of a word")
        return cycles

    @field_validator("bypass")
    @classmethod
    def _one_entry_each(cls, bypass: tuple[Bypass, ...]) -> tuple[Bypass, ...]:
        seen: set[tuple[str, str]] = set()
        for number, entry in enumerate(bypass):
            for pair in [(name, to) for name in entry.of for to in entry.to or ("",)]:
                if pair in seen:
                    raise ProblemAt(f"{number}.of", f"{' to '.join(filter(None, pair))} already "
                                    "has an entry")  # fmt: skip
                seen.add(pair)
        return bypass

    @field_validator("interlocks")
    @classmethod
    def _few(cls, interlocks: tuple[Interlock, ...]) -> tuple[Interlock, ...]:
        if len(interlocks) > MOST_INTERLOCKS:
            raise ValueError(f"must have at most {MOST_INTERLOCKS} entries, not {len(interlocks)}")
        seen: set[tuple[str, str]] = set()
        for number, entry in enumerate(interlocks):
            for pair in [(first, second) for first in entry.of for second in entry.to]:
                if pair in seen:
                    raise ProblemAt(f"{number}.to", f"{pair[0]} before {pair[1]} already has an "
                                    "entry")  # fmt: skip
                seen.add(pair)
        return interlocks

    @field_validator("waits")
    @classmethod
    def _no_waits(cls, waits: str, info: ValidationInfo) -> str:
        for field in ("instruction_waits", "data_waits"):
            if waits == "none" and info.data.get(field):
                raise ValueError(
                    f"must not be none with {_to_key_name(field)} {info.data[field]}: the behavior"
                    " of the core with wait states is unavailable"
                )
        return waits

    @field_validator("prefetch")
    @classmethod
    def _known_stay(cls, prefetch: int | None, info: ValidationInfo) -> int | None:
        for field in ("mul_per_bit", "div_by_zero"):
            if prefetch is not None and info.data.get(field):
                raise ValueError(f"must be none with {_to_key_name(field)} (use a rule instead)")
        return prefetch

    @field_validator("rules")
    @classmethod
    def _one_rule_each(cls, rules: tuple[Rule, ...], info: ValidationInfo) -> tuple[Rule, ...]:
        seen: set[str] = set()
        for number, rule in enumerate(rules):
            for name in rule.of:
                if name in seen:
                    raise ProblemAt(f"{number}.of", f"{name} already has a rule")
                field = "mul_per_bit" if name == "mul" else "div_by_zero"
                if (name == "mul" or name[:3] in ("div", "rem")) and info.data.get(field):
                    raise ProblemAt(f"{number}.of", f"{name} already has {_to_key_name(field)}")
                seen.add(name)
        return rules

    def _table(self) -> dict[str, int]:
        table = self.to_dict()
        del table["rules"], table["bypass"], table["waits"], table["interlocks"]
        table["fence-i"] = table["fence-i"] or table["fence"]
        return {name: cycles for name, cycles in table.items() if cycles is not None}

    def __getitem__(self, name: str) -> int:
        return self._table()[name]

    def keys(self) -> KeysView[str]:
        """Return the keys that hold cycles, as spelled in a machine file (``branch-taken``)."""
        return self._table().keys()

    def items(self) -> ItemsView[str, int]:
        """Return pairs of key and cycles, without keys that are none; ``fence-i`` is resolved."""
        return self._table().items()

    @property
    def late(self) -> bool:
        """Whether any result becomes available after its instruction leaves execute."""
        return bool(self.load_use or self.mul_use or any(each.cycles for each in self.bypass))

    @property
    def holds(self) -> bool:
        """Whether instructions wait for others whose results they do not read."""
        return bool(self.interlocks) or any(each.holds_fields for each in self.bypass)

    def use(self, mnemonic: str, timing_class: str) -> dict[str, int]:
        """Return the cycles from the end of an instruction until each field can name its result.

        "" stands for all operands without an entry.
        """
        late = {"load": self.load_use, "mul": self.mul_use, "mulh": self.mul_use}
        found = {"": late.get(timing_class, 0)}
        mine = [each for each in self.bypass if mnemonic in each.of]
        for each in mine:
            found |= dict.fromkeys(each.fields_of_all() if each.to else ("",), each.cycles)
        for each in mine:  # fields of one instruction go before those of all
            found |= dict.fromkeys(each.fields_of_one(), each.cycles)
        return found

    def instruction_latencies(self) -> Iterator[InstructionLatency]:
        """Yield the latency models of rules, ``mul-per-bit`` and ``div-by-zero``."""
        for rule in self.rules:
            model = rule.model()
            yield InstructionLatency(rule.of, model, model.least_cycles, rule.hides)
        if self.mul_per_bit:
            by_bits = cycles_by_number("rs2-bits", self.mul - self.mul_per_bit,
                                       each=self.mul_per_bit)  # fmt: skip
            model = LatencyModel("rs2-bits", (self.mul, *by_bits[1:]), source="core.latency")
            yield InstructionLatency(("mul",), model, self.mul)
        if self.div is not None and self.div_by_zero is not None:
            cycles = (self.div_by_zero, *cycles_by_number("rs2-bits", self.div)[1:])
            model = LatencyModel("rs2-bits", cycles, source="core.latency")
            yield InstructionLatency(("div", "divu", "rem", "remu"), model, self.div)

    def fetch_wait(self, cycles: int, waits: int, *, hides: bool = True) -> int:
        """Return the wait for the next instruction after one that does not redirect the fetch.

        Args:
            cycles: that the instruction takes in execute.
            waits: wait states of a fetch.
            hides: whether it hides wait states, with ``prefetch``; false for loads, stores and
                class system.
        """
        hidden = cycles - self.prefetch if hides and self.prefetch is not None else 0
        return self.fetch + max(0, waits - max(0, hidden))

    def longest(self) -> tuple[str, int]:
        """Return the key with the longest execute stage, and its cycles, the fetch included."""
        classes = ("alu", "mul", "mulh", "div", "load", "store", "branch", "csr", "fence", "vector")
        redirecting = ("jump", "system", "fence-i")
        table = self._table()
        fetch = self.fetch + self.instruction_waits
        held = {name: table[name] + fetch for name in classes if name in table}
        held |= {name: held[name] + self.data_waits for name in ("load", "store")}
        held |= {name: table[name] + fetch + self.fetch_redirect for name in redirecting}
        waits = fetch + self.fetch_redirect + self.data_waits
        held["rules"] = max((max(rule.table()) + waits for rule in self.rules), default=0)
        name = max(held, key=lambda each: held[each])
        return name, held[name]


def latency_classes() -> list[str]:
    """Return the classes that every in-order core must give, as a machine file spells them."""
    fields = Latency.model_fields.items()
    return [field.alias or name for name, field in fields if field.is_required() or name == "div"]
