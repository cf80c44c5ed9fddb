/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "cli/part.h"
#include "cli/summary.h"
#include "platform/file.h"
#include "report/page.h"
#include "sink/comparetable.h"
#include "sink/json_text.h"

#define CAPTURES 2u
#define PERCENT 0.5

struct settings {
    const char *paths[CAPTURES];
    struct cmd_input input;
    struct selection part; /* of each, before it is looked for */
    struct table_to to;
    double percent;
    unsigned wanted;    /* of COMPARE_ALL; 0: all */
    const char *output; /* the page, NULL: none */
};

static int set_percent(void *context, const struct options *options) {
    struct settings *settings = context;
    char *end;
    settings->percent = strtod(options->value, &end);
    return end != options->value && *end == '\0' && settings->percent >= 0.0
               ? 0
               : options_wrong(options, "'--threshold' needs a number of percent, not '%s'",
                               options->value);
}

static int set_path(void *context, const struct options *options) {
    struct settings *settings = context;
    for (size_t i = 0; i < CAPTURES; i++) {
        if (!settings->paths[i]) {
            settings->paths[i] = options->value;
            return 0;
        }
    }
    return options_wrong(options, "two captures, not also '%s'", options->value);
}

static int want(void *wanted, const struct options *options) {
    *(unsigned *)wanted |= options->current->name[0] == 'm' ? COMPARE_MEMORY : COMPARE_SAMPLES;
    return 0;
}

static const struct option_spec option_table[] = {
    {"csv", 0, NULL,
     "as CSV, including rows that do not differ: the table of\ntimes, or that of --memory or "
     "--samples",
     cmd_set_form, OPTION_IN(struct settings, enum table_form, to.form)},
    {"json", 0, NULL, "as JSON, including rows that do not differ", cmd_set_form,
     OPTION_IN(struct settings, enum table_form, to.form)},
    {"output", 'o', "OUT.html", "as one HTML page; '-' is standard output", OPTION_TEXT(output)},
    {"memory", 0, NULL, "only memory, by pool: live bytes, the peak", want, OPTION_AT(wanted)},
    {"samples", 0, NULL, "only samples, by function: its share of all", want, OPTION_AT(wanted)},
    {"sort", 0, "COLUMN", "sort by this column: largest number first, names A to Z",
     OPTION_TEXT(to.sort)},
    {"threshold", 0, "PERCENT", "the smallest change of a mean that counts (default 0.5)",
     set_percent, 0},
    {"top", 0, "N", "print at most N rows", OPTION_COUNT(to.top)},
    PART_SPECS(OPTION_AT(part)),
    CMD_INPUT_SPECS,
    {.take = set_path},
};

static int on_event(void *state, const struct event *event) { return compared_event(state, event); }

/* One capture; its names live in the passes. */
struct measured {
    struct selection part;
    struct part_passes passes;
    struct compared compared;
};

static enum exit_code measure(struct settings *settings, struct measured *one) {
    struct cmd_input *input = &settings->input;
    const struct consumer consumer = {.state = &one->compared, .event = on_event};
    const bool whole = part_is_whole(&settings->part);
    one->part = settings->part;
    compared_init(&one->compared, whole ? NULL : &one->part);
    const enum exit_code code =
        part_convert(&one->part, input, &one->passes, (struct receivers){.consumer = &consumer});
    if (code == EXIT_OK && one->passes.last.totals.lost > 0) {
        say("%s: lost events are not in the comparison", input->path);
    }
    if (code == EXIT_OK) {
        part_say_unmatched(&one->part);
    }
    if (code == EXIT_OK && compared_settle(&one->compared) != 0) {
        say(SAY_NO_MEMORY);
        return EXIT_OUTPUT;
    }
    return code;
}

