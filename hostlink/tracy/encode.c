/* SPDX-License-Identifier: MIT */
#include "tracy/encode.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kinds.h"
#include "base/utf8.h"
#include "kymo/wire.h"

/* ---- the crash ---- */

void tracy_crash_send_again(struct tracy_encode *e) {
    const int64_t time_ns = e->crash.time_ns;
    if (e->connected && e->crash.text != 0) {
        tracy_put_thread(&e->stream, e->crash.thread);
        tracy_put_item(
            &e->stream, TRACY_CRASH_REPORT,
            &(struct tracy_fields){.time_ns = time_ns < e->base_ns ? e->base_ns : time_ns,
                                   .key = e->crash.text});
    }
}

/* A viewer holds one. */
static void tracy_crash_take(struct tracy_encode *e, const struct event *message) {
    if (message->site->level != KYMO_LEVEL_CRASH) {
        return;
    }
    e->crash.leaves_open = true;
    if (e->crash.text == 0) {
        e->crash.text = tracy_names_text(&e->names, message->u.text.bytes);
        e->crash.time_ns = message->time_ns;
        e->crash.thread = message->track->id;
        tracy_crash_send_again(e);
    }
}

/* True: the zone's end is not shown, as the program ended before it. */
static bool tracy_crash_leaves_open(const struct tracy_encode *e, const struct event *end) {
    return e->crash.leaves_open && end->u.zone.repaired == ZONE_END_OPEN;
}

void tracy_crash_end(struct tracy_encode *e) {
    if (e->crash.text != 0) {
        tracy_put_item(&e->stream, TRACY_CRASH, &(struct tracy_fields){0});
    }
}

#define MAIN_SET "Frame"   /* how a set without a name is called, here as in the viewer */
#define MAIN_POOL "memory" /* also a pool; the viewer calls it its default one */
#define REPAIR_COLOR 0xffa040u
#define LOSS_COLOR 0xff4040u

/* Where events were lost: a place for the zones of TRACY_THREAD_LOST. */
static const struct site lost_site = {
    .kind = KYMO_SITE_ZONE,
    .color = LOSS_COLOR,
    .known = true,
    .name = "events lost",
    .function = "events lost",
    .file = "hostlink",
};

void tracy_encode_free(struct tracy_encode *e) {
    tracy_names_free(&e->names);
    tracy_tracks_free(&e->tracks);
    tracy_allocations_free(&e->allocations);
    tracy_frame_sets_free(&e->frame_sets);
    tracy_locks_free(&e->locks);
    tracy_callstacks_free(&e->callstacks);
    tracy_pictures_free(&e->pictures);
    for (size_t i = 0; i < e->info_count; i++) {
        free(e->infos[i].text);
    }
    free(e->params);
    intmap_free(&e->param_numbers);
}

static void message(struct tracy_encode *e, uint32_t thread, int64_t time_ns, const char *text,
                    uint32_t color, uint8_t level) {
    if (!e->connected) {
        return;
    }
    struct tracy_message item = {.time_ns = time_ns < e->base_ns ? e->base_ns : time_ns,
                                 .text = text,
                                 .length = strlen(text),
                                 .color = color,
                                 .level = level};
    tracy_put_thread(&e->stream, thread);
    tracy_put_message(&e->stream, &item);
}

static void repaired(void *context, uint32_t thread, int64_t time_ns, enum tracy_repair repair) {
    struct tracy_encode *e = context;
    if (tracy_repairs_count(&e->repairs, repair)) {
        char text[160];
        (void)snprintf(text, sizeof text, "hostlink: %s", tracy_repair_text(repair));
        message(e, thread, time_ns, text, REPAIR_COLOR, KYMO_LEVEL_WARNING);
    }
}

void tracy_encode_wire(struct tracy_encode *e) {
    e->allocations.stream = e->frame_sets.stream = &e->stream;
    e->allocations.callstacks = &e->callstacks;
    e->allocations.repaired = e->frame_sets.repaired = repaired;
    e->allocations.context = e->frame_sets.context = e;
}

static struct tracy_picture_output picture_output(struct tracy_encode *e) {
    return (struct tracy_picture_output){.stream = &e->stream,
                                         .frames_before = e->frames_before,
                                         .marks = e->frame_sets.marks,
                                         .now_ns = e->now_ns,
                                         .repaired = repaired,
                                         .context = e};
}

