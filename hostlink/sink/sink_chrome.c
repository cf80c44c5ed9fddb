/* SPDX-License-Identifier: MIT */
/* Chrome's JSON trace format ("Trace Event Format", Google, 2016), held to the part that every reader
 * takes: each event with name, phase, process, thread and time; begins and ends that nest and repeat
 * the name; one series per counter, its key the counter's name; times in us from the start of the
 * capture. A process is a session of the board, a thread is a track. Each core has two
 * more threads: its tasks and interrupts, and its losses. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/join.h"
#include "base/utf8.h"
#include "kymo/wire.h"
#include "model/event.h"
#include "sink/chrome_event.h"
#include "sink/count_label.h"
#include "sink/sink.h"

/* ---- flows and asynchronous zones ---- */

static void start_of(struct chrome *chrome, const struct event *event, char phase,
                     const char *category) {
    start(chrome, phase, event->site->name, chrome_pid(event->track), event->track->id,
          event->time_ns);
    field(chrome, "cat", category);
}

static void field_number(struct chrome *chrome, const struct event *event) {
    put(chrome, ",\"id\":");
    json_number(chrome->out, event->u.flow.number);
}

static void arg_repair(struct chrome *chrome, const char *key, const struct event *event) {
    if (event->u.flow.repaired != FLOW_WHOLE) {
        const char *why = flow_repair_text((enum flow_repair)event->u.flow.repaired);
        arg_text(chrome, key, why, strlen(why));
    }
}

static void write_async(struct chrome *chrome, const struct event *event) {
    const bool begins = event->kind == EVENT_ASYNC_BEGIN;
    start_of(chrome, event, begins ? 'b' : 'e', "async");
    field_number(chrome, event);
    if (begins) {
        field_place(chrome, event->site);
        field_stack(chrome, event->stack);
        arg_number(chrome, "id", event->u.flow.id);
    }
    arg_repair(chrome, "end", event);
    finish(chrome);
}

/* An arrow joins slices: that of a flow is one that takes no time. */
static void write_flow(struct chrome *chrome, const struct event *event) {
    const bool sends = event->kind == EVENT_FLOW_SEND, ends = event->kind == EVENT_FLOW_RECEIVE;
    start_of(chrome, event, 'B', event_word(event->kind));
    field_place(chrome, event->site);
    field_stack(chrome, event->stack);
    arg_number(chrome, "id", event->u.flow.id);
    arg_repair(chrome, "flow", event);
    if (event->u.flow.number != 0 && !sends && event->u.flow.repaired != FLOW_NOT_SENT) {
        arg_number(chrome, "ns since its send", event_flow_ns(event));
    }
    if (event->u.flow.bound_ns != 0) {
        arg_number(chrome, "clock error, ns", (uint64_t)event->u.flow.bound_ns);
    }
    finish(chrome);
    if (event->u.flow.number != 0) {
        start_of(chrome, event, sends ? 's' : ends ? 'f' : 't', "flow");
        field_number(chrome, event);
        if (ends) { /* the slice that is open here, and none that begins later */
            field(chrome, "bp", "e");
        }
        finish(chrome);
    }
    start_of(chrome, event, 'E', event_word(event->kind));
    finish(chrome);
}

/* An event that carries the id of a flow. */
static void chrome_flow_event(struct chrome *chrome, const struct event *event) {
    if (event_is_async(event->kind)) {
        write_async(chrome, event);
    } else {
        write_flow(chrome, event);
    }
}

/* ---- states of tasks ---- */

/* The state of one task; all zero is the start. */
struct chrome_states {
    bool declared, open;
    uint32_t tid, session;
    const struct event_board *board;
};

struct track_zones {
    const struct track *track;
    struct zone_stack stack;
    struct chrome_states states;
};

/* Thread ids of task states; ids of series count from SERIES_TID_BASE. */
#define STATES_TID_BASE 0x60000000u

