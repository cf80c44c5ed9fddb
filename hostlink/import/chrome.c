/* SPDX-License-Identifier: MIT */
/* Chrome's JSON trace format: the object with "traceEvents", or its array alone, which may end early. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "import/json.h"

/* The fields of an event that are looked at. */
struct fields {
    struct json_buffer name, ph, pid, tid, ts, dur, id, cat;
    size_t args_from, args_to; /* 0, 0: none */
};

struct chrome {
    struct json json;
    struct played *played;
    struct import_result *result;
    struct fields fields;
    struct json_buffer key, value, text;
    struct keytable processes; /* by pid: its number in "names" */
    char **names;              /* NULL: none was given */
    uint32_t name_count;
    bool between; /* the file ends after an event */
    bool no_memory;
};

/* ---- numbers ---- */

/* Microseconds with a fraction, as it stands: a double would not hold the nanoseconds of a Unix time. */
static bool to_ns(const char *text, int64_t *ns) {
    const bool negative = *text == '-';
    const char *at = text + (negative ? 1 : 0);
    int64_t value = 0;
    unsigned digits = 0, places = 0;
    bool point = false;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
        } else if (!point || places < 3) {
            if (__builtin_mul_overflow(value, 10, &value) ||
                __builtin_add_overflow(value, *at - '0', &value)) {
                return false;
            }
            digits++;
            places += point ? 1 : 0;
        }
    }
    if (*at == 'e' || *at == 'E') {
        char *end = NULL;
        const double real = strtod(text, &end) * 1000.0;
        *ns = fabs(real) < 9e18 ? (int64_t)real : 0;
        return *end == '\0' && fabs(real) < 9e18;
    }
    for (; places < 3; places++) {
        if (__builtin_mul_overflow(value, 10, &value)) {
            return false;
        }
    }
    *ns = negative ? -value : value;
    return *at == '\0' && digits > 0;
}

/* ---- rows ---- */

static bool add_text(struct chrome *c, const char *text) {
    const size_t length = strlen(text);
    if (c->text.used + length + 1 > c->text.size) {
        char *grown = realloc(c->text.bytes, 2 * (c->text.used + length) + 64);
        if (!grown) {
            c->no_memory = true;
            return false;
        }
        c->text.bytes = grown;
        c->text.size = 2 * (c->text.used + length) + 64;
    }
    memcpy(c->text.bytes + c->text.used, text, length + 1);
    c->text.used += length;
    return true;
}

static const char *or_zero(const struct json_buffer *buffer) {
    return buffer->used > 0 ? buffer->bytes : "0";
}

/* The process of the event: its number. */
static uint32_t process_of(struct chrome *c) {
    const char *pid = or_zero(&c->fields.pid);
    const int64_t number = keytable_add(&c->processes, pid, strlen(pid));
    if (number < 0) {
        c->no_memory = true;
        return 0;
    }
    if ((uint64_t)number >= c->name_count) {
        char **names = realloc(c->names, ((size_t)number + 1) * sizeof *names);
        if (!names) {
            c->no_memory = true;
            return 0;
        }
        c->names = names;
        c->names[c->name_count++] = NULL;
    }
    return (uint32_t)number;
}

/* Its key is pid, a zero, tid. */
static uint32_t row_of(struct chrome *c) {
    const char *pid = or_zero(&c->fields.pid), *tid = or_zero(&c->fields.tid);
    (void)process_of(c);
    c->text.used = 0;
    if (!add_text(c, pid)) {
        return 0;
    }
    c->text.used++; /* the zero stays */
    if (!add_text(c, tid)) {
        return 0;
    }
    const uint32_t before = c->played->row_count;
    const uint32_t row = played_row(c->played, c->text.bytes, c->text.used);
    if (c->played->row_count > before) {
        c->text.used = 0;
        if (add_text(c, "thread ") && add_text(c, tid)) {
            played_name_row(c->played, row, c->text.bytes);
        }
    }
    return row;
}

/* ---- events ---- */

