/* Folded stacks, a line each: "outer;inner;innermost NUMBER", for programs that draw flame graphs. Of time: rows, zones
 * and functions, with the ns in which the innermost of them ran and nothing inside it. Of memory: pools and functions,
 * with all bytes that were allocated there. Of samples: rows and functions, with how many samples met the innermost. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "sink/outfile.h"
#include "sink/profile.h"
#include "sink/sink.h"

typedef uint64_t amount_of(const struct profile_node *node);

struct folded {
    struct outfile *out;
    amount_of *amount;
    struct profile profile;
    /* Lines with their sums: the same functions may be called from several addresses. */
    struct keytable lines;
    uint64_t *sums;
    uint32_t sum_capacity;
    char *line; /* that is being made */
    size_t used, size;
};

static bool put(struct folded *f, const char *bytes, size_t length) {
    if (f->size - f->used < length) {
        const size_t size = f->size * 2 + length;
        char *line = realloc(f->line, size);
        if (line == NULL) {
            return false;
        }
        f->line = line;
        f->size = size;
    }
    memcpy(f->line + f->used, bytes, length);
    f->used += length;
    return true;
}

/* What would be read as the end of a name, or of the line, becomes ':' or '?'. */
static bool put_name(struct folded *f, const char *name) {
    const size_t start = f->used + (f->used > 0 ? 1 : 0), length = strlen(name);
    uint32_t character;
    if ((f->used > 0 && !put(f, ";", 1)) ||
        !put(f, length > 0 ? name : "?", length > 0 ? length : 1)) {
        return false;
    }
    for (size_t at = start, taken; at < f->used; at += taken) {
        taken = utf8_next(f->line + at, f->used - at, &character);
        if (character == ';') {
            f->line[at] = ':';
        } else if (character == UTF8_REPLACEMENT || utf8_is_control(character)) {
            memset(f->line + at, '?', taken);
        }
    }
    return true;
}

static bool put_step(void *context, const struct profile_step *step) {
    return put_name(context, step->name);
}

static bool make_line(struct folded *f, uint32_t number) {
    f->used = 0;
    return profile_path(&f->profile, number, f, put_step);
}

static int add(struct folded *f, uint32_t number, uint64_t amount) {
    if (!make_line(f, number)) {
        return -ENOMEM;
    }
    if (f->lines.count == f->sum_capacity) {
        const uint32_t capacity = f->sum_capacity == 0 ? 64 : f->sum_capacity * 2;
        uint64_t *sums = realloc(f->sums, capacity * sizeof *sums);
        if (sums == NULL) {
            return -ENOMEM;
        }
        f->sums = sums;
        f->sum_capacity = capacity;
    }
    const uint32_t before = f->lines.count;
    const int64_t line = keytable_add(&f->lines, f->line, f->used);
    if (line < 0) {
        return (int)line;
    }
    f->sums[line] = (f->lines.count > before ? 0 : f->sums[line]) + amount;
    return 0;
}

static void write_lines(struct folded *f) {
    for (uint32_t i = 0; i < f->lines.count; i++) {
        const struct keytable_entry *entry = &f->lines.entries[i];
        outfile_write(f->out, f->lines.bytes + entry->offset, entry->length);
        outfile_printf(f->out, " %" PRIu64 "\n", f->sums[i]);
    }
}

static int on_event(void *state, const struct event *event) {
    struct folded *f = state;
    return outfile_fail(f->out, profile_event(&f->profile, event));
}

static int close_folded(void *state) {
    struct folded *f = state;
    int error = 0;
    for (uint32_t i = 0; i < f->profile.count && error == 0; i++) {
        const struct profile_node *node = &f->profile.nodes[i];
        const uint64_t amount = f->amount(node);
        error = amount != 0 ? add(f, i, amount) : 0;
    }
    write_lines(f);
    (void)outfile_fail(f->out, error);
    error = outfile_close(f->out);
    profile_free(&f->profile);
    keytable_free(&f->lines);
    free(f->sums);
    free(f->line);
    free(f);
    return error;
}

static int open_folded(struct consumer *consumer, const char *path, amount_of *amount) {
    struct folded *f = calloc(1, sizeof *f);
    const int error = f == NULL ? -ENOMEM : outfile_open(&f->out, path);
    if (error != 0) {
        free(f);
        return error;
    }
    f->amount = amount;
    *consumer =
        (struct consumer){.name = "folded", .state = f, .event = on_event, .close = close_folded};
    return 0;
}

static uint64_t time_of(const struct profile_node *node) { return node->self_ns; }
static uint64_t bytes_of(const struct profile_node *node) { return node->alloc_bytes; }
static uint64_t samples_of(const struct profile_node *node) { return node->samples; }

static int open_time(struct consumer *consumer, const char *path) {
    return open_folded(consumer, path, time_of);
}

static int open_memory(struct consumer *consumer, const char *path) {
    return open_folded(consumer, path, bytes_of);
}

static int open_samples(struct consumer *consumer, const char *path) {
    return open_folded(consumer, path, samples_of);
}

const struct sink sink_folded = {
    .name = "folded",
    .suffixes = ".folded",
    .help = "time by call stack, for flame graphs",
    .open = open_time,
};

const struct sink sink_folded_memory = {
    .name = "folded-memory",
    .suffixes = ".memory.folded",
    .help = "allocated bytes by call stack, for flame graphs",
    .open = open_memory,
};

const struct sink sink_folded_samples = {
    .name = "folded-samples",
    .suffixes = ".samples.folded",
    .help = "samples by call stack, for flame graphs",
    .open = open_samples,
};