static void end_state(struct chrome *chrome, struct chrome_states *states, int64_t time_ns) {
    if (states->open) {
        start(chrome, 'E', "", states->session, states->tid, time_ns);
        finish(chrome);
    }
    states->open = false;
}

static void declare(struct chrome *chrome, struct chrome_states *states,
                    const struct track *track) {
    char name[256];
    if (!states->declared) {
        states->declared = true;
        states->tid = STATES_TID_BASE + track->id;
        states->session = track->session;
        states->board = track->board;
        join(name, sizeof name, (const char *const[]){track->name, ": state", NULL});
        metadata(chrome, "thread_name", track->session, states->tid, name);
    }
}

static void begin_state(struct chrome *chrome, const struct chrome_states *states,
                        const struct event *event) {
    const enum task_state state = (enum task_state)event->u.task.state;
    const struct track *other = event->u.task.other;
    const bool waits = state == TASK_WAITING;
    char name[TASK_REASON_BYTES] = "waits: ";
    if (waits) {
        task_reason(event, name + strlen(name), sizeof name - strlen(name));
    }
    start(chrome, 'B', waits ? name : task_state_word(state), states->session, states->tid,
          event->time_ns);
    field(chrome, "cat", "task");
    if (state == TASK_READY && event->u.task.woken && (other || event->u.task.interrupt)) {
        const char *waker = other ? other->name : "interrupt";
        arg_text(chrome, "woken by", waker, strlen(waker));
    }
    if (event->u.task.has_base) {
        arg_signed(chrome, "priority", event->u.task.priority);
    }
    finish(chrome);
}

/* EVENT_TASK. */
static void chrome_task(struct chrome *chrome, struct chrome_states *states,
                        const struct event *event) {
    const enum task_state state = (enum task_state)event->u.task.state;
    if (event->track->kind == KYMO_CONTEXT_MAIN) {
        return;
    }
    declare(chrome, states, event->track);
    end_state(chrome, states, event->time_ns);
    states->open = state != TASK_UNKNOWN && state != TASK_OVER;
    if (states->open) {
        begin_state(chrome, states, event);
    }
}

/* The session ends, or the output. */
static void chrome_task_end(struct chrome *chrome, struct chrome_states *states) {
    end_state(chrome, states, event_board_end_ns(states->board, chrome->last_ns));
}

/* ---- zones ---- */

static struct zone_stack *stack_of(struct chrome *chrome, const struct track *track) {
    if (!grow_zeroed(&chrome->tracks, &chrome->track_count, track->id, sizeof *chrome->tracks)) {
        return NULL;
    }
    chrome->tracks[track->id].track = track;
    return &chrome->tracks[track->id].stack;
}

/* A site whose name the zone is shown with, as text that is kept; or NULL. */
static const struct chrome_site *site_of(struct chrome *chrome, const struct open_zone *zone) {
    return zone->shown == zone->site->name ? chrome_site(&chrome->texts, zone->site) : NULL;
}

/* Writes the begin of the innermost zone, which has waited for its name. */
static void write_begin(struct chrome *chrome, const struct track *track,
                        struct zone_stack *stack) {
    struct open_zone *zone = zone_stack_top(stack);
    if (!zone || zone->shown) {
        return;
    }
    const char *name = open_zone_show(zone);
    const struct chrome_site *site = site_of(chrome, zone);
    if (site) {
        start_named(chrome, 'B', site, track, zone->start_ns);
        outfile_wrote(chrome->out, chrome_put(outfile_room(chrome->out), &site->place));
    } else {
        start(chrome, 'B', name, chrome_pid(track), track->id, zone->start_ns);
        field_place(chrome, zone->site);
    }
    if (stack->has_calls) {
        field_stack(chrome, zone_stack_take_calls(stack));
    }
    finish(chrome);
}

