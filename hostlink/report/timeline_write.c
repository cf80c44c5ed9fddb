/* SPDX-License-Identifier: MIT */
/* The timeline as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kymo/wire.h"
#include "report/timeline.h"

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
    report_arrows_write(&t->arrows, out);
    outfile_printf(out, "}");
}
