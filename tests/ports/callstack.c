/* SPDX-License-Identifier: MIT */
/* The test of kymo/unwind.h: a chain of functions, straight, trapped in a function that has no frame yet, interrupted,
 * and both in one; and a stack full of rubbish. */
#include "kymo/unwind.h"
#include "kymo/wire.h"

#include "contract.h"

#define MOST 32u
#define CANARY ((uintptr_t)0x5ca1ab1eu)
/* Longer than each of the functions below; an address after a call lies less far from its function's start. */
#define FUNCTION_BYTES 256u
#define TRAP_BYTES                                                                                 \
    4u /* the instruction that traps, at which or after which machine_trap() goes on */

void innermost(void);
void middle(void);
void outermost(void);
void trapped(void);
void trap_caller(void);
#ifdef CHECK_ENTRY
void CHECK_ENTRY(void);
#endif
#if !KYMO_ARCH_ATOMIC
void preempted(void);
void preempter(void);
#define INTERRUPTED , preempted, preempter
#else
#define INTERRUPTED
#endif

static uintptr_t addresses[MOST];
static uint32_t found, limit, left_out;
static volatile uint32_t after; /* written after a call, so that the call is not a jump */

static uintptr_t start_of(void (*function)(void)) {
    return (uintptr_t)function & ~(uintptr_t)1u; /* the Thumb bit */
}

/* Each walk ends in the code that the machine's reset runs, and believes nothing that it finds there. */
static bool ends_at_the_entry(void) {
#ifdef CHECK_ENTRY
    const uintptr_t last = addresses[found - 1u], entry = start_of(CHECK_ENTRY);
    return last > entry && last - entry < FUNCTION_BYTES;
#else
    return true;
#endif
}

/* The functions are laid out in any order: the one that an address belongs to is the nearest before it. */
static bool is_in(uintptr_t address, void (*function)(void)) {
    static void (*const all[])(void) = {innermost, middle, outermost, trapped,
                                        trap_caller INTERRUPTED};
    uintptr_t nearest = 0u;
    for (uint32_t i = 0u; i < sizeof all / sizeof all[0]; i++) {
        const uintptr_t start = start_of(all[i]);
        nearest = start <= address && start > nearest ? start : nearest;
    }
    return nearest == start_of(function) && address - nearest < FUNCTION_BYTES;
}

static __attribute__((noinline)) void unwind(void) {
    for (uint32_t i = 0u; i < MOST; i++) {
        addresses[i] = CANARY;
    }
    found = kymo_arch_unwind(addresses, limit, left_out, 0u);
    after++;
}

__attribute__((noinline)) void innermost(void) {
    unwind();
    after++;
}

__attribute__((noinline)) void middle(void) {
    innermost();
    after++;
}

__attribute__((noinline)) void outermost(void) {
    middle();
    after++;
}

static int check_chain(void) {
    limit = MOST;
    left_out = 0u;
    outermost();
    if (found < 5u || found >= MOST || !is_in(addresses[1], innermost) ||
        !is_in(addresses[2], middle) || !is_in(addresses[3], outermost)) {
        return STACK_HAS_OTHER_CALLERS;
    }
    if (!ends_at_the_entry()) {
        return STACK_ENDS_ELSEWHERE;
    }
    const uintptr_t second = addresses[2];
    const uint32_t all = found;
    left_out = 2u;
    outermost();
    if (found != all - 2u || addresses[0] != second || addresses[found] != CANARY) {
        return STACK_IGNORES_SKIP_OR_COUNT;
    }
    limit = 1u;
    outermost();
    if (found != 1u || addresses[0] != second || addresses[1] != CANARY) {
        return STACK_IGNORES_SKIP_OR_COUNT;
    }
    limit = 0u;
    outermost();
    limit = MOST;
    left_out = 1000u;
    const bool none = found == 0u;
    outermost();
    return none && found == 0u && addresses[0] == CANARY ? 0 : STACK_IGNORES_SKIP_OR_COUNT;
}

#ifdef CHECK_NO_TRAP

void trapped(void) {}
void trap_caller(void) {}
static int check_trapped(void) { return 0; }

#else

void callstack_trap(void) { unwind(); }

__attribute__((noinline)) void trapped(void) {
    machine_trap();
    after++;
}

__attribute__((noinline)) void trap_caller(void) {
    trapped();
    after++;
}

/* If a function is interrupted before it has a frame, its caller may come after a mark: hostlink decides. */
static int check_trapped(void) {
    uint32_t i = 0u;
    while (i < found && addresses[i] - 1u - start_of(machine_trap) > TRAP_BYTES) {
        i++;
    }
    i += i + 1u < found && addresses[i + 1u] == KYMO_STACK_HELD ? 2u : 1u;
    if (i + 1u >= found || !is_in(addresses[i], trapped)) {
        return STACK_LACKS_THE_TRAPPED_CALLER;
    }
    return !is_in(addresses[i + 1u], trap_caller) ? STACK_HAS_OTHER_CALLERS
           : ends_at_the_entry() ? 0
                                 : STACK_ENDS_ELSEWHERE;
}

