/* SPDX-License-Identifier: MIT */
/* A lane: one ring, its producer side and its consumer side. Each kind of ring has its own structure. Private to the
 * runtime.
 *
 * The records in it are described in MEMORY.md. */
#ifndef KYMO_LANE_H
#define KYMO_LANE_H

#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/memory.h"
#include "order.h"

#define KYMO_RING_WORDS (KYMO_RING_BYTES / 4u)

/* A record's low 32 bits of the clock are unambiguous within 2^31 ticks of the one before. Where others may come
 * between its look at the clock and its place in the ring, it may be half of that late. Under a mask events do not look
 * whether a clock of 32 bits has passed the limit: kymo_ring_keep_alive() does, and sends the next one off the fast
 * path. It must come so often that it and the span together stay below half a wrap. */
#define KYMO_CLOCK_SPAN                                                                            \
    ((kymo_clock_t)(KYMO_ARCH_CLOCK_BITS == 64 ? 0x7fffffffu                                       \
                    : KYMO_ARCH_ATOMIC         ? 0x3fffffffu                                       \
                                               : 0x00ffffffu))

/* The clock in steps that count 32 bits for days, and how many of them may pass between two calls of
 * kymo_ring_keep_alive(): half a wrap, less the number above and two for the rounding. */
#define KYMO_ALIVE_SHIFT 16
#define KYMO_ALIVE_STEPS (KYMO_ARCH_ATOMIC ? 0x8000 : 0x7f00 - 2)
/* So late kymo_drain() may leave it: within the 1 % that its caller does not know of. */
#define KYMO_ALIVE_LATE_TICKS 0x400000u

/* Contexts are 8-aligned: the bits below are not kept. */
#define KYMO_CONTEXT_BITS ((kymo_context)7u)
/* Set in the result of kymo_interrupt_enter(): the return has its room. */
#define KYMO_RETURN_PROMISED ((kymo_context)1u)

#define KYMO_OWN_LINE __attribute__((aligned(KYMO_LANES > 1 ? 64 : 1)))
/* The address of a lane by its number then is a shift. */
#define KYMO_LANE_ALIGNED                                                                          \
    __attribute__((aligned(KYMO_TASKS != 0 && KYMO_LANES > 1 ? 32 * sizeof(void *) : 1)))

#if KYMO_TASKS
/* The kernel's task that a lane runs, for task_events.c. */
struct kymo_runs {
    uintptr_t object;  /* what it is about to wait for */
    uint32_t why;      /* bits 7..0: and why, an enum kymo_why; bit 8: it is KYMO_WHY_OF_CALL */
    kymo_context task; /* 0: the kernel has not started */
    kymo_context over; /* deleted itself, and runs on until the next switch; 0: none */
};
#define KYMO_WHY_OF_CALL 0x100u /* the reason of a call around the one that waits */
#endif

#if KYMO_KEEP_NEWEST
#include "lane_newest.h"
#elif KYMO_ARCH_ATOMIC
#include "lane_atomic.h"
#else
#include "lane_masked.h"
#endif

/* In refused_entries: the entries, and above them the events that were refused since. */
#define KYMO_REFUSED_EVENT 0x100u
#define KYMO_REFUSED_DEPTH (KYMO_REFUSED_EVENT - 1u)

_Static_assert(sizeof(struct kymo_lane) <= (KYMO_TASKS != 0 ? 256 : 128),
               "a lane costs at most 128 bytes beside its ring, with tasks 256");
_Static_assert(KYMO_LANES >= 1 && KYMO_LANES <= 64, "KYMO_LANES must be 1 to 64");
_Static_assert(KYMO_RING_BYTES >= 256 && KYMO_RING_BYTES <= 67108864,
               "KYMO_RING_BYTES must be 256 to 67108864");
_Static_assert((KYMO_RING_BYTES & (KYMO_RING_BYTES - 1)) == 0,
               "KYMO_RING_BYTES must be a power of two");

/* The lane of unknown cores: after the others, without a ring. All its events are refused and counted.
 * One lane needs it only if the port asks for its number; a port with a spare lane gives no other number. */
