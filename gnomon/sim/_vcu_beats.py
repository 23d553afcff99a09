"""Element-wise results beat by beat, where a beat may read what an earlier one wrote.

A beat reads a line of one word per lane and writes one. Beat k reads in cycle r0 + k, beat j
writes in w0 + j, so k sees the write of j if j + (w0 - r0) < k.
Sources: microarchitecture.md sections 5 and 7; RTL-DSP_Unit.vhd and
RTL-Scratchpad_Memory_Interface.vhd of T13x c2c62163 for the scalar's port and the width of writes,
equal to the RTL in ``gnomon rtl klessydra`` (tests/exactness/test_vector_ports.py).
"""

from __future__ import annotations

from gnomon.base.compiled import Words, inner, int64
from gnomon.sim._vcu_function import element_word, repeat_scalar

PORT_FREE = 0
PORT_SHARED = 1
"""Vector and scalar share a read port: the first beat gets the vector's line and no scalar."""
PORT_TAKEN = 2
"""Every beat gets the scalar's line, since the first one had to wait."""


@inner
def _write(
    spm: Words, temp: Words, d: int, words: int, beat: int, beat_bytes: int,
    one_lane_bytes: bool, clears: bool,
) -> None:  # fmt: skip
    """The write of one beat, from results computed before."""
    first = beat * beat_bytes >> 2
    if one_lane_bytes:
        # Two beats per word. The second one finds no data at its half and writes zero.
        spm[d + first] = 0 if beat & 1 else int64(temp[first]) & 0xFFFF
        return
    behind = first + (beat_bytes >> 2)
    for k in range(first, min(behind, words)):
        spm[d + k] = temp[k]
    if clears:
        for k in range(behind, min(behind + (beat_bytes >> 2), words)):
            spm[d + k] = 0


@inner
def by_beat(
    spm: Words, temp: Words, o: int, vt: int, a: int, b: int, d: int, n: int,
    lanes: int, beat_bytes: int, delay: int, scalar: int, shift: int, mask_shift: int,
    vector_b: bool, rereads: bool, port: int, pad: int, pad_words: int,
    one_lane_bytes: bool, clears: bool,
) -> None:  # fmt: skip
    """Compute and write an element-wise result in the order of the hardware.

    The vector starts at word ``a`` of ``spm``, the second operand at ``b``, the result at ``d``;
    ``n`` bytes of it are computed ``beat_bytes`` at a time, on lines of ``lanes`` words. A beat
    writes ``delay`` beats after its read. The scalar is ``scalar``, in every lane, unless the beat
    ``rereads`` it from ``b``. ``port`` says who has the read port of the vector's scratchpad,
    ``pad_words`` words from ``pad`` on. ``clears``: a beat writes zeros over the words of the next.
    """
    words = (n + 3) >> 2
    written = int64(0)
    for k in range((n + beat_bytes - 1) // beat_bytes):
        while written + delay < k:
            _write(spm, temp, d, words, written, beat_bytes, one_lane_bytes, clears)
            written += 1
        if one_lane_bytes and k & 1:
            continue
        if rereads:
            scalar = repeat_scalar(int64(spm[b]), vt)
        scalars_line = port == PORT_TAKEN or (port == PORT_SHARED and k > 0)
        if port == PORT_SHARED and k == 0:
            scalar = int64(0)
        first = k * beat_bytes >> 2
        for i in range(first, min(first + max(beat_bytes >> 2, 1), words)):
            place = a + i
            if scalars_line:
                # The lanes are rotated by the vector's address, the banks hold the scalar's line.
                place = pad + ((b - pad + ((a + i - b) & (lanes - 1))) & (pad_words - 1))
            y = int64(spm[b + i]) if vector_b else scalar
            temp[i] = element_word(o, vt, int64(spm[place]), y, shift, mask_shift)
    for k in range(written, (n + beat_bytes - 1) // beat_bytes):
        _write(spm, temp, d, words, k, beat_bytes, one_lane_bytes, clears)
