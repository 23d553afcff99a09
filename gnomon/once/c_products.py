"""C of sums of products, and of updates in place."""

from __future__ import annotations

from gnomon.once.c_elements import Elements
from gnomon.once.c_operands import shift_right
from gnomon.once.code import Operand, Operation, Ref


class Products(Elements):
    """Rules of operations with vectors and matrices."""

    def _term(self, op: Operation, a: str, b: str, down: int) -> str:
        name = "high" if op.plan["mode"] == "high" else "wide"
        return shift_right(f"once_{name}({a}, {b})", down)

    def _total(self, op: Operation, name: str) -> str:
        """Return the result of a sum."""
        narrow = op.plan["mode"] == "high" and op.plan["shift"] >= 0
        return self.fit(op, self.moved(name, op.plan["shift"], wide=not narrow), narrow=narrow)

    def _kind(self, op: Operation) -> str:
        return "fx_t" if op.plan["mode"] == "high" else "int64_t"

    def _do_dot(self, op: Operation, depth: int) -> None:
        a, b = op.args
        term = self._term(op, self.word(a, "[j]"), self.word(b, "[j]"), op.plan["down"])
        self.put(f"{{\n{'    ' * (depth + 1)}{self._kind(op)} sum = 0;", depth)
        self.put("ONCE_UNROLL", depth + 1)
        self.put(f"for (uint32_t j = 0; j < {a.shape[0]}; ++j) {{", depth + 1)
        self.put(f"sum += {term};", depth + 2)
        self.put("}", depth + 1)
        self.put(f"{self.ref(op.to)} = {self._total(op, 'sum')};", depth + 1)
        self.put("}", depth)

    def _do_times_vector(self, op: Operation, depth: int) -> None:
        a, x = op.args
        assert isinstance(a, Ref)
        if a.place.packed:
            self._packed_times_vector(op, a, x, depth)
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
            self.put(f"{each} += {self._term(op, place, 'right', op.plan['down'])};", depth + 3)
        self.put("}", depth + 2)
        for at, each in enumerate(names):
            out = self.ref(op.to, f"[i + {at}]" if at else "[i]")
            self.put(f"{out} = {self._total(op, each)};", depth + 2)
        self.put("}", depth + 1)
        self.put("}", depth)

    def _packed_times_vector(self, op: Operation, a: Ref, x: Operand, depth: int) -> None:
        """Write A x of a lower half: each element off the diagonal counts for two rows."""
        n, kind, down = a.shape[0], self._kind(op), op.plan["down"]
        self.put("{", depth)
        self.put(f"const fx_t *row = {self.start(a)};", depth + 1)
        self.put(f"{'static ' if kind == 'int64_t' else ''}{kind} sums[{n}];", depth + 1)
        self.put(f"for (uint32_t i = 0; i < {n}; ++i, ++row) {{", depth + 1)
        self.put(f"{kind} sum = 0;", depth + 2)
        self.put(f"const fx_t right = {self.word(x, '[i]')};", depth + 2)
        self.put("for (uint32_t j = 0; j < i; ++j, ++row) {", depth + 2)
        self.put(f"sum += {self._term(op, '*row', self.word(x, '[j]'), down)};", depth + 3)
        self.put(f"sums[j] += {self._term(op, '*row', 'right', down)};", depth + 3)
        self.put("}", depth + 2)
        self.put(f"sums[i] = sum + {self._term(op, '*row', 'right', down)};", depth + 2)
        self.put("}", depth + 1)
        self.put(f"for (uint32_t i = 0; i < {n}; ++i) {{", depth + 1)
        self.put(f"{self.ref(op.to, '[i]')} = {self._total(op, 'sums[i]')};", depth + 2)
        self.put("}", depth + 1)
        self.put("}", depth)

    def _do_quad(self, op: Operation, depth: int) -> None:
        """Write the sum over rows i of x_i (A_ii x_i + 2 sum over j < i of A_ij x_j)."""
        a, x = op.args
        assert isinstance(a, Ref)
        n, plan = a.shape[0], op.plan

        def high(place: str, at: str) -> str:
            return shift_right(f"once_high({place}, {at})", plan["down"])

        packed = a.place.packed
        self.put("{", depth)
        self.put(f"const fx_t *row = {self.start(a)};", depth + 1)
        self.put(f"{self._kind(op)} sum = 0;", depth + 1)
        self.put("uint32_t i = 0;", depth + 1)
        below = "row + i + 1" if packed else f"row + {n}"
        step = "2 * i - 1" if packed else str(2 * n)
        self.put(f"for (; i + 1 < {n}; i += 2, row += {step}) {{", depth + 1)
        self.put(f"const fx_t *const next = {below};", depth + 2)
        self.put("fx_t left = 0, right = 0;", depth + 2)
        self.put("ONCE_UNROLL", depth + 2)
        self.put("for (uint32_t j = 0; j < i; ++j) {", depth + 2)
        self.put(f"const fx_t word = {self.word(x, '[j]')};", depth + 3)
        self.put(f"left += {high('row[j]', 'word')};", depth + 3)
        self.put(f"right += {high('next[j]', 'word')};", depth + 3)
        self.put("}", depth + 2)
        one, other = self.word(x, "[i]"), self.word(x, "[i + 1]")
        self.put(f"right += {high('next[i]', one)};", depth + 2)
        first = self._term(op, f"2 * left + {high('row[i]', one)}", one, plan["outer"])
        second = self._term(op, f"2 * right + {high('next[i + 1]', other)}", other, plan["outer"])
        self.put(f"sum += {first};", depth + 2)
        self.put(f"sum += {second};", depth + 2)
        self.put("}", depth + 1)
        if n % 2:
            self.put("fx_t left = 0;", depth + 1)
            self.put("for (uint32_t j = 0; j < i; ++j) {", depth + 1)
            self.put(f"left += {high('row[j]', self.word(x, '[j]'))};", depth + 2)
            self.put("}", depth + 1)
            self.put(f"sum += {first};", depth + 1)
        self.put(f"{self.ref(op.to)} = {self._total(op, 'sum')};", depth + 1)
        self.put("}", depth)

    def _do_rank1(self, op: Operation, depth: int) -> None:
        """Write A +- w y^T; the lower half of a symmetric A."""
        w, y = op.args
        assert isinstance(w, Ref)
        assert isinstance(y, Ref)
        rows, columns = op.to.shape
        shift = op.plan["shift"]
        self.put("{", depth)
        if shift >= 32:
            self._rank_loops(op, depth + 1, f"{self.word(w, '[i]')} >> {op.plan['pre']}",
                             self.word(y, "[j]"), "high", shift - 32)  # fmt: skip
        else:
            up = 32 - shift
            self.put(
                f"/* Upper words of products, if there is room to shift by {up} before. */",
                depth + 1,
            )
            for name, each, size in (("left", w, rows), ("right", y, columns)):
                self.put(f"const uint32_t {name}_room = fx_leading_zeros("
                         f"once_bits({self.start(each)}, {size})) - 1u;", depth + 1)  # fmt: skip
            self.put(f"if (left_room + right_room >= {up}u) {{", depth + 1)
            self.put(f"static fx_t moved[{columns}];", depth + 2)
            self.put(f"const uint32_t up = right_room < {up}u ? right_room : {up}u;", depth + 2)
            self.put(f"for (uint32_t j = 0; j < {columns}; ++j) {{", depth + 2)
            self.put(f"moved[j] = once_left({self.word(y, '[j]')}, up);", depth + 3)
            self.put("}", depth + 2)
            self._rank_loops(op, depth + 2, f"once_left({self.word(w, '[i]')}, {up}u - up)",
                             "moved[j]", "high", 0)  # fmt: skip
            self.put("} else {", depth + 1)
            self._rank_loops(op, depth + 2, self.word(w, "[i]"), self.word(y, "[j]"), "wide", shift)
            self.put("}", depth + 1)
        self.put("}", depth)

    def _rank_loops(
        self, op: Operation, depth: int, left: str, right: str, mode: str, shift: int
    ) -> None:
        rows, columns = op.to.shape
        sign, limit = "+" if op.sign > 0 else "-", op.to.place.limit
        change = self.moved(f"once_{mode}(left, {right})", shift, wide=mode == "wide")
        half = op.symmetric
        packed = op.to.place.packed
        self.put(f"fx_t *row = {self.start(op.to)};", depth)
        step = "i" if packed else str(columns)
        self.put(f"for (uint32_t i = 0; i < {rows}; ++i, row += {step}) {{", depth)
        self.put(f"const fx_t left = {left};", depth + 1)
        self.put("ONCE_UNROLL", depth + 1)
        self.put(f"for (uint32_t j = 0; j {'<= i' if half else f'< {columns}'}; ++j) {{", depth + 1)
        if mode == "high" and limit < 2**30:  # both are below 2^30
            fit = f"once_clamp(row[j] {sign} {change}, {limit})"
        else:
            fit = f"once_fit((int64_t)row[j] {sign} {change}, {limit})"
        self.put(f"row[j] = {fit};", depth + 2)
        if half and not packed:
            self.put(f"({self.start(op.to)})[j * {columns} + i] = row[j];", depth + 2)
        self.put("}", depth + 1)
        self.put("}", depth)

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
