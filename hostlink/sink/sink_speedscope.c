/* SPDX-License-Identifier: MIT */
/* speedscope's JSON: a profile of time for each row, another of its samples, and one of bytes for each pool. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink/json_text.h"
#include "sink/outfile.h"
#include "sink/profile.h"
#include "sink/sink.h"

struct speedscope {
    struct outfile *out;
    struct profile profile;
    struct keytable frames; /* key: line, name, NUL, file */
    char *key;
    size_t key_size;
    bool any; /* a number of the sample that is written */
    int error;
};

static int64_t frame(struct speedscope *s, const struct profile_step *step) {
    const size_t name = strlen(step->name) + 1, file = strlen(step->file);
    const size_t length = sizeof step->line + name + file;
    if (length > s->key_size) {
        char *key = realloc(s->key, length);
        if (key == NULL) {
            return -ENOMEM;
        }
        s->key = key;
        s->key_size = length;
    }
    memcpy(s->key, &step->line, sizeof step->line);
    memcpy(s->key + sizeof step->line, step->name, name);
    memcpy(s->key + sizeof step->line + name, step->file, file);
    return keytable_add(&s->frames, s->key, length);
}

static bool take_step(void *context, const struct profile_step *step) {
    struct speedscope *s = context;
    const int64_t number = frame(s, step);
    s->error = number < 0 ? (int)number : s->error;
    outfile_printf(s->out, s->any ? ",%" PRId64 : "%" PRId64, number < 0 ? 0 : number);
    s->any = true;
    return true;
}

/* "kind" of the root. Samples whose rate is not known count as they are. */
static uint64_t amount_of(const struct profile_node *node, enum profile_kind kind) {
    return kind == PROFILE_POOL      ? node->alloc_bytes
           : kind == PROFILE_SAMPLED ? (node->sampled_ns != 0 ? node->sampled_ns : node->samples)
                                     : node->self_ns;
}

static uint64_t write_samples(struct speedscope *s, uint32_t root, enum profile_kind kind) {
    uint64_t sum = 0;
    const char *between = "";
    for (uint32_t i = root; i != PROFILE_NONE; i = s->profile.nodes[i].next) {
        const uint64_t amount = amount_of(&s->profile.nodes[i], kind);
        if (amount != 0) {
            outfile_printf(s->out, "%s[", between);
            s->any = false;
            (void)profile_path(&s->profile, i, s, take_step);
            outfile_printf(s->out, "]");
            between = ",";
            sum += amount;
        }
    }
    return sum;
}

static void write_weights(struct speedscope *s, uint32_t root, enum profile_kind kind) {
    const char *between = "";
    for (uint32_t i = root; i != PROFILE_NONE; i = s->profile.nodes[i].next) {
        const uint64_t amount = amount_of(&s->profile.nodes[i], kind);
        if (amount != 0) {
            outfile_printf(s->out, "%s%" PRIu64, between, amount);
            between = ",";
        }
    }
}

static void write_profile(struct speedscope *s, uint32_t root, const char *before) {
    const struct profile_node *node = &s->profile.nodes[root];
    const enum profile_kind kind = node->kind;
    const bool of_memory = kind == PROFILE_POOL;
    const char *name = of_memory ? node->of.site->name : node->of.row->name;
    char sampled[256];
    if (kind == PROFILE_SAMPLED) {
        (void)snprintf(sampled, sizeof sampled, "%s, samples", name);
        name = sampled;
    }
    outfile_printf(s->out, "%s\n{\"type\":\"sampled\",\"name\":", before);
    json_text(s->out, name, strlen(name));
    outfile_printf(s->out, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[",
                   of_memory ? "bytes" : "nanoseconds");
    const uint64_t sum = write_samples(s, root, kind);
    outfile_printf(s->out, "],\"weights\":[");
    write_weights(s, root, kind);
    outfile_printf(s->out, "],\"endValue\":%" PRIu64 "}", sum);
}

static void write_frames(struct speedscope *s) {
    for (uint32_t i = 0; i < s->frames.count; i++) {
        const char *key = (const char *)s->frames.bytes + s->frames.entries[i].offset;
        const char *name = key + sizeof(uint32_t);
        const size_t length = strlen(name);
        const size_t file = s->frames.entries[i].length - sizeof(uint32_t) - length - 1;
        uint32_t line;
        memcpy(&line, key, sizeof line);
        outfile_printf(s->out, "%s\n{\"name\":", i == 0 ? "" : ",");
        json_text(s->out, name, length);
        if (file > 0) {
            outfile_printf(s->out, ",\"file\":");
            json_text(s->out, name + length + 1, file);
        }
        if (line != 0) {
            outfile_printf(s->out, ",\"line\":%" PRIu32, line);
        }
        outfile_printf(s->out, "}");
    }
}

/* The frames follow the profiles, as writing the profiles collects them. */
static int end(void *state) {
    struct speedscope *s = state;
    const char *before = "";
    outfile_printf(s->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                           "\"exporter\":\"hostlink\",\"profiles\":[");
    for (uint32_t i = 0; i < s->profile.count; i++) {
        if (s->profile.nodes[i].parent == PROFILE_NONE) {
            write_profile(s, i, before);
            before = ",";
        }
    }
    outfile_printf(s->out, "],\n\"shared\":{\"frames\":[");
    write_frames(s);
    outfile_printf(s->out, "]}}\n");
    profile_free(&s->profile);
    keytable_free(&s->frames);
    free(s->key);
    return s->error;
}

static int on_event(void *state, const struct event *event) {
    struct speedscope *s = state;
    return outfile_fail(s->out, profile_event(&s->profile, event));
}

const struct sink sink_speedscope = {
    .name = "speedscope",
    .suffixes = ".speedscope.json",
    .help = "time, memory and samples by call stack, for speedscope.app",
    .size = sizeof(struct speedscope),
    .event = on_event,
    .end = end,
};
