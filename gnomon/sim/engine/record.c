/* The recorder of paths: the events that the timing of a run depends on.

   With one hart awake, timing never changes the results of a program, and most timing is static.
   The exceptions are a few events: vector instructions, transfers, the first load or store after a
   transfer, divisions. */
#include "path.h"

/* Last busy cycle of an LSU that the recorder waits at: beyond every limit, but no hang. */
#define WATCHED_LSU (NEVER - 8)

static i64 word_at(const Machine *m) {
    return entry_index(m, (u32)m->hs[m->st->hart].pc);
}

static bool is_division(i64 o) { return IS_OF(DIV, o); }

/* Make all units idle; after a transfer a busy LSU makes the loop call the recorder. */
static void make_idle(Machine *m, bool armed) {
    State *st = m->st;
    st->lsu_last = armed ? WATCHED_LSU : LONG_AGO;
    st->transfer_last = LONG_AGO;
    st->transfer_spm = -1;
    st->transfer_units = 0;
    for (i64 unit = 0; unit < MAX_HARTS; unit++)
        st->vcu_last[unit] = LONG_AGO;
    if (m->cfg->sharing == MULTITHREADED)
        st->arbiter = (Arbiter){0};
}

static void add_event(Path *p, Event event) { p->events[p->event_count++] = event; }

static i64 refuse(Path *p, i64 why) {
    p->refusal = why;
    return REFUSED;
}

/* A place in the scratchpads; an instruction with an invalid one will trap. */
typedef struct Place {
    i64 pad;
    i64 word;
} Place;

static Place place_of(const Machine *m, u32 address) {
    const u32 offset = address - (u32)m->cfg->spm_base;
    return (Place){offset >> m->cfg->spm_shift, (offset & (u32)(m->cfg->spm_size - 1)) >> 2};
}

static u8 pad_bit(Place place) { return place.pad < 8 ? (u8)(1u << place.pad) : 0; }

static s32 word_of(const Machine *m, Place place, i64 k) {
    const i64 index = place.pad * (m->cfg->spm_size >> 2) + place.word + k;
    return index < m->spm_words ? m->spm[index] : 0;
}

/* Dividends and divisors, before the instruction overwrites them. */
static void add_pairs(Machine *m, Path *p, i64 o, i64 words, u32 rs1, u32 rs2) {
    const Place a = place_of(m, rs1), b = place_of(m, rs2);
    for (i64 k = 0; k < words; k++) {
        s32 divisor = (s32)rs2;
        if (reads_vector_b(o))
            divisor = word_of(m, b, k);
        else if (reads_scalar_in_spm(o))
            divisor = word_of(m, b, 0);
        p->pairs[p->pair_count++] = (Pair){word_of(m, a, k), divisor};
    }
}

/* Whether a result of `words` words (a reduction: 1) lies over an operand that is still read. */
static bool lies_over(Place d, Place source, i64 words, bool reduction) {
    const i64 ahead = source.word - d.word;
    if (source.pad != d.pad)
        return false;
    if (reduction && source.word <= d.word && d.word < source.word + words)
        return true;
    return ahead && -(reduction ? 1 : words) < ahead && ahead < words;
}

static i64 record_vector(Machine *m, Path *p, const Entry *e, i64 cycle) {
    const u32 *x = registers(m, 0);
    const u32 rd = x[e->rd], rs1 = x[e->rs1], rs2 = x[e->rs2];
    const i64 o = e->op, size_bytes = m->hs[0].mvsize, words = (size_bytes + 3) >> 2;
    const VectorKind *kind = vector_kind(m, o);
    const bool vector_b = reads_vector_b(o) || kind->own_b == OWN_VECTOR;
    if (m->hs[0].mvtype != TYPE_32 && !kind->own)
        return refuse(p, REFUSED_NARROW);
    const Place d = place_of(m, rd), a = place_of(m, rs1), b = place_of(m, rs2);
    u8 sources = 0;
    bool over = false;
    if (o != OP_KBCAST) {
        sources |= pad_bit(a);
        over |= lies_over(d, a, words, kind->reduction);
    }
    if (vector_b) {
        sources |= pad_bit(b);
        over |= lies_over(d, b, words, kind->reduction);
    }
    if (reads_scalar_in_spm(o)) {
        sources |= pad_bit(b);
        over |= b.pad == d.pad && d.word <= b.word && b.word < d.word + words;
        if (b.pad == a.pad)
            return refuse(p, REFUSED_SCALAR_BESIDE);
    }
    if (over && size_bytes)
        return refuse(p, REFUSED_OVERLAP);
    Event event = {.cycle = cycle, .kind = EVENT_VECTOR, .op = e->op, .sources = sources,
                   .target = pad_bit(d), .count = (s32)size_bytes};
    if (kind->divides && size_bytes) {
        event.kind = EVENT_DIVIDE;
        event.x = (s32)p->pair_count;
        event.y = IS_OF(KDIVPS, o) ? (s32)m->hs[0].mpsclfac : 0;
        add_pairs(m, p, o, words, rs1, rs2);
    }
    add_event(p, event);
    return DONE;
}

