/* SPDX-License-Identifier: MIT */
#include "model/zones.h"

void zones_lost(struct zones *zones, uint64_t events) {
    zones->unmatched += events;
    zones->lossy = zones->lossy || events != 0;
}

void zones_restart(struct zones *zones) {
    zones->unmatched = zones->unfound = 0;
    zones->lossy = false;
}

/* ---- which sites lack ends ---- */

/* A zone must have begun directly inside itself this often before it is taken for one that lacks ends: the end of a
 * trace may cut a recursion once. */
#define LEFT_OPEN_MIN 3u

static bool lacks_ends(const struct site *site) {
    return site->left_open >= LEFT_OPEN_MIN && !site->nests;
}

static void learn_left_open(const struct zones *zones, struct site *site, uint32_t times) {
    if (site->left_open < LEFT_OPEN_MIN && !zones->lossy && !site->is_function) {
        site->left_open += times;
    }
}

/* Most zones that are searched, so that an event does not take longer the deeper it is. */
#define SEARCH_MAX 1024u

/* The number of the site's innermost zone that is open on the track, counted from 1; 0: not within SEARCH_MAX zones.
 * They are only searched if the site is open somewhere. */
static uint32_t innermost(const struct track_state *state, const struct site *site) {
    const uint32_t end = state->depth > SEARCH_MAX ? state->depth - SEARCH_MAX : 0;
    uint32_t at = site->open != 0 ? state->depth : end;
    while (at != end && state->zones[at - 1].site != site) {
        at--;
    }
    return at != end ? at : 0;
}

/* ---- ends ---- */

static int report(struct zones *zones, struct track_state *state, struct event *event,
                  enum repair repair) {
    event->kind = EVENT_REPAIR;
    event->u.repair = repair;
    zones->repairs++;
    return zones->send(zones->context, state, event);
}

/* The time that the zone ran, without the contexts that preempted its own. */
static int64_t own_time_ns(const struct track_state *state, const struct track_zone *zone,
                           int64_t end_ns) {
    int64_t own_ns = end_ns - zone->start_ns - (track_away_ns(state, end_ns) - zone->away_ns);
    return own_ns > 0 ? own_ns : 0;
}

/* The innermost zone ends. */
static int pop(struct zones *zones, struct track_state *state, int64_t time_ns,
               enum zone_repair why) {
    struct track_zone *zone = &state->zones[--state->depth];
    time_ns = time_ns < state->last_ns ? state->last_ns : time_ns;
    int64_t own_ns = own_time_ns(state, zone, time_ns);
    struct event event = {.kind = EVENT_ZONE_END, .time_ns = time_ns, .site = zone->site};
    event.u.zone.start_ns = zone->start_ns;
    event.u.zone.self_ns = own_ns > zone->inner_ns ? own_ns - zone->inner_ns : 0;
    event.u.zone.repaired = why;
    if (state->depth != 0) {
        zone[-1].inner_ns += own_ns;
    }
    zone->site->open -= zone->site->open != 0 ? 1 : 0;
    state->doubted -= zone->doubted ? 1 : 0;
    state->functions -= zone->site->is_function ? 1 : 0;
    state->after_end = true;
    state->ended = zone->site;
    zones->repairs += why != ZONE_ENDED && why != ZONE_END_LEFT && why != ZONE_END_OPEN ? 1 : 0;
    if (zone->again && why == ZONE_ENDED) {
        zone->site->nests = true;
    } else if (zone->directly != 0 && why == ZONE_END_OPEN) {
        learn_left_open(zones, zone->site, zone->directly);
    }
    return zones->send(zones->context, state, &event);
}

static int release(struct zones *zones, struct track_state *state, enum zone_repair why) {
    int result = 0;
    uint32_t count = state->held;
    state->held = 0;
    for (uint32_t i = 0; i < count && result == 0; i++) {
        result = pop(zones, state, state->held_ns[i], why);
    }
    return result;
}

int zones_settle(struct zones *zones, struct track_state *state) {
    return state->held == 0 ? 0 : release(zones, state, ZONE_ENDED);
}

int zones_other(struct zones *zones, struct track_state *state) {
    int result = zones_settle(zones, state);
    state->after_end = false;
    return result;
}

/* Closes zones that the firmware did not end. Where the last event of the track is an end, that is their end: a
 * zone inside took it. */
static int close_missing(struct zones *zones, struct track_state *state, uint32_t depth,
                         int64_t time_ns) {
    int result = release(zones, state, ZONE_END_UNSURE);
    int64_t end_ns = state->after_end ? state->last_ns : time_ns;
    while (state->depth > depth && result == 0) {
        learn_left_open(zones, state->zones[state->depth - 1].site, LEFT_OPEN_MIN);
        result = pop(zones, state, end_ns, ZONE_END_MISSING);
    }
    return result;
}

