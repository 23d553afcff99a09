"""Placement of a program in the memory of a machine: linker script, ``machine.h``, and checks.

Text starts at the reset address. The T13 has its software-interrupt registers at 0xFF00..0xFFFF, in
the middle of instruction memory. Text that does not fit below them is placed above, and only the
start-up code stays below. Constants, data and stacks are in data memory. In a machine with regions,
``memory.link`` names the region of each; data of a program in a rom or flash is loaded there, and
start-up copies it.
"""

from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.units import counted
from gnomon.program._program import ElfError, Program

RUNTIME = Path(__file__).parent / "runtime"
SWI_REGISTERS = range(0xFF00, 0x10000)
RESET_OFFSET_BYTES = 0x80  # start of the T13, and of machines that start at the entry
STACK_ALIGNMENT_BYTES = 16
USUAL_STACK_BYTES = 16 << 10
TEXT_ASSERTION = "gnomon: text does not fit"


@dataclass(frozen=True, slots=True)
class MemoryLayout:
    """The addresses of a linker script, in bytes."""

    start: int
    text_end: int
    data: int
    data_end: int
    stack_size_bytes: int
    harts: int
    swi: range
    one_memory: bool = False
    stack_top: int = 0
    constants: int | None = None
    """Address of constants apart from the data; ``WITH_TEXT``: after the text."""
    constants_end: int = 0  # of the memory of such constants
    copies_data: bool = False  # data is loaded after the text, and start-up copies it

    @property
    def stack_bottom(self) -> int:
        """First address of the stacks, which lie at the end of their memory."""
        return self.stack_top - self.harts * self.stack_size_bytes

    @property
    def data_limit(self) -> int:
        """First address that data must not reach."""
        return (
            self.stack_bottom if self.data <= self.stack_bottom < self.data_end else self.data_end
        )

    @property
    def below_bytes(self) -> int:
        """Room for text from the start address on, up to the interrupt registers if present."""
        return max(0, (self.swi.start if self.swi else self.text_end) - self.start)

    @property
    def above_bytes(self) -> int:
        """Room for text above the interrupt registers."""
        return self.text_end - self.swi.stop if self.swi else 0


def layout(
    architecture: Architecture, active_harts: int, stack_size_bytes: int | None
) -> MemoryLayout:
    """Return the memory map of a program for this machine.

    A stack has 16 KiB by default, or less if the stacks together would take more than a quarter of
    data memory.
    """
    memory = architecture.memory
    instruction, data, stack = memory.instruction, memory.data, memory.stack
    reset = architecture.core.reset_pc
    start = instruction.base + RESET_OFFSET_BYTES if reset == "entry" else reset
    end = instruction.base + instruction.size
    has_swi = architecture.core.model == "t13" and start < SWI_REGISTERS.stop <= end
    room = stack.size // active_harts & -STACK_ALIGNMENT_BYTES
    memory_for_harts = f"{int(stack.size)} bytes of {_name_of_stack_memory(architecture)} for "
    memory_for_harts += counted(active_harts, "hart")
    if not room:
        raise GnomonError(f"no stack of 16 bytes fits: {memory_for_harts}")
    if stack_size_bytes is None:
        quarter = stack.size // 4 // active_harts & -STACK_ALIGNMENT_BYTES
        stack_size_bytes = min(USUAL_STACK_BYTES, max(quarter, STACK_ALIGNMENT_BYTES))
    if stack_size_bytes % STACK_ALIGNMENT_BYTES or not 16 <= stack_size_bytes <= room:
        raise GnomonError(
            f"a stack of {stack_size_bytes} bytes is impossible: it must be a multiple of 16"
            f" from 16 to {room} ({memory_for_harts})"
        )
    return MemoryLayout(
        start=start,
        text_end=end,
        data=data.base,
        data_end=(data.base + data.size) & -STACK_ALIGNMENT_BYTES,
        stack_size_bytes=stack_size_bytes,
        harts=active_harts,
        swi=SWI_REGISTERS if has_swi else range(0),
        one_memory=memory.is_one,
        stack_top=(stack.base + stack.size) & -STACK_ALIGNMENT_BYTES,
        **_place_constants(architecture),
    )


def _name_of_stack_memory(architecture: Architecture) -> str:
    link = architecture.memory.link
    return "data memory" if link is None else f"region {link.resolved()['stack']}"


WITH_TEXT = -1


def _place_constants(architecture: Architecture) -> dict[str, Any]:
    """Return where constants are and whether start-up copies data, in a machine with regions."""
    memory = architecture.memory
    if memory.link is None:
        return {}
    code, constants = memory.regions[memory.link.text], memory.constants
    found: dict[str, Any] = {"copies_data": not code.writable}
    if constants.base == memory.data.base:
        return found
    found["constants_end"] = constants.base + constants.size
    found["constants"] = WITH_TEXT if constants.base == code.base else constants.base
    return found


