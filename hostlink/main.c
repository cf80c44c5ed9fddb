/* SPDX-License-Identifier: MIT */
/* hostlink: reads the trace of a board and hands it to the viewers that people already use. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/say.h"
#include "base/stop.h"
#include "cli/cmd.h"
#include "commit.h"
#include "platform/file.h"

#define COMMAND_ADDRESS(name) &cmd_##name,
static const struct cmd *const commands[] = {COMMANDS(COMMAND_ADDRESS) NULL};

static const struct cmd *find(const char *name) {
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static void print_usage(FILE *out) {
    fprintf(out,
            "Usage: hostlink [SOURCE ...] [options]  captures, for example hostlink /dev/ttyUSB0;\n"
            "                                      without SOURCE from the only board there is\n"
            "       hostlink COMMAND [arguments]\n\nCommands:\n");
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "  %-10s  %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "  %-10s  %s\n\n", "help", "Help for one command: hostlink help capture");
    fprintf(
        out,
        "Exit status: 0 done; 1 an output could not be written, or no viewer received the trace;\n"
        "2 usage error; 3 the source or input could not be opened; 4 no valid data; 5 the source\n"
        "failed during the capture (what came before is kept); 6 the board did not obey --set;\n"
        "7 check: a limit was exceeded; 8 doctor found something wrong. 'run' is the status of its "
        "command if that is not 0.\n");
}

static enum exit_code unknown_command(const char *name) {
    struct nearest nearest = {.typed = name};
    for (size_t i = 0; commands[i]; i++) {
        nearest_try(&nearest, commands[i]->name);
    }
    nearest_try(&nearest, "help");
    say("no command '%s'%s%s%s; see 'hostlink help'", name, nearest.word ? ", did you mean '" : "",
        nearest.word ? nearest.word : "", nearest.word ? "'?" : "");
    return EXIT_USAGE;
}

static bool is_help(const char *word) {
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static enum exit_code help(const char *name) {
    if (!name || is_help(name)) {
        print_usage(stdout);
        return EXIT_OK;
    }
    const struct cmd *command = find(name);
    char word[] = "--help";
    char *argv[] = {word, NULL};
    return command ? cmd_start(command, argv) : unknown_command(name);
}

/* A word without a sign of a path that names nothing is more likely a command with a typing error. */
static bool is_mistyped_command(const char *word) {
    struct nearest nearest = {.typed = word};
    for (size_t i = 0; commands[i]; i++) {
        nearest_try(&nearest, commands[i]->name);
    }
    nearest_try(&nearest, "help");
    return nearest.word && !strpbrk(word, "-/.:") && !sys_exists(word);
}

static enum exit_code dispatch(char **argv) {
    const char *word = argv[0];
    if (!word) {
        return cmd_start(&cmd_capture, argv);
    }
    if (is_help(word)) {
        return help(word[0] == '-' ? NULL : argv[1]);
    }
    if (strcmp(word, "--version") == 0) {
        printf("hostlink %s%s%s%s\n", KYMO_VERSION, HOSTLINK_COMMIT[0] ? " (" : "", HOSTLINK_COMMIT,
               HOSTLINK_COMMIT[0] ? ")" : "");
        return EXIT_OK;
    }
    const struct cmd *command = find(word);
    if (command) {
        return cmd_start(command, argv + 1);
    }
    return is_mistyped_command(word) ? unknown_command(word) : cmd_start(&cmd_capture, argv);
}

int main(int argc, char **argv) {
    (void)argc;
    stop_ignore_write_signals();
    return (int)dispatch(argv + 1);
}
