/* SPDX-License-Identifier: MIT */
/* The tasks of a kernel, as its hooks report them: see kymo/tasks.h. Reports that come early, twice or not in pairs
 * are put right here, so that each kernel's glue need not. */
#include "task_events.h"

#include "../ring/lane.h"
#include "../ring/ring.h"
#include "kymo/tasks.h"
#include "limits.h"

#if KYMO_ENABLE && KYMO_TASKS

#define IRQ_DEPTH 16u
#define IS_OBJECT 0x80u

struct kymo_kernel kymo_kernel;
struct kymo_tasks_due kymo_tasks_due;

/* Names that may be sent again; for a preempted task also the object that it is about to wait for. */
static struct known {
    uintptr_t reference; /* context or object; 0: free */
    const char *name;
    uintptr_t object;
    int16_t priority;
    uint8_t kind; /* IS_OBJECT: and the class of object */
    uint8_t why;
} known_names[KYMO_TASKS];
static uint32_t next_name;

static struct serves {
    volatile uint32_t depth;
    struct {
        kymo_context before;
        uint32_t number;
    } interrupts[IRQ_DEPTH];
} serves_on[KYMO_LANES_ALL];

KYMO_INLINE_ struct kymo_runs *runs_here(void) { return &kymo_lane_here()->runs; }

void kymo_tasks_kernel(const char *name, uint32_t ticks_hz, bool greater_first) {
    kymo_kernel.ticks_hz = ticks_hz;
    kymo_kernel.greater_first = greater_first;
    kymo_kernel.name = name;
}

/* ---- names ---- */

/* 0: a free place. NULL: not found. */
static struct known *find_name(uintptr_t reference) {
    for (uint32_t i = 0u; i < KYMO_TASKS; i++) {
        if (known_names[i].reference == reference) {
            return &known_names[i];
        }
    }
    return NULL;
}

static void tell_name(const struct known *known) {
    if ((known->kind & IS_OBJECT) != 0u) {
        kymo_object(known->reference, (enum kymo_object_class)(known->kind & ~IS_OBJECT),
                    known->name, NULL);
    } else {
        if (known->name[0] != '\0') {
            kymo_context_name(known->reference, (enum kymo_context_kind)known->kind, known->name);
        }
        kymo_task_priority(known->reference, known->priority, KYMO_PRIORITY_SET);
    }
}

/* False: a full ring refused events, so they are repeated. */
static bool is_told(void) { return KYMO_LOAD(kymo_lane_here()->lost) == 0u; }

static void learn_name(const struct known *new) {
    struct known *place = find_name(new->reference);
    place = place != NULL ? place : find_name(0u);
    tell_name(new);
    if (place != NULL) {
        /* Word by word: gcc copies a structure by memcpy(). What is known of its wait stays. */
        if (place->reference == 0u) {
            place->object = 0u;
            place->why = (uint8_t)KYMO_WHY_UNKNOWN;
        }
        place->name = new->name;
        place->priority = new->priority;
        place->kind = new->kind;
        KYMO_STORE(place->reference, new->reference); /* another core may tell it from here on */
        if (!is_told()) {
            kymo_tasks_again();
        }
    }
}

static void forget_name(uintptr_t reference) {
    struct known *place = find_name(reference);
    if (place != NULL) {
        kymo_tasks_due.reasons -= place->why != KYMO_WHY_UNKNOWN ? 1u : 0u;
        place->reference = 0u;
    }
}

/* One at a switch, so that none takes long; and each in its turn, also where more hosts come than there are
 * switches. */
static __attribute__((noinline)) void tell_next(void) {
    uint32_t untold = KYMO_LOAD(kymo_tasks_due.untold);
    bool is_found = false;
    for (; untold != 0u && !is_found; untold--) {
        const struct known *known = &known_names[next_name];
        is_found = known->reference != 0u;
        if (is_found) {
            tell_name(known);
            if (!is_told()) {
                break;
            }
        }
        next_name = next_name + 1u < KYMO_TASKS ? next_name + 1u : 0u;
    }
    KYMO_STORE(kymo_tasks_due.untold, untold);
}

bool kymo_task_at(uint32_t *place, kymo_context *task, const char **name) {
    for (; *place < KYMO_TASKS; (*place)++) {
        const struct known *known = &known_names[*place];
        if (known->reference != 0u && (known->kind & IS_OBJECT) == 0u) {
            *task = known->reference;
            *name = known->name;
            (*place)++;
            return true;
        }
    }
    *place = 0u;
    return false;
}

static const char *text_of(const char *name) { return name != NULL ? name : ""; }

