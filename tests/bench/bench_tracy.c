/* SPDX-License-Identifier: MIT */
/* Zones per second on the way to a Tracy viewer: encoder with compression alone, the whole server
 * with a viewer in another process that only reads, and a capture file on its way to one, as
 * "hostlink serve" does it.
 *
 *     bench_tracy [MILLION ZONES [PORT]]     with a port: to the viewer that connects there
 *     bench_tracy FILE [PORT] */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>

#include "cli/convert.h"
#include "kymo/wire.h"
#include "tracy/encode.h"
#include "tracy/server.h"
#include "tracy/viewer.h"

#define SITES 32
#define DEPTH 4
#define TURN_MS 60000

static struct site sites[SITES];
static const struct track tracks[2] = {{1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0},
                                       {2, 0, 0, KYMO_CONTEXT_INTERRUPT, "timer", NULL, NULL, 0}};

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void make_sites(void) {
    static char names[SITES][16];
    for (unsigned i = 0; i < SITES; i++) {
        (void)snprintf(names[i], sizeof names[i], "zone %u", i);
        sites[i] = (struct site){.id = i,
                                 .kind = KYMO_SITE_ZONE,
                                 .known = true,
                                 .line = i,
                                 .name = names[i],
                                 .function = "work",
                                 .file = "bench.c"};
    }
}

typedef int receiver(void *context, const struct event *event);

struct generator {
    receiver *receive;
    void *context;
    int64_t now_ns;
    uint32_t random;
    const struct site *open[DEPTH];
    int64_t start_ns[DEPTH];
};

static uint32_t next_random(struct generator *g) {
    g->random = g->random * 1664525u + 1013904223u; /* Numerical Recipes, "ranqd1" */
    return g->random >> 16;
}

/* Nested zones of 20 ns to 4 us; one in 64 in an interrupt. */
static int one_nest(struct generator *g, unsigned depth) {
    const struct track *track = &tracks[next_random(g) % 64 == 0];
    int error = 0;
    for (unsigned i = 0; i < depth && error == 0; i++) {
        g->now_ns += 20 + next_random(g) % 2000;
        g->open[i] = &sites[next_random(g) % SITES];
        g->start_ns[i] = g->now_ns;
        struct event event = {
            .kind = EVENT_ZONE_BEGIN, .time_ns = g->now_ns, .track = track, .site = g->open[i]};
        error = g->receive(g->context, &event);
    }
    for (unsigned i = depth; i-- > 0 && error == 0;) {
        g->now_ns += 20 + next_random(g) % 2000;
        struct event event = {
            .kind = EVENT_ZONE_END, .time_ns = g->now_ns, .track = track, .site = g->open[i]};
        event.u.zone.start_ns = g->start_ns[i];
        error = g->receive(g->context, &event);
    }
    return error;
}

static int generate(receiver *receive, void *context, uint64_t zones) {
    struct generator g = {.receive = receive, .context = context, .random = 1};
    int error = 0;
    for (uint64_t done = 0; done < zones && error == 0; done += DEPTH) {
        error = one_nest(&g, DEPTH);
    }
    return error;
}

static int nowhere(void *context, const struct event *event) {
    *(int64_t *)context += event->time_ns;
    return 0;
}

static void print(const char *what, uint64_t zones, double took_s, double bytes) {
    printf("%-44s %7.2f million zones/s", what, (double)zones / took_s / 1e6);
    if (bytes > 0) {
        printf(", %.2f bytes/zone", bytes / (double)zones);
    }
    printf("\n");
}

/* Throws compressed frames away. */
static int discard(void *context, const uint8_t *frame, size_t length) {
    struct tracy_viewer *viewer = context;
    int error = tracy_viewer_put_frame(viewer, frame, length);
    viewer->sent += tracy_viewer_queued(viewer);
    viewer->head = viewer->tail = 0;
    return error;
}

static int to_encoder(void *context, const struct event *event) {
    return tracy_encode_event(context, event);
}

static int bench_encoder(uint32_t protocol, uint64_t zones) {
    struct tracy_encode *encode = calloc(1, sizeof *encode);
    struct tracy_viewer *viewer = calloc(1, sizeof *viewer);
    struct tracy_proto proto;
    char what[64];
    if (encode == NULL || viewer == NULL || !tracy_proto_select(&proto, protocol)) {
        return -ENOMEM;
    }
    viewer->fd = -1;
    viewer->limit = (size_t)1 << 24;
    int error = tracy_encode_begin(encode, &proto, 0, discard, viewer);
    double start = seconds();
    error = error != 0 ? error : generate(to_encoder, encode, zones);
    error = error != 0 ? error : tracy_encode_end(encode);
    (void)snprintf(what, sizeof what, "encoder and LZ4, protocol %u", (unsigned)protocol);
    print(what, zones, seconds() - start, (double)viewer->sent);
    tracy_encode_free(encode);
    tracy_viewer_free(viewer);
    free(encode);
    free(viewer);
    return error;
}

struct served {
    struct tracy_server *server;
    unsigned count;
};

static int to_server(void *context, const struct event *event) {
    struct served *served = context;
    int error = tracy_server_event(served->server, event);
    return error != 0 || ++served->count % 8192 != 0 ? error : tracy_server_step(served->server);
}

/* A viewer that says hello and reads to the end; asks nothing, so the end comes when it is told
 * to. */
