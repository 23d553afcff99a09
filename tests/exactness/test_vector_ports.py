"""Scratchpad ports under load: shared read ports, lines written ahead, sums that had to wait.

Every word was printed by the RTL of T13x c2c62163 under GHDL 2.0.0 (llvm), which ran these very
programs with ``gnomon rtl klessydra --programs``: they were equal to the model cycle by cycle.
None of it follows from the meaning of the instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.exactness._reference import assert_clean
from tests.exactness._vector_cases import VectorCase

if TYPE_CHECKING:
    from tests.exactness._runner import Runner


def _case(
    name: str, bits: int, size_bytes: int, simd: int, *places: tuple[int, int], **more: object
) -> VectorCase:
    rd, rs1, *rs2 = places
    return VectorCase(
        name=name, bits=bits, size_bytes=size_bytes, simd=simd, rd=rd, rs1=rs1,
        rs2=rs2[0] if rs2 else (1, 0), **more,  # type: ignore[arg-type]
    )  # fmt: skip


CASES = (
    # scalar and vector in one scratchpad
    (
        _case("ksvaddsc", 32, 32, 1, (2, 0), (0, 1), (0, 9)),
        "9f397cbd 21ea950a 21ea950a 21ea950a 21ea950a 21ea950a 21ea950a 21ea950a",
    ),
    (
        _case("ksvaddsc", 32, 44, 4, (2, 0), (0, 1), (0, 10)),
        (
            "9f397cbd 3d70f676 dba8702f 79dfe9e8 38fff5a7 5e59887c fc910235 9ac87bee "
            "38fff5a7 5e59887c fc910235"
        ),
    ),
    (
        _case("ksvaddsc", 16, 36, 2, (2, 3), (0, 2), (0, 5)),
        "3d70f676 dba8702f 19ef40fb 7bb8c742 19ef40fb 7bb8c742 19ef40fb 7bb8c742 19ef40fb",
    ),
    (
        _case("ksvmulsc", 32, 40, 4, (2, 0), (0, 3), (0, 0)),
        "00000000 00000000 00000000 00000000 77504dbc 14191810 dfd629f4 ab933bd8 77504dbc 14191810",
    ),
    (
        _case("ksvmulsc", 8, 22, 2, (2, 0), (0, 1), (0, 4)),
        "00000000 a8182840 c0d8b8e8 a8182840 c0d8b8e8 a8182840",
    ),
    (_case("ksvmulsc", 8, 11, 1, (2, 0), (0, 1), (0, 4)), "00000000 00000000 00000000"),
    (
        _case("ksvmulsc", 8, 40, 8, (2, 0), (0, 3), (0, 6)),
        "00000000 00000000 00000000 00000000 881c96ae 147220b8 a02204c2 8678e8cc 122872d6 9e7e56e0",
    ),
    # ... after a transfer into it, so that the first beat waits too
    (
        _case("ksvaddsc", 32, 44, 4, (2, 0), (0, 1), (0, 10), behind=0),
        (
            "38fff5a7 5e59887c fc910235 9ac87bee 38fff5a7 5e59887c fc910235 9ac87bee "
            "38fff5a7 5e59887c fc910235"
        ),
    ),
    (
        _case("ksvmulsc", 16, 16, 8, (2, 0), (0, 3), (0, 1), behind=0),
        "8b0896b3 fda31048 ecfb89dd 5f960372",
    ),
    # ... and the result as well
    (
        _case("ksvaddsc", 32, 44, 1, (0, 4), (0, 2), (0, 5)),
        (
            "3d70f676 302ec742 302ec742 302ec742 302ec742 302ec742 605d8e84 605d8e84 "
            "605d8e84 605d8e84 605d8e84"
        ),
    ),
    # the result covers the scalar
    (
        _case("ksvaddsc", 32, 48, 1, (1, 0), (0, 0), (1, 1)),
        (
            "756ee919 13a662d2 b1dddc8b 50155644 ee4ccffd 8c8449b6 c9f5402c 682cb9e5 "
            "0664339e a49bad57 42d32710 e10aa0c9"
        ),
    ),
    (
        _case("ksvaddsc", 32, 48, 1, (1, 0), (0, 0), (1, 7)),
        (
            "2abbc36f c8f33d28 672ab6e1 0562309a a399aa53 41d1240c e0089dc5 7e40177e "
            "1c779137 baaf0af0 58e684a9 f71dfe62"
        ),
    ),
    (
        _case("ksvmulsc", 16, 64, 2, (1, 2), (0, 1), (1, 2)),
        (
            "46de8316 00201cf4 1930b6d2 d27250b0 eb82ea8e a4c4846c bdd41e4a 7716b828 "
            "90265206 4968ebe4 d298b83a 9052d920 d122fa06 8edc1aec cfac3bd2 8d665cb8"
        ),
    ),
    (
        _case("ksvmulsc", 8, 28, 2, (1, 0), (0, 1), (1, 1)),
        "0bad2c81 01302eae f7c830db ed4b1d08 f8e31f35 00000000 181422ea",
    ),
    # byte products over their own operand
    (
        _case("kvmul", 8, 44, 2, (0, 9), (0, 1), (1, 0)),
        (
            "eacd50ec a44004ae 66a090d2 30c58158 68b51940 7e8c1c8a 9c0cca36 c2950044 "
            "e6fd2030 5800cc36 9800500c"
        ),
    ),
    (
        _case("ksvmulrf", 8, 64, 4, (0, 13), (0, 3)),
        (
            "3ba8700f 99bf09e8 18f7c3c1 760e7d9a d4463773 325dd04c 90958a25 0fac44fe "
            "6de4ddd7 cbfb97b0 9ba870ef b99f29e8 18d723e1 36ce1dda 540617d3 72fdd0cc"
        ),
    ),
    (
        _case("ksvmulrf", 8, 88, 8, (0, 12), (0, 0)),
        (
            "21426384 7f59fc5d dd70b636 3ba8700f 99bf09e8 18f7c3c1 760e7d9a d4463773 "
            "325dd04c 90958a25 0fac44fe 6de4ddd7 cbfb97b0 29335189 a84a0b62 0682a43b "
            "64995e14 c2d118ed 20e8d2c6 9f206b9f fd372578 5b4edf51"
        ),
    ),
    (
        _case("ksvmulrf", 8, 30, 1, (0, 5), (0, 2)),
        "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
    ),
    # sums whose first write waits for a transfer into the scratchpad of the result
    (_case("kvred", 32, 4, 1, (2, 0), (0, 0), behind=2), "01020304"),
    (_case("kvred", 32, 8, 1, (2, 0), (0, 0), behind=2), "00000000"),
    (_case("kvred", 32, 12, 1, (2, 0), (0, 0), behind=2), "3d70f676"),
    (_case("kvred", 32, 16, 1, (2, 0), (0, 0), behind=2), "3d70f676"),
    (_case("kvred", 32, 20, 1, (2, 0), (0, 0), behind=2), "92f9508d"),
    (_case("kvred", 16, 40, 2, (2, 0), (0, 0), behind=2), "0001bdc3"),
    (_case("kdotp", 32, 20, 1, (2, 0), (0, 0), (1, 2), behind=2), "392e8487"),
    (_case("kdotp", 32, 24, 1, (2, 0), (0, 0), (1, 2), behind=2), "392e8487"),
    (_case("kdotp", 8, 28, 2, (2, 0), (0, 0), (1, 2), behind=2), "00025646"),
    (_case("kdotpps", 32, 32, 1, (2, 0), (0, 0), (1, 2), behind=2), "eedfcdae"),
    (_case("kdotpps", 16, 36, 1, (2, 0), (0, 0), (1, 2), behind=2), "00030408"),
    (_case("kdotpps", 8, 15, 1, (2, 0), (0, 0), (1, 2), behind=2), "000006be"),
)


def test_words(runner_of_many: Runner) -> None:
    for case, expected in CASES:
        result = runner_of_many(case.elf(), simd=case.simd, sharing=case.sharing)

        assert_clean(result)
        assert " ".join(f"{word:08x}" for word in result.printed) == expected, case
