/* A pipeline as one event loop, with the rules of _simpy_model.py. Times are whole picoseconds. */

#include "events_state.h"

#define FAR INT64_MAX
#define UJ_PER_MW_PS 1e-9

/* Order of pending requests: by time, then by job. */
static bool earlier(const Pipeline *p, int64_t one, int64_t other) {
    return p->ready_ps[one] < p->ready_ps[other]
        || (p->ready_ps[one] == p->ready_ps[other] && one < other);
}

static void swap(int64_t *one, int64_t *other) {
    int64_t kept = *one;
    *one = *other;
    *other = kept;
}

static void push(Pipeline *p, int64_t job) {
    int64_t place = p->on_way++;
    p->heap[place] = job;
    while (place > 0) {
        int64_t above = (place - 1) / 2;
        if (!earlier(p, p->heap[place], p->heap[above]))
            break;
        swap(&p->heap[place], &p->heap[above]);
        place = above;
    }
}

static int64_t pop(Pipeline *p) {
    int64_t *heap = p->heap, size = --p->on_way, place = 0;
    swap(&heap[0], &heap[size]);
    for (;;) {
        int64_t best = place;
        for (int64_t below = 2 * place + 1; below <= 2 * place + 2; below++)
            if (below < size && earlier(p, heap[below], heap[best]))
                best = below;
        if (best == place)
            return heap[size];
        swap(&heap[place], &heap[best]);
        place = best;
    }
}

static int64_t waiting(const Stage *stage) {
    return stage->queue_last - stage->queue_first;
}

static bool waits(const Pipeline *p) {
    for (int64_t s = 0; s < p->stages; s++)
        if (waiting(&p->stage[s]) > 0)
            return true;
    return false;
}

/* Return the first waiting job of a stage. */
static int64_t head(const Pipeline *p, const Stage *stage) {
    return p->queue[stage->first_job + stage->queue_first];
}

static void arrive(Pipeline *p, Stage *stage, int64_t job) {
    p->queue[stage->first_job + stage->queue_last++] = job;
}

/* Put an interrupted job back into its queue, in order of arrival. */
static void put_back(Pipeline *p, Stage *stage, int64_t job) {
    int64_t *queue = p->queue + stage->first_job, place = --stage->queue_first;
    while (place + 1 < stage->queue_last && earlier(p, queue[place + 1], job)) {
        queue[place] = queue[place + 1];
        place++;
    }
    queue[place] = job;
}

/* Make the requests that follow from the end of a run. */
static void follow(Pipeline *p, int64_t place, int64_t job) {
    int64_t run = job - p->stage[place].first_job;
    for (Stage *next = p->stage + place + 1; next < p->stage + p->stages; next++) {
        if (next->after != place)
            continue;
        if (next->oldest == NEVER || p->origin_ps[job] < next->oldest)
            next->oldest = p->origin_ps[job];
        if (++next->finished % next->every != 0)
            continue;
        int64_t number = next->every == 1 ? run : next->finished / next->every - 1;
        int64_t request = next->first_job + number, origin = next->oldest;
        next->oldest = NEVER;
        if (!p->wanted[request])
            continue;
        p->origin_ps[request] = origin;
        p->ready_ps[request] = p->now + p->due_ps[request];
        push(p, request);
    }
}

/* End the run of a hart. */
static void leave(Pipeline *p, Hart *hart) {
    p->worked_ps[hart->job] += p->now - hart->since;
    p->busy--;
    p->vector_busy -= p->stage[hart->stage].vector;
    hart->job = NEVER;
}

/* End runs in the order of their jobs, which requests of several runs depend on. */
static void finish(Pipeline *p) {
    for (;;) {
        Hart *next = NULL;
        for (Hart *hart = p->hart; hart < p->hart + p->harts; hart++)
            if (hart->job != NEVER && hart->end == p->now && (!next || hart->job < next->job))
                next = hart;
        if (!next)
            return;
        int64_t job = next->job;
        leave(p, next);
        p->end_ps[job] = p->now;
        follow(p, next->stage, job);
    }
}

