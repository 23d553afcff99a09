"""The SystemVerilog between gnomon's vector unit and the vector instructions of units, generated.

The top module of such a unit computes one element (docs/guide/unit-vector.md). ``t13_units_lanes``
has as many of it as elements fit a word, for each lane. Codes of instructions differ from
``funct7`` of all other vector instructions; ``t13_units_pkg`` has their sets, as ``vcu_pkg``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, get_args

from gnomon.arch.units._unit import ELEMENT_BITS, Unit, UnitInstruction, VectorPart
from gnomon.arch.units.area import rtl_digest
from gnomon.base.errors import GnomonError

FIRST_CODE: Final = 64
_LANE: Final = "gnomon_lane"  # module of one lane alone
_NO_CODE: Final = 127
_LEAST_DEPTH: Final = 8  # stages of the longest instruction of the machine's own
_PARTS: Final = ("adder", "comparator", "multiplier", "shifter", "accumulator", "divider")
"""Functional units of the vector unit, in the order of vcu.sv."""

_STAGES: Final = {False: 3, True: 4}
"""Stages of an instruction without registers from operands to result; by whether it reduces."""


def least_cycles(*, reduces: bool) -> int:
    """Return the fewest cycles of a vector instruction in gnomon's vector unit."""
    return _STAGES[reduces]


def registers_of(each: UnitInstruction) -> int:
    """Return the registers from the operands of an element to its result."""
    assert each.vector is not None
    return each.model.least_cycles - _STAGES[each.vector.reduces]


def vector_instructions(unit: Unit) -> tuple[UnitInstruction, ...]:
    """Return the vector instructions of a unit."""
    return tuple(each for each in unit.instructions if each.vector is not None)


def coded(units: Sequence[Unit]) -> list[tuple[int, int, UnitInstruction]]:
    """Return code, number of the unit and instruction of all vector instructions."""
    users = [unit for unit in units if unit.is_vector]
    rows = [(part, each) for part, unit in enumerate(users) for each in vector_instructions(unit)]
    return [(FIRST_CODE + k, part, each) for k, (part, each) in enumerate(rows)]


def vector_modules(units: Sequence[Unit]) -> str:
    """Return package and modules about vector instructions; without any they have no effect."""
    rows, users = coded(units), [unit for unit in units if unit.is_vector]
    parts = max(1, len(users))
    longest = [each.model.least_cycles for _, _, each in rows]
    timing = [
        f"      7'd{code}: {{stages, part, needs}} ="
        f" {{7'd{each.model.least_cycles}, 1'd{part}, {6 + parts}'b{_needs(part, parts, each)}}};"
        for code, part, each in rows
    ]
    lanes = [
        f"    if (PART == {k}) begin : g_{k}\n"
        f"      {_module(unit)} #(.SIMD(SIMD)) lanes (\n"
        "          .clk, .advance, .code, .width, .c, .counted, .a, .b, .result\n      );\n    end"
        for k, unit in enumerate(users)
    ]
    return "\n".join([
        "package t13_units_pkg;",
        f"  localparam int PARTS = {parts};",
        f"  localparam int DEPTH = {max(_LEAST_DEPTH, *longest, 0)};",
        f"  localparam logic [6:0] NO_CODE = 7'd{_NO_CODE};",
        _declare_set("OWN", rows),
        _declare_set("RS2_VECTOR", rows, lambda each: each.row.rs2 == "spm_vector"),
        _declare_set("RS2_REGISTER", rows, lambda each: each.row.rs2 == "register_scalar"),
        _declare_set("RD_WORD", rows, _reduces),
        _declare_set("IMMEDIATE", rows, lambda each: each.third == "immediate"),
        "endpackage", "",
        "module t13_units_timing (",
        "    input  logic [6:0] code,",
        "    output logic [6:0] stages,",
        "    output logic       part,",
        f"    output logic [{5 + parts}:0] needs",
        ");",
        "  always @* begin",
        "    case (code)", *timing,
        f"      default: {{stages, part, needs}} = {14 + parts}'d0;",
        "    endcase", "  end", "endmodule", "",
        "module t13_units_lanes #(",
        "    parameter int SIMD = 1,", "    parameter int PART = 0",
        *_LANE_PORTS, "  generate", *lanes,
        *([] if lanes else ["    assign result = '0;"]), "  endgenerate", "endmodule", "",
        *(lanes_module(unit, _module(unit), rows) for unit in users),
    ])  # fmt: skip


_LANE_PORTS: Final = (
    ") (",
    "    input  logic               clk,",
    "    input  logic               advance,",
    "    input  logic [        6:0] code,",
    "    input  logic [        1:0] width,   // MVTYPE",
    "    input  logic [       31:0] c,",
    "    input  logic [ 4*SIMD-1:0] counted, // bytes of the vector; others are not summed",
    "    input  logic [32*SIMD-1:0] a,",
    "    input  logic [32*SIMD-1:0] b,",
    "    output logic [32*SIMD-1:0] result",
    ");",
)
"""Ports of lanes: result is a vector of elements, or the sum of those of each lane."""


def _module(unit: Unit) -> str:
    return f"t13_units_lanes_{unit.name.replace('-', '_')}"