static int picture_event(struct tracy_encode *e, const struct event *event) {
    const struct tracy_picture_output out = picture_output(e);
    if (e->connected) {
        tracy_pictures_event(&e->pictures, &out, event);
    }
    return e->connected ? e->stream.error : 0;
}

int tracy_encode_large(struct tracy_encode *e, const struct large *large, const uint8_t *bytes,
                       size_t length) {
    const struct tracy_picture_output out = picture_output(e);
    if (e->connected) {
        tracy_pictures_receive(&e->pictures, &out, large, bytes, length);
    }
    return e->connected ? e->stream.error : 0;
}

struct tracy_lock_output tracy_encode_lock_output(struct tracy_encode *e) {
    return (struct tracy_lock_output){.stream = e->connected ? &e->stream : NULL,
                                      .names = &e->names,
                                      .base_ns = e->base_ns,
                                      .repaired = repaired,
                                      .context = e};
}

static void reached(struct tracy_encode *e, struct tracy_track *t, int64_t time_ns) {
    t->last_ns = time_ns;
    e->now_ns = time_ns > e->now_ns ? time_ns : e->now_ns;
}

/* Clamps a time to the viewer's start. */
static int64_t shown(const struct tracy_encode *e, int64_t time_ns) {
    return time_ns < e->base_ns ? e->base_ns : time_ns;
}

/* Its call stack, right before the item of its thread that shows it; true: there is one. */
static bool called(struct tracy_encode *e, uint32_t thread, const struct event *event) {
    if (!tracy_has_callstack(event->stack)) {
        return false;
    }
    if (tracy_callstacks_unfit(event->stack)) {
        repaired(e, thread, event->time_ns, TRACY_REPAIR_ADDRESS);
        tracy_put_thread(&e->stream, thread);
    }
    tracy_callstacks_put(&e->callstacks, &e->stream, TRACY_CALLSTACK, event->stack);
    return true;
}

/* The viewer takes none without an address. */
static void sample(struct tracy_encode *e, struct tracy_track *t, const struct event *event,
                   int64_t time_ns) {
    e->sample_period_ns = event->u.sample.period_ns;
    if (!e->connected || !tracy_has_callstack(event->stack)) {
        return;
    }
    if (tracy_callstacks_unfit(event->stack)) {
        repaired(e, t->track->id, time_ns, TRACY_REPAIR_ADDRESS);
    }
    tracy_callstacks_put_sample(&e->callstacks, &e->stream, t->track->id, shown(e, time_ns),
                                event->stack);
}

static int zone_begin(struct tracy_encode *e, struct tracy_track *t, const struct event *event,
                      int64_t time_ns) {
    int64_t site = tracy_names_site(&e->names, event->site);
    int error = site < 0 ? (int)site : tracy_track_push(t, time_ns, (uint32_t)site);
    if (error == -E2BIG) {
        repaired(e, t->track->id, time_ns, TRACY_REPAIR_TOO_DEEP);
        return 0;
    }
    const bool is_gpus = tracy_gpu_has(&e->gpus, t);
    if (is_gpus) {
        const struct device *device = t->track->device;
        t->submitted_ns = device->submitted ? device->submitted_ns : time_ns;
    }
    if (error == 0 && e->connected) {
        const uint64_t place = tracy_names_place(&e->names, (uint32_t)site);
        if (is_gpus) {
            tracy_gpu_begin(&e->gpus, &e->stream, t, shown(e, t->submitted_ns), shown(e, time_ns),
                            place);
            return 0;
        }
        tracy_put_thread(&e->stream, t->track->id);
        if (called(e, t->track->id, event)) {
            tracy_put_zone_begin_called(&e->stream, shown(e, time_ns), place);
        } else {
            tracy_put_zone_begin(&e->stream, shown(e, time_ns), place);
        }
    }
    return error;
}

/* Reports an event that the timeline has repaired. */
static void mended(struct tracy_encode *e, const struct tracy_track *t, const struct event *event) {
    const enum tracy_repair why = tracy_repair_of(event);
    if (why != TRACY_REPAIR_COUNT) {
        repaired(e, t->track->id, event->time_ns, why);
    }
}

void tracy_encode_zone_end(struct tracy_encode *e, struct tracy_track *t, int64_t time_ns) {
    if (t->gpu != 0) {
        tracy_gpu_end(&e->gpus, &e->stream, t, shown(e, t->submitted_ns), shown(e, time_ns));
    } else {
        tracy_put_thread(&e->stream, t->track->id);
        tracy_put_zone_end(&e->stream, shown(e, time_ns));
    }
    e->zones++;
}

