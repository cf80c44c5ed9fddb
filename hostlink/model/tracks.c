/* SPDX-License-Identifier: MIT */
#include "model/tracks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kymo/wire.h"

void tracks_init(struct tracks *tracks) { *tracks = (struct tracks){0}; }

/* Rows are kept until the end: sinks know them. */
#define ROWS 64u
struct track_rows {
    struct track_rows *next;
    uint32_t used;
    struct track rows[ROWS];
};

static struct track *new_row(struct tracks *tracks) {
    if (tracks->rows == NULL || tracks->rows->used == ROWS) {
        struct track_rows *rows = calloc(1, sizeof *rows);
        if (rows == NULL) {
            return NULL;
        }
        rows->next = tracks->rows;
        tracks->rows = rows;
    }
    return &tracks->rows->rows[tracks->rows->used++];
}

static void take_out(struct tracks *tracks, struct track_state *state);

static void free_state(struct tracks *tracks, struct track_state *state) {
    if (state->ran) {
        take_out(tracks, state);
    }
    *(state->before != NULL ? &state->before->next : &tracks->first) = state->next;
    if (state->next != NULL) {
        state->next->before = state->before;
    }
    free(state->zones);
    free(state);
}

void tracks_restart(struct tracks *tracks) {
    while (tracks->first != NULL) {
        free_state(tracks, tracks->first);
    }
    intmap_free(&tracks->numbers);
    tracks->state_count = 0;
    tracks->over_first = tracks->over_last = NULL;
    tracks->over_count = 0;
}

void tracks_free(struct tracks *tracks) {
    tracks_restart(tracks);
    while (tracks->rows != NULL) {
        struct track_rows *next = tracks->rows->next;
        free(tracks->rows);
        tracks->rows = next;
    }
    free(tracks->states);
    tracks_init(tracks);
}

/* Odd references but the main one are numbers of tasks, which may move between lanes. */
static bool is_bound(uint32_t reference) {
    return reference == CONTEXT_MAIN_REFERENCE || (reference & 1u) == 0;
}

uint32_t tracks_lanes(uint32_t reference) { return is_bound(reference) ? WIRE_LANES : 1u; }

#define KEY_ANY_LANE ((uint64_t)WIRE_LANES << 32)
#define KEY_SHARED (UINT64_C(1) << 63)

static uint64_t key_of(uint32_t lane, uint32_t reference) {
    return (is_bound(reference) ? (uint64_t)lane << 32 : KEY_ANY_LANE) | reference;
}

static struct track_state *state_of(struct tracks *tracks, uint64_t key) {
    uint32_t number = intmap_get(&tracks->numbers, key);
    return number != 0 ? tracks->states[number - 1] : NULL;
}

struct track_state *tracks_newest(struct tracks *tracks, uint32_t lane, uint32_t reference) {
    return state_of(tracks, key_of(lane, reference));
}

/* The first that was over later, or the one that is not; NULL: all were over by then. */
static struct track_state *living(struct track_state *newest, uint64_t ticks) {
    struct track_state *found = NULL;
    struct track_state *state = newest;
    for (uint32_t i = 0; i < TRACK_LIVES_MAX && state != NULL && state->end_ticks > ticks; i++) {
        found = state;
        state = state->earlier;
    }
    return found;
}

static bool reserve(struct tracks *tracks) {
    if (!grow(&tracks->states, &tracks->state_capacity, tracks->state_count,
              sizeof *tracks->states)) {
        return false;
    }
    return true;
}

/* A track of the session that runs, without a name. */
static struct track_state *make(struct tracks *tracks, uint32_t session, uint32_t lane) {
    struct track_state *state = calloc(1, sizeof *state);
    struct track *row = state != NULL ? new_row(tracks) : NULL;
    if (row == NULL) {
        free(state);
        return NULL;
    }
    *row = (struct track){.id = ++tracks->count,
                          .core = lane,
                          .session = session,
                          .kind = KYMO_CONTEXT_TASK,
                          .name = ""};
    state->track = row;
    state->lane = lane;
    state->end_ticks = TRACK_LIVES;
    state->next = tracks->first;
    if (state->next != NULL) {
        state->next->before = state;
    }
    tracks->first = state;
    return state;
}

/* The newest of its key. */
static struct track_state *make_newest(struct tracks *tracks, uint64_t key, uint32_t session,
                                       uint32_t lane) {
    uint32_t number = intmap_get(&tracks->numbers, key);
    if (number == 0) {
        number = tracks->state_count + 1;
        if (!reserve(tracks) || intmap_add(&tracks->numbers, key, number) != 0) {
            return NULL;
        }
        tracks->states[tracks->state_count++] = NULL;
    }
    struct track_state *state = make(tracks, session, lane);
    if (state != NULL) {
        state->earlier = tracks->states[number - 1];
        tracks->states[number - 1] = state;
    }
    return state;
}

#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

static struct track_state *shared_of(struct tracks *tracks, uint32_t session, uint32_t lane) {
    struct track_state *state = state_of(tracks, KEY_SHARED | lane);
    if (state == NULL && (state = make_newest(tracks, KEY_SHARED | lane, session, lane)) != NULL) {
        state->shared = true;
        state->track->name = "tasks beyond the first " TEXT_OF(TRACKS_MAX);
    }
    return state;
}

