"""C of operations with 16-bit factors for any vector unit."""

from __future__ import annotations

from gnomon.once.c_vector import VectorProducts
from gnomon.once.code import Operation, walk
from gnomon.once.short import SHORT_PLANS, exponent_of, matrix_of, reads_context, vector_of

_SUMS = {"short_quad": "once_short_quads", "short_dot": "once_short_dots"}


class ShortProducts(VectorProducts):
    """Rules of operations with 16-bit factors, and of the exponents of their matrices."""

    def start_short(self, block: list[Operation], depth: int) -> None:
        """Scale the context, or only prepare the unit, if a block needs it."""
        if not any(each.op in SHORT_PLANS for each in walk(block)):
            return
        self.uses.add("once_short.h")
        if reads_context(block, self.code):
            self.put(f"once_short_context({self.names[self.code.x]});", depth)
        else:
            self.put("once_short_start();", depth)

    def call_sums(self, op: Operation, depth: int, out: str, start: str, count: int) -> None:
        """Call the function that computes sums of ``count`` matrices or vectors."""
        if op.op not in _SUMS:
            super().call_sums(op, depth, out, start, count)
            return
        x = f" {self.start(vector_of(op))}," if op.op == "short_quad" else ""
        plan = f"{op.plan['narrow']}, {op.plan['pre']}"
        self.put(f"{_SUMS[op.op]}({out}, {start},{x} {count}, {plan});", depth)

    def shift_of(self, op: Operation) -> str:
        """Return the right shift of a sum to the format of its result."""
        if op.op not in _SUMS:
            return super().shift_of(op)
        return f"{super().shift_of(op)}{self._exponent(op, ' + ')}"

    def _exponent(self, op: Operation, before: str) -> str:
        exponent = exponent_of(op)
        return "" if exponent is None else f"{before}{self.ref(exponent)}"

    def _do_elements(self, op: Operation, depth: int) -> None:
        moves = op.to.place.exponent is not None
        words = f"{self.start(op.to)}, {self._exponent(op, '&')}" if moves else ""
        if moves:
            self.put(f"once_short_make_room({words});", depth)
        super()._do_elements(op, depth)
        if moves:
            self.put(f"once_short_take_room({words});", depth)

    def _do_short_quad(self, op: Operation, depth: int) -> None:
        self.put_sum(op, depth)

    def _do_short_dot(self, op: Operation, depth: int) -> None:
        self.put_sum(op, depth)

    def _do_short_times_vector(self, op: Operation, depth: int) -> None:
        vector = vector_of(op)
        own = "0" if vector.place is self.code.x else self.start(vector)
        plan = (
            f"{op.plan['narrow']}, {op.plan['pre']}, {op.plan['shift']}{self._exponent(op, ' + ')}"
        )
        words = f"{self.start(op.to)}, {self.start(matrix_of(op))}, {own}"
        self.put(f"once_short_rows({words}, {plan}, {op.to.place.limit});", depth)

    def _do_short_rank1(self, op: Operation, depth: int) -> None:
        words = ", ".join([self.start(op.to), *(self._array(each) for each in op.args)])
        exponent = self._exponent(op, "&") or "0"
        plan = f"{op.plan['shift']}, {op.sign}, {op.to.place.limit}"
        self.put(f"once_short_outer({words}, {plan}, {exponent});", depth)
