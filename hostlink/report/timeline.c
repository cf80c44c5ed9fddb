/* SPDX-License-Identifier: MIT */
#include "report/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "kymo/wire.h"
#include "model/event.h"

/* ---- arrows ---- */

/* Arrows of flows on the report's timeline: from where each was sent, over its steps, to where it was received. Of more
 * than ARROWS_MAX every second, fourth, ... is kept. */
static bool make_arrows(struct report_arrows *a) {
    if (!a->list) {
        a->list = calloc(ARROWS_MAX, sizeof *a->list);
        a->sent = calloc(ARROWS_OPEN, sizeof *a->sent);
        a->step = 1;
    }
    return a->list && a->sent;
}

static void add_arrow(struct report_arrows *a, struct arrow arrow) {
    if (a->seen++ % a->step != 0) {
        return;
    }
    if (a->count == ARROWS_MAX) { /* those of twice the step stay */
        for (uint32_t i = 0; i < ARROWS_MAX / 2; i++) {
            a->list[i] = a->list[2 * i];
        }
        a->count = ARROWS_MAX / 2;
        a->step *= 2;
    }
    a->list[a->count++] = arrow;
}

/* A send, a step or a receive. 0 or -ENOMEM. */
static int arrows_flow(struct report_arrows *a, const struct event *event, uint32_t name) {
    if (!make_arrows(a)) {
        return -ENOMEM;
    }
    struct arrow_sent *sent = &a->sent[event->u.flow.number % ARROWS_OPEN];
    const struct arrow_end here = {event->time_ns, event->track->id};
    if (event->kind != EVENT_FLOW_SEND && sent->number == event->u.flow.number) {
        add_arrow(a, (struct arrow){sent->at, here, name});
    }
    *sent = (struct arrow_sent){.at = here};
    sent->number = event->kind != EVENT_FLOW_RECEIVE ? event->u.flow.number : 0;
    return 0;
}

/* "arrows":[[from_ns,to_ns,from_track,to_track,name],...],"arrows_seen":N */
static void write_arrows(const struct report_arrows *a, struct outfile *out) {
    outfile_printf(out, "\"arrows\":[");
    for (uint32_t i = 0; i < a->count; i++) {
        const struct arrow *arrow = &a->list[i];
        outfile_printf(out, "%s[%" PRId64 ",%" PRId64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]",
                       i == 0 ? "" : ",", arrow->from.time_ns, arrow->to.time_ns, arrow->from.track,
                       arrow->to.track, arrow->name);
    }
    outfile_printf(out, "],\"arrows_seen\":%" PRIu64, a->seen);
}

static void free_arrows(struct report_arrows *a) {
    free(a->list);
    free(a->sent);
}

/* Pieces between two looks at how large the lanes have become. */
#define PUTS_PER_LOOK 4096u

/* ---- lanes ---- */

/* One that could not be made smaller is left alone until it is twice as large. */
static bool can_thin(const struct lane *lane) { return lane->used >= 2 * lane->rigid_used; }

static int look(struct report_timeline *t) {
    int error = 0;
    t->puts = 0;
    while (error == 0) {
        struct lane *largest = NULL;
        t->bytes = 0;
        for (uint32_t i = 0; i < t->count; i++) {
            struct lane *lane = &t->lanes[i].lane;
            t->bytes += lane->used;
            largest = can_thin(lane) && (!largest || lane->used > largest->used) ? lane : largest;
        }
        if (t->bytes <= TIMELINE_BYTES || !largest || largest->used == 0) {
            return 0;
        }
        const size_t before = largest->used;
        error = lane_thin(largest);
        largest->rigid_used = largest->used >= before ? largest->used : 0;
    }
    return error;
}

static bool is_kept(struct report_timeline *t, const struct piece *piece) {
    const int64_t end_ns = piece->start_ns + (int64_t)piece->length_ns;
    for (uint32_t i = 0; i < t->window_count; i++) {
        struct timeline_window *window = &t->windows[i];
        if (end_ns >= window->from_ns && piece->start_ns <= window->to_ns && window->left > 0) {
            window->left--;
            return true;
        }
    }
    return false;
}

static int put(struct report_timeline *t, uint32_t lane, struct piece *piece) {
    if (lane == 0) {
        t->too_many++;
        return 0;
    }
    piece->keep = is_kept(t, piece);
    const int error = lane_put(&t->lanes[lane - 1].lane, piece);
    return error != 0 || ++t->puts < PUTS_PER_LOOK ? error : look(t);
}

