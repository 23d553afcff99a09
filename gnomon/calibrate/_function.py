"""Function of a core before its timing: its stores and results, compared with the ISA."""

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._compare import Items, minimize
from gnomon.calibrate._device import Observed, RtlDevice, Waits, isa_path, isa_states, program_of
from gnomon.calibrate._function_cases import Case, list_cases
from gnomon.calibrate._measure import Refused
from gnomon.calibrate._programs import is_straight, list_words, whole
from gnomon.calibrate._varied_programs import varied_items
from gnomon.isa import ABI_NAMES, decode_word, disassemble, encode, size_bytes
from gnomon.program import Program

_REST: Final = Waits(0, 0)
_WAITED: Final = Waits(2, 3)
_SEEDS: Final = 8
_SIZE: Final = 1500  # instructions of a random program
_UNSTORED: Final = 40  # items after which all registers are stored
_MOST_TRIES: Final = 100
_CYCLES: Final = 200  # of one instruction, on average, at most
_MASK: Final = 0xFFFF_FFFF
_KNOWN: Final = [encode("addi", rd=register) for register in range(1, 32)]

Words = list[tuple[int, int | None]]
"""Stores in order: address of the word, and its content after the store."""


class _Wrong(NamedTuple):
    """The first instruction after which the core differs from the ISA."""

    number: int
    """Number of the instruction in the path of the ISA."""
    text: str


def check_function(device: RtlDevice) -> None:
    """Compare what a core computes with the ISA, without regard to cycles.

    First every instruction on some operands, apart from others; then random programs, some of them
    with wait states.

    Raises:
        Refused: if it computes wrongly; the message names the instruction, operands, the expected
            and the computed value, and has a short program.
    """
    _check_each(device)
    for seed in range(_SEEDS):
        items = _store_often(varied_items(seed, device.isa, _SIZE, excluded=device.excluded))
        if seed % 2 == 0:  # a wrong result is easier to name than a wrong path
            items = tuple(filter(is_straight, items))
        waits = _WAITED if seed >= _SEEDS // 2 and device.waits == "any" else _REST
        if _find_wrong(device, items, waits) is not None:
            raise _refuse_random(device, items, waits)


def _store_often(items: Sequence[tuple[int, ...]]) -> Items:
    """Return items with stores of all registers among them, which show results that get lost."""
    stores = [(word,) for word in programs.store_all()]
    parts = (items[n : n + _UNSTORED] for n in range(0, len(items), _UNSTORED))
    return tuple(chain.from_iterable((*part, *stores) for part in parts))


def _refuse_random(device: RtlDevice, items: Items, waits: Waits) -> Refused:
    def fails(candidate: Items) -> bool:
        return _find_wrong(device, candidate, waits) is not None

    items = minimize(items, fails, _MOST_TRIES)
    wrong = _find_wrong(device, items, waits)
    what = "" if wrong is None else wrong.text
    lines = list_words(chain(*items), device.start + 4 * (len(_KNOWN) + programs.BEFORE))
    return Refused("\n".join([f"{device.core.name}: the core computes wrongly: {what}", *lines]))


def _check_each(device: RtlDevice) -> None:
    cases = [case for case in list_cases(device.isa) if case.mnemonic not in device.excluded]
    program = program_of(whole([word for case in cases for word in case.words]), device.start)
    observed, path = _observe(device, program, _REST), isa_path(program, device.isa)
    starts, at = [], device.start + 4 * programs.BEFORE
    for case in cases:
        starts.append(at)
        at += 4 * len(case.words)
    wrong = _first_wrong_pc(program, path, observed) if device.sees_all else None
    most = len(cases)
    if wrong is not None:  # a wrong result of an earlier case may be the reason
        pc = path[max(0, wrong.number - 1)]
        if pc < starts[0]:
            raise _refuse_start(device, program, path[: wrong.number + 1], wrong.text)
        most = max(number for number, start in enumerate(starts) if start <= pc)
    wanted = _contents(_expected_stores(program, path, isa_states(program, device.isa)))
    got = _contents([(s.address, s.lanes, s.value) for s in observed.stores])
    wrongly: dict[str, tuple[Case, int, int | None, int | None]] = {}
    for number, (case, start) in enumerate(zip(cases[:most], starts[:most], strict=True)):
        expected = wanted[number]
        shown = got[number] if number < len(got) else (None, None)
        if shown != expected:
            wrongly.setdefault(case.mnemonic, (case, start, expected[1], shown[1]))
        if number < len(got) and shown[0] != expected[0]:
            break  # further stores do not belong to their cases
    for case, start, expected_value, value in wrongly.values():
        got_text = "no store or undefined bits" if value is None else f"{value:#x}"
        text = f"{case} gives {got_text}, by the ISA {expected_value:#x}"
        raise _refuse(device, case, start, text, tuple(wrongly))
    if wrong is not None:
        raise _refuse(device, cases[most], starts[most], wrong.text, ())