#define KYMO_LANE_UNKNOWN KYMO_LANES
#ifdef KYMO_ARCH_SPARE_LANE
#define KYMO_LANE_SHARED KYMO_ARCH_SPARE_LANE
#define KYMO_LANES_ALL KYMO_LANES
#else
#define KYMO_LANE_SHARED KYMO_LANE_UNKNOWN
#define KYMO_LANES_ALL (KYMO_LANES + KYMO_LANE_ASKED)
#endif

/* The reference of a lane's main context. References are stored XORed with it, so that a zeroed lane is in it. */
#define KYMO_MAIN_CONTEXT 1u

extern struct kymo_lane kymo_lanes[KYMO_LANES_ALL];
/* Aligned where it is declared: compilers take an array from elsewhere for 16-aligned on some cores. */
#ifdef KYMO_ARCH_MAPS_RINGS
/* NULL until kymo_rings_are_there() is true: before the first event, and for ever if there is no memory. */
#define kymo_rings kymo_mapped_rings
extern uint32_t (*kymo_rings)[KYMO_RING_WORDS];
bool kymo_map_rings(void);
#define KYMO_RINGS_KNOWN (__atomic_load_n(&kymo_rings, __ATOMIC_ACQUIRE) != NULL)
static inline bool kymo_rings_are_there(void) { return KYMO_RINGS_KNOWN || kymo_map_rings(); }
#else
extern uint32_t kymo_rings[KYMO_LANES][KYMO_RING_WORDS] __attribute__((aligned(8)));
#define KYMO_RINGS_KNOWN true
static inline bool kymo_rings_are_there(void) { return true; }
#endif
#define KYMO_RETURNS                                                                               \
    ((KYMO_LANE_ASKED || KYMO_CONTEXTS != 0) && !KYMO_ARCH_ATOMIC && !KYMO_KEEP_NEWEST)
/* Promises of a lane whose zones ended on another: cells[lane][other], which the other's core writes; in the last cell
 * the consumer adds those of ended contexts; and how many of them all the lane's own core has seen. */
struct kymo_returns {
    uint32_t cells[KYMO_LANES][KYMO_LANES_ALL + 1];
    uint32_t collected[KYMO_LANES];
};
extern struct kymo_returns kymo_returns;
extern bool kymo_stopped;
extern bool kymo_clock_stands; /* when it was last looked at */

/* Checks that the clock counts; if not, stops recording: no event without a time. lifecycle.c */
void kymo_clock_check(void);

/* kymo_clock_keepalive() for all lanes, from the core that drains. lifecycle.c */
void kymo_keep_all_alive(void);

/* The context that was ended last, for the record that it did not complete. Needed where kernels report their tasks,
 * or open zones are counted. */
#define KYMO_TASK_OVER ((KYMO_CONTEXTS != 0 || KYMO_TASKS != 0) && !KYMO_KEEP_NEWEST)
struct kymo_task_over {
    uint32_t context; /* 0: none */
    uint64_t time;
};
extern struct kymo_task_over kymo_task_over;

/* Linker-made bounds of the section of sites. */
#if KYMO_NAMES
extern const struct kymo_site __start_kymo_sites[];
extern const struct kymo_site __stop_kymo_sites[];
#else
extern const struct kymo_site __start_kymo_sites[] __asm__("__start_kymo_elf_sites");
extern const struct kymo_site __stop_kymo_sites[] __asm__("__stop_kymo_elf_sites");
extern const char __start_kymo_elf_text[], __stop_kymo_elf_text[];
extern const struct kymo_param_place __start_kymo_params[], __stop_kymo_params[];
/* Identifies the image by facts of the linker that the ELF file knows too. */
uint32_t kymo_image_identity(void);
#endif

#define KYMO_LIKELY(x) __builtin_expect(!!(x), 1)
#define KYMO_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- defaults for the optional parts of a port (kymo/arch.h), so that the code below need not check ---- */

