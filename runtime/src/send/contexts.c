/* SPDX-License-Identifier: MIT */
/* The open zones of contexts. */
#include "contexts.h"

#include "../ring/ring.h"
#include "link.h"

#if KYMO_ENABLE && KYMO_CONTEXTS && !KYMO_KEEP_NEWEST

/* A free place remembers the end of a context, for its zones that other lanes still hold. */
#define ANY_LANE 255u
#define NOT_OVER UINT64_MAX

struct kymo_contexts kymo_contexts;

static void charge_look(void) { kymo_link.out.work -= KYMO_CONTEXTS_LOOK; }

static void set(struct kymo_open_zones *zones, uint32_t context, uint32_t lane) {
    zones->context = context;
    zones->open = 0;
    zones->lane = (uint8_t)lane;
    zones->unsure = false;
#if KYMO_LANES > 1
    zones->behind = 0u;
    zones->latest = 0u;
#endif
}

#if KYMO_LANES > 1

/* The least time after "time" at which the context was over, of the ends that are remembered. */
static uint64_t end_behind(uint32_t context, uint64_t time) {
    uint64_t found = NOT_OVER;
    charge_look();
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        const struct kymo_open_zones *end = &kymo_contexts.of[i];
        if (end->lane == ANY_LANE && end->context == context && end->over_at > time &&
            end->over_at < found) {
            found = end->over_at;
        }
    }
    return found;
}

/* The lanes may have more of it. */
static void set_over(struct kymo_open_zones *zones, uint64_t time) {
    zones->behind = time != NOT_OVER ? UINT64_MAX >> (64 - KYMO_LANES) : 0u;
    zones->over_at = time;
    kymo_contexts.over += zones->behind != 0u ? 1u : 0u;
}

/* When it was over, of tasks of one number one after the other. */
static uint64_t end_of(const struct kymo_open_zones *zones) {
    return zones->behind != 0u ? zones->over_at : NOT_OVER;
}

#else

static uint64_t end_behind(uint32_t context, uint64_t time) {
    (void)context;
    (void)time;
    return NOT_OVER;
}

static void set_over(struct kymo_open_zones *zones, uint64_t time) {
    (void)zones;
    (void)time;
}

static uint64_t end_of(const struct kymo_open_zones *zones) {
    (void)zones;
    return NOT_OVER;
}

#endif

/* The context as it was at this time. */
static struct kymo_open_zones *known(uint32_t lane, uint32_t context, uint64_t time) {
    struct kymo_open_zones *found = NULL;
    charge_look();
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        struct kymo_open_zones *zones = &kymo_contexts.of[i];
        if (zones->context == context && zones->lane == lane && end_of(zones) >= time &&
            (found == NULL || end_of(zones) < end_of(found))) {
            found = zones;
        }
    }
    return found;
}

static bool is_free(const struct kymo_open_zones *zones) {
#if KYMO_LANES > 1
    if (zones->behind != 0u) {
        return false;
    }
#endif
    return zones->open == 0;
}

/* The free place that remembers the oldest end, if any. KYMO_CONTEXTS: none is free. */
static uint32_t free_place(void) {
    uint32_t place = kymo_contexts.remembered;
    charge_look();
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        place = place != 0u ? place - 1u : KYMO_CONTEXTS - 1u;
        if (is_free(&kymo_contexts.of[place])) {
            return place;
        }
    }
    return KYMO_CONTEXTS;
}

static struct kymo_open_zones *new_zones(uint32_t lane, uint32_t context, uint64_t time) {
    const uint64_t over_at = end_behind(context, time);
    const uint32_t place = free_place();
    if (place == KYMO_CONTEXTS) {
        kymo_contexts.overflow = true;
        return NULL;
    }
    set(&kymo_contexts.of[place], context, lane);
    set_over(&kymo_contexts.of[place], over_at);
    return &kymo_contexts.of[place];
}

static struct kymo_open_zones *known_or_new(uint32_t lane, uint32_t context, uint64_t time) {
    struct kymo_open_zones *zones = known(lane, context, time);
    return zones != NULL ? zones : new_zones(lane, context, time);
}

static void note_time(struct kymo_open_zones *zones, uint64_t time) {
#if KYMO_LANES > 1
    if (zones->behind == 0u && (zones->open == 0 || zones->over_at > time)) {
        zones->over_at = time;
    }
    zones->latest = zones->latest > time ? zones->latest : time;
#else
    (void)zones;
    (void)time;
#endif
}

static void count(struct kymo_open_zones *zones, int32_t change, uint64_t time) {
    const int32_t open = zones != NULL ? zones->open + change : 0;
    if (open >= INT16_MIN && open <= INT16_MAX && zones != NULL) {
        note_time(zones, time);
        zones->open = (int16_t)open;
    }
}

static void give_zones_back(struct kymo_open_zones *zones) {
    const bool open = zones->open > 0;
    if (open && !zones->unsure) {
        kymo_ring_give_back(&kymo_lanes[zones->lane], (uint32_t)zones->open);
    }
    if (open && zones->unsure) {
        kymo_usage_error(KYMO_USAGE_CONTEXTS);
    }
    set(zones, 0u, 0u);
}

#if KYMO_LANES > 1

/* Other lanes may still hold earlier events of it. */
static void is_over(struct kymo_open_zones *zones, uint64_t time) {
    if (zones->behind != 0u || (zones->open != 0 && zones->over_at > time)) {
        return; /* the next task of this number is read already */
    }
    if (zones->latest > time) {
        zones->unsure = zones->unsure || zones->open != 0; /* of both */
    } else {
        set_over(zones, time);
    }
}

