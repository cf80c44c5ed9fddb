/* SPDX-License-Identifier: MIT */
#include "sink/linetable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/utf8.h"
#include "sink/csv_field.h"

#define ROWS_MAX 40u     /* of functions, for people */
#define CONTEXT_LINES 2u /* around a line with samples */
#define TEXT_BYTES 300u  /* of a name or a line, for people */
#define UNKNOWN "(not known)"

/* ---- collecting ---- */

static bool make_room(struct linetable *t) {
    return grow(&t->places, &t->capacity, t->count, sizeof *t->places);
}

int linetable_event(struct linetable *t, const struct event *event) {
    if (event->kind != EVENT_SAMPLE) {
        return 0;
    }
    t->samples++;
    t->missed += event->u.sample.missed;
    if (event->stack == NULL || event->stack->count == 0) {
        t->nowhere++;
        return 0;
    }
    const struct linetable_place met = {
        .address = event->stack->address[0], .symbols = event->stack->symbols, .samples = 1};
    const uint64_t key[2] = {met.address, (uintptr_t)met.symbols};
    const int64_t number = keytable_find(&t->numbers, key, sizeof key);
    if (number >= 0) {
        t->places[number].samples++;
        return 0;
    }
    if (t->count == LINETABLE_PLACES_MAX) {
        t->nowhere++;
        return 0;
    }
    if (!make_room(t) || keytable_add(&t->numbers, key, sizeof key) < 0) {
        return -ENOMEM;
    }
    t->places[t->count++] = met;
    return 0;
}

void linetable_free(struct linetable *t) {
    keytable_free(&t->numbers);
    free(t->places);
    *t = (struct linetable){0};
}

/* ---- order ---- */

static const char *file_of(const struct linetable_place *place) {
    return place->line != NULL ? place->line->file : "";
}

static const char *function_of(const struct linetable_place *place) {
    return place->line != NULL && place->line->function[0] != '\0' ? place->line->function
                                                                   : UNKNOWN;
}

static uint32_t line_of(const struct linetable_place *place) {
    return place->line != NULL ? place->line->line : 0;
}

static int by_line(const void *left, const void *right) {
    const struct linetable_place *a = left, *b = right;
    const int files = strcmp(file_of(a), file_of(b));
    if (files != 0) {
        return files;
    }
    if (line_of(a) != line_of(b)) {
        return line_of(a) < line_of(b) ? -1 : 1;
    }
    return a->address < b->address ? -1 : a->address > b->address;
}

/* The first line of a place is the innermost inlined function, which is the code that ran. */
void linetable_settle(struct linetable *t) {
    for (uint32_t i = 0; i < t->count; i++) {
        const struct code_place *place = symbols_find(t->places[i].symbols, t->places[i].address);
        if (place != NULL) {
            t->places[i].line = &place->lines[0];
            t->places[i].start = place->start;
            t->places[i].bytes = place->bytes;
        }
    }
    if (t->count != 0) {
        qsort(t->places, t->count, sizeof *t->places, by_line);
    }
}

static int by_name(const void *left, const void *right) {
    const struct linetable_function *a = left, *b = right;
    const int names = strcmp(a->name, b->name);
    return names != 0 ? names : strcmp(a->file, b->file);
}

static int by_samples(const void *left, const void *right) {
    const struct linetable_function *a = left, *b = right;
    return a->samples != b->samples ? (a->samples > b->samples ? -1 : 1) : by_name(a, b);
}

struct linetable_function *linetable_functions(const struct linetable *t, size_t *count) {
    struct linetable_function *all = malloc((t->count + 1) * sizeof *all);
    size_t used = 0;
    for (uint32_t i = 0; all != NULL && i < t->count; i++) {
        const struct linetable_place *place = &t->places[i];
        all[i] = (struct linetable_function){function_of(place), file_of(place), place->samples,
                                             place->start, place->bytes};
    }
    if (all == NULL) {
        return NULL;
    }
    qsort(all, t->count, sizeof *all, by_name);
    for (uint32_t i = 0; i < t->count; i++) {
        if (used != 0 && by_name(&all[used - 1], &all[i]) == 0) {
            all[used - 1].samples += all[i].samples;
        } else {
            all[used++] = all[i];
        }
    }
    qsort(all, used, sizeof *all, by_samples);
    *count = used;
    return all;
}

