#include "lines.h"

#include <inttypes.h>
#include <string.h>

#include "kymo/wire.h"

static const char *kind_name(uint8_t kind) {
    switch (kind) {
#define NAME(name, number, meaning)                                                                \
    case number:                                                                                   \
        return #name;
        KYMO_KIND_TABLE(NAME)
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

void print_meaning(FILE *out, const struct event *event) {
    switch (event->kind) {
    case EVENT_ZONE_BEGIN:
        print_named(out, "begin", event->site->name);
        break;
    case EVENT_ZONE_END:
        print_named(out, "end", event->site->name);
        break;
    case EVENT_ZONE_TEXT:
        print_text(out, "text", event);
        break;
    case EVENT_ZONE_NAME:
        print_text(out, "name", event);
        break;
    case EVENT_ZONE_VALUE:
        (void)fprintf(out, "value %" PRIu64, event->u.value);
        break;
    case EVENT_ZONE_COLOR:
        (void)fprintf(out, "color 0x%06" PRIx64, event->u.value);
        break;
    case EVENT_MESSAGE:
        print_text(out, "message", event);
        break;
    case EVENT_APP_INFO:
        print_text(out, "info", event);
        break;
    case EVENT_PLOT:
        print_plot(out, event);
        break;
    case EVENT_FRAME:
        print_named(out, "frame", event->site->name);
        break;
    case EVENT_FRAME_START:
        print_named(out, "frame start", event->site->name);
        break;
    case EVENT_FRAME_END:
        print_named(out, "frame end", event->site->name);
        break;
    case EVENT_ALLOC:
        print_named(out, "alloc", event->site->name);
        (void)fprintf(out, " 0x%" PRIx64 " %" PRIu64, event->u.memory.address,
                      event->u.memory.bytes);
        break;
    case EVENT_FREE:
        print_named(out, "free", event->site->name);
        (void)fprintf(out, " 0x%" PRIx64, event->u.memory.address);
        break;
    case EVENT_SWITCH:
        (void)fprintf(out, "runs");
        break;
    case EVENT_GAP:
        (void)fprintf(out, "lost %" PRIu64, event->u.gap.lost);
        break;
    default:
        break;
    }
}

bool is_of_the_board(const struct event *event) {
    switch (event->kind) {
    case EVENT_SESSION:
    case EVENT_TRACK:
    case EVENT_REPAIR:
        return false;
    case EVENT_ZONE_END:
        return !event->u.zone.repaired;
    case EVENT_GAP:
        return event->u.gap.cause == GAP_RING_FULL;
    default:
        return true;
    }
}
