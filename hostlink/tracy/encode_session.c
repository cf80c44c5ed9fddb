/* SPDX-License-Identifier: MIT */
/* The start and the end of a viewer's session: restating the present state, closing open zones. */
#include "tracy/encode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "kymo/wire.h"

/* A viewer that comes later than this after the start gets a time 0 of its own, or its 47 bits
 * would not last (19 hours of 39). */
#define REBASE_NS (TRACY_TIME_LIMIT_NS / 2)

int64_t tracy_encode_base(const struct tracy_encode *e) {
    return e->now_ns < REBASE_NS ? 0 : e->now_ns;
}

/* Open zones begin again at their true time, so that their length will be right. */
static void send_zones_again(struct tracy_encode *e) {
    for (uint32_t id = 0; id < e->tracks.count; id++) {
        const struct tracy_track *t = &e->tracks.tracks[id];
        for (uint32_t i = 0; i < t->depth; i++) {
            int64_t start = t->zones[i].start_ns;
            start = start < e->base_ns ? e->base_ns : start;
            const uint64_t place = tracy_names_place(&e->names, t->zones[i].site);
            if (t->gpu != 0) {
                const int64_t submitted =
                    t->submitted_ns < e->base_ns ? e->base_ns : t->submitted_ns;
                tracy_gpu_begin(&e->gpus, &e->stream, t, submitted, start, place);
            } else {
                tracy_put_thread(&e->stream, id);
                tracy_put_zone_begin(&e->stream, start, place);
            }
        }
    }
}

static void send_infos_again(struct tracy_encode *e) {
    for (size_t i = 0; i < e->info_count; i++) {
        const struct tracy_app_info *info = &e->infos[i];
        tracy_put_app_info(&e->stream, info->time_ns < e->base_ns ? e->base_ns : info->time_ns,
                           info->text, info->length);
    }
}

static int put_param(struct tracy_encode *e, const struct tracy_param *param) {
    uint64_t key = tracy_names_text(&e->names, param->name);
    if (key == 0) {
        return -ENOMEM;
    }
    tracy_put_param(&e->stream, param->index, key, param->is_switch, param->value);
    return 0;
}

int tracy_encode_begin(struct tracy_encode *e, const struct tracy_proto *proto, int64_t base_ns,
                       tracy_frame_sink *sink, void *context) {
    int error = 0;
    e->base_ns = base_ns;
    e->frames_before = e->frames;
    tracy_stream_begin(&e->stream, proto, sink, context);
    tracy_names_forget(&e->names);
    tracy_callstacks_forget(&e->callstacks);
    tracy_gpus_forget(&e->gpus);
    tracy_pictures_free(&e->pictures);
    tracy_repairs_restart(&e->repairs);
    tracy_encode_wire(e);
    tracy_allocations_begin(&e->allocations);
    tracy_frame_sets_begin(&e->frame_sets, e->now_ns > base_ns ? e->now_ns : base_ns);
    e->connected = true;
    send_infos_again(e);
    for (size_t i = 0; i < e->param_count && error == 0; i++) {
        error = put_param(e, &e->params[i]);
    }
    send_zones_again(e);
    tracy_crash_send_again(e);
    tracy_cores_begin(&e->cores, &e->tracks, &e->stream, e->now_ns > base_ns ? e->now_ns : base_ns);
    const struct tracy_lock_output out = tracy_encode_lock_output(e);
    error = error != 0
                ? error
                : tracy_locks_begin(&e->locks, &out, e->now_ns > base_ns ? e->now_ns : base_ns);
    return error != 0 ? error : tracy_stream_flush(&e->stream);
}

void tracy_encode_stop(struct tracy_encode *e) {
    e->connected = false;
    tracy_pictures_free(&e->pictures);
}

