/* SPDX-License-Identifier: MIT */
#include "windows/descriptors.h"

#include <errno.h>
#include <stddef.h>

#define FIRST 0x10000
#define MOST 256

static struct descriptor descriptors[MOST];
static HANDLE stop_event;

int descriptor_new(enum descriptor_kind kind, SOCKET socket, HANDLE handle) {
    static uint64_t number;
    for (int i = 0; i < MOST; i++) {
        if (descriptors[i].kind == DESCRIPTOR_FREE) {
            descriptors[i] = (struct descriptor){
                .kind = kind, .socket = socket, .handle = handle, .number = ++number};
            return FIRST + i;
        }
    }
    errno = EMFILE;
    return -1;
}

struct descriptor *descriptor_of(int fd) {
    const bool is_ours = fd >= FIRST && fd < FIRST + MOST;
    return is_ours && descriptors[fd - FIRST].kind != DESCRIPTOR_FREE ? &descriptors[fd - FIRST]
                                                                      : NULL;
}

void descriptor_free(int fd) {
    struct descriptor *descriptor = descriptor_of(fd);
    if (descriptor) {
        descriptor->kind = DESCRIPTOR_FREE;
    }
}

long descriptor_serial_look(struct descriptor *serial) {
    COMSTAT state;
    DWORD errors = 0;
    if (!ClearCommError(serial->handle, &errors, &state)) {
        return -1;
    }
    serial->errors.framing += (errors & CE_FRAME) != 0;
    serial->errors.breaks += (errors & CE_BREAK) != 0;
    serial->errors.overruns += (errors & (CE_OVERRUN | CE_RXOVER)) != 0;
    return (long)state.cbInQue;
}

HANDLE descriptor_stop_event(void) { return stop_event; }

void descriptor_set_stop_event(HANDLE event) { stop_event = event; }

int descriptor_socket_error(void) {
    static const struct {
        int from, to;
    } errors[] = {{WSAEWOULDBLOCK, EAGAIN},
                  {WSAEINTR, EINTR},
                  {WSAEACCES, EACCES},
                  {WSAEINVAL, EINVAL},
                  {WSAEMFILE, EMFILE},
                  {WSAENOTSOCK, ENOTSOCK},
                  {WSAEMSGSIZE, EMSGSIZE},
                  {WSAEAFNOSUPPORT, EAFNOSUPPORT},
                  {WSAEADDRINUSE, EADDRINUSE},
                  {WSAEADDRNOTAVAIL, EADDRNOTAVAIL},
                  {WSAENETDOWN, ENETDOWN},
                  {WSAENETUNREACH, ENETUNREACH},
                  {WSAECONNABORTED, ECONNRESET},
                  {WSAECONNRESET, ECONNRESET},
                  {WSAENETRESET, ECONNRESET},
                  {WSAENOBUFS, ENOBUFS},
                  {WSAENOTCONN, ENOTCONN},
                  {WSAESHUTDOWN, EPIPE},
                  {WSAETIMEDOUT, ETIMEDOUT},
                  {WSAECONNREFUSED, ECONNREFUSED},
                  {WSAEHOSTUNREACH, EHOSTUNREACH}};
    const int error = WSAGetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].from == error) {
            errno = errors[i].to;
        }
    }
    return -1;
}
