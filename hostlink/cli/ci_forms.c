/* SPDX-License-Identifier: MIT */
#include "cli/ci_forms.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/join.h"
#include "base/say.h"
#include "base/utf8.h"
#include "sink/json_text.h"

static struct outfile *open_file(const char *path) {
    struct outfile *out;
    const int error = outfile_open(&out, path);
    if (error) {
        say("%s: cannot be written: %s", path, strerror(-error));
    }
    return error ? NULL : out;
}

static bool close_file(struct outfile *out, const char *path) {
    const int error = outfile_close(out);
    if (error) {
        say("%s: cannot be written: %s", path, strerror(-error));
    }
    return error == 0;
}

static void put_text(struct outfile *out, const char *text) { json_text(out, text, strlen(text)); }

/* ---- SARIF ---- */

/* Characters that an URI has as they are; others are written as %XX. */
static bool is_plain_in_uri(unsigned char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte != '\0' && strchr("-._~/", byte));
}

static void put_uri(struct outfile *out, const char *path) {
    outfile_printf(out, "\"%s", path[0] == '/' ? "file://" : "");
    for (; *path != '\0'; path++) {
        const unsigned char byte = (unsigned char)*path;
        outfile_printf(out, is_plain_in_uri(byte) ? "%c" : "%%%02X", byte);
    }
    outfile_write(out, "\"", 1);
}

static void put_place(struct outfile *out, const char *path, unsigned line) {
    outfile_printf(out, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    put_uri(out, path);
    outfile_write(out, "}", 1);
    if (line > 0) {
        outfile_printf(out, ",\"region\":{\"startLine\":%u}", line);
    }
    outfile_write(out, "}", 1);
}

/* A message may hold links in brackets and placeholders in braces: escapes those characters, as a
 * name means neither. */
static void put_message(struct outfile *out, const char *text) {
    char *escaped = malloc(2 * strlen(text) + 1), *end = escaped;
    if (!escaped) {
        (void)outfile_fail(out, -ENOMEM);
        return;
    }
    for (; *text != '\0'; text++) {
        if (strchr("[]\\", *text)) {
            *end++ = '\\';
        } else if (strchr("{}", *text)) {
            *end++ = *text;
        }
        *end++ = *text;
    }
    json_text(out, escaped, (size_t)(end - escaped));
    free(escaped);
}

/* Identifies the same result to a server, wherever the line of the budget has moved to. */
static uint64_t fingerprint(const struct checked_one *one) {
    const char *const parts[] = {one->limit->word->kind, checked_name(one), one->limit->word->word};
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < 3; i++) {
        for (const char *at = parts[i];; at++) {
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
            if (*at == '\0') {
                break;
            }
        }
    }
    return hash;
}

static void put_rules(struct outfile *out) {
    for (const struct budget_word *word = budget_words; word->kind; word++) {
        outfile_printf(out,
                       "%s\n{\"id\":\"%s-%s\",\"shortDescription\":{\"text\":\"limit '%s' of a "
                       "budget's line '%s'\"}}",
                       word == budget_words ? "" : ",", word->kind, word->word, word->word,
                       word->kind);
    }
}

static void put_result(struct outfile *out, const struct checked_one *one, const char *budget) {
    const struct budget_word *word = one->limit->word;
    const struct site *site = one->row ? measure_site(one->row) : NULL;
    char sentence[CHECKED_SENTENCE_BYTES], text[CHECKED_SENTENCE_BYTES + 300], name[200];
    utf8_clean(name, sizeof name, checked_name(one), strlen(checked_name(one)));
    checked_sentence(one, sentence);
    join(text, sizeof text,
         (const char *const[]){word->kind, " ", name, name[0] ? " " : "", word->word, ": ",
                               sentence, NULL});
    outfile_printf(out,
                   "{\"ruleId\":\"%s-%s\",\"ruleIndex\":%td,\"level\":\"error\",\"message\":"
                   "{\"text\":",
                   word->kind, word->word, word - budget_words);
    put_message(out, text);
    outfile_printf(out, "},\"locations\":[{");
    put_place(out, budget, one->limit->line);
    outfile_printf(out, "}],");
    if (site && site->file[0] != '\0') {
        outfile_printf(out, "\"relatedLocations\":[{\"id\":0,\"message\":{\"text\":");
        put_message(out, name);
        outfile_printf(out, "},");
        put_place(out, site->file, site->line);
        outfile_printf(out, "}],");
    }
    outfile_printf(out,
                   "\"partialFingerprints\":{\"primaryLocationLineHash\":\"%016" PRIx64 ":1\"}}",
                   fingerprint(one));
}

