/* SPDX-License-Identifier: MIT */
/* Calls in the files that differ between systems with POSIX calls. */
#ifndef HOSTLINK_PLATFORM_SYSTEM_SOCKETS_H
#define HOSTLINK_PLATFORM_SYSTEM_SOCKETS_H

/* pipe(), whose ends no child gets. */
int posix_pipe(int ends[2]);

#endif
