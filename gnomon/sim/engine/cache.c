/* The data cache: docs/method/caches.md has the rules. */
#include "fetch.h"

i64 refill_wait(Machine *m, i64 index, const CachedSpan *span, i64 number) {
    const DataCache *const c = m->dcache;
    const i64 refill = use_line(m->data_lines, c->sets, c->ways, number) ? 0 : span->refill;
    m->acct[0].wait_dcache += refill;
    dynamic(m, 0, index)->wait_dcache += refill;
    m->st->refilled += refill;
    return refill;
}

i64 load_wait(Machine *m, i64 index, u32 address) {
    const CachedSpan *const span = m->dcache ? cached_span(m, address) : NULL;
    if (span) return cached_load_wait(m, span, index, address);
    const i64 more = more_waits(m, address);
    book_execute(m, 0, index, more);
    return more;
}