int zones_report_unfound(struct zones *zones, struct track_state *state) {
    int result = 0;
    for (; state->unfound != 0 && result == 0; state->unfound--) {
        struct event event = {.time_ns = state->last_ns, .site = state->unfound_site};
        zones->unfound--;
        result = report(zones, state, &event, REPAIR_END_WITHOUT_ZONE);
    }
    return result;
}

static void forget_unfound(struct zones *zones, struct track_state *state) {
    zones->unfound -= state->unfound;
    zones->repairs += state->unfound;
    state->unfound = 0;
}

int zones_close(struct zones *zones, struct track_state *state, int64_t time_ns,
                enum zone_repair why) {
    int result = zones_settle(zones, state);
    if (why == ZONE_END_LOST) {
        forget_unfound(zones, state);
    }
    while (state->depth != 0 && result == 0) {
        zones->unmatched += why == ZONE_END_LOST ? 1 : 0;
        result = pop(zones, state, time_ns, why);
    }
    state->beyond = 0;
    state->cut = 0;
    return result;
}

int zones_return(struct zones *zones, struct track_state *state, int64_t time_ns) {
    if (zones->lossy) {
        return 0;
    }
    int result = state->depth == state->held ? zones_settle(zones, state) : 0;
    return result != 0 ? result : close_missing(zones, state, 0, time_ns);
}

int zones_not_left(struct zones *zones, struct track_state *state, int64_t time_ns) {
    struct event event = {.time_ns = time_ns};
    return report(zones, state, &event, REPAIR_NOT_LEFT);
}

/* The next event of the track shows whose end it is, if a zone around this one lacks ends at times. */
static bool hold(struct track_state *state, int64_t time_ns) {
    const struct track_zone *zone = &state->zones[state->depth - state->held - 1];
    if (state->doubted == 0 || zone->doubted || state->held == TRACK_HELD_MAX) {
        return false;
    }
    state->held_ns[state->held++] = time_ns;
    return true;
}

/* Its begin may have been lost, or be before the capture. If not, the firmware has ended one zone twice, or in
 * another context than its own: the one that ended last on the track, or one inside it, whose second end was taken
 * for the end of the zone around it. Or a switch was refused before it: the next event that needs room shows that. */
static int end_without_zone(struct zones *zones, struct track_state *state) {
    if (zones->unmatched != 0) {
        zones->unmatched--;
        zones->repairs++;
        return 0;
    }
    const int result = state->unfound_site != state->ended ? zones_report_unfound(zones, state) : 0;
    state->unfound_site = state->ended;
    state->unfound++;
    zones->unfound++;
    return result;
}

/* Nothing is in doubt at nearly all ends. */
static inline bool is_plain_end(const struct track_state *state) {
    return (state->beyond | state->held | state->doubted | state->functions) == 0 &&
           state->depth != 0;
}

/* ---- functions ---- */

/* Closes all zones deeper than "depth": functions have been left, other zones lack an end that may still come. */
static int close_left(struct zones *zones, struct track_state *state, uint32_t depth,
                      int64_t time_ns) {
    int result = 0;
    while (state->depth > depth && result == 0) {
        const bool is_function = state->zones[state->depth - 1].site->is_function;
        state->cut += is_function ? 0 : 1;
        result = pop(zones, state, time_ns, is_function ? ZONE_END_LEFT : ZONE_END_MISSING);
    }
    return result;
}

/* The end of a zone that is not a function, while functions are open. If the innermost zone is a function, that
 * function began in the firmware's own zone and was left; or this is the late end of a zone that began in a function
 * and did not end there. */
static int end_among_functions(struct zones *zones, struct track_state *state, int64_t time_ns) {
    uint32_t at = state->depth;
    while (at != 0 && state->depth - at < SEARCH_MAX && state->zones[at - 1].site->is_function) {
        at--;
    }
    if (at != state->depth && state->cut != 0) {
        state->cut--;
        return 0;
    }
    if (at == 0 || state->zones[at - 1].site->is_function) {
        return end_without_zone(zones, state);
    }
    const int result = close_left(zones, state, at, time_ns);
    return result != 0 ? result : pop(zones, state, time_ns, ZONE_ENDED);
}

int zones_function_end(struct zones *zones, struct track_state *state, struct site *site,
                       int64_t time_ns, enum zone_repair why) {
    int result = zones_settle(zones, state);
    if (result != 0 || state->beyond != 0) {
        state->beyond -= result == 0 ? 1 : 0;
        return result;
    }
    const uint32_t at = innermost(state, site);
    if (at == 0 && why == ZONE_END_LEFT) {
        return 0; /* the firmware found it left only later than the end of a zone around it had said so */
    }
    if (at == 0) {
        state->ended = site;
        return end_without_zone(zones, state);
    }
    result = close_left(zones, state, at, time_ns);
    return result != 0 ? result : pop(zones, state, time_ns, why);
}

