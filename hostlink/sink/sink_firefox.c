/* SPDX-License-Identifier: MIT */
/* Firefox' profiler, its processed format of version 63 (firefox-devtools/profiler, docs-developer), which newer
 * versions upgrade: a thread for each row, whose samples are the stacks of zones with the time that each was the
 * innermost one and ran, and whose markers are zones, holds, frames, messages; a thread for a row's samples; a
 * counter for each plot and pool. The format has columns, so all is kept until the end. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/board_info.h"
#include "sink/firefox_tables.h"
#include "sink/json_text.h"
#include "sink/sink.h"
#include "sink/zonestack.h"

#define VERSION 63

struct sample {
    int64_t time_ns, weight_ns;
    uint32_t stack;
};

enum marker_type {
    MARKER_ZONE,
    MARKER_MESSAGE,
    MARKER_FRAME,
    MARKER_LOCK,
    MARKER_TASK,
    MARKER_LOST
};

struct marker {
    int64_t start_ns, end_ns;
    uint32_t name, text; /* strings */
    uint8_t type, category;
};

struct thread {
    const struct track *track;
    bool sampled, first; /* of samples; the first of its session */
    bool paused;         /* its core runs another row */
    struct zone_stack zones;
    uint32_t *stacks; /* of the open zones */
    uint32_t depth, stack_capacity;
    struct sample *samples;
    uint32_t sample_count, sample_capacity;
    struct marker *markers;
    uint32_t marker_count, marker_capacity;
};

struct value {
    int64_t time_ns;
    double change;
};

struct counter {
    const char *name;
    bool memory;
    double last;
    struct value *values;
    uint32_t count, capacity;
};

struct firefox {
    struct outfile *out;
    struct firefox_tables tables;
    struct thread *threads;
    uint32_t thread_count, thread_capacity;
    struct keytable keys; /* of threads: track, sampled */
    struct counter *counters;
    uint32_t counter_count, counter_capacity;
    struct keytable counter_keys; /* memory, name */
    struct keytable frame_keys;   /* sets of frames */
    int64_t *frame_starts;        /* INT64_MIN: none is open */
    uint32_t frame_count, frame_capacity;
    uint32_t running[BOARD_INFO_LANES]; /* threads + 1 */
    int64_t epoch_ns, last_ns;
    char *image;
};

/* ---- threads ---- */

static bool is_first(const struct firefox *f, const struct track *track) {
    uint32_t i = 0;
    while (i < f->thread_count && f->threads[i].track->session != track->session) {
        i++;
    }
    return i == f->thread_count;
}

static struct thread *thread_of(struct firefox *f, const struct track *track, bool sampled) {
    const uint32_t key[2] = {track->id, sampled};
    const int64_t number = keytable_add(&f->keys, key, sizeof key);
    if (number < 0 || (number == f->thread_count && !grow(&f->threads, &f->thread_capacity,
                                                          f->thread_count, sizeof *f->threads))) {
        return NULL;
    }
    if (number == f->thread_count) {
        const uint32_t runs = track->device ? 0 : f->running[track->core];
        f->threads[number] = (struct thread){
            .track = track, .sampled = sampled, .first = is_first(f, track), .paused = runs != 0};
        f->thread_count++;
    }
    return &f->threads[number];
}

static enum firefox_category category_of(const struct track *track) {
    return track->kind == KYMO_CONTEXT_INTERRUPT ? FIREFOX_INTERRUPT
           : track->kind == KYMO_CONTEXT_TASK    ? FIREFOX_TASK
                                                 : FIREFOX_MAIN;
}

/* From here on the thread runs this, up to its next sample. */
static int add_sample(struct thread *t, int64_t time_ns, uint32_t stack) {
    struct sample *last = t->sample_count > 0 ? &t->samples[t->sample_count - 1] : NULL;
    if (last && time_ns <= last->time_ns) {
        last->stack = stack;
        return 0;
    }
    if (last) {
        last->weight_ns = time_ns - last->time_ns;
    }
    if (!grow(&t->samples, &t->sample_capacity, t->sample_count, sizeof *t->samples)) {
        return -ENOMEM;
    }
    t->samples[t->sample_count++] = (struct sample){time_ns, 0, stack};
    return 0;
}