static void null_viewer(uint16_t port, uint32_t protocol) {
    static uint8_t bytes[1 << 18];
    uint8_t hello[TRACY_HELLO_BYTES] = TRACY_MAGIC;
    struct sockaddr_in where = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    hello[8] = (uint8_t)protocol;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ssize_t count = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&where, sizeof where) != 0 ||
        send(fd, hello, sizeof hello, 0) != (ssize_t)sizeof hello) {
        _exit(1);
    }
    while (count > 0) {
        count = recv(fd, bytes, sizeof bytes, 0);
    }
    _exit(0);
}

/* "whole": until the viewer has confirmed the end, which the one that only reads never does. */
static int serve(struct tracy_server *server, uint64_t zones, bool whole, const char *what) {
    struct served served = {.server = server};
    struct tracy_server_totals totals;
    int error = tracy_server_wait_viewer(server, TURN_MS);
    double start = seconds();
    error = error != 0 ? error : generate(to_server, &served, zones);
    double took_s = seconds() - start;
    if (error == 0) {
        error = tracy_server_finish(server, whole ? TURN_MS : 100);
        error = whole ? error : 0;
    }
    took_s = whole ? seconds() - start : took_s;
    tracy_server_totals(server, &totals);
    print(what, zones, took_s, (double)totals.bytes);
    return error != 0 ? error : totals.zones == zones ? 0 : -EPIPE;
}

static int bench_server(uint32_t protocol, uint64_t zones, uint16_t port) {
    struct tracy_server *server;
    struct tracy_server_options options = {
        .port = port, .slow = TRACY_SLOW_WAIT, .names_complete = true};
    int error = tracy_server_open(&server, &options);
    if (error != 0) {
        return error;
    }
    (void)fflush(stdout);
    pid_t child = port != 0 ? -1 : fork();
    if (child == 0) {
        null_viewer(tracy_server_port(server), protocol);
    }
    error = serve(server, zones, port != 0,
                  port != 0 ? "server and a real viewer, whole session"
                            : "server, viewer that only reads");
    tracy_server_close(server);
    if (child > 0) {
        (void)waitpid(child, NULL, 0);
    }
    return error;
}

static double cpu_seconds(void) {
    struct timespec used;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* The first pass learns the names, before a viewer comes; the second is what it waits for. */
struct replayed {
    struct served served;
    double start_s, start_cpu_s; /* of the second pass */
    int error;
};

static int replayed_event(void *context, const struct event *event) {
    struct replayed *r = context;
    if (event->kind == EVENT_SESSION && r->start_s == 0) {
        r->error = tracy_server_event(r->served.server, event);
        r->error = r->error != 0 ? r->error : tracy_server_wait_viewer(r->served.server, TURN_MS);
        r->start_s = seconds();
        r->start_cpu_s = cpu_seconds();
        return r->error;
    }
    return to_server(&r->served, event);
}

static int replay(struct tracy_server *server, struct replay *file, bool whole) {
    struct replayed r = {.served.server = server};
    struct conversion conversion;
    struct tracy_server_totals totals;
    const struct consumer viewer = {.state = &r, .event = replayed_event};
    const struct receivers receivers = {.consumer = &viewer};
    double start_cpu_s = cpu_seconds();
    int error = conversion_run(&conversion, file, NULL, &receivers);
    double took_s = seconds() - r.start_s, took_cpu_s = cpu_seconds() - r.start_cpu_s;
    if (error == 0 && whole) {
        error = tracy_server_finish(server, TURN_MS);
        took_s = seconds() - r.start_s;
    }
    tracy_server_totals(server, &totals);
    print("capture file: names, processor time", totals.zones, r.start_cpu_s - start_cpu_s, 0);
    print("capture file: to the viewer, processor time", totals.zones, took_cpu_s, 0);
    print(whole ? "capture file: to a real viewer, whole session"
                : "capture file: to a viewer that only reads",
          totals.zones, took_s, (double)totals.bytes);
    if (error == 0 && !whole) {
        (void)tracy_server_finish(server, 100); /* that viewer confirms nothing */
    }
    conversion_free(&conversion);
    return error != 0 ? error : totals.zones > 0 ? 0 : -ENODATA;
}

static int bench_file(const char *path, uint16_t port) {
    struct replay file;
    struct tracy_server *server;
    const struct tracy_server_options options = {
        .port = port, .slow = TRACY_SLOW_WAIT, .names_complete = true};
    int error = replay_open(&file, path);
    if (error != 0) {
        return error;
    }
    error = tracy_server_open(&server, &options);
    if (error == 0) {
        (void)fflush(stdout);
        pid_t child = port != 0 ? -1 : fork();
        if (child == 0) {
            null_viewer(tracy_server_port(server), 82);
        }
        error = replay(server, &file, port != 0);
        tracy_server_close(server);
        if (child > 0) {
            (void)waitpid(child, NULL, 0);
        }
    }
    replay_close(&file);
    return error;
}

static int bench_events(uint64_t zones, uint16_t port) {
    int64_t sum = 0;
    double start = seconds();
    (void)generate(nowhere, &sum, zones);
    print("events made and thrown away", zones, seconds() - start, 0);
    int error = port != 0 ? 0 : bench_encoder(76, zones);
    error = error != 0 || port != 0 ? error : bench_encoder(82, zones);
    return error != 0 ? error : bench_server(82, zones, port);
}

int main(int argc, char **argv) {
    char *rest = "";
    uint64_t millions = argc > 1 ? strtoull(argv[1], &rest, 10) : 2;
    uint16_t port = argc > 2 ? (uint16_t)strtoul(argv[2], NULL, 10) : 0;
    make_sites();
    int error = *rest != '\0' ? bench_file(argv[1], port) : bench_events(millions * 1000000u, port);
    if (error != 0) {
        fprintf(stderr, "bench_tracy: %s\n", strerror(-error));
    }
    return error != 0;
}