static int put_time(struct report_timeline *t, uint32_t lane, int64_t name, int64_t from_ns,
                    int64_t to_ns) {
    if (to_ns < t->from_ns || from_ns > t->to_ns) {
        return name < 0 ? (int)name : 0;
    }
    from_ns = from_ns < t->from_ns ? t->from_ns : from_ns;
    to_ns = to_ns > t->to_ns ? t->to_ns : to_ns;
    const uint64_t length_ns = to_ns > from_ns ? (uint64_t)(to_ns - from_ns) : 0;
    struct piece piece = {.start_ns = from_ns,
                          .length_ns = length_ns,
                          .busy_ns = length_ns,
                          .most_ns = length_ns,
                          .name = (uint32_t)name,
                          .count = 1};
    return name < 0 ? (int)name : put(t, lane, &piece);
}

static int put_value(struct report_timeline *t, uint32_t lane, int64_t time_ns, double value) {
    if (time_ns < t->from_ns || time_ns > t->to_ns) {
        return 0;
    }
    struct piece piece = {
        .start_ns = time_ns, .count = 1, .low = value, .high = value, .last = value};
    return put(t, lane, &piece);
}

/* Makes a lane; its number + 1 is left in *made, 0 where there are too many. */
static int make(struct report_timeline *t, uint32_t *made, const struct timeline_lane *like,
                int64_t name) {
    *made = 0;
    if (name < 0 || t->count == TIMELINE_LANES) {
        return name < 0 ? (int)name : 0;
    }
    if (!grow(&t->lanes, &t->capacity, t->count, sizeof *t->lanes)) {
        return -ENOMEM;
    }
    struct timeline_lane *lane = &t->lanes[t->count++];
    *lane = *like;
    lane->name = (uint32_t)name;
    lane->lane.curve = like->of == TIMELINE_PLOT || like->of == TIMELINE_MEMORY;
    *made = t->count;
    return 0;
}

static int make_of_track(struct report_timeline *t, uint32_t *made, enum timeline_of of,
                         const struct track *track, uint32_t depth) {
    const struct timeline_lane like = {
        .of = of, .depth = depth, .track = track, .core = track->core, .session = track->session};
    return make(t, made, &like, report_name_track(&t->names, track));
}

/* ---- tracks ---- */

static struct timeline_track *track_of(struct report_timeline *t, const struct track *track) {
    if (!grow_zeroed(&t->tracks, &t->track_count, track->id, sizeof *t->tracks)) {
        return NULL;
    }
    return &t->tracks[track->id];
}

static int close_zone(struct report_timeline *t, const struct event *event) {
    struct timeline_track *track = track_of(t, event->track);
    if (!track) {
        return -ENOMEM;
    }
    track->depth -= track->depth > 0;
    const uint32_t depth = track->depth;
    if (depth >= TIMELINE_DEPTH) {
        t->too_many++;
        return 0;
    }
    if (depth >= track->lanes) {
        uint32_t *zones = realloc(track->zones, (depth + 1) * sizeof *zones);
        if (!zones) {
            return -ENOMEM;
        }
        memset(zones + track->lanes, 0, (depth + 1 - track->lanes) * sizeof *zones);
        track->zones = zones;
        track->lanes = depth + 1;
    }
    const int error = track->zones[depth] == 0 ? make_of_track(t, &track->zones[depth],
                                                               TIMELINE_ZONES, event->track, depth)
                                               : 0;
    return error != 0 ? error
                      : put_time(t, track->zones[depth], report_name_site(&t->names, event->site),
                                 event->u.zone.start_ns, event->time_ns);
}

static int end_state(struct report_timeline *t, struct timeline_track *track, int64_t time_ns) {
    const uint32_t state = track->state;
    track->state = 0;
    return state == 0 || track->state_lane == 0
               ? 0
               : put_time(t, track->state_lane, state - 1, track->since_ns, time_ns);
}

static int64_t state_name(struct report_timeline *t, const struct event *event) {
    char text[TASK_REASON_BYTES + 16] = "waits: ";
    if (event->u.task.state != TASK_WAITING) {
        return report_name_text(&t->names, task_state_word((enum task_state)event->u.task.state));
    }
    task_reason(event, text + 7, TASK_REASON_BYTES);
    return report_name_text(&t->names, text);
}