static int sample_zones(struct thread *t, int64_t time_ns) {
    return add_sample(t, time_ns,
                      t->paused || t->depth == 0 ? FIREFOX_NONE : t->stacks[t->depth - 1]);
}

static int take_switch(struct firefox *f, struct thread *t, int64_t time_ns) {
    uint32_t *running = &f->running[t->track->core];
    int error = 0;
    for (uint32_t i = 0; *running == 0 && i < f->thread_count; i++) {
        struct thread *other = &f->threads[i];
        other->paused =
            other->paused || (other->track->core == t->track->core && other->depth == 0);
        if (!other->paused && other != t && other->track->core == t->track->core) {
            *running = i + 1; /* its open zones ran until now */
        }
    }
    if (*running != 0 && &f->threads[*running - 1] != t) {
        f->threads[*running - 1].paused = true;
        error = sample_zones(&f->threads[*running - 1], time_ns);
    }
    *running = (uint32_t)(t - f->threads) + 1;
    t->paused = false;
    return error ? error : sample_zones(t, time_ns);
}

/* ---- markers ---- */

static int add_marker(struct firefox *f, struct thread *t, enum marker_type type, int64_t start_ns,
                      int64_t end_ns, const char *name, const char *text, size_t text_length) {
    static const enum firefox_category categories[] = {
        FIREFOX_OTHER, FIREFOX_MESSAGE, FIREFOX_OTHER, FIREFOX_LOCK, FIREFOX_OTHER, FIREFOX_LOSS};
    if (!grow(&t->markers, &t->marker_capacity, t->marker_count, sizeof *t->markers)) {
        return -ENOMEM;
    }
    t->markers[t->marker_count++] = (struct marker){
        .start_ns = start_ns,
        .end_ns = end_ns,
        .name = firefox_string(&f->tables, name, strlen(name)),
        .text = text_length > 0 ? firefox_string(&f->tables, text, text_length) : FIREFOX_NONE,
        .type = (uint8_t)type,
        .category = (uint8_t)(type == MARKER_ZONE ? category_of(t->track) : categories[type])};
    return f->tables.error;
}

/* An event without a form of its own is a marker with its text. */
static int add_moment(struct firefox *f, struct thread *t, const struct event *event) {
    char text[EVENT_TEXT_BYTES];
    const size_t length = event_text(event, text, sizeof text);
    return add_marker(f, t, MARKER_MESSAGE, event->time_ns, event->time_ns, event_word(event->kind),
                      text, length);
}

/* ---- zones ---- */

static int open_zone(struct firefox *f, struct thread *t, const struct event *event) {
    const struct site *site = event->site;
    if (!grow(&t->stacks, &t->stack_capacity, t->depth, sizeof *t->stacks)) {
        return -ENOMEM;
    }
    const uint32_t prefix = t->depth > 0 ? t->stacks[t->depth - 1] : FIREFOX_NONE;
    t->stacks[t->depth++] = firefox_stack(&f->tables, prefix, site->name, site->file, site->line,
                                          category_of(t->track));
    int error = zone_stack_push(&t->zones, event);
    return error ? error : sample_zones(t, event->time_ns);
}

static int end_zone(struct firefox *f, struct thread *t, const struct event *event) {
    const struct open_zone *zone = zone_stack_top(&t->zones);
    const char *repair =
        event->u.zone.repaired == ZONE_ENDED ? "" : zone_repair_text(event->u.zone.repaired);
    if (!zone || t->depth == 0) {
        return 0;
    }
    const char *text = zone->text ? zone->text : repair;
    const char *name = zone->late_name ? zone->late_name
                       : zone->name    ? zone->name
                                       : zone->site->name;
    int error = add_marker(f, t, MARKER_ZONE, event->u.zone.start_ns, event->time_ns, name, text,
                           zone->text ? zone->text_length : strlen(repair));
    zone_stack_pop(&t->zones);
    t->depth--;
    return error ? error : sample_zones(t, event->time_ns);
}

