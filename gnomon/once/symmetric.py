"""States that stay symmetric: half of the products of updates and of x^T A x are enough."""

from __future__ import annotations

import numpy as np

from gnomon.once.code import LearnerCode, Operation, Place, Ref, places_of, refs_of, walk


def use_symmetry(code: LearnerCode) -> None:
    """Mark updates that keep a symmetric state symmetric, and find x^T A x."""
    operations = list(code.operations())
    products = {each.to.place: each for each in operations if each.op == "mul"}
    for name, place in code.state.items():
        first = code.first[name]
        if len(place.shape) < 2 or not np.array_equal(first, first.swapaxes(-1, -2)):
            continue
        writes = [each for each in operations if each.out and each.out.place is place]
        if not all(_stays(each, place, products) for each in writes):
            continue
        for each in writes:
            each.symmetric = True
        for block in (code.select, code.update):
            find_quadratic(block, place, operations)
        place.packed = all(_reads_packed(each, place) for each in code.operations())


def _stays(op: Operation, place: Place, products: dict[Place, Operation]) -> bool:
    if op.op == "rank1":
        w, y = op.args
        return isinstance(w, Ref) and isinstance(y, Ref) and _is_multiple(w, y, products)
    if op.op in {"mul", "div"} and len(op.to.shape) == 2:
        own, by = op.args
        return isinstance(own, Ref) and own.place is place and not by.shape
    return False


def _reads_packed(op: Operation, place: Place) -> bool:
    """Return whether an operation can work on the lower half of this state."""
    parts = [each for each in refs_of(op) if each.place is place]
    others = places_of([op.test, *(each for each in op.args if not isinstance(each, Ref))])
    if place in others or any(len(each.shape) != 2 for each in parts):
        return False
    return not parts or op.op in {"quad", "times_vector", "solve"} or op.symmetric


def _is_multiple(w: Ref, y: Ref, products: dict[Place, Operation]) -> bool:
    """Return whether w is y times a number."""
    if w.index or y.index or (y.place.writes > 1) or y.place.role == "state":
        return False
    if w.place is y.place:
        return True
    made = products.get(w.place)
    if made is None or w.place.writes != 1:
        return False
    factors = [each for each in made.args if isinstance(each, Ref) and each.shape]
    return len(factors) == 1 and factors[0].place is y.place and not factors[0].index


def find_quadratic(block: list[Operation], place: Place, operations: list[Operation]) -> None:
    """Replace x @ (A @ x) of a block, where nothing else reads A @ x."""
    for op in list(block):
        for body in op.blocks:
            find_quadratic(body, place, operations)
        if (
            op.op != "times_vector"
            or not isinstance(op.args[0], Ref)
            or op.args[0].place is not place
        ):
            continue
        x, between = op.args[1], op.to.place
        uses = [each for each in operations if between in places_of([*each.args, each.test])]
        if len(uses) != 1 or uses[0].op != "dot" or uses[0] not in block or not between.free:
            continue
        assert isinstance(x, Ref)
        others = [a for a in uses[0].args if isinstance(a, Ref) and a.place is not between]
        if len(others) == 1 and others[0].place is x.place and not (x.index or others[0].index):
            between_ops = block[block.index(op) + 1 : block.index(uses[0])]
            if any(_is_written(each, between_ops) for each in places_of(op.args)):
                continue
            uses[0].op, uses[0].args = "quad", list(op.args)
            block.remove(op)


def _is_written(place: Place, block: list[Operation]) -> bool:
    return any(each.out is not None and each.out.place is place for each in walk(block))
