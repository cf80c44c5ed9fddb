#include "tracy_server.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracy_encode.h"
#include "tracy_listen.h"
#include "tracy_query.h"
#include "tracy_viewer.h"

#define DEFAULT_QUEUE_BYTES ((size_t)32 << 20)
/* Replay: more than this waits in the queue before events wait. */
#define WAIT_QUEUE_BYTES ((size_t)1 << 20)
#define HELLO_TIMEOUT_MS 2000  /* as Tracy's client has it */
#define STALL_TIMEOUT_MS 30000 /* replay: a viewer that takes nothing for so long is not waited for */
#define KEEP_ALIVE_MS 500      /* the viewer asks only behind a frame */
#define IDLE_MS 250            /* so long events are held back for the sake of order */
#define ANNOUNCE_MS 3000
#define TURN_MS 100
#define PROGRAM "kymo"

enum state { STATE_NONE, STATE_HELLO, STATE_STREAM };

struct tracy_server {
    struct tracy_server_options options;
    int listener, announcer;
    uint16_t port;
    char where[80];
    struct tracy_server_totals totals;
    enum state state;
    bool ending, content; /* the end was sent; the viewer has said that it has all */
    int64_t start_ms, since_ms, sent_ms, released_ms, announced_ms;
    struct tracy_proto proto;
    struct tracy_viewer viewer;
    struct tracy_answers answers;
    struct tracy_encode encode;
};

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void __attribute__((format(printf, 2, 3))) notice(const struct tracy_server *s,
                                                         const char *format, ...) {
    char text[240];
    va_list arguments;
    if (s->options.notice == NULL) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->options.notice(s->options.context, text);
}

/* ---- one viewer ---- */

static void forget_viewer(struct tracy_server *s) {
    tracy_viewer_close(&s->viewer);
    tracy_encode_stop(&s->encode);
    s->state = STATE_NONE;
}

static void refuse(struct tracy_server *s, const char *why) {
    s->totals.refused++;
    notice(s, "Tracy: connection from %s refused: %s", s->viewer.name, why);
    forget_viewer(s);
}

static void drop(struct tracy_server *s, const char *why) {
    s->totals.dropped++;
    notice(s, "Tracy: viewer %s dropped: %s; it may connect again", s->viewer.name, why);
    forget_viewer(s);
}

static void viewer_left(struct tracy_server *s) {
    if (!s->ending) {
        notice(s, "Tracy: viewer %s left", s->viewer.name);
    }
    forget_viewer(s);
}