static bool is_task(const struct track_state *state) {
    return state->reference != CONTEXT_MAIN_REFERENCE && (state->reference & 1u) != 0;
}

static void set_unnamed(struct tracks *tracks, struct track_state *state, bool unnamed) {
    tracks->unnamed += (unnamed ? 1u : 0u) - (state->unnamed ? 1u : 0u);
    state->unnamed = unnamed;
}

static struct late_key late_key(const struct track_state *state) {
    return (struct late_key){.of = key_of(state->lane, state->reference),
                             .from = state->first_ticks,
                             .session = state->track->session};
}

/* Takes a name that an earlier pass found and the board sends later. */
static void take_late_name(struct track_state *state, const struct names *names) {
    const struct late_key key = late_key(state);
    const struct late_name *late = names_late(names, &key);
    if (late != NULL) {
        state->track->name = late->name;
        state->track->kind = late->kind;
        state->named = true;
    }
}

static void begin(struct tracks *tracks, struct track_state *state, struct names *names,
                  const struct track_query *query) {
    state->track->kind =
        query->reference == CONTEXT_MAIN_REFERENCE ? KYMO_CONTEXT_MAIN : KYMO_CONTEXT_TASK;
    state->reference = query->reference;
    state->first_ticks = query->ticks;
    (void)track_rename(state, names);
    take_late_name(state, names);
    set_unnamed(tracks, state, is_task(state));
}

struct track_state *tracks_find(struct tracks *tracks, struct names *names,
                                const struct track_query *query) {
    const uint64_t key = key_of(query->lane, query->reference);
    struct track_state *state = living(state_of(tracks, key), query->ticks);
    if (state == NULL) {
        /* main contexts are as many as the lanes */
        if (tracks->count >= TRACKS_MAX && query->reference != CONTEXT_MAIN_REFERENCE) {
            return shared_of(tracks, query->session, query->lane);
        }
        state = make_newest(tracks, key, query->session, query->lane);
        if (state == NULL) {
            return NULL;
        }
        begin(tracks, state, names, query);
    }
    state->last_ticks = query->ticks > state->last_ticks ? query->ticks : state->last_ticks;
    return state;
}

struct track_state *tracks_known(struct tracks *tracks, const struct track_query *query) {
    return living(state_of(tracks, key_of(query->lane, query->reference)), query->ticks);
}

static void put_over(struct tracks *tracks, struct track_state *state);

/* Only tasks come and go in numbers. */
static void note_end(struct tracks *tracks, struct track_state *state) {
    if (is_task(state)) {
        put_over(tracks, state);
    }
}

/* The board has switched to "later" or named it since: an earlier context has ended, and nothing of it is left to
 * close here. */
static void end_before(struct tracks *tracks, struct names *names, struct track_state *later,
                       const struct track_query *query) {
    struct track_state *state =
        tracks->count < TRACKS_MAX ? make(tracks, query->session, query->lane) : NULL;
    if (state != NULL) {
        begin(tracks, state, names, query);
        state->last_ticks = state->end_ticks = query->ticks;
        state->earlier = later->earlier;
        later->earlier = state;
        note_end(tracks, state);
    }
}

struct track_state *tracks_end(struct tracks *tracks, struct names *names,
                               const struct track_query *query) {
    struct track_state *newest = tracks_newest(tracks, query->lane, query->reference);
    struct track_state *state = living(newest, query->ticks);
    if (state == NULL || query->reference == CONTEXT_MAIN_REFERENCE) {
        return NULL;
    }
    if (state->last_ticks > query->ticks) {
        end_before(tracks, names, state, query);
        return NULL;
    }
    if (state->end_ticks != TRACK_LIVES) {
        return NULL;
    }
    state->end_ticks = query->ticks;
    note_end(tracks, state);
    return state;
}

/* ---- ended contexts ---- */

static void put_over(struct tracks *tracks, struct track_state *state) {
    *(tracks->over_last != NULL ? &tracks->over_last->over_next : &tracks->over_first) = state;
    tracks->over_last = state;
    state->over_next = NULL;
    tracks->over_count++;
}

struct track_state *tracks_take_over(struct tracks *tracks) {
    struct track_state *state = tracks->over_count > TRACK_LIVES_MAX ? tracks->over_first : NULL;
    if (state != NULL) {
        tracks->over_first = state->over_next;
        tracks->over_last = tracks->over_first != NULL ? tracks->over_last : NULL;
        tracks->over_count--;
    }
    return state;
}

void tracks_keep_over(struct tracks *tracks, struct track_state *state) { put_over(tracks, state); }

void tracks_forget(struct tracks *tracks, struct track_state *state) {
    const uint32_t number = intmap_get(&tracks->numbers, key_of(0, state->reference));
    struct track_state **at = &tracks->states[number - 1];
    while (*at != state) {
        at = &(*at)->earlier;
    }
    *at = state->earlier;
    free_state(tracks, state);
}

/* ---- which ones ran on a lane ---- */