static enum exit_code write_table(struct settings *settings, const struct measured *of) {
    struct table_to *to = &settings->to;
    /* A file of CSV has one table. */
    const unsigned all = to->form == TABLE_CSV ? COMPARE_TIMES : COMPARE_ALL;
    const unsigned wanted = settings->wanted != 0 ? settings->wanted : all;
    to->text = stdout;
    int error = to->form != TABLE_TEXT ? outfile_open(&to->out, "-") : 0;
    if (error == 0) {
        error = comparetable_write(&of[0].compared, &of[1].compared, settings->percent, wanted, to);
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

/* ---- the page ---- */

static void write_name(struct outfile *out, const char *key, const char *path) {
    const char *name = sys_last_part(path);
    outfile_printf(out, "\"%s\":", key);
    json_text(out, name, strlen(name));
    outfile_printf(out, ",");
}

static enum exit_code write_page(const struct settings *settings, const struct measured *of) {
    struct table_to to = {.form = TABLE_JSON};
    int error = outfile_open(&to.out, settings->output);
    if (error == 0) {
        outfile_write(to.out, compare_page_head, compare_page_head_size);
        outfile_printf(to.out, "{");
        write_name(to.out, "before", settings->paths[0]);
        write_name(to.out, "after", settings->paths[1]);
        outfile_printf(to.out, "\"hostlink\":\"%s\",\"percent\":%g,\"least_t\":%g,\"tables\":",
                       KYMO_VERSION, settings->percent, COMPARE_T);
        const int wrong = comparetable_write(&of[0].compared, &of[1].compared, settings->percent,
                                             COMPARE_ALL, &to);
        outfile_printf(to.out, "}");
        outfile_write(to.out, compare_page_tail, compare_page_tail_size);
        (void)outfile_fail(to.out, wrong);
        error = outfile_close(to.out);
    }
    if (error != 0) {
        say("%s: cannot be written: %s", settings->output, strerror(-error));
    }
    return error != 0 ? EXIT_OUTPUT : EXIT_OK;
}

static bool is_apart(const struct settings *settings) {
    const char *inputs[CAPTURES + ELF_IMAGES_MAX] = {settings->paths[0], settings->paths[1]};
    const size_t count = elf_images_paths(&settings->input.elf.images, inputs, CAPTURES);
    return !settings->output || cmd_page_is_apart(settings->output, inputs, count);
}

static enum exit_code compare(struct settings *settings) {
    static struct measured measured[CAPTURES]; /* too large for the stack */
    enum exit_code code = EXIT_OK;
    for (size_t i = 0; i < CAPTURES && code == EXIT_OK; i++) {
        settings->input.path = settings->paths[i];
        const int error = i > 0 ? replay_open(&settings->input.replay, settings->paths[i]) : 0;
        code = error == -ENODATA ? EXIT_NO_DATA
               : error           ? EXIT_SOURCE
                                 : measure(settings, &measured[i]);
        if (!error) {
            replay_close(&settings->input.replay);
        }
    }
    if (code == EXIT_OK) {
        code = settings->output ? write_page(settings, measured) : write_table(settings, measured);
    }
    for (size_t i = 0; i < CAPTURES; i++) {
        compared_free(&measured[i].compared);
        part_passes_free(&measured[i].passes);
        selection_free(&measured[i].part);
    }
    return code;
}

static int check(void *settings, const struct options *options) {
    (void)options;
    return is_apart(settings) ? 0 : OPTIONS_WRONG;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    settings->input.path = settings->paths[0];
    enum exit_code code = cmd_input_open(&settings->input);
    if (code == EXIT_OK) {
        code = compare(settings);
        elf_names_close(&settings->input.elf);
    }
    return code;
}

const struct cmd cmd_compare = {
    .name = "compare",
    .usage = "OLD.kymo NEW.kymo [--threshold PERCENT] [--csv | --json | -o OUT.html] [--sort "
             "COLUMN] [--top N]",
    .summary = "Compares two captures: what became slower or faster",
    .text =
        "Prints zones, frames, tasks, interrupts, locks, memory and the shares of functions in\n"
        "samples that differ by more than chance: compares\n"
        "the means of up to 31 batches of each series by Student's t, in pairs if both\n"
        "captures have equally many values. 'too few': fewer than 8 values.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "two captures (OLD.kymo NEW.kymo)",
    .operand = OPTION_AT(paths[1]),
    .defaults = &(const struct settings){.to.form = TABLE_TEXT, .percent = PERCENT},
    .check = check,
    .run = run,
};
