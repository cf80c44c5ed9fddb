/* SPDX-License-Identifier: MIT */
#include "platform/poll.h"

#include <errno.h>
#include <poll.h>

int sys_poll(struct sys_poll *fds, size_t count, int timeout_ms) {
    struct pollfd list[SYS_POLL_MAX];
    if (count > SYS_POLL_MAX) {
        errno = EINVAL;
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const int events = ((fds[i].events & SYS_POLL_IN) != 0 ? POLLIN : 0) |
                           ((fds[i].events & SYS_POLL_OUT) != 0 ? POLLOUT : 0);
        list[i] = (struct pollfd){.fd = fds[i].fd, .events = (short)events};
    }
    const int ready = poll(list, (nfds_t)count, timeout_ms);
    for (size_t i = 0; ready >= 0 && i < count; i++) {
        const int got = ((list[i].revents & POLLIN) != 0 ? SYS_POLL_IN : 0) |
                        ((list[i].revents & POLLOUT) != 0 ? SYS_POLL_OUT : 0) |
                        ((list[i].revents & ~(POLLIN | POLLOUT)) != 0 ? SYS_POLL_END : 0);
        fds[i].revents = (short)got;
    }
    return ready;
}

void sys_sleep_ms(uint32_t time_ms) { (void)poll(NULL, 0, (int)time_ms); }
