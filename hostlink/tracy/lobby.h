/* SPDX-License-Identifier: MIT */
/* Connections whose handshake is not done yet. All wait at the same time, so that a silent one does not hold up the
 * next. */
#ifndef HOSTLINK_TRACY_LOBBY_H
#define HOSTLINK_TRACY_LOBBY_H

#include <stddef.h>
#include <stdint.h>

#include "platform/poll.h"
#include "tracy/viewer.h"

#define TRACY_LOBBY_MAX 8u

struct tracy_guest {
    int fd;
    int64_t since_ms;
    char name[TRACY_PEER_BYTES];
};

/* All zero is an empty one. The oldest first. */
struct tracy_lobby {
    struct tracy_guest guests[TRACY_LOBBY_MAX];
    size_t count;
};

/* Accepts the listener's connections. When all places are taken the oldest is no longer waited for. */
void tracy_lobby_accept(struct tracy_lobby *lobby, int listener, int64_t now_ms);
/* Takes out a connection that has sent its whole greeting or something else, that is closed, or that has sent nothing
 * for "patience_ms"; since_ms is the start of its wait. The descriptor is -1 if there is no such connection. */
struct tracy_guest tracy_lobby_take(struct tracy_lobby *lobby, int64_t now_ms, int64_t patience_ms);
/* Descriptors to poll: fills at most TRACY_LOBBY_MAX, returns how many. */
size_t tracy_lobby_poll(const struct tracy_lobby *lobby, struct sys_poll *fds);
void tracy_lobby_close(struct tracy_lobby *lobby);

#endif