static int zone_end(struct tracy_encode *e, struct tracy_track *t, const struct event *event,
                    int64_t time_ns) {
    if (t->beyond > 0) {
        t->beyond--;
        return 0;
    }
    t->depth--;
    if (e->connected && !tracy_crash_leaves_open(e, event)) {
        tracy_encode_zone_end(e, t, time_ns);
    }
    mended(e, t, event);
    return 0;
}

static int zone_attribute(struct tracy_encode *e, struct tracy_track *t,
                          const struct event *event) {
    if (t->beyond > 0 || !e->connected || t->gpu != 0) {
        return 0; /* a zone of a GPU has no notes */
    }
    tracy_put_thread(&e->stream, t->track->id);
    if (event->kind == EVENT_ZONE_VALUE) {
        tracy_put_zone_value(&e->stream, event->u.value);
    } else if (event->kind == EVENT_ZONE_COLOR) {
        tracy_put_zone_color(&e->stream, (uint32_t)event->u.value);
    } else if (event->kind == EVENT_ZONE_TEXT || event->kind == EVENT_ZONE_NAME) {
        tracy_put_zone_string(&e->stream,
                              event->kind == EVENT_ZONE_TEXT ? TRACY_ZONE_TEXT : TRACY_ZONE_NAME,
                              event->u.text.bytes, event->u.text.length);
    } else {
        char text[EVENT_TEXT_BYTES];
        const size_t length = event_text(event, text, sizeof text);
        tracy_put_zone_string(&e->stream, TRACY_ZONE_TEXT, text, length);
    }
    return 0;
}

/* A viewer has no level for a crash. */
static uint8_t tracy_level(uint8_t level) {
    return level == KYMO_LEVEL_CRASH  ? KYMO_LEVEL_FATAL
           : level < KYMO_LEVEL_CRASH ? level
                                      : KYMO_LEVEL_INFO;
}

/* Before 0.14 the viewer knows no levels, so colours tell them. */
static uint32_t level_color(uint8_t level) {
    static const uint32_t colors[] = {0x808080, 0xa0a0a0, 0, 0xe0c000, 0xff4040, 0xff00c0};
    return level < sizeof colors / sizeof colors[0] ? colors[level] : 0;
}

static void user_message(struct tracy_encode *e, struct tracy_track *t, const struct event *event,
                         int64_t time_ns) {
    tracy_crash_take(e, event);
    if (!e->connected) {
        return;
    }
    const uint8_t level = tracy_level(event->site->level);
    const uint32_t color = event->u.text.color != 0 ? event->u.text.color : event->site->color;
    struct tracy_message item = {.time_ns = shown(e, time_ns),
                                 .text = event->u.text.bytes,
                                 .length = event->u.text.length,
                                 .color = color != 0                          ? color & 0xffffffu
                                          : e->stream.proto->message_metadata ? 0
                                                                              : level_color(level),
                                 .level = level};
    tracy_put_thread(&e->stream, t->track->id);
    item.called = called(e, t->track->id, event);
    tracy_put_message(&e->stream, &item);
}

static void put_plot_config(struct tracy_encode *e, uint64_t key, uint32_t detail, uint32_t color) {
    const uint32_t format = detail & 3u; /* the numbers of kymo/wire.h are those of Tracy */
    tracy_put_plot_config(&e->stream, key, (uint8_t)(format <= KYMO_PLOT_PERCENT ? format : 0),
                          (detail & KYMO_PLOT_STEP) != 0, (detail & KYMO_PLOT_FILL) != 0,
                          color & 0xffffffu);
}

/* A plot without settings stays as the viewer shows plots by itself. */
static void configure_plot(struct tracy_encode *e, struct tracy_site *entry, uint64_t key) {
    const struct site *site = entry->site;
    if (entry->configured || !site->known) {
        return;
    }
    entry->configured = true;
    if ((site->detail & ~KYMO_PLOT_UNSIGNED) != 0 || site->color != 0) {
        put_plot_config(e, key, site->detail, site->color);
    }
}

static bool is_number(const struct event *event) {
    double real = event->u.plot.real;
    return event->u.plot.type == PLOT_INT ||
           (isfinite(real) && (event->u.plot.type == PLOT_DOUBLE || fabs(real) <= (double)FLT_MAX));
}

