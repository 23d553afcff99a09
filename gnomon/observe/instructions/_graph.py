"""A computation of several instructions as one expression: its values, text, C, SystemVerilog.

Everything follows from the meanings of the instruction table.
"""

from __future__ import annotations

import ast
import operator
import random
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.isa import Instruction, find_instruction, meaning_in_c

Values = npt.NDArray[np.int64]

PORTS: Final = ("a", "b", "c")
"""Names of the operands in the C and SystemVerilog of a unit."""

_MASK = 0xFFFF_FFFF
_SIGN = 1 << 31
_SAMPLES = 256
_SPECIAL = (0, 1, 2, _SIGN - 1, _SIGN, _MASK, 0xFFFF, 0x1_0000)
_IMMEDIATE = ("I", "shift", "U")
_OPERATORS: Final[dict[type[ast.AST], tuple[Callable[[Any, Any], Any], str]]] = {
    ast.Add: (operator.add, "+"), ast.Sub: (operator.sub, "-"), ast.Mult: (operator.mul, "*"),
    ast.BitAnd: (operator.and_, "&"), ast.BitOr: (operator.or_, "|"),
    ast.BitXor: (operator.xor, "^"), ast.LShift: (operator.lshift, "<<"),
    ast.RShift: (operator.rshift, ">>"), ast.Lt: (operator.lt, "<"),
}  # fmt: skip
_CASTS: Final = {
    "signed": "(int32_t)(", "wide": "(uint64_t)(", "signed_wide": "(int64_t)(int32_t)(",
}  # fmt: skip
_FUNCTION: Final = re.compile(r"\bop_(signed_wide|signed|wide)\(")


class Node(NamedTuple):
    """One instruction. Operands: k is node k, -1 - k is input k, None is the number 0."""

    mnemonic: str
    operands: tuple[int | None, ...]
    immediate: int | None = None

    @property
    def row(self) -> Instruction:
        return find_instruction(self.mnemonic)


def is_computation(row: Instruction) -> bool:
    """Return whether an instruction only computes a result from registers and its immediate."""
    return row.timing_class in ("alu", "mul", "mulh") and row.mnemonic != "auipc"


