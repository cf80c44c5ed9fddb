/* SPDX-License-Identifier: MIT */
#include "platform/serial.h"

#include "windows/descriptors.h"

#include <errno.h>
#include <stdio.h>

#include "platform/file.h"
#include "windows/names.h"

/* Size of the driver's queue between two reads. */
#define QUEUE_BYTES 65536u
#define WRITE_MS 100u

static int error_of_open(void) {
    const DWORD error = GetLastError();
    (void)name_error();
    /* Ports have no permissions: another program has it open. */
    return error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION ? -EBUSY : -errno;
}

static HANDLE handle_of(int fd) {
    const struct descriptor *descriptor = descriptor_of(fd);
    return descriptor && descriptor->kind == DESCRIPTOR_SERIAL ? descriptor->handle
                                                               : INVALID_HANDLE_VALUE;
}

int serial_open(const char *path) {
    const char *name = name_of_serial(path);
    char full[SYS_PATH_BYTES];
    wchar_t wide[NAME_WIDE];
    DCB settings = {.DCBlength = sizeof settings};
    (void)snprintf(full, sizeof full, name ? "\\\\.\\%s" : "%s", name ? name : path);
    if (!name_to_wide(full, wide)) {
        return -errno;
    }
    HANDLE handle =
        CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        return error_of_open();
    }
    const int fd =
        GetCommState(handle, &settings) ? descriptor_new(DESCRIPTOR_SERIAL, 0, handle) : -1;
    if (fd < 0) {
        (void)CloseHandle(handle);
        return -ENOTTY;
    }
    (void)SetupComm(handle, QUEUE_BYTES, QUEUE_BYTES);
    return fd;
}

/* 0 or -errno. */
static int set(HANDLE handle, DCB *settings) {
    return SetCommState(handle, settings) ? 0 : (name_error(), -errno);
}

int serial_set_raw(int fd, bool rtscts) {
    HANDLE handle = handle_of(fd);
    DCB settings = {.DCBlength = sizeof settings};
    /* A read takes the bytes that have arrived; a write does not wait for long. */
    COMMTIMEOUTS times = {.ReadIntervalTimeout = MAXDWORD, .WriteTotalTimeoutConstant = WRITE_MS};
    if (!GetCommState(handle, &settings) || !SetCommTimeouts(handle, &times)) {
        return (name_error(), -errno);
    }
    settings.fBinary = TRUE;
    settings.fParity = FALSE;
    settings.Parity = NOPARITY;
    settings.ByteSize = 8;
    settings.StopBits = ONESTOPBIT;
    settings.fOutxCtsFlow = rtscts;
    settings.fOutxDsrFlow = FALSE;
    settings.fDsrSensitivity = FALSE;
    settings.fOutX = settings.fInX = FALSE;
    settings.fErrorChar = settings.fNull = settings.fAbortOnError = FALSE;
    settings.fDtrControl = DTR_CONTROL_ENABLE;
    settings.fRtsControl = rtscts ? RTS_CONTROL_HANDSHAKE : RTS_CONTROL_ENABLE;
    return set(handle, &settings);
}

int serial_rate_set(int fd, uint32_t bits_per_s) {
    HANDLE handle = handle_of(fd);
    DCB settings = {.DCBlength = sizeof settings};
    if (!GetCommState(handle, &settings)) {
        return (name_error(), -errno);
    }
    settings.BaudRate = bits_per_s;
    return set(handle, &settings);
}

uint32_t serial_rate_get(int fd) {
    DCB settings = {.DCBlength = sizeof settings};
    return GetCommState(handle_of(fd), &settings) ? settings.BaudRate : 0;
}

void serial_drop_input(int fd) { (void)PurgeComm(handle_of(fd), PURGE_RXCLEAR); }

int serial_set_lines(int fd, unsigned which, unsigned on) {
    HANDLE handle = handle_of(fd);
    DCB settings = {.DCBlength = sizeof settings};
    if (!GetCommState(handle, &settings)) {
        return (name_error(), -errno);
    }
    if ((which & SERIAL_DTR) != 0) {
        settings.fDtrControl = (on & SERIAL_DTR) != 0 ? DTR_CONTROL_ENABLE : DTR_CONTROL_DISABLE;
    }
    if ((which & SERIAL_RTS) != 0) {
        settings.fRtsControl = (on & SERIAL_RTS) != 0 ? RTS_CONTROL_ENABLE : RTS_CONTROL_DISABLE;
    }
    return set(handle, &settings);
}

/* The driver lowers them. */
void serial_keep_lines(int fd) { (void)fd; }

/* Windows reports only that errors came between two looks, not how many. */
int serial_errors_get(int fd, struct serial_errors *errors) {
    struct descriptor *descriptor = descriptor_of(fd);
    if (!descriptor || descriptor->kind != DESCRIPTOR_SERIAL) {
        return -ENOTTY;
    }
    (void)descriptor_serial_look(descriptor);
    *errors = descriptor->errors;
    return 0;
}

void serial_explain_permission(const char *path, char *text, size_t size) {
    (void)snprintf(text, size, "permission denied: %s cannot be opened by this user", path);
}

bool port_holder(const char *path, char *text, size_t size) {
    (void)path, (void)text, (void)size;
    return false;
}