static uint32_t site(struct chrome *c, enum kymo_site_kind kind, const char *name) {
    return played_site(c->played, &(struct played_site){.kind = kind, .name = name, .file = ""});
}

/* Arguments as they stand, or NULL. */
static const char *args_text(struct chrome *c) {
    const struct fields *f = &c->fields;
    const size_t length = f->args_to - f->args_from;
    char *text;
    if (length <= 2) {
        return NULL;
    }
    c->text.used = 0;
    text = strndup(c->json.bytes + f->args_from,
                   length < PLAYED_TEXT_BYTES ? length : PLAYED_TEXT_BYTES);
    const bool added = text && add_text(c, text);
    free(text);
    return added ? c->text.bytes : NULL;
}

/* The members of the event's arguments: calls "take" with the key in c->key and the value in c->value. */
static bool each_arg(struct chrome *c, void (*take)(struct chrome *c, int64_t time_ns),
                     int64_t time_ns) {
    struct json args = c->json;
    bool first = true;
    args.at = c->fields.args_from;
    if (c->fields.args_to == 0 || json_next(&args) != '{') {
        return true;
    }
    args.at++;
    while (json_key(&args, &c->key, &first) && json_value(&args, &c->value)) {
        take(c, time_ns);
    }
    return !args.why;
}

/* "name" where the counter has one series, else "name: key". */
static void take_series(struct chrome *c, int64_t time_ns) {
    char *end = NULL;
    const double value = strtod(c->value.bytes, &end);
    if (end == c->value.bytes || *end != '\0') {
        return;
    }
    const uint32_t row = row_of(c);
    c->text.used = 0;
    if (add_text(c, c->fields.name.bytes) &&
        (strcmp(c->key.bytes, "value") == 0 || strcmp(c->key.bytes, c->fields.name.bytes) == 0 ||
         (add_text(c, ": ") && add_text(c, c->key.bytes)))) {
        played_plot(c->played, row, time_ns, site(c, KYMO_SITE_PLOT, c->text.bytes), value);
    }
}

static void take_name(struct chrome *c, int64_t unused) {
    (void)unused;
    if (strcmp(c->key.bytes, "name") != 0) {
        return;
    }
    if (strcmp(c->fields.name.bytes, "thread_name") == 0) {
        played_name_row(c->played, row_of(c), c->value.bytes);
    } else if (strcmp(c->fields.name.bytes, "process_name") == 0) {
        const uint32_t process = process_of(c);
        if (!c->no_memory) {
            free(c->names[process]);
            c->names[process] = strdup(c->value.bytes);
        }
    }
}

static bool wrong(struct chrome *c, const char *why) {
    c->json.why = c->json.why ? c->json.why : why;
    return false;
}

static void leave_out(struct chrome *c, const char *phase) {
    struct import_result *r = c->result;
    char quoted[8];
    snprintf(quoted, sizeof quoted, "'%.1s'", phase);
    r->left_out++;
    if (!strstr(r->left_out_text, quoted) &&
        strlen(r->left_out_text) + 2 * sizeof quoted < sizeof r->left_out_text) {
        strcat(r->left_out_text, r->left_out_text[0] ? ", " : "");
        strcat(r->left_out_text, quoted);
    }
}

static bool take_complete(struct chrome *c, int64_t time_ns) {
    const char *name = c->fields.name.bytes;
    int64_t length_ns = 0, end_ns;
    if (c->fields.dur.used == 0 || !to_ns(c->fields.dur.bytes, &length_ns) ||
        __builtin_add_overflow(time_ns, length_ns, &end_ns)) {
        return wrong(c, "an event of phase X needs \"dur\", a number of microseconds");
    }
    const uint32_t row = row_of(c);
    played_begin(c->played, row, time_ns, end_ns > time_ns ? end_ns : time_ns,
                 site(c, KYMO_SITE_ZONE, name), args_text(c));
    return true;
}

/* The event's id as it is, if it is a number; else a sum over it, its category and, where it counts within its process
 * only ("id2"), that. */
