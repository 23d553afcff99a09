"""A reader of Kanata logs that follows the rules of the Konata viewer's parser, and is stricter.

It knows nothing of the writer. Where the viewer only warns, it stops: a log must give no warning.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FIELDS = {"C": 2, "I": 4, "L": 4, "S": 4, "E": 4, "R": 4, "W": 4}


@dataclass
class Op:
    """One instruction as the viewer holds it."""

    number: int
    thread: int
    label: str = ""
    tip: str = ""
    stages: list[tuple[str, str, int, int]] = field(default_factory=list)  # lane, name, begin, end
    open: dict[str, tuple[str, int]] = field(default_factory=dict)
    retired: int | None = None
    flushed: bool = False
    producers: list[int] = field(default_factory=list)

    def close(self, lane: str, cycle: int) -> None:
        name, begin = self.open.pop(lane)
        assert cycle > begin, f"stage {name} of {self.number} has no width"
        self.stages.append((lane, name, begin, cycle))


def read_konata(text: str) -> tuple[int, list[Op]]:
    """The start cycle of the log, and its instructions; cycles are absolute."""
    lines = text.split("\n")
    assert lines.pop() == "", "the last line is whole"
    head = lines[0].split("\t")
    assert head == ["Kanata", "0004"]
    first = 0
    now = 0
    ops: list[Op] = []
    retire_ids: set[int] = set()
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("\t")
        command = fields[0]
        if command == "C=":
            assert number == 2, "the viewer ignores a later one"
            first = now = int(fields[1])
            continue
        assert command in FIELDS, f"line {number}: the viewer skips {command!r}"
        assert len(fields) == FIELDS[command], f"line {number}: {line!r}"
        if command == "C":
            assert int(fields[1]) > 0, "time advances"
            now += int(fields[1])
            continue
        this = int(fields[1])
        if command == "I":
            assert this == len(ops), "ids are dense and in order"
            ops.append(Op(this, int(fields[3])))
            continue
        op = ops[this]
        assert op.retired is None, f"line {number}: after its retirement"
        if command == "L":
            if fields[2] == "0":
                op.label += fields[3]
            else:
                assert fields[2] == "1"
                op.tip += fields[3]
        elif command == "S":
            if fields[2] in op.open:
                op.close(fields[2], now)
            op.open[fields[2]] = (fields[3], now)
        elif command == "E":
            assert op.open[fields[2]][0] == fields[3], f"line {number}: {line!r}"
            op.close(fields[2], now)
        elif command == "R":
            for lane in list(op.open):
                op.close(lane, now)
            op.retired, op.flushed = now, fields[3] == "1"
            assert int(fields[2]) == len(retire_ids), "retire ids are dense and in order"
            retire_ids.add(int(fields[2]))
        else:
            assert command == "W"
            assert int(fields[2]) < this, "a producer comes first"
            assert fields[3] == "0"
            op.producers.append(int(fields[2]))
    assert all(op.retired is not None for op in ops)
    return first, ops
