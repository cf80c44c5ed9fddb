/* SPDX-License-Identifier: MIT */
/* Uses select(): poll() of macOS does not support devices, and a serial port, a pseudo-terminal and /dev/tty are
 * devices. A closed descriptor is readable, a failed one writable; so SYS_POLL_END never comes alone. */
#include "platform/poll.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/select.h>

struct sets {
    fd_set in, out;
    int end; /* after the last one */
};

static bool fill(struct sets *sets, const struct sys_poll *fds, size_t count) {
    FD_ZERO(&sets->in);
    FD_ZERO(&sets->out);
    sets->end = 0;
    for (size_t i = 0; i < count; i++) {
        if (fds[i].fd >= FD_SETSIZE) {
            return false;
        }
        if (fds[i].fd >= 0 && (fds[i].events & SYS_POLL_IN) != 0) {
            FD_SET(fds[i].fd, &sets->in);
        }
        if (fds[i].fd >= 0 && (fds[i].events & SYS_POLL_OUT) != 0) {
            FD_SET(fds[i].fd, &sets->out);
        }
        sets->end = fds[i].fd >= sets->end ? fds[i].fd + 1 : sets->end;
    }
    return true;
}

/* Returns how many are ready. */
static int note(const struct sets *sets, struct sys_poll *fds, size_t count) {
    int ready = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_one = fds[i].fd >= 0;
        const int got = (is_one && FD_ISSET(fds[i].fd, &sets->in) ? SYS_POLL_IN : 0) |
                        (is_one && FD_ISSET(fds[i].fd, &sets->out) ? SYS_POLL_OUT : 0);
        fds[i].revents = (short)got;
        ready += got != 0;
    }
    return ready;
}

int sys_poll(struct sys_poll *fds, size_t count, int timeout_ms) {
    struct timeval limit = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};
    struct sets sets;
    if (count > SYS_POLL_MAX || !fill(&sets, fds, count)) {
        errno = EINVAL;
        return -1;
    }
    const int ready = select(sets.end, &sets.in, &sets.out, NULL, timeout_ms < 0 ? NULL : &limit);
    return ready < 0 ? -1 : note(&sets, fds, count);
}

void sys_sleep_ms(uint32_t time_ms) { (void)sys_poll(NULL, 0, (int)time_ms); }