def _declare_set(
    name: str,
    rows: Iterable[tuple[int, int, UnitInstruction]],
    has: Callable[[UnitInstruction], bool] = lambda _: True,
) -> str:
    bits = sum(1 << code for code, _, each in rows if has(each))
    return f"  localparam logic [127:0] {name} = 128'h{bits:032x};"


def _reduces(each: UnitInstruction) -> bool:
    return each.vector is not None and each.vector.reduces


def _needs(part: int, parts: int, each: UnitInstruction) -> str:
    assert each.vector is not None
    held = {_PARTS.index(name) for name in each.vector.holds} | {len(_PARTS) + part}
    return f"{sum(1 << bit for bit in held):0{len(_PARTS) + parts}b}"


def lanes_module(
    unit: Unit, name: str, rows: Sequence[tuple[int, int, UnitInstruction]] | None = None
) -> str:
    """Return the module that applies a unit to all elements of a beat.

    Args:
        unit: a unit with vector instructions and SystemVerilog.
        name: of the module.
        rows: codes of the instructions of the machine; None: of this unit alone.
    """
    mine = vector_instructions(unit)
    codes = [(code, each) for code, _, each in rows or coded([unit]) if each in mine]
    widths = sorted({bits for each in mine if each.vector for bits in each.vector.elements})
    elements = range(32 // widths[0])
    sums = [f"code == 7'd{code}" for code, each in codes if _reduces(each)]
    chosen = f"({' || '.join(sums)}) ? sum : map" if sums else "map"
    if len(sums) == len(codes):
        chosen = "sum"
    return "\n".join([
        f"module {name} #(", "    parameter int SIMD = 1", *_LANE_PORTS,
        "  logic [31:0] word;", "  always @* begin", "    case (code)",
        *(f"      7'd{code}: word = 32'h{each.row.match:08x};" for code, each in codes),
        "      default: word = 32'd0;", "    endcase", "  end",
        "  genvar i;", "  generate",
        "    for (i = 0; i < SIMD; i++) begin : g_lane",
        *(line for k in elements for line in _element(unit, k, widths)),
        "      logic [31:0] sum, map;",
        "      assign sum = " + " + ".join(f"(in_{k} ? r_{k} : 32'd0)" for k in elements) + ";",
        "      assign map = " + _choose(widths, [_pack(bits) for bits in widths]) + ";",
        f"      assign result[32*i+:32] = {chosen};",
        "    end", "  endgenerate", "endmodule", "",
    ])  # fmt: skip


def _element(unit: Unit, k: int, widths: Sequence[int]) -> Iterator[str]:
    """Yield operands, membership and instance of element k of a word."""
    assert unit.rtl is not None
    fitting = [bits for bits in widths if k < 32 // bits]
    yield f"      logic [31:0] a_{k}, b_{k}, r_{k};"
    yield f"      logic in_{k};"
    for port in "ab":
        parts = [_extend(port, k, bits) for bits in fitting]
        yield f"      assign {port}_{k} = {_choose(fitting, parts)};"
    inside = [f"counted[4*i+{k * bits // 8}]" for bits in fitting]
    others = [bits for bits in widths if bits not in fitting]
    inside += ["1'b0"] * len(others)
    yield f"      assign in_{k} = {_choose([*fitting, *others], inside)};"
    values = ", ".join(f".{each.name.upper()}({each.value})" for each in unit.parameters)
    yield (
        f"      {unit.rtl.top}{f' #({values})' if values else ''} element_{k} (.clk, .advance,"
        f" .word, .a(a_{k}), .b(b_{k}), .c, .result(r_{k}));"
    )


def _extend(port: str, k: int, bits: int) -> str:
    if bits == 32:
        return f"{port}[32*i+:32]"
    top = (k + 1) * bits - 1
    return f"{{{{{32 - bits}{{{port}[32*i+{top}]}}}}, {port}[32*i+{k * bits}+:{bits}]}}"


def _pack(bits: int) -> str:
    return "{" + ", ".join(f"r_{k}[{bits - 1}:0]" for k in reversed(range(32 // bits))) + "}"


def _choose(widths: Sequence[int], parts: Sequence[str]) -> str:
    """Return the expression that selects a part by MVTYPE."""
    tests = [f"width == 2'd{ELEMENT_BITS.index(bits)} ? {part} : "
             for bits, part in zip(widths[:-1], parts[:-1], strict=True)]  # fmt: skip
    return "".join(tests) + parts[-1]


assert set(get_args(VectorPart)) < set(_PARTS)


class Hardware(NamedTuple):
    """What is synthesized for a unit; of a vector unit one lane, with its choice of elements."""

    files: tuple[tuple[str, str], ...]  # name and text
    top: str
    parameters: dict[str, int]

    @property
    def digest(self) -> str:
        """Digest of the SystemVerilog as tables of area and energy name it."""
        return rtl_digest(self.files, self.top)


def hardware_of(unit: Unit) -> Hardware:
    """Return the SystemVerilog of a unit to synthesize.

    Raises:
        GnomonError: if it has none.
    """
    if unit.rtl is None:
        raise GnomonError(f"unit {unit.name} has no SystemVerilog (rtl in its unit.yaml)")
    if unit.is_vector:
        lane = ("gnomon_lane.sv", lanes_module(unit, _LANE))
        return Hardware((*unit.rtl.files, lane), _LANE, {})
    values = {each.name.upper(): each.value for each in unit.parameters}
    return Hardware(unit.rtl.files, unit.rtl.top, values)