/* ---- the rest ---- */

static int take_hold(struct firefox *f, struct thread *t, const struct event *event) {
    const enum event_hold hold = event_hold(event->kind);
    const char *what = event->u.hold.waited ? "waits for" : "holds";
    if (hold == EVENT_WAITS || (hold == EVENT_TAKES && !event->u.hold.waited)) {
        return 0;
    }
    return add_marker(f, t, MARKER_LOCK, event->u.hold.start_ns, event->time_ns,
                      event->object->name, what, strlen(what));
}

/* Equal names are one text. */
static int take_frame(struct firefox *f, struct thread *t, const struct event *event) {
    const char *name = event->site->name;
    const int64_t number = keytable_add(&f->frame_keys, &name, sizeof name);
    if (number < 0 ||
        !grow(&f->frame_starts, &f->frame_capacity, f->frame_count, sizeof *f->frame_starts)) {
        return -ENOMEM;
    }
    if ((uint32_t)number == f->frame_count) {
        f->frame_starts[f->frame_count++] = INT64_MIN;
    }
    const int64_t since_ns = f->frame_starts[number];
    f->frame_starts[number] = event->kind == EVENT_FRAME_END ? INT64_MIN : event->time_ns;
    if (since_ns == INT64_MIN || event->kind == EVENT_FRAME_START) {
        return 0;
    }
    return add_marker(f, t, MARKER_FRAME, since_ns, event->time_ns, name, "", 0);
}

static int take_task(struct firefox *f, struct thread *t, const struct event *event) {
    const enum task_state before = (enum task_state)event->u.task.before;
    return before == TASK_UNKNOWN ? 0
                                  : add_marker(f, t, MARKER_TASK, event->u.task.since_ns,
                                               event->time_ns, task_state_word(before), "", 0);
}

static int take_gap(struct firefox *f, struct thread *t, const struct event *event) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%" PRIu64 " events", event->u.gap.lost);
    return add_marker(f, t, MARKER_LOST, event->u.gap.start_ns, event->time_ns, "events lost", text,
                      (size_t)length);
}

static int add_value(struct firefox *f, const struct event *event, bool memory, double change) {
    const char *name = event->site->name;
    if (!isfinite(change)) {
        return 0; /* JSON has no such number */
    }
    char key[1 + sizeof name];
    key[0] = memory ? 1 : 0;
    memcpy(key + 1, &name, sizeof name);
    const int64_t number = keytable_add(&f->counter_keys, key, sizeof key);
    if (number < 0 ||
        (number == f->counter_count &&
         !grow(&f->counters, &f->counter_capacity, f->counter_count, sizeof *f->counters))) {
        return -ENOMEM;
    }
    if (number == f->counter_count) {
        f->counters[f->counter_count++] = (struct counter){.name = name, .memory = memory};
    }
    struct counter *counter = &f->counters[number];
    if (!grow(&counter->values, &counter->capacity, counter->count, sizeof *counter->values)) {
        return -ENOMEM;
    }
    counter->values[counter->count++] =
        (struct value){event->time_ns, memory ? change : change - counter->last};
    counter->last = memory ? counter->last + change : change;
    return 0;
}

/* The callers first. */
static int take_sample(struct firefox *f, const struct event *event) {
    struct thread *t = thread_of(f, event->track, true);
    const struct callstack *stack = event->stack;
    uint32_t at = FIREFOX_NONE;
    for (uint32_t i = stack ? stack->count : 0; i > 0; i--) {
        const uint64_t address = stack->address[i - 1];
        char hex[20];
        (void)snprintf(hex, sizeof hex, "0x%" PRIx64, address);
        const struct code_line unknown = {.function = hex, .file = ""};
        const struct code_place none = {.count = 1, .lines = &unknown};
        const struct code_place *place = symbols_find(stack->symbols, address);
        place = place ? place : &none;
        for (uint32_t n = place->count; n > 0; n--) {
            const struct code_line *line = &place->lines[n - 1];
            at = firefox_stack(&f->tables, at, line->function[0] ? line->function : hex, line->file,
                               line->line, category_of(event->track));
        }
    }
    if (!t || !grow(&t->samples, &t->sample_capacity, t->sample_count, sizeof *t->samples)) {
        return -ENOMEM;
    }
    t->samples[t->sample_count++] =
        (struct sample){event->time_ns, (int64_t)event->u.sample.period_ns, at};
    return f->tables.error;
}

