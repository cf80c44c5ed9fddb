/* SPDX-License-Identifier: MIT */
#include "files.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/file.h"

static char folder[SYS_PATH_BYTES];

int files_setup(void **state) {
    (void)state;
    return sys_make_temporary(folder, sizeof folder);
}

const char *file_path(const char *name) {
    static char paths[4][SYS_PATH_BYTES + 512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int remove_all(const char *path);

static int remove_folder(const char *path, DIR *open) {
    int error = 0;
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        char inner[2 * SYS_PATH_BYTES];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            error |= remove_all(inner);
        }
    }
    closedir(open);
    return error | sys_remove_folder(path);
}

/* Whatever it is; a link goes, and not what it leads to. */
static int remove_all(const char *path) {
    if (sys_remove(path) == 0) {
        return 0;
    }
    DIR *open = opendir(path);
    return open ? remove_folder(path, open) : -1;
}

int files_teardown(void **state) {
    (void)state;
    return remove_all(folder);
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

void assert_file_content(const char *path, const char *expected) {
    char *content = file_read(path, NULL);
    assert_non_null(content);
    assert_string_equal(content, expected);
    free(content);
}

void file_write(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        abort();
    }
}

bool file_exists(const char *path) { return sys_exists(path); }

int file_parts(const char *name, char *found, size_t size) {
    int count = 0;
    DIR *open = opendir(folder);
    for (const struct dirent *entry; open && (entry = readdir(open)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, name, strlen(name)) == 0 && dot && strcmp(dot, ".part") == 0) {
            snprintf(found, size, "%s", file_path(entry->d_name));
            count++;
        }
    }
    return open ? (closedir(open), count) : -1;
}