/* Ends the viewer for an error on its side; our own errors are returned. */
static int viewer_error(struct tracy_server *s, int error) {
    switch (error) {
    case 0:
    case -ENOMEM:
        return error;
    case -ECONNRESET:
    case -EPIPE:
        viewer_left(s);
        return 0;
    case -ENOBUFS:
        drop(s, "it reads more slowly than the board sends");
        return 0;
    case -EPROTO:
        drop(s, "it asked what no viewer of its protocol asks");
        return 0;
    case -EOVERFLOW:
        drop(s, "the trace is longer than the 39 hours that a viewer can hold");
        return 0;
    default:
        drop(s, strerror(-error));
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

static void mismatch(struct tracy_server *s, uint32_t number) {
    const uint8_t answer = TRACY_HANDSHAKE_MISMATCH;
    char known[64], why[160];
    (void)tracy_viewer_put(&s->viewer, &answer, 1);
    (void)tracy_viewer_send(&s->viewer);
    list_protocols(known, sizeof known);
    (void)snprintf(why, sizeof why,
                   "it speaks protocol %lu; hostlink knows %s (Tracy 0.9 to 0.14)",
                   (unsigned long)number, known);
    refuse(s, why);
}

static int welcome(struct tracy_server *s, int64_t now) {
    const struct tracy_encode *e = &s->encode;
    char info[160];
    int64_t base_ns = tracy_encode_base(e);
    uint64_t hz = e->clock_hz;
    (void)snprintf(info, sizeof info, "Board clock: %llu Hz\nBridge: hostlink\n",
                   (unsigned long long)hz);
    struct tracy_welcome content = {
        .base_ns = base_ns,
        .epoch_s = e->epoch_ns != 0 ? e->epoch_ns / 1000000000 : (int64_t)time(NULL),
        .resolution_ns = hz > 0 && hz < 1000000000u ? 1000000000u / hz : 1,
        .frames = e->frames,
        .now_ns = e->now_ns > base_ns ? e->now_ns : base_ns,
        .program = e->image[0] != '\0'          ? e->image
                   : s->options.program != NULL ? s->options.program
                                                : PROGRAM,
        .host_info = info};
    int error = tracy_viewer_put_welcome(&s->viewer, &s->proto, &content);
    if (error == 0) {
        error = tracy_encode_begin(&s->encode, &s->proto, base_ns, tracy_viewer_put_frame,
                                   &s->viewer);
    }
    tracy_answers_begin(&s->answers);
    s->state = STATE_STREAM;
    s->since_ms = s->sent_ms = s->released_ms = now;
    s->totals.viewers++;
    notice(s, "Tracy: viewer %s connected, protocol %lu (Tracy %s)", s->viewer.name,
           (unsigned long)s->proto.number, s->proto.releases);
    return error;
}

static int hello(struct tracy_server *s, int64_t now) {
    struct tracy_viewer *v = &s->viewer;
    int count = tracy_viewer_read(v);
    size_t check = v->in_used < TRACY_MAGIC_BYTES ? v->in_used : TRACY_MAGIC_BYTES;
    if (memcmp(v->in, TRACY_MAGIC, check) != 0) {
        refuse(s, "it is not a Tracy viewer");
    } else if (count < 0) {
        refuse(s, "it went away in the handshake");
    } else if (v->in_used < TRACY_HELLO_BYTES) {
        if (now - s->since_ms >= HELLO_TIMEOUT_MS) {
            refuse(s, "it did not finish the handshake");
        }
    } else {
        uint32_t number = (uint32_t)v->in[8] | (uint32_t)v->in[9] << 8 | (uint32_t)v->in[10] << 16 |
                          (uint32_t)v->in[11] << 24;
        tracy_viewer_consume(v, TRACY_HELLO_BYTES);
        if (!tracy_proto_select(&s->proto, number)) {
            mismatch(s, number);
        } else {
            return welcome(s, now);
        }
    }
    return 0;
}

static uint64_t load(const uint8_t *at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

/* One packet. A positive result: the viewer wants to end. */
static int one_query(struct tracy_server *s, const uint8_t *packet, int64_t now) {
    enum tracy_query query = tracy_proto_query(&s->proto, packet[0]);
    if (query == TRACY_QUERY_TERMINATE) {
        s->content = s->ending;
        return 1;
    }
    if (query == TRACY_QUERY_DISCONNECT) {
        tracy_put_empty(&s->encode.stream, TRACY_TERMINATE);
        return 0;
    }
    return tracy_answer(&s->answers, query, load(packet + 1, 8), (uint32_t)load(packet + 9, 4),
                        now);
}

static int queries(struct tracy_server *s, int64_t now) {
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

static int flush(struct tracy_server *s, int64_t now) {
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

/* That the system takes it is no sign of life of the viewer. */
static int keep_alive(struct tracy_server *s, int64_t now) {
    int64_t since_ms = s->since_ms;
    if (now - s->sent_ms < KEEP_ALIVE_MS || tracy_viewer_queued(&s->viewer) > 0) {
        return 0;
    }
    tracy_put_empty(&s->encode.stream, TRACY_KEEP_ALIVE);
    int error = flush(s, now);
    s->since_ms = since_ms;
    return error;
}

static int stream(struct tracy_server *s, int64_t now) {
    int error = queries(s, now);
    if (error != 0 || s->state != STATE_STREAM) {
        return error;
    }
    (void)tracy_answer_waiting(&s->answers, now, s->ending);
    if (now - s->released_ms >= IDLE_MS) {
        s->released_ms = now;
        error = tracy_encode_idle(&s->encode);
    }
    error = error != 0 ? error : flush(s, now);
    return error != 0 ? error : keep_alive(s, now);
}

/* ---- the server ---- */

static void announce(struct tracy_server *s, int64_t now, int32_t seconds) {
    const struct tracy_announcement announcement = {
        .port = s->port,
        .protocol = s->options.announce_protocol,
        .seconds = seconds,
        .program = s->encode.image[0] != '\0' ? s->encode.image : PROGRAM};
    if (s->announcer >= 0) {
        tracy_announce(s->announcer, &announcement);
        s->announced_ms = now;
    }
}

static void accept_viewer(struct tracy_server *s, int64_t now) {
    int fd = s->ending ? -EAGAIN : tracy_accept(s->listener);
    if (fd < 0) {
        return;
    }
    tracy_viewer_take(&s->viewer, fd);
    s->state = STATE_HELLO;
    s->since_ms = now;
    announce(s, now, -1);
}

int tracy_server_step(struct tracy_server *s) {
    int64_t now = now_ms();
    int error = 0;
    if (s->state == STATE_NONE) {
        accept_viewer(s, now);
    }
    if (s->state == STATE_HELLO) {
        error = hello(s, now);
    }
    if (s->state == STATE_STREAM && error == 0) {
        error = stream(s, now);
    }
    if (s->state == STATE_NONE && now - s->announced_ms >= ANNOUNCE_MS) {
        announce(s, now, (int32_t)((now - s->start_ms) / 1000));
    }
    return viewer_error(s, error);
}

size_t tracy_server_poll(const struct tracy_server *s, struct pollfd fds[TRACY_SERVER_FDS]) {
    short send = tracy_viewer_queued(&s->viewer) > 0 ? POLLOUT : 0;
    bool read = tracy_viewer_queued(&s->viewer) <= s->viewer.limit / 2;
    fds[0] = s->state == STATE_NONE
                 ? (struct pollfd){.fd = s->listener, .events = POLLIN}
                 : (struct pollfd){.fd = s->viewer.fd,
                                   .events = (short)((read ? POLLIN : 0) | send)};
    return 1;
}

int tracy_server_timeout_ms(const struct tracy_server *s) {
    return s->state == STATE_NONE && s->announcer < 0 ? -1 : TURN_MS;
}

/* Waits for the viewer's socket once and does what came of it. */
static int turn(struct tracy_server *s, int timeout_ms) {
    struct pollfd fds[TRACY_SERVER_FDS];
    size_t count = tracy_server_poll(s, fds);
    if (poll(fds, (nfds_t)count, timeout_ms) < 0) {
        return -errno;
    }
    return tracy_server_step(s);
}

/* Replay: until the viewer has taken most of what waits for it. */
static int wait_for_room(struct tracy_server *s) {
    int error = 0;
    s->since_ms = now_ms();
    while (error == 0 && s->state == STATE_STREAM &&
           tracy_viewer_queued(&s->viewer) > WAIT_QUEUE_BYTES / 2) {
        error = turn(s, TURN_MS);
        if (error == 0 && s->state == STATE_STREAM && now_ms() - s->since_ms > STALL_TIMEOUT_MS) {
            drop(s, "it has read nothing for 30 seconds");
        }
    }
    return error == -EINTR ? 0 : error;
}

int tracy_server_event(struct tracy_server *s, const struct event *event) {
    int error = viewer_error(s, tracy_encode_event(&s->encode, event));
    if (error == 0 && s->options.slow == TRACY_SLOW_WAIT &&
        tracy_viewer_queued(&s->viewer) > WAIT_QUEUE_BYTES) {
        error = wait_for_room(s);
    }
    return error;
}

int tracy_server_param(struct tracy_server *s, uint32_t index, const char *name, int32_t value) {
    return viewer_error(s, tracy_encode_param(&s->encode, index, name, value));
}

bool tracy_server_has_viewer(const struct tracy_server *s) { return s->state == STATE_STREAM; }

int tracy_server_wait_viewer(struct tracy_server *s, int timeout_ms) {
    int64_t start = now_ms();
    int error = 0;
    while (error == 0 && s->state != STATE_STREAM) {
        if (timeout_ms >= 0 && now_ms() - start >= timeout_ms) {
            return -ETIMEDOUT;
        }
        error = turn(s, TURN_MS);
    }
    return error;
}

/* Answers until the viewer has all, goes, or says nothing for too long. */
static int see_off(struct tracy_server *s, int timeout_ms) {
    int error = 0;
    while (error == 0 && s->state == STATE_STREAM) {
        error = turn(s, TURN_MS);
        if (s->state == STATE_STREAM && now_ms() - s->since_ms >= timeout_ms) {
            drop(s, "it did not end");
            return -ETIMEDOUT;
        }
    }
    return error != 0 ? error : s->content ? 0 : -ECONNRESET;
}

int tracy_server_finish(struct tracy_server *s, int timeout_ms) {
    if (s->state != STATE_STREAM) {
        return 0;
    }
    s->ending = true;
    s->content = false;
    s->since_ms = now_ms();
    int error = tracy_encode_end(&s->encode);
    if (error == 0) {
        tracy_put_empty(&s->encode.stream, TRACY_TERMINATE);
        error = tracy_stream_flush(&s->encode.stream);
    }
    error = viewer_error(s, error);
    if (error == 0) {
        error = see_off(s, timeout_ms);
    }
    s->ending = false;
    return error;
}

void tracy_server_totals(const struct tracy_server *s, struct tracy_server_totals *totals) {
    *totals = s->totals;
    totals->events = s->encode.events;
    totals->zones = s->encode.zones;
    totals->repairs = s->encode.repairs.total;
    totals->bytes = s->viewer.sent;
}

const char *tracy_server_where(const struct tracy_server *s) { return s->where; }
uint16_t tracy_server_port(const struct tracy_server *s) { return s->port; }

static int open_sockets(struct tracy_server *s) {
    bool any_port = s->options.port == 0;
    const char *address = s->options.address != NULL ? s->options.address : TRACY_DEFAULT_ADDRESS;
    s->port = any_port ? TRACY_DEFAULT_PORT : s->options.port;
    s->listener = tracy_listen(address, &s->port, any_port ? TRACY_DEFAULT_PORTS : 1);
    if (s->listener < 0) {
        return s->listener;
    }
    (void)snprintf(s->where, sizeof s->where, strchr(address, ':') != NULL ? "[%s]:%u" : "%s:%u",
                   address, (unsigned)s->port);
    s->announcer = s->options.announce ? tracy_announce_open() : -1;
    return s->options.announce && s->announcer < 0 ? s->announcer : 0;
}

static uint32_t newest_protocol(void) {
    size_t i = 0;
    while (tracy_proto_known(i + 1) != 0) {
        i++;
    }
    return tracy_proto_known(i);
}

int tracy_server_open(struct tracy_server **server, const struct tracy_server_options *options) {
    struct tracy_server *s = calloc(1, sizeof *s);
    *server = NULL;
    if (s == NULL) {
        return -ENOMEM;
    }
    s->options = *options;
    s->listener = s->announcer = s->viewer.fd = -1;
    s->start_ms = now_ms();
    s->announced_ms = s->start_ms - ANNOUNCE_MS;
    s->viewer.limit = options->queue_bytes != 0 ? options->queue_bytes : DEFAULT_QUEUE_BYTES;
    s->encode.names_complete = options->names_complete;
    s->answers.encode = &s->encode;
    s->answers.context = options->context;
    s->answers.set_param = options->set_param;
    if (s->options.announce_protocol == 0) {
        s->options.announce_protocol = newest_protocol();
    }
    int error = open_sockets(s);
    if (error != 0) {
        tracy_server_close(s);
        return error;
    }
    *server = s;
    return 0;
}

void tracy_server_close(struct tracy_server *s) {
    if (s == NULL) {
        return;
    }
    if (s->announcer >= 0) {
        announce(s, 0, -1);
        (void)close(s->announcer);
    }
    if (s->listener >= 0) {
        (void)close(s->listener);
    }
    tracy_viewer_free(&s->viewer);
    tracy_encode_free(&s->encode);
    free(s);
}
