"""Random recordings for the readers: VCD text that uses every freedom of the format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.observe.trace._activity import NetActivity

_SPACES = st.sampled_from([" ", "\n", "\t", "\r\n", "  \n"])
_KEYWORDS = {
    "$comment",
    "$date",
    "$version",
    "$timescale",
    "$scope",
    "$upscope",
    "$var",
    "$enddefinitions",
    "$end",
    "$dumpvars",
    "$dumpall",
    "$dumpon",
    "$dumpoff",
    "$dumpports",
}
_COMMENT = "$comment any 1! #5 b1 words $scope $end"


@dataclass(frozen=True)
class Recording:
    """VCD text and the widths of its nets by code."""

    text: str
    widths: dict[str, int]


@st.composite
def recordings(draw: st.DrawFn, *, plain: bool = False) -> Recording:
    """``plain``: only what simple writers write, so that independent readers agree on it."""
    code = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)
    # A word that spells a keyword stands for it: no reader could tell it from a code.
    code = code.filter(lambda text: text not in _KEYWORDS)
    if plain:
        code = st.text(st.characters(min_codepoint=65, max_codepoint=90), min_size=1, max_size=4)
    codes = draw(st.lists(code, min_size=1, max_size=6, unique=True))
    widths = {code: draw(st.sampled_from([1, 1, 2, 8, 63, 64, 65, 130])) for code in codes}
    lines = ["$timescale 1 ns $end", "$scope module tb $end"]
    for index, (name, width) in enumerate(widths.items()):
        span = f" [{width - 1}:0]" if width > 1 else ""
        lines.append(f"$var wire {width} {name} n{index}{span} $end")
    lines.append("$scope module dut $end")
    if not plain:
        for index, name in enumerate(codes):
            if draw(st.booleans()):
                lines.append(f"$var wire {widths[name]} {name} \\alias.{index} $end")
        if draw(st.booleans()):
            lines.append(_COMMENT)
    lines += ["$upscope $end", "$upscope $end", "$enddefinitions $end"]
    words = [draw(_changes(codes, widths, plain=plain)) if not plain else ""]
    time = draw(st.integers(0, 5))
    for _ in range(draw(st.integers(1, 8))):
        words.append(f"#{time}")
        words.append(draw(_changes(codes, widths, plain=plain)))
        if not plain and draw(st.integers(0, 9)) == 0:
            words.append("$dumpoff $end")
            words.append(draw(_changes(codes, widths, plain=plain)))  # these do not count
            if draw(st.booleans()):
                words.append("$dumpon $end")
                words.append(draw(_changes(codes, widths, plain=plain)))
        time += draw(st.integers(1, 20))
    words.append(f"#{time}")
    return Recording("\n".join(lines) + "\n" + "\n".join(words) + "\n", widths)


@st.composite
def _changes(draw: st.DrawFn, codes: list[str], widths: dict[str, int], *, plain: bool) -> str:
    text = ""
    for code in draw(st.lists(st.sampled_from(codes), max_size=8, unique=plain)):
        width = widths[code]
        digits = "01xz" if plain else "01xzXZuUlHwh-"
        if width == 1 and (plain or draw(st.booleans())):
            text += draw(st.sampled_from(digits)) + code
        else:
            shortest = width if plain else 1
            value = draw(st.text(st.sampled_from(digits), min_size=shortest, max_size=width))
            text += f"{draw(st.sampled_from('b' if plain else 'bB'))}{value}"
            text += (" " if plain else draw(_SPACES)) + code
        text += "\n" if plain else draw(_SPACES)
        if not plain and draw(st.integers(0, 19)) == 0:
            text += _COMMENT + "\n"
    return text


def attempt(read: Callable[[], NetActivity]) -> NetActivity | str:
    """What was read, or the one message; any other exception is a failure."""
    try:
        return read()
    except GnomonError as error:
        return str(error)