uint64_t linetable_samples_at(const struct linetable *t, uint64_t address, uint64_t bytes) {
    uint64_t samples = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const uint64_t at = t->places[i].address - 1;
        samples += at >= address && at - address < bytes ? t->places[i].samples : 0;
    }
    return samples;
}

double linetable_percent(const struct linetable *t, uint64_t samples) {
    return t->samples != 0 ? 100.0 * (double)samples / (double)t->samples : 0.0;
}

/* ---- for people ---- */

static void put_text(FILE *out, const char *text, size_t length) {
    char clean[TEXT_BYTES];
    utf8_clean(clean, sizeof clean, text, length);
    fputs(clean, out);
}

static void print_share(const struct linetable *t, uint64_t samples, FILE *out) {
    fprintf(out, "%9" PRIu64 "  %6.2f %%", samples, linetable_percent(t, samples));
}

static int print_functions(const struct linetable *t, FILE *out) {
    size_t count = 0;
    struct linetable_function *all = linetable_functions(t, &count);
    if (all == NULL) {
        return -ENOMEM;
    }
    fputs("  samples     share  function\n", out);
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        print_share(t, all[i].samples, out);
        fputs("  ", out);
        put_text(out, all[i].name, strlen(all[i].name));
        fputc('\n', out);
    }
    if (count > ROWS_MAX) {
        fprintf(out, "and %zu more, which --csv has\n", count - ROWS_MAX);
    }
    free(all);
    return 0;
}

/* The samples of the line of place "first"; moves "first" to the next line. */
static uint64_t samples_of_line(const struct linetable *t, uint32_t *first) {
    const uint32_t start = *first;
    uint64_t samples = 0;
    while (*first < t->count &&
           strcmp(file_of(&t->places[*first]), file_of(&t->places[start])) == 0 &&
           line_of(&t->places[*first]) == line_of(&t->places[start])) {
        samples += t->places[(*first)++].samples;
    }
    return samples;
}

static uint64_t samples_of_file(const struct linetable *t, uint32_t *first) {
    const uint32_t start = *first;
    uint64_t samples = 0;
    while (*first < t->count &&
           strcmp(file_of(&t->places[*first]), file_of(&t->places[start])) == 0) {
        samples += t->places[(*first)++].samples;
    }
    return samples;
}

