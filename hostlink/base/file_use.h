/* SPDX-License-Identifier: MIT */
/* Checks if two files are the same, and if a file is in use by another hostlink. */
#ifndef HOSTLINK_FILE_USE_H
#define HOSTLINK_FILE_USE_H

#include <stdbool.h>

/* The two names lead to one file, pipe or socket, or would once it is made. "-" stands for the standard stream of
 * this descriptor. Character devices take any number of streams: never the same. */
bool file_is_same(const char *a, int a_dash, const char *b, int b_dash);

/* Marks the open file as being written, until it is closed. 0, or -EBUSY: another hostlink writes or reads it. Only
 * regular files, where their file system has locks, can be marked; others are 0. */
int file_claim(int fd);
/* Marks the open file as being read, if nobody writes it. */
void file_share(int fd);
/* Another hostlink writes the file. */
bool file_is_claimed(const char *path);

/* The message for -EBUSY, after "PATH: ". */
#define FILE_BUSY_TEXT "is in use by another hostlink; end that one, or choose another name"

#endif