static int change_state(struct report_timeline *t, const struct event *event) {
    struct timeline_track *track = track_of(t, event->track);
    int error = track ? end_state(t, track, event->time_ns) : -ENOMEM;
    if (error != 0) {
        return error;
    }
    if (track->state_lane == 0) {
        error = make_of_track(t, &track->state_lane, TIMELINE_STATE, event->track, 0);
    }
    if (error == 0 && event->u.task.state != TASK_UNKNOWN && event->u.task.state != TASK_OVER) {
        const int64_t name = state_name(t, event);
        track->state = name < 0 ? 0 : (uint32_t)name + 1;
        track->since_ns = event->time_ns;
        error = name < 0 ? (int)name : 0;
    }
    return error;
}

/* ---- events without a track ---- */

static struct timeline_series *series_of(struct report_timeline *t, const struct series *series) {
    if (!series) {
        return NULL;
    }
    if (!grow_zeroed(&t->of_series, &t->series_count, series->number, sizeof *t->of_series)) {
        return NULL;
    }
    return &t->of_series[series->number];
}

/* The series' lane; its row has the name of the event's site, or of the core. */
static struct timeline_series *lane_of(struct report_timeline *t, const struct series *series,
                                       enum timeline_of of, const struct event *event) {
    struct timeline_series *known = series_of(t, series);
    if (known && known->lane == 0) {
        const bool named = of == TIMELINE_FRAMES || of == TIMELINE_PLOT || of == TIMELINE_MEMORY;
        const struct timeline_lane like = {
            .of = of, .core = event->track->core, .session = event->track->session};
        const int64_t name =
            named ? report_name_site(&t->names, event->site) : report_name_text(&t->names, "");
        if (make(t, &known->lane, &like, name) != 0) {
            return NULL;
        }
    }
    return known;
}

static int put_plot(struct report_timeline *t, const struct event *event) {
    if (!isfinite(event->u.plot.real)) {
        return 0;
    }
    const struct timeline_series *plot = lane_of(
        t, series_by_name(&t->series, event->track->session, SERIES_PLOT, event->site->name),
        TIMELINE_PLOT, event);
    return plot ? put_value(t, plot->lane, event->time_ns, event->u.plot.real) : -ENOMEM;
}

/* Levels of objects, and stacks. */
static int put_curve(struct report_timeline *t, const struct event *event) {
    char name[EVENT_CURVE_BYTES];
    int64_t value;
    if (!event_curve(event, name, &value)) {
        return 0;
    }
    struct timeline_series *curve =
        series_of(t, series_by_name(&t->series, event->track->session, SERIES_CURVE, name));
    const struct timeline_lane like = {
        .of = TIMELINE_PLOT, .core = event->track->core, .session = event->track->session};
    const bool fresh = curve && curve->lane == 0;
    return !curve || (fresh && make(t, &curve->lane, &like, report_name_text(&t->names, name)) != 0)
               ? -ENOMEM
               : put_value(t, curve->lane, event->time_ns, (double)value);
}

static int put_memory(struct report_timeline *t, const struct event *event) {
    struct series *pool =
        series_by_name(&t->series, event->track->session, SERIES_POOL, event->site->name);
    const struct timeline_series *curve = lane_of(t, pool, TIMELINE_MEMORY, event);
    if (!curve) {
        return -ENOMEM;
    }
    series_pool(pool, event);
    return put_value(t, curve->lane, event->time_ns, (double)pool->live_bytes);
}

static int put_frame(struct report_timeline *t, const struct event *event) {
    struct timeline_series *set = lane_of(
        t, series_by_name(&t->series, event->track->session, SERIES_FRAMES, event->site->name),
        TIMELINE_FRAMES, event);
    if (!set) {
        return -ENOMEM;
    }
    const bool ends = event->kind != EVENT_FRAME_START && set->open && set->breaks == t->breaks &&
                      event->u.frame.repaired == FRAME_ENDED;
    const int error = ends ? put_time(t, set->lane, report_name_site(&t->names, event->site),
                                      set->since_ns, event->time_ns)
                           : 0;
    set->open = event->kind != EVENT_FRAME_END;
    set->since_ns = event->time_ns;
    set->breaks = t->breaks;
    return error;
}

/* A lane of the event's core. */
static int put_on_core(struct report_timeline *t, enum timeline_of of, const struct event *event,
                       int64_t name, int64_t from_ns) {
    char key[48];
    snprintf(key, sizeof key, "%u %u", (unsigned)of, (unsigned)event->track->core);
    const struct timeline_series *lane = lane_of(
        t, series_by_name(&t->series, event->track->session, SERIES_PROCESS, key), of, event);
    return lane ? put_time(t, lane->lane, name, from_ns, event->time_ns) : -ENOMEM;
}