int tracy_encode_param(struct tracy_encode *e, const struct tracy_param *param) {
    const uint32_t number = intmap_get(&e->param_numbers, param->index);
    const bool new = number == 0;
    const size_t at = new ? e->param_count : number - 1;
    if (at == TRACY_PARAMS_MAX) {
        return 0;
    }
    if (new) {
        struct tracy_param *params = realloc(e->params, (at + 1) * sizeof *params);
        if (params == NULL || intmap_add(&e->param_numbers, param->index, (uint32_t)at + 1) != 0) {
            e->params = params != NULL ? params : e->params;
            return -ENOMEM;
        }
        e->params = params;
        e->param_count++;
    }
    e->params[at] = *param;
    /* A viewer makes a new row of each, so that it cannot be told of a change. */
    return e->connected && new ? put_param(e, &e->params[at]) : 0;
}

static void tell_sums(struct tracy_encode *e) {
    for (int repair = 0; repair < TRACY_REPAIR_COUNT; repair++) {
        uint64_t count = e->repairs.count[repair];
        if (count > TRACY_REPAIRS_SHOWN) {
            char text[200];
            int length = snprintf(text, sizeof text, "hostlink: %llu more times: %s",
                                  (unsigned long long)(count - TRACY_REPAIRS_SHOWN),
                                  tracy_repair_text((enum tracy_repair)repair));
            struct tracy_message item = {.time_ns = e->now_ns,
                                         .text = text,
                                         .length = (size_t)length,
                                         .level = KYMO_LEVEL_WARNING};
            tracy_put_thread(&e->stream, TRACY_THREAD_LOST);
            tracy_put_message(&e->stream, &item);
        }
    }
}

int tracy_encode_end(struct tracy_encode *e) {
    if (!e->connected) {
        return 0;
    }
    for (uint32_t id = 0; id < e->tracks.count; id++) {
        struct tracy_track *t = &e->tracks.tracks[id];
        for (; t->depth > 0; t->depth--) {
            tracy_encode_zone_end(e, t, t->last_ns);
        }
    }
    tracy_cores_end(&e->cores, &e->tracks, &e->stream,
                    e->now_ns > e->base_ns ? e->now_ns : e->base_ns);
    tell_sums(e);
    tracy_crash_end(e);
    return tracy_stream_flush(&e->stream);
}

/* Threads with a lower one are above others: the cores of a board stand together. */
static int32_t hint_of(const struct event_board *board, uint32_t core) {
    core = core < TRACY_CORES_MAX ? core : TRACY_CORES_MAX - 1;
    return (int32_t)(event_board_number(board) * TRACY_CORES_MAX + core) + 1;
}

bool tracy_encode_thread(const struct tracy_encode *e, uint32_t thread, char *name, size_t size,
                         int32_t *hint) {
    if (thread >= TRACY_THREAD_LOST && thread - TRACY_THREAD_LOST < TRACY_CORES_MAX) {
        const uint32_t core = thread - TRACY_THREAD_LOST;
        const struct event_board *board = e->board[core];
        (void)snprintf(name, size, "%s%s%s %lu: lost", board != NULL ? board->name : "",
                       board != NULL ? "/" : "", e->lanes_are_no_cores ? "lane" : "core",
                       (unsigned long)core);
        *hint = hint_of(board, core);
        return true;
    }
    const struct tracy_track *found = tracy_tracks_find(&e->tracks, thread);
    if (found == NULL) {
        return false;
    }
    const struct track *track = found->track;
    const uint32_t resets = track->board != NULL ? track->resets : track->session;
    if (track->device != NULL) {
        char row[256];
        (void)snprintf(row, sizeof row, "%.100s: %.150s", track->device->name, track->name);
        utf8_clean(name, size, row, strlen(row));
    } else if (resets == 0) {
        utf8_clean(name, size, track->name, strlen(track->name));
    } else {
        (void)snprintf(name, size, "%s (after reset %lu)", track->name, (unsigned long)resets);
    }
    *hint = hint_of(track->board, track->core);
    return true;
}