def _refuse_start(device: RtlDevice, program: Program, path: Sequence[int], text: str) -> Refused:
    """Return the message on a core that leaves the first instructions of every program."""
    what = f"{device.core.name}: the core computes wrongly: {text}"
    hint = "; the program has just begun: check reset-pc, retire and the bus adapter, too"
    lines = chain(*(list_words([program.instruction_at(pc)], pc) for pc in path))
    return Refused("\n".join([what + hint, *lines]))


def _refuse(
    device: RtlDevice, case: Case, start: int, text: str, wrongly: Sequence[str]
) -> Refused:
    others = [name for name in wrongly if name != case.mnemonic]
    also = f"; wrong, too: {', '.join(others)}" if others else ""
    names = ", ".join([case.mnemonic, *others])
    hint = case.remedy
    if not hint and case.mnemonic in programs.EXCLUDABLE:
        hint = f"; exclude: [{names}] in core.yaml leaves it out"
    lines = list_words((*case.previous, *case.words), start - 4 * len(case.previous))
    return Refused(
        "\n".join([f"{device.core.name}: the core computes wrongly: {text}{also}{hint}", *lines])
    )


def _observe(device: RtlDevice, program: Program, waits: Waits) -> Observed:
    words = sum(segment.size_bytes for segment in program.segments) // 4
    return device.observe(program, waits, (_CYCLES + 4 * waits.most) * words + 20_000)


def _random_program(device: RtlDevice, items: Items) -> Program:
    """Return items, after which all registers that they write are stored."""
    compressed = size_bytes(device.isa) == 2
    body = [*chain(*items), *programs.store_all()]
    words = [*_KNOWN, *whole(body, compressed=compressed)]
    return program_of(words, device.start, compressed=compressed)


def _find_wrong(device: RtlDevice, items: Items, waits: Waits) -> _Wrong | None:
    """Return the first difference of a random program from the ISA."""
    program = _random_program(device, items)
    observed, path = _observe(device, program, waits), isa_path(program, device.isa)
    states = isa_states(program, device.isa)
    found = [_first_wrong_pc(program, path, observed)] if device.sees_all else []
    found.append(_first_wrong_store(program, path, states, observed))
    if device.sees_values:
        found.append(_first_wrong_result(program, path, states, observed))
    wrong = [each for each in found if each is not None]
    return min(wrong, key=lambda each: each.number) if wrong else None


def _first_wrong_pc(program: Program, path: Sequence[int], observed: Observed) -> _Wrong | None:
    for number, pc in enumerate(path[:-1]):
        retired = observed.retired
        if number < len(retired) and retired[number].pc == pc:
            continue
        before = path[max(0, number - 1)]
        text = f"{before:#x}  {disassemble(program.instruction_at(before), before)}"
        goes = f"goes to {retired[number].pc:#x}" if number < len(retired) else "stops"
        return _Wrong(number, f"after {text} it {goes}, by the ISA to {pc:#x}")
    return None


def _first_wrong_result(
    program: Program, path: Sequence[int], states: Sequence[Sequence[int]], observed: Observed
) -> _Wrong | None:
    for number, (each, state) in enumerate(zip(observed.retired, states, strict=False)):
        if number >= len(path) or each.pc != path[number]:
            return None  # the path differs
        register, value = each.written or (0, None)
        if register and value != state[register]:
            text = _describe(program, path, states, number, value)
            return _Wrong(number, text)
    return None


def _first_wrong_store(
    program: Program, path: Sequence[int], states: Sequence[Sequence[int]], observed: Observed
) -> _Wrong | None:
    numbers = [n for n, pc in enumerate(path[:-1]) if _is_store(program.instruction_at(pc))]
    stores = _expected_stores(program, path, states)
    wanted = _contents(stores)
    got = _contents([(s.address, s.lanes, s.value) for s in observed.stores])
    for n, (number, expected) in enumerate(zip(numbers, wanted, strict=False)):
        shown = got[n] if n < len(got) else (0, None)
        if shown == expected:
            continue
        decoded = decode_word(program.instruction_at(path[number]), compressed=True)
        source = 0 if decoded is None else decoded.rs2
        maker = _last_writer(program, path, number, source)
        lanes = stores[n][1] or 0
        written = (observed.stores[n].lanes or 0) if n < len(observed.stores) else 0
        text = f"{path[number]:#x}  {disassemble(program.instruction_at(path[number]))}"
        if shown[0] != expected[0]:
            where = f"the next store is to the word {shown[0]:#x}" if n < len(got) else "no store"
            return _Wrong(number, f"at {text}: {where}, by the ISA to the word {expected[0]:#x}")
        if maker is None or not _is_value(shown, expected, lanes, written):
            return _Wrong(number, f"{text} stores {_hex(shown[1])}, by the ISA {_hex(expected[1])}")
        first, bits = (lanes & -lanes).bit_length() - 1, 8 * lanes.bit_count()
        value = None if shown[1] is None else shown[1] >> 8 * first & (1 << bits) - 1
        return _Wrong(number, _describe(program, path, states, maker, value, bits))
    return None


