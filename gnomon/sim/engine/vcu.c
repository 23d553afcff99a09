/* A vector instruction at its issue: checks, then time, then data.

   Data is computed at once. No other agent can see the scratchpads earlier than the timing allows:
   transfers wait for the vector unit of their hart, and the unit runs one instruction at a time.
   Source: the T13x RTL (vector.csv, overlap.csv.xz, vector_semantics.csv, exceptions.csv of
   tests/reference/t13x). */
#include "toggles.h"
#include "vcu.h"

/* One vector instruction in the unit. */
typedef struct Issue {
    i64 op;
    const VectorKind *kind;
    i64 h;
    i64 unit;
    i64 cycle;
    i64 type;       /* of the elements */
    i64 size_bytes; /* of the vector */
    i64 words;
    i64 beat_bytes;
    i64 beats;
    i64 spm_a, spm_b, spm_d; /* scratchpads; 0 where there is none */
    i64 at_a, at_b, at_d;    /* bytes within them */
    i64 a, b, d;             /* words within all scratchpads */
    bool vector_a, vector_b, scalar_spm;
    bool narrow_half; /* one lane of byte products, with two beats per word */
    u32 scalar;
    u32 shift;
    u32 mask_shift;
    VectorFunction own; /* of a unit of the machine; NULL: of the table */
    u32 c;
} Issue;

i64 scratchpad(const Machine *m, u32 address) {
    const Config *cfg = m->cfg;
    const i64 spm = (u32)(address - (u32)cfg->spm_base) >> cfg->spm_shift;
    const i64 count = cfg->spm_count;
    if (!cfg->vcu.spm_check_fixed_to_four)
        return spm < count ? spm : -1;
    /* The "not a scratchpad" code is fixed to 4, whatever the number of scratchpads. */
    if (spm < count)
        return spm == 4 && count < 8 ? -1 : spm;
    return count < 4 || count == 8 ? -2 : -1;
}

static i64 fault(Machine *m, i64 reason, u32 address) {
    m->st->fault = reason;
    m->st->fault_address = address;
    return -1;
}

/* 0, or the error of the operands, as in vector_issue; fills in their places. */
INLINE i64 find_operands(Machine *m, Issue *v, u32 rd, u32 rs1, u32 rs2) {
    const Config *cfg = m->cfg;
    const i64 n = v->size_bytes, size = cfg->spm_size;
    const u32 inside = (u32)size - 1, base = (u32)cfg->spm_base;
    if (v->type == TYPE_UNDEFINED)
        return fault(m, FAULT_MVTYPE, TYPE_UNDEFINED);
    if ((v->type == TYPE_32 && n & 3) || (v->type == TYPE_16 && n & 1))
        return TRAP_LENGTH;
    const bool reads_b = v->vector_b || v->scalar_spm;
    v->spm_a = v->vector_a ? scratchpad(m, rs1) : 0;
    v->spm_b = reads_b ? scratchpad(m, rs2) : 0;
    v->spm_d = scratchpad(m, rd);
    if (v->spm_a == -1 || (v->vector_b && v->spm_b == -1) || v->spm_d == -1)
        return TRAP_NOT_SPM;
    if (v->spm_a < 0 || v->spm_b < 0 || v->spm_d < 0)
        return fault(m, FAULT_SPM, v->spm_a < 0 ? rs1 : v->spm_b < 0 ? rs2 : rd);
    if (v->vector_b && v->spm_a == v->spm_b)
        return TRAP_SAME_SPM;
    v->at_a = v->vector_a ? (rs1 - base) & inside : 0;
    v->at_b = reads_b ? (rs2 - base) & inside : 0;
    v->at_d = (rd - base) & inside;
    if ((v->vector_a && v->at_a + n > size) || (v->vector_b && v->at_b + n > size) ||
        (!v->kind->reduction && v->at_d + n > size))
        return TRAP_OVERRUN;
    if ((v->at_a | v->at_b | v->at_d) & 3)
        return fault(m, FAULT_SPM_ALIGN, v->at_a & 3 ? rs1 : v->at_b & 3 ? rs2 : rd);
    return 0;
}

