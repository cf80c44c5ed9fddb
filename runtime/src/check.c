/* KYMO_CHECK: one table has the zones that are open on all lanes, and each lane a stack of the interrupts that were
 * entered. A zone's handle is then no lane but a number, which names its place in the table and which of the zones
 * that had this place it is, so that an end is known to be the second one.
 *
 * Two zones are in one row, and must nest, where hostlink shows them in one: a task's on all lanes, those of
 * anything else on the lane where they began. */
#include "check.h"

#include "ring.h"

#if KYMO_ENABLE && KYMO_CHECK

#if KYMO_LANES > 1 && __GCC_ATOMIC_INT_LOCK_FREE != 2
#error "KYMO_CHECK with more than one lane needs atomic words, which this core lacks"
#endif

/* ---- handles: 1, serial number, lane, place in the table counted from 1; place 0 is that of a zone not in it ---- */

#define HANDLE_BIT 0x80000000u
#define SERIAL_SHIFT 15
#define SERIAL_MASK 0xffffu
#define LANE_SHIFT 8
#define LANE_MASK 0x7fu
#define PLACE_MASK 0xffu

static kymo_zone handle_of(const struct kymo_lane *lane, uint32_t serial, uint32_t place) {
    return (kymo_zone)(uintptr_t)(HANDLE_BIT | (serial & SERIAL_MASK) << SERIAL_SHIFT |
                                  (uint32_t)kymo_lane_index(lane) << LANE_SHIFT | place);
}

/* NULL for what no begin has returned. */
static struct kymo_lane *lane_of(kymo_zone handle) {
    const uintptr_t number = (uintptr_t)handle;
    const uint32_t lane = (uint32_t)number >> LANE_SHIFT & LANE_MASK;
    const bool is_handle = (uint32_t)number == number && (number & HANDLE_BIT) != 0u &&
                           lane < KYMO_LANES && (number & PLACE_MASK) <= KYMO_CHECK;
    return is_handle ? &kymo_lanes[lane] : NULL;
}

/* ---- the table ---- */

struct kymo_check kymo_check;

/* The context that this code runs in. */
static kymo_context running(void) {
#if KYMO_ARCH_ATOMIC
    return kymo_lane_here()->context;
#else
    kymo_arch_state state = kymo_arch_mask();
    const kymo_context context = kymo_lane_here()->context;
    kymo_arch_unmask(state);
    return context;
#endif
}

