/* What hostlink makes of a capture, as lines of text that a second decoder also prints (compare.py).
 *   dump_events frames FILE   each EVENTS frame and its events, as wire_decoder.py shows them
 *   dump_events events FILE   the pipeline's events and totals, as wire_session.py shows them */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "deframe.h"
#include "kymo/wire.h"
#include "pipeline.h"

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

static int print_wire_event(void *context, const struct wire_event *event) {
    (void)context;
    const char *name = kind_name(event->kind);
    if (name != NULL) {
        printf("%s", name);
    } else {
        printf("0x%x", (unsigned)event->kind);
    }
    printf(" ticks=%" PRIu64, event->ticks);
    if ((event->kind & KYMO_KIND_HAS_REF) != 0) {
        printf(" reference=%" PRIu32, event->reference);
    }
    if ((event->kind & KYMO_KIND_HAS_WORDS) != 0) {
        printf(" words=");
    }
    for (uint32_t i = 0; i < event->words; i++) {
        printf("%s0x%" PRIx32, i == 0 ? "" : ",", event->word[i]);
    }
    printf("\n");
    return 0;
}

static int print_frame(void *context, const uint8_t *bytes, size_t length, size_t wire_bytes) {
    (void)context;
    (void)wire_bytes;
    struct reader reader = {.bytes = bytes, .length = length, .at = 2};
    struct wire_head head;
    uint32_t decoded = 0;
    if (bytes[0] != (KYMO_WIRE_VERSION << KYMO_WIRE_VERSION_SHIFT | KYMO_FRAME_EVENTS) ||
        !decode_head(&reader, &head)) {
        return 0;
    }
    printf("EVENTS sequence=%u lane=%" PRIu32 " slots=%" PRIu32 " count=%" PRIu32 " first=%" PRIu64
           " time=%" PRIu64 " context=%" PRIu32 "\n",
           (unsigned)bytes[1], head.lane, head.slots, head.count, head.first, head.ticks,
           head.context);
    return decode_events(&reader, &head, print_wire_event, NULL, &decoded);
}

static void ignore_junk(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

static int dump_frames(const uint8_t *bytes, size_t length) {
    static struct deframe deframe;
    const struct deframe_callbacks callbacks = {NULL, print_frame, ignore_junk};
    deframe_init(&deframe, &callbacks);
    return deframe_feed(&deframe, bytes, length);
}

/* As Python's json.dumps: the texts of the captures compared have no other character to escape. */
static void print_quoted(const char *text, size_t length) {
    putchar('"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || text[i] == '\t') {
            printf(text[i] == '\n' ? "\\n" : "\\t");
            continue;
        }
        if (text[i] == '"' || text[i] == '\\') {
            putchar('\\');
        }
        putchar(text[i]);
    }
    putchar('"');
}

static void print_named(const char *what, const char *name) {
    printf("%s ", what);
    print_quoted(name, strlen(name));
}

static void print_text(const char *what, const struct event *event) {
    printf("%s ", what);
    print_quoted(event->u.text.bytes, event->u.text.length);
}

static void print_plot(const struct event *event) {
    print_named("plot", event->site->name);
    if (event->u.plot.type == PLOT_INT) {
        printf(" %" PRId64, event->u.plot.integer);
    } else {
        printf(" %.17g", event->u.plot.real);
    }
}

static void print_meaning(const struct event *event) {
    switch (event->kind) {
    case EVENT_ZONE_BEGIN:
        print_named("begin", event->site->name);
        break;
    case EVENT_ZONE_END:
        print_named("end", event->site->name);
        break;
    case EVENT_ZONE_TEXT:
        print_text("text", event);
        break;
    case EVENT_ZONE_NAME:
        print_text("name", event);
        break;
    case EVENT_ZONE_VALUE:
        printf("value %" PRIu64, event->u.value);
        break;
    case EVENT_ZONE_COLOR:
        printf("color 0x%06" PRIx64, event->u.value);
        break;
    case EVENT_MESSAGE:
        print_text("message", event);
        break;
    case EVENT_APP_INFO:
        print_text("info", event);
        break;
    case EVENT_PLOT:
        print_plot(event);
        break;
    case EVENT_FRAME:
        print_named("frame", event->site->name);
        break;
    case EVENT_FRAME_START:
        print_named("frame start", event->site->name);
        break;
    case EVENT_FRAME_END:
        print_named("frame end", event->site->name);
        break;
    case EVENT_ALLOC:
        print_named("alloc", event->site->name);
        printf(" 0x%" PRIx64 " %" PRIu64, event->u.memory.address, event->u.memory.bytes);
        break;
    case EVENT_FREE:
        print_named("free", event->site->name);
        printf(" 0x%" PRIx64, event->u.memory.address);
        break;
    case EVENT_SWITCH:
        printf("runs");
        break;
    case EVENT_GAP:
        printf("lost %" PRIu64, event->u.gap.lost);
        break;
    default:
        break;
    }
}

/* Not what hostlink says on its own: sessions, tracks, closed zones, what a damaged link cost. */
static bool is_of_the_board(const struct event *event) {
    switch (event->kind) {
    case EVENT_SESSION:
    case EVENT_TRACK:
        return false;
    case EVENT_ZONE_END:
        return !event->u.zone.repaired;
    case EVENT_GAP:
        return event->u.gap.cause == GAP_RING_FULL;
    default:
        return true;
    }
}

static int print_event(void *context, const struct event *event) {
    (void)context;
    if (!is_of_the_board(event)) {
        return 0;
    }
    printf("%" PRId64 " ", event->time_ns);
    print_quoted(event->track->name, strlen(event->track->name));
    printf(" ");
    print_meaning(event);
    printf("\n");
    return 0;
}

static struct pipeline *run(const struct pipeline_callbacks *callbacks, const struct pipeline *names,
                            const uint8_t *bytes, size_t length) {
    struct pipeline *pipeline = pipeline_new(callbacks, names);
    if (pipeline == NULL || pipeline_feed(pipeline, bytes, length) != 0 ||
        pipeline_end(pipeline) != 0) {
        fprintf(stderr, "dump_events: the pipeline failed\n");
        exit(1);
    }
    return pipeline;
}

static int dump_events(const uint8_t *bytes, size_t length) {
    const struct pipeline_callbacks silent = {0};
    const struct pipeline_callbacks printing = {.event = print_event};
    struct pipeline_totals totals;
    struct pipeline *names = run(&silent, NULL, bytes, length);
    struct pipeline *pipeline = run(&printing, names, bytes, length);
    pipeline_totals(pipeline, &totals);
    printf("delivered=%" PRIu64 " lost=%" PRIu64 "\n", totals.delivered, totals.lost);
    pipeline_free(pipeline);
    pipeline_free(names);
    return 0;
}

static uint8_t *read_file(const char *path, size_t *length) {
    const size_t limit = 64u << 20;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(limit);
    if (file == NULL || bytes == NULL) {
        perror(path);
        exit(1);
    }
    *length = fread(bytes, 1, limit, file);
    (void)fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 3 || (strcmp(argv[1], "frames") != 0 && strcmp(argv[1], "events") != 0)) {
        fprintf(stderr, "usage: dump_events frames|events FILE\n");
        return 2;
    }
    size_t length = 0;
    uint8_t *bytes = read_file(argv[2], &length);
    int result = strcmp(argv[1], "frames") == 0 ? dump_frames(bytes, length)
                                                : dump_events(bytes, length);
    free(bytes);
    return result != 0 || fflush(stdout) != 0;
}