/* Process all events of this instant. */
static void happen(Pipeline *p) {
    finish(p);
    while (p->on_way > 0 && p->ready_ps[p->heap[0]] == p->now) {
        int64_t job = pop(p);
        Stage *stage = p->stage;
        while (job >= stage->first_job + stage->count)
            stage++;
        arrive(p, stage, job);
    }
    for (Stage *stage = p->stage; stage < p->stage + p->stages; stage++) {
        while (stage->next < stage->count && p->due_ps[stage->first_job + stage->next] == p->now) {
            int64_t job = stage->first_job + stage->next++;
            if (!p->wanted[job])
                continue;
            p->origin_ps[job] = p->ready_ps[job] = p->now;
            arrive(p, stage, job);
        }
    }
    if (p->change_at == p->now) {
        p->state = p->state == WAKING ? AWAKE : ASLEEP;
        p->change_at = FAR;
    }
}

static void wake(Pipeline *p) {
    if (p->state != ASLEEP || !waits(p))
        return;
    p->wakes++;
    if (p->wake_ps == 0) {
        p->energy_uj += p->wake_uj;
        p->state = AWAKE;
    } else {
        p->state = WAKING;
        p->change_at = p->now + p->wake_ps;
    }
}

static bool serves(const Stage *stage, const Hart *hart, const Pipeline *p) {
    return stage->hart == ANY_HART || p->hart + stage->hart == hart;
}

static Hart *find_free(const Pipeline *p, const Stage *stage) {
    if (p->busy == p->harts || (stage->vector && p->vector_busy >= p->vector_units))
        return NULL;
    for (Hart *hart = p->hart; hart < p->hart + p->harts; hart++)
        if (hart->job == NEVER && serves(stage, hart, p))
            return hart;
    return NULL;
}

/* Return the hart of the run of lowest priority that gives way, of these the latest, or NULL. */
static Hart *find_victim(const Pipeline *p, const Stage *stage) {
    Hart *found = NULL;
    for (Hart *hart = p->hart; hart < p->hart + p->harts; hart++) {
        if (hart->job == NEVER || !serves(stage, hart, p))
            continue;
        const Stage *other = &p->stage[hart->stage];
        if (!other->interruptible || other->priority >= stage->priority)
            continue;
        if (stage->vector && p->vector_busy - other->vector >= p->vector_units)
            continue;
        int64_t least = found ? p->stage[found->stage].priority : FAR;
        if (other->priority < least || (other->priority == least && hart->since >= found->since))
            found = hart;
    }
    return found;
}

/* Return the stage whose first request is served next by a hart that `find` returns, or NULL. */
static Stage *choose(const Pipeline *p, Hart *(*find)(const Pipeline *, const Stage *), Hart **on) {
    Stage *best = NULL;
    int64_t ready = 0;
    for (Stage *stage = p->stage; stage < p->stage + p->stages; stage++) {
        if (waiting(stage) == 0)
            continue;
        int64_t own = p->ready_ps[head(p, stage)];
        if (best && (stage->priority < best->priority
                     || (stage->priority == best->priority && own >= ready)))
            continue;
        Hart *hart = find(p, stage);
        if (!hart)
            continue;
        best = stage;
        ready = own;
        *on = hart;
    }
    return best;
}

static void begin(Pipeline *p, Stage *stage, Hart *hart) {
    int64_t job = head(p, stage), sample = stage->first_sample + p->sample[job];
    stage->queue_first++;
    if (p->left[job] == NEVER) {
        p->start_ps[job] = p->now;
        stage->started++;
        p->corrected[job] =
            stage->correction_period > 0 && stage->started % stage->correction_period == 0;
        p->left[job] = p->corrected[job] ? p->correcting_ps[sample] : p->run_ps[sample];
    }
    hart->job = job;
    hart->stage = stage - p->stage;
    hart->since = p->now;
    hart->end = p->now + p->left[job];
    hart->extra_mw = p->corrected[job] ? p->correcting_mw[sample] : p->extra_mw[sample];
    p->busy++;
    p->vector_busy += stage->vector;
}

