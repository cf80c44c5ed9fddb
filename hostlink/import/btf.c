/* SPDX-License-Identifier: MIT */
/* Best Trace Format 2.2: lines of "time,source,instance,type,target,instance,event,note" after "#" lines. On one core
 * processes are the contexts of a kernel; on more each core is a row, with a zone for each time that a process ran
 * there. Runnables are zones of their process, signals plots, triggers with a note messages. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"

#define FIELDS 8u
#define FIELD_BYTES 256u

enum field { TIME, SOURCE, SOURCE_INSTANCE, TYPE, TARGET, TARGET_INSTANCE, EVENT, NOTE };

struct line {
    int64_t time_ns;
    char text[FIELDS][FIELD_BYTES]; /* names in place of numbers that a mapping has */
};

/* Names by their numbers, from "#typeMapping" and "#entityMapping". */
struct mapping {
    struct keytable numbers;
    char (*names)[FIELD_BYTES];
};

struct core {
    uint32_t row;    /* of more cores */
    int64_t running; /* row of the process, -1: none */
    int64_t left_ns; /* when the last one left */
    bool left;       /* and nothing took its place yet */
};

struct btf {
    const struct import_file *file;
    struct played *played;
    struct import_result *result;
    struct mapping types, entities;
    struct keytable processes,
        sources; /* of the first look: names of T and I, and where these ran */
    struct core *cores;
    struct keytable core_names;
    int64_t *places; /* by row of a process: its core, -1: none yet */
    uint32_t place_count;
    double scale; /* ns, 0: not known yet */
    uint32_t idle;
    uint64_t at;
};

static const char *fail(struct btf *b, const char *why) {
    b->result->why = why;
    b->result->at = b->at;
    return why;
}

/* ---- lines ---- */

static bool map(struct btf *b, struct mapping *mapping, const char *text) {
    char number[FIELD_BYTES];
    const size_t length = strcspn(text, " \t");
    const char *name = text + length + strspn(text + length, " \t");
    if (length == 0 || length >= sizeof number || !name[0]) {
        (void)fail(b, "a mapping has a number and a name");
        return false;
    }
    const int64_t at = keytable_add(&mapping->numbers, text, length);
    char(*names)[FIELD_BYTES] =
        at < 0 ? NULL : realloc(mapping->names, mapping->numbers.count * sizeof *names);
    if (!names) {
        b->played->error = -ENOMEM;
        return false;
    }
    mapping->names = names;
    (void)snprintf(names[at], sizeof names[at], "%s", name);
    return true;
}

/* Takes the '#' lines that matter: time scale and mappings. */
static void take_head(struct btf *b, const char *text) {
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ps", 1e-3}, {"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    if (strncasecmp(text, "#timescale ", 11) == 0) {
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            b->scale = strcmp(text + 11, units[i].unit) == 0 ? units[i].ns : b->scale;
        }
        if (b->scale == 0.0) {
            (void)fail(b, "the time scale is not ps, ns, us, ms or s");
        }
    } else if (strncasecmp(text, "#typemapping ", 13) == 0) {
        (void)map(b, &b->types, text + 13);
    } else if (strncasecmp(text, "#entitymapping ", 15) == 0) {
        (void)map(b, &b->entities, text + 15);
    }
}

static void name(const struct mapping *mapping, char text[FIELD_BYTES]) {
    const int64_t at = keytable_find(&mapping->numbers, text, strlen(text));
    if (at >= 0) {
        (void)snprintf(text, FIELD_BYTES, "%s", mapping->names[at]);
    }
}

