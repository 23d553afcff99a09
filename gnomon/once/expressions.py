"""Expressions and conditions of the subset: numbers, names, subscripts, operators."""

from __future__ import annotations

import ast
import inspect
import math
import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gnomon.base.errors import allowed_hint
from gnomon.learn.draws import Draws
from gnomon.once.code import (
    WORD_MAX,
    WORD_MIN,
    Const,
    Operand,
    Operation,
    Place,
    Ref,
    Test,
    Whole,
    const,
    walk,
)
from gnomon.once.translation import Translation

_NUMBERS: Final = (int, float, np.float64, np.int64)
_GUARDED: Final = ("div", "sqrt", "log", "solve", "draw")
_COMPARE: Final = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class Expressions(Translation):
    """Rules of expressions and conditions."""

    def test(self, node: ast.expr) -> Test:
        """Return a condition."""
        if isinstance(node, ast.BoolOp):
            op = "and" if isinstance(node.op, ast.And) else "or"
            tests = [self.test(node.values[0])]
            for each in node.values[1:]:
                before = len(self.block)
                tests.append(self.test(each))
                self._check_guarded(each, before)
            return Test(op, tuple(tests))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Test("not", (self.test(node.operand),))
        if isinstance(node, ast.Compare):
            ops = [_COMPARE.get(type(each), "") for each in node.ops]
            values = [self.expr(node.left), *self._chained(node.comparators)]
            if all(ops) and not any(each.shape for each in values):
                pairs = zip(ops, values, values[1:], strict=False)
                chain = tuple(Test(op, operands=(a, b)) for op, a, b in pairs)
                return chain[0] if len(chain) == 1 else Test("and", chain)
        return self.reject(node, f"{ast.unparse(node):.50} is not a condition of the subset",
                    "compare two numbers; join with and, or, not")  # fmt: skip

    def _chained(self, nodes: list[ast.expr]) -> list[Operand]:
        """Return the operands of comparisons; Python may not reach those after the first."""
        values = [self.expr(nodes[0])]
        for each in nodes[1:]:
            before = len(self.block)
            values.append(self.expr(each))
            self._check_guarded(each, before)
        return values

    def _check_guarded(self, node: ast.expr, before: int) -> None:
        """Reject operations since ``before`` that Python may leave out."""
        if any(one.op in _GUARDED for one in walk(self.block[before:])):
            self.reject(node, f"{ast.unparse(node)} runs only after the test before it",
                        "write a second if below the first")  # fmt: skip

    def _x_ifexp(self, node: ast.IfExp) -> Operand:
        test, outer, line = self.test(node.test), self.block, self.line(node)
        sides = []
        for each in (node.body, node.orelse):
            self.block = []
            sides.append((self.expr(each), self.block))
        self.block = outer
        whole = all(value.whole for value, _ in sides)
        if any(value.shape for value, _ in sides):
            self.reject(node, "a choice between arrays", "write an if statement")
        self.count += 1
        role = "local" if whole else "result"
        out = Ref(Place(f"choice_{line}_{self.count}", whole, (), role, line))
        for value, block in sides:
            self.block = block
            self.emit("whole" if whole else "copy", out, [value], line)
        self.block = outer
        blocks = (sides[0][1], sides[1][1])
        self.block.append(Operation("if", None, [], line, test=test, blocks=blocks))
        return self.reading(out)

    def expr(self, node: ast.expr) -> Operand:
        """Return the value of an expression."""
        rule: Callable[[Any], Operand] | None = getattr(
            self, f"_x_{type(node).__name__.lower()}", None
        )
        if rule is None:
            self.reject_node(node)
        return rule(node)

    def _x_constant(self, node: ast.Constant) -> Operand:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.reject(node, f"{value!r} is not a number", "use a number")
        return self.constant(node, value)

    def constant(self, node: ast.AST, value: Any) -> Operand:
        """Return a number that is known before the first round."""
        if isinstance(value, int | np.integer):
            if not WORD_MIN <= value <= WORD_MAX:
                self.reject(node, f"{value} does not fit 32 bits", "write it as a float")
            return const(int(value))
        if not math.isfinite(value):
            self.reject(node, f"{value} is not finite", "use a large number, such as 100.0")
        return Const(float(value))

    def _x_name(self, node: ast.Name) -> Operand:
        if node.id in self.names:
            return self.names[node.id]
        if node.id in self.locals:
            self.reject(node, f"{node.id} has no value here",
                        "give it one before the if or the loop")  # fmt: skip
        value = self.globals.get(node.id)
        if type(value) in _NUMBERS:
            names = self.globals
            self.code.settings[node.id] = (lambda _: names.get(node.id), value)
            return self.constant(node, value)
        known = [*self.names, *(k for k, v in self.globals.items() if type(v) in _NUMBERS)]
        return self.reject(
            node, f"{node.id} is not a variable {allowed_hint(node.id, known)}", "assign it before"
        )

    def _x_attribute(self, node: ast.Attribute) -> Operand:
        if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            self.reject(node, f"{ast.unparse(node)} is not in the subset",
                        "use self.NAME; compute constants in __init__")  # fmt: skip
        learner, name = self.code.learner, node.attr
        value = getattr(learner, name, None)
        if name in self.code.state and not isinstance(value, Draws):
            return self.reading(Ref(self.code.state[name]))
        if inspect.getattr_static(learner, name, value) is not value:
            self.reject(node, f"self.{name} is computed when it is read", "write a method")
        if name == "alpha" and self.code.takes_alpha and type(value) in _NUMBERS:
            return Ref(self.code.alpha)
        if type(value) in _NUMBERS:
            self.code.settings[f"self.{name}"] = (operator.attrgetter(name), value)
            return self.constant(node, value)
        hint = allowed_hint(name, list(dict.fromkeys([*self.code.state, *vars(learner)])), "known")
        return self.reject(node, f"self.{name} is not a number, and keeps does not name it {hint}",
                    f"add {name!r} to keeps")  # fmt: skip

    def _x_subscript(self, node: ast.Subscript) -> Operand:
        base = self.expr(node.value)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        index = tuple(self.whole_of(each, self.expr(each), "an index") for each in items)
        if not isinstance(base, Ref) or len(index) > len(base.shape):
            self.reject(node, f"{ast.unparse(node)} has too many indices", "leave one out")
        counted = []
        for each, size in zip(index, base.shape, strict=False):
            if each.op == "const" and not -size <= each.value < size:
                self.reject(node, f"index {each.value} is outside 0 to {size - 1}", "count from 0")
            counted.append(const(each.value % size) if each.op == "const" else each)
        return self.reading(Ref(base.place, (*base.index, *counted)))

    def _x_unaryop(self, node: ast.UnaryOp) -> Operand:
        if not isinstance(node.op, ast.USub | ast.UAdd):
            self.reject(
                node, f"{ast.unparse(node)} is not in the subset", "use - or not in a condition"
            )
        value = self.expr(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        zero: Operand = const(0) if value.whole else Const(0.0)
        return self.binary(node, "Sub", zero, value)

    def _x_binop(self, node: ast.BinOp) -> Operand:
        name = type(node.op).__name__
        a, b = self.expr(node.left), self.expr(node.right)
        return self._matmul(node, a, b) if name == "MatMult" else self.binary(node, name, a, b)

    def binary(self, node: ast.AST, name: str, a: Operand, b: Operand) -> Operand:
        """Return the value of an operator."""
        if isinstance(a, Whole) and isinstance(b, Whole) and name != "Div":
            return self._whole_binary(node, name, a, b)
        op = {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div"}.get(name)
        if op is None:
            self.reject(
                node, f"{name} of real numbers is not in the subset", _remedy(name, "+ - * /")
            )
        line = self.line(node)
        if (
            isinstance(a, Const | Whole)
            and isinstance(b, Const | Whole)
            and _known(a)
            and _known(b)
        ):
            return self._fold(node, op, _known_value(a), _known_value(b))
        if op == "div" and isinstance(b, Const | Whole) and _known(b) and not _known_value(b):
            self.reject(node, "division by 0", "use another number")
        if a.shape and b.shape and a.shape != b.shape:
            self.reject(node, f"shapes {a.shape} and {b.shape} differ", "use one shape")
        shape = a.shape or b.shape
        if op == "div" and a.shape and not b.shape:
            by = self.reciprocal(b, line)
            return self.emit("mul", self.result(line, shape), [a, by], line, exact=("div", (a, b)))
        return self.emit(op, self.result(line, shape), [a, b], line)

    def _fold(self, node: ast.AST, op: str, a: float, b: float) -> Const:
        if op == "div" and b == 0:
            self.reject(node, "division by 0", "use another number")
        value = {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b if b else 0.0}[op]
        if not math.isfinite(value):
            self.reject(node, f"{value} is not finite", "use smaller numbers")
        return Const(float(value))

    def _whole_binary(self, node: ast.AST, name: str, a: Whole, b: Whole) -> Whole:
        op = {"Add": "+", "Sub": "-", "Mult": "*", "FloorDiv": "//", "Mod": "%"}.get(name)
        if op is None:
            self.reject(
                node, f"{name} of whole numbers is not in the subset", _remedy(name, "+ - * // %")
            )
        if op in {"//", "%"} and b.low <= 0:
            self.reject(
                node,
                "the divisor may be 0 or negative",
                "divide by a setting above 0, or max(n, 1)",
            )
        ends = [apply_whole(op, x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = min(ends), max(ends)
        if op == "%":
            low, high = 0, b.high - 1
        if a.op == b.op == "const":
            low = high = apply_whole(op, a.value, b.value)
        low, high = (min(max(each, WORD_MIN), WORD_MAX) for each in (low, high))
        if a.op == b.op == "const":
            return const(low)
        return Whole(op, low, high, args=(a, b))

    def _matmul(self, node: ast.AST, a: Operand, b: Operand) -> Operand:
        line = self.line(node)
        if isinstance(a, Ref) and isinstance(b, Ref) and not a.whole and not b.whole:
            if len(a.shape) == 1 and a.shape == b.shape:
                return self.emit("dot", self.result(line, ()), [a, b], line)
            if len(a.shape) == 2 and b.shape == a.shape[1:]:
                return self.emit("times_vector", self.result(line, a.shape[:1]), [a, b], line)
        return self.reject(node, f"@ of shapes {a.shape} and {b.shape}",
                    "use matrix @ vector or vector @ vector of real numbers")  # fmt: skip

    def reciprocal(self, value: Operand, line: int) -> Ref:
        """Emit 1 / value."""
        return self.emit("div", self.result(line, ()), [Const(1.0), value], line)


def apply_whole(op: str, a: int, b: int) -> int:
    """Return the value of an operator of whole numbers."""
    if op in {"//", "%"}:
        return (a // b if op == "//" else a % b) if b else 0
    return {"+": a + b, "-": a - b, "*": a * b, "max": max(a, b), "min": min(a, b)}[op]


def _remedy(name: str, operators: str) -> str:
    return "write a product, such as y * y" if name == "Pow" else f"use {operators}"


def _known(value: Const | Whole) -> bool:
    return isinstance(value, Const) or value.op == "const"


def _known_value(value: Const | Whole) -> float:
    return float(value.value)