static void start(Pipeline *p) {
    while (p->state == AWAKE) {
        Hart *hart = NULL;
        Stage *stage = choose(p, find_free, &hart);
        if (!stage) {
            stage = choose(p, find_victim, &hart);
            if (!stage)
                return;
            Stage *victim = &p->stage[hart->stage];
            int64_t job = hart->job;
            p->left[job] = hart->end - p->now;
            leave(p, hart);
            victim->interrupted++;
            put_back(p, victim, job);
        }
        begin(p, stage, hart);
    }
}

/* Drop arrivals of this instant that exceed a queue. */
static void refuse(Pipeline *p) {
    for (Stage *stage = p->stage; stage < p->stage + p->stages; stage++) {
        while (stage->places != UNLIMITED && waiting(stage) > stage->places) {
            int64_t job = p->queue[stage->first_job + stage->queue_last - 1];
            if (p->ready_ps[job] != p->now || p->left[job] != NEVER)
                break;
            p->dropped[job] = true;
            stage->queue_last--;
        }
        if (waiting(stage) > stage->most_waiting)
            stage->most_waiting = waiting(stage);
    }
}

/* Fall asleep if the device has been idle for long enough. */
static void rest(Pipeline *p) {
    if (!p->sleeps || p->state != AWAKE || p->busy > 0 || waits(p)) {
        p->sleep_at = FAR;
        return;
    }
    if (p->sleep_at == FAR)
        p->sleep_at = p->now + p->after_ps;
    if (p->sleep_at != p->now)
        return;
    p->sleep_at = FAR;
    p->enters++;
    if (p->enter_ps == 0) {
        p->energy_uj += p->enter_uj;
        p->state = ASLEEP;
    } else {
        p->state = ENTERING;
        p->change_at = p->now + p->enter_ps;
    }
}

static int64_t sooner(int64_t one, int64_t other) {
    return one < other ? one : other;
}

/* Account the time until the next event. */
static void pass(Pipeline *p) {
    int64_t then = sooner(sooner(p->change_at, p->sleep_at), p->horizon_ps);
    double power_mw = p->state_mw[p->state];
    if (p->on_way > 0)
        then = sooner(then, p->ready_ps[p->heap[0]]);
    for (Stage *stage = p->stage; stage < p->stage + p->stages; stage++)
        if (stage->next < stage->count)
            then = sooner(then, p->due_ps[stage->first_job + stage->next]);
    for (int64_t h = 0; h < p->harts; h++) {
        if (p->hart[h].job != NEVER) {
            then = sooner(then, p->hart[h].end);
            power_mw += p->hart[h].extra_mw;
        }
    }
    int64_t spent = then - p->now;
    p->state_ps[p->state] += spent;
    if (p->busy > 0)
        p->any_busy_ps += spent;
    for (Stage *stage = p->stage; stage < p->stage + p->stages; stage++)
        stage->waiting_ps += (double)spent * (double)waiting(stage);
    p->energy_uj += power_mw * (double)spent * UJ_PER_MW_PS;
    p->now = then;
}

EXPORT void simulate(Pipeline *p) {
    p->state = AWAKE;
    p->change_at = p->sleep_at = FAR;
    while (p->now != p->horizon_ps) {
        happen(p);
        wake(p);
        start(p);
        refuse(p);
        rest(p);
        pass(p);
    }
    for (Hart *hart = p->hart; hart < p->hart + p->harts; hart++) {
        if (hart->job == NEVER)
            continue;
        p->stage[hart->stage].serving++;
        leave(p, hart);
    }
    for (Stage *stage = p->stage; stage < p->stage + p->stages; stage++)
        stage->last_waiting = waiting(stage);
    while (p->on_way > 0) { /* these would have come after the end */
        int64_t job = pop(p);
        p->ready_ps[job] = p->origin_ps[job] = NEVER;
    }
}
