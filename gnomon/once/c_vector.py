"""C of operations for a vector unit; one call before a loop computes them for all its rounds."""

from __future__ import annotations

from gnomon.once.c_products import Products
from gnomon.once.code import Operation
from gnomon.once.vector import context_of, factor_of, hoisted_operations

_SUMS = {"vector_quad": "once_vector_quads", "vector_dot": "once_vector_dots"}


class VectorProducts(Products):
    """Rules of vector operations."""

    def hoist(self, loop: Operation, depth: int) -> None:
        """Compute sums of all rounds of a loop."""
        for op in hoisted_operations(loop):
            part = factor_of(op)
            count = part.place.shape[0]
            name = f"sums_{op.line}_{len(self.sums)}"
            self.sums[id(op)] = f"{name}[{self.names[loop.to.place]}]"
            start = f"{self.names[part.place]}{'[0]' * (len(part.place.shape) - 1)}"
            self.put(f"static fx_t {name}[{count}];", depth)
            self.call_sums(op, depth, name, start, count)

    def _do_vector_quad(self, op: Operation, depth: int) -> None:
        self.put_sum(op, depth)

    def _do_vector_dot(self, op: Operation, depth: int) -> None:
        self.put_sum(op, depth)

    def put_sum(self, op: Operation, depth: int) -> None:
        """Write one sum, which a call before the loop may have computed."""
        word = self.sums.get(id(op), "")
        if word:
            self.put(f"{self.ref(op.to)} = {self._moved_back(op, word)};", depth)
            return
        self.put("{", depth)
        self.put("static fx_t sum;", depth + 1)
        self.call_sums(op, depth + 1, "&sum", self.start(factor_of(op)), 1)
        self.put(f"{self.ref(op.to)} = {self._moved_back(op, 'sum')};", depth + 1)
        self.put("}", depth)

    def call_sums(self, op: Operation, depth: int, out: str, start: str, count: int) -> None:
        """Call the function that computes sums of ``count`` matrices or vectors."""
        x = f" {self.start(context_of(op))}," if op.op == "vector_quad" else ""
        self.put(f"{_SUMS[op.op]}({out}, {start},{x} {count}, {op.plan['pre']});", depth)

    def _moved_back(self, op: Operation, word: str) -> str:
        return f"once_fit(once_right({word}, {self.shift_of(op)}), {op.to.place.limit})"

    def shift_of(self, op: Operation) -> str:
        """Return the right shift of a sum to the format of its result."""
        powers = op.plan["powers"]
        exponent = "once_exponent" if powers == 1 else f"{powers} * once_exponent"
        return f"{exponent} + ({op.plan['shift']})"

    def _do_vector_times_vector(self, op: Operation, depth: int) -> None:
        words = f"{self.start(op.to)}, {self.start(factor_of(op))}, {op.plan['pre']}"
        self.put(f"once_vector_rows({words}, {self.shift_of(op)}, {op.to.place.limit});", depth)

    def _do_vector_rank1(self, op: Operation, depth: int) -> None:
        if not op.plan["vector"]:
            shifts = f"0, {op.plan['pre']}, {op.plan['shift']}"
            self._outer(op, depth, self._array(op.args[1]), "wide", shifts)
            return
        words = ", ".join([self.start(op.to), *(self._array(each) for each in op.args)])
        self.put(
            f"once_vector_outer({words}, {op.plan['pre']}, {op.sign}, {op.to.place.limit});", depth
        )