static void take_out(struct tracks *tracks, struct track_state *state) {
    if (state->ran_before != NULL) {
        state->ran_before->ran_after = state->ran_after;
    } else {
        tracks->ran[state->lane] = state->ran_after;
    }
    if (state->ran_after != NULL) {
        state->ran_after->ran_before = state->ran_before;
    }
    state->ran_before = state->ran_after = NULL;
    state->ran = false;
}

void tracks_move(struct tracks *tracks, struct track_state *state, uint32_t lane) {
    if (state->ran) {
        take_out(tracks, state);
    }
    state->lane = lane;
    state->ran = true;
    state->ran_after = tracks->ran[lane];
    if (state->ran_after != NULL) {
        state->ran_after->ran_before = state;
    }
    tracks->ran[lane] = state;
}

struct track_state *tracks_take_ran(struct tracks *tracks, uint32_t lane) {
    struct track_state *state = tracks->ran[lane];
    if (state != NULL) {
        take_out(tracks, state);
    }
    return state;
}

/* Names a track that has no name: a viewer may refuse a thread without one. A task's context is the address of an
 * object that is aligned to 8 (kymo.h); the reference has the low 34 bits. */
static const char *number_name(const struct track_state *state, char *text, size_t size) {
    const uint32_t number = state->reference / 2;
    if (is_task(state)) {
        (void)snprintf(text, size, "task %#" PRIx64, (uint64_t)number * 8u);
    } else {
        (void)snprintf(text, size, "context %" PRIu32, number);
    }
    return text;
}

/* The name as far as it is known by now; NULL: unchanged. An interrupt of several cores has a track on each; except
 * on core 0, its name includes the core. */
static const char *present_name(const struct track_state *state, const struct names *names,
                                const struct site *site, char *text, size_t size) {
    if (state->reference == CONTEXT_MAIN_REFERENCE && state->named) {
        return NULL;
    }
    if (state->reference == CONTEXT_MAIN_REFERENCE) {
        const char *name = names_lane(names, state->track->session, state->lane);
        (void)snprintf(text, size, "core %u", state->lane);
        return name[0] != '\0' ? name : text;
    }
    /* A task, or a number that no site can have: an event names it, or its own number has already. */
    if (site == NULL) {
        return state->track->name[0] != '\0' ? NULL : number_name(state, text, size);
    }
    if (site->name[0] == '\0') {
        return number_name(state, text, size);
    }
    if (state->lane == 0) {
        return site->name;
    }
    (void)snprintf(text, size, "%.200s (core %u)", site->name, state->lane);
    return text;
}

bool track_rename(struct track_state *state, struct names *names) {
    char text[256];
    struct track *track = state->track;
    const struct site *site = NULL;
    if (state->shared) {
        return false;
    }
    if ((state->reference & 1u) == 0) {
        site = names_site(names, track->session, state->reference / 2);
        track->kind = site != NULL && site->known ? (uint8_t)site->detail : KYMO_CONTEXT_INTERRUPT;
    }
    const char *name = present_name(state, names, site, text, sizeof text);
    const char *kept = name != NULL ? names_text(names, name, strlen(name)) : NULL;
    bool changed = kept != NULL && strcmp(kept, track->name) != 0;
    track->name = kept != NULL ? kept : track->name;
    return changed;
}

bool tracks_name(struct tracks *tracks, struct track_state *state, struct names *names,
                 const char *name, size_t length, uint8_t kind) {
    char text[32];
    const char *kept = names_text(names, name, length);
    bool empty = kept != NULL && kept[0] == '\0';
    if (empty) {
        (void)number_name(state, text, sizeof text);
        kept = names_text(names, text, strlen(text));
    }
    if (kept == NULL) {
        return false;
    }
    const struct late_key key = late_key(state);
    const struct late_name late = {kept, kind};
    if (state->announced && !state->named && !empty && names_come_late(names, &key, &late) != 0) {
        return false;
    }
    state->track->name = kept;
    state->track->kind = kind;
    state->named = !empty;
    set_unnamed(tracks, state, empty && is_task(state));
    return true;
}

/* Not before the track's last event: its zones have already counted how long it was away by then. */
static int64_t not_before(const struct track_state *state, int64_t time_ns) {
    return time_ns > state->last_ns ? time_ns : state->last_ns;
}

void track_leave(struct track_state *state, int64_t time_ns) {
    state->left_ns = state->is_away ? state->left_ns : not_before(state, time_ns);
    state->is_away = true;
}

void track_return(struct track_state *state, int64_t time_ns) {
    state->away_ns = track_away_ns(state, not_before(state, time_ns));
    state->is_away = false;
}

int track_reserve(struct track_state *state) {
    if (state->depth >= TRACK_DEPTH_MAX) {
        return -E2BIG;
    }
    if (!grow(&state->zones, &state->capacity, state->depth, sizeof *state->zones)) {
        return -ENOMEM;
    }
    /* So that the depth is looked at again when it is reached. */
    state->capacity = state->capacity < TRACK_DEPTH_MAX ? state->capacity : TRACK_DEPTH_MAX;
    return 0;
}
