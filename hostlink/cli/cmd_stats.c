/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "cli/boards.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/part.h"
#include "cli/summary.h"
#include "platform/memory_stream.h"
#include "sink/view.h"

#define VIEWS_MAX 16u

/* A table that was asked for. */
struct asked {
    const struct view *view;
    void *state;
};

struct settings {
    struct cmd_input input;
    struct table_to to;
    struct selection selection;
    struct view_options options;
    struct asked asked[VIEWS_MAX];
    uint32_t asked_count;
};

/* Each at most once. */
static void ask(struct settings *settings, const char *option) {
    uint32_t at = 0;
    while (option && (!views[at]->option || strcmp(views[at]->option, option) != 0)) {
        at++;
    }
    const struct view *view = views[at];
    for (uint32_t i = 0; i < settings->asked_count; i++) {
        if (settings->asked[i].view == view) {
            return;
        }
    }
    settings->asked[settings->asked_count++].view = view;
}

static int set_form(void *context, const struct options *options) {
    enum table_form *form = context, before = *form;
    (void)cmd_set_form(form, options);
    return before == TABLE_TEXT || before == *form
               ? 0
               : options_wrong(options, "either --csv or --json");
}

static int set_view(void *context, const struct options *options) {
    ask(context, options->current->name);
    return 0;
}

static int set_longest(void *context, const struct options *options) {
    struct settings *settings = context;
    settings->options.longest = options->value;
    return set_view(settings, options);
}

static int set_level(void *context, const struct options *options) {
    struct settings *settings = context;
    uint8_t level = 0;
    while (level <= KYMO_LEVEL_CRASH && strcmp(event_level_word(level), options->value) != 0) {
        level++;
    }
    settings->options.level = level;
    return level <= KYMO_LEVEL_CRASH
               ? 0
               : options_wrong(options,
                               "'%s' is no level; there are trace, debug, info, warning, error, "
                               "fatal and crash",
                               options->value);
}

static int set_late(void *context, const struct options *options) {
    struct settings *settings = context;
    struct selection_end late;
    if (!selection_parse(&late, options->value) || late.is != SELECTION_TIME || late.time_ns == 0) {
        return options_wrong(options, "'--late' is a time above 0 as '1.5' or '20ms', not '%s'",
                             options->value);
    }
    settings->options.late_ns = (uint64_t)late.time_ns;
    ask(settings, "frames");
    return 0;
}

static const struct option_spec option_table[] = {
    {"csv", 0, NULL, "as CSV; the table of zones has the columns of Tracy's\ncsvexport", set_form,
     OPTION_IN(struct settings, enum table_form, to.form)},
    {"json", 0, NULL, "as JSON, all tables in one document", set_form,
     OPTION_IN(struct settings, enum table_form, to.form)},
    PART_CONTEXT_SPEC(OPTION_AT(selection)),
    {"devices", 0, NULL,
     "the table of devices: how busy each row was, what was\n"
     "dropped, the error of its clock, restarts",
     set_view, 0},
    {"flows", 0, NULL,
     "the table of flows and asynchronous zones: how long each\n"
     "took, and which were not received or not sent",
     set_view, 0},
    {"frames", 0, NULL, "the table of frames, how long each took", set_view, 0},
    PART_FROM_SPEC(OPTION_AT(selection)),
    {"interrupts", 0, NULL,
     "the table of interrupts: how often, how long, how deeply\n"
     "nested, and whether one came in a storm",
     set_view, 0},
    {"late", 0, "TIME",
     "the table of frames, with how many took longer than this,\n"
     "for example 16.7ms",
     set_late, 0},
    {"level", 0, "LEVEL", "messages of this level or a more severe one", set_level, 0},
    {"locks", 0, NULL,
     "the table of locks: holds, waits, the longest of each, and\n"
     "which task waited for which",
     set_view, 0},
    {"longest", 0, "ZONE",
     "the longest runs of a zone, or of 'all', or with 'lock:NAME'\n"
     "the longest waits for a lock: when, where, and what lay\n"
     "inside: zones, waits, interrupts, other tasks",
     set_longest, 0},
    {"memory", 0, NULL,
     "the table of memory by pool: live at the end, the peak,\n"
     "and frees without an allocation",
     set_view, 0},
    {"messages", 0, NULL, "the messages, as a log", set_view, 0},
    {"openmetrics", 0, NULL, "all measurements as OpenMetrics text, for Prometheus", set_view, 0},
    {"plots", 0, NULL, "the table of plots, their least and greatest values", set_view, 0},
    {"silences", 0, NULL,
     "the longest times in which a core recorded no event, and\n"
     "between which events",
     set_view, 0},
    {"sort", 0, "COLUMN", "sort by this column: largest number first, names A to Z",
     OPTION_TEXT(to.sort)},
    {"text", 0, "TEXT", "messages that contain this text", OPTION_TEXT(options.text)},
    PART_TO_SPEC(OPTION_AT(selection)),
    {"top", 0, "N", "print at most N rows of each table", OPTION_COUNT(to.top)},
    PART_ZONE_SPEC(OPTION_AT(selection)),
    {"stacks", 0, NULL,
     "tables of call stacks: callers of zones and what runs\n"
     "inside them, where memory is allocated and not freed",
     set_view, 0},
    {"samples", 0, NULL,
     "the table of samples by function: how many hit it, and\n"
     "how many hit it or a function that it called",
     set_view, 0},
    {"tasks", 0, NULL,
     "the table of a kernel's tasks: how long each ran, was ready\n"
     "without running, and waited, and for what",
     set_view, 0},
    CMD_INPUT_SPECS,
    CMD_INPUT_OPERAND,
};