static int take_on_thread(struct firefox *f, struct thread *t, const struct event *event) {
    switch (event->kind) {
    case EVENT_TRACK:
    case EVENT_TRACK_END:
    case EVENT_SAMPLE:
        return 0;
    case EVENT_ZONE_END:
        return end_zone(f, t, event);
    case EVENT_SWITCH:
        return take_switch(f, t, event->time_ns);
    case EVENT_TASK:
        return take_task(f, t, event);
    case EVENT_GAP:
        return take_gap(f, t, event);
    case EVENT_MESSAGE:
        return add_marker(f, t, MARKER_MESSAGE, event->time_ns, event->time_ns,
                          event->site->name[0] ? event->site->name : "message", event->u.text.bytes,
                          event->u.text.length);
    case EVENT_ALLOC:
        return add_value(f, event, true, (double)event->u.memory.bytes);
    case EVENT_FREE:
        return add_value(f, event, true, -(double)event->u.memory.bytes);
    default:
        break;
    }
    switch (event_role(event->kind)) {
    case KYMO_ROLE_OPENS:
        return open_zone(f, t, event);
    case KYMO_ROLE_NOTE:
        return t->zones.depth > 0 ? zone_stack_note(&t->zones, event) : 0;
    case KYMO_ROLE_SAMPLE:
        return add_value(f, event, false, event->u.plot.real);
    default:
        return event_holds(event->kind)      ? take_hold(f, t, event)
               : event_is_frame(event->kind) ? take_frame(f, t, event)
                                             : add_moment(f, t, event);
    }
}

static int take(struct firefox *f, const struct event *event) {
    f->last_ns = event->time_ns > f->last_ns ? event->time_ns : f->last_ns;
    if (event->kind == EVENT_SESSION) {
        char *image = strdup(event->u.session.image);
        free(f->image);
        f->image = image;
        f->epoch_ns = f->epoch_ns ? f->epoch_ns : event->u.session.epoch_ns;
        return image ? 0 : -ENOMEM;
    }
    if (event->kind == EVENT_SAMPLE) {
        return take_sample(f, event);
    }
    struct thread *t = thread_of(f, event->track, false);
    const int error = t ? take_on_thread(f, t, event) : -ENOMEM;
    return error ? error : f->tables.error;
}

static int on_event(void *state, const struct event *event) {
    struct firefox *f = state;
    return outfile_fail(f->out, take(f, event));
}

/* ---- writing ---- */

/* Milliseconds. */
static void put_time(struct outfile *out, const char *before, int64_t ns) {
    outfile_printf(out, "%s%s%" PRId64 ".%06" PRId64, before, ns < 0 ? "-" : "",
                   (ns < 0 ? -ns : ns) / 1000000, (ns < 0 ? -ns : ns) % 1000000);
}

static const char *between(uint32_t i) { return i == 0 ? "" : ","; }

static void put_index(struct outfile *out, uint32_t i, uint32_t number) {
    if (number == FIREFOX_NONE) {
        outfile_printf(out, "%snull", between(i));
    } else {
        outfile_printf(out, "%s%" PRIu32, between(i), number);
    }
}

static void write_samples(const struct thread *t, struct outfile *out) {
    outfile_printf(out, "\"samples\":{\"stack\":[");
    for (uint32_t i = 0; i < t->sample_count; i++) {
        put_index(out, i, t->samples[i].stack);
    }
    outfile_printf(out, "],\"time\":[");
    for (uint32_t i = 0; i < t->sample_count; i++) {
        put_time(out, between(i), t->samples[i].time_ns);
    }
    outfile_printf(out, "],\"weight\":[");
    for (uint32_t i = 0; i < t->sample_count; i++) {
        put_time(out, between(i), t->samples[i].weight_ns);
    }
    outfile_printf(out, "],\"weightType\":\"tracing-ms\",\"length\":%" PRIu32 "}", t->sample_count);
}