bool ci_sarif(const struct checked *checked, const char *budget, const char *path) {
    struct outfile *out = open_file(path);
    const char *between = "\n";
    if (!out) {
        return false;
    }
    outfile_printf(out,
                   "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":"
                   "\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"hostlink\",\"version\":"
                   "\"%s\",\"rules\":[",
                   KYMO_VERSION);
    put_rules(out);
    outfile_printf(out, "]}},\"results\":[");
    for (size_t i = 0; i < checked->count; i++) {
        if (checked->list[i].exceeded) {
            outfile_printf(out, "%s", between);
            put_result(out, &checked->list[i], budget);
            between = ",\n";
        }
    }
    outfile_printf(out, "]}]}\n");
    return close_file(out, path);
}

/* ---- values for Bencher and github-action-benchmark ---- */

/* Bencher's limits, in characters, with the characters added here. */
#define NAME_CHARACTERS 1000u
#define NAME_BYTES (NAME_CHARACTERS * 4u + 1u)

struct value {
    char *name; /* "zone job" */
    const struct checked_one *one;
};

/* "zone job", cut to the length that a server takes; NULL: no memory. */
static char *value_name(const struct checked_one *one) {
    const char *from = checked_name(one);
    char *name = malloc(strlen(one->limit->word->kind) + NAME_BYTES + 1);
    char *at = name ? stpcpy(name, one->limit->word->kind) : NULL;
    size_t left = strlen(from);
    if (name && left > 0) {
        *at++ = ' ';
    }
    for (unsigned i = 0; name && left > 0 && i < NAME_CHARACTERS; i++) {
        uint32_t character;
        const size_t taken = utf8_next(from, left, &character);
        const bool is_valid = character != UTF8_REPLACEMENT;
        memcpy(at, is_valid ? from : "?", is_valid ? taken : 1);
        at += is_valid ? taken : 1;
        from += taken;
        left -= taken;
    }
    if (name) {
        *at = '\0';
    }
    return name;
}

/* By name, then by limit, then the worst first. */
static int compare(const void *a, const void *b) {
    const struct value *x = a, *y = b;
    const struct budget_word *word = x->one->limit->word;
    const int by_name = strcmp(x->name, y->name);
    if (by_name != 0 || word != y->one->limit->word) {
        return by_name != 0 ? by_name : word < y->one->limit->word ? -1 : 1;
    }
    const double more = x->one->measured - y->one->measured;
    const int greater_first = (more < 0.0) - (more > 0.0);
    return word->value == BUDGET_LEAST ? -greater_first : greater_first;
}

struct values {
    struct value *list;
    size_t count;
};

static void free_values(struct values *values) {
    for (size_t i = 0; i < values->count; i++) {
        free(values->list[i].name);
    }
    free(values->list);
}

/* In the order of compare(). False, with a message, if memory is short. */
static bool collect(struct values *values, const struct checked *checked) {
    bool good = (values->list = calloc(checked->count + 1, sizeof *values->list)) != NULL;
    for (size_t i = 0; good && i < checked->count; i++) {
        const struct checked_one *one = &checked->list[i];
        if (!one->missing && isfinite(one->measured)) {
            char *name = value_name(one);
            values->list[values->count] = (struct value){name, one};
            values->count += name ? 1 : 0;
            good = name != NULL;
        }
    }
    if (good) {
        qsort(values->list, values->count, sizeof *values->list, compare);
    } else {
        say(SAY_NO_MEMORY);
    }
    return good;
}

