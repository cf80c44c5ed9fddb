/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_use.h"
#include "base/join.h"
#include "base/nearest.h"
#include "base/say.h"
#include "base/utf8.h"
#include "cli/budget.h"
#include "cli/checked.h"
#include "cli/part.h"
#include "cli/summary.h"
#include "platform/file.h"
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

/* Each writes the file whole or not at all. False, with a message, if it cannot. */
static bool ci_sarif(const struct checked *checked, const char *budget, const char *path) {
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

/* Values only: Bencher and github-action-benchmark judge them themselves. Values that are no finite number are left
 * out; of equal names, for example an interrupt's on two cores, the worst value counts. */
static bool ci_bencher(const struct checked *checked, const char *path) {
    return write_values(checked, path, write_bencher);
}

static bool ci_github_benchmark(const struct checked *checked, const char *path) {
    return write_values(checked, path, write_github_benchmark);
}

/* Files beside the table. */
enum { REPORT_JUNIT, REPORT_SARIF, REPORT_BENCHER, REPORT_GITHUB_BENCHMARK, REPORTS };
static const char *const report_options[REPORTS] = {"junit", "sarif", "bencher",
                                                    "github-benchmark"};

struct settings {
    struct cmd_input input;
    const char *budget_path;
    const char *reports[REPORTS]; /* NULL: not wanted */
    bool write_budget, github;
    enum table_form form;
    struct budget budget;
    struct selection part;
    struct measures measures;
    struct checked checked;
    uint32_t missing; /* names that the capture does not have */
};

static int set_budget(void *path, const struct options *options) {
    return *(const char **)path
               ? options_wrong(options, "one --budget: put the limits of both into one file")
               : option_text(path, options);
}

static const struct option_spec option_table[] = {
    {"budget", 0, "FILE", "the limits", set_budget, OPTION_AT(budget_path)},
    {"write-budget", 0, NULL,
     "print a first budget instead: the values of this capture,\nand a fifth more",
     OPTION_FLAG(write_budget)},
    {"csv", 0, NULL, "the table as CSV", cmd_set_form,
     OPTION_IN(struct settings, enum table_form, form)},
    {"json", 0, NULL, "the table as JSON", cmd_set_form,
     OPTION_IN(struct settings, enum table_form, form)},
    {"junit", 0, "FILE", "also write the result in JUnit's form",
     OPTION_TEXT(reports[REPORT_JUNIT])},
    {"sarif", 0, "FILE", "also write exceeded limits as SARIF 2.1.0",
     OPTION_TEXT(reports[REPORT_SARIF])},
    {"bencher", 0, "FILE", "also write the values in Bencher's form",
     OPTION_TEXT(reports[REPORT_BENCHER])},
    {"github-benchmark", 0, "FILE", "also write the values for github-action-benchmark",
     OPTION_TEXT(reports[REPORT_GITHUB_BENCHMARK])},
    {"github", 0, NULL, "also print annotations for GitHub, and write the summary of\nthe step",
     OPTION_FLAG(github)},
    PART_SPECS(OPTION_AT(part)),
    CMD_INPUT_SPECS,
    CMD_INPUT_OPERAND,
};

/* ---- limits against measurements ---- */

/* At most so many missing names are compared with all known names. */
#define GUESSED_MAX 20u

static void say_missing(const struct budget *budget, const struct budget_limit *limit,
                        const struct measures *measures, bool guess) {
    struct nearest nearest = {.typed = limit->name};
    for (uint32_t i = 0; guess && i < measures->count; i++) {
        if ((int)measures->rows[i].of == limit->word->of) {
            nearest_try(&nearest, measures->rows[i].name);
        }
    }
    say("%s:%u: the capture has no %s '%s'%s%s%s", budget->path, limit->line, limit->word->kind,
        limit->name, nearest.word ? ", did you mean '" : "", nearest.word ? nearest.word : "",
        nearest.word ? "'?" : "");
}

static int check_row(struct settings *settings, const struct budget_limit *limit,
                     const struct measure *row, const struct pipeline_totals *totals) {
    return row->count == 0
               ? 0
               : checked_add(&settings->checked, limit, row,
                             budget_measured(limit->word, &settings->measures, row, totals));
}

/* A name is looked up, a pattern is tried on all. */
static int check_rows(struct settings *settings, const struct budget_limit *limit,
                      const struct pipeline_totals *totals) {
    const struct measures *measures = &settings->measures;
    int error = 0;
    if (strpbrk(limit->name, "*?[\\") == NULL) {
        const struct measure_rows found =
            measures_find(measures, (enum measure_of)limit->word->of, limit->name);
        for (uint32_t i = 0; i < found.count && error == 0; i++) {
            error = check_row(settings, limit, found.rows[i], totals);
        }
        return error;
    }
    for (uint32_t i = 0; error == 0 && i < measures->count; i++) {
        const struct measure *row = &measures->rows[i];
        if ((int)row->of == limit->word->of && fnmatch(limit->name, row->name, 0) == 0) {
            error = check_row(settings, limit, row, totals);
        }
    }
    return error;
}

/* If nothing was lost, a limit of a count also holds for events that never happened. */
static int check_limit(struct settings *settings, const struct budget_limit *limit,
                       const struct pipeline_totals *totals) {
    const size_t before = settings->checked.count;
    const bool named = limit->name != NULL;
    const int error = named ? check_rows(settings, limit, totals) : 0;
    if (error != 0 || settings->checked.count != before) {
        return error;
    }
    const bool never = named && limit->word->value == BUDGET_HOW_MANY;
    if (named && !never) {
        say_missing(&settings->budget, limit, &settings->measures,
                    settings->missing++ < GUESSED_MAX);
        return checked_add_missing(&settings->checked, limit);
    }
    return checked_add(&settings->checked, limit, NULL,
                       never ? 0.0
                             : budget_measured(limit->word, &settings->measures, NULL, totals));
}

static int check_limits(struct settings *settings, const struct pipeline_totals *totals) {
    int error = 0;
    for (size_t i = 0; i < settings->budget.count && error == 0; i++) {
        error = check_limit(settings, &settings->budget.limits[i], totals);
    }
    return error;
}

/* ---- output ---- */

static enum exit_code print_table(struct settings *settings) {
    struct table_to to = {.form = settings->form, .text = stdout};
    int error = settings->form != TABLE_TEXT ? outfile_open(&to.out, "-") : 0;
    if (error == 0) {
        error = checked_table(&settings->checked, &to);
        if (error != 0) {
            say(SAY_NO_MEMORY);
        }
        const int end = settings->form != TABLE_TEXT ? outfile_close(to.out) : 0;
        error = error ? error : end;
    }
    return error ? EXIT_OUTPUT : cmd_end_stdout();
}

static bool write_report(const struct settings *settings, int report, const char *path) {
    const struct checked *checked = &settings->checked;
    switch (report) {
    case REPORT_JUNIT:
        return checked_junit(checked, settings->input.path, path);
    case REPORT_SARIF:
        return ci_sarif(checked, settings->budget.path, path);
    case REPORT_BENCHER:
        return ci_bencher(checked, path);
    default:
        return ci_github_benchmark(checked, path);
    }
}

static enum exit_code write_all(struct settings *settings) {
    const struct checked *checked = &settings->checked;
    enum exit_code code = print_table(settings);
    if (settings->github) {
        /* Annotations are not part of a document. */
        checked_annotations(checked, settings->budget.path,
                            settings->form == TABLE_TEXT ? stdout : stderr);
        code = code == EXIT_OK ? cmd_end_stdout() : code;
    }
    if (settings->github && !checked_summary(checked, getenv("GITHUB_STEP_SUMMARY"))) {
        code = EXIT_OUTPUT;
    }
    for (int i = 0; i < REPORTS; i++) {
        const char *path = settings->reports[i];
        if (path && !write_report(settings, i, path)) {
            code = EXIT_OUTPUT;
        }
    }
    return code == EXIT_OK && checked->exceeded > 0 ? EXIT_OVER : code;
}

static enum exit_code check(struct settings *settings, const struct pipeline_totals *totals) {
    if (measures_settle(&settings->measures) != 0) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    if (settings->write_budget) {
        budget_write(&settings->measures, totals, stdout);
        return cmd_end_stdout();
    }
    if (!totals->final) {
        say("%s: the board's final status is not in it: later events are not checked",
            settings->input.path);
    }
    if (check_limits(settings, totals) != 0) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    return write_all(settings);
}

static int on_event(void *context, const struct event *event) {
    struct settings *settings = context;
    return selection_takes(&settings->part, event) ? measures_event(&settings->measures, event) : 0;
}

static enum exit_code read_capture(struct settings *settings) {
    struct part_passes passes;
    const struct consumer consumer = {.state = settings, .event = on_event};
    settings->measures.wanted = (1u << MEASURES) - 1u;
    settings->measures.selection = &settings->part;
    enum exit_code code = part_convert(&settings->part, &settings->input, &passes,
                                       (struct receivers){.consumer = &consumer});
    if (code == EXIT_OK) {
        summary_warn(&passes.last.totals, 0);
        part_say_unmatched(&settings->part);
        code = check(settings, &passes.last.totals);
    }
    checked_free(&settings->checked);
    measures_free(&settings->measures);
    part_passes_free(&passes);
    return code;
}

/* False: the file would overwrite an input or another report. Standard output is for the table. */
static bool is_apart(const struct settings *settings, int report) {
    const char *path = settings->reports[report];
    const char *const option = report_options[report];
    const char *const read[] = {settings->input.path, settings->budget_path};
    if (strcmp(path, "-") == 0) {
        say("--%s needs a file: standard output has the table", option);
        return false;
    }
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        if (read[i] && file_is_same(path, SYS_STDOUT, read[i], SYS_STDIN)) {
            say("%s: is the %s itself; choose another name for --%s", path,
                i == 0 ? "capture" : "budget", option);
            return false;
        }
    }
    for (int i = 0; i < report; i++) {
        const char *other = settings->reports[i];
        if (other && file_is_same(path, SYS_STDOUT, other, SYS_STDOUT)) {
            say("%s: is the file of --%s too; choose another name for --%s", path,
                report_options[i], option);
            return false;
        }
    }
    return true;
}

