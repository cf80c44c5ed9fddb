/* SPDX-License-Identifier: MIT */
/* Serial devices of this system. */
#ifndef HOSTLINK_PLATFORM_SERIAL_H
#define HOSTLINK_PLATFORM_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system/names.h"

/* A descriptor that never waits, and that no other program gets meanwhile; or -errno: -ENOTTY, it is no serial device;
 * -EBUSY, another program has it. */
int serial_open(const char *path);
/* 8 data bits, no parity, one stop bit, no character is special, modem lines ignored. 0 or -errno. */
int serial_set_raw(int fd, bool rtscts);
/* Any bit rate that the driver accepts. 0 or -errno. */
int serial_rate_set(int fd, uint32_t bits_per_s);
/* The rate that the driver really uses, 0 = it does not say. */
uint32_t serial_rate_get(int fd);
/* Discards received bytes that were not read. */
void serial_drop_input(int fd);

enum { SERIAL_DTR = 1, SERIAL_RTS = 2 };
/* The modem lines, which many boards are wired to for a reset. Of the lines in "which", those that are not in "on" go
 * off, in one step if the system can. 0 or -errno. */
int serial_set_lines(int fd, unsigned which, unsigned on);
/* DTR and RTS stay as they are when the device is closed, if the system can. */
void serial_keep_lines(int fd);

/* Errors that the driver counted, and that the bytes alone do not show. */
struct serial_errors {
    uint32_t framing;  /* no stop bit where one was due */
    uint32_t breaks;   /* the line was low for longer than a byte */
    uint32_t overruns; /* bytes lost as nobody read them in time, in the port or its driver */
};
/* Counts since the device is there. 0, or -errno: the driver counts nothing. */
int serial_errors_get(int fd, struct serial_errors *errors);

/* Explains how to get the permission to open it. */
void serial_explain_permission(const char *path, char *text, size_t size);
/* The program that has it open, "minicom (process 1234)". False: it is not known. */
bool port_holder(const char *path, char *text, size_t size);

#endif
