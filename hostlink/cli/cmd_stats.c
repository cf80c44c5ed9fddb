#include "base/say.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/summary.h"
#include "sink/zonestats.h"

enum { OPTION_CSV, OPTION_ELF };

static const struct option_spec option_table[] = {
    [OPTION_CSV] = {"csv", 0, NULL, "the table as CSV, with the columns of Tracy's csvexport"},
    [OPTION_ELF] = ELF_NAMES_SPEC,
    {0},
};

struct settings {
    struct cmd_input input;
    bool csv;
};

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    switch (option) {
    case OPTION_CSV:
        settings->csv = true;
        return 0;
    case OPTION_ELF:
        settings->input.elf_path = options->value;
        return 0;
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
    const struct receivers receivers = {.image = elf_names_image(&input->elf),
                                        .context = zones,
                                        .event = summary_zone,
                                        .notice = cmd_notice};
    int error = conversion_run(&conversion, &input->replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion.totals);
    if (code == EXIT_OK) {
        summary_warn(&conversion.totals);
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

static enum exit_code print(struct settings *settings) {
    if (settings->csv) {
        return print_csv(&settings->input);
    }
    struct zonestats *zones = zonestats_new();
    if (!zones) {
        say("memory is short");
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
    .usage = "IN.kymo [--csv] [--elf IMAGE]",
    .summary = "Prints the table of zones of a capture file",
    .text =
        "'-' as IN is standard input.\n"
        "count: zones with both ends; total: from begin to end; self: without the zones inside,\n"
        "interrupts and other tasks; mean, min, p50 (median), p99, max: of the time from begin to\n"
        "end. Last line: emitted is what the board recorded, delivered what arrived of it, lost\n"
        "the rest.\n",
    .options = option_table,
    .run = run,
};
