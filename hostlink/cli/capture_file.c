/* SPDX-License-Identifier: MIT */
#include "cli/capture_file.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/say.h"
#include "platform/file.h"

/* kymo-20260131-235959.kymo; with -2 and so on at its end if that exists. */
static int open_default(struct capture *capture) {
    static char path[64];
    char stem[48];
    struct tm when;
    time_t now = time(NULL);
    int error = -EEXIST;
    if (!localtime_r(&now, &when) ||
        strftime(stem, sizeof stem, "kymo-%Y%m%d-%H%M%S", &when) == 0) {
        strcpy(stem, "kymo");
    }
    snprintf(path, sizeof path, "%s.kymo", stem);
    for (int i = 2; i < 100 && (error = capture_open(capture, path, true)) == -EEXIST; i++) {
        snprintf(path, sizeof path, "%s-%d.kymo", stem, i);
    }
    capture->path = path;
    return error;
}

/* No litter: a file that holds nothing. */
void capture_file_remove_if_empty(const struct capture *capture, enum exit_code code) {
    struct sys_status named;
    if (code == EXIT_NO_DATA && capture->path && capture->regular &&
        capture->bytes <= CAPTURE_MAGIC_BYTES && sys_status_of(capture->path, &named) == 0 &&
        named.bytes <= (int64_t)CAPTURE_MAGIC_BYTES) {
        sys_remove(capture->path);
    }
}

/* A plain file is its own capture: it is kept only if a name for it was given. */
enum exit_code capture_file_open(struct capture *capture, const struct live_settings *settings,
                                 bool source_is_live) {
    const char *path = settings->outputs.capture;
    *capture = (struct capture){.fd = -1, .spare_fd = -1};
    if (!path && !source_is_live) {
        return EXIT_OK;
    }
    int error = path ? capture_open(capture, path, false) : open_default(capture);
    if (error) {
        capture_say_unopened(capture->path ? capture->path : path, error);
        return EXIT_OUTPUT;
    }
    if (settings->outputs.count > 0) {
        capture_want_spare(capture);
    }
    if (capture->error) {
        capture_say_error(capture);
    }
    if (!capture->regular && settings->outputs.count > 0) {
        say("%s: cannot be read back, which the other outputs need; name a file for the capture",
            path);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}