void kymo_task_new(kymo_context task, enum kymo_context_kind kind, const char *name,
                   int32_t priority) {
    const struct known new = {.reference = task,
                              .name = text_of(name),
                              .priority = (int16_t)priority,
                              .kind = (uint8_t)kind};
    learn_name(&new);
}

void kymo_task_object(uintptr_t object, enum kymo_object_class of, const char *name) {
    const struct known new = {
        .reference = object, .name = text_of(name), .kind = (uint8_t)((uint32_t)of | IS_OBJECT)};
    learn_name(&new);
}

void kymo_task_object_over(uintptr_t object) {
    forget_name(object);
    kymo_object_event(KYMO_KIND_OBJECT_END, object);
}

/* ---- reasons for which a task waits ---- */

static void set_why(struct kymo_runs *runs, uint32_t why, uintptr_t object) {
    runs->why = why;
    runs->object = object;
}

void kymo_task_why(enum kymo_why why, uintptr_t object) {
    struct kymo_runs *runs = runs_here();
    if ((runs->why & KYMO_WHY_OF_CALL) == 0u) {
        set_why(runs, (uint32_t)why, object);
    }
}

void kymo_task_why_of_call(enum kymo_why why, uintptr_t object) {
    set_why(runs_here(), (uint32_t)why | KYMO_WHY_OF_CALL, object);
}

void kymo_task_why_ends(void) { set_why(runs_here(), KYMO_WHY_UNKNOWN, 0u); }

/* The task is preempted before it waits. */
static __attribute__((noinline)) void keep_why(struct kymo_runs *runs) {
    struct known *known = find_name(runs->task);
    if (known != NULL && (runs->why & KYMO_WHY_OF_CALL) != 0u) {
        known->why = (uint8_t)runs->why;
        known->object = runs->object;
        kymo_tasks_due.reasons++;
    }
    set_why(runs, KYMO_WHY_UNKNOWN, 0u);
}

static __attribute__((noinline)) void take_why_back(struct kymo_runs *runs) {
    struct known *known = find_name(runs->task);
    if (known != NULL && known->why != KYMO_WHY_UNKNOWN) {
        set_why(runs, known->why | KYMO_WHY_OF_CALL, known->object);
        known->why = KYMO_WHY_UNKNOWN;
        kymo_tasks_due.reasons--;
    }
}

static __attribute__((noinline)) void record_far(enum kymo_event_kind kind, uintptr_t object,
                                                 uint32_t word) {
    const uint32_t words[2] = {word, (uint32_t)((uint64_t)object >> 32)};
    (void)kymo_ring_long(kind, (uint32_t)object, words, 2u);
}

static inline void record_object(enum kymo_event_kind kind, uintptr_t object, uint32_t word) {
    if (KYMO_LIKELY((uint64_t)object >> 32 == 0u)) {
        kymo_ring_task(KYMO_TASK_HEADER(kind, 1u), (uint32_t)object, word);
    } else {
        record_far(kind, object, word);
    }
}

#if KYMO_TASK_LIMITS
void kymo_task_waits(uint32_t ticks) {
    kymo_limits_wait(kymo_lane_index_here());
    kymo_ring_waits(ticks);
}
#endif

/* The work that is due at some switches only. */
static __attribute__((noinline)) void switch_slowly(kymo_context task, struct kymo_runs *runs) {
    if (runs->why != KYMO_WHY_UNKNOWN) {
        keep_why(runs);
    }
    runs->task = task;
    (void)kymo_ring_switch(task);
    if (runs->over != 0u) {
        kymo_context_end(runs->over);
        runs->over = 0u;
    }
    if (kymo_tasks_due.reasons != 0u) {
        take_why_back(runs);
    }
    if (KYMO_LOAD(kymo_tasks_due.untold) != 0u) {
        tell_next();
    }
}

void kymo_task_in(kymo_context task) {
    struct kymo_lane *lane = kymo_lane_here();
    struct kymo_runs *runs = &lane->runs;
    kymo_limits_run(kymo_lane_index(lane), task);
    if (task == runs->task) {
        return;
    }
    if (KYMO_UNLIKELY((runs->why | runs->over | kymo_tasks_due.reasons |
                       KYMO_LOAD(kymo_tasks_due.untold)) != 0u)) {
        switch_slowly(task, runs);
        return;
    }
    runs->task = task;
    (void)kymo_ring_switch(task);
}

void kymo_task_ends(kymo_context task) {
    struct kymo_runs *runs = runs_here();
    forget_name(task);
    kymo_limits_over(task);
    if (task == runs->task) {
        set_why(runs, KYMO_WHY_OVER | KYMO_WHY_OF_CALL, 0u);
        runs->over = task;
    } else {
        kymo_context_end(task);
    }
}

