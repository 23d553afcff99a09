"""Loops over arms that harts can share: no round of the loop depends on another."""

from __future__ import annotations

from gnomon.once.code import (
    Const,
    LearnerCode,
    Operation,
    Place,
    Ref,
    Whole,
    places_of,
    walk,
)

_IN_PLACE = ("rank1", "axpy")


def find_shared_loop(code: LearnerCode) -> tuple[Operation | None, str]:
    """Return the loop of ``select`` that harts can share, or None and the reason.

    Harts run all operations before the loop, each with variables of its own; hart 0 runs those
    after it.
    """
    if any(op.op.startswith(("vector_", "short_")) for op in walk(code.select)):
        return None, "all arms use one vector unit"
    why = "select has no loop that writes an element of an array outside keeps in each round"
    for at, op in enumerate(code.select):
        if op.op != "for" or not shared_arrays(op):
            continue
        why = _reason(code.select[:at], op, code.select[at + 1 :])
        if not why:
            return op, ""
    return None, why


def shared_arrays(loop: Operation) -> set[Place]:
    """Return the arrays of which each round of a loop writes the element of its own number."""
    return {
        op.out.place for op in walk(loop.blocks[0])
        if op.out is not None and op.out.place.role != "state" and _is_own(op.out, loop)
    }  # fmt: skip


def _is_own(ref: Ref, loop: Operation) -> bool:
    """Return whether a part is that of the number of the round."""
    first = ref.index[0] if ref.index else None
    read = first.ref if isinstance(first, Whole) and first.op == "read" else None
    return read is not None and read.place is loop.to.place


def _reason(before: list[Operation], loop: Operation, after: list[Operation]) -> str:
    """Return why harts cannot share a loop; empty if they can."""
    shared, inside = shared_arrays(loop), list(walk(loop.blocks[0]))
    for op in (*walk(before), *inside):
        if op.op == "return":
            return f"line {op.line} returns before the end of the loop"
        if op.op == "draw":
            return f"line {op.line} draws numbers in their order"
        if op.out is not None and op.out.place.role == "state":
            return f"line {op.line} changes {op.out.place.name}"
    for op in walk(before):
        if op.out is not None and op.out.place in shared and not isinstance(op.args[0], Const):
            return f"line {op.line} fills {op.out.place.name} before the loop"
    for op in inside:
        parts = (*op.args, op.out)
        known = [each for each in parts if not (isinstance(each, Ref) and _is_own(each, loop))]
        if others := shared & places_of([*known, op.test]):
            return f"line {op.line} uses {_names(others)} of other rounds"
    own = {op.out.place for op in inside if op.out is not None} - shared
    line, carried = _find_carried(loop.blocks[0], own, set())
    if carried:
        return f"line {line} reads {_names(carried)} of the round before"
    for op in walk(after):
        if kept := own & _read(op):
            return f"line {op.line} reads {_names(kept)} of the last round"
    return ""


def _names(places: set[Place]) -> str:
    return " and ".join(sorted(each.name for each in places))


def _read(op: Operation) -> set[Place]:
    """Return the places that an operation reads; one that it changes in part counts."""
    found = places_of([*op.args, op.test])
    if op.out is not None:
        found |= places_of(op.out.index)
        if op.out.index or op.op in _IN_PLACE:
            found.add(op.out.place)
    return found


def _find_carried(
    block: list[Operation], own: set[Place], written: set[Place]
) -> tuple[int, set[Place]]:
    """Return places that may be read before the round has written them, with the line.

    ``written`` receives the places that the block always writes.
    """
    for op in block:
        if early := own & _read(op) - written:
            return op.line, early
        after = []
        for body in op.blocks:
            after.append(set(written))
            if op.op == "for":
                after[-1].add(op.to.place)
            line, early = _find_carried(body, own, after[-1])
            if early:
                return line, early
        if op.op == "if" or (op.op == "for" and op.count[0] < op.count[1]):
            written |= set.intersection(*after)
        elif op.out is not None and not op.out.index:
            written.add(op.out.place)
    return 0, set()
