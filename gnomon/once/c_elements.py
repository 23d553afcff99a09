"""C of numbers and of elements of arrays."""

from __future__ import annotations

from gnomon.once.c_operands import OperandTexts, shift_right
from gnomon.once.code import WORD_MAX, Const, Operation
from gnomon.once.formats import frac_of, limit_of, shifted_limit


class Elements(OperandTexts):
    """Rules of operations that compute one element at a time."""

    def _do_elements(self, op: Operation, depth: int) -> None:
        """Write a number, or each element of an array."""
        shape = op.to.shape
        if op.to.place.packed and len(shape) == 2:
            shape = (shape[0] * (shape[0] + 1) // 2,)
        args = list(op.args)
        if shape:
            self.put("{", depth)
        inner = depth + bool(shape)
        texts = []
        for at, each in enumerate(args):
            frac = op.to.place.frac if "shifts" in op.plan else frac_of(each)
            text = self.word(each, "".join(f"[{v}]" for v in "ij"[: len(shape)]), frac)
            if shape and not each.shape and not isinstance(each, Const):
                self.put(f"const fx_t {'kl'[at]} = {text};", inner)
                text = "kl"[at]
            texts.append(text)
        for v, size in zip("ij", shape, strict=False):
            self.put(f"for (uint32_t {v} = 0; {v} < {size}; ++{v}) {{", inner)
            inner += 1
        out = self.ref(op.to, "".join(f"[{v}]" for v in "ij"[: len(shape)]))
        self.put(f"{out} = {self._element(op, texts)};", inner)
        for _ in shape:
            inner -= 1
            self.put("}", inner)
        if shape:
            self.put("}", depth)

    def _element(self, op: Operation, words: list[str]) -> str:
        plan = op.plan
        if "shifts" in plan:
            return self._aligned(op, words)
        if op.op == "mul":
            return self._product(op, *words)
        if op.op == "div":
            shift = plan["shift"] - plan["spare"]
            up = (
                f"(int64_t){words[0]} * {1 << shift}LL"
                if shift >= 0
                else f"(int64_t){words[0]} >> {min(-shift, 63)}"
            )
            limit = op.to.place.limit
            if plan["spare"]:
                quotient = f"once_divide({up}, {words[1]}, {WORD_MAX})"
                return f"once_fit(once_up({quotient}, {plan['spare']}), {limit})"
            return f"once_divide({up}, {words[1]}, {limit})"
        if op.op == "sqrt":
            down = f" >> {plan['down']}" if plan["down"] else ""
            self.uses.add("fx_sqrt.h")
            word = f"once_larger({words[0]}, 0)"
            if plan["up"]:
                word = f"once_fit(once_up({word}, {plan['up']}), {WORD_MAX})"
            return self.shifted(op, f"fx_sqrt({word}{down})")
        if op.op == "log":
            self.uses.add("fx_log.h")
            return self.shifted(
                op, f"fx_log_of((uint32_t)once_larger({words[0]}, 1)) + {plan['offset']}"
            )
        assert op.op == "exp", op.op
        self.uses.add("once_exp.h")
        size = self.moved(f"(int64_t){words[0]}", plan["down"], wide=True)
        return self.shifted(op, f"once_exp_of_minus({plan['ceiling']} - ({size}))")

    def _aligned(self, op: Operation, words: list[str]) -> str:
        narrow = op.plan["narrow"]
        moved = []
        for each, word, down in zip(op.args, words, op.plan["shifts"], strict=True):
            fits = shifted_limit(limit_of(each, op.to.place.frac), down) <= WORD_MAX
            if fits:
                text = self.moved(word, down, wide=False)
            else:
                text = self.moved(f"(int64_t){word}", down, wide=True)
            moved.append(text)
        if op.op in {"add", "sub"}:
            sign = "+" if op.op == "add" else "-"
            if op.plan["small"]:
                return self.fit(op, f"{moved[0]} {sign} {moved[1]}", narrow=True)
            return self.fit(op, f"(int64_t){moved[0]} {sign} {moved[1]}", narrow=False)
        if not narrow:
            moved = [f"once_fit({each}, {WORD_MAX})" for each in moved]
        text = moved[0]
        if op.op != "copy":
            text = f"once_{'larger' if op.op == 'max' else 'smaller'}({moved[0]}, {moved[1]})"
        return self.fit(op, text, narrow=True)

    def _product(self, op: Operation, a: str, b: str) -> str:
        shift = op.plan["shift"]
        if op.plan["mode"] == "high":
            return self.fit(op, shift_right(f"once_high({a}, {b})", shift - 32), narrow=True)
        text = self.moved(f"once_wide({a}, {b})", shift, wide=True)
        return self.fit(op, text, narrow=False)