static int plot(struct tracy_encode *e, struct tracy_track *t, const struct event *event,
                int64_t time_ns) {
    if (!is_number(event)) {
        repaired(e, t->track->id, time_ns, TRACY_REPAIR_PLOT_VALUE);
        return 0;
    }
    if (!e->connected) {
        return 0;
    }
    int64_t site = tracy_names_site(&e->names, event->site);
    uint64_t key = site < 0 ? 0 : tracy_names_set(&e->names, (uint32_t)site, event->track->board);
    if (key == 0) {
        return -ENOMEM;
    }
    configure_plot(e, &e->names.sites[site], key);
    tracy_put_thread(&e->stream, t->track->id);
    if (event->u.plot.type == PLOT_INT) {
        tracy_put_plot_int(&e->stream, shown(e, time_ns), key, event->u.plot.integer);
    } else if (event->u.plot.type == PLOT_FLOAT) {
        tracy_put_plot_float(&e->stream, shown(e, time_ns), key, (float)event->u.plot.real);
    } else {
        tracy_put_plot_double(&e->stream, shown(e, time_ns), key, event->u.plot.real);
    }
    return 0;
}

/* By an event of its own, which counts from here on. */
static int plot_config(struct tracy_encode *e, const struct event *event) {
    if (!e->connected) {
        return 0;
    }
    const int64_t site = tracy_names_site(&e->names, event->site);
    const uint64_t key =
        site < 0 ? 0 : tracy_names_set(&e->names, (uint32_t)site, event->track->board);
    if (key == 0) {
        return -ENOMEM;
    }
    e->names.sites[site].configured = true;
    put_plot_config(e, key, (uint32_t)event->u.value, (uint32_t)(event->u.value >> 32));
    return 0;
}

/* Memory and frames: put in order over all cores. */
static int set_event(struct tracy_encode *e, struct tracy_track *t, const struct event *event,
                     int64_t time_ns) {
    bool frame = event_is_frame(event->kind);
    const bool only_board = event->track->board == NULL; /* the viewer has one main set, and pool */
    const bool main_pool = only_board && !frame && strcmp(event->site->name, MAIN_POOL) == 0;
    const bool main_set =
        only_board && event->kind == EVENT_FRAME && strcmp(event->site->name, MAIN_SET) == 0;
    e->frames += main_set;
    mended(e, t, event);
    if (!e->connected) {
        return 0;
    }
    if (frame && !event->site->known) {
        repaired(e, t->track->id, time_ns, TRACY_REPAIR_FRAME_NAMELESS);
        return 0;
    }
    int64_t site = tracy_names_site(&e->names, event->site);
    uint64_t key = site < 0 ? 0 : tracy_names_set(&e->names, (uint32_t)site, event->track->board);
    if (key == 0) {
        return -ENOMEM;
    }
    if (frame) {
        const struct tracy_frame_event item = {.time_ns = shown(e, time_ns),
                                               .kind = event->kind,
                                               .thread = t->track->id,
                                               .key = main_set ? 0 : key};
        return tracy_frame_sets_put(&e->frame_sets, &item);
    }
    const struct tracy_block_event item = {.time_ns = shown(e, time_ns),
                                           .kind = event->kind,
                                           .thread = t->track->id,
                                           .key = main_pool ? 0 : key,
                                           .address = event->u.memory.address,
                                           .bytes = event->u.memory.bytes,
                                           .stack = event->stack};
    tracy_allocations_put(&e->allocations, &item);
    return 0;
}

static int keep_info(struct tracy_encode *e, const struct event *event, int64_t time_ns) {
    char *text = malloc(event->u.text.length + 1);
    if (text == NULL) {
        return -ENOMEM;
    }
    memcpy(text, event->u.text.bytes, event->u.text.length);
    if (e->info_count == TRACY_APP_INFO_MAX) {
        free(e->infos[0].text);
        memmove(e->infos, e->infos + 1, sizeof e->infos - sizeof e->infos[0]);
        e->info_count--;
    }
    e->infos[e->info_count++] = (struct tracy_app_info){time_ns, text, event->u.text.length};
    return 0;
}

static int app_info(struct tracy_encode *e, const struct event *event, int64_t time_ns) {
    if (e->connected) {
        tracy_put_app_info(&e->stream, shown(e, time_ns), event->u.text.bytes,
                           event->u.text.length);
    }
    return keep_info(e, event, time_ns);
}

static const char *cause_text(enum gap_cause cause) {
    switch (cause) {
    case GAP_RING_FULL:
        return "the board's ring was full";
    case GAP_RESET:
        return "the board was reset";
    default:
        return "on the way from the board";
    }
}