def linker_script(place: MemoryLayout, *, above: bool, debug: bool, checked: bool = True) -> str:
    """Return the linker script; ``above`` puts text above the interrupt registers.

    ``debug`` keeps line numbers. Without ``checked``, a program that does not fit is linked too, to
    determine its size.
    """
    below = place.start + place.below_bytes
    assertions = {
        f"_start_text_end <= {below:#x}": TEXT_ASSERTION,
        f"_text_end <= {place.text_end if above else below:#x}": TEXT_ASSERTION,
    }
    data, after_text = f"{place.data:#x}", f"MAX(ALIGN(16), {place.swi.stop:#x})"
    if place.one_memory:
        data = after_text
    constants, at, first = f"{data} :", "ALIGN(16)", ".rodata"
    if place.constants is not None:
        constants = after_text if place.constants == WITH_TEXT else f"{place.constants:#x}"
        constants, first = f"{constants} :", ".data"
        assertions[f"_constants_end <= {place.constants_end:#x}"] = "gnomon: constants do not fit"
        # After the text, not after constants that are elsewhere.
        at = f"MAX((_text_end + 15) & ~15, {place.swi.stop:#x})" if place.one_memory else data
    if place.copies_data:
        above_constants = "_constants_end" if place.constants == WITH_TEXT else "_text_end"
        load = f"MAX((({above_constants}) + 15) & ~15, {place.swi.stop:#x})"
        if first == ".data":
            at += f" : AT({load})"
        else:
            constants += f" AT({load})"
            at += " : AT(LOADADDR(.rodata) + ADDR(.data) - ADDR(.rodata))"
        assertions[f"_data_load_end <= {place.text_end:#x}"] = "gnomon: data does not fit the text"
    limit = "_stack_bottom" if place.data_limit == place.stack_bottom else f"{place.data_end:#x}"
    assertions[f"_data_end <= {limit}"] = "gnomon: data does not fit"
    lines = (f'ASSERT({test}, "{message}")' for test, message in assertions.items())
    return Template((RUNTIME / "link.ld").read_text("utf-8")).substitute(
        start=f"{place.start:#x}",
        text=f"{place.swi.stop:#x}" if above else "_start_text_end",
        constants=constants,
        constants_start="_constants = .;" if place.constants is not None else "_data = .;",
        constants_end="_constants_end = .;" if place.constants is not None else "",
        data=at if ":" in at else f"{at} :",
        data_start="_data = .;" if place.constants is not None else "",
        loads=Template(_LOADS).substitute(first=first) if place.copies_data else "",
        stack_top=f"{place.stack_top:#x}",
        stack_bottom=f"{place.stack_bottom:#x}",
        stack_size=f"{place.stack_size_bytes:#x}",
        # The compiler's own library comes with a megabyte of debug information.
        discarded="*compiler_rt*:*(.debug*)" if debug else "*(.debug*)",
        assertions="\n".join(lines) if checked else "",
    )


_LOADS = """
_data_load = LOADADDR($first);
_data_copied = ADDR($first);
_data_copied_end = ADDR(.data) + SIZEOF(.data);
_data_load_end = LOADADDR(.data) + SIZEOF(.data);
"""


def machine_header(architecture: Architecture, place: MemoryLayout | None) -> str:
    """Return ``machine.h``: the machine for C and assembly. All values are plain integers.

    Without a layout, as for the host, it has no values of memory and active harts.
    """
    vcu = architecture.vcu
    values: dict[str, int] = {
        "GNOMON_HARTS": architecture.core.harts,
        "GNOMON_CORE_T13": int(architecture.core.model == "t13"),
        "GNOMON_CLOCK_HZ": architecture.clock,
        "GNOMON_HAS_VCU": int(vcu is not None),
    }
    if place is not None:
        memory = architecture.memory
        values |= {
            "GNOMON_ACTIVE_HARTS": place.harts,
            "GNOMON_STACK_BYTES": place.stack_size_bytes,
            "GNOMON_INSTRUCTION_BASE": memory.instruction.base,
            "GNOMON_INSTRUCTION_BYTES": memory.instruction.size,
            "GNOMON_DATA_BASE": memory.data.base,
            "GNOMON_DATA_BYTES": memory.data.size,
        }
        if place.copies_data:
            values["GNOMON_COPY_DATA"] = 1
    if not architecture.core.isa.endswith("_zicsr"):
        values["GNOMON_NO_CSRS"] = 1
    if vcu is not None:
        values |= {
            "GNOMON_SIMD": vcu.simd,
            "GNOMON_SPM_COUNT": vcu.scratchpads.count,
            "GNOMON_SPM_BYTES": vcu.scratchpads.size,
            "GNOMON_SPM_BASE": vcu.scratchpads.base,
            f"GNOMON_VCU_{vcu.sharing.upper()}": 1,
        }
        values |= {f"GNOMON_VCU_HAS_{name.upper().replace('-', '_')}": 1 for name in vcu.extensions}
        if "kdiv" in vcu.extensions:
            values["GNOMON_VCU_DIVIDE_BY_ZERO_RISCV"] = int(vcu.divide_by_zero == "riscv")
        if "kps" in vcu.extensions:
            shift = vcu.postscale_shift
            values["GNOMON_VCU_POSTSCALE_SHIFT"] = -1 if shift == "mpsclfac" else int(shift)
    lines = "".join(f"#define {name} {_format_literal(value)}\n" for name, value in values.items())
    return f"/* The machine a program is built for; generated. */\n#pragma once\n{lines}"


