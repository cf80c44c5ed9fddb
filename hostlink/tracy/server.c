/* SPDX-License-Identifier: MIT */
#include "tracy/server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/poll.h"
#include "tracy/listen.h"
#include "tracy/lobby.h"
#include "tracy/published.h"
#include "tracy/session.h"

#define DEFAULT_QUEUE_BYTES ((size_t)32 << 20)
/* Replay: more than this waits in the queue before events wait. */
#define WAIT_QUEUE_BYTES ((size_t)1 << 20)
#define STALL_TIMEOUT_MS                                                                           \
    30000 /* replay: a viewer that reads nothing for this long is no longer waited for */
/* At the end, queries are answered for at most this many times the timeout for a silent viewer. */
#define FINISH_TIMEOUTS 12
#define ANNOUNCE_MS 3000
/* How often to reopen a closed listener while its port is taken. */
#define REOPEN_MS 1000
#define TURN_MS 100
#define SYMBOLS_TURN_MS 5 /* while others are asked for symbols */

_Static_assert(TRACY_SERVER_FDS >= 1 + TRACY_LOBBY_MAX, "room for the listener and the lobby");

struct tracy_server {
    struct tracy_server_options options;
    int listener, announcer;
    uint16_t port;
    char where[80];
    int64_t start_ms, announced_ms, opened_ms;
    struct tracy_lobby lobby;
    struct tracy_session session;
    struct tracy_published published;
};

static const char *listen_address(const struct tracy_server *s) {
    return s->options.address != NULL ? s->options.address : TRACY_DEFAULT_ADDRESS;
}

static uint32_t announced_protocol(const struct tracy_server *s) {
    uint32_t newest = 0;
    for (size_t i = 0; tracy_proto_known(i) != 0; i++) {
        newest = tracy_proto_known(i);
    }
    return s->options.announce_protocol != 0 ? s->options.announce_protocol
           : s->session.proto.number != 0    ? s->session.proto.number
                                             : newest;
}

static void announce(struct tracy_server *s, int64_t now, int32_t seconds) {
    const struct tracy_announcement announcement = {.port = s->port,
                                                    .protocol = announced_protocol(s),
                                                    .seconds = seconds,
                                                    .program = tracy_session_program(&s->session),
                                                    .loopback =
                                                        tracy_is_loopback(listen_address(s))};
    if (s->announcer >= 0) {
        tracy_announce(s->announcer, &announcement);
        s->announced_ms = now;
    }
}

static bool accept_viewer(struct tracy_server *s, int64_t now) {
    if (s->session.stage != TRACY_NOBODY || s->session.ending) {
        return false;
    }
    tracy_lobby_accept(&s->lobby, s->listener, now);
    struct tracy_guest guest = tracy_lobby_take(&s->lobby, now, TRACY_HELLO_TIMEOUT_MS);
    if (guest.fd >= 0) {
        tracy_session_take(&s->session, guest.fd, guest.name, guest.since_ms);
        announce(s, now, -1);
    }
    return guest.fd >= 0;
}