/* A zone as long as the loss, on a thread of the core's losses, and a message where it ended. */
static int gap(struct tracy_encode *e, struct tracy_track *t, const struct event *event) {
    uint32_t core = t->track->core < TRACY_CORES_MAX ? t->track->core : TRACY_CORES_MAX - 1;
    int64_t end = event->time_ns > e->lost_ns[core] ? event->time_ns : e->lost_ns[core];
    int64_t start =
        event->u.gap.start_ns > e->lost_ns[core] ? event->u.gap.start_ns : e->lost_ns[core];
    start = start < end ? start : end;
    e->lost_ns[core] = end;
    e->board[core] = t->track->board;
    e->now_ns = end > e->now_ns ? end : e->now_ns;
    int64_t site = tracy_names_site(&e->names, &lost_site);
    if (!e->connected || site < 0) {
        return site < 0 ? (int)site : 0;
    }
    if (t->track->core < TRACY_CORES_MAX) {
        tracy_cores_gap(&e->cores, &e->tracks, &e->stream, core, shown(e, start), shown(e, end));
    }
    char text[96];
    int length = snprintf(text, sizeof text, "%llu events lost: %s",
                          (unsigned long long)event->u.gap.lost, cause_text(event->u.gap.cause));
    tracy_put_thread(&e->stream, TRACY_THREAD_LOST + core);
    tracy_put_zone_begin(&e->stream, shown(e, start), tracy_names_place(&e->names, (uint32_t)site));
    tracy_put_zone_string(&e->stream, TRACY_ZONE_TEXT, text, (size_t)length);
    tracy_put_zone_value(&e->stream, event->u.gap.lost);
    tracy_put_zone_end(&e->stream, shown(e, end));
    message(e, t->track->id, end, text, LOSS_COLOR, KYMO_LEVEL_ERROR);
    return 0;
}

/* Other boards go on. */
static void reset_pools(struct tracy_encode *e, const struct event_board *board) {
    for (uint32_t i = 0; i < e->names.count && e->connected; i++) {
        const struct tracy_site *site = &e->names.sites[i];
        if (site->set_key != 0 && site->board == board && site->site->kind == KYMO_SITE_POOL) {
            tracy_allocations_reset_pool(&e->allocations, site->set_key, e->now_ns);
        }
    }
}

static int session(struct tracy_encode *e, const struct event *event) {
    const char *image = event->u.session.image;
    utf8_clean(e->image, sizeof e->image, image, strlen(image));
    e->has_session = true;
    e->info = event->u.session.info;
    e->clock_hz = event->u.session.clock_hz;
    if (event->u.session.session == 0) {
        e->epoch_ns = event->u.session.epoch_ns;
    }
    if (!event_ends_session(event)) {
        return 0;
    }
    e->now_ns = event->time_ns > e->now_ns ? event->time_ns : e->now_ns;
    e->crash.leaves_open = false;
    message(e, TRACY_THREAD_LOST, e->now_ns, "the board was reset: a new session begins",
            LOSS_COLOR, KYMO_LEVEL_WARNING);
    if (event->u.session.board != NULL) {
        reset_pools(e, event->u.session.board);
        return 0; /* the rest of what this one held ends by events of its own */
    }
    if (e->connected) {
        tracy_allocations_reset(&e->allocations, e->now_ns);
    }
    tracy_pictures_restart(&e->pictures);
    const struct tracy_lock_output out = tracy_encode_lock_output(e);
    tracy_locks_reset(&e->locks, &out, e->now_ns);
    return 0;
}

static int object_event(struct tracy_encode *e, const struct event *event, int64_t time_ns) {
    const struct tracy_lock_output out = tracy_encode_lock_output(e);
    return tracy_locks_event(&e->locks, &out, event, time_ns);
}

/* Shows an event without an item of its own as a message. */
static void point(struct tracy_encode *e, struct tracy_track *t, const struct event *event,
                  int64_t time_ns) {
    char text[EVENT_TEXT_BYTES];
    (void)event_text(event, text, sizeof text);
    message(e, t->track->id, time_ns, text, 0, KYMO_LEVEL_INFO);
}

