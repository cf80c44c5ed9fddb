/* SPDX-License-Identifier: MIT */
#include "source/beacon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/host_clock.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "platform/file.h"
#include "platform/poll.h"

/* The datagram, ports/net/README.md: "kymo", version, flags, TCP port, MAC address, length of the name, name. */
#define MAGIC "kymo"
#define VERSION_AT 4
#define PORT_AT 6
#define MAC_AT 8
#define LENGTH_AT 14
#define NAME_AT 15
#define VERSION 1
#define DATAGRAM_BYTES 512
#define TURN_MS 100

bool beacon_parse(struct beacon *beacon, const uint8_t *bytes, size_t length,
                  const struct in_addr *from) {
    memset(beacon, 0, sizeof *beacon);
    if (length < NAME_AT || memcmp(bytes, MAGIC, sizeof MAGIC - 1) != 0 ||
        bytes[VERSION_AT] != VERSION || bytes[LENGTH_AT] > length - NAME_AT ||
        bytes[LENGTH_AT] >= BEACON_NAME_SIZE) {
        return false;
    }
    beacon->port = (uint16_t)(bytes[PORT_AT] << 8 | bytes[PORT_AT + 1]);
    memcpy(beacon->mac, bytes + MAC_AT, sizeof beacon->mac);
    utf8_clean(beacon->name, sizeof beacon->name, (const char *)bytes + NAME_AT, bytes[LENGTH_AT]);
    return beacon->port != 0 &&
           inet_ntop(AF_INET, from, beacon->address, sizeof beacon->address) != NULL;
}

static uint16_t port_to_hear(void) {
    const char *text = getenv(BEACON_PORT_ENVIRONMENT);
    unsigned long port = text ? strtoul(text, NULL, 10) : BEACON_PORT;
    return port > 0 && port <= UINT16_MAX ? (uint16_t)port : BEACON_PORT;
}

/* Several programs may hear the same announcements. */
static int open_socket(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port_to_hear())};
    const int fd = sys_socket(AF_INET, SOCK_DGRAM);
    if (fd < 0) {
        return -errno;
    }
    if (sys_set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1) != 0 ||
        sys_bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = -errno;
        sys_close(fd);
        return error;
    }
    return fd;
}

static bool is_same(const struct beacon *a, const struct beacon *b) {
    return a->port == b->port && strcmp(a->address, b->address) == 0 &&
           memcmp(a->mac, b->mac, sizeof a->mac) == 0;
}

/* A known board only sends its name again. */
static int add(struct beacon *beacons, int count, int limit, const struct beacon *heard) {
    for (int i = 0; i < count; i++) {
        if (is_same(&beacons[i], heard)) {
            beacons[i] = *heard;
            return count;
        }
    }
    if (count < limit) {
        beacons[count++] = *heard;
    }
    return count;
}

static bool receive(int fd, struct beacon *heard) {
    uint8_t bytes[DATAGRAM_BYTES];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t length = sys_receive_from(fd, bytes, sizeof bytes, (struct sockaddr *)&from, &size);
    return length > 0 && from.sin_family == AF_INET &&
           beacon_parse(heard, bytes, (size_t)length, &from.sin_addr);
}

static int by_address(const void *a, const void *b) {
    const struct beacon *left = a, *right = b;
    struct in_addr addresses[2];
    if (inet_pton(AF_INET, left->address, &addresses[0]) != 1 ||
        inet_pton(AF_INET, right->address, &addresses[1]) != 1) {
        return 0;
    }
    uint64_t keys[2] = {(uint64_t)ntohl(addresses[0].s_addr) << 16 | left->port,
                        (uint64_t)ntohl(addresses[1].s_addr) << 16 | right->port};
    return (keys[0] > keys[1]) - (keys[0] < keys[1]);
}

int beacon_list(struct beacon *beacons, int limit, uint64_t time_ns) {
    int count = 0, fd = open_socket();
    if (fd < 0) {
        return fd;
    }
    uint64_t end_ns = host_monotonic_ns() + time_ns;
    while (host_monotonic_ns() < end_ns && !stop_wanted()) {
        struct sys_poll readable = {.fd = fd, .events = SYS_POLL_IN};
        struct beacon heard;
        if (sys_poll(&readable, 1, TURN_MS) > 0 && receive(fd, &heard)) {
            count = add(beacons, count, limit, &heard);
        }
    }
    sys_close(fd);
    qsort(beacons, (size_t)count, sizeof *beacons, by_address);
    return count;
}
