/* SPDX-License-Identifier: MIT */
/* A board on a network, played on this machine: the runtime on the POSIX port, and a socket that serves one
 * host after another. With KYMO_COMMAND_KEY it obeys signed commands.
 *
 *   net_board [-p PORT] [-u PATH] [-n NONCE]
 *     -p  TCP port on 127.0.0.1 (default: a free one)
 *     -u  a unix socket in its place
 *     -n  what kymo_command_nonce() gives (default: random)
 * The first line on standard output is the port. Each millisecond it records a zone and a plot. Whenever its
 * parameter "gain" changes it prints a line "gain N", when it is stopped and started "stopped" and "started";
 * "gain" 99, or SIGUSR1, ends it with the final status and the line "emitted N" on standard error. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "kymo/kymo.h"

#define EVENTS_A_ROUND 3ul
#define LAST_GAIN 99

KYMO_PARAM(gain, "gain", 1, 0, 100);

static uint64_t nonce;
static volatile sig_atomic_t end_wanted;
static int host = -1;

uint64_t kymo_command_nonce(void);
uint64_t kymo_command_nonce(void) { return nonce; }

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void hang_up(void) {
    (void)close(host);
    host = -1;
}

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    ssize_t count = host < 0 ? 0 : send(host, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        hang_up();
    }
    return count > 0 ? (size_t)count : 0;
}

static size_t line_read(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    ssize_t count = host < 0 ? 0 : recv(host, bytes, length, MSG_DONTWAIT);
    if (host >= 0 && (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))) {
        hang_up();
    }
    return count > 0 ? (size_t)count : 0;
}

static const struct kymo_transport transport = {
    .write = line_write, .read = line_read, .network = true};

static int listen_tcp(uint16_t port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 4) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        fail("net_board: TCP");
    }
    printf("%u\n", (unsigned)ntohs(address.sin_port));
    return fd;
}

static int listen_unix(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    (void)unlink(path);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 4) != 0) {
        fail("net_board: unix socket");
    }
    printf("0\n");
    return fd;
}

/* One millisecond; a new host takes the place of the one before. */
static void wait_for_host(int server) {
    struct pollfd ready = {.fd = server, .events = POLLIN};
    if (poll(&ready, 1, 1) > 0) {
        int fd = accept(server, NULL, NULL);
        if (host >= 0) {
            hang_up();
        }
        host = fd;
    }
}

static bool work(void) {
    static int32_t last = 1;
    KYMO_ZONE("round");
    int32_t now = KYMO_PARAM_GET(gain);
    KYMO_PLOT("gain", now);
    if (now != last) {
        printf("gain %d\n", (int)now);
        last = now;
    }
    return now != LAST_GAIN && !end_wanted;
}

/* Reports when recording stops or starts: a zone cannot begin while it is stopped. */
static void tell_stopped(void) {
    static bool before;
    KYMO_BEGIN(probe, "probe");
    bool now = probe == NULL;
    KYMO_END(probe);
    if (now != before) {
        printf("%s\n", now ? "stopped" : "started");
        before = now;
    }
}

static void drain(void) {
    while (kymo_drain(0)) {}
}

static void on_signal(int number) {
    (void)number;
    end_wanted = 1;
}

int main(int argc, char **argv) {
    uint16_t port = 0;
    const char *path = NULL;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    if (getrandom(&nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce) {
        fail("net_board: getrandom");
    }
    for (int option; (option = getopt(argc, argv, "p:u:n:")) != -1;) {
        port = option == 'p' ? (uint16_t)strtoul(optarg, NULL, 10) : port;
        path = option == 'u' ? optarg : path;
        nonce = option == 'n' ? strtoull(optarg, NULL, 10) : nonce;
        if (option == '?') {
            return 2;
        }
    }
    (void)signal(SIGUSR1, on_signal);
    int server = path ? listen_unix(path) : listen_tcp(port);
    unsigned long rounds = 1;
    kymo_init(&transport, "network board");
    for (; work(); rounds++) {
        tell_stopped();
        drain();
        wait_for_host(server);
    }
    kymo_finish();
    for (int i = 0; i < 100000 && kymo_pending(); i++) {
        drain();
        wait_for_host(server);
    }
    fprintf(stderr, "emitted %lu\n", rounds * EVENTS_A_ROUND + (rounds - 1) * 2);
    return 0;
}
