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
#include "cli/views.h"
#include "platform/memory_stream.h"
#include "sink/messagelog.h"

#define VIEWS_MAX 16u

enum {
    OPTION_CSV,
    OPTION_JSON,
    OPTION_CONTEXT,
    OPTION_DEVICES,
    OPTION_FLOWS,
    OPTION_FRAMES,
    OPTION_FROM,
    OPTION_INTERRUPTS,
    OPTION_LATE,
    OPTION_LEVEL,
    OPTION_LOCKS,
    OPTION_LONGEST,
    OPTION_MEMORY,
    OPTION_MESSAGES,
    OPTION_OPENMETRICS,
    OPTION_PLOTS,
    OPTION_SILENCES,
    OPTION_SORT,
    OPTION_TEXT,
    OPTION_TO,
    OPTION_TOP,
    OPTION_ZONE,
    OPTION_STACKS,
    OPTION_SAMPLES,
    OPTION_TASKS,
    OPTION_ELF,
    OPTION_SYMBOLIZER
};

static const struct option_spec option_table[] = {
    [OPTION_CSV] = {"csv", 0, NULL,
                    "as CSV; the table of zones has the columns of Tracy's\n"
                    "csvexport"},
    [OPTION_JSON] = {"json", 0, NULL, "as JSON, all tables in one document"},
    [OPTION_LONGEST] = {"longest", 0, "ZONE",
                        "the longest runs of a zone, or of 'all', or with 'lock:NAME'\n"
                        "the longest waits for a lock: when, where, and what lay\n"
                        "inside: zones, waits, interrupts, other tasks"},
    [OPTION_FROM] = PART_FROM_SPEC,
    [OPTION_TO] = PART_TO_SPEC,
    [OPTION_ZONE] = PART_ZONE_SPEC,
    [OPTION_CONTEXT] = PART_CONTEXT_SPEC,
    [OPTION_SORT] = {"sort", 0, "COLUMN",
                     "sort by this column: largest number first, names A to Z"},
    [OPTION_TOP] = {"top", 0, "N", "print at most N rows of each table"},
    [OPTION_DEVICES] = {"devices", 0, NULL,
                        "the table of devices: how busy each row was, what was\n"
                        "dropped, the error of its clock, restarts"},
    [OPTION_FLOWS] = {"flows", 0, NULL,
                      "the table of flows and asynchronous zones: how long each\n"
                      "took, and which were not received or not sent"},
    [OPTION_FRAMES] = {"frames", 0, NULL, "the table of frames, how long each took"},
    [OPTION_LATE] = {"late", 0, "TIME",
                     "the table of frames, with how many took longer than this,\n"
                     "for example 16.7ms"},
    [OPTION_INTERRUPTS] = {"interrupts", 0, NULL,
                           "the table of interrupts: how often, how long, how deeply\n"
                           "nested, and whether one came in a storm"},
    [OPTION_LOCKS] = {"locks", 0, NULL,
                      "the table of locks: holds, waits, the longest of each, and\n"
                      "which task waited for which"},
    [OPTION_MEMORY] = {"memory", 0, NULL,
                       "the table of memory by pool: live at the end, the peak,\n"
                       "and frees without an allocation"},
    [OPTION_MESSAGES] = {"messages", 0, NULL, "the messages, as a log"},
    [OPTION_OPENMETRICS] = {"openmetrics", 0, NULL,
                            "all that is measured as OpenMetrics text, for Prometheus"},
    [OPTION_LEVEL] = {"level", 0, "LEVEL", "messages of this level or a more severe one"},
    [OPTION_TEXT] = {"text", 0, "TEXT", "messages that contain this text"},
    [OPTION_PLOTS] = {"plots", 0, NULL, "the table of plots, their least and greatest values"},
    [OPTION_SILENCES] = {"silences", 0, NULL,
                         "the longest times in which a core recorded no event, and\n"
                         "between which events"},
    [OPTION_STACKS] = {"stacks", 0, NULL,
                       "tables of call stacks: callers of zones and what runs\n"
                       "inside them, where memory is allocated and not freed"},
    [OPTION_SAMPLES] = {"samples", 0, NULL,
                        "the table of samples by function: how many hit it, and\n"
                        "how many hit it or a function that it called"},
    [OPTION_TASKS] = {"tasks", 0, NULL,
                      "the table of a kernel's tasks: how long each ran, was ready\n"
                      "without running, and waited, and for what"},
    [OPTION_ELF] = ELF_NAMES_SPEC,
    [OPTION_SYMBOLIZER] = SYMBOLIZER_SPEC,
    {0},
};

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
    const struct view *view = views;
    while (view->option != option &&
           (!option || !view->option || strcmp(view->option, option) != 0)) {
        view++;
    }
    for (uint32_t i = 0; i < settings->asked_count; i++) {
        if (settings->asked[i].view == view) {
            return;
        }
    }
    settings->asked[settings->asked_count++].view = view;
}

static int set_form(struct settings *settings, const struct options *options,
                    enum table_form form) {
    if (settings->to.form != TABLE_TEXT && settings->to.form != form) {
        return options_wrong(options, "either --csv or --json");
    }
    settings->to.form = form;
    return 0;
}

