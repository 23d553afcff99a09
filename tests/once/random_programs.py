"""Random programs of the subset of Python."""

from __future__ import annotations

import ast
import random
import textwrap
from typing import Any

from tests.once.programs import SELECT, method

_HELPERS = """
    def _mix(self, y, v):
        k = 0.5 * v
        k[0] = min(max(y, -2.0), 2.0)
        return k @ k

    def _pull(self, v, i):
        v[i] = 0.25
        last = v[-1]
        return last + 1.0
"""
"""Methods that random bodies call: one changes an array of its own, one that of its argument."""


class _Bodies:
    """Random bodies of the subset: numbers, vectors, whole numbers and the state, to a depth."""

    def __init__(self, seed: int, reward: str) -> None:
        self.rng = random.Random(seed)
        self.reward = reward

    def number(self, depth: int) -> str:
        leaves = [self.reward, "self.s", "0.5", "2.0", "self.w[arm, 0]", "self.alpha", "x[-1]",
                  "self.n[arm]", "self.a[arm, 0, 1]", "x[arm % self.dimensions]"]  # fmt: skip
        if not depth:
            return self.rng.choice(leaves)
        a, b = self.number(depth - 1), self.number(depth - 1)
        vector = self.vector(depth - 1)
        return self.rng.choice((
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"{a} / (1.0 + max({b}, 0.0))",
            f"np.sqrt(max({a}, 0.0))", f"np.log(max({a}, 0.1))", f"np.exp(min({a}, 1.0))",
            f"({vector} @ x)", f"max({a}, {b})", f"min({a}, {b})", f"abs({a})",
            f"({a} if {self.test()} else {b})", f"self._mix({a}, {vector})",
            "(x @ (self.a[arm] @ x))", f"({self.whole(1)} - {a})",
        ))  # fmt: skip

    def whole(self, depth: int) -> str:
        leaves = ["arm", "1", "self.n[arm]", "(0 - arm)", "self.dimensions", "np.argmax(x)"]
        if not depth:
            return self.rng.choice(leaves)
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        return self.rng.choice((
            f"({a} + {b})", f"({a} - {b})", f"({a} // 2)", f"({a} % 3)", f"max({a}, {b})",
            f"abs({a})", f"({a} if {self.test()} else {b})", "self.random.below(3)",
            f"np.argmax({self.vector(1)})",
        ))  # fmt: skip

    def test(self) -> str:
        a, b = self.number(0), self.number(0)
        return self.rng.choice((
            f"{a} > {b}", f"{a} <= {b}", f"-1.0 < {a} <= {b}", f"not {a} < {b}",
            f"{a} > 0.0 and {b} < 1.0", f"({a} < 0.0 or {self.whole(0)} == arm)",
        ))  # fmt: skip

    def vector(self, depth: int) -> str:
        if not depth:
            return self.rng.choice(["x", "self.w[arm]", "self.a[arm, 1]", "self.w[-1]"])
        v = self.vector(depth - 1)
        return self.rng.choice((
            f"(self.a[arm] @ {v})", f"({v} + x)", f"({v} * {self.number(depth - 1)})",
            f"np.maximum({v}, x)", f"({v} / 3.0)", f"np.linalg.solve(self.a[arm], {v})",
            f"np.clip({v}, -1.0, 1.0)", f"np.abs({v})", f"({v} / (1.0 + x @ x))",
        ))  # fmt: skip

    def update(self) -> str:
        lines = [f"y = min(max({self.number(2)}, -4.0), 4.0)", f"v = 1.0 * {self.vector(2)}"]
        lines += [self.rng.choice((
            "self.s = 0.9 * self.s + 0.1 * y", "self.w[arm] -= 0.1 * (y * x)",
            "self.w[arm] *= 0.9", "self.a[arm] *= 0.97", "self.n[arm] += 1",
            "self.a[arm] -= np.outer(x, x) / (9.0 + y * y)",
            f"if y > {self.number(1)}:\n    self.s = 0.5\nelse:\n    self.n[arm] += 2",
            "for i in range(2):\n    self.w[arm, i] = min(v[i], 1.0)",
            "self.a[arm] += 0.01 * np.outer(x, x)",
            "u = self.a[arm] @ x\nself.a[arm] -= np.outer(u, u) / (99.0 + x @ u)",
            f"if {self.test()}:\n    t = {self.vector(1)}\nelse:\n    t = 0.25 * x",
            f"t = {self.vector(1)} * 0.5\nself.w[arm] = np.clip(t, -2.0, 2.0)",
            f"self.n[{self.whole(1)} % self.arms] += {self.whole(1)} % 4",
            f"y = self._pull(v, {self.whole(1)} % self.dimensions)",
            f"if {self.test()}:\n    self.s = 0.25",
            "for i in range(self.dimensions):\n    self.w[arm, -1 - i] = 0.5 * x[i - 1]",
            f"old = self.w[arm].copy()\nself.w[arm] *= 0.5\ny += {self.number(0)} + old @ x",
            f"self.w[self.random.below(self.arms)] = np.clip({self.vector(1)}, -2.0, 2.0)",
        )) for _ in range(4)]  # fmt: skip
        return "\n".join(lines)

    def select(self) -> str:
        """Return a body whose loop writes a score of each arm, by its own values or by others."""
        lines = ["scores = np.zeros(self.arms)", "best = 0.0", f"bias = {self.rng.choice('09')}.0"]
        inside = [f"bonus = {self.number(1)}"]
        inside += [self.rng.choice((
            f"bonus += {self.number(1)}", f"if {self.test()}:\n    bonus = {self.number(0)}",
            f"v = {self.vector(1)}\nbonus += v @ x", "pass", "scores[arm] = bonus",
            "best = max(best, bonus)", "bonus += scores[0]", "bonus += np.argmax(scores)",
            f"bonus += {self.number(0)}", f"if bonus > bias:\n    bonus -= {self.number(0)}",
        )) for _ in range(2)]  # fmt: skip
        inside += ["scores[arm] = min(max(bonus, -9.0), 9.0)"]
        lines += ["for arm in range(self.arms):"]
        lines += [textwrap.indent(each, "    ") for each in inside]
        lines += [self.rng.choice((
            "pass", "self.s = 0.9 * self.s + 0.1 * best", "self.n[0] += 1", "scores[-1] = best",
            "if x[0] > 1.5:\n    return self.random.below(self.arms)",
            "first = np.argmax(scores)\nscores[first] = -10.0",
        ))]  # fmt: skip
        return "\n".join([*lines, "return np.argmax(scores)"])


