#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/say.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/summary.h"
#include "cli/views.h"

#define VIEWS_MAX 16u

enum {
    OPTION_CSV,
    OPTION_JSON,
    OPTION_FRAMES,
    OPTION_INTERRUPTS,
    OPTION_LOCKS,
    OPTION_PLOTS,
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
    [OPTION_FRAMES] = {"frames", 0, NULL, "the table of frames, how long each took"},
    [OPTION_INTERRUPTS] = {"interrupts", 0, NULL,
                           "the table of interrupts: how often, how long, how deeply\n"
                           "nested, and whether one came in a storm"},
    [OPTION_LOCKS] = {"locks", 0, NULL,
                      "the table of locks: holds, waits, the longest of each, and\n"
                      "who waited for whom"},
    [OPTION_PLOTS] = {"plots", 0, NULL, "the table of plots, their least and greatest values"},
    [OPTION_STACKS] = {"stacks", 0, NULL,
                       "tables of call stacks: callers of zones and what runs\n"
                       "inside them, where memory is allocated and not freed"},
    [OPTION_SAMPLES] = {"samples", 0, NULL,
                        "the table of samples by function: how many met it, and\n"
                        "how many it or what it called"},
    [OPTION_TASKS] = {"tasks", 0, NULL,
                      "the table of a kernel's tasks: how long each ran, how long\n"
                      "it was ready and did not, what it waited for"},
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

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    switch (option) {
    case OPTION_CSV:
        return set_form(settings, options, TABLE_CSV);
    case OPTION_JSON:
        return set_form(settings, options, TABLE_JSON);
    case OPTION_FRAMES:
    case OPTION_INTERRUPTS:
    case OPTION_LOCKS:
    case OPTION_PLOTS:
    case OPTION_STACKS:
    case OPTION_SAMPLES:
    case OPTION_TASKS:
        ask(settings, options->current->name);
        return 0;
    case OPTION_SYMBOLIZER:
        settings->input.symbolizer = options->value;
        return 0;
    case OPTION_ELF:
        return elf_images_add(&settings->input.elf.images, options);
    case OPTIONS_OPERAND:
        return cmd_set_input(&settings->input.path, options);
    default:
        return option;
    }
}

static int parse(struct settings *settings, char **argv) {
    struct options options = {.command = "stats", .specs = option_table, .argv = argv};
    return cmd_parse(&options, apply, settings, &settings->input.path, "input file (IN.kymo)");
}

/* ---- the tables ---- */

static int on_event(void *context, const struct event *event) {
    const struct settings *settings = context;
    int error = 0;
    for (uint32_t i = 0; i < settings->asked_count && error == 0; i++) {
        error = settings->asked[i].view->event(settings->asked[i].state, event);
    }
    return error;
}

/* One alone gets the events straight from the pipeline. */
static struct consumer receiver(struct settings *settings) {
    const struct asked *asked = settings->asked;
    return settings->asked_count == 1
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
    write_events(totals, to);
    table_document_end(to);
    return error;
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

static enum exit_code print_tables(struct settings *settings) {
    struct conversion conversion;
    struct cmd_input *input = &settings->input;
    const struct consumer consumer = receiver(settings);
    const struct receivers receivers = {
        .image = elf_names_image(&input->elf), .consumer = &consumer, .notice = cmd_notice};
    int error = conversion_run(&conversion, &input->replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion.totals);
    if (code == EXIT_OK) {
        summary_warn(&conversion.totals, 0);
        code = write_all(settings, &conversion.totals);
    }
    conversion_free(&conversion);
    return code;
}

static enum exit_code print(struct settings *settings) {
    enum exit_code code = EXIT_OK;
    if (settings->asked_count == 0) {
        ask(settings, NULL);
    }
    for (uint32_t i = 0; i < settings->asked_count; i++) {
        settings->asked[i].state = settings->asked[i].view->make();
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