def has_immediate(row: Instruction) -> bool:
    """Return whether the immediate is an operand."""
    return row.format in _IMMEDIATE


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in an order in which each follows its operands; the last one is the result."""

    nodes: tuple[Node, ...]
    inputs: int

    def arranged(self, ports: Sequence[int]) -> Graph:
        """Return the graph with input k at the port ``ports[k]``."""
        return Graph(
            tuple(
                node._replace(operands=tuple(
                    -1 - ports[-1 - each] if each is not None and each < 0 else each
                    for each in node.operands
                ))
                for node in self.nodes
            ),
            self.inputs,
        )  # fmt: skip

    def fingerprint(self) -> bytes:
        """Return the results on fixed inputs."""
        return self._compute_last(_compute)

    def identity(self) -> bytes:
        """Return bytes that only graphs with equal results on all inputs share.

        Fixed inputs do not show that ``a == 1000`` and ``a == 2000`` differ. So each instruction
        whose result hides bits of its operands also gives a hash of them, as if they were seen.
        """
        return self.fingerprint() + self._compute_last(_compute_or_hash)

    def _compute_last(self, of: Callable[[Node, Sequence[Values]], Values]) -> bytes:
        values: list[Values] = []
        zero = np.zeros(_SAMPLES, dtype=np.int64)
        for node in self.nodes:
            operands = [
                zero if each is None else values[each] if each >= 0 else _samples()[-1 - each]
                for each in node.operands
            ]
            values.append(of(node, operands))
        return values[-1].astype("<u4").tobytes()

    def text(self, names: Sequence[str]) -> str:
        """Return the computation as calls of mnemonics; ``names``: of the inputs."""

        def shown(place: int | None) -> str:
            if place is None:
                return "0"
            if place < 0:
                return names[-1 - place]
            node = self.nodes[place]
            words = [shown(each) for each in node.operands]
            if node.immediate is not None:
                words.append(f"{node.immediate}" if abs(node.immediate) < _SIGN >> 16 else
                             f"{node.immediate & _MASK:#x}")  # fmt: skip
            return f"{node.mnemonic}({', '.join(words)})"

        return shown(len(self.nodes) - 1)

    def c_lines(self) -> Iterator[str]:
        """Yield the statements of a C function of ``a``, ``b`` and ``c``."""
        for number, node in enumerate(self.nodes):
            names = dict(zip(PORTS, map(self._c_name, node.operands), strict=False))
            names["i"] = f"{(node.immediate or 0) & _MASK:#x}u"
            text = _FUNCTION.sub(lambda each: _CASTS[each[1]], meaning_in_c(
                node.row.meaning, "result", names))  # fmt: skip
            last = number == len(self.nodes) - 1
            yield f"return (uint32_t){text};" if last else f"const uint32_t v{number} = {text};"

    def _c_name(self, place: int | None) -> str:
        return "0u" if place is None else f"v{place}" if place >= 0 else PORTS[-1 - place]

    def verilog_lines(self) -> Iterator[str]:
        """Yield declarations and assignments of ``result``, from ``a``, ``b`` and ``c``.

        A register follows each multiplication if the parameter ``STAGES`` has a cycle for it.
        """
        layers: list[int] = []  # registers before and after each node
        for number, node in enumerate(self.nodes):
            product = node.row.timing_class in ("mul", "mulh")
            before = max((layers[each] for each in node.operands if each is not None and each >= 0),
                         default=0)  # fmt: skip
            layers.append(before + product)
            names = dict(zip(PORTS, (self._verilog_name(each) for each in node.operands),
                             strict=False))  # fmt: skip
            names["i"] = f"32'h{(node.immediate or 0) & _MASK:08x}"
            text = _verilog(_parse(node.row), names)
            if not product:
                yield f"logic [31:0] v{number};"
                yield f"assign v{number} = {text};"
                continue
            yield f"logic [31:0] p{number}, q{number}, v{number};"
            yield f"assign p{number} = {text};"
            yield f"always_ff @(posedge clk) q{number} <= p{number};"
            yield f"assign v{number} = STAGES > {layers[-1]} ? q{number} : p{number};"
        yield f"assign result = v{len(self.nodes) - 1};"

    def _verilog_name(self, place: int | None) -> str:
        return "32'h00000000" if place is None else self._c_name(place)


@cache
def _samples() -> tuple[Values, ...]:
    draw = random.Random(0)  # noqa: S311 - fixed inputs, no secret
    return tuple(
        np.array([
            draw.choice((*_SPECIAL, *(draw.getrandbits(draw.randint(1, 32)) for _ in _SPECIAL)))
            for _ in range(_SAMPLES)
        ], dtype=np.int64)
        for _ in PORTS
    )  # fmt: skip


def _compute(node: Node, operands: Sequence[Values]) -> Values:
    """Return the results of a node."""
    names: dict[str, Any] = dict(zip(PORTS, operands, strict=False))
    names["i"] = (node.immediate or 0) & _MASK
    result = _evaluate(_parse(node.row), names) & _MASK
    return np.broadcast_to(result, _SAMPLES).astype(np.int64)


def _compute_or_hash(node: Node, operands: Sequence[Values]) -> Values:
    """Return the results of a node, or a hash of its operands if its results hide their bits."""
    if not _hides_bits(node.row):
        return _compute(node, operands)
    salt = zlib.crc32(f"{node.mnemonic} {node.immediate}".encode())
    exchanged = not _is_commutative(node.row)
    sums = sum(_mix(each, salt + k * exchanged) for k, each in enumerate(operands))
    return _mix(np.asarray(sums), salt)


@cache
def _hides_bits(row: Instruction) -> bool:
    """Return whether low bits of an operand may change without a change of the result.

    The low bits of a sum, product, exclusive or and shift to the left depend on those of both
    operands, so random inputs distinguish any two of them.
    """
    hiding = (ast.Lt, ast.RShift, ast.BitAnd, ast.BitOr)
    return any(isinstance(each, hiding) for each in ast.walk(_parse(row)))


@cache
def _is_commutative(row: Instruction) -> bool:
    if has_immediate(row) or row.rs2 is None:
        return False
    one, other, _ = _samples()
    node = Node(row.mnemonic, (-1, -2))
    return bool((_compute(node, (one, other)) == _compute(node, (other, one))).all())


def _mix(values: Values, salt: int) -> Values:
    """Return a 32-bit hash of each value (the finalizer of SplitMix64)."""
    found = values.astype(np.uint64) + np.uint64(salt + 0x9E37_79B9_7F4A_7C15)
    for shift, factor in ((30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB)):
        found = (found ^ found >> np.uint64(shift)) * np.uint64(factor)
    return ((found ^ found >> np.uint64(31)) & np.uint64(_MASK)).astype(np.int64)


@cache
def _parse(row: Instruction) -> ast.expr:
    assert row.meaning.result is not None, row.mnemonic
    return ast.parse(row.meaning.result, mode="eval").body


def _evaluate(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return the value; of 64 bits, and only the low 32 of the whole expression are its value."""
    match node:
        case ast.Name(id=name):
            return names[name]
        case ast.Constant(value=int(value)):
            return value
        case ast.BinOp(left, of, right) | ast.Compare(left, [of], [right]):
            compute = _OPERATORS[type(of)][0]
            return compute(_evaluate(left, names), _evaluate(right, names)) * 1
        case ast.Call(ast.Name(id="wide"), [argument]):
            return _evaluate(argument, names) & _MASK
        case ast.Call(ast.Name(id="signed" | "signed_wide"), [argument]):
            return ((_evaluate(argument, names) & _MASK) ^ _SIGN) - _SIGN
    raise AssertionError(ast.unparse(node))


def _verilog(node: ast.expr, names: dict[str, str]) -> str:
    match node:
        case ast.Name(id=name):
            return names[name]
        case ast.Constant(value=int(value)):
            return f"32'd{value}"
        case ast.BinOp(left, of, right) | ast.Compare(left, [of], [right]):
            arithmetic = isinstance(of, ast.RShift) and isinstance(left, ast.Call)
            sign = ">>>" if arithmetic else _OPERATORS[type(of)][1]
            return f"({_verilog(left, names)} {sign} {_verilog(right, names)})"
        case ast.Call(ast.Name(id="signed"), [argument]):
            return f"$signed({_verilog(argument, names)})"
        case ast.Call(ast.Name(id="wide"), [argument]):
            return f"64'({_verilog(argument, names)})"
        case ast.Call(ast.Name(id="signed_wide"), [argument]):
            return f"64'($signed({_verilog(argument, names)}))"
    raise AssertionError(ast.unparse(node))