/* Words of the operands in this accelerator's scratchpads. Returns whether all lie inside. */
INLINE bool place_operands(const Machine *m, Issue *v) {
    const i64 each = m->cfg->spm_size >> 2, base = v->unit * m->cfg->spm_count;
    v->a = (base + v->spm_a) * each + (v->at_a >> 2);
    v->b = (base + v->spm_b) * each + (v->at_b >> 2);
    v->d = (base + v->spm_d) * each + (v->at_d >> 2);
    return v->a + (v->vector_a ? v->words : 1) <= m->spm_words &&
           v->b + (v->vector_b ? v->words : 1) <= m->spm_words &&
           v->d + (v->kind->reduction ? 1 : v->words) <= m->spm_words;
}

/* A mask of the scratchpads that are read. */
INLINE u32 sources(const Issue *v) {
    return (v->vector_a ? 1u << v->spm_a : 0) |
           (v->vector_b || v->scalar_spm ? 1u << v->spm_b : 0);
}

INLINE void book(Machine *m, const Issue *v, i64 busy) {
    VectorStat *stat = &m->vstat[v->h * INSTRUCTION_COUNT + v->op];
    stat->issued++;
    stat->narrow += v->type != TYPE_32;
    stat->beats += v->beats;
    stat->bytes += v->size_bytes;
    stat->busy += busy;
}

INLINE void divide(Machine *m, const Issue *v) {
    i64 to_write = 0;
    const i64 busy =
        v->type == TYPE_32
            ? divide_vector(m, v->op, v->a, v->b, v->d, v->words, (s32)v->scalar, v->shift,
                            v->vector_b, &to_write)
            : narrow_division(m, v->d, v->words, &to_write);
    const Times t = schedule(m, v->kind, v->unit, v->cycle, to_write, busy - to_write - 1,
                             sources(v), v->spm_d);
    book(m, v, t.last - v->cycle + 1);
}

/* Whether one of the elements is negative; signs are the highest bits of those in a word. */
static bool any_negative(const s32 *words, i64 bytes, u32 signs) {
    for (i64 k = 0; 4 * k < bytes; k++)
        if ((u32)words[k] & signs & ~0u >> 8 * most(4 * k + 4 - bytes, 0)) return true;
    return false;
}

INLINE void reduce(Machine *m, const Issue *v, i64 delay) {
    const i64 a = v->a, b = v->b, d = v->d;
    Reduction r = {
        .op = v->op, .type = v->type, .a = m->spm + a, .b = m->spm + b, .d = m->spm + d,
        .size_bytes = v->size_bytes, .beat_bytes = v->beat_bytes, .delay = delay,
        .start_up = v->kind->start_up, .shift = v->shift, .mask_shift = v->mask_shift,
        .repeats_low_half = v->narrow_half, .own = v->own, .scalar = v->scalar, .c = v->c,
    };
    r.overlaps = (v->spm_d == v->spm_a && a <= d && d < a + v->words) ||
                 (v->vector_b && v->spm_d == v->spm_b && b <= d && d < b + v->words);
    r.held = delay > v->kind->start_up && v->beats > 1 && m->cfg->vcu.held_reduction_loses_beats;
    if (r.held)
        m->st->warnings |= WARN_HELD_SUM;
    if (v->type != TYPE_32 && !v->own) {
        const u32 signs = v->type == TYPE_16 ? 0x80008000u : 0x80808080u;
        if (any_negative(r.a, v->size_bytes, signs) ||
            (v->vector_b && any_negative(r.b, v->size_bytes, signs)))
            m->st->warnings |= WARN_SIGNS;
    }
    vcu_reduce(&r, m->temp);
}

/* Whether an element-wise result overlaps operands still to be read. rereads: the scalar. */
INLINE bool overlaps(const Issue *v, bool rereads) {
    const i64 to_a = v->a - v->d, to_b = v->b - v->d;
    if (v->vector_a && v->spm_d == v->spm_a && to_a && -v->words < to_a && to_a < v->words)
        return true;
    if (v->spm_d != v->spm_b)
        return false;
    if (v->vector_b)
        return to_b && -v->words < to_b && to_b < v->words;
    return rereads && 0 <= to_b && to_b < v->words;
}