static uint64_t id_of(const struct fields *f) {
    const struct json_buffer *const parts[] = {&f->id, &f->cat, &f->pid};
    const size_t count = f->id.used > 0 && strstr(f->id.bytes, "local") ? 3 : 2;
    uint64_t sum = 0xcbf29ce484222325u; /* FNV-1a */
    char *end = NULL;
    const uint64_t number = f->id.used > 0 ? strtoull(f->id.bytes, &end, 0) : 0;
    if (f->id.used > 0 && *end == '\0' && f->id.bytes[0] != '-') {
        return number;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t at = 0; at < parts[i]->used; at++) {
            sum = (sum ^ (uint8_t)parts[i]->bytes[at]) * 0x100000001b3u;
        }
    }
    return sum;
}

static bool take_flow(struct chrome *c, int64_t time_ns, char phase) {
    static const struct {
        char phase;
        enum kymo_event_kind kind;
    } kinds[] = {{'s', KYMO_KIND_FLOW_SEND},
                 {'t', KYMO_KIND_FLOW_STEP},
                 {'f', KYMO_KIND_FLOW_RECEIVE},
                 {'b', KYMO_KIND_ASYNC_BEGIN},
                 {'e', KYMO_KIND_ASYNC_END}};
    size_t i = 0;
    if (c->fields.id.used == 0) {
        return wrong(c, "an event of phase s, t, f, b or e needs \"id\"");
    }
    while (kinds[i].phase != phase) {
        i++;
    }
    played_flow(c->played, row_of(c), time_ns, site(c, KYMO_SITE_FLOW, c->fields.name.bytes),
                kinds[i].kind, id_of(&c->fields));
    return true;
}

static bool take_timed(struct chrome *c, char phase) {
    const char *name = c->fields.name.bytes;
    int64_t time_ns;
    if (c->fields.ts.used == 0 || !to_ns(c->fields.ts.bytes, &time_ns)) {
        return wrong(c, "an event needs \"ts\", a number of microseconds");
    }
    c->result->events++;
    switch (phase) {
    case 'X':
        return take_complete(c, time_ns);
    case 'B': {
        const uint32_t row = row_of(c);
        played_begin(c->played, row, time_ns, PLAYED_OPEN, site(c, KYMO_SITE_ZONE, name),
                     args_text(c));
        return true;
    }
    case 'E':
        played_end(c->played, row_of(c), time_ns);
        return true;
    case 'C':
        return each_arg(c, take_series, time_ns);
    case 's':
    case 't':
    case 'f':
    case 'b':
    case 'e':
        return take_flow(c, time_ns, phase);
    default:
        played_message(c->played, row_of(c), time_ns, site(c, KYMO_SITE_MESSAGE, ""), name);
        return true;
    }
}

static bool take_event(struct chrome *c) {
    const char *phase = c->fields.ph.used > 0 ? c->fields.ph.bytes : "?";
    if (c->fields.name.used == 0) {
        c->fields.name.bytes[0] = '\0';
    }
    if (strcmp(phase, "M") == 0) {
        return each_arg(c, take_name, 0);
    }
    if (phase[0] != '\0' && phase[1] == '\0' && strchr("XBEiIRCnstfbe", phase[0])) {
        return take_timed(c, phase[0]);
    }
    leave_out(c, phase);
    return true;
}

/* ---- the file ---- */

static bool read_event(struct chrome *c) {
    struct fields *f = &c->fields;
    const struct {
        const char *key;
        struct json_buffer *value;
    } wanted[] = {{"name", &f->name}, {"ph", &f->ph},  {"pid", &f->pid},
                  {"tid", &f->tid},   {"ts", &f->ts},  {"dur", &f->dur},
                  {"id", &f->id},     {"id2", &f->id}, {"cat", &f->cat}};
    const size_t at = c->json.at;
    bool first = true;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        wanted[i].value->used = 0;
    }
    f->args_from = f->args_to = 0;
    if (!json_take(&c->json, '{')) {
        return false;
    }
    while (json_key(&c->json, &c->key, &first)) {
        size_t i = 0, from, to;
        while (i < sizeof wanted / sizeof *wanted && strcmp(wanted[i].key, c->key.bytes) != 0) {
            i++;
        }
        if (i < sizeof wanted / sizeof *wanted) {
            (void)json_value(&c->json, wanted[i].value);
        } else if (json_skip(&c->json, &from, &to) && strcmp(c->key.bytes, "args") == 0) {
            f->args_from = from;
            f->args_to = to;
        }
    }
    if (c->json.why) {
        return false;
    }
    if (!take_event(c)) {
        c->json.at = at;
    }
    return !c->json.why;
}

