"""Statements of the subset: assignments, updates in place, ``if``, ``for`` and ``return``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gnomon.once.calls import Calls
from gnomon.once.code import Operand, Operation, Place, Ref, Whole, always_returns


class Statements(Calls):
    """Rules of statements."""

    def statements(self, body: Sequence[ast.stmt]) -> None:
        """Translate a body."""
        for at, each in enumerate(body):
            rule = getattr(self, f"_do_{type(each).__name__.lower()}", None)
            if rule is None:
                self.reject_node(each)
            if isinstance(each, ast.Return) and at + 1 < len(body):
                self.reject(body[at + 1], "a statement after return", "delete it")
            plain = isinstance(each, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return)
            self.alone = getattr(each, "value", None) if plain else None
            self.unused = self.alone if isinstance(each, ast.Expr) else None
            rule(each)

    def _do_pass(self, node: ast.Pass) -> None:
        del node

    def _do_expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return
        if not (isinstance(node.value, ast.Call) and self.own_method(node.value)):
            self.reject(node, "the value of this line is not used", "assign it, or delete it")
        self.expr(node.value)

    def _do_return(self, node: ast.Return) -> None:
        if self.calls:
            if self.depth:
                self.reject(node, "return under an if or in a loop of a called method",
                            "assign to a variable and return it at the end")  # fmt: skip
            self.answer = None if node.value is None else self.expr(node.value)
        elif self.name == "update":
            if node.value is not None:
                self.reject(node, "update returns a value", "return without a value")
            self.block.append(Operation("return", None, [], self.line(node)))
        else:
            if node.value is None:
                self.reject(node, "select returns no arm", "return a whole number")
            arm = self.whole_of(node, self.expr(node.value), "the arm that select returns")
            self.block.append(Operation("return", None, [arm], self.line(node)))

    def _do_for(self, node: ast.For) -> None:
        if not isinstance(node.target, ast.Name) or node.orelse:
            self.reject(node, "this for loop", "use for NAME in range(n), without else")
        first, last = self._range(node.iter)
        name = node.target.id
        if name in self.names:
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
            Operation("for", Ref(place), [], self.line(node), blocks=(body,), count=(first, last))
        )

    def _range(self, node: ast.expr) -> tuple[int, int]:
        remedy = "use range(n) or range(a, b) of numbers that are known before the first round"
        if not (isinstance(node, ast.Call) and self.is_builtin(node.func, "range")):
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

    def _do_if(self, node: ast.If) -> None:
        test, outer, parts = self.test(node.test), self.block, []
        self.depth += 1
        known = dict(self.names)
        branches: list[dict[str, Operand]] = []
        siblings = self.siblings
        for body in (node.body, node.orelse):
            self.block = []
            self.names = dict(known)
            self.siblings = {**siblings, **branches[0]} if branches else siblings
            self.statements(body)
            branches.append(self.names)
            parts.append(self.block)
        self.siblings = siblings
        returns = [always_returns(each) for each in parts]
        if any(returns):
            self.names = branches[0 if returns[1] else 1]
        else:
            self.names = self._join(node, *branches)
        self.depth -= 1
        self.block = outer
        self.block.append(
            Operation("if", None, [], self.line(node), test=test, blocks=(parts[0], parts[1]))
        )

    def _join(
        self, node: ast.If, one: dict[str, Operand], other: dict[str, Operand]
    ) -> dict[str, Operand]:
        """Return the names that have a value after both branches; each is one variable."""
        joined = {name: value for name, value in one.items() if name in other}
        for name, value in joined.items():
            if other[name] is not value and not _same_place(value, other[name]):
                self.reject(node, f"both branches create {name}",
                            f"give {name} a value before the if")  # fmt: skip
        return joined

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            self.reject_node(node)
        self._assign(node, node.target, node.value)

    def _do_assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            self.reject(node, "several targets", "assign each on a line of its own")
        self._assign(node, node.targets[0], node.value)

    def _assign(self, node: ast.stmt, target: ast.expr, given: ast.expr) -> None:
        value = self.expr(given)
        fresh = isinstance(value, Ref) and value.place.role == "result" and not value.index
        if not isinstance(target, ast.Name):
            out = self.target(target)
            if isinstance(target, ast.Attribute):
                self._check_rebinding(node, target.attr, out, value, fresh=fresh)
                if out.shape and out.place in self.lent:
                    self.reject(node, f"{ast.unparse(target)} is also an argument, which would keep"
                                " the array of before", "give the method a .copy()")  # fmt: skip
            self.store(out, value, node)
            return
        name = target.id
        if name in self.loops:
            self.reject(node, f"{name} is a loop variable", "choose another name")
        twin = self.siblings.get(name)
        if name not in self.names and twin is not None and _is_alike(twin, value):
            self.names[name] = twin
        if name not in self.names and fresh:
            assert isinstance(value, Ref)
            value.place.name, value.place.role = name, "local"
            self.names[name] = value
            return
        if value.shape and not fresh:
            self.reject(node, f"{name} would be another name for an array", "write .copy()")
        if name not in self.names:
            place = Place(name, value.whole, value.shape, "local", self.line(node))
            self.names[name] = self.reading(Ref(place))
        out = self.target(target)
        if out.shape and name in self.given:
            self.reject(node, f"{name} is an argument, and would become another array",
                        "choose another name")  # fmt: skip
        self._check_rebinding(node, name, out, value, fresh=fresh)
        self.store(out, value, node)

    def _check_rebinding(
        self, node: ast.stmt, name: str, out: Ref, value: Operand, *, fresh: bool
    ) -> None:
        """Reject an assignment after which Python would have one array under two names."""
        if out.shape and not value.shape:
            self.reject(node, f"{name} is an array, and would become a number",
                        f"write {name}[i] = in a loop, or np.zeros")  # fmt: skip
        if value.shape and not fresh:
            self.reject(node, f"{name} would be another name for an array", "write .copy()")

    def store(self, out: Ref, value: Operand, node: ast.AST) -> None:
        """Emit an assignment."""
        if out.whole:
            if not isinstance(value, Whole):
                self.reject(node, f"{out.place.name} holds whole numbers", "start it with 0.0")
            if out.shape:
                self.reject(node, f"{out.place.name} is an array of whole numbers",
                            "change its elements in a loop")  # fmt: skip
            self.emit("whole", out, [value], self.line(node))
            return
        if value.shape not in {(), out.shape}:
            self.reject(node, f"{out.place.name} has the shape {out.shape}, not {value.shape}",
                        "use one shape")  # fmt: skip
        self.emit("copy", out, [value], self.line(node))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        out = self.target(node.target)
        line = self.line(node)
        sign = {ast.Add: 1, ast.Sub: -1}.get(type(node.op))
        if out.whole:
            own = self.reading(out)
            if out.shape:
                self.reject(node, f"{out.place.name} is an array of whole numbers",
                            "change its elements in a loop")  # fmt: skip
            self.store(
                out, self.binary(node, type(node.op).__name__, own, self.expr(node.value)), node
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
        return isinstance(node, ast.Call) and self.numpy_name(node.func) == "outer"

    def _add_scaled(self, node: ast.AugAssign, out: Ref, sign: int, line: int) -> bool:
        """Translate y +- s * x, or x / s; return whether it is one."""
        value = node.value
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult | ast.Div):
            return False
        a, b = self.expr(value.left), self.expr(value.right)
        if {a.shape, b.shape} != {(), out.shape}:
            change = self.binary(value, type(value.op).__name__, a, b)
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

    def target(self, node: ast.expr) -> Ref:
        """Return the place that a target of an assignment names."""
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
            if isinstance(node, ast.Name) and node.id in self.given:
                self.reject(node, f"{node.id} is an argument, which keeps its value",
                            "choose another name")  # fmt: skip
            self.reject(node, f"{ast.unparse(node)} cannot be assigned",
                        "assign to a variable, or name the attribute in keeps")  # fmt: skip
        return value


def _is_alike(one: Operand, other: Operand) -> bool:
    return one.whole == other.whole and one.shape == other.shape


def _same_place(one: Operand, other: Operand) -> bool:
    first = one.ref if isinstance(one, Whole) else one
    second = other.ref if isinstance(other, Whole) else other
    if not (isinstance(first, Ref) and isinstance(second, Ref)):
        return False
    return first.place is second.place and first.index == second.index
