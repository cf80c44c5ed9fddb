/* SPDX-License-Identifier: MIT */
#include "cli/cmd.h"
#include "cli/live_capture.h"

static void help(void) {
    printf("Sources:\n");
    source_help(stdout);
    printf("\n");
    outputs_help(stdout, true);
}

static enum exit_code run(void *settings) { return live_capture(settings); }

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
    .settings_size = sizeof(struct live_settings),
    .defaults = &(const struct live_settings){.line = {.baud = LIVE_BAUD_DEFAULT}},
    .help = help,
    .run = run,
};
