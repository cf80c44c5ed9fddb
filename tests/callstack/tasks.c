/* SPDX-License-Identifier: MIT */
/* Known call stacks in tasks, which have stacks of their own: what each must look like is in tasks.py. The tasks take
 * turns by pass_on(), main among them; a timer interrupts and samples them. Compiled with KYMO_TRACING_MODE 4, for a
 * board. */
#include "tasks.h"

#include "board.h"
#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/sample.h"

/* Functions stay as they are written. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline))
#else
#define AS_WRITTEN __attribute__((noipa))
#endif

KYMO_POOL(heap, "heap");
KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);

static volatile uint32_t after; /* written after a call, so that the call is not a jump */
static uint32_t lock;

/* ---- the kernel ---- */

enum { MAIN, RED, BLUE, TASKS };
#define STACK_WORDS (TASK_STACK_BYTES / sizeof(uintptr_t))

/* A context's address is a multiple of 8. */
static struct __attribute__((aligned(8))) task {
    uintptr_t stack; /* its pointer; 0: never ran */
    bool over;
} tasks[TASKS];
static uintptr_t stacks[TASKS][STACK_WORDS]
    __attribute__((aligned(16))); /* main's is for handlers */
static volatile uint32_t running = MAIN;

void red_task(void);
void blue_task(void);

/* A task begins with interrupts masked. */
static kymo_arch_state unmasked;
static inline __attribute__((always_inline)) void begun(void) { kymo_arch_unmask(unmasked); }

/* To interrupts the switch of the stack pointer and that of the context are one. */
static AS_WRITTEN void pass_on(void) {
    static void (*const entries[TASKS])(void) = {NULL, red_task, blue_task};
    const kymo_arch_state state = kymo_arch_mask();
    const uint32_t from = running;
    uint32_t to = from;
    do {
        to = (to + 1u) % TASKS;
    } while (tasks[to].over);
    running = to;
    kymo_context_switch(to != MAIN ? (kymo_context)&tasks[to] : 0u);
    unmasked = state;
    if (tasks[to].stack == 0u) {
        task_begin(&tasks[from].stack, (uintptr_t)&stacks[to][STACK_WORDS], entries[to]);
    } else {
        task_switch(&tasks[from].stack, tasks[to].stack);
    }
    kymo_arch_unmask(state);
}

/* ---- what tasks are interrupted by ---- */

/* An interrupt, which comes in a loop: where a function begins, its caller may not be known yet. */
static volatile bool wanted, turned;
static volatile uint32_t taken, taken_at_start;

__attribute__((weak)) const struct kymo_interrupted *board_interrupted(void) { return NULL; }

static AS_WRITTEN void on_tick(void) {
    (void)kymo_sample(board_interrupted());
    taken++;
    KYMO_INTERRUPT(tick);
    if (wanted && turned) {
        KYMO_MESSAGE("interrupt");
        wanted = false;
    }
}

/* ---- a task that never returns, as most are ---- */

static AS_WRITTEN void red_inner(void) {
    KYMO_ZONE("red work");
    pass_on(); /* within the zone */
    KYMO_MESSAGE("red again");
    after++;
}
static AS_WRITTEN void red_outer(void) {
    red_inner();
    after++;
}

/* Called before and after the loop in which it is interrupted. */
static AS_WRITTEN void nothing(void) {}
static AS_WRITTEN void red_busy(void) {
    nothing();
    turned = false;
    wanted = true;
    while (wanted) {
        turned = true;
    }
    nothing();
    after++;
}

#define TURN 20u /* calls of these in one */
AS_WRITTEN void red_share(void);
AS_WRITTEN void red_sharer(void);
void red_share(void) {
    for (uint32_t turn = 0u; turn < 3001u; turn++) {
        after++;
    }
}
void red_sharer(void) {
    red_share();
    after++;
}

_Noreturn void red_task(void) {
    begun();
    KYMO_MESSAGE("red begins");
    red_outer();
    red_busy();
    for (;;) {
        for (uint32_t i = 0u; i < TURN; i++) {
            red_sharer();
        }
        pass_on();
    }
}

/* ---- one that ends ---- */

static AS_WRITTEN void blue_recurse(uint32_t depth) {
    if (depth == 0u) {
        KYMO_ZONE("blue work");
        KYMO_ALLOC(heap, &lock, 4u);
        KYMO_FREE(heap, &lock);
        pass_on();
        KYMO_LOCK_WAIT(&lock);
        KYMO_LOCK_OBTAIN(&lock);
        KYMO_LOCK_RELEASE(&lock);
    } else {
        blue_recurse(depth - 1u);
    }
    after++;
}

/* Calls nothing. */
static AS_WRITTEN void blue_leaf(void) {
    while (wanted) {
        turned = true;
    }
}
static AS_WRITTEN void blue_leaf_caller(void) {
    turned = false;
    wanted = true;
    blue_leaf();
    after++;
}

AS_WRITTEN void blue_share(void);
AS_WRITTEN void blue_sharer(uint32_t depth);
void blue_share(void) {
    for (uint32_t turn = 0u; turn < 2003u; turn++) {
        after += turn;
    }
}
void blue_sharer(uint32_t depth) {
    if (depth == 0u) {
        blue_share();
    } else {
        blue_sharer(depth - 1u);
    }
    after++;
}

void blue_task(void) {
    begun();
    blue_recurse(3u);
    blue_leaf_caller();
    taken_at_start = taken;
    while (taken - taken_at_start < TASK_TICKS) {
        for (uint32_t i = 0u; i < TURN; i++) {
            blue_sharer(2u);
        }
        pass_on();
    }
    KYMO_MESSAGE("blue ends");
    tasks[BLUE].over = true;
    pass_on();
}

/* ---- main ---- */

static void drain(void) {
    while (kymo_drain(0u)) {}
}

int main(void) {
    board_init();
    kymo_init(board_transport(), "tasks");
    KYMO_LOCK(&lock, "lock");
    kymo_context_name((kymo_context)&tasks[RED], KYMO_CONTEXT_TASK, "red");
    kymo_context_name((kymo_context)&tasks[BLUE], KYMO_CONTEXT_TASK, "blue");
    task_own_pointer((uintptr_t)&stacks[MAIN][STACK_WORDS]);
    kymo_sample_rate(500u);
    board_timer_start(on_tick);
    while (!tasks[BLUE].over) {
        pass_on();
        drain();
    }
    board_timer_stop();
    kymo_context_end((kymo_context)&tasks[BLUE]);
    kymo_finish();
    while (kymo_pending()) {
        drain();
    }
    board_exit(0);
}
