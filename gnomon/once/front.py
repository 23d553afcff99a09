"""Front end: the syntax trees of ``select`` and ``update`` to operations.

``__init__`` is not translated: it has run, its settings are constants, and arrays in ``keeps`` are
the state. Every syntax node without a rule here is rejected, with file, line and remedy.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.draws import Draws
from gnomon.once.code import (
    LearnerCode,
    Operand,
    Operation,
    Place,
    Ref,
    Whole,
    always_returns,
    const,
    walk,
)
from gnomon.once.statements import Statements

_STATES = (int, float, np.float64, np.float32, np.int64, np.ndarray)


def read_learner(learner: Any, *, constant_alpha: bool = False) -> LearnerCode:
    """Return the operations of an instance: ``select(x)`` and ``update(x, arm, reward)``.

    Args:
        learner: the instance.
        constant_alpha: whether ``self.alpha`` is a setting like any other.

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
    code = LearnerCode(
        learner, file, arms, d, state, first,
        takes_alpha=not constant_alpha and "alpha" in inspect.signature(kind).parameters,
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
    if not hasattr(learner, "__dict__"):
        raise GnomonError(f"{title}: has __slots__, which hide its attributes: delete __slots__")
    drawn = [name for name, value in vars(learner).items() if isinstance(value, Draws)]
    if len({id(getattr(learner, name)) for name in drawn}) < len(drawn):
        raise GnomonError(
            f"{title}: self.{' and self.'.join(drawn)} share a generator: use one name, or another"
            " Draws(seed)"
        )
    for name in dict.fromkeys((*names, *drawn)):
        value = getattr(learner, name, None)
        if type(value) is Draws:
            state[name] = Place(name, True, (), "state", low=0, high=2**32 - 1)
            first[name] = np.array(value.state)
            continue
        array = np.array(value) if type(value) in _STATES else np.array("")
        if type(value) is np.ndarray and not value.ndim:
            raise GnomonError(f"{title}: keeps names {name!r}, an array without dimensions: write"
                              f" self.{name} = {value.item()!r}")  # fmt: skip
        if array.dtype.kind not in "if" or array.ndim > 3 or not np.isfinite(array).all():
            raise GnomonError(
                f"{title}: keeps names {name!r}, which must be a number or an array of up to 3"
                f" dimensions, finite, float or int, not {value!r:.40}"
            )
        if not array.size:
            raise GnomonError(
                f"{title}: keeps names {name!r}, an array without elements, of shape {array.shape}"
            )
        if array.dtype.itemsize != 8:
            raise GnomonError(
                f"{title}: keeps names {name!r}, whose type is {array.dtype}: use float64 or int64"
            )
        shared = [other for other in state if np.shares_memory(getattr(learner, other), value)]
        if shared:
            raise GnomonError(
                f"{title}: keeps names {name!r} and {shared[0]!r}, which share memory: write"
                " .copy() in __init__"
            )
        state[name] = Place(name, array.dtype.kind == "i", array.shape, "state")
        first[name] = array
    return state, first


def _bound_counters(code: LearnerCode) -> None:
    """Bound whole numbers of the state that only grow: they never fall below their start."""
    for name, place in code.state.items():
        if not place.whole or isinstance(getattr(code.learner, name), Draws):
            continue
        writes = [each for each in code.operations() if each.out and each.out.place is place]
        if all(_only_adds(each, place) for each in writes) and code.first[name].min() >= 0:
            place.low = 0


def _only_adds(op: Operation, place: Place) -> bool:
    value = op.args[0]
    if not isinstance(value, Whole):
        return False
    if value.op == "+":
        own, more = value.args
        return own.op == "read" and own.ref is not None and own.ref.place is place and more.low >= 0
    return value.low >= 0


_OF_METHOD = (
    "names", "file", "offset", "globals", "locals", "given", "siblings", "depth", "loops", "alone",
    "unused",
)  # fmt: skip


class _Method(Statements):
    """Translation of one method and of the methods that it calls."""

    def translate(self, given: Sequence[Ref]) -> list[Operation]:
        self._enter(self.name, [self.reading(each) for each in given], None)
        if self.name == "select" and not always_returns(self.block):
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
        if name in vars(self.code.learner) or hasattr(function, "__wrapped__"):
            self.reject(tree, f"{name} is replaced by another function", "call its methods instead")
        if function.__code__.co_freevars:
            free = ", ".join(function.__code__.co_freevars)
            self.reject(tree, f"{name} uses {free} of a function around it", "set it in __init__")
        a = tree.args
        special = (a.vararg, a.kwarg, a.kwonlyargs, a.defaults, a.posonlyargs)
        if tree.decorator_list or any(special):
            self.reject(tree, f"{name} has a decorator or special arguments", "use plain arguments")
        if not a.args or a.args[0].arg != "self":
            self.reject(tree, f"the first argument of {name} is not self", "name it self")
        words = [each.arg for each in a.args[1:]]
        if len(words) != len(given):
            self.reject(tree, f"{name} takes {len(words)} arguments, not {len(given)}",
                        f"give it {len(given)} besides self")  # fmt: skip
        self.names = dict(zip(words, given, strict=True))
        self.given = frozenset(words)
        self.locals = self.given | {
            each.id for each in ast.walk(tree)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }  # fmt: skip
        if "self" in self.locals:
            self.reject(tree, f"{name} assigns to self", "choose another name")
        self.loops, self.siblings = set(), {}
        self.statements(tree.body)

    def call(self, name: str, node: ast.Call) -> Operand:
        """Inline a method of the class and return its value."""
        if name in self.calls or name in {"select", "update"}:
            self.reject(node, f"self.{name} calls itself", "use a loop")
        given = [self._argument(self.expr(each), self.line(node)) for each in node.args]
        before = len(self.block)
        if node.keywords:
            self.reject(node, f"self.{name} has named arguments", "give them in order")
        saved = {each: getattr(self, each) for each in _OF_METHOD}
        self.calls.append(name)
        arrays = {each.place for each in given if isinstance(each, Ref)}
        lent, self.lent = self.lent, self.lent | arrays
        self.answer, self.depth = None, 0
        self._enter(name, given, node)
        answer, self.lent = self.answer, lent
        vars(self).update(saved)
        self.calls.pop()
        self.answer = None
        inlined = self.block[before:]
        if node is not self.alone and any(_changes(each, arrays) for each in walk(inlined)):
            self.reject(node, f"self.{name} changes the state or an argument inside an expression",
                        "assign its value on a line of its own")  # fmt: skip
        if answer is None:
            if node is not self.unused:
                self.reject(node, f"self.{name} returns no value", "return one")
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
        return self.new_whole("given", line, "whole", [value], value.low, value.high)


def _changes(op: Operation, arrays: set[Place]) -> bool:
    """Return whether an operation changes the state, or one of these arrays."""
    if op.op == "draw" or op.out is None:
        return False
    return op.out.place.role == "state" or op.out.place in arrays
