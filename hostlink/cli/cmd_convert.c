/* SPDX-License-Identifier: MIT */
#include "cli/boards.h"
#include "cli/cmd_input.h"
#include "cli/part.h"
#include "cli/summary.h"
#include "sink/output.h"
#include "sink/sink.h"

struct settings {
    struct cmd_input input;
    struct outputs outputs;
    struct selection part;
    bool quiet;
};

static void help(void) { outputs_help(stdout, false); }

static int add_output(void *context, const struct options *options) {
    struct settings *settings = context;
    const int wrong = cmd_add_output(&settings->outputs, options);
    return wrong || !settings->outputs.capture
               ? wrong
               : options_wrong(options,
                               "'%s': the input is a capture already; convert writes other formats",
                               options->value);
}

static const struct option_spec option_table[] = {
    {"output", 'o', "OUT",
     "a file whose suffix names the format, or FORMAT:PATH;\n"
     "'-' as PATH is standard output; repeats",
     add_output, 0},
    PART_SPECS(OPTION_AT(part)),
    LARGE_FILES_SPEC(OPTION_TEXT(outputs.large.directory)),
    CMD_INPUT_SPECS,
    {"quiet", 'q', NULL, "only errors", OPTION_FLAG(quiet)},
    CMD_INPUT_OPERAND,
};

static int check(void *state, const struct options *options) {
    const struct settings *settings = state;
    return settings->outputs.count == 0 && !settings->outputs.large.directory
               ? options_wrong(options, "no output given (-o OUT.pftrace)")
               : 0;
}

static enum exit_code convert(struct settings *settings) {
    struct part_passes passes;
    const bool whole = part_is_whole(&settings->part);
    const struct receivers receivers = {.outputs = &settings->outputs,
                                        .part = whole ? NULL : &settings->part};
    const enum exit_code code = part_convert(&settings->part, &settings->input, &passes, receivers);
    const struct pipeline_totals *totals = &passes.last.totals;
    if (code == EXIT_OK && !settings->quiet) {
        boards_say(passes.last.boards);
        summary_warn(totals, 0);
        summary_devices(totals, stderr);
        summary_events(totals, stderr);
    }
    if (code == EXIT_OK) {
        part_say_unmatched(&settings->part);
    }
    part_passes_free(&passes);
    return code;
}

static bool are_apart(const struct settings *settings) {
    const char *inputs[1 + ELF_IMAGES_MAX] = {settings->input.path};
    const size_t count = elf_images_paths(&settings->input.elf.images, inputs, 1);
    return outputs_apart(&settings->outputs, inputs, count);
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    enum exit_code code = cmd_input_open(&settings->input);
    if (code == EXIT_OK) {
        code = !are_apart(settings)                ? EXIT_USAGE
               : outputs_check(&settings->outputs) ? convert(settings)
                                                   : EXIT_OUTPUT;
        cmd_input_close(&settings->input);
    }
    selection_free(&settings->part);
    return code;
}

const struct cmd cmd_convert = {
    .name = "convert",
    .usage = "IN.kymo -o OUT [-o OUT ...] [--from WHEN] [--to WHEN] [--large DIR] [--elf IMAGE]",
    .summary = "Writes a capture file in the formats of other programs",
    .text =
        "'-' as IN is standard input. Of a part the outputs have all zones that begin in it, to\n"
        "their ends.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .needs = "input file (IN.kymo)",
    .operand = OPTION_AT(input.path),
    .check = check,
    .help = help,
    .run = run,
};
