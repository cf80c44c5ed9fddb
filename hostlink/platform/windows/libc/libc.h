/* SPDX-License-Identifier: MIT */
/* Functions of POSIX's C library that this system's lacks; the build includes it before each file. */
#ifndef HOSTLINK_PLATFORM_LIBC_H
#define HOSTLINK_PLATFORM_LIBC_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ESTALE 1116

void *memmem(const void *bytes, size_t length, const void *wanted, size_t wanted_length);
char *strndup(const char *text, size_t most);
char *stpcpy(char *to, const char *from);
struct tm *gmtime_r(const time_t *time, struct tm *when);
struct tm *localtime_r(const time_t *time, struct tm *when);

/* The path is UTF-8, and bytes stay as they are. */
FILE *libc_open(const char *path, const char *mode);
#define fopen libc_open
/* Also has texts for errors of the network. */
const char *libc_error_text(int error);
#define strerror libc_error_text
/* The text of an error of getaddrinfo(), in UTF-8: the system's own is UTF-16. Valid until the next call. */
const char *libc_lookup_error(int error);

#endif