INLINE void elements(Machine *m, const Issue *v, const Times *t) {
    const Config *cfg = m->cfg;
    const bool public_scalar = v->scalar_spm && !v->kind->wide_only;
    const bool rereads = public_scalar && cfg->vcu.scalar_read_every_beat;
    const bool hazard = overlaps(v, rereads);
    i64 delay = t->first_write - t->first_read, beat_bytes = v->beat_bytes;
    if (v->kind->wide_only) {
        const i64 post = cfg->postscale < 0 ? v->shift : cfg->postscale;
        scaled_products(m, v->op, v->a, v->b, v->d, v->words, most(beat_bytes >> 2, 1), delay,
                        (s32)v->scalar, post, v->vector_b, hazard);
        return;
    }
    Port port = PORT_FREE;
    if (public_scalar && v->spm_b == v->spm_a && cfg->vcu.scalar_beside_vector) {
        port = t->first_read == v->cycle ? PORT_SHARED : PORT_TAKEN;
        m->st->warnings |= WARN_SCALAR_BESIDE;
    }
    /* One lane of byte products takes two beats per word, each for half of it. */
    const bool half_words = beat_bytes < 4 && !v->narrow_half;
    if (half_words) {
        delay /= 2;
        beat_bytes = 4;
    }
    s32 *last = &m->spm[v->d + v->words - 1];
    const u32 beyond = (u32)*last;
    if (hazard || port != PORT_FREE || v->narrow_half) {
        const i64 each = cfg->spm_size >> 2;
        vcu_by_beat(&(Beats){
            .op = v->op, .type = v->type, .spm = m->spm, .temp = m->temp, .a = v->a, .b = v->b,
            .d = v->d, .size_bytes = v->size_bytes, .lanes = cfg->simd, .beat_bytes = beat_bytes,
            .delay = delay, .scalar = v->scalar, .shift = v->shift, .mask_shift = v->mask_shift,
            .rereads = rereads, .port = port,
            .pad = (v->unit * cfg->spm_count + v->spm_a) * each, .pad_words = each,
            .one_lane_bytes = v->narrow_half, .vector_b = v->vector_b, .own = v->own, .c = v->c,
            .clears = v->type == TYPE_8 && v->kind->product && v->beat_bytes >= 4 &&
                      cfg->vcu.byte_products_clear_ahead,
        });
    } else if (v->own) {
        v->own((u32)v->type, m->spm + v->d, m->spm + v->a, m->spm + v->b,
               4 * v->words >> v->type, v->scalar, v->c);
    } else {
        vcu_elements(v->op, v->type, m->spm + v->d, m->spm + v->a, m->spm + v->b, v->words,
                     v->scalar, v->shift, v->mask_shift);
    }
    const i64 rest = v->size_bytes & 3;
    if (half_words && 0 < rest && rest <= 2) /* no beat reaches the upper half of the last word */
        *last = (s32)(((u32)*last & 0xFFFF) | (beyond & 0xFFFF0000u));
}

/* The first beat of a product takes the element width of hart 0. Returns whether the
   instruction therefore hangs the unit. */
INLINE bool hangs_on_width(Machine *m, const Issue *v) {
    if (m->cfg->sharing != SHARED || v->h == 0 || !v->kind->product ||
        !m->cfg->vcu.first_beat_width_of_hart0)
        return false;
    const bool bytes_there = m->hs[0].mvtype == TYPE_8;
    if (v->type == TYPE_8 && !bytes_there && v->size_bytes > 2 * m->cfg->simd) {
        m->st->vcu_last[0] = NEVER;
        book(m, v, 0);
        return true;
    }
    if (v->type != TYPE_8 && bytes_there)
        m->st->warnings |= WARN_MVTYPE_MIX;
    return false;
}

