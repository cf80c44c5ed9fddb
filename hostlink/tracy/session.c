/* SPDX-License-Identifier: MIT */
#include "tracy/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/host_clock.h"
#include "model/board_info.h"

#define KEEP_ALIVE_MS 500 /* the viewer asks only after a frame */
/* Refused connections with a line each; further ones have one line whenever their number has doubled. */
#define REFUSED_LINES 8u
#define SESSION_MS 10000 /* how long a welcome waits for the board's session record */

int64_t tracy_now_ms(void) { return (int64_t)(host_monotonic_ns() / NS_PER_MS); }

static void __attribute__((format(printf, 2, 3)))
notice(const struct tracy_session *s, const char *format, ...) {
    char text[240];
    va_list arguments;
    if (s->options->notice == NULL) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->options->notice(s->options->context, text);
}

static void forget_viewer(struct tracy_session *s) {
    tracy_viewer_close(&s->viewer);
    tracy_encode_stop(&s->encode);
    s->stage = TRACY_NOBODY;
}

void tracy_session_say_refused(struct tracy_session *s) {
    if (s->unsaid != 0) {
        notice(s, "Tracy: %llu more connections refused, the last from %s",
               (unsigned long long)s->unsaid, s->viewer.name);
        s->unsaid = 0;
    }
}

static void refuse(struct tracy_session *s, const char *why) {
    if (++s->totals.refused <= REFUSED_LINES) {
        notice(s, "Tracy: connection from %s refused: %s", s->viewer.name, why);
    } else if (++s->unsaid >= s->totals.refused / 2) {
        tracy_session_say_refused(s);
    }
    forget_viewer(s);
}

void tracy_session_drop(struct tracy_session *s, const char *why) {
    s->totals.dropped++;
    notice(s, "Tracy: viewer %s dropped: %s%s", s->viewer.name, why,
           s->options->once || s->ending ? "" : "; it may connect again");
    forget_viewer(s);
}

static void viewer_left(struct tracy_session *s) {
    if (!s->ending) {
        notice(s, "Tracy: viewer %s left", s->viewer.name);
    }
    forget_viewer(s);
}

int tracy_session_error(struct tracy_session *s, int error) {
    switch (error) {
    case 0:
    case -ENOMEM:
        return error;
    case -ECONNRESET:
    case -EPIPE:
        viewer_left(s);
        return 0;
    case -ENOBUFS:
        tracy_session_drop(s, "it reads more slowly than the board sends");
        return 0;
    case -EPROTO:
        tracy_session_drop(s, "it sent a query that its protocol does not have");
        return 0;
    case -EOVERFLOW:
        tracy_session_drop(s, "the trace is longer than the 39 hours that a viewer can hold");
        return 0;
    default:
        tracy_session_drop(s, strerror(-error));
        return 0;
    }
}

static void list_protocols(char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; tracy_proto_known(i) != 0 && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%u", i == 0 ? "" : ", ",
                                 (unsigned)tracy_proto_known(i));
    }
}

static void mismatch(struct tracy_session *s, uint32_t number) {
    const uint8_t answer = TRACY_HANDSHAKE_MISMATCH;
    char known[64], why[160];
    (void)tracy_viewer_put(&s->viewer, &answer, 1);
    (void)tracy_viewer_send(&s->viewer);
    list_protocols(known, sizeof known);
    (void)snprintf(why, sizeof why, "it speaks protocol %lu; hostlink knows %s (Tracy 0.9 to 0.14)",
                   (unsigned long)number, known);
    refuse(s, why);
}

const char *tracy_session_program(const struct tracy_session *s) {
    const char *given = s->options->program;
    return s->encode.image[0] != '\0' ? s->encode.image : given != NULL ? given : TRACY_PROGRAM;
}

/* A viewer gets the sampling period once, when it connects, and computes times from it: the period of the
 * samples so far; else that of the board's parameter; else a likely one. */
#define RATE_PARAM "kymo.sample_hz"
#define LIKELY_PERIOD_NS 1000000u

static uint64_t sample_period_ns(const struct tracy_encode *e) {
    for (size_t i = 0; i < e->param_count && e->sample_period_ns == 0; i++) {
        if (strcmp(e->params[i].name, RATE_PARAM) == 0) {
            const int32_t hz = e->params[i].value;
            return hz > 0 ? 1000000000u / (uint64_t)hz : LIKELY_PERIOD_NS;
        }
    }
    return e->sample_period_ns;
}

