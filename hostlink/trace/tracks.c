#include "trace/tracks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kymo/wire.h"

void tracks_init(struct tracks *tracks) {
    tracks->first = NULL;
    tracks->count = 0;
}

void tracks_free(struct tracks *tracks) {
    while (tracks->first != NULL) {
        struct track_state *next = tracks->first->next;
        free(tracks->first->zones);
        free(tracks->first);
        tracks->first = next;
    }
    tracks_init(tracks);
}

/* Odd references but the main one are numbers of tasks, which may move between lanes. */
static bool is_bound(uint32_t reference) {
    return reference == CONTEXT_MAIN_REFERENCE || (reference & 1u) == 0;
}

struct track_state *tracks_find(struct tracks *tracks, struct names *names, uint32_t session,
                                uint32_t lane, uint32_t reference) {
    for (struct track_state *s = tracks->first; s != NULL && s->track.session == session;
         s = s->next) {
        if (s->reference == reference && (s->lane == lane || !is_bound(reference))) {
            return s;
        }
    }
    struct track_state *state = tracks->count < TRACKS_MAX ? calloc(1, sizeof *state) : NULL;
    if (state == NULL) {
        return NULL;
    }
    state->track.id = ++tracks->count;
    state->track.core = lane;
    state->track.session = session;
    state->track.kind = reference == CONTEXT_MAIN_REFERENCE ? KYMO_CONTEXT_MAIN : KYMO_CONTEXT_TASK;
    state->track.name = "";
    state->reference = reference;
    state->lane = lane;
    state->next = tracks->first;
    tracks->first = state;
    (void)track_rename(state, names);
    return state;
}

/* An interrupt that strikes on several cores has a track on each; but on core 0 the name says
 * which. */
bool track_rename(struct track_state *state, struct names *names) {
    char text[256];
    struct track *track = &state->track;
    const char *name = NULL;
    if (state->reference == CONTEXT_MAIN_REFERENCE) {
        name = names_lane(names, track->session, state->lane);
        if (name[0] == '\0') {
            (void)snprintf(text, sizeof text, "core %u", state->lane);
            name = text;
        }
    } else if ((state->reference & 1u) == 0) {
        const struct site *site = names_site(names, track->session, state->reference / 2);
        if (site == NULL) {
            return false;
        }
        track->kind = site->known ? (uint8_t)site->detail : KYMO_CONTEXT_INTERRUPT;
        name = site->name;
        if (state->lane != 0) {
            (void)snprintf(text, sizeof text, "%.200s (core %u)", site->name, state->lane);
            name = text;
        }
    } else if (track->name[0] != '\0') {
        return false; /* a task: named by an event, or already by its number */
    } else {
        (void)snprintf(text, sizeof text, "task %#x", state->reference / 2);
        name = text;
    }
    const char *kept = names_text(names, name, strlen(name));
    bool changed = kept != NULL && strcmp(kept, track->name) != 0;
    track->name = kept != NULL ? kept : track->name;
    return changed;
}

int track_push(struct track_state *state, const struct site *site, int64_t start_ns) {
    if (state->depth >= TRACK_DEPTH_MAX) {
        return -E2BIG;
    }
    if (state->depth == state->capacity) {
        uint32_t capacity = state->capacity == 0 ? 16 : state->capacity * 2;
        struct track_zone *grown = realloc(state->zones, capacity * sizeof *grown);
        if (grown == NULL) {
            return -ENOMEM;
        }
        state->zones = grown;
        state->capacity = capacity;
    }
    state->zones[state->depth++] = (struct track_zone){.site = site, .start_ns = start_ns};
    return 0;
}
