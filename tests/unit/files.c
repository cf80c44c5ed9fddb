/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/kymo-test-XXXXXX";

int files_setup(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

const char *file_path(const char *name) {
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at) {
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

int files_teardown(void **state) {
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

char *file_read(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    char *bytes = malloc(1);
    size_t used = 0, got;
    do {
        bytes = realloc(bytes, used + 65536 + 1);
        if (!bytes) {
            abort();
        }
        got = fread(bytes + used, 1, 65536, file);
        used += got;
    } while (got > 0);
    fclose(file);
    bytes[used] = '\0';
    if (length) {
        *length = used;
    }
    return bytes;
}

void file_write(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        abort();
    }
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }
