/* SPDX-License-Identifier: MIT */
/* Zones as spans of OpenTelemetry, in the JSON form of OTLP (opentelemetry-proto, trace/v1/trace.proto), an
 * ExportTraceServiceRequest a line, as the collector's receiver of OTLP's JSON files reads it. A zone without another
 * around it is the root of a trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/board_info.h"
#include "sink/json_text.h"
#include "sink/outfile.h"
#include "sink/sink.h"

#define SPANS_PER_LINE 500u
#define KIND_INTERNAL 1

/* The open zones of a row: their spans, the outermost first. */
struct row {
    uint64_t *spans;
    uint32_t depth, capacity;
};

struct otlp {
    struct outfile *out;
    struct row *rows; /* by id of the track */
    uint32_t row_count;
    uint64_t spans;   /* that have begun */
    uint64_t capture; /* a hash that differs between captures */
    uint32_t in_line;
    int64_t epoch_ns;
    uint32_t session;
    char *image, *arch, *runtime; /* of the session, or NULL */
    const char *board;            /* of the line, where there are several; or NULL */
    char *attributes; /* of OTEL_RESOURCE_ATTRIBUTES: keys and values, each ended by NUL, in turn */
    uint32_t attribute_count;
};

/* A board may say any time. */
static uint64_t unix_ns(const struct otlp *o, int64_t ns) {
    return (uint64_t)o->epoch_ns + (uint64_t)ns;
}

static uint64_t sum_of(uint64_t sum, const void *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) { /* FNV-1a */
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    }
    return sum;
}

static void put_text(struct otlp *o, const char *before, const char *key, const char *text) {
    outfile_printf(o->out, "%s{\"key\":\"%s\",\"value\":{\"stringValue\":", before, key);
    json_text(o->out, text, strlen(text));
    outfile_printf(o->out, "}}");
}

/* 64-bit integers are strings in this form. */
static void put_number(struct otlp *o, const char *key, uint64_t number) {
    outfile_printf(o->out, ",{\"key\":\"%s\",\"value\":{\"intValue\":\"%" PRIu64 "\"}}", key,
                   number);
}

static void end_line(struct otlp *o) {
    if (o->in_line > 0) {
        outfile_printf(o->out, "]}]}]}\n");
        o->in_line = 0;
    }
}

/* ---- the user's attributes of the resource ---- */

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* "key=value,key=value", with %XX for reserved bytes, as OpenTelemetry's programs take it. Text of another form
 * is left out as a whole. */
static int take_attributes(struct otlp *o, const char *text) {
    char *to = o->attributes = malloc(strlen(text) + 2);
    bool key = true;
    if (!to) {
        return -ENOMEM;
    }
    for (; *text != '\0'; text++) {
        const int high = *text == '%' && text[1] ? hex_digit(text[1]) : -1;
        const int low = high >= 0 ? hex_digit(text[2]) : -1;
        if (*text == (key ? '=' : ',')) {
            o->attribute_count += key;
            key = !key;
            *to++ = '\0';
        } else {
            *to++ = low >= 0 ? (char)(16 * high + low) : *text;
            text += low >= 0 ? 2 : 0;
        }
    }
    *to = '\0';
    o->attribute_count = key ? 0 : o->attribute_count;
    return 0;
}

static const char *behind(const char *text) { return text + strlen(text) + 1; }

static bool user_says(const struct otlp *o, const char *key) {
    const char *at = o->attributes;
    for (uint32_t i = 0; i < o->attribute_count; i++, at = behind(behind(at))) {
        if (strcmp(at, key) == 0) {
            return true;
        }
    }
    return false;
}

static void put_resource(struct otlp *o, const char *key, const char *text, const char **before) {
    if (text && text[0] && !user_says(o, key)) {
        put_text(o, *before, key, text);
        *before = ",";
    }
}

static void put_user_attributes(struct otlp *o, const char **before) {
    const char *at = o->attributes;
    for (uint32_t i = 0; i < o->attribute_count; i++, at = behind(behind(at))) {
        outfile_printf(o->out, "%s{\"key\":", *before);
        json_text(o->out, at, strlen(at));
        outfile_printf(o->out, ",\"value\":{\"stringValue\":");
        json_text(o->out, behind(at), strlen(behind(at)));
        outfile_printf(o->out, "}}");
        *before = ",";
    }
}