static bool split(struct btf *b, const char *at, const char *end, struct line *line) {
    uint32_t fields = 0;
    memset(line->text, 0, sizeof line->text);
    for (; fields < FIELDS; fields++) {
        const char *comma = fields + 1 < FIELDS ? memchr(at, ',', (size_t)(end - at)) : NULL;
        const size_t length = (size_t)((comma ? comma : end) - at);
        if (length >= FIELD_BYTES && fields + 1 < FIELDS) {
            (void)fail(b, "a field of more than 255 bytes");
            return false;
        }
        memcpy(line->text[fields], at, length < FIELD_BYTES ? length : FIELD_BYTES - 1);
        if (!comma) {
            break;
        }
        at = comma + 1;
    }
    if (fields + 2 < FIELDS) {
        (void)fail(
            b, "a line of time, source, instance, type, target, instance and event is expected");
        return false;
    }
    char *digits;
    errno = 0;
    const unsigned long long time = strtoull(line->text[TIME], &digits, 10);
    const double ns = (double)time * b->scale;
    if (!isdigit((unsigned char)line->text[TIME][0]) || *digits != '\0' || errno || ns > 9e18) {
        (void)fail(b, "the time is no number, or beyond 292 years");
        return false;
    }
    line->time_ns = b->scale >= 1.0 ? (int64_t)time * (int64_t)b->scale : (int64_t)(time / 1000);
    name(&b->entities, line->text[SOURCE]);
    name(&b->types, line->text[TYPE]);
    name(&b->entities, line->text[TARGET]);
    return true;
}

/* Each line in turn, until one is wrong. */
static void each(struct btf *b, void (*take)(struct btf *b, const struct line *line)) {
    const char *at = b->file->bytes, *end = at + b->file->length;
    static struct line line;
    char head[FIELD_BYTES];
    while (at < end && !b->result->why && !b->played->error) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *behind = newline ? newline : end;
        size_t length = (size_t)(behind - at);
        length -= length > 0 && at[length - 1] == '\r';
        b->at = (uint64_t)(at - b->file->bytes);
        if (memchr(at, '\0', length)) {
            (void)fail(b, "a zero byte");
        } else if (length > 0 && *at == '#') {
            (void)snprintf(head, sizeof head, "%.*s", (int)(length < 255 ? length : 255), at);
            take_head(b, head);
        } else if (length > 0 && b->scale == 0.0) {
            (void)fail(b, "no #timeScale before the first event");
        } else if (length > 0 && split(b, at, at + length, &line)) {
            take(b, &line);
        }
        at = newline ? newline + 1 : end;
    }
}

static bool is_process(const struct line *line) {
    return strcmp(line->text[TYPE], "T") == 0 || strcmp(line->text[TYPE], "I") == 0;
}

static bool is_event(const struct line *line, const char *event) {
    return strcmp(line->text[EVENT], event) == 0;
}

static void add_key(struct btf *b, struct keytable *table, const char *text) {
    if (keytable_add(table, text, strlen(text)) < 0) {
        b->played->error = -ENOMEM;
    }
}

static void look(struct btf *b, const struct line *line) {
    if (is_process(line)) {
        add_key(b, &b->processes, line->text[TARGET]);
        if (!is_event(line, "activate") && !is_event(line, "mtalimitexceeded")) {
            add_key(b, &b->sources, line->text[SOURCE]);
        }
    }
}

/* ---- runs ---- */

static uint32_t row_of(struct btf *b, const char *process, const char *type) {
    const uint32_t before = b->played->row_count;
    const uint32_t row = played_row(b->played, process, strlen(process));
    if (b->played->row_count > before) {
        played_name_row(b->played, row, process);
        played_kind(b->played, row,
                    strcmp(type, "I") == 0 ? KYMO_CONTEXT_INTERRUPT : KYMO_CONTEXT_TASK);
    }
    while (row >= b->place_count && !b->played->error) {
        const uint32_t count = row * 2 + 16;
        int64_t *places = realloc(b->places, count * sizeof *places);
        if (!places) {
            b->played->error = -ENOMEM;
            break;
        }
        b->places = places;
        while (b->place_count < count) {
            places[b->place_count++] = -1;
        }
    }
    return row;
}

