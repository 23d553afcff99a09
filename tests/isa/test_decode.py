"""Decoding one word and decoding many: inverse of the encoder, total, and the same answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.isa import INSTRUCTIONS, Instruction, decode_word, decode_words, encode
from gnomon.isa._decode import DECODED_DTYPE
from gnomon.isa._encode import LAYOUTS
from gnomon.isa._instruction import ALL_EXTENSIONS, OPTIONAL_EXTENSIONS, Extension

EVERYTHING = ALL_EXTENSIONS | OPTIONAL_EXTENSIONS
WORDS = st.integers(0, 2**32 - 1)
REPEATABLE = settings(derandomize=True, deadline=None)


@st.composite
def operands(draw: st.DrawFn, row: Instruction) -> dict[str, int]:
    chosen = {name: draw(st.integers(0, 31)) for name in sorted(LAYOUTS[row.format].registers)}
    immediates = LAYOUTS[row.format].immediates
    if immediates:
        chosen["imm"] = immediates[draw(st.integers(0, len(immediates) - 1))]
    if row.format in ("csr", "csri"):
        chosen["csr"] = draw(st.integers(0, 0xFFF))
    return chosen


@REPEATABLE
@given(st.data(), st.sampled_from(INSTRUCTIONS))
def test_decode_is_the_inverse_of_encode(data: st.DataObject, row: Instruction) -> None:
    chosen = data.draw(operands(row))
    decoded = decode_word(encode(row.mnemonic, **chosen), EVERYTHING)
    assert decoded is not None
    assert decoded.instruction is row
    for name in ("rd", "rs1", "rs2", "imm", "csr"):
        assert getattr(decoded, name) == chosen.get(name, 0)


@REPEATABLE
@given(WORDS)
def test_decode_is_total(word: int) -> None:
    matching = [row for row in INSTRUCTIONS if word & row.mask == row.match]
    for extensions in (ALL_EXTENSIONS, EVERYTHING):
        decoded = decode_word(word, extensions)
        expected = [row for row in matching if row.extension in extensions]
        assert ([] if decoded is None else [decoded.instruction]) == expected


def _mixed_words(count: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Half random words, half random operands of each instruction in turn."""
    words = np.random.default_rng(7).integers(0, 2**32, count, dtype=np.uint32)
    for index in range(0, count, 2):
        row = INSTRUCTIONS[index // 2 % len(INSTRUCTIONS)]
        words[index] = int(words[index]) & ~row.mask & 0xFFFFFFFF | row.match
    return words


@pytest.mark.parametrize("extensions", [ALL_EXTENSIONS, EVERYTHING])
def test_many_words_decode_as_each_one(extensions: frozenset[Extension]) -> None:
    words = _mixed_words(8192)
    many = decode_words(words, extensions)
    assert many.dtype == np.dtype(DECODED_DTYPE)
    for word, row in zip(words.tolist(), many, strict=True):
        one = decode_word(word, extensions)
        expected = (
            (-1, 0, 0, 0, 0, 0, word)
            if one is None
            else (one.instruction.number, one.rd, one.rs1, one.rs2, one.csr, one.imm, word)
        )
        assert tuple(row) == expected, hex(word)


def test_shape_is_kept() -> None:
    assert decode_words(np.zeros((2, 3), dtype=np.uint32)).shape == (2, 3)
    assert decode_words(np.zeros(0, dtype=np.uint32)).shape == (0,)


def test_extensions_can_be_left_out() -> None:
    word = encode("kaddv", rd=1, rs1=2, rs2=3)
    assert decode_word(word, {"I", "M"}) is None
    assert decode_words(np.array([word], dtype=np.uint32), {"I", "M"})["number"].tolist() == [-1]


def test_optional_instructions_are_unknown_unless_asked_for() -> None:
    optional = [row for row in INSTRUCTIONS if row.extension in OPTIONAL_EXTENSIONS]
    assert len(optional) == 12
    words = np.array([row.template for row in optional], dtype=np.uint32)
    assert (decode_words(words)["number"] == -1).all()
    for row in optional:
        assert decode_word(row.template) is None
        decoded = decode_word(row.template, ALL_EXTENSIONS | {row.extension})
        assert decoded is not None
        assert decoded.instruction is row


def test_funct7_of_slli_is_checked() -> None:
    # T13x executes this word; the manual calls it illegal and so does this decoder.
    assert decode_word(0x02131313) is None


def test_wrong_input() -> None:
    with pytest.raises(GnomonError) as error:
        decode_word(2**32)
    assert str(error.value) == "an instruction word must be 0 to 0xffffffff, not 0x100000000"
    with pytest.raises(GnomonError) as error:
        decode_words(np.zeros(1, dtype=np.int64))  # type: ignore[arg-type]
    assert str(error.value) == "decode_words takes an array of uint32, not int64"
