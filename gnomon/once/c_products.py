"""C of sums of products, and of updates in place."""

from __future__ import annotations

from gnomon.once.c_elements import Elements
from gnomon.once.c_operands import shift_right
from gnomon.once.code import Operand, Operation, Ref


class Products(Elements):
    """Rules of operations with vectors and matrices."""

    def _add(self, op: Operation, to: str, a: str, b: str) -> str:
        """Return the statement that adds a product to a sum."""
        mode, down = op.plan["mode"], op.plan["down"]
        if mode == "mac":
            return f"{to} = once_mac({to}, {a}, {b});"
        return (
            f"{to} += {shift_right(f'once_{mode}({a}, {b})', down, 31 if mode == 'high' else 63)};"
        )

    def _total(self, op: Operation, name: str) -> str:
        """Return the result of a sum."""
        narrow = op.plan["mode"] != "wide" and op.plan["shift"] >= 0
        return self.fit(op, self.moved(name, op.plan["shift"], wide=not narrow), narrow=narrow)

    def _kind(self, op: Operation) -> str:
        return "int64_t" if op.plan["mode"] == "wide" else "fx_t"

    def _do_dot(self, op: Operation, depth: int) -> None:
        a, b = op.args
        self.put(f"{{\n{'    ' * (depth + 1)}{self._kind(op)} sum = 0;", depth)
        self.put("ONCE_UNROLL", depth + 1)
        self.put(f"for (uint32_t j = 0; j < {a.shape[0]}; ++j) {{", depth + 1)
        self.put(self._add(op, "sum", self.word(a, "[j]"), self.word(b, "[j]")), depth + 2)
        self.put("}", depth + 1)
        self.put(f"{self.ref(op.to)} = {self._total(op, 'sum')};", depth + 1)
        self.put("}", depth)

    def _do_times_vector(self, op: Operation, depth: int) -> None:
        a, x = op.args
        assert isinstance(a, Ref)
        if a.place.packed:
            self._half_times_vector(op, a, x, depth)
            return
        rows, columns = a.shape
        step = 2 if rows % 2 == 0 else 1
        kind, names = self._kind(op), ["sum", "next"][:step]
        self.put(f"{{\n{'    ' * (depth + 1)}const fx_t *row = {self.start(a)};", depth)
        self.put(
            f"for (uint32_t i = 0; i < {rows}; i += {step}, row += {step * columns}) {{", depth + 1
        )
        self.put(f"{kind} {', '.join(f'{each} = 0' for each in names)};", depth + 2)
        self.put("ONCE_UNROLL", depth + 2)
        self.put(f"for (uint32_t j = 0; j < {columns}; ++j) {{", depth + 2)
        self.put(f"const fx_t right = {self.word(x, '[j]')};", depth + 3)
        for at, each in enumerate(names):
            place = f"row[j + {at * columns}]" if at else "row[j]"
            self.put(self._add(op, each, place, "right"), depth + 3)
        self.put("}", depth + 2)
        for at, each in enumerate(names):
            out = self.ref(op.to, f"[i + {at}]" if at else "[i]")
            self.put(f"{out} = {self._total(op, each)};", depth + 2)
        self.put("}", depth + 1)
        self.put("}", depth)

    def _half_times_vector(self, op: Operation, a: Ref, x: Operand, depth: int) -> None:
        """Write A x of a packed lower half."""
        n, kind = a.shape[0], self._kind(op)
        mode, down = op.plan["mode"], op.plan["down"]
        self.uses.add("once_products.h")
        self.put("{", depth)
        storage = f"{self.static} " if kind == "int64_t" else ""
        self.put(f"{storage}{kind} sums[{n}];", depth + 1)
        words = f"{self.start(a)}, {self._array(x)}"
        self.put(f"once_half_{mode}(sums, {words}, {n}, {down});", depth + 1)
        self.put(f"for (uint32_t i = 0; i < {n}; ++i) {{", depth + 1)
        self.put(f"{self.ref(op.to, '[i]')} = {self._total(op, 'sums[i]')};", depth + 2)
        self.put("}", depth + 1)
        self.put("}", depth)

    def _array(self, operand: Operand) -> str:
        assert isinstance(operand, Ref)
        return self.start(operand)

    def _do_quad(self, op: Operation, depth: int) -> None:
        a, x = op.args
        assert isinstance(a, Ref)
        plan, packed = op.plan, int(a.place.packed)
        self.uses.add("once_products.h")
        words = f"{self.start(a)}, {self._array(x)}, {a.shape[0]}, {packed}"
        total = (
            f"once_quad_{plan['mode']}_{plan['inner']}({words}, {plan['down']}, {plan['outer']})"
        )
        self.put(f"{self.ref(op.to)} = {self._total(op, total)};", depth)

    def _do_solve(self, op: Operation, depth: int) -> None:
        a, b = op.args
        assert isinstance(a, Ref)
        n = a.shape[0]
        self.uses.add("once_solve.h")
        self.put(f"{{\n{'    ' * (depth + 1)}{self.static} fx_t work[{n * (n + 1)}];", depth)
        words = f"{self.start(op.to)}, {self.start(a)}, {self._array(b)}, work"
        plan = f"{int(a.place.packed)}, {op.plan['shift']}, {op.to.place.limit}"
        self.put(f"once_solve({words}, {n}, {plan});", depth + 1)
        self.put("}", depth)

    def _do_rank1(self, op: Operation, depth: int) -> None:
        """Write A +- w y^T; the lower half of a symmetric A."""
        w, y = (self._array(each) for each in op.args)
        rows, columns = op.to.shape
        shift = op.plan["shift"]
        self.uses.add("once_products.h")
        if shift >= 32:
            self._outer(op, depth, y, "high", f"0, {op.plan['pre']}, {min(shift - 32, 31)}")
            return
        up = 32 - shift
        self.put("{", depth)
        self.put(
            f"/* Upper words of products, if there is room to shift by {up} before. */", depth + 1
        )
        for name, each, size in (("left", w, rows), ("right", y, columns)):
            self.put(f"const uint32_t {name}_room = fx_leading_zeros("
                     f"once_bits({each}, {size})) - 1u;", depth + 1)  # fmt: skip
        self.put(f"if (left_room + right_room >= {up}u) {{", depth + 1)
        self.put(f"{self.static} fx_t moved[{columns}];", depth + 2)
        self.put(f"const uint32_t up = right_room < {up}u ? right_room : {up}u;", depth + 2)
        self.put(f"for (uint32_t j = 0; j < {columns}; ++j) {{", depth + 2)
        self.put(f"moved[j] = once_left(({y})[j], up);", depth + 3)
        self.put("}", depth + 2)
        self._outer(op, depth + 2, "moved", "high", f"{up}u - up, 0, 0")
        self.put("} else {", depth + 1)
        self._outer(op, depth + 2, y, "wide", f"0, 0, {shift}")
        self.put("}", depth + 1)
        self.put("}", depth)

    def _outer(self, op: Operation, depth: int, y: str, mode: str, shifts: str) -> None:
        rows, columns = op.to.shape
        half = op.to.place.packed
        name = f"once_half_outer_{mode}" if half else f"once_outer_{mode}"
        sizes = f"{rows}" if half else f"{rows}, {columns}, {int(op.symmetric)}"
        words = f"{self.start(op.to)}, {self._array(op.args[0])}, {y}, {sizes}"
        self.put(f"{name}({words}, {shifts}, {op.sign}, {op.to.place.limit});", depth)

    def _do_axpy(self, op: Operation, depth: int) -> None:
        s, x = op.args
        plan, sign, limit = op.plan, "+" if op.sign > 0 else "-", op.to.place.limit
        out = self.ref(op.to, "[i]")
        self.put("{", depth)
        self.put(f"const fx_t left = {shift_right(self.word(s), plan['pre'])};", depth + 1)
        self.put(f"for (uint32_t i = 0; i < {op.to.shape[0]}; ++i) {{", depth + 1)
        word = self.word(x, "[i]")
        if plan["mode"] == "high":
            change = shift_right(f"once_high(left, {word})", plan["shift"] - 32)
        else:
            change = self.moved(f"once_wide(left, {word})", plan["shift"], wide=True)
        if plan["narrow"]:
            text = f"once_clamp({out} {sign} (fx_t){change}, {limit})"
        else:
            text = f"once_fit((int64_t){out} {sign} {change}, {limit})"
        self.put(f"{out} = {text};", depth + 2)
        self.put("}", depth + 1)
        self.put("}", depth)
