#include "sink/outfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct outfile {
    FILE *stream;
    char *path; /* the name to take at the end, NULL when written in place */
    char *part; /* the name until then */
    int error;  /* first error, 0 or -errno */
};

/* errno is not set by every failing call of <stdio.h>. */
static int last_error(void) { return errno != 0 ? -errno : -EIO; }

/* Devices, pipes and sockets cannot be replaced by a rename: they are written in place. */
static int find_target(const char *path, bool *in_place) {
    struct stat status;
    *in_place = false;
    if (stat(path, &status) != 0) {
        return errno == ENOENT ? 0 : -errno;
    }
    if (S_ISDIR(status.st_mode)) {
        return -EISDIR;
    }
    /* A rename would replace a file that its owner has protected against writing. */
    if (access(path, W_OK) != 0) {
        return -errno;
    }
    *in_place = !S_ISREG(status.st_mode);
    return 0;
}

static void release(struct outfile *out) {
    free(out->path);
    free(out->part);
    free(out);
}

static int open_part(struct outfile *out, const char *path) {
    size_t length = strlen(path);
    out->path = strdup(path);
    out->part = malloc(length + sizeof ".part");
    if (!out->path || !out->part) {
        return -ENOMEM;
    }
    memcpy(out->part, path, length);
    memcpy(out->part + length, ".part", sizeof ".part");
    out->stream = fopen(out->part, "wbe");
    return out->stream ? 0 : last_error();
}

static int open_in_place(struct outfile *out, const char *path) {
    out->stream = fopen(path, "wbe");
    return out->stream ? 0 : last_error();
}

static int open_stream(struct outfile *out, const char *path) {
    bool in_place;
    if (path[0] == '\0') {
        return -ENOENT;
    }
    if (strcmp(path, "-") == 0) {
        out->stream = stdout;
        return 0;
    }
    int error = find_target(path, &in_place);
    if (error) {
        return error;
    }
    return in_place ? open_in_place(out, path) : open_part(out, path);
}

int outfile_open(struct outfile **result, const char *path) {
    struct outfile *out = calloc(1, sizeof *out);
    if (!out) {
        return -ENOMEM;
    }
    errno = 0;
    int error = open_stream(out, path);
    if (error) {
        release(out);
        return error;
    }
    *result = out;
    return 0;
}

int outfile_write(struct outfile *out, const void *bytes, size_t length) {
    if (!out->error && length > 0) {
        errno = 0;
        if (fwrite(bytes, 1, length, out->stream) != length) {
            out->error = last_error();
        }
    }
    return out->error;
}

int outfile_printf(struct outfile *out, const char *format, ...) {
    if (!out->error) {
        va_list args;
        va_start(args, format);
        errno = 0;
        if (vfprintf(out->stream, format, args) < 0) {
            out->error = last_error();
        }
        va_end(args);
    }
    return out->error;
}

int outfile_fail(struct outfile *out, int error) {
    if (!out->error) {
        out->error = error;
    }
    return out->error;
}

/* fsync before the rename: a power cut must not leave PATH without its bytes. */
static void flush(struct outfile *out) {
    errno = 0;
    if (fflush(out->stream) != 0 && !out->error) {
        out->error = last_error();
    }
    if (out->path && !out->error && fsync(fileno(out->stream)) != 0) {
        out->error = -errno;
    }
}

int outfile_close(struct outfile *out) {
    flush(out);
    errno = 0;
    if (out->stream != stdout && fclose(out->stream) != 0 && !out->error) {
        out->error = last_error();
    }
    if (out->path && !out->error && rename(out->part, out->path) != 0) {
        out->error = -errno;
    }
    int error = out->error;
    release(out);
    return error;
}
