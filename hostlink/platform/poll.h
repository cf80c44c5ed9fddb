/* SPDX-License-Identifier: MIT */
/* Waiting for descriptors of any kind. */
#ifndef HOSTLINK_PLATFORM_POLL_H
#define HOSTLINK_PLATFORM_POLL_H

#include <stddef.h>
#include <stdint.h>

#define SYS_POLL_MAX 256u

enum { SYS_POLL_IN = 1, SYS_POLL_OUT = 2, SYS_POLL_END = 4 };

struct sys_poll {
    int fd; /* negative: left out */
    short events;
    short revents; /* SYS_POLL_END may come without being asked for: hung up, or an error */
};

/* Waits until one of at most SYS_POLL_MAX is ready, the time has passed (-1: no limit) or a signal comes. How many are
 * ready; -1, errno EINTR: a signal came. */
int sys_poll(struct sys_poll *fds, size_t count, int timeout_ms);
/* A signal ends it early. */
void sys_sleep_ms(uint32_t time_ms);

#endif
