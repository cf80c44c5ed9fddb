/* SPDX-License-Identifier: MIT */
/* Every event as a line of CSV, for a spreadsheet or a script: time, place, kind and value. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/join.h"
#include "sink/csv_field.h"
#include "sink/outfile.h"
#include "sink/sink.h"

static void write_text(struct outfile *out, const char *text) {
    csv_field(out, text, strlen(text));
}

/* A number and a comma. */
static void write_number(struct outfile *out, uint64_t value) {
    char *end = decimal_put(outfile_room(out), value);
    *end++ = ',';
    outfile_wrote(out, end);
}

static void write_signed(struct outfile *out, int64_t value) {
    outfile_write(out, "-", value < 0 ? 1 : 0);
    write_number(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void write_address(struct outfile *out, uint64_t address) {
    outfile_write(out, "0x", 2);
    outfile_wrote(out, hexadecimal_put(outfile_room(out), address));
}

static void write_plot(struct outfile *out, const struct event *event) {
    if (event->u.plot.type == PLOT_INT) {
        write_signed(out, event->u.plot.integer);
    } else {
        outfile_printf(out, "%.17g,", event->u.plot.real);
    }
}

/* The value of a zone's end is the zone's duration. */
static void write_zone_end(struct outfile *out, const struct event *event) {
    write_number(out, (uint64_t)event->time_ns - (uint64_t)event->u.zone.start_ns);
    if (event->u.zone.repaired != ZONE_ENDED) {
        write_text(out, zone_repair_text(event->u.zone.repaired));
    }
}

static void write_memory(struct outfile *out, const struct event *event) {
    write_number(out, event->u.memory.bytes);
    write_address(out, event->u.memory.address);
    if (event->u.memory.repaired) {
        outfile_printf(out, " %s", free_repair_text);
    }
}

static void write_gap(struct outfile *out, const struct event *event) {
    static const char *const causes[] = {[GAP_RING_FULL] = "events lost: the ring was full",
                                         [GAP_LINK] = "events lost on the way",
                                         [GAP_RESET] = "events lost in a reset"};
    outfile_printf(out, "%" PRIu64 ",%s", event->u.gap.lost, causes[event->u.gap.cause]);
}

/* The value is the duration of the hold that ends, or of the wait if an object is taken. */
static void write_hold(struct outfile *out, const struct event *event) {
    write_number(out, (uint64_t)event->time_ns - (uint64_t)event->u.hold.start_ns);
    if (event->u.hold.repaired != HOLD_ENDED) {
        write_text(out, hold_repair_text(event->u.hold.repaired));
    } else if (event->u.hold.waited && event_hold(event->kind) == EVENT_GIVES) {
        write_text(out, "not obtained");
    }
}

/* The duration of the state before, and why this one began. */
static void write_task(struct outfile *out, const struct event *event) {
    const enum task_state state = (enum task_state)event->u.task.state;
    const char *other = event->u.task.other ? event->u.task.other->name : "";
    char text[256] = "";
    const bool waits = state == TASK_WAITING;
    const char *why = waits || (state == TASK_READY && event->u.task.woken)
                          ? task_why_word(event->u.task.why)
                          : "";
    const char *who = !other[0]             ? NULL
                      : !waits              ? " woken by "
                      : event->u.task.guess ? " taken by "
                                            : " held by ";
    if (event->u.task.before != TASK_UNKNOWN) {
        write_number(out, (uint64_t)event->time_ns - (uint64_t)event->u.task.since_ns);
    } else {
        outfile_write(out, ",", 1);
    }
    join(text, sizeof text,
         (const char *const[]){why,
                               who                       ? who
                               : event->u.task.interrupt ? " woken by interrupt"
                                                         : "",
                               other, event->u.task.deadlock ? ": deadlock" : "", NULL});
    write_text(out, text[0] == ' ' ? text + 1 : text);
}

/* The last two columns, as the kind's payload is. */
static void write_payload(struct outfile *out, const struct event *event) {
    switch (event_payload(event->kind)) {
    case KYMO_CARRIES_U32:
    case KYMO_CARRIES_U64:
    case KYMO_CARRIES_COLOR:
        write_number(out, event->u.value);
        break;
    case KYMO_CARRIES_I64:
    case KYMO_CARRIES_FLOAT:
    case KYMO_CARRIES_DOUBLE:
        write_plot(out, event);
        break;
    case KYMO_CARRIES_BLOCK:
    case KYMO_CARRIES_ADDRESS:
        write_memory(out, event);
        break;
    case KYMO_CARRIES_COUNTERS:
        write_number(out, event->u.counters.cycles);
        outfile_wrote(out, decimal_put(outfile_room(out), event->u.counters.instructions));
        break;
    case KYMO_CARRIES_COUNT:
        write_number(out, event->u.count.times);
        write_text(out, event->u.count.of->name);
        break;
    case KYMO_CARRIES_PRIORITY: {
        static const char *const causes[] = {"set", "inherited", "given back"};
        const uint8_t cause = event->u.priority.cause;
        write_signed(out, event->u.priority.value);
        write_text(out, cause < sizeof causes / sizeof causes[0] ? causes[cause] : "?");
        break;
    }
    case KYMO_CARRIES_UNUSED:
        write_number(out, event->u.stack.unused);
        outfile_printf(out, "of %" PRIu32, event->u.stack.bytes);
        break;
    case KYMO_CARRIES_PERIOD:
        write_number(out, event->u.period.period_us);
        outfile_printf(out, "us; deadline %" PRIu32, event->u.period.deadline_us);
        break;
    case KYMO_CARRIES_LEVEL:
        write_number(out, event->u.level);
        break;
    case KYMO_CARRIES_FLOW:
        write_number(out, event->u.flow.id);
        if (event->u.flow.repaired != FLOW_WHOLE) {
            write_text(out, flow_repair_text((enum flow_repair)event->u.flow.repaired));
        } else if (event->u.flow.bound_ns != 0) {
            outfile_printf(out, "clock error %" PRId64 " ns", event->u.flow.bound_ns);
        }
        break;
    case KYMO_CARRIES_SAMPLE:
        write_number(out, event->u.sample.missed);
        break;
    case KYMO_CARRIES_LARGE:
        write_number(out, event->u.large.bytes);
        write_text(out, event->u.large.name);
        break;
    case KYMO_CARRIES_TEXT:
    case KYMO_CARRIES_ARGUMENTS:
    case KYMO_CARRIES_MESSAGE:
        outfile_write(out, ",", 1);
        csv_field(out, event->u.text.bytes, event->u.text.length);
        break;
    default:
        outfile_write(out, ",", 1);
        break;
    }
}

static void write_value(struct outfile *out, const struct event *event) {
    switch (event->kind) {
    case EVENT_SESSION:
        write_number(out, event->u.session.session);
        write_text(out, event->u.session.image);
        break;
    case EVENT_ZONE_END:
        write_zone_end(out, event);
        break;
    case EVENT_FRAME_END:
        outfile_write(out, ",", 1);
        if (event->u.frame.repaired != FRAME_ENDED) {
            write_text(out, frame_repair_text(event->u.frame.repaired));
        }
        break;
    case EVENT_GAP:
        write_gap(out, event);
        break;
    case EVENT_TASK:
        write_task(out, event);
        break;
    case EVENT_REPAIR:
        outfile_write(out, ",", 1);
        write_text(out, repair_text(event->u.repair));
        break;
    default:
        if (event_holds(event->kind)) {
            write_hold(out, event);
        } else {
            write_payload(out, event);
        }
        break;
    }
}

/* Addresses, the innermost first. */
static void write_stack(struct outfile *out, const struct callstack *stack) {
    outfile_write(out, ",", 1);
    for (uint32_t i = 0; stack && i < stack->count; i++) {
        outfile_write(out, " ", i == 0 ? 0 : 1);
        write_address(out, stack->address[i]);
    }
}

static int events_event(void *state, const struct event *event) {
    struct outfile *out = *(struct outfile **)state;
    if (event->kind == EVENT_TRACK_END) {
        return out->error; /* nothing happened */
    }
    write_signed(out, event->time_ns);
    if (event->track && event->track->device) {
        char row[200];
        snprintf(row, sizeof row, "%.64s: %.128s", event->track->device->name, event->track->name);
        outfile_write(out, ",", 1);
        csv_field(out, row, strlen(row));
    } else if (event->track) {
        write_number(out, event->track->core);
        write_text(out, event->track->name);
    } else {
        outfile_write(out, ",", 1);
    }
    const char *word = event_word(event->kind);
    outfile_write(out, ",", 1);
    outfile_write(out, word, strlen(word));
    if (event->kind == EVENT_TASK) {
        outfile_printf(out, " %s", task_state_word((enum task_state)event->u.task.state));
    }
    outfile_write(out, ",", 1);
    write_text(out, event_name(event));
    outfile_write(out, ",", 1);
    write_value(out, event);
    write_stack(out, event->stack);
    return outfile_write(out, "\n", 1);
}

static int events_begin(void *state) {
    (void)outfile_printf(*(struct outfile **)state,
                         "time_ns,core,context,kind,name,value,text,stack\n");
    return 0;
}

const struct sink sink_csv_events = {
    .name = "csv-events",
    .suffixes = ".events.csv",
    .help = "every event, a line each: messages, plots, zones",
    .size = sizeof(struct outfile *),
    .begin = events_begin,
    .event = events_event,
};