def _format_literal(value: int) -> str:
    # Hexadecimal constants above 2^31 are unsigned in C and valid in assembly; a suffix is not.
    return f"{value:#x}" if value >= 1 << 31 else str(int(value))


def check_placement(program: Program, architecture: Architecture, place: MemoryLayout) -> None:
    """Reject a program with a part outside its memory, regardless of section names."""
    check_sizes(program, architecture, place)
    if architecture.memory.regions:
        _check_regions(program, architecture, place)
        return
    for segment in program.segments:
        in_text = place.start <= segment.address < place.text_end
        low, high = (place.start, place.text_end) if in_text else (place.data, place.stack_bottom)
        if place.one_memory:
            low, high = place.start, place.stack_bottom
        in_swi = segment.address < place.swi.stop and place.swi.start < segment.end
        if in_swi or segment.address < low or segment.end > high:
            raise ElfError(
                f"{program.name}: {segment.size_bytes} bytes at {segment.address:#010x} are outside"
                f" the memories of {architecture.name} that programs may use"
            )


def _check_regions(program: Program, architecture: Architecture, place: MemoryLayout) -> None:
    """Reject a part outside the regions, in the registers of the T13, or in the stacks."""
    stacks = range(place.stack_bottom, place.stack_top)
    for segment in program.segments:
        inside = any(
            span.base <= segment.address and segment.end <= span.end
            for span in architecture.memory.spans
        )
        taken = any(
            segment.address < each.stop and each.start < segment.end for each in (place.swi, stacks)
        )
        if taken or not inside:
            raise ElfError(
                f"{program.name}: {segment.size_bytes} bytes at {segment.address:#010x} are outside"
                f" the regions of {architecture.name} that programs may use"
            )


def check_sizes(program: Program, architecture: Architecture, place: MemoryLayout) -> None:
    """Reject text or data that is larger than its memory."""
    start_end, text, text_end, data, data_end = (
        program.symbol(name).address
        for name in ("_start_text_end", "_text", "_text_end", "_data", "_data_end")
    )
    text_bytes = text_end - text + start_end - place.start
    start_fits = start_end - place.start <= place.below_bytes
    fits_above = start_fits and text_end - text <= place.above_bytes
    if text_bytes > place.below_bytes and not fits_above:
        room = (
            f"{place.below_bytes} bytes below the software-interrupt registers at"
            f" {place.swi.start:#x} and {place.above_bytes} bytes above them"
            if place.swi
            else f"{place.below_bytes} bytes"
        )
        raise ElfError(
            f"{program.name}: {text_bytes} bytes of text do not fit the instruction memory of"
            f" {architecture.name}: it has {room}"
        )
    if data_end > place.data_limit:
        room_bytes = place.data_end - (data if place.one_memory else place.data)
        stacks = f" and {place.harts} stack(s) of {place.stack_size_bytes} bytes"
        raise ElfError(
            f"{program.name}: {data_end - data} bytes of data"
            f"{stacks if place.data_limit == place.stack_bottom else ''} do not fit the data memory"
            f" of {architecture.name}: it has {room_bytes} bytes"
        )
    if place.constants is not None:
        end = program.symbol("_constants_end").address
        _check_end(program, architecture, "constants", end - place.constants_end)
    if place.copies_data:
        end = program.symbol("_data_load_end").address
        _check_end(program, architecture, "the data that start-up copies", end - place.text_end)


def _check_end(program: Program, architecture: Architecture, what: str, beyond_bytes: int) -> None:
    """Reject sections beyond the end of their region."""
    if beyond_bytes > 0:
        link = architecture.memory.link
        assert link is not None
        name = link.resolved()["constants" if what == "constants" else "text"]
        raise ElfError(
            f"{program.name}: {what} end {beyond_bytes} bytes beyond region {name} of"
            f" {architecture.name} (memory.regions.{name}.size)"
        )