static int put_hold(struct report_timeline *t, const struct event *event, bool waited) {
    const bool alone = !waited && !event->u.hold.shared;
    char key[48];
    snprintf(key, sizeof key, "%u %u", (unsigned)event->object->id,
             alone ? 0u : (unsigned)event->track->id);
    struct timeline_series *lane =
        series_of(t, series_by_name(&t->series, event->object->session, SERIES_OBJECT, key));
    int error = lane ? 0 : -ENOMEM;
    if (lane && lane->lane == 0) {
        const struct timeline_lane like = {.of = alone ? TIMELINE_HOLDS : TIMELINE_WAITS,
                                           .object = event->object,
                                           .track = alone ? NULL : event->track,
                                           .core = event->track->core,
                                           .session = event->object->session};
        error = make(t, &lane->lane, &like, report_name_object(&t->names, event->object));
    }
    return error != 0 ? error
                      : put_time(t, lane->lane,
                                 alone ? report_name_track(&t->names, event->track)
                                       : report_name_text(&t->names, waited ? "waits" : "holds"),
                                 event->u.hold.start_ns, event->time_ns);
}

/* A wait ends where the object is taken, too. */
static int take_hold(struct report_timeline *t, const struct event *event) {
    switch (event_hold(event->kind)) {
    case EVENT_WAITS:
        return 0;
    case EVENT_GIVES:
        return put_hold(t, event, event->u.hold.waited);
    default:
        return event->u.hold.waited ? put_hold(t, event, true) : 0;
    }
}

/* Asynchronous zones of one name that overlap have lanes of their own. A flow is on the lane where it was received. */
static int put_flow(struct report_timeline *t, const struct event *event) {
    const bool async = event->kind == EVENT_ASYNC_END;
    const uint32_t depth = async ? event->u.flow.row : 0;
    char key[64];
    if (event->u.flow.number == 0 || depth >= TIMELINE_DEPTH) {
        t->too_many += depth >= TIMELINE_DEPTH;
        return 0;
    }
    const int64_t name = report_name_site(&t->names, event->site);
    snprintf(key, sizeof key, "%s %u %lld", async ? "async" : "flow", (unsigned)depth,
             (long long)name);
    struct timeline_series *lane =
        series_of(t, series_by_name(&t->series, event->track->session, SERIES_PROCESS, key));
    int error = name < 0 ? (int)name : lane ? 0 : -ENOMEM;
    if (error == 0 && lane->lane == 0) {
        const struct timeline_lane like = {.of = async ? TIMELINE_ASYNC : TIMELINE_FLOWS,
                                           .depth = depth,
                                           .core = event->track->core,
                                           .session = event->track->session};
        error = make(t, &lane->lane, &like, name);
    }
    return error != 0 ? error
                      : put_time(t, lane->lane, name,
                                 async ? event->u.flow.start_ns : event->time_ns, event->time_ns);
}

static int put_arrow(struct report_timeline *t, const struct event *event) {
    if (event->u.flow.number == 0 || event->time_ns < t->from_ns || event->time_ns > t->to_ns) {
        return 0;
    }
    const int64_t name = report_name_site(&t->names, event->site);
    struct timeline_track *track = track_of(t, event->track);
    int error = name < 0 ? (int)name : track ? 0 : -ENOMEM;
    if (error == 0 && track->lanes == 0 && track->message_lane == 0) { /* it needs a row */
        error = make_of_track(t, &track->message_lane, TIMELINE_MESSAGES, event->track, 0);
    }
    return error ? error : arrows_flow(&t->arrows, event, (uint32_t)name);
}

static int put_message(struct report_timeline *t, const struct event *event) {
    struct timeline_track *track = track_of(t, event->track);
    int error = track ? 0 : -ENOMEM;
    if (track && track->message_lane == 0) {
        error = make_of_track(t, &track->message_lane, TIMELINE_MESSAGES, event->track, 0);
    }
    return error != 0 ? error
                      : put_time(t, track->message_lane,
                                 report_name_text(&t->names, event_level_word(event->site->level)),
                                 event->time_ns, event->time_ns);
}

static int put_gap(struct report_timeline *t, const struct event *event) {
    static const char *const causes[] = {"events lost: ring full", "events lost on the way",
                                         "reset"};
    t->breaks++;
    return put_on_core(t, TIMELINE_LOSSES, event,
                       report_name_text(&t->names, causes[event->u.gap.cause]),
                       event->u.gap.start_ns);
}