INLINE void take_scalars(const Machine *m, Issue *v, u32 rs1, u32 rs2) {
    const Hart *hart = &m->hs[v->h];
    if (v->scalar_spm)
        v->scalar = repeat_scalar((u32)m->spm[v->b], v->type);
    else if (!v->vector_a)
        v->scalar = repeat_scalar(rs1, v->type);
    else if (!v->vector_b)
        v->scalar = repeat_scalar(rs2, v->type);
    v->shift = v->op == OP_KDOTPPS || v->kind->wide_only ? (u32)hart->mpsclfac : rs2 & 31;
    v->mask_shift = v->shift % (v->type == TYPE_16 ? 16 : 8);
    if (m->cfg->sharing == MULTITHREADED && v->h != 0 && m->cfg->vcu.multithreaded_lane_mask)
        v->mask_shift = 0;
}

INLINE void compute(Machine *m, const Issue *v) {
    if (v->kind->divides) {
        divide(m, v);
        return;
    }
    const Times t = schedule(m, v->kind, v->unit, v->cycle, v->kind->start_up, v->beats - 1,
                             sources(v), v->spm_d);
    if (m->cfg->sharing == MULTITHREADED)
        watch_carries(m->st, v->kind, v->h, v->cycle, &t);
    book(m, v, t.last < NEVER ? t.last - v->cycle + 1 : 0);
    if (v->kind->reduction)
        reduce(m, v, t.first_write - t.first_read);
    else
        elements(m, v, &t);
}

/* Whether an instruction of a unit has elements of this width; takes its function and c. */
INLINE bool take_own(const Machine *m, Issue *v, i64 third) {
    const VectorUnit *const own = vector_unit(m, v->op);
    v->own = (VectorFunction)own->function;
    v->vector_b = own->kind.own_b == OWN_VECTOR;
    v->c = own->third ? registers(m, v->h)[third] : (u32)third;
    return own->kind.own >> v->type & 1;
}

i64 vector_issue(Machine *m, i64 h, i64 o, u32 rd, u32 rs1, u32 rs2, i64 third, i64 cycle) {
    const Config *cfg = m->cfg;
    Issue v = {
        .op = o, .kind = vector_kind(m, o), .h = h, .unit = unit_of(m, h), .cycle = cycle,
        .type = m->hs[h].mvtype, .size_bytes = m->hs[h].mvsize,
        .vector_a = o != OP_KBCAST, .vector_b = reads_vector_b(o),
        .scalar_spm = reads_scalar_in_spm(o),
    };
    if (v.size_bytes == 0)
        return 0;
    const bool suits = !is_of_unit(o) || take_own(m, &v, third);
    const i64 wrong = find_operands(m, &v, rd, rs1, rs2);
    if (wrong)
        return wrong;
    if (!suits)
        return fault(m, FAULT_WIDTH, (u32)v.type);
    v.words = (v.size_bytes + 3) >> 2;
    v.beat_bytes = bytes_per_beat(m, v.kind, v.type);
    v.beats = (v.size_bytes + v.beat_bytes - 1) / v.beat_bytes;
    v.narrow_half = v.type == TYPE_8 && v.kind->product && cfg->simd == 1 &&
                    cfg->vcu.simd1_byte_products;
    if (hangs_on_width(m, &v))
        return 0;
    if (!place_operands(m, &v))
        return fault(m, FAULT_SPM, rd);
    if (v.kind->wide_only && v.type != TYPE_32 &&
        !(IS_OF(KDIV, o) && cfg->morph.divide_narrow_is_zero))
        return fault(m, FAULT_NARROW, (u32)v.type);
    take_scalars(m, &v, rs1, rs2);
    if (v.vector_a)
        pads_read(m, v.a, v.words);
    if (v.vector_b || v.scalar_spm)
        pads_read(m, v.b, v.vector_b ? v.words : 1);
    pads_written(m, v.d, v.kind->reduction ? 1 : v.words);
    if (m->toggles)
        see_lanes(m, m->st->seen, o, v.unit, v.vector_a ? v.a : -1, v.vector_b ? v.b : -1, v.words,
                  v.scalar, v.scalar_spm ? v.b : -1,
                  v.type == TYPE_8 && !is_of_unit(o) &&
                      (v.kind->reduction || READS[o] & MULTIPLIES),
                  v.kind->reduction);
    compute(m, &v);
    for (i64 k = 0; m->toggles && k < (v.kind->reduction ? 1 : v.words); k++)
        see_pad(m, m->st->seen, v.d + k, true);
    return 0;
}
