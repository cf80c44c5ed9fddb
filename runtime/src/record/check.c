/* SPDX-License-Identifier: MIT */
/* KYMO_CHECK: one table has the zones that are open on all lanes, and each lane a stack of the interrupts that were
 * entered. A zone's handle is then no lane but a number, which names its place in the table and counts the zones of
 * this place, so that a second end is recognized.
 *
 * Two zones are in one row, and must nest, where hostlink shows them in one: a task's on all lanes, those of
 * anything else on the lane where they began. */
#include "../ring/check.h"

#include "../ring/claim.h"
#include "../ring/ring.h"

#if KYMO_ENABLE && KYMO_CHECK

_Static_assert(KYMO_LANES == 1 || __GCC_ATOMIC_INT_LOCK_FREE == 2,
               "KYMO_CHECK with more than one lane needs atomic words, which this core lacks");

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

struct kymo_lane *kymo_lane_of_zone(kymo_zone handle) {
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
    kymo_context context;
    (void)kymo_lane_and_context(&context);
    return context;
}

static bool claim(struct kymo_check_zone *zone, uint32_t from) {
    return kymo_claim(&zone->state, from, KYMO_CHECK_TAKEN);
}

/* Takes the places in turn, the next one first: a free place keeps its contents for long. NULL: no place is left. */
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

/* The place that a handle names, and whether the zone there is the handle's, which a place that is not FREE or TAKEN
 * says for as long as it stays so. */
static struct kymo_check_zone *place_of(kymo_zone handle) {
    return &kymo_check.zones[((uintptr_t)handle & PLACE_MASK) - 1u];
}

static bool is_zone_of(const struct kymo_check_zone *zone, kymo_zone handle) {
    return zone->serial == ((uint32_t)(uintptr_t)handle >> SERIAL_SHIFT & SERIAL_MASK);
}

static bool is_followed(kymo_zone handle) { return ((uintptr_t)handle & PLACE_MASK) != 0u; }

/* A free place keeps its old content; one that is being filled no longer shows whose it was. */
static void report_ended(const struct kymo_check_zone *zone, kymo_zone handle) {
    const bool is_known = KYMO_ACQUIRE(zone->state) == KYMO_CHECK_FREE && is_zone_of(zone, handle);
    kymo_check_report(KYMO_USAGE_UNPROMISED, is_known ? zone->site : NULL);
}

/* Takes the zone's place, so that of two ends one finds it. What it was, OPEN or PASSED; FREE: not open, and that was
 * said. */
static uint32_t take_open(struct kymo_check_zone *zone, kymo_zone handle) {
    const uint32_t state = KYMO_ACQUIRE(zone->state);
    if (state >= KYMO_CHECK_OPEN && claim(zone, state)) {
        if (is_zone_of(zone, handle)) {
            return state;
        }
        KYMO_PUBLISH(zone->state, state);
    }
    report_ended(zone, handle);
    return KYMO_CHECK_FREE;
}

/* The innermost zone of the row that is open inside this one, or NULL. */
static struct kymo_check_zone *inside(const struct kymo_check_zone *zone) {
    struct kymo_check_zone *inner = innermost(zone->lane, zone->context);
    return inner != NULL && KYMO_LOAD(inner->depth) > zone->depth ? inner : NULL;
}

/* False: it is not open. */
static bool look_at_end(struct kymo_check_zone *zone, kymo_zone handle) {
    const uint32_t state = take_open(zone, handle);
    if (state == KYMO_CHECK_FREE) {
        return false;
    }
    struct kymo_check_zone *inner = state == KYMO_CHECK_OPEN ? inside(zone) : NULL;
    if (inner != NULL || running() != zone->context) {
        kymo_check_report(KYMO_USAGE_CROSSED, zone->site);
    }
    for (; inner != NULL; inner = inside(zone)) {
        KYMO_STORE(inner->state, KYMO_CHECK_PASSED);
    }
    KYMO_PUBLISH(zone->state, KYMO_CHECK_FREE);
    return true;
}

/* ---- interrupts ---- */

/* No entry returns it: bit 1 is never set. */
#define NOT_ENTERED ((kymo_context)2u)

/* NULL where no lane of its own runs. */
static struct kymo_check_entered *entered_here(void) {
    const struct kymo_lane *lane = kymo_lane_here();
    return kymo_lane_is_shared(lane) ? NULL : &kymo_check.entered[kymo_lane_index(lane)];
}

