/* SPDX-License-Identifier: MIT */
/* Why a port cannot be opened. */
#include "platform/serial.h"

#include <libproc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

#define PROCESSES_MAX 64

bool port_holder(const char *path, char *text, size_t size) {
    int pids[PROCESSES_MAX];
    char name[256], clean[64];
    const int bytes = proc_listpidspath(PROC_ALL_PIDS, 0, path, 0, pids, (int)sizeof pids);
    for (int i = 0; i < bytes / (int)sizeof *pids; i++) {
        if (pids[i] != getpid()) {
            const int length = proc_name(pids[i], name, sizeof name);
            utf8_clean(clean, sizeof clean, name, length > 0 ? (size_t)length : 0);
            (void)snprintf(text, size, "%s (process %d)", *clean != '\0' ? clean : "a program",
                           pids[i]);
            return true;
        }
    }
    return false;
}

void serial_explain_permission(const char *path, char *text, size_t size) {
    (void)snprintf(text, size,
                   "permission denied: 'ls -l %s' shows which user and group may open it", path);
}