/* Few zones have any: out of line. */
static __attribute__((noinline)) void write_counters(struct chrome *chrome,
                                                     const struct zone_counters *counters) {
    if (counters->cycles != 0) {
        arg_number(chrome, "cycles", counters->cycles);
    }
    if (counters->instructions != 0) {
        arg_number(chrome, "instructions", counters->instructions);
    }
    for (uint32_t i = 0; i < counters->count; i++) {
        arg_number(chrome, count_label(counters->events[i].of->name), counters->events[i].times);
    }
}

static void write_end(struct chrome *chrome, const struct event *event, struct zone_stack *stack) {
    const struct open_zone *zone = zone_stack_top(stack);
    const struct chrome_site *site = site_of(chrome, zone);
    if (site) {
        start_named(chrome, 'E', site, event->track, event->time_ns);
    } else {
        start(chrome, 'E', zone->shown, chrome_pid(event->track), event->track->id, event->time_ns);
    }
    if (zone->late_name) {
        arg_text(chrome, "name", zone->late_name, strlen(zone->late_name));
    }
    if (zone->text) {
        arg_text(chrome, zone->text_cut ? "text (cut)" : "text", zone->text, zone->text_length);
    }
    if (zone->has_value) {
        arg_number(chrome, "value", zone->value);
    }
    if (zone->counters) {
        write_counters(chrome, zone->counters);
    }
    if (zone->has_color) {
        arg_color(chrome, "color", zone->color);
    }
    if (event->u.zone.repaired) {
        const char *why = zone_repair_text(event->u.zone.repaired);
        arg_text(chrome, "end", why, strlen(why));
    }
    finish(chrome);
    zone_stack_pop(stack);
}

/* ---- the other kinds of event ---- */

static void write_instant(struct chrome *chrome, const struct event *event, const char *category,
                          const char *name) {
    start(chrome, 'i', name, chrome_pid(event->track), event->track->id, event->time_ns);
    field(chrome, "s", "t");
    field(chrome, "cat", category);
    field_stack(chrome, event->stack);
}

static void write_message(struct chrome *chrome, const struct event *event) {
    const char *level = event_level_word(event->site->level);
    write_instant(chrome, event, "message", event->u.text.bytes);
    field_place(chrome, event->site);
    arg_text(chrome, "level", level, strlen(level));
    finish(chrome);
}

static int write_sample(struct chrome *chrome, const struct event *event) {
    if (event->u.sample.missed != 0) {
        write_instant(chrome, event, "sample", "samples missed");
        arg_number(chrome, "missed", event->u.sample.missed);
        finish(chrome);
    }
    const struct chrome_sample sample = {
        .time_ns = event->time_ns,
        .core = event->track->core,
        .tid = event->track->id,
        .frame = event->stack != NULL ? chrome_stack(&chrome->stacks, event->stack) : 0};
    return chrome_samples_add(&chrome->samples, &sample);
}

static void write_repair(struct chrome *chrome, const struct event *event) {
    write_instant(chrome, event, "repair", repair_text(event->u.repair));
    const char *name = event_name(event);
    if (name[0] != '\0') {
        arg_text(chrome, event->site ? "zone" : "object", name, strlen(name));
    }
    finish(chrome);
}

/* One end of the time for which a context waits for an object or holds it: asynchronous, as they may overlap. */
static void write_hold_end(struct chrome *chrome, const struct event *event, char phase,
                           bool waits) {
    char name[256];
    join(name, sizeof name,
         (const char *const[]){event->object->name, waits ? ": " : ": held by ", event->track->name,
                               waits ? " waits" : NULL, NULL});
    start(chrome, phase, name, event->track->session, event->track->id, event->time_ns);
    field(chrome, "cat", object_class_word(event->object->of));
    put(chrome, ",\"id\":\"");
    json_number(chrome->out, event->object->id);
    put(chrome, ".");
    json_number(chrome->out, event->track->id);
    put(chrome, "\"");
    field_stack(chrome, phase == 'b' ? event->stack : NULL);
    if (phase == 'e' && event->u.hold.repaired != HOLD_ENDED) {
        const char *why = hold_repair_text(event->u.hold.repaired);
        arg_text(chrome, "end", why, strlen(why));
    }
    finish(chrome);
}

