/* SPDX-License-Identifier: MIT */
#include "tracy/lobby.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "platform/file.h"
#include "platform/net.h"
#include "platform/poll.h"
#include "tracy/listen.h"
#include "tracy/proto.h"

/* True once the peer is known to be a viewer or not, or is gone. Its bytes stay in the socket. */
static bool has_spoken(const struct tracy_guest *guest) {
    uint8_t said[TRACY_HELLO_BYTES];
    ssize_t count = sys_peek(guest->fd, said, sizeof said);
    if (count <= 0) {
        return count == 0 || (errno != EAGAIN && errno != EINTR);
    }
    size_t check = (size_t)count < TRACY_MAGIC_BYTES ? (size_t)count : TRACY_MAGIC_BYTES;
    return count == (ssize_t)sizeof said || memcmp(said, TRACY_MAGIC, check) != 0;
}

static struct tracy_guest take_out(struct tracy_lobby *lobby, size_t i) {
    struct tracy_guest guest = lobby->guests[i];
    lobby->count--;
    memmove(&lobby->guests[i], &lobby->guests[i + 1], (lobby->count - i) * sizeof lobby->guests[0]);
    return guest;
}

void tracy_lobby_accept(struct tracy_lobby *lobby, int listener, int64_t now_ms) {
    while (lobby->count < TRACY_LOBBY_MAX) {
        struct tracy_guest *guest = &lobby->guests[lobby->count];
        guest->since_ms = now_ms;
        guest->fd = tracy_accept(listener, guest->name, sizeof guest->name);
        if (guest->fd < 0) {
            return;
        }
        lobby->count++;
    }
    struct sys_poll more = {.fd = listener, .events = SYS_POLL_IN};
    if (sys_poll(&more, 1, 0) > 0) {
        lobby->guests[0].since_ms = INT64_MIN / 2;
    }
}

struct tracy_guest tracy_lobby_take(struct tracy_lobby *lobby, int64_t now_ms,
                                    int64_t patience_ms) {
    for (size_t i = 0; i < lobby->count; i++) {
        if (has_spoken(&lobby->guests[i])) {
            return take_out(lobby, i);
        }
    }
    for (size_t i = 0; i < lobby->count; i++) {
        if (now_ms - lobby->guests[i].since_ms >= patience_ms) {
            return take_out(lobby, i);
        }
    }
    return (struct tracy_guest){.fd = -1};
}

size_t tracy_lobby_poll(const struct tracy_lobby *lobby, struct sys_poll *fds) {
    for (size_t i = 0; i < lobby->count; i++) {
        fds[i] = (struct sys_poll){.fd = lobby->guests[i].fd, .events = SYS_POLL_IN};
    }
    return lobby->count;
}

void tracy_lobby_close(struct tracy_lobby *lobby) {
    while (lobby->count > 0) {
        (void)sys_close(take_out(lobby, 0).fd);
    }
}
