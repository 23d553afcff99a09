"""The scalar core, and the rules between its keys and its pipeline model."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch._fetch import Fetch, Predictor
from gnomon.arch._latency import LONGEST_CYCLES, Latency, latency_classes
from gnomon.arch._quirks import CoreQuirks
from gnomon.arch._values import ResetPc
from gnomon.arch.dividers import Divider
from gnomon.arch.dividers.section import (
    DividerTable,
    check_divider_table,
    resolve_divider,
    selected_divider,
)
from gnomon.arch.operands import InstructionLatency
from gnomon.base.schema import ProblemAt, Section, key, none_word
from gnomon.isa import size_bytes

_ONLY: dict[tuple[Any, str | None], tuple[str, str]] = {
    ("t13", "isa"): ("rv32im_zicsr", ", not {}"),
    ("t13", "misaligned"): ("trap", ": the RTL has no second access"),
    ("t13", "unit_port"): ("direct", ": the RTL has no other port"),
    ("inorder", "rtl"): ("t13x", ": it is not an RTL of the family"),
}
"""Keys with a single value in one model, and the end of the message about other values."""


_OF_NO_QUEUE = ("fetch", "fetch-redirect", "prefetch", "taken-fetches", "split-target",
                "split-next")  # fmt: skip


class Interrupts(Section):
    """Machine interrupts of an in-order core; a mapping."""

    rejected: ClassVar[dict[str, str]] = {
        "wake": "not modeled: a wfi ends in the first cycle in which an enabled interrupt is "
        "pending",
        "nested": "not a key: a handler that sets mstatus.MIE can be interrupted",
    }

    entry: int = key(
        "cycles in execute of an interrupt, which replaces the instruction that would issue; the "
        "fetch of the handler waits as after a trap. No default: state a figure that was measured "
        "on the RTL",
        unit="cycles",
        ge=1,
        le=LONGEST_CYCLES,
    )
    vectored: bool = key(
        "bit 0 of mtvec can be set: an interrupt then enters at mtvec + 4 x cause", default=False
    )


class Core(Section):
    """The scalar pipeline."""

    model: Literal["t13", "inorder"] = key(
        "pipeline: t13 = the interleaved pipeline of Klessydra-T13, cycle by cycle as the RTL; "
        "inorder = one hart, one instruction at a time, cycles and waits from core.latency"
    )
    harts: int = key(
        "hardware threads, THREAD_POOL_SIZE in the RTL",
        unit="harts",
        allowed="3 to 8 with core.model t13; 1 with inorder",
    )
    superscalar: bool = key(
        "superscalar_exec_en: functional units of different kinds run in parallel; false = an "
        "instruction waits until load-store and vector unit are idle. With core.model inorder: "
        "scalar instructions run in parallel with the vector unit",
        default=False,
    )
    divider_table: Annotated[DividerTable | None, BeforeValidator(none_word)] = key(
        "cycles of a user-defined divider, with core.divider table", default=None
    )
    divider: str | None = key(
        "scalar divider, by its name in the table of dividers; restoring_r2, the one of the T13x, "
        "takes 34 cycles in execute for any operands. With core.model inorder, none = the cycles "
        "of core.latency.div",
        default=None,
        allowed=", ".join([*Divider.by_name(), "none"]),
        validate_default=True,
    )
    misaligned: Literal["trap", "split"] = key(
        "unaligned loads and stores: trap; split = executed, with a second access if they touch "
        "two words",
        default="trap",
    )
    count_all: bool = key(
        "mcycle and minstret of a hart count every cycle and the instructions of all harts; false "
        "= only the cycles in which the hart holds the execute stage, and its own instructions",
        default=True,
    )
    reset_pc: ResetPc = key(
        "address of the first instruction; entry = the entry point of the program file",
        unit="address",
        default="entry",
        allowed="a 32-bit address, entry",
        validate_default=True,
    )
    isa: Literal[
        "rv32im_zicsr", "rv32im", "rv32i_zicsr", "rv32i",
        "rv32imc_zicsr", "rv32imc", "rv32ic_zicsr", "rv32ic",
    ] = key(
        "instruction set that the core executes, plus fence.i; without _zicsr no CSRs, mret, wfi; "
        "with c compressed instructions, each with the cycles of its 32-bit equivalent. Programs "
        "are compiled for this set, and any other instruction is illegal",
        default="rv32im_zicsr",
    )  # fmt: skip
    rtl: Literal["t13x", "morph"] = key(
        "RTL of the family that has the pipeline of core.model t13: morph = Klessydra Morph with "
        "morph_en 0: CSR accesses take 2 cycles instead of 3; any store to a software-interrupt "
        "register requests an interrupt, whatever its value, and takes 1 cycle; minstret reads one "
        "less",
        default="t13x",
    )
    unit_port: Literal["direct", "pcpi", "cv-x-if"] = key(
        "port of the core for units: direct = that of the units, with a third operand; pcpi = PCPI "
        "of PicoRV32, which passes rs1 and rs2; cv-x-if = CV-X-IF of CVE2, which also passes rs3. "
        "Both end an instruction with its result, whatever its use",
        default="direct",
    )
    latency: Latency | None = key(
        "cycles of each instruction class; required with core.model inorder, which has no other "
        "timing; rejected with t13, whose timing is that of the RTL",
        default=None,
        validate_default=True,
    )
    fetch: Annotated[Fetch | None, BeforeValidator(none_word)] = key(
        "fetch queue; with it, core.latency.instruction-waits are those of one word, and "
        "fetch, fetch-redirect, prefetch, taken-fetches, split-target, split-next must be 0 or "
        "none",
        default=None,
    )
    predictor: Annotated[Predictor | None, BeforeValidator(none_word)] = key(
        "branch predictor; none = every branch is predicted as not taken", default=None
    )
    interrupts: Annotated[Interrupts | None, BeforeValidator(none_word)] = key(
        "interrupts of a clint and of devices, and wfi that sleeps; none = no interrupt is "
        "taken, and wfi ends at once",
        default=None,
    )
    quirks: CoreQuirks = key("deviations of the RTL from the manual", default_factory=CoreQuirks)

    @property
    def alignment_bytes(self) -> int:
        """Alignment of instructions in bytes (IALIGN / 8): 2 with the C extension, else 4."""
        return size_bytes(self.isa)

    def instruction_latencies(self) -> tuple[InstructionLatency, ...]:
        """Return the latency models of instructions: of the divider, or of ``core.latency``."""
        found = [] if self.latency is None else [*self.latency.instruction_latencies()]
        if self.divider is not None:
            divider = selected_divider(self.divider, self.divider_table)
            for names, signed in ((("div", "rem"), True), (("divu", "remu"), False)):
                model = divider.execute(signed=signed)
                static = 1 if model.depends_on_operands else model.least_cycles
                found.append(InstructionLatency(names, model, static))
        return tuple(found)

    @field_validator("harts")
    @classmethod
    def _harts_of_model(cls, harts: int, info: ValidationInfo) -> int:
        model = info.data.get("model")
        if model == "t13" and harts not in range(3, 9):
            raise ValueError(
                f"must be 3 to 8 with core.model t13, not {harts} (with 2 harts the RTL executes "
                "wrong code after a jump; core.model inorder is one hart)"
            )
        if model == "inorder" and harts != 1:
            raise ValueError(f"must be 1 with core.model inorder, not {harts}")
        return harts

    @field_validator("isa", "misaligned", "rtl", "unit_port")
    @classmethod
    def _one_value_of_model(cls, value: str, info: ValidationInfo) -> str:
        model = info.data.get("model")
        only, why = _ONLY.get((model, info.field_name), (value, ""))
        if value != only:
            raise ValueError(f"must be {only} with core.model {model}{why.format(value)}")
        return value

    @field_validator("divider", mode="before")
    @classmethod
    def _divider_of_model(cls, divider: object, info: ValidationInfo) -> object:
        divider = none_word(divider)
        model = info.data.get("model")
        if model == "t13" or (model == "inorder" and divider is not None):
            divider = resolve_divider(divider)
        if "divider_table" in info.data:
            check_divider_table("core", divider, info.data["divider_table"])
        return divider

    @field_validator("reset_pc")
    @classmethod
    def _reset_pc_of_model(cls, reset_pc: int | str, info: ValidationInfo) -> int | str:
        if info.data.get("model") == "t13" and (
            not isinstance(reset_pc, int) or reset_pc % 256 != 0x80
        ):
            given = reset_pc if isinstance(reset_pc, str) else f"0x{reset_pc:X}"
            raise ValueError(
                f"must end in 0x80 with core.model t13, not {given} (the RTL starts at "
                "(boot_addr & ~0xFF) + 0x80)"
            )
        if isinstance(reset_pc, int) and reset_pc % 4:
            raise ValueError(f"must be a multiple of 4, not 0x{reset_pc:X}")
        return reset_pc

    @field_validator("latency", mode="before")
    @classmethod
    def _latency_of_model(cls, latency: object, info: ValidationInfo) -> object:
        latency = none_word(latency)
        model = info.data.get("model")
        if model == "t13" and latency is not None:
            raise ValueError(
                "only core.model inorder has a latency table; t13 keeps the RTL's timing"
            )
        if model == "inorder" and latency is None:
            raise ValueError(
                "core.model inorder needs a latency table "
                f"(cycles for each of {', '.join(latency_classes())})"
            )
        return latency

    @field_validator("latency")
    @classmethod
    def _one_rule_for_division(
        cls, latency: Latency | None, info: ValidationInfo
    ) -> Latency | None:
        if latency is None or "divider" not in info.data:
            return latency
        divider = info.data["divider"]
        if divider is None and latency.div is None:
            raise ProblemAt(
                "div",
                f"must not be none (allowed: 1 to {LONGEST_CYCLES}; or name a divider in "
                "core.divider, whose latency model gives the cycles)",
            )
        ruled = any(name in ("div", "divu", "rem", "remu") for r in latency.rules for name in r.of)
        for name, cycles in (
            ("div", latency.div),
            ("div-by-zero", latency.div_by_zero),
            ("prefetch", latency.prefetch),
            ("rules", "of divisions" if ruled else None),
        ):
            if divider is not None and cycles is not None:
                raise ProblemAt(
                    name,
                    f"must be none with core.divider {divider}, whose latency model gives the"
                    " cycles",
                )
        return latency

    @field_validator("latency")
    @classmethod
    def _fits_the_table(cls, latency: Latency | None) -> Latency | None:
        if latency is not None:
            name, cycles = latency.longest()
            if cycles > LONGEST_CYCLES:
                raise ProblemAt(
                    name,
                    f"{cycles} cycles with core.latency.fetch and fetch-redirect are too many (at "
                    f"most {LONGEST_CYCLES} together)",
                )
        return latency

    @field_validator("fetch", "predictor")
    @classmethod
    def _only_in_order(
        cls, section: Fetch | Predictor | None, info: ValidationInfo
    ) -> Fetch | Predictor | None:
        if section is not None and info.data.get("model") == "t13":
            raise ValueError("must be none with core.model t13, whose fetch is that of the RTL")
        return section

    @field_validator("fetch")
    @classmethod
    def _fetch_fits(cls, fetch: Fetch | None, info: ValidationInfo) -> Fetch | None:
        latency = info.data.get("latency")
        if fetch is None or latency is None:
            return fetch
        for name in _OF_NO_QUEUE:
            value = latency.to_dict()[name]
            if value:
                raise ValueError(
                    f"must be none with core.latency.{name} {value}: a queue gives the waits for "
                    "the next instruction"
                )
        compressed = "c" in info.data.get("isa", "").split("_")[0]
        if compressed and fetch.takes == "instructions" and fetch.queue < 2:
            raise ProblemAt(
                "queue",
                "must be at least 2 with takes instructions and compressed instructions, which "
                "begin in one word and end in the next",
            )
        if fetch.port == "shared":
            if info.data.get("misaligned") == "split":
                raise ProblemAt("port", "must be separate with core.misaligned split: the order "
                                "of two accesses and a fetch is unavailable")  # fmt: skip
            if any(rule.access for rule in latency.rules):
                raise ProblemAt("port", "must be separate with access true in core.latency.rules: "
                                "the cycle of the access is unavailable")  # fmt: skip
        return fetch

    @field_validator("predictor")
    @classmethod
    def _predictor_fits(cls, predictor: Predictor | None, info: ValidationInfo) -> Predictor | None:
        latency = info.data.get("latency")
        if predictor is not None and latency is not None and latency.split_next is not None:
            raise ValueError("must be none with core.latency.split-next: which half a prediction "
                             "keeps is unavailable")  # fmt: skip
        if predictor is None or info.data.get("fetch") is None:
            return predictor
        if predictor.kind == "table":
            raise ProblemAt("kind", "must be static or one-entry with core.fetch: when a queue "
                            "looks a table up is unavailable")  # fmt: skip
        if predictor.kind == "one-entry" and predictor.hit:
            raise ProblemAt("hit", "must be 0 with core.fetch and kind one-entry: the queue gives "
                            "the waits")  # fmt: skip
        return predictor

    @field_validator("interrupts")
    @classmethod
    def _interrupts_fit(
        cls, interrupts: Interrupts | None, info: ValidationInfo
    ) -> Interrupts | None:
        if interrupts is None:
            return None
        if info.data.get("model") == "t13":
            raise ValueError(
                "must be none with core.model t13: its timer interrupt was not compared with RTL; "
                "its harts have software interrupts at 0xFF00"
            )
        isa = info.data.get("isa", "_zicsr")
        if not isa.endswith("_zicsr"):
            raise ValueError(
                f"must be none with core.isa {isa}: without CSRs and mret, interrupts need "
                "instructions of the core's own, which are not modeled"
            )
        fetch = info.data.get("fetch")
        if fetch is not None and (fetch.port == "shared" or fetch.memory_stage):
            raise ValueError(
                "must be none with core.fetch.port shared or memory_stage true: the cycle in which "
                "the request of a replaced instruction is withdrawn is unavailable"
            )
        return interrupts

    @field_validator("quirks")
    @classmethod
    def _quirks_of_model(cls, quirks: CoreQuirks, info: ValidationInfo) -> CoreQuirks:
        if info.data.get("model") == "inorder":
            for name, present in quirks:
                if present:
                    raise ProblemAt(
                        name, "must be false with core.model inorder: it is the T13 RTL's"
                    )
        return quirks
