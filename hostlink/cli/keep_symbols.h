/* SPDX-License-Identifier: MIT */
/* Symbols of an ELF file, written into the capture whose call stacks they were looked up for. */
#ifndef HOSTLINK_KEEP_SYMBOLS_H
#define HOSTLINK_KEEP_SYMBOLS_H

#include "model/code_table.h"
#include "model/event.h"
#include "platform/file.h"

/* Looks up each address of the event's call stack. */
void keep_symbols_look_up(const struct event *event);
/* Appends to the capture file; "seen" is the status of the file that was read, NULL: any. 0, or -errno, which was
 * reported. */
int keep_symbols_append(const char *path, const struct sys_status *seen,
                        const struct code_table *table);
/* The same of a file that this program has open to write. */
int keep_symbols_write(int fd, const char *name, const struct code_table *table);

#endif