def _is_value(
    shown: tuple[int, int | None], expected: tuple[int, int | None], lanes: int, written: int
) -> bool:
    """Return whether a store has the right bytes of a word, of which one that it writes is wrong.

    ``lanes``: bytes that it should write. ``written``: bytes that it writes; perhaps all of the
    word, of which it has read some.
    """
    if shown[1] is None or expected[1] is None:
        return True
    others = sum(0xFF << 8 * lane for lane in range(4) if not lanes >> lane & 1)
    return written & lanes == lanes and not (shown[1] ^ expected[1]) & others


def _last_writer(program: Program, path: Sequence[int], number: int, register: int) -> int | None:
    """Return the last instruction before one that writes a register; None for none."""
    for n in range(number - 1, -1, -1):
        decoded = decode_word(program.instruction_at(path[n]), compressed=True)
        if decoded is not None and decoded.instruction.rd and decoded.rd == register:
            return n
    return None


def _describe(
    program: Program,
    path: Sequence[int],
    states: Sequence[Sequence[int]],
    number: int,
    value: int | None,
    bits: int = 32,
) -> str:
    """Return an instruction with its operands, and the expected and the shown result.

    ``bits``: how many of the lowest bits of the result are shown.
    """
    word = program.instruction_at(path[number])
    decoded = decode_word(word, compressed=True)
    assert decoded is not None
    before = states[number - 1] if number else [0] * 32
    row = decoded.instruction
    sources = [getattr(decoded, name) for name in ("rs1", "rs2") if getattr(row, name)]
    operands = ", ".join(f"{ABI_NAMES[each]} {before[each]:#x}" for each in dict.fromkeys(sources))
    text = f"{path[number]:#x}  {disassemble(word, path[number])}"
    on = f" on {operands}" * bool(operands)
    part = f" in its lowest {bits} bits" * (bits < 32)
    expected = states[number][decoded.rd] & (1 << bits) - 1
    return f"{text}{on} gives {_hex(value)}{part}, by the ISA {_hex(expected)}"


def _hex(value: int | None) -> str:
    return "undefined bits or nothing" if value is None else f"{value:#x}"


def _is_store(word: int) -> bool:
    decoded = decode_word(word, compressed=True)
    return decoded is not None and decoded.instruction.timing_class == "store"


def _expected_stores(
    program: Program, path: Sequence[int], states: Sequence[Sequence[int]]
) -> list[tuple[int | None, int | None, int | None]]:
    """Return address, byte lanes and bus word of each store of a program, except the final one."""
    found: list[tuple[int | None, int | None, int | None]] = []
    for number, pc in enumerate(path[:-1]):
        decoded = decode_word(program.instruction_at(pc), compressed=True)
        if decoded is None or decoded.instruction.timing_class != "store":
            continue
        before = states[number - 1] if number else [0] * 32
        address = (before[decoded.rs1] + decoded.imm) & _MASK
        size = {"b": 1, "h": 2, "w": 4}[decoded.instruction.mnemonic[1]]
        lane = address % 4
        value = before[decoded.rs2] % 2 ** (8 * size)
        found.append((address, ((1 << size) - 1) << lane, value << 8 * lane))
    return found


def _contents(stores: Sequence[tuple[int | None, int | None, int | None]]) -> Words:
    """Return the content of the word after each store; memory is 0 at first."""
    memory: dict[int, int] = {}
    found: Words = []
    for address, lanes, value in stores:
        if address is None or lanes is None or value is None:
            found.append((0 if address is None else address & ~3, None))
            continue
        word = address & ~3
        mask = sum(0xFF << 8 * lane for lane in range(4) if lanes >> lane & 1)
        memory[word] = memory.get(word, 0) & ~mask | value & mask
        found.append((word, memory[word]))
    return found