static uint32_t site(struct btf *b, enum kymo_site_kind kind, const char *text) {
    return played_site(b->played, &(struct played_site){.kind = kind, .name = text, .file = ""});
}

static bool is_kernel(const struct btf *b) { return b->core_names.count == 1; }

/* The one that the source names, or that it ran on, or that the process was on before. */
static struct core *core_of(struct btf *b, const struct line *line, uint32_t row) {
    int64_t number = keytable_find(&b->core_names, line->text[SOURCE], strlen(line->text[SOURCE]));
    if (number < 0 &&
        keytable_find(&b->processes, line->text[SOURCE], strlen(line->text[SOURCE])) >= 0) {
        number = b->places[row_of(b, line->text[SOURCE], "T")];
    }
    number = number < 0 ? b->places[row] : number;
    number = number < 0 ? 0 : number;
    b->places[row] = number;
    return &b->cores[number];
}

static void settle(struct btf *b, struct core *core, int64_t time_ns) {
    if (core->left && time_ns > core->left_ns && is_kernel(b)) {
        played_switch(b->played, b->idle, core->left_ns);
        core->left = false;
    }
}

static void run(struct btf *b, struct core *core, const struct line *line, uint32_t row) {
    settle(b, core, line->time_ns);
    core->left = false;
    if (is_kernel(b)) {
        played_switch(b->played, row, line->time_ns);
    } else {
        if (core->running >= 0) {
            played_end(b->played, core->row, line->time_ns);
        }
        played_begin(b->played, core->row, line->time_ns, PLAYED_OPEN,
                     site(b, KYMO_SITE_ZONE, line->text[TARGET]), NULL);
    }
    core->running = row;
}

static void leave(struct btf *b, struct core *core, const struct line *line, uint32_t row) {
    if (core->running != (int64_t)row) {
        return;
    }
    if (!is_kernel(b)) {
        played_end(b->played, core->row, line->time_ns);
    } else if (!is_event(line, "preempt") && strcmp(line->text[TYPE], "T") == 0) {
        played_waits(b->played, row, line->time_ns, KYMO_WHY_UNKNOWN);
    }
    core->running = -1;
    core->left = true;
    core->left_ns = line->time_ns;
}

static void take_process(struct btf *b, const struct line *line) {
    const uint32_t row = row_of(b, line->text[TARGET], line->text[TYPE]);
    if (b->played->error) {
        return;
    }
    if (is_event(line, "activate") || is_event(line, "release")) {
        if (is_kernel(b) && strcmp(line->text[TYPE], "T") == 0) {
            played_ready(b->played, row, line->time_ns);
        }
    } else if (is_event(line, "start") || is_event(line, "resume")) {
        run(b, core_of(b, line, row), line, row);
    } else if (is_event(line, "preempt") || is_event(line, "wait") || is_event(line, "terminate")) {
        leave(b, core_of(b, line, row), line, row);
    } else {
        return;
    }
    b->result->events++;
}

/* The row for an event of a process: with one core, the row that runs. */
static uint32_t row_for(struct btf *b, const struct line *line) {
    const struct core *core = &b->cores[0];
    const bool process =
        keytable_find(&b->processes, line->text[SOURCE], strlen(line->text[SOURCE])) >= 0;
    return is_kernel(b) ? (core->running >= 0 ? (uint32_t)core->running : b->idle)
           : process    ? row_of(b, line->text[SOURCE], "T")
                        : core->row;
}

