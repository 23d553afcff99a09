/* Accounting of the loop of in-order cores with caches, whose other waits are static: as straight.h,
   and `line_end` is the first word in another line of the instruction cache than that of the next
   instruction. Words of a line that was entered wait for nothing. If a line is the last used of its
   set, a fetch or load changes nothing. */
#define LINED 1
#undef BORDER
#undef LAND

/* Cycles in execute of an instruction that took `over` more than its static ones, without the wait
   for the next one. */
#define TOOK(entry, over) \
    (1 + (entry)->extra - (entry)->fetch + (over) - ((entry)->latency ? fetch->always : 0))
#define IS_LAST(pc) is_last_used(m_lines, fetch->sets, fetch->ways, (pc) >> fetch->line_shift)
#define BORDER(more) \
    if (unlikely(e == line_end)) { \
        over = (more); \
        goto next_line; \
    }
#define LANDS_JUMP false
#define LANDS_BRANCH true
#define LAND(CLASS) \
    if (has_lines) { \
        const u32 to = PC, after = lane->pc_base + 4 * (u32)(from + 1 - table); \
        const bool both = LANDS_##CLASS && from + 1 == line_end && fetch->taken_fetches; \
        if (unlikely(!IS_LAST(to) || (both && !IS_LAST(after)))) { \
            wait = line_wait(seen, from - table, LANDS_##CLASS ? BRANCHES : JUMPS, \
                             TOOK(from, 0), to); \
            WAIT_FOR_LINE \
        } \
        line_end = e + words_to_border(fetch, to); \
    }
/* The next instruction issues later; what is known of the cycle before it remains true. */
#define WAIT_FOR_LINE \
    if (wait) { \
        if (jumped_to == CYCLE) jumped_to += wait; \
        if (operand_waited_to == CYCLE) operand_waited_to += wait; \
        MOVE_BASE(wait) \
        waited_for_line = CYCLE; \
    }
#define LINES_OF_LOOP \
    Fetch *const fetch = m->fetch; \
    i64 *const m_lines = m->lines; \
    const bool has_lines = fetch->ways != 0; \
    const CachedSpan *const near_cached = m->dcache ? cached_span(m, dbase) : NULL; \
    const Entry *line_end = NULL; \
    i64 wait = 0, over = 0, waited_for_line = fetch->missed ? st->cycle : -1;
/* The line of the next instruction was fetched, unless the program counter was changed since. */
#define OPEN_LINE \
    if (has_lines) { \
        const i64 number = PC >> fetch->line_shift; \
        if (!fetch->started) use_line(m_lines, fetch->sets, fetch->ways, number); \
        const bool fetched = !fetch->started || fetch->quiet == number; \
        line_end = e + (fetched ? words_to_border(fetch, PC) : 1); \
        fetch->started = 1; \
    }
