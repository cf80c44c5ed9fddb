/* SPDX-License-Identifier: MIT */
/* Descriptors for sockets, serial devices and the keys of a console, which the C library does not count as files.
 * They begin above those of the C library. */
#ifndef HOSTLINK_WINDOWS_DESCRIPTORS_H
#define HOSTLINK_WINDOWS_DESCRIPTORS_H

#include <winsock2.h>

#include <stdbool.h>
#include <stdint.h>

#include "platform/serial.h"

enum descriptor_kind { DESCRIPTOR_FREE, DESCRIPTOR_SOCKET, DESCRIPTOR_SERIAL, DESCRIPTOR_CONSOLE };

struct descriptor {
    enum descriptor_kind kind;
    SOCKET socket;
    HANDLE handle;
    uint64_t number; /* no other one of this process has or had it */
    struct serial_errors errors;
};

/* A descriptor, or -1 with errno set. */
int descriptor_new(enum descriptor_kind kind, SOCKET socket, HANDLE handle);
/* NULL: it is the C library's, or none. */
struct descriptor *descriptor_of(int fd);
void descriptor_free(int fd);

/* Notes the errors that the driver counted; bytes that can be read, or -1: the device is gone. */
long descriptor_serial_look(struct descriptor *serial);
/* Set when the user wants the program to end; NULL before stop_catch(). */
HANDLE descriptor_stop_event(void);
void descriptor_set_stop_event(HANDLE event);

/* Sets errno from WSAGetLastError(). Returns -1. */
int descriptor_socket_error(void);

#endif
