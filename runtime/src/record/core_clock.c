/* SPDX-License-Identifier: MIT */
/* The exchange of stamps between two cores (kymo/core_clock.h). Lane 0's counter was read after the question and
 * before the answer: whatever the two cores do, and however long an interrupt keeps them, what lies between is the
 * error. */
#include "kymo/core_clock.h"

#include "../ring/lane.h"
#include "kymo/arch.h"

#if KYMO_ENABLE && KYMO_CORE_CLOCKS

#define CORE_CLOCK_ROUNDS 16u
#define CORE_CLOCK_LOOKS 65536u
/* A correction may go back so far, in ticks, for which the core waits. */
#define CORE_CLOCK_BACK_MOST 65536u

struct kymo_core_clock kymo_core_clocks[KYMO_LANES];

/* The offset is "least" or up to "width" more. */
struct kymo_clock_range {
    uint64_t least, width;
};

static bool ask_lane_0(struct kymo_core_clock *clock, struct kymo_clock_range *range) {
    const uint32_t question = clock->asked + 1u;
    const uint64_t before = kymo_arch_counter64();
    KYMO_ARCH_COUNTER_FENCE();
    KYMO_PUBLISH(clock->asked, question);
    for (uint32_t looks = 0u; looks < CORE_CLOCK_LOOKS; looks++) {
        const bool answered = KYMO_ACQUIRE(clock->answered) == question;
        KYMO_ARCH_COUNTER_FENCE();
        const uint64_t after = kymo_arch_counter64();
        if (answered) { /* each counter shows n until n + 1 */
            range->width = after + 2u - before;
            range->least = clock->ticks - after - 1u;
            return after >= before;
        }
    }
    return false;
}

void kymo_core_clock_answer(void) {
    for (uint32_t lane = 1u; lane < KYMO_LANES; lane++) {
        struct kymo_core_clock *clock = &kymo_core_clocks[lane];
        const uint32_t question = KYMO_ACQUIRE(clock->asked);
        if (question != clock->answered) {
            KYMO_ARCH_COUNTER_FENCE();
            clock->ticks = kymo_arch_clock64();
            KYMO_ARCH_COUNTER_FENCE();
            KYMO_PUBLISH(clock->answered, question);
        }
    }
}

static uint32_t core_clock_capped(uint64_t ticks) {
    return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

static void note_error(struct kymo_core_clock *clock, uint64_t ticks) {
    const uint32_t error = core_clock_capped(ticks);
    clock->most = error > clock->most ? error : clock->most;
}

/* Time does not go back: no event is recorded here until it is as late as it was. */
static void move_clock(struct kymo_core_clock *clock, uint64_t offset) {
    const kymo_arch_state state = kymo_arch_mask();
    const uint64_t was = kymo_arch_counter64() + clock->offset;
    if (clock->times != 0u && (int64_t)(offset - clock->offset) < 0) {
        for (uint32_t looks = 0u; looks < 2u * CORE_CLOCK_BACK_MOST; looks++) {
            if ((int64_t)(kymo_arch_counter64() + offset - was) >= 0) {
                break;
            }
        }
    }
    clock->offset = offset;
    kymo_arch_unmask(state);
}

/* An offset within the range stays; one below it goes to its middle, one above it back to its end. */
static bool take_range(struct kymo_core_clock *clock, const struct kymo_clock_range *range) {
    const uint64_t middle = range->least + range->width / 2u;
    const uint64_t most = range->least + range->width;
    const int64_t above = (int64_t)(clock->offset - range->least);
    if (clock->times !=
        0u) { /* the end of the range that is farther from it: so wrong it may have become */
        const int64_t below = (int64_t)(most - clock->offset);
        note_error(clock, (uint64_t)(below > above ? below : above));
    }
    if (clock->times != 0u && above > (int64_t)(range->width + CORE_CLOCK_BACK_MOST)) {
        clock->error = core_clock_capped((uint64_t)above);
        return false;
    }
    if (clock->times == 0u || above < 0) {
        move_clock(clock, middle);
        clock->error = core_clock_capped(range->width / 2u + 1u);
        note_error(clock, clock->error);
    } else if ((uint64_t)above > range->width) {
        move_clock(clock, most);
        clock->error = core_clock_capped(range->width);
    } else {
        const uint64_t below = range->width - (uint64_t)above;
        clock->error = core_clock_capped(below > (uint64_t)above ? below : (uint64_t)above);
    }
    KYMO_PUBLISH(clock->times, clock->times + 1u);
    return true;
}

bool kymo_core_clock_set(void) {
    const uintptr_t lane = kymo_arch_lane();
    struct kymo_clock_range best = {0u, UINT64_MAX};
    if (lane == 0u || lane >= (uintptr_t)KYMO_LANES) {
        return false;
    }
    for (uint32_t round = 0u; round < CORE_CLOCK_ROUNDS; round++) {
        struct kymo_clock_range range;
        if (!ask_lane_0(&kymo_core_clocks[lane], &range)) {
            continue;
        }
        best = range.width < best.width ? range : best;
    }
    return best.width < INT64_MAX && take_range(&kymo_core_clocks[lane], &best);
}

#endif
