/* SPDX-License-Identifier: MIT */
#include "sink/chrome_samples.h"

#include <errno.h>
#include <inttypes.h>

#include "base/temporary.h"
#include "platform/file.h"

static int failed(void) { return errno != 0 ? -errno : -EIO; }

static int open_file(struct chrome_samples *samples) {
    const int fd = temporary_open();
    if (fd < 0) {
        return fd;
    }
    samples->file = fdopen(fd, "w+");
    if (samples->file == NULL) {
        const int error = failed();
        (void)sys_close(fd);
        return error;
    }
    return 0;
}

int chrome_samples_add(struct chrome_samples *samples, const struct chrome_sample *sample) {
    const int error = samples->file == NULL ? open_file(samples) : 0;
    if (error != 0) {
        return error;
    }
    errno = 0;
    samples->count++;
    return fwrite(sample, sizeof *sample, 1, samples->file) == 1 ? 0 : failed();
}

static void write_one(const struct chrome_sample *sample, const char *before, struct outfile *out) {
    const uint64_t time_ns = sample->time_ns > 0 ? (uint64_t)sample->time_ns : 0;
    outfile_printf(out,
                   "%s\n{\"name\":\"sample\",\"cpu\":%" PRIu32 ",\"tid\":%" PRIu32
                   ",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"weight\":1",
                   before, sample->core, sample->tid, time_ns / 1000, time_ns % 1000);
    if (sample->frame != 0) {
        outfile_printf(out, ",\"sf\":%" PRIu32, sample->frame);
    }
    outfile_write(out, "}", 1);
}

int chrome_samples_write(struct chrome_samples *samples, struct outfile *out) {
    struct chrome_sample sample;
    const char *before = ",\"samples\":[";
    if (samples->file == NULL) {
        return 0;
    }
    errno = 0;
    if (fseek(samples->file, 0, SEEK_SET) != 0) {
        return failed();
    }
    for (uint64_t i = 0; i < samples->count; i++) {
        if (fread(&sample, sizeof sample, 1, samples->file) != 1) {
            return failed();
        }
        write_one(&sample, before, out);
        before = ",";
    }
    outfile_write(out, "]", 1);
    return 0;
}

void chrome_samples_free(struct chrome_samples *samples) {
    if (samples->file != NULL) {
        (void)fclose(samples->file);
    }
    *samples = (struct chrome_samples){0};
}
