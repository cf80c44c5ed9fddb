/* SPDX-License-Identifier: MIT */
/* Zones as spans of OpenTelemetry, in the JSON form of OTLP (opentelemetry-proto, trace/v1/trace.proto), an
 * ExportTraceServiceRequest a line: what the collector's receiver of OTLP's JSON files reads. A zone without another
 * around it is the root of a trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    uint64_t capture; /* a sum over what tells this capture from others */
    uint32_t in_line;
    int64_t epoch_ns;
    uint32_t session;
    char *image, *arch, *runtime; /* of the session, or NULL */
};

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

/* The resource: which program, of which board, in which session. */
static void begin_span(struct otlp *o) {
    if (o->in_line >= SPANS_PER_LINE) {
        end_line(o);
    }
    if (o->in_line++ > 0) {
        outfile_printf(o->out, ",");
        return;
    }
    outfile_printf(o->out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    put_text(o, "", "service.name", o->image && o->image[0] ? o->image : "firmware");
    if (o->arch && o->arch[0]) {
        put_text(o, ",", "host.arch", o->arch);
    }
    if (o->runtime && o->runtime[0]) {
        put_text(o, ",", "kymo.runtime", o->runtime);
    }
    put_number(o, "kymo.session", o->session);
    outfile_printf(
        o->out, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"kymo\",\"version\":\"%s\"},\"spans\":[",
        KYMO_VERSION);
}

/* ---- events ---- */

static struct row *row_of(struct otlp *o, const struct track *track) {
    if (track->id >= o->row_count) {
        const uint32_t count = track->id * 2 + 16;
        struct row *rows = realloc(o->rows, count * sizeof *rows);
        if (!rows) {
            return NULL;
        }
        memset(rows + o->row_count, 0, (count - o->row_count) * sizeof *rows);
        o->rows = rows;
        o->row_count = count;
    }
    return &o->rows[track->id];
}

static int open_zone(struct otlp *o, struct row *row) {
    if (row->depth == row->capacity) {
        const uint32_t capacity = row->capacity * 2 + 8;
        uint64_t *spans = realloc(row->spans, capacity * sizeof *spans);
        if (!spans) {
            return -ENOMEM;
        }
        row->spans = spans;
        row->capacity = capacity;
    }
    row->spans[row->depth++] = ++o->spans;
    return 0;
}

/* A span's number never is 0, which is no id. The trace has that of its root. */
static void put_span(struct otlp *o, const struct row *row, const struct event *event) {
    const struct site *site = event->site;
    const uint64_t span = row->spans[row->depth - 1];
    begin_span(o);
    outfile_printf(o->out,
                   "{\"traceId\":\"%016" PRIx64 "%016" PRIx64 "\",\"spanId\":\"%016" PRIx64 "\"",
                   o->capture, row->spans[0], span);
    if (row->depth > 1) {
        outfile_printf(o->out, ",\"parentSpanId\":\"%016" PRIx64 "\"", row->spans[row->depth - 2]);
    }
    outfile_printf(o->out, ",\"name\":");
    json_text(o->out, site->name, strlen(site->name));
    outfile_printf(o->out,
                   ",\"kind\":%d,\"startTimeUnixNano\":\"%" PRId64
                   "\",\"endTimeUnixNano\":\"%" PRId64 "\",\"attributes\":[",
                   KIND_INTERNAL, o->epoch_ns + event->u.zone.start_ns,
                   o->epoch_ns + event->time_ns);
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

static int close_otlp(void *state) {
    struct otlp *o = state;
    end_line(o);
    const int error = outfile_close(o->out);
    for (uint32_t i = 0; i < o->row_count; i++) {
        free(o->rows[i].spans);
    }
    free(o->rows);
    free(o->image);
    free(o->arch);
    free(o->runtime);
    free(o);
    return error;
}

static int open_otlp(struct consumer *consumer, const char *path) {
    struct otlp *o = calloc(1, sizeof *o);
    const int error = o ? outfile_open(&o->out, path) : -ENOMEM;
    if (error) {
        free(o);
        return error;
    }
    *consumer =
        (struct consumer){.name = "otlp", .state = o, .event = on_event, .close = close_otlp};
    return 0;
}

const struct sink sink_otlp = {
    .name = "otlp",
    .suffixes = ".otlp.json .otlp.jsonl",
    .help = "zones as spans of OpenTelemetry, for its collector",
    .open = open_otlp,
};
