/* SPDX-License-Identifier: MIT */
/* Hostile bytes from a viewer. After any input the server goes on: it takes events, large things and parameters, lets
 * the viewer go, and serves the next. The first byte of the input says how to cut the rest, and what the server has. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clean.h"
#include "fuzz.h"
#include "kymo/wire.h"
#include "model/board_info.h"
#include "model/large.h"
#include "tracy/proto.h"
#include "tracy/server.h"

#define TURNS_MAX 5000

static const struct track core = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0", NULL, NULL, 0};
static const struct site zone = {
    .kind = KYMO_SITE_ZONE, .known = true, .name = "zone", .function = "f", .file = "f.c"};
static const struct site plot = {
    .id = 1, .kind = KYMO_SITE_PLOT, .known = true, .name = "plot", .function = "f", .file = "g.c"};
static struct tracy_server *server;
static int listener; /* of the server, -1: not asked for yet */
static int64_t now_ns;

/* The name goes first. */
static size_t ask_for_source(uint8_t *out, uint32_t protocol) {
    static const enum tracy_query queries[] = {
        TRACY_QUERY_DATA_TRANSFER, TRACY_QUERY_DATA_TRANSFER_PART, TRACY_QUERY_SOURCE_CODE};
    static const char *const keys[] = {"\4", "f.c", "\1"};
    struct tracy_proto proto;
    (void)tracy_proto_select(&proto, protocol);
    for (size_t i = 0; i < 3; i++) {
        uint8_t *query = out + i * TRACY_QUERY_BYTES;
        memset(query, 0, TRACY_QUERY_BYTES);
        query[0] = tracy_proto_query_number(&proto, queries[i]);
        memcpy(query + 1, keys[i], strlen(keys[i]));
    }
    return 3 * TRACY_QUERY_BYTES;
}

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    static const uint8_t protocols[] = {63, 64, 66, 69, 74, 76, 82};
    size_t length = 1 + TRACY_HELLO_BYTES;
    if (size < length + 20 * TRACY_QUERY_BYTES) {
        return 0;
    }
    out[0] = (uint8_t)index;
    memcpy(out + 1, TRACY_MAGIC, TRACY_MAGIC_BYTES);
    out[9] = protocols[index % sizeof protocols];
    out[10] = out[11] = out[12] = 0;
    for (uint8_t query = 1; query < 16; query++, length += TRACY_QUERY_BYTES) {
        memset(out + length, 0, TRACY_QUERY_BYTES);
        out[length] = query;
        out[length + 6] = (uint8_t)(1 + index % 3); /* the range of a key */
    }
    return length + ask_for_source(out + length, out[9]);
}

static const struct code_place *find(void *state, uint64_t address) {
    static const struct code_line lines[] = {{"inner", "in.c", 7}, {"main", "f.c", 12}};
    static const struct code_place place = {
        .start = 0x8000, .bytes = 64, .count = 2, .lines = lines};
    (void)state;
    return address % 3 == 0 ? NULL : &place;
}

/* Each is looked for a while. */
static bool is_ready(void *state, uint64_t address) {
    static unsigned looks;
    (void)state;
    (void)address;
    return ++looks % 3 == 0;
}

static const uint8_t *code(void *state, uint64_t start, uint64_t bytes) {
    static const uint8_t zeros[64];
    (void)state;
    (void)start;
    return bytes <= sizeof zeros ? zeros : NULL;
}

static const struct symbols symbols = {
    .find = find, .glance = find, .code = code, .is_ready = is_ready};

static void give(struct event event) {
    event.time_ns = now_ns++;
    event.track = event.kind == EVENT_SESSION ? NULL : &core;
    event.site = event.site != NULL ? event.site : &zone;
    if (tracy_server_event(server, &event) != 0) {
        fuzz_wrong("the capture was disturbed");
    }
}

static void give_session(void) {
    static const struct board_info board = {.has = {[KYMO_INFO_RUNTIME] = true},
                                            .text = {[KYMO_INFO_RUNTIME] = "0.1"}};
    struct event event = {.kind = EVENT_SESSION};
    event.u.session.image = "fuzz";
    event.u.session.info = &board;
    give(event);
    give((struct event){.kind = EVENT_TRACK});
}