static bool asks(const struct settings *settings, const char *option) {
    uint32_t i = 0;
    while (i < settings->asked_count && (!settings->asked[i].view->option ||
                                         strcmp(settings->asked[i].view->option, option) != 0)) {
        i++;
    }
    return i < settings->asked_count;
}

/* OpenMetrics is a document of its own. */
static bool is_alone(const struct settings *settings) {
    return settings->asked_count == 1 && settings->to.form == TABLE_TEXT && !settings->to.sort &&
           settings->to.top == 0;
}

static int check(void *state, const struct options *options) {
    const struct settings *settings = state;
    if (!part_is_whole(&settings->selection) && asks(settings, "tasks")) {
        return options_wrong(options, "--tasks is of the whole capture, without --from, --to, "
                                      "--zone and --context");
    }
    return asks(settings, "openmetrics") && !is_alone(settings)
               ? options_wrong(options, "--openmetrics is all tables in one form, without others, "
                                        "--csv, --json, --sort and --top")
               : 0;
}

/* ---- the tables ---- */

static int on_event(void *context, const struct event *event) {
    struct settings *settings = context;
    const bool taken = selection_takes(&settings->selection, event);
    int error = 0;
    for (uint32_t i = 0; i < settings->asked_count && error == 0; i++) {
        const struct asked *asked = &settings->asked[i];
        error = taken || asked->view->whole ? asked->view->event(asked->state, event) : 0;
    }
    return error;
}

/* One alone gets the events straight from the pipeline. */
static struct consumer receiver(struct settings *settings) {
    const struct asked *asked = settings->asked;
    return settings->asked_count == 1 && part_is_whole(&settings->selection)
               ? (struct consumer){.state = asked->state, .event = asked->view->event}
               : (struct consumer){.state = settings, .event = on_event};
}

static void write_events(const struct pipeline_totals *totals, struct table_to *to) {
    if (to->form == TABLE_TEXT) {
        summary_events(totals, to->text);
    } else if (to->form == TABLE_JSON) {
        table_document_key(to, "events");
        outfile_printf(to->out,
                       "{\"emitted\":%" PRIu64 ",\"delivered\":%" PRIu64 ",\"lost\":%" PRIu64 "}",
                       totals->emitted, totals->delivered, totals->lost);
    }
}

static int write_tables(struct settings *settings) {
    struct table_to *to = &settings->to;
    int error = 0;
    table_document(to);
    for (uint32_t i = 0; i < settings->asked_count && error == 0; i++) {
        error = settings->asked[i].view->write(settings->asked[i].state, to);
    }
    if (!asks(settings, "openmetrics")) {
        write_events(settings->options.totals, to);
    }
    table_document_end(to);
    return error;
}

/* Checks the sort before the first byte is written: the tables go nowhere, only to learn their columns. */
static enum exit_code check_sort(struct settings *settings) {
    const struct table_to to = settings->to;
    struct nearest nearest = {.typed = to.sort};
    char *text = NULL;
    size_t length;
    settings->to.top = 1;
    settings->to.nearest = &nearest;
    settings->to.text = memory_stream_open(&text, &length);
    int error = settings->to.text ? outfile_open_nowhere(&settings->to.out) : -ENOMEM;
    if (!error) {
        error = write_tables(settings);
        (void)outfile_close(settings->to.out);
    }
    if (settings->to.text && memory_stream_close(settings->to.text) != 0) {
        error = -ENOMEM;
    }
    free(text);
    const bool sorted = settings->to.sorted;
    settings->to = to;
    if (error) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    if (!sorted) {
        say("--sort: no table has a column '%s'%s%s%s", to.sort,
            nearest.word ? ", did you mean '" : "; --csv shows their names",
            nearest.word ? nearest.word : "", nearest.word ? "'?" : "");
    }
    return sorted ? EXIT_OK : EXIT_USAGE;
}

