/* A deployment as one event loop, with the rules of _simpy_model.py. Times are whole picoseconds. */

#include "events_state.h"

#define FAR INT64_MAX
#define UJ_PER_MW_PS 1e-9

/* Order of pending rewards: by time, then by request. */
static bool earlier(const Deployment *d, int64_t one, int64_t other) {
    return d->due[one] < d->due[other] || (d->due[one] == d->due[other] && one < other);
}

static void swap(int64_t *one, int64_t *other) {
    int64_t kept = *one;
    *one = *other;
    *other = kept;
}

static void push(Deployment *d, int64_t request) {
    int64_t place = d->on_way++;
    d->heap[place] = request;
    while (place > 0) {
        int64_t above = (place - 1) / 2;
        if (!earlier(d, d->heap[place], d->heap[above]))
            break;
        swap(&d->heap[place], &d->heap[above]);
        place = above;
    }
}

static int64_t pop(Deployment *d) {
    int64_t *heap = d->heap, size = --d->on_way, place = 0;
    swap(&heap[0], &heap[size]);
    for (;;) {
        int64_t best = place;
        for (int64_t below = 2 * place + 1; below <= 2 * place + 2; below++)
            if (below < size && earlier(d, heap[below], heap[best]))
                best = below;
        if (best == place)
            return heap[size];
        swap(&heap[place], &heap[best]);
        place = best;
    }
}

static int64_t waiting_decisions(const Deployment *d) {
    return d->decision_last - d->decision_first;
}

static int64_t waiting_updates(const Deployment *d) {
    return d->update_last - d->update_first;
}

static bool waits(const Deployment *d) {
    return waiting_decisions(d) > 0 || waiting_updates(d) > 0;
}

/* End the stage of a hart. */
static void finish(Deployment *d, Hart *hart) {
    int64_t job = hart->job;
    hart->job = NEVER;
    d->busy--;
    if (hart->update) {
        d->update_worked_ps[job] += d->now - hart->since;
        d->update_end_ps[job] = d->now;
        return;
    }
    d->select_worked_ps[job] += d->now - hart->since;
    d->select_end_ps[job] = d->now;
    if (d->rewarded[job]) {
        d->due[job] = d->now + d->delay_ps[job];
        push(d, job);
    }
}

/* Process all events of this instant. */
static void happen(Deployment *d) {
    for (int64_t h = 0; h < d->harts; h++)
        if (d->hart[h].job != NEVER && d->hart[h].end == d->now)
            finish(d, &d->hart[h]);
    while (d->on_way > 0 && d->due[d->heap[0]] == d->now) {
        int64_t job = pop(d);
        d->update_ready_ps[job] = d->now;
        d->updates[d->update_last++] = job;
    }
    while (d->next_request < d->requests && d->arrival_ps[d->next_request] == d->now)
        d->decisions[d->decision_last++] = d->next_request++;
    if (d->change_at == d->now) {
        d->state = d->state == WAKING ? AWAKE : ASLEEP;
        d->change_at = FAR;
    }
}

static void wake(Deployment *d) {
    if (d->state != ASLEEP || !waits(d))
        return;
    d->wakes++;
    if (d->wake_ps == 0) {
        d->energy_uj += d->wake_uj;
        d->state = AWAKE;
    } else {
        d->state = WAKING;
        d->change_at = d->now + d->wake_ps;
    }
}

/* Return the hart with the latest started update, or NULL; the update returns to its queue. */
static Hart *interrupt(Deployment *d) {
    Hart *found = NULL;
    for (Hart *hart = d->hart; hart < d->hart + d->harts; hart++)
        if (hart->job != NEVER && hart->update && (!found || hart->since >= found->since))
            found = hart;
    if (!found)
        return NULL;
    d->update_worked_ps[found->job] += d->now - found->since;
    d->left[found->job] = found->end - d->now;
    d->updates[--d->update_first] = found->job;
    found->job = NEVER;
    d->busy--;
    d->preemptions++;
    return found;
}

static bool update_goes_first(const Deployment *d) {
    switch (d->priority) {
    case DECISIONS_FIRST: return false;
    case UPDATES_FIRST: return true;
    default:
        return d->arrival_ps[d->decisions[d->decision_first]]
            > d->update_ready_ps[d->updates[d->update_first]];
    }
}

static int64_t start_update(Deployment *d, Hart *hart) {
    int64_t job = hart->job = d->updates[d->update_first++];
    int64_t sample = d->sample[job];
    if (d->left[job] == NEVER) {
        d->update_start_ps[job] = d->now;
        d->updates_started++;
        d->corrected[job] =
            d->correction_period > 0 && d->updates_started % d->correction_period == 0;
        d->left[job] = d->corrected[job] ? d->correcting_ps[sample] : d->update_ps[sample];
    }
    hart->extra_mw = d->corrected[job] ? d->correcting_mw[sample] : d->update_mw[sample];
    return d->left[job];
}

