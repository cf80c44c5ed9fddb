/* SPDX-License-Identifier: MIT */
/* Names in UTF-8 and in UTF-16, and errors. */
#ifndef HOSTLINK_WINDOWS_NAMES_H
#define HOSTLINK_WINDOWS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* Longest path of this system, with its "\\?\". */
#define NAME_WIDE 4200

/* Absolute and with "\\?\" if the path is long. False, with errno set: it is no name. */
bool name_to_wide(const char *path, wchar_t wide[NAME_WIDE]);
/* False: no room, or no valid text; then it is "". */
bool name_to_utf8(const wchar_t *wide, char *text, size_t size);
/* COM1 or \\.\COM12, in any case; the "COM1" of it, or NULL. */
const char *name_of_serial(const char *path);
/* Sets errno from GetLastError(). Returns -1. */
int name_error(void);

#endif