static int open_sockets(struct tracy_server *s) {
    bool any_port = s->options.port == 0;
    const char *address = listen_address(s);
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

/* The descriptors are others' by now, and are not closed. */
static void lose_sockets(struct tracy_server *s) {
    s->listener = s->announcer = s->session.viewer.fd = -1;
    s->lobby.count = 0;
    if (s->session.stage != TRACY_NOBODY) {
        tracy_session_drop(&s->session, "its socket was closed");
    }
}

/* Programs close descriptors that they do not know. */
static void keep_open(struct tracy_server *s, int64_t now) {
    if (s->listener >= 0 && !tracy_still_listens(s->listener, s->port)) {
        lose_sockets(s);
    }
    if (s->listener < 0 && now - s->opened_ms >= REOPEN_MS) {
        s->opened_ms = now;
        (void)open_sockets(s);
    }
}

int tracy_server_step(struct tracy_server *s) {
    int64_t now = tracy_now_ms();
    keep_open(s, now);
    bool taken = accept_viewer(s, now);
    int error = tracy_session_step(&s->session, now);
    /* A peer that is no viewer is disconnected by now: take the next. */
    for (unsigned i = 0; taken && error == 0 && i < TRACY_LOBBY_MAX; i++) {
        taken = accept_viewer(s, now);
        error = taken ? tracy_session_step(&s->session, now) : 0;
    }
    if (s->session.stage == TRACY_NOBODY && now - s->announced_ms >= ANNOUNCE_MS) {
        announce(s, now, (int32_t)((now - s->start_ms) / 1000));
    }
    return error;
}

size_t tracy_server_poll(const struct tracy_server *s, struct sys_poll fds[TRACY_SERVER_FDS]) {
    short send = tracy_viewer_queued(&s->session.viewer) > 0 ? SYS_POLL_OUT : 0;
    bool read = tracy_viewer_queued(&s->session.viewer) <= s->session.viewer.limit / 2;
    if (s->session.stage == TRACY_NOBODY) {
        fds[0] = (struct sys_poll){.fd = s->listener, .events = SYS_POLL_IN};
        return 1 + tracy_lobby_poll(&s->lobby, fds + 1);
    }
    fds[0] = (struct sys_poll){.fd = s->session.viewer.fd,
                               .events = (short)((read ? SYS_POLL_IN : 0) | send)};
    return 1;
}

/* Polls the viewer's socket once and makes a step. */
static int turn(struct tracy_server *s, int timeout_ms) {
    struct sys_poll fds[TRACY_SERVER_FDS];
    size_t count = tracy_server_poll(s, fds);
    if (sys_poll(fds, count, timeout_ms) < 0) {
        return -errno;
    }
    return tracy_server_step(s);
}

/* Replay: waits until the viewer has read most of its queue. */
static int wait_for_room(struct tracy_server *s) {
    int error = 0;
    s->session.since_ms = tracy_now_ms();
    while (error == 0 && s->session.stage == TRACY_STREAM &&
           tracy_viewer_queued(&s->session.viewer) > WAIT_QUEUE_BYTES / 2) {
        error = turn(s, TURN_MS);
        if (error == 0 && s->session.stage == TRACY_STREAM &&
            tracy_now_ms() - s->session.since_ms > STALL_TIMEOUT_MS) {
            tracy_session_drop(&s->session, "it has read nothing for 30 seconds");
        }
    }
    return error == -EINTR ? 0 : error;
}

static int wait_if_full(struct tracy_server *s) {
    const bool full = s->options.slow == TRACY_SLOW_WAIT &&
                      tracy_viewer_queued(&s->session.viewer) > WAIT_QUEUE_BYTES;
    return full ? wait_for_room(s) : 0;
}

void tracy_server_sample_period(struct tracy_server *s, uint64_t period_ns) {
    s->session.encode.sample_period_ns = period_ns;
}

int tracy_server_event(struct tracy_server *s, const struct event *event) {
    int error = tracy_session_error(&s->session, tracy_encode_event(&s->session.encode, event));
    if (s->session.stage == TRACY_GREETED && error == 0) {
        error = tracy_session_welcome(&s->session, tracy_now_ms());
    }
    return error != 0 ? error : wait_if_full(s);
}

int tracy_server_large(struct tracy_server *s, const struct large *large, const uint8_t *bytes,
                       size_t length) {
    tracy_published_take(&s->published, large, bytes, length);
    int error = tracy_session_error(&s->session,
                                    tracy_encode_large(&s->session.encode, large, bytes, length));
    return error != 0 ? error : wait_if_full(s);
}

int tracy_server_param(struct tracy_server *s, uint32_t index, const char *name, int32_t value,
                       bool is_switch) {
    const struct tracy_param param = {index, value, is_switch, name};
    return tracy_session_error(&s->session, tracy_encode_param(&s->session.encode, &param));
}

bool tracy_server_has_viewer(const struct tracy_server *s) {
    return s->session.stage == TRACY_STREAM;
}

bool tracy_server_is_greeted(const struct tracy_server *s) {
    return s->session.stage >= TRACY_GREETED;
}

size_t tracy_server_queued(const struct tracy_server *s) {
    return tracy_viewer_queued(&s->session.viewer);
}

int tracy_server_wait_viewer(struct tracy_server *s, int timeout_ms) {
    int64_t start = tracy_now_ms();
    int error = 0;
    while (error == 0 && s->session.stage < TRACY_GREETED) {
        if (timeout_ms >= 0 && tracy_now_ms() - start >= timeout_ms) {
            return -ETIMEDOUT;
        }
        error = turn(s, TURN_MS);
    }
    return error;
}

/* Answers queries until the viewer has all, disconnects, or is silent for too long. */
static int see_off(struct tracy_server *s, int timeout_ms) {
    int64_t start = tracy_now_ms();
    int error = 0;
    while (error == 0 && s->session.stage == TRACY_STREAM) {
        error = turn(s, s->session.answers.frames.count > 0 ? SYMBOLS_TURN_MS : TURN_MS);
        int64_t now = tracy_now_ms();
        if (s->session.stage == TRACY_STREAM &&
            (now - s->session.since_ms >= timeout_ms ||
             now - start >= (int64_t)timeout_ms * FINISH_TIMEOUTS)) {
            tracy_session_drop(&s->session, "it did not end");
            return -ETIMEDOUT;
        }
    }
    return error != 0 ? error : s->session.content ? 0 : -ECONNRESET;
}

int tracy_server_finish(struct tracy_server *s, int timeout_ms) {
    int error = tracy_session_welcome(&s->session, tracy_now_ms());
    if (error != 0 || s->session.stage != TRACY_STREAM) {
        return error;
    }
    error = tracy_session_end(&s->session, tracy_now_ms());
    if (error == 0) {
        error = see_off(s, timeout_ms);
    }
    s->session.ending = false;
    return error;
}

void tracy_server_totals(const struct tracy_server *s, struct tracy_server_totals *totals) {
    *totals = s->session.totals;
    totals->events = s->session.encode.events;
    totals->zones = s->session.encode.zones;
    totals->repairs = s->session.encode.repairs.total;
    totals->bytes = s->session.viewer.sent;
}

const char *tracy_server_where(const struct tracy_server *s) { return s->where; }
uint16_t tracy_server_port(const struct tracy_server *s) { return s->port; }

int tracy_server_open(struct tracy_server **server, const struct tracy_server_options *options) {
    struct tracy_server *s = calloc(1, sizeof *s);
    *server = NULL;
    if (s == NULL) {
        return -ENOMEM;
    }
    s->options = *options;
    s->listener = s->announcer = s->session.viewer.fd = -1;
    s->session.options = &s->options;
    s->start_ms = tracy_now_ms();
    s->announced_ms = s->start_ms - ANNOUNCE_MS;
    s->session.viewer.limit =
        options->queue_bytes != 0 ? options->queue_bytes : DEFAULT_QUEUE_BYTES;
    s->session.encode.names_complete = options->names_complete;
    s->session.encode.callstacks.gives_code = tracy_cpu_of(options->machine) != TRACY_CPU_UNKNOWN;
    s->session.encode.lanes_are_no_cores = options->lanes_are_no_cores;
    s->session.answers.encode = &s->session.encode;
    s->session.answers.context = options->context;
    s->session.answers.set_param = options->set_param;
    s->session.answers.notice = options->notice;
    s->session.answers.folders = &s->options.sources;
    s->session.answers.published = &s->published;
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
    tracy_session_say_refused(&s->session);
    if (s->announcer >= 0) {
        announce(s, 0, -1);
        (void)sys_close(s->announcer);
    }
    if (s->listener >= 0) {
        (void)sys_close(s->listener);
    }
    tracy_lobby_close(&s->lobby);
    tracy_viewer_free(&s->session.viewer);
    tracy_encode_free(&s->session.encode);
    tracy_published_free(&s->published);
    free(s);
}

void tracy_server_abandon(const struct tracy_server *s) {
    const int fds[] = {s->listener, s->announcer, s->session.viewer.fd};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0) {
            (void)sys_close(fds[i]);
        }
    }
    for (size_t i = 0; i < s->lobby.count; i++) {
        (void)sys_close(s->lobby.guests[i].fd);
    }
}