/* The next line of a text; NULL after the last. */
static const char *next_line(const char *at, const char *end, size_t *length) {
    if (at == NULL || at >= end) {
        return NULL;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((newline != NULL ? newline : end) - at);
    return newline != NULL ? newline + 1 : end;
}

/* Lines of a file with samples, and those around them. */
struct listing {
    const struct linetable *table;
    FILE *out;
    uint32_t next, end; /* place of the next line with samples; end of the file's places */
    uint32_t shown;     /* the last line that was printed */
};

static bool is_near(const struct listing *l, uint32_t line, uint32_t before) {
    const bool ahead =
        l->next < l->end && line_of(&l->table->places[l->next]) <= line + CONTEXT_LINES;
    return ahead || (before != 0 && line <= before + CONTEXT_LINES);
}

static void list_line(struct listing *l, uint32_t line, const char *text, size_t length) {
    if (l->shown != 0 && l->shown + 1 != line) {
        fputs("      ...\n", l->out);
    }
    l->shown = line;
    if (l->next < l->end && line_of(&l->table->places[l->next]) == line) {
        print_share(l->table, samples_of_line(l->table, &l->next), l->out);
    } else {
        fprintf(l->out, "%19s", "");
    }
    fprintf(l->out, "  %6" PRIu32 "  ", line);
    put_text(l->out, text, length);
    fputc('\n', l->out);
}

static void list_source(struct listing *l, const char *text, size_t length) {
    const char *const end = text + length;
    size_t line_length = 0;
    uint32_t line = 0, before = 0;
    for (const char *at = text, *next; (next = next_line(at, end, &line_length)) != NULL;
         at = next) {
        line++;
        const bool met = l->next < l->end && line_of(&l->table->places[l->next]) == line;
        if (is_near(l, line, before)) {
            list_line(l, line, at, line_length);
        }
        before = met ? line : before;
    }
}

/* Lists samples without a line in the source; all of them if the file cannot be read. */
static void list_rest(struct listing *l) {
    while (l->next < l->end) {
        const uint32_t line = line_of(&l->table->places[l->next]);
        print_share(l->table, samples_of_line(l->table, &l->next), l->out);
        fprintf(l->out, line != 0 ? "  %6" PRIu32 "\n" : "  (no line)\n", line);
    }
}

static void print_file(const struct linetable *t, uint32_t first, linetable_source *source,
                       void *context, FILE *out) {
    struct listing l = {.table = t, .out = out, .next = first, .end = first};
    const char *const file = file_of(&t->places[first]);
    const char *why = "";
    size_t length = 0;
    const uint64_t samples = samples_of_file(t, &l.end);
    fputc('\n', out);
    print_share(t, samples, out);
    fputs("  in ", out);
    put_text(out, file[0] != '\0' ? file : "functions whose lines are not known",
             strlen(file[0] != '\0' ? file : "functions whose lines are not known"));
    const char *text = file[0] != '\0' ? source(context, file, &length, &why) : NULL;
    fprintf(out, text == NULL && file[0] != '\0' ? ", which cannot be read: %s\n" : "\n", why);
    while (l.next < l.end && line_of(&t->places[l.next]) == 0) {
        print_share(t, samples_of_line(t, &l.next), out);
        fputs("  (no line)\n", out);
    }
    if (text != NULL) {
        list_source(&l, text, length);
    }
    list_rest(&l);
}

struct file {
    uint64_t samples;
    uint32_t first;
};

static int files_by_samples(const void *left, const void *right) {
    const struct file *a = left, *b = right;
    return a->samples != b->samples ? (a->samples > b->samples ? -1 : 1)
                                    : (a->first < b->first ? -1 : a->first > b->first);
}

static int print_files(const struct linetable *t, linetable_source *source, void *context,
                       FILE *out) {
    struct file *files = malloc((t->count + 1) * sizeof *files);
    size_t count = 0;
    if (files == NULL) {
        return -ENOMEM;
    }
    for (uint32_t at = 0; at < t->count; count++) {
        files[count].first = at;
        files[count].samples = samples_of_file(t, &at);
    }
    qsort(files, count, sizeof *files, files_by_samples);
    for (size_t i = 0; i < count; i++) {
        print_file(t, files[i].first, source, context, out);
    }
    free(files);
    return 0;
}

int linetable_print(const struct linetable *t, linetable_source *source, void *context, FILE *out) {
    if (t->samples == 0) {
        fputs("no sample was seen: the firmware takes them where it calls kymo_sample()\n", out);
        return 0;
    }
    int error = print_functions(t, out);
    error = error != 0 ? error : print_files(t, source, context, out);
    fprintf(out,
            "\nsamples: %" PRIu64 " taken, %" PRIu64 " missed, %" PRIu64 " without an address\n",
            t->samples, t->missed, t->nowhere);
    return error;
}

/* ---- as CSV ---- */

int linetable_csv(const struct linetable *t, FILE *out) {
    size_t count = 0;
    struct linetable_function *all = linetable_functions(t, &count);
    if (all == NULL) {
        return -ENOMEM;
    }
    fputs("what,function,file,line,address,samples,percent,text\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("function,", out);
        csv_print(out, all[i].name);
        fputc(',', out);
        csv_print(out, all[i].file);
        fprintf(out, ",,,%" PRIu64 ",%.4f,\n", all[i].samples,
                linetable_percent(t, all[i].samples));
    }
    free(all);
    for (uint32_t at = 0; at < t->count;) {
        const struct linetable_place *place = &t->places[at];
        const uint64_t samples = samples_of_line(t, &at);
        fputs("line,", out);
        csv_print(out, function_of(place));
        fputc(',', out);
        csv_print(out, file_of(place));
        fprintf(out, ",%" PRIu32 ",,%" PRIu64 ",%.4f,\n", line_of(place), samples,
                linetable_percent(t, samples));
    }
    return 0;
}
