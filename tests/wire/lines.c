/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <inttypes.h>
#include <string.h>

#include "kymo/wire.h"

static const char *kind_name(uint8_t kind) {
    switch (kind) {
#define NAME(name, number, reference, payload, role, word)                                         \
    case number:                                                                                   \
        return #name;
        KYMO_KINDS(NAME)
#undef NAME
    default:
        return NULL;
    }
}

void print_wire_event(FILE *out, const struct wire_event *event) {
    const char *name = kind_name(event->kind);
    if (name != NULL) {
        (void)fprintf(out, "%s", name);
    } else {
        (void)fprintf(out, "0x%x", (unsigned)event->kind);
    }
    (void)fprintf(out, " ticks=%" PRIu64, event->ticks);
    if ((event->kind & KYMO_KIND_HAS_REF) != 0) {
        (void)fprintf(out, " reference=%" PRIu32, event->reference);
    }
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0) {
        (void)fprintf(out, " words=");
    }
    for (uint32_t i = 0; i < event->words; i++) {
        (void)fprintf(out, "%s0x%" PRIx32, i == 0 ? "" : ",", event->word[i]);
    }
    (void)fprintf(out, "\n");
}

void print_quoted(FILE *out, const char *text, size_t length) {
    (void)fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || text[i] == '\t') {
            (void)fprintf(out, text[i] == '\n' ? "\\n" : "\\t");
            continue;
        }
        if (text[i] == '"' || text[i] == '\\') {
            (void)fputc('\\', out);
        }
        (void)fputc(text[i], out);
    }
    (void)fputc('"', out);
}

static void print_named(FILE *out, const char *what, const char *name) {
    (void)fprintf(out, "%s ", what);
    print_quoted(out, name, strlen(name));
}

static void print_text(FILE *out, const char *what, const struct event *event) {
    (void)fprintf(out, "%s ", what);
    print_quoted(out, event->u.text.bytes, event->u.text.length);
}

static void print_plot(FILE *out, const struct event *event) {
    print_named(out, "plot", event->site->name);
    if (event->u.plot.type == PLOT_INT) {
        (void)fprintf(out, " %" PRId64, event->u.plot.integer);
    } else {
        (void)fprintf(out, " %.17g", event->u.plot.real);
    }
}

/* The last word of the kind's: "begin" of "zone begin". */
static const char *last_word(enum event_kind kind) {
    const char *word = event_word(kind);
    const char *space = strrchr(word, ' ');
    return space != NULL ? space + 1 : word;
}

static void print_payload(FILE *out, const struct event *event) {
    switch (event_payload(event->kind)) {
    case KYMO_CARRIES_U64:
        (void)fprintf(out, "%s %" PRIu64, last_word(event->kind), event->u.value);
        break;
    case KYMO_CARRIES_COLOR:
        (void)fprintf(out, "%s 0x%06" PRIx64, last_word(event->kind), event->u.value);
        break;
    case KYMO_CARRIES_TEXT:
    case KYMO_CARRIES_ARGUMENTS:
    case KYMO_CARRIES_MESSAGE:
        print_text(out, last_word(event->kind), event);
        break;
    case KYMO_CARRIES_COUNTERS:
        (void)fprintf(out, "%s %" PRIu32 " %" PRIu32, last_word(event->kind),
                      event->u.counters.cycles, event->u.counters.instructions);
        break;
    case KYMO_CARRIES_COUNT:
        print_named(out, last_word(event->kind), event->u.count.of->name);
        (void)fprintf(out, " %" PRIu32, event->u.count.times);
        break;
    case KYMO_CARRIES_FLOW:
        print_named(out, event_word(event->kind), event_name(event));
        (void)fprintf(out, " %" PRIu64, event->u.flow.id);
        break;
    case KYMO_CARRIES_SAMPLE:
        (void)fprintf(out, "sample, %" PRIu64 " missed", event->u.sample.missed);
        break;
    case KYMO_CARRIES_LARGE:
        print_named(out, "large", event->u.large.name);
        (void)fprintf(out, " %" PRIu64, event->u.large.bytes);
        break;
    case KYMO_CARRIES_I64:
    case KYMO_CARRIES_FLOAT:
    case KYMO_CARRIES_DOUBLE:
        print_plot(out, event);
        break;
    case KYMO_CARRIES_BLOCK:
        print_named(out, event_word(event->kind), event_name(event));
        (void)fprintf(out, " 0x%" PRIx64 " %" PRIu64, event->u.memory.address,
                      event->u.memory.bytes);
        break;
    case KYMO_CARRIES_ADDRESS:
        print_named(out, event_word(event->kind), event_name(event));
        (void)fprintf(out, " 0x%" PRIx64, event->u.memory.address);
        break;
    default:
        print_named(out, event_word(event->kind), event_name(event));
        break;
    }
}

void print_meaning(FILE *out, const struct event *event) {
    switch (event->kind) {
    case EVENT_ZONE_BEGIN:
    case EVENT_ZONE_END:
        print_named(out, last_word(event->kind), event->site->name);
        break;
    case EVENT_SWITCH:
        (void)fprintf(out, "runs");
        break;
    case EVENT_GAP:
        (void)fprintf(out, "lost %" PRIu64, event->u.gap.lost);
        break;
    case EVENT_SESSION:
    case EVENT_TRACK:
    case EVENT_TRACK_END:
    case EVENT_REPAIR:
    case EVENT_HOLD_END:
        break;
    default:
        print_payload(out, event);
        break;
    }
}

bool is_of_the_board(const struct event *event) {
    if (event->track != NULL && event->track->device != NULL) {
        return false; /* of a device, whose records are no events of the board */
    }
    switch (event->kind) {
    case EVENT_SESSION:
    case EVENT_TRACK:
    case EVENT_TRACK_END:
    case EVENT_REPAIR:
    case EVENT_HOLD_END:
    case EVENT_TASK:
        return false;
    case EVENT_ZONE_END:
        return !event->u.zone.repaired;
    case EVENT_FRAME_END:
        return event->u.frame.repaired != FRAME_END_OPEN;
    case EVENT_ASYNC_END:
        return event->u.flow.repaired == FLOW_WHOLE;
    case EVENT_GAP:
        return event->u.gap.cause == GAP_RING_FULL;
    default:
        return event_role(event->kind) != KYMO_ROLE_TASK; /* what they mean is the model's */
    }
}
