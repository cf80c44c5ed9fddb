#include "base/say.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/elf_names.h"
#include "cli/summary.h"
#include "sink/zonestats.h"

enum { OPTION_CSV, OPTION_ELF };

static const struct option_spec option_table[] = {
    [OPTION_CSV] = {"csv", 0, NULL, "the table as CSV, with the columns of Tracy's csvexport"},
    [OPTION_ELF] = ELF_NAMES_SPEC,
    {0},
};

struct settings {
    const char *input, *elf_path;
    struct elf_names elf;
    bool csv;
};

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    switch (option) {
    case OPTION_CSV:
        settings->csv = true;
        return 0;
    case OPTION_ELF:
        settings->elf_path = options->value;
        return 0;
    case OPTIONS_OPERAND:
        return cmd_set_input(&settings->input, options);
    default:
        return option;
    }
}

static int parse(struct settings *settings, char **argv) {
    struct options options = {.command = "stats", .specs = option_table, .argv = argv};
    return cmd_parse(&options, apply, settings, &settings->input, "statistics of which file?");
}

static enum exit_code print_table(struct replay *replay, struct zonestats *zones,
                                  const struct known_image *image) {
    struct conversion conversion;
    const struct receivers receivers = {
        .image = image, .context = zones, .event = summary_zone, .notice = cmd_notice};
    int error = conversion_run(&conversion, replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(replay, &conversion.totals);
    if (code == EXIT_OK) {
        summary_warn(&conversion.totals);
        summary_print(zones, &conversion.totals, stdout);
        code = cmd_end_stdout();
    }
    conversion_free(&conversion);
    return code;
}

static enum exit_code print_csv(struct replay *replay, const struct known_image *image) {
    char why[128];
    struct conversion conversion;
    struct outputs outputs = {0};
    const struct receivers receivers = {.image = image, .outputs = &outputs, .notice = cmd_notice};
    if (!outputs_add(&outputs, "csv:-", why, sizeof why)) {
        say("%s", why);
        return EXIT_OUTPUT;
    }
    int error = conversion_run(&conversion, replay, NULL, &receivers);
    enum exit_code code = error ? EXIT_OUTPUT : cmd_check_data(replay, &conversion.totals);
    conversion_free(&conversion);
    return code;
}

static enum exit_code print(const struct settings *settings, struct replay *replay) {
    const struct known_image *image = elf_names_image(&settings->elf);
    if (settings->csv) {
        return print_csv(replay, image);
    }
    struct zonestats *zones = zonestats_new();
    if (!zones) {
        say("memory is short");
        return EXIT_OUTPUT;
    }
    enum exit_code code = print_table(replay, zones, image);
    zonestats_free(zones);
    return code;
}

static enum exit_code run(char **argv) {
    struct settings settings = {0};
    struct replay replay;
    int wrong = parse(&settings, argv);
    if (wrong) {
        return wrong == OPTIONS_HELP ? cmd_help(&cmd_stats) : EXIT_USAGE;
    }
    if (!elf_names_open(&settings.elf, settings.elf_path)) {
        return EXIT_SOURCE;
    }
    enum exit_code code = cmd_open_input(&replay, settings.input);
    if (code == EXIT_OK) {
        code = print(&settings, &replay);
        replay_close(&replay);
    }
    elf_names_close(&settings.elf);
    return code;
}

const struct cmd cmd_stats = {
    .name = "stats",
    .usage = "IN.kymo [--csv] [--elf IMAGE]",
    .summary = "Prints the table of zones of a capture file",
    .text = "'-' as IN is standard input.\n",
    .options = option_table,
    .run = run,
};
