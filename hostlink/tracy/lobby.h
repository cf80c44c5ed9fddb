/* SPDX-License-Identifier: MIT */
/* Connections that have not said yet that they are viewers. All wait at the same time, so that one that says nothing
 * does not hold up the next. */
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

/* Lets in who has come to the listener. When all places are taken the oldest is no longer waited for. */
void tracy_lobby_accept(struct tracy_lobby *lobby, int listener, int64_t now_ms);
/* Takes out one that has said all of its greeting, or something else, or has gone; or that has said nothing for
 * "patience_ms", with the time since when. Its descriptor is -1 if there is none. */
struct tracy_guest tracy_lobby_take(struct tracy_lobby *lobby, int64_t now_ms, int64_t patience_ms);
/* What to wait for: fills at most TRACY_LOBBY_MAX, returns how many. */
size_t tracy_lobby_poll(const struct tracy_lobby *lobby, struct sys_poll *fds);
void tracy_lobby_close(struct tracy_lobby *lobby);

#endif