/* engine_run; it loses the issue cycle of a region's instruction when it steps over another. */
static i64 run(Machine *m, Path *p) {
    const i64 stop = engine_run(m);
    if (p->unseen && !m->st->step_over) {
        p->mark_cycle = m->st->mark_cycle;
        p->unseen = 0;
    }
    return stop;
}

static i64 record_transfer(Machine *m, Path *p, const Entry *e, i64 cycle) {
    const u32 *x = registers(m, 0);
    if (e->op == OP_KBCASTLD)
        return refuse(p, REFUSED_BROADCAST);
    const bool store = e->op == OP_KMEMSTR;
    const i64 size_bytes = x[e->rs2] & (u32)(2 * m->cfg->spm_size - 1);
    const Place pad = place_of(m, store ? x[e->rs1] : x[e->rd]);
    add_event(p, (Event){.cycle = cycle, .kind = EVENT_TRANSFER, .op = store,
                         .target = pad_bit(pad), .count = (s32)((size_bytes + 3) >> 2)});
    if (size_bytes)
        p->armed = 1;
    m->st->lsu_last = LONG_AGO;
    return DONE;
}

static i64 record_division(Machine *m, Path *p, const Entry *e) {
    const u32 *regs = registers(m, 0);
    const u32 x = regs[e->rs1], y = regs[e->rs2];
    const i64 taken = operand_cycles(m, m->latency_of[e->op], x, y, 0);
    add_event(p, (Event){.cycle = m->st->cycle, .kind = EVENT_DIVISION, .op = e->op,
                         .count = (s32)(taken - 1), .x = (s32)x, .y = (s32)y});
    return DONE;
}

static bool has_room(const Machine *m, const Path *p) {
    const i64 longest = m->cfg->has_vcu ? m->cfg->spm_size >> 2 : 0;
    return p->event_count + 2 <= p->event_rows && p->pair_count + longest <= p->pair_rows;
}

static bool alone(const Machine *m) { return m->st->hart == 0 && m->hs[0].next == 0; }

i64 record_slow_step(Machine *m, i64 h, const Entry *e, i64 *cycle) {
    Path *const p = m->path;
    const bool event = is_vector(e->op) || is_transfer(e->op);
    const bool memory = p->armed && !event && waits_for_lsu(e->op);
    if (!event && !memory)
        return DONE;
    if (!has_room(m, p))
        return STOP_BUFFER;
    if (event && (h || !alone(m)))
        return refuse(p, REFUSED_HARTS);
    p->armed = p->armed && !memory;
    make_idle(m, p->armed);
    *cycle += p->delay_slots * m->cfg->harts;
    if (memory) {
        add_event(p, (Event){.cycle = *cycle, .kind = EVENT_MEMORY});
        return DONE;
    }
    return is_vector(e->op) ? record_vector(m, p, e, *cycle) : record_transfer(m, p, e, *cycle);
}

void watch_lsu(Machine *m) {
    if (((const Path *)m->path)->armed)
        m->st->lsu_last = WATCHED_LSU;
}

/* Record the next instruction if it is a division, and let the loop look under its mark. */
static i64 record_marked(Machine *m, Path *p) {
    const i64 index = word_at(m);
    const Entry *e = &m->decoded[index];
    m->st->step_over = m->st->step_over || m->table[index].op >= OP_MARKED;
    if (!is_division(e->op))
        return DONE;
    return alone(m) ? record_division(m, p, e) : refuse(p, REFUSED_HARTS);
}

/* Whether a rare operation does not reveal the time: sleep, CSRs with values of the program. */
static bool hides_time(const Machine *m) {
    if (m->st->rare != RARE_CSR)
        return m->st->rare == RARE_SLEEP;
    const Entry *e = &m->decoded[word_at(m)];
    const i64 h = m->st->hart;
    switch (e->imm) {
    case CSR_PCER: return !counts_events(m, csr_written(e, (u32)m->hs[h].pcer, registers(m, h)));
    case CSR_MHARTID: case CSR_MSCRATCH: case CSR_MSTATUS: case CSR_MTVEC:
        return true;
    default:
        return false;
    }
}

static i64 record(Machine *m, Path *p) {
    State *st = m->st;
    while (has_room(m, p)) {
        if (!p->at_mark) {
            const i64 stop = run(m, p);
            if (stop == STOP_RARE && hides_time(m))
                continue;
            if (stop != STOP_MARK)
                return stop;
            make_idle(m, p->armed);
            st->cycle += p->delay_slots * m->cfg->harts;
            if (p->regions[word_at(m)]) {
                add_event(p, (Event){.cycle = st->cycle, .kind = EVENT_MARK,
                                     .count = (s32)p->marks++});
                p->at_mark = p->unseen = 1;
                return STOP_MARK;
            }
        }
        p->at_mark = 0;
        const i64 stop = record_marked(m, p);
        if (stop != DONE)
            return stop;
    }
    return STOP_BUFFER;
}

i64 engine_record(Machine *m, Path *p) {
    m->path = p;
    const i64 stop = record(m, p);
    m->path = NULL;
    if (!p->unseen)
        m->st->mark_cycle = p->mark_cycle;
    return stop;
}