static bool are_apart(const struct settings *settings) {
    bool apart = true;
    for (int i = 0; apart && i < REPORTS; i++) {
        apart = !settings->reports[i] || is_apart(settings, i);
    }
    return apart;
}

static int check_options(void *state, const struct options *options) {
    const struct settings *settings = state;
    if ((settings->budget_path != NULL) != settings->write_budget) {
        return are_apart(settings) ? 0 : OPTIONS_WRONG;
    }
    return settings->write_budget
               ? options_wrong(options, "either --budget or --write-budget")
               : options_wrong(options, "no limits given (--budget FILE); --write-budget prints "
                                        "a first file of them");
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    enum exit_code code = settings->budget_path ? (enum exit_code)budget_read(&settings->budget,
                                                                              settings->budget_path)
                                                : EXIT_OK;
    if (code == EXIT_OK) {
        code = cmd_input_open(&settings->input);
        if (code == EXIT_OK) {
            code = read_capture(settings);
            cmd_input_close(&settings->input);
        }
    }
    budget_free(&settings->budget);
    selection_free(&settings->part);
    return code;
}

const struct cmd cmd_check = {
    .name = "check",
    .usage = "IN.kymo --budget FILE [--from WHEN] [--junit FILE] ... | --write-budget",
    .summary = "Checks a capture against limits, for CI",
    .text =
        "'-' as IN is standard input. A line of the budget has a kind, a name or a pattern,\n"
        "and limits: zone \"control loop\" max 2 ms p99 1.5 ms. Kinds: zone, frame, interrupt,\n"
        "lock, plot, loss, ring. Exit status 7 if a limit is exceeded, or if a name is\n"
        "not in the capture. Of a part, loss and ring are still those of the whole.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "input file (IN.kymo)",
    .operand = OPTION_AT(input.path),
    .defaults = &(const struct settings){.form = TABLE_TEXT},
    .check = check_options,
    .run = run,
};