/* The task or context that a core runs. */
static int put_slice(void *context, const struct running_slice *slice) {
    struct report_timeline *t = context;
    struct series *core =
        series_by_core(&t->series, slice->track->session, SERIES_RUNS, slice->core);
    struct timeline_series *lane = series_of(t, core);
    int error = lane ? 0 : -ENOMEM;
    if (lane && lane->lane == 0) {
        const struct timeline_lane like = {
            .of = TIMELINE_CORE, .core = slice->core, .session = slice->track->session};
        error = make(t, &lane->lane, &like, report_name_text(&t->names, ""));
    }
    return error != 0 ? error
                      : put_time(t, lane->lane, report_name_track(&t->names, slice->track),
                                 slice->from_ns, slice->to_ns);
}

/* ---- events ---- */

void report_timeline_init(struct report_timeline *t) {
    *t = (struct report_timeline){0};
    t->running.context = t;
    t->running.slice = put_slice;
    report_timeline_part(t, INT64_MIN, INT64_MAX);
}

void report_timeline_part(struct report_timeline *t, int64_t from_ns, int64_t to_ns) {
    t->from_ns = from_ns;
    t->to_ns = to_ns;
}

void report_timeline_keep(struct report_timeline *t, int64_t from_ns, int64_t to_ns) {
    const int64_t around_ns = to_ns - from_ns;
    if (t->window_count < TIMELINE_WINDOWS) {
        t->windows[t->window_count++] = (struct timeline_window){
            from_ns - around_ns, to_ns + around_ns, TIMELINE_WINDOW_PIECES};
    }
}

/* Kinds without a case of their own below, by their role. */
static int take_role(struct report_timeline *t, const struct event *event) {
    switch (event_role(event->kind)) {
    case KYMO_ROLE_OPENS: {
        struct timeline_track *track = track_of(t, event->track);
        if (track) {
            track->depth++;
        }
        return track ? 0 : -ENOMEM;
    }
    case KYMO_ROLE_SAMPLE:
        return put_plot(t, event);
    case KYMO_ROLE_TASK:
        return put_curve(t, event);
    default:
        return event_holds(event->kind) ? take_hold(t, event) : 0;
    }
}

static int take(struct report_timeline *t, const struct event *event) {
    switch (event->kind) {
    case EVENT_ZONE_END:
        return close_zone(t, event);
    case EVENT_TASK:
        return change_state(t, event);
    case EVENT_FRAME:
    case EVENT_FRAME_START:
    case EVENT_FRAME_END:
        return put_frame(t, event);
    case EVENT_ALLOC:
    case EVENT_FREE:
        return put_memory(t, event);
    case EVENT_MESSAGE:
    case EVENT_MESSAGE_TEXT:
        return put_message(t, event);
    case EVENT_SAMPLE:
        return put_on_core(t, TIMELINE_SAMPLES, event, report_name_track(&t->names, event->track),
                           event->time_ns);
    case EVENT_REPAIR:
        return put_on_core(t, TIMELINE_REPAIRS, event,
                           report_name_text(&t->names, repair_text(event->u.repair)),
                           event->time_ns);
    case EVENT_GAP:
        return put_gap(t, event);
    case EVENT_FLOW_SEND:
    case EVENT_FLOW_STEP:
        return put_arrow(t, event);
    case EVENT_FLOW_RECEIVE:
        return put_arrow(t, event) != 0 ? -ENOMEM : put_flow(t, event);
    case EVENT_ASYNC_END:
        return put_flow(t, event);
    default:
        return take_role(t, event);
    }
}

int report_timeline_event(struct report_timeline *t, const struct event *event) {
    t->breaks += event->kind == EVENT_SESSION;
    const int error = running_event(&t->running, event);
    if (error != 0 || !event->track) {
        return error;
    }
    if ((uint32_t)event->kind < 256) { /* the board's own */
        t->first_ns = !t->any || event->time_ns < t->first_ns ? event->time_ns : t->first_ns;
        t->any = true;
    }
    t->last_ns = event->time_ns > t->last_ns ? event->time_ns : t->last_ns;
    return take(t, event);
}

