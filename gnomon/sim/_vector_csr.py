"""CSRs that programs with vector code read and write all the time: the vector registers, mhartid.

All others go back to Python: :mod:`gnomon.sim._csr`.
"""

from __future__ import annotations

from gnomon.base.compiled import State, inner
from gnomon.sim import _layout as at
from gnomon.sim._csr_numbers import MHARTID, MPSCLFAC, MVSIZE, MVTYPE
from gnomon.sim._ops import CSRRC, CSRRCI, CSRRSI, CSRRW, CSRRWI

_M32 = 0xFFFFFFFF


@inner
def vector_csr(cfg: State, st: State, hs: State, regs: State, h: int, o: int, entry: int) -> bool:
    """Execute an access to a vector register or a read of mhartid; False if it is another."""
    address = (entry >> 32) & 0xFFF
    field = (entry >> 14) & 31
    base = h * at.REGISTER_STRIDE
    immediate = o == CSRRWI or o == CSRRSI or o == CSRRCI
    operand = field if immediate else regs[base + field] & _M32
    plain = o == CSRRW or o == CSRRWI
    writes = plain or field != 0
    if address == MHARTID:
        if writes:
            return False
        regs[base + ((entry >> 8) & 63)] = h
        hs[h, at.H_CSR_READ] = h
        st[at.S_SWI_TARGET] = h
        return True
    if not cfg[at.C_HAS_VCU]:
        return False
    if address == MVSIZE:
        column = at.H_MVSIZE
        mask = 2 * cfg[at.C_SPM_SIZE] - 1
    elif address == MVTYPE:
        column = at.H_MVTYPE
        mask = 3
    elif address == MPSCLFAC:
        column = at.H_MPSCLFAC
        mask = 31
    else:
        return False
    old = hs[h, column]
    if writes:
        value = operand
        if not plain:
            value = old & ~operand if o == CSRRC or o == CSRRCI else old | operand
        hs[h, column] = value & mask
    value = old << 2 if address == MVTYPE else old
    regs[base + ((entry >> 8) & 63)] = value
    hs[h, at.H_CSR_READ] = value
    st[at.S_SWI_TARGET] = h
    return True
