/* SPDX-License-Identifier: MIT */
/* A lane: one ring, its producer side and its consumer side. Private to the runtime.
 *
 * The records in it are described in MEMORY.md. */
#ifndef KYMO_LANE_H
#define KYMO_LANE_H

#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/memory.h"
#include "order.h"

#if KYMO_ARCH_ATOMIC
typedef intptr_t kymo_room_t;
#endif

#define KYMO_RING_WORDS (KYMO_RING_BYTES / 4u)
/* The producer gets room up to a ring's length after this. */
#ifdef KYMO_ARCH_RING_PIECE
#define KYMO_RING_FREED(lane) ((lane)->freed)
#else
#define KYMO_RING_FREED(lane) ((lane)->tail)
#endif

/* A record's low 32 bits of the clock are unambiguous within 2^31 ticks of the one before. Where others may come
 * between its look at the clock and its place in the ring, it may be half of that late. Under a mask events do not look
 * whether a clock of 32 bits has passed the limit: kymo_ring_keep_alive() does, and sends the next one off the fast
 * path. It must come so often that it and the span together stay below half a wrap. */
#if KYMO_ARCH_CLOCK_BITS == 64
#define KYMO_CLOCK_SPAN ((kymo_clock_t)0x7fffffffu)
#elif KYMO_ARCH_ATOMIC
#define KYMO_CLOCK_SPAN ((kymo_clock_t)0x3fffffffu)
#else
#define KYMO_CLOCK_SPAN ((kymo_clock_t)0x00ffffffu)
#endif

/* The clock in steps that count 32 bits for days, and how many of them may pass between two calls of
 * kymo_ring_keep_alive(): half a wrap, less the number above and two for the rounding. */
#define KYMO_ALIVE_SHIFT 16
#if KYMO_ARCH_ATOMIC
#define KYMO_ALIVE_STEPS 0x8000
#else
#define KYMO_ALIVE_STEPS (0x7f00 - 2)
#endif
/* So late a call of kymo_drain() with nothing to do may leave it: within the 1 % that its caller does not know of. */
#define KYMO_ALIVE_LATE_TICKS 0x400000u

/* Contexts are 8-aligned: the bits below are not kept. */
#define KYMO_CONTEXT_BITS ((kymo_context)7u)
/* Set in the result of kymo_interrupt_enter(): the return has its room. */
#define KYMO_RETURN_PROMISED ((kymo_context)1u)

#if KYMO_LANES > 1
#define KYMO_OWN_LINE __attribute__((aligned(64)))
#else
#define KYMO_OWN_LINE
#endif

struct kymo_lane {
    /* Producer. The members that a zone uses are neighbours: some cores load and store neighbours at once. */
    kymo_clock_t limit; /* a clock record is due before an event that is later. Any core */
#if KYMO_KEEP_NEWEST && KYMO_ARCH_CLOCK_BITS == 32
    uint32_t alive_at; /* when kept alive last, in steps of KYMO_ALIVE_SHIFT; 0: never. Any core */
#endif
#if !KYMO_ARCH_ATOMIC
    uint32_t *write; /* next word to write */
#if !KYMO_KEEP_NEWEST
    uintptr_t reserved; /* from "write" to here words are promised */
#endif
    uintptr_t
        run_end; /* the run of free words, or the block, ends here; 0: events leave the fast path. Any core */
#endif
#if KYMO_KEEP_NEWEST && KYMO_ARCH_ATOMIC
    uint64_t state;  /* see ring_newest_atomic.c */
    uint32_t number; /* of the latest claimed block */
    uint32_t
        pin; /* one more than the block in which the outermost recording context began; 0: none */
#elif KYMO_KEEP_NEWEST
    uint32_t emitted;        /* events of this run, low 32 bits */
    uint32_t emitted_halves; /* how often "emitted" has passed 2^31, up to the block's begin */
    uint32_t number;         /* of the block; counts on over resets */
    uint32_t earlier; /* events of the runs before, low 32 bits; goes into each block's head */
#elif KYMO_ARCH_ATOMIC
    kymo_room_t room;   /* cells neither used nor promised, and cells promised: see ring_atomic.c */
    uint32_t *ring;     /* its own, from the first event on */
    uint32_t head;      /* next word to reserve, counts on */
    uint32_t tail_seen; /* up to here the consumer's work is already in "room" */
#else
    uintptr_t room_end; /* the value of run_end while that is not 0 */
#endif
    kymo_context context;
#if KYMO_KEEP_NEWEST
    const char *name;
#endif
    uint32_t lost; /* refused events that no loss record reports yet */
#if !KYMO_KEEP_NEWEST
    uint32_t lost_since; /* low 32 bits of the clock */
#if KYMO_ARCH_ATOMIC
    /* Words: for smaller types some compilers call a function. */
    uint32_t lost_ends; /* among the lost ones, ends of zones that began on another lane */
    uint32_t
        refused_entries; /* interrupts being served whose entry was refused: KYMO_REFUSED_DEPTH */
#else
    uint16_t lost_ends;
    uint8_t refused_entries;
#endif
    bool restate; /* a switch was refused */
#endif
#if KYMO_ARCH_ATOMIC && KYMO_ARCH_CLOCK_BITS == 32
    bool attention; /* an event must leave the fast path */
#endif
#if KYMO_KEEP_NEWEST
    bool awake; /* "number" is known */
#endif
    uint8_t
        core; /* number of this lane, once it was used: for callers that check whether it is theirs */

