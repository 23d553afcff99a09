/* The data cache: docs/method/caches.md has the rules. */
#include "fetch.h"

i64 load_wait(Machine *m, i64 index, u32 address) {
    const DataCache *const c = m->dcache;
    for (i64 k = 0; c && k < c->spans; k++) {
        const CachedSpan *const span = &m->cached[k];
        if (address - (u32)span->base >= span->size) continue;
        const bool hit = use_line(m->data_lines, c->sets, c->ways, address >> c->line_shift);
        const i64 refill = hit ? 0 : span->refill;
        book_execute(m, 0, index, -c->waits);
        m->acct[0].wait_dcache += refill;
        dynamic(m, 0, index)->wait_dcache += refill;
        m->st->refilled += refill;
        return refill - c->waits;
    }
    const i64 more = more_waits(m, address);
    book_execute(m, 0, index, more);
    return more;
}
