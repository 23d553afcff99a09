"""Random programs of the subset of Python."""

from __future__ import annotations

import ast
import random
import textwrap
from typing import Any

from tests.once.programs import SELECT, method


class _Bodies:
    """Random bodies of the subset: numbers, vectors and the state, to a depth."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def number(self, depth: int) -> str:
        leaves = ["reward", "self.s", "0.5", "2.0", "self.w[arm, 0]", "self.alpha", "self.n[arm]"]
        if not depth:
            return self.rng.choice(leaves)
        a, b = self.number(depth - 1), self.number(depth - 1)
        vector = self.vector(depth - 1)
        return self.rng.choice((
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"{a} / (1.0 + max({b}, 0.0))",
            f"np.sqrt(max({a}, 0.0))", f"np.log(max({a}, 0.1))", f"np.exp(min({a}, 1.0))",
            f"({vector} @ x)", f"max({a}, {b})", f"min({a}, {b})",
        ))  # fmt: skip

    def vector(self, depth: int) -> str:
        if not depth:
            return self.rng.choice(["x", "self.w[arm]", "self.a[arm, 1]"])
        v = self.vector(depth - 1)
        return self.rng.choice((
            f"(self.a[arm] @ {v})", f"({v} + x)", f"({v} * {self.number(depth - 1)})",
            f"np.maximum({v}, x)", f"({v} / 3.0)", f"np.linalg.solve(self.a[arm], {v})",
        ))  # fmt: skip

    def update(self) -> str:
        lines = [f"y = min(max({self.number(2)}, -4.0), 4.0)", f"v = 1.0 * {self.vector(2)}"]
        lines += [self.rng.choice((
            "self.s = 0.9 * self.s + 0.1 * y", "self.w[arm] -= 0.1 * (y * x)",
            "self.w[arm] *= 0.9", "self.a[arm] *= 0.97", "self.n[arm] += 1",
            "self.a[arm] -= np.outer(x, x) / (9.0 + y * y)",
            f"if y > {self.number(1)}:\n    self.s = 0.5\nelse:\n    self.n[arm] += 2",
            "for i in range(2):\n    self.w[arm, i] = min(v[i], 1.0)",
        )) for _ in range(4)]  # fmt: skip
        return "\n".join(lines)


def random_methods(seed: int) -> tuple[str, str]:
    """Return the text of ``select`` and of a random ``update``."""
    return SELECT, method("update", _Bodies(seed).update())


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


def damaged_methods(seed: int) -> tuple[str, str]:
    """Return ``select`` and a random ``update``, of which one or two places are changed."""
    rng = random.Random(seed)
    texts = list(random_methods(seed))
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.choice((0, 1, 1, 1))
        texts[at] = damage(texts[at], rng)
    return texts[0], texts[1]