#ifdef KYMO_ARCH_QUICK_CLOCK
#define KYMO_CLOCK_CALLS 1
#else
#define KYMO_CLOCK_CALLS 0
static inline bool kymo_arch_clock_is_quick(void) { return true; }
KYMO_INLINE_ kymo_clock_t kymo_arch_quick_clock(void) { return kymo_arch_clock(); }
#endif
#if !KYMO_ARCH_LANE_HELD
KYMO_INLINE_ struct kymo_lane *kymo_arch_lane_held(void) { return NULL; }
#endif
#ifndef KYMO_ARCH_UNTRACED
static inline bool kymo_arch_is_untraced(void) { return false; }
#endif
/* kymo_arch_put_pair() writes two words and returns the address after them. kymo_arch_put_both() does the same, low
 * word first, at an 8-aligned address. */
#ifndef KYMO_ARCH_PUTS_PAIRS
KYMO_INLINE_ uint32_t *kymo_arch_put_pair(uint32_t *at, uint32_t first, uint32_t second) {
    at[0] = first;
    at[1] = second;
    return at + 2;
}
#endif
#if !defined(KYMO_ARCH_PUTS_PAIRS) || KYMO_ARCH_CLOCK_BITS != 64
KYMO_INLINE_ uint32_t *kymo_arch_put_both(uint32_t *at, uint64_t both) {
    *(uint64_t *)(void *)at = both;
    return at + 2;
}
#endif

/* Two neighbours, of which other cores may write the second. */
#if defined(KYMO_ARCH_GET_PAIR) && !KYMO_CORES_IN_ORDER
#define KYMO_GET_PAIR KYMO_ARCH_GET_PAIR
#else
#define KYMO_GET_PAIR(a, b, first, second) ((first) = (a), (second) = KYMO_LOAD_SHARED(b))
#endif

/* The fast path asks once whether the clock needs a call, and so needs no stack frame. */
KYMO_INLINE_ kymo_clock_t kymo_clock_by(bool quick) {
    return KYMO_CLOCK_CALLS && quick ? kymo_arch_quick_clock() : kymo_arch_clock();
}

/* ---- which lane ---- */

/* The barrier keeps the address in a register: the compiler would rather make it again for each
 * field. */
static inline struct kymo_lane *kymo_lane_numbered(uintptr_t number) {
    struct kymo_lane *lane = &kymo_lanes[number];
    __asm__("" : "+r"(lane));
    return lane;
}

/* The number of the caller's lane, as the port says it. Inline also where small code is wanted, or each call would need
 * a stack frame. */
KYMO_INLINE_ uintptr_t kymo_lane_number_asked(void) {
    uintptr_t number = kymo_arch_lane();
    if (KYMO_LANES_ALL > KYMO_LANES && KYMO_UNLIKELY(number >= KYMO_LANES)) {
        number = KYMO_LANE_UNKNOWN;
    }
    return number;
}

KYMO_INLINE_ struct kymo_lane *kymo_lane_asked(void) {
    return kymo_lane_numbered(kymo_lane_number_asked());
}

/* The fast path's look: NULL if the port does not know at once. */
KYMO_INLINE_ struct kymo_lane *kymo_lane_held(void) {
    return KYMO_ARCH_LANE_HELD ? kymo_arch_lane_held() : kymo_lane_asked();
}

KYMO_INLINE_ struct kymo_lane *kymo_lane_here(void) {
    struct kymo_lane *lane = kymo_lane_held();
    return KYMO_ARCH_LANE_HELD == 2 && lane == NULL ? kymo_lane_asked() : lane;
}

/* The caller's lane and the context that it runs: a task may be moved between the two looks. */
#if KYMO_LANES > 1 && !KYMO_ARCH_ATOMIC
KYMO_INLINE_ const struct kymo_lane *kymo_lane_and_context(kymo_context *context) {
    const kymo_arch_state state = kymo_arch_mask();
    const struct kymo_lane *lane = kymo_lane_here();
    *context = KYMO_LOAD(lane->context);
    kymo_arch_unmask(state);
    return lane;
}
#else
KYMO_INLINE_ const struct kymo_lane *kymo_lane_and_context(kymo_context *context) {
    const struct kymo_lane *lane = kymo_lane_here();
    *context = KYMO_LOAD(lane->context);
    return lane;
}
#endif

