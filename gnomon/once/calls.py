"""Calls of the subset: NumPy, builtins, draws; own methods are inlined elsewhere."""

from __future__ import annotations

import ast
from typing import Final

import numpy as np

from gnomon.learn.draws import Draws
from gnomon.once.code import Const, Operand, Ref, Whole, const
from gnomon.once.expressions import Expressions, apply_whole

_NUMPY: Final = (
    "zeros", "outer", "sqrt", "log", "exp", "abs", "clip", "argmax", "maximum", "minimum",
    "linalg.solve",
)  # fmt: skip
_BUILTIN: Final = ("abs", "max", "min", "float", "int")
_DRAW: Final = "draw from self.random = Draws(seed): self.random.below(n)"
_INSTEAD: Final = {
    "argmax": "write np.argmax(y)", "argmin": "write np.argmax(0.0 - y)",
    "max": "write y[np.argmax(y)] for a vector, max(a, b) for two numbers",
    "min": "write y[np.argmax(0.0 - y)] for a vector, min(a, b) for two numbers",
    "norm": "write np.sqrt(y @ y)", "full": "make it in __init__",
    "choice": _DRAW, "integers": _DRAW, "normal": _DRAW, "rand": _DRAW, "randint": _DRAW,
    "random": _DRAW, "standard_normal": _DRAW, "uniform": _DRAW,
    "dot": "write a @ b", "empty": "write np.zeros", "fabs": "write abs(y)",
    "len": "use self.dimensions or a setting",
    "matmul": "write a @ b", "mean": "add up in a loop", "round": "compare with if",
    "sum": "add up in a loop", "power": "multiply", "square": "multiply",
    "where": "write an if statement", "eye": "make it in __init__", "array": "make it in __init__",
    "ones": "make it in __init__", "solve": "write np.linalg.solve(A, b)",
    "inv": "write np.linalg.solve(A, b) for the product of the inverse with b",
    "tanh": "write it with np.exp",
}  # fmt: skip


