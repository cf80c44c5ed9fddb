/* The open zones of contexts. */
#include "contexts.h"

#include "link.h"
#include "ring.h"

#if KYMO_ENABLE && KYMO_CONTEXTS && !KYMO_KEEP_NEWEST

/* A free place remembers the end of a context, for what other lanes still hold of it. */
#define ANY_LANE 255u
#define NOT_OVER UINT64_MAX

struct kymo_contexts kymo_contexts;

static struct kymo_open_zones *known(uint32_t lane, uint32_t context) {
    struct kymo_open_zones *zones = &kymo_contexts.of[kymo_contexts.latest];
    if (zones->context == context && zones->lane == lane) {
        return zones;
    }
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        zones = &kymo_contexts.of[i];
        if (zones->context == context && zones->lane == lane) {
            kymo_contexts.latest = i;
            return zones;
        }
    }
    return NULL;
}

static void set(struct kymo_open_zones *zones, uint32_t context, uint32_t lane) {
    zones->context = context;
    zones->open = 0;
    zones->lane = (uint8_t)lane;
    zones->unsure = false;
#if KYMO_LANES > 1
    zones->over = false;
#endif
}

#if KYMO_LANES > 1

/* The least time after "time" at which the context was over, of the ends that are remembered. */
static uint64_t end_behind(uint32_t context, uint64_t time) {
    uint64_t found = NOT_OVER;
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        const struct kymo_open_zones *end = &kymo_contexts.of[i];
        if (end->lane == ANY_LANE && end->context == context && end->over_at > time &&
            end->over_at < found) {
            found = end->over_at;
        }
    }
    return found;
}

static void set_over(struct kymo_open_zones *zones, uint64_t time) {
    zones->over = time != NOT_OVER;
    zones->over_at = time;
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

#endif

static bool is_free(const struct kymo_open_zones *zones) {
#if KYMO_LANES > 1
    if (zones->over) {
        return false;
    }
#endif
    return zones->open == 0;
}

/* The free place that remembers the oldest end, if any. KYMO_CONTEXTS: none is free. */
static uint32_t free_place(void) {
    uint32_t place = kymo_contexts.remembered;
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
    kymo_contexts.latest = place;
    set(&kymo_contexts.of[place], context, lane);
    set_over(&kymo_contexts.of[place], over_at);
    return &kymo_contexts.of[place];
}

static struct kymo_open_zones *known_or_new(uint32_t lane, uint32_t context, uint64_t time) {
    struct kymo_open_zones *zones = known(lane, context);
    return zones != NULL ? zones : new_zones(lane, context, time);
}

static void count(struct kymo_open_zones *zones, int32_t change) {
    const int32_t open = zones != NULL ? zones->open + change : 0;
    if (open >= INT16_MIN && open <= INT16_MAX && zones != NULL) {
        zones->open = (int16_t)open;
    }
}

static void give_zones_back(struct kymo_open_zones *zones) {
    const bool open = zones->open > 0;
    if (open && !zones->unsure) {
        kymo_ring_give_back(&kymo_lanes[zones->lane], (uint32_t)zones->open);
    }
    kymo_contexts.leaked = kymo_contexts.leaked || (open && zones->unsure);
    set(zones, 0u, 0u);
}

#if KYMO_LANES > 1

/* Other lanes may still hold earlier events of it. */
static void is_over(struct kymo_open_zones *zones, uint32_t lane, uint64_t time) {
    if (zones->lane == lane) {
        give_zones_back(zones);
    } else {
        zones->over = true;
        zones->over_at = time;
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

static void give_back_until(uint32_t lane, uint64_t time) {
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        struct kymo_open_zones *zones = &kymo_contexts.of[i];
        if (zones->over && zones->lane == lane && zones->over_at < time) {
            give_zones_back(zones);
        }
    }
}

#else

static void is_over(struct kymo_open_zones *zones, uint32_t lane, uint64_t time) {
    (void)lane;
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

static void context_ends(uint32_t lane, uint32_t context, uint64_t time) {
    bool found = context == 0u;
    for (uint32_t i = 0u; i < KYMO_CONTEXTS && context != 0u; i++) {
        struct kymo_open_zones *zones = &kymo_contexts.of[i];
        if (zones->context == context && zones->lane != ANY_LANE) {
            found = true;
            is_over(zones, lane, time);
        }
    }
    if (context != 0u) {
        remember_end(context, time);
    }
    kymo_contexts.leaked = kymo_contexts.leaked || (!found && kymo_contexts.overflow);
}

/* Main contexts are never over: their zones are not counted. */
void kymo_contexts_account(const struct kymo_lane *lane, uint32_t kind, uint32_t context,
                           uint64_t time, uint32_t owner) {
    const uint32_t index = (uint32_t)kymo_lane_index(lane);
    const uint32_t here = lane->context_out;
    give_back_until(index, time);
    if (kind == KYMO_KIND_CONTEXT_END) {
        context_ends(index, context, time);
    } else if (here == 0u) {
        return;
    } else if (kind == KYMO_KIND_ZONE_BEGIN) {
        count(known_or_new(index, here, time), 1);
    } else if (kind == KYMO_KIND_ZONE_END) {
        count(known(index, here), -1);
    } else if (kind == KYMO_KIND_ZONE_END_ON) {
        count(known_or_new(owner, here, time), -1);
    }
}

void kymo_contexts_lost_ends(void) {
    for (uint32_t i = 0u; i < KYMO_CONTEXTS; i++) {
        struct kymo_open_zones *zones = &kymo_contexts.of[i];
        zones->unsure = zones->unsure || zones->open != 0;
    }
}

void kymo_contexts_read_all(const struct kymo_lane *lane) {
    give_back_until((uint32_t)kymo_lane_index(lane), UINT64_MAX);
}

#endif
