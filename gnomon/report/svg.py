"""SVG pictures of matplotlib in few characters: the same picture, and the texts of its points.

A picture ends with a ``<desc>`` of its points: places in % from the left and the top, and words.
A word that equals the word at the same place of the text before is empty; texts with another
number of words are whole.
"""

import json
import re
from collections.abc import Iterable, Iterator
from html import escape, unescape

PHONE_WIDTH_IN, PHONE_LETTERS_PT = 4.8, 10
"""Width of figures that a phone shows whole, and their smallest letters."""
Mark = tuple[float, float, str]
"""Place of a point in % from the left and the top, and its text."""

_STEPS = re.compile(r"([MLQCz])([^MLQCz]*)")
_NUMBER = re.compile(r"-?\d+(?:\.\d{1,2})?")
_PAIRS = {"M": 1, "L": 1, "Q": 2, "C": 3, "z": 0}
_HUNDREDTHS = 100


def compact_svg(text: str) -> str:
    """Return the same picture in fewer characters: no metadata, short ids, places to 1/100 point.

    A picture without metadata is returned unchanged.
    """
    if "<metadata>" not in text:
        return text
    text = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", "", text,
                  flags=re.DOTALL)  # fmt: skip
    used = dict.fromkeys(re.findall(r'(?:href="|url\()#([^")]+)', text))
    short = {name: f"{at:x}" for at, name in enumerate(used)}
    text = re.sub(
        r' id="([^"]+)"', lambda m: f' id="i{short[m[1]]}"' if m[1] in short else "", text
    )
    text = re.sub(r'((?:href="|url\()#)([^")]+)', lambda m: f"{m[1]}i{short[m[2]]}", text)
    text = re.sub(
        r'(?<= d=")[^"]*|(?<= [xy]=")[^"]*|(?<=translate\()[^)]*', lambda m: _rounded(m[0]), text
    )
    looks: dict[str, str] = {}
    text = re.sub(
        r' style="([^"]*)"',
        lambda m: f' class="{looks.setdefault(m[1], f"c{len(looks):x}")}"',
        text,
    )
    rules = "".join(f".{name}{{{look}}}" for look, name in looks.items())
    text = text.replace("</style>", f"{rules.replace(': ', ':').replace('; ', ';')}</style>", 1)
    text = re.sub(r">\s+<", "><", text.replace("xlink:href", "href")).strip()
    return shorten(text)


def _rounded(places: str) -> str:
    places = re.sub(r"-?\d+\.\d+", lambda m: f"{round(float(m[0]), 2):g}", places)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", re.sub(r"\s+", " ", places)).strip()


def shorten(text: str) -> str:
    """Return a picture with relative paths, places of ``use`` as x and y, and no bare groups."""
    text = re.sub(r'(?<= d=")[^"]*', lambda m: relative_path(m[0]), text)
    text = re.sub(r'(<use [^>]*?) transform="translate\(([^ )]+) ([^ )]+)\)"', _placed, text)
    return _without_groups(_without_inherited(text))


def _placed(match: re.Match[str]) -> str:
    if re.search(' [xy]="', match[1]):
        return match[0]
    places = zip("xy", match.groups()[1:], strict=True)
    return match[1] + "".join(f' {name}="{at}"' for name, at in places if at != "0")


def _without_inherited(text: str) -> str:
    """Drop the class of a ``use`` that its path has, too: the path's own decides.

    An opacity counts twice, so such a class stays.
    """
    own = dict(re.findall(r'<path id="([^"]+)"[^>]*? class="([^"]+)"', text))
    faint = set(re.findall(r"\.(c[0-9a-f]+)\{[^}]*opacity[^}]*\}", text))

    def dropped(match: re.Match[str]) -> str:
        is_own = own.get(match[2]) == match[3] and match[3] not in faint
        return match[1] if is_own else match[0]

    return re.sub(r'(<use href="#([^"]+)"[^>]*?) class="([^"]+)"', dropped, text)


def _without_groups(text: str) -> str:
    """Drop groups without attributes, which change nothing."""
    kept: list[bool] = []

    def tag(match: re.Match[str]) -> str:
        if match[0] == "</g>":
            return "</g>" if kept.pop() else ""
        if match[0].endswith("/>"):
            return match[0]
        kept.append(match[0] != "<g>")
        return match[0] if kept[-1] else ""

    return re.sub(r"<g(?: [^>]*)?>|</g>", tag, text)


def relative_path(path: str) -> str:
    """Return a path of absolute M, L, Q, C and z with relative steps.

    Places of at most two decimals stay exact; another path is returned unchanged.
    """
    steps = _STEPS.findall(path)
    if "".join(letter + numbers for letter, numbers in steps) != path:
        return path
    parts: list[str] = []
    before, x, y, start = "", 0, 0, (0, 0)
    for letter, text in steps:
        words = text.split()
        if len(words) != 2 * _PAIRS[letter] or not all(map(_NUMBER.fullmatch, words)):
            return path
        if letter == "z":
            parts.append("z")
            before, (x, y) = "z", start
            continue
        places = [round(float(word) * _HUNDREDTHS) for word in words]
        # the first M is absolute, as it starts at (0, 0)
        name = "M" if letter == "M" and not parts else letter.lower()
        moves = [at - (x, y)[place % 2] for place, at in enumerate(places)]
        x, y = places[-2:]
        if letter == "M":
            start = x, y
        if name == "l" and not moves[1]:
            name, moves = "h", moves[:1]
        elif name == "l" and not moves[0]:
            name, moves = "v", moves[1:]
        parts.append(_joined(name if name != before or letter == "M" else " ", moves))
        before = name
    return re.sub(r" (?=-)", "", "".join(parts))


def _joined(first: str, numbers: Iterable[int]) -> str:
    return first + " ".join(map(_number, numbers))


def _number(hundredths: int) -> str:
    """Return a number without leading and trailing zeros."""
    whole, rest = divmod(abs(hundredths), _HUNDREDTHS)
    text = f"{whole or ''}" + (f".{rest:02}".rstrip("0") if rest else "")
    return ("-" if hundredths < 0 else "") + (text or "0")


def with_marks(svg: str, marks: Iterable[Mark]) -> str:
    """Return a picture that ends with the texts of its points."""
    return svg.removesuffix("</svg>") + f"<desc>{escape(_packed(marks), quote=False)}</desc></svg>"


def split_marks(text: str) -> tuple[str, tuple[Mark, ...]]:
    """Return a picture without the texts of its points, and these."""
    head, _, rest = text.partition("<desc>")
    packed, _, tail = rest.partition("</desc>")
    return head + tail, tuple(_unpacked(json.loads(unescape(packed) or "[]")))


def _packed(marks: Iterable[Mark]) -> str:
    """Return marks as JSON; see the docstring of this module."""
    rows, before = list[Mark](), list[str]()
    for left, top, text in marks:
        words = text.split(" ")
        same = len(words) == len(before)
        shown = ["" if same and word == before[at] else word for at, word in enumerate(words)]
        rows.append((left, top, " ".join(shown)))
        before = words
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def _unpacked(rows: Iterable[Mark]) -> Iterator[Mark]:
    before: list[str] = []
    for left, top, text in rows:
        shown = text.split(" ")
        before = [word or before[at] for at, word in enumerate(shown)]
        yield left, top, " ".join(before)