#endif

static int check_trap(void) {
    limit = MOST;
    left_out = 0u;
    found = 0u;
    trap_caller();
    return check_trapped();
}

#if KYMO_ARCH_ATOMIC

void callstack_interrupt(void) {}
static int check_interrupted(bool trap) { return trap && !KYMO_ARCH_ATOMIC; }

#else

static volatile bool armed, traps;

void callstack_interrupt(void) {
    if (armed) {
        if (traps) {
            trap_caller();
        } else {
            unwind();
        }
        armed = false;
    }
}

/* The interrupt comes when this function has its frame. */
static kymo_arch_state state;
__attribute__((noinline)) void preempted(void) {
    state = kymo_arch_mask();
    machine_raise();
    armed = true;
    kymo_arch_unmask(state);
    while (armed) {}
}

__attribute__((noinline)) void preempter(void) {
    machine_enable(true);
    preempted();
    machine_enable(false);
    after++;
}

/* From the handler to the instruction that it preempted, and beyond; or from a trap in it. */
static int check_interrupted(bool trap) {
    limit = MOST;
    left_out = 0u;
    traps = trap;
    preempter();
    if (trap && check_trapped() != 0) {
        return check_trapped();
    }
    for (uint32_t i = 1u; i + 2u < found; i++) {
        if (is_in(addresses[i], preempted)) {
            /* The link register's value may come before the caller: hostlink decides. */
            const uint32_t caller = addresses[i + 1u] == KYMO_STACK_HELD ? i + 3u : i + 1u;
            const bool is_right = caller < found && is_in(addresses[caller], preempter);
            return !is_right ? STACK_HAS_OTHER_CALLERS
                   : ends_at_the_entry() ? 0
                                         : STACK_ENDS_ELSEWHERE;
        }
    }
    return STACK_ENDS_AT_THE_INTERRUPT;
}

#endif

/* ---- a damaged stack ---- */

#define DAMAGED_WORDS 48u
static uintptr_t saved[DAMAGED_WORDS];
static volatile uintptr_t *damaged;
static uintptr_t rubbish;

static __attribute__((noinline)) void save(void) {
    for (uint32_t i = 0u; i < DAMAGED_WORDS; i++) {
        saved[i] = damaged[i];
    }
}

static __attribute__((noinline)) void damage(void) {
    for (uint32_t i = 0u; i < DAMAGED_WORDS; i++) {
        damaged[i] = rubbish;
    }
}

static __attribute__((noinline)) void restore(void) {
    for (uint32_t i = 0u; i < DAMAGED_WORDS; i++) {
        damaged[i] = saved[i];
    }
}

/* Has nothing of its own on the stack while that is damaged. */
static __attribute__((noinline)) void unwind_damaged(void) {
    damaged = (volatile uintptr_t *)__builtin_frame_address(0);
    save();
    damage();
    found = kymo_arch_unwind(addresses, MOST, 0u, (uintptr_t)(damaged + DAMAGED_WORDS));
    restore();
    after++;
}

/* Fills the stack with values that a wrong walk would read: nothing, all ones, no address, an unaligned one, the stack
 * itself (a circle), the stack's end, and code. A fault ends the test. */
static int check_damaged(void) {
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)15u;
    volatile uintptr_t room[DAMAGED_WORDS]; /* so that all that is damaged is stack */
    room[0] = room[DAMAGED_WORDS - 1u] = 0u;
    const uintptr_t kinds[] = {
        0u,
        UINTPTR_MAX,
        UINTPTR_MAX - 15u,
        (uintptr_t)0xa5a5a5a4u,
        here + 1u,
        here - 64u,
        here,
        here - 128u,
        here + 64u,
        here + 4096u,
        16u,
        start_of(middle),
        0xfffffff8u,
        start_of(innermost) + 9u,
    };
    for (uint32_t i = 0u; i < sizeof kinds / sizeof kinds[0]; i++) {
        rubbish = kinds[i];
        found = MOST + 1u;
        unwind_damaged();
        if (found > MOST || room[0] != 0u) {
            return STACK_GOES_WRONG_WHEN_DAMAGED;
        }
    }
    return check_chain();
}

int callstack_check(void) {
    int broken = check_chain();
    broken = broken != 0 ? broken : check_trap();
    broken = broken != 0 ? broken : check_interrupted(false);
    broken = broken != 0 ? broken : check_interrupted(true);
    return broken != 0 ? broken : check_damaged();
}
