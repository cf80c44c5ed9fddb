/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/say.h"
#include "cli/cmd.h"
#include "cli/live_capture.h"

#define OPTION_FIRST LIVE_OPTION_COUNT

static struct option_spec option_table[LIVE_OPTION_COUNT + 2];

struct settings {
    struct live_settings live;
    struct child child;
};

/* The options of 'capture' and one more. */
static void fill_table(void) {
    memcpy(option_table, live_option_table, LIVE_OPTION_COUNT * sizeof option_table[0]);
    option_table[OPTION_FIRST] =
        (struct option_spec){"first", 0, NULL,
                             "let the command end before the capture begins: for one\n"
                             "that flashes the board",
                             OPTION_FLAG(child.first)};
    option_table[OPTION_FIRST + 1] = live_option_table[LIVE_OPTION_COUNT];
}

static void help(void) {
    printf("Sources:\n");
    source_help(stdout);
    printf("\n");
    outputs_help(stdout, true);
}

/* Cuts the command off after "--"; NULL: no command. */
static char **cut_command(char **argv) {
    for (; *argv; argv++) {
        if (strcmp(*argv, "--") == 0 && argv[1]) {
            *argv = NULL;
            return argv + 1;
        }
    }
    return NULL;
}

static void prepare(void *state, char **argv) {
    fill_table();
    ((struct settings *)state)->child.argv = cut_command(argv);
}

static int check(void *state, const struct options *options) {
    const struct settings *settings = state;
    if (!settings->child.argv) {
        return options_wrong(options, "no command: write it after '--', for example -- ./program");
    }
    return settings->child.first && settings->live.source && strcmp(settings->live.source, "-") == 0
               ? options_wrong(options, "'-' is what the command writes: leave out '--first'")
               : 0;
}

static enum exit_code run(void *state) {
    struct settings *settings = state;
    settings->live.child = &settings->child;
    const enum exit_code code = live_capture(&settings->live);
    if (settings->child.has_run && settings->child.status != 0) {
        say("%s: ended with status %d", settings->child.argv[0], settings->child.status);
    }
    return settings->child.status != 0 ? (enum exit_code)settings->child.status : code;
}

const struct cmd cmd_run = {
    .name = "run",
    .usage = "[SOURCE] [options] -- COMMAND [argument ...]",
    .summary = "Starts a command and captures the board that it runs",
    .text = "COMMAND is an emulator, a program, an ssh command, a debugger or, with '--first', a "
            "flash tool.\n"
            "The capture ends when the board has finished or the command ends; a command that "
            "still runs\n"
            "then is ended. '-' as SOURCE is what the command writes to its standard output, and "
            "reads\n"
            "from its standard input; a source that is not there yet is waited for.\n"
            "The exit status is the command's if that is not 0, else as of 'capture'.\n"
            "  hostlink run - -o trace.pftrace -- ssh board ./program\n"
            "  hostlink run unix:/tmp/uart -- qemu-system-riscv64 ... -serial "
            "unix:/tmp/uart,server=on\n"
            "  hostlink run --first -- picotool load -x firmware.uf2\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .defaults = &(const struct settings){.live = {.line = {.baud = LIVE_BAUD_DEFAULT}}},
    .prepare = prepare,
    .check = check,
    .help = help,
    .run = run,
};