def random_methods(seed: int) -> tuple[str, str, str]:
    """Return the text of a random ``select``, of a random ``update``, and of their methods."""
    select = method("select", _Bodies(seed, "self.s").select()) if seed % 2 else SELECT
    return select, method("update", _Bodies(seed, "reward").update()), _HELPERS


_STRANGE = (
    "reward ** 2.0", "x[0:1]", "-reward", "abs(reward)", "x.T", "[1.0]", "self.w", "self.n", "arm",
    "x", "arm // 2", "arm % 2", "arm % self.n[arm]", "self.n[arm] * 3", "-arm", "1e30", "1e-12",
    "0.0", "-1", "7", "2147483648", "self.a[arm]", "self.a", "np.zeros(2)", "np.zeros((2, 2))",
    "np.argmax(x)", "self.random.below(3)", "float(arm)", "int(reward)", "max(arm, 1)",
    "min(x, 1.0)", "np.maximum(x, 0.0)", "np.outer(x, x)", "self.s", "self.missing", "y", "v",
    "True", "reward if reward > 0.0 else y", "x.copy()", "self.w[arm].copy()", "self.n[9]",
    "self.w[arm, arm]", "self.w[self.n[arm], 0]", "np.log(reward)", "1.0 / reward", "x @ x",
    "self.a[arm] @ x", "not arm", "reward > 0.0", "self.other", "self.random", "np.sqrt(reward)",
    "self.arms", "self.dimensions", "np.exp(reward)", "np.exp(v @ x)", "1e300",
    "1e-308", "sum(x)", "lambda: 1.0", "'text'", "None",
)  # fmt: skip
"""Expressions of any kind, inside the subset or not."""


class _Swap(ast.NodeTransformer):
    """Replaces one expression that is read, or changes one statement or operator."""

    def __init__(self, rng: random.Random, nodes: list[ast.AST]) -> None:
        self.rng, self.chosen = rng, rng.choice(nodes)

    def visit(self, node: ast.AST) -> Any:
        if node is not self.chosen:
            return self.generic_visit(node)
        if isinstance(node, ast.expr):
            return ast.parse(self.rng.choice(_STRANGE), mode="eval").body
        if isinstance(node, ast.operator):
            kinds = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult)
            return self.rng.choice(kinds)()
        if isinstance(node, ast.cmpop):
            return self.rng.choice((ast.Lt, ast.GtE, ast.Eq, ast.NotEq, ast.Is, ast.In))()
        assert isinstance(node, ast.stmt)
        return self.rng.choice(([node, node], ast.If(_TEST, [node], []), ast.Pass()))


_TEST = ast.Compare(ast.Name("reward", ast.Load()), [ast.Gt()], [ast.Constant(1.0)])


def damage(text: str, rng: random.Random) -> str:
    """Return the text of a method in which one expression, operator or statement is another."""
    tree = ast.parse(textwrap.dedent(text))
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    called = [each.func for each in ast.walk(tree) if isinstance(each, ast.Call)]
    nodes = [
        node for statement in function.body for node in ast.walk(statement)
        if isinstance(node, ast.operator | ast.cmpop | ast.stmt)
        or (isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store)
            and node not in called and getattr(node, "id", "") not in {"self", "np"})
    ]  # fmt: skip
    changed = _Swap(rng, nodes).visit(tree)
    return "\n" + textwrap.indent(ast.unparse(ast.fix_missing_locations(changed)), "    ") + "\n"


def damaged_methods(seed: int) -> tuple[str, str, str]:
    """Return random methods, of which one or two places are changed."""
    rng = random.Random(seed)
    texts = list(random_methods(seed))
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.choice((0, 1, 1, 1))
        texts[at] = damage(texts[at], rng)
    return texts[0], texts[1], texts[2]