static void remember_end(uint32_t context, uint64_t time) {
    const uint32_t place = free_place();
    if (place != KYMO_CONTEXTS) {
        set(&kymo_contexts.of[place], context, ANY_LANE);
        kymo_contexts.of[place].over_at = time;
        kymo_contexts.remembered = place;
    }
}

/* By shifts of 32 bits: for one of 64 by a variable some compilers call a helper of their library. */
static uint64_t bit_of(uint32_t lane) {
    const uint32_t bit = 1u << lane % 32u;
    return lane < 32u ? bit : (uint64_t)bit << 32;
}

static void give_back_until(uint32_t lane, uint64_t time) {
    const uint64_t of_lane = bit_of(lane);
    if (kymo_contexts.over == 0u) {
        return;
    }
    charge_look();
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        struct kymo_open_zones *zones = &kymo_contexts.of[i];
        const uint64_t bit = zones->over_at < time ? of_lane : 0u;
        if ((zones->behind & bit) != 0u && (zones->behind &= ~bit) == 0u) {
            kymo_contexts.over--;
            give_zones_back(zones);
        }
    }
}

#else

static void is_over(struct kymo_open_zones *zones, uint64_t time) {
    (void)time;
    give_zones_back(zones);
}

static void remember_end(uint32_t context, uint64_t time) {
    (void)context;
    (void)time;
}

static void give_back_until(uint32_t lane, uint64_t time) {
    (void)lane;
    (void)time;
}

#endif

static void context_ends(uint32_t context, uint64_t time) {
    bool found = context == 0u;
    charge_look();
    for (uint32_t i = 0u; i < KYMO_CONTEXTS && context != 0u; i++) {
        struct kymo_open_zones *zones = &kymo_contexts.of[i];
        if (zones->context == context && zones->lane != ANY_LANE) {
            found = true;
            is_over(zones, time);
        }
    }
    if (context != 0u) {
        remember_end(context, time);
    }
    if (!found && kymo_contexts.overflow) {
        kymo_usage_error(KYMO_USAGE_CONTEXTS);
    }
}

void kymo_contexts_lost_ends(void) {
    charge_look();
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        struct kymo_open_zones *zones = &kymo_contexts.of[i];
        zones->unsure = zones->unsure || zones->open != 0;
    }
}

static bool is_end(uint32_t kind) {
    return kind == KYMO_KIND_ZONE_END || kind == KYMO_KIND_ZONE_END_ON ||
           (KYMO_FUNCTIONS != 0 &&
            (kind == KYMO_KIND_FUNCTION_END || kind == KYMO_KIND_FUNCTION_LEFT));
}

/* The context is stated again where a switch was refused: zones that ended since the last event that needed room ended
 * in the context that the lane had left, and the contexts between are unknown. */
static void look_for_lost_switch(uint32_t index, uint32_t kind) {
    bool *ends = &kymo_contexts.ends[index];
    if (is_end(kind)) {
        *ends = true;
    } else if (kind != KYMO_KIND_LOSS &&
               kind != KYMO_KIND_CONTEXT) { /* it may be a return, whose room is promised, too */
        if (kind == KYMO_KIND_CONTEXT_NOW && *ends) {
            kymo_contexts_lost_ends();
        }
        *ends = false;
    }
}

int32_t kymo_contexts_most_work(const struct kymo_lane *lane, uint32_t kind) {
    int32_t looks = kymo_contexts.over != 0u ? 1 : 0;
    if (kind == KYMO_KIND_CONTEXT_END) {
        looks += 2;
    } else if (kind == KYMO_KIND_LOSS || kind == KYMO_KIND_CONTEXT_NOW) {
        looks++;
    } else if (lane->context_out != 0u) {
        looks += kind == KYMO_KIND_ZONE_END ? 1 : 3;
    }
    return KYMO_CONTEXTS_MORE_WORK + looks * KYMO_CONTEXTS_LOOK;
}

/* Main contexts are never over: their zones are not counted. */
void kymo_contexts_account(const struct kymo_lane *lane, uint32_t kind, uint32_t context,
                           uint64_t time, uint32_t owner) {
    const uint32_t index = (uint32_t)kymo_lane_index(lane);
    const uint32_t here = lane->context_out;
    look_for_lost_switch(index, kind);
    /* A restated context follows a loss. Until it may have come, ended zones may belong to another context than it
     * seems. */
    if (kind != KYMO_KIND_LOSS && !kymo_contexts.ends[index]) {
        give_back_until(index, time);
    }
    if (kind == KYMO_KIND_CONTEXT_END) {
        context_ends(context, time);
    } else if (here == 0u) {
        return;
    } else if (kind == KYMO_KIND_ZONE_BEGIN) {
        count(known_or_new(index, here, time), 1, time);
    } else if (kind == KYMO_KIND_ZONE_END) {
        count(known(index, here, time), -1, time);
    } else if (kind == KYMO_KIND_ZONE_END_ON) {
        count(known_or_new(owner, here, time), -1, time);
    }
}

/* A switch that was refused and is not stated yet leaves the ends before it in doubt. */
void kymo_contexts_read_all(const struct kymo_lane *lane) {
    const uint32_t index = (uint32_t)kymo_lane_index(lane);
    if (KYMO_LOAD(lane->lost_ends) != 0u ||
        (KYMO_LOAD(lane->restate) && kymo_contexts.ends[index])) {
        kymo_contexts_lost_ends();
    }
    give_back_until(index, UINT64_MAX);
}

#endif
