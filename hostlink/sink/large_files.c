/* SPDX-License-Identifier: MIT */
#include "sink/large_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/say.h"
#include "platform/file.h"
#include "sink/outfile.h"

static bool is_harmless(char character, size_t at) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '-' || character == '_' ||
           (character == '.' && at != 0);
}

const char *large_name(char *out, const struct large *large) {
    static const char *const types[] = {[KYMO_LARGE_FILE] = "file",
                                        [KYMO_LARGE_IMAGE] = "image",
                                        [KYMO_LARGE_CRASH] = "crash",
                                        [KYMO_LARGE_TEXT] = "text"};
    size_t used = 0;
    for (; large->name[used] != '\0' && used + 1 < LARGE_NAME_SIZE; used++) {
        out[used] = is_harmless(large->name[used], used) ? large->name[used] : '_';
    }
    out[used] = '\0';
    if (used == 0) {
        const size_t count = sizeof types / sizeof types[0];
        snprintf(out, LARGE_NAME_SIZE, "%s", types[large->type < count ? large->type : 0]);
    }
    return out;
}

void large_print(FILE *out, const struct large *large) {
    char name[LARGE_NAME_SIZE];
    fprintf(out, "%" PRIu32 "-%" PRIu64 "-%s, ", large->session, large->id,
            large_name(name, large));
    if (large->end == LARGE_WHOLE) {
        fprintf(out, "%" PRIu64 " bytes\n", large->bytes);
    } else {
        fprintf(out, "%" PRIu64 " of %" PRIu64 " bytes: %s\n", large->received, large->bytes,
                large->end == LARGE_CANCELLED ? "cancelled by the firmware"
                                              : "the rest was lost or never sent");
    }
}

static void fail(struct large_files *files, const char *path, int error) {
    if (files->error == 0) {
        files->error = error;
        say("%s: cannot be written: %s; name another folder by --large", path, strerror(-error));
    }
}

static void open_file(struct large_files *files, const struct large *large) {
    char path[SYS_PATH_BYTES], name[LARGE_NAME_SIZE];
    const int length =
        snprintf(path, sizeof path, "%s/%" PRIu32 "-%" PRIu64 "-%s", files->directory,
                 large->session, large->id, large_name(name, large));
    int error = length < 0 || (size_t)length >= sizeof path ? -ENAMETOOLONG : 0;
    if (error == 0 && sys_make_folder(files->directory) != 0 && errno != EEXIST) {
        error = -errno;
    }
    error = error != 0 ? error : outfile_open(&files->open, path);
    if (error != 0) {
        files->open = NULL;
        fail(files, path, error);
    }
}

static void close_file(struct large_files *files, const struct large *large) {
    if (files->open == NULL) {
        return;
    }
    if (large->end != LARGE_WHOLE) {
        (void)outfile_fail(files->open, -EIO); /* it goes */
    }
    int error = outfile_close(files->open);
    files->open = NULL;
    if (large->end == LARGE_WHOLE && error != 0) {
        fail(files, files->directory, error);
    }
    files->written += large->end == LARGE_WHOLE && error == 0;
}

void large_files_end(struct large_files *files) {
    if (files->open != NULL) {
        (void)outfile_fail(files->open, -EIO);
        (void)outfile_close(files->open);
        files->open = NULL;
    }
}

void large_files_take(struct large_files *files, const struct large *large, const uint8_t *bytes,
                      size_t length) {
    if (files->directory == NULL) {
        return;
    }
    const bool is_first = large->received == length && (length != 0 || large->bytes == 0);
    if (is_first && files->open == NULL &&
        (large->end == LARGE_GOES_ON || large->end == LARGE_WHOLE)) {
        open_file(files, large);
    }
    if (files->open != NULL && length != 0) {
        (void)outfile_write(files->open, bytes, length); /* told by close */
    }
    if (large->end != LARGE_GOES_ON) {
        close_file(files, large);
    }
}
