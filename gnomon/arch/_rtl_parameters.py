"""The constants of gnomon's RTL that a machine sets; with the sources they decide a netlist."""

from collections.abc import Iterable

from gnomon.arch._schema import Architecture


def rtl_parameters(architecture: Architecture) -> dict[str, str]:
    """Return the constants of a machine as SystemVerilog, by their declaration (``int HARTS``).

    The machine must be one that gnomon's RTL supports, with a fixed ``core.reset_pc``.
    """
    core, memory, vcu = architecture.core, architecture.memory, architecture.vcu
    pads = vcu.scratchpads if vcu else None
    extensions = vcu.extensions if vcu else ()
    divider = (vcu.divider if vcu else None) or "none"
    postscale = vcu.postscale_shift if vcu else 0
    assert isinstance(core.reset_pc, int)
    return {
        "int HARTS": str(core.harts),
        "bit SUPERSCALAR": _format_bit(core.superscalar),
        "bit COUNT_ALL": _format_bit(core.count_all),
        "DIVIDER": f'"{core.divider}"',
        "logic [31:0] RESET_PC": _format_word(core.reset_pc),
        "logic [19:0] CORE_QUIRKS": _format_bits(core.quirks),
        "int SIMD": str(vcu.simd if vcu else 0),
        "SHARING": f'"{vcu.sharing if vcu else "shared"}"',
        "bit SCALED": _format_bit("kps" in extensions),
        "int POSTSCALE": str(postscale if isinstance(postscale, int) else -1),
        "LANE_DIVIDER": f'"{divider}"',
        "bit DIVIDE_ZERO_RISCV": _format_bit(vcu is not None and vcu.divide_by_zero == "riscv"),
        "int SPM_COUNT": str(pads.count if pads else 1),
        "int SPM_BYTES": str(int(pads.size) if pads else 4),
        "logic [31:0] SPM_BASE": _format_word(pads.base if pads else 0),
        "logic [9:0] VCU_QUIRKS": _format_bits(vcu.quirks) if vcu else "10'd0",
        "logic [31:0] INSTRUCTION_BASE": _format_word(memory.instruction.base),
        "int INSTRUCTION_BYTES": str(int(memory.instruction.size)),
        "logic [31:0] DATA_BASE": _format_word(memory.data.base),
        "int DATA_BYTES": str(int(memory.data.size)),
    }


def _format_bits(quirks: Iterable[tuple[str, bool]]) -> str:
    """Return a vector of truth values; the first key is bit 0."""
    values = [value for _, value in quirks]
    return f"{len(values)}'b{''.join('1' if each else '0' for each in reversed(values))}"


def _format_bit(value: bool) -> str:
    return "1'b1" if value else "1'b0"


def _format_word(value: int) -> str:
    return f"32'h{value:08x}"