static const char *const marker_types[] = {"zone", "message", "frame", "lock", "state", "lost"};
#define MARKER_TYPES (sizeof marker_types / sizeof *marker_types)

static void write_markers(const struct thread *t, struct outfile *out) {
    const uint32_t count = t->marker_count;
    outfile_printf(out, ",\"markers\":{\"name\":[");
    for (uint32_t i = 0; i < count; i++) {
        put_index(out, i, t->markers[i].name);
    }
    outfile_printf(out, "],\"startTime\":[");
    for (uint32_t i = 0; i < count; i++) {
        put_time(out, between(i), t->markers[i].start_ns);
    }
    outfile_printf(out, "],\"endTime\":[");
    for (uint32_t i = 0; i < count; i++) {
        put_time(out, between(i), t->markers[i].end_ns);
    }
    outfile_printf(out, "],\"phase\":[");
    for (uint32_t i = 0; i < count; i++) {
        put_index(out, i, t->markers[i].type == MARKER_MESSAGE ? 0 : 1);
    }
    outfile_printf(out, "],\"category\":[");
    for (uint32_t i = 0; i < count; i++) {
        put_index(out, i, t->markers[i].category);
    }
    outfile_printf(out, "],\"data\":[");
    for (uint32_t i = 0; i < count; i++) {
        outfile_printf(out, "%s{\"type\":\"%s\"", between(i), marker_types[t->markers[i].type]);
        if (t->markers[i].text != FIREFOX_NONE) {
            outfile_printf(out, ",\"text\":%" PRIu32, t->markers[i].text);
        }
        outfile_printf(out, "}");
    }
    outfile_printf(out, "],\"length\":%" PRIu32 "}", count);
}

static void write_string(struct outfile *out, const char *key, const char *text) {
    outfile_printf(out, "\"%s\":", key);
    json_text(out, text, strlen(text));
    outfile_printf(out, ",");
}

static void write_thread(const struct firefox *f, const struct thread *t, struct outfile *out) {
    char name[EVENT_CURVE_BYTES];
    (void)snprintf(name, sizeof name, "%.100s%s%.32s%s",
                   t->track->device ? t->track->device->name : "", t->track->device ? ": " : "",
                   t->track->name, t->sampled ? ", samples" : "");
    outfile_printf(out, "{\"processType\":\"default\",\"processStartupTime\":0,"
                        "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
                        "\"pausedRanges\":[],\"showMarkersInTimeline\":true,");
    write_string(out, "name", name);
    write_string(out, "processName", f->image && f->image[0] ? f->image : "firmware");
    outfile_printf(out, "\"isMainThread\":%s,\"pid\":\"%" PRIu32 "\",\"tid\":%" PRIu32 ",",
                   t->first ? "true" : "false", t->track->session + 1,
                   (uint32_t)(t - f->threads) + 1);
    write_samples(t, out);
    write_markers(t, out);
    outfile_printf(out, "}");
}

static uint32_t session_thread(const struct firefox *f) {
    uint32_t i = 0;
    while (i + 1 < f->thread_count && !f->threads[i].first) {
        i++;
    }
    return i;
}