/* The resource: which program, of which board, in which session. */
static void begin_span(struct otlp *o, const struct track *track) {
    const char *board = track->board ? track->board->name : NULL, *before = "";
    if (o->in_line >= SPANS_PER_LINE || board != o->board) {
        end_line(o);
    }
    o->board = board;
    if (o->in_line++ > 0) {
        outfile_printf(o->out, ",");
        return;
    }
    outfile_printf(o->out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    put_resource(o, "service.name", o->image && o->image[0] ? o->image : "firmware", &before);
    put_resource(o, "host.name", board, &before);
    put_resource(o, "host.arch", o->arch, &before);
    put_resource(o, "kymo.runtime", o->runtime, &before);
    put_user_attributes(o, &before);
    put_number(o, "kymo.session", o->session);
    outfile_printf(
        o->out, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"kymo\",\"version\":\"%s\"},\"spans\":[",
        KYMO_VERSION);
}

/* ---- events ---- */

static struct row *row_of(struct otlp *o, const struct track *track) {
    if (!grow_zeroed(&o->rows, &o->row_count, track->id, sizeof *o->rows)) {
        return NULL;
    }
    return &o->rows[track->id];
}

static int open_zone(struct otlp *o, struct row *row) {
    if (!grow(&row->spans, &row->capacity, row->depth, sizeof *row->spans)) {
        return -ENOMEM;
    }
    row->spans[row->depth++] = ++o->spans;
    return 0;
}

/* A span's number is never 0, which is not a valid id. The trace has the number of its root. */
static void put_span(struct otlp *o, const struct row *row, const struct event *event) {
    const struct site *site = event->site;
    const uint64_t span = row->spans[row->depth - 1];
    begin_span(o, event->track);
    outfile_printf(o->out,
                   "{\"traceId\":\"%016" PRIx64 "%016" PRIx64 "\",\"spanId\":\"%016" PRIx64 "\"",
                   o->capture, row->spans[0], span);
    if (row->depth > 1) {
        outfile_printf(o->out, ",\"parentSpanId\":\"%016" PRIx64 "\"", row->spans[row->depth - 2]);
    }
    outfile_printf(o->out, ",\"name\":");
    json_text(o->out, site->name, strlen(site->name));
    outfile_printf(o->out,
                   ",\"kind\":%d,\"startTimeUnixNano\":\"%" PRIu64
                   "\",\"endTimeUnixNano\":\"%" PRIu64 "\",\"attributes\":[",
                   KIND_INTERNAL, unix_ns(o, event->u.zone.start_ns), unix_ns(o, event->time_ns));
    put_text(o, "", "thread.name", event->track->name);
    put_number(o, "kymo.core", event->track->core);
    put_number(o, "kymo.self_ns", event->u.zone.self_ns > 0 ? (uint64_t)event->u.zone.self_ns : 0);
    if (site->file[0]) {
        put_text(o, ",", "code.file.path", site->file);
        put_number(o, "code.line.number", site->line);
    }
    if (site->function[0]) {
        put_text(o, ",", "code.function.name", site->function);
    }
    if (event->u.zone.repaired != ZONE_ENDED) {
        put_text(o, ",", "kymo.repaired", zone_repair_text(event->u.zone.repaired));
    }
    outfile_printf(o->out, "]}");
}

static int copy(char **to, const char *text) {
    char *copied = text ? strdup(text) : NULL;
    free(*to);
    *to = copied;
    return copied || !text ? 0 : -ENOMEM;
}

static int take_session(struct otlp *o, const struct event *event) {
    const struct board_info *info = event->u.session.info;
    end_line(o);
    if (event->u.session.epoch_ns != 0 && o->epoch_ns == 0) {
        o->epoch_ns = event->u.session.epoch_ns;
    }
    o->session = event->u.session.session;
    if (o->capture == 0) {
        o->capture =
            sum_of(0xcbf29ce484222325u, event->u.session.image, strlen(event->u.session.image));
        o->capture = sum_of(o->capture, &o->epoch_ns, sizeof o->epoch_ns);
    }
    int error = copy(&o->image, event->u.session.image);
    error = error ? error : copy(&o->arch, info ? info->text[KYMO_INFO_ARCH] : NULL);
    return error ? error : copy(&o->runtime, info ? info->text[KYMO_INFO_RUNTIME] : NULL);
}

static int take(struct otlp *o, const struct event *event) {
    if (event->kind == EVENT_SESSION) {
        return take_session(o, event);
    }
    const bool opens = event_role(event->kind) == KYMO_ROLE_OPENS;
    if (!opens && event->kind != EVENT_ZONE_END) {
        return 0;
    }
    struct row *row = row_of(o, event->track);
    if (!row) {
        return -ENOMEM;
    }
    if (opens) {
        return open_zone(o, row);
    }
    if (row->depth > 0) {
        put_span(o, row, event);
        row->depth--;
    }
    return 0;
}

static int on_event(void *state, const struct event *event) {
    struct otlp *o = state;
    return outfile_fail(o->out, take(o, event));
}

static int end(void *state) {
    struct otlp *o = state;
    end_line(o);
    for (uint32_t i = 0; i < o->row_count; i++) {
        free(o->rows[i].spans);
    }
    free(o->rows);
    free(o->attributes);
    free(o->image);
    free(o->arch);
    free(o->runtime);
    return 0;
}

static int begin(void *state) {
    const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
    return attributes ? take_attributes(state, attributes) : 0;
}

const struct sink sink_otlp = {
    .name = "otlp",
    .suffixes = ".otlp.json .otlp.jsonl",
    .help = "zones as spans of OpenTelemetry, for its collector",
    .size = sizeof(struct otlp),
    .begin = begin,
    .event = on_event,
    .end = end,
};
