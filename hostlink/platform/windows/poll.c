/* SPDX-License-Identifier: MIT */
#include "platform/poll.h"

#include "windows/descriptors.h"

#include <errno.h>
#include <io.h>
#include <stdbool.h>

#include "base/host_clock.h"

/* Serial devices, pipes and keys have no event in common with sockets: they are looked at so often. */
#define LOOK_MS 2
#define STOP_LOOK_MS 50

static int look_at_handle(HANDLE handle, int events) {
    DWORD waiting = 0;
    switch (GetFileType(handle)) {
    case FILE_TYPE_PIPE:
        if ((events & SYS_POLL_IN) != 0 && !PeekNamedPipe(handle, NULL, 0, NULL, &waiting, NULL)) {
            return SYS_POLL_IN | SYS_POLL_END;
        }
        return (waiting > 0 ? SYS_POLL_IN : 0) | (events & SYS_POLL_OUT);
    default:
        return events;
    }
}

static int look_at_serial(struct descriptor *serial, int events) {
    const long waiting = descriptor_serial_look(serial);
    return waiting < 0 ? SYS_POLL_IN | SYS_POLL_END
                       : (waiting > 0 ? SYS_POLL_IN & events : 0) | (events & SYS_POLL_OUT);
}

static int look_at_console(HANDLE handle, int events) {
    DWORD waiting = 0;
    return GetNumberOfConsoleInputEvents(handle, &waiting) && waiting > 0 ? events & SYS_POLL_IN
                                                                          : 0;
}

/* Looks at a descriptor that is not a socket. */
static int look_at(int fd, int events) {
    struct descriptor *descriptor = descriptor_of(fd);
    if (!descriptor) {
        const intptr_t handle = _get_osfhandle(fd);
        return handle == -1 ? SYS_POLL_END : look_at_handle((HANDLE)handle, events);
    }
    return descriptor->kind == DESCRIPTOR_SERIAL ? look_at_serial(descriptor, events)
                                                 : look_at_console(descriptor->handle, events);
}

struct look {
    WSAPOLLFD sockets[SYS_POLL_MAX];
    size_t index[SYS_POLL_MAX], socket_count;
    bool has_others;
};

static void sort(struct look *look, struct sys_poll *fds, size_t count) {
    look->socket_count = 0;
    look->has_others = false;
    for (size_t i = 0; i < count; i++) {
        const struct descriptor *descriptor = descriptor_of(fds[i].fd);
        fds[i].revents = 0;
        if (descriptor && descriptor->kind == DESCRIPTOR_SOCKET) {
            const int events = ((fds[i].events & SYS_POLL_IN) != 0 ? POLLRDNORM : 0) |
                               ((fds[i].events & SYS_POLL_OUT) != 0 ? POLLWRNORM : 0);
            look->index[look->socket_count] = i;
            look->sockets[look->socket_count++] =
                (WSAPOLLFD){.fd = descriptor->socket, .events = (SHORT)events};
        } else if (fds[i].fd >= 0) {
            look->has_others = true;
        }
    }
}

/* Waits for sockets for so long, and then checks all. Returns how many are ready. */
static int look_once(struct look *look, struct sys_poll *fds, size_t count, int wait_ms) {
    int ready = 0;
    if (look->socket_count > 0) {
        (void)WSAPoll(look->sockets, (ULONG)look->socket_count, wait_ms);
    } else if (wait_ms > 0) {
        HANDLE stop = descriptor_stop_event();
        (void)(stop ? WaitForSingleObject(stop, (DWORD)wait_ms) : (Sleep((DWORD)wait_ms), 0u));
    }
    for (size_t i = 0; i < look->socket_count; i++) {
        const SHORT got = look->sockets[i].revents;
        const int events = ((got & POLLRDNORM) != 0 ? SYS_POLL_IN : 0) |
                           ((got & POLLWRNORM) != 0 ? SYS_POLL_OUT : 0) |
                           ((got & (POLLHUP | POLLERR | POLLNVAL)) != 0 ? SYS_POLL_END : 0);
        fds[look->index[i]].revents = (short)events;
        ready += events != 0;
    }
    for (size_t i = 0; look->has_others && i < count; i++) {
        const struct descriptor *descriptor = descriptor_of(fds[i].fd);
        if (fds[i].fd >= 0 && !(descriptor && descriptor->kind == DESCRIPTOR_SOCKET)) {
            fds[i].revents = (short)look_at(fds[i].fd, fds[i].events);
            ready += fds[i].revents != 0;
        }
    }
    return ready;
}

static bool wants_stop(void) {
    HANDLE stop = descriptor_stop_event();
    return stop && WaitForSingleObject(stop, 0) == WAIT_OBJECT_0;
}

int sys_poll(struct sys_poll *fds, size_t count, int timeout_ms) {
    struct look look;
    const uint64_t start_ns = host_monotonic_ns();
    if (count > SYS_POLL_MAX) {
        errno = EINVAL;
        return -1;
    }
    sort(&look, fds, count);
    int ready = look_once(&look, fds, count, 0);
    const bool stopped_before = wants_stop();
    while (ready == 0) {
        const uint64_t passed_ms = (host_monotonic_ns() - start_ns) / NS_PER_MS;
        if (timeout_ms >= 0 && passed_ms >= (uint64_t)timeout_ms) {
            return 0;
        }
        if (wants_stop() && (!stopped_before || timeout_ms < 0)) {
            errno = EINTR;
            return -1;
        }
        int wait_ms = look.has_others ? LOOK_MS : STOP_LOOK_MS;
        if (timeout_ms >= 0 && (uint64_t)timeout_ms - passed_ms < (uint64_t)wait_ms) {
            wait_ms = timeout_ms - (int)passed_ms;
        }
        if (stopped_before && look.socket_count == 0) {
            Sleep((DWORD)wait_ms);
            wait_ms = 0;
        }
        ready = look_once(&look, fds, count, wait_ms);
    }
    return ready;
}

void sys_sleep_ms(uint32_t time_ms) { (void)sys_poll(NULL, 0, (int)time_ms); }
