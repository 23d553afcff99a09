"""A hardware setting as generics of ``klessydra_t1_3th_core``, and those that never change."""

from gnomon.rtl.lockstep import Setting


def generics(setting: Setting) -> dict[str, int]:
    """The setting as generics of ``klessydra_t1_3th_core`` (Morph has the same names)."""
    return {
        "THREAD_POOL_SIZE": setting.harts,
        "superscalar_exec_en": int(setting.superscalar),
        "replicate_accl_en": int(setting.sharing != "shared"),
        "multithreaded_accl_en": int(setting.sharing == "multithreaded"),
        "SPM_NUM": setting.scratchpads,
        "Addr_Width": setting.scratchpad_bytes.bit_length() - 1,
        "SIMD": max(setting.simd, 1),
        "accl_en": int(setting.simd > 0),
        "count_all": int(setting.count_all),
    }


FIXED_GENERICS = {
    "LUTRAM_RF": 1,
    "RV32E": 0,
    "RV32M": 1,
    "MCYCLE_EN": 1,
    "MINSTRET_EN": 1,
    "MHPMCOUNTER_EN": 1,
    "debug_en": 1,
    "tracer_en": 0,
}
"""Generics that are the same in every setting."""

VECTOR_GENERICS = (
    "replicate_accl_en", "multithreaded_accl_en", "SPM_NUM", "Addr_Width", "SIMD",
)  # fmt: skip
"""Those that a scalar core of the family lacks, all of them."""
