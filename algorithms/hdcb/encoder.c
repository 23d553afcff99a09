/* Encoder of contexts: bind, bundle, majority. */
#include "encoder.h"

enum {
    d = LEARNER_D,
    LEVELS = LEARNER_LEVELS,
    RANGE = LEARNER_HIGH - LEARNER_LOW,
    PLANES = 32 - __builtin_clz(LEARNER_D) /* of a count of up to d ones */
};

static void fill_level(const uint32_t *first, uint32_t level, uint32_t *to)
{
    const uint32_t flips = LEARNER_SPAN * (uint32_t)HV_COMPONENTS * level / (100 * (LEVELS - 1));
    for (uint32_t i = 0; i < HV_WORDS; ++i) {
        const uint32_t before = 32 * i;
        const uint32_t left = flips > before ? flips - before : 0;
        to[i] = first[i] ^ (left >= 32 ? 0xffffffffu : ((uint32_t)1 << left) - 1);
    }
    to[HV_WORDS - 1] &= HV_LAST_MASK;
}

void fill_codebook(struct codebook *book, uint32_t *random)
{
    hv_draw(random, book->tie);
    hv_draw(random, book->levels[0]);
    for (uint32_t level = 1; level < LEVELS; ++level) {
        fill_level(book->levels[0], level, book->levels[level]);
    }
    for (uint32_t i = 0; i < d; ++i) {
        hv_draw(random, book->identities[i]);
    }
}

static uint8_t level_of(fx_t value)
{
    if (value <= LEARNER_LOW) {
        return 0;
    }
    if (value >= LEARNER_HIGH) {
        return LEVELS - 1;
    }
    return (uint8_t)(((uint32_t)value - (uint32_t)LEARNER_LOW) * LEVELS / (uint32_t)RANGE);
}

/* Whether counts of ones exceed d / 2; at d / 2 the bits of `tie`. */
static uint32_t majority(const uint32_t *planes, uint32_t tie)
{
    uint32_t more = 0, equal = 0xffffffffu;
    for (uint32_t plane = PLANES; plane-- > 0;) {
        if ((d / 2) >> plane & 1u) {
            equal &= planes[plane];
        } else {
            more |= equal & planes[plane];
            equal &= ~planes[plane];
        }
    }
    return d % 2 ? more : more | (equal & tie);
}

const uint32_t *encoded_context(const struct codebook *book)
{
    static uint32_t encoded[HV_WORDS];
    static uint8_t levels[d];
    static uint8_t ready;
    uint32_t same = ready;
    for (uint32_t i = 0; i < d; ++i) {
        const uint8_t level = level_of(learner_context[i]);
        same &= levels[i] == level;
        levels[i] = level;
    }
    if (same) {
        return encoded;
    }
    for (uint32_t word = 0; word < HV_WORDS; ++word) {
        uint32_t planes[PLANES] = {0};
        for (uint32_t i = 0; i < d; ++i) {
            uint32_t carry = book->identities[i][word] ^ book->levels[levels[i]][word];
            for (uint32_t plane = 0; plane < PLANES; ++plane) {
                const uint32_t both = planes[plane] & carry;
                planes[plane] ^= carry;
                carry = both;
            }
        }
        encoded[word] = majority(planes, book->tie[word]);
    }
    ready = 1;
    return encoded;
}
