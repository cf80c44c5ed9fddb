/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_use.h"
#include "base/nearest.h"
#include "base/say.h"
#include "cli/budget.h"
#include "cli/checked.h"
#include "cli/ci_forms.h"
#include "cli/part.h"
#include "cli/summary.h"
#include "platform/file.h"

enum {
    OPTION_BUDGET,
    OPTION_WRITE_BUDGET,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_JUNIT,
    OPTION_SARIF,
    OPTION_BENCHER,
    OPTION_GITHUB_BENCHMARK,
    OPTION_GITHUB,
    OPTION_FROM,
    OPTION_TO,
    OPTION_ZONE,
    OPTION_CONTEXT,
    OPTION_ELF,
    OPTION_SYMBOLIZER
};

static const struct option_spec option_table[] = {
    [OPTION_BUDGET] = {"budget", 0, "FILE", "the limits"},
    [OPTION_WRITE_BUDGET] = {"write-budget", 0, NULL,
                             "print a first budget instead: the values of this capture,\n"
                             "and a fifth more"},
    [OPTION_CSV] = {"csv", 0, NULL, "the table as CSV"},
    [OPTION_JSON] = {"json", 0, NULL, "the table as JSON"},
    [OPTION_JUNIT] = {"junit", 0, "FILE", "also write the result in JUnit's form"},
    [OPTION_SARIF] = {"sarif", 0, "FILE", "also write what is exceeded as SARIF 2.1.0"},
    [OPTION_BENCHER] = {"bencher", 0, "FILE", "also write the values in Bencher's form"},
    [OPTION_GITHUB_BENCHMARK] = {"github-benchmark", 0, "FILE",
                                 "also write the values for github-action-benchmark"},
    [OPTION_GITHUB] = {"github", 0, NULL,
                       "also print annotations for GitHub, and write the summary of\n"
                       "the step"},
    [OPTION_FROM] = PART_FROM_SPEC,
    [OPTION_TO] = PART_TO_SPEC,
    [OPTION_ZONE] = PART_ZONE_SPEC,
    [OPTION_CONTEXT] = PART_CONTEXT_SPEC,
    [OPTION_ELF] = ELF_NAMES_SPEC,
    [OPTION_SYMBOLIZER] = SYMBOLIZER_SPEC,
    {0},
};

/* Files beside the table, by option. */
#define REPORT_FIRST OPTION_JUNIT
#define REPORTS (OPTION_GITHUB_BENCHMARK - REPORT_FIRST + 1)

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

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    int left;
    switch (option) {
    case OPTION_BUDGET:
        if (settings->budget_path) {
            return options_wrong(options, "one --budget: put the limits of both into one file");
        }
        settings->budget_path = options->value;
        return 0;
    case OPTION_WRITE_BUDGET:
        settings->write_budget = true;
        return 0;
    case OPTION_CSV:
    case OPTION_JSON:
        settings->form = option == OPTION_CSV ? TABLE_CSV : TABLE_JSON;
        return 0;
    case OPTION_JUNIT:
    case OPTION_SARIF:
    case OPTION_BENCHER:
    case OPTION_GITHUB_BENCHMARK:
        settings->reports[option - REPORT_FIRST] = options->value;
        return 0;
    case OPTION_GITHUB:
        settings->github = true;
        return 0;
    default:
        left = part_option(&settings->part, options, option);
        return left == option ? cmd_input_option(&settings->input, options, option) : left;
    }
}

static int parse(struct settings *settings, char **argv) {
    struct options options = {.command = "check", .specs = option_table, .argv = argv};
    const int wrong =
        cmd_parse(&options, apply, settings, &settings->input.path, "input file (IN.kymo)");
    if (wrong != 0 || (settings->budget_path != NULL) != settings->write_budget) {
        return wrong;
    }
    return settings->write_budget
               ? options_wrong(&options, "either --budget or --write-budget")
               : options_wrong(&options, "no limits given (--budget FILE); --write-budget prints "
                                         "a first file of them");
}

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

static bool write_report(const struct settings *settings, int option, const char *path) {
    const struct checked *checked = &settings->checked;
    switch (option) {
    case OPTION_JUNIT:
        return checked_junit(checked, settings->input.path, path);
    case OPTION_SARIF:
        return ci_sarif(checked, settings->budget.path, path);
    case OPTION_BENCHER:
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
        if (path && !write_report(settings, REPORT_FIRST + i, path)) {
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
        say("%s: the board's final status is not in it: what came later is not checked",
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
    const char *const option = option_table[REPORT_FIRST + report].name;
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
                option_table[REPORT_FIRST + i].name, option);
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

static enum exit_code run(char **argv) {
    struct settings settings = {.form = TABLE_TEXT};
    const int wrong = parse(&settings, argv);
    if (wrong || !are_apart(&settings)) {
        return wrong == OPTIONS_HELP ? cmd_help(&cmd_check) : EXIT_USAGE;
    }
    enum exit_code code = settings.budget_path
                              ? (enum exit_code)budget_read(&settings.budget, settings.budget_path)
                              : EXIT_OK;
    if (code == EXIT_OK) {
        code = cmd_input_open(&settings.input);
        if (code == EXIT_OK) {
            code = read_capture(&settings);
            cmd_input_close(&settings.input);
        }
    }
    budget_free(&settings.budget);
    selection_free(&settings.part);
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
        "not in the capture. Of a part of it loss and ring are still of the whole.\n",
    .options = option_table,
    .run = run,
};