int report_timeline_end(struct report_timeline *t) {
    int error = running_end(&t->running);
    for (uint32_t i = 0; i < t->track_count && error == 0; i++) {
        const uint32_t lane = t->tracks[i].state_lane;
        error = lane == 0
                    ? 0
                    : end_state(t, &t->tracks[i],
                                event_board_end_ns(t->lanes[lane - 1].track->board, t->last_ns));
    }
    for (uint32_t i = 0; i < t->count && error == 0; i++) {
        error = lane_end(&t->lanes[i].lane);
    }
    t->first_ns = t->first_ns < t->from_ns ? t->from_ns : t->first_ns;
    t->last_ns = t->last_ns > t->to_ns ? t->to_ns : t->last_ns;
    return error != 0 ? error : look(t);
}

void report_timeline_free(struct report_timeline *t) {
    for (uint32_t i = 0; i < t->count; i++) {
        lane_free(&t->lanes[i].lane);
    }
    for (uint32_t i = 0; i < t->track_count; i++) {
        free(t->tracks[i].zones);
    }
    free(t->lanes);
    free(t->tracks);
    free(t->of_series);
    free(t->running.cores);
    series_free(&t->series);
    report_names_free(&t->names);
    free_arrows(&t->arrows);
    *t = (struct report_timeline){0};
}

/* ---- as JSON ---- */

/* Characters of base64 (RFC 4648). */
static void write_base64(const uint8_t *bytes, size_t length, struct outfile *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        const size_t left = length - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0u);
        char *at = outfile_room(out);
        *at++ = digits[group >> 18];
        *at++ = digits[group >> 12 & 63];
        *at++ = left > 1 ? digits[group >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[group & 63] : '=';
        outfile_wrote(out, at);
    }
}

static const char *track_kind(const struct track *track) {
    static const char *const kinds[] = {[KYMO_CONTEXT_MAIN] = "main",
                                        [KYMO_CONTEXT_INTERRUPT] = "interrupt",
                                        [KYMO_CONTEXT_TASK] = "task",
                                        [KYMO_CONTEXT_FIBER] = "fiber",
                                        [KYMO_CONTEXT_IDLE] = "idle"};
    return track->kind < sizeof kinds / sizeof *kinds ? kinds[track->kind] : "task";
}

static void write_lane(const struct timeline_lane *lane, struct outfile *out) {
    static const char *const of[] = {
        [TIMELINE_CORE] = "core",       [TIMELINE_STATE] = "state",
        [TIMELINE_ZONES] = "zones",     [TIMELINE_SAMPLES] = "samples",
        [TIMELINE_FRAMES] = "frames",   [TIMELINE_ASYNC] = "async",
        [TIMELINE_FLOWS] = "flows",     [TIMELINE_PLOT] = "plot",
        [TIMELINE_MEMORY] = "memory",   [TIMELINE_HOLDS] = "holds",
        [TIMELINE_WAITS] = "waits",     [TIMELINE_MESSAGES] = "messages",
        [TIMELINE_REPAIRS] = "repairs", [TIMELINE_LOSSES] = "losses"};
    outfile_printf(out,
                   "{\"of\":\"%s\",\"name\":%" PRIu32 ",\"depth\":%" PRIu32 ",\"core\":%" PRIu32
                   ",\"session\":%" PRIu32,
                   of[lane->of], lane->name, lane->depth, lane->core, lane->session);
    if (lane->track) {
        outfile_printf(out, ",\"track\":%" PRIu32 ",\"kind\":\"%s\"", lane->track->id,
                       track_kind(lane->track));
    }
    if (lane->object) {
        outfile_printf(out, ",\"object\":%" PRIu32, lane->object->id);
    }
    outfile_printf(
        out, ",\"given\":%" PRIu64 ",\"pieces\":%" PRIu64 ",\"thin_ns\":%" PRIu64 ",\"data\":\"",
        lane->lane.given, lane->lane.pieces, lane->lane.thin_ns);
    write_base64(lane->lane.bytes, lane->lane.used, out);
    outfile_printf(out, "\"}");
}

void report_timeline_write(const struct report_timeline *t, struct outfile *out) {
    outfile_printf(out,
                   "{\"first_ns\":%" PRId64 ",\"last_ns\":%" PRId64 ",\"too_many\":%" PRIu64
                   ",\"unnamed\":%" PRIu64 ",\"lanes\":[",
                   t->any ? t->first_ns : 0, t->any ? t->last_ns : 0, t->too_many,
                   t->names.left_out);
    for (uint32_t i = 0; i < t->count; i++) {
        outfile_printf(out, i == 0 ? "\n" : ",\n");
        write_lane(&t->lanes[i], out);
    }
    outfile_printf(out, "],");
    write_arrows(&t->arrows, out);
    outfile_printf(out, "}");
}
