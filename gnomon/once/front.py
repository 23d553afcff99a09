"""Front end: the syntax trees of ``select`` and ``update`` to operations.

``__init__`` is not translated: it has run, its settings are constants, and arrays in ``keeps`` are
the state. Every syntax node without a rule here is rejected, with file, line and remedy.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final, NoReturn

import numpy as np

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.learn.draws import Draws
from gnomon.once.code import (
    WORD_MAX,
    WORD_MIN,
    Code,
    Const,
    Op,
    Operand,
    Place,
    Ref,
    Test,
    Whole,
    const,
    walk,
)

_NUMPY: Final = ("zeros", "outer", "sqrt", "log", "exp", "argmax", "maximum", "minimum")
_BUILTIN: Final = ("max", "min", "float", "int")
_GUARDED: Final = ("div", "sqrt", "log", "draw")
_COMPARE: Final = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_REMEDY: Final = {
    "AsyncFunctionDef": "write a method", "Await": "call a method of the class",
    "Assert": "check settings in __init__", "AnnAssign": "leave out the type",
    "Break": "put the rest of the body under an if", "ClassDef": "define it outside the method",
    "Continue": "put the rest of the body under an if", "Delete": "set it to 0.0",
    "Dict": "use an array", "DictComp": "fill an array in a loop",
    "FunctionDef": "write a method of the class", "GeneratorExp": "add up in a loop",
    "Global": "keep the value in an attribute that keeps names", "IfExp": "write an if statement",
    "Import": "import at the top of the file", "ImportFrom": "import at the top of the file",
    "JoinedStr": "leave out texts", "Lambda": "write a method of the class",
    "List": "use an array of __init__, or np.zeros", "ListComp": "fill an array in a loop",
    "Match": "write if and elif", "NamedExpr": "assign on a line of its own",
    "Nonlocal": "keep the value in an attribute that keeps names",
    "Raise": "check settings in __init__",
    "Set": "use an array", "SetComp": "fill an array in a loop",
    "Slice": "copy the elements in a loop, or use a whole row a[i]",
    "Starred": "name each argument", "Try": "test the condition with an if",
    "TryStar": "test the condition with an if", "Tuple": "assign each on a line of its own",
    "While": "use for ... in range(n)", "With": "leave it out", "AsyncFor": "use for",
    "AsyncWith": "leave it out", "Yield": "return a value", "YieldFrom": "return a value",
}  # fmt: skip


def read_learner(learner: Any) -> Code:
    """Return the operations of an instance: ``select(x)`` and ``update(x, arm, reward)``.

    Raises:
        GnomonError: if the class lacks a part, or its Python is outside the subset; with file,
            line and a remedy.
    """
    kind = type(learner)
    file = str(inspect.getsourcefile(kind))
    for name in ("arms", "dimensions"):
        if type(getattr(learner, name, None)) is not int:
            raise GnomonError(f"{file}: {kind.__name__}: __init__ must set self.{name}")
    state, first = _read_state(learner, f"{file}: {kind.__name__}")
    arms, d = learner.arms, learner.dimensions
    code = Code(
        learner, file, arms, d, state, first,
        alpha=Place("alpha", False, (), "input", pinned=15),
        x=Place("x", False, (d,), "input"),
        arm=Place("arm", True, (), "input", low=0, high=arms - 1),
        reward=Place("reward", False, (), "input", pinned=15),
    )  # fmt: skip
    given: dict[str, list[Place]] = {"select": [code.x], "update": [code.x, code.arm, code.reward]}
    for name, places in given.items():
        front = _Method(code, name)
        setattr(code, name, front.translate([Ref(each) for each in places]))
    _bound_counters(code)
    return code


def _read_state(learner: Any, title: str) -> tuple[dict[str, Place], dict[str, Any]]:
    names = getattr(learner, "keeps", None)
    if not isinstance(names, tuple) or not all(isinstance(each, str) for each in names):
        raise GnomonError(f"{title}: must have keeps = (names of the state,)")
    state, first = {}, {}
    drawn = [name for name, value in vars(learner).items() if isinstance(value, Draws)]
    for name in (*names, *drawn):
        value = getattr(learner, name, None)
        if isinstance(value, Draws):
            state[name] = Place(name, True, (), "state", low=0, high=2**32 - 1)
            first[name] = np.array(value.state)
            continue
        array = np.array(value)
        if array.dtype.kind not in "if" or array.ndim > 3 or not np.isfinite(array).all():
            raise GnomonError(
                f"{title}: keeps names {name!r}, which must be a number or an array of up to 3"
                f" dimensions, finite, float or int, not {value!r:.40}"
            )
        state[name] = Place(name, array.dtype.kind == "i", array.shape, "state")
        first[name] = array
    return state, first


def _bound_counters(code: Code) -> None:
    """Bound whole numbers of the state that only grow: they never fall below their start."""
    for name, place in code.state.items():
        if not place.whole or isinstance(getattr(code.learner, name), Draws):
            continue
        writes = [each for each in code.operations() if each.out and each.out.place is place]
        if all(_only_adds(each, place) for each in writes) and code.first[name].min() >= 0:
            place.low = 0


def _only_adds(op: Op, place: Place) -> bool:
    value = op.args[0]
    if not isinstance(value, Whole):
        return False
    if value.op == "+":
        own, more = value.args
        return own.op == "read" and own.ref is not None and own.ref.place is place and more.low >= 0
    return value.low >= 0


class _Method:
    """Translation of one method and of the methods that it calls."""

    def __init__(self, code: Code, name: str) -> None:
        self.code, self.name = code, name
        self.block: list[Op] = []
        self.names: dict[str, Operand] = {}
        self.file = code.file
        self.offset = 0
        self.calls: list[str] = []
        self.globals: dict[str, Any] = {}
        self.count = 0
        self.answer: Operand | None = None
        self.depth = 0
        self.loops: set[str] = set()
        self.alone: ast.expr | None = None  # the whole right side of the statement

    # ------------------------------------------------------------------ methods

    def translate(self, given: Sequence[Ref]) -> list[Op]:
        self._enter(self.name, [self._reading(each) for each in given], None)
        if self.name == "select" and not _always_returns(self.block):
            raise GnomonError(f"{self.file}:{self.offset + 1}: select must return an arm")
        return self.block

    def _enter(self, name: str, given: Sequence[Operand], node: ast.AST | None) -> None:
        kind = type(self.code.learner)
        function = inspect.getattr_static(kind, name, None)
        if not isinstance(function, FunctionType):
            if node is not None:
                self.reject(node, f"self.{name} is not a method of the class", "define it")
            raise GnomonError(f"{self.file}: {kind.__name__}: needs a method {name}")
        lines, first = inspect.getsourcelines(function)
        self.file = str(inspect.getsourcefile(function))
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        self.offset = first - 1
        self.globals = function.__globals__
        self.code.sources |= {first + at: text.strip() for at, text in enumerate(lines)}
        if not isinstance(tree, ast.FunctionDef):
            raise GnomonError(f"{self.file}:{first}: {name} must be an ordinary method")
        a = tree.args
        if (
            tree.decorator_list
            or a.vararg
            or a.kwarg
            or a.kwonlyargs
            or a.defaults
            or a.posonlyargs
        ):
            self.reject(tree, f"{name} has a decorator or special arguments", "use plain arguments")
        words = [each.arg for each in a.args[1:]]
        if len(words) != len(given):
            self.reject(tree, f"{name} takes {len(words)} arguments, not {len(given)}",
                        f"give it {len(given)} besides self")  # fmt: skip
        self.names = dict(zip(words, given, strict=True))
        self.loops = set()
        self.statements(tree.body)

    def call(self, name: str, node: ast.Call) -> Operand:
        """Inline a method of the class and return its value."""
        if name in self.calls or name in {"select", "update"}:
            self.reject(node, f"self.{name} calls itself", "use a loop")
        given = [self._argument(self.expr(each), self.line(node)) for each in node.args]
        before = len(self.block)
        if node.keywords:
            self.reject(node, f"self.{name} has named arguments", "give them in order")
        saved = (
            self.names, self.file, self.offset, self.globals, self.depth, self.loops, self.alone,
        )  # fmt: skip
        self.calls.append(name)
        self.answer, self.depth = None, 0
        self._enter(name, given, node)
        answer = self.answer
        (
            self.names, self.file, self.offset, self.globals, self.depth, self.loops, self.alone,
        ) = saved  # fmt: skip
        self.calls.pop()
        self.answer = None
        inlined = self.block[before:]
        if node is not self.alone and any(_changes_state(each) for each in walk(inlined)):
            self.reject(node, f"self.{name} changes the state inside an expression",
                        "assign its value on a line of its own")  # fmt: skip
        if answer is None:
            return const(0)
        if isinstance(answer, Ref) and answer.place.role == "local" and not answer.index:
            answer.place.role = "result"
        return answer

    def _argument(self, value: Operand, line: int) -> Operand:
        """Return an argument by value: later writes must not change a number or an index."""
        if isinstance(value, Whole):
            return self._frozen(value, line)
        if isinstance(value, Ref) and value.index:
            value = Ref(value.place, tuple(self._frozen(each, line) for each in value.index))
        if isinstance(value, Ref) and not value.shape and value.place.role in {"state", "local"}:
            return self.emit("copy", self.result(line, ()), [value], line)
        return value

    def _frozen(self, value: Whole, line: int) -> Whole:
        if value.op == "const" or (value.ref and value.ref.place.role in {"loop", "input"}):
            return value
        return self._new_whole("given", line, "whole", [value], value.low, value.high)

    def _new_whole(
        self, hint: str, line: int, op: str, args: list[Operand], low: int, high: int
    ) -> Whole:
        """Emit an operation that creates a whole number, and return that number."""
        self.count += 1
        place = Place(f"{hint}_{line}_{self.count}", True, (), "local", line, low=low, high=high)
        out = self.emit(op, Ref(place), args, line)
        return Whole("read", low, high, ref=out)

    # ------------------------------------------------------------------ helpers

    def line(self, node: ast.AST) -> int:
        return int(getattr(node, "lineno", 1)) + self.offset

    def reject(self, node: ast.AST, what: str, remedy: str) -> NoReturn:
        raise GnomonError(f"{self.file}:{self.line(node)}: {what}: {remedy}")

    def reject_node(self, node: ast.AST) -> NoReturn:
        kind = type(node).__name__
        remedy = _REMEDY.get(kind, "write it with the statements that the guide lists")
        text = ast.unparse(node).splitlines()[0] if isinstance(node, ast.stmt | ast.expr) else kind
        self.reject(node, f"{text:.50} ({kind}) is not in the subset", remedy)

    def result(self, line: int, shape: Sequence[int], hint: str = "r") -> Ref:
        self.count += 1
        name = f"{hint}_{line}_{self.count}" if line else f"{hint}_{self.count}"
        return Ref(Place(name, False, tuple(shape), "result", line))

    def emit(self, op: str, out: Ref, args: list[Operand], line: int, **more: Any) -> Ref:
        out.place.writes += 1
        self.block.append(Op(op, out, args, line, **more))
        return out

    def whole_of(self, node: ast.AST, value: Operand, what: str) -> Whole:
        if not isinstance(value, Whole):
            self.reject(
                node, f"{what} must be a whole number", "use whole numbers for counts and indices"
            )
        return value

    # ------------------------------------------------------------------ statements

    def statements(self, body: Sequence[ast.stmt]) -> None:
        for at, each in enumerate(body):
            rule = getattr(self, f"do_{type(each).__name__.lower()}", None)
            if rule is None:
                self.reject_node(each)
            if isinstance(each, ast.Return) and at + 1 < len(body):
                self.reject(body[at + 1], "a statement after return", "delete it")
            plain = isinstance(each, ast.Assign | ast.Expr | ast.Return)
            self.alone = getattr(each, "value", None) if plain else None
            rule(each)

    def do_pass(self, node: ast.Pass) -> None:
        del node

    def do_expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return
        if not (isinstance(node.value, ast.Call) and self._own_method(node.value)):
            self.reject(node, "the value of this line is not used", "assign it, or delete it")
        self.expr(node.value)

    def do_return(self, node: ast.Return) -> None:
        if self.calls:
            if self.depth:
                self.reject(node, "return under an if or in a loop of a called method",
                            "assign to a variable and return it at the end")  # fmt: skip
            self.answer = None if node.value is None else self.expr(node.value)
        elif self.name == "update":
            if node.value is not None:
                self.reject(node, "update returns a value", "return without a value")
            self.block.append(Op("return", None, [], self.line(node)))
        else:
            if node.value is None:
                self.reject(node, "select returns no arm", "return a whole number")
            arm = self.whole_of(node, self.expr(node.value), "the arm that select returns")
            self.block.append(Op("return", None, [arm], self.line(node)))

    def do_for(self, node: ast.For) -> None:
        if not isinstance(node.target, ast.Name) or node.orelse:
            self.reject(node, "this for loop", "use for NAME in range(n), without else")
        first, last = self._range(node.iter)
        name = node.target.id
        if isinstance(self.names.get(name), Ref):
            self.reject(node, f"the loop variable {name} has another use", "choose another name")
        place = Place(name, True, (), "loop", self.line(node), low=first, high=max(first, last - 1))
        self.names[name] = Whole("read", place.low, place.high, ref=Ref(place))
        outer, self.block = self.block, []
        self.depth += 1
        known = set(self.names)
        self.loops.add(name)
        self.statements(node.body)
        self.loops.discard(name)
        del self.names[name]
        for local in set(self.names) - known if first >= last else ():
            del self.names[local]
        self.depth -= 1
        body, self.block = self.block, outer
        self.block.append(
            Op("for", Ref(place), [], self.line(node), blocks=(body,), count=(first, last))
        )

    def _range(self, node: ast.expr) -> tuple[int, int]:
        remedy = "use range(n) or range(a, b) of numbers that are known before the first round"
        if not (isinstance(node, ast.Call) and self._is_builtin(node.func, "range")):
            self.reject(node, "a loop over something else than a range", remedy)
        ends = [self.expr(each) for each in node.args]
        if node.keywords or len(ends) not in {1, 2}:
            self.reject(node, "this range", remedy)
        values = []
        for each in ends:
            if not isinstance(each, Whole) or each.op != "const":
                self.reject(node, "a range whose end changes", remedy)
            values.append(each.value)
        return (0, values[0]) if len(values) == 1 else (values[0], values[1])

    def do_if(self, node: ast.If) -> None:
        test, outer, parts = self.test(node.test), self.block, []
        self.depth += 1
        known = dict(self.names)
        branches = []
        for body in (node.body, node.orelse):
            self.block = []
            self.names = dict(known)
            self.statements(body)
            branches.append(self.names)
            parts.append(self.block)
        self.names = self._join(node, *branches)
        self.depth -= 1
        self.block = outer
        self.block.append(
            Op("if", None, [], self.line(node), test=test, blocks=(parts[0], parts[1]))
        )

    def _join(
        self, node: ast.If, one: dict[str, Operand], other: dict[str, Operand]
    ) -> dict[str, Operand]:
        """Return the names after both branches; a name that both create is one variable."""
        joined = dict(one)
        for name, value in other.items():
            there = joined.setdefault(name, value)
            if there is not value and not _same_place(there, value):
                self.reject(node, f"both branches create {name}",
                            f"give {name} a value before the if")  # fmt: skip
        return joined

    def do_assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            self.reject(node, "several targets", "assign each on a line of its own")
        target = node.targets[0]
        value = self.expr(node.value)
        if not isinstance(target, ast.Name):
            self.store(self.target(target), value, node)
            return
        name = target.id
        if name in self.loops:
            self.reject(node, f"{name} is a loop variable", "choose another name")
        fresh = isinstance(value, Ref) and value.place.role == "result" and not value.index
        if name not in self.names and fresh:
            assert isinstance(value, Ref)
            value.place.name, value.place.role = name, "local"
            self.names[name] = value
            return
        if value.shape and not fresh:
            self.reject(node, f"{name} would be another name for an array", "write .copy()")
        if name not in self.names:
            place = Place(name, value.whole, value.shape, "local", self.line(node))
            self.names[name] = self._reading(Ref(place))
        self.store(self.target(target), value, node)

    def store(self, out: Ref, value: Operand, node: ast.AST) -> None:
        if out.whole:
            if not isinstance(value, Whole):
                self.reject(node, f"{out.place.name} holds whole numbers", "start it with 0.0")
            self.emit("whole", out, [value], self.line(node))
            return
        if value.shape not in {(), out.shape}:
            self.reject(node, f"{out.place.name} has the shape {out.shape}, not {value.shape}",
                        "use one shape")  # fmt: skip
        self.emit("copy", out, [value], self.line(node))

    def do_augassign(self, node: ast.AugAssign) -> None:
        out = self.target(node.target)
        line = self.line(node)
        sign = {ast.Add: 1, ast.Sub: -1}.get(type(node.op))
        if out.whole:
            own = self._reading(out)
            self.store(
                out, self._binary(node, type(node.op).__name__, own, self.expr(node.value)), node
            )
            return
        if sign is None:
            value = self.expr(node.value)
            self._in_place(node, out, value, line)
            return
        if len(out.shape) == 2 and self._add_outer(node, out, sign, line):
            return
        if len(out.shape) == 1 and self._add_scaled(node, out, sign, line):
            return
        value = self.expr(node.value)
        if value.shape not in {(), out.shape}:
            self.reject(node, f"shapes {out.shape} and {value.shape} differ", "use one shape")
        self.emit("add" if sign > 0 else "sub", out, [out, value], line)

    def _in_place(self, node: ast.AugAssign, out: Ref, value: Operand, line: int) -> None:
        op = {ast.Mult: "mul", ast.Div: "div"}.get(type(node.op))
        if op is None or value.shape not in {(), out.shape}:
            self.reject_node(node)
        if op == "div" and out.shape and not value.shape:
            by = self.reciprocal(value, line)
            self.emit("mul", out, [out, by], line, exact=("div", (out, value)))
        else:
            self.emit(op, out, [out, value], line)

    def _add_outer(self, node: ast.AugAssign, out: Ref, sign: int, line: int) -> bool:
        """Translate A +- outer(x, y), times or divided by a number; return whether it is one."""
        call, by, how = self._split_outer(node.value)
        if call is None:
            return False
        if len(call.args) != 2 or call.keywords:
            self.reject(call, "np.outer takes two vectors", "give it two")
        scale = None if by is None else self.expr(by)
        x, y = (self.expr(each) for each in call.args)
        if not (isinstance(x, Ref) and isinstance(y, Ref)) or out.shape != (*x.shape, *y.shape):
            self.reject(node, f"np.outer does not have the shape {out.shape}", "use two vectors")
        if out.place in {x.place, y.place}:
            self.reject(
                node, f"np.outer of parts of {out.place.name} itself", "take .copy() before"
            )
        if scale is not None and scale.shape:
            self.reject(node, "np.outer times an array", "scale one of the vectors before")
        if scale is None:
            self.emit("rank1", out, [x, y], line, sign=sign)
            return True
        factor = self.reciprocal(scale, line) if how == "div" else scale
        left = self.emit("mul", self.result(line, x.shape), [x, factor], line)
        self.emit("rank1", out, [left, y], line, sign=sign, exact=(how, (x, y, scale)))
        return True

    def _split_outer(self, node: ast.expr) -> tuple[ast.Call | None, ast.expr | None, str]:
        if self._is_outer(node):
            assert isinstance(node, ast.Call)
            return node, None, ""
        if isinstance(node, ast.BinOp):
            left, right = node.left, node.right
            if isinstance(node.op, ast.Mult) and self._is_outer(right):
                assert isinstance(right, ast.Call)
                return right, left, "mul"
            if isinstance(node.op, ast.Mult | ast.Div) and self._is_outer(left):
                assert isinstance(left, ast.Call)
                return left, right, "mul" if isinstance(node.op, ast.Mult) else "div"
        return None, None, ""

    def _is_outer(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._numpy_name(node.func) == "outer"

    def _add_scaled(self, node: ast.AugAssign, out: Ref, sign: int, line: int) -> bool:
        """Translate y +- s * x, or x / s; return whether it is one."""
        value = node.value
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult | ast.Div):
            return False
        a, b = self.expr(value.left), self.expr(value.right)
        if {a.shape, b.shape} != {(), out.shape}:
            change = self._binary(value, type(value.op).__name__, a, b)
            if change.shape not in {(), out.shape}:
                self.reject(node, f"shapes {out.shape} and {change.shape} differ", "use one shape")
            self.emit("add" if sign > 0 else "sub", out, [out, change], line)
            return True
        if isinstance(value.op, ast.Div):
            if b.shape:
                self.reject(node, "a number divided by an array", "divide element by element")
            by = self.reciprocal(b, line)
            self.emit("axpy", out, [by, a], line, sign=sign, exact=("div", (a, b)))
            return True
        scale, vector = (b, a) if a.shape else (a, b)
        self.emit("axpy", out, [scale, vector], line, sign=sign)
        return True

    def reciprocal(self, value: Operand, line: int) -> Ref:
        return self.emit("div", self.result(line, ()), [Const(1.0), value], line)

    def target(self, node: ast.expr) -> Ref:
        if isinstance(node, ast.Name):
            if node.id not in self.names:
                self.reject(node, f"{node.id} has no value yet", "assign to it before")
            value = self.names[node.id]
            if node.id in self.loops:
                self.reject(node, f"{node.id} is a loop variable", "choose another name")
        else:
            value = self.expr(node)
        if isinstance(value, Whole) and value.op == "read":
            assert value.ref is not None
            value = value.ref
        if not isinstance(value, Ref) or value.place.role not in {"state", "local"}:
            self.reject(node, f"{ast.unparse(node)} cannot be assigned",
                        "assign to a variable, or name the attribute in keeps")  # fmt: skip
        return value

    # ------------------------------------------------------------------ conditions

    def test(self, node: ast.expr) -> Test:
        if isinstance(node, ast.BoolOp):
            op = "and" if isinstance(node.op, ast.And) else "or"
            tests = [self.test(node.values[0])]
            for each in node.values[1:]:
                before = len(self.block)
                tests.append(self.test(each))
                if any(one.op in _GUARDED for one in self.block[before:]):
                    self.reject(each, f"{ast.unparse(each)} runs only after the test before it",
                                "write a second if below the first")  # fmt: skip
            return Test(op, tuple(tests))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Test("not", (self.test(node.operand),))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            op = _COMPARE.get(type(node.ops[0]), "")
            a, b = self.expr(node.left), self.expr(node.comparators[0])
            if op and not a.shape and not b.shape:
                return Test(op, operands=(a, b))
        return self.reject(node, f"{ast.unparse(node):.50} is not a condition of the subset",
                    "compare two numbers; join with and, or, not")  # fmt: skip

    # ------------------------------------------------------------------ expressions

    def expr(self, node: ast.expr) -> Operand:
        rule: Callable[[Any], Operand] | None = getattr(
            self, f"x_{type(node).__name__.lower()}", None
        )
        if rule is None:
            self.reject_node(node)
        return rule(node)

    def x_constant(self, node: ast.Constant) -> Operand:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.reject(node, f"{value!r} is not a number", "use a number")
        return self._constant(node, value)

    def _constant(self, node: ast.AST, value: Any) -> Operand:
        if isinstance(value, int | np.integer):
            if not WORD_MIN <= value <= WORD_MAX:
                self.reject(node, f"{value} does not fit 32 bits", "write it as a float")
            return const(int(value))
        if not math.isfinite(value):
            self.reject(node, f"{value} is not finite", "use a large number, such as 100.0")
        return Const(float(value))

    def _reading(self, ref: Ref) -> Operand:
        if not ref.whole:
            return ref
        place = ref.place
        if ref.shape:
            return ref
        return Whole("read", place.low, place.high, ref=ref)

    def x_name(self, node: ast.Name) -> Operand:
        if node.id in self.names:
            return self.names[node.id]
        value = self.globals.get(node.id)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._constant(node, value)
        known = [*self.names, *(k for k, v in self.globals.items() if type(v) in {int, float})]
        return self.reject(
            node, f"{node.id} is not a variable {allowed_hint(node.id, known)}", "assign it before"
        )

    def x_attribute(self, node: ast.Attribute) -> Operand:
        if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            self.reject(node, f"{ast.unparse(node)} is not in the subset", "use self.NAME")
        learner, name = self.code.learner, node.attr
        value = getattr(learner, name, None)
        if name in self.code.state and not isinstance(value, Draws):
            return self._reading(Ref(self.code.state[name]))
        if name == "alpha" and isinstance(value, int | float):
            return Ref(self.code.alpha)
        if isinstance(value, int | float | np.number) and not isinstance(value, bool):
            return self._constant(node, value)
        hint = allowed_hint(name, [*self.code.state, *vars(learner)], "known")
        return self.reject(node, f"self.{name} is not a number, and keeps does not name it {hint}",
                    f"add {name!r} to keeps")  # fmt: skip

    def x_subscript(self, node: ast.Subscript) -> Operand:
        base = self.expr(node.value)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        index = tuple(self.whole_of(each, self.expr(each), "an index") for each in items)
        if not isinstance(base, Ref) or len(index) > len(base.shape):
            self.reject(node, f"{ast.unparse(node)} has too many indices", "leave one out")
        for each, size in zip(index, base.shape, strict=False):
            if each.op == "const" and not 0 <= each.value < size:
                self.reject(node, f"index {each.value} is outside 0 to {size - 1}", "count from 0")
        return self._reading(Ref(base.place, (*base.index, *index)))

    def x_unaryop(self, node: ast.UnaryOp) -> Operand:
        if not isinstance(node.op, ast.USub | ast.UAdd):
            self.reject(
                node, f"{ast.unparse(node)} is not in the subset", "use - or not in a condition"
            )
        value = self.expr(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        zero: Operand = const(0) if value.whole else Const(0.0)
        return self._binary(node, "Sub", zero, value)

    def x_binop(self, node: ast.BinOp) -> Operand:
        name = type(node.op).__name__
        a, b = self.expr(node.left), self.expr(node.right)
        return self._matmul(node, a, b) if name == "MatMult" else self._binary(node, name, a, b)

    def _binary(self, node: ast.AST, name: str, a: Operand, b: Operand) -> Operand:
        if isinstance(a, Whole) and isinstance(b, Whole) and name != "Div":
            return self._whole_binary(node, name, a, b)
        op = {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div"}.get(name)
        if op is None:
            self.reject(node, f"{name} of real numbers is not in the subset", "use + - * /")
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
            self.reject(node, f"{name} of whole numbers is not in the subset", "use + - * // %")
        if op in {"//", "%"} and b.low <= 0:
            self.reject(
                node, "the divisor may be 0 or negative", "use a setting above 0 as divisor"
            )
        ends = [_apply(op, x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = min(ends), max(ends)
        if op == "%":
            low, high = 0, b.high - 1
        if a.op == b.op == "const":
            low = high = _apply(op, a.value, b.value)
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
                return self.emit("matvec", self.result(line, a.shape[:1]), [a, b], line)
        return self.reject(node, f"@ of shapes {a.shape} and {b.shape}",
                    "use matrix @ vector or vector @ vector of real numbers")  # fmt: skip

    # ------------------------------------------------------------------ calls

    def _is_builtin(self, node: ast.expr, name: str) -> bool:
        plain = isinstance(node, ast.Name) and node.id == name
        return plain and name not in self.names and name not in self.globals

    def _numpy_name(self, node: ast.expr) -> str:
        """Return NAME of np.NAME; empty for anything else."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = node.value.id
            if module not in self.names and self.globals.get(module) is np:
                return node.attr
        return ""

    def _own_method(self, node: ast.Call) -> str:
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return function.attr if function.value.id == "self" else ""
        return ""

    def x_call(self, node: ast.Call) -> Operand:
        function = node.func
        name = self._own_method(node)
        if name:
            return self.call(name, node)
        if isinstance(function, ast.Attribute) and function.attr == "below":
            return self._draw(node, function.value)
        if isinstance(function, ast.Attribute) and function.attr == "copy" and not node.args:
            base = self.expr(function.value)
            if isinstance(base, Ref) and base.shape and not base.whole:
                line = self.line(node)
                return self.emit("copy", self.result(line, base.shape), [base], line)
        name = self._numpy_name(function)
        if not name:
            name = next((each for each in _BUILTIN if self._is_builtin(function, each)), "")
        rule = getattr(self, f"_call_{name}", None)
        if rule is None or node.keywords:
            self.reject(node, f"{ast.unparse(function):.40}() is not in the subset",
                        f"use np. {', '.join(_NUMPY)}; {', '.join(_BUILTIN)}; .copy(); own methods;"
                        " positional arguments")  # fmt: skip
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
        return self._new_whole("draw", line, "draw", [n, Ref(place)], 0, n.high - 1)

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
        line = self.line(node)
        return self.emit(op, self.result(line, ()), args, line)

    def _call_sqrt(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._one(node, "sqrt", args)

    def _call_log(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._one(node, "log", args)

    def _call_exp(self, node: ast.Call, args: list[Operand]) -> Operand:
        return self._one(node, "exp", args)

    def _call_argmax(self, node: ast.Call, args: list[Operand]) -> Operand:
        if len(args) != 1 or not isinstance(args[0], Ref) or len(args[0].shape) != 1:
            self.reject(node, "np.argmax takes one vector", "give it a vector")
        line, ref = self.line(node), args[0]
        last = ref.shape[0] - 1
        best = Whole("argmax", 0, last, ref=ref)
        return self._new_whole("best", line, "whole", [best], 0, last)

    def _pair(self, node: ast.Call, op: str, args: list[Operand], *, arrays: bool) -> Operand:
        if len(args) != 2:
            self.reject(node, f"{op} takes two values here", "nest two calls")
        a, b = args
        if isinstance(a, Whole) and isinstance(b, Whole):
            ends = [_apply(op, x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
            if a.op == b.op == "const":
                return const(_apply(op, a.value, b.value))
            low = max(a.low, b.low) if op == "max" else min(ends)
            return Whole(op, low, max(ends) if op == "max" else min(a.high, b.high), args=(a, b))
        if (a.shape or b.shape) and not arrays:
            self.reject(node, f"{op} of arrays", f"use np.{op}imum")
        if a.shape and b.shape and a.shape != b.shape:
            self.reject(node, f"shapes {a.shape} and {b.shape} differ", "use one shape")
        line = self.line(node)
        return self.emit(op, self.result(line, a.shape or b.shape), args, line)

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


def _same_place(one: Operand, other: Operand) -> bool:
    first = one.ref if isinstance(one, Whole) else one
    second = other.ref if isinstance(other, Whole) else other
    if not (isinstance(first, Ref) and isinstance(second, Ref)):
        return False
    return first.place is second.place and first.index == second.index


def _apply(op: str, a: int, b: int) -> int:
    if op in {"//", "%"}:
        return (a // b if op == "//" else a % b) if b else 0
    return {"+": a + b, "-": a - b, "*": a * b, "max": max(a, b), "min": min(a, b)}[op]


def _known(value: Const | Whole) -> bool:
    return isinstance(value, Const) or value.op == "const"


def _known_value(value: Const | Whole) -> float:
    return float(value.value)


def _changes_state(op: Op) -> bool:
    return op.op != "draw" and op.out is not None and op.out.place.role == "state"


def _always_returns(block: list[Op]) -> bool:
    """Return whether every path through a block ends in a return."""
    if not block:
        return False
    last = block[-1]
    if last.op == "if":
        return all(_always_returns(each) for each in last.blocks)
    return last.op == "return"