static void write_counter(const struct firefox *f, const struct counter *counter,
                          struct outfile *out) {
    outfile_printf(out, "{");
    write_string(out, "name", counter->name);
    outfile_printf(out,
                   "\"category\":\"%s\",\"description\":\"%s\",\"pid\":\"1\","
                   "\"mainThreadIndex\":%" PRIu32 ",\"display\":{\"graphType\":"
                   "\"line-accumulated\",\"unit\":\"%s\",\"color\":\"%s\","
                   "\"markerSchemaLocation\":null,\"sortWeight\":20,",
                   counter->memory ? "Memory" : "Plot", counter->memory ? "live bytes" : "a plot",
                   session_thread(f), counter->memory ? "bytes" : "",
                   counter->memory ? "orange" : "blue");
    write_string(out, "label", counter->name);
    outfile_printf(out,
                   "\"tooltipRows\":[{\"type\":\"value\",\"source\":\"accumulated\","
                   "\"format\":{\"unit\":\"%s\"},\"label\":\"value\"}]},"
                   "\"samples\":{\"time\":[",
                   counter->memory ? "bytes" : "number");
    for (uint32_t i = 0; i < counter->count; i++) {
        put_time(out, between(i), counter->values[i].time_ns);
    }
    outfile_printf(out, "],\"count\":[");
    for (uint32_t i = 0; i < counter->count; i++) {
        outfile_printf(out, "%s%.17g", between(i), counter->values[i].change);
    }
    outfile_printf(out, "],\"length\":%" PRIu32 "}}", counter->count);
}

static void write_meta(const struct firefox *f, struct outfile *out) {
    outfile_printf(out,
                   "{\"meta\":{\"interval\":1,\"startTime\":%" PRId64
                   ",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"version\":30,"
                   "\"preprocessedProfileVersion\":%d,\"symbolicated\":true,"
                   "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
                   "\"keepProfileThreadOrder\":true,\"importedFrom\":\"hostlink %s\",",
                   f->epoch_ns / 1000000, VERSION, KYMO_VERSION);
    write_string(out, "product", f->image && f->image[0] ? f->image : "firmware");
    firefox_write_categories(out);
    outfile_printf(out, ",\"markerSchema\":[");
    for (uint32_t i = 0; i < MARKER_TYPES; i++) {
        outfile_printf(out,
                       "%s{\"name\":\"%s\",\"tooltipLabel\":\"{marker.name}\",\"display\":["
                       "\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
                       "\"tableLabel\":\"{marker.data.text}\",\"fields\":[{\"key\":\"text\","
                       "\"label\":\"Text\",\"format\":\"unique-string\"}]}",
                       between(i), marker_types[i]);
    }
    outfile_printf(out, "]},\n\"libs\":[],\"pages\":[],\"counters\":[");
}

static void write_all(const struct firefox *f, struct outfile *out) {
    write_meta(f, out);
    for (uint32_t i = 0; i < f->counter_count; i++) {
        outfile_printf(out, "%s\n", between(i));
        write_counter(f, &f->counters[i], out);
    }
    outfile_printf(out, "],\n");
    firefox_write_shared(&f->tables, out);
    outfile_printf(out, ",\n\"threads\":[");
    for (uint32_t i = 0; i < f->thread_count; i++) {
        outfile_printf(out, "%s\n", between(i));
        write_thread(f, &f->threads[i], out);
    }
    outfile_printf(out, "]}\n");
}

static int end(void *state) {
    struct firefox *f = state;
    for (uint32_t i = 0; i < f->thread_count; i++) {
        struct thread *t = &f->threads[i];
        if (!t->sampled && t->sample_count > 0) {
            (void)outfile_fail(
                f->out,
                add_sample(t, event_board_end_ns(t->track->board, f->last_ns), FIREFOX_NONE));
        }
    }
    write_all(f, f->out);
    for (uint32_t i = 0; i < f->thread_count; i++) {
        zone_stack_free(&f->threads[i].zones);
        free(f->threads[i].stacks);
        free(f->threads[i].samples);
        free(f->threads[i].markers);
    }
    for (uint32_t i = 0; i < f->counter_count; i++) {
        free(f->counters[i].values);
    }
    firefox_tables_free(&f->tables);
    keytable_free(&f->keys);
    keytable_free(&f->counter_keys);
    keytable_free(&f->frame_keys);
    free(f->threads);
    free(f->counters);
    free(f->frame_starts);
    free(f->image);
    return 0;
}

const struct sink sink_firefox = {
    .name = "firefox",
    .suffixes = ".firefox.json",
    .help = "zones, samples and curves for profiler.firefox.com",
    .size = sizeof(struct firefox),
    .event = on_event,
    .end = end,
};