/* Unix time of the start: from the trace, else from the options, else now. */
static int64_t epoch_s(const struct tracy_session *s) {
    if (s->encode.epoch_ns != 0) {
        return s->encode.epoch_ns / 1000000000;
    }
    return s->options->epoch_s != 0 ? s->options->epoch_s : (int64_t)time(NULL);
}

/* Lines "what: value". */
static void describe_host(const struct tracy_session *s, char *text, size_t size) {
    const struct board_info *board = s->encode.info;
    if (s->options->host_info != NULL) {
        (void)snprintf(text, size, "%s", s->options->host_info);
        return;
    }
    int length = snprintf(text, size, "Board clock: %llu Hz\nBridge: hostlink\n",
                          (unsigned long long)s->encode.clock_hz);
    if (board != NULL && board->has[KYMO_INFO_RUNTIME] && (size_t)length < size) {
        (void)snprintf(text + length, size - (size_t)length,
                       "Recorder: kymo %s\nArch: %s\nRing: %u bytes a lane\n",
                       board->text[KYMO_INFO_RUNTIME],
                       board->has[KYMO_INFO_ARCH] ? board->text[KYMO_INFO_ARCH] : "unknown",
                       (unsigned)board->number[KYMO_INFO_RING_BYTES][0]);
    }
}

static int welcome(struct tracy_session *s, int64_t now) {
    const struct tracy_encode *e = &s->encode;
    char info[TRACY_HOST_INFO_BYTES];
    int64_t base_ns = tracy_encode_base(e);
    uint64_t hz = e->clock_hz;
    describe_host(s, info, sizeof info);
    struct tracy_welcome content = {.base_ns = base_ns,
                                    .epoch_s = epoch_s(s),
                                    .resolution_ns =
                                        hz > 0 && hz < 1000000000u ? 1000000000u / hz : 1,
                                    .sample_period_ns = sample_period_ns(e),
                                    .frames = e->frames,
                                    .process = s->options->process,
                                    .cpu = tracy_cpu_of(s->options->machine),
                                    .now_ns = e->now_ns > base_ns ? e->now_ns : base_ns,
                                    .program = tracy_session_program(s),
                                    .host_info = info};
    int error = tracy_viewer_put_welcome(&s->viewer, &s->proto, &content);
    if (error == 0) {
        error =
            tracy_encode_begin(&s->encode, &s->proto, base_ns, tracy_viewer_put_frame, &s->viewer);
    }
    s->answers.sources_before_s = content.epoch_s;
    tracy_answers_begin(&s->answers);
    s->stage = TRACY_STREAM;
    s->since_ms = s->sent_ms = now;
    s->totals.viewers++;
    notice(s, "Tracy: viewer %s connected, protocol %lu (Tracy %s)", s->viewer.name,
           (unsigned long)s->proto.number, s->proto.releases);
    return error;
}

static int hello(struct tracy_session *s, int64_t now) {
    struct tracy_viewer *v = &s->viewer;
    int count = tracy_viewer_read(v);
    size_t check = v->in_used < TRACY_MAGIC_BYTES ? v->in_used : TRACY_MAGIC_BYTES;
    if (memcmp(v->in, TRACY_MAGIC, check) != 0) {
        refuse(s, "it is not a Tracy viewer");
    } else if (count < 0) {
        refuse(s, "it disconnected during the handshake");
    } else if (v->in_used < TRACY_HELLO_BYTES) {
        if (now - s->since_ms >= TRACY_HELLO_TIMEOUT_MS) {
            refuse(s, "it did not finish the handshake");
        }
    } else {
        uint32_t number = (uint32_t)v->in[8] | (uint32_t)v->in[9] << 8 | (uint32_t)v->in[10] << 16 |
                          (uint32_t)v->in[11] << 24;
        tracy_viewer_consume(v, TRACY_HELLO_BYTES);
        if (!tracy_proto_select(&s->proto, number)) {
            mismatch(s, number);
        } else {
            s->stage = TRACY_GREETED;
            s->since_ms = now;
        }
    }
    return 0;
}

