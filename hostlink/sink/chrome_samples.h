/* SPDX-License-Identifier: MIT */
/* Samples of Chrome's JSON: an array at the end of the file. Until then they are in a file of their own, as memory is
 * not to grow with the capture. */
#ifndef HOSTLINK_CHROME_SAMPLES_H
#define HOSTLINK_CHROME_SAMPLES_H

#include <stdint.h>
#include <stdio.h>

#include "base/keytable.h"
#include "model/event.h"
#include "sink/outfile.h"

struct chrome_sample {
    int64_t time_ns;
    uint32_t core, tid;
    uint32_t frame; /* chrome_stack() */
};

/* All zero is empty. */
struct chrome_samples {
    FILE *file;
    uint64_t count;
};

/* 0 or -errno. */
int chrome_samples_add(struct chrome_samples *samples, const struct chrome_sample *sample);
/* Writes the file's field of samples, with a comma before it, or nothing without samples. Returns 0 or -errno. */
int chrome_samples_write(struct chrome_samples *samples, struct outfile *out);
void chrome_samples_free(struct chrome_samples *samples);

/* Functions beyond this number are left out. */
#define CHROME_FRAMES_MAX (1u << 16)

/* All zero is an empty tree. */
struct chrome_stacks {
    struct keytable frames; /* key: the number of the caller, from 1, or 0; then the name */
};

/* The number of the innermost function, from 1; 0 without a function, or without room. */
uint32_t chrome_stack(struct chrome_stacks *stacks, const struct callstack *stack);
/* Writes the file's field of call stacks, with a comma before it, or nothing without call stacks. */
void chrome_stacks_write(const struct chrome_stacks *stacks, struct outfile *out);
void chrome_stacks_free(struct chrome_stacks *stacks);

#endif