static int64_t start_decision(Deployment *d, Hart *hart) {
    int64_t job = hart->job = d->decisions[d->decision_first++];
    d->select_start_ps[job] = d->now;
    hart->extra_mw = d->select_mw[d->sample[job]];
    return d->select_ps[d->sample[job]];
}

static void start(Deployment *d) {
    while (d->state == AWAKE && waits(d)) {
        Hart *hart = NULL;
        bool update = waiting_updates(d) > 0;
        if (d->busy < d->harts && (!d->vector || d->busy < d->vector_units)) {
            for (hart = d->hart; hart->job != NEVER; hart++)
                ;
        } else if (d->preempt && waiting_decisions(d) > 0) {
            hart = interrupt(d);
            update = false; /* a decision replaces it, independent of the priority */
        }
        if (!hart)
            return;
        if (update && waiting_decisions(d) > 0)
            update = update_goes_first(d);
        int64_t length = update ? start_update(d, hart) : start_decision(d, hart);
        hart->update = update;
        hart->since = d->now;
        hart->end = d->now + length;
        d->busy++;
    }
}

/* Drop arrivals of this instant that exceed a queue. */
static void refuse(Deployment *d) {
    if (d->decision_places != UNLIMITED)
        while (
            waiting_decisions(d) > d->decision_places
            && d->arrival_ps[d->decisions[d->decision_last - 1]] == d->now
        )
            d->select_dropped[d->decisions[--d->decision_last]] = true;
    if (d->update_places != UNLIMITED)
        while (
            waiting_updates(d) > d->update_places
            && d->update_ready_ps[d->updates[d->update_last - 1]] == d->now
        )
            d->update_dropped[d->updates[--d->update_last]] = true;
    if (waiting_decisions(d) > d->most_decisions)
        d->most_decisions = waiting_decisions(d);
    if (waiting_updates(d) > d->most_updates)
        d->most_updates = waiting_updates(d);
}

/* Fall asleep if the device has been idle for long enough. */
static void rest(Deployment *d) {
    if (!d->sleeps || d->state != AWAKE || d->busy > 0 || waits(d)) {
        d->sleep_at = FAR;
        return;
    }
    if (d->sleep_at == FAR)
        d->sleep_at = d->now + d->after_ps;
    if (d->sleep_at != d->now)
        return;
    d->sleep_at = FAR;
    d->enters++;
    if (d->enter_ps == 0) {
        d->energy_uj += d->enter_uj;
        d->state = ASLEEP;
    } else {
        d->state = ENTERING;
        d->change_at = d->now + d->enter_ps;
    }
}

static int64_t sooner(int64_t one, int64_t other) {
    return one < other ? one : other;
}

/* Account the time until the next event. */
static void pass(Deployment *d) {
    int64_t then = sooner(sooner(d->change_at, d->sleep_at), d->horizon_ps);
    double power_mw = d->state_mw[d->state];
    if (d->next_request < d->requests)
        then = sooner(then, d->arrival_ps[d->next_request]);
    if (d->on_way > 0)
        then = sooner(then, d->due[d->heap[0]]);
    for (int64_t h = 0; h < d->harts; h++) {
        if (d->hart[h].job != NEVER) {
            then = sooner(then, d->hart[h].end);
            power_mw += d->hart[h].extra_mw;
        }
    }
    int64_t spent = then - d->now;
    d->state_ps[d->state] += spent;
    if (d->busy > 0)
        d->any_busy_ps += spent;
    d->waiting_decision_ps += (double)spent * (double)waiting_decisions(d);
    d->waiting_update_ps += (double)spent * (double)waiting_updates(d);
    d->energy_uj += power_mw * (double)spent * UJ_PER_MW_PS;
    d->now = then;
}

EXPORT void simulate(Deployment *d) {
    d->state = AWAKE;
    d->change_at = d->sleep_at = FAR;
    while (d->now != d->horizon_ps) {
        happen(d);
        wake(d);
        start(d);
        refuse(d);
        rest(d);
        pass(d);
    }
    for (Hart *hart = d->hart; hart < d->hart + d->harts; hart++) {
        if (hart->job == NEVER)
            continue;
        if (hart->update) {
            d->update_worked_ps[hart->job] += d->now - hart->since;
            d->serving_updates++;
        } else {
            d->select_worked_ps[hart->job] += d->now - hart->since;
            d->serving_decisions++;
        }
    }
    d->last_decisions = waiting_decisions(d);
    d->last_updates = waiting_updates(d);
}