static int greeted(struct tracy_session *s, int64_t now) {
    bool waits = s->options->session_first && !s->encode.has_session;
    if (!waits || now - s->since_ms >= SESSION_MS) {
        return welcome(s, now);
    }
    if (tracy_viewer_read(&s->viewer) < 0) {
        refuse(s, "it disconnected during the handshake");
    }
    return 0;
}

int tracy_session_welcome(struct tracy_session *s, int64_t now) {
    return s->stage == TRACY_GREETED ? tracy_session_error(s, welcome(s, now)) : 0;
}

static uint64_t load(const uint8_t *at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

/* One packet. A positive result: the viewer wants to end. */
static int one_query(struct tracy_session *s, const uint8_t *packet, int64_t now) {
    enum tracy_query query = tracy_proto_query(&s->proto, packet[0]);
    if (query == TRACY_QUERY_TERMINATE) {
        s->content = s->ending;
        return 1;
    }
    if (query == TRACY_QUERY_DISCONNECT) {
        tracy_put_item(&s->encode.stream, TRACY_TERMINATE, &(struct tracy_fields){0});
        return 0;
    }
    return tracy_answer(&s->answers, query, load(packet + 1, 8), (uint32_t)load(packet + 9, 4),
                        now);
}

static int queries(struct tracy_session *s, int64_t now) {
    struct tracy_viewer *v = &s->viewer;
    if (tracy_viewer_queued(v) > v->limit / 2) {
        return 0; /* it asks, but does not read */
    }
    int count = tracy_viewer_read(v);
    size_t at = 0;
    int result = 0;
    s->since_ms = count > 0 ? now : s->since_ms;
    for (; result == 0 && v->in_used - at >= TRACY_QUERY_BYTES; at += TRACY_QUERY_BYTES) {
        result = one_query(s, v->in + at, now);
    }
    tracy_viewer_consume(v, at);
    if (result > 0) {
        viewer_left(s);
        return 0;
    }
    return result < 0 ? result : count < 0 ? count : 0;
}

static int flush(struct tracy_session *s, int64_t now) {
    struct tracy_viewer *v = &s->viewer;
    uint64_t sent = v->sent;
    int error = tracy_stream_flush(&s->encode.stream);
    if (error == 0) {
        error = tracy_viewer_send(v);
    }
    if (v->sent != sent) {
        s->sent_ms = s->since_ms = now;
    }
    return error;
}

/* Restores since_ms: a successful write does not show that the viewer is alive. */
static int keep_alive(struct tracy_session *s, int64_t now) {
    int64_t since_ms = s->since_ms;
    if (now - s->sent_ms < KEEP_ALIVE_MS || tracy_viewer_queued(&s->viewer) > 0) {
        return 0;
    }
    tracy_put_item(&s->encode.stream, TRACY_KEEP_ALIVE, &(struct tracy_fields){0});
    int error = flush(s, now);
    s->since_ms = since_ms;
    return error;
}

static int stream(struct tracy_session *s, int64_t now) {
    int error = queries(s, now);
    if (error != 0 || s->stage != TRACY_STREAM) {
        return error;
    }
    (void)tracy_answer_waiting(&s->answers, now, s->ending);
    error = flush(s, now);
    if (s->answers.frames.count > 0 && tracy_viewer_queued(&s->viewer) == 0) {
        s->since_ms = now; /* it waits for us */
    }
    return error != 0 ? error : keep_alive(s, now);
}

void tracy_session_take(struct tracy_session *s, int fd, const char *name, int64_t now) {
    tracy_viewer_take(&s->viewer, fd, name);
    s->stage = TRACY_HELLO;
    s->since_ms = now;
}

int tracy_session_step(struct tracy_session *s, int64_t now) {
    int error = s->stage == TRACY_HELLO ? hello(s, now) : 0;
    error = s->stage == TRACY_GREETED && error == 0 ? greeted(s, now) : error;
    if (s->stage == TRACY_STREAM && error == 0) {
        error = stream(s, now);
    }
    return tracy_session_error(s, error);
}

int tracy_session_end(struct tracy_session *s, int64_t now) {
    s->ending = true;
    s->content = false;
    s->since_ms = now;
    int error = tracy_encode_end(&s->encode);
    if (error == 0) {
        tracy_put_item(&s->encode.stream, TRACY_TERMINATE, &(struct tracy_fields){0});
        error = tracy_stream_flush(&s->encode.stream);
    }
    return tracy_session_error(s, error);
}
