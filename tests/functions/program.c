/* SPDX-License-Identifier: MIT */
/* Known numbers of calls, compiled with -finstrument-functions and without a macro at the functions. What hostlink must
 * count is in expected.py. */
#include "board.h"
#include "kymo/functions.h"
#include "kymo/kymo.h"

/* Functions stay as they are written. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline))
#else
#define AS_WRITTEN __attribute__((noipa))
#endif

int jump_save(uintptr_t *place) __attribute__((returns_twice));
_Noreturn void jump_back(const uintptr_t *place);

#if FUNCTIONS_CXX
void cxx_case(void);
#endif

KYMO_CONTEXT(tick, "tick", KYMO_CONTEXT_INTERRUPT);

static volatile uint32_t after;

/* Records all of it, however slow the line is: no event may be refused. With FUNCTIONS_OVERWRITTEN only at the end,
 * as rings keep the newest. */
static bool at_end;
static KYMO_NO_FUNCTION void drain(void) {
    while ((at_end || !FUNCTIONS_OVERWRITTEN) && kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

/* ---- calls ---- */

static AS_WRITTEN void leaf(void) { after++; }
static AS_WRITTEN void caller(void) {
    for (uint32_t i = 0u; i < 5u; i++) {
        leaf();
    }
}

/* Put inside what calls it, and still a zone. */
static inline __attribute__((always_inline)) void put_inside(void) { after++; }
static AS_WRITTEN void around(void) {
    put_inside();
    put_inside();
}

static AS_WRITTEN void recurse(uint32_t depth) {
    if (depth != 0u) {
        recurse(depth - 1u);
    }
    after++;
}

static AS_WRITTEN void odd(uint32_t number);
static AS_WRITTEN void even(uint32_t number) {
    if (number != 0u) {
        odd(number - 1u);
    }
    after++;
}
static AS_WRITTEN void odd(uint32_t number) {
    if (number != 0u) {
        even(number - 1u);
    }
    after++;
}

static AS_WRITTEN void pointed_at(void) { after++; }
static AS_WRITTEN void by_pointer(void (*volatile const *function)(void)) {
    for (uint32_t i = 0u; i < 3u; i++) {
        (*function)();
    }
}

static AS_WRITTEN void tail_called(void) { after++; }
static AS_WRITTEN void tail_caller(void) { tail_called(); }

/* More of the stack while it runs. */
static AS_WRITTEN void grows(uint32_t bytes) {
    volatile uint8_t *const more = __builtin_alloca(bytes);
    more[0] = 1u;
    leaf();
    more[bytes - 1u] = 1u;
}

static KYMO_NO_FUNCTION AS_WRITTEN void left_out(void) { leaf(); }

/* Deeper than is recorded: deeper calls count for nothing, and those before them come out right. */
static AS_WRITTEN void deep(uint32_t depth) {
    if (depth != 0u) {
        deep(depth - 1u);
    }
    after++;
}

/* ---- jumps ---- */

static uintptr_t landing[16];

static AS_WRITTEN void jump_inner(void) { jump_back(landing); }
static AS_WRITTEN void jump_middle(uint32_t depth) {
    if (depth != 0u) {
        jump_middle(depth - 1u);
    } else {
        jump_inner();
    }
    after++;
}
static AS_WRITTEN void jump_outer(void) {
    KYMO_ZONE("around a jump");
    if (jump_save(landing) == 0) {
        jump_middle(2u);
    }
    leaf();
}

/* Lands in the same place again and again, and never ends. */
static AS_WRITTEN void jump_again(void) {
    volatile uint32_t times = 0u;
    (void)jump_save(landing);
    times = times + 1u;
    drain();
    if (times < 50u) {
        jump_middle(2u);
    }
}

/* ---- zones of the firmware's own ---- */

static kymo_zone span;
static AS_WRITTEN void start_span(void) {
    KYMO_BEGIN(zone, "span");
    span = zone;
}
static AS_WRITTEN void end_span(void) { kymo_zone_end(span); }
static AS_WRITTEN void inside(void) {
    KYMO_ZONE("inside");
    leaf();
}

/* ---- an interrupt ---- */

static volatile uint32_t ticks, calls;

static AS_WRITTEN void in_interrupt(void) { after++; }
static AS_WRITTEN void on_tick(void) {
    calls = calls + 1u;
    if (ticks < 3u) {
        KYMO_INTERRUPT(tick);
        in_interrupt();
        ticks = ticks + 1u;
    }
}
static AS_WRITTEN void interrupted(void) {
    while (ticks < 3u) {
        after++;
    }
}

static _Noreturn AS_WRITTEN void never_returns(void) {
    at_end = true;
    kymo_finish();
    drain();
    board_exit(0);
}

static _Noreturn AS_WRITTEN void run(void) {
    static void (*volatile const pointer)(void) = pointed_at;
    caller();
    caller();
    around();
    drain();
    recurse(4u);
    even(5u);
    by_pointer(&pointer);
    drain();
    tail_caller();
    tail_caller();
    grows(100u);
    grows(300u);
    left_out();
    drain();
    deep(40u);
    drain();
    for (uint32_t i = 0u; i < 3u; i++) {
        jump_outer();
    }
    drain();
    jump_again();
    start_span();
    end_span();
    inside();
    drain();
#if FUNCTIONS_CXX
    cxx_case();
    drain();
#endif
    board_timer_start(on_tick);
    interrupted();
    board_timer_stop();
    KYMO_PLOT("calls of on_tick", (int32_t)calls);
    never_returns();
}

/* The clock may count from board_init() on. */
KYMO_NO_FUNCTION int main(void) {
    board_init();
    kymo_init(board_transport(), "functions");
    run();
}