    /* Consumer, in a cache line of its own where it may be another core. */
    KYMO_OWN_LINE bool waiting; /* there are records, since "waiting_since" */
#if KYMO_KEEP_NEWEST
    bool reported;         /* the host knows everything before the block */
    bool opened;           /* nothing of the block was read yet */
    uint32_t tail_number;  /* of the block that is read */
    const uint32_t *tail;  /* next word to read; NULL: the block is still to be opened */
    uint64_t block_events; /* from its head */
    uint32_t skip;         /* words of it that were sent before a reset */
    uint32_t gap;          /* ticks from the last event read to it */
    uint32_t block_context;
#else
    bool closed; /* nothing more is freed: a record was passed over that a context may still fill */
#if KYMO_ARCH_CLOCK_BITS == 32
    uint32_t alive_at; /* when kept alive last, in steps of KYMO_ALIVE_SHIFT; 0: never. Any core */
#endif
#if KYMO_ARCH_ATOMIC
    uint32_t tail;     /* next word to read, counts on */
#ifdef KYMO_ARCH_RING_PIECE
    uint32_t freed;    /* the pieces up to here were given back */
#endif
    uint32_t left;     /* not 0: all up to here, less one, was written by a thread that is over */
    uint32_t orphans;  /* ends to come of zones of threads that are over. Any thread */
#else
    uint32_t *tail;         /* next word to read */
    uint32_t *tail_refused; /* producer: the value of "tail" that left too little room */
#endif
#endif
    uint32_t context_out;   /* the context in which the next record was made; see events.c */
    uint64_t time;          /* of the last record read */
    uint64_t events;        /* events read, and losses reported by those */
    uint32_t waiting_since; /* ticks, low 32 bits */
#if KYMO_KEEP_NEWEST
    uint32_t passed; /* events before the run that is read, read or lost; low 32 bits */
#endif
#if !KYMO_KEEP_NEWEST
    const char *name;
#endif
};

/* In refused_entries: the entries, and above them the events that were refused since. */
#define KYMO_REFUSED_EVENT 0x100u
#define KYMO_REFUSED_DEPTH (KYMO_REFUSED_EVENT - 1u)

_Static_assert(sizeof(struct kymo_lane) <= 128, "a lane costs at most 128 bytes beside its ring");
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
#if KYMO_RETURNS
/* Promises of a lane whose zones ended on another: cells[lane][other], which the other's core writes; in the last cell
 * the consumer adds those of ended contexts; and how many of them all the lane's own core has seen. */
struct kymo_returns {
    uint32_t cells[KYMO_LANES][KYMO_LANES_ALL + 1];
    uint32_t collected[KYMO_LANES];
};
extern struct kymo_returns kymo_returns;
#endif
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
