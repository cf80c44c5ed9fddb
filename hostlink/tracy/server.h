/* SPDX-License-Identifier: MIT */
/* A Tracy client made of a board's trace: viewers (tracy-profiler, tracy-capture) connect to it as
 * they would to a program. One thread, never waits unless a comment says so.
 *
 *     tracy_server_open(&server, &options);
 *     loop: n = tracy_server_poll(server, fds); sys_poll(fds ..., at most 100 ms);
 *           tracy_server_event(server, event) for each event of the pipeline;
 *           tracy_server_step(server);
 *     tracy_server_finish(server, timeout_ms);
 *     tracy_server_close(server);
 *
 * The strings and structs of the events must live until tracy_server_close(). */
#ifndef HOSTLINK_TRACY_SERVER_H
#define HOSTLINK_TRACY_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/event.h"
#include "platform/poll.h"
#include "tracy/source_code.h"

struct large;

#define TRACY_DEFAULT_ADDRESS "127.0.0.1"
#define TRACY_DEFAULT_PORT                                                                         \
    8086 /* TracyProtocol: a client takes the next free of 20 ports from here */
#define TRACY_DEFAULT_PORTS 20
#define TRACY_HOST_INFO_BYTES 1024u
#define TRACY_SERVER_FDS 9 /* most entries that tracy_server_poll() fills */

/* The policy when a viewer reads more slowly than events come. */
enum tracy_slow {
    TRACY_SLOW_DROP, /* live: keep a bounded queue; when it is full the viewer is dropped */
    TRACY_SLOW_WAIT  /* replay: tracy_server_event() waits for the viewer */
};

struct tracy_server_options {
    const char *address; /* NULL = TRACY_DEFAULT_ADDRESS; numeric IPv4 or IPv6 */
    uint16_t port; /* 0 = the first free one of the default ports; else this one or an error */
    enum tracy_slow slow;
    /* Announce to viewers by UDP broadcast, as Tracy's client does: in the network, or on this
     * machine while only its viewers could connect. */
    bool announce;
    /* A viewer offers only programs with its own protocol; 0 = that of the last viewer, or the newest. */
    uint32_t announce_protocol;
    bool once;           /* a viewer that was dropped cannot connect again */
    bool names_complete; /* all names are known from the start: no answer waits for one */
    /* Live: a viewer that comes before the board waits a moment for the board's name. */
    bool session_first;
    struct tracy_source_folders sources;
    const char *program;   /* shown until the board's name is known; may be NULL */
    size_t queue_bytes;    /* most bytes that wait for a slow viewer, 0 = default (32 MiB) */
    int64_t epoch_s;       /* Unix time of the start if the trace has none, 0 = now */
    uint16_t machine;      /* e_machine of the program's ELF file, 0 = no file */
    uint64_t process;      /* number of the program's process, 0 = it has none */
    const char *host_info; /* lines "what: value" of the machine; NULL: those of a board's clock */
    bool lanes_are_no_cores; /* lanes are not shown as cores */
    void *context;           /* for the calls below */
    /* A line worth a user's attention: viewer came, went, was dropped and why. May be NULL. */
    void (*notice)(void *context, const char *text);
    /* The viewer's user set parameter "index". May be NULL. */
    void (*set_param)(void *context, uint32_t index, int32_t value);
};

/* Totals so far, over all viewers. */
struct tracy_server_totals {
    uint64_t viewers; /* that got as far as the welcome */
    uint64_t refused; /* that did not: wrong protocol, nonsense, silence */
    uint64_t dropped; /* by us, after the welcome */
    uint64_t events;  /* given to a viewer */
    uint64_t zones;   /* ends of zones given to a viewer */
    uint64_t repairs; /* events changed or withheld, see tracy_repair.h */
    uint64_t bytes;   /* sent, compressed */
};

struct tracy_server;

/* Listens. Returns 0, or a negative errno value: -EADDRINUSE, -EINVAL for an invalid address, ... */
int tracy_server_open(struct tracy_server **server, const struct tracy_server_options *options);
void tracy_server_close(struct tracy_server *server); /* NULL is allowed */
/* Closes the descriptors, which belong to another process as well, and does nothing else: after a fork(), in the
 * child, which must not use the server any more. */
void tracy_server_abandon(const struct tracy_server *server);

/* "127.0.0.1:8087", where it really listens. */
const char *tracy_server_where(const struct tracy_server *server);
uint16_t tracy_server_port(const struct tracy_server *server);

/* Descriptors to poll; returns how many entries of "fds" were filled. */
size_t tracy_server_poll(const struct tracy_server *server, struct sys_poll fds[TRACY_SERVER_FDS]);
/* Does all that can be done now: accepts, answers, sends. Errors of a viewer end the viewer only;
 * a negative errno value is one of our own (out of memory). */
int tracy_server_step(struct tracy_server *server);

/* True from the welcome on until the viewer is gone. */
bool tracy_server_has_viewer(const struct tracy_server *server);
/* The same, from its greeting on: it may wait for the record of the session. */
bool tracy_server_is_greeted(const struct tracy_server *server);
/* Bytes that wait for the viewer. */
size_t tracy_server_queued(const struct tracy_server *server);
/* Waits until a viewer is there, though perhaps not yet welcome: 0, -ETIMEDOUT, or -EINTR when a
 * signal came. Negative = no limit. A viewer that comes while another is served waits until that
 * one is gone. */
int tracy_server_wait_viewer(struct tracy_server *server, int timeout_ms);

/* The mean time between two samples, which a viewer gets once, when it connects: as an earlier pass over the same trace
 * has found it. 0 = not known. */
void tracy_server_sample_period(struct tracy_server *server, uint64_t period_ns);

/* Takes the next event. Call it also while no viewer is connected, so that a later one sees open
 * zones, names and plots as they are. With TRACY_SLOW_WAIT it may wait. Returns 0 or -errno. */
int tracy_server_event(struct tracy_server *server, const struct event *event);
/* Takes the board's large things, like large_receive() in model/large.h. Pictures become images of frames. Returns 0 or
 * -errno. */
int tracy_server_large(struct tracy_server *server, const struct large *large, const uint8_t *bytes,
                       size_t length);
/* A value of the board that the viewer may set, and its present value; "is_switch": it is 0 or 1. "name" must stay
 * valid. */
int tracy_server_param(struct tracy_server *server, uint32_t index, const char *name, int32_t value,
                       bool is_switch);

/* The end of the trace: sends all and the end, and answers queries until the viewer has all. Waits at
 * most "timeout_ms" without any sign of life from the viewer, and 12 times that in all. Returns 0 when
 * the viewer has confirmed that it has all (or without a viewer), -ETIMEDOUT, -ECONNRESET when it
 * disconnected before, -EINTR when a signal came. */
int tracy_server_finish(struct tracy_server *server, int timeout_ms);

void tracy_server_totals(const struct tracy_server *server, struct tracy_server_totals *totals);

/* "[addr:]port" of --tracy; "addr" may be an IPv6 address in []. 0 or -EINVAL. */
int tracy_parse_where(const char *text, char *address, size_t size, uint16_t *port);

#endif
