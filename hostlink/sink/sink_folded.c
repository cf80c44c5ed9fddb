/* SPDX-License-Identifier: MIT */
/* Folded stacks, a line each: "outer;inner;innermost NUMBER", for programs that draw flame graphs. Of time: rows, zones
 * and functions, with the ns in which the innermost of them ran and nothing inside it. Of memory: pools and functions,
 * with all bytes that were allocated there. Of samples: rows and functions, with how many samples met the innermost. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sink/outfile.h"
#include "sink/paths.h"
#include "sink/profile.h"
#include "sink/sink.h"

typedef uint64_t amount_of(const struct profile_node *node);

struct folded {
    struct outfile *out;
    amount_of *amount;
    struct profile profile;
};

/* Characters that would end a name or the line become ':' or '?'. */
static bool put_name(struct paths *paths, const struct profile_step *step) {
    const size_t length = strlen(step->name);
    uint32_t character;
    if (!paths_put(paths, length > 0 ? step->name : "?", length > 0 ? length : 1)) {
        return false;
    }
    for (size_t at = 0, taken; at < paths->used; at += taken) {
        taken = utf8_next(paths->text + at, paths->used - at, &character);
        if (character == ';') {
            paths->text[at] = ':';
        } else if (character == UTF8_REPLACEMENT || utf8_is_control(character)) {
            memset(paths->text + at, '?', taken);
        }
    }
    return true;
}

static int write_line(struct folded *f, struct paths *paths, uint32_t path, uint64_t sum) {
    const int64_t count = paths_walk(paths, path);
    for (int64_t i = count; i > 0; i--) {
        const char *name = paths_text(paths, paths->steps[i - 1]);
        outfile_write(f->out, name, strlen(name));
        outfile_write(f->out, ";", i > 1 ? 1 : 0);
    }
    outfile_printf(f->out, " %" PRIu64 "\n", sum);
    return count < 0 ? (int)count : 0;
}

/* A line for each path, in the order of the nodes that come first on each: the same functions may be called from
 * several addresses. */
static int write_lines(struct folded *f) {
    struct paths paths;
    int error = -ENOMEM;
    uint64_t *sums = NULL;
    if (paths_make(&paths, &f->profile, false, put_name) &&
        (sums = calloc(paths.nodes.count + 1u, sizeof *sums)) != NULL) {
        error = 0;
    }
    for (uint32_t i = 0; error == 0 && i < f->profile.count; i++) {
        sums[paths.of[i]] += f->amount(&f->profile.nodes[i]);
    }
    for (uint32_t i = 0; error == 0 && i < f->profile.count; i++) {
        uint64_t *sum = &sums[paths.of[i]];
        if (f->amount(&f->profile.nodes[i]) != 0 && *sum != 0) {
            error = write_line(f, &paths, paths.of[i], *sum);
            *sum = 0; /* written */
        }
    }
    free(sums);
    paths_free(&paths);
    return error;
}

static int on_event(void *state, const struct event *event) {
    struct folded *f = state;
    return outfile_fail(f->out, profile_event(&f->profile, event));
}

static int end(void *state) {
    struct folded *f = state;
    const int error = write_lines(f);
    profile_free(&f->profile);
    return error;
}

static uint64_t time_of(const struct profile_node *node) { return node->self_ns; }
static uint64_t bytes_of(const struct profile_node *node) { return node->alloc_bytes; }
static uint64_t samples_of(const struct profile_node *node) { return node->samples; }

static int begin_time(void *state) {
    ((struct folded *)state)->amount = time_of;
    return 0;
}

static int begin_memory(void *state) {
    ((struct folded *)state)->amount = bytes_of;
    return 0;
}

static int begin_samples(void *state) {
    ((struct folded *)state)->amount = samples_of;
    return 0;
}

const struct sink sink_folded = {
    .name = "folded",
    .suffixes = ".folded",
    .help = "time by call stack, for flame graphs",
    .size = sizeof(struct folded),
    .begin = begin_time,
    .event = on_event,
    .end = end,
};

const struct sink sink_folded_memory = {
    .name = "folded-memory",
    .suffixes = ".memory.folded",
    .help = "allocated bytes by call stack, for flame graphs",
    .size = sizeof(struct folded),
    .begin = begin_memory,
    .event = on_event,
    .end = end,
};

const struct sink sink_folded_samples = {
    .name = "folded-samples",
    .suffixes = ".samples.folded",
    .help = "samples by call stack, for flame graphs",
    .size = sizeof(struct folded),
    .begin = begin_samples,
    .event = on_event,
    .end = end,
};
