/* SPDX-License-Identifier: MIT */
/* Known call stacks: each case records events by functions that call each other in a known way. What each must look
 * like is in expected.py. Compiled with KYMO_TRACING_MODE 4, for a board. */
#include "board.h"
#include "kymo/kymo.h"

/* Functions stay as they are written. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline))
#else
#define AS_WRITTEN __attribute__((noipa))
#endif

#if CALLSTACK_CXX
void cxx_case(void);
#else
static void cxx_case(void) {}
#endif

KYMO_POOL(heap, "heap");
KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);

static volatile uint32_t after; /* written after a call, so that the call is not a jump */
static uint32_t lock;

static void drain(void) {
    while (kymo_drain(0u)) {}
}

/* ---- calls ---- */

static AS_WRITTEN void chain_inner(void) {
    KYMO_ZONE("chain");
    after++;
}
static AS_WRITTEN void chain_middle(void) {
    chain_inner();
    after++;
}
static AS_WRITTEN void chain_outer(void) {
    chain_middle();
    after++;
}

static AS_WRITTEN void recurse(uint32_t depth) {
    if (depth == 0u) {
        KYMO_MESSAGE("recursion %u", (unsigned)depth);
    } else {
        recurse(depth - 1u);
    }
    after++;
}

static AS_WRITTEN void pointed_at(void) {
    KYMO_FUNCTION();
    after++;
}
static AS_WRITTEN void by_pointer(void (*volatile const *function)(void)) {
    (*function)();
    after++;
}

/* A jump: the function that ends with it is gone. */
static AS_WRITTEN void tail_called(void) {
    KYMO_MESSAGE("tail call");
    after++;
}
static AS_WRITTEN void tail_caller(void) { tail_called(); }
static AS_WRITTEN void tail_case(void) {
    tail_caller();
    after++;
}

/* ---- every class of event ---- */

static AS_WRITTEN void memory_user(void) {
    KYMO_ALLOC(heap, &lock, 4u);
    KYMO_FREE(heap, &lock);
    after++;
}

static AS_WRITTEN void lock_user(void) {
    KYMO_LOCK_WAIT(&lock);
    KYMO_LOCK_OBTAIN(&lock);
    KYMO_LOCK_RELEASE(&lock);
    after++;
}

static AS_WRITTEN void zone_by_hand(void) {
    KYMO_BEGIN(zone, "by hand");
    KYMO_PLOT("plot", 1);
    KYMO_END(zone);
    after++;
}

static AS_WRITTEN void of_two_frames(void) {
    KYMO_ZONE_STACK("zone of two", 2u);
    KYMO_MESSAGE_STACK(2u, "message of two");
    KYMO_ALLOC_STACK(heap, &lock, 4u, 2u);
    KYMO_FREE_STACK(heap, &lock, 2u);
    KYMO_LOCK_WAIT_STACK(&lock, 2u);
    KYMO_LOCK_OBTAIN_STACK(&lock, 2u);
    KYMO_LOCK_RELEASE(&lock);
    KYMO_BEGIN_STACK(zone, "by hand, of two", 2u);
    KYMO_END(zone);
    KYMO_ZONE_NAMED_STACK(none, "of none", 0u);
    (void)none;
    after++;
}

static AS_WRITTEN void deeper(uint32_t depth) {
    if (depth == 0u) {
        KYMO_ZONE("deep");
        after++;
    } else {
        deeper(depth - 1u);
    }
    after++;
}

/* ---- an interrupt ---- */

/* An interrupt, which comes in a loop: where a function begins, its caller may not be known yet. */
static volatile bool wanted, turned;

static AS_WRITTEN void on_tick(void) {
    KYMO_INTERRUPT(tick);
    if (wanted && turned) {
        KYMO_MESSAGE("interrupt");
        wanted = false;
    }
}

/* Calls nothing. */
static AS_WRITTEN void leaf(void) {
    while (wanted) {
        turned = true;
    }
}
static AS_WRITTEN void leaf_caller(void) {
    turned = false;
    wanted = true;
    leaf();
    after++;
}

/* Called before and after the loop in which it is interrupted. */
static AS_WRITTEN void nothing(void) {}
static AS_WRITTEN void busy(void) {
    nothing();
    turned = false;
    wanted = true;
    while (wanted) {
        turned = true;
    }
    nothing();
    after++;
}
static AS_WRITTEN void busy_caller(void) {
    busy();
    after++;
}

int main(void) {
    static void (*volatile const pointer)(void) = pointed_at;
    board_init();
    kymo_init(board_transport(), "call stacks");
    KYMO_LOCK(&lock, "lock");
    chain_outer();
    recurse(3u);
    by_pointer(&pointer);
    tail_case();
    drain();
    memory_user();
    lock_user();
    zone_by_hand();
    drain();
    of_two_frames();
    deeper(20u);
    drain();
    cxx_case();
    drain();
    board_timer_start(on_tick);
    leaf_caller();
    busy_caller();
    board_timer_stop();
    kymo_finish();
    while (kymo_pending()) {
        drain();
    }
    board_exit(0);
}