/* ---- ends of other zones ---- */

int zones_end(struct zones *zones, struct track_state *state, int64_t time_ns) {
    if (is_plain_end(state)) {
        return pop(zones, state, time_ns, ZONE_ENDED);
    }
    if (state->functions != 0 && state->beyond == 0) {
        const int result = zones_settle(zones, state);
        return result != 0 ? result : end_among_functions(zones, state, time_ns);
    }
    if (state->beyond == 0 && state->depth > state->held && hold(state, time_ns)) {
        return 0;
    }
    int result = zones_settle(zones, state);
    if (result != 0) {
        return result;
    }
    if (state->beyond != 0) {
        state->beyond--;
        return 0;
    }
    return state->depth == 0 ? end_without_zone(zones, state)
                             : pop(zones, state, time_ns, ZONE_ENDED);
}

/* ---- begins ---- */

/* The site is open on this track. If it lacks ends at times, the firmware is no longer in that zone. */
static int begin_again(struct zones *zones, struct track_state *state, uint32_t outer,
                       const struct event *event) {
    state->zones[outer - 1].again = true;
    state->zones[outer - 1].directly += outer == state->depth ? 1 : 0;
    return lacks_ends(event->site) ? close_missing(zones, state, outer - 1, event->time_ns) : 0;
}

/* Room is made when so many begins more have been left out than ends came, and then each time they have doubled. */
#define BEYOND_MIN 1024u

static bool room_is_due(struct track_state *state) {
    state->room_at = state->beyond == 0 ? BEYOND_MIN : state->room_at;
    if (state->beyond < state->room_at) {
        return false;
    }
    state->room_at = state->beyond < UINT32_MAX / 2 ? 2 * state->beyond : UINT32_MAX;
    return true;
}

/* Far beyond the greatest depth: no firmware nests its zones so deeply, so a zone that is open more than once
 * and was never seen to nest lacks its ends. */
static int make_room(struct zones *zones, struct track_state *state, const struct event *event) {
    uint32_t outermost = 0;
    while (state->zones[outermost].site != event->site && outermost < TRACK_DEPTH_MAX - 1) {
        outermost++;
    }
    if (state->zones[outermost].site != event->site || event->site->nests) {
        return 0;
    }
    state->beyond = 0;
    return close_missing(zones, state, outermost, event->time_ns);
}

static int push(struct zones *zones, struct track_state *state, struct site *site,
                struct event *event) {
    int64_t start_ns = event->time_ns < state->last_ns ? state->last_ns : event->time_ns;
    if (track_push(state, site, start_ns) != 0) {
        state->beyond++;
        return report(zones, state, event, REPAIR_TOO_DEEP);
    }
    site->open++;
    state->after_end = false;
    state->functions += site->is_function ? 1 : 0;
    state->zones[state->depth - 1].doubted = lacks_ends(site);
    state->doubted += state->zones[state->depth - 1].doubted ? 1 : 0;
    return zones->send(zones->context, state, event);
}

/* The site is open, or ends are held back, or one of them may be of this site. */
static int begin_in_doubt(struct zones *zones, struct track_state *state, struct site *site,
                          struct event *event) {
    int result = lacks_ends(site) ? 0 : zones_settle(zones, state);
    uint32_t outer = innermost(state, site);
    if (result == 0 && outer != 0) {
        result = begin_again(zones, state, outer, event);
    }
    return result != 0 ? result : zones_settle(zones, state);
}

int zones_begin(struct zones *zones, struct track_state *state, struct site *site,
                struct event *event) {
    int result = 0;
    if (site->open != 0 || state->held != 0) {
        result = begin_in_doubt(zones, state, site, event);
    }
    if (result == 0 && state->depth == TRACK_DEPTH_MAX && room_is_due(state)) {
        result = make_room(zones, state, event);
    }
    return result != 0 ? result : push(zones, state, site, event);
}

int zones_function_begin(struct zones *zones, struct track_state *state, struct site *site,
                         struct event *event) {
    const int result = zones_settle(zones, state);
    return result != 0 ? result : push(zones, state, site, event);
}

int zones_note(struct zones *zones, struct track_state *state, struct event *event) {
    if (state->beyond != 0) {
        return 0; /* it belongs to a zone that was left out */
    }
    if (state->depth == 0 && zones->unmatched != 0) {
        zones->repairs++;
        return 0;
    }
    if (state->depth == 0) {
        return report(zones, state, event, REPAIR_NOTE_WITHOUT_ZONE);
    }
    event->site = state->zones[state->depth - 1].site;
    return zones->send(zones->context, state, event);
}