static bool claim(struct kymo_check_zone *zone, uint32_t from) {
#if __GCC_ATOMIC_INT_LOCK_FREE == 2
    return __atomic_compare_exchange_n(&zone->state, &from, KYMO_CHECK_TAKEN, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
#else
    kymo_arch_state state = kymo_arch_mask();
    const bool is_free = KYMO_LOAD(zone->state) == from;
    if (is_free) {
        KYMO_STORE(zone->state, KYMO_CHECK_TAKEN);
    }
    kymo_arch_unmask(state);
    return is_free;
#endif
}

/* Each place once, the one behind the last first: what is free keeps its contents for long. NULL: there is none. */
static struct kymo_check_zone *claim_any(uint32_t from) {
    uint32_t place = KYMO_LOAD(kymo_check.next);
    for (uint32_t i = 0u; i < KYMO_CHECK; i++) {
        struct kymo_check_zone *zone = &kymo_check.zones[place];
        place = place + 1u < KYMO_CHECK ? place + 1u : 0u;
        if (KYMO_LOAD(zone->state) == from && claim(zone, from)) {
            KYMO_STORE(kymo_check.next, place);
            return zone;
        }
    }
    return NULL;
}

static bool is_task(kymo_context context) {
    return context != 0u &&
           (context < (uintptr_t)__start_kymo_sites || context >= (uintptr_t)__stop_kymo_sites);
}

/* The innermost open zone of a row, or NULL. */
static struct kymo_check_zone *innermost(uint32_t lane, kymo_context context) {
    struct kymo_check_zone *found = NULL;
    const bool any_lane = is_task(context);
    for (uint32_t i = 0u; i < KYMO_CHECK; i++) {
        struct kymo_check_zone *zone = &kymo_check.zones[i];
        if (KYMO_ACQUIRE(zone->state) == KYMO_CHECK_OPEN && KYMO_LOAD(zone->context) == context &&
            (any_lane || KYMO_LOAD(zone->lane) == lane) &&
            (found == NULL || KYMO_LOAD(zone->depth) > KYMO_LOAD(found->depth))) {
            found = zone;
        }
    }
    return found;
}

static kymo_zone follow(const struct kymo_lane *lane, const struct kymo_site *site) {
    const uint32_t number = (uint32_t)kymo_lane_index(lane);
    const kymo_context context = running();
    const struct kymo_check_zone *around = innermost(number, context);
    struct kymo_check_zone *zone = claim_any(KYMO_CHECK_FREE);
    zone = zone != NULL ? zone : claim_any(KYMO_CHECK_PASSED);
    if (zone == NULL) {
        kymo_check_report(KYMO_USAGE_OPEN, site);
        return handle_of(lane, 0u, 0u);
    }
    KYMO_STORE(zone->context, context);
    KYMO_STORE(zone->lane, (uint8_t)number);
    KYMO_STORE(zone->depth, (uint8_t)(around == NULL ? 1u : around->depth + 1u));
    zone->serial++;
    zone->site = site;
    KYMO_PUBLISH(zone->state, KYMO_CHECK_OPEN);
    return handle_of(lane, zone->serial, (uint32_t)(zone - kymo_check.zones) + 1u);
}

/* The zone of a handle that is in the table and was not ended, or NULL; then that was said. */
static struct kymo_check_zone *find(kymo_zone handle) {
    const uint32_t number = (uint32_t)(uintptr_t)handle;
    struct kymo_check_zone *zone = &kymo_check.zones[(number & PLACE_MASK) - 1u];
    const bool is_same = zone->serial == (number >> SERIAL_SHIFT & SERIAL_MASK);
    if (is_same && KYMO_ACQUIRE(zone->state) != KYMO_CHECK_FREE) {
        return zone;
    }
    kymo_check_report(KYMO_USAGE_UNPROMISED, is_same ? zone->site : NULL);
    return NULL;
}

static bool is_followed(kymo_zone handle) { return ((uintptr_t)handle & PLACE_MASK) != 0u; }

static void look_at_end(struct kymo_check_zone *zone) {
    struct kymo_check_zone *inner = innermost(zone->lane, zone->context);
    const bool is_crossed = KYMO_LOAD(zone->state) == KYMO_CHECK_OPEN && inner != zone;
    if (is_crossed || running() != zone->context) {
        kymo_check_report(KYMO_USAGE_CROSSED, zone->site);
    }
    for (; is_crossed && inner != zone && inner != NULL;
         inner = innermost(zone->lane, zone->context)) {
        KYMO_STORE(inner->state, KYMO_CHECK_PASSED);
    }
    KYMO_PUBLISH(zone->state, KYMO_CHECK_FREE);
}

/* ---- interrupts ---- */

/* NULL where no lane of its own runs. */
static struct kymo_check_entered *entered_here(void) {
    const struct kymo_lane *lane = kymo_lane_here();
#ifdef KYMO_ARCH_SPARE_LANE
    if (lane == &kymo_lanes[KYMO_ARCH_SPARE_LANE]) {
        return NULL;
    }
#endif
    return kymo_lane_is_unknown(lane) ? NULL : &kymo_check.entered[kymo_lane_index(lane)];
}

/* The place is taken first: an interrupt in between takes the next one, and gives it back. */
kymo_context kymo_check_entered(kymo_context before) {
    struct kymo_check_entered *stack = entered_here();
    if (stack != NULL) {
        const uint32_t place = stack->count;
        KYMO_STORE(stack->count, place + 1u);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (place < KYMO_CHECK_NESTED) {
            stack->of[place].before = before;
            stack->of[place].context = kymo_lane_here()->context;
        }
    }
    return before;
}

/* A zone that the handler leaves open has no end any more. */
static void look_at_zones(const struct kymo_lane *lane) {
    const uint32_t number = (uint32_t)kymo_lane_index(lane);
    struct kymo_check_zone *open = innermost(number, lane->context);
    for (; open != NULL; open = innermost(number, lane->context)) {
        kymo_check_report(KYMO_USAGE_CROSSED, open->site);
        KYMO_STORE(open->state, KYMO_CHECK_PASSED);
    }
}

/* The entry that is left is the last one with this result; without such a one, the last one. */
static void look_at_leave(struct kymo_check_entered *stack, kymo_context before) {
    const struct kymo_lane *lane = kymo_lane_here();
    uint32_t left = stack->count;
    if (left == 0u) {
        kymo_check_report(KYMO_USAGE_UNPROMISED, NULL);
        return;
    }
    left--;
    if (left < KYMO_CHECK_NESTED) {
        if (stack->of[left].before != before || stack->of[left].context != lane->context) {
            kymo_check_report(KYMO_USAGE_INTERRUPT, NULL);
        } else if (lane->context != (before & ~KYMO_CONTEXT_BITS)) {
            look_at_zones(lane);
        }
        for (uint32_t i = left + 1u; i-- > 0u;) {
            if (stack->of[i].before == before) {
                left = i;
                break;
            }
        }
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    KYMO_STORE(stack->count, left);
}

/* ---- what the firmware calls ---- */

kymo_zone kymo_zone_begin(const struct kymo_site *site) {
    const struct kymo_lane *lane = kymo_ring_begin(site);
    if (site == NULL) {
        kymo_check_report(KYMO_USAGE_NO_SITE, NULL);
    }
    return lane != NULL ? follow(lane, site) : NULL;
}

/* What is wrong is recorded as it is without KYMO_CHECK. */
void kymo_zone_end(kymo_zone zone) {
    struct kymo_lane *lane = zone != NULL ? lane_of(zone) : NULL;
    if (lane != NULL && is_followed(zone)) {
        struct kymo_check_zone *open = find(zone);
        if (open != NULL) {
            look_at_end(open);
        }
    } else if (lane == NULL && zone != NULL) {
        kymo_check_report(KYMO_USAGE_UNPROMISED, NULL);
    }
    kymo_ring_end(lane);
}

bool kymo_check_attribute(kymo_zone zone) {
    if (zone == NULL || lane_of(zone) == NULL || !is_followed(zone)) {
        return zone != NULL;
    }
    const struct kymo_check_zone *open = find(zone);
    if (open != NULL &&
        (running() != open->context || innermost(open->lane, open->context) != open)) {
        kymo_check_report(KYMO_USAGE_CROSSED, open->site);
    }
    return true;
}

void kymo_interrupt_leave(kymo_context before) {
    struct kymo_check_entered *stack = entered_here();
    if (stack != NULL) {
        look_at_leave(stack, before);
    }
    kymo_ring_leave(before);
}

void kymo_check_over(kymo_context context) {
    for (uint32_t i = 0u; i < KYMO_CHECK; i++) {
        struct kymo_check_zone *zone = &kymo_check.zones[i];
        const uint32_t state = KYMO_ACQUIRE(zone->state);
        if (context != 0u && (state == KYMO_CHECK_OPEN || state == KYMO_CHECK_PASSED) &&
            KYMO_LOAD(zone->context) == context) {
            KYMO_PUBLISH(zone->state, KYMO_CHECK_FREE);
        }
    }
}

/* For a breakpoint. */
__attribute__((noinline)) void kymo_check_failed(enum kymo_usage what,
                                                 const struct kymo_site *site) {
#ifdef KYMO_CHECK_FAILED
    KYMO_CHECK_FAILED(what, site);
#else
    __asm__ volatile("" ::"r"(what), "r"(site));
#endif
}

#endif