static bool is_same_name(const struct values *values, size_t i) {
    return i > 0 && strcmp(values->list[i - 1].name, values->list[i].name) == 0;
}

/* True for a value that an earlier one already represents. */
static bool is_known(const struct values *values, size_t i) {
    return is_same_name(values, i) &&
           values->list[i - 1].one->limit->word == values->list[i].one->limit->word;
}

static const char *unit_of(const struct checked_one *one) {
    static const char *const units[] = {[BUDGET_TIME] = "ns",
                                        [BUDGET_PERCENT] = "percent",
                                        [BUDGET_COUNT] = "",
                                        [BUDGET_VALUE] = ""};
    return units[one->limit->word->unit];
}

static void write_bencher(struct outfile *out, const struct values *values) {
    outfile_write(out, "{", 1);
    for (size_t i = 0; i < values->count; i++) {
        const struct checked_one *one = values->list[i].one;
        const char *unit = unit_of(one);
        if (is_known(values, i)) {
            continue;
        }
        if (!is_same_name(values, i)) {
            outfile_printf(out, i == 0 ? "\n" : "},\n");
            put_text(out, values->list[i].name);
            outfile_printf(out, ":{");
        } else {
            outfile_write(out, ",", 1);
        }
        outfile_printf(out, "\"%s%s%s\":{\"value\":%.17g", one->limit->word->word,
                       unit[0] ? "-" : "", unit, one->measured);
        /* The range of values of a mean. */
        if (one->limit->word->value == BUDGET_MEAN && one->limit->word->unit == BUDGET_TIME) {
            outfile_printf(out, ",\"lower_value\":%" PRIu64 ",\"upper_value\":%" PRIu64,
                           one->row->least_ns, one->row->most_ns);
        }
        outfile_write(out, "}", 1);
    }
    outfile_printf(out, values->count > 0 ? "}\n}\n" : "}\n");
}

/* A smaller value is not better where a great one is wanted. */
static bool is_better_small(const struct checked_one *one) {
    return one->limit->word->value != BUDGET_LEAST;
}

static void write_github_benchmark(struct outfile *out, const struct values *values) {
    const char *between = "\n";
    char sentence[CHECKED_SENTENCE_BYTES];
    outfile_write(out, "[", 1);
    for (size_t i = 0; i < values->count; i++) {
        const struct checked_one *one = values->list[i].one;
        if (is_known(values, i) || !is_better_small(one)) {
            continue;
        }
        char *name = values->list[i].name, *whole = NULL;
        if (asprintf(&whole, "%s %s", name, one->limit->word->word) < 0) {
            (void)outfile_fail(out, -ENOMEM);
            return;
        }
        checked_sentence(one, sentence);
        outfile_printf(out, "%s{\"name\":", between);
        put_text(out, whole);
        free(whole);
        outfile_printf(out, ",\"unit\":\"%s\",\"value\":%.17g,\"extra\":", unit_of(one),
                       one->measured);
        put_text(out, sentence);
        outfile_write(out, "}", 1);
        between = ",\n";
    }
    outfile_printf(out, "]\n");
}

static bool write_values(const struct checked *checked, const char *path,
                         void (*write)(struct outfile *out, const struct values *values)) {
    struct values values = {0};
    struct outfile *out = collect(&values, checked) ? open_file(path) : NULL;
    if (out) {
        write(out, &values);
    }
    free_values(&values);
    return out && close_file(out, path);
}

bool ci_bencher(const struct checked *checked, const char *path) {
    return write_values(checked, path, write_bencher);
}

bool ci_github_benchmark(const struct checked *checked, const char *path) {
    return write_values(checked, path, write_github_benchmark);
}
