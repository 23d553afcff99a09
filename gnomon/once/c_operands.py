"""C of operands: places, whole numbers, conditions, and products that are shifted or saturate."""

from __future__ import annotations

from gnomon.once.code import (
    WORD_MAX,
    WORD_MIN,
    Const,
    LearnerCode,
    Operand,
    Operation,
    Place,
    Ref,
    Test,
    Whole,
)
from gnomon.once.formats import const_frac, frac_of, to_word


class OperandTexts:
    """Text of operands.

    Attributes:
        lines: lines of C so far.
        names: name in C of each place.
        uses: headers in addition to ``once.h``.
        sums: words of vector operations that are computed before their loop, by identity.
        static: storage of arrays: ``ONCE_OWN`` where each hart has its own.
    """

    def __init__(self, code: LearnerCode) -> None:
        self.code = code
        self.lines: list[str] = []
        self.names: dict[Place, str] = {}
        self.uses: set[str] = set()
        self.sums: dict[int, str] = {}
        self.static = "static"

    def put(self, text: str, depth: int = 0) -> None:
        """Add a line."""
        self.lines.append("    " * depth + text)

    def whole(self, value: Operand) -> str:
        """Return a whole number."""
        assert isinstance(value, Whole)
        if value.op == "const":
            return str(value.value)
        if value.ref is not None:
            if value.op == "read":
                return self.ref(value.ref)
            if self.ref(value.ref) == "learner_scores":
                return "(fx_t)learner_best_arm()"
            return f"once_argmax({self.start(value.ref)}, {value.ref.shape[0]})"
        a, b = value.args
        left, right = self.whole(a), self.whole(b)
        if value.op in {"max", "min"}:
            return f"once_{'larger' if value.op == 'max' else 'smaller'}({left}, {right})"
        if value.op in {"//", "%"}:
            floor = f"once_floor_{'divide' if value.op == '//' else 'rest'}({left}, {right})"
            return floor if a.low < 0 else f"({left} {value.op[0]} {right})"
        ends = [_exact(value.op, p, q) for p in (a.low, a.high) for q in (b.low, b.high)]
        if min(ends) >= WORD_MIN and max(ends) <= WORD_MAX:
            return f"({left} {value.op} {right})"
        return f"once_whole((int64_t){left} {value.op} {right})"

    def index(self, ref: Ref) -> str:
        """Return subscripts, each inside its array."""
        text = ""
        for each, size in zip(ref.index, ref.place.shape, strict=False):
            word = self.whole(each)
            inside = each.low >= 0 and each.high < size
            text += f"[{word}]" if inside else f"[once_index({word}, {size})]"
        return text

    def ref(self, ref: Ref, more: str = "") -> str:
        """Return a place or a part of it."""
        return f"{self.names[ref.place]}{self.index(ref)}{more}"

    def start(self, ref: Ref) -> str:
        """Return the address of the first word of an array."""
        packed = ref.place.packed and len(ref.shape) == 2
        zeros = "[0]" * (len(ref.shape) - 1 - packed)
        return f"{self.ref(ref)}{zeros}"

    def word(self, operand: Operand, at: str = "", frac: int | None = None) -> str:
        """Return a word of an operand; ``at`` is the subscript of an element."""
        if isinstance(operand, Const):
            return str(to_word(operand.value, const_frac(operand.value) if frac is None else frac))
        if isinstance(operand, Whole):
            return self.whole(operand)
        return self.ref(operand, at if operand.shape else "")

    def test(self, test: Test) -> str:
        """Return a condition."""
        if test.op in {"and", "or"}:
            join = " && " if test.op == "and" else " || "
            return "(" + join.join(self.test(each) for each in test.tests) + ")"
        if test.op == "not":
            return f"!{self.test(test.tests[0])}"
        fracs = [frac_of(each) for each in test.operands]
        words = [self.word(each, "", frac) for each, frac in zip(test.operands, fracs, strict=True)]
        if fracs[0] != fracs[1]:
            words = [
                _raised(word, max(fracs) - frac) for word, frac in zip(words, fracs, strict=True)
            ]
        return f"({words[0]} {test.op} {words[1]})"

    def fit(self, op: Operation, text: str, *, narrow: bool) -> str:
        """Return the text of a result that fits, or saturates at the limit of its place."""
        if op.plan["fits"]:
            return text if narrow else f"(fx_t)({text})"
        return f"once_{'clamp' if narrow else 'fit'}({text}, {op.to.place.limit})"

    def moved(self, word: str, down: int, *, wide: bool) -> str:
        """Return a word shifted right, or to the left below 0."""
        if down > 0:
            return f"({word} >> {min(down, 63 if wide else 31)})"
        if down < 0:
            return f"once_up({word}, {-down})" if wide else f"once_left({word}, {min(-down, 31)})"
        return word

    def shifted(self, op: Operation, text: str) -> str:
        """Return a word at the point of its result."""
        by = op.plan["shift"]
        if by > 0:
            return self.fit(op, shift_right(text, by), narrow=True)
        if by < 0:
            return self.fit(op, f"once_up({text}, {-by})", narrow=False)
        return self.fit(op, text, narrow=True)


def shift_right(text: str, by: int, most: int = 31) -> str:
    """Return a text shifted right, if by any bits; ``most``: the longest shift of its type."""
    return f"(({text}) >> {min(by, most)})" if by > 0 else text


def _raised(word: str, up: int) -> str:
    """Return a word with more fraction bits, for a comparison: 64 bits, of which none is lost."""
    if up > 31:
        return f"once_up({word}, {up})"
    return f"(int64_t){word} * {1 << up}LL" if up else f"(int64_t){word}"


def _exact(op: str, a: int, b: int) -> int:
    return a + b if op == "+" else a - b if op == "-" else a * b