static void give_large(unsigned number) {
    static const uint8_t text[] = "module {}";
    struct large large = {.id = number, .type = KYMO_LARGE_TEXT, .name = "in.c", .received = 9};
    const bool taken = tracy_server_large(server, &large, text, 9) == 0;
    large.end = LARGE_WHOLE;
    if (!taken || tracy_server_large(server, &large, NULL, 0) != 0) {
        fuzz_wrong("a large thing was refused");
    }
}

static void on_notice(void *context, const char *text) {
    (void)context;
    must_be_clean(text, "a notice is no text");
}

static void on_param(void *context, uint32_t index, int32_t value) {
    (void)context;
    if (tracy_server_param(server, index, "kymo.sample_hz", value, index % 2 != 0) != 0) {
        fuzz_wrong("a parameter was refused");
    }
}

/* Opens the server of a replay, or of a live view. */
static void open_server(bool is_live) {
    const struct tracy_server_options options = {.queue_bytes = 1u << 20,
                                                 .names_complete = !is_live,
                                                 .session_first = is_live,
                                                 .host_info = is_live ? NULL : "CPU: any",
                                                 .machine = is_live ? 62 : 0,
                                                 .notice = on_notice,
                                                 .set_param = on_param};
    tracy_server_close(server);
    listener = -1;
    now_ns = 0;
    if (tracy_server_open(&server, &options) != 0) {
        fuzz_wrong("cannot listen");
    }
    tracy_server_sample_period(server, is_live ? 0 : 1000);
}

static int connect_viewer(void) {
    struct sockaddr_in where = {.sin_family = AF_INET,
                                .sin_port = htons(tracy_server_port(server)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&where, sizeof where) != 0) {
        fuzz_wrong("cannot connect");
    }
    return fd;
}

/* Mostly by a reset, which leaves no port waiting for late packets. */
static void hang_up(int fd, bool politely) {
    const struct linger none = {.l_onoff = 1, .l_linger = 0};
    if (!politely) {
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    }
    (void)close(fd);
}

static void turn(void) {
    static unsigned turns;
    const struct callstack stack = {
        .symbols = &symbols, .count = 2, .address = {0x8000 + turns % 64, 0x9000}};
    turns++;
    if (turns % 512 == 1) {
        give_session();
    }
    give((struct event){.kind = EVENT_ZONE_BEGIN, .stack = turns % 2 != 0 ? &stack : NULL});
    if (turns % 4 == 0) {
        give((struct event){.kind = EVENT_PLOT_INT, .site = &plot, .u.plot.integer = turns});
        give((struct event){.kind = EVENT_MESSAGE, .u.text = {.bytes = "text", .length = 4}});
    }
    if (turns % 64 == 3) {
        give_large(turns);
        on_param(NULL, turns % 5, (int32_t)turns);
    }
    give((struct event){.kind = EVENT_ZONE_END});
    if (tracy_server_step(server) != 0) {
        fuzz_wrong("an error of a viewer is the server's");
    }
}

static bool is_free(void) {
    struct sys_poll fds[TRACY_SERVER_FDS];
    (void)tracy_server_poll(server, fds);
    if (listener < 0) {
        listener = fds[0].fd; /* asked first while nobody is there */
    }
    return fds[0].fd == listener;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned inputs;
    struct tracy_server_totals totals;
    if (inputs++ % 64 == 0) {
        open_server(inputs / 64 % 2 != 0);
    }
    if (size == 0 || !is_free()) {
        return 0;
    }
    size_t piece = 1 + data[0] % 64u;
    int fd = connect_viewer();
    for (size_t at = 1; at < size; at += piece) {
        size_t length = size - at < piece ? size - at : piece;
        (void)send(fd, data + at, length, MSG_NOSIGNAL);
        turn();
    }
    if (data[0] % 32 == 7) { /* the trace ends, and the viewer does not answer */
        (void)tracy_server_finish(server, 0);
    }
    hang_up(fd, data[0] % 8 == 0);
    turn();
    for (unsigned i = 0; i < TURNS_MAX && !is_free(); i++) {
        turn();
    }
    if (!is_free()) {
        fuzz_wrong("a viewer that has gone is still there");
    }
    tracy_server_totals(server, &totals);
    return 0;
}
