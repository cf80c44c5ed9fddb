/* SPDX-License-Identifier: MIT */
#include "tracy/listen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/file.h"
#include "platform/net.h"

#define ANNOUNCE_PORT 8086 /* TracyProtocol.hpp, broadcast */
#define ANNOUNCE_VERSION 3 /* BroadcastVersion of 0.9 to 0.14 */
#define ANNOUNCE_NAME_BYTES 64
#define ANNOUNCE_HEAD_BYTES 20

#define LOOPBACK_BROADCAST UINT32_C(0x7fffffff) /* 127.255.255.255, as Tracy's client has it */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Length of the filled structure, or 0 for text that is no address. */
static socklen_t parse(const char *text, uint16_t port, union address *address) {
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(port);
        return sizeof address->v4;
    }
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons(port);
        return sizeof address->v6;
    }
    return 0;
}

static int listen_on(const char *text, uint16_t port) {
    union address address;
    socklen_t length = parse(text, port, &address);
    if (length == 0) {
        return -EINVAL;
    }
    int fd = sys_socket(address.any.sa_family, SOCK_STREAM);
    if (fd < 0) {
        return -errno;
    }
    sys_share_address(fd);
    if (address.any.sa_family == AF_INET6) { /* "::" is all interfaces, those of IPv4 as well */
        (void)sys_set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    }
    if (sys_bind(fd, &address.any, length) != 0 || sys_listen(fd, 4) != 0) {
        int error = -errno;
        (void)sys_close(fd);
        return error;
    }
    return fd;
}

static uint16_t port_of(int fd) {
    union address address = {0};
    socklen_t length = sizeof address;
    (void)sys_socket_name(fd, &address.any, &length);
    return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

int tracy_listen(const char *address, uint16_t *port, unsigned ports) {
    int fd = -EADDRINUSE;
    for (unsigned i = 0; i < ports && fd == -EADDRINUSE; i++) {
        fd = listen_on(address, (uint16_t)(*port + i));
    }
    if (fd >= 0) {
        *port = port_of(fd);
    }
    return fd;
}

bool tracy_still_listens(int listener, uint16_t port) { return port_of(listener) == port; }

bool tracy_is_loopback(const char *address) {
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* False: no room. */
static bool write_address(const union address *address, char *text, size_t size) {
    char whole[INET6_ADDRSTRLEN];
    const bool is_v6 = address->any.sa_family == AF_INET6;
    const void *bytes =
        is_v6 ? (const void *)&address->v6.sin6_addr : (const void *)&address->v4.sin_addr;
    return inet_ntop(address->any.sa_family, bytes, whole, sizeof whole) != NULL &&
           (size_t)snprintf(text, size, "%s", whole) < size;
}

static void name_peer(const union address *peer, char *name, size_t size) {
    char text[INET6_ADDRSTRLEN] = "?";
    const bool v6 = peer->any.sa_family == AF_INET6;
    (void)write_address(peer, text, sizeof text);
    (void)snprintf(name, size, v6 ? "[%s]:%u" : "%s:%u", text,
                   (unsigned)ntohs(v6 ? peer->v6.sin6_port : peer->v4.sin_port));
}

int tracy_accept(int listener, char *name, size_t size) {
    union address peer = {0};
    socklen_t length = sizeof peer;
    int fd = sys_accept(listener, &peer.any, &length);
    if (fd < 0) {
        return -errno;
    }
    name_peer(&peer, name, size);
    return fd;
}

int tracy_resolve(const char *name, char *address, size_t size) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    if (strcmp(name, "*") == 0) {
        int fd = sys_socket(AF_INET6, SOCK_STREAM);
        (void)snprintf(address, size, "%s", fd >= 0 ? "::" : "0.0.0.0");
        return fd >= 0 ? sys_close(fd) : 0;
    }
    if (getaddrinfo(name, NULL, &hints, &found) != 0) {
        return -EINVAL;
    }
    union address first = {.any.sa_family = found->ai_addr->sa_family};
    const bool is_v6 = first.any.sa_family == AF_INET6;
    memcpy(&first, found->ai_addr, is_v6 ? sizeof first.v6 : sizeof first.v4);
    freeaddrinfo(found);
    /* A scope would be lost with the text. */
    return (is_v6 && first.v6.sin6_scope_id != 0) || !write_address(&first, address, size) ? -EINVAL
                                                                                           : 0;
}

int tracy_announce_open(void) {
    int fd = sys_socket(AF_INET, SOCK_DGRAM);
    if (fd < 0) {
        return -errno;
    }
    if (sys_set_option(fd, SOL_SOCKET, SO_BROADCAST, 1) != 0) {
        int error = -errno;
        (void)sys_close(fd);
        return error;
    }
    return fd;
}

static void store(uint8_t *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

void tracy_announce(int fd, const struct tracy_announcement *announcement) {
    uint8_t bytes[ANNOUNCE_HEAD_BYTES + ANNOUNCE_NAME_BYTES] = {0};
    store(bytes, ANNOUNCE_VERSION, 2);
    store(bytes + 2, announcement->port, 2);
    store(bytes + 4, announcement->protocol, 4);
    store(bytes + 8, sys_process_number(), 8);
    store(bytes + 16, (uint32_t)announcement->seconds, 4);
    (void)snprintf((char *)bytes + ANNOUNCE_HEAD_BYTES, ANNOUNCE_NAME_BYTES, "%s",
                   announcement->program);
    size_t length = ANNOUNCE_HEAD_BYTES + strlen((char *)bytes + ANNOUNCE_HEAD_BYTES) + 1;
    struct sockaddr_in everyone = {
        .sin_family = AF_INET,
        .sin_port = htons(ANNOUNCE_PORT),
        .sin_addr.s_addr = htonl(announcement->loopback ? LOOPBACK_BROADCAST : INADDR_BROADCAST)};
    (void)sys_send_to(fd, bytes, length, (struct sockaddr *)&everyone, sizeof everyone);
}