static void write_hold(struct chrome *chrome, const struct event *event) {
    const enum event_hold what = event_hold(event->kind);
    if (what == EVENT_WAITS) {
        write_hold_end(chrome, event, 'b', true);
    } else if (what == EVENT_GIVES) {
        write_hold_end(chrome, event, 'e', event->u.hold.waited);
    } else {
        if (event->u.hold.waited) {
            write_hold_end(chrome, event, 'e', true);
        }
        write_hold_end(chrome, event, 'b', false);
    }
}

static void start_counter(struct chrome *chrome, const struct event *event, const char *name) {
    start(chrome, 'C', name, chrome_pid(event->track), event->track->id, event->time_ns);
    arg_key(chrome, name);
}

/* JSON has no number for infinities and NaN: they become instants, so that none goes unseen. */
static void write_plot(struct chrome *chrome, const struct event *event) {
    if (event->u.plot.type == PLOT_INT) {
        start_counter(chrome, event, event->site->name);
        const int64_t value = event->u.plot.integer;
        put(chrome, value < 0 ? "-" : "");
        json_number(chrome->out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    } else if (isfinite(event->u.plot.real)) {
        /* The fewest digits that give the same bits back: 9 of a float, 17 of a double. */
        start_counter(chrome, event, event->site->name);
        outfile_printf(chrome->out, "%.*g", event->u.plot.type == PLOT_FLOAT ? 9 : 17,
                       event->u.plot.real);
    } else {
        char text[32];
        snprintf(text, sizeof text, "%f", event->u.plot.real);
        write_instant(chrome, event, "plot", event->site->name);
        arg_text(chrome, "value", text, strlen(text));
    }
    finish(chrome);
}

/* Levels of objects, and stacks. */
static void write_curve(struct chrome *chrome, const struct event *event) {
    char name[EVENT_CURVE_BYTES];
    int64_t value;
    if (event_curve(event, name, &value)) {
        start_counter(chrome, event, name);
        json_number(chrome->out, (uint64_t)value);
        finish(chrome);
    }
}

/* Frames of one set may begin on one track and end on another: asynchronous events allow that. */
static int write_frame(struct chrome *chrome, const struct event *event) {
    const char *name = event->site->name[0] != '\0' ? event->site->name : "frame";
    if (event->kind == EVENT_FRAME) {
        write_instant(chrome, event, "frame", name);
        finish(chrome);
        return 0;
    }
    struct series *set =
        series_by_name(&chrome->series, event->track->session, SERIES_FRAMES, name);
    if (!set) {
        return -ENOMEM;
    }
    start(chrome, event->kind == EVENT_FRAME_START ? 'b' : 'e', name, event->track->session,
          event->track->id, event->time_ns);
    field(chrome, "cat", "frame");
    put(chrome, ",\"id\":");
    json_number(chrome->out, set->number + UINT64_C(1));
    if (event->kind == EVENT_FRAME_END && event->u.frame.repaired != FRAME_ENDED) {
        const char *why = frame_repair_text(event->u.frame.repaired);
        arg_text(chrome, "end", why, strlen(why));
    }
    finish(chrome);
    return 0;
}

/* Tracy's importer shows a counter whose name ends in "_bytes" as memory. */
static int write_memory(struct chrome *chrome, const struct event *event) {
    char name[256];
    struct series *pool =
        series_by_name(&chrome->series, event->track->session, SERIES_POOL, event->site->name);
    if (!pool) {
        return -ENOMEM;
    }
    series_pool(pool, event);
    join(name, sizeof name, (const char *const[]){event->site->name, "_bytes", NULL});
    start_counter(chrome, event, name);
    json_number(chrome->out, pool->live_bytes);
    finish(chrome);

    write_instant(chrome, event, "memory", event->kind == EVENT_ALLOC ? "alloc" : "free");
    arg_text(chrome, "pool", event->site->name, strlen(event->site->name));
    arg_address(chrome, "address", event->u.memory.address);
    arg_number(chrome, "bytes", event->u.memory.bytes);
    if (event->u.memory.repaired) {
        arg_text(chrome, "free", free_repair_text, strlen(free_repair_text));
    }
    finish(chrome);
    return 0;
}

/* ---- rows of a core ---- */

static struct series *core_row(struct chrome *chrome, const struct track *track,
                               enum series_kind kind, const char *what) {
    struct series *row = series_by_core(&chrome->series, track->session, kind, track->core);
    if (row && !row->declared) {
        char name[160];
        if (track->device) {
            snprintf(name, sizeof name, "%.64s %.40s %.40s", track->device->name, track->name,
                     what);
        } else {
            snprintf(name, sizeof name, "core %" PRIu32 " %s", track->core, what);
        }
        metadata(chrome, "thread_name", track->session, SERIES_TID_BASE + row->number, name);
        row->declared = true;
    }
    return row;
}

static void begin_run(struct chrome *chrome, struct series *row, const struct track *track,
                      int64_t time_ns) {
    row->runs[row->run_count++] = (struct series_run){track, track->name};
    start(chrome, 'B', track->name, row->session, SERIES_TID_BASE + row->number,
          series_not_before(row, time_ns));
    field(chrome, "cat", "run");
    finish(chrome);
}

static void resume(struct chrome *chrome, struct series *row, int64_t time_ns) {
    if (row->resumes != NULL && time_ns > row->last_ns) {
        begin_run(chrome, row, row->resumes, row->last_ns);
    }
    row->resumes = NULL;
}

/* All but the outermost "stay". */
static void end_runs(struct chrome *chrome, struct series *row, uint32_t stay, int64_t time_ns) {
    while (row->run_count > stay) {
        start(chrome, 'E', row->runs[--row->run_count].name, row->session,
              SERIES_TID_BASE + row->number, series_not_before(row, time_ns));
        finish(chrome);
    }
}

static int write_switch(struct chrome *chrome, const struct event *event) {
    struct series *row = core_row(chrome, event->track, SERIES_RUNS, "runs");
    if (!row) {
        return -ENOMEM;
    }
    resume(chrome, row, event->time_ns);
    const uint32_t stay = series_stay(row, event->track);
    const bool runs = stay > 0 && row->runs[stay - 1].track == event->track;
    end_runs(chrome, row, stay, event->time_ns);
    if (!runs && event->track->kind != KYMO_CONTEXT_MAIN) {
        begin_run(chrome, row, event->track, event->time_ns);
    }
    return 0;
}

static int forget_track(struct chrome *chrome, const struct track *track) {
    struct series *row = series_by_core(&chrome->series, track->session, SERIES_RUNS, track->core);
    if (row) {
        const int64_t end_ns = event_board_end_ns(track->board, chrome->last_ns);
        resume(chrome, row, end_ns);
        end_runs(chrome, row, series_stay_without(row, track), end_ns);
    }
    return row ? 0 : -ENOMEM;
}

/* The core's run is unknown where events were lost. */
static int interrupt_runs(struct chrome *chrome, const struct event *event) {
    struct series *row =
        series_by_core(&chrome->series, event->track->session, SERIES_RUNS, event->track->core);
    if (row && row->declared && event->u.gap.start_ns < event->time_ns) {
        resume(chrome, row, event->u.gap.start_ns);
        end_runs(chrome, row, 0, event->u.gap.start_ns);
        (void)series_not_before(row, event->time_ns);
        row->resumes = event->track->kind != KYMO_CONTEXT_MAIN ? event->track : NULL;
    }
    return row ? 0 : -ENOMEM;
}

/* Two losses of a core may overlap; slices may not. */
static int write_gap(struct chrome *chrome, const struct event *event) {
    static const char *const causes[] = {"ring full", "link", "reset"};
    struct series *row = core_row(chrome, event->track, SERIES_LOSS, "lost events");
    if (!row) {
        return -ENOMEM;
    }
    int64_t begin_ns = event->u.gap.start_ns > row->last_ns ? event->u.gap.start_ns : row->last_ns;
    row->last_ns = event->time_ns > begin_ns ? event->time_ns : begin_ns;
    uint32_t tid = SERIES_TID_BASE + row->number;
    start(chrome, 'B', "lost events", event->track->session, tid, begin_ns);
    field(chrome, "cat", "loss");
    arg_number(chrome, "lost", event->u.gap.lost);
    arg_text(chrome, "cause", causes[event->u.gap.cause], strlen(causes[event->u.gap.cause]));
    finish(chrome);
    start(chrome, 'E', "lost events", event->track->session, tid, row->last_ns);
    finish(chrome);
    return interrupt_runs(chrome, event);
}

/* ---- the sink ---- */

/* The process of a device, and the place of a row in it. */
static void name_device(struct chrome *chrome, const struct track *track) {
    char name[256];
    const struct device *device = track->device;
    struct series *row =
        series_by_core(&chrome->series, track->session, SERIES_DEVICE, device->number);
    if (row && !row->declared) {
        char full[256];
        const char *board = track->board != NULL ? track->board->name : "";
        row->declared = true;
        snprintf(full, sizeof full, "%.100s%s%.100s", board, board[0] != '\0' ? "/" : "",
                 device->name);
        utf8_clean(name, sizeof name, full, strlen(full));
        metadata(chrome, "process_name", chrome_pid(track), 0, name);
    }
    start(chrome, 'M', "thread_sort_index", chrome_pid(track), track->id, 0);
    arg_number(chrome, "sort_index", (uint64_t)device->y << 16 | device->x);
    finish(chrome);
}

static void write_track(struct chrome *chrome, const struct track *track) {
    static const char interrupt[] = " (interrupt)";
    char name[256];
    utf8_clean(name, sizeof name - sizeof interrupt, track->name, strlen(track->name));
    if (track->kind == KYMO_CONTEXT_INTERRUPT) {
        strcat(name, interrupt);
    }
    if (track->device) {
        name_device(chrome, track);
    }
    metadata(chrome, "thread_name", chrome_pid(track), track->id, name);
}

/* Kinds without a form of their own above, by their role. */
static int write_role(struct chrome *chrome, const struct event *event, struct zone_stack *stack) {
    char text[EVENT_TEXT_BYTES];
    switch (event_role(event->kind)) {
    case KYMO_ROLE_OPENS:
        return zone_stack_push(stack, event);
    case KYMO_ROLE_CLOSES:
        write_end(chrome, event, stack);
        return 0;
    case KYMO_ROLE_SAMPLE:
        write_plot(chrome, event);
        return 0;
    case KYMO_ROLE_TASK:
        write_curve(chrome, event);
        return 0;
    case KYMO_ROLE_POINT:
    case KYMO_ROLE_STATE:
        (void)event_text(event, text, sizeof text);
        write_instant(chrome, event, event_word(event->kind), text);
        finish(chrome);
        return 0;
    default:
        if (event_holds(event->kind)) {
            write_hold(chrome, event);
        }
        return 0;
    }
}

static int write_event(struct chrome *chrome, const struct event *event, struct zone_stack *stack) {
    switch (event->kind) {
    case EVENT_TRACK:
        write_track(chrome, event->track);
        return 0;
    case EVENT_TRACK_END:
        zone_stack_free(stack);
        return forget_track(chrome, event->track);
    case EVENT_MESSAGE:
        write_message(chrome, event);
        return 0;
    case EVENT_FRAME:
    case EVENT_FRAME_START:
    case EVENT_FRAME_END:
        return write_frame(chrome, event);
    case EVENT_ALLOC:
    case EVENT_FREE:
        return write_memory(chrome, event);
    case EVENT_APP_INFO:
        write_instant(chrome, event, "app info", event->u.text.bytes);
        finish(chrome);
        return 0;
    case EVENT_REPAIR:
        write_repair(chrome, event);
        return 0;
    case EVENT_SWITCH:
        return write_switch(chrome, event);
    case EVENT_TASK:
        chrome_task(chrome, &chrome->tracks[event->track->id].states, event);
        return 0;
    case EVENT_GAP:
        return write_gap(chrome, event);
    case EVENT_SAMPLE:
        return write_sample(chrome, event);
    case EVENT_FLOW_SEND:
    case EVENT_FLOW_STEP:
    case EVENT_FLOW_RECEIVE:
    case EVENT_ASYNC_BEGIN:
    case EVENT_ASYNC_END:
        chrome_flow_event(chrome, event);
        return 0;
    default:
        return write_role(chrome, event, stack);
    }
}

static int write_on_track(struct chrome *chrome, const struct event *event) {
    struct zone_stack *stack = stack_of(chrome, event->track);
    if (!stack) {
        return -ENOMEM;
    }
    if (zone_is_note(event->kind)) {
        return zone_stack_note(stack, event);
    }
    write_begin(chrome, event->track, stack);
    return write_event(chrome, event, stack);
}

/* Ends the states of tasks of the board whose session ends; NULL: of all. */
static void end_states(struct chrome *chrome, const struct event *session) {
    for (uint32_t i = 0; i < chrome->track_count; i++) {
        struct chrome_states *states = &chrome->tracks[i].states;
        if (!session ||
            event_board_number(session->u.session.board) == event_board_number(states->board)) {
            chrome_task_end(chrome, states);
        }
    }
}

static int chrome_event(void *state, const struct event *event) {
    struct chrome *chrome = state;
    int error = 0;
    chrome->last_ns = event->time_ns > chrome->last_ns ? event->time_ns : chrome->last_ns;
    if (event->kind == EVENT_SESSION) {
        const char *image = event->u.session.image;
        if (event_ends_session(event)) {
            end_states(chrome, event);
        }
        metadata(chrome, "process_name", event->u.session.session, 0,
                 image[0] != '\0' ? image : "board");
    } else {
        error = write_on_track(chrome, event);
    }
    /* Errors of writing are kept by the file itself. */
    return outfile_fail(chrome->out, error);
}

static int chrome_end(void *state) {
    struct chrome *chrome = state;
    for (uint32_t i = 0; i < chrome->track_count; i++) {
        struct track_zones *zones = &chrome->tracks[i];
        if (zones->track) {
            write_begin(chrome, zones->track, &zones->stack);
        }
        zone_stack_free(&zones->stack);
    }
    end_states(chrome, NULL);
    for (uint32_t i = 0; i < chrome->series.keys.count; i++) {
        struct series *core = chrome->series.rows[i];
        const int64_t end_ns = series_end_ns(core, chrome->last_ns);
        resume(chrome, core, end_ns);
        end_runs(chrome, core, 0, end_ns);
    }
    outfile_printf(chrome->out, "\n]");
    chrome_stacks_write(&chrome->stacks, chrome->out);
    (void)outfile_fail(chrome->out, chrome_samples_write(&chrome->samples, chrome->out));
    outfile_printf(chrome->out, "}\n");
    chrome_samples_free(&chrome->samples);
    series_free(&chrome->series);
    chrome_texts_free(&chrome->texts);
    chrome_stacks_free(&chrome->stacks);
    free(chrome->tracks);
    return 0;
}

static int chrome_start(void *state) {
    (void)outfile_printf(((struct chrome *)state)->out,
                         "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    return 0;
}

const struct sink sink_chrome = {
    .name = "chrome",
    .suffixes = ".json",
    .help = "Chrome's JSON trace format, for most viewers",
    .size = sizeof(struct chrome),
    .begin = chrome_start,
    .event = chrome_event,
    .end = chrome_end,
};
