#include "base/say.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/summary.h"
#include "sink/profile.h"
#include "sink/sampletable.h"
#include "sink/stacktable.h"
#include "sink/zonestats.h"

enum { OPTION_CSV, OPTION_STACKS, OPTION_SAMPLES, OPTION_ELF, OPTION_SYMBOLIZER };

static const struct option_spec option_table[] = {
    [OPTION_CSV] = {"csv", 0, NULL, "the table as CSV, with the columns of Tracy's csvexport"},
    [OPTION_STACKS] = {"stacks", 0, NULL,
                       "tables of call stacks: callers of zones and what runs\n"
                       "inside them, where memory is allocated and not freed"},
    [OPTION_SAMPLES] = {"samples", 0, NULL,
                        "the table of samples by function: how many met it, and\n"
                        "how many it or what it called"},
    [OPTION_ELF] = ELF_NAMES_SPEC,
    [OPTION_SYMBOLIZER] = SYMBOLIZER_SPEC,
    {0},
};

struct settings {
    struct cmd_input input;
    bool csv, stacks, samples;
};

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    switch (option) {
    case OPTION_CSV:
        settings->csv = true;
        return 0;
    case OPTION_STACKS:
        settings->stacks = true;
        return 0;
    case OPTION_SAMPLES:
        settings->samples = true;
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

static enum exit_code print_table(struct cmd_input *input, struct zonestats *zones) {
    struct conversion conversion;
    const struct consumer table = {.state = zones, .event = summary_zone};
    const struct receivers receivers = {
        .image = elf_names_image(&input->elf), .consumer = &table, .notice = cmd_notice};
    int error = conversion_run(&conversion, &input->replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion.totals);
    if (code == EXIT_OK) {
        summary_warn(&conversion.totals, 0);
        summary_print(zones, &conversion.totals, stdout);
        code = cmd_end_stdout();
    }
    conversion_free(&conversion);
    return code;
}

static enum exit_code print_csv(struct cmd_input *input) {
    char why[128];
    struct conversion conversion;
    struct outputs outputs = {0};
    const struct receivers receivers = {
        .image = elf_names_image(&input->elf), .outputs = &outputs, .notice = cmd_notice};
    if (!outputs_add(&outputs, "csv:-", why, sizeof why)) {
        say("%s", why);
        return EXIT_OUTPUT;
    }
    int error = conversion_run(&conversion, &input->replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion.totals);
    conversion_free(&conversion);
    return code;
}

static int on_event(void *context, const struct event *event) {
    return profile_event(context, event);
}

static enum exit_code print_profile(const struct settings *settings,
                                    const struct pipeline_totals *totals,
                                    const struct profile *profile) {
    int error = 0;
    if (settings->stacks) {
        error = settings->csv ? stacktable_csv(profile, stdout) : stacktable_print(profile, stdout);
    }
    if (settings->samples && !error) {
        error =
            settings->csv ? sampletable_csv(profile, stdout) : sampletable_print(profile, stdout);
    }
    if (error) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    if (!settings->csv) {
        summary_events(totals, stdout);
    }
    return cmd_end_stdout();
}

static enum exit_code print_profiled(struct settings *settings) {
    struct conversion conversion;
    struct profile profile = {0};
    struct cmd_input *input = &settings->input;
    const struct consumer consumer = {.state = &profile, .event = on_event};
    const struct receivers receivers = {
        .image = elf_names_image(&input->elf), .consumer = &consumer, .notice = cmd_notice};
    int error = conversion_run(&conversion, &input->replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion.totals);
    if (code == EXIT_OK) {
        summary_warn(&conversion.totals, 0);
        code = print_profile(settings, &conversion.totals, &profile);
    }
    profile_free(&profile);
    conversion_free(&conversion);
    return code;
}

static enum exit_code print(struct settings *settings) {
    if (settings->stacks || settings->samples) {
        return print_profiled(settings);
    }
    if (settings->csv) {
        return print_csv(&settings->input);
    }
    struct zonestats *zones = zonestats_new();
    if (!zones) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    enum exit_code code = print_table(&settings->input, zones);
    zonestats_free(zones);
    return code;
}

static enum exit_code run(char **argv) {
    struct settings settings = {0};
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
    .usage = "IN.kymo [--csv] [--stacks] [--samples] [--elf IMAGE] [--symbolizer PROGRAM]",
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
