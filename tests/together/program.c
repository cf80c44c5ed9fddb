/* SPDX-License-Identifier: MIT */
/* A program of the host that gives a board messages and gets them back, until a file STOP is there.
 * Usage: program PORT SOCKET TRUTH STOP */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "kymo/kymo.h"
#include "message.h"
#include "posix_socket.h"

#define NS_PER_S UINT64_C(1000000000)
#define EVERY_NS (NS_PER_S / 25)

static FILE *truth;

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void tell(char what, uint64_t number, uint64_t before_ns) {
    fprintf(truth, "%c %llx %llx %llx\n", what, (unsigned long long)number,
            (unsigned long long)before_ns, (unsigned long long)now_ns());
}

static bool send_one(int line, uint64_t number) {
    uint8_t bytes[MESSAGE_BYTES];
    message_put(bytes, number);
    const uint64_t before_ns = now_ns();
    KYMO_FLOW_SEND_NAMED("mail", number);
    tell('s', number, before_ns);
    return write(line, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
}

static void receive(int line) {
    static struct message_part part;
    uint64_t number;
    uint8_t byte;
    while (recv(line, &byte, 1, MSG_DONTWAIT) == 1) {
        if (message_take(&part, byte, &number)) {
            const uint64_t before_ns = now_ns();
            KYMO_FLOW_RECEIVE_NAMED("mail", number);
            tell('r', number, before_ns);
        }
    }
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int line = socket(AF_UNIX, SOCK_STREAM, 0);
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return connect(line, (const struct sockaddr *)&address, sizeof address) == 0 ? line : -1;
}

int main(int argc, char **argv) {
    static struct kymo_posix_socket server;
    static struct kymo_transport transport;
    const int line = argc == 5 ? connect_to(argv[2]) : -1;
    truth = argc == 5 ? fopen(argv[3], "w") : NULL;
    if (line < 0 || truth == NULL ||
        kymo_posix_socket_listen(&server, 0x7f000001u, (uint16_t)atoi(argv[1])) != 0) {
        perror("program");
        return 1;
    }
    transport = *kymo_posix_socket_transport(&server);
    transport.network = false; /* this machine only: commands need no key */
    kymo_init(&transport, "program in C");
    uint64_t next_ns = 0, number = 0;
    bool good = true;
    while (access(argv[4], F_OK) != 0 && good) {
        struct pollfd from[2] = {{.fd = line, .events = POLLIN},
                                 {.fd = server.host, .events = POLLIN}};
        (void)poll(from, 2, 1);
        receive(line);
        if (now_ns() >= next_ns) {
            next_ns = now_ns() + EVERY_NS;
            good = send_one(line, number++);
        }
        while (kymo_drain(0u)) {}
    }
    kymo_finish();
    for (next_ns = now_ns() + 10 * NS_PER_S; kymo_pending() && now_ns() < next_ns;) {
        (void)kymo_drain(0u);
    }
    kymo_posix_socket_close(&server);
    return fclose(truth) == 0 && good ? 0 : 1;
}