static enum exit_code write_all(struct settings *settings) {
    struct table_to *to = &settings->to;
    int error = to->form != TABLE_TEXT ? outfile_open(&to->out, "-") : 0;
    if (error == 0) {
        to->text = stdout;
        error = write_tables(settings);
        const int end = to->form != TABLE_TEXT ? outfile_close(to->out) : 0;
        if (error == 0 && end != 0) {
            say("standard output: cannot be written: %s", strerror(-end));
            return EXIT_OUTPUT;
        }
    }
    if (error != 0) {
        say(SAY_NO_MEMORY);
    }
    return error != 0 ? EXIT_OUTPUT : cmd_end_stdout();
}

/* A pass before the one that the tables are made of. */
static int find(void *context, const struct event *event) {
    struct settings *settings = context;
    int error = 0;
    for (uint32_t i = 0; i < settings->asked_count && error == 0; i++) {
        const struct asked *asked = &settings->asked[i];
        error = asked->view->find ? asked->view->find(asked->state, event) : 0;
    }
    return error;
}

static bool must_find(const struct settings *settings) {
    bool must = false;
    for (uint32_t i = 0; i < settings->asked_count; i++) {
        must = must || settings->asked[i].view->find != NULL;
    }
    return must;
}

/* Each pass after the first has the names of that one. */
#define PASSES 3u
static enum exit_code pass(struct settings *settings, struct conversion *passes, uint32_t number,
                           struct consumer consumer) {
    struct cmd_input *input = &settings->input;
    const struct receivers receivers = {.image = elf_names_image(&input->elf),
                                        .consumer = &consumer,
                                        .notice = number == 0 ? cmd_notice : NULL};
    const int error = conversion_run(&passes[number], &input->replay,
                                     number > 0 ? passes[0].names : NULL, &receivers);
    return error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &passes[number].totals);
}

static enum exit_code run_passes(struct settings *settings, struct conversion *passes,
                                 uint32_t *count) {
    struct selection *part = &settings->selection;
    enum exit_code code =
        part_look(part, &settings->input.replay, elf_names_image(&settings->input.elf), &passes[0]);
    *count = selection_must_look(part) ? 1 : 0;
    if (code == EXIT_OK && must_find(settings)) {
        code =
            pass(settings, passes, (*count)++, (struct consumer){.state = settings, .event = find});
    }
    return code == EXIT_OK ? pass(settings, passes, (*count)++, receiver(settings)) : code;
}

static enum exit_code print_tables(struct settings *settings) {
    struct conversion passes[PASSES] = {0};
    uint32_t count = 0;
    enum exit_code code = run_passes(settings, passes, &count);
    if (code == EXIT_OK) {
        settings->options.totals = &passes[count - 1].totals;
        boards_say(passes[count - 1].boards);
        summary_warn(settings->options.totals, 0);
        part_say_unmatched(&settings->selection);
        code = settings->to.sort ? check_sort(settings) : EXIT_OK;
        code = code == EXIT_OK ? write_all(settings) : code;
    }
    while (count > 0) {
        conversion_free(&passes[--count]);
    }
    return code;
}

static enum exit_code print(struct settings *settings) {
    enum exit_code code = EXIT_OK;
    if (settings->asked_count == 0) {
        ask(settings, NULL);
    }
    settings->options.selection = &settings->selection;
    settings->options.top = settings->to.top;
    for (uint32_t i = 0; i < settings->asked_count; i++) {
        settings->asked[i].state = settings->asked[i].view->make(&settings->options);
        if (!settings->asked[i].state) {
            say(SAY_NO_MEMORY);
            code = EXIT_OUTPUT;
        }
    }
    code = code == EXIT_OK ? print_tables(settings) : code;
    for (uint32_t i = 0; i < settings->asked_count; i++) {
        if (settings->asked[i].state) {
            settings->asked[i].view->free(settings->asked[i].state);
        }
    }
    return code;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    enum exit_code code = cmd_input_open(&settings->input);
    if (code == EXIT_OK) {
        code = print(settings);
        cmd_input_close(&settings->input);
    }
    selection_free(&settings->selection);
    return code;
}

const struct cmd cmd_stats = {
    .name = "stats",
    .usage = "IN.kymo [--csv | --json] [table ...] [--elf IMAGE] [--symbolizer PROGRAM]",
    .summary = "Prints the table of zones of a capture file",
    .text = "'-' as IN is standard input.\n"
            "count: zones with both ends; total: from begin to end, so that a zone inside itself\n"
            "counts twice; self: without the zones inside, interrupts and other tasks; mean, min,\n"
            "p50 (median), p99, max: of the time from begin to end. With --stacks a stack has the\n"
            "innermost function first. Last line: events that the board recorded (emitted), that\n"
            "arrived (delivered), and the rest (lost).\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "input file (IN.kymo)",
    .operand = OPTION_AT(input.path),
    .defaults = &(const struct settings){.to.form = TABLE_TEXT},
    .check = check,
    .run = run,
};
