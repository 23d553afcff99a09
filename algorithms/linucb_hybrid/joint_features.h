/*
 * Check on the vector unit that the features are still those of the model. They may be many more words
 * than the blocks that a selection needs.
 */
#ifndef JOINT_FEATURES_H
#define JOINT_FEATURES_H

#include "joint_vector.h"

/* Smaller features are compared during the roots, others before the rest. */
enum { SMALL_FEATURES = FEATURES + 2 * VECTOR <= (int)VCU_SPM_BYTES };

/* Marks the words of scratchpad `part` that are below those of the other one. */
INLINE void compare(uint32_t part, uint32_t bytes)
{
    vcu_set_mvsize(bytes);
    kvslt(PRODUCTS, VCU_SPM(part), VCU_SPM(1 - part));
}

/* Number of marked words. */
INLINE void count_differences(uint32_t part)
{
    kvred(RESULT + 4 * part, PRODUCTS);
}

INLINE uint32_t differences(void)
{
    static volatile uint32_t counts[2];
    kmemstr((void *)(uintptr_t)counts, RESULT, sizeof counts);
    return counts[0] | counts[1];
}

/* Number of words that differ from the features of the model. */
INLINE uint32_t large_features_changed(void)
{
    const uint32_t most = (uint32_t)VCU_SPM_BYTES - 2 * VECTOR;
    const char *now = (const char *)learner_features;
    const char *then = (const char *)learner_model.features;
    uint32_t changed = 0;
    for (uint32_t left = FEATURES; left != 0;) {
        const uint32_t bytes = left < most ? left : most;
        kmemld(VCU_SPM(0), now, bytes);
        kmemld(VCU_SPM(1), then, bytes);
        for (uint32_t part = 0; part < 2; ++part) {
            compare(part, bytes);
            count_differences(part);
        }
        changed |= differences();
        now += bytes;
        then += bytes;
        left -= bytes;
    }
    return changed;
}

/* The same in 8 parts, each short enough to run during a root on the scalar core. */
INLINE void compare_small_features(uint32_t part)
{
    enum { FIRST = (ARMS * f + 1) / 2 * 4, REST = FEATURES - FIRST };
    const char *const now = (const char *)learner_features;
    const char *const then = (const char *)learner_model.features;
    switch (part) {
    case 0: kmemld(VCU_SPM(0), now, FIRST); break;
    case 1: kmemld(VCU_SPM(1), then, FIRST); break;
    case 2: kmemld(VCU_SPM(0) + FIRST, now + FIRST, REST); break;
    case 3: kmemld(VCU_SPM(1) + FIRST, then + FIRST, REST); break;
    case 4: compare(0, FEATURES); break;
    case 5: count_differences(0); break;
    case 6: compare(1, FEATURES); break;
    default: count_differences(1); break;
    }
}

#endif
