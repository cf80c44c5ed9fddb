/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "cli/cmd_input.h"
#include "cli/convert.h"
#include "cli/summary.h"
#include "sink/comparetable.h"

#define CAPTURES 2u
#define PERCENT 0.5

enum {
    OPTION_CSV,
    OPTION_JSON,
    OPTION_SORT,
    OPTION_THRESHOLD,
    OPTION_TOP,
    OPTION_ELF,
    OPTION_SYMBOLIZER
};

static const struct option_spec option_table[] = {
    [OPTION_CSV] = {"csv", 0, NULL, "as CSV, including rows that do not differ"},
    [OPTION_JSON] = {"json", 0, NULL, "as JSON, including rows that do not differ"},
    [OPTION_SORT] = {"sort", 0, "COLUMN",
                     "sort by this column: largest number first, names A to Z"},
    [OPTION_THRESHOLD] = {"threshold", 0, "PERCENT",
                          "the smallest change of a mean that counts (default 0.5)"},
    [OPTION_TOP] = {"top", 0, "N", "print at most N rows"},
    [OPTION_ELF] = ELF_NAMES_SPEC,
    [OPTION_SYMBOLIZER] = SYMBOLIZER_SPEC,
    {0},
};

struct settings {
    const char *paths[CAPTURES];
    struct cmd_input input;
    struct table_to to;
    double percent;
};

static int set_percent(struct settings *settings, const struct options *options) {
    char *end;
    settings->percent = strtod(options->value, &end);
    return end != options->value && *end == '\0' && settings->percent >= 0.0
               ? 0
               : options_wrong(options, "'--threshold' needs a number of percent, not '%s'",
                               options->value);
}

static int set_path(struct settings *settings, const struct options *options) {
    for (size_t i = 0; i < CAPTURES; i++) {
        if (!settings->paths[i]) {
            settings->paths[i] = options->value;
            return 0;
        }
    }
    return options_wrong(options, "two captures, not also '%s'", options->value);
}

static int apply(void *context, const struct options *options, int option) {
    struct settings *settings = context;
    switch (option) {
    case OPTION_CSV:
    case OPTION_JSON:
        settings->to.form = option == OPTION_CSV ? TABLE_CSV : TABLE_JSON;
        return 0;
    case OPTION_SORT:
        settings->to.sort = options->value;
        return 0;
    case OPTION_THRESHOLD:
        return set_percent(settings, options);
    case OPTION_TOP:
        return options_unsigned(options, 1, UINT32_MAX, &settings->to.top) ? 0 : OPTIONS_WRONG;
    case OPTIONS_OPERAND:
        return set_path(settings, options);
    default:
        return cmd_input_option(&settings->input, options, option);
    }
}

static int on_event(void *state, const struct event *event) { return measures_event(state, event); }

/* Its names live in the conversion. */
static enum exit_code measure(struct settings *settings, struct conversion *conversion,
                              struct measures *measures) {
    struct cmd_input *input = &settings->input;
    const struct consumer consumer = {.state = measures, .event = on_event};
    const struct receivers receivers = {
        .image = elf_names_image(&input->elf), .consumer = &consumer, .notice = cmd_notice};
    measures->wanted = (1u << MEASURES) - 1u;
    const int error = conversion_run(conversion, &input->replay, NULL, &receivers);
    const enum exit_code code =
        error ? EXIT_OUTPUT : cmd_check_data(&input->replay, &conversion->totals);
    if (code == EXIT_OK && conversion->totals.lost > 0) {
        say("%s: what was lost is not in the comparison", input->path);
    }
    if (code == EXIT_OK && measures_settle(measures) != 0) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    return code;
}

static enum exit_code write_table(struct settings *settings, const struct measures *measures) {
    struct table_to *to = &settings->to;
    to->text = stdout;
    int error = to->form != TABLE_TEXT ? outfile_open(&to->out, "-") : 0;
    if (error == 0) {
        error = comparetable_write(&measures[0], &measures[1], settings->percent, to);
        if (error != 0) {
            say(SAY_NO_MEMORY);
        }
        const int end = to->form != TABLE_TEXT ? outfile_close(to->out) : 0;
        error = error ? error : end;
    }
    if (error == 0 && to->sort && !to->sorted) {
        say("--sort: the table has no column '%s'", to->sort);
        return EXIT_USAGE;
    }
    return error ? EXIT_OUTPUT : cmd_end_stdout();
}

static enum exit_code compare(struct settings *settings) {
    struct conversion conversions[CAPTURES] = {0};
    struct measures measures[CAPTURES] = {0};
    enum exit_code code = EXIT_OK;
    for (size_t i = 0; i < CAPTURES && code == EXIT_OK; i++) {
        settings->input.path = settings->paths[i];
        const int error = i > 0 ? replay_open(&settings->input.replay, settings->paths[i]) : 0;
        code = error ? EXIT_SOURCE : measure(settings, &conversions[i], &measures[i]);
        if (!error) {
            replay_close(&settings->input.replay);
        }
    }
    code = code == EXIT_OK ? write_table(settings, measures) : code;
    for (size_t i = 0; i < CAPTURES; i++) {
        measures_free(&measures[i]);
        conversion_free(&conversions[i]);
    }
    return code;
}

static enum exit_code run(char **argv) {
    struct settings settings = {.to.form = TABLE_TEXT, .percent = PERCENT};
    struct options options = {.command = "compare", .specs = option_table, .argv = argv};
    const int wrong = cmd_parse(&options, apply, &settings, &settings.paths[1],
                                "two captures (OLD.kymo NEW.kymo)");
    if (wrong) {
        return wrong == OPTIONS_HELP ? cmd_help(&cmd_compare) : EXIT_USAGE;
    }
    settings.input.path = settings.paths[0];
    enum exit_code code = cmd_input_open(&settings.input);
    if (code == EXIT_OK) {
        code = compare(&settings);
        elf_names_close(&settings.input.elf);
    }
    return code;
}

const struct cmd cmd_compare = {
    .name = "compare",
    .usage = "OLD.kymo NEW.kymo [--threshold PERCENT] [--csv | --json] [--sort COLUMN] [--top N]",
    .summary = "Compares two captures: what became slower or faster",
    .text = "Prints zones, frames, interrupts and locks that differ by more than chance: compares\n"
            "the means of up to 31 batches of each series by Student's t, in pairs if both\n"
            "captures have equally many values. 'too few': fewer than 8 values.\n",
    .options = option_table,
    .run = run,
};