static int set_level(struct settings *settings, const struct options *options) {
    const int level = messagelog_level(options->value);
    settings->options.level = (uint8_t)level;
    return level >= 0 ? 0
                      : options_wrong(options, "'%s' is no level; there are " MESSAGELOG_LEVELS,
                                      options->value);
}

static int set_late(struct settings *settings, const struct options *options) {
    struct selection_end late;
    if (!selection_parse(&late, options->value) || late.is != SELECTION_TIME || late.time_ns == 0) {
        return options_wrong(options, "'--late' is a time above 0 as '1.5' or '20ms', not '%s'",
                             options->value);
    }
    settings->options.late_ns = (uint64_t)late.time_ns;
    ask(settings, "frames");
    return 0;
}

/* Chooses the rows of the tables. */
static int apply_shown(struct settings *settings, const struct options *options, int option) {
    int left;
    switch (option) {
    case OPTION_LEVEL:
        return set_level(settings, options);
    case OPTION_LATE:
        return set_late(settings, options);
    case OPTION_TEXT:
        settings->options.text = options->value;
        return 0;
    case OPTION_SORT:
        settings->to.sort = options->value;
        return 0;
    case OPTION_TOP:
        return options_unsigned(options, 1, UINT32_MAX, &settings->to.top) ? 0 : OPTIONS_WRONG;
    default:
        left = part_option(&settings->selection, options, option);
        return left == option ? cmd_input_option(&settings->input, options, option) : left;
    }
}

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    switch (option) {
    case OPTION_CSV:
        return set_form(settings, options, TABLE_CSV);
    case OPTION_JSON:
        return set_form(settings, options, TABLE_JSON);
    case OPTION_DEVICES:
    case OPTION_FLOWS:
    case OPTION_FRAMES:
    case OPTION_INTERRUPTS:
    case OPTION_LOCKS:
    case OPTION_MEMORY:
    case OPTION_MESSAGES:
    case OPTION_OPENMETRICS:
    case OPTION_PLOTS:
    case OPTION_SILENCES:
    case OPTION_STACKS:
    case OPTION_SAMPLES:
    case OPTION_TASKS:
        ask(settings, options->current->name);
        return 0;
    case OPTION_LONGEST:
        settings->options.longest = options->value;
        ask(settings, options->current->name);
        return 0;
    default:
        return apply_shown(settings, options, option);
    }
}

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

static int parse(struct settings *settings, char **argv) {
    struct options options = {.command = "stats", .specs = option_table, .argv = argv};
    const int wrong =
        cmd_parse(&options, apply, settings, &settings->input.path, "input file (IN.kymo)");
    if (wrong == 0 && !part_is_whole(&settings->selection) && asks(settings, "tasks")) {
        return options_wrong(&options, "--tasks is of the whole capture, without --from, --to, "
                                       "--zone and --context");
    }
    return wrong == 0 && asks(settings, "openmetrics") && !is_alone(settings)
               ? options_wrong(&options, "--openmetrics is all tables in one form, without others, "
                                         "--csv, --json, --sort and --top")
               : wrong;
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

static int write_tables(struct settings *settings, const struct pipeline_totals *totals) {
    struct table_to *to = &settings->to;
    int error = 0;
    table_document(to);
    for (uint32_t i = 0; i < settings->asked_count && error == 0; i++) {
        error = settings->asked[i].view->write(settings->asked[i].state, totals, to);
    }
    if (!asks(settings, "openmetrics")) {
        write_events(totals, to);
    }
    table_document_end(to);
    return error;
}

/* Checks the sort before the first byte is written: the tables go nowhere, only to learn their columns. */
static enum exit_code check_sort(struct settings *settings, const struct pipeline_totals *totals) {
    const struct table_to to = settings->to;
    struct nearest nearest = {.typed = to.sort};
    char *text = NULL;
    size_t length;
    settings->to.top = 1;
    settings->to.nearest = &nearest;
    settings->to.text = memory_stream_open(&text, &length);
    int error = settings->to.text ? outfile_open_nowhere(&settings->to.out) : -ENOMEM;
    if (!error) {
        error = write_tables(settings, totals);
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

static enum exit_code write_all(struct settings *settings, const struct pipeline_totals *totals) {
    struct table_to *to = &settings->to;
    int error = to->form != TABLE_TEXT ? outfile_open(&to->out, "-") : 0;
    if (error == 0) {
        to->text = stdout;
        error = write_tables(settings, totals);
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
        const struct pipeline_totals *totals = &passes[count - 1].totals;
        boards_say(passes[count - 1].boards);
        summary_warn(totals, 0);
        part_say_unmatched(&settings->selection);
        code = settings->to.sort ? check_sort(settings, totals) : EXIT_OK;
        code = code == EXIT_OK ? write_all(settings, totals) : code;
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

static enum exit_code run(char **argv) {
    struct settings settings = {.to.form = TABLE_TEXT};
    int wrong = parse(&settings, argv);
    if (wrong) {
        return wrong == OPTIONS_HELP ? cmd_help(&cmd_stats) : EXIT_USAGE;
    }
    enum exit_code code = cmd_input_open(&settings.input);
    if (code == EXIT_OK) {
        code = print(&settings);
        cmd_input_close(&settings.input);
    }
    selection_free(&settings.selection);
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
            "innermost function first. Last line: emitted is what the board recorded, delivered\n"
            "what arrived of it, lost the rest.\n",
    .options = option_table,
    .run = run,
};