/* By the role of the kind. */
static int role_event(struct tracy_encode *e, struct tracy_track *t, const struct event *event,
                      int64_t time_ns) {
    switch (event_role(event->kind)) {
    case KYMO_ROLE_OPENS:
        return zone_begin(e, t, event, time_ns);
    case KYMO_ROLE_CLOSES:
        return zone_end(e, t, event, time_ns);
    case KYMO_ROLE_NOTE:
        return zone_attribute(e, t, event);
    case KYMO_ROLE_SAMPLE:
        return plot(e, t, event, time_ns);
    case KYMO_ROLE_POINT:
    case KYMO_ROLE_STATE:
        if (!tracy_picture_event(event)) {
            point(e, t, event, time_ns);
        }
        return picture_event(e, event);
    default: /* names of rows are known by themselves */
        return event->object != NULL ? object_event(e, event, time_ns) : 0;
    }
}

/* The kinds for which the viewer has more than the form of their role. */
static int track_event(struct tracy_encode *e, struct tracy_track *t, const struct event *event) {
    const int64_t time_ns = event->time_ns;
    reached(e, t, time_ns);
    switch (event->kind) {
    case EVENT_MESSAGE:
        user_message(e, t, event, time_ns);
        return 0;
    case EVENT_FRAME:
    case EVENT_FRAME_START:
    case EVENT_FRAME_END:
    case EVENT_ALLOC:
    case EVENT_FREE:
        return set_event(e, t, event, time_ns);
    case EVENT_PLOT_CONFIG:
        return plot_config(e, event);
    case EVENT_LOCK_MARK:
        return object_event(e, event, time_ns);
    case EVENT_APP_INFO:
        return app_info(e, event, time_ns);
    case EVENT_SAMPLE:
        sample(e, t, event, time_ns);
        return 0;
    case EVENT_REPAIR:
        mended(e, t, event);
        return 0;
    case EVENT_SWITCH:
        if (e->lanes_are_no_cores) {
            return 0;
        }
        tracy_cores_run(&e->cores, &e->tracks, e->connected ? &e->stream : NULL, t->track,
                        shown(e, time_ns));
        return 0;
    default:
        return role_event(e, t, event, time_ns);
    }
}

/* Levels of objects, and stacks. */
static int curve(struct tracy_encode *e, const struct event *event) {
    char name[EVENT_CURVE_BYTES];
    int64_t value;
    if (!e->connected || !event_curve(event, name, &value)) {
        return 0;
    }
    const uint64_t key = tracy_names_text(&e->names, name);
    tracy_put_thread(&e->stream, event->track->id);
    tracy_put_plot_int(&e->stream, shown(e, event->time_ns), key, value);
    return key != 0 ? 0 : -ENOMEM;
}

/* Not in the order of its track's events. */
static int task_event(struct tracy_encode *e, const struct event *event) {
    const bool of_core = event->kind == EVENT_TASK || event->kind == EVENT_TASK_PRIORITY;
    e->now_ns = event->time_ns > e->now_ns ? event->time_ns : e->now_ns;
    if (of_core && !e->lanes_are_no_cores) {
        tracy_cores_task(&e->tracks, e->connected ? &e->stream : NULL, event,
                         shown(e, event->time_ns));
    }
    return curve(e, event);
}

/* Open zones are tracked also without a viewer, and after the last time that a viewer can hold. */
static int encode(struct tracy_encode *e, const struct event *event) {
    struct tracy_track *t = tracy_tracks_get(&e->tracks, event->track);
    if (t == NULL) {
        const bool beyond = event->track->id >= TRACY_TRACKS_MAX;
        repaired(e, TRACY_THREAD_LOST, e->now_ns, TRACY_REPAIR_TOO_MANY_ROWS);
        return beyond ? 0 : -ENOMEM;
    }
    if (event->kind == EVENT_TRACK || event->kind == EVENT_TRACK_END) {
        return tracy_track_known(t, event); /* names are known by themselves */
    }
    if (event->kind == EVENT_TASK || event_role(event->kind) == KYMO_ROLE_TASK) {
        return task_event(e, event);
    }
    e->events += e->connected;
    return event->kind == EVENT_GAP ? gap(e, t, event) : track_event(e, t, event);
}

int tracy_encode_event(struct tracy_encode *e, const struct event *event) {
    if (event->kind == EVENT_SESSION) {
        return session(e, event);
    }
    const bool connected = e->connected;
    const bool too_late = connected && event->time_ns - e->base_ns >= TRACY_TIME_LIMIT_NS;
    e->connected = connected && !too_late;
    const int error = encode(e, event);
    e->connected = connected;
    return error != 0 ? error : too_late ? -EOVERFLOW : connected ? e->stream.error : 0;
}
