/* Hostile bytes from a viewer. Whatever comes, the server goes on: it takes events, lets the
 * viewer go, and serves the next. The first byte of the input says how the rest is cut. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "kymo/wire.h"
#include "tracy/proto.h"
#include "tracy/server.h"

#define TURNS_MAX 5000

static const struct track core = {1, 0, 0, KYMO_CONTEXT_MAIN, "core 0"};
static const struct site zone = {
    .kind = KYMO_SITE_ZONE, .known = true, .name = "zone", .function = "f", .file = "f.c"};
static struct tracy_server *server;
static int64_t now_ns;

size_t fuzz_seed(uint32_t index, uint8_t *out, size_t size) {
    static const uint8_t protocols[] = {63, 64, 66, 69, 74, 76, 82};
    size_t length = 1 + TRACY_HELLO_BYTES;
    if (size < length + 16 * TRACY_QUERY_BYTES) {
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
    return length;
}

static void give(enum event_kind kind) {
    struct event event = {.kind = kind, .time_ns = now_ns++, .track = &core, .site = &zone};
    if (tracy_server_event(server, &event) != 0) {
        fuzz_wrong("the capture was disturbed");
    }
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
    give(EVENT_ZONE_BEGIN);
    give(EVENT_ZONE_END);
    if (tracy_server_step(server) != 0) {
        fuzz_wrong("an error of a viewer is the server's");
    }
}

static bool is_free(void) {
    struct pollfd fds[TRACY_SERVER_FDS];
    static int listener = -1;
    (void)tracy_server_poll(server, fds);
    if (listener < 0) {
        listener = fds[0].fd; /* asked first while nobody is there */
    }
    return fds[0].fd == listener;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct tracy_server_options options = {.queue_bytes = 1u << 20, .names_complete = true};
    if (server == NULL && tracy_server_open(&server, &options) != 0) {
        fuzz_wrong("cannot listen");
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
    hang_up(fd, data[0] % 8 == 0);
    turn();
    for (unsigned i = 0; i < TURNS_MAX && !is_free(); i++) {
        turn();
    }
    if (!is_free()) {
        fuzz_wrong("a viewer that has gone is still there");
    }
    return 0;
}
