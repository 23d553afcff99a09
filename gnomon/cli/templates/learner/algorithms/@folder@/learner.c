/*
 * @title@: plays the arm of the highest predicted reward, and every EXPLORE_EVERY-th round an arm in
 * turn; learns by gradient steps of size 2^-STEP_SHIFT. learner.h declares the functions to write.
 */
#include "learner.h"

enum { EXPLORE_EVERY = 8, STEP_SHIFT = 3 };

/* The complete state between rounds, in 32-bit words only. */
static struct {
    fx_t weights[LEARNER_ARMS][LEARNER_D];
    fx_t rounds;
} learner_model;

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}

/* Sum of rounded products; wraps. */
static fx_t predicted(uint32_t arm)
{
    fx_t sum = 0;
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        fx_accumulate_wrap(
            &sum, fx_multiply_floor_wrap(learner_model.weights[arm][i], learner_context[i]));
    }
    return sum;
}

void learner_reset(void)
{
    fx_t *words = learner_model_place();
    for (uint32_t i = 0; i < learner_model_words; ++i) {
        words[i] = 0;
    }
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    const uint32_t round = (uint32_t)learner_model.rounds;
    for (uint32_t arm = 0; arm < LEARNER_ARMS; ++arm) {
        learner_scores[arm] = predicted(arm);
    }
    return round % EXPLORE_EVERY == 0 ? round / EXPLORE_EVERY % LEARNER_ARMS : learner_best_arm();
}

GNOMON_REGION void learner_update(uint32_t arm, fx_t reward)
{
    const fx_t surprise = fx_subtract_wrap(reward, predicted(arm));
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        const fx_t change = fx_multiply_floor_wrap(surprise, learner_context[i]);
        fx_accumulate_wrap(&learner_model.weights[arm][i], change >> STEP_SHIFT);
    }
    fx_accumulate_wrap(&learner_model.rounds, 1);
}