static inline bool kymo_lane_is_unknown(const struct kymo_lane *lane) {
    return KYMO_LANES_ALL > KYMO_LANES && lane == &kymo_lanes[KYMO_LANE_UNKNOWN];
}

/* The lane of all that have none: the port's spare one, or that of unknown cores. */
static inline bool kymo_lane_is_shared(const struct kymo_lane *lane) {
    return KYMO_LANE_SHARED < KYMO_LANES_ALL && lane == &kymo_lanes[KYMO_LANE_SHARED];
}

/* Which lane it is; the compiler cannot know that there is only one. */
static inline size_t kymo_lane_index(const struct kymo_lane *lane) {
    return KYMO_LANES == 1 ? 0u : (size_t)(lane - kymo_lanes);
}

/* The same of the caller's. */
KYMO_INLINE_ size_t kymo_lane_index_here(void) {
    return KYMO_ARCH_LANE_HELD ? kymo_lane_index(kymo_lane_here()) : kymo_lane_number_asked();
}

/* Called for the lane that kymo_lane_held() has returned: a port whose threads hold theirs only with a quick clock need
 * not be asked for both. */
static inline bool kymo_held_is_quick(void) {
    return KYMO_ARCH_LANE_HELD == 2 || kymo_arch_clock_is_quick();
}

/* True on the core, or in the thread, that writes the lane. */
static inline bool kymo_lane_is_here(const struct kymo_lane *lane) {
    if (KYMO_ARCH_LANE_HELD == 2) {
        return kymo_lane_here() == lane;
    }
    return KYMO_ARCH_LANE_HELD ? kymo_arch_lane_held() == lane
                               : !KYMO_LANE_ASKED || kymo_arch_lane() == lane->core;
}

/* The same for the fast path, which goes the long way if it is false. */
static inline bool kymo_lane_is_held(const struct kymo_lane *lane) {
    return KYMO_ARCH_LANE_HELD ? kymo_arch_lane_held() == lane : kymo_lane_is_here(lane);
}

/* The lane that a zone began on. With KYMO_CHECK a handle is a number (check.c), else the lane, which it is made of
 * here. NULL: for NULL, and for a handle that no begin has returned. */
#if KYMO_CHECK
struct kymo_lane *kymo_lane_of_zone(kymo_zone zone);
#else
static inline struct kymo_lane *kymo_lane_of_zone(kymo_zone zone) {
    return (struct kymo_lane *)(void *)zone;
}
static inline kymo_zone kymo_zone_on(struct kymo_lane *lane) { return (kymo_zone)(void *)lane; }
#endif

static inline bool kymo_clock_is_past(kymo_clock_t now, kymo_clock_t limit) {
    /* A narrow clock wraps; keepalive holds them within half of it. */
    return KYMO_ARCH_CLOCK_BITS == 64 ? now > limit : (int32_t)(limit - now) < 0;
}

/* Whether each event looks at the limit: see KYMO_CLOCK_SPAN. */
#define KYMO_LIMIT_IN_FAST_PATH (KYMO_ARCH_CLOCK_BITS == 64 || KYMO_ARCH_ATOMIC)

/* How the recorder was called wrongly: by enum kymo_usage. Each error has a store of its own, so that contexts and
 * cores that find errors at the same time keep each other's. */
#define KYMO_USAGES 11u
extern bool kymo_usage_seen[KYMO_USAGES];
static inline void kymo_usage_error(enum kymo_usage kind) {
    KYMO_STORE(kymo_usage_seen[kind], true);
}

/* A word in the register that KYMO_ARCH_SCRATCH names, if it names one. */
#ifdef KYMO_ARCH_SCRATCH
#define KYMO_SCRATCH(name, value)                                                                  \
    register __typeof__(value) name __asm__(KYMO_ARCH_SCRATCH) = (value);                          \
    __asm__("" : "+r"(name))
#else
#define KYMO_SCRATCH(name, value) __typeof__(value) name = (value)
#endif
#endif
