/* SPDX-License-Identifier: MIT */
/* The listening socket, and the announcement that lets viewers find it. */
#ifndef HOSTLINK_TRACY_LISTEN_H
#define HOSTLINK_TRACY_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Listens on "address", numeric; on the first free of "ports" ports from "*port" on, which is
 * set to the one taken. A socket that does not block, or -errno: -EINVAL = not an address. */
int tracy_listen(const char *address, uint16_t *port, unsigned ports);
/* Whether the descriptor still is the socket that listens on this port. A program that closes all
 * descriptors, as daemons do, closes this one too, and its number may be a file's by now. */
bool tracy_still_listens(int listener, uint16_t port);
/* The numeric address of a name; of "*" the one that stands for all interfaces. 0 or -EINVAL. */
int tracy_resolve(const char *name, char *address, size_t size);
bool tracy_is_loopback(const char *address);
/* The next connection, not blocking, or -errno; -EAGAIN = none. "name" becomes the peer's address: one that has
 * gone again has none later. */
int tracy_accept(int listener, char *name, size_t size);

/* A socket for announcements, or -errno. */
int tracy_announce_open(void);
struct tracy_announcement {
    uint16_t port;
    uint32_t protocol;
    int32_t seconds; /* since the start; -1 = no longer to be had */
    const char *program;
    bool loopback; /* only viewers of this machine could connect: others are not told */
};
/* One datagram to UDP port 8086 of the local network or of this machine. Failures do not matter:
 * it is repeated. */
void tracy_announce(int fd, const struct tracy_announcement *announcement);

#endif
