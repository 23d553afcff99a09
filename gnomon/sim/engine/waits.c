/* Waiting for a busy unit: in decode, or by retries in every slot. */
#include "engine.h"

i64 stall(Machine *m, i64 h, i64 *cause, i64 *spot, i64 cycle, i64 last) {
    const i64 waited = last + 2 - cycle;
    if (waited <= 0)
        return cycle;
    *cause += waited;
    *spot += waited;
    /* The cycles belong to the hart whose instruction is still in execute: the one before. */
    m->hs[(h + 1) % m->cfg->harts].charged += waited;
    return cycle + waited;
}

i64 retry(Machine *m, i64 h, const Entry *e, i64 index, i64 busy_until, i64 cycle, i64 limit) {
    const i64 rotation = m->cfg->harts;
    i64 tries = 1;
    if (busy_until < NEVER && !m->st->several && !m->cfg->tracing) {
        tries = (busy_until - cycle + 1) / rotation + 1;
        tries = most(1, least(tries, (limit - cycle) / rotation + 1));
    }
    m->acct[h].issue[e->op == OP_ILLEGAL_KDSP ? CLASS_ILLEGAL : CLASS_KDSP] -= tries;
    m->acct[h].retry += tries;
    dynamic(m, h, index)->retry += tries;
    m->hs[h].retries += tries;
    count_issues(m, h, index, 1, tries - 1);
    return tries;
}

bool all_stuck(const Machine *m) {
    for (i64 h = 0; h < m->cfg->harts; h++)
        if (!m->hs[h].parked && !m->hs[h].stuck)
            return false;
    return true;
}
