"""A slow reading of the in-order rules: one cause per cycle, appended to a list.

The rules are those of docs/method/inorder-timing.md. The model shares no code and no accounting
with the engine. The list makes sums trivial: its length is the time, and a run that is cut off is a
shorter list. Arithmetic, vector unit and scratchpads are those of the oracle of the T13.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gnomon.isa import decode_words
from tests.inorder._fetch_unit import Branch, Cache, Predictor, Queue
from tests.oracle.buses import Buses
from tests.oracle.config import OracleConfig, OracleRegion
from tests.oracle.counters import Counters, Occupancy
from tests.oracle.csrs import MPSCLFAC, MVSIZE, MVTYPE, CsrFile
from tests.oracle.decode import KMEM, Decoded, decode
from tests.oracle.devices import Clint, Uart
from tests.oracle.integer import MASK, alu, branch_taken, muldiv, signed
from tests.oracle.lsu import KMEMSTR, Lsu
from tests.oracle.memory import Memory
from tests.oracle.scratchpads import Scratchpads
from tests.oracle.traps import ECALL, ILLEGAL, LOAD_MISALIGNED, STORE_MISALIGNED, Trap
from tests.oracle.vcu import Vcu
from tests.oracle.vcu_timing import VcuTiming

MSTATUS, MTVEC, MSCRATCH, MEPC, MCAUSE, MTVAL = 0x300, 0x305, 0x340, 0x341, 0x342, 0x343
MIE, MIP = 0x304, 0x344
MCYCLE, MINSTRET = 0xB00, 0xB02
SOFTWARE, TIMER, EXTERNAL = 3, 7, 11  # causes of interrupts
JUMP_MISALIGNED, BREAKPOINT = 0, 3
_SIZE = {"b": 1, "h": 2, "w": 4}
_DISCARDED = (0x13, 0x33, 0x03, 0x73)  # opcodes that the T13 skips when rd is x0, unlike this core


@dataclass(frozen=True, kw_only=True)
class Core:
    """A core as its machine file describes it; ``latency`` by the keys of core.latency."""

    latency: dict[str, Any]
    div_by_divisor_bits: list[int] | None = None  # a core.divider_table
    split: bool = True
    superscalar: bool = False
    simd: int | None = None  # None: no vector unit
    compressed: bool = False
    fetch: dict[str, Any] | None = None  # by the keys of core.fetch
    predictor: dict[str, Any] | None = None
    cache: dict[str, Any] | None = None  # by the keys of memory.caches.icache, with width, burst
    dcache: dict[str, Any] | None = None  # by the keys of memory.caches.dcache
    cached: tuple[str, ...] = ()  # regions whose loads it serves; without regions, the data memory
    regions: tuple[OracleRegion, ...] = ()  # the first one holds the code
    uart: tuple[int, int] | None = None  # base and stride of an ns16550
    external: bool = False  # it requests the external interrupt
    clint: tuple[int, int] | None = None  # base, and cycles of a count
    semihosting: bool = False
    interrupts: dict[str, Any] | None = None  # by the keys of core.interrupts

    @property
    def data(self) -> OracleRegion:
        """The region of the data, whose wait states rules with ``access`` have."""
        return next((each for each in self.regions if each.name == "data"), self.regions[0])


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a run shows."""

    exit_code: int | None
    exit_cycle: int
    issued: int
    counters: dict[str, int]
    printed: tuple[int, ...]
    console: str
    data: bytes
    trace: list[tuple[int, int, int, int]]


@dataclass(slots=True)
class _Step:
    """What the execution of one instruction asks for."""

    klass: str
    next_pc: int
    result: int | None = None
    further: int = 0  # execute cycles beyond those of the class
    redirects: bool = False
    split: bool = False  # touches two words
    operands: tuple[int, int] = (0, 0)
    trap: bool = False
    taken: bool = False  # a branch, to this address
    target: int = 0
    accessed: list[int] = field(default_factory=list)  # addresses of loads and stores
    sleeps: bool = False
    missed: int = 0  # cycles of waiting for lines of the data cache


