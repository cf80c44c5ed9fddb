/* SPDX-License-Identifier: MIT */
#include "sink/chrome_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/temporary.h"
#include "platform/file.h"
#include "sink/json_text.h"

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

/* ---- call stacks ---- */

#define NAME_BYTES 1024u

static uint32_t frame(struct chrome_stacks *stacks, uint32_t caller, const char *name) {
    char key[sizeof caller + NAME_BYTES];
    const size_t length = strnlen(name, NAME_BYTES);
    memcpy(key, &caller, sizeof caller);
    memcpy(key + sizeof caller, name, length);
    const int64_t number = stacks->frames.count < CHROME_FRAMES_MAX
                               ? keytable_add(&stacks->frames, key, sizeof caller + length)
                               : keytable_find(&stacks->frames, key, sizeof caller + length);
    return number < 0 ? 0 : (uint32_t)number + 1;
}

uint32_t chrome_stack(struct chrome_stacks *stacks, const struct callstack *stack) {
    uint32_t caller = 0;
    char hex[20];
    for (uint32_t i = stack->count; i > 0; i--) {
        const struct code_place *place = symbols_find(stack->symbols, stack->address[i - 1]);
        (void)snprintf(hex, sizeof hex, "0x%" PRIx64, stack->address[i - 1]);
        for (uint32_t line = place != NULL ? place->count : 1; line > 0; line--) {
            const char *name = place != NULL ? place->lines[line - 1].function : "";
            caller = frame(stacks, caller, name[0] != '\0' ? name : hex);
            if (caller == 0) {
                return 0;
            }
        }
    }
    return caller;
}

void chrome_stacks_write(const struct chrome_stacks *stacks, struct outfile *out) {
    for (uint32_t i = 0; i < stacks->frames.count; i++) {
        const struct keytable_entry *entry = &stacks->frames.entries[i];
        const char *key = (const char *)stacks->frames.bytes + entry->offset;
        uint32_t caller;
        memcpy(&caller, key, sizeof caller);
        outfile_printf(out, "%s\n\"%" PRIu32 "\":{\"name\":", i == 0 ? ",\"stackFrames\":{" : ",",
                       i + 1);
        json_text(out, key + sizeof caller, entry->length - sizeof caller);
        outfile_printf(out, ",\"category\":\"function\"");
        if (caller != 0) {
            outfile_printf(out, ",\"parent\":\"%" PRIu32 "\"", caller);
        }
        outfile_write(out, "}", 1);
    }
    if (stacks->frames.count > 0) {
        outfile_write(out, "}", 1);
    }
}

void chrome_stacks_free(struct chrome_stacks *stacks) { keytable_free(&stacks->frames); }