/* ---- actions of others on a task ---- */

/* An interrupt that has a context is the lane's context. A function of its own, so that the other case needs no stack
 * frame. */
static __attribute__((noinline)) void ready_by(kymo_context task, uint32_t waker) {
    const struct serves *serves = &serves_on[kymo_lane_index_here()];
    const uint32_t depth = serves->depth;
    const bool is_entered =
        depth != 0u && depth <= IRQ_DEPTH && serves->interrupts[depth - 1u].number + 1u == waker;
    const uint32_t word = is_entered ? KYMO_WAKER_RUNS : waker;
    kymo_ring_task(KYMO_TASK_HEADER(KYMO_KIND_TASK_READY, is_entered ? 0u : 1u), (uint32_t)task,
                   word);
}

void kymo_task_ready(kymo_context task, uint32_t waker) {
    kymo_limits_ready(task);
    if (KYMO_UNLIKELY(waker != KYMO_WAKER_RUNS)) {
        ready_by(task, waker);
    } else {
        kymo_ring_task(KYMO_TASK_HEADER(KYMO_KIND_TASK_READY, 0u), (uint32_t)task, 0u);
    }
}

void kymo_task_suspended(kymo_context task) {
    if (task != runs_here()->task) {
        kymo_limits_suspended(task);
        kymo_ring_task(KYMO_TASK_HEADER(KYMO_KIND_TASK_SUSPENDED, 0u), (uint32_t)task, 0u);
    }
}

void kymo_task_priority(kymo_context task, int32_t priority, enum kymo_priority_cause cause) {
    const uint32_t words[2] = {(uint32_t)priority, (uint32_t)cause};
    struct known *known = cause == KYMO_PRIORITY_SET ? find_name(task) : NULL;
    if (known != NULL) {
        known->priority = (int16_t)priority;
    }
    (void)kymo_ring_long(KYMO_KIND_TASK_PRIORITY, (uint32_t)task, words, words[1] != 0u ? 2u : 1u);
}

void kymo_task_stack(kymo_context task, uint32_t unused, uint32_t size) {
    const uint32_t words[2] = {unused, size};
    kymo_limits_stack(task, unused);
    (void)kymo_ring_long(KYMO_KIND_TASK_STACK, (uint32_t)task, words, size != 0u ? 2u : 1u);
}

/* A task that has moved to another core meanwhile looks again. */
kymo_context kymo_task_that_runs(void) {
    const struct kymo_runs *runs;
    kymo_context task;
    do {
        runs = runs_here();
        task = runs->task;
    } while (runs != runs_here());
    return task;
}

void kymo_task_period(uint32_t period_us, uint32_t deadline_us) {
    const uint32_t words[2] = {period_us, deadline_us};
    const kymo_context task = kymo_task_that_runs();
    if (task != 0u) {
        (void)kymo_ring_long(KYMO_KIND_TASK_PERIOD, (uint32_t)task, words,
                             deadline_us != 0u ? 2u : 1u);
    }
}

void kymo_task_put(uintptr_t object, uint32_t level) {
    record_object(KYMO_KIND_OBJECT_PUT, object, level);
}

void kymo_task_get(uintptr_t object, uint32_t level) {
    record_object(KYMO_KIND_OBJECT_GET, object, level);
}

/* ---- interrupts ---- */

/* The depth is raised first and lowered last: an interrupt in between takes the place above. */
void kymo_irq_enter(kymo_context interrupt, uint32_t number) {
    struct serves *serves = &serves_on[kymo_lane_index_here()];
    const uint32_t place = serves->depth;
    serves->depth = place + 1u;
    if (place < IRQ_DEPTH) {
        serves->interrupts[place].number = number;
        serves->interrupts[place].before = kymo_interrupt_enter(interrupt);
    }
}

void kymo_irq_leave(uint32_t number) {
    struct serves *serves = &serves_on[kymo_lane_index_here()];
    const uint32_t entered = serves->depth;
    if (entered == 0u ||
        (entered <= IRQ_DEPTH && serves->interrupts[entered - 1u].number != number)) {
        return;
    }
    if (entered <= IRQ_DEPTH) {
        kymo_interrupt_leave(serves->interrupts[entered - 1u].before);
    }
    serves->depth = entered - 1u;
}

#elif KYMO_ENABLE

void kymo_task_period(uint32_t period_us, uint32_t deadline_us) {
    (void)period_us, (void)deadline_us;
}

#endif
