"""Random programs for an in-order core: everything it can do and wait for, from one generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.exactness import _assembler as asm

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

CODE, DATA = 0x80, asm.DATA_BASE
_SPM_BYTES = 4096
_VALUES = range(1, 16)
_RD, _RS1, _RS2, _BASE, _FAR, _LOOP, _T, _U, _H = 16, 17, 18, 24, 25, 28, 29, 30, 31
_COUNT = 20
_REGISTER_RS2 = {"ksvaddrf", "ksvmulrf", "ksrav", "ksrlv", "ksvslt"}
_CSRS = (asm.MCYCLE, asm.MINSTRET, asm.MCAUSE, 0x340, 0x343)
_UNKNOWN_CSR = 0x7B0
_COMPARE, _TIME = 0x4000, 0xBFF8  # of a clint
_MIE = 0x304
_COUNTED = 0x7C0  # interrupts so far, in the data
SOFTWARE, TIMER, EXTERNAL = 3, 7, 11  # causes


class Mixed(asm.Assembler):
    """An assembler of instructions of 16 bits, too."""

    def __init__(self, base: int) -> None:
        super().__init__(base)
        self._parts: list[int | None] = []  # a halfword; None: the next of the words

    @property
    def here(self) -> int:
        return self.base + sum(4 if part is None else 2 for part in self._parts)

    def word(self, word: int) -> int:
        address = self.here
        super().word(word)
        self._parts.append(None)
        return address

    def half(self, halfword: int) -> None:
        """Append a compressed instruction."""
        self._parts.append(halfword)

    def code(self) -> bytes:
        words = iter(self.words)
        return b"".join(
            next(words).to_bytes(4, "little") if part is None else part.to_bytes(2, "little")
            for part in self._parts
        )


def random_program(
    rng: random.Random,
    *,
    vector: bool,
    compressed: bool = False,
    loops: bool = False,
    places: Sequence[tuple[int, bool]] = (),
    uart: tuple[int, int] | None = None,
    clint: tuple[int, int] | None = None,
    vectored: bool = False,
    host: bool = False,
) -> list[tuple[int, bytes]]:
    """Segments of a program that ends by itself; its entry is ``CODE``.

    loops: with short loops that end in a branch back.
    places: addresses of further 2 KiB that it loads from, and stores to where that is allowed.
    uart: base and stride of a UART that it uses.
    clint: base and cycles of a count of a clint, by whose interrupts it is interrupted.
    vectored: mtvec may be vectored.
    host: with semihosting calls.
    """
    a = Mixed(CODE)
    start = a.word(0)
    handler = a.here
    if clint is not None:
        _interrupt_handler(a, rng, *clint, uart)
    a.csrr(_H, asm.MEPC)
    a.addi(_H, _H, 4)
    a.csrrw(0, asm.MEPC, _H)
    a.mret()
    asm.patch_jump(a, start, a.here)
    a.li(_T, handler + (rng.randrange(2) if vectored else 0))
    a.csrrw(0, asm.MTVEC, _T)
    a.li(_BASE, DATA)
    if clint is not None:
        _start_timer(a, rng, clint[0], 0x888 if uart else 0x88)
    for register in _VALUES:
        a.li(register, rng.choice([0, 1, 2, 7, rng.getrandbits(8), rng.getrandbits(32)]))
    body = _Body(a, rng, vector=vector, compressed=compressed, loops=loops)
    body.places, body.uart, body.clint, body.host = places, uart, clint, host
    a.addi(_LOOP, 0, rng.randint(1, 3))
    loop = a.here
    for _ in range(rng.randint(5, 60)):
        body.instruction()
    a.addi(_LOOP, _LOOP, -1)
    a.branch(0, _LOOP, 0, a.here + 8)
    a.jal(0, loop)
    for register in _VALUES:
        a.sw(register, 0x700 + 4 * register, _BASE)
    asm.exit_with(a, rng.getrandbits(32))
    return [(CODE, a.code()), (DATA, rng.randbytes(0x700))]


def _interrupt_handler(
    a: Mixed, rng: random.Random, base: int, every: int, uart: tuple[int, int] | None
) -> None:
    """A table of jumps; the handler counts, and sets the timer a while after now."""
    first = a.here + 4 * (EXTERNAL + 1)
    handlers = {0: first, SOFTWARE: first + 16, TIMER: first + 8, EXTERNAL: first + 12}
    for cause in range(EXTERNAL + 1):
        a.jal(0, handlers.get(cause, handlers[0]))
    a.csrr(_H, asm.MCAUSE)
    past = a.here  # exceptions go on after the handler of interrupts
    a.word(0)
    a.addi(_H, 0, 0)  # here a vectored timer interrupt begins
    a.addi(_H, _H, 1)
    a.li(_U, base)  # and here a software interrupt
    a.sw(0, 0, _U)
    if uart is not None:  # the UART is silent until it has sent a byte, or is told to request
        a.li(_U, uart[0] + 2 * uart[1])
        a.i(0x03, 4, _H, _U, 0)
    a.lw(_H, _COUNTED, _BASE)
    a.addi(_H, _H, 1)
    a.sw(_H, _COUNTED, _BASE)
    a.li(_U, base + _TIME)
    a.lw(_H, 0, _U)
    a.addi(_H, _H, rng.randint(400, 900) // every + 1)
    a.li(_U, base + _COMPARE)
    a.sw(_H, 0, _U)
    a.mret()
    target = a.here
    a.words[(past - a.base) // 4] = _branch_word(past, target)


def _branch_word(place: int, target: int) -> int:
    """``bge _H, x0`` at a place: the cause is none of an interrupt."""
    other = asm.Assembler(place)
    other.branch(5, _H, 0, target)
    return other.words[0]


def _start_timer(a: Mixed, rng: random.Random, base: int, enabled: int) -> None:
    a.li(_T, base + _COMPARE)
    a.sw(0, 4, _T)
    a.addi(_U, 0, rng.randrange(60))
    a.sw(_U, 0, _T)
    a.li(_U, enabled)
    a.csrrw(0, _MIE, _U)
    a.csrrwi(0, asm.MSTATUS, 8)


class _Body:
    def __init__(
        self, a: Mixed, rng: random.Random, *, vector: bool, compressed: bool, loops: bool
    ) -> None:
        self.a, self.rng, self.vector, self.compressed = a, rng, vector, compressed
        self.loops = loops
        self.places: Sequence[tuple[int, bool]] = ()
        self.uart: tuple[int, int] | None = None
        self.clint: tuple[int, int] | None = None
        self.host = False

    def instruction(self) -> None:
        kinds = {
            self._loop: 12 if self.loops else 0,
            self._alu: 20, self._muldiv: 14, self._load: 20, self._store: 10, self._branch: 10,
            self._jump: 5, self._csr: 5, self._system: 6, self._kdsp: 12 if self.vector else 0,
            self._kmem: 12 if self.vector else 0, self._set: 5 if self.vector else 0,
            self._short: 60 if self.compressed else 0, self._talk: 12 if self.uart else 0,
            self._time: 30 if self.clint else 0, self._call_host: 8 if self.host else 0,
        }  # fmt: skip
        self.rng.choices(list(kinds), list(kinds.values()))[0]()

    def _value(self) -> int:
        return self.rng.choice(_VALUES)

    def _target(self) -> int:
        """A destination register; few of them, so that results are read soon."""
        return self.rng.choice([0, 1, 2, 3, 4, self._value()])

    def _source(self) -> int:
        return self.rng.choice([1, 2, 3, 4, self._value()])

    def _alu(self) -> None:
        rng, a = self.rng, self.a
        funct3 = rng.randrange(8)
        match rng.randrange(4):
            case 0:
                funct7 = rng.choice([0, 0x20]) if funct3 in {0, 5} else 0
                a.r(0x33, funct3, funct7, (self._target(), self._source(), self._source()))
            case 1:
                a.word(rng.getrandbits(20) << 12 | self._target() << 7 | rng.choice([0x37, 0x17]))
            case _:
                imm = rng.getrandbits(5 if funct3 in {1, 5} else 12)
                a.i(0x13, funct3, self._target(), self._source(), imm)

    def _short(self) -> None:
        rng, a = self.rng, self.a
        rd, rs2, some = self._target(), self._source(), 8 + rng.randrange(8)
        bits, imm = rng.getrandbits(6), rng.randint(1, 31)
        both = (imm & 32) << 7 | (imm & 31) << 2
        match rng.randrange(9):
            case 0:  # c.addi, c.li
                a.half(rng.choice([0x0001, 0x4001]) | rd << 7 | (bits & 32) << 7 | (bits & 31) << 2)
            case 1:  # c.lui
                a.half(0x6001 | (rd if rd != 2 else 3) << 7 | both)
            case 2:  # c.slli
                a.half(0x0002 | rd << 7 | both)
            case 3:  # c.mv, c.add
                a.half(rng.choice([0x8002, 0x9002]) | (rd or 1) << 7 | rs2 << 2)
            case 4:  # c.srli, c.srai, c.andi
                a.half(0x8001 | rng.randrange(3) << 10 | (some - 8) << 7 | both)
            case 5:  # c.sub, c.xor, c.or, c.and
                a.half(0x8C01 | (some - 8) << 7 | (bits & 31) << 2)
            case 6:  # c.lwsp, c.swsp at the data
                a.addi(2, _BASE, 4 * rng.randrange(32))
                if rng.random() < 0.5:
                    a.half(0x4002 | (rd or 1) << 7 | (bits & 7) << 4)
                else:
                    a.half(0xC002 | (bits & 15) << 9 | rs2 << 2)
            case 7:  # c.j, c.jal, c.beqz, c.bnez over a number of instructions
                skipped = rng.randint(0, 2)
                opcode = rng.choice([0xA001, 0x2001, 0xC001 | (some - 8) << 7, 0xE001])
                over = 2 + 4 * skipped  # bits 3:1 of the offset
                jump = opcode in {0xA001, 0x2001}
                a.half(opcode | (over >> 1 & 7) << 3 if jump else
                       opcode | (over >> 3 & 3) << 10 | (over >> 1 & 3) << 3)  # fmt: skip
                for _ in range(skipped):
                    self._alu()
            case _:  # c.ebreak, the trap handler returns 4 bytes after it; or reserved
                a.half(rng.choice([0x9002, 0x0000, 0x6101]))
                a.half(0x0001)

    def _muldiv(self) -> None:
        name = self.rng.choice(list(asm.MULDIV_FUNCT3))
        self.a.muldiv(name, self._target(), self._source(), self.rng.choice([0, *_VALUES]))

    def _load(self) -> None:
        rng, a, rd = self.rng, self.a, self._target()
        a.i(0x03, rng.choice([0, 1, 2, 2, 4, 5]), rd, self._base(), self._offset())
        if rng.random() < 0.3:  # a newer result in the same register, and a reader
            a.addi(rd, _BASE, rng.getrandbits(8))
            a.addi(self._target(), rd, 1)
        if rng.random() < 0.4:
            self._alu()

    def _store(self) -> None:
        self.a.s(self.rng.choice([0, 1, 2]), self._source(), self._base(store=True), self._offset())

    def _base(self, *, store: bool = False) -> int:
        """The register with the address of some data."""
        places = [at for at, writable in self.places if writable or not store]
        if not places or self.rng.random() < 0.4:
            return _BASE
        self.a.li(_FAR, self.rng.choice(places))
        return _FAR

    def _offset(self) -> int:
        aligned = 4 * self.rng.randrange(0x180)
        return aligned + self.rng.choice([0, 0, 0, 0, 1, 2, 3])

    def _talk(self) -> None:
        """Access any bytes of the registers of the UART."""
        assert self.uart is not None
        rng, a, (base, stride) = self.rng, self.a, self.uart
        size = rng.randrange(3)
        a.li(_FAR, base + rng.randrange(8 * stride - 3 if stride > 1 else 5))
        if rng.random() < 0.2:  # the interrupt of the transmitter on or off
            a.li(_FAR, base + stride)
            a.addi(_T, 0, rng.choice([0, 2, 2, 13, 15]))
            a.s(0, _T, _FAR, 0)
        elif rng.random() < 0.5:
            a.i(0x03, rng.choice([size, size & 1 | 4]), self._target(), _FAR, 0)
        else:
            a.s(size, self._source(), _FAR, 0)

    def _time(self) -> None:
        """Use the clint and what enables its interrupts; the timer always pends again."""
        assert self.clint is not None
        rng, a, (base, every) = self.rng, self.a, self.clint
        match rng.randrange(9):
            case 0:
                a.li(_FAR, base)
                a.addi(_T, 0, 1)
                a.s(rng.randrange(3), _T, _FAR, 0)
            case 1 | 2:  # mtimecmp, or mtime itself, a little after mtime
                a.li(_FAR, base + _TIME)
                a.lw(_T, 0, _FAR)
                a.addi(_T, _T, rng.randint(-3, 120 // every + 2))
                if rng.random() < 0.7:
                    a.li(_FAR, base + _COMPARE)
                a.sw(_T, 0, _FAR)
            case 3:
                place = rng.choice([0, _COMPARE, _COMPARE + 4, _TIME, _TIME, _TIME + 4])
                inside = 0 if place == _TIME + 4 else rng.choice([0, 0, 0, 1, 2, 3])
                a.li(_FAR, base + place + inside)
                a.i(0x03, rng.choice([0, 1, 2, 2, 4, 5]), self._target(), _FAR, 0)
            case 4:
                a.i(0x73, rng.choice([5, 6, 6, 6, 7]), self._target(), 8, asm.MSTATUS)
            case 5:
                a.li(_T, 0x80 | rng.choice([0, 8, 0x808]))
                a.csrrw(self._target(), _MIE, _T)
            case 6:
                a.csrr(self._target(), rng.choice([asm.MIP, asm.MSTATUS, _MIE, asm.MCAUSE]))
            case _:
                a.wfi()

    def _call_host(self) -> None:
        """Print a character of the data through semihosting, or ebreak without its marks."""
        rng, a = self.rng, self.a
        a.addi(10, 0, 3)
        a.addi(11, _BASE, rng.randrange(0x700))
        if rng.random() < 0.2:
            self._load()  # whose result may be late, in any register
            a.addi(10, 0, 3)
            a.addi(11, _BASE, rng.randrange(0x700))
        marks = [0x01F0_1013, 0x4070_5013]
        if rng.random() < 0.2:
            marks[rng.randrange(2)] ^= 1 << 20
        a.word(marks[0])
        a.word(0x0010_0073)
        a.word(marks[1])
        a.addi(self._target(), 10, 1)

    def _branch(self) -> None:
        rng, a = self.rng, self.a
        skipped = rng.randint(0, 2)
        wrong = 2 if rng.random() < 0.1 and not self.compressed else 0
        target = a.here + 4 * (skipped + 1) + wrong
        a.branch(rng.choice([0, 1, 4, 5, 6, 7]), self._source(), self._source(), target)
        for _ in range(skipped):
            self._alu()

    def _jump(self) -> None:
        rng, a = self.rng, self.a
        skipped = rng.randint(0, 2)
        wrong = 2 if rng.random() < 0.1 and not self.compressed else 0
        if rng.random() < 0.5:
            a.jal(self._target(), a.here + 4 * (skipped + 1) + wrong)
        else:
            a.word(_T << 7 | 0x17)  # auipc with 0
            a.jalr(self._target(), _T, 8 + 4 * skipped + wrong)
        for _ in range(skipped):
            self._alu()

    def _loop(self) -> None:
        """A loop of up to four instructions and a branch, which may be taken out of it."""
        rng, a = self.rng, self.a
        a.addi(_COUNT, 0, rng.randint(1, 4))
        start = a.here
        for _ in range(rng.randint(0, 4)):
            rng.choice([self._alu, self._load, self._branch, self._short if self.compressed
                        else self._store])()  # fmt: skip
        a.addi(_COUNT, _COUNT, -1)
        if rng.random() < 0.5:
            a.branch(5, 0, _COUNT, a.here + 8)
            a.branch(rng.choice([1, 7]), _COUNT, self._source(), start)
        else:
            a.branch(1, _COUNT, 0, start)

    def _csr(self) -> None:
        rng, a = self.rng, self.a
        match rng.randrange(4):
            case 0:
                a.i(0x73, rng.choice([1, 2, 3]), self._target(), self._source(), 0x340)
            case 1:
                a.i(0x73, rng.choice([5, 6, 7]), self._target(), rng.randrange(32), 0x340)
            case 2:
                a.csrrw(self._target(), _UNKNOWN_CSR, self._source())
            case _:
                a.csrr(self._target(), rng.choice(_CSRS))

    def _system(self) -> None:
        a = self.a
        match self.rng.randrange(6):
            case 0:
                a.ecall()
            case 1:
                a.word(0x0010_0073)  # ebreak
            case 2:
                a.wfi()
            case 3:
                a.word(0x0000_0007)
            case 4:
                a.word(0x0000_100F)  # fence.i
            case _:
                a.word(0x0FF0_000F)

    def _place(self, register: int) -> None:
        rng = self.rng
        offset = 4 * rng.randrange(64)
        if rng.random() < 0.03:
            offset = _SPM_BYTES - 4
        self.a.li(register, asm.SPM_BASE + rng.randrange(4) * _SPM_BYTES + offset)

    def _kdsp(self) -> None:
        rng, a = self.rng, self.a
        name = rng.choice(list(asm.KDSP_FUNCT7))
        for register in (_RD, _RS1, _RS2):
            self._place(register)
        rs1 = self._source() if name == "kbcast" else _RS1
        rs2 = self._source() if name in _REGISTER_RS2 else _RS2
        a.kdsp(name, _RD, rs1, rs2)

    def _kmem(self) -> None:
        rng, a = self.rng, self.a
        self._place(_RS1)
        a.addi(_RD, self._base(store=True), 4 * rng.randrange(64) + rng.choice([0] * 9 + [2]))
        if rng.random() < 0.5:
            a.addi(_RS2, 0, rng.choice([0, 4, 8, 32, 64, 66]))
        else:  # its length comes from memory: it waits for the load
            a.addi(_RS2, 0, rng.choice([4, 8, 32, 64]))
            a.sw(_RS2, 0x6F0, _BASE)
            a.lw(_RS2, 0x6F0, _BASE)
        if rng.random() < 0.3:  # so does an address
            register = rng.choice([_RD, _RS1])
            a.sw(register, 0x6F0, _BASE)
            a.lw(register, 0x6F0, _BASE)
        name = rng.choice(["kmemld", "kmemld", "kmemstr"])
        a.kmem(name, *((_RD, _RS1) if name == "kmemstr" else (_RS1, _RD)), _RS2)

    def _set(self) -> None:
        rng, a = self.rng, self.a
        if rng.random() < 0.4:
            a.csrrwi(0, asm.MVTYPE, rng.choice([0, 1, 2]))
        else:
            a.addi(_T, 0, rng.choice([0, 4, 8, 12, 16, 20, 64, 100, 128]))
            a.csrrw(self._target(), asm.MVSIZE, _T)