class Calls(Expressions):
    """Rules of calls."""

    def is_builtin(self, node: ast.expr, name: str) -> bool:
        """Return whether a name is this builtin."""
        plain = isinstance(node, ast.Name) and node.id == name
        return plain and name not in self.locals and name not in self.globals

    def numpy_name(self, node: ast.expr) -> str:
        """Return NAME of np.NAME, such as ``linalg.solve``; empty for anything else."""
        module, _, name = ast.unparse(node).partition(".")
        if module not in self.locals and self.globals.get(module) is np:
            return name
        return ""

    def own_method(self, node: ast.Call) -> str:
        """Return NAME of self.NAME(); empty for anything else."""
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return function.attr if function.value.id == "self" else ""
        return ""

    def _x_call(self, node: ast.Call) -> Operand:
        function = node.func
        name = self.own_method(node)
        if name:
            return self.call(name, node)
        if isinstance(function, ast.Attribute) and function.attr == "below":
            return self._draw(node, function.value)
        if isinstance(function, ast.Attribute) and function.attr == "copy" and not node.args:
            base = self.expr(function.value)
            if isinstance(base, Ref) and base.shape and not base.whole:
                line = self.line(node)
                return self.emit("copy", self.result(line, base.shape), [base], line)
        name = self.numpy_name(function)
        known: tuple[str, ...] = _NUMPY
        if not name:
            name = next((each for each in _BUILTIN if self.is_builtin(function, each)), "")
            known = _BUILTIN
        rule = getattr(self, f"_call_{name.replace('.', '_')}") if name in known else None
        if rule is None or node.keywords:
            text = ast.unparse(function)
            remedy = _INSTEAD.get(text.rpartition(".")[2], "") if rule is None else ""
            self.reject(node, f"{text:.40}() is not in the subset",
                        remedy or f"use np. {', '.join(_NUMPY)}; {', '.join(_BUILTIN)}; .copy();"
                        " own methods; positional arguments")  # fmt: skip
        if name == "zeros":
            return self._zeros(node)
        if name == "outer":
            self._call_outer(node, [])
        value: Operand = rule(node, [self.expr(each) for each in node.args])
        return value

    def _draw(self, node: ast.Call, base: ast.expr) -> Operand:
        attribute = base.attr if isinstance(base, ast.Attribute) else ""
        place = self.code.state.get(attribute)
        if place is None or not isinstance(getattr(self.code.learner, attribute, None), Draws):
            self.reject(node, f"{ast.unparse(base)}.below() has no generator",
                        "set self.random = Draws(seed) in __init__")  # fmt: skip
        if len(node.args) != 1:
            self.reject(node, "below takes one number", "write below(n)")
        n = self.whole_of(node, self.expr(node.args[0]), "the argument of below")
        if n.low < 1:
            self.reject(node, "below(n) needs n above 0", "use a setting above 0")
        line = self.line(node)
        return self.new_whole("draw", line, "draw", [n, Ref(place)], 0, n.high - 1)

    def _zeros(self, node: ast.Call) -> Operand:
        given = node.args[0] if len(node.args) == 1 else node
        parts = given.elts if isinstance(given, ast.Tuple) else [given]
        sizes = [self.expr(each) for each in parts] if len(node.args) == 1 else []
        shape = [each.value for each in sizes if isinstance(each, Whole) and each.op == "const"]
        if not sizes or len(shape) != len(sizes) or not 1 <= len(shape) <= 2 or min(shape) < 1:
            self.reject(node, "np.zeros of this shape", "use one or two sizes that are settings")
        line = self.line(node)
        return self.emit("copy", self.result(line, shape), [Const(0.0)], line)

    def _call_zeros(self, node: ast.Call, args: list[Operand]) -> Operand:
        raise AssertionError(node, args)  # _zeros does it, as its argument may be a tuple

    def _call_outer(self, node: ast.Call, args: list[Operand]) -> Operand:
        del args
        return self.reject(node, "np.outer stands alone", "write A += s * np.outer(x, y)")

    def _one(self, node: ast.Call, op: str, args: list[Operand]) -> Operand:
        if len(args) != 1 or args[0].shape:
            self.reject(node, f"np.{op} takes one number", "write a loop over the elements")
        line, value = self.line(node), args[0]
        if isinstance(value, Const) or (isinstance(value, Whole) and value.op == "const"):
            number = float(value.value)
            if op == "exp" or number > 0:
                with np.errstate(over="ignore"):
                    return self.constant(node, float(getattr(np, op)(number)))
        return self.emit(op, self.result(line, ()), args, line)

    def _call_sqrt(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._one(node, "sqrt", args)

    def _call_log(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._one(node, "log", args)

    def _call_exp(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._one(node, "exp", args)

    def _call_linalg_solve(self, node: ast.Call, args: list[Operand]) -> Operand:
        a, b = args if len(args) == 2 else (Const(0.0), Const(0.0))
        fits = len(b.shape) == 1 and a.shape == 2 * b.shape and not (a.whole or b.whole)
        if not fits:
            self.reject(node, f"np.linalg.solve of shapes {a.shape} and {b.shape}",
                        "give it a square matrix and a vector of real numbers")  # fmt: skip
        line = self.line(node)
        return self.emit("solve", self.result(line, b.shape), args, line)

    def _call_argmax(self, node: ast.Call, args: list[Operand]) -> Operand:
        if len(args) != 1 or not isinstance(args[0], Ref) or len(args[0].shape) != 1:
            self.reject(node, "np.argmax takes one vector", "give it a vector")
        line, ref = self.line(node), args[0]
        last = ref.shape[0] - 1
        best = Whole("argmax", 0, last, ref=ref)
        return self.new_whole("best", line, "whole", [best], 0, last)

    def _pair(self, node: ast.Call, op: str, args: list[Operand], *, arrays: bool) -> Operand:
        if len(args) != 2:
            self.reject(node, f"{op} takes two values here", "nest two calls")
        a, b = args
        if isinstance(a, Whole) and isinstance(b, Whole):
            ends = [apply_whole(op, x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
            if a.op == b.op == "const":
                return const(apply_whole(op, a.value, b.value))
            low = max(a.low, b.low) if op == "max" else min(ends)
            return Whole(op, low, max(ends) if op == "max" else min(a.high, b.high), args=(a, b))
        if (a.shape or b.shape) and not arrays:
            self.reject(node, f"{op} of arrays", f"use np.{op}imum")
        if a.shape and b.shape and a.shape != b.shape:
            self.reject(node, f"shapes {a.shape} and {b.shape} differ", "use one shape")
        line = self.line(node)
        return self.emit(op, self.result(line, a.shape or b.shape), args, line)

    def _call_abs(self, node: ast.Call, args: list[Operand]) -> Operand:
        if len(args) != 1:
            self.reject(node, "abs takes one value", "give it one")
        zero: Operand = const(0) if args[0].whole else Const(0.0)
        return self._pair(node, "max", [args[0], self.binary(node, "Sub", zero, args[0])],
                          arrays=True)  # fmt: skip

    def _call_clip(self, node: ast.Call, args: list[Operand]) -> Operand:
        if len(args) != 3:
            self.reject(node, "np.clip takes a value and two limits", "write np.clip(y, low, high)")
        raised = self._pair(node, "max", args[:2], arrays=True)
        return self._pair(node, "min", [raised, args[2]], arrays=True)

    def _call_max(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._pair(node, "max", args, arrays=False)

    def _call_min(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._pair(node, "min", args, arrays=False)

    def _call_maximum(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._pair(node, "max", args, arrays=True)

    def _call_minimum(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._pair(node, "min", args, arrays=True)

    def _call_float(self, node: ast.Call, args: list[Operand]) -> Operand:
        if len(args) != 1 or args[0].shape:
            self.reject(node, "float takes one number", "give it a number")
        value = args[0]
        if isinstance(value, Whole):
            if value.op == "const":
                return Const(float(value.value))
            line = self.line(node)
            return self.emit("copy", self.result(line, ()), [value], line)
        return value

    def _call_int(self, node: ast.Call, args: list[Operand]) -> Operand:
        if len(args) != 1 or not isinstance(args[0], Whole):
            self.reject(node, "int() of a real number", "compare with if and count whole numbers")
        return args[0]
