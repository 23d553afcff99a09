"""Random programs of the subset of Python."""

from __future__ import annotations

import random

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
            f"np.maximum({v}, x)", f"({v} / 3.0)",
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
