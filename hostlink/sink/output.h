/* SPDX-License-Identifier: MIT */
/* The outputs named by -o: which format, which path, and all of them fed at once. */
#ifndef HOSTLINK_OUTPUT_H
#define HOSTLINK_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/consumer.h"
#include "sink/large_files.h"

#define OUTPUTS_MAX 16

struct output {
    const struct sink *sink;
    const char *path; /* "-" is standard output */
    struct consumer consumer;
    bool is_open;
    int error; /* the first, 0 or -errno */
};

/* All zero is an empty list. */
struct outputs {
    struct output list[OUTPUTS_MAX];
    size_t count;
    struct large_files large;
    const char *capture; /* path of the .kymo file, NULL = none named */
};

/* Adds "PATH", whose suffix names the format, or "FORMAT:PATH". False with "why" set. */
bool outputs_add(struct outputs *outputs, const char *text, char *why, size_t why_size);
/* True if one of them, or the capture, is standard output. */
bool outputs_use_stdout(const struct outputs *outputs);

/* Checks that no output is also an input (NULL inputs are skipped) or another output. Reports it and returns false. */
bool outputs_apart(const struct outputs *outputs, const char *const *inputs, size_t input_count);
/* Checks before the capture that the files can be written. If not, reports it and returns false. */
bool outputs_check(const struct outputs *outputs);

/* True if all are files, which can be written again. */
bool outputs_can_repeat(const struct outputs *outputs);
/* Opens all; reports and skips outputs that fail. */
void outputs_open(struct outputs *outputs);
void outputs_event(struct outputs *outputs, const struct event *event);
/* All that were opened, as one. */
struct consumer outputs_consumer(struct outputs *outputs);
/* Completes all; reports failures and returns false for any. */
bool outputs_close(struct outputs *outputs);

/* The formats for --help. "with_capture": also .kymo. */
void outputs_help(FILE *out, bool with_capture);

#endif