@dataclass
class Model:
    """One run of one program."""

    core: Core
    segments: list[tuple[int, bytes]]
    entry: int
    causes: list[str] = field(default_factory=list)  # of each cycle

    def __post_init__(self) -> None:
        config = self.config = OracleConfig(
            harts=1, simd=self.core.simd or 1, vcu=self.core.simd is not None,
            regions=self.core.regions,
        )  # fmt: skip
        self.memory = Memory(config, self.segments)
        self.uart = Uart(*self.core.uart, self.memory.console) if self.core.uart else None
        if self.uart is not None:
            self.memory.devices.append(self.uart)
        self.clint = Clint(*self.core.clint) if self.core.clint else None
        if self.clint is not None:
            self.memory.devices.append(self.clint)
        spms = Scratchpads(config)
        self.vcu_timing = VcuTiming(config)
        buses = Buses()
        self.lsu = Lsu(config, self.memory, spms, self.vcu_timing, buses)
        counters = Counters(1, count_all=True, occupancy=Occupancy(1))
        self.vector_csrs = CsrFile(config, counters)
        self.vcu = Vcu(config, self.vector_csrs, spms, self.vcu_timing, buses)
        self.x = [0] * 32
        self.late: list[tuple[int, str] | None] = [
            None
        ] * 32  # by register: end and name of its maker
        self.ended: dict[str, int] = {}  # by name: end of the last such instruction
        self.csr = dict.fromkeys((MTVEC, MSCRATCH, MEPC, MCAUSE, MTVAL), 0)
        self.mie = self.mpie = self.enabled = 0  # enabled: the register mie
        self.issues = 0
        latency = self.core.latency
        waits, data_waits = latency["instruction-waits"], latency["data-waits"]
        waits += config.waits_at(self.entry)  # a queue has all of its code in one memory
        self.predictor = Predictor(self.core.predictor, 2 if self.core.compressed else 4)
        fetch, cache = self.core.fetch, self.core.cache
        self.queue = Queue(fetch, waits, data_waits, self.predictor) if fetch else None
        self.cache = Cache(cache, waits) if cache else None
        self.dcache = Cache(self.core.dcache, data_waits) if self.core.dcache else None
        self.entered = self.turn = 0  # of the next instruction

    # -- time --------------------------------------------------------------------------------------

    def run(self, max_cycles: int) -> Seen:
        """Run to the exit store, or until ``max_cycles`` cycles are over."""
        trace: list[tuple[int, int, int, int]] = []
        pc = self.entry
        if self.cache is not None:
            self.cache.fetch(pc)
        if self.queue is not None:
            self._fetch(pc)
            self.queue.start(pc, self.length // 2)
        while True:
            word, d = self._fetch(pc)
            self._wait_until(max(self._readable(d), default=0), "operand")
            memory = d.kind in {"load", "store"} or self._is(d, "kmem")
            if memory:
                self._wait_until(self.lsu.last_busy + 2, "lsu")
            if self._is(d, "kmem") or self._is(d, "kdsp"):
                self._wait_until(self.vcu_timing.last_busy[0] + 2, "vcu")
            if memory and self.core.fetch is not None and self.core.fetch["port"] == "shared":
                self._wait_until(self._port(d), "lsu")
            end = max_cycles - 1
            if self.memory.exit_cycle is not None:
                end = min(end, self.memory.exit_cycle)
            issue = len(self.causes)
            if issue > end:
                return self._seen(end, trace)
            taken = self._pending(issue) if self.mie else 0
            if d.name == "wfi" and not taken and self._never_wakes():
                return self._seen(issue - 1, trace)
            trace.append((issue, 0, pc, word))
            step = self._interrupt(taken, pc) if taken else self._execute(d, word, pc, issue)
            self._spend(d, step, pc)
            self.issues += 1
            pc = step.next_pc

    def _wait_until(self, cycle: int, cause: str) -> None:
        self.causes += [f"wait.{cause}"] * (cycle - len(self.causes))

    def _pending(self, cycle: int) -> int:
        """The enabled interrupts that are pending in a cycle."""
        return self._requested(cycle) & self.enabled if self.core.interrupts else 0

    def _requested(self, cycle: int) -> int:
        """What mip shows in a cycle."""
        external = self.core.external and self.uart is not None and self.uart.requests
        return (self.clint.pending(cycle) if self.clint else 0) | external << EXTERNAL

    def _never_wakes(self) -> bool:
        if self.core.interrupts is None:
            return False
        if self._pending(len(self.causes)) >> EXTERNAL:
            return False
        return self.clint is None or self.clint.cannot_pend(self.enabled)

    def _interrupt(self, taken: int, pc: int) -> _Step:
        """An interrupt in place of an instruction."""
        assert self.core.interrupts is not None
        cause = next(each for each in (EXTERNAL, SOFTWARE, TIMER) if taken >> each & 1)
        self.csr[MEPC], self.csr[MCAUSE], self.csr[MTVAL] = pc, 1 << 31 | cause, 0
        self.mpie, self.mie = self.mie, 0
        handler = self.csr[MTVEC] & ~3
        if self.csr[MTVEC] & 1:
            handler += 4 * cause
        return _Step("interrupt", handler, redirects=True, trap=True)

    def _begins(self, issue: int) -> int:
        """When an instruction that waits for nothing can first use a port."""
        stage = self.core.fetch is not None and self.core.fetch["memory_stage"]
        return self.entered if stage and issue == self.turn else issue

    def _port(self, d: Decoded) -> int:
        """When a load or store gets the port that it shares with the fetch."""
        assert self.queue is not None
        issue = len(self.causes)
        if (self.x[d.rs1] + d.imm) % _SIZE[d.name[1]]:
            return issue  # it traps
        while self.queue.now < self._begins(issue):
            self.queue.tick()
        self.queue.ask_data()
        while not self.queue.accepts_data():
            self.queue.tick()
        return max(issue, self.queue.now)

    def _next(self, d: Decoded, step: _Step, asks: int) -> None:
        """Let the queue run until the next instruction is in decode; it jumps in cycle ``asks``."""
        assert self.queue is not None
        assert self.core.fetch is not None
        halves, end = self.length // 2, len(self.causes)
        leaves = end
        if self.core.fetch["memory_stage"] and d.kind in {"load", "store"}:
            leaves -= self.core.latency["data-waits"]
        jumped = not step.redirects
        self._fetch(step.next_pc)
        after = self.length // 2
        while self.queue.now < leaves or not jumped or not self.queue.has(after):
            leaving = self.queue.now == leaves - 1
            jump = step.next_pc if not jumped and self.queue.now >= asks else None
            stays = halves if self.queue.now < leaves - 1 else 0
            want = after if self.queue.now >= leaves - 1 and (jumped or jump is not None) else 0
            made = self.queue.tick(use=halves * leaving, want=want, jump=jump, kept=stays)
            jumped = jumped or made
        self.entered = self.queue.now
        self.turn = max(self.entered, end)
        self.causes += ["wait.fetch"] * (self.turn - end)

    def _predict(self, d: Decoded, step: _Step, pc: int) -> int | None:
        """Costs of a branch; what was fetched before its outcome was known."""
        branch = Branch(pc, step.target, self.length // 2)
        predicted = self.predictor.predicts(branch)
        self.predictor.learn(branch, taken=step.taken, predicted=predicted)
        keys = self.core.predictor or {"hit": 0, "miss": 0, "kind": ""}
        miss = self.core.latency["branch-taken"] if keys["miss"] is None else keys["miss"]
        if step.taken:
            step.further += keys["hit"] if predicted else self.core.latency["branch-taken"]
        elif predicted:
            step.further += miss
        step.redirects = predicted != step.taken
        if predicted and step.taken:
            self.predictor.first_word = None
            step.redirects = self.queue is not None and keys["kind"] == "static"
        if not step.redirects:
            return None
        return step.target if predicted else (pc + self.length) & MASK

    def _spend(self, d: Decoded, step: _Step, pc: int) -> None:
        """The stay in execute, the wait for the next instruction, the wait for busy units."""
        latency, issue, guess = self.core.latency, len(self.causes), None
        if step.klass == "branch" and not step.trap:
            guess = self._predict(d, step, pc)
        replaced = step.klass == "interrupt"
        if step.trap or d.name == "fence.i":
            self.predictor.known = None
        if self.core.fetch is not None and self._name(d) in self.core.fetch["restarts"]:
            step.redirects = True
        if d.name == "fence.i" and self.cache is not None and not replaced:
            self.cache.sets.clear()
        rule = None if replaced else self._rule(d)
        stay = self._stay(d, step, rule)
        cycles = stay + step.further
        accesses = step.klass in {"load", "store"} or (
            rule is not None and rule.get("access", False)
        )
        if accesses:
            cycles += self._data_waits(step)
        begun = issue if step.trap else self._begins(issue)
        asks = begun + cycles + step.missed - 1
        if d.kind not in {"load", "store", "kmem", "kdsp"} or replaced:
            cycles -= min(issue - begun, cycles - 1)  # in the wait states of the access before
        if step.trap:
            self.causes += ["trap"] * cycles
        else:
            self.causes += [f"issue.{step.klass}"] + [f"execute.{step.klass}"] * (cycles - 1)
            self.causes += ["wait.dcache"] * step.missed
        if not step.trap:
            self._end(d, step)
        while step.sleeps and not self._pending(len(self.causes)):
            self.causes.append("parked")
        if self.queue is not None:
            self._next(d, step, asks)
            self._wait_for_units()
            return
        waits = latency["fetch"] + (latency["fetch-redirect"] if step.redirects else 0)
        again = latency["taken-fetches"] if guess is not None else 0
        jumps = step.redirects and not step.trap and step.klass in {"branch", "jump", "system"}
        ahead = guess if again and guess is not None else None if jumps else step.next_pc
        hides = not accesses and step.klass != "system" and not step.trap
        hides = hides and (rule is None or rule.get("hides", True))
        left = self._left(ahead, step.next_pc, stay if hides else 0)
        left += sum(self._fetch_waits(step.next_pc) for _ in range(again))
        if step.redirects:
            self.predictor.first_word = step.next_pc // 4
        if jumps:
            waits += self._jump_waits(step.next_pc, guess if again else None)
        self.causes += ["wait.fetch"] * waits
        self.causes += ["wait.icache" if self.cache is not None else "wait.fetch"] * left
        self._wait_for_units()

    def _stay(self, d: Decoded, step: _Step, rule: dict[str, Any] | None) -> int:
        """The cycles of its class or rule."""
        latency = self.core.latency
        if step.klass == "interrupt":
            assert self.core.interrupts is not None
            return int(self.core.interrupts["entry"])
        if step.klass == "illegal":
            return 1
        if rule is not None:
            return self._ruled(rule, step.operands)
        if step.klass in {"kmem", "kdsp"}:
            return int(latency["vector"])
        if d.name == "fence.i":
            return int(latency["fence-i"] or latency["fence"])
        if step.klass == "div" and self.core.div_by_divisor_bits is not None:
            return 0  # all of it is in ``further``
        return int(latency[step.klass])

    def _left(self, ahead: int | None, next_pc: int, stay: int) -> int:
        """Waits for what follows in memory, or None: for a target; ``stay`` hides some of them."""
        latency = self.core.latency
        left = self._fetch_waits(next_pc if ahead is None else ahead)
        if latency.get("split-next") is not None and ahead is not None and ahead % 4:
            # In the word before it, or it has a second one.
            waits = latency["split-next"] + self._states(ahead)
            return int(waits) if self._is_split(ahead) else 0
        hidden = max(0, stay - latency["prefetch"]) if latency["prefetch"] is not None else 0
        return max(0, left - hidden)

    def _jump_waits(self, target: int, guess: int | None) -> int:
        """Waits for the second word of a target; ``guess``: what a branch has fetched before."""
        latency = self.core.latency
        keeps = latency.get("split-next") is not None
        states = self._states(target) if keeps else 0
        second = latency.get("split-target", 0) + states if self._is_split(target) else 0
        again = latency.get("split-again", 0)
        if guess is None or not (keeps and again and states) or target % 4 == 0 or guess % 4:
            return second
        half = self.memory.fetch(guess + 2)
        return second + (again + states + second if half >> 16 & 3 == 3 else 0)

    def _data_waits(self, step: _Step) -> int:
        """Wait states of each access; a rule with ``access`` has those of the data."""
        if not step.accessed and self.core.regions:
            step.accessed = [self.core.data.base]
        own = int(self.core.latency["data-waits"])
        found = 0
        for address in step.accessed or [None]:
            more = 0 if address is None else self.config.waits_at(address)
            if address is not None and self._is_cached(step, address):
                assert self.dcache is not None
                step.missed += self.dcache.fetch(address, more)
            else:
                found += own + more
        return found

    def _is_cached(self, step: _Step, address: int) -> bool:
        """Whether an access goes through the data cache."""
        if self.dcache is None or step.klass != "load" or step.trap:
            return False
        region = self.config.region_of(address)
        if self.core.regions:
            return region is not None and region.name in self.core.cached
        return 0 <= address - self.config.dmem_base < self.config.dmem_size_bytes

    def _end(self, d: Decoded, step: _Step) -> None:
        """Write the result, and note when it is there."""
        end, name = len(self.causes), self._name(d)
        self.ended[name] = end
        if d.kind not in {"kmem", "kdsp"} and step.result is not None and d.rd:
            self.x[d.rd] = step.result & MASK
            self.late[d.rd] = (end, name) if self._makes(d) else None

    def _fetch_waits(self, address: int) -> int:
        if self.cache is not None:
            return self.cache.fetch(address)
        return self._states(address)

    def _states(self, address: int) -> int:
        """Wait states of the memory of a fetch."""
        return int(self.core.latency["instruction-waits"]) + self.config.waits_at(address)

    def _wait_for_units(self) -> None:
        if self.core.simd is not None and not self.core.superscalar:
            lsu, vcu = self.lsu.last_busy, self.vcu_timing.last_busy[0]
            self._wait_until(max(lsu, vcu) + 2, "vcu" if vcu > lsu else "lsu")

    def _seen(self, end: int, trace: list[tuple[int, int, int, int]]) -> Seen:
        exited = self.memory.exit_cycle is not None and self.memory.exit_cycle <= end
        spent = self.causes[: end + 1]
        return Seen(
            exit_code=self.memory.exit_code if exited else None,
            exit_cycle=end,
            issued=self.issues,
            counters={f"hart0.{name}": cycles for name, cycles in Counter(spent).items()},
            printed=tuple(self.memory.printed),
            console=self.memory.console.decode("utf-8", "replace"),
            data=self.memory.data(),
            trace=trace,
        )

    def _rule(self, d: Decoded) -> dict[str, Any] | None:
        """The rule for an instruction, if there is one."""
        name = self._name(d)
        for rule in self.core.latency["rules"]:
            if name in rule["of"]:
                return dict(rule)
        return None

    @staticmethod
    def _name(d: Decoded) -> str:
        if d.opcode == 0x0F:
            return "fence.i" if d.name == "fence.i" else "fence"
        if d.kind == "csr":
            return f"csr{d.name}{'i' * (d.funct3 >= 5)}"
        named = {"alu", "muldiv", "load", "store", "branch", "system"}
        name = d.name if d.kind in named else d.kind
        if d.kind == "alu" and d.opcode == 0x13:
            name = "sltiu" if name == "sltu" else name + "i"
        return name

    @staticmethod
    def _makes(d: Decoded) -> bool:
        return d.kind in {"alu", "muldiv", "load", "lui", "auipc"}

    def _readable(self, d: Decoded) -> list[int]:
        """When each register that an instruction names can be read by it."""
        found = []
        for register, operand in self._sources(d):
            late = self.late[register]
            if late is not None:
                found.append(late[0] + self._delay(late[1], f"{self._name(d)}.{operand}"))
        return found + self._held(d)

    def _held(self, d: Decoded) -> list[int]:
        """When the core lets an instruction go that waits for what it does not read."""
        found, name = [], self._name(d)
        for field_name, shift in (("rs1", 15), ("rs2", 20), ("rd", 7)):
            late = self.late[d.word >> shift & 31]
            if late is None or d.kind in {"illegal", "kmem", "kdsp", "amo"}:
                continue
            mine = [each for each in self.core.latency["bypass"] if late[1] in each["of"]]
            for wanted in (f"{name}.{field_name}", field_name):
                cycles = [each["cycles"] for each in mine if wanted in each.get("to", [])]
                if cycles:
                    found.append(late[0] + cycles[0])
                    break
        for lock in self.core.latency.get("interlocks", []):
            if name in lock["to"]:
                ends = [self.ended[each] for each in lock["of"] if each in self.ended]
                found += [end + lock["cycles"] for end in ends]
        return found

    def _delay(self, maker: str, reader: str) -> int:
        """Cycles from the end of an instruction until an operand can read its result."""
        latency = self.core.latency
        entries = [each for each in latency["bypass"] if maker in each["of"]]
        for each in entries:
            if reader in each.get("to", []):
                return int(each["cycles"])
        name, field_name = reader.split(".")
        for each in entries:
            if field_name in each.get("to", []) and name not in {"kmem", "kdsp"}:
                return int(each["cycles"])
        for each in entries:
            if not each.get("to"):
                return int(each["cycles"])
        if maker in {"lb", "lh", "lw", "lbu", "lhu"}:
            return int(latency["load-use"])
        return int(latency["mul-use"]) if maker.startswith("mul") else 0

    @staticmethod
    def _ruled(rule: dict[str, Any], operands: tuple[int, int]) -> int:
        a, b = operands
        signs = [0 if not v else 2 if v & 0x8000_0000 else 1 for v in operands]
        n = {
            None: 0, "shift-amount": b % 32, "signs": 3 * signs[0] + signs[1],
            "signs-product": 6 * signs[0] + 2 * signs[1] + (a * b % 2**32 == 0),
            "rs1-bits": a.bit_length(), "rs2-bits": b.bit_length(),
        }[rule.get("by")]  # fmt: skip
        cycles = rule["cycles"][n] if isinstance(rule["cycles"], list) else rule["cycles"]
        steps = n // rule["step"] + n % rule["step"] if rule.get("step") else 0
        return int(cycles + rule.get("each", 0) * n + steps)

    # -- decoding ----------------------------------------------------------------------------------

    def _fetch(self, pc: int) -> tuple[int, Decoded]:
        """The instruction at a pc, and what it means: that of a compressed one its expansion."""
        whole = self.memory.fetch(pc)
        self.length = 4
        if not self.core.compressed:
            return whole, self._decode(whole)
        if pc % 4:
            whole >>= 16
            if whole & 3 == 3:
                whole |= self.memory.fetch(pc + 2) << 16 & MASK
        if whole & 3 == 3:
            return whole, self._decode(whole)
        self.length, whole = 2, whole & 0xFFFF
        short = np.array([whole], dtype=np.uint32)
        # Of a table that objdump has been asked about, word by word.
        return whole, self._decode(int(decode_words(short, compressed=True)["word"][0]))

    def _is_split(self, pc: int) -> bool:
        """Whether an instruction of 32 bits lies in two words."""
        return self.core.compressed and pc % 4 == 2 and self.memory.fetch(pc) >> 16 & 3 == 3

    def _decode(self, word: int) -> Decoded:
        d = decode(word)
        if d.kind == "nop" and d.opcode in _DISCARDED and d.rd == 0:
            d = decode(word | 1 << 7)  # what it would be with x1; the result goes nowhere
            changes: dict[str, Any] = {name: getattr(d, name) for name in d.__slots__}
            d = Decoded(**(changes | {"rd": 0, "word": word}))
        if d.opcode == 0x0F and d.funct3 == 1:
            changes = {name: getattr(d, name) for name in d.__slots__}
            d = Decoded(**(changes | {"name": "fence.i"}))
        return d

    def _is(self, d: Decoded, kind: str) -> bool:
        return d.kind == kind and self.core.simd is not None

    def _sources(self, d: Decoded) -> list[tuple[int, str]]:
        """Registers that an instruction names as sources, and as what."""
        if d.kind in {"load", "jalr"} or d.opcode == 0x13:
            return [(d.rs1, "rs1")]
        if d.kind == "csr":
            return [(d.rs1, "rs1")] if d.funct3 < 4 else []
        if d.kind in {"alu", "muldiv", "store", "branch"}:
            return [(d.rs1, "rs1"), (d.rs2, "rs2")]
        if self._is(d, "kmem") or self._is(d, "kdsp"):
            return [(d.rd, "rd"), (d.rs1, "rs1"), (d.rs2, "rs2")]
        return []

    # -- function ----------------------------------------------------------------------------------

    def _execute(self, d: Decoded, word: int, pc: int, issue: int) -> _Step:
        step = _Step("alu", (pc + self.length) & MASK)
        try:
            self._dispatch(d, pc, issue, step)
        except Trap as trap:
            self.csr[MEPC], self.csr[MCAUSE] = pc, trap.cause
            self.mpie, self.mie = self.mie, 0
            self.csr[MTVAL] = self._trap_value(trap.cause, d, word, pc, step)
            step.trap = step.redirects = True
            step.further = 0
            step.next_pc = self.csr[MTVEC] & ~1
        return step

    def _trap_value(self, cause: int, d: Decoded, word: int, pc: int, step: _Step) -> int:
        if cause == ILLEGAL:
            return word
        if cause == BREAKPOINT:
            return pc
        if cause == JUMP_MISALIGNED:
            return step.next_pc
        if d.kind in {"load", "store"}:
            return (self.x[d.rs1] + d.imm) & MASK
        if d.kind == "kmem":  # its address in memory
            return self.x[d.rd if d.funct7 == KMEMSTR else d.rs1]
        return 0

    def _dispatch(self, d: Decoded, pc: int, issue: int, step: _Step) -> None:
        x, after = self.x, step.next_pc
        match d.kind:
            case "nop":
                step.klass, step.redirects = "fence", d.name == "fence.i"
            case "alu":
                step.operands = (x[d.rs1], x[d.rs2] if d.opcode == 0x33 else d.imm & MASK)
                step.result = alu(d.name, *step.operands)
            case "lui":
                step.result = d.imm
            case "auipc":
                step.result = pc + d.imm
            case "muldiv":
                self._muldiv(d, step)
            case "jal" | "jalr":
                step.klass, step.redirects = "jump", True
                base = x[d.rs1] & MASK if d.kind == "jalr" else pc
                self._redirect(step, (base + d.imm) & MASK & ~1)
                step.result = after
            case "branch":
                step.klass = "branch"
                step.target = (pc + d.imm) & MASK
                if branch_taken(d.name, x[d.rs1], x[d.rs2]):
                    self._redirect(step, step.target)
                    step.taken = True
            case "load" | "store":
                self._memory(d, issue, step)
            case "csr":
                step.klass = "csr"
                step.result = self._csr(d, issue)
            case "system":
                self._system(d, step, pc)
            case "kmem" | "kdsp" if self.core.simd is not None:
                step.klass = d.kind
                operands = (x[d.rd], x[d.rs1], x[d.rs2])
                if d.opcode == KMEM:
                    self.lsu.transfer(d, 0, operands, issue)
                else:  # only vector instructions of units read rs3
                    self.vcu.start(d, 0, operands, issue, 0)
            case _:
                step.klass = "illegal"
                raise Trap(ILLEGAL)

    def _redirect(self, step: _Step, target: int) -> None:
        step.next_pc = target
        if target % (2 if self.core.compressed else 4):
            raise Trap(JUMP_MISALIGNED)

    def _muldiv(self, d: Decoded, step: _Step) -> None:
        latency, a, b = self.core.latency, self.x[d.rs1], self.x[d.rs2]
        step.result, step.operands = muldiv(d.name, a, b)[0], (a, b)
        if d.name.startswith("mul"):
            step.klass = "mul" if d.name == "mul" else "mulh"
            if d.name == "mul":
                step.further = latency["mul-per-bit"] * max(0, len(f"{b:b}") - 1)
            return
        step.klass = "div"
        if self.core.div_by_divisor_bits is not None:
            magnitude = abs(signed(b)) if d.name in {"div", "rem"} else b
            step.further = 1 + self.core.div_by_divisor_bits[magnitude.bit_length()]
        elif b == 0 and latency["div-by-zero"] is not None:
            step.further = latency["div-by-zero"] - latency["div"]

    def _memory(self, d: Decoded, issue: int, step: _Step) -> None:
        step.klass = d.kind
        address = (self.x[d.rs1] + d.imm) & MASK
        size = _SIZE[d.name[1]]
        lane = address % 4
        step.accessed = [address]
        if address % size and not self.core.split:
            raise Trap(LOAD_MISALIGNED if d.kind == "load" else STORE_MISALIGNED)
        if lane + size > 4:
            again = self.core.latency["misaligned"]
            rule = self._rule(d)
            first = self.core.latency[d.kind] if rule is None else rule["cycles"]
            step.further = first if again is None else again
            step.split = True
            step.accessed.append((address + 4) & MASK)
        issue += self.config.waits_at(address)
        if d.kind == "load":
            wanted = ((1 << size) - 1) << lane
            raw = self.memory.read_word(address, issue, wanted & 15)
            if lane + size > 4:
                raw |= self.memory.read_word(address + 4, issue, wanted >> 4) << 32
            value = raw >> 8 * lane & ((1 << 8 * size) - 1)
            top = 1 << 8 * size - 1
            step.result = value if d.name.endswith("u") else (value ^ top) - top
            return
        raw, enables = self.x[d.rs2] << 8 * lane, ((1 << size) - 1) << lane
        self.memory.write_word(address, raw & MASK, enables & 15, issue)
        if enables > 15:
            self.memory.write_word(address + 4, raw >> 32 & MASK, enables >> 4, issue)

    def _csr(self, d: Decoded, issue: int) -> int:
        address = d.word >> 20
        operand = d.rs1 if d.funct3 >= 5 else self.x[d.rs1]
        writes = d.name == "rw" or d.rs1 != 0
        if address in {MVSIZE, MVTYPE, MPSCLFAC} and self.core.simd is not None:
            return self.vector_csrs.access(0, address, d.name, operand, writes=writes, cycle=issue)
        if address in {MCYCLE, MINSTRET} and not writes:
            return issue if address == MCYCLE else self.issues
        if self.core.interrupts is not None and address == MIP:
            return self._requested(issue)
        own = {MSTATUS: 0x1800 | self.mpie << 7 | self.mie << 3, MIE: self.enabled}
        old = (self.csr | (own if self.core.interrupts else {})).get(address)
        if old is None:
            raise Trap(ILLEGAL)
        if writes:
            new = {"rw": operand, "rs": old | operand, "rc": old & ~operand}[d.name]
            if address == MSTATUS:
                self.mie, self.mpie = new >> 3 & 1, new >> 7 & 1
                return old
            if address == MIE:
                self.enabled = new & 0x888
                return old
            table = self.core.interrupts is not None and self.core.interrupts["vectored"]
            kept = {MTVEC: ~2 if table else ~3, MEPC: ~1 if self.core.compressed else ~3}.get(
                address, MASK
            )
            self.csr[address] = new & kept & MASK
        return old

    def _calls_host(self, d: Decoded, pc: int) -> bool:
        """Whether an ebreak is a semihosting call."""
        if not self.core.semihosting or d.name != "ebreak" or self.length != 4:
            return False
        around = [self._bytes_at(pc - 4, 4), self._bytes_at(pc + 4, 4)]
        return around == [bytes.fromhex("1310f001"), bytes.fromhex("13507040")]

    def _bytes_at(self, address: int, size: int) -> bytes:
        places = range(address, address + size)
        return bytes(self.memory.fetch(each & ~3) >> 8 * (each % 4) & 0xFF for each in places)

    def _system(self, d: Decoded, step: _Step, pc: int) -> None:
        step.klass = "system"
        if self._calls_host(d, pc):
            assert self.x[10] == 3, "of the calls, only that of a character is in random programs"
            address = self.x[11]
            word = self.memory.read_word(address, 0)
            self.memory.console.append(word >> 8 * (address % 4) & 0xFF)
            self.x[10] = 0
            return
        if d.name in {"ecall", "ebreak"}:
            raise Trap(ECALL if d.name == "ecall" else BREAKPOINT)
        step.sleeps = d.name == "wfi" and self.core.interrupts is not None
        if d.name == "mret":
            step.next_pc, step.redirects = self.csr[MEPC], True
            self.mie, self.mpie = self.mpie, 1