/* The place is taken first: an interrupt in between takes the next one, and gives it back. */
kymo_context kymo_check_entered(kymo_context before) {
    struct kymo_check_entered *stack = entered_here();
    if (stack != NULL) {
        const uint32_t place = stack->count;
        KYMO_STORE(stack->count, place + 1u);
        KYMO_STORE(stack->passed, 0u);
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

/* The site of the lane's context; NULL: no site. */
static const struct kymo_site *site_of_running(const struct kymo_lane *lane) {
    const kymo_context context = lane->context;
    return context != 0u && !is_task(context) ? (const struct kymo_site *)context : NULL;
}

/* True: the entry was passed by when one around it was left, and that was said. */
static bool was_passed(struct kymo_check_entered *stack, kymo_context before) {
    for (uint32_t i = stack->count + 1u; i < stack->passed && i < KYMO_CHECK_NESTED; i++) {
        if (stack->of[i].before == before) {
            stack->of[i].before = NOT_ENTERED;
            return true;
        }
    }
    return false;
}

/* The place of the last entry with this result, or else of the last entry. */
static uint32_t place_of_entry(const struct kymo_check_entered *stack, kymo_context before) {
    for (uint32_t i = stack->count; i-- > 0u;) {
        if (i < KYMO_CHECK_NESTED && stack->of[i].before == before) {
            return i;
        }
    }
    return stack->count - 1u;
}

static void look_at_entry(const struct kymo_check_entered *stack, kymo_context before) {
    const uint32_t last = stack->count - 1u;
    const struct kymo_lane *lane = kymo_lane_here();
    if (last >= KYMO_CHECK_NESTED) {
        return;
    }
    if (stack->of[last].before != before || stack->of[last].context != lane->context) {
        kymo_check_report(KYMO_USAGE_INTERRUPT, site_of_running(lane));
    } else if (lane->context != (before & ~KYMO_CONTEXT_BITS)) {
        look_at_zones(lane);
    }
}

/* A wrong order is said once: where the outer interrupt is left first. */
static void look_at_leave(struct kymo_check_entered *stack, kymo_context before) {
    if (was_passed(stack, before)) {
        return;
    }
    if (stack->count == 0u) {
        kymo_check_report(KYMO_USAGE_UNPROMISED, site_of_running(kymo_lane_here()));
        return;
    }
    look_at_entry(stack, before);
    const uint32_t place = place_of_entry(stack, before);
    if (place + 1u < stack->count) {
        KYMO_STORE(stack->passed, stack->count);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    KYMO_STORE(stack->count, place);
}

/* ---- calls of the firmware ---- */

kymo_zone kymo_check_begun(const struct kymo_lane *lane, const struct kymo_site *site) {
    return lane != NULL ? follow(lane, site) : NULL;
}

/* Drops the end of a zone that is not open: the host would take it for the end of the zone around it. */
struct kymo_lane *kymo_check_ended(kymo_zone zone) {
    struct kymo_lane *lane = kymo_lane_of_zone(zone);
    if (lane == NULL && zone != NULL) {
        kymo_check_report(KYMO_USAGE_UNPROMISED, NULL);
    }
    const bool ends = lane == NULL || !is_followed(zone) || look_at_end(place_of(zone), zone);
    return ends ? lane : NULL;
}

/* False for a zone that is not open: its text or value is dropped, too. */
bool kymo_check_attribute(kymo_zone zone) {
    if (kymo_lane_of_zone(zone) == NULL) {
        return false;
    }
    if (!is_followed(zone)) {
        return true;
    }
    const struct kymo_check_zone *open = place_of(zone);
    if (KYMO_ACQUIRE(open->state) < KYMO_CHECK_OPEN || !is_zone_of(open, zone)) {
        report_ended(open, zone);
        return false;
    }
    if (running() != open->context || innermost(open->lane, open->context) != open) {
        kymo_check_report(KYMO_USAGE_CROSSED, open->site);
    }
    return true;
}

void kymo_check_leaves(kymo_context before) {
    struct kymo_check_entered *stack = entered_here();
    if (stack != NULL) {
        look_at_leave(stack, before);
    }
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

#if KYMO_ARCH_ATOMIC
void kymo_check_left(const struct kymo_lane *lane) {
    const uint32_t number = (uint32_t)kymo_lane_index(lane);
    for (uint32_t i = 0u; i < KYMO_CHECK; i++) {
        struct kymo_check_zone *zone = &kymo_check.zones[i];
        if (KYMO_ACQUIRE(zone->state) == KYMO_CHECK_OPEN && KYMO_LOAD(zone->lane) == number &&
            !is_task(KYMO_LOAD(zone->context))) {
            if (claim(zone, KYMO_CHECK_OPEN)) {
                KYMO_PUBLISH(zone->state, KYMO_CHECK_PASSED);
            }
        }
    }
    KYMO_STORE(kymo_check.entered[number].count, 0u);
    KYMO_STORE(kymo_check.entered[number].passed, 0u);
}
#endif

/* ---- reports ---- */

/* With the name of the place, which is a zone's or an interrupt's. */
static void say_at(enum kymo_usage what, const struct kymo_site *site) {
    switch (what) {
    case KYMO_USAGE_UNPROMISED:
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "usage error: '%s' is ended or left, and is not open",
                           site);
        break;
    case KYMO_USAGE_CROSSED:
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "usage error: '%s' does not nest with other zones",
                           site);
        break;
    case KYMO_USAGE_INTERRUPT:
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR,
                           "usage error: interrupts left in the wrong order, in '%s'", site);
        break;
    default:
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "usage error: too many zones are open to follow '%s'",
                           site);
        break;
    }
}

static void say(enum kymo_usage what) {
    switch (what) {
    case KYMO_USAGE_NO_SITE:
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "usage error: a zone begins without a site");
        break;
    case KYMO_USAGE_CONTEXT:
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "usage error: a context is not a multiple of 8");
        break;
    case KYMO_USAGE_INTERRUPT:
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "usage error: interrupts left in the wrong order");
        break;
    default:
        KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR,
                           "usage error: a zone is ended, or an interrupt left, that is not open");
        break;
    }
}

void kymo_check_report(enum kymo_usage what, const struct kymo_site *site) {
    kymo_usage_error(what);
    if (site != NULL) {
        say_at(what, site);
    } else {
        say(what);
    }
    kymo_check_failed(what, site);
}

/* For a breakpoint, or a function of the firmware in its place. */
__attribute__((weak, noinline)) void kymo_check_failed(enum kymo_usage what,
                                                       const struct kymo_site *site) {
    __asm__ volatile("" ::"r"(what), "r"(site));
}

#endif