static void take(struct btf *b, const struct line *line) {
    const char *type = line->text[TYPE];
    char *behind, text[2 * FIELD_BYTES + 4];
    if (is_process(line)) {
        take_process(b, line);
        return;
    }
    if (strcmp(type, "R") == 0 && is_event(line, "start")) {
        played_begin(b->played, row_of(b, line->text[SOURCE], "T"), line->time_ns, PLAYED_OPEN,
                     site(b, KYMO_SITE_ZONE, line->text[TARGET]), NULL);
    } else if (strcmp(type, "R") == 0 && is_event(line, "terminate")) {
        played_end(b->played, row_of(b, line->text[SOURCE], "T"), line->time_ns);
    } else if (strcmp(type, "SIG") == 0 && line->text[NOTE][0] != '\0') {
        const double value = strtod(line->text[NOTE], &behind);
        if (behind == line->text[NOTE]) {
            return;
        }
        played_plot(b->played, row_for(b, line), line->time_ns,
                    site(b, KYMO_SITE_PLOT, line->text[TARGET]), value);
    } else if (strcmp(type, "STI") == 0 && line->text[NOTE][0] != '\0') {
        (void)snprintf(text, sizeof text, "%s: %s", line->text[TARGET], line->text[NOTE]);
        played_message(b->played, row_for(b, line), line->time_ns, site(b, KYMO_SITE_MESSAGE, ""),
                       text);
    } else {
        const bool form = strcmp(type, "R") == 0 || strcmp(type, "STI") == 0;
        b->result->left_out += form ? 0 : 1;
        (void)snprintf(b->result->left_out_text, sizeof b->result->left_out_text, "%.100s",
                       form ? b->result->left_out_text : type);
        return;
    }
    b->result->events++;
}

/* ---- the file ---- */

/* Cores are the sources of processes that are no processes themselves; without any, one unnamed core. */
static bool find_cores(struct btf *b) {
    for (uint32_t i = 0; i < b->sources.count; i++) {
        const char *text = (const char *)b->sources.bytes + b->sources.entries[i].offset;
        const size_t length = b->sources.entries[i].length;
        if (keytable_find(&b->processes, text, length) < 0 &&
            keytable_add(&b->core_names, text, length) < 0) {
            return false;
        }
    }
    if (b->core_names.count == 0 && keytable_add(&b->core_names, "core", 4) < 0) {
        return false;
    }
    b->cores = calloc(b->core_names.count, sizeof *b->cores);
    for (uint32_t i = 0; b->cores && i < b->core_names.count; i++) {
        char text[FIELD_BYTES];
        (void)snprintf(text, sizeof text, "%.*s", (int)b->core_names.entries[i].length,
                       (const char *)b->core_names.bytes + b->core_names.entries[i].offset);
        b->cores[i].running = -1;
        if (!is_kernel(b)) {
            char key[FIELD_BYTES + 8];
            (void)snprintf(key, sizeof key, "\ncore %s", text);
            b->cores[i].row = played_row(b->played, key, strlen(key));
            played_name_row(b->played, b->cores[i].row, text);
        }
    }
    if (b->cores && is_kernel(b)) {
        b->idle = played_row(b->played, "\nidle", 5);
        played_name_row(b->played, b->idle, "idle");
        played_kind(b->played, b->idle, KYMO_CONTEXT_IDLE);
    }
    return b->cores != NULL;
}

static void read_btf(const struct import_file *file, struct played *played,
                     struct import_result *result) {
    struct btf b = {.file = file, .played = played, .result = result};
    each(&b, look);
    b.scale = 0.0;
    if (!result->why && !played->error) {
        if (find_cores(&b)) {
            each(&b, take);
        } else {
            played->error = -ENOMEM;
        }
    }
    keytable_free(&b.types.numbers);
    keytable_free(&b.entities.numbers);
    keytable_free(&b.processes);
    keytable_free(&b.sources);
    keytable_free(&b.core_names);
    free(b.types.names);
    free(b.entities.names);
    free(b.cores);
    free(b.places);
}

static bool is_btf(const struct import_file *file) {
    return file->length > 9 && memcmp(file->bytes, "#version ", 9) == 0;
}

const struct import_format import_btf = {.name = "btf",
                                         .help = "Best Trace Format 2.2, as timing tools write it",
                                         .is_it = is_btf,
                                         .read = read_btf};
