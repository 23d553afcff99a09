/* CSRs that programs with vector code access often: the vector registers, mhartid.
   All others are executed outside the loop: rare.c. */
#include "toggles.h"
#include "vcu.h"

/* Whether hart 0 changes to or from 8-bit elements during an instruction of another hart: the
   shared unit of the machine may then take either width. */
static bool crosses_border(const Machine *m, i64 h, u32 before, u32 after) {
    return h == 0 && (before == TYPE_8) != (after == TYPE_8) && m->cfg->sharing == SHARED &&
           m->cfg->vcu.first_beat_width_of_hart0 && m->st->vcu_last[0] >= m->st->cycle;
}

bool vector_csr(Machine *m, i64 h, const Entry *e) {
    Hart *hart = &m->hs[h];
    u32 *regs = registers(m, h);
    u32 value;
    if (e->imm == CSR_MHARTID) {
        if (csr_writes(e))
            return false;
        value = (u32)h;
    } else {
        i64 *reg;
        i64 mask;
        if (!m->cfg->has_vcu)
            return false;
        switch (e->imm) {
        case CSR_MVSIZE: reg = &hart->mvsize, mask = 2 * m->cfg->spm_size - 1; break;
        case CSR_MVTYPE: reg = &hart->mvtype, mask = 3; break;
        case CSR_MPSCLFAC: reg = &hart->mpsclfac, mask = 31; break;
        default: return false;
        }
        const u32 old = (u32)*reg;
        if (csr_writes(e)) {
            const u32 written = csr_written(e, old, regs);
            *reg = written & mask;
            if (e->imm == CSR_MVSIZE && *reg != written)
                m->st->warnings |= WARN_LENGTH;
        }
        if (e->imm == CSR_MVTYPE && crosses_border(m, h, old, (u32)*reg))
            m->st->warnings |= WARN_MVTYPE_MIX;
        value = e->imm == CSR_MVTYPE ? old << 2 : old;
    }
    regs[e->rd] = value;
    if (m->toggles) see_result(m, m->st->seen, e, value);
    hart->csr_read = value;
    m->st->swi_target = h;
    return true;
}
