/* SPDX-License-Identifier: MIT */
#include "cli/cmd.h"
#include "cli/live_capture.h"

static enum exit_code help(void) {
    cmd_help(&cmd_capture);
    printf("\nSources:\n");
    source_help(stdout);
    printf("\n");
    outputs_help(stdout, true);
    return EXIT_OK;
}

static enum exit_code run(char **argv) {
    struct live_settings settings = {.line = {.baud = LIVE_BAUD_DEFAULT}};
    struct options options = {.command = "capture", .specs = live_option_table, .argv = argv};
    const int wrong = options_each(&options, &settings);
    if (wrong) {
        return wrong == OPTIONS_HELP ? help() : EXIT_USAGE;
    }
    return live_capture(&settings);
}

const struct cmd cmd_capture = {
    .name = "capture",
    .usage = "[SOURCE ...] [options]",
    .summary = "Captures the trace of a board",
    .text =
        "Several sources, of up to 16 boards, become one capture on the host's clock.\n"
        "The word 'capture' may be left out. Ctrl-C ends the capture and completes all outputs.\n"
        "On standard output: what the board prints ('board: ...'), then the table of zones, whose\n"
        "words 'hostlink help stats' explains.\n",
    .options = live_option_table,
    .run = run,
};