static bool read_events(struct chrome *c) {
    bool first = true;
    if (!json_take(&c->json, '[')) {
        return false;
    }
    while (json_element(&c->json, &first)) {
        if (!read_event(c)) {
            return false;
        }
    }
    c->between = c->json.ended;
    return !c->json.why;
}

static bool read_object(struct chrome *c) {
    bool first = true, found = false;
    size_t from, to;
    if (!json_take(&c->json, '{')) {
        return false;
    }
    while (json_key(&c->json, &c->key, &first)) {
        const bool events = strcmp(c->key.bytes, "traceEvents") == 0;
        found = found || events;
        if (!(events ? read_events(c) : json_skip(&c->json, &from, &to))) {
            return false;
        }
    }
    return !c->json.why && (found || wrong(c, "it has no \"traceEvents\""));
}

/* With more than one process, names of rows include the process. */
static void name_processes(struct chrome *c) {
    for (uint32_t i = 0; c->name_count > 1 && i < c->played->row_count && !c->no_memory; i++) {
        const struct keytable_entry *entry = &c->played->row_keys.entries[i];
        const char *pid = (const char *)c->played->row_keys.bytes + entry->offset;
        const int64_t process = keytable_find(&c->processes, pid, strlen(pid));
        const char *name = process >= 0 ? c->names[process] : NULL;
        c->text.used = 0;
        if (add_text(c, name ? name : "process ") && (name || add_text(c, pid)) &&
            add_text(c, ": ") && add_text(c, c->played->rows[i].name)) {
            played_name_row(c->played, i, c->text.bytes);
        }
    }
}

static void free_all(struct chrome *c) {
    struct json_buffer *const buffers[] = {&c->fields.name, &c->fields.ph,  &c->fields.pid,
                                           &c->fields.tid,  &c->fields.ts,  &c->fields.dur,
                                           &c->fields.id,   &c->fields.cat, &c->key,
                                           &c->value,       &c->text};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        free(buffers[i]->bytes);
    }
    for (uint32_t i = 0; i < c->name_count; i++) {
        free(c->names[i]);
    }
    free(c->names);
    keytable_free(&c->processes);
}

static void read_chrome(const struct import_file *file, struct played *played,
                        struct import_result *result) {
    struct chrome c = {
        .json = {.bytes = file->bytes, .length = file->length}, .played = played, .result = result};
    c.fields.name.bytes = calloc(1, 64);
    c.fields.name.size = 64;
    c.no_memory = !c.fields.name.bytes;
    if (!c.no_memory) {
        const bool alone = json_next(&c.json) == '[';
        (void)(alone ? read_events(&c) : read_object(&c));
        if (alone && c.between) { /* an array may lack its end */
            c.json.ended = false;
            c.json.why = NULL;
        }
        name_processes(&c);
    }
    result->cut = c.json.ended && result->events > 0;
    result->why = result->cut ? NULL : c.json.why;
    result->at = c.json.at;
    played->error = c.no_memory ? -ENOMEM : played->error;
    free_all(&c);
}

static bool is_chrome(const struct import_file *file) {
    struct json json = {.bytes = file->bytes, .length = file->length};
    const char c = json_next(&json);
    return c == '{' || c == '[';
}

const struct import_format import_chrome = {.name = "chrome",
                                            .help = "Chrome's JSON trace format",
                                            .is_it = is_chrome,
                                            .read = read_chrome};
